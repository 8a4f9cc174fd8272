/* Runs as a measurement would leave them, from a seed, and whether two are the same. */
#ifndef TDTOP_TESTS_STORE_FIXTURE_H
#define TDTOP_TESTS_STORE_FIXTURE_H

#include "db/store.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FIX_GROUP = 8, FIX_NODES = 40 };

/* For mkdtemp, in memory where that is: hundreds of commits would wait for the disk. */
static inline void fix_folder(char folder[64]) {
    snprintf(folder, 64, "%s/tdtop-test-store-XXXXXX",
             access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
}

static inline int store_label(struct store *st, const char *id, const char *key, const char *value,
                              struct err *err) {
    return store_edit(st, id, &(struct label_change){key, value}, 1, NULL, err);
}

static inline uint32_t fix_random(uint64_t *seed) {
    *seed = *seed * 6364136223846793005ull + 1442695040888963407ull; /* Knuth, MMIX */
    return (uint32_t)(*seed >> 33);
}

static inline double fix_share(uint64_t *seed) {
    return (double)fix_random(seed) / 2147483648.0;
}

/* Slots in groups of eight that take turns, and one event without a slot. */
static inline void fix_layout(struct run *r, uint32_t slots) {
    char name[64];
    r->event = calloc(slots + 1, sizeof(*r->event));
    if (!r->event || layout_init(&r->layout, slots + 1, COUNT_NOT_SUPPORTED, slots) < 0)
        abort();
    for (uint32_t i = 0; i <= slots; i++) {
        snprintf(name, sizeof(name), "UNIT_%u.EVENT_%u:c%u", i / FIX_GROUP, i, i % 4);
        r->event[i] = strdup(name);
        if (i < slots)
            layout_add(&r->layout, (uint16_t)i, (uint16_t)(i / FIX_GROUP));
    }
    r->layout.n_pinned = 1;
}

/* Each slot has its own size, and moves around it; a group runs a part of the interval. */
static inline void fix_rows(struct run *r, uint64_t *seed, uint32_t rows) {
    struct sample s;
    if (sample_init(&s, r->layout.n_slot) < 0 || series_init(&r->series, &r->layout, 0) < 0)
        abort();
    const uint64_t length = r->interval_ns;
    for (uint32_t row = 0; row < rows; row++) {
        s.seq = row;
        s.t0_ns = row ? s.t1_ns : r->t0_ns;
        s.t1_ns = s.t0_ns + length + fix_random(seed) % 100000;
        s.target_threads = 5;
        uint64_t enabled = 0, running = 0;
        for (uint32_t i = 0; i < s.n_slot; i++) {
            if (i % FIX_GROUP == 0) {
                enabled = 4 * length + fix_random(seed) % 1000000;
                running = i ? (uint64_t)((double)enabled * (0.2 + 0.1 * fix_share(seed))) : enabled;
            }
            const double size = 1e5 * (double)(1 + (i * 7919) % 5000);
            const double raw = floor(size * (0.9 + 0.2 * fix_share(seed)));
            struct count *c = &s.at[i];
            *c = (struct count){.enabled_ns = enabled, .running_ns = running, .state = COUNT_OK};
            if (count_scale(raw, enabled, running, &c->value) < 0)
                abort();
            if (i == 3 && row % 16 == 5)
                *c = (struct count){.value = NAN, .enabled_ns = enabled, .state = COUNT_STALE};
        }
        if (series_push(&r->series, &s) < 0)
            abort();
    }
    r->t1_ns = s.t1_ns;
    sample_destroy(&s);
}

static inline void fix_node(struct run *r, uint64_t *seed, int i) {
    static const char *const top[] = {"Frontend_Bound", "Bad_Speculation", "Backend_Bound",
                                      "Retiring"};
    char name[64], path[128];
    snprintf(name, sizeof(name), "Node_%d", i);
    if (i < 4)
        strcpy(name, top[i]);
    snprintf(path, sizeof(path), "%s%s%s", i < 4 ? "" : top[i % 4], i < 4 ? "" : ".", name);
    struct run_node n = {.name = strdup(name),
                         .path = strdup(path),
                         .unit = strdup("percent"),
                         .level = i < 4 ? 1 : 2,
                         .good_up = i == 3,
                         .total = i == 6, /* a share never is one: it is kept all the same */
                         .better = (signed char)(i % 3 - 1),
                         .share = true,
                         .value = {.v = fix_share(seed),
                                   .err = 0.01,
                                   .duty = 0.25f,
                                   .state = VALUE_SCALED,
                                   .over = i == 2,
                                   .split = i == 4,
                                   .approx = i == 5},
                         .m = {.n = 60,
                               .mean = fix_share(seed),
                               .sd = 0.02,
                               .least = 0.1,
                               .most = 0.9,
                               .se = 0.003,
                               .dof = 11.5,
                               .effective_n = 44.0},
                         .reason = strdup("")};
    if (i % 10 == 9) {
        free(n.reason);
        n.reason = strdup("AN.EVENT: not supported");
        n.value = (struct value){.v = NAN, .err = NAN, .state = VALUE_NA};
        n.m = (struct moments_result){.mean = NAN, .sd = NAN, .least = NAN, .most = NAN, .se = NAN};
    }
    if (array_push(&r->node, n) < 0)
        abort();
}

static inline void fix_lists(struct run *r, uint64_t seed) {
    char value[32];
    snprintf(value, sizeof(value), "%llu", (unsigned long long)seed);
    if (run_label_set(r, "test", "fixture", false, NULL) < 0 ||
        run_label_set(r, "arch", "x86_64", true, NULL) < 0 ||
        run_label_set(r, "seed", value, false, NULL) < 0)
        abort();
    const struct run_fact facts[] = {{strdup("governor"), strdup("performance")},
                                     {strdup("kernel"), strdup("6.1.0")}};
    for (int i = 0; i < 2; i++)
        if (array_push(&r->fact, facts[i]) < 0)
            abort();
    if (array_push(&r->mark, (struct run_mark){r->t0_ns + 1, strdup("begin of the benchmark")}) < 0)
        abort();
}

static inline void fix_consts(struct run *r) {
    struct consts c;
    struct latency_setting latency = {.event = "MEM_LOAD_RETIRED.L1_HIT", .cycles = 12.5};
    consts_init(&c);
    c.value[CONST_EBS_MODE] = 0;
    c.fixed_by_user[CONST_EBS_MODE] = true;
    c.value[0] = 1.0 / 3;
    c.latency = &latency;
    c.n_latency = 1;
    if (run_set_consts(r, &c) < 0)
        abort();
}

/* Samples of a process with two functions of one module, the second called by the first. */
static inline void fix_hot(struct run *r, uint64_t *seed) {
    struct hot h = {.target = strdup("redis-server 4242"),
                    .asked = strdup("L3_Bound"),
                    .branches = true,
                    .no_branches = strdup(""),
                    .taken = {90, 80, 7, 60, 1234, 160, 14, 800.5, 70.25, 9, 9},
                    .n_recorded = 3,
                    .n_no_branch = 2,
                    .begun_ns = r->begun_ns,
                    .seconds = 2.5,
                    .cpu_s = 0.01,
                    .freq_hz = 999,
                    .n_lost = 7,
                    .n_cut = 3,
                    .system_wide = true};
    const struct hot_event event = {strdup("cycles"),
                                    strdup("precise"),
                                    strdup("CPU cycles"),
                                    strdup("it was asked for"),
                                    2,
                                    false};
    const struct hot_module module = {strdup("/usr/bin/redis-server"), strdup("file"), strdup(""),
                                      "0cf01a30", false};
    const struct hot_thread thread = {4242, 4243, strdup("io_thd_1")};
    int rc = array_push(&h.event, event) | array_push(&h.module, module) |
             array_push(&h.thread, thread) | array_push(&h.note, strdup("user space only"));
    for (uint32_t i = 0; i < 2; i++) {
        const struct hot_function f = {0, UINT64_MAX - 0x1000 * i, strdup(i ? "callee" : "caller"),
                                       strdup(i ? "a.c" : ""), i ? 42 : 0};
        const uint64_t n = 10 + fix_random(seed) % 1000;
        const struct hot_count c = {n, (double)n * 1.5, (double)n * 2.25};
        hot_add(&h.all, &c);
        rc |= array_push(&h.function, f) | array_push(&h.leaf, (struct hot_leaf){i, 0, f.start, c});
    }
    const struct hot_node nodes[] = {{HOT_NONE, HOT_NONE, 0, {0}},
                                     {0, 0, HOT_NONE, h.leaf.at[0].count},
                                     {1, 1, HOT_NONE, h.leaf.at[1].count}};
    for (size_t i = 0; i < 3; i++)
        rc |= array_push(&h.node, nodes[i]);
    for (uint32_t i = 0; i < 2; i++)
        rc |= array_push(&h.branch, (struct hot_branch){i,
                                                        1 - i,
                                                        UINT64_MAX - 0x1000 * i + 1,
                                                        7 + i,
                                                        strdup(i ? "b.c" : ""),
                                                        43 * i,
                                                        {40 + i, 30, 7 - i, 20, 99, 60, 14 - 2 * i,
                                                         400.5, 35, 9 - i, 2}});
    for (uint32_t i = 0; i < 2; i++)
        rc |=
            array_push(&h.access, (struct hot_access){.function = i,
                                                      .line = i ? ACCESS_NO_LINE : 0x7fff00001234,
                                                      .bytes = i ? 0 : 1ull << 63,
                                                      .source = i ? DATA_UNKNOWN : DATA_OTHER_CORE,
                                                      .sum = {{9 - i, 13.5, 20.25}, i, 7, 4321}});
    h.data = (struct hot_count){17, 27, 40.5};
    h.n_no_line = 8;
    if (rc | array_push(&r->hot, h))
        abort();
}

static inline bool fix_same_taken(const struct hot_taken *a, const struct hot_taken *b) {
    return a->n == b->n && a->n_told == b->n_told && a->n_missed == b->n_missed &&
           a->n_timed == b->n_timed && a->cycles == b->cycles && a->told == b->told &&
           a->missed == b->missed && a->told2 == b->told2 && a->told_missed == b->told_missed &&
           a->missed2 == b->missed2 && a->missed_all == b->missed_all;
}

static inline void fix_run(struct run *r, uint64_t seed, uint32_t rows, uint32_t slots) {
    uint64_t x = seed * 2654435761u + 1;
    *r = (struct run){.begun_ns = 1700000000000000000ll + (int64_t)seed * 1000000000ll,
                      .t0_ns = 5,
                      .interval_ns = 1000000000ull,
                      .process = strdup("redis-server"),
                      .target = strdup("redis-server 4242, 5 threads"),
                      .command = strdup("redis-server *:6379"),
                      .source = strdup("sim"),
                      .version = strdup("0.1.0"),
                      .note = strdup("a note"),
                      .parent = strdup(""),
                      .level = 2,
                      .simulated = true,
                      .ran_through = true,
                      .model = strdup("tiny"),
                      .model_text = strdup("name = 'tiny'\n"),
                      .warning = strdup(""),
                      .bottleneck = strdup("Backend_Bound.Node_6")};
    run_new_id(r->id);
    fix_layout(r, slots);
    fix_rows(r, &x, rows);
    r->measured_ns = r->t1_ns - r->t0_ns;
    r->ended_ns = r->begun_ns + (int64_t)r->measured_ns;
    for (int i = 0; i < FIX_NODES; i++)
        fix_node(r, &x, i);
    fix_lists(r, seed);
    fix_consts(r);
    fix_hot(r, &x);
}

/* ---- the same? NULL, or what differs ---- */

static inline bool fix_same_real(double a, double b) {
    return (isnan(a) && isnan(b)) || memcmp(&a, &b, sizeof(a)) == 0;
}

static inline bool fix_same_node(const struct run_node *a, const struct run_node *b) {
    return !strcmp(a->name, b->name) && !strcmp(a->path, b->path) && !strcmp(a->unit, b->unit) &&
           !strcmp(a->reason, b->reason) && a->level == b->level && a->good_up == b->good_up &&
           a->total == b->total && a->better == b->better && a->share == b->share &&
           fix_same_real(a->value.v, b->value.v) && fix_same_real(a->value.err, b->value.err) &&
           a->value.state == b->value.state && fix_same_real(a->value.duty, b->value.duty) &&
           a->value.over == b->value.over && a->value.approx == b->value.approx &&
           a->value.split == b->value.split && a->m.n == b->m.n &&
           fix_same_real(a->m.mean, b->m.mean) && fix_same_real(a->m.sd, b->m.sd) &&
           fix_same_real(a->m.least, b->m.least) && fix_same_real(a->m.most, b->m.most) &&
           fix_same_real(a->m.se, b->m.se) && fix_same_real(a->m.dof, b->m.dof) &&
           fix_same_real(a->m.effective_n, b->m.effective_n);
}

static inline const char *fix_differ_head(const struct run *a, const struct run *b) {
    const char *const texts[][3] = {
        {"id", a->id, b->id},
        {"process", a->process, b->process},
        {"target", a->target, b->target},
        {"command", a->command, b->command},
        {"source", a->source, b->source},
        {"version", a->version, b->version},
        {"note", a->note, b->note},
        {"parent", a->parent, b->parent},
        {"model", a->model, b->model},
        {"doubt", a->warning, b->warning},
        {"bottleneck", a->bottleneck, b->bottleneck},
    };
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        if (strcmp(texts[i][1], texts[i][2]) != 0)
            return texts[i][0];
    if (a->begun_ns != b->begun_ns || a->ended_ns != b->ended_ns || a->t0_ns != b->t0_ns ||
        a->t1_ns != b->t1_ns || a->measured_ns != b->measured_ns ||
        a->interval_ns != b->interval_ns || a->level != b->level ||
        a->system_wide != b->system_wide || a->simulated != b->simulated ||
        a->ran_through != b->ran_through)
        return "times, level or flags";
    if (a->node.n != b->node.n)
        return "number of nodes";
    for (size_t i = 0; i < a->node.n; i++)
        if (!fix_same_node(&a->node.at[i], &b->node.at[i]))
            return a->node.at[i].name;
    return NULL;
}

static inline const char *fix_differ_lists(const struct run *a, const struct run *b) {
    if (a->label.n != b->label.n || a->fact.n != b->fact.n || a->mark.n != b->mark.n)
        return "number of labels, facts or marks";
    for (size_t i = 0; i < a->label.n; i++) {
        const char *value = run_label_get(b, a->label.at[i].key);
        if (!value || strcmp(value, a->label.at[i].value) != 0)
            return a->label.at[i].key;
    }
    for (size_t i = 0; i < a->fact.n; i++)
        if (strcmp(a->fact.at[i].key, b->fact.at[i].key) != 0 ||
            strcmp(a->fact.at[i].value, b->fact.at[i].value) != 0)
            return a->fact.at[i].key;
    for (size_t i = 0; i < a->mark.n; i++)
        if (a->mark.at[i].t_ns != b->mark.at[i].t_ns ||
            strcmp(a->mark.at[i].name, b->mark.at[i].name) != 0)
            return "marks";
    for (int i = 0; i < CONST_N; i++)
        if (!fix_same_real(a->consts.value[i], b->consts.value[i]) ||
            a->consts.fixed_by_user[i] != b->consts.fixed_by_user[i])
            return const_name((enum const_id)i);
    if (a->consts.n_latency != b->consts.n_latency)
        return "number of latencies";
    for (uint32_t i = 0; i < a->consts.n_latency; i++)
        if (strcmp(a->consts.latency[i].event, b->consts.latency[i].event) != 0 ||
            a->consts.latency[i].cycles != b->consts.latency[i].cycles)
            return "latencies";
    return NULL;
}

static inline const char *fix_differ_counts(const struct run *a, const struct run *b) {
    if (a->layout.n_slot != b->layout.n_slot || a->layout.n_group != b->layout.n_group ||
        a->layout.n_event != b->layout.n_event ||
        a->layout.no_perf_metrics != b->layout.no_perf_metrics ||
        a->layout.n_pinned != b->layout.n_pinned)
        return "layout";
    for (uint32_t i = 0; i < a->layout.n_event; i++)
        if (strcmp(a->event[i], b->event[i]) != 0 || a->layout.missing[i] != b->layout.missing[i])
            return a->event[i];
    for (uint32_t i = 0; i < a->layout.n_slot; i++)
        if (a->layout.slot[i].event != b->layout.slot[i].event ||
            a->layout.slot[i].group != b->layout.slot[i].group)
            return "slots";
    if (series_chunks(&a->series) != series_chunks(&b->series) ||
        series_rows(&a->series) != series_rows(&b->series))
        return "number of intervals";
    for (uint32_t i = 0; i < series_chunks(&a->series); i++) {
        const struct series_chunk p = series_chunk_at(&a->series, i);
        const struct series_chunk q = series_chunk_at(&b->series, i);
        if (p.t0_ns != q.t0_ns || p.t1_ns != q.t1_ns || p.n_row != q.n_row ||
            p.n_byte != q.n_byte || memcmp(p.at, q.at, p.n_byte) != 0)
            return "chunks";
    }
    return strcmp(a->model_text, b->model_text) != 0 ? "model text" : NULL;
}

static inline bool fix_same_count(const struct hot_count *a, const struct hot_count *b) {
    return a->n == b->n && fix_same_real(a->weight, b->weight) &&
           fix_same_real(a->square, b->square);
}

static inline const char *fix_differ_one(const struct hot *a, const struct hot *b) {
    if (strcmp(a->target, b->target) != 0 || strcmp(a->asked, b->asked) != 0 ||
        a->begun_ns != b->begun_ns || a->seconds != b->seconds || a->cpu_s != b->cpu_s ||
        a->freq_hz != b->freq_hz || !fix_same_count(&a->all, &b->all) || a->n_lost != b->n_lost ||
        a->n_cut != b->n_cut || a->user_only != b->user_only || a->system_wide != b->system_wide)
        return "head of samples";
    if (a->event.n != b->event.n || a->note.n != b->note.n || a->module.n != b->module.n ||
        a->function.n != b->function.n || a->thread.n != b->thread.n || a->leaf.n != b->leaf.n ||
        a->node.n != b->node.n)
        return "numbers of samples";
    for (size_t i = 0; i < a->event.n; i++)
        if (strcmp(a->event.at[i].name, b->event.at[i].name) != 0 ||
            strcmp(a->event.at[i].why, b->event.at[i].why) != 0 ||
            a->event.at[i].precise_ip != b->event.at[i].precise_ip)
            return "events of samples";
    for (size_t i = 0; i < a->note.n; i++)
        if (strcmp(a->note.at[i], b->note.at[i]) != 0)
            return "notes of samples";
    for (size_t i = 0; i < a->module.n; i++)
        if (strcmp(a->module.at[i].path, b->module.at[i].path) != 0 ||
            strcmp(a->module.at[i].kind, b->module.at[i].kind) != 0 ||
            strcmp(a->module.at[i].build_id, b->module.at[i].build_id) != 0)
            return "modules of samples";
    for (size_t i = 0; i < a->function.n; i++)
        if (strcmp(a->function.at[i].name, b->function.at[i].name) != 0 ||
            strcmp(a->function.at[i].file, b->function.at[i].file) != 0 ||
            a->function.at[i].start != b->function.at[i].start ||
            a->function.at[i].line != b->function.at[i].line)
            return "functions of samples";
    for (size_t i = 0; i < a->thread.n; i++)
        if (strcmp(a->thread.at[i].name, b->thread.at[i].name) != 0 ||
            a->thread.at[i].tid != b->thread.at[i].tid)
            return "threads of samples";
    for (size_t i = 0; i < a->leaf.n; i++)
        if (a->leaf.at[i].function != b->leaf.at[i].function ||
            a->leaf.at[i].offset != b->leaf.at[i].offset ||
            !fix_same_count(&a->leaf.at[i].count, &b->leaf.at[i].count))
            return "places of samples";
    for (size_t i = 0; i < a->node.n; i++)
        if (a->node.at[i].parent != b->node.at[i].parent ||
            a->node.at[i].function != b->node.at[i].function ||
            a->node.at[i].thread != b->node.at[i].thread ||
            !fix_same_count(&a->node.at[i].count, &b->node.at[i].count))
            return "stacks of samples";
    if (a->branches != b->branches || strcmp(a->no_branches, b->no_branches) != 0 ||
        a->n_recorded != b->n_recorded || a->n_no_branch != b->n_no_branch ||
        !fix_same_taken(&a->taken, &b->taken) || a->branch.n != b->branch.n)
        return "branch records of samples";
    for (size_t i = 0; i < a->branch.n; i++) {
        const struct hot_branch *x = &a->branch.at[i], *y = &b->branch.at[i];
        if (x->from != y->from || x->to != y->to || x->from_offset != y->from_offset ||
            x->to_offset != y->to_offset || strcmp(x->file, y->file) != 0 || x->line != y->line ||
            !fix_same_taken(&x->count, &y->count))
            return "branches of samples";
    }
    if (!fix_same_count(&a->data, &b->data) || a->n_no_line != b->n_no_line ||
        a->access.n != b->access.n)
        return "samples with an address";
    for (size_t i = 0; i < a->access.n; i++) {
        const struct hot_access *x = &a->access.at[i], *y = &b->access.at[i];
        if (x->function != y->function || x->thread != y->thread || x->line != y->line ||
            x->bytes != y->bytes || x->source != y->source ||
            !fix_same_count(&x->sum.count, &y->sum.count) || x->sum.n_store != y->sum.n_store ||
            x->sum.n_timed != y->sum.n_timed || x->sum.cycles != y->sum.cycles)
            return "accesses of samples";
    }
    return NULL;
}

static inline const char *fix_differ_hot(const struct run *a, const struct run *b) {
    const char *what = a->hot.n == b->hot.n ? NULL : "number of samples";
    for (size_t i = 0; !what && i < a->hot.n; i++)
        what = fix_differ_one(&a->hot.at[i], &b->hot.at[i]);
    return what;
}

static inline const char *fix_differ(const struct run *a, const struct run *b) {
    const char *what = fix_differ_head(a, b);
    if (!what)
        what = fix_differ_lists(a, b);
    if (!what)
        what = fix_differ_hot(a, b);
    return what ? what : fix_differ_counts(a, b);
}

#endif
