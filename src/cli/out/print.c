/* Frames as text, as JSON lines and as CSV (print.h). */
#include "cli/out/print.h"

#include "base/str.h"
#include "cli/cli.h"
#include "cli/out/csv.h"
#include "cli/out/print_units.h"
#include "model/eval/bottleneck.h"
#include "model/load/time_parts.h"
#include "session/hybrid.h"

#include <math.h>
#include <string.h>

/* ---- as text ---- */

/* The unit of the raw value ("share" for fractions). */
static const char *unit_of(const struct metric *m) {
    return m->share ? "share" : m->unit ? m->unit : "";
}

const char *print_value(const struct metric *m, const struct value *v, char *buf, size_t cap) {
    struct strbuf sb = strbuf_on(buf, cap);
    if (isnan(v->v))
        strbuf_add(&sb, "%s", value_state_name((enum value_state)v->state));
    else if (m->share)
        strbuf_add(&sb, "%.1f%%", v->v * 100);
    else if (fabs(v->v) < 1e6)
        strbuf_add(&sb, fabs(v->v) < 10 ? "%.3f %s" : "%.1f %s", v->v, m->unit ? m->unit : "");
    else
        strbuf_add(&sb, "%.4g %s", v->v, m->unit ? m->unit : "");
    while (sb.n && buf[sb.n - 1] == ' ')
        buf[--sb.n] = '\0';
    return buf;
}

/* Whether the frame has a row of metric i. What can have no value in the whole run (eval_is_absent)
 * has one, the first, and one in the summary; should it have a value after all, that has one too.
 */
static bool print_has_row(const struct printer *p, const struct session *s, const struct frame *f,
                          int i, bool summary) {
    if (!p->absent || summary)
        return true;
    enum printer_said *said = &p->absent[i];
    if (!isnan(f->at[i].v))
        *said = SAID_A_VALUE;
    if (*said != SAID_NOTHING)
        return *said == SAID_A_VALUE;
    if (eval_is_absent(&s->source.layout, &f->at[i]))
        *said = SAID_ABSENT;
    return true;
}

static bool on_path(const struct bottleneck *b, int metric) {
    for (int i = 0; i < b->n; i++)
        if (b->at[i] == metric)
            return true;
    return b->tie[0] == metric || b->tie[1] == metric;
}

static bool shown(const struct printer *p, const struct session *s, const struct frame *f, int i) {
    const struct metric *m = &s->model.metric[i];
    if (p->verbose)
        return true;
    if (s->source.opt.wanted) /* --nodes */
        return s->source.opt.wanted[i];
    if (m->kind != METRIC_TREE)
        return m->vital || m->own;
    int level = p->level ? p->level : 2;
    return m->level <= level || f->at[i].over || on_path(&f->bottleneck, i);
}

/* Half of the 95 % interval, seven columns wide: in percent of a share, else in the value's unit.
 */
static const char *err_text(const struct metric *m, const struct value *v, char *buf, size_t cap) {
    char si[16];
    if (isnan(v->v) || isnan(v->err))
        snprintf(buf, cap, "%7s", "");
    else if (m->share)
        snprintf(buf, cap, "± %-5.1f", v->err * 100);
    else
        snprintf(buf, cap, "± %-5s", str_si(si, sizeof(si), v->err));
    return buf;
}

static void text_row(const struct printer *p, const struct session *s, const struct frame *f,
                     int i) {
    const struct metric *m = &s->model.metric[i];
    const struct value *v = &f->at[i];
    const char *of = metric_share_of(&s->model, m);
    char name[96], value[48], err[32], why[256];
    struct strbuf sb = strbuf_on(name, sizeof(name));
    strbuf_add(&sb, "%*s%s", m->kind == METRIC_TREE ? 2 * (m->level - 1) : 0, "", m->name);
    fprintf(p->out, "  %-34s %14s", name, print_value(m, v, value, sizeof(value)));
    fprintf(p->out, "  %s", err_text(m, v, err, sizeof(err)));
    if (!isnan(v->v))
        fprintf(p->out, " %4.0f%%  %s%s%s%s%s", (double)v->duty * 100, v->over ? "over " : "",
                v->approx ? "approx " : "", v->state == VALUE_ODD ? "odd " : "", of ? "of " : "",
                of ? of : "");
    const struct bottleneck *b = &f->bottleneck;
    if (b->n && b->at[b->n - 1] == i)
        fprintf(p->out, "%s<==", of ? " " : "");
    if (v->split)
        fputs(" " DERIVATION_SPLIT, p->out);
    if (isnan(v->v) || (v->approx && !p->warned[i]))
        fprintf(p->out, " %s", why_text(&s->model, v->why, why, sizeof(why)));
    p->warned[i] |= v->approx && !isnan(v->v);
    fputc('\n', p->out);
}

/* "  P-cores, 62.0% of the CPU time", on a CPU with several core types. Returns buf. */
static const char *type_words(const struct session *s, const struct frame *f, char *buf,
                              size_t cap) {
    struct strbuf sb = strbuf_on(buf, cap);
    if (session_type(s)[0])
        strbuf_add(&sb, "  %s", session_cores(s));
    if (session_type(s)[0] && !isnan(f->here))
        strbuf_add(&sb, ", %.1f%% of the CPU time", f->here * 100);
    return buf;
}

static void text_frame(const struct printer *p, const struct session *s, const struct frame *f,
                       double dt, bool summary) {
    char path[1024], warning[128], cores[64];
    struct time_parts time;
    fprintf(p->out, "%s%.3f s  %s  %s%s%s%s", summary ? "# the whole run, " : "# ",
            summary ? dt : (double)f->t1_ns / 1e9, s->model.name, s->source.ops->name,
            s->source.simulated ? "  SIMULATED" : "", type_words(s, f, cores, sizeof(cores)),
            s->phase[0] ? "  " : "");
    fputs(s->phase, p->out);
    if (s->sample.merged && !summary)
        fprintf(p->out, "  %u intervals, %.3f s: read too slowly", s->sample.merged + 1, dt);
    fprintf(p->out, "\n# %s\n", bottleneck_text(&s->model, f, &f->bottleneck, path, sizeof(path)));
    if (time_parts_of(&s->model, f, &time) && time_parts_words(&time, path, sizeof(path))[0])
        fprintf(p->out, "# %s\n", path);
    if (session_warning(s, f, warning, sizeof(warning))[0])
        fprintf(p->out, "# note: %s\n", warning);
    for (uint32_t i = 0; i < s->model.n_metric; i++)
        if (shown(p, s, f, (int)i) && print_has_row(p, s, f, (int)i, summary))
            text_row(p, s, f, (int)i);
    if (p->units && !summary)
        print_units_text(p, s);
    if (p->derivation)
        print_derivation(p, s, f, summary);
    fputc('\n', p->out);
    fflush(p->out);
}

static void text_begin(const struct printer *p, const struct session *s) {
    fprintf(p->out, "# tdtop: %s%s%s\n# model %s: %s%s%s; %s\n", s->source.target_text,
            session_type(s)[0] ? "; " : "", session_cores(s), s->model.name, s->model.title,
            s->model.tma[0] ? ", TMA " : "", s->model.tma, s->why_model);
    if (s->source.note[0])
        fprintf(p->out, "# note: %s\n", s->source.note);
    fprintf(p->out, "# %-34s %14s  %7s %6s\n", "metric", "value", "95%", "duty");
}

const struct print_ops print_text = {
    .begin = text_begin, .begins_each = true, .notes = NOTES_BETWEEN, .frame = text_frame};

/*
 * ---- as JSON ----
 *
 * One JSON object per interval, numbers with full double precision; shares are fractions 0..1.
 * Unknown values are null with their reason; what the whole run cannot have is in its first row and
 * in the summary only. err is the half width of the 95 % interval, in the
 * value's unit; null: too few intervals. parts: its parts were counted at different times.
 * on_type, on a CPU with several core types: share of the target's CPU time on this one.
 * intervals: how many are summed up in the row, where that is more than one because the output was
 * read too slowly. environment: in the first row, in those where it has changed, and in the
 * summary.
 */

static const char *const states[] = {
    [CHECK_OK] = "ok", [CHECK_NOTE] = "note", [CHECK_WARN] = "warning", [CHECK_FAIL] = "FAIL"};

/* What else decides the numbers: {"facts": {key: value}, "checks": [{check, state, found, effect,
 * fix}]}; keys and the names of checks are stable. */
static void put_environment(struct json_put *w, const char *key, const struct environment *env) {
    struct env_fact fact[ENV_FACTS_MAX];
    const int n = environment_facts(env, fact);
    json_put_begin(w, key, '{');
    json_put_begin(w, "facts", '{');
    for (int i = 0; i < n; i++)
        json_put_text(w, fact[i].key, fact[i].value);
    json_put_end(w, '}');
    json_put_begin(w, "checks", '[');
    for (int i = 0; i < env->n_note; i++) {
        const struct check *c = &env->note[i];
        json_put_begin(w, NULL, '{');
        json_put_text(w, "check", c->name);
        json_put_text(w, "state", states[c->state]);
        json_put_text(w, "found", c->found);
        if (c->effect[0])
            json_put_text(w, "effect", c->effect);
        if (c->fix[0])
            json_put_text(w, "fix", c->fix);
        json_put_end(w, '}');
    }
    json_put_end(w, ']');
    json_put_end(w, '}');
}

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
        put_environment(w, "environment", &s->env);
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

const struct print_ops print_json = {.notes = NOTES_IN_ROWS, .frame = json_frame};

/*
 * ---- as CSV ----
 *
 * CSV: one line per metric and interval; what the whole run cannot have has one line. New columns
 * are appended: who reads the others by number finds them where they were. err, of: as in JSON;
 * approx: 1, the reason says why.
 */

static void csv_begin(const struct printer *p, const struct session *s) {
    static const char *const heads[] = {"time",  "dt",         "metric", "path",
                                        "value", "unit",       "state",  "duty",
                                        "over",  "bottleneck", "source", "reason"};
    struct csv c;
    csv_init(&c, p->out, p->separator);
    for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++)
        csv_text(&c, heads[i]);
    if (session_type(s)[0])
        csv_text(&c, "core_type");
    csv_text(&c, "err");
    csv_text(&c, "of");
    csv_text(&c, "approx");
    if (p->units)
        csv_text(&c, "of_unit");
    csv_end(&c);
}

static bool is_bottleneck(const struct frame *f, int metric) {
    return f->bottleneck.n && f->bottleneck.at[f->bottleneck.n - 1] == metric;
}

/* What all lines of an interval have, as it is printed. */
struct place {
    char t[STR_NUMBER], dt[STR_NUMBER];
    bool summary; /* instead of t */
};

/* "" where it is not known. */
static void set_number(char text[STR_NUMBER], double v) {
    text[0] = '\0';
    if (isfinite(v))
        str_number(text, STR_NUMBER, v);
}

static struct place place_of(double t, double dt, bool summary) {
    struct place at = {.summary = summary};
    set_number(at.t, t);
    set_number(at.dt, dt);
    return at;
}

static void csv_line(const struct printer *p, const struct session *s, const struct place *at,
                     const struct metric *m, const struct value *v, bool bottleneck,
                     const char *unit) {
    const char *type = session_type(s), *of = metric_share_of(&s->model, m);
    const bool words = isnan(v->v) || v->approx;
    struct csv c;
    char why[256];
    csv_init(&c, p->out, p->separator);
    csv_text(&c, at->summary ? "summary" : at->t);
    csv_text(&c, at->dt);
    csv_text(&c, m->name);
    csv_text(&c, m->path);
    csv_number(&c, v->v);
    csv_text(&c, unit_of(m));
    csv_text(&c, value_state_name((enum value_state)v->state));
    csv_number(&c, isnan(v->v) ? NAN : (double)v->duty);
    csv_text(&c, v->over ? "1" : "0");
    csv_text(&c, bottleneck ? "<==" : "");
    csv_text(&c, s->source.simulated ? "sim SIMULATED" : s->source.ops->name);
    csv_text(&c, words      ? why_text(&s->model, v->why, why, sizeof(why))
                 : v->split ? DERIVATION_SPLIT
                            : "");
    if (type[0])
        csv_text(&c, type);
    csv_number(&c, v->err);
    csv_text(&c, of ? of : "");
    csv_text(&c, v->approx ? "1" : "0");
    if (p->units)
        csv_text(&c, unit);
    csv_end(&c);
}

static void unit_line(const struct printer *p, const struct session *s, const struct metric *m,
                      const struct value *v, const char *unit) {
    const struct place at = place_of((double)s->units.t1_ns / 1e9,
                                     (double)(s->units.t1_ns - s->units.t0_ns) / 1e9, false);
    struct value one = *v;
    one.err = NAN; /* nothing is known of how a single unit's values spread */
    csv_line(p, s, &at, m, &one, false, unit);
}

static void csv_frame(const struct printer *p, const struct session *s, const struct frame *f,
                      double dt, bool summary) {
    const struct place at = place_of((double)f->t1_ns / 1e9, dt, summary);
    for (uint32_t i = 0; i < s->model.n_metric; i++)
        if ((!p->only || p->only[i]) && print_has_row(p, s, f, (int)i, summary))
            csv_line(p, s, &at, &s->model.metric[i], &f->at[i], is_bottleneck(f, (int)i), "");
    if (p->units && !summary)
        print_units_csv(p, s, unit_line);
    fflush(p->out);
}

const struct print_ops print_csv = {.begin = csv_begin, .notes = NOTES_ASIDE, .frame = csv_frame};
