/* From a session to a run: a copy of everything that a stretch of it is worth keeping for. */
#include "session.h"

#include "base/str.h"
#include "pmu/auto_labels.h"
#include "session_stored.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int copy_events(const struct session *s, struct run *r) {
    if (s->source.opt.run)
        return session_stored_events(s->source.opt.run, r);
    int rc = layout_copy(&r->layout, &s->source.layout);
    r->event = rc ? NULL : calloc(s->model.n_event + 1u, sizeof(*r->event));
    if (!r->event)
        return -ENOMEM;
    for (uint32_t i = 0; i < s->model.n_event; i++)
        if (!(r->event[i] = strdup(s->model.event[i].name)))
            return -ENOMEM;
    return 0;
}

static int copy_texts(const struct session *s, struct run *r) {
    struct {
        char **at;
        const char *text;
    } const text[] = {
        {&r->target, s->source.target_text},
        {&r->source, s->source.ops->name},
        {&r->version, TDTOP_VERSION},
        {&r->note, ""},
        {&r->parent, ""},
        {&r->model, s->model.name},
        {&r->model_text, model_text(&s->model)},
    };
    int rc = 0;
    for (size_t i = 0; i < sizeof(text) / sizeof(text[0]) && rc == 0; i++)
        rc = run_set_text(text[i].at, text[i].text ? text[i].text : "");
    return rc == 0 && s->source.opt.run ? session_stored_texts(s->source.opt.run, r) : rc;
}

static int copy_facts(const struct session *s, struct run *r) {
    if (s->source.opt.run)
        return session_stored_facts(s->source.opt.run, r);
    struct env_fact fact[ENV_FACTS_MAX];
    int n = s->env.open ? environment_facts(&s->env, fact) : 0, rc = 0;
    for (int i = 0; i < n && rc == 0; i++) {
        struct run_fact f = {strdup(fact[i].key), strdup(fact[i].value)};
        rc = f.key && f.value ? array_push(&r->fact, f) : -ENOMEM;
        if (rc) {
            free(f.key);
            free(f.value);
        }
    }
    return rc;
}

static int copy_marks(const struct session *s, struct run *r) {
    int rc = 0;
    for (int i = 0; i < s->record.n_mark && rc == 0; i++) {
        const struct record_mark *m = &s->record.mark[i];
        if (m->t_ns <= r->t0_ns || m->t_ns > r->t1_ns)
            continue;
        struct run_mark mark = {m->t_ns, strdup(m->name)};
        rc = mark.name ? array_push(&r->mark, mark) : -ENOMEM;
        if (rc)
            free(mark.name);
    }
    return rc;
}

/* --- counts --- */

/* Rows of the history in (t0, t1], the finest there are. */
static int copy_history(const struct session *s, uint64_t t0_ns, uint64_t t1_ns, struct run *r) {
    struct sample row;
    int rc = sample_init(&row, s->source.layout.n_slot);
    uint64_t oldest = history_oldest_ns(&s->history), t = t0_ns > oldest ? t0_ns : oldest;
    while (rc == 0 && t < t1_ns && history_next(&s->history, t, &row) && row.t1_ns > t) {
        t = row.t1_ns;
        if (t <= t1_ns)
            rc = series_push(&r->series, &row);
    }
    sample_destroy(&row);
    return rc;
}

static int copy_rows(const struct series *from, uint64_t t0_ns, uint64_t t1_ns, struct run *r) {
    struct series_reader reader;
    struct sample row = {0};
    int rc = series_reader_init(&reader, from);
    if (rc == 0 && (rc = sample_init(&row, from->n_slot)) == 0) {
        if (t0_ns > 0) /* a recording that does not say how long it took ends at 0, too */
            series_reader_seek(&reader, t0_ns);
        while (rc == 0 && series_reader_next(&reader, &row) && row.t1_ns <= t1_ns)
            rc = series_push(&r->series, &row);
    }
    sample_destroy(&row);
    series_reader_destroy(&reader);
    return rc;
}

static int copy_counts(const struct session *s, struct run *r) {
    const struct series *kept = &s->record.series;
    int rc = series_init(&r->series, &s->source.layout, 0);
    uint64_t begin = series_begin_ns(kept);
    if (rc == 0 && r->t0_ns < begin && series_dropped(kept))
        rc = copy_history(s, r->t0_ns, begin, r);
    if (rc == 0)
        rc = copy_rows(kept, r->t0_ns, r->t1_ns, r);
    if (rc == 0 && series_rows(&r->series) == 0)
        return -ENODATA;
    return rc;
}

/* --- the whole --- */

static int64_t wall_at(const struct session *s, uint64_t t_ns) {
    return (int64_t)(s->t_wall_ns + t_ns);
}

/* From its first instruction until it ended, and not by a signal: then its time is its own. */
static bool ran_through(const struct session *s, const struct run *r) {
    enum { BY_SIGNAL = 128 };
    return s->source.opt.target.kind == TARGET_COMMAND && s->state == STREAM_GONE &&
           s->exit_code >= 0 && s->exit_code < BY_SIGNAL && r->t0_ns == 0 &&
           r->t1_ns == s->sample.t1_ns;
}

static void span(const struct session *s, uint64_t t0_ns, uint64_t t1_ns, struct run *r) {
    bool since_reset = t0_ns == 0 && t1_ns == 0;
    r->t0_ns = since_reset ? s->record.reset_ns : t0_ns;
    r->t1_ns = since_reset ? s->sample.t1_ns : t1_ns;
    r->begun_ns = wall_at(s, r->t0_ns);
    r->ended_ns = wall_at(s, r->t1_ns);
    r->interval_ns = s->control.interval_ns;
    r->level = s->source.opt.level;
    r->simulated = s->source.simulated;
    r->system_wide = s->source.opt.target.kind == TARGET_ALL;
    r->ran_through = ran_through(s, r);
}

static double share_of(const struct run *r, const char *path) {
    for (size_t i = 0; i < r->node.n; i++)
        if (!strcmp(r->node.at[i].path, path))
            return r->node.at[i].value.v;
    return NAN; /* not planned, or not to be had here */
}

/* What the shares of level 1 add up to; NAN: no tree, or not all of them are known. */
static double root_sum(const struct model *m, const struct run *r) {
    double sum = 0;
    bool any = false;
    for (uint32_t i = 0; i < m->n_metric; i++)
        if (m->metric[i].level == 1 && m->metric[i].share) {
            sum += share_of(r, m->metric[i].path);
            any = true;
        }
    return any ? sum : NAN;
}

/* Of the whole, not of its newest interval: once its values are known. */
static int find_doubt(const struct session *s, struct run *r) {
    const struct frame whole = {.root_sum = root_sum(&s->model, r)};
    char words[320];
    bool at_most;
    session_doubt(s, &whole, words, sizeof(words));
    struct strbuf sb = {.at = words, .n = strlen(words), .cap = sizeof(words)};
    const uint64_t lost = record_lost(&s->record, r->t0_ns, r->t1_ns, &at_most);
    if (lost)
        strbuf_add(&sb, "%s%s%llu interval%s missing: memory was too short", words[0] ? "; " : "",
                   at_most ? "up to " : "", (unsigned long long)lost, lost == 1 ? " is" : "s are");
    return run_set_text(&r->doubt, words);
}

static int labels(const struct session *s, struct run *r, struct err *err) {
    const struct run *from = s->source.opt.run;
    if (!from)
        return auto_labels(&s->source, &s->names, s->env.open ? &s->env : NULL, r, err);
    return session_stored_labels(from, &s->model, r) == 0
               ? 0
               : err_set(err, -ENOMEM, "labels: out of memory; close other programs");
}

/* All but labels and values. */
static int copy_all(const struct session *s, struct run *r, struct err *err) {
    static int (*const parts[])(const struct session *, struct run *) = {
        copy_counts, copy_events, copy_texts, copy_facts, copy_marks};
    int rc = 0;
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]) && rc == 0; i++)
        rc = parts[i](s, r);
    if (rc == 0)
        rc = run_set_consts(r, &s->source.consts);
    if (rc == -ENODATA)
        err_set(err, rc, "snapshot: nothing was measured in that time; wait for an interval");
    else if (rc)
        err_set(err, rc, "snapshot: out of memory; close other programs");
    return rc;
}

int session_run(const struct session *s, uint64_t t0_ns, uint64_t t1_ns, struct run *out,
                struct err *err) {
    *out = (struct run){0};
    run_new_id(out->id);
    span(s, t0_ns, t1_ns, out);
    int rc = copy_all(s, out, err);
    if (rc == 0)
        rc = labels(s, out, err);
    if (rc == 0)
        rc = run_evaluate_by(out, NULL, err);
    if (rc == 0 && (rc = find_doubt(s, out)) < 0)
        err_set(err, rc, "snapshot: out of memory; close other programs");
    if (rc)
        run_free(out);
    return rc;
}

int session_labels(const struct session *s, struct run *out, struct err *err) {
    *out = (struct run){0};
    return labels(s, out, err);
}

void session_mark(struct session *s, const char *name) {
    record_mark(&s->record, session_now_ns(s), name);
}
