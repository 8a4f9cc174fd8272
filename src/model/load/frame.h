/* The values of one interval: what is shown, printed and stored. */
#ifndef TDTOP_MODEL_FRAME_H
#define TDTOP_MODEL_FRAME_H

#include <stdbool.h>
#include <stdint.h>

enum value_state {
    VALUE_EXACT,  /* every event was counted all the time */
    VALUE_SCALED, /* multiplexed: duty < 1 */
    VALUE_ODD,    /* a share outside -5..105 %: kept, shown, flagged */
    VALUE_STALE,  /* an event was not scheduled in this interval */
    VALUE_NA,     /* unknown: why says it */
};
const char *value_state_name(enum value_state state); /* "exact", "scaled", "odd", "stale", "n/a" */

/* Why a value is unknown or approximate: a kind and the event, constant or metric concerned. */
enum why_kind {
    WHY_NOTHING,
    WHY_EVENT,    /* index: event; code: enum count_state */
    WHY_CONST,    /* index: enum const_id; code 0: not known; 1: approximate, not given (EBS_MODE)
                     and it was taken as 0 */
    WHY_DIV_ZERO, /* code 1: index: metric */
    WHY_UNAVAILABLE, /* the model says so: metric->unavailable; index: metric */
    WHY_FALLBACK,    /* approximate; index: metric; code 1: its fallback is used, 0:
                        metric->approximate */
    WHY_LATENCY,     /* index: model latency; code 0: not known, so the value is unknown; 1:
                        approximate, the vendor's average is used; 2: approximate, not known, so the
                        formula goes another way (the vendor's fixed cost) */
    WHY_PART,        /* index: percent of the target's threads or CPUs that are counted, for want of
                        descriptors; code 1: approximate, it is theirs; 0: unknown, it would mean all */
};
struct why {
    uint8_t kind; /* enum why_kind */
    uint8_t code;
    uint16_t index;
};

struct value {
    double v;      /* NAN when unknown */
    double err;    /* half width of the 95 % interval of v as an estimate of what was really there
                      in this time (spread.h); 0: all of it was counted; NAN: too few intervals, or
                      counted all the time but approximate: then it is not known */
    float duty;    /* least running/enabled of the events used, 0..1 */
    uint8_t state; /* enum value_state */
    bool over;     /* over its threshold; false when unknown */
    bool near;     /* of a screen: over or not, but not surely, or not for long (steady.h) */
    bool split;    /* its parts were counted at different times, in groups that take turns */
    bool approx;   /* a fallback formula was used, here or below: why says what is left out */
    struct why why;
};

enum { PATH_MAX_LEN = 8 };

/* The bottleneck path: metric indexes from the root down. n == 0: nothing is over its threshold. */
struct bottleneck {
    int16_t at[PATH_MAX_LEN];
    int n;
    int16_t tie[2]; /* the two siblings that are close to each other, or METRIC_NONE */
};

static inline bool bottleneck_has(const struct bottleneck *b, int metric) {
    int i = 0;
    while (i < b->n && b->at[i] != metric)
        i++;
    return i < b->n;
}

struct frame {
    uint64_t seq, t0_ns, t1_ns;
    uint32_t n_metric;
    struct value *at; /* [n_metric] in model order */
    struct bottleneck bottleneck;
    bool idle;  /* of a screen: hardly a CPU was busy (STEADY_IDLE_CPUS), so nothing is over */
    float duty; /* least duty of the level 1 and 2 nodes that are known; NAN: none */
    uint32_t threads; /* of the target; 0 = not known */
    double here;      /* share of its CPU time on cores of the counted type; NAN: not known */
    double root_sum;  /* sum of the level 1 shares, NAN if one is unknown: 1 when all is well */
};

int frame_init(struct frame *f, uint32_t n_metric); /* 0 or -ENOMEM */
void frame_destroy(struct frame *f);
void frame_copy(struct frame *dst, const struct frame *src);

#endif
