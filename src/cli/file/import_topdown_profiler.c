/* The runs of topdown-profiler's store, each once: those that are here already are passed over. */
#include "cli/file/import.h"

#include "db/topdown_profiler.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int by_text(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The old ids of runs that were imported before. */
static int read_known(struct importer *im, struct err *err) {
    static const char *keys[] = {TOPDOWN_PROFILER_ID, NULL};
    const struct label_filter has = {
        .key = (char[]){TOPDOWN_PROFILER_ID}, .value = (char[]){""}, .op = LABEL_EXISTS};
    const struct run_query q = {.filter = &has, .n_filter = 1, .keys = keys, .without_top = true};
    struct run_list list = {0};
    if (!im->pick.store.impl)
        return 0;
    int rc = store_list(&im->pick.store, &q, &list, err);
    im->known_ids = rc == 0 ? calloc(list.n + 1, sizeof(char *)) : NULL;
    if (rc == 0 && !im->known_ids)
        rc = err_set(err, -ENOMEM, "%s: out of memory", im->path);
    for (size_t i = 0; i < list.n && rc == 0; i++)
        if (list.row[i].n_label &&
            !(im->known_ids[im->n_known_ids++] = strdup(list.row[i].label[0].value)))
            rc = err_set(err, -ENOMEM, "%s: out of memory", im->path);
    if (rc == 0)
        qsort(im->known_ids, im->n_known_ids, sizeof(char *), by_text);
    run_list_free(&list);
    return rc;
}

static void forget(struct importer *im) {
    for (size_t i = 0; i < im->n_known_ids; i++)
        free(im->known_ids[i]);
    free(im->known_ids);
    im->known_ids = NULL;
    im->n_known_ids = 0;
}

static bool is_known(void *user, const char *id) {
    const struct importer *im = user;
    return im->n_known_ids &&
           bsearch(&id, im->known_ids, im->n_known_ids, sizeof(char *), by_text) != NULL;
}

struct runs {
    ARRAY(struct run) run;
};

/* All of it before the store is locked: others would wait for what may be long. */
static int read_runs(struct importer *im, struct runs *out, struct err *err) {
    struct topdown_profiler *p = NULL;
    int got = topdown_profiler_open(&p, im->path, err);
    got = got < 0 ? got : 1;
    while (got > 0) {
        struct run r;
        got = topdown_profiler_next(p, is_known, im, &im->n_known, &r, err);
        if (got > 0 && array_push(&out->run, r) < 0)
            got = err_set(err, -ENOMEM, "%s: out of memory", im->path);
        else if (got > 0)
            continue;
        else if (got == -ENODATA) { /* a run that was broken off there; the others are not */
            cli_error(err);
            got = 1;
        }
        run_free(&r);
    }
    topdown_profiler_close(p);
    return got;
}

/* One that another tdtop imported meanwhile is known now. */
static int take_runs(struct importer *im, struct runs *all, struct err *err) {
    int rc = 0;
    forget(im);
    rc = read_known(im, err);
    for (size_t i = 0; rc == 0 && i < all->run.n; i++) {
        const char *id = run_label_get(&all->run.at[i], TOPDOWN_PROFILER_ID);
        if (id && is_known(im, id))
            im->n_known++;
        else
            rc = import_take(im, &all->run.at[i], err);
    }
    return rc;
}

/* All runs of the file, or none. */
int import_topdown_profiler(struct importer *im, struct err *err) {
    const bool stores = !im->a->dry_run;
    struct runs all = {0};
    int rc = read_known(im, err);
    if (rc == 0)
        rc = read_runs(im, &all, err);
    if (rc == 0 && stores)
        rc = store_batch_begin(&im->pick.store, err);
    if (rc == 0) {
        rc = take_runs(im, &all, err);
        if (stores)
            rc = store_batch_end(&im->pick.store, rc, err);
    }
    for (size_t i = 0; i < all.run.n; i++)
        run_free(&all.run.at[i]);
    array_free(&all.run);
    forget(im);
    return rc;
}
