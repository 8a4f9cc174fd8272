/* Two of the list against each other: runs, or groups of runs as `tdtop compare --label-a` takes
 * them. */
#include "base/str.h"
#include "db/pool_of_runs.h"
#include "db/store.h"
#include "ui/runs/runs_keys.h"
#include "ui/runs/runs_keys_impl.h"
#include "ui/runs/runs_open.h"
#include "ui/runs/runs_pages.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- which two ---- */

/* The marked one and the selected one, or both that are marked; the older mark is what it was. */
static bool choose(struct runs *r, const struct runs_mark *side[2], struct runs_mark *selected) {
    side[0] = &r->mark[0];
    side[1] = &r->mark[1];
    if (!runs_mark_is_set(side[0]))
        return false;
    if (runs_mark_is_set(side[1]))
        return true;
    side[1] = selected;
    if (runs_marked(r, r->selected) >= 0)
        return false;
    runs_mark_line(r, r->selected, selected);
    return runs_mark_is_set(selected);
}

/* ---- what they are ---- */

static int list_group(struct runs *r, const struct runs_group *g, struct run_list *l,
                      struct err *err) {
    static const char *keys[] = {RUN_REEVAL_OF, NULL};
    struct label_filter filter[RUNS_FILTERS + 1];
    struct run_query q = runs_query(r, g, filter);
    q.order = BY_TIME;
    q.ascending = false;
    q.metric = q.by = NULL;
    q.keys = keys;
    q.without_top = true;
    q.limit = SIDE_RUNS_MAX;
    int rc = store_list(&r->store, &q, l, err);
    if (rc == 0 && run_latest(l) < 0)
        rc = err_set(err, -ENOMEM, "compare: out of memory");
    return rc;
}

/* So that whoever reads the comparison knows what the side is. */
static int name_pool(const struct runs *r, const struct runs_group *g, size_t n, struct run *run) {
    char text[256];
    struct strbuf sb = strbuf_on(text, sizeof(text));
    strbuf_add(&sb, "%zu run%s %s%s%s", n, n == 1 ? "" : "s", g->value ? "with " : "without ",
               r->key, g->value ? "=" : "");
    if (g->value)
        strbuf_add(&sb, "%.160s", g->value);
    if (r->filter_text[0])
        strbuf_add(&sb, " · filter %.60s", r->filter_text);
    run->id[0] = '\0';
    for (size_t i = 0; i < run->label.n; i++) { /* of one of them: they are not those of all */
        free(run->label.at[i].key);
        free(run->label.at[i].value);
        free(run->label.at[i].covered);
    }
    run->label.n = 0;
    return run_set_text(&run->process, text);
}

static int load_group(struct runs *r, const struct runs_mark *m, struct run *out,
                      struct bench_source *from, struct err *err) {
    const struct runs_group *g = runs_group_of_value(r, m->value);
    struct run_list l = {0};
    struct pool_of_runs pool = {0};
    if (!g)
        return err_set(err, -ENOENT, "the marked group is gone: {runs-mark} marks another");
    int rc = list_group(r, g, &l, err);
    if (rc == 0 && l.n == 0)
        rc = err_set(err, -ENOENT, "the marked group has no runs now");
    if (rc == 0)
        rc = pool_of_runs(&r->store, &l, &pool, err);
    if (rc == 0 && name_pool(r, g, l.n, &pool.run) < 0)
        rc = err_set(err, -ENOMEM, "compare: out of memory");
    from->n_run = l.n;
    from->samples = pool.kind == SIDE_RUNS;
    run_list_free(&l);
    if (rc < 0)
        pool_of_runs_free(&pool);
    *out = pool.run; /* taken over */
    return rc;
}

/* A label that is longer is another group's: then it is none. */
static struct bench_source source_of(const struct runs_mark *m) {
    struct bench_source s = {.has_value = m->value != NULL};
    memcpy(s.id, m->id, sizeof(s.id));
    if (m->id[0] || (m->value && strlen(m->value) >= sizeof(s.value)))
        return s;
    str_copy(s.key, sizeof(s.key), m->key);
    str_copy(s.value, sizeof(s.value), m->value ? m->value : "");
    return s;
}

static int load_side(struct runs *r, const struct runs_mark *m, struct run *out,
                     struct bench_source *from, struct err *err) {
    *out = (struct run){0};
    *from = source_of(m);
    return m->id[0] ? store_load(&r->store, m->id, RUN_HEAD, out, err)
                    : load_group(r, m, out, from, err);
}

/* The differences lie over the list, which comes back when they are left. */
void runs_key_compare(struct screen *sc, uint32_t key) {
    (void)key;
    struct runs *r = runs_list(sc);
    const struct runs_mark *side[2];
    struct runs_mark selected = {.key = NULL};
    struct run a = {0}, b = {0};
    struct err err = {0};
    if (!choose(r, side, &selected)) {
        screen_say(sc, "{runs-mark} marks two runs, or two groups, that are to be compared");
        return;
    }
    struct bench_source from[2];
    int rc = load_side(r, side[0], &a, &from[0], &err);
    if (rc == 0)
        rc = load_side(r, side[1], &b, &from[1], &err);
    if (rc == 0)
        rc = bench_open_runs(sc, &a, &b, from, &err); /* takes both over */
    run_free(&a);
    run_free(&b);
    runs_mark_free(&selected);
    if (rc < 0)
        screen_say(sc, "%s", err.text);
}

/* ---- a metric of one of them ---- */

static void open_run(struct screen *sc, const char *id, const struct run_node *n) {
    struct run r;
    struct err err = {0};
    if (runs_load(sc, id, RUN_ALL, &r) < 0)
        return;
    if (runs_open_new(sc, &r, &sc->runs->open, &err) < 0)
        screen_say(sc, "%s", err.text);
    else if (bench_go(&sc->runs->open->sc, n))
        screen_say(&sc->runs->open->sc, "{back} goes back to A and B");
}

/* The list is that of the group, if it still is grouped by the label; else all runs. */
static int read_trend(struct runs *r, const struct bench_source *from, struct runs_trend *out,
                      struct err *err) {
    if (strcmp(r->key, from->key) != 0)
        return runs_trend_read(out, r, NULL, err);
    return runs_trend_read(out, r, runs_group_of_value(r, from->has_value ? from->value : NULL),
                           err);
}

static void open_trend(struct screen *sc, const struct bench_source *from,
                       const struct run_node *n) {
    struct runs *r = runs_list(sc);
    struct err err = {0};
    int rc = runs_show_metric(r, n->name, &err); /* reads the groups anew */
    if (rc == 0)
        rc = read_trend(r, from, &sc->runs->trend, &err);
    if (rc < 0) {
        screen_say(sc, "%s", err.text);
        return;
    }
    screen_view(sc, VIEW_TREE);
    sc->runs->mode = RUNS_TREND;
    sc->runs->of_bench = true;
}

void runs_compare_enter(struct screen *sc, const struct bench_source *from,
                        const struct run_node *n) {
    if (from->id[0])
        open_run(sc, from->id, n);
    else
        open_trend(sc, from, n);
}
