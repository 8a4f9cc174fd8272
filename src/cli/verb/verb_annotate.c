/* `tdtop annotate`: which lines and instructions of a function the samples are at, of a run or of
 * what is sampled now. */
#include "base/str.h"
#include "cli/config/config.h"
#include "cli/measure.h"
#include "cli/verb/annotate_view.h"
#include "cli/verb/where_sample.h"
#include "cli/verb/where_view.h"
#include "session/hot_module.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- which function ---- */

enum match { NO_MATCH, IN_NAME, NAME_OF_SIGNATURE, WHOLE_NAME };

/* "push" of "push(int)": C++ names have their parameters. */
static enum match match_of(const char *name, const char *word) {
    const size_t n = strlen(word);
    if (!strcmp(name, word))
        return WHOLE_NAME;
    if (!strncmp(name, word, n) && strchr("(<@.", name[n]))
        return NAME_OF_SIGNATURE;
    return strstr(name, word) ? IN_NAME : NO_MATCH;
}

/* The best match with samples; of those that are alike the one with most. A part of a name must be
 * that of one function. */
static int find_function(struct annotate *a, const char *word, struct err *err) {
    struct hot_row *row;
    size_t n;
    enum match best = NO_MATCH;
    char names[256];
    struct strbuf sb = strbuf_on(names, sizeof(names));
    int parts = 0;
    if (hot_rows(a->h, &row, &n) < 0)
        return err_set(err, -ENOMEM, "out of memory");
    for (size_t i = 0; i < n; i++) {
        const char *name = a->h->function.at[row[i].function].name;
        const enum match m = match_of(name, word);
        if (m == IN_NAME && parts++ < 5)
            strbuf_add(&sb, "%s%s", parts > 1 ? ", " : "", name);
        if (m > best) {
            best = m;
            a->function = row[i].function;
            a->count = row[i].count;
        }
    }
    free(row);
    if (best == NO_MATCH)
        return err_set(err, -ENOENT, "%s: no function of that name has a sample", word);
    return best == IN_NAME && parts > 1
               ? err_set(err, -EINVAL, "%s: which of %s%s", word, names, parts > 5 ? ", ..." : "")
               : 0;
}

/* ---- its code ---- */

/* The same module, of a process that was sampled. */
static bool find_loaded(const struct where_sample *live, struct module *m, const char *path) {
    for (int s = 0; s < live->n_sampling; s++) {
        const uint32_t n = sampling_modules(live->sampling[s]);
        for (uint32_t i = 0; i < n; i++) {
            struct module at;
            sampling_module(live->sampling[s], i, &at);
            if (at.kind == m->kind && at.path && !strcmp(at.path, path)) {
                *m = at;
                return true;
            }
        }
    }
    return false;
}

/* The module as it is there now: of a running process as the sampler has it, else the file of that
 * path, if it is the same one. */
static int module_of(const struct annotate *a, struct where_sample *live, struct module *m) {
    const struct hot_module *is = &a->h->module.at[a->h->function.at[a->function].module];
    const int rc = hot_module_now(is, m);
    return live && find_loaded(live, m, is->path) ? 0 : rc;
}

static int add_up(struct annotate *a) {
    const struct code *c = &a->listing->code;
    a->at = calloc(c->n + 1, sizeof(*a->at));
    if (!a->at)
        return -ENOMEM;
    for (size_t i = 0; i < a->h->leaf.n; i++) {
        const struct hot_leaf *l = &a->h->leaf.at[i];
        if (l->function != a->function)
            continue;
        const size_t at = code_instruction_at(c, l->offset);
        if (at < c->n)
            hot_add(&a->at[at], &l->count);
        else
            a->n_between += l->count.n;
    }
    return 0;
}

/* Without code the places are still there. */
static int find_code(struct annotate *a, struct where_sample *live, struct names *names,
                     struct err *err) {
    const struct hot_function *f = &a->h->function.at[a->function];
    struct module m;
    struct err lack = {0};
    const char *path = a->h->module.at[f->module].path;
    if (module_of(a, live, &m) < 0) {
        snprintf(a->lack, sizeof(a->lack),
                 "%s: no build id was kept, so that it is not known which file has this code",
                 path);
        return 0;
    }
    if (names_listing(names, &m, f->start, &a->listing, &lack) < 0) {
        str_safe(a->lack, sizeof(a->lack), lack.text);
        return 0;
    }
    if (!hot_is_same(f->start, f->name, a->listing)) {
        snprintf(a->lack, sizeof(a->lack), "%s: what is there now is not what was sampled", path);
        listing_free(a->listing);
        a->listing = NULL;
        return 0;
    }
    return add_up(a) < 0 ? err_set(err, -ENOMEM, "out of memory for the function") : 0;
}

static int show(struct annotate *a, const char *word, struct where_sample *live,
                const struct args *args, struct err *err) {
    struct names *names = live ? live->names : NULL;
    int rc = find_function(a, word, err);
    if (rc == 0 && !names && names_open(&names, NULL) < 0)
        rc = err_set(err, -ENOMEM, "out of memory for names");
    if (rc == 0)
        rc = find_code(a, live, names, err);
    if (rc == 0 && (args->json ? annotate_print_json : annotate_print_text)(a, stdout) < 0)
        rc = err_set(err, -ENOMEM, "out of memory for what is to be printed");
    listing_free(a->listing);
    free(a->at);
    if (!live)
        names_close(names);
    return rc;
}

/* ---- the verb ---- */

static int of_run(const struct args *a, struct err *err) {
    struct annotate an = {0};
    struct run r = {0};
    if (a->n_word < 2)
        return err_set(err, -EINVAL, "annotate: give RUN FUNCTION, or a target and FUNCTION");
    int rc = where_load(a, a->word[0], a->where, &r, &an.h, err);
    if (rc == 0)
        rc = show(&an, a->word[1], NULL, a, err);
    run_free(&r);
    return rc;
}

/* Of several core types that which was sampled most. */
static int keep_most(struct where_sample *s, struct target_set *target, const struct args *a,
                     struct hot *h, struct err *err) {
    int rc = 0;
    for (int i = 0; rc == 0 && i < s->n_sampling; i++) {
        struct hot one = {0};
        rc = where_keep(s, i, target, a->where, 0, &one, err);
        if (rc == 0 && (i == 0 || one.all.n > h->all.n)) {
            const struct hot less = *h;
            *h = one;
            one = less;
        }
        hot_free(&one);
    }
    return rc;
}

static int of_target(const struct args *a, struct err *err) {
    struct where_sample sample = {0};
    struct target_set target = {0};
    struct hot h = {0};
    struct annotate an = {.h = &h};
    int rc = a->n_word == 1 ? where_find(&sample, a, a->where, err)
                            : err_set(err, -EINVAL, "annotate: name one function");
    if (rc == 0)
        rc = where_measure(&sample, &target, a, err);
    if (rc == 0)
        rc = keep_most(&sample, &target, a, &h, err);
    if (rc == 0)
        rc = show(&an, a->word[0], &sample, a, err);
    hot_free(&h);
    where_close(&sample);
    target_close(&target);
    return rc;
}

int verb_annotate(const struct args *said) {
    struct args a = *said; /* the settings add to it */
    struct config cfg = {0};
    struct err err = {0};
    struct target t;
    a.here = true; /* the settings of this machine hold */
    measure_target(&t, &a);
    int rc = config_for(&cfg, &a, &err);
    if (rc == 0)
        rc = (t.kind == TARGET_NONE ? of_run : of_target)(&a, &err);
    if (rc < 0)
        cli_error(&err);
    config_free(&cfg);
    return cli_finish(rc == 0 ? EXIT_OK : cli_is_usage(&err) ? EXIT_USAGE : EXIT_ERROR);
}
