/* CSV: one line per metric and interval. New columns are appended: who reads the others by number
 * finds them where they were. err, of: as in JSON (print_json.c); approx: 1, the reason says why.
 * Fields that hold the separator, quotes or line ends are quoted. */
#include "cli/print.h"

#include "cli/print_units.h"
#include "hybrid.h"

#include <math.h>
#include <string.h>

static void field(const struct printer *p, const char *text, bool last) {
    if (strstr(text, p->separator) || strpbrk(text, "\"\n")) {
        fputc('"', p->out);
        for (; *text; text++) {
            if (*text == '"')
                fputc('"', p->out);
            fputc(*text, p->out);
        }
        fputc('"', p->out);
    } else {
        fputs(text, p->out);
    }
    fputs(last ? "\n" : p->separator, p->out);
}

static void number(const struct printer *p, double v) {
    if (isfinite(v))
        fprintf(p->out, "%.17g", v);
    fputs(p->separator, p->out);
}

static void csv_begin(const struct printer *p, const struct session *s) {
    static const char *const heads[] = {"time",  "dt",         "metric", "path",
                                        "value", "unit",       "state",  "duty",
                                        "over",  "bottleneck", "source", "reason"};
    for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++)
        field(p, heads[i], false);
    if (session_type(s)[0])
        field(p, "core_type", false);
    field(p, "err", false);
    field(p, "of", false);
    field(p, "approx", !p->units);
    if (p->units)
        field(p, "of_unit", true);
}

static bool is_bottleneck(const struct frame *f, int metric) {
    return f->bottleneck.n && f->bottleneck.at[f->bottleneck.n - 1] == metric;
}

/* What all lines of an interval have. */
struct place {
    double t, dt;
    bool summary, bottleneck;
};

static void csv_line(const struct printer *p, const struct session *s, const struct place *at,
                     const struct metric *m, const struct value *v, const char *unit) {
    const char *type = session_type(s), *of = metric_share_of(&s->model, m);
    const bool words = isnan(v->v) || v->approx;
    char why[256];
    if (at->summary)
        field(p, "summary", false);
    else
        number(p, at->t);
    number(p, at->dt);
    field(p, m->name, false);
    field(p, m->path, false);
    number(p, v->v);
    field(p, print_unit(m), false);
    field(p, value_state_name((enum value_state)v->state), false);
    number(p, isnan(v->v) ? NAN : (double)v->duty);
    field(p, v->over ? "1" : "0", false);
    field(p, at->bottleneck ? "<==" : "", false);
    field(p, s->source.simulated ? "sim SIMULATED" : s->source.ops->name, false);
    field(p,
          words       ? why_text(&s->model, v->why, why, sizeof(why))
          : v->parted ? ACCOUNT_PARTED
                      : "",
          false);
    if (type[0])
        field(p, type, false);
    number(p, v->err);
    field(p, of ? of : "", false);
    field(p, v->approx ? "1" : "0", !p->units);
    if (p->units)
        field(p, unit, true);
}

static void unit_line(const struct printer *p, const struct session *s, const struct metric *m,
                      const struct value *v, const char *unit) {
    const struct place at = {.t = (double)s->units.t1_ns / 1e9,
                             .dt = (double)(s->units.t1_ns - s->units.t0_ns) / 1e9};
    struct value one = *v;
    one.err = NAN; /* nothing is known of how a single unit's values spread */
    csv_line(p, s, &at, m, &one, unit);
}

static void csv_frame(const struct printer *p, const struct session *s, const struct frame *f,
                      double dt, bool summary) {
    for (uint32_t i = 0; i < s->model.n_metric; i++) {
        if (p->only && !p->only[i])
            continue;
        const struct place at = {(double)f->t1_ns / 1e9, dt, summary, is_bottleneck(f, (int)i)};
        csv_line(p, s, &at, &s->model.metric[i], &f->at[i], "");
    }
    if (p->units && !summary)
        print_units_csv(p, s, unit_line);
    fflush(p->out);
}

const struct print_ops print_csv = {csv_begin, false, csv_frame};
