#include "cli/verb/collect_expose.h"

#include <errno.h>

int collect_expose_begin(struct collect_expose *x, const struct sessions *all, const struct args *a,
                         bool absent, struct err *err) {
    const struct exposition_who who = {x->target, a->labels.at, a->labels.n};
    for (int i = 0; x->e && i < all->n; i++)
        if (exposition_enter(x->e, &x->at[i], all->at[i], &who, absent) < 0)
            return err_set(err, -ENOMEM, "out of memory for the metrics");
    for (int i = all->n; !absent && i < SESSIONS_MAX; i++) /* of a core type that is not opened */
        exposition_drop(x->e, &x->at[i]);
    return 0;
}

void collect_expose_take(struct collect_expose *x, const struct sessions *all, int type) {
    exposition_add(x->e, x->at[type], all->at[type]);
}

void collect_expose_ended(struct collect_expose *x, const struct sessions *all) {
    for (int i = 0; i < all->n; i++)
        if (all->at[i]->state != STREAM_LIVE)
            exposition_rest(x->e, x->at[i], 0);
}

void collect_expose_rest(struct collect_expose *x, double up) {
    for (int i = 0; i < SESSIONS_MAX; i++)
        exposition_rest(x->e, x->at[i], up);
}

void collect_expose_end(struct collect_expose *x) {
    for (int i = 0; i < SESSIONS_MAX; i++)
        exposition_drop(x->e, &x->at[i]);
}
