#include "model/knowledge/explain_text.h"

#include "base/str.h"
#include "model/load/model.h"

#include <stddef.h>

enum part_type { PART_SUMMARY, PART_TEXT, PART_LIST, PART_VALUES, PART_NOTES };

/* The order: what it is, why it happens, what to do, how sure one can be. */
static const struct part {
    enum part_type type;
    const char *heading; /* NULL: it follows what is above it */
    size_t at;           /* in struct explain_entry */
} parts[] = {
    {PART_SUMMARY, NULL, offsetof(struct explain_entry, summary)},
    {PART_TEXT, NULL, offsetof(struct explain_entry, description)},
    {PART_LIST, "Usual causes", offsetof(struct explain_entry, causes)},
    {PART_LIST, "What to try", offsetof(struct explain_entry, hints)},
    {PART_LIST, "How to make sure", offsetof(struct explain_entry, confirm)},
    {PART_NOTES, NULL, 0}, /* what is so elsewhere must not push down what is to be tried */
    {PART_TEXT, "What is counted", offsetof(struct explain_entry, counts)},
    {PART_VALUES, "Values", 0},
};

static void tell_list(const char *const *list, const char *heading, const struct text_sink *sink) {
    if (!list || !list[0])
        return;
    sink->heading(sink->user, heading);
    for (size_t i = 0; list[i]; i++)
        sink->item(sink->user, list[i]);
}

static void tell_text(const char *text, const char *heading, const struct text_sink *sink) {
    if (heading)
        sink->heading(sink->user, heading);
    sink->text(sink->user, text);
}

static void tell_values(const struct explain_entry *e, const char *heading,
                        const struct text_sink *sink) {
    char text[512];
    sink->heading(sink->user, heading);
    const char *const rows[][2] = {
        {"healthy", e->healthy}, {"worrying", e->worrying}, {"source", e->values_from}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct strbuf sb = strbuf_on(text, sizeof(text));
        strbuf_add(&sb, "%s: %s", rows[i][0], rows[i][1]);
        sink->item(sink->user, text);
    }
}

enum { NAMED_MAX = 6 };

/* The models of globs, "*-lnc": "arl-lnc, lnl-lnc". */
static void add_models(const char *globs, struct strbuf *sb) {
    size_t n = 0;
    for (const struct embedded *m = embedded_models; m->name; m++)
        if (explain_globs_match(globs, m->name) && ++n <= NAMED_MAX)
            strbuf_add(sb, "%s%s", n > 1 ? ", " : "", m->name);
    if (n > NAMED_MAX)
        strbuf_add(sb, " and %zu more", n - NAMED_MAX);
    if (n == 0)
        strbuf_add(sb, "%s", globs);
}

void explain_note_of(const struct explain_note *note, char *buf, size_t cap) {
    static const char *const vendors[][2] = {
        {"intel", "Intel"}, {"ecore", "Intel E-cores"}, {"amd", "AMD"}, {"arm", "Arm"}};
    struct strbuf sb = strbuf_on(buf, cap);
    for (size_t i = 0; i < sizeof(vendors) / sizeof(vendors[0]); i++)
        if (str_same_name(note->of, vendors[i][0])) {
            strbuf_add(&sb, "%s", vendors[i][1]);
            return;
        }
    add_models(note->of, &sb);
}

static void tell_notes(const struct explain_entry *e, const struct model *m,
                       const struct text_sink *sink) {
    char text[1024], of[192];
    bool headed = false;
    for (size_t i = 0; i < e->n_note; i++) {
        const struct explain_note *note = &e->note[i];
        if (m && !explain_note_fits(note, m))
            continue;
        if (!headed)
            sink->heading(sink->user, m ? "On this core" : "By core");
        headed = true;
        explain_note_of(note, of, sizeof(of));
        struct strbuf sb = strbuf_on(text, sizeof(text));
        strbuf_add(&sb, "%s: %s", of, note->text);
        if (m)
            sink->text(sink->user, note->text);
        else
            sink->item(sink->user, text);
    }
}

static void tell_part(const struct explain_entry *e, const struct model *m, const struct part *p,
                      const struct text_sink *sink) {
    const void *at = (const char *)e + p->at;
    switch (p->type) {
    case PART_SUMMARY:
        sink->summary(sink->user, e->summary);
        break;
    case PART_TEXT:
        tell_text(*(const char *const *)at, p->heading, sink);
        break;
    case PART_LIST:
        tell_list(*(const char *const *const *)at, p->heading, sink);
        break;
    case PART_VALUES:
        tell_values(e, p->heading, sink);
        break;
    case PART_NOTES:
        tell_notes(e, m, sink);
        break;
    }
}

void explain_text(const struct explain_entry *e, const struct model *m,
                  const struct text_sink *sink) {
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
        tell_part(e, m, &parts[i], sink);
}

static void tell_related(const struct explain *ex, const struct explain_entry *e,
                         const struct text_sink *sink) {
    char text[512], said[256];
    if (e->related[0])
        sink->heading(sink->user, "Related");
    for (size_t i = 0; e->related[i]; i++) {
        const char *other = explain_summary(ex, e->related[i], said, sizeof(said));
        struct strbuf sb = strbuf_on(text, sizeof(text));
        strbuf_add(&sb, "%s%s%s", e->related[i], other ? ": " : "", other ? other : "");
        sink->item(sink->user, text);
    }
}

void explain_text_references(const struct explain *ex, const struct explain_entry *e,
                             const struct text_sink *sink) {
    char text[512];
    sink->heading(sink->user, "Read more");
    for (size_t i = 0; e->references[i]; i++)
        sink->item(sink->user, explain_reference(ex, e->references[i], text, sizeof(text)));
}

void explain_text_on(const struct explain *ex, const struct explain_entry *e,
                     const struct text_sink *sink) {
    tell_related(ex, e, sink);
    explain_text_references(ex, e, sink);
}
