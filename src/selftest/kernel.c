/* The kernels of the self-test, and the table of them. */
#include "selftest/kernel.h"

#include "base/thread.h"
#include "selftest/place.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Whatever is in x may have changed: nothing can be known of it, and nothing saved. */
#define OPAQUE(x) __asm__ volatile("" : "+r"(x))

/* --- what they share --- */

/* Maps run->memory. 0, or -ENOMEM with words. */
static int map_memory(struct kernel_run *run, size_t size, struct err *err) {
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

/* --- what stays in the core --- */

/* ---- branches ---- */

/* About a dozen cycles from x to the result, in which the frontend runs ahead on a guess. */
static uint64_t mix(uint64_t x) {
    x ^= x >> 32;
    x *= 0xd6e8feb86659fd93u;
    x ^= x >> 29;
    x *= 0x94d049bb133111ebu;
    return x >> 40;
}

/* Work to throw away, in four chains. The arms differ in what they do, and volatile asm is in both,
 * so that no compiler computes them together and selects. */
#define ONCE(op1, op2, op3, op4)                                                                   \
    op1, op2, op3, op4;                                                                            \
    OPAQUE(a);                                                                                     \
    OPAQUE(b);                                                                                     \
    OPAQUE(c);                                                                                     \
    OPAQUE(d)
#define FOUR_TIMES(op1, op2, op3, op4)                                                             \
    ONCE(op1, op2, op3, op4);                                                                      \
    ONCE(op1, op2, op3, op4);                                                                      \
    ONCE(op1, op2, op3, op4);                                                                      \
    ONCE(op1, op2, op3, op4)

static void branches_round(struct kernel_run *run) {
    uint64_t seed = run->seed, a = 1, b = 2, c = 3, d = 4;
    for (int i = 0; i < 20000; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        if (mix(seed) & 1) {
            FOUR_TIMES(a += 3, b ^= 3, c -= 5, d += 7);
        } else {
            FOUR_TIMES(a ^= 9, b += 1, c ^= 6, d -= 2);
        }
    }
    run->seed = seed;
    run->sum += a ^ b ^ c ^ d;
}

/* ---- divisions ---- */

static uint64_t bits(double v) {
    uint64_t u;
    memcpy(&u, &v, sizeof(u));
    return u;
}

/* Four chains of dependent divisions keep the divider busy without a pause; the operands use all
 * bits of the mantissa, as early-out dividers are fast on round numbers. */
static void divide_round(struct kernel_run *run) {
    double a = 1.1415926535897931, b = 1.7182818284590451, c = 1.4142135623730951,
           d = 1.6180339887498949;
    for (int i = 0; i < 20000; i++) {
        a = 2.2360679774997898 / a;
        b = 3.3166247903553998 / b;
        c = 2.6457513110645907 / c;
        d = 3.6055512754639891 / d;
    }
    run->sum += bits(a) ^ bits(b) ^ bits(c) ^ bits(d);
}

/* ---- work for every slot ---- */

/* What is loaded: a page that stays in L1. */
static int integer_prepare(struct kernel_run *run, struct err *err) {
    int rc = map_memory(run, KERNEL_PAGE, err);
    uint64_t *word = run->memory;
    for (size_t i = 0; rc == 0 && i < KERNEL_PAGE / sizeof(*word); i++)
        word[i] = i * 0x9e3779b97f4a7c15u;
    return rc;
}

typedef uint64_t vector_u64 __attribute__((vector_size(16)));
typedef double vector_double __attribute__((vector_size(16)));

#if defined(__x86_64__)
#define VECTOR_OPAQUE(v) __asm__ volatile("" : "+x"(v))
#elif defined(__aarch64__)
#define VECTOR_OPAQUE(v) __asm__ volatile("" : "+w"(v))
#else
#define VECTOR_OPAQUE(v) __asm__ volatile("" : "+m"(v))
#endif

#define ADD(x)                                                                                     \
    (x) += 7;                                                                                      \
    OPAQUE(x)
#define VECTOR_ADD(v)                                                                              \
    (v) += step;                                                                                   \
    VECTOR_OPAQUE(v)
#define LOAD(i)                                                                                    \
    loaded = word[i];                                                                              \
    OPAQUE(loaded)

/*
 * Eight operations that no core has too few ports for: four integer additions, two loads, two
 * vector additions. With additions alone a core of six slots and four adders would wait for those.
 */
#define INTEGER_GROUP(x1, x2, x3, x4, at, v1, v2)                                                  \
    ADD(x1);                                                                                       \
    ADD(x2);                                                                                       \
    ADD(x3);                                                                                       \
    ADD(x4);                                                                                       \
    LOAD(at);                                                                                      \
    LOAD((at) + 8);                                                                                \
    VECTOR_ADD(v1);                                                                                \
    VECTOR_ADD(v2)

static void integer_round(struct kernel_run *run) {
    const volatile uint64_t *word = run->memory;
    uint64_t a = 1, b = 2, c = 3, d = 4, e = 5, f = 6, g = 7, h = 8, loaded = 0;
    vector_u64 step = {3, 5}, p = step, q = step, r = step, s = step;
    for (int i = 0; i < 20000; i++) {
        INTEGER_GROUP(a, b, c, d, 0, p, q);
        INTEGER_GROUP(e, f, g, h, 16, r, s);
        INTEGER_GROUP(a, b, c, d, 32, p, q);
        INTEGER_GROUP(e, f, g, h, 48, r, s);
    }
    p += q + r + s;
    run->sum += (a ^ b ^ c ^ d) + (e ^ f ^ g ^ h) + loaded + p[0] + p[1];
}

#define MULTIPLY(v)                                                                                \
    (v) *= factor;                                                                                 \
    VECTOR_OPAQUE(v)

/* Six slots: a multiplication and an addition of vectors, three integer additions, a load. Twelve
 * vectors, because each has to wait four cycles for its last result. */
#define VECTOR_GROUP(v, w, x, y, z, at)                                                            \
    MULTIPLY(v);                                                                                   \
    VECTOR_ADD(w);                                                                                 \
    ADD(x);                                                                                        \
    ADD(y);                                                                                        \
    ADD(z);                                                                                        \
    LOAD(at)

static void vector_round(struct kernel_run *run) {
    const volatile uint64_t *word = run->memory;
    uint64_t a = 1, b = 2, c = 3, d = 4, e = 5, f = 6, loaded = 0;
    const vector_double factor = {0.99999, 0.99998}, step = {0.5, 0.25};
    vector_double p = step, q = step, r = step, s = step, t = step, u = step, v = step, w = step,
                  x = step, y = step, z = step, o = step;
    for (int i = 0; i < 20000; i++) {
        VECTOR_GROUP(p, q, a, b, c, 0);
        VECTOR_GROUP(r, s, d, e, f, 8);
        VECTOR_GROUP(t, u, a, b, c, 16);
        VECTOR_GROUP(v, w, d, e, f, 24);
        VECTOR_GROUP(x, y, a, b, c, 32);
        VECTOR_GROUP(z, o, d, e, f, 40);
    }
    p += q + r + s + t + u + v + w + x + y + z + o;
    run->sum += (a ^ b ^ c) + (d ^ e ^ f) + loaded + bits(p[0]) + bits(p[1]);
}

/* --- what waits for memory --- */

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
    return map_memory(run, size, err);
}

static int dram_prepare(struct kernel_run *run, struct err *err) {
    int rc = map_beyond_caches(run, err);
    return rc ? rc : link_ring(run, err);
}

/* Half of L2 leaves room for what else the core does, and is several times L1. */
static int l2_prepare(struct kernel_run *run, struct err *err) {
    const struct kernel_place *at = run->place;
    size_t size = at->l2 / 2 & ~(size_t)(KERNEL_PAGE - 1);
    if (size < 2 * at->l1d)
        return err_set(err, -ENOTSUP, "L1 has %zu kB and L2 %zu kB: nothing fits between them",
                       at->l1d >> 10, at->l2 >> 10);
    int rc = map_memory(run, size, err);
    return rc ? rc : link_ring(run, err);
}

static void chase_round(struct kernel_run *run) {
    void *const *p = run->state;
    for (int i = 0; i < CHASE_STEPS / 8; i++) {
        p = *p, p = *p, p = *p, p = *p;
        p = *p, p = *p, p = *p, p = *p;
    }
    memcpy(&run->state, &p, sizeof(p));
    run->sum += (uint64_t)((const char *)p - (const char *)run->memory) / NODE + 1;
}

/* ---- stores ---- */

static int stores_prepare(struct kernel_run *run, struct err *err) {
    int rc = map_beyond_caches(run, err);
    if (rc == 0)
        memset(run->memory, 1, run->size); /* page faults are not what is to be measured */
    run->seed = 0;
    return rc;
}

/* Each line has to be fetched for one word of it, while the next stores queue up behind it. */
static void stores_round(struct kernel_run *run) {
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

static void *contend_main(void *user) {
    struct contest *c = user;
    place_pin(c->cpu);
    while (!atomic_load_explicit(&c->stop, memory_order_relaxed)) {
        take_locks(c, 256);
        atomic_fetch_add_explicit(&c->taken_by_partner, 1, memory_order_relaxed);
    }
    return NULL;
}

static int contend_prepare(struct kernel_run *run, struct err *err) {
    if (run->place->cpu[1] < 0)
        return err_set(err, -ENOTSUP, "it needs two cores, and may use only one");
    int rc =
        map_memory(run, (sizeof(struct contest) + KERNEL_PAGE - 1) & -(size_t)KERNEL_PAGE, err);
    if (rc)
        return rc;
    struct contest *c = run->memory;
    c->cpu = run->place->cpu[1];
    rc = thread_start(&c->partner, "tdtop-partner", contend_main, c);
    c->has_partner = rc == 0;
    return rc ? err_set(err, rc, "no second thread: %s", strerror(-rc)) : 0;
}

static void contend_round(struct kernel_run *run) {
    struct contest *c = run->memory;
    take_locks(c, 2048);
    run->sum += atomic_load_explicit(&c->lock[0].taken, memory_order_relaxed) / 2048;
}

static void contend_finish(struct kernel_run *run) {
    struct contest *c = run->memory;
    if (!c || !c->has_partner)
        return;
    atomic_store(&c->stop, true);
    pthread_join(c->partner, NULL);
}

/* --- more code than the caches hold --- */

/*
 * More code than the L2 cache holds: lines of 64 bytes, each of which adds 2 and jumps to another,
 * all of a page before the next page, so that lines are missed and pages are not. It is emitted,
 * because a compiler cannot be told where in memory a piece of code goes.
 */

enum { LINES_PER_PAGE = KERNEL_PAGE / KERNEL_LINE };

#if defined(__x86_64__)

static uint8_t *put_code(uint8_t *at, const void *code, size_t n) {
    memcpy(at, code, n);
    return at + n;
}

/* The first line: endbr64, and nothing is counted yet. */
static uint8_t *emit_entry(uint8_t *at) {
    return put_code(at, "\xf3\x0f\x1e\xfa\x31\xc0", 6); /* endbr64; xor eax, eax */
}

static uint8_t *emit_work(uint8_t *at) {
    return put_code(at, "\x48\x83\xc0\x01\x48\x83\xc0\x01", 8); /* add rax, 1, twice */
}

static void emit_jump(uint8_t *at, const uint8_t *to) {
    int32_t distance = (int32_t)(to - (at + 5));
    at = put_code(at, "\xe9", 1);
    put_code(at, &distance, sizeof(distance));
}

static void emit_return(uint8_t *at) {
    put_code(at, "\xc3", 1);
}

#elif defined(__aarch64__)

static uint8_t *put_code(uint8_t *at, uint32_t code) {
    memcpy(at, &code, sizeof(code));
    return at + sizeof(code);
}

static uint8_t *emit_entry(uint8_t *at) {
    return put_code(at, 0xd2800000u); /* mov x0, #0 */
}

static uint8_t *emit_work(uint8_t *at) {
    return put_code(put_code(at, 0x91000400u), 0x91000400u); /* add x0, x0, #1, twice */
}

static void emit_jump(uint8_t *at, const uint8_t *to) {
    put_code(at,
             0x14000000u | ((uint32_t)((to - at) / 4) & 0x03ffffffu)); /* b: 128 MB either way */
}

static void emit_return(uint8_t *at) {
    put_code(at, 0xd65f03c0u); /* ret */
}

#else
#define CODE_UNKNOWN 1
#endif

#ifndef CODE_UNKNOWN

static void emit_lines(struct kernel_run *run, const uint32_t *order, uint32_t n) {
    uint8_t *base = run->memory;
    for (uint32_t i = 0; i < n; i++) {
        uint8_t *at = base + (size_t)order[i] * KERNEL_LINE;
        if (i == 0) {
            run->state = at;
            at = emit_entry(at);
        }
        at = emit_work(at);
        if (i + 1 < n)
            emit_jump(at, base + (size_t)order[i + 1] * KERNEL_LINE);
        else
            emit_return(at);
    }
}

/* Twice the L2 cache; more would go beyond L3 on some machines, and beyond patience. */
static int code_prepare(struct kernel_run *run, struct err *err) {
    const size_t most = (size_t)32 << 20, least = (size_t)1 << 20;
    size_t size = 2 * run->place->l2;
    size = (size < least ? least : size > most ? most : size) & ~(size_t)(KERNEL_PAGE - 1);
    uint32_t n = (uint32_t)(size / KERNEL_LINE);
    uint32_t *order = malloc(n * sizeof(*order));
    if (!order)
        return err_set(err, -ENOMEM, "no room for the order of %u lines; close other programs", n);
    kernel_shuffle(order, n, LINES_PER_PAGE);
    int rc = map_memory(run, size, err);
    if (rc == 0) {
        emit_lines(run, order, n);
        char *begin = run->memory;
        __builtin___clear_cache(begin, begin + size);
        if (mprotect(run->memory, size, PROT_READ | PROT_EXEC) < 0)
            rc = err_set(err, -errno, "this system lets no program run code that it has made: %s",
                         strerror(errno));
    }
    free(order);
    return rc;
}

static void code_round(struct kernel_run *run) {
    uint64_t (*run_lines)(void);
    memcpy(&run_lines, &run->state, sizeof(run_lines));
    run->sum += run_lines();
}

#else

static int code_prepare(struct kernel_run *run, struct err *err) {
    (void)run;
    return err_set(err, -ENOTSUP, "tdtop cannot emit code for this architecture");
}

static void code_round(struct kernel_run *run) {
    (void)run;
}

#endif

/* --- what the operating system counts --- */

enum { FAULTS = 512, TRIPS = 256 /* to the partner and back, per round */ };

/* ---- CPU time ---- */

static void busy_round(struct kernel_run *run) {
    uint64_t x = run->seed;
    for (int i = 0; i < 200000; i++) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
    }
    run->seed = x;
    run->sum += x;
}

/* ---- system calls ---- */

enum { CLEARED = 1 << 18 };

/* The descriptor is kept in seed. */
static int syscalls_prepare(struct kernel_run *run, struct err *err) {
    int fd = open("/dev/zero", O_RDONLY | O_CLOEXEC);
    run->seed = (uint64_t)fd;
    if (fd < 0)
        return err_set(err, -errno, "/dev/zero: %s", strerror(errno));
    return map_memory(run, CLEARED, err);
}

/* Nearly all of the time is spent in the kernel, which clears the buffer. */
static void syscalls_round(struct kernel_run *run) {
    for (int i = 0; i < 16; i++) {
        ssize_t n = read((int)run->seed, run->memory, CLEARED);
        run->sum += n > 0 ? (uint64_t)n : 0;
    }
}

static void syscalls_finish(struct kernel_run *run) {
    if ((int)run->seed >= 0)
        close((int)run->seed);
}

/* ---- page faults ---- */

/* A mapping of its own each time: every page of it is touched for the first time. Huge pages would
 * serve many with one fault. */
static void faults_round(struct kernel_run *run) {
    const size_t size = (size_t)FAULTS * (size_t)sysconf(_SC_PAGESIZE);
    volatile char *at =
        mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED)
        return;
    void *mapped = (void *)(uintptr_t)at;
    madvise(mapped, size, MADV_NOHUGEPAGE);
    for (size_t i = 0; i < size; i += size / FAULTS) {
        at[i] = 1;
        run->sum += (uint64_t)at[i];
    }
    munmap(mapped, size);
}

/* ---- context switches ---- */

/* Two threads of one CPU, two pipes: each waits for the other, so a trip is two switches. */
struct trips {
    int there[2], back[2];
    pthread_t partner;
    bool has_partner;
};

static void *switches_main(void *user) {
    struct trips *t = user;
    char byte;
    while (read(t->there[0], &byte, 1) == 1)
        if (write(t->back[1], &byte, 1) != 1)
            break;
    return NULL;
}

static int switches_prepare(struct kernel_run *run, struct err *err) {
    struct trips *t = malloc(sizeof(*t));
    if (!t)
        return err_set(err, -ENOMEM, "out of memory");
    *t = (struct trips){.there = {-1, -1}, .back = {-1, -1}};
    run->state = t;
    if (pipe2(t->there, O_CLOEXEC) < 0 || pipe2(t->back, O_CLOEXEC) < 0)
        return err_set(err, -errno, "no pipe: %s", strerror(errno));
    int rc = thread_start(&t->partner, "tdtop-partner", switches_main, t);
    t->has_partner = rc == 0;
    return rc ? err_set(err, rc, "no second thread: %s", strerror(-rc)) : 0;
}

static void switches_round(struct kernel_run *run) {
    struct trips *t = run->state;
    char byte = 1;
    for (int i = 0; i < TRIPS; i++) {
        if (write(t->there[1], &byte, 1) != 1 || read(t->back[0], &byte, 1) != 1)
            return;
        run->sum += (uint64_t)byte;
    }
}

static void close_end(int *fd) {
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

static void switches_finish(struct kernel_run *run) {
    struct trips *t = run->state;
    if (!t)
        return;
    close_end(&t->there[1]); /* the partner reads the end of it */
    if (t->has_partner)
        pthread_join(t->partner, NULL);
    close_end(&t->there[0]);
    close_end(&t->back[0]);
    close_end(&t->back[1]);
    free(t);
    run->state = NULL;
}

/* --- the table --- */

/* Order is the order in which they are run. */
const struct kernel kernels[] = {
    {.name = "chase-dram",
     .what = "follows pointers through memory that no cache holds",
     .prepare = dram_prepare,
     .round = chase_round},
    {.name = "chase-l2",
     .what = "follows pointers through half of the L2 cache",
     .prepare = l2_prepare,
     .round = chase_round},
    {.name = "branches",
     .what = "branches on random bits that it knows late",
     .round = branches_round},
    {.name = "code",
     .what = "jumps through more code than the L2 cache holds, a line at a time",
     .prepare = code_prepare,
     .round = code_round},
    {.name = "divide", .what = "divides, all the time", .round = divide_round},
    {.name = "integer",
     .what = "adds integers and loads what the L1 cache has, all of it independent",
     .prepare = integer_prepare,
     .round = integer_round},
    {.name = "vector",
     .what = "multiplies and adds vectors, and integers in the slots beside them",
     .prepare = integer_prepare,
     .round = vector_round},
    {.name = "stores",
     .what = "stores to each line of memory that no cache holds",
     .prepare = stores_prepare,
     .round = stores_round},
    {.name = "contend",
     .what = "takes locks on one core, and the same ones on another",
     .prepare = contend_prepare,
     .round = contend_round,
     .finish = contend_finish},
    {.name = "busy",
     .what = "computes, one second of CPU time and no system call",
     .judge = JUDGE_COUNT,
     .round = busy_round,
     .event = "task_clock"},
    {.name = "syscalls",
     .what = "lets the kernel clear memory, call after call",
     .judge = JUDGE_SHARE,
     .prepare = syscalls_prepare,
     .round = syscalls_round,
     .finish = syscalls_finish},
    {.name = "faults",
     .what = "touches fresh pages",
     .judge = JUDGE_COUNT,
     .round = faults_round,
     .event = "minor_faults",
     .per_round = FAULTS,
     .rounds = 40},
    {.name = "switches",
     .what = "hands a byte to and fro between two threads of one CPU",
     .judge = JUDGE_COUNT,
     .prepare = switches_prepare,
     .round = switches_round,
     .finish = switches_finish,
     .event = "context_switches",
     .per_round = 2 * TRIPS,
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
