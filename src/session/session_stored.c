#include "session/session_stored.h"

#include "session/session.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- times ---- */

/* Time 0 is the beginning of its first interval (pmu/replay/source_run.c). */
uint64_t session_stored_wall_ns(const struct run *from) {
    return (uint64_t)from->begun_ns + series_begin_ns(&from->series) - from->t0_ns;
}

void session_stored_marks(struct session *s) {
    const struct run *from = s->source.opt.run;
    const uint64_t begin = series_begin_ns(&from->series), now = begin + s->sample.t1_ns;
    for (; s->n_past_mark < from->mark.n; s->n_past_mark++) {
        const struct run_mark *m = &from->mark.at[s->n_past_mark];
        if (m->t_ns > now)
            return;
        if (m->t_ns > begin)
            record_mark(&s->record, m->t_ns - begin, m->name);
    }
}

/* ---- what it says ---- */

int session_stored_events(const struct run *from, struct run *r) {
    int rc = layout_copy(&r->layout, &from->layout);
    r->event = rc ? NULL : calloc(from->layout.n_event + 1u, sizeof(*r->event));
    if (!r->event)
        return -ENOMEM;
    for (uint32_t i = 0; i < from->layout.n_event; i++)
        if (!(r->event[i] = strdup(from->event[i])))
            return -ENOMEM;
    return 0;
}

int session_stored_texts(const struct run *from, struct run *r) {
    const struct {
        char **at;
        const char *text;
    } text[] = {{&r->process, from->process}, {&r->command, from->command},
                {&r->target, from->target},   {&r->source, from->source},
                {&r->version, from->version}, {&r->parent, from->id}};
    int rc = 0;
    for (size_t i = 0; i < sizeof(text) / sizeof(text[0]) && rc == 0; i++)
        rc = run_set_text(text[i].at, text[i].text ? text[i].text : "");
    r->interval_ns = from->interval_ns;
    r->level = from->level;
    r->system_wide = from->system_wide;
    r->ran_through = from->ran_through && r->t0_ns == 0 &&
                     r->t1_ns == series_end_ns(&from->series) - series_begin_ns(&from->series);
    return rc;
}

int session_stored_facts(const struct run *from, struct run *r) {
    for (size_t i = 0; i < from->fact.n; i++) {
        struct run_fact f = {strdup(from->fact.at[i].key), strdup(from->fact.at[i].value)};
        if (!f.key || !f.value || array_push(&r->fact, f) < 0) {
            free(f.key);
            free(f.value);
            return -ENOMEM;
        }
    }
    return 0;
}

int session_stored_labels(const struct run *from, const struct model *m, struct run *r) {
    int rc = run_label_set(r, "model", m->name, true, NULL);
    for (size_t i = 0; i < from->label.n && rc == 0; i++) {
        const struct run_label *l = &from->label.at[i];
        const char *found = l->automatic ? l->value : l->covered;
        if (found && strcmp(l->key, "model") != 0 && strcmp(l->key, RUN_REEVAL_OF) != 0)
            rc = run_label_set(r, l->key, found, true, NULL);
        if (rc == 0 && !l->automatic)
            rc = run_label_set(r, l->key, l->value, false, NULL);
    }
    return rc;
}
