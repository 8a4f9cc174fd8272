/*
 * `tdtop where`: samples a target for some seconds and prints which functions the samples are in,
 * with the interval in which each true share lies; or writes them for other tools.
 */
#include "base/str.h"
#include "cli/config/config.h"
#include "cli/file/run_pick.h"
#include "cli/measure.h"
#include "cli/verb/where_sample.h"
#include "cli/verb/where_view.h"
#include "model/hot/hot_export.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct where {
    struct where_sample sample;
    struct target_set target;
    struct hot hot;
};

/* Slips of the pen are found before anything is sampled. */
static int check(const struct args *a, struct err *err) {
    return (a->json || a->csv) && a->folded
               ? err_set(err, -EINVAL, "--%s and --folded exclude each other; leave one out",
                         a->json ? "json" : "csv")
               : 0;
}

/* ---- of a run ---- */

static int no_samples(const struct run *r, const char *what, struct err *err) {
    char text[256];
    struct strbuf sb = strbuf_on(text, sizeof(text));
    for (size_t i = 0; i < r->hot.n; i++)
        strbuf_add(&sb, "%s%s", i ? ", " : "", r->hot.at[i].asked);
    if (!r->hot.n)
        return err_set(err, -ENODATA,
                       "run %.8s has no samples; tdtop collect --where NODE keeps them", r->id);
    return err_set(err, -ENODATA, "run %.8s has no samples of %s, but of %s", r->id, what, text);
}

int where_load(const struct args *a, const char *word, const char *what, struct run *r,
               const struct hot **h, struct err *err) {
    struct run_pick p = {0};
    int rc = run_pick_open(&p, &(struct args){.db = a->db}, STORE_READ, err);
    if (rc == 0)
        rc = run_pick_load(&p, word, RUN_SAMPLES, r, err);
    run_pick_close(&p);
    if (rc == 0 && !(*h = run_samples(r, what, NULL)))
        rc = no_samples(r, what, err);
    return rc;
}

/* Of several, files of other tools have the first. */
static int show_run(const struct args *a, struct err *err) {
    const char *what = a->n_word > 1 ? a->word[1] : NULL;
    struct run r = {0};
    const struct hot *h = NULL;
    int rc = where_load(a, a->word[0], what, &r, &h, err);
    if (rc < 0 && !r.id[0]) /* a node, perhaps */
        err_prefix(err, "no target, and");
    if (rc == 0)
        rc = where_write(h, a, err);
    const char *asked = h ? h->asked : ""; /* of one node, those of each core type */
    while (rc == 0 && !a->output && !a->folded && (h = run_samples(&r, what, h))) {
        if (what && strcmp(h->asked, asked) != 0)
            continue;
        if (!a->json)
            fputc('\n', stdout);
        rc = where_write(h, a, err);
    }
    run_free(&r);
    return rc;
}

static bool is_run(const struct args *a) {
    struct target t;
    measure_target(&t, a);
    return t.kind == TARGET_NONE && a->n_word;
}

/* ---- of what is sampled now ---- */

static int where_run(struct where *w, const struct args *a, struct err *err) {
    const char *what = a->n_word ? a->word[0] : NULL;
    int rc = check(a, err);
    if (rc == 0 && is_run(a))
        return show_run(a, err);
    if (rc == 0 && a->n_word > 1)
        rc = err_set(err, -EINVAL, "where %s %s: one node or event at a time", what, a->word[1]);
    if (rc == 0)
        rc = where_find(&w->sample, a, what, err);
    if (rc == 0)
        rc = where_measure(&w->sample, &w->target, a, err);
    if (rc == 0 && w->sample.n_sampling > 1 && (a->output || a->folded))
        rc = err_set(err, -EINVAL,
                     "each core type has its own event: --cputype NAME takes one for a file");
    for (int i = 0; rc == 0 && i < w->sample.n_sampling; i++) {
        hot_free(&w->hot);
        if (i && !a->json)
            fputc('\n', stdout);
        rc = where_keep(&w->sample, i, &w->target, what, where_rows(a), &w->hot, err);
        if (rc == 0)
            rc = where_write(&w->hot, a, err);
    }
    return rc;
}

int verb_where(const struct args *said) {
    struct args a = *said; /* the settings add to it */
    struct config cfg = {0};
    struct err err = {0};
    struct where *w = calloc(1, sizeof(*w));
    a.here = true; /* the settings of this machine hold */
    int rc = w ? config_for(&cfg, &a, &err) : err_set(&err, -ENOMEM, "out of memory");
    if (rc == 0)
        rc = where_run(w, &a, &err);
    if (rc < 0)
        cli_error(&err);
    if (w) {
        where_close(&w->sample);
        target_close(&w->target);
        hot_free(&w->hot);
        config_free(&cfg);
    }
    free(w);
    return rc == 0 ? EXIT_OK : cli_is_usage(&err) ? EXIT_USAGE : EXIT_ERROR;
}
