/* Kernels that stay in the core: branches, divisions, and work that keeps every slot busy. */
#include "selftest/kernel_impl.h"

#include <string.h>

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
    KERNEL_OPAQUE(a);                                                                              \
    KERNEL_OPAQUE(b);                                                                              \
    KERNEL_OPAQUE(c);                                                                              \
    KERNEL_OPAQUE(d)
#define FOUR_TIMES(op1, op2, op3, op4)                                                             \
    ONCE(op1, op2, op3, op4);                                                                      \
    ONCE(op1, op2, op3, op4);                                                                      \
    ONCE(op1, op2, op3, op4);                                                                      \
    ONCE(op1, op2, op3, op4)

void kernel_branches_round(struct kernel_run *run) {
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
void kernel_divide_round(struct kernel_run *run) {
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
int kernel_integer_prepare(struct kernel_run *run, struct err *err) {
    int rc = kernel_map(run, KERNEL_PAGE, err);
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
    KERNEL_OPAQUE(x)
#define VECTOR_ADD(v)                                                                              \
    (v) += step;                                                                                   \
    VECTOR_OPAQUE(v)
#define LOAD(i)                                                                                    \
    loaded = word[i];                                                                              \
    KERNEL_OPAQUE(loaded)

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

void kernel_integer_round(struct kernel_run *run) {
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

void kernel_vector_round(struct kernel_run *run) {
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
