#include "ui/runs/runs_survey.h"

#include "base/str.h"
#include "ui/runs/runs_pages.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void runs_survey_free(struct runs_survey *s) {
    free(s->value);
    *s = (struct runs_survey){.least = NAN, .most = NAN};
}

/* ---- labels ---- */

static struct survey_label *label_of(struct runs_survey *s, const struct run_label *l) {
    for (unsigned i = 0; i < s->n_label; i++)
        if (strcmp(s->label[i].key, l->key) == 0)
            return &s->label[i];
    if (s->n_label == SURVEY_LABELS || strlen(l->key) >= sizeof(s->label[0].key))
        return NULL;
    struct survey_label *out = &s->label[s->n_label++];
    *out = (struct survey_label){.w = str_width(l->key), .automatic = true};
    str_copy(out->key, sizeof(out->key), l->key);
    str_copy(out->value, sizeof(out->value), l->value);
    return out;
}

static void take_label(struct runs_survey *s, const struct run_label *l) {
    struct survey_label *to = label_of(s, l);
    char shown[sizeof(to->value)];
    if (!to)
        return;
    const int w = str_width(str_copy(shown, sizeof(shown), l->value));
    to->n++;
    to->automatic &= l->automatic;
    to->varies |= strcmp(to->value, shown) != 0 || strlen(l->value) >= sizeof(shown);
    to->w = w > to->w ? w : to->w;
    to->w = to->w > SURVEY_COLUMN ? SURVEY_COLUMN : to->w;
}

static int by_key(const void *a, const void *b) {
    const struct survey_label *x = a, *y = b;
    return strcmp(x->key, y->key);
}

static void take_labels(struct runs_survey *s, const struct run_list *l) {
    for (size_t i = 0; i < l->n; i++)
        for (size_t k = 0; k < l->row[i].n_label; k++)
            take_label(s, &l->row[i].label[k]);
    for (unsigned i = 0; i < s->n_label; i++)
        s->label[i].varies |= s->label[i].n < l->n;
    qsort(s->label, s->n_label, sizeof(s->label[0]), by_key);
}

bool runs_survey_is_column(const struct runs *r, const struct survey_label *l) {
    return l->varies && !l->automatic && strcmp(l->key, r->key) != 0;
}

int runs_survey_width(const struct runs *r) {
    int w = 0;
    for (unsigned i = 0; i < r->survey.n_label; i++)
        if (runs_survey_is_column(r, &r->survey.label[i]))
            w += r->survey.label[i].w + (w > 0);
    return w;
}

/* ---- what else all have in common ---- */

static void take_common(struct runs_survey *s, const struct run_list *l) {
    bool process = l->n > 1, model = l->n > 1;
    s->slots = !s->whole || l->n == 0;
    for (size_t i = 0; i < l->n; i++)
        s->slots |= strcmp(l->row[i].model, "software") != 0;
    for (size_t i = 1; i < l->n; i++) {
        process &= strcmp(l->row[i].process, l->row[0].process) == 0 &&
                   l->row[i].simulated == l->row[0].simulated;
        model &= strcmp(l->row[i].model, l->row[0].model) == 0;
    }
    if (process && s->whole)
        str_copy(s->process, sizeof(s->process), l->row[0].process);
    if (model && s->whole)
        str_copy(s->model, sizeof(s->model), l->row[0].model);
    s->simulated = s->process[0] && l->row[0].simulated;
}

/* ---- values by group ---- */

/* The group of a row, among those with values; NULL: it has no value, or is in none. */
static struct runs_group *group_of_row(struct runs *r, const struct run_row *row) {
    const char *value = r->key[0] ? run_row_label(row, r->key) : NULL;
    const struct runs_group *g = isfinite(row->value) ? runs_group_of_value(r, value) : NULL;
    return g ? &r->group[g - r->group] : NULL;
}

static void place_groups(struct runs *r) {
    size_t at = 0;
    for (uint32_t i = 0; i < r->n_group; i++) {
        r->group[i].at = at;
        at += r->group[i].n_value;
        r->group[i].n_value = 0;
    }
    r->survey.n_value = at;
}

static void take_value(struct runs *r, struct runs_group *g, double v) {
    struct runs_survey *s = &r->survey;
    s->value[g->at + g->n_value++] = v;
    s->least = fmin(s->least, v);
    s->most = fmax(s->most, v);
}

static void sum_up(const struct runs_survey *s, struct runs_group *g) {
    double sum = 0, squares = 0;
    for (size_t i = 0; i < g->n_value; i++)
        sum += s->value[g->at + i];
    g->mean = g->n_value ? sum / (double)g->n_value : NAN;
    for (size_t i = 0; i < g->n_value; i++)
        squares += pow(s->value[g->at + i] - g->mean, 2);
    g->sd = g->n_value > 1 ? sqrt(squares / (double)(g->n_value - 1)) : NAN;
}

static void take_values(struct runs *r, const struct run_list *l) {
    struct runs_group *g;
    r->survey.value = calloc(l->n + 1, sizeof(double));
    if (!r->survey.value)
        return;
    for (size_t i = 0; i < l->n; i++)
        if ((g = group_of_row(r, &l->row[i])))
            g->n_value++;
    place_groups(r);
    for (size_t i = 0; i < l->n; i++)
        if ((g = group_of_row(r, &l->row[i])))
            take_value(r, g, l->row[i].value);
    for (uint32_t i = 0; i < r->n_group; i++)
        sum_up(&r->survey, &r->group[i]);
}

/* ---- */

void runs_survey_read(struct runs *r) {
    struct label_filter filter[RUNS_FILTERS + 1];
    struct run_query q = runs_query(r, NULL, filter);
    struct run_list l;
    struct err err;
    runs_survey_free(&r->survey);
    q.order = BY_TIME;
    q.by = NULL;
    q.ascending = false;
    q.without_top = true;
    q.limit = SURVEY_RUNS;
    r->queries++;
    if (store_list(&r->store, &q, &l, &err) < 0)
        return;
    r->survey.n = l.n;
    r->survey.whole = l.total == l.n;
    take_labels(&r->survey, &l);
    take_common(&r->survey, &l);
    if (r->key[0])
        take_values(r, &l);
    run_list_free(&l);
}
