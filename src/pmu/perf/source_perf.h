/* What the files of the kernel's source share (source_perf.c). */
#ifndef TDTOP_PMU_SOURCE_PERF_H
#define TDTOP_PMU_SOURCE_PERF_H

#include "pmu/host/machine.h"
#include "pmu/host/target.h"
#include "pmu/perf/perf_rows.h"
#include "pmu/perf/perf_slots.h"
#include "pmu/perf/perf_turns.h"
#include "pmu/perf/probe.h"
#include "pmu/perf/thread_cost.h"
#include "pmu/perf/uncore.h"
#include "pmu/plan/plan.h"
#include "pmu/source.h"

#include <sys/resource.h>

struct strbuf;

/* What is counted of the plan, as far as the descriptors go. */
enum perf_stage { STAGE_ALL, STAGE_TOP, STAGE_LEVEL1 };

/* Who did not come onto the counters, and since when (source_perf_budget.c). */
struct perf_watch {
    uint64_t *silent_ns;    /* [n_group] enabled time since a group last ran */
    uint64_t due_ns;        /* the counters are not asked again before */
    struct budget before;   /* what could be had at the last answer; more is believed twice */
    bool *top, *level1;     /* [layout's groups] as they were at first */
    uint32_t n_group;       /* of these two */
    struct group_set asked; /* by focus, last */
    bool focused;           /* it ever was */
};

struct perf {
    struct machine mc;
    struct rlimit files; /* as we found it */
    struct target_set target;
    struct budget budget; /* of the counters, that the plan is for */
    bool no_perf_metrics; /* the kernel shows no topdown-* events, or another program has the slots
                           */
    struct perf_watch watch; /* over what can be had of the counters while it runs */
    struct plan plan;
    uint8_t *refused; /* [n_event] enum count_state: what the kernel does not count here */
    struct encode_options how;
    struct perf_shape shape;
    struct perf_units units;
    struct perf_turns turns;
    struct uncore uncore;
    struct procfs proc;
    struct perf_slots slots;
    struct perf_rows rows;
    bool rows_asked;          /* since the last read */
    bool rows_follow;         /* rows of the interval before were asked for, or it is the first */
    bool *on;                 /* [n_group] for perf_units_focus */
    enum perf_stage stage;    /* less than was wanted: descriptors */
    bool short_of_files;      /* said in the note */
    bool level1_only;         /* not even the company of level 1 has room for its descriptors */
    uint64_t files_wanted;    /* the limit of descriptors under which all of it would be counted */
    uint32_t counters_wanted; /* with level1_only: of each thread or CPU, in all */
    char said[160];           /* what the note begins with: found while opening */
    char focus_failed[120];
    struct thread_cost thread_cost;
    uint32_t n_thread; /* in src->name */
    bool fewer;        /* at the last reading there were fewer */
    uint64_t start_ns, last_ns;
    struct err ended; /* what is said once the target is gone */
    bool away;        /* it is, and its successor is waited for */
};

bool perf_on_cpus(const struct perf *p); /* and not on tasks */
/* Tasks that may leave the cores of our type (perf_residency.h). */
bool perf_counts_here(const struct perf *p);

/* Everything: target, plan, layout, counters (source_perf_open.c). */
int perf_source_open(struct source *src, struct err *err);
/* Says why opening has failed; by src->name, as the sampler may be the one that opens. Returns rc.
 */
int perf_say_refused(struct source *src, int rc, struct err *err);

struct plan_options perf_plan_options(const struct source *src);
/* Chooses how much of it the descriptors suffice for, and opens that (source_perf_open.c). */
int perf_count(struct source *src, struct err *err);

/* What can be had of the counters (source_perf_budget.c). */
void perf_budget_find(struct source *src);
void perf_budget_words(const struct source *src, struct strbuf *sb);
int perf_budget_begin(struct source *src); /* once the layout is there; 0 or -ENOMEM */
/* After each read: do groups find no counters any more, or can more be had again? Then they are
 * rebuilt. True if they were. */
bool perf_budget_watch(struct source *src);
void perf_budget_end(struct perf *p);

/* Other groups behind the same layout. */
int perf_regroup(struct source *src, const struct budget *budget);
/* The groups of the shape that serve these of the layout. */
void perf_focus_groups(const struct source *src, const struct group_set *set, bool *on);

#endif
