/*
 * What else decides the numbers: clock, heat, neighbours, who else counts. Read-only.
 *
 * A static part is read once at the start. What changes is looked at every few seconds, in a few
 * small files, by the sampler: what it saw goes through the mailbox, ahead of the sample. Where a
 * machine makes looking expensive, it is done less often. Nothing here is a count: it only says how
 * far counts of two moments, or of two runs, may be compared.
 */
#ifndef TDTOP_PMU_ENVIRONMENT_H
#define TDTOP_PMU_ENVIRONMENT_H

#include "model/eval/sample.h"
#include "model/load/frame.h"
#include "model/load/model.h"
#include "pmu/host/doctor.h"
#include "pmu/host/env_look.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    ENV_WORDS_MAX = 16,
    ENV_NOTES_MAX = 16,
    ENV_FIXED_MAX = 8,
    ENV_FACTS_MAX = 32,
};

/* Something to be kept with a result. Keys are lower case words joined by '_'; values of numbers
 * have no unit: it is in the key (ghz_least, mux_interval_ms, steal_most_percent). */
struct env_fact {
    char key[32];
    char value[96];
};

/* A few words for the header. */
struct env_word {
    char text[40];          /* "throttled 12x", "steal 8%", "3.9 -> 2.1 GHz" */
    enum check_state state; /* CHECK_WARN spoils numbers; CHECK_NOTE is good to know */
};

/* How something went up and down during the run; all NAN before it was first known. */
struct env_range {
    double first, least, most, now;
};

struct env_files; /* private: what a look needs */

struct environment {
    bool open;

    /* Found at the start; -1 or "" where this machine does not say. */
    char cpu_name[96], cpu_id[64], kernel[80], microcode[32];
    char hypervisor[32]; /* "" on bare metal */
    char governor[48];   /* "performance"; "mixed: performance, powersave" */
    int turbo, smt;      /* 1 on, 0 off */
    int nmi_watchdog;    /* 1 on: it takes a counter of every CPU */
    int mux_interval_ms; /* after which groups take turns */
    int paranoid;        /* kernel.perf_event_paranoid */
    int n_cpu;           /* online */
    bool has_pmu;        /* there are counters to be lost */
    int n_perf_users;    /* other processes that hold perf events; -1: not known yet */
    char perf_users[96]; /* some of them: "perf 4711, perf 4712" */
    struct check fixed[ENV_FIXED_MAX]; /* checks of what does not change while tdtop runs */
    int n_fixed;

    /* During the run. */
    struct env_range ghz;   /* of the target as counted, else of busy CPUs as the kernel says */
    bool ghz_counted;       /* which of the two */
    bool knows_throttling;  /* thermal_throttle exists (Intel) */
    uint64_t throttled;     /* how often since the start the hottest core, or its package, was */
    struct env_range steal; /* share of the time that CPUs wanted to run and were not let */
    double steal_mean;      /* since the start; NAN */
    double migrations;      /* of the target since the start; NAN: not counted */
    struct env_range migrations_per_s;
    double pinned_duty; /* of the slots group: it should be on all the time; NAN: there is none */

    struct env_word word[ENV_WORDS_MAX]; /* warnings first, each in the order of what it spoils */
    int n_word;
    struct check
        note[ENV_NOTES_MAX]; /* the same and what is well, in sentences; names are stable */
    int n_note;
    bool status;                    /* the newest interval is the first, or brought other words */
    struct check check[CHECKS_MAX]; /* the doctor's, once examined */
    int n_check;
    uint64_t cost_ns; /* of the last look */

    /* private */
    char root[64];
    struct env_files *files; /* owned; of the sampler between its start and join */
    int ghz_metric, migration_slot, pinned_slot;   /* where the session counts them, or -1 */
    uint64_t pinned_enabled_ns, pinned_running_ns; /* since the last look, or since it was lost */
    double ghz_sum, ghz_ns, migrated, migrated_ns; /* since the last look */
    bool begun;                                    /* an interval was taken */
};

/* root is "" or a folder with fake /proc and /sys. 0 or -ENOMEM; what cannot be read stays unknown.
 */
int environment_open(struct environment *env, const char *root);
void environment_close(struct environment *env); /* accepts a zeroed one */

/* Where a session finds the clock and the migrations of its target. */
void environment_bind(struct environment *env, const struct model *m, const struct layout *l);
/*
 * After each interval, with the look at the files that came with it, else NULL. Returns true
 * if it was the first interval, or if the words have changed: by a look, or because the pinned
 * group has lost its place in this interval. Neither allocates
 * nor reads a file.
 */
bool environment_take(struct environment *env, const struct frame *f, const struct sample *s,
                      const struct env_look *l);
/* Should a look ask the kernel for the clock? Not when the target's own was counted. */
bool environment_wants_clock(const struct environment *env);
/* Is it time for a look, at the end of this interval? If so, the next one is due later. */
bool env_files_due(struct env_files *ef, uint64_t t_ns);
/* A look at the files, by the one who owns them. Never allocates. */
void env_files_look(struct env_files *ef, bool clock, struct env_look *out);
/* Looks and takes it at once, while no sampler runs. True if the words have changed. */
bool environment_look(struct environment *env);
/* Runs the doctor, and looks for other users of the counters: takes milliseconds. */
void environment_examine(struct environment *env);

/* All of it as keys and values. Returns how many were written to out[ENV_FACTS_MAX]. */
int environment_facts(const struct environment *env, struct env_fact *out);

#endif
