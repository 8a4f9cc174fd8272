#include "cli/out/print_units.h"

#include "base/clock.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_W = 16, COLUMN_W = 10 };

int print_units_init(struct print_units *pu, const struct session *s, bool cpus) {
    *pu = (struct print_units){.cpus = cpus};
    pu->has = calloc(s->model.n_metric + 1u, sizeof(*pu->has));
    if (pu->has && sample_init(&pu->sample, s->source.layout.n_slot) == 0 &&
        frame_init(&pu->frame, s->model.n_metric) == 0)
        return 0;
    print_units_destroy(pu);
    return -ENOMEM;
}

void print_units_destroy(struct print_units *pu) {
    free(pu->has);
    pu->has = NULL;
    sample_destroy(&pu->sample);
    frame_destroy(&pu->frame);
}

/* ---- rows ---- */

bool print_units_missed(const struct session *s) {
    return s->units.seq != s->sample.seq || !s->units.slot;
}

/* Which metrics rows have all events of: found with counts that are there, and not 0. */
static void find_metrics(struct print_units *pu, const struct session *s) {
    const struct unit_table *t = &s->units;
    struct eval eval = s->eval;
    for (uint32_t k = 0; k < pu->sample.n_slot; k++)
        pu->sample.at[k] = (struct count){.value = NAN, .state = COUNT_NOT_PLANNED};
    for (uint32_t k = 0; k < t->n_slot; k++)
        pu->sample.at[t->slot[k]] = (struct count){.value = 1000 + 37 * k, .state = COUNT_OK};
    pu->sample.t1_ns = pu->sample.t0_ns + NS_PER_S;
    eval_run(&eval, &pu->sample, &pu->frame);
    for (uint32_t i = 0; i < s->model.n_metric; i++) {
        const struct metric *m = &s->model.metric[i];
        const bool wanted = m->vital || (m->kind == METRIC_TREE && m->level == 1);
        pu->has[i] = wanted && !isnan(pu->frame.at[i].v);
    }
    pu->found = true;
}

/* The next row from *i on that is of the kind, evaluated; NULL. */
static const struct unit_row *next(struct print_units *pu, const struct session *s, uint32_t *i) {
    const struct unit_table *t = &s->units;
    struct eval eval = s->eval;
    if (print_units_missed(s))
        return NULL;
    if (!pu->found && t->n)
        find_metrics(pu, s);
    for (; *i < t->n; (*i)++) {
        const struct unit_row *row = &t->row[*i];
        if ((row->tid < 0) != pu->cpus)
            continue;
        unit_table_sample(t, (*i)++, &pu->sample);
        eval_run(&eval, &pu->sample, &pu->frame);
        return row;
    }
    return NULL;
}

/* Of a whole CPU, 0..100; NAN if not known. */
static double cpu_percent(const struct session *s, const struct unit_row *row) {
    const uint64_t ns = s->units.t1_ns - s->units.t0_ns;
    return ns ? 100 * row->busy * (double)NS_PER_S / (double)ns : (double)NAN;
}

static int id_of(const struct unit_row *row) {
    return row->tid < 0 ? row->cpu : (int)row->tid;
}

/* ---- text ---- */

static int column_width(const struct metric *m) {
    const int n = (int)strlen(m->name);
    return n < COLUMN_W ? COLUMN_W : n;
}

static void text_heads(const struct printer *p, const struct session *s) {
    fprintf(p->out, "# %8s %-*s %7s", p->units->cpus ? "CPU" : "thread", NAME_W,
            p->units->cpus ? "" : "name", "CPU %");
    for (uint32_t i = 0; i < s->model.n_metric; i++)
        if (p->units->has[i])
            fprintf(p->out, " %*s", column_width(&s->model.metric[i]), s->model.metric[i].name);
    fputc('\n', p->out);
}

void print_units_text(const struct printer *p, const struct session *s) {
    char value[48];
    const struct unit_row *row;
    if (print_units_missed(s))
        fprintf(p->out, "# %s\n", PRINT_UNITS_MISSED);
    for (uint32_t i = 0, n = 0; (row = next(p->units, s, &i)); n++) {
        const double busy = cpu_percent(s, row);
        if (n == 0)
            text_heads(p, s);
        fprintf(p->out, "  %8d %-*s ", id_of(row), NAME_W, row->comm);
        if (isnan(busy))
            fprintf(p->out, "%7s", "n/a");
        else
            fprintf(p->out, "%7.1f", busy);
        for (uint32_t k = 0; k < s->model.n_metric; k++)
            if (p->units->has[k])
                fprintf(
                    p->out, " %*s", column_width(&s->model.metric[k]),
                    print_value(&s->model.metric[k], &p->units->frame.at[k], value, sizeof(value)));
        fputc('\n', p->out);
    }
}

/* ---- CSV ---- */

void print_units_csv(const struct printer *p, const struct session *s,
                     void (*line)(const struct printer *p, const struct session *s,
                                  const struct metric *m, const struct value *v,
                                  const char *unit)) {
    static const struct metric busy = {
        .name = "CPU_Percent", .path = "", .unit = "percent", .kind = METRIC_INFO};
    const struct unit_row *row;
    for (uint32_t i = 0; (row = next(p->units, s, &i));) {
        char unit[64];
        struct value v = {.v = cpu_percent(s, row), .err = NAN, .duty = 1.0f};
        v.state = isnan(v.v) ? VALUE_NA : VALUE_EXACT;
        snprintf(unit, sizeof(unit), "%s %d%s%s", p->units->cpus ? "cpu" : "tid", id_of(row),
                 row->comm[0] ? " " : "", row->comm);
        line(p, s, &busy, &v, unit);
        for (uint32_t k = 0; k < s->model.n_metric; k++)
            if (p->units->has[k])
                line(p, s, &s->model.metric[k], &p->units->frame.at[k], unit);
    }
}

/* ---- JSON ---- */

static void put_node(struct json_put *w, const struct session *s, const struct metric *m,
                     const struct value *v) {
    char why[256];
    json_put_begin(w, m->name, '{');
    json_put_number(w, "value", v->v);
    if (isnan(v->v))
        json_put_text(w, "reason", why_text(&s->model, v->why, why, sizeof(why)));
    else
        json_put_number(w, "duty", (double)v->duty);
    json_put_end(w, '}');
}

void print_units_json(struct json_put *w, const char *key, const struct printer *p,
                      const struct session *s) {
    if (print_units_missed(s)) {
        json_put_null(w, key);
        return;
    }
    const struct unit_row *row;
    json_put_begin(w, key, '[');
    for (uint32_t i = 0; (row = next(p->units, s, &i));) {
        json_put_begin(w, NULL, '{');
        json_put_integer(w, p->units->cpus ? "cpu" : "tid", id_of(row));
        if (!p->units->cpus)
            json_put_text(w, "name", row->comm);
        json_put_number(w, "cpu_percent", cpu_percent(s, row));
        json_put_begin(w, "nodes", '{');
        for (uint32_t k = 0; k < s->model.n_metric; k++)
            if (p->units->has[k])
                put_node(w, s, &s->model.metric[k], &p->units->frame.at[k]);
        json_put_end(w, '}');
        json_put_end(w, '}');
    }
    json_put_end(w, ']');
}
