/*
 * Counts of one interval, and the layout that says what each count is.
 *
 * The same event may be counted in several groups (cycles beside the events that are divided by
 * them), so a sample is an array of *slots*: (event, group) pairs in a fixed order given by the
 * layout of the source. Events without a slot are not measured; the layout says why.
 */
#ifndef TDTOP_MODEL_SAMPLE_H
#define TDTOP_MODEL_SAMPLE_H

#include <stdbool.h>
#include <stdint.h>

/* Why there is no count. COUNT_OK is the only state with a number. */
enum count_state {
    COUNT_OK,
    COUNT_STALE,         /* its group was not scheduled in this interval */
    COUNT_NOT_COUNTED,   /* perf: <not counted>: the target did not run, or the counter never did */
    COUNT_NOT_SUPPORTED, /* kernel or PMU refuses the event (EINVAL, EOPNOTSUPP, ENOENT) */
    COUNT_NOT_PERMITTED, /* EACCES, EPERM */
    COUNT_NO_EVENT,      /* no encoding for this event on this machine */
    COUNT_ABSENT,        /* the recording does not hold it */
    COUNT_UNCORE,        /* an uncore counter: only with -a, where it can be opened */
    COUNT_NOT_PLANNED,   /* beyond --level */
    COUNT_NOT_FOCUSED,   /* its group is not programmed now: pmu/plan/focus.h; enabled_ns says how
                          * long
                          */
    COUNT_NO_FDS,        /* descriptor limit */
    COUNT_LOST,          /* it could be read before, now reading fails */
    COUNT_NOT_SIMULATED, /* the demo's core has nothing outside */
    COUNT_PERCORE,       /* of both threads of a core, whatever is measured */
    COUNT_ELSEWHERE,     /* the target ran on cores of another type only */
    COUNT_HELD,          /* another program holds its counter */
    COUNT_UNSEEN,        /* processes came and went between two looks at /proc */
    COUNT_STATES,
};

/* "not counted", "not in the recording" ... : the reason shown to the user. */
const char *count_state_text(enum count_state state);

/* True if it could have been counted, but it was not its turn: sums are scaled over such time. */
bool count_waits(enum count_state state);

enum { SLOT_NO_EVENT = UINT16_MAX }; /* counts of an event that the model does not know */

struct slot {
    uint16_t event; /* model event index, or SLOT_NO_EVENT */
    uint16_t group; /* events of one group were counted in the same time */
};

struct layout {
    struct slot *slot; /* n_slot */
    uint32_t n_slot, n_group, n_event;
    uint8_t *missing;  /* [n_event] enum count_state of events without a slot; COUNT_OK = has one */
    uint16_t n_pinned; /* the first groups: opened to be on the PMU all the time */
    bool no_perf_metrics; /* kernel shows no topdown-* events: use the alternative formulas */
};

/* Copies src (deep). 0 or -ENOMEM. layout_destroy accepts a zeroed layout. */
int layout_copy(struct layout *dst, const struct layout *src);
/* An empty layout for n_event events, all missing for `why`, with room for cap_slots slots. 0 or
 * -ENOMEM. */
int layout_init(struct layout *l, uint32_t n_event, enum count_state why, uint32_t cap_slots);
/* Appends a slot (room was made by layout_init) and marks its event as present. Returns the slot
 * index. */
int layout_add(struct layout *l, uint16_t event, uint16_t group);
void layout_destroy(struct layout *l);

struct count {
    double
        value; /* events in the interval, scaled for multiplexing; NAN unless state is COUNT_OK */
    uint64_t enabled_ns,
        running_ns; /* of this interval; 0 <= running <= enabled; both 0: always on */
    uint8_t state;  /* enum count_state */
    uint8_t part; /* 0: of the whole target; else of that many percent of its threads or CPUs only:
                     there were no descriptors for the others */
};

struct sample {
    uint64_t seq;          /* 0, 1, 2...; of merged intervals the last one's */
    uint32_t merged;       /* further intervals in this one (sample_merge) */
    bool early;            /* the begin of an interval, to be merged with its rest: the next one */
    bool away;             /* what is measured was not there: nothing is counted */
    bool ended;            /* what is measured ended in it: its last part is of nothing */
    uint64_t t0_ns, t1_ns; /* interval, in ns since the session (or recording) began */
    uint32_t n_slot;
    uint32_t target_threads; /* 0 = not known */
    /* Tasks on a CPU with several core types: CPU time, and what of it on the type that is counted;
     * both 0: not known. */
    uint64_t busy_ns, resident_ns;
    struct count *at; /* [n_slot] in layout order */
};

int sample_init(struct sample *s, uint32_t n_slot); /* 0 or -ENOMEM */
void sample_destroy(struct sample *s);
void sample_copy(struct sample *dst, const struct sample *src); /* same n_slot */
/*
 * Adds the interval that follows `into`, of the same layout: counts and times are summed. A slot
 * that had to wait in one of the two (count_waits) is scaled up to its time, as in window_sample.
 */
void sample_merge(struct sample *into, const struct sample *next);

/* running / enabled of a count, 1 when it was always on, 0 when it never ran. */
static inline double count_duty(const struct count *c) {
    if (c->running_ns == c->enabled_ns) /* both 0: the source knows no times, so always on */
        return 1.0;
    if (c->enabled_ns == 0) /* cannot be: a counter that ran was enabled */
        return 0.0;
    return (double)c->running_ns / (double)c->enabled_ns;
}

/* The smaller of two parts (struct count), of which 0 is the whole. */
uint8_t count_lesser_part(uint8_t a, uint8_t b);

/*
 * Estimates what a multiplexed event counted over its whole interval: raw * enabled / running.
 * Returns 0, -ENODATA if the event never ran (show n/a, never 0), or -ERANGE if running > enabled
 * (two intervals were mixed). Source: perf_event_open(2), PERF_FORMAT_TOTAL_TIME_RUNNING.
 */
int count_scale(double raw, uint64_t enabled_ns, uint64_t running_ns, double *out);

/* The slots of a layout by event, for who asks about many: eval_slot reads all of them for each. */
enum { NO_SLOT = -1 };

struct slot_index {
    const struct layout *layout; /* borrowed */
    int *first;                  /* [layout->n_event] lowest slot of the event, or NO_SLOT */
    int *next;                   /* [layout->n_slot] next slot of the same event, or NO_SLOT */
};

/* 0 or -ENOMEM; slot_index_destroy accepts what a failed one left. */
int slot_index_init(struct slot_index *x, const struct layout *layout);
void slot_index_destroy(struct slot_index *x);

/* As eval_slot: of several the one of that group, else the first; NO_SLOT. */
int slot_index_find(const struct slot_index *x, int event, uint16_t group);

#endif
