/* Was measured what is known? Arithmetic on frames and counts, no clock, no process. */
#ifndef TDTOP_SELFTEST_JUDGE_H
#define TDTOP_SELFTEST_JUDGE_H

#include "selftest/expect.h"

enum judged { VERDICT_OK, VERDICT_NOT, VERDICT_SKIPPED };
const char *judged_name(enum judged v); /* "ok", "NOT", "skipped" */

struct judgement {
    enum judged verdict;
    char expected[320], measured[320];
    char why[512]; /* of NOT and skipped */
};

/* What a kernel that is judged by counts has done, and what came of it. */
struct judge_count {
    const char *event; /* "minor_faults" */
    double known;     /* as often as the kernel made it happen at least; 0: truth is all there is */
    double truth;     /* as the operating system told the kernel itself: getrusage(2) */
    double measured;  /* NAN: unknown */
    double tolerance; /* that is allowed beside 1 % */
};

/* By the frame of the whole run: its bottleneck path, and limits of metrics. */
void judge_frame(const struct model *m, const char *kernel, const struct frame *f,
                 struct judgement *out);

void judge_count(const struct judge_count *c, struct judgement *out);

/* Both have been asked: NOT if one of them says so, else skipped if one was; texts put together. */
void judge_add(struct judgement *to, const struct judgement *more);

void judge_skip(struct judgement *out, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
