/* What the files of the kernel's source share (source_perf.c). */
#ifndef TDTOP_PMU_SOURCE_PERF_H
#define TDTOP_PMU_SOURCE_PERF_H

#include "pmu/machine.h"
#include "pmu/perf_rows.h"
#include "pmu/perf_slots.h"
#include "pmu/plan.h"
#include "pmu/source.h"
#include "pmu/target.h"
#include "pmu/uncore.h"

#include <sys/resource.h>

/* What is counted of the plan, as far as the descriptors go. */
enum perf_stage { STAGE_ALL, STAGE_TOP, STAGE_LEVEL1 };

struct perf {
    struct machine mc;
    struct rlimit files; /* as we found it */
    struct target_set target;
    struct plan plan;
    uint8_t *refused; /* [n_event] enum count_state: what the kernel does not count here */
    struct encode_options how;
    struct perf_shape shape;
    struct perf_units units;
    struct uncore uncore;
    struct procfs proc;
    struct perf_slots slots;
    struct perf_rows rows;
    bool rows_asked;       /* since the last read */
    bool *on;              /* [n_group] for perf_units_focus */
    enum perf_stage stage; /* less than was wanted: descriptors */
    bool short_of_files;   /* said in the note */
    uint64_t files_wanted; /* descriptors that all of it would need */
    char said[160];        /* what the note begins with: found while opening */
    char focus_failed[120];
    uint64_t start_ns, last_ns;
    struct err ended; /* what is said once the target is gone */
};

bool perf_on_cpus(const struct perf *p); /* and not on tasks */

enum { PERF_OURS = 64 /* descriptors for terminal, store, pipes, watching the target */ };

/* Everything: target, plan, layout, counters (source_perf_open.c). */
int perf_source_open(struct source *src, struct err *err);
/* Makes the plan and opens it on the first thread or CPU; what is refused there is planned around
 * (source_perf_plan.c). */
int perf_plan_and_begin(struct source *src, struct err *err);
/* Says why opening has failed. Returns rc. */
int perf_say_refused(struct source *src, int rc, struct err *err);

/* What the user should see now (source_perf_note.c). */
void perf_note(const struct source *src, char *buf, size_t cap);

#endif
