/*
 * Private to model*.c: what the parts of the loader share. A model is loaded in this order: its
 * bases (model_files.c), identity (model_load.c), files of the user's metrics (model_files.c),
 * events and latencies (model_event.c), metrics and the tree (model_metric.c), formulas and
 * thresholds, dependency order, what refers to all of that (model_formula.c).
 *
 * A mistake ends a load. When a file is checked it is noted instead, and what follows is read as if
 * the mistake were not there: see load_go_on.
 */
#ifndef TDTOP_MODEL_MODEL_LOAD_H
#define TDTOP_MODEL_MODEL_LOAD_H

#include "base/array.h"
#include "base/err.h"
#include "base/toml.h"
#include "model/load/arena.h"
#include "model/load/dict.h"
#include "model/load/expr.h"
#include "model/load/model.h"

enum { METRICS_MAX = 4096, EVENTS_MAX = 16384, MODEL_SIZE_MAX = 4 * 1024 * 1024 };

/* A TOML text that a model is made of: its own file, those that it extends, the nearest first, then
 * the files of the user's metrics. */
struct model_file {
    struct model_file *next;
    const char *name; /* as errors call it */
    const char *text; /* to find the place of an offset inside a string; valid while loading */
    size_t len;
    char *own_text; /* the same, if it is to be freed */
    struct toml_doc doc;
    bool has_doc;
    bool base;    /* that the model extends */
    bool extra;   /* beside the model: shared, or the user's */
    bool shared;  /* what every model has (src/model/shared): names that are taken are left out */
    bool skipped; /* it is for other models: adds nothing */
    const char **only_for;                          /* such a file's `for`, or NULL */
    const struct toml *event, *latency, *metric[3]; /* tables; metrics by enum metric_kind */
};

/* What model.arena_ points to: strings live in the documents, the rest in the arena. */
struct model_memory {
    struct arena arena;
    struct model_file *file; /* the model's own first */
    const char *text;        /* model_text(); in the arena */
};

/* The keys of a [node.X], [bottleneck.X] or [metric.X]. Absent ones are NULL or false. */
struct metric_keys {
    const struct toml *formula, *alt, *fallback; /* strings; kept as nodes for their place */
    const struct toml *threshold;                /* number or string */
    const char *after, *parent, *fallback_note, *zero_note, *approximate, *domain, *unit, *role,
        *groups, *vendor, *summary, *unavailable;
    const struct toml *approximate_when; /* string */
    const char **locate, **next;
    bool share, inlined, good_up, good_down, vital;
};

/* A metric as it stands in its file, and its place in the tree while that is being built. */
struct metric_source {
    struct model_file *file;
    const struct toml *table;
    enum metric_kind kind;
    struct metric_keys keys;
    int parent, first_child, last_child, next_sibling; /* index of a source, or METRIC_NONE */
    int metric;                                        /* index in the model, once it has one */
};

/* An entry of an [event] table: an event without the modifiers that formulas add. */
struct event_def {
    struct event event;
    struct model_file *file;
    const struct toml *at;
    const char *misfit; /* why this model's CPU cannot count it, or NULL */
    bool used;
};

/* An entry of a [latency] table, or one that a formula names beside it. */
struct latency_def {
    struct latency latency;
    struct model_file *file;
    const struct toml *at; /* NULL if no table has it */
    bool used;
};

struct problems; /* below */

struct loader {
    struct model *m;
    struct model_memory *mem;
    struct model_file *file; /* the one that is being read */
    struct err *err;
    int err_line, err_col;
    struct problems *problems; /* NULL: the first mistake ends the load */

    struct event_def *def;
    size_t n_def;
    struct dict def_by_name;

    ARRAY(struct event) located; /* becomes model.located */
    ARRAY(struct event) event;   /* spellings that formulas use; becomes model.event */
    struct dict event_by_name;

    ARRAY(struct latency_def) latency; /* becomes model.latency */
    struct dict latency_by_event;

    struct metric_source *source; /* in file order */
    int n_source;
    const struct metric_source **source_of; /* [n_metric] by metric index */
    struct dict metric_by_name;             /* lower case -> source, later metric index */
    struct dict vendor_by_name;             /* vendor's names likewise -> metric index */
};

/* --- model.c --- */

/*
 * Loads the text of a model (as model_text gave it, too); adds the files of `metrics` (a folder,
 * may be NULL) and the text `extra` (may be NULL), which is taken even if it is for other models.
 * With problems, the model is of no use but to be freed.
 */
struct load_input {
    const char *text, *name;
    size_t len;
    const char *metrics;
    const struct embedded *extra; /* its name is how errors call it */
    bool shared;                  /* adds what every model has; a text of model_text has it */
    bool own;                     /* a file of the user's: that is added if it extends a model */
    struct problems *problems;
};
int load_input(struct model *m, const struct load_input *in, struct err *err);

/* --- model_load.c --- */

/* Fills ld->m from the files. */
int model_build(struct loader *ld, const struct load_input *in);
void loader_free(struct loader *ld); /* what the loader took for itself */

/* err_set with the place of a value of ld->file, or a place, in front. Return -EINVAL. */
int load_err(struct loader *ld, const struct toml *at, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
int load_err_at(struct loader *ld, int line, int col, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

int load_no_memory(struct loader *ld); /* err_set; returns -ENOMEM */

/*
 * For loops over things that may each be wrong: returns rc, but 0 for a mistake that is noted
 * because the file is being checked.
 */
int load_go_on(struct loader *ld, int rc);

char *load_lower_case(struct loader *ld, const char *name); /* in the arena, or NULL */

/* True for a file of metrics for every model: what one of them lacks is no mistake. */
bool file_is_general(const struct model_file *file);

enum key_kind {
    KEY_STRING,    /* const char * */
    KEY_INTEGER,   /* int64_t, min..max */
    KEY_FLOAT,     /* double; an integer will do */
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

double toml_number(const struct toml *v); /* of a TOML_FLOAT or TOML_INTEGER */

/* --- model_files.c --- */

/* A built-in model's text, or NULL. */
const struct embedded *model_embedded(const char *name);

/* Opens the files that the model extends; *at is where in->text goes on behind them. */
int bases_open(struct loader *ld, const struct load_input *in, size_t *at);

/* The value of a key on top of the model's own file, or else of a base, and ld->file is that file;
 * the top of the model's own if none has it. */
const struct toml *load_root_key(struct loader *ld, const char *key);

struct metric_entry {
    const struct toml *table;
    struct model_file *file;
};

struct metric_list {
    struct metric_entry *at; /* in the arena */
    size_t n;
};

/* The metrics of the model, by kind and in order; n: how many its files have in all. */
int metrics_merge(struct loader *ld, size_t n, struct metric_list list[3]);

/* Adds files to ld->mem->file: the user's, and embedded_shared. */
int extras_open(struct loader *ld, const char *dir);
int extra_add(struct loader *ld, const struct embedded *extra);
int shared_add(struct loader *ld);

/* Bytes of the first of the texts that are joined in it (model_text). */
size_t join_first(const char *text, size_t len);
/* Adds the others, which are files of the user's metrics. */
int joined_add(struct loader *ld, const struct load_input *in, size_t at);
/* Keeps the texts of all files for model_text. */
int texts_keep(struct loader *ld);

/* True if the document is a file of metrics, not a model. */
bool extra_recognise(const struct toml *root);

/* --- model_event.c --- */

/* Reads the [event] tables of all files. */
int events_read(struct loader *ld);

/*
 * The event of a full spelling with modifiers; made on first use. Returns its index; -ENOENT if no
 * [event] table has such a name; -EINVAL for a modifier that it cannot have, with words in why.
 */
int event_of_spelling(struct loader *ld, const char *spelling, struct err *why);

/* The entry of the [event] tables that a spelling with or without modifiers comes from, or NULL. */
struct event_def *event_def_of(const struct loader *ld, const char *spelling);

/* Reads the [latency] tables of all files. */
int latencies_read(struct loader *ld);

/*
 * Index of the latency that "EVENT:retire_latency" names, made on first use: that of an AST_CONST.
 * -ENOENT if the spelling is none, or no [event] table has such an event; -ENOMEM.
 */
int latency_of_spelling(struct loader *ld, const char *spelling);

/* --- model_metric.c --- */

/* Reads the keys of all metrics of all files. */
int metrics_read(struct loader *ld);

/* Numbers the metrics (tree first, in preorder) and fills all of them but their formulas. */
int tree_build(struct loader *ld);

/* --- model_formula.c --- */

/* Compiles all formulas and thresholds. */
int formulas_compile(struct loader *ld);

/* Fills model.order, or names the cycle that makes it impossible. */
int order_find(struct loader *ld);

/* What can be told when all metrics and their order are there: `next` and `approximate_when`. */
int refs_check(struct loader *ld);

/* --- model_check.c: what is wrong with a file that is checked --- */

struct problem {
    bool extra; /* in a file of metrics */
    int line, col;
    const char *text; /* with the place in front */
    bool soft;        /* a mistake only if it is one in every model */
    int more;         /* further formulas that name the same thing */
};

struct problems {
    ARRAY(struct problem) list;
    struct arena arena;
    struct dict unknown; /* names that nothing has -> problem */
    bool no_memory;
    bool full; /* PROBLEMS_MAX are there: the load ended with -E2BIG */
};

/* More are no help to anyone, and a file of nothing else would take for ever. */
enum { PROBLEMS_MAX = 1000 };

/* Notes what ld->err says; of unknown names, one per name. 0, or -E2BIG or -ENOMEM, which end the
 * load. */
int problem_note(struct loader *ld, bool soft);
int problem_unknown(struct loader *ld, const char *name, bool soft);

size_t problems_count(const struct loader *ld); /* so far; 0 if nothing is checked */

/* Notes what loads, but is surely a mistake, in the files of the loader that are checked. */
int lint(struct loader *ld);

#endif
