/*
 * One JSON object per interval, numbers with full double precision; shares are fractions 0..1.
 * Unknown values are null with their reason. err is the half width of the 95 % interval, in the
 * value's unit; null: too few intervals. parts: its parts were counted at different times.
 * on_type, on a CPU with several core types: share of the target's CPU time on this one.
 * environment: in the first row, in those where it has changed, and in the summary.
 */
#include "cli/print.h"

#include "base/str.h"
#include "cli/print_units.h"
#include "hybrid.h"

#include <math.h>

json_t *print_number(double v) {
    return isfinite(v) ? json_real(v) : json_null();
}

static json_t *node(const struct session *s, const struct metric *m, const struct value *v) {
    char why[256];
    json_t *o = json_object();
    json_object_set_new(o, "value", print_number(v->v));
    json_object_set_new(o, "state", json_string(value_state_name((enum value_state)v->state)));
    json_object_set_new(o, "duty", isnan(v->v) ? json_null() : print_number((double)v->duty));
    json_object_set_new(o, "err", print_number(v->err));
    json_object_set_new(o, "over", json_boolean(v->over));
    if (metric_share_of(&s->model, m))
        json_object_set_new(o, "of", json_string(metric_share_of(&s->model, m)));
    if (m->vendor)
        json_object_set_new(o, "vendor", json_string(m->vendor));
    if (v->parted)
        json_object_set_new(o, "parts", json_string("counted at different times"));
    if (v->approx && !isnan(v->v))
        json_object_set_new(o, "approx",
                            json_string(why_text(&s->model, v->why, why, sizeof(why))));
    if (isnan(v->v))
        json_object_set_new(o, "reason",
                            json_string(why_text(&s->model, v->why, why, sizeof(why))));
    return o;
}

static json_t *names(const struct model *m, const int16_t *at, int n) {
    json_t *list = json_array();
    for (int i = 0; i < n; i++)
        json_array_append_new(list, json_string(m->metric[at[i]].name));
    return list;
}

/* What makes the whole frame doubtful, and what the source says of itself. */
static void set_note(json_t *o, const struct session *s, const struct frame *f) {
    char text[512], doubt[128];
    struct strbuf sb = strbuf_on(text, sizeof(text));
    session_doubt(s, f, doubt, sizeof(doubt));
    strbuf_add(&sb, "%s%s%s", doubt, doubt[0] && s->source.note[0] ? "; " : "", s->source.note);
    if (text[0])
        json_object_set_new(o, "note", json_string(text));
}

static void json_frame(const struct printer *p, const struct session *s, const struct frame *f,
                       double dt, bool summary) {
    json_t *o = json_object(), *nodes = json_object();
    if (summary)
        json_object_set_new(o, "summary", json_true());
    json_object_set_new(o, "t", print_number((double)f->t1_ns / 1e9));
    json_object_set_new(o, "dt", print_number(dt));
    json_object_set_new(o, "target", json_string(s->source.target_text));
    json_object_set_new(o, "model", json_string(s->model.name));
    if (s->core_type[0])
        json_object_set_new(o, "core_type", json_string(s->core_type));
    if (s->pmu[0])
        json_object_set_new(o, "pmu", json_string(s->pmu));
    if (session_type(s)[0])
        json_object_set_new(o, "on_type", print_number(f->here));
    json_object_set_new(o, "source", json_string(s->source.ops->name));
    if (s->source.simulated)
        json_object_set_new(o, "simulated", json_true());
    if (f->threads)
        json_object_set_new(o, "threads", json_integer(f->threads));
    for (uint32_t i = 0; i < s->model.n_metric; i++)
        json_object_set_new(nodes, s->model.metric[i].name,
                            node(s, &s->model.metric[i], &f->at[i]));
    json_object_set_new(o, "root_sum", print_number(f->root_sum));
    set_note(o, s, f);
    if (s->env.open && (summary || s->env.news))
        json_object_set_new(o, "environment", print_environment(&s->env));
    json_object_set_new(o, "nodes", nodes);
    json_object_set_new(o, "bottleneck", names(&s->model, f->bottleneck.at, f->bottleneck.n));
    if (f->bottleneck.tie[0] >= 0)
        json_object_set_new(o, "tie", names(&s->model, f->bottleneck.tie, 2));
    if (p->units && !summary)
        json_object_set_new(o, "rows", print_units_json(p, s));
    if (p->units && !summary && print_units_missed(s))
        json_object_set_new(o, "rows_reason", json_string(PRINT_UNITS_MISSED));
    if (p->account)
        json_object_set_new(o, "explain", print_account_json(p, s, f, summary));
    json_dumpf(o, p->out, JSON_COMPACT | JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(17));
    fputc('\n', p->out);
    fflush(p->out);
    json_decref(o);
}

const struct print_ops print_json = {NULL, false, json_frame};
