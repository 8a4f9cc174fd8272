/* The runs of topdown-profiler's store, each once: those that are here already are passed over. */
#include "cli/import.h"

#include "db/peer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int by_text(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The old ids of runs that were imported before. */
static int read_known(struct importer *im, struct err *err) {
    static const char *keys[] = {PEER_ID, NULL};
    const struct label_filter has = {
        .key = (char[]){PEER_ID}, .value = (char[]){""}, .op = LABEL_EXISTS};
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

static int take_all(struct importer *im, struct peer *p, struct err *err) {
    int got;
    do {
        struct run r;
        got = peer_next(p, is_known, im, &im->n_known, &r, err);
        if (got == -ENODATA) { /* a run that was broken off there; the others are not */
            cli_error(err);
            got = 1;
        } else if (got > 0) {
            const int rc = import_take(im, &r, err);
            got = rc < 0 ? rc : 1;
        }
        run_free(&r);
    } while (got > 0);
    return got;
}

int import_peer(struct importer *im, struct err *err) {
    struct peer *p = NULL;
    int rc = peer_open(&p, im->path, err);
    if (rc == 0)
        rc = read_known(im, err);
    if (rc == 0)
        rc = take_all(im, p, err);
    forget(im);
    peer_close(p);
    return rc;
}
