/*
 * Checking a file: it is loaded with a list for its problems. A file of metrics is loaded with
 * every built-in model that it is for; what is wrong with several of them is told once.
 */
#include "model/load/model_load.h"

#include "base/str.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

/* Who is told. */
struct listener {
    void (*problem)(void *user, const char *text);
    void *user;
    int n;
};

static void tell(struct listener *to, const char *text, const char *more) {
    char line[1024], safe[1024];
    struct strbuf sb = strbuf_on(line, sizeof(line));
    strbuf_add(&sb, "%s%s", text, more);
    if (to->problem) /* it quotes the file, and may reach a terminal */
        to->problem(to->user, str_safe(safe, sizeof(safe), line));
    to->n++;
}

/* What was found counts, whatever ended the load. */
static int load_result(const struct problems *all, int rc, struct err *err) {
    return all->no_memory ? err_set(err, -ENOMEM, "out of memory") : all->full ? 0 : rc;
}

static void tell_full(const char *file, struct listener *to) {
    char text[512];
    struct strbuf sb = strbuf_on(text, sizeof(text));
    strbuf_add(&sb, "%s: there are more than these %d problems; mend them first", file,
               PROBLEMS_MAX);
    tell(to, text, "");
}

/* --- a model --- */

static int check_model(const struct embedded *file, struct listener *to, struct err *err) {
    struct problems all = {0};
    struct model m;
    const struct load_input in = {
        .text = file->text, .len = file->len, .name = file->name, .problems = &all, .shared = true};
    int rc = load_result(&all, load_input(&m, &in, err), err);
    model_free(&m);
    problems_sort(&all);
    for (size_t i = 0; i < all.list.n && rc == 0; i++) {
        const struct problem *p = &all.list.at[i];
        char more[64] = "";
        struct strbuf sb = strbuf_on(more, sizeof(more));
        if (p->more)
            strbuf_add(&sb, " (and in %d more place%s)", p->more, p->more == 1 ? "" : "s");
        tell(to, p->text, more);
    }
    if (rc == 0 && all.full)
        tell_full(file->name, to);
    problems_free(&all);
    return rc;
}

/* --- metrics, model after model --- */

enum { NAMED_MODELS = 3, ALL_MODELS = -1 }; /* so many are named; the others counted */

struct found {
    struct problem first;
    int n_models;     /* that have it; ALL_MODELS: no matter which */
    const char *last; /* of them */
    const char *model[NAMED_MODELS];
};

struct metrics_check {
    const struct embedded *file;
    struct err *err;
    int n_models;
    bool full; /* one model had more than PROBLEMS_MAX */
    ARRAY(struct found) found;
    struct arena texts;
};

static struct found *found_at(struct metrics_check *c, const struct problem *p) {
    for (size_t i = 0; i < c->found.n; i++)
        if (c->found.at[i].first.line == p->line && c->found.at[i].first.col == p->col)
            return &c->found.at[i];
    struct found new = {.first = *p, .n_models = 0};
    new.first.text = arena_text(&c->texts, p->text, strlen(p->text));
    if (!new.first.text || array_push(&c->found, new) < 0)
        return NULL;
    return &c->found.at[c->found.n - 1];
}

/* One message for each place, whatever the models say about it. */
static int found_add(struct metrics_check *c, const struct problem *p, const char *model) {
    struct found *at = found_at(c, p);
    if (!at)
        return err_set(c->err, -ENOMEM, "out of memory");
    at->first.soft &= p->soft;
    if (at->n_models == ALL_MODELS || at->last == model)
        return 0;
    at->last = model;
    if (at->n_models < NAMED_MODELS)
        at->model[at->n_models] = model;
    at->n_models++;
    return 0;
}

static int check_with(struct metrics_check *c, const struct embedded *e) {
    struct problems all = {0};
    struct model m;
    const struct load_input in = {.text = e->text,
                                  .len = e->len,
                                  .name = e->name,
                                  .extra = c->file,
                                  .problems = &all,
                                  .shared = true};
    int rc = load_result(&all, load_input(&m, &in, c->err), c->err);
    c->full |= all.full;
    for (size_t i = 0; i < all.list.n && rc == 0; i++)
        if (all.list.at[i].extra)
            rc = found_add(c, &all.list.at[i], e->name);
    model_free(&m);
    problems_free(&all);
    c->n_models++;
    return rc;
}

/* A glob that no built-in model fits. */
static int glob_problem(struct metrics_check *c, const struct toml *glob) {
    char text[512], nearest[96] = "";
    struct strbuf sb = strbuf_on(text, sizeof(text)), near = strbuf_on(nearest, sizeof(nearest));
    int least = 3;
    for (const struct embedded *e = embedded_models; e->name; e++) {
        int d = str_distance(glob->string, e->name);
        if (d >= least)
            continue;
        least = d;
        near = strbuf_on(nearest, sizeof(nearest));
        strbuf_add(&near, "; did you mean '%s'?", e->name);
    }
    strbuf_add(&sb, "%s:%d:%d: 'for' names '%s', but no built-in model is called so%s",
               c->file->name, glob->line, glob->col, glob->string, nearest);
    const struct problem p = {.line = glob->line, .col = glob->col, .text = text};
    struct found *at = found_at(c, &p);
    if (!at)
        return err_set(c->err, -ENOMEM, "out of memory");
    at->n_models = ALL_MODELS;
    return 0;
}

static bool fits(const struct toml *glob, const char *model) {
    return glob->type == TOML_STRING && fnmatch(glob->string, model, FNM_CASEFOLD) == 0;
}

/* Globs, and which models they choose. What is no array of strings is told by the loader. */
static int globs_check(struct metrics_check *c, const struct toml *only_for) {
    for (const struct toml *glob = only_for->first; glob; glob = glob->next) {
        const struct embedded *e = embedded_models;
        while (e->name && !fits(glob, e->name))
            e++;
        int rc = e->name || glob->type != TOML_STRING ? 0 : glob_problem(c, glob);
        if (rc < 0)
            return rc;
    }
    return 0;
}

static bool chosen(const struct toml *only_for, const char *model) {
    if (!only_for || only_for->type != TOML_ARRAY || !only_for->first)
        return true;
    for (const struct toml *glob = only_for->first; glob; glob = glob->next)
        if (glob->type != TOML_STRING || fits(glob, model))
            return true;
    return false;
}

static int by_place(const void *va, const void *vb) {
    const struct problem *a = &((const struct found *)va)->first;
    const struct problem *b = &((const struct found *)vb)->first;
    return a->line != b->line ? a->line - b->line : a->col - b->col;
}

/* " (models spr, skx and 4 more)", if it is not in all of them. */
static void tell_found(const struct metrics_check *c, const struct found *f, struct listener *to) {
    char more[256] = "";
    struct strbuf sb = strbuf_on(more, sizeof(more));
    bool all = f->n_models == ALL_MODELS || f->n_models == c->n_models;
    if (f->first.soft && !all)
        return;
    for (int i = 0; !all && i < f->n_models && i < NAMED_MODELS; i++)
        strbuf_add(&sb, "%s%s",
                   i                  ? ", "
                   : f->n_models == 1 ? " (model "
                                      : " (models ",
                   f->model[i]);
    if (!all && f->n_models > NAMED_MODELS)
        strbuf_add(&sb, " and %d more", f->n_models - NAMED_MODELS);
    tell(to, f->first.text, all ? "" : strcat(more, ")"));
}

static int check_metrics(const struct embedded *file, const struct toml *root, struct listener *to,
                         struct err *err) {
    struct metrics_check c = {.file = file, .err = err};
    const struct toml *only_for = toml_get(root, "for");
    int rc = only_for && only_for->type == TOML_ARRAY ? globs_check(&c, only_for) : 0;
    for (const struct embedded *e = embedded_models; e->name && rc == 0; e++)
        if (chosen(only_for, e->name))
            rc = check_with(&c, e);
    if (c.found.n)
        qsort(c.found.at, c.found.n, sizeof(*c.found.at), by_place);
    for (size_t i = 0; i < c.found.n && rc == 0; i++)
        tell_found(&c, &c.found.at[i], to);
    if (rc == 0 && c.full)
        tell_full(file->name, to);
    array_free(&c.found);
    arena_free(&c.texts);
    return rc;
}

/* --- either --- */

static void tell_empty(const struct embedded *file, struct listener *to) {
    char text[512];
    struct strbuf sb = strbuf_on(text, sizeof(text));
    strbuf_add(&sb, "%s:1:1: the file is empty: expected a model, or metrics ([metric.NAME])",
               file->name);
    tell(to, text, "");
}

static int check_text(const struct embedded *file, struct listener *to, struct err *err) {
    struct toml_doc doc;
    int rc = toml_parse(&doc, file->text, file->len, file->name, err);
    if (rc == -EINVAL) { /* it is no TOML: there is nothing behind this to be read */
        tell(to, err->text, "");
        return 0;
    }
    if (rc < 0)
        return rc;
    if (doc.root->n == 0)
        tell_empty(file, to);
    else if (extra_recognise(doc.root))
        rc = check_metrics(file, doc.root, to, err);
    else
        rc = check_model(file, to, err);
    toml_free(&doc);
    return rc;
}

int model_check_text(const char *text, size_t len, const char *name,
                     void (*problem)(void *user, const char *text), void *user, struct err *err) {
    struct err own = {0};
    struct listener to = {.problem = problem, .user = user};
    const struct embedded file = {.name = name, .text = text, .len = len};
    int rc = check_text(&file, &to, &own);
    return rc < 0 ? err_set(err, rc, "%s", own.text) : to.n;
}

int model_check(const char *path, void (*problem)(void *user, const char *text), void *user,
                struct err *err) {
    char *text = NULL;
    size_t len = 0;
    int rc = str_read_file(path, MODEL_SIZE_MAX, &text, &len, err);
    if (rc < 0)
        return rc;
    rc = model_check_text(text, len, path, problem, user, err);
    free(text);
    return rc;
}
