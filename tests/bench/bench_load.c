/*
 * The cost of loading a model: model_open of every built-in one, and of a text of 150 KB (the
 * biggest, with metrics more). Prints the slowest medians and exits 1 above the limit.
 */
#include "base/clock.h"
#include "model/model.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RUNS = 31, LIMIT_US = 5000, BIG = 150 * 1000 };

static int by_value(const void *a, const void *b) {
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* Median time of loading, microseconds; UINT64_MAX if it does not load. */
static uint64_t median_us(const struct embedded *e) {
    uint64_t ns[RUNS];
    for (int i = 0; i < RUNS; i++) {
        struct model m;
        struct err err = {0};
        const uint64_t t0 = clock_now_ns();
        if (model_load(&m, e->text, e->len, e->name, &err) < 0) {
            fprintf(stderr, "bench_load: %s\n", err.text);
            return UINT64_MAX;
        }
        ns[i] = clock_now_ns() - t0;
        model_free(&m);
    }
    qsort(ns, RUNS, sizeof(ns[0]), by_value);
    return ns[RUNS / 2] / 1000;
}

static uint64_t report(const struct embedded *e) {
    const uint64_t us = median_us(e);
    printf("model_load %-10s %6zu bytes, median %llu us over %d runs, limit %d\n", e->name, e->len,
           (unsigned long long)us, RUNS, LIMIT_US);
    return us;
}

/* The text again, with a number behind each metric's name: a longer file of the same kind. */
static char *longer(const struct embedded *e) {
    char *text = calloc(1, BIG + 4096);
    if (!text)
        return NULL;
    size_t n = e->len;
    memcpy(text, e->text, n);
    for (int i = 0; n < BIG; i++)
        n += (size_t)snprintf(text + n, 4096,
                              "\n[metric.More_%d]\n"
                              "formula = \"1000 * (INST_RETIRED.ANY - IPC) / max(1, IPC) if IPC > "
                              "%d else Retiring\"\n"
                              "threshold = \"More_%d > 1\"\ngroups = \"More;Some\"\n",
                              i, i, i);
    return text;
}

int main(void) {
    const struct embedded *biggest = embedded_models;
    struct embedded slowest = {0};
    uint64_t most = 0;
    for (const struct embedded *e = embedded_models; e->name; e++) {
        const uint64_t us = median_us(e);
        if (us >= most) {
            most = us;
            slowest = *e;
        }
        if (e->len > biggest->len)
            biggest = e;
    }
    most = report(&slowest);
    char *text = longer(biggest);
    if (!text)
        return 2;
    const struct embedded big = {.name = "150 KB", .text = text, .len = strlen(text)};
    const uint64_t us = report(&big);
    free(text);
    return most <= LIMIT_US && us <= LIMIT_US ? 0 : 1;
}
