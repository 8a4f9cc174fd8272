#include "model/knowledge/explain_fit.h"

#include "base/str.h"

#include <ctype.h>
#include <string.h>

static bool is_name_char(char c) {
    return isalnum((unsigned char)c) || c == '_';
}

/* Names of metrics are Capitalised_Words; MEM_LOAD_RETIRED is an event, perf_event_open neither. */
static bool is_metric_name(const char *word) {
    bool lower = false;
    for (const char *p = word; *p; p++)
        lower |= islower((unsigned char)*p) != 0;
    return isupper((unsigned char)word[0]) && strchr(word, '_') && lower;
}

/* MEM_LOAD_RETIRED.L3_HIT: events are spelt so by Intel alone. */
static bool is_intel_event(const char *word, size_t len) {
    bool dot = false;
    for (size_t i = 0; i < len; i++) {
        dot |= word[i] == '.' && i > 0 && i + 1 < len;
        if (islower((unsigned char)word[i]))
            return false;
    }
    return dot && isupper((unsigned char)word[0]) && memchr(word, '_', len);
}

bool explain_fit_text(const struct explain_fit *f, const char *text) {
    while (*text) {
        char word[96];
        size_t n = 0, dotted = 0;
        while (is_name_char(text[dotted]) || text[dotted] == '.')
            dotted++;
        if (!f->intel && is_intel_event(text, dotted))
            return false;
        while (is_name_char(text[n]))
            n++;
        str_copy(word, n + 1 < sizeof(word) ? n + 1 : sizeof(word), text);
        if (is_metric_name(word) && !name_set_has(&f->names, text, n))
            return false;
        text += n ? n : 1;
    }
    return true;
}

bool explain_fit_has(const struct explain_fit *f, const char *name) {
    return name_set_has(&f->names, name, strlen(name));
}

/* Leaves what is kept, in its order. */
static void fit_list(const struct explain_fit *f, const char **list,
                     bool (*is_kept)(const struct explain_fit *f, const char *text)) {
    size_t n = 0;
    for (size_t i = 0; list[i]; i++)
        if (is_kept(f, list[i]))
            list[n++] = list[i];
    list[n] = NULL;
}

void explain_fit_entries(const struct explain_fit *f, struct explain *ex) {
    for (size_t i = 0; i < ex->n; i++) {
        struct explain_entry *e = &ex->at[i];
        if (!explain_fit_has(f, e->name))
            continue; /* of other cores: what is said of it stays whole */
        fit_list(f, e->causes, explain_fit_text);
        fit_list(f, e->hints, explain_fit_text);
        fit_list(f, e->confirm, explain_fit_text);
        fit_list(f, e->related, explain_fit_has);
    }
}

int explain_fit_init(struct explain_fit *f, const struct model *m) {
    f->intel = str_same_name(m->vendor, "Intel");
    return name_set_init(&f->names, m);
}

void explain_fit_destroy(struct explain_fit *f) {
    name_set_destroy(&f->names);
}

int explain_fit(struct explain *ex, const struct model *m) {
    struct explain_fit f;
    const int rc = explain_fit_init(&f, m);
    if (rc == 0)
        explain_fit_entries(&f, ex);
    explain_fit_destroy(&f);
    return rc;
}
