/* CSV: one line per metric and interval. Fields that hold the separator, quotes or line ends are
 * quoted. */
#include "cli/print.h"

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
    (void)s;
    for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++)
        field(p, heads[i], i + 1 == sizeof(heads) / sizeof(heads[0]));
}

static bool is_bottleneck(const struct frame *f, int metric) {
    return f->bottleneck.n && f->bottleneck.at[f->bottleneck.n - 1] == metric;
}

static void csv_frame(const struct printer *p, const struct session *s, const struct frame *f,
                      double dt, bool summary) {
    char why[256];
    for (uint32_t i = 0; i < s->model.n_metric; i++) {
        const struct metric *m = &s->model.metric[i];
        const struct value *v = &f->at[i];
        if (summary)
            field(p, "summary", false);
        else
            number(p, (double)f->t1_ns / 1e9);
        number(p, dt);
        field(p, m->name, false);
        field(p, m->path, false);
        number(p, v->v);
        field(p, print_unit(m), false);
        field(p, value_state_name((enum value_state)v->state), false);
        number(p, isnan(v->v) ? NAN : (double)v->duty);
        field(p, v->over ? "1" : "0", false);
        field(p, is_bottleneck(f, (int)i) ? "<==" : "", false);
        field(p, s->source.simulated ? "sim SIMULATED" : s->source.ops->name, false);
        bool words = isnan(v->v) || v->approx;
        field(p, words ? why_text(&s->model, v->why, why, sizeof(why)) : "", true);
    }
    fflush(p->out);
}

const struct print_ops print_csv = {csv_begin, csv_frame};
