/*
 * Where counts come from. Each kind is one file that ends in one const table: the kernel
 * (source_perf.c), a perf stat recording (source_replay.c), a stored run
 * (source_run.c), a simulated core (source_sim.c).
 */
#ifndef TDTOP_PMU_SOURCE_H
#define TDTOP_PMU_SOURCE_H

#include "base/err.h"
#include "model/eval/sample.h"
#include "model/load/expr.h"
#include "model/load/model.h"
#include "pmu/host/cgroup.h"
#include "pmu/host/target_kind.h"
#include "pmu/mailbox.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct run; /* model/run/run.h */

/* How a source is to be opened. */
struct source_options {
    struct target target;  /* perf */
    const char *core_type; /* perf: as for machine_choose; NULL = the first */
    const char *file;      /* replay: path, or "-" for standard input */
    const struct run *run; /* run: borrowed until close, with its counts */
    const char *only;      /* replay: aggregate to show, or NULL */
    double speed;          /* replay, sim: 1 = as recorded; 0 = as fast as possible */
    uint64_t until_ns; /* replay, sim: the stream ends with the sample that reaches this time; 0 =
                          no limit */
    uint64_t seed;     /* sim */
    uint64_t interval_ns; /* sim; and perf for its first group reads */
    bool early;           /* live: the first interval gives an early sample, too (sampler.h) */
    int level;            /* deepest level to program; 0 = all, metrics beside the tree too */
    const bool *wanted;  /* [n_metric] what --nodes selects (model/load/select.h); NULL: by level */
    int type_at, n_type; /* several core types at once: the number of this one, of n_type */
    bool level1_first;   /* level 1 has half of the time where it would have less: perf_turns.h */
    bool focus;          /* only groups of control.groups are opened at first: levels 1 and 2 */
    struct consts consts; /* set by --const; the source fills what is still NAN */
};

struct source {
    const struct source_ops *ops;
    void *priv;                /* of the implementation */
    const struct model *model; /* borrowed */
    struct source_options opt;
    struct layout layout; /* filled by open */
    struct consts consts; /* filled by open: what is known of this machine or recording */
    char
        target_text[160]; /* "redis-server 4242 · 5 threads", safe for the screen; filled by open */
    char note[256];       /* one line the user should see, or "" ("duty will be low: ...") */
    /* What note should say by now: read and focus change it; the sampler brings it to the session,
     * which alone changes note once it runs. */
    char status[256];
    char name[160]; /* the same for target_text: an exec changes what a process is called */
    char cgroup[CGROUP_PATH_SIZE + 1]; /* perf: its path, "/system.slice/redis.service"; else "" */
    pid_t command;                     /* perf: of the command that start runs; 0 */
    uint64_t started_ns; /* CLOCK_MONOTONIC of its time 0, from start on; 0: the call of start */
    bool live;           /* the sampler reads it at clock ticks; else at the pace of its samples */
    bool simulated;      /* everything from it says SIMULATED */
    int wait_fd; /* perf: readable when the target has exited (pidfd); -1. read may change it */
    bool alive;  /* the sampler: wait_fd was just seen not to be */
};

struct source_ops {
    const char *name; /* "perf", "replay", "sim" */

    /* Opens what src->opt names, for src->model. On failure err says why and what would help. */
    int (*open)(struct source *src, struct err *err);

    /* Starts counting (enables events, lets the command run). Optional. */
    int (*start)(struct source *src, struct err *err);

    /*
     * Fills every field of out but seq. A live source is called at the end of an interval and
     * returns what was counted since the last call; another returns its next interval at once. 0;
     * -ENODATA at the end of a recording; -ESRCH when the target is gone and this was its last
     * sample (out is filled; err says when and how); other negative errno: reading fails for good,
     * err says why.
     */
    int (*read)(struct source *src, struct sample *out, struct err *err);

    /*
     * From now on only these groups are counted; the others have COUNT_NOT_FOCUSED. Called by the
     * sampler between reads. What was counted so far is in the next sample. Optional: a source
     * without it counts everything always. 0 or negative errno with words; the old set stays then.
     */
    int (*focus)(struct source *src, const struct group_set *groups, struct err *err);

    /*
     * Between reads: goes on with what open or focus has left for later, until that time at most.
     * True if there is more of it. Optional.
     */
    bool (*work)(struct source *src, uint64_t until_ns);

    /* Between reads: who has the counters now? Returns when it is to be called again. Optional. */
    uint64_t (*turn)(struct source *src, uint64_t now_ns);

    /* The phase that an interval was in, where the source knows the program that it measures.
     * Optional. */
    const char *(*phase)(const struct source *src, uint64_t t0_ns, uint64_t t1_ns);

    /* Fills the rows of the interval of the last read. Optional. 0 or -ENOMEM. */
    int (*units)(struct source *src, struct unit_table *out);

    /* Exit code of the command that was run (128+N for signal N), or -1. Optional. */
    int (*exit_code)(struct source *src);

    /* Releases what open took, even if open failed half way. */
    void (*close)(struct source *src);
};

extern const struct source_ops source_perf, source_replay, source_sim, source_run;

/* Opens: model and options are borrowed until close. 0 or negative errno; after failure nothing is
 * left to close. */
int source_open(struct source *src, const struct source_ops *ops, const struct model *model,
                const struct source_options *opt, struct err *err);
void source_close(struct source *src);

#endif
