/* CSV: one line per metric and interval; what the whole run cannot have has one line. New columns
 * are appended: who reads the others by number finds them where they were. err, of: as in JSON
 * (print_json.c); approx: 1, the reason says why. Fields that hold the separator, quotes or line
 * ends are quoted. */
#include "cli/out/print.h"

#include "base/str.h"
#include "cli/out/print_units.h"
#include "session/hybrid.h"

#include <math.h>
#include <string.h>

/* A line on its way: stdio is asked once for all of its fields. */
struct line {
    FILE *out;
    const char *separator;
    size_t n_separator, n;
    char at[1024];
};

static void line_begin(struct line *l, const struct printer *p) {
    l->out = p->out;
    l->separator = p->separator;
    l->n_separator = strlen(p->separator);
    l->n = 0;
}

static void put(struct line *l, const char *text, size_t n) {
    if (n > sizeof(l->at) - l->n) {
        fwrite(l->at, 1, l->n, l->out);
        l->n = 0;
    }
    if (n > sizeof(l->at)) {
        fwrite(text, 1, n, l->out);
        return;
    }
    memcpy(l->at + l->n, text, n);
    l->n += n;
}

static void end_field(struct line *l, bool last) {
    if (!last && l->n_separator == 1 && l->n < sizeof(l->at)) { /* as nearly all do */
        l->at[l->n++] = l->separator[0];
        return;
    }
    put(l, last ? "\n" : l->separator, last ? 1 : l->n_separator);
    if (last) {
        fwrite(l->at, 1, l->n, l->out);
        l->n = 0;
    }
}

static void quoted(struct line *l, const char *text) {
    put(l, "\"", 1);
    for (; *text; text++)
        put(l, *text == '"' ? "\"\"" : text, *text == '"' ? 2 : 1);
    put(l, "\"", 1);
}

static void field(struct line *l, const char *text, bool last) {
    if (!*text) {
        end_field(l, last);
        return;
    }
    const char special[] = {'"', '\n', l->separator[0], '\0'};
    const size_t plain = strcspn(text, special);
    const char *at = text + plain;
    if (*at && (*at == '"' || *at == '\n' || strstr(at, l->separator) || strpbrk(at, "\"\n")))
        quoted(l, text);
    else
        put(l, text, *at ? strlen(text) : plain);
    end_field(l, last);
}

/* "" where it is not known. */
static void set_number(char text[STR_NUMBER], double v) {
    text[0] = '\0';
    if (isfinite(v))
        str_number(text, STR_NUMBER, v);
}

static void put_number(struct line *l, const char *text) {
    put(l, text, strlen(text));
    end_field(l, false);
}

static void number(struct line *l, double v) {
    char text[STR_NUMBER];
    set_number(text, v);
    put_number(l, text);
}

static void csv_begin(const struct printer *p, const struct session *s) {
    static const char *const heads[] = {"time",  "dt",         "metric", "path",
                                        "value", "unit",       "state",  "duty",
                                        "over",  "bottleneck", "source", "reason"};
    struct line l;
    line_begin(&l, p);
    for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++)
        field(&l, heads[i], false);
    if (session_type(s)[0])
        field(&l, "core_type", false);
    field(&l, "err", false);
    field(&l, "of", false);
    field(&l, "approx", !p->units);
    if (p->units)
        field(&l, "of_unit", true);
}

static bool is_bottleneck(const struct frame *f, int metric) {
    return f->bottleneck.n && f->bottleneck.at[f->bottleneck.n - 1] == metric;
}

/* What all lines of an interval have, as it is printed. */
struct place {
    char t[STR_NUMBER], dt[STR_NUMBER];
    bool summary; /* instead of t */
};

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
    struct line l;
    char why[256];
    line_begin(&l, p);
    if (at->summary)
        field(&l, "summary", false);
    else
        put_number(&l, at->t);
    put_number(&l, at->dt);
    field(&l, m->name, false);
    field(&l, m->path, false);
    number(&l, v->v);
    field(&l, print_unit(m), false);
    field(&l, value_state_name((enum value_state)v->state), false);
    number(&l, isnan(v->v) ? NAN : (double)v->duty);
    field(&l, v->over ? "1" : "0", false);
    field(&l, bottleneck ? "<==" : "", false);
    field(&l, s->source.simulated ? "sim SIMULATED" : s->source.ops->name, false);
    field(&l,
          words      ? why_text(&s->model, v->why, why, sizeof(why))
          : v->split ? DERIVATION_PARTED
                     : "",
          false);
    if (type[0])
        field(&l, type, false);
    number(&l, v->err);
    field(&l, of ? of : "", false);
    field(&l, v->approx ? "1" : "0", !p->units);
    if (p->units)
        field(&l, unit, true);
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

const struct print_ops print_csv = {csv_begin, false, csv_frame};
