#include "selftest/kernel.h"

#include "selftest/kernel_impl.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

/* Order is the order in which they are run. */
const struct kernel kernels[] = {
    {.name = "chase-dram",
     .what = "follows pointers through memory that no cache holds",
     .prepare = kernel_dram_prepare,
     .round = kernel_chase_round},
    {.name = "chase-l2",
     .what = "follows pointers through half of the L2 cache",
     .prepare = kernel_l2_prepare,
     .round = kernel_chase_round},
    {.name = "branches",
     .what = "branches on random bits that it knows late",
     .round = kernel_branches_round},
    {.name = "code",
     .what = "jumps through more code than the L2 cache holds, a line at a time",
     .prepare = kernel_code_prepare,
     .round = kernel_code_round},
    {.name = "divide", .what = "divides, all the time", .round = kernel_divide_round},
    {.name = "integer",
     .what = "adds integers and loads what the L1 cache has, all of it independent",
     .prepare = kernel_integer_prepare,
     .round = kernel_integer_round},
    {.name = "vector",
     .what = "multiplies and adds vectors, and integers in the slots beside them",
     .prepare = kernel_integer_prepare,
     .round = kernel_vector_round},
    {.name = "stores",
     .what = "stores to each line of memory that no cache holds",
     .prepare = kernel_stores_prepare,
     .round = kernel_stores_round},
    {.name = "contend",
     .what = "takes locks on one core, and the same ones on another",
     .prepare = kernel_contend_prepare,
     .round = kernel_contend_round,
     .finish = kernel_contend_finish},
    {.name = "busy",
     .what = "computes, one second of CPU time and no system call",
     .judge = JUDGE_COUNT,
     .round = kernel_busy_round,
     .event = "task_clock"},
    {.name = "syscalls",
     .what = "lets the kernel clear memory, call after call",
     .judge = JUDGE_SHARE,
     .prepare = kernel_syscalls_prepare,
     .round = kernel_syscalls_round,
     .finish = kernel_syscalls_finish},
    {.name = "faults",
     .what = "touches fresh pages",
     .judge = JUDGE_COUNT,
     .round = kernel_faults_round,
     .event = "minor_faults",
     .per_round = KERNEL_FAULTS,
     .rounds = 40},
    {.name = "switches",
     .what = "hands a byte to and fro between two threads of one CPU",
     .judge = JUDGE_COUNT,
     .prepare = kernel_switches_prepare,
     .round = kernel_switches_round,
     .finish = kernel_switches_finish,
     .event = "context_switches",
     .per_round = 2 * KERNEL_TRIPS,
     .rounds = 40,
     .sees_kernel = true},
};
const size_t kernel_count = sizeof(kernels) / sizeof(kernels[0]);

const struct kernel *kernel_find(const char *name) {
    for (size_t i = 0; i < kernel_count; i++)
        if (!strcmp(kernels[i].name, name))
            return &kernels[i];
    return NULL;
}

int kernel_map(struct kernel_run *run, size_t size, struct err *err) {
    void *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED)
        return err_set(err, -ENOMEM, "no room for %zu MB of memory; close other programs",
                       size >> 20);
    run->memory = at;
    run->size = size;
    return 0;
}

/* xorshift64: as random as a prefetcher needs, and the same in every run. */
static uint32_t below(uint64_t *state, uint32_t n) {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return (uint32_t)((*state >> 32) * n >> 32);
}

static void shuffle(uint32_t *at, uint32_t n, uint64_t *state) {
    for (uint32_t i = n; i > 1; i--) {
        uint32_t j = below(state, i), t = at[i - 1];
        at[i - 1] = at[j];
        at[j] = t;
    }
}

void kernel_shuffle(uint32_t *order, uint32_t n, uint32_t window) {
    uint64_t state = 88172645463325252u;
    for (uint32_t i = 0; i < n; i++)
        order[i] = i;
    for (uint32_t i = 0; i < n; i += window)
        shuffle(order + i, n - i < window ? n - i : window, &state);
    /* Whole windows change places; one that is cut stays where it is, at the end. */
    for (uint32_t w = n / window; w > 1; w--) {
        uint32_t *a = order + (size_t)(w - 1) * window,
                 *b = order + (size_t)below(&state, w) * window;
        for (uint32_t i = 0; i < window && a != b; i++) {
            uint32_t t = a[i];
            a[i] = b[i];
            b[i] = t;
        }
    }
}

int kernel_prepare(const struct kernel *k, struct kernel_run *run, struct err *err) {
    run->seed = 1;
    return k->prepare ? k->prepare(run, err) : 0;
}

void kernel_finish(const struct kernel *k, struct kernel_run *run) {
    if (k->finish)
        k->finish(run);
    if (run->memory)
        munmap(run->memory, run->size);
    run->memory = NULL;
}
