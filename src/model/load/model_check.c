/*
 * Checking a file: it is loaded with a list for its problems, which are noted while it is read and
 * sorted by place. A file of metrics is loaded with every built-in model that it is for; what is
 * wrong with several of them is told once.
 */
#include "base/str.h"
#include "model/load/model_load.h"

#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <regex.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- the list of problems ---- */

static void problems_free(struct problems *all) {
    array_free(&all->list);
    arena_free(&all->arena);
    dict_free(&all->unknown);
}

size_t problems_count(const struct loader *ld) {
    return ld->problems ? ld->problems->list.n : 0;
}

int problem_note(struct loader *ld, bool soft) {
    struct problems *all = ld->problems;
    if (ld->file->shared) /* no mistake of the file that is checked */
        return 0;
    if (all->list.n >= PROBLEMS_MAX) {
        all->full = true;
        return -E2BIG;
    }
    struct problem p = {
        .extra = ld->file->extra, .line = ld->err_line, .col = ld->err_col, .soft = soft};
    p.text = arena_text(&all->arena, ld->err->text, strlen(ld->err->text));
    if (!p.text || array_push(&all->list, p) < 0)
        all->no_memory = true;
    return all->no_memory ? -ENOMEM : 0;
}

int problem_unknown(struct loader *ld, const char *name, bool soft) {
    struct problems *all = ld->problems;
    int known = dict_get(&all->unknown, name);
    if (known >= 0) {
        all->list.at[known].more++;
        return 0;
    }
    const int index = (int)all->list.n;
    int rc = problem_note(ld, soft);
    if (rc < 0 || ld->file->shared)
        return rc;
    const char *key = arena_text(&all->arena, name, strlen(name));
    if (!key || dict_put(&all->unknown, key, index) < 0)
        all->no_memory = true;
    return all->no_memory ? -ENOMEM : 0;
}

static bool before(const struct problem *a, const struct problem *b) {
    return a->line != b->line ? a->line < b->line : a->col < b->col;
}

/* By insertion: what is noted is nearly in order. */
static void problems_sort(struct problems *all) {
    struct problem *at = all->list.at;
    for (size_t i = 1; i < all->list.n; i++) {
        const struct problem p = at[i];
        size_t to = i;
        for (; to > 0 && before(&p, &at[to - 1]); to--)
            at[to] = at[to - 1];
        at[to] = p;
    }
}

/* ---- lint: what loads, but is surely a mistake; only for files that are checked ---- */

/* --- events and latencies that nothing uses --- */

static int unused_events(struct loader *ld) {
    int rc = 0;
    for (size_t i = 0; i < ld->n_def && rc == 0; i++) {
        const struct event_def *def = &ld->def[i];
        ld->file = def->file;
        if (!def->used && !def->file->base)
            rc = load_go_on(ld, load_err(ld, def->at,
                                         "event '%s' is never used; no formula and no locate "
                                         "names it",
                                         def->event.name));
    }
    return rc;
}

static int unused_latencies(struct loader *ld) {
    int rc = 0;
    for (size_t i = 0; i < ld->latency.n && rc == 0; i++) {
        const struct latency_def *def = &ld->latency.at[i];
        ld->file = def->file;
        if (!def->used && !def->file->base)
            rc = load_go_on(ld, load_err(ld, def->at,
                                         "latency of '%s' is never used; no formula names "
                                         "'%s:retire_latency'",
                                         def->latency.event, def->latency.event));
    }
    return rc;
}

/* --- events that are too much alike --- */

/* Vendors have two names for one event, so the same code alone says nothing. */
static bool same_count(const struct event *a, const struct event *b) {
    return a->pmu == b->pmu && a->type == b->type && a->config == b->config &&
           a->config1 == b->config1;
}

/* The first event that has a key in the dict, or NULL; then the key is this one's from now on. */
static const struct event *first_with(struct loader *ld, struct dict *first, const char *key,
                                      size_t index) {
    const int known = dict_get(first, key);
    if (known >= 0)
        return &ld->def[known].event;
    if (dict_put(first, key, (int)index) < 0)
        ld->problems->no_memory = true;
    return NULL;
}

static int clash(struct loader *ld, struct dict *names, struct dict *aliases, size_t i) {
    const struct event *e = &ld->def[i].event, *other;
    const char *lower = load_lower_case(ld, e->name);
    ld->file = ld->def[i].file;
    if (!lower)
        return load_no_memory(ld);
    if ((other = first_with(ld, names, lower, i)))
        return load_err(ld, ld->def[i].at,
                        "event '%s' has the same name but for the case of letters: see '%s'",
                        e->name, other->name);
    if (e->alias && (other = first_with(ld, aliases, e->alias, i)) && !same_count(e, other))
        return load_err(ld, ld->def[i].at,
                        "event '%s' has the same alias and another code: see '%s'", e->name,
                        other->name);
    return 0;
}

static int clashes(struct loader *ld) {
    struct dict names = {0}, aliases = {0};
    int rc = 0;
    for (size_t i = 0; i < ld->n_def && rc == 0; i++)
        if (ld->def[i].used || !ld->def[i].file->base)
            rc = load_go_on(ld, clash(ld, &names, &aliases, i));
    dict_free(&names);
    dict_free(&aliases);
    return rc;
}

/* --- names in locate --- */

/* L1_MISS is no misspelt L2_MISS. */
static bool same_but_digits(const char *a, const char *b) {
    for (; *a && *b; a++, b++)
        if (*a != *b && !(isdigit((unsigned char)*a) && isdigit((unsigned char)*b)))
            return false;
    return *a == *b;
}

/* The event of the table that the name is a slip away from, or NULL: few letters of many. */
static const char *nearest_event(const struct loader *ld, const char *name) {
    const char *best = NULL;
    int least = 3;
    for (size_t i = 0; i < ld->n_def; i++) {
        const char *event = ld->def[i].event.name;
        const int d = str_distance(event, name);
        if (d < least && (size_t)d * 4 < strlen(name) && !same_but_digits(event, name)) {
            least = d;
            best = event;
        }
    }
    return best;
}

/* Names that the table lacks are allowed: other tools know them. */
static int locate_check(struct loader *ld, const struct toml *name) {
    if (name->type != TOML_STRING || event_def_of(ld, name->string))
        return 0;
    char base[256];
    const size_t len = strcspn(name->string, ":");
    str_copy(base, len < sizeof(base) ? len + 1 : sizeof(base), name->string);
    const char *near = nearest_event(ld, base);
    return near ? load_err(ld, name, "locate names '%s', which is no event; did you mean '%s'?",
                           name->string, near)
                : 0;
}

/* Not in metrics for every model: what one of them lacks is no mistake. */
static int locates_check(struct loader *ld) {
    int rc = 0;
    for (int i = 0; i < ld->n_source && rc == 0; i++) {
        const struct metric_source *s = &ld->source[i];
        const struct toml *list = toml_get(s->table, "locate");
        ld->file = s->file;
        if (!list || list->type != TOML_ARRAY || file_is_general(s->file))
            continue;
        for (const struct toml *name = list->first; name && rc == 0; name = name->next)
            rc = load_go_on(ld, locate_check(ld, name));
    }
    return rc;
}

/* --- thresholds --- */

/* Percent where a share is meant. */
static int thresholds_check(struct loader *ld) {
    int rc = 0;
    for (int i = 0; i < ld->n_source && rc == 0; i++) {
        const struct metric_source *s = &ld->source[i];
        const struct toml *t = s->keys.threshold;
        ld->file = s->file;
        if (!t || t->type == TOML_STRING || !s->keys.share || !(toml_number(t) > 1))
            continue;
        rc = load_go_on(ld, load_err(ld, t,
                                     "threshold of '%s' is %g, but a share is at most 1: it is "
                                     "never over; 20%% is 0.2",
                                     s->table->key, toml_number(t)));
    }
    return rc;
}

/* --- fields of PERF_METRICS --- */

/* Each such event is a field of its own. */
static int perf_metrics_check(struct loader *ld) {
    int n = 0, rc = 0;
    for (size_t i = 0; i < ld->n_def && rc == 0; i++) {
        const struct event_def *def = &ld->def[i];
        ld->file = def->file;
        if (def->event.perf_metrics && ++n > ld->m->perf_metrics)
            rc = load_go_on(ld, load_err(ld, def->at,
                                         "event '%s' is no. %d from PERF_METRICS, but the model "
                                         "says counters.perf_metrics = %d",
                                         def->event.name, n, ld->m->perf_metrics));
    }
    return rc;
}

/* --- the model itself --- */

static int regex_check(struct loader *ld, const struct toml *v) {
    regex_t re;
    char words[128];
    if (v->type != TOML_STRING)
        return 0; /* told already */
    int bad = regcomp(&re, v->string, REG_EXTENDED | REG_NOSUB);
    if (bad == 0) {
        regfree(&re);
        return 0;
    }
    regerror(bad, &re, words, sizeof(words));
    return load_err(ld, v, "match '%s' is no regular expression: %s", v->string, words);
}

/* Files are found by their names. */
static int name_check(struct loader *ld) {
    const char *file = str_base_name(ld->file->name);
    const char *name = ld->m->name;
    const size_t len = strlen(file), ext = strlen(".toml");
    if (!str_ends(file, ".toml") || !*name ||
        (len - ext == strlen(name) && !strncmp(file, name, len - ext)))
        return 0;
    return load_err(ld, toml_get(ld->file->doc.root, "name"),
                    "name is '%s', but the file is %s: --model finds it only if they agree", name,
                    file);
}

static int counters_check(struct loader *ld) {
    const struct toml *counters = load_root_key(ld, "counters");
    if (strcmp(ld->m->rung, "full") != 0 || ld->m->general_counters > 0)
        return 0;
    return load_err_at(ld, counters->line ? counters->line : 1, counters->line ? counters->col : 1,
                       "the model has no general counters: write counters = { general = N }, as "
                       "many as one hardware thread has");
}

/* An empty list is a decision: no CPU chooses the model by itself. */
static int match_check(struct loader *ld) {
    const struct toml *match = toml_get(ld->file->doc.root, "match");
    if (!match && !strcmp(ld->m->rung, "full"))
        return load_err_at(ld, 1, 1,
                           "the model has no 'match': no CPU will choose it; write match = [] if "
                           "that is meant");
    int rc = 0;
    for (const struct toml *v = match && match->type == TOML_ARRAY ? match->first : NULL;
         v && rc == 0; v = v->next)
        rc = load_go_on(ld, regex_check(ld, v));
    return rc;
}

static int origin_check(struct loader *ld) {
    if (strcmp(ld->m->rung, "full") != 0 || ld->m->origin[0])
        return 0;
    return load_err_at(ld, 1, 1, "the model has no 'origin': where its facts come from");
}

/* Either all roots have a role, or (where none fits) none of them; of slots all have one. */
static int roles_check(struct loader *ld) {
    bool must = !strcmp(ld->m->rung, "full") || !strcmp(ld->m->rung, "architecture");
    int rc = 0;
    for (int i = 0; i < ld->n_source; i++)
        must |= toml_get(ld->source[i].table, "role") != NULL;
    for (int i = 0; i < ld->n_source && must && rc == 0; i++) {
        const struct metric_source *s = &ld->source[i];
        if (s->kind == METRIC_TREE && !toml_get(s->table, "parent") && !toml_get(s->table, "role"))
            rc = load_go_on(ld, load_err(ld, s->table,
                                         "root '%s' has no role; known: frontend, "
                                         "bad_speculation, backend, retiring, none",
                                         s->table->key));
    }
    return rc;
}

int lint(struct loader *ld) {
    static int (*const lints[])(struct loader *) = {
        name_check,    counters_check,   origin_check,       match_check,
        roles_check,   unused_events,    unused_latencies,   clashes,
        locates_check, thresholds_check, perf_metrics_check,
    };
    int rc = 0;
    for (size_t i = 0; i < sizeof(lints) / sizeof(lints[0]) && rc == 0; i++) {
        ld->file = ld->mem->file;
        rc = load_go_on(ld, lints[i](ld));
    }
    return rc;
}

/* ---- checking a file ---- */

/* Receives the problems. */
struct listener {
    void (*problem)(void *user, const char *text);
    void *user;
    int n;
};

static void __attribute__((format(printf, 2, 3))) tell(struct listener *to, const char *fmt, ...) {
    char line[1024], safe[1024];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(line, sizeof(line), fmt, ap);
    va_end(ap);
    if (to->problem) /* it quotes the file, and may reach a terminal */
        to->problem(to->user, str_safe(safe, sizeof(safe), line));
    to->n++;
}

/* What was found counts, whatever ended the load. */
static int load_result(const struct problems *all, int rc, struct err *err) {
    return all->no_memory ? err_set(err, -ENOMEM, "out of memory") : all->full ? 0 : rc;
}

static void tell_full(const char *file, struct listener *to) {
    tell(to, "%s: there are more than these %d problems; mend them first", file, PROBLEMS_MAX);
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
        if (p->more)
            tell(to, "%s (and in %d more place%s)", p->text, p->more, p->more == 1 ? "" : "s");
        else
            tell(to, "%s", p->text);
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
    char text[512];
    struct strbuf sb = strbuf_on(text, sizeof(text));
    struct str_nearest near = {.to = glob->string, .below = 3};
    for (const struct embedded *e = embedded_models; e->name; e++)
        str_nearest(&near, e->name);
    strbuf_add(&sb, "%s:%d:%d: 'for' names '%s', but no built-in model is called so", c->file->name,
               glob->line, glob->col, glob->string);
    if (near.best)
        strbuf_add(&sb, "; did you mean '%s'?", near.best);
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
    tell(to, "%s%s%s", f->first.text, more, all ? "" : ")");
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

static int check_text(const struct embedded *file, struct listener *to, struct err *err) {
    struct toml_doc doc;
    int rc = toml_parse(&doc, file->text, file->len, file->name, err);
    if (rc == -EINVAL) { /* it is no TOML: there is nothing behind this to be read */
        tell(to, "%s", err->text);
        return 0;
    }
    if (rc < 0)
        return rc;
    if (doc.root->n == 0)
        tell(to, "%s:1:1: the file is empty: expected a model, or metrics ([metric.NAME])",
             file->name);
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
