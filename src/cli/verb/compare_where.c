/* `tdtop compare --where A B`: functions whose share of the samples has changed. */
#include "cli/verb/compare_where.h"
#include "base/json_put.h"
#include "cli/file/run_pick.h"
#include "cli/out/table.h"
#include "cli/verb/where_view.h"
#include "model/hot/hot_compare.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

static void print_text(const struct hot *a, const struct hot *b, const struct hot_change *c,
                       size_t n, const struct args *args) {
    static const struct table_column columns[] = {
        {"change", true, 0}, {"95% interval", true, 0}, {"A", true, 0},
        {"B", true, 0},      {"function", false, 20},   {"file", false, 10}};
    struct table t;
    size_t sure = 0;
    printf("# %s: %llu samples of %s and %llu of %s; a share is one of %s\n", b->event.at[0].name,
           (unsigned long long)a->all.n, a->target, (unsigned long long)b->all.n, b->target,
           b->event.at[0].of);
    while (sure < n && c[sure].sure)
        sure++;
    printf("# changed for sure: %zu of %zu functions, corrected for their number%s\n", sure, n,
           args->verbose || sure == n ? "" : "; -v shows the others");
    table_init(&t, columns, 6);
    for (size_t i = 0; i < (args->verbose ? n : sure); i++) {
        table_addf(&t, "%s%+.1f", c[i].sure ? "" : "~", 100 * c[i].delta);
        table_addf(&t, "%+.1f - %+.1f", 100 * c[i].low, 100 * c[i].high);
        table_addf(&t, "%.1f%%", 100 * c[i].share_a);
        table_addf(&t, "%.1f%%", 100 * c[i].share_b);
        table_add(&t, c[i].function->name);
        table_add(&t, c[i].file);
    }
    if (table_rows(&t) && table_print(&t, stdout) < 0)
        cli_lack();
    table_free(&t);
}

static void print_json(const struct hot *a, const struct hot *b, const struct hot_change *c,
                       size_t n) {
    struct json_put p = {0};
    json_put_begin(&p, NULL, '{');
    json_put_text(&p, "event", b->event.at[0].name);
    json_put_text(&p, "of", b->event.at[0].of);
    json_put_integer(&p, "samples_a", (int64_t)a->all.n);
    json_put_integer(&p, "samples_b", (int64_t)b->all.n);
    json_put_begin(&p, "functions", '[');
    for (size_t i = 0; i < n; i++) {
        json_put_begin(&p, NULL, '{');
        json_put_text(&p, "name", c[i].function->name);
        json_put_text(&p, "file", c[i].file);
        json_put_number(&p, "a", c[i].share_a);
        json_put_number(&p, "b", c[i].share_b);
        json_put_number(&p, "delta", c[i].delta);
        json_put_number(&p, "low", c[i].low);
        json_put_number(&p, "high", c[i].high);
        json_put_number(&p, "p", c[i].p);
        json_put_bool(&p, "sure", c[i].sure);
        json_put_end(&p, '}');
    }
    json_put_end(&p, ']');
    json_put_end(&p, '}');
    if (json_put_line(&p, stdout) < 0)
        cli_lack();
    json_put_free(&p);
}

/* Each event that both sides have. */
static int compare_all(const struct run *ra, const struct run *rb, const struct args *args,
                       struct err *err) {
    const double confidence =
        isnan(args->confidence) ? 0.95 : fmin(args->confidence / 100, 0.999999);
    size_t n_pair = 0;
    for (size_t i = 0; i < ra->hot.n; i++) {
        const struct hot *a = &ra->hot.at[i];
        const struct hot *b = a->event.n ? run_samples(rb, a->event.at[0].name, NULL) : NULL;
        struct hot_change *list;
        size_t n;
        if (!b || !b->event.n)
            continue;
        if (hot_compare(a, b, confidence, &list, &n) < 0)
            return err_set(err, -ENOMEM, "out of memory");
        n_pair++;
        if (args->json)
            print_json(a, b, list, n);
        else
            print_text(a, b, list, n, args);
        free(list);
    }
    return n_pair
               ? 0
               : err_set(err, -ENODATA, "compare --where: both runs have no samples of one event");
}

int compare_where(const struct args *a) {
    struct run ra = {0}, rb = {0};
    struct err err = {0};
    const struct hot *h;
    int rc = a->n_word == 2 ? 0 : err_set(&err, -EINVAL, "compare --where: name two runs");
    if (rc == 0)
        rc = where_load(a, a->word[0], NULL, &ra, &h, &err);
    if (rc == 0)
        rc = where_load(a, a->word[1], NULL, &rb, &h, &err);
    if (rc == 0)
        rc = compare_all(&ra, &rb, a, &err);
    run_free(&ra);
    run_free(&rb);
    return cli_finish(rc < 0 ? run_pick_exit(&err) : EXIT_OK);
}
