/*
 * A model: what the events of one core type mean. Loaded from one TOML file, checked, never
 * changed afterwards. Pure data: it knows no counter, no clock, no screen.
 *
 * docs/ARCHITECTURE.md has the picture; docs/MODELS.md the file format.
 */
#ifndef TDTOP_MODEL_MODEL_H
#define TDTOP_MODEL_MODEL_H

#include "base/array.h"
#include "base/err.h"
#include "base/toml.h"

#include <stdbool.h>
#include <stdint.h>

struct ast; /* model/load/expr.h */

enum { METRIC_NONE = -1 };

/* Which kernel PMU counts an event. */
enum event_pmu {
    EVENT_CORE, /* the core PMU: PERF_TYPE_RAW or the sysfs type of cpu, cpu_core, armv8_pmuv3_0 */
    EVENT_GENERIC,  /* PERF_TYPE_HARDWARE / PERF_TYPE_HW_CACHE: config as in perf_event_open(2) */
    EVENT_SOFTWARE, /* PERF_TYPE_SOFTWARE */
    EVENT_PROC,     /* not a perf event: read from /proc (pmu/host/procfs.h) */
    EVENT_UNCORE,   /* a PMU outside the core (pmu/perf/uncore.h): system-wide only */
};

/* One event as formulas spell it, modifiers included: "UOPS_RETIRED.MS:c1:e1". */
struct event {
    const char *name; /* full spelling, modifiers included */
    const char *base; /* spelling without modifiers: key of the model's [event] table */
    enum event_pmu pmu;
    uint32_t type;            /* perf_event_attr.type for EVENT_GENERIC and EVENT_SOFTWARE */
    uint64_t config, config1; /* raw codes with the modifiers applied; 0 if has_code is false */
    bool has_code;
    const char *sysfs; /* name below <pmu>/events/, or NULL: "topdown-retiring" */
    const char *alias; /* other spelling that tools print ("cycles"), or NULL */
    uint64_t counters; /* bit n: general counter n may count it; 0 = any */
    int fixed;         /* number of its fixed counter, -1 if none */
    bool perf_metrics; /* needs the slots leader, takes no general counter */
    bool slots_leader; /* is that leader */
    bool alone;        /* shares an MSR: at most one such value per group */
    bool kernel_only, user_only, percore;
    /* EVENT_UNCORE: the sysfs name of its PMU without a box's number ("uncore_cha", "power",
     * "amd_l3"), and what goes into the fields of its format/ ("event=0x35,umask=0xc816fe01"), the
     * terms of modifiers included. terms is NULL where sysfs names the event, or nothing is known.
     */
    const char *device, *terms;
    double scale;  /* uncore: the kernel's count times this is what formulas mean; 1 by default */
    bool one_unit; /* uncore: counted on one box only (":one_unit"), not summed over all */
    const char *libpfm4; /* why libpfm4's encoding of it differs, or NULL if it should not */
};

/* Cycles that an instruction tagged by an event waits to retire: "EVENT:retire_latency". */
struct latency {
    const char *event;
    double cycles; /* the vendor's average, or the user's own; NAN if neither is there */
    bool own;      /* from a file of the user's metrics: exact, as far as the user knows */
};

enum metric_kind {
    METRIC_TREE,       /* a node of the top-down tree */
    METRIC_BOTTLENECK, /* the bottlenecks view */
    METRIC_INFO,       /* beside the tree */
};

enum metric_role { /* for colour and for "useful" against "wasted" */
                   ROLE_NONE,
                   ROLE_FRONTEND,
                   ROLE_BAD_SPECULATION,
                   ROLE_BACKEND,
                   ROLE_RETIRING,
};

enum time_part { /* of the time of the clock, whatever the model (model/load/time_parts.h) */
                 TIME_NONE,
                 TIME_RUNNING,
                 TIME_WAITING, /* for a CPU */
                 TIME_IDLE,
                 TIME_PARTS,
};

struct metric {
    const char *name;   /* unique in the model: "L1_Bound" */
    const char *vendor; /* vendor's name where ours differs, else NULL */
    const char *path;   /* "Backend_Bound.Memory_Bound.L1_Bound"; name for other kinds */
    enum metric_kind kind;
    enum time_part time;           /* always counted, as vital signs are */
    enum metric_role role;         /* children have their root's role */
    int parent;                    /* metric index, or METRIC_NONE */
    int level;                     /* 1 for roots, 0 outside the tree */
    int first_child, next_sibling; /* metric index or METRIC_NONE, in file order */
    const char *unit;    /* "percent" for shares (value 0..1 shown times 100), "GHz", ... or NULL */
    const char *domain;  /* "Slots", "Clocks_Estimated" ... or NULL */
    const char *groups;  /* ';' separated, or NULL */
    const char **next;   /* metric groups and nodes it leads to, NULL terminated; or NULL */
    const char *summary; /* one line of words for models that bring their own, or NULL */
    bool share;          /* value is a fraction 0..1 */
    bool inlined;        /* expanded where it is used, so its events count in the user's group */
    bool good_up;        /* a rise is an improvement: the model says so, or good_down */
    bool good_down;      /* a fall is */
    signed char better;  /* 1, -1: the same with what the name says (direction.h); 0: neither */
    bool total;          /* it adds up with time: of two intervals it is the sum */
    bool vital;          /* shown in the vital signs line */
    bool own;            /* from a file of the user's metrics; these come last */
    const char *unavailable; /* reason why this model can never give it here, or NULL */
    const char *formula, *alt_formula, *fallback_formula, *threshold_text; /* NULL if absent */
    struct ast *ast;      /* formula; owned by the model */
    struct ast *alt;      /* where the kernel shows no topdown-* events; or NULL */
    struct ast *fallback; /* when an event of `ast` is not measured at all: approximate; or NULL */
    const char *fallback_note;    /* what the fallback leaves out */
    const char *zero_note;        /* what it means if it divides by zero, or NULL */
    const char *approximate;      /* why even the formula is approximate, or NULL */
    struct ast *approximate_when; /* it is so where this is true (constants only); NULL: always */
    struct ast *threshold;        /* 1 = over; NULL: never over */
    const char **locate;          /* events to sample, NULL terminated; or NULL */
    int line;                     /* in the model file */
};

struct model {
    const char *name;                     /* "spr" */
    const char *title;                    /* "Intel Sapphire Rapids" */
    const char *tma;                      /* "5.2", or "" */
    const char *vendor;                   /* "Intel", "AMD", "Arm", "" */
    const char *origin;                   /* where the facts come from */
    const char *rung;                     /* "full", "architecture", "generic", "software" */
    const char *core_type;                /* of a hybrid CPU: "core", "atom", "lowpower"; or NULL */
    const char *limits;                   /* what this model cannot see, in words; or NULL */
    const char *scope;                    /* what 100 % is: "pipeline slots", "CPU time wanted" */
    const char **match;                   /* "GenuineIntel-6-8F", NULL terminated */
    int general_counters, fixed_counters; /* 0 if not known */
    int perf_metrics;                     /* fields of PERF_METRICS; 0: the core has none */
    int slots_per_cycle;                  /* 0 if the model has none */
    struct event *event;                  /* those that formulas count */
    uint32_t n_event;
    struct event *located; /* those that `locate` of a metric names, of the table; no modifiers */
    uint32_t n_located;
    struct metric *metric; /* tree nodes first, in preorder; then the others in file order */
    uint32_t n_metric, n_tree;
    struct latency *latency; /* constant CONST_N + i */
    uint32_t n_latency;
    uint16_t *order; /* metric indexes so that every metric comes after those it refers to */
    void *arena_;    /* private: owns every string and node above */
};

/*
 * Loads and checks a model. On failure err names file:line:column. Returns 0, -EINVAL, -ENOMEM.
 * model_free accepts what a failed load left. `name` is used in errors.
 */
int model_load(struct model *m, const char *text, size_t len, const char *name, struct err *err);
int model_load_file(struct model *m, const char *path, struct err *err);
void model_free(struct model *m);

/*
 * The exact text that it was loaded from: the model file, then the files of the user's metrics and
 * of shared ones that were added, each behind a line that is a form feed ("\f"), which TOML cannot
 * hold. model_load of it gives the same model again. Valid until model_free.
 */
const char *model_text(const struct model *m);

/* Does an event read PERF_METRICS, which the kernel shows as topdown-* events? */
bool model_has_perf_metrics(const struct model *m);

/* Index of a metric by name, vendor name or full path (ignoring case), or METRIC_NONE. */
int model_find(const struct model *m, const char *name);

/* The metric that such a name may be a slip for: at most a third of its letters are others. NULL.
 */
const char *model_nearest(const struct model *m, const char *name);

/*
 * What a node is a share of where that is not the scope of its model: "clocks" or "uops" where the
 * others are shares of slots, or "STALL_BACKEND cycles", a domain that names the counts it divides
 * by. NULL for all other metrics.
 */
const char *metric_share_of(const struct model *m, const struct metric *mt);

/* In a word what 100 % of level 1 is: "slots", "cycles", "time". */
const char *model_whole(const struct model *m);
/* Level 1 tells useful slots from lost ones: not so where all that is known is time. */
bool model_tells_slots(const struct model *m);

/* True for an event that has a fixed counter and that no general one counts. */
bool model_fixed_only(const struct event *ev);

/* Index of an event by its exact full spelling, or -1. */
int model_find_event(const struct model *m, const char *name);

/* An event that is counted, or that a metric is located by, as its exact spelling says; or NULL. */
const struct event *model_find_located(const struct model *m, const char *name);

/* The models built into the binary (src/model/cpu, by tools/embed.sh). */
struct embedded {
    const char *name; /* file name without folder and .toml */
    const char *text;
    size_t len;
};
extern const struct embedded embedded_models[];  /* ends with name == NULL */
extern const struct embedded embedded_shared[];  /* src/model/shared: parts of all of them */
extern const struct embedded embedded_explain[]; /* src/model/explain */
extern const struct embedded embedded_advice[];  /* src/model/advice */
extern const struct embedded embedded_guide[];   /* src/model/guide */
extern const struct embedded embedded_themes[];  /* themes */

/* Folders of the user's own; each may be NULL. */
struct model_places {
    const char *models;  /* DIR/name.toml goes before the built-in one */
    const char *metrics; /* DIR/name.toml, all of them, add metrics to any model */
};

/*
 * Opens model `name`: from the user's folder if it has it, else the embedded one, and adds the
 * user's metrics and what every model has (embedded_shared). A name with a '/' or that ends in
 * ".toml" is a path. places may be NULL. Where nothing has the name (-ENOENT), err has up to three
 * built-in ones that are spelt nearly so.
 */
int model_open(struct model *m, const char *name, const struct model_places *places,
               struct err *err);

/* True if model_open of that name opens a file in the user's folder. places may be NULL. */
bool model_is_users(const struct model_places *places, const char *name);

/*
 * Checks a model file, or a file of metrics (then against every built-in model that it is for), and
 * calls problem for each thing that is wrong, in the order of the file: "FILE:LINE:COLUMN: words".
 * Returns how many there are, or a negative errno if the file cannot be read (err says why).
 */
int model_check(const char *path, void (*problem)(void *user, const char *text), void *user,
                struct err *err);

/* The same for a text; `name` is what problems call it. */
int model_check_text(const char *text, size_t len, const char *name,
                     void (*problem)(void *user, const char *text), void *user, struct err *err);

#endif
