/*
 * One JSON object per interval, numbers with full double precision; shares are fractions 0..1.
 * Unknown values are null with their reason; what the whole run cannot have is in its first row and
 * in the summary only. err is the half width of the 95 % interval, in the
 * value's unit; null: too few intervals. parts: its parts were counted at different times.
 * on_type, on a CPU with several core types: share of the target's CPU time on this one.
 * intervals: how many are summed up in the row, where that is more than one because the output was
 * read too slowly. environment: in the first row, in those where it has changed, and in the
 * summary.
 */
#include "cli/out/print.h"

#include "base/str.h"
#include "cli/cli.h"
#include "cli/out/print_units.h"
#include "session/hybrid.h"

#include <math.h>

static void put_node(struct json_put *w, const struct session *s, const struct metric *m,
                     const struct value *v) {
    char why[256];
    const char *of = metric_share_of(&s->model, m);
    json_put_begin(w, m->name, '{');
    json_put_number(w, "value", v->v);
    json_put_text(w, "state", value_state_name((enum value_state)v->state));
    json_put_number(w, "duty", isnan(v->v) ? NAN : (double)v->duty);
    json_put_number(w, "err", v->err);
    json_put_bool(w, "over", v->over);
    if (of)
        json_put_text(w, "of", of);
    if (m->vendor)
        json_put_text(w, "vendor", m->vendor);
    if (v->split)
        json_put_text(w, "parts", "counted at different times");
    if (v->approx || isnan(v->v))
        json_put_text(w, isnan(v->v) ? "reason" : "approx",
                      why_text(&s->model, v->why, why, sizeof(why)));
    json_put_end(w, '}');
}

static void put_names(struct json_put *w, const char *key, const struct model *m, const int16_t *at,
                      int n) {
    json_put_begin(w, key, '[');
    for (int i = 0; i < n; i++)
        json_put_text(w, NULL, m->metric[at[i]].name);
    json_put_end(w, ']');
}

/* What makes the whole frame doubtful, and what the source says of itself. */
static void put_note(struct json_put *w, const struct session *s, const struct frame *f) {
    char text[512], warning[128];
    struct strbuf sb = strbuf_on(text, sizeof(text));
    session_warning(s, f, warning, sizeof(warning));
    strbuf_add(&sb, "%s%s%s", warning, warning[0] && s->source.note[0] ? "; " : "", s->source.note);
    if (text[0])
        json_put_text(w, "note", text);
}

static void json_frame(const struct printer *p, const struct session *s, const struct frame *f,
                       double dt, bool summary) {
    struct json_put *w = p->json;
    json_put_begin(w, NULL, '{');
    if (summary)
        json_put_bool(w, "summary", true);
    json_put_number(w, "t", (double)f->t1_ns / 1e9);
    json_put_number(w, "dt", dt);
    if (s->sample.merged && !summary)
        json_put_integer(w, "intervals", (int64_t)s->sample.merged + 1);
    json_put_text(w, "target", s->source.target_text);
    json_put_text(w, "model", s->model.name);
    if (s->core_type[0])
        json_put_text(w, "core_type", s->core_type);
    if (s->pmu[0])
        json_put_text(w, "pmu", s->pmu);
    if (session_type(s)[0])
        json_put_number(w, "on_type", f->here);
    json_put_text(w, "source", s->source.ops->name);
    if (s->source.simulated)
        json_put_bool(w, "simulated", true);
    if (f->threads)
        json_put_integer(w, "threads", f->threads);
    json_put_number(w, "root_sum", f->root_sum);
    put_note(w, s, f);
    if (s->env.open && (summary || s->env.status))
        print_environment(w, "environment", &s->env);
    json_put_begin(w, "nodes", '{');
    for (uint32_t i = 0; i < s->model.n_metric; i++)
        if (print_has_row(p, s, f, (int)i, summary))
            put_node(w, s, &s->model.metric[i], &f->at[i]);
    json_put_end(w, '}');
    put_names(w, "bottleneck", &s->model, f->bottleneck.at, f->bottleneck.n);
    if (f->bottleneck.tie[0] >= 0)
        put_names(w, "tie", &s->model, f->bottleneck.tie, 2);
    if (p->units && !summary)
        print_units_json(w, "rows", p, s);
    if (p->units && !summary && print_units_missed(s))
        json_put_text(w, "rows_reason", PRINT_UNITS_MISSED);
    if (p->derivation)
        print_derivation_json(w, "explain", p, s, f, summary);
    json_put_end(w, '}');
    if (json_put_line(w, p->out) < 0)
        cli_lack();
    fflush(p->out);
}

const struct print_ops print_json = {NULL, false, json_frame};
