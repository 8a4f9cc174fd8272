#include "ui/runs/runs_trend.h"

#include "base/clock.h"
#include "base/str.h"
#include "base/when.h"
#include "ui/draw/plot.h"
#include "ui/draw/widget.h"
#include "ui/runs/runs_view.h"
#include "ui/screen/keys.h"
#include "ui/screen/screen.h"
#include "ui/view/axis.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void runs_trend_free(struct runs_trend *t) {
    run_list_free(&t->list);
    free(t->row);
    free(t->v);
    free(t->o);
    *t = (struct runs_trend){0};
}

static int read_list(struct runs_trend *t, struct runs *r, const struct runs_group *of,
                     struct err *err) {
    static const char *no_labels[] = {NULL};
    struct label_filter filter[RUNS_FILTERS + 1];
    struct run_query q = runs_query(r, of, filter);
    q.order = BY_TIME;
    q.by = NULL;
    q.ascending = false;
    q.keys = no_labels;
    q.without_top = true;
    q.limit = RUNS_TREND_MOST;
    r->queries++;
    const int rc = store_list(&r->store, &q, &t->list, err);
    t->older = t->list.total - t->list.n;
    t->more = t->list.more;
    return rc;
}

static int make_room(struct runs_trend *t) {
    const size_t n = t->list.n + 1;
    t->row = calloc(n, sizeof(struct run_row *));
    t->v = calloc(n, sizeof(*t->v));
    t->o = calloc(n, sizeof(*t->o));
    return t->row && t->v && t->o ? 0 : -ENOMEM;
}

static void take_rows(struct runs_trend *t) {
    for (size_t i = t->list.n; i-- > 0;) {
        const struct run_row *row = &t->list.row[i];
        if (!isfinite(row->value)) {
            t->n_without++;
            continue;
        }
        t->many_models |= t->n > 0 && strcmp(row->model, t->row[0]->model) != 0;
        t->v[t->n] = row->value;
        t->row[t->n++] = row;
    }
    t->sum = outlier_find(t->v, t->n, t->o);
    for (size_t i = 0; i < t->n; i++)
        t->n_anomaly += t->o[i].anomaly;
    t->selected = t->n ? t->n - 1 : 0;
}

static void name_group(struct runs_trend *t, const struct runs *r, const struct runs_group *of) {
    struct strbuf sb = strbuf_on(t->group, sizeof(t->group));
    char safe[96];
    if (of && r->key[0])
        strbuf_add(&sb, "%s%s%s", of->value ? r->key : "without ", of->value ? "=" : r->key,
                   of->value ? str_safe(safe, sizeof(safe), of->value) : "");
}

int runs_trend_read(struct runs_trend *t, struct runs *r, const struct runs_group *of,
                    struct err *err) {
    runs_trend_free(t);
    str_copy(t->metric, sizeof(t->metric), r->metric);
    name_group(t, r, of);
    int rc = read_list(t, r, of, err);
    if (rc == 0 && make_room(t) < 0)
        rc = err_set(err, -ENOMEM, "trend: out of memory; close other programs");
    if (rc == 0)
        take_rows(t);
    else
        runs_trend_free(t);
    return rc;
}

void runs_trend_move(struct runs_trend *t, int64_t by) {
    const int64_t to = (int64_t)t->selected + by, last = t->n ? (int64_t)t->n - 1 : 0;
    t->selected = (size_t)(to < 0 ? 0 : to > last ? last : to);
}

bool runs_trend_jump(struct runs_trend *t, int step) {
    size_t i = t->selected;
    for (size_t k = 1; k < t->n; k++) {
        i = (i + (step > 0 ? 1 : t->n - 1)) % t->n; /* around the end */
        if (t->o[i].anomaly) {
            t->selected = i;
            return true;
        }
    }
    return false;
}

/* ---- drawing ---- */

/*
 * A dot for each run, the oldest on the left; the rolling mean of 7 as a line, the mean of all and
 * what is two standard deviations from it as dotted lines; runs apart from the others have a sign
 * of their own (model/stats/outlier.h). The axis spans what there is: a trend is about differences,
 * and the numbers say where 0 is not.
 */

enum { CELLS_MOST = 12, BELOW = 2, RUNS_MOST = 1024 };

/* Which runs are on the screen, and where. */
struct trend_plot {
    const struct runs_trend *t;
    const struct runs *runs;
    struct rect r, area; /* with axes; without */
    size_t from, n;
    int cells; /* per run */
    struct scale y;
    struct chart chart;
};

/* ---- scale ---- */

static void widen(double v, double *min, double *max) {
    if (isnan(v))
        return;
    *min = fmin(*min, v);
    *max = fmax(*max, v);
}

static void scale(struct trend_plot *p) {
    const struct scale_rule rule = {.share = p->runs->share, .loose = true};
    double min = (double)INFINITY, max = -(double)INFINITY;
    for (size_t i = p->from; i < p->from + p->n; i++) {
        widen(p->t->v[i], &min, &max);
        widen(p->t->o[i].rolling, &min, &max);
    }
    scale_fit(&p->y, min, max, &rule);
}

static struct trend_plot plot_of(const struct screen *sc, struct rect r) {
    struct trend_plot p = {.t = &sc->runs->trend, .runs = &sc->runs->list};
    p.r = (struct rect){r.x, r.y + 1, r.w, r.h - 1 - BELOW};
    p.area = chart_area(p.r, 0);
    if (p.area.w < 4 || p.area.h < 2 || p.t->n == 0)
        return p;
    const size_t w = p.area.w < RUNS_MOST ? (size_t)p.area.w : RUNS_MOST;
    p.n = p.t->n < w ? p.t->n : w;
    p.cells = (int)(w / p.n) < CELLS_MOST ? (int)(w / p.n) : CELLS_MOST;
    p.from = p.t->n - p.n;
    if (p.t->selected < p.from) /* in the middle, where it is not among the newest */
        p.from = p.t->selected > p.n / 2 ? p.t->selected - p.n / 2 : 0;
    scale(&p);
    const bool ascii = axis_glyph(&sc->scene) == CHART_ASCII; /* blocks would fill what is below */
    p.chart = (struct chart){.glyph = ascii ? CHART_ASCII : CHART_BRAILLE, .plain = true};
    return p;
}

static int x_of(const struct trend_plot *p, size_t i) {
    return p->area.x + (int)(i - p->from) * p->cells + p->cells / 2;
}

/* ---- lines ---- */

/* A run is as many columns as it has cells; the plot's time is counted in columns. */
static void draw_mean(const struct trend_plot *p, struct canvas *c) {
    float mean[RUNS_MOST];
    size_t first = 0; /* that has one: before it nothing is missing */
    while (first < p->n && isnan(p->t->o[p->from + first].rolling))
        first++;
    for (size_t i = first; i < p->n; i++)
        mean[i - first] = (float)p->t->o[p->from + i].rolling;
    struct chart ch = p->chart;
    const uint64_t run_ns = 2 * (uint64_t)p->cells; /* two columns of dots a cell */
    ch.x = (struct scale_time){.cell_ns = 2, .cells = (int)p->n * p->cells};
    const struct chart_values cv = {
        .v = mean, .n = (int)(p->n - first), .first_ns = first * run_ns, .step_ns = run_ns};
    plot_draw_line(c, p->area, &ch, &cv, STYLE_TEXT);
}

static void draw_runs(const struct trend_plot *p, struct canvas *c) {
    for (size_t i = p->from; i < p->from + p->n; i++) {
        const double v = p->t->v[i];
        const int x = x_of(p, i);
        const bool odd = p->t->o[i].anomaly;
        if (i == p->t->selected)
            for (int y = 0; y < p->area.h; y++)
                chart_put_behind(c, p->area, x, p->area.y + y, STYLE_AXIS, 0x2502);
        if (!isnan(v))
            canvas_put(c, p->area, x, p->area.y + p->area.h - 1 - scale_part(&p->y, v, p->area.h),
                       odd ? STYLE_ERROR : STYLE_PLOT, odd ? 0x25c6 : 0x25cf);
    }
}

static void draw_levels(const struct trend_plot *p, struct canvas *c) {
    const struct outlier_sum *s = &p->t->sum;
    chart_draw_rule(c, p->area, &p->chart, CHART_THRESHOLD, s->mean);
    chart_draw_rule(c, p->area, &p->chart, CHART_GRID, s->mean + 2 * s->sd);
    chart_draw_rule(c, p->area, &p->chart, CHART_GRID, s->mean - 2 * s->sd);
}

/* ---- around them ---- */

/* When a run began, below it; at an end of the axis it stays inside. */
static void draw_date(const struct trend_plot *p, struct canvas *c, size_t i) {
    const struct rect r = {p->area.x, p->area.y + p->area.h, p->area.w, 1};
    char text[32];
    when_short(p->t->row[i]->begun_ns, (int64_t)clock_wall_ns(), text, sizeof(text));
    const int w = str_width(text), end = r.x + r.w - w;
    int x = x_of(p, i) - w / 2;
    x = x > end ? end : x;
    canvas_text(c, r, x < r.x ? r.x : x, r.y, STYLE_AXIS, text);
}

static void draw_dates(const struct trend_plot *p, struct canvas *c) {
    const int parts = (int)p->n * p->cells / 28; /* a date and as much room again */
    const size_t last = p->n - 1;
    draw_date(p, c, p->from);
    for (int k = 1; k <= parts; k++)
        draw_date(p, c, p->from + last * (size_t)k / (size_t)parts);
}

static void draw_title(const struct screen *sc, const struct trend_plot *p, struct canvas *c,
                       struct rect r) {
    const struct runs_trend *t = p->t;
    char text[256], mean[80], safe[160];
    struct strbuf sb = strbuf_on(text, sizeof(text));
    strbuf_add(&sb, "%s over %zu run%s", t->metric, t->n, t->n == 1 ? "" : "s");
    if (t->group[0])
        strbuf_add(&sb, " · %s", t->group);
    if (sc->runs->list.n_filter)
        strbuf_add(&sb, " · filter %s", str_safe(safe, sizeof(safe), sc->runs->list.filter_text));
    int x = r.x + 1;
    x += widget_text(c, r, x, r.y, r.w - 2, STYLE_VALUE, text);
    if (t->n < 2)
        return;
    snprintf(text, sizeof(text), "mean ± sd %s · %zu outlier%s",
             runs_mean(p->runs, t->sum.mean, t->sum.sd, mean, sizeof(mean)), t->n_anomaly,
             t->n_anomaly == 1 ? "" : "s");
    if (x + str_width(text) + 2 < r.x + r.w)
        widget_right(c, r, r.x, r.y, r.w - 1, t->n_anomaly ? STYLE_WARN : STYLE_LABEL, text);
}

/* What a reader must know to trust it. */
static void draw_notes(const struct trend_plot *p, struct canvas *c, struct rect r, int y) {
    const struct runs_trend *t = p->t;
    char text[256];
    struct strbuf sb = strbuf_on(text, sizeof(text));
    if (t->many_models)
        strbuf_add(&sb, "different models: formulas may differ  ");
    strbuf_add(&sb, "● run  ◆ apart from the others (99%%)  line: mean of 7  %s mean  %s ± 2 sd  ",
               chart_rule_sample(p->chart.glyph, CHART_THRESHOLD),
               chart_rule_sample(p->chart.glyph, CHART_GRID));
    if (p->n < t->n)
        strbuf_add(&sb, "%zu of them are shown  ", p->n);
    if (t->older)
        strbuf_add(&sb, "%s%llu older runs left out  ", t->more ? "more than " : "",
                   (unsigned long long)t->older);
    if (t->n_without)
        strbuf_add(&sb, "%zu runs without it", t->n_without);
    widget_text(c, r, r.x + 1, y, r.w - 2, t->many_models ? STYLE_WARN : STYLE_LABEL, text);
}

static void draw_selected(const struct trend_plot *p, struct canvas *c, struct rect r, int y) {
    const struct run_row *row = p->t->row[p->t->selected];
    const struct outlier *o = &p->t->o[p->t->selected];
    char text[512], when[48], value[48], mean[48], safe[160];
    struct strbuf sb = strbuf_on(text, sizeof(text));
    strbuf_add(&sb, "%.8s · %s · %s · %s", row->id, when_text(row->begun_ns, when, sizeof(when)),
               str_safe(safe, sizeof(safe), row->process),
               runs_value(p->runs, row->value, value, sizeof(value)));
    if (!isnan(o->rolling))
        strbuf_add(&sb, " · mean of 7 %s", runs_value(p->runs, o->rolling, mean, sizeof(mean)));
    if (!isnan(o->z))
        strbuf_add(&sb, " · z %+.2f", o->z);
    int x = r.x + 1;
    if (row->simulated)
        x += canvas_text(c, r, x, y, STYLE_SIMULATED, "SIMULATED") + 1;
    x += widget_text(c, r, x, y, r.x + r.w - 1 - x, STYLE_VALUE, text);
    if (row->note[0]) {
        snprintf(text, sizeof(text), " · %s", str_safe(safe, sizeof(safe), row->note));
        widget_text(c, r, x, y, r.x + r.w - 1 - x, STYLE_TEXT, text);
    }
}

static void draw(struct screen *sc, struct canvas *c, struct rect r) {
    struct trend_plot p = plot_of(sc, r);
    p.chart.y = &p.y;
    char key[24];
    draw_title(sc, &p, c, r);
    if (p.n == 0) {
        canvas_printf(c, r, r.x + 1, r.y + 1, STYLE_LABEL,
                      p.t->n ? "too little room for a plot"
                             : "no run of these has %s: %s chooses another metric",
                      p.t->metric, keys_name_of("runs-metric", key, sizeof(key)));
        return;
    }
    chart_draw_back(c, p.r, 0, &p.chart); /* without times: its axis has none */
    draw_mean(&p, c);
    draw_levels(&p, c);
    draw_runs(&p, c);
    draw_dates(&p, c);
    draw_notes(&p, c, r, r.y + r.h - 2);
    draw_selected(&p, c, r, r.y + r.h - 1);
}

static void mouse(struct screen *sc, struct rect r, const struct mouse *m) {
    const struct trend_plot p = plot_of(sc, r);
    if (m->what == MOUSE_WHEEL_UP || m->what == MOUSE_WHEEL_DOWN) {
        runs_trend_move(&sc->runs->trend, m->what == MOUSE_WHEEL_UP ? -1 : 1);
        return;
    }
    const int at = p.n ? (m->x - p.area.x) / p.cells : -1;
    if (m->x >= p.area.x && at >= 0 && (size_t)at < p.n)
        sc->runs->trend.selected = p.from + (size_t)at;
}

const struct overlay runs_trend_page = {
    .name = "trend", .prepare = runs_prepare, .draw = draw, .mouse = mouse};
