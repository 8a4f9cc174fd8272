#include "ui/explain_fit.h"

#include "base/str.h"
#include "model/model_text.h"

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

static bool has_name(const struct model *m, const char *name) {
    if (model_find(m, name) != METRIC_NONE)
        return true;
    for (uint32_t i = 0; i < m->n_metric; i++)
        if (model_in_group(&m->metric[i], name))
            return true;
    return false;
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

static bool fits(const struct model *m, const char *text) {
    while (*text) {
        char word[96];
        size_t n = 0, dotted = 0;
        while (is_name_char(text[dotted]) || text[dotted] == '.')
            dotted++;
        if (is_intel_event(text, dotted) && !str_same_name(m->vendor, "Intel"))
            return false;
        while (is_name_char(text[n]))
            n++;
        str_copy(word, n + 1 < sizeof(word) ? n + 1 : sizeof(word), text);
        if (is_metric_name(word) && !has_name(m, word))
            return false;
        text += n ? n : 1;
    }
    return true;
}

static void fit_list(const char **list, const struct model *m) {
    size_t n = 0;
    for (size_t i = 0; list && list[i]; i++)
        if (fits(m, list[i]))
            list[n++] = list[i];
    if (list)
        list[n] = NULL;
}

static void fit_names(const char **list, const struct model *m) {
    size_t n = 0;
    for (size_t i = 0; list && list[i]; i++)
        if (has_name(m, list[i]))
            list[n++] = list[i];
    if (list)
        list[n] = NULL;
}

void explain_fit(struct explain *ex, const struct model *m) {
    for (size_t i = 0; i < ex->n; i++) {
        struct explain_entry *e = &ex->at[i];
        if (!has_name(m, e->name))
            continue; /* never shown */
        fit_list(e->causes, m);
        fit_list(e->hints, m);
        fit_list(e->confirm, m);
        fit_names(e->related, m);
    }
}
