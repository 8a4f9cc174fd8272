/*
 * The cost of one evaluation: eval_run over the full spr model with a slot for every event.
 * Prints the median and exits 1 above the limit. Counts are the first known-answer vector's, so
 * branches and divisions see real numbers.
 */
#include "base/clock.h"
#include "model/eval.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

enum { RUNS = 20001, WARM_UP = 1000, LIMIT_NS = 5000 };

static int fail(const char *what) {
    fprintf(stderr, "bench_eval: %s\n", what);
    return 2;
}

static int by_value(const void *a, const void *b) {
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* Counts of the vector; what it does not hold gets a plausible number. */
static void fill(const struct model *m, const struct layout *l, json_t *vector, struct sample *s) {
    s->t1_ns = 1000000000;
    for (uint32_t i = 0; i < l->n_slot; i++) {
        const char *name = m->event[l->slot[i].event].name;
        const json_t *count = json_object_get(json_object_get(vector, "events"), name);
        s->at[i] = (struct count){.value = count ? json_number_value(count) : 1e6 + i,
                                  .enabled_ns = 1000000000,
                                  .running_ns = i % 8 ? 1000000000 : 250000000,
                                  .state = COUNT_OK};
    }
}

static void set_consts(struct consts *c) {
    consts_init(c);
    c->value[CONST_SYSTEM_TSC_FREQ] = 2e9;
    c->value[CONST_SMT_ON] = 1;
    c->value[CONST_NUM_CPUS] = 56;
    c->value[CONST_SOCKET_COUNT] = 1;
}

static uint64_t median_ns(struct eval *ev, const struct sample *s, struct frame *f) {
    static uint64_t ns[RUNS];
    for (int i = 0; i < WARM_UP; i++)
        eval_run(ev, s, f);
    for (int i = 0; i < RUNS; i++) {
        const uint64_t t0 = clock_now_ns();
        eval_run(ev, s, f);
        ns[i] = clock_now_ns() - t0;
    }
    qsort(ns, RUNS, sizeof(ns[0]), by_value);
    return ns[RUNS / 2];
}

int main(void) {
    struct model m;
    struct layout l;
    struct consts c;
    struct eval ev;
    struct sample s;
    struct frame f;
    struct err err = {0};
    json_t *vectors = json_load_file("tests/data/vectors/spr.json", 0, NULL);
    if (!vectors)
        return fail("cannot read tests/data/vectors/spr.json; run from the project's root");
    if (model_open(&m, "spr", NULL, &err) < 0)
        return fail(err.text);
    if (layout_init(&l, m.n_event, COUNT_NO_EVENT, m.n_event) < 0)
        return fail("out of memory");
    for (uint32_t e = 0; e < m.n_event; e++)
        layout_add(&l, (uint16_t)e, (uint16_t)(e / 8));
    set_consts(&c);
    if (eval_init(&ev, &m, &l, &c, &err) < 0)
        return fail(err.text);
    if (sample_init(&s, l.n_slot) < 0 || frame_init(&f, m.n_metric) < 0)
        return fail("out of memory");
    fill(&m, &l, json_array_get(vectors, 0), &s);

    const uint64_t ns = median_ns(&ev, &s, &f);
    printf("eval_run median %llu ns over %d runs, limit %d (%u metrics, %u slots)\n",
           (unsigned long long)ns, RUNS, LIMIT_NS, m.n_metric, l.n_slot);

    json_decref(vectors);
    eval_destroy(&ev);
    sample_destroy(&s);
    frame_destroy(&f);
    layout_destroy(&l);
    model_free(&m);
    return ns <= LIMIT_NS ? 0 : 1;
}
