#include "cli/nodes.h"

#include "model/load/select.h"

#include <errno.h>
#include <stdlib.h>

/*
 * What --nodes is applied to: the level that was asked for; without one levels 1 and 2, or, where
 * it begins by taking away, everything.
 */
static int base_level(const struct args *a) {
    if (a->level_given || a->level > 0)
        return (int)a->level;
    return a->nodes[0] == '-' || a->nodes[0] == '^' ? 0 : 2;
}

int nodes_wanted(const struct args *a, const struct model *m, bool **wanted, struct err *err) {
    *wanted = NULL;
    if (!a->nodes)
        return 0;
    bool *w = calloc(m->n_metric + 1u, sizeof(*w));
    if (!w)
        return err_set(err, -ENOMEM, "--nodes: out of memory");
    select_level(m, base_level(a), w);
    int rc = select_nodes(m, a->nodes, w, err);
    if (rc == 0)
        *wanted = w;
    else
        free(w);
    return rc;
}
