/*
 * Where each kernel must lead, as a table: names of nodes, or limits of a metric. A model that does
 * not have a node is asked for the deepest one above it that it has; names of other vendors' trees
 * are alternatives.
 */
#ifndef TDTOP_SELFTEST_EXPECT_H
#define TDTOP_SELFTEST_EXPECT_H

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

#endif
