/*
 * More code than the L2 cache holds: lines of 64 bytes, each of which adds 2 and jumps to another,
 * all of a page before the next page, so that lines are missed and pages are not. It is emitted,
 * because a compiler cannot be told where in memory a piece of code goes.
 */
#include "selftest/kernel_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { LINES_PER_PAGE = KERNEL_PAGE / KERNEL_LINE };

#if defined(__x86_64__)

static uint8_t *put(uint8_t *at, const void *code, size_t n) {
    memcpy(at, code, n);
    return at + n;
}

/* The first line: endbr64, and nothing is counted yet. */
static uint8_t *emit_entry(uint8_t *at) {
    return put(at, "\xf3\x0f\x1e\xfa\x31\xc0", 6); /* endbr64; xor eax, eax */
}

static uint8_t *emit_work(uint8_t *at) {
    return put(at, "\x48\x83\xc0\x01\x48\x83\xc0\x01", 8); /* add rax, 1, twice */
}

static void emit_jump(uint8_t *at, const uint8_t *to) {
    int32_t distance = (int32_t)(to - (at + 5));
    at = put(at, "\xe9", 1);
    put(at, &distance, sizeof(distance));
}

static void emit_return(uint8_t *at) {
    put(at, "\xc3", 1);
}

#elif defined(__aarch64__)

static uint8_t *put(uint8_t *at, uint32_t code) {
    memcpy(at, &code, sizeof(code));
    return at + sizeof(code);
}

static uint8_t *emit_entry(uint8_t *at) {
    return put(at, 0xd2800000u); /* mov x0, #0 */
}

static uint8_t *emit_work(uint8_t *at) {
    return put(put(at, 0x91000400u), 0x91000400u); /* add x0, x0, #1, twice */
}

static void emit_jump(uint8_t *at, const uint8_t *to) {
    put(at, 0x14000000u | ((uint32_t)((to - at) / 4) & 0x03ffffffu)); /* b: 128 MB either way */
}

static void emit_return(uint8_t *at) {
    put(at, 0xd65f03c0u); /* ret */
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
int kernel_code_prepare(struct kernel_run *run, struct err *err) {
    const size_t most = (size_t)32 << 20, least = (size_t)1 << 20;
    size_t size = 2 * run->place->l2;
    size = (size < least ? least : size > most ? most : size) & ~(size_t)(KERNEL_PAGE - 1);
    uint32_t n = (uint32_t)(size / KERNEL_LINE);
    uint32_t *order = malloc(n * sizeof(*order));
    if (!order)
        return err_set(err, -ENOMEM, "no room for the order of %u lines; close other programs", n);
    kernel_shuffle(order, n, LINES_PER_PAGE);
    int rc = kernel_map(run, size, err);
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

void kernel_code_round(struct kernel_run *run) {
    uint64_t (*run_lines)(void);
    memcpy(&run_lines, &run->state, sizeof(run_lines));
    run->sum += run_lines();
}

#else

int kernel_code_prepare(struct kernel_run *run, struct err *err) {
    (void)run;
    return err_set(err, -ENOTSUP, "tdtop cannot emit code for this architecture");
}

void kernel_code_round(struct kernel_run *run) {
    (void)run;
}

#endif
