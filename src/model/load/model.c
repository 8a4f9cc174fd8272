/*
 * Opening and loading models. The format of their files, the formula language and what a file of
 * the user's metrics holds are described in docs/MODELS.md; loading starts in model_load.h.
 */
#include "model/load/model.h"

#include "base/str.h"
#include "model/load/model_load.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

static int load_texts(struct model *m, struct model_memory *mem, const struct load_input *in,
                      struct err *err) {
    struct model_file *file = arena_alloc(&mem->arena, sizeof(*file));
    if (!file)
        return err_set(err, -ENOMEM, "%s: out of memory", in->name);
    const size_t len = join_first(in->text, in->len);
    *file = (struct model_file){.name = in->name, .text = in->text, .len = len};
    mem->file = file;
    int rc = toml_parse(&file->doc, in->text, len, in->name, err);
    if (rc < 0)
        return rc;
    file->has_doc = true;
    file->name = file->doc.name;
    struct loader ld = {.m = m, .mem = mem, .file = file, .err = err, .problems = in->problems};
    rc = model_build(&ld, in);
    loader_free(&ld);
    return rc;
}

int load_input(struct model *m, const struct load_input *in, struct err *err) {
    *m = (struct model){0};
    struct model_memory *mem = calloc(1, sizeof(*mem));
    if (!mem)
        return err_set(err, -ENOMEM, "%s: out of memory", in->name);
    m->arena_ = mem;
    int rc = load_texts(m, mem, in, err);
    if (rc < 0) {
        model_free(m);
        if (err) { /* it quotes the file, and may reach a terminal */
            const struct err quoted = *err;
            str_safe(err->text, sizeof(err->text), quoted.text);
        }
    }
    return rc;
}

int model_load(struct model *m, const char *text, size_t len, const char *name, struct err *err) {
    return load_input(m, &(struct load_input){.text = text, .len = len, .name = name}, err);
}

static int load_file(struct model *m, const char *path, const char *metrics, struct err *err) {
    *m = (struct model){0};
    char *text = NULL;
    size_t len = 0;
    int rc = str_read_file(path, MODEL_SIZE_MAX, &text, &len, err);
    if (rc < 0)
        return rc;
    rc = load_input(m,
                    &(struct load_input){
                        .text = text, .len = len, .name = path, .metrics = metrics, .own = true},
                    err);
    free(text);
    return rc;
}

int model_load_file(struct model *m, const char *path, struct err *err) {
    return load_file(m, path, NULL, err);
}

void model_free(struct model *m) {
    struct model_memory *mem = m->arena_;
    if (mem) {
        for (struct model_file *f = mem->file; f; f = f->next)
            if (f->has_doc)
                toml_free(&f->doc);
        arena_free(&mem->arena);
        free(mem);
    }
    *m = (struct model){0};
}

/* Without regard to case; most names differ in the first letter. */
static bool same_name(const char *a, const char *b) {
    return !((a[0] ^ b[0]) & ~('a' - 'A')) && !strcasecmp(a, b);
}

int model_find(const struct model *m, const char *name) {
    for (uint32_t i = 0; i < m->n_metric; i++)
        if (same_name(m->metric[i].name, name) || same_name(m->metric[i].path, name))
            return (int)i;
    for (uint32_t i = 0; i < m->n_metric; i++)
        if (m->metric[i].vendor && same_name(m->metric[i].vendor, name))
            return (int)i;
    return METRIC_NONE;
}

const char *model_nearest(const struct model *m, const char *name) {
    struct str_nearest near = {.to = name, .below = (int)strlen(name) / 3 + 1};
    for (uint32_t i = 0; i < m->n_metric; i++)
        str_nearest(&near, m->metric[i].name);
    return near.best;
}

/* The vendors' domains ("Clocks_Estimated", "Core_Execution") that are no slots, by how they begin.
 */
static const struct {
    const char *domain, *of;
} domains[] = {
    {"Clocks", "clocks"},
    {"Core_Clocks", "clocks"},
    {"Stalls", "clocks"},
    {"Core_Execution", "clocks"},
    {"Core_Utilization", "clocks"},
    {"Cycles", "clocks"},
    {"Uops", "uops"},
};

const char *metric_share_of(const struct model *m, const struct metric *mt) {
    const char *domain = mt->domain;
    if (mt->kind != METRIC_TREE || !mt->share || !domain)
        return NULL;
    if (str_ends(domain, " cycles"))
        return domain;
    bool slots = m->scope && !strcmp(m->scope, "pipeline slots");
    for (size_t i = 0; slots && i < sizeof(domains) / sizeof(domains[0]); i++)
        if (str_starts(domain, domains[i].domain))
            return domains[i].of;
    return NULL;
}

const char *model_whole(const struct model *m) {
    if (m->rung && strcmp(m->rung, "software") == 0)
        return "time";
    const char *scope = m->scope ? m->scope : "100%", *last = strrchr(scope, ' ');
    return last ? last + 1 : scope;
}

/* The kernel's codes for them have event select 0: arch/x86/include/asm/perf_event.h,
 * "pseudo-encoding". */
bool model_fixed_only(const struct event *ev) {
    return ev->fixed >= 0 && (ev->config & 0xff) == 0;
}

bool model_has_perf_metrics(const struct model *m) {
    for (uint32_t i = 0; i < m->n_event; i++)
        if (m->event[i].perf_metrics)
            return true;
    return false;
}

static bool has_root(const struct model *m, enum metric_role role) {
    for (uint32_t i = 0; i < m->n_tree; i++)
        if (m->metric[i].level == 1 && m->metric[i].role == role)
            return true;
    return false;
}

bool model_tells_slots(const struct model *m) {
    return has_root(m, ROLE_FRONTEND) && has_root(m, ROLE_RETIRING);
}

int model_find_event(const struct model *m, const char *name) {
    for (uint32_t i = 0; i < m->n_event; i++)
        if (!strcmp(m->event[i].name, name))
            return (int)i;
    return -1;
}

const struct event *model_find_located(const struct model *m, const char *name) {
    const int counted = model_find_event(m, name);
    if (counted >= 0)
        return &m->event[counted];
    for (uint32_t i = 0; i < m->n_located; i++)
        if (!strcmp(m->located[i].name, name))
            return &m->located[i];
    return NULL;
}

/* --- opening by name --- */

enum {
    FAMILY_MAX = 6,
    NEAREST_MAX = 3,
    SLIPS_MAX = 2
}; /* three wrong letters are most of a name */

/* The part of a model's name that steppings and core types of one CPU share: what is missing is the
 * nearest that there is. */
static bool is_family(const char *name, const char *model) {
    return name[0] && str_starts(model, name) && model[strlen(name)] == '-';
}

/* Built-in names that are spelt nearly so, nearest first. Returns how many. */
static int nearest_models(const char *name, const char *nearest[FAMILY_MAX]) {
    int distance[FAMILY_MAX], n = 0;
    for (const struct embedded *e = embedded_models; e->name; e++) {
        const int d = is_family(name, e->name) ? 0 : str_distance(name, e->name);
        if (n && distance[0] == 0 && d > 0)
            continue;
        if (d == 0 && n && distance[0] > 0)
            n = 0;
        if (d > SLIPS_MAX || (n == FAMILY_MAX && d >= distance[n - 1]))
            continue;
        int at = n < FAMILY_MAX ? n++ : n - 1;
        for (; at > 0 && d < distance[at - 1]; at--) {
            distance[at] = distance[at - 1];
            nearest[at] = nearest[at - 1];
        }
        distance[at] = d;
        nearest[at] = e->name;
    }
    if (n > NEAREST_MAX && distance[0] > 0)
        n = NEAREST_MAX;
    return n;
}

static int no_such_model(const char *name, const char *dir, struct err *err) {
    const char *nearest[FAMILY_MAX];
    char hint[160] = "", safe[64];
    struct strbuf sb = strbuf_on(hint, sizeof(hint));
    int n = nearest_models(name, nearest);
    for (int i = 0; i < n; i++)
        strbuf_add(&sb, "%s'%s'",
                   i == 0       ? "; did you mean "
                   : i == n - 1 ? " or "
                                : ", ",
                   nearest[i]);
    return err_set(err, -ENOENT, "no model '%s'%s%s%s%s tdtop models lists them",
                   str_safe(safe, sizeof(safe), name), dir ? " here or in " : "", dir ? dir : "",
                   hint, n ? "?" : ";");
}

static bool find_users(char *path, size_t cap, const struct model_places *places,
                       const char *name) {
    const char *dir = places ? places->models : NULL;
    return dir && snprintf(path, cap, "%s/%s.toml", dir, name) < (int)cap &&
           access(path, F_OK) == 0;
}

bool model_is_users(const struct model_places *places, const char *name) {
    char path[4096];
    return find_users(path, sizeof(path), places, name);
}

int model_open(struct model *m, const char *name, const struct model_places *places,
               struct err *err) {
    const char *dir = places ? places->models : NULL;
    const char *metrics = places ? places->metrics : NULL;
    *m = (struct model){0};
    if (strchr(name, '/') || str_ends(name, ".toml"))
        return load_file(m, name, metrics, err);
    char path[4096];
    if (find_users(path, sizeof(path), places, name))
        return load_file(m, path, metrics, err);
    const struct embedded *e = model_embedded(name);
    if (!e)
        return no_such_model(name, dir, err);
    snprintf(path, sizeof(path), "%s.toml (built in)", e->name);
    const struct load_input in = {
        .text = e->text, .len = e->len, .name = path, .metrics = metrics, .shared = true};
    return load_input(m, &in, err);
}
