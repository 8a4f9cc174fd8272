#include "model/run/run_values.h"

#include "base/str.h"
#include "model/load/direction.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <strings.h>

struct run_values_item {
    char *path, *unit; /* as the tool printed it, without '<' */
    bool share;
    struct moments m;
    double duty;
    uint64_t n_over, n_limits;
};

/* ---- adding ---- */

/* "% Slots <" is "Slots", a share; "Metric" and "Metric <" say nothing. */
static int set_unit(struct run_values_item *it, const char *unit) {
    const char *begin = unit + strspn(unit, "% _");
    size_t n = strcspn(begin, "<");
    while (n > 0 && begin[n - 1] == ' ')
        n--;
    it->share = *unit == '%' || !strcasecmp(unit, "slots");
    if (it->share)
        return run_set_text(&it->unit, "percent");
    it->unit = strcasecmp(begin, "metric") == 0 ? strdup("") : strndup(begin, n);
    if (it->unit && !strcasecmp(it->unit, "metric"))
        it->unit[0] = '\0';
    return it->unit ? 0 : -ENOMEM;
}

static void item_free(struct run_values_item *it) {
    free(it->path);
    free(it->unit);
}

/* Intervals list the same paths in the same order. */
static struct run_values_item *find(struct run_values *rv, const char *path) {
    const bool next = rv->hint < rv->item.n && !strcmp(rv->item.at[rv->hint].path, path);
    const int i = next ? (int)rv->hint : dict_get(&rv->by_path, path);
    if (i < 0)
        return NULL;
    rv->hint = (size_t)i + 1 < rv->item.n ? (size_t)i + 1 : 0;
    return &rv->item.at[i];
}

static struct run_values_item *find_or_add(struct run_values *rv, const struct run_value *v) {
    struct run_values_item *found = find(rv, v->path), it = {.path = NULL, .duty = 1};
    if (found)
        return found;
    it.path = strdup(v->path);
    moments_reset(&it.m);
    if (it.path && set_unit(&it, v->unit) == 0 && array_push(&rv->item, it) == 0) {
        const int i = (int)rv->item.n - 1; /* the array has it, and frees it */
        return dict_put(&rv->by_path, it.path, i) == 0 ? &rv->item.at[i] : NULL;
    }
    item_free(&it);
    return NULL;
}

int run_values_add(struct run_values *rv, const struct run_value *v) {
    if (!isfinite(v->v))
        return 0;
    struct run_values_item *it = find_or_add(rv, v);
    if (!it)
        return -ENOMEM;
    moments_add(&it->m, it->share ? v->v / 100 : v->v);
    it->duty = fmin(it->duty, v->duty);
    it->n_over += v->over;
    it->n_limits += v->limits;
    return 0;
}

void run_values_free(struct run_values *rv) {
    for (size_t i = 0; i < rv->item.n; i++)
        item_free(&rv->item.at[i]);
    array_free(&rv->item);
    dict_free(&rv->by_path);
}

/* ---- the nodes ---- */

/* By the names that all vendors' trees share. */
static bool in_tree(const char *path) {
    static const char *const roots[] = {"Frontend_Bound", "Bad_Speculation", "Backend_Bound",
                                        "Retiring"};
    const size_t n = strcspn(path, ".");
    for (size_t i = 0; i < sizeof(roots) / sizeof(roots[0]); i++)
        if (strlen(roots[i]) == n && !strncasecmp(path, roots[i], n))
            return true;
    return false;
}

static int level_of(const char *path) {
    int level = 1;
    for (const char *c = path; *c; c++)
        level += *c == '.';
    return in_tree(path) ? level : 0;
}

/* As in our models: useful work is good but where it takes many operations. */
static bool is_good(const char *path) {
    static const char *const good[] = {"Retiring", "Retiring.Light_Operations", "IPC", "CoreIPC"};
    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
        if (!strcasecmp(path, good[i]))
            return true;
    return false;
}

/* Toplev's units of what is counted. The value here is the mean of the intervals, no sum, so that
 * it is not scaled to another time; but more of it is more work, and no better or worse for that.
 */
static bool is_count(const char *unit) {
    static const char *const counts[] = {"Count", "Clocks", "Cycles", "Instructions", "slots"};
    for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
        if (!strcasecmp(unit, counts[i]))
            return true;
    return false;
}

static int better_of(const struct run_node *n) {
    return n->good_up ? 1
                      : direction_find(&(struct direction_of){n->path, n->level,
                                                              !n->share && is_count(n->unit)});
}

static struct run_node make_node(const struct run_values_item *it, const struct moments_result *m,
                                 const char *reason) {
    const char *dot = strrchr(it->path, '.');
    struct run_node n = {
        .level = level_of(it->path), .good_up = is_good(it->path), .share = it->share};
    n.m = *m;
    n.value = (struct value){.v = m->mean, .err = NAN, .duty = (float)it->duty, .approx = true};
    n.value.state = it->duty < 1 ? VALUE_SCALED : VALUE_EXACT;
    n.value.over = it->n_over * 2 > m->n;
    n.name = strdup(dot && n.level ? dot + 1 : it->path);
    n.path = strdup(it->path);
    n.unit = strdup(it->unit);
    n.reason = strdup(reason);
    n.better = n.path && n.unit ? (signed char)better_of(&n) : 0;
    return n;
}

static int add_node(struct run *r, struct run_node n) {
    if (n.name && n.path && n.unit && n.reason && array_push(&r->node, n) == 0)
        return 0;
    free(n.name);
    free(n.path);
    free(n.unit);
    free(n.reason);
    return -ENOMEM;
}

static int by_path(const void *a, const void *b) {
    const struct run_values_item *x = a, *y = b;
    return strcasecmp(x->path, y->path);
}

static int add_nodes(struct run_values *rv, const char *reason, struct run *r) {
    const uint32_t n = (uint32_t)rv->item.n;
    struct moments *m = calloc(n + 1u, sizeof(*m));
    struct moments_result *result = calloc(n + 1u, sizeof(*result));
    int rc = m && result ? 0 : -ENOMEM;
    qsort(rv->item.at, n, sizeof(*rv->item.at), by_path);
    for (uint32_t i = 0; i < n && rc == 0; i++)
        m[i] = rv->item.at[i].m;
    if (rc == 0)
        moments_results(m, n, result);
    for (uint32_t i = 0; i < n && rc == 0; i++)
        rc = add_node(r, make_node(&rv->item.at[i], &result[i], reason));
    free(m);
    free(result);
    return rc;
}

/* The path that the tool named most often. */
static int set_bottleneck(const struct run_values *rv, struct run *r) {
    const struct run_values_item *most = NULL;
    for (size_t i = 0; i < rv->item.n; i++)
        if (rv->item.at[i].n_limits > (most ? most->n_limits : 0))
            most = &rv->item.at[i];
    return run_set_text(&r->bottleneck, most ? most->path : "");
}

static int fill_texts(struct run *r) {
    char **const texts[] = {&r->process, &r->target, &r->command, &r->source,     &r->version,
                            &r->note,    &r->parent, &r->model,   &r->model_text, &r->warning};
    int rc = 0;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]) && rc == 0; i++)
        if (!*texts[i])
            rc = run_set_text(texts[i], "");
    return rc;
}

int run_values_finish(struct run_values *rv, const char *reason, struct run *r, struct err *err) {
    if (rv->item.n == 0)
        return err_set(err, -ENODATA, "there are no values in it");
    int rc = add_nodes(rv, reason, r);
    if (rc == 0)
        rc = set_bottleneck(rv, r);
    if (rc == 0)
        rc = fill_texts(r);
    if (rc == 0 && !r->latency) {
        struct consts none;
        consts_init(&none);
        rc = run_set_consts(r, &none);
    }
    return rc < 0 ? err_set(err, rc, "out of memory") : 0;
}
