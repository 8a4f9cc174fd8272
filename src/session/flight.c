#include "session/flight.h"

#include "base/str.h"

#include <errno.h>
#include <string.h>

/* A baseline is of one core type. */
static bool is_of(const struct run *base, const struct session *s) {
    const char *cores = base ? run_label_get(base, "cores") : NULL;
    return !cores || strcmp(cores, session_type(s)) == 0;
}

/* A core type may lack the metric; one has it. */
static int bind_one(struct flight *fl, int i, const struct sessions *all, const struct run *base,
                    struct err *err) {
    int rc = 0, n = 0;
    for (int type = 0; type < all->n; type++) {
        struct err why = {0};
        const struct session *s = all->at[type];
        const int one = rule_bind(&fl->watch[i][type], &fl->rule[i], &s->model,
                                  is_of(base, s) ? base : NULL, &why);
        n += one == 0;
        if (one < 0 && rc == 0)
            rc = err_set(err, one, "%s", why.text);
    }
    return n ? 0 : rc;
}

int flight_bind(struct flight *fl, const struct sessions *all, const struct run *base,
                struct err *err) {
    int rc = 0;
    fl->n_kept = 0;
    fl->n_fired = 0;
    for (int i = 0; i < fl->n_rule && rc == 0; i++)
        rc = bind_one(fl, i, all, base, err);
    return rc;
}

int flight_add(struct flight *fl, const char *text, const struct sessions *all,
               const struct run *base, struct err *err) {
    if (fl->n_rule == FLIGHT_RULES)
        return err_set(err, -E2BIG, "rule '%.100s': there are %d already, and no room for more",
                       text, FLIGHT_RULES);
    if (fl->before_ns == 0 && fl->behind_ns == 0)
        fl->before_ns = fl->behind_ns = FLIGHT_SPAN_NS;
    int rc = rule_parse(text, &fl->rule[fl->n_rule], err);
    if (rc == 0 && all)
        rc = bind_one(fl, fl->n_rule, all, base, err);
    fl->n_rule += rc == 0;
    return rc;
}

/* ---- interval after interval ---- */

/* Another core type has found it already. */
static bool is_kept(const struct flight *fl, int rule, int type, uint64_t t_ns) {
    for (int i = 0; i < fl->n_kept; i++)
        if (fl->kept[i].rule == rule && fl->kept[i].type != type && t_ns <= fl->kept[i].t1_ns)
            return true;
    return false;
}

static void keep(struct flight *fl, const struct sessions *all, int rule, int type,
                 void (*fired)(void *user, const struct flight_kept *k), void *user) {
    const struct session *s = all->at[type];
    const uint64_t t = s->frame.t1_ns;
    struct flight_kept k = {.rule = rule,
                            .type = type,
                            .t_ns = t,
                            .t0_ns = t > fl->before_ns ? t - fl->before_ns : 0,
                            .t1_ns = t + fl->behind_ns};
    for (int i = 0; i < all->n; i++)
        timeline_mark(&all->at[i]->timeline, t, fl->rule[rule].text);
    if (is_kept(fl, rule, type, t))
        return;
    fl->n_fired++;
    str_copy(k.rule_text, sizeof(k.rule_text), fl->rule[rule].text);
    rule_found(&fl->watch[rule][type], &s->model, k.found, sizeof(k.found));
    if (fl->n_kept < FLIGHT_KEPT) {
        run_new_id(k.id);
        fl->kept[fl->n_kept++] = k;
    }
    fired(user, &k);
}

void flight_take(struct flight *fl, const struct sessions *all, int type,
                 void (*fired)(void *user, const struct flight_kept *k), void *user) {
    const struct session *s = all->at[type];
    for (int i = 0; i < fl->n_rule; i++)
        if (rule_take(&fl->watch[i][type], &s->model, &s->frame) == RULE_FIRES)
            keep(fl, all, i, type, fired, user);
}

/* Every session has counted that time, or will count no more. */
static bool is_past(const struct sessions *all, uint64_t t_ns) {
    for (int i = 0; i < all->n; i++)
        if (all->at[i]->state == STREAM_LIVE && all->at[i]->frame.t1_ns < t_ns)
            return false;
    return true;
}

bool flight_due(struct flight *fl, const struct sessions *all, bool over, struct flight_kept *out) {
    if (fl->n_kept == 0 || (!over && !is_past(all, fl->kept[0].t1_ns)))
        return false;
    *out = fl->kept[0];
    fl->n_kept--;
    memmove(fl->kept, fl->kept + 1, (size_t)fl->n_kept * sizeof(fl->kept[0]));
    return true;
}

int flight_draft(const struct flight_kept *k, const struct session *s, bool first,
                 struct session_draft *out, struct err *err) {
    struct run *r = &out->run;
    int rc = session_draft(s, k->t0_ns, k->t1_ns, 0, out, err);
    if (rc < 0)
        return rc;
    out->fits = true;
    if (first)
        str_copy(r->id, sizeof(r->id), k->id);
    rc = run_label_set(r, "trigger", k->rule_text, false, err);
    if (rc == 0 && run_set_text(&r->note, k->found) < 0)
        rc = err_set(err, -ENOMEM, "out of memory");
    if (rc < 0)
        session_draft_free(out);
    return rc;
}
