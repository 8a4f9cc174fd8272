#include "pmu/sampling/merge.h"

#include <errno.h>
#include <stdlib.h>

int merge_init(struct merge *m, int n) {
    *m = (struct merge){.n = n};
    m->at = calloc((size_t)n + 1, sizeof(*m->at));
    m->has = calloc((size_t)n + 1, sizeof(*m->has));
    return m->at && m->has ? 0 : -ENOMEM;
}

void merge_destroy(struct merge *m) {
    free(m->at);
    free(m->has);
    *m = (struct merge){0};
}

/* The next that can be read. */
static void load(struct merge *m, struct events *ev, int i) {
    struct ring *r = &ev->cpu[i].ring;
    const struct perf_event_header *h;
    for (; (h = ring_peek(r)) && record_read(h, &ev->format, &m->at[i]); ring_pop(r))
        m->n_garbled++;
    m->has[i] = h != NULL;
}

static int oldest(const struct merge *m) {
    int best = -1;
    for (int i = 0; i < m->n; i++)
        if (m->has[i] && (best < 0 || m->at[i].time < m->at[best].time))
            best = i;
    return best;
}

void merge_rings(struct merge *m, struct events *ev, uint64_t until_ns,
                 void (*take)(void *user, const struct record *r), void *user) {
    uint64_t before = 0, after = 0;
    int i;
    for (i = 0; i < m->n; i++) {
        before += ev->cpu[i].ring.n_garbled;
        ring_begin(&ev->cpu[i].ring);
        load(m, ev, i);
    }
    while ((i = oldest(m)) >= 0 && m->at[i].time <= until_ns) {
        take(user, &m->at[i]);
        ring_pop(&ev->cpu[i].ring);
        load(m, ev, i);
    }
    for (i = 0; i < m->n; i++) {
        ring_end(&ev->cpu[i].ring);
        after += ev->cpu[i].ring.n_garbled;
    }
    m->n_garbled += after - before;
}
