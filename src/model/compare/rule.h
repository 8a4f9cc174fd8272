/*
 * Conditions that something is done at while it is measured: "DRAM_Bound > 30% for 2s". The value
 * was beyond the limit in each interval of that time; beside a baseline its mean is surely another,
 * too. Then again only after it was back behind a second limit as long (hysteresis), and some time
 * later (pause).
 */
#ifndef TDTOP_MODEL_RULE_H
#define TDTOP_MODEL_RULE_H

#include "model/compare/gate.h"
#include "model/load/frame.h"
#include "model/load/model.h"

enum { RULE_TEXT = 160 };
#define RULE_EVERY_NS 60000000000ull /* the pause, where none is said */

struct rule_limit {
    bool given, percent; /* percent: a '%' was written */
    double v;            /* as it was written */
};

struct rule {
    char text[RULE_TEXT]; /* as it was given, in one line */
    struct gate gate;     /* its name is the metric's; of_base: its limit is the change */
    bool of_base, below;
    struct rule_limit limit,
        until; /* until not given: a tenth of the limit nearer to what is calm */
    uint64_t for_ns, every_ns;
};

enum rule_change { RULE_SAME, RULE_FIRES, RULE_ENDS };

/* A rule on the frames of one session. */
struct rule_watch {      /* zeroed, then rule_bind */
    struct rule rule;    /* a copy, so that it may be moved */
    int metric, cpus;    /* cpus: CPUs_Utilized, or METRIC_NONE */
    double limit, until; /* in the metric's unit */
    double base;         /* the baseline's value; NAN without one */
    double base_err;     /* half its 95 % interval; 0 without one */
    bool on;             /* it has fired, and not ended */
    bool fired;          /* ever, at fired_ns */
    uint64_t fired_ns;
    /* Of the intervals in a row that are beyond the limit, or (on) back behind the other. */
    uint64_t since_ns;
    uint32_t n;
    double mean_now, square; /* of values; sum of squares about it */
    bool scaled;             /* not all of them were counted all the time */
    double mean, err;        /* when it fired; err NAN: not known */
};

/*
 * METRIC > 30% [for 2s] [until 20%] [every 5m]; or < for below. METRIC:+2 and METRIC:-5% in the
 * place of the first part: a change from the baseline (gate.h). 0, or -EINVAL with words.
 */
int rule_parse(const char *text, struct rule *r, struct err *err);
/* base: the baseline, for of_base; or NULL. 0, or -EINVAL with
 * words: the model has no such metric, a percentage of what is no share, no baseline; the watch
 * takes frames then, and never fires. */
int rule_bind(struct rule_watch *w, const struct rule *r, const struct model *m,
              const struct run *base, struct err *err);
/* The next interval, in the order of time. Unknown values are passed over; of the tree none counts
 * while hardly a CPU is busy. */
enum rule_change rule_take(struct rule_watch *w, const struct model *m, const struct frame *f);
/* "DRAM_Bound 41.2% ± 1.0, > 30% for 2s": what it found. Returns buf. */
const char *rule_found(const struct rule_watch *w, const struct model *m, char *buf, size_t cap);

#endif
