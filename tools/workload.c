/*
 * A workload for a first look: it walks through four kinds of work, about eight seconds each, so
 * that the bottleneck moves while one watches: pointer chasing in a working set larger than the
 * caches, branches that cannot be predicted, long divisions, and plain arithmetic that retires
 * well. Runs until killed.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { CHAIN = 1 << 23 };

static uint32_t *chain;
static uint64_t rng = 88172645463325252ull;
static volatile uint64_t sink;

static uint64_t xorshift(void) {
    rng ^= rng << 13;
    rng ^= rng >> 7;
    rng ^= rng << 17;
    return rng;
}

/* One random cycle through the whole array (Sattolo), so that no prefetcher helps. */
static int make_chain(void) {
    chain = malloc(sizeof(*chain) * CHAIN);
    if (!chain)
        return -1;
    for (uint32_t i = 0; i < CHAIN; i++)
        chain[i] = i;
    for (uint32_t i = CHAIN - 1; i > 0; i--) {
        uint32_t j = (uint32_t)(xorshift() % i), t = chain[i];
        chain[i] = chain[j];
        chain[j] = t;
    }
    return 0;
}

static void chase(void) {
    uint32_t at = (uint32_t)(sink % CHAIN);
    for (int i = 0; i < 200000; i++)
        at = chain[at];
    sink = at;
}

static void branch(void) {
    uint64_t sum = 0;
    for (int i = 0; i < 200000; i++) {
        uint64_t r = xorshift();
        if (r & 1)
            sum += r >> 3;
        else if (r & 2)
            sum ^= r;
        else
            sum -= r << 1;
    }
    sink = sum;
}

static void divide(void) {
    uint64_t v = sink | 1;
    for (uint64_t i = 1; i < 100000; i++)
        v = UINT64_MAX / (v % 1000003 + i);
    sink = v;
}

static void arithmetic(void) {
    uint64_t a = 1, b = 2, c = 3, d = 4;
    for (int i = 0; i < 400000; i++) {
        a = a * 5 + 1;
        b ^= b << 3;
        c += c >> 2 | 1;
        d -= 7;
    }
    sink = a ^ b ^ c ^ d;
}

int main(void) {
    static const struct {
        const char *name;
        void (*run)(void);
    } phases[] = {
        {"pointer chasing", chase},
        {"unpredictable branches", branch},
        {"divisions", divide},
        {"arithmetic", arithmetic},
    };
    if (make_chain()) {
        fprintf(stderr, "workload: out of memory\n");
        return 1;
    }
    for (unsigned i = 0;; i++) {
        time_t end = time(NULL) + 8;
        while (time(NULL) < end)
            phases[i % 4].run();
    }
}
