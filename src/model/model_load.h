/*
 * Private to model*.c: what the parts of the loader share. A model is loaded in this order:
 * identity, events (model_event.c), metrics (model_load.c), the tree (model_tree.c), formulas and
 * thresholds (model_formula.c), dependency order (model_order.c).
 */
#ifndef TDTOP_MODEL_MODEL_LOAD_H
#define TDTOP_MODEL_MODEL_LOAD_H

#include "base/array.h"
#include "base/err.h"
#include "base/toml.h"
#include "model/arena.h"
#include "model/dict.h"
#include "model/expr.h"
#include "model/model.h"

enum { METRICS_MAX = 4096, EVENTS_MAX = 16384 };

/* What model.arena_ points to: strings live in the document, the rest in the arena. */
struct model_memory {
    struct arena arena;
    struct toml_doc doc;
    bool has_doc;
};

/* The keys of a [node.X], [bottleneck.X] or [metric.X]. Absent ones are NULL or false. */
struct metric_keys {
    const struct toml *formula, *alt, *fallback; /* strings; kept as nodes for their place */
    const struct toml *threshold;                /* number or string */
    const char *parent, *fallback_note, *approximate, *domain, *unit, *role, *groups, *vendor,
        *summary, *unavailable;
    const char **locate;
    bool share, inlined, good_up, vital;
};

/* A metric as it stands in the file, and its place in the tree while that is being built. */
struct metric_source {
    const struct toml *table;
    enum metric_kind kind;
    struct metric_keys keys;
    int parent, first_child, last_child, next_sibling; /* index of a source, or METRIC_NONE */
    int metric;                                        /* index in the model, once it has one */
};

struct loader {
    struct model *m;
    struct model_memory *mem;
    const char *text; /* of the file: to find the place of an offset inside a string */
    size_t len;
    struct err *err;

    struct event *def; /* the [event] table: events without modifiers */
    size_t n_def;
    struct dict def_by_name;

    ARRAY(struct event) event; /* spellings that formulas use; becomes model.event */
    struct dict event_by_name;

    struct metric_source *source; /* in file order */
    int n_source;
    const struct metric_source **source_of; /* [n_metric] by metric index */
    struct dict metric_by_name;             /* lower case -> source, later metric index */
};

/* err_set with the place of a value in front. */
#define load_err(ld, at, ...) toml_err(&(ld)->mem->doc, at, (ld)->err, -EINVAL, __VA_ARGS__)

/* --- model_load.c --- */

/* Fills ld->m from the document. */
int model_build(struct loader *ld);
void loader_free(struct loader *ld); /* what the loader took for itself */

int load_no_memory(struct loader *ld);                      /* err_set; returns -ENOMEM */
int load_role(const char *name);                            /* enum metric_role, or -1 */
char *load_lower_case(struct loader *ld, const char *name); /* in the arena, or NULL */

/* --- model_tree.c --- */

/* Numbers the metrics (tree first, in preorder) and fills all of them but their formulas. */
int tree_build(struct loader *ld);

/* --- model_keys.c: typed keys of one table --- */

enum key_kind {
    KEY_STRING,    /* const char * */
    KEY_INTEGER,   /* int64_t, min..max */
    KEY_BOOLEAN,   /* bool */
    KEY_STRINGS,   /* const char **, NULL terminated */
    KEY_TABLE,     /* const struct toml * */
    KEY_TEXT,      /* const struct toml * of a string */
    KEY_THRESHOLD, /* const struct toml * of a string or a number */
};

struct key {
    const char *name;
    enum key_kind kind;
    size_t offset; /* in the struct that is filled */
    int64_t min, max;
};

/*
 * Reads all keys of a table into out. Keys that are absent leave their field alone; unknown keys
 * and wrong types are errors.
 */
int keys_read(struct loader *ld, const struct toml *table, const struct key *keys, size_t n_keys,
              void *out);

/* --- model_event.c --- */

/* Reads the [event] table (may be NULL). */
int events_read(struct loader *ld, const struct toml *table);

/*
 * The event of a full spelling with modifiers; made on first use. Returns its index; -ENOENT if the
 * [event] table has no such name; -EINVAL for a modifier that it cannot have, with words in why.
 */
int event_of_spelling(struct loader *ld, const char *spelling, struct err *why);

/* --- model_formula.c --- */

/* Compiles all formulas and thresholds. */
int formulas_compile(struct loader *ld);

/* ", did you mean 'X'?" for a name that no metric, event or constant has; or "". Returns buf. */
const char *name_hint(const struct loader *ld, const char *name, char *buf, size_t cap);

/* --- model_order.c --- */

/* Fills model.order, or names the cycle that makes it impossible. */
int order_find(struct loader *ld);

#endif
