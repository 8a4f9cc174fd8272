/* Kernels that wait for memory: chains of pointers, stores, lines that two cores want. */
#include "base/thread.h"
#include "selftest/kernel_impl.h"
#include "selftest/place.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* ---- chains of pointers ---- */

enum {
    NODE = 2 * KERNEL_LINE, /* prefetchers fetch lines in pairs: one node per pair */
    WINDOW_PAGES = 32,      /* fewer than any first-level TLB holds */
    WINDOW = WINDOW_PAGES * KERNEL_PAGE / NODE,
    CHASE_STEPS = 1 << 14,
};

static size_t clamp(size_t v, size_t low, size_t high) {
    return v < low ? low : v > high ? high : v;
}

/* One ring through all nodes of run->memory. */
static int link_ring(struct kernel_run *run, struct err *err) {
    uint32_t n = (uint32_t)(run->size / NODE);
    uint32_t *order = malloc(n * sizeof(*order));
    if (!order)
        return err_set(err, -ENOMEM, "no room for the order of %u pointers; close other programs",
                       n);
    kernel_shuffle(order, n, WINDOW);
    char *base = run->memory;
    for (uint32_t i = 0; i < n; i++) {
        void *next = base + (size_t)order[i + 1 < n ? i + 1 : 0] * NODE;
        memcpy(base + (size_t)order[i] * NODE, &next, sizeof(next));
    }
    run->state = base + (size_t)order[0] * NODE;
    free(order);
    return 0;
}

/* So much that the last cache holds at most half of it. */
static int map_beyond_caches(struct kernel_run *run, struct err *err) {
    const struct kernel_place *at = run->place;
    size_t size = clamp(4 * at->l3, (size_t)16 << 20, at->memory) & ~(size_t)(KERNEL_PAGE - 1);
    if (size < 2 * at->l3)
        return err_set(err, -ENOMEM,
                       "the last cache has %zu MB, and of memory only %zu MB may be taken: too "
                       "little to be outside of it",
                       at->l3 >> 20, at->memory >> 20);
    return kernel_map(run, size, err);
}

int kernel_dram_prepare(struct kernel_run *run, struct err *err) {
    int rc = map_beyond_caches(run, err);
    return rc ? rc : link_ring(run, err);
}

/* Half of L2 leaves room for what else the core does, and is several times L1. */
int kernel_l2_prepare(struct kernel_run *run, struct err *err) {
    const struct kernel_place *at = run->place;
    size_t size = at->l2 / 2 & ~(size_t)(KERNEL_PAGE - 1);
    if (size < 2 * at->l1d)
        return err_set(err, -ENOTSUP, "L1 has %zu kB and L2 %zu kB: nothing fits between them",
                       at->l1d >> 10, at->l2 >> 10);
    int rc = kernel_map(run, size, err);
    return rc ? rc : link_ring(run, err);
}

void kernel_chase_round(struct kernel_run *run) {
    void *const *p = run->state;
    for (int i = 0; i < CHASE_STEPS / 8; i++) {
        p = *p, p = *p, p = *p, p = *p;
        p = *p, p = *p, p = *p, p = *p;
    }
    memcpy(&run->state, &p, sizeof(p));
    run->sum += (uint64_t)((const char *)p - (const char *)run->memory) / NODE + 1;
}

/* ---- stores ---- */

int kernel_stores_prepare(struct kernel_run *run, struct err *err) {
    int rc = map_beyond_caches(run, err);
    if (rc == 0)
        memset(run->memory, 1, run->size); /* page faults are not what is to be measured */
    run->seed = 0;
    return rc;
}

/* Each line has to be fetched for one word of it, while the next stores queue up behind it. */
void kernel_stores_round(struct kernel_run *run) {
    const size_t per_round = (size_t)4 << 20;
    volatile char *base = run->memory;
    size_t at = run->seed + per_round <= run->size ? run->seed : 0;
    for (size_t i = 0; i < per_round && at + i < run->size; i += KERNEL_LINE) {
        *(volatile uint64_t *)(volatile void *)(base + at + i) = i;
        run->sum++;
    }
    run->seed = at + per_round;
}

/* ---- lines that two cores want ---- */

enum { LOCKS = 4 };

/* In run->memory. The words of one lock fill two lines, so that no prefetch joins two locks. */
struct contest {
    struct {
        _Alignas(NODE) _Atomic uint64_t taken;
    } lock[LOCKS];
    _Alignas(NODE) _Atomic bool stop;
    _Atomic uint64_t taken_by_partner;
    pthread_t partner;
    bool has_partner;
    int cpu;
};

static void take_locks(struct contest *c, int times) {
    for (int i = 0; i < times; i++)
        for (int k = 0; k < LOCKS; k++)
            atomic_fetch_add(&c->lock[k].taken, 1);
}

static void *partner_main(void *user) {
    struct contest *c = user;
    place_pin(c->cpu);
    while (!atomic_load_explicit(&c->stop, memory_order_relaxed)) {
        take_locks(c, 256);
        atomic_fetch_add_explicit(&c->taken_by_partner, 1, memory_order_relaxed);
    }
    return NULL;
}

int kernel_contend_prepare(struct kernel_run *run, struct err *err) {
    if (run->place->cpu[1] < 0)
        return err_set(err, -ENOTSUP, "it needs two cores, and may use only one");
    int rc =
        kernel_map(run, (sizeof(struct contest) + KERNEL_PAGE - 1) & -(size_t)KERNEL_PAGE, err);
    if (rc)
        return rc;
    struct contest *c = run->memory;
    c->cpu = run->place->cpu[1];
    rc = thread_start(&c->partner, "tdtop-partner", partner_main, c);
    c->has_partner = rc == 0;
    return rc ? err_set(err, rc, "no second thread: %s", strerror(-rc)) : 0;
}

void kernel_contend_round(struct kernel_run *run) {
    struct contest *c = run->memory;
    take_locks(c, 2048);
    run->sum += atomic_load_explicit(&c->lock[0].taken, memory_order_relaxed) / 2048;
}

void kernel_contend_finish(struct kernel_run *run) {
    struct contest *c = run->memory;
    if (!c || !c->has_partner)
        return;
    atomic_store(&c->stop, true);
    pthread_join(c->partner, NULL);
}
