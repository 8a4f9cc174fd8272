/*
 * Conditions under which a comparison fails, for scripts: "Backend_Bound:+2", "IPC:-5%".
 *
 * Each fails where the change is beyond its limit and surely not 0. Of many conditions one would
 * come so far by chance alone: gate_correct holds the chance that any of them fails without a cause
 * at 1 - confidence (Holm 1979), over the conditions that there are, not over all metrics.
 */
#ifndef TDTOP_MODEL_GATE_H
#define TDTOP_MODEL_GATE_H

#include "model/compare/compare.h"

enum { GATE_NAME = 192 };

struct gate {
    /* A metric by name or path, ignoring case; or several with '|' between, of which the first that
     * both sides know is meant; or "elapsed", how long commands took that ended by themselves. */
    char name[GATE_NAME];
    double
        limit; /* signed. Relative: a fraction; else points of shares, or the metric's own unit */
    bool relative;
};

struct gate_result {
    struct gate gate;
    const struct compare_row *row; /* NULL: both sides do not have it, or it is the elapsed time */
    bool missing; /* nothing to check: no such metric on both sides, or a percentage of 0 */
    bool failed;  /* beyond the limit, and surely (its confidence interval leaves out 0) */
    bool unsure;  /* beyond the limit, but it may be chance; or too few values */
    bool coarse;  /* a change as large as the limit would not be told from chance */
    bool near;    /* within the limit, but its confidence interval reaches it, or is not known */
    char words[384];
};

/* "NAME:+2", "NAME:-5%": the sign says which way is worse. 0, or -EINVAL with words. */
int gate_parse(const char *text, struct gate *g, struct err *err);
struct gate_result gate_check(const struct gate *g, const struct comparison *c);
/* All conditions of one decision, after each was checked: what fails by itself but not among so
 * many becomes unsure, in words too. 0 or -ENOMEM. */
int gate_correct(struct gate_result **all, size_t n, double confidence);

/* Conditions that others have found useful, by name; NULL: no such name. presets ends with NULL. */
const struct gate *gate_preset(const char *name, size_t *n);
extern const char *const gate_presets[];

#endif
