/* From parsed documents to a model: typed keys, its identity, and the order of the parts. */
#include "model/load/model_load.h"

#include "base/str.h"
#include "model/load/direction.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- errors --- */

int load_no_memory(struct loader *ld) {
    return err_set(ld->err, -ENOMEM, "out of memory");
}

static int err_place(struct loader *ld, int line, int col, const char *fmt, va_list ap)
    __attribute__((format(printf, 4, 0)));

static int err_place(struct loader *ld, int line, int col, const char *fmt, va_list ap) {
    char words[sizeof(ld->err->text)];
    vsnprintf(words, sizeof(words), fmt, ap);
    ld->err_line = line;
    ld->err_col = col;
    return err_set(ld->err, -EINVAL, "%s:%d:%d: %s", ld->file->name, line, col, words);
}

int load_err(struct loader *ld, const struct toml *at, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    int rc = err_place(ld, at->line, at->col, fmt, ap);
    va_end(ap);
    return rc;
}

int load_err_at(struct loader *ld, int line, int col, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    int rc = err_place(ld, line, col, fmt, ap);
    va_end(ap);
    return rc;
}

int load_go_on(struct loader *ld, int rc) {
    if (rc != -EINVAL || !ld->problems)
        return rc;
    return problem_note(ld, false);
}

/* --- small things that the parts share --- */

char *load_lower_case(struct loader *ld, const char *name) {
    char *lower = arena_text(&ld->mem->arena, name, strlen(name));
    for (char *c = lower; c && *c; c++)
        *c = (char)tolower((unsigned char)*c);
    return lower;
}

bool file_is_general(const struct model_file *file) {
    return file->extra && !file->only_for;
}

/* --- keys: tables with their types, so that reading, checking and naming them is one loop --- */

static bool type_fits(enum key_kind kind, enum toml_type type) {
    switch (kind) {
    case KEY_STRING:
    case KEY_TEXT:
        return type == TOML_STRING;
    case KEY_INTEGER:
        return type == TOML_INTEGER;
    case KEY_FLOAT:
        return type == TOML_FLOAT || type == TOML_INTEGER;
    case KEY_BOOLEAN:
        return type == TOML_BOOLEAN;
    case KEY_STRINGS:
        return type == TOML_ARRAY;
    case KEY_TABLE:
        return type == TOML_TABLE;
    case KEY_THRESHOLD:
        return type == TOML_STRING || type == TOML_INTEGER || type == TOML_FLOAT;
    }
    return false;
}

static const char *const kind_names[] = {
    [KEY_STRING] = "a string",
    [KEY_INTEGER] = "an integer",
    [KEY_FLOAT] = "a number",
    [KEY_BOOLEAN] = "a boolean",
    [KEY_STRINGS] = "an array of strings",
    [KEY_TABLE] = "a table",
    [KEY_TEXT] = "a string",
    [KEY_THRESHOLD] = "a number or a string",
};

/* Names and texts of a model reach the terminal: nothing in them may steer it. Line ends are for
 * formulas. */
static int text_check(struct loader *ld, const struct toml *v) {
    if (str_find_unsafe(v->string, "\n\t"))
        return load_err(ld, v, "'%s' holds a control character; write plain text",
                        v->key ? v->key : "list");
    return 0;
}

static int strings_read(struct loader *ld, const struct toml *array, const char ***out) {
    const char **list = arena_alloc(&ld->mem->arena, (array->n + 1) * sizeof(*list));
    if (!list)
        return load_no_memory(ld);
    size_t n = 0;
    for (const struct toml *v = array->first; v; v = v->next) {
        if (v->type != TOML_STRING)
            return load_err(ld, v, "'%s' holds a %s here, expected strings only", array->key,
                            toml_type_name(v->type));
        int rc = text_check(ld, v);
        if (rc < 0)
            return rc;
        list[n++] = v->string;
    }
    *out = list;
    return 0;
}

double toml_number(const struct toml *v) {
    return v->type == TOML_FLOAT ? v->real : (double)v->integer;
}

static int value_read(struct loader *ld, const struct key *key, const struct toml *v, void *field) {
    if (!type_fits(key->kind, v->type))
        return load_err(ld, v, "'%s' is of type %s, expected %s", key->name,
                        toml_type_name(v->type), kind_names[key->kind]);
    switch (key->kind) {
    case KEY_STRING:
        memcpy(field, &v->string, sizeof(v->string));
        return text_check(ld, v);
    case KEY_INTEGER:
        if (v->integer < key->min || v->integer > key->max)
            return load_err(ld, v, "'%s' is %" PRId64 ", expected %" PRId64 " to %" PRId64,
                            key->name, v->integer, key->min, key->max);
        memcpy(field, &v->integer, sizeof(v->integer));
        return 0;
    case KEY_FLOAT:
        memcpy(field, &(double){toml_number(v)}, sizeof(double));
        return 0;
    case KEY_BOOLEAN:
        memcpy(field, &v->boolean, sizeof(v->boolean));
        return 0;
    case KEY_STRINGS:
        return strings_read(ld, v, field);
    default:
        memcpy(field, &v, sizeof(v));
        return 0;
    }
}

/* The key that is spelt nearly so, or NULL: two wrong letters, but not half of the word. */
static const char *nearest_key(const char *name, const struct key *keys, size_t n) {
    const char *best = NULL;
    int least = 3;
    for (size_t i = 0; i < n; i++) {
        const int d = str_distance(keys[i].name, name);
        if (d < least && (size_t)d * 2 < strlen(name)) {
            least = d;
            best = keys[i].name;
        }
    }
    return best;
}

static int unknown_key(struct loader *ld, const struct toml *v, const struct key *keys, size_t n) {
    char known[512];
    const char *near = nearest_key(v->key, keys, n);
    if (near)
        return load_err(ld, v, "unknown key '%s'; did you mean '%s'?", v->key, near);
    struct strbuf sb = strbuf_on(known, sizeof(known));
    for (size_t i = 0; i < n; i++)
        strbuf_add(&sb, "%s%s", i ? ", " : "", keys[i].name);
    return load_err(ld, v, "unknown key '%s'; known: %s", v->key, known);
}

int keys_read(struct loader *ld, const struct toml *table, const struct key *keys, size_t n_keys,
              void *out) {
    for (const struct toml *v = table->first; v; v = v->next) {
        size_t k = 0;
        while (k < n_keys && (keys[k].name[0] != v->key[0] || strcmp(keys[k].name, v->key)))
            k++;
        int rc = k < n_keys ? value_read(ld, &keys[k], v, (char *)out + keys[k].offset)
                            : unknown_key(ld, v, keys, n_keys);
        if (load_go_on(ld, rc) < 0)
            return rc;
    }
    return 0;
}

/* --- identity --- */

struct identity {
    const char *extends, *name, *title, *tma, *vendor, *origin, *rung, *limits, *scope, *core_type;
    const char **match, **without;
    int64_t slots_per_cycle;
    const struct toml *counters, *event, *latency, *metric[3]; /* by enum metric_kind */
};

#define AT(field) offsetof(struct identity, field)
static const struct key identity_keys[] = {
    {"name", KEY_STRING, AT(name), 0, 0},
    {"title", KEY_STRING, AT(title), 0, 0},
    {"tma", KEY_STRING, AT(tma), 0, 0},
    {"vendor", KEY_STRING, AT(vendor), 0, 0},
    {"origin", KEY_STRING, AT(origin), 0, 0},
    {"rung", KEY_STRING, AT(rung), 0, 0},
    {"limits", KEY_STRING, AT(limits), 0, 0},
    {"scope", KEY_STRING, AT(scope), 0, 0},
    {"core_type", KEY_STRING, AT(core_type), 0, 0},
    {"match", KEY_STRINGS, AT(match), 0, 0},
    {"slots_per_cycle", KEY_INTEGER, AT(slots_per_cycle), 0, 64},
    {"counters", KEY_TABLE, AT(counters), 0, 0},
    {"event", KEY_TABLE, AT(event), 0, 0},
    {"latency", KEY_TABLE, AT(latency), 0, 0},
    {"node", KEY_TABLE, AT(metric[METRIC_TREE]), 0, 0},
    {"bottleneck", KEY_TABLE, AT(metric[METRIC_BOTTLENECK]), 0, 0},
    {"metric", KEY_TABLE, AT(metric[METRIC_INFO]), 0, 0},
    {"extends", KEY_STRING, AT(extends), 0, 0},
    {"without", KEY_STRINGS, AT(without), 0, 0},
};
#undef AT

/* A key with a value of a few words; absent is fine, as is NULL: of a wrong type, and told.
 */
static int one_of(struct loader *ld, const char *key, const char *value, const char *const *words) {
    char known[128];
    struct strbuf sb = strbuf_on(known, sizeof(known));
    for (const char *const *w = words; *w; w++) {
        if (!value || !strcmp(*w, value))
            return 0;
        strbuf_add(&sb, "%s%s", w == words ? "" : ", ", *w);
    }
    const struct toml *at = load_root_key(ld, key);
    return load_err(ld, at, "%s '%s'; known: %s", key, value, known);
}

static int identity_check(struct loader *ld, const struct identity *id) {
    static const char *const must[] = {"name", "title", "rung", "scope"};
    const struct toml *root = ld->mem->file->doc.root;
    static const char *const rungs[] = {"full", "architecture", "generic", "software", NULL};
    static const char *const vendors[] = {"Intel", "AMD", "Arm", NULL};
    static const char *const core_types[] = {"core", "atom", "lowpower", NULL};
    int rc = 0;
    for (size_t i = 0; i < sizeof(must) / sizeof(must[0]) && rc == 0; i++)
        if (!toml_get(root, must[i]) && (i < 2 || load_root_key(ld, must[i]) == root))
            rc = load_go_on(ld, load_err_at(ld, 1, 1, "the model has no '%s'", must[i]));
    if (rc == 0)
        rc = load_go_on(ld, one_of(ld, "rung", id->rung, rungs));
    if (rc == 0)
        rc = load_go_on(ld, one_of(ld, "vendor", *id->vendor ? id->vendor : NULL, vendors));
    return rc == 0 ? load_go_on(ld, one_of(ld, "core_type", id->core_type, core_types)) : rc;
}

struct counters {
    int64_t general, fixed, perf_metrics;
};

static int counters_read(struct loader *ld, const struct toml *table) {
    static const struct key keys[] = {
        {"general", KEY_INTEGER, offsetof(struct counters, general), 0, 64},
        {"fixed", KEY_INTEGER, offsetof(struct counters, fixed), 0, 32},
        {"perf_metrics", KEY_INTEGER, offsetof(struct counters, perf_metrics), 0, 16},
    };
    struct counters n = {0, 0, 0};
    int rc = table ? keys_read(ld, table, keys, 3, &n) : 0;
    ld->m->general_counters = (int)n.general;
    ld->m->fixed_counters = (int)n.fixed;
    ld->m->perf_metrics = (int)n.perf_metrics;
    return rc;
}

static void identity_copy(struct model *m, const struct identity *id) {
    m->name = id->name;
    m->title = id->title;
    m->tma = id->tma;
    m->vendor = id->vendor;
    m->origin = id->origin;
    m->rung = id->rung ? id->rung : ""; /* that is told already */
    m->limits = id->limits;
    m->scope = id->scope;
    m->core_type = id->core_type;
    m->match = id->match;
    m->slots_per_cycle = (int)id->slots_per_cycle;
}

static const char *no_match[] = {NULL};

/* What a file says replaces what its base says. */
static int identity_keys_read(struct loader *ld, struct model_file *file, struct identity *id) {
    int rc = file->next && file->next->base ? identity_keys_read(ld, file->next, id) : 0;
    if (rc < 0)
        return rc;
    id->match = no_match;
    id->event = id->latency = NULL;
    memset(id->metric, 0, sizeof(id->metric));
    ld->file = file;
    rc = keys_read(ld, file->doc.root, identity_keys,
                   sizeof(identity_keys) / sizeof(identity_keys[0]), id);
    file->event = id->event;
    file->latency = id->latency;
    memcpy(file->metric, id->metric, sizeof(id->metric));
    return rc;
}

static int identity_read(struct loader *ld) {
    struct identity id = {.name = "",
                          .title = "",
                          .tma = "",
                          .vendor = "",
                          .origin = "",
                          .scope = "",
                          .match = no_match};
    int rc = identity_keys_read(ld, ld->mem->file, &id);
    ld->file = ld->mem->file;
    if (rc < 0 || (rc = identity_check(ld, &id)) < 0)
        return rc;
    ld->file = ld->mem->file;
    identity_copy(ld->m, &id);
    return counters_read(ld, id.counters);
}

/* --- the whole model --- */

static int events_move(struct loader *ld) {
    struct model *m = ld->m;
    m->event = arena_alloc(&ld->mem->arena, (ld->event.n + 1) * sizeof(*m->event));
    if (!m->event)
        return load_no_memory(ld);
    if (ld->event.n)
        memcpy(m->event, ld->event.at, ld->event.n * sizeof(*m->event));
    m->n_event = (uint32_t)ld->event.n;
    return 0;
}

static int located_move(struct loader *ld) {
    struct model *m = ld->m;
    m->located = arena_alloc(&ld->mem->arena, (ld->located.n + 1) * sizeof(*m->located));
    if (!m->located)
        return load_no_memory(ld);
    if (ld->located.n)
        memcpy(m->located, ld->located.at, ld->located.n * sizeof(*m->located));
    m->n_located = (uint32_t)ld->located.n;
    return 0;
}

static int latencies_move(struct loader *ld) {
    struct model *m = ld->m;
    m->latency = arena_alloc(&ld->mem->arena, (ld->latency.n + 1) * sizeof(*m->latency));
    if (!m->latency)
        return load_no_memory(ld);
    for (size_t i = 0; i < ld->latency.n; i++)
        m->latency[i] = ld->latency.at[i].latency;
    m->n_latency = (uint32_t)ld->latency.n;
    return 0;
}

static int directions_find(struct loader *ld) {
    signed char *power = arena_alloc(&ld->mem->arena, ld->m->n_metric + 1);
    if (!power)
        return load_no_memory(ld);
    direction_fill(ld->m, power);
    return 0;
}

int model_build(struct loader *ld, const struct load_input *in) {
    size_t at = 0;
    int rc = bases_open(ld, in, &at);
    ld->file = ld->mem->file;
    if (rc == 0)
        rc = identity_read(ld);
    if (rc == 0)
        rc = joined_add(ld, in, at);
    if (rc == 0 && in->metrics)
        rc = extras_open(ld, in->metrics);
    if (rc == 0 && in->extra)
        rc = extra_add(ld, in->extra);
    const struct model_file *next = ld->mem->file->next;
    const bool extends = next && next->base;
    if (rc == 0 && (in->shared || (in->own && extends))) /* last: names mean what the others say */
        rc = shared_add(ld);
    static int (*const parts[])(struct loader *) = {
        events_read,     latencies_read, metrics_read, tree_build,   formulas_compile, order_find,
        directions_find, refs_check,     events_move,  located_move, latencies_move,   texts_keep,
    };
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]) && rc == 0; i++)
        rc = parts[i](ld);
    return rc == 0 && ld->problems ? lint(ld) : rc;
}

void loader_free(struct loader *ld) {
    dict_free(&ld->def_by_name);
    dict_free(&ld->event_by_name);
    dict_free(&ld->latency_by_event);
    dict_free(&ld->metric_by_name);
    dict_free(&ld->vendor_by_name);
    array_free(&ld->event);
    array_free(&ld->located);
    array_free(&ld->latency);
    free(ld->source);
    free(ld->source_of);
    for (struct model_file *f = ld->mem->file; f; f = f->next) {
        free(f->own_text);
        f->text = f->own_text = NULL;
    }
}
