#include "session/hot_take.h"

#include "base/clock.h"
#include "base/str.h"
#include "model/hot/hot_index.h"
#include "session/hot_lines.h"
#include "session/hot_module.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct taking {
    struct hot *h;
    const struct hot_source *from;
    struct names *names;
    const struct hot_options *opt;
    struct hot_index functions, threads, nodes, accesses;
    uint32_t *module; /* [n_module] number + 1 in h; 0: not yet */
};

static int keep(char **to, const char *text) {
    *to = strdup(text ? text : "");
    return *to ? 0 : -ENOMEM;
}

/* ---- modules, functions, threads ---- */

static uint32_t module_number(const struct taking *t, uint32_t id) {
    return id < t->from->n_module ? id : MODULES_UNKNOWN;
}

static void put_build_id(struct taking *t, struct hot_module *to, const struct module *m) {
    uint8_t id[BUILD_ID_MAX];
    const int n =
        t->opt->known ? names_build_id_known(t->names, m, id) : names_build_id(t->names, m, id);
    for (int i = 0; i < n; i++)
        snprintf(to->build_id + 2 * i, 3, "%02x", id[i]);
}

static int take_module(struct taking *t, uint32_t id, uint32_t *number) {
    const struct module *m = &t->from->module[id];
    *number = t->module[id] - 1;
    if (t->module[id])
        return 0;
    struct hot_module to = {.deleted = m->deleted};
    char path[4096];
    str_safe(path, sizeof(path), m->path ? m->path : "");
    int rc = keep(&to.path, path);
    if (rc == 0)
        rc = keep(&to.kind, hot_module_kind(m->kind));
    if (rc == 0)
        rc = keep(&to.lack, ""); /* known once its functions were asked for */
    put_build_id(t, &to, m);
    if (rc == 0)
        rc = array_push(&t->h->module, to);
    if (rc < 0) {
        free(to.path);
        free(to.kind);
        free(to.lack);
        return rc;
    }
    *number = (uint32_t)t->h->module.n - 1;
    t->module[id] = *number + 1;
    return 0;
}

static int name_place(const struct taking *t, const struct module *m, uint64_t offset,
                      struct function *f) {
    return t->opt->known ? names_peek(t->names, m, offset, f)
                         : names_function(t->names, m, offset, f);
}

/* The function that a place lies in; without a name each address is one of its own. */
static int take_function(struct taking *t, const struct place *at, uint32_t *number) {
    const uint32_t id = module_number(t, at->module);
    const struct module *m = &t->from->module[id];
    char own[HOT_NAME];
    struct function f;
    if (name_place(t, m, at->offset, &f) < 0) {
        char path[256];
        str_safe(path, sizeof(path), str_base_name(m->path ? m->path : ""));
        snprintf(own, sizeof(own), "%s+0x%" PRIx64, path, at->offset);
        f = (struct function){.name = own, .start = at->offset};
    }
    uint32_t *seat = hot_index_at(&t->functions, id, f.start, 0);
    if (*seat == 0) {
        struct hot_function to = {.start = f.start};
        const char *file = "";
        if (t->from->line)
            t->from->line(t->from->user, id, f.start, &file, &to.line);
        int rc = take_module(t, id, &to.module);
        str_copy(own, sizeof(own), f.name);
        if (rc == 0)
            rc = keep(&to.name, own);
        if (rc == 0)
            rc = keep(&to.file, file);
        if (rc == 0)
            rc = array_push(&t->h->function, to);
        if (rc < 0) {
            free(to.name);
            free(to.file);
            return rc;
        }
        *seat = (uint32_t)t->h->function.n;
    }
    *number = *seat - 1;
    return 0;
}

static int take_thread(struct taking *t, pid_t pid, pid_t tid, uint32_t *number) {
    uint32_t *seat = hot_index_at(&t->threads, (uint64_t)pid, (uint64_t)tid, 0);
    if (*seat == 0) {
        char name[COMM_SIZE] = "";
        struct hot_thread to = {.pid = pid, .tid = tid};
        if (!t->from->comm(t->from->user, pid, tid, name))
            name[0] = '\0';
        int rc = keep(&to.name, name);
        if (rc == 0)
            rc = array_push(&t->h->thread, to);
        if (rc < 0) {
            free(to.name);
            return rc;
        }
        *seat = (uint32_t)t->h->thread.n;
    }
    *number = *seat - 1;
    return 0;
}

/* ---- places ---- */

static int greatest_first(const void *a, const void *b) {
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x < y) - (x > y);
}

/* How many samples something has at least, of the `most` with most; 1 if all are kept. UINT64_MAX:
 * no memory. */
static uint64_t least_of(const uint64_t *n, uint32_t count, uint32_t most) {
    if (count <= most)
        return 1;
    uint64_t *order = malloc(count * sizeof(*order));
    if (!order)
        return UINT64_MAX;
    memcpy(order, n, count * sizeof(*order));
    qsort(order, count, sizeof(*order), greatest_first);
    uint64_t least = order[most - 1];
    if (order[most] == least) /* those that are alike go together */
        least++;
    free(order);
    return least ? least : 1;
}

static int take_leaves(struct taking *t) {
    const struct tally_copy *c = t->from->copy;
    uint64_t *n = calloc(c->n_leaf + 1u, sizeof(*n));
    if (!n)
        return -ENOMEM;
    for (uint32_t i = 0; i < c->n_leaf; i++)
        n[i] = i == TALLY_OTHER ? 0 : c->leaf_count[i].n;
    const uint64_t least = least_of(n, c->n_leaf, t->opt->leaves ? t->opt->leaves : HOT_LEAVES);
    int rc = least == UINT64_MAX ? -ENOMEM : 0;
    for (uint32_t i = 0; rc == 0 && i < c->n_leaf; i++) {
        struct hot_leaf to = {.offset = c->leaf[i].at.offset, .count = c->leaf_count[i]};
        if (n[i] < least) {
            t->h->n_no_leaf += n[i];
            continue;
        }
        rc = take_function(t, &c->leaf[i].at, &to.function);
        if (rc == 0)
            rc = take_thread(t, c->leaf[i].pid, c->leaf[i].tid, &to.thread);
        if (rc == 0)
            rc = array_push(&t->h->leaf, to);
    }
    free(n);
    return rc;
}

/* ---- stacks ---- */

/* One node: places of one function are one. *number: of its parent, then its own. */
static int take_node(struct taking *t, const struct tally_node *n, uint32_t *number) {
    const bool process = n->at.module == TALLY_PROCESS;
    struct hot_node to = {.parent = *number, .function = HOT_NONE, .thread = HOT_NONE};
    const pid_t pid = process ? (pid_t)n->at.offset : 0;
    int rc =
        process ? take_thread(t, pid, pid, &to.thread) : take_function(t, &n->at, &to.function);
    if (rc < 0)
        return rc;
    uint32_t *seat = hot_index_at(&t->nodes, to.parent, to.function, to.thread);
    if (*seat == 0) {
        if (array_push(&t->h->node, to) < 0)
            return -ENOMEM;
        *seat = (uint32_t)t->h->node.n;
    }
    *number = *seat - 1;
    return 0;
}

/* Parents come before their children: sums go up backwards, numbers down forwards. A node with too
 * few samples below is not kept, and what ended there ends in its parent. */
static int take_nodes(struct taking *t) {
    const struct tally_copy *c = t->from->copy;
    uint64_t *sum = calloc(c->n_node + 1u, sizeof(*sum));
    uint32_t *number = calloc(c->n_node + 1u, sizeof(*number));
    int rc = sum && number ? 0 : -ENOMEM;
    for (uint32_t i = c->n_node; rc == 0 && i-- > 0;) {
        sum[i] += c->node_count[i].n;
        if (i != TALLY_ROOT)
            sum[c->node[i].parent] += sum[i];
    }
    const uint64_t least =
        rc == 0 ? least_of(sum, c->n_node, t->opt->nodes ? t->opt->nodes : HOT_NODES) : 0;
    rc = least == UINT64_MAX ? -ENOMEM : rc;
    for (uint32_t i = 0; rc == 0 && i < c->n_node; i++) {
        const struct hot_count own = c->node_count[i];
        number[i] = i == TALLY_ROOT ? HOT_NONE : number[c->node[i].parent];
        const bool kept = i != TALLY_ROOT && sum[i] >= least &&
                          (number[i] != HOT_NONE || c->node[i].at.module == TALLY_PROCESS);
        if (kept)
            rc = take_node(t, &c->node[i], &number[i]);
        else if (i != TALLY_ROOT) /* those were counted by the tally */
            t->h->n_cut += own.n;
        if (rc == 0 && number[i] != HOT_NONE)
            hot_add(&t->h->node.at[number[i]].count, &own);
    }
    free(sum);
    free(number);
    return rc;
}

/* ---- branches ---- */

static int by_missed(const void *a, const void *b, void *user) {
    const struct tally_branch *all = user;
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    const int order = hot_taken_order(&all[x].count, &all[y].count);
    return order ? order : (x > y) - (x < y);
}

static int take_branch(struct taking *t, uint32_t i) {
    const struct tally_branch *b = &t->from->copy->branch[i];
    struct hot_branch to = {
        .from_offset = b->from.offset, .to_offset = b->to.offset, .count = b->count};
    const char *file = "";
    if (t->from->branch_line)
        t->from->branch_line(t->from->user, i, &file, &to.line);
    int rc = take_function(t, &b->from, &to.from);
    if (rc == 0)
        rc = take_function(t, &b->to, &to.to);
    if (rc == 0)
        rc = keep(&to.file, file);
    if (rc == 0)
        rc = array_push(&t->h->branch, to);
    if (rc < 0)
        free(to.file);
    return rc;
}

/* Those that were mispredicted most. */
static int take_branches(struct taking *t) {
    const struct tally_copy *c = t->from->copy;
    uint32_t *order = calloc(c->n_branch + 1u, sizeof(*order));
    int rc = order ? 0 : -ENOMEM;
    for (uint32_t i = 0; order && i < c->n_branch; i++)
        order[i] = i;
    if (rc == 0 && c->n_branch)
        qsort_r(order, c->n_branch, sizeof(*order), by_missed, c->branch);
    for (uint32_t i = 0; rc == 0 && i < c->n_branch; i++) {
        if (i < HOT_BRANCHES)
            rc = take_branch(t, order[i]);
        else
            t->h->n_no_branch += c->branch[order[i]].count.n;
    }
    free(order);
    hot_sort_branches(t->h);
    return rc;
}

/* ---- accesses ---- */

static int take_access(struct taking *t, const struct tally_access *a) {
    const struct tally_leaf *leaf = &t->from->copy->leaf[a->leaf];
    struct hot_access to = {.line = a->line, .bytes = a->bytes, .source = a->source, .sum = a->sum};
    int rc = take_function(t, &leaf->at, &to.function);
    if (rc == 0)
        rc = take_thread(t, leaf->pid, leaf->tid, &to.thread);
    if (rc < 0)
        return rc;
    uint32_t *seat = hot_index_at(&t->accesses, (uint64_t)to.function << 32 | to.thread, to.line,
                                  (uint64_t)to.source);
    if (*seat) {
        struct hot_access *is = &t->h->access.at[*seat - 1];
        access_add(&is->sum, &to.sum);
        is->bytes |= to.bytes;
        return 0;
    }
    rc = array_push(&t->h->access, to);
    *seat = (uint32_t)t->h->access.n;
    return rc;
}

static int take_accesses(struct taking *t) {
    const struct tally_copy *c = t->from->copy;
    int rc = 0;
    for (uint32_t i = 0; i < c->n_access && rc == 0; i++)
        if (c->access[i].leaf != TALLY_OTHER)
            rc = take_access(t, &c->access[i]);
    hot_fold_accesses(t->h, HOT_ACCESSES);
    return rc;
}

/* ---- source lines ---- */

static void module_of(void *user, uint32_t number, struct module *m) {
    const struct taking *t = user;
    *m = (struct module){.kind = MODULE_UNKNOWN};
    for (uint32_t k = 0; k < t->from->n_module; k++)
        if (t->module[k] == number + 1)
            *m = t->from->module[k];
}

static int take_lines(struct taking *t) {
    return t->opt->lines ? hot_lines(t->h, t->names, t->opt->lines, module_of, t) : 0;
}

/* ---- what else is to be said ---- */

static int note(struct hot *h, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static int note(struct hot *h, const char *fmt, ...) {
    char text[512];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    char *own = strdup(text);
    const int rc = own ? array_push(&h->note, own) : -ENOMEM;
    if (rc < 0)
        free(own);
    return rc;
}

static int take_notes(struct taking *t) {
    const struct sampling_info *i = t->from->info;
    int rc = 0;
    if (i->user_only && !t->opt->user_asked)
        rc = note(t->h,
                  "user space only: kernel.perf_event_paranoid is %d; root, cap_perfmon or sysctl "
                  "kernel.perf_event_paranoid=1 show the kernel's share, too",
                  t->opt->paranoid);
    if (rc == 0 && i->system_wide)
        rc = note(t->h,
                  "too many threads for an event each: all CPUs are sampled, and %llu samples of "
                  "others left out",
                  (unsigned long long)i->n_foreign);
    if (rc == 0 && i->n_left_out)
        rc = note(t->h, "%u of %u threads are left out, those that have run least: raise ulimit -n",
                  i->n_left_out, i->n_left_out + i->n_thread);
    if (rc == 0 && sampling_broken(i) > 0)
        rc = note(t->h,
                  "callers of %.0f%% of the samples are no code: built without frame pointers "
                  "(-fno-omit-frame-pointer has them)",
                  100 * sampling_broken(i));
    if (rc == 0 && i->n_asleep)
        rc = note(t->h,
                  "%u thread%s blocked all the time: on what is not known, and it is not counted",
                  i->n_asleep, i->n_asleep == 1 ? "" : "s");
    if (rc == 0 && i->no_counter > SAMPLING_NO_COUNTER)
        rc =
            note(t->h,
                 "its counter was taken by others for %.0f%% of the time: another tool, or the NMI "
                 "watchdog; samples are of the rest",
                 100 * i->no_counter);
    if (rc == 0 && i->ring_pages < i->ring_wanted)
        rc = note(t->h,
                  "ring buffers of %u pages, not %u, may be locked: sysctl "
                  "kernel.perf_event_mlock_kb, or ulimit -l, permits more",
                  i->ring_pages, i->ring_wanted);
    return rc;
}

static int take_lacks(struct taking *t) {
    char lack[NAMES_LACK];
    for (uint32_t i = 0; i < t->from->n_module; i++) {
        if (!t->module[i] || !names_lack(t->names, &t->from->module[i], lack, sizeof(lack))[0])
            continue;
        char *own = strdup(lack);
        if (!own)
            return -ENOMEM;
        struct hot_module *m = &t->h->module.at[t->module[i] - 1];
        free(m->lack);
        m->lack = own;
    }
    return 0;
}

static int take_events(struct taking *t) {
    const struct sampling_info *info = t->from->info;
    for (int i = 0; i < info->n_event; i++) {
        const struct sampling_event *e = &info->event[i];
        if (array_push(&t->h->event,
                       (struct hot_event){.precise_ip = e->precise_ip, .clock = e->clock}) < 0)
            return -ENOMEM;
        struct hot_event *to = &t->h->event.at[t->h->event.n - 1];
        if (keep(&to->name, e->name) < 0 || keep(&to->precision, e->precision) < 0 ||
            keep(&to->of, e->of) < 0 || keep(&to->why, e->why) < 0)
            return -ENOMEM;
    }
    return 0;
}

static void take_numbers(struct taking *t) {
    const struct sampling_info *i = t->from->info;
    const struct tally_total *total = &t->from->copy->total;
    struct hot *h = t->h;
    h->begun_ns = (int64_t)(clock_wall_ns() - (uint64_t)(t->opt->seconds * 1e9));
    h->seconds = t->opt->seconds;
    h->cpu_s = (double)i->cpu_ns / 1e9;
    h->freq_hz = i->freq_hz;
    h->all = total->all;
    h->n_exact = total->n_exact;
    h->n_kernel = total->n_kernel;
    h->n_unknown = total->n_unknown;
    h->n_lost = i->n_lost;
    h->n_throttled = i->n_throttled;
    h->n_foreign = i->n_foreign;
    h->n_garbled = i->n_garbled;
    h->n_no_room = i->n_evicted;
    h->n_unreadable = i->n_unreadable;
    h->n_reopened = i->n_reopened;
    h->n_left_out = i->n_left_out;
    h->n_no_leaf = total->n_no_leaf;
    h->n_cut = total->n_cut;
    h->user_only = i->user_only;
    h->system_wide = i->system_wide;
    h->branches = i->branches;
    h->taken = total->taken;
    h->n_recorded = total->n_recorded;
    h->n_no_branch = total->n_no_branch;
    h->data = total->data;
    h->n_no_line = total->n_no_line;
}

/* ---- all of it ---- */

int hot_take(struct hot *out, const struct hot_source *from, struct names *names,
             const struct hot_options *opt) {
    static int (*const parts[])(struct taking *) = {take_events,   take_leaves,   take_nodes,
                                                    take_branches, take_accesses, take_lines,
                                                    take_lacks,    take_notes};
    struct taking t = {.h = out, .from = from, .names = names, .opt = opt};
    const size_t n = (size_t)from->copy->n_leaf + from->copy->n_node +
                     2 * (size_t)from->copy->n_branch + from->copy->n_access;
    *out = (struct hot){0};
    take_numbers(&t);
    t.module = calloc(from->n_module + 1u, sizeof(*t.module));
    int rc = t.module ? keep(&out->target, opt->target) : -ENOMEM;
    if (rc == 0)
        rc = keep(&out->asked, opt->asked);
    if (rc == 0)
        rc = keep(&out->no_branches, from->info->no_branches);
    if (rc == 0)
        rc = hot_index_init(&t.functions, n);
    if (rc == 0)
        rc = hot_index_init(&t.threads, n);
    if (rc == 0)
        rc = hot_index_init(&t.nodes, n);
    if (rc == 0)
        rc = hot_index_init(&t.accesses, from->copy->n_access);
    for (size_t i = 0; rc == 0 && i < sizeof(parts) / sizeof(parts[0]); i++)
        rc = parts[i](&t);
    hot_index_free(&t.functions);
    hot_index_free(&t.threads);
    hot_index_free(&t.nodes);
    hot_index_free(&t.accesses);
    free(t.module);
    if (rc < 0)
        hot_free(out);
    return rc;
}

static bool comm_of(void *user, pid_t pid, pid_t tid, char name[COMM_SIZE]) {
    return sampling_comm(user, pid, tid, name);
}

int hot_take_now(struct hot *out, struct sampling *s, struct names *names,
                 const struct hot_options *opt) {
    struct tally_copy copy = {0};
    struct sampling_info info;
    *out = (struct hot){0};
    int rc = sampling_read(s, &copy);
    sampling_info(s, &info);
    const uint32_t n = sampling_modules(s);
    struct module *module = calloc(n + 1u, sizeof(*module));
    if (!module)
        rc = -ENOMEM;
    for (uint32_t i = 0; module && i < n; i++)
        sampling_module(s, i, &module[i]);
    if (rc == 0)
        rc = hot_take(out,
                      &(struct hot_source){.copy = &copy,
                                           .info = &info,
                                           .module = module,
                                           .n_module = n,
                                           .comm = comm_of,
                                           .user = s},
                      names, opt);
    free(module);
    tally_copy_free(&copy);
    return rc;
}
