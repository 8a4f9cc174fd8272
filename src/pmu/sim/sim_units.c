/*
 * The threads of the simulated program, and the CPUs that they run on. A thread is the program's
 * parameters bent by its own habits. Together they are the program again: their level 1 shares,
 * weighted with their time, sum up to its own, and a CPU has what the threads did on it.
 */
#include "model/load/known.h"
#include "pmu/sim/sim.h"

#include "base/clock.h"
#include "base/str.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    PID = 4242,
    N_CPU = 16,
    N_SHARE = P_HEAVY + 1, /* the parameters that sum to 1 */
    HABIT = 6 << 20,       /* streams of noise */
    EFFORT = 7 << 20,
};

/* Lives from `from` to `to` of each period, with a number of its own each time; period 0: always.
 * Its work may have hours of its own. */
static const struct habit {
    const char *name;
    int tid;
    double work; /* part of the program's time, before all are made to sum to 1 */
    int period, from, to;
    int work_period, work_from, work_to; /* period 0: whenever it lives */
    double bend[N_SHARE];                /* times the program's share */
} threads[] = {
    /*                                                  fetch  band  miss clear  mem  core light
       heavy */
    {"redis-server", PID, 0.41, 0, 0, 0, 0, 0, 0, {1.2, 1.0, 1.1, 1.0, 0.8, 0.9, 1.0, 1.0}},
    {"bio_aof", 4244, 0.06, 0, 0, 0, 0, 0, 0, {0.8, 0.7, 0.5, 1.5, 1.1, 1.3, 0.6, 3.0}},
    {"bio_lazy_free", 4245, 0.08, 0, 0, 0, 30, 26, 38, {0.3, 0.4, 0.6, 1.0, 3.0, 0.6, 0.6, 0.7}},
    {"io_thd_1", 4247, 0.20, 0, 0, 0, 0, 0, 0, {0.9, 1.2, 0.7, 1.0, 1.0, 1.1, 1.3, 0.9}},
    {"io_thd_2", 4248, 0.17, 0, 0, 0, 0, 0, 0, {0.9, 1.2, 0.7, 1.0, 1.1, 1.1, 1.2, 0.9}},
    {"io_thd_3", 4300, 0.14, 60, 20, 40, 0, 0, 0, {0.9, 1.1, 0.8, 1.0, 1.3, 1.0, 1.1, 0.9}},
    {"module-scan", 4400, 0.12, 22, 6, 14, 0, 0, 0, {0.6, 0.7, 3.5, 1.0, 0.6, 1.0, 0.8, 0.5}},
};
enum { N_THREAD = sizeof(threads) / sizeof(threads[0]) };

/* ---- who lives ---- */

/* Time of [t0, t1) that lies in [from, to) seconds of a period. */
static uint64_t overlap(int period, int from, int to, uint64_t t0, uint64_t t1) {
    uint64_t all = 0, p = (uint64_t)period * NS_PER_S;
    if (period == 0)
        return t1 - t0;
    uint64_t length = (uint64_t)(to - from) * NS_PER_S;
    for (uint64_t n = t0 / p ? t0 / p - 1 : 0; n * p < t1; n++) {
        uint64_t a = n * p + (uint64_t)from * NS_PER_S, b = a + length;
        uint64_t begin = a > t0 ? a : t0, end = b < t1 ? b : t1;
        all += end > begin ? end - begin : 0;
    }
    return all;
}

static bool lives(const struct habit *h, uint64_t t_ns) {
    return overlap(h->period, h->from, h->to, t_ns, t_ns + 1) > 0;
}

uint32_t sim_threads(uint64_t t_ns) {
    uint32_t n = 0;
    for (int i = 0; i < N_THREAD; i++)
        n += lives(&threads[i], t_ns);
    return n;
}

/* ---- what they do ---- */

struct crowd {
    double work[N_THREAD]; /* part of the program's time: sums to 1; 0 = does not run */
    double share[N_THREAD][N_SHARE];
};

static void divide_work(const struct sim_moment *mo, struct crowd *c) {
    double sum = 0, dt = (double)(mo->t1_ns - mo->t0_ns);
    for (int i = 0; i < N_THREAD; i++) {
        const struct habit *h = &threads[i];
        uint64_t alive = overlap(h->period, h->from, h->to, mo->t0_ns, mo->t1_ns);
        uint64_t at_work = overlap(h->work_period, h->work_from, h->work_to, mo->t0_ns, mo->t1_ns);
        double noise = 1 + 0.02 * sim_noise(mo->seed, EFFORT + (uint64_t)i, mo->index);
        c->work[i] = h->work * noise * (double)(alive < at_work ? alive : at_work) / dt;
        sum += c->work[i];
    }
    for (int i = 0; i < N_THREAD; i++)
        c->work[i] /= sum;
}

/*
 * Each thread's shares must sum to 1 and, weighted with its work, all threads' to the program's.
 * Scaling to the one and the other in turn comes to a table that does both (iterative proportional
 * fitting; Deming and Stephan, 1940).
 */
static void fit_shares(const double *p, struct crowd *c) {
    enum { ROUNDS = 40 };
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < N_THREAD; i++) {
            double sum = 0;
            for (int k = 0; k < N_SHARE; k++)
                sum += c->share[i][k];
            for (int k = 0; k < N_SHARE; k++)
                c->share[i][k] /= sum;
        }
        for (int k = 0; k < N_SHARE; k++) {
            double sum = 0;
            for (int i = 0; i < N_THREAD; i++)
                sum += c->work[i] * c->share[i][k];
            for (int i = 0; i < N_THREAD && sum > 0; i++)
                c->share[i][k] *= p[k] / sum;
        }
    }
}

static void divide(const struct sim_moment *mo, struct crowd *c) {
    divide_work(mo, c);
    for (int i = 0; i < N_THREAD; i++)
        for (int k = 0; k < N_SHARE; k++) {
            uint64_t stream = HABIT + (uint64_t)(i * N_SHARE + k);
            double noise = 1 + 0.03 * sim_noise(mo->seed, stream, mo->index);
            c->share[i][k] = mo->p[k] * threads[i].bend[k] * noise;
        }
    fit_shares(mo->p, c);
}

/* ---- which events ---- */

struct want {
    const struct model *model;
    const struct consts *consts;
    bool *event;  /* [n_event] */
    bool *metric; /* [n_metric] seen */
};

static void want_metric(struct want *w, int metric);

static void want_leaf(const struct ast *leaf, void *user) {
    struct want *w = user;
    if (leaf->op == AST_EVENT)
        w->event[leaf->index] = true;
    else if (leaf->op == AST_METRIC)
        want_metric(w, leaf->index);
}

static void want_metric(struct want *w, int metric) {
    const struct metric *m = &w->model->metric[metric];
    if (w->metric[metric] || !m->ast)
        return;
    w->metric[metric] = true;
    known_leaves(w->model, w->consts, m->ast, want_leaf, w);
}

int sim_units_init(struct sim_units *su, const struct model *m, const struct consts *consts,
                   const struct layout *layout) {
    struct want w = {.model = m, .consts = consts};
    *su = (struct sim_units){0};
    w.event = calloc(m->n_event + 1u, sizeof(*w.event));
    w.metric = calloc(m->n_metric + 1u, sizeof(*w.metric));
    su->slot = calloc(layout->n_slot + 1u, sizeof(*su->slot));
    bool ok = w.event && w.metric && su->slot;
    for (uint32_t i = 0; ok && i < m->n_metric; i++)
        if (m->metric[i].level == 1 || m->metric[i].vital)
            want_metric(&w, (int)i);
    for (uint32_t i = 0; ok && i < layout->n_slot; i++)
        if (w.event[layout->slot[i].event])
            su->slot[su->n_slot++] = (uint16_t)i;
    free(w.event);
    free(w.metric);
    su->count = calloc((size_t)N_THREAD * su->n_slot + 1u, sizeof(*su->count));
    if (ok && su->count)
        return 0;
    sim_units_destroy(su);
    return -ENOMEM;
}

void sim_units_destroy(struct sim_units *su) {
    free(su->slot);
    free(su->count);
    *su = (struct sim_units){0};
}

/* ---- rows ---- */

static void count_thread(const struct sim_units *su, const struct sim_moment *mo,
                         const struct crowd *c, int i) {
    double p[P_N], q[Q_N], *count = su->count + (size_t)i * su->n_slot;
    memcpy(p, mo->p, sizeof(p));
    memcpy(p, c->share[i], sizeof(c->share[i]));
    p[P_CPUS] *= c->work[i];
    if (c->work[i] > 0)
        sim_core(mo->machine, p, (double)(mo->t1_ns - mo->t0_ns) / (double)NS_PER_S, q);
    for (uint32_t k = 0; k < su->n_slot; k++) {
        const struct sim_slot *slot = &mo->slots[su->slot[k]];
        count[k] = c->work[i] > 0 ? q[slot->of] * slot->factor : 0;
    }
}

/* A thread keeps to one CPU, but now and then the scheduler puts it on another: parts of its time
 * on CPUs counted from the first. */
static const struct {
    int away;
    double part;
} spread[] = {{0, 0.70}, {1, 0.15}, {8, 0.10}, {5, 0.05}};

static int home(const struct sim_moment *mo, int thread) {
    enum { STAYS_S = 15 };
    return (int)((uint64_t)thread * 5 + mo->t0_ns / (STAYS_S * NS_PER_S)) % N_CPU;
}

static double part_on(const struct sim_moment *mo, int thread, int cpu) {
    double part = 0;
    for (size_t i = 0; i < sizeof(spread) / sizeof(spread[0]); i++)
        if ((home(mo, thread) + spread[i].away) % N_CPU == cpu)
            part += spread[i].part;
    return part;
}

static double seconds_of(const struct sim_moment *mo, const struct crowd *c, int i) {
    double dt = (double)(mo->t1_ns - mo->t0_ns) / (double)NS_PER_S;
    return fmin(mo->p[P_CPUS] * c->work[i], 1) * dt;
}

static void set_times(struct unit_row *row, const struct sim_moment *mo, uint64_t enabled) {
    row->enabled_ns = enabled;
    row->running_ns = (uint64_t)(mo->duty * (double)enabled);
}

static void add_thread(const struct sim_units *su, const struct sim_moment *mo,
                       const struct crowd *c, int i, struct unit_table *out) {
    const struct habit *h = &threads[i];
    double *value = out->value + (size_t)out->n * su->n_slot;
    if (overlap(h->period, h->from, h->to, mo->t0_ns, mo->t1_ns) == 0)
        return;
    struct unit_row *row = &out->row[out->n++];
    int turn = h->period ? (int)(mo->t0_ns / NS_PER_S) / h->period : 0;
    *row = (struct unit_row){.pid = PID, .tid = h->tid + turn, .cpu = home(mo, i)};
    str_copy(row->comm, sizeof(row->comm), h->name);
    row->busy = seconds_of(mo, c, i);
    row->fresh = mo->t0_ns > 0 && !lives(h, mo->t0_ns - 1);
    row->ended = !lives(h, mo->t1_ns);
    set_times(row, mo, (uint64_t)(row->busy * (double)NS_PER_S));
    for (uint32_t k = 0; k < su->n_slot; k++)
        value[k] = row->busy > 0 ? floor(su->count[(size_t)i * su->n_slot + k] + 0.5) : (double)NAN;
}

static void add_cpu(const struct sim_units *su, const struct sim_moment *mo, const struct crowd *c,
                    int cpu, struct unit_table *out) {
    double *value = out->value + (size_t)out->n * su->n_slot;
    struct unit_row *row = &out->row[out->n++];
    *row = (struct unit_row){.pid = -1, .tid = -1, .cpu = cpu};
    for (uint32_t k = 0; k < su->n_slot; k++)
        value[k] = 0;
    for (int i = 0; i < N_THREAD; i++) {
        double part = part_on(mo, i, cpu);
        row->busy += part * seconds_of(mo, c, i);
        for (uint32_t k = 0; k < su->n_slot; k++)
            value[k] += part * su->count[(size_t)i * su->n_slot + k];
    }
    set_times(row, mo, mo->t1_ns - mo->t0_ns);
}

int sim_units_fill(const struct sim_units *su, const struct sim_moment *mo,
                   struct unit_table *out) {
    struct crowd c;
    int rc = out->slot ? 0 : unit_table_init(out, su->slot, su->n_slot);
    if (rc == 0)
        rc = unit_table_reserve(out, N_THREAD + N_CPU);
    if (rc < 0)
        return rc;
    divide(mo, &c);
    for (int i = 0; i < N_THREAD; i++)
        count_thread(su, mo, &c, i);
    out->n = out->n_hidden = 0;
    for (int i = 0; i < N_THREAD; i++)
        add_thread(su, mo, &c, i, out);
    for (int cpu = 0; cpu < N_CPU; cpu++)
        add_cpu(su, mo, &c, cpu, out);
    return 0;
}
