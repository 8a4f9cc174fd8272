/* From a session to a run: a copy of everything that a stretch of it is worth keeping for. */
#include "session/session.h"

#include "base/str.h"
#include "session/auto_labels.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/*
 * A stored run that is measured again (`tdtop replay RUN`): what it says of itself goes to the runs
 * that are made of it. It is still that process, on that machine, at that time of day.
 */

/* Its events have the names that the run has, those too that the model does not know. */
static int copy_events(const struct session *s, struct run *r) {
    const struct run *from = s->source.opt.run;
    const uint32_t n = from ? from->layout.n_event : s->model.n_event;
    int rc = layout_copy(&r->layout, from ? &from->layout : &s->source.layout);
    r->event = rc ? NULL : calloc(n + 1u, sizeof(*r->event));
    if (!r->event)
        return -ENOMEM;
    for (uint32_t i = 0; i < n; i++)
        if (!(r->event[i] = strdup(from ? from->event[i] : s->model.event[i].name)))
            return -ENOMEM;
    return 0;
}

/* Which process was counted, from where and by which tdtop; it becomes the parent. The note is not
 * taken over: it is of the whole. */
static int stored_texts(const struct run *from, struct run *r) {
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

/* All its labels, the automatic ones too; but the model is the one that counts now, and a stretch
 * of a run that was evaluated again is not that run. */
static int stored_labels(const struct run *from, const struct model *m, struct run *r) {
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
    return rc == 0 && s->source.opt.run ? stored_texts(s->source.opt.run, r) : rc;
}

static int add_fact(struct run *r, const char *key, const char *value) {
    struct run_fact f = {strdup(key), strdup(value)};
    const int rc = f.key && f.value ? array_push(&r->fact, f) : -ENOMEM;
    if (rc) {
        free(f.key);
        free(f.value);
    }
    return rc;
}

static int copy_facts(const struct session *s, struct run *r) {
    const struct run *from = s->source.opt.run;
    int rc = 0;
    for (size_t i = 0; from && i < from->fact.n && rc == 0; i++)
        rc = add_fact(r, from->fact.at[i].key, from->fact.at[i].value);
    if (from)
        return rc;
    struct env_fact fact[ENV_FACTS_MAX];
    const int n = s->env.open ? environment_facts(&s->env, fact) : 0;
    for (int i = 0; i < n && rc == 0; i++)
        rc = add_fact(r, fact[i].key, fact[i].value);
    return rc;
}

static int copy_marks(const struct session *s, struct run *r) {
    int rc = 0;
    for (int i = 0; i < s->timeline.n_mark && rc == 0; i++) {
        const struct timeline_mark *m = &s->timeline.mark[i];
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

static int copy_counts(const struct session *s, struct session_draft *d) {
    const int rc = timeline_hold(&s->timeline, &s->source.layout, d->run.t0_ns, d->run.t1_ns,
                                 &d->early, &d->late);
    return rc < 0 ? rc : rc || d->run.n_stored ? 0 : -ENODATA;
}

static int push_all(struct series *to, const struct series *from) {
    struct series_reader r;
    struct sample row;
    int rc = sample_init(&row, from->n_slot);
    if (rc == 0 && (rc = series_reader_init(&r, from)) == 0) {
        while (rc == 0 && series_reader_next(&r, &row))
            rc = series_push(to, &row);
        series_reader_destroy(&r);
    }
    sample_destroy(&row);
    return rc;
}

/* From the first of its intervals to the end of the last. */
static void fit(struct run *r) {
    const uint64_t t0_ns = series_begin_ns(&r->series), t1_ns = series_end_ns(&r->series);
    r->begun_ns += (int64_t)(t0_ns - r->t0_ns);
    r->ended_ns += (int64_t)(t1_ns - r->t1_ns);
    r->t0_ns = t0_ns;
    r->t1_ns = t1_ns;
}

int session_draft_join(struct session_draft *d, struct err *err) {
    if (d->joined)
        return 0;
    int rc = series_init(&d->run.series, &d->run.layout, 0);
    if (rc == 0)
        rc = push_all(&d->run.series, &d->early);
    if (rc == 0)
        rc = series_copy(&d->run.series, &d->late, d->run.t0_ns, d->run.t1_ns);
    if (rc < 0) {
        series_destroy(&d->run.series);
        return err_set(err, rc, "snapshot: out of memory; close other programs");
    }
    series_destroy(&d->early);
    series_destroy(&d->late);
    if (d->fits && series_rows(&d->run.series))
        fit(&d->run);
    d->joined = true;
    return 0;
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
    r->t0_ns = since_reset ? s->timeline.reset_ns : t0_ns;
    r->t1_ns = since_reset ? s->sample.t1_ns : t1_ns;
    r->begun_ns = wall_at(s, r->t0_ns);
    r->ended_ns = wall_at(s, r->t1_ns);
    r->interval_ns = s->control.interval_ns;
    r->level = s->source.opt.level;
    r->simulated = s->source.simulated;
    r->system_wide = s->source.opt.target.kind == TARGET_ALL;
    r->ran_through = ran_through(s, r);
}

/* What the shares of level 1 add up to; NAN: no tree, or not all of them are known. */
static double root_sum(const struct model *m, const struct run *r) {
    double sum = 0;
    bool any = false;
    for (uint32_t i = 0; i < m->n_metric; i++)
        if (m->metric[i].level == 1 && m->metric[i].share) {
            sum += run_node_value(r, m->metric[i].path);
            any = true;
        }
    return any ? sum : NAN;
}

/* Of the whole, not of its newest interval: once its values are known. */
static int find_warning(const struct session_draft *d, const struct model *m, struct run *r) {
    const struct frame whole = {.root_sum = root_sum(m, r)};
    char words[320];
    session_warning_words(&whole, d->model_warned, words, sizeof(words));
    struct strbuf sb = {.at = words, .n = strlen(words), .cap = sizeof(words)};
    if (d->n_lost)
        strbuf_add(&sb, "%s%s%llu interval%s missing: memory was too short", words[0] ? "; " : "",
                   d->lost_at_most ? "up to " : "", (unsigned long long)d->n_lost,
                   d->n_lost == 1 ? " is" : "s are");
    return run_set_text(&r->warning, words);
}

static int labels(const struct session *s, struct run *r, struct err *err) {
    const struct run *from = s->source.opt.run;
    if (!from)
        return auto_labels(&s->source, &s->names, s->env.open ? &s->env : NULL, r, err);
    return stored_labels(from, &s->model, r) == 0
               ? 0
               : err_set(err, -ENOMEM, "labels: out of memory; close other programs");
}

/* All but labels and values. */
static int copy_all(const struct session *s, struct session_draft *d, struct err *err) {
    static int (*const parts[])(const struct session *, struct run *) = {copy_events, copy_texts,
                                                                         copy_facts, copy_marks};
    int rc = copy_counts(s, d);
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]) && rc == 0; i++)
        rc = parts[i](s, &d->run);
    if (rc == 0)
        rc = run_set_consts(&d->run, &s->source.consts);
    if (rc == -ENODATA)
        err_set(err, rc, "snapshot: nothing was measured in that time; wait for an interval");
    else if (rc)
        err_set(err, rc, "snapshot: out of memory; close other programs");
    return rc;
}

int session_draft(const struct session *s, uint64_t t0_ns, uint64_t t1_ns, uint64_t n_stored,
                  struct session_draft *out, struct err *err) {
    *out = (struct session_draft){.model_warned = session_model_warning(s)};
    run_new_id(out->run.id);
    out->run.n_stored = n_stored;
    span(s, t0_ns, t1_ns, &out->run);
    out->n_lost = timeline_lost(&s->timeline, out->run.t0_ns, out->run.t1_ns, &out->lost_at_most);
    int rc = copy_all(s, out, err);
    if (rc == 0)
        rc = labels(s, &out->run, err);
    if (rc)
        session_draft_free(out);
    return rc;
}

int session_draft_values(struct session_draft *d, struct run_tally *tally, struct err *err) {
    int rc = run_tally_values(tally, &d->run);
    if (rc == 0)
        rc = find_warning(d, run_tally_model(tally), &d->run);
    d->whole = rc == 0;
    return rc ? err_set(err, rc, "snapshot: out of memory; close other programs") : 0;
}

int session_draft_finish(struct session_draft *d, struct err *err) {
    struct run_tally t = {0};
    if (d->whole)
        return 0;
    int rc = session_draft_join(d, err);
    if (rc == 0)
        rc = run_tally_begin(&t, &d->run, NULL, err);
    if (rc == 0 && (rc = run_tally_add(&t, &d->run.series, 0)) < 0)
        err_set(err, rc, "snapshot: out of memory; close other programs");
    if (rc == 0)
        rc = session_draft_values(d, &t, err);
    run_tally_end(&t);
    return rc;
}

void session_draft_free(struct session_draft *d) {
    series_destroy(&d->early);
    series_destroy(&d->late);
    run_free(&d->run);
}

int session_run(const struct session *s, uint64_t t0_ns, uint64_t t1_ns, struct run *out,
                struct err *err) {
    struct session_draft d;
    *out = (struct run){0};
    int rc = session_draft(s, t0_ns, t1_ns, 0, &d, err);
    if (rc == 0)
        rc = session_draft_finish(&d, err);
    if (rc < 0) {
        session_draft_free(&d);
        return rc;
    }
    *out = d.run;
    return 0;
}

int session_labels(const struct session *s, struct run *out, struct err *err) {
    *out = (struct run){0};
    return labels(s, out, err);
}

void session_mark(struct session *s, const char *name) {
    timeline_mark(&s->timeline, session_now_ns(s), name);
    session_break(s, BREAK_MARK);
}
