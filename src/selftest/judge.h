/* Was measured what is known? Arithmetic on frames and counts, no clock, no process. */
#ifndef TDTOP_SELFTEST_JUDGE_H
#define TDTOP_SELFTEST_JUDGE_H

#include "model/load/frame.h"
#include "model/load/model.h"

enum { EXPECT_DEEP = 5, EXPECT_MAX = 8 };

/* What one model must show for one kernel. */
struct expect_path {
    int node[EXPECT_DEEP]; /* metric indexes from the root down */
    int n;
};
struct expect_limit {
    int metric;
    double min, max;
};
struct expect {
    struct expect_path path[EXPECT_MAX]; /* one of them */
    int n_path;
    struct expect_limit limit[EXPECT_MAX]; /* all of them */
    int n_limit;
};

/*
 * Fills out for a kernel by its name. Nodes whose value is unknown in f count as not there; NULL:
 * all are known. With no path and no limit the model cannot judge this kernel.
 */
void expect_find(const struct model *m, const char *kernel, const struct frame *f,
                 struct expect *out);

/*
 * What is to be measured for it (wanted[n_metric]): levels 1 and 2, the siblings of each node of
 * the paths, what the limits name, and the vital metrics. And the level that has all of this; 0
 * where metrics beside the tree are needed, too.
 */
int expect_level(const struct model *m, const struct expect *e);
void expect_wanted(const struct model *m, const struct expect *e, bool *wanted);

/* "Backend_Bound > Memory_Bound > L2_Bound, or ... > L1_Bound; IPC at most 0.3". Returns buf. */
const char *expect_text(const struct model *m, const struct expect *e, char *buf, size_t cap);

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
