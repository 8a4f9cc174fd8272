/* Runs of both sides that were measured at the same time: what they have in common is no change. */
#include "cli/verb/compare_view.h"

#include <errno.h>
#include <string.h>

static const char *text(const char *t) {
    return t ? t : "";
}

static bool same_text(const char *a, const char *b) {
    return strcmp(text(a), text(b)) == 0;
}

/* The beginning of a session on the clock of the wall. */
static int64_t session_ns(const struct run *r) {
    return r->begun_ns - (int64_t)r->t0_ns;
}

static const char *host_of(const struct run *r) {
    return text(run_label_get(r, "host"));
}

/* Spans of one session, or of one target at the same time: recordings pass faster than that. */
static bool is_overlap(const struct run *a, const struct run *b) {
    if (!same_text(a->target, b->target) || !same_text(a->model, b->model) ||
        !same_text(a->source, b->source) || strcmp(host_of(a), host_of(b)) != 0)
        return false;
    if (session_ns(a) == session_ns(b))
        return a->t0_ns < b->t1_ns && b->t0_ns < a->t1_ns;
    return same_text(a->source, "perf") && a->begun_ns < b->ended_ns && b->begun_ns < a->ended_ns;
}

/* By what is at hand: most runs need not be read for it. */
static bool may_overlap(const struct side_span *a, const struct side_span *b) {
    return strcmp(a->id, b->id) != 0 && a->begun_ns < b->ended_ns && b->begun_ns < a->ended_ns;
}

static int read_head(struct run_pick *p, const struct side *s, const char *id, struct run *out,
                     const struct run **at, struct err *err) {
    *at = &s->run;
    if (s->kind == SIDE_RUN)
        return 0;
    *at = out;
    return store_load(&p->store, id, RUN_HEAD, out, err);
}

static int check_pair(struct run_pick *p, const struct side *a, const struct side *b,
                      const char *id_a, const char *id_b, struct err *err) {
    struct run head[2] = {0};
    const struct run *at[2];
    int rc = read_head(p, a, id_a, &head[0], &at[0], err);
    if (rc == 0)
        rc = read_head(p, b, id_b, &head[1], &at[1], err);
    if (rc == 0 && is_overlap(at[0], at[1]))
        rc =
            err_set(err, -EINVAL,
                    "runs %.8s and %.8s overlap: both have intervals of the same time of %s, which "
                    "hide the change; keep spans that begin after each other (s keeps what came "
                    "since the last change), or give --overlap",
                    id_a, id_b, text(at[0]->target));
    run_free(&head[0]);
    run_free(&head[1]);
    return rc;
}

int side_check_overlap(struct run_pick *p, const struct side side[2], struct err *err) {
    int rc = 0;
    for (size_t i = 0; i < side[0].span.n && rc == 0; i++)
        for (size_t k = 0; k < side[1].span.n && rc == 0; k++)
            if (may_overlap(&side[0].span.at[i], &side[1].span.at[k]))
                rc = check_pair(p, &side[0], &side[1], side[0].span.at[i].id, side[1].span.at[k].id,
                                err);
    return rc;
}
