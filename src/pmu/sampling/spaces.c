#include "pmu/sampling/spaces.h"

#include "base/clock.h"
#include "base/sort.h"
#include "base/str.h"
#include "pmu/host/proc_lines.h"
#include "pmu/sampling/hash.h"
#include "pmu/sampling/maps.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- the mappings of one space ---- */

/* The first that ends behind addr. */
static size_t search(const struct space *s, uint64_t addr) {
    size_t i;
    SORT_FIRST(i, s->map.n, s->map.at[i].end > addr);
    return i;
}

static void remove_at(struct spaces *sp, struct space *s, size_t i, size_t n) {
    if (!n)
        return;
    memmove(&s->map.at[i], &s->map.at[i + n], (s->map.n - i - n) * sizeof(*s->map.at));
    s->map.n -= n;
    sp->n_mapping -= n;
}

static bool insert_at(struct spaces *sp, struct space *s, size_t i, struct mapping m) {
    if (array_push(&s->map, m) < 0)
        return false;
    memmove(&s->map.at[i + 1], &s->map.at[i], (s->map.n - 1 - i) * sizeof(*s->map.at));
    s->map.at[i] = m;
    sp->n_mapping++;
    return true;
}

/* Takes start to end out of what is there; a mapping around it becomes two. */
static void cut(struct spaces *sp, struct space *s, uint64_t start, uint64_t end) {
    size_t i = search(s, start), n = 0;
    if (i < s->map.n && s->map.at[i].start < start) {
        struct mapping *m = &s->map.at[i], behind = *m;
        behind.offset += end - m->start;
        behind.start = end;
        m->end = start;
        i++;
        if (behind.end > end) {
            if (!insert_at(sp, s, i, behind))
                sp->n_dropped++;
            return;
        }
    }
    while (i + n < s->map.n && s->map.at[i + n].end <= end)
        n++;
    remove_at(sp, s, i, n);
    if (i < s->map.n && s->map.at[i].start < end) {
        s->map.at[i].offset += end - s->map.at[i].start;
        s->map.at[i].start = end;
    }
}

static void clear(struct spaces *sp, struct space *s) {
    remove_at(sp, s, 0, s->map.n);
}

/* ---- the table of spaces ---- */

static uint32_t *bucket(struct spaces *sp, pid_t pid) {
    return &sp->hash[hash_add(0, (uint64_t)pid) & (sp->n_hash - 1)];
}

static struct space *find(struct spaces *sp, pid_t pid) {
    for (uint32_t i = *bucket(sp, pid); i; i = sp->at[i - 1].next)
        if (sp->at[i - 1].pid == pid)
            return &sp->at[i - 1];
    return NULL;
}

static void drop(struct spaces *sp, struct space *s) {
    uint32_t *from = bucket(sp, s->pid);
    const uint32_t me = (uint32_t)(s - sp->at) + 1;
    while (*from != me)
        from = &sp->at[*from - 1].next;
    *from = s->next;
    clear(sp, s);
    array_free(&s->map);
    *s = (struct space){.next = sp->first_free};
    sp->first_free = me;
    sp->n_used--;
}

/* Drops the one of least use: those that have ended first. False if there is none but `not`. */
static bool evict(struct spaces *sp, const struct space * not ) {
    struct space *worst = NULL;
    for (uint32_t i = 0; i < sp->limits.spaces; i++) {
        struct space *s = &sp->at[i];
        if (s->pid && s != not &&(!worst || s->ended > worst->ended ||
                                  (s->ended == worst->ended && s->asked < worst->asked)))
            worst = s;
    }
    if (!worst)
        return false;
    sp->n_evicted += !worst->ended;
    drop(sp, worst);
    return true;
}

/* An empty one, that of the process if it has one. Never NULL: there is room for one at least. */
static struct space *begin(struct spaces *sp, pid_t pid) {
    struct space *s = find(sp, pid);
    if (!s) {
        if (!sp->first_free)
            evict(sp, NULL);
        s = &sp->at[sp->first_free - 1];
        sp->first_free = s->next;
        *s = (struct space){.pid = pid, .next = *bucket(sp, pid), .asked = ++sp->clock};
        *bucket(sp, pid) = (uint32_t)(s - sp->at) + 1;
        sp->n_used++;
    }
    clear(sp, s);
    s->known = s->ended = false;
    s->read_ns = 0;
    return s;
}

static bool has_room(struct spaces *sp, const struct space *s, size_t n) {
    while (sp->n_mapping + n > sp->limits.mappings)
        if (!evict(sp, s)) {
            sp->n_dropped++;
            return false;
        }
    return true;
}

/* ---- one mapping more ---- */

static void map(struct spaces *sp, struct space *s, const struct module *m) {
    struct module named;
    if (m->end <= m->start || !has_room(sp, s, 2)) /* a cut may make two of one */
        return;
    maps_name(m, s->pid, &named);
    const bool by_address = named.kind != MODULE_FILE && named.kind != MODULE_VDSO;
    const uint64_t offset = by_address ? m->start : named.kind == MODULE_VDSO ? 0 : m->pgoff;
    cut(sp, s, m->start, m->end);
    const struct mapping new = {m->start, m->end, offset, modules_add(sp->modules, &named)};
    if (!insert_at(sp, s, search(s, m->start), new))
        sp->n_dropped++;
}

/* ---- from /proc ---- */

int spaces_read(struct spaces *sp, pid_t pid) {
    char path[512], buf[8192], *line;
    struct space *s = begin(sp, pid);
    snprintf(path, sizeof(path), "%s/proc/%d/maps", sp->root, (int)pid);
    s->read_ns = sp->timed ? clock_now_ns() : 0;
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    int rc = fd < 0 ? -errno : 0;
    struct proc_lines lines = proc_lines_of(fd, buf, sizeof(buf));
    while ((line = proc_lines_next(&lines))) {
        struct module m;
        if (maps_line(line, &m)) {
            maps_build_id(fd, &m);
            map(sp, s, &m);
        }
    }
    if (fd >= 0)
        close(fd);
    s->known = rc == 0;
    sp->n_unreadable += rc != 0;
    return rc;
}

/* ---- from records ---- */

/* Is it of a time that the reading of maps has in it? */
static bool is_old(const struct space *s, const struct record *r) {
    return r->time && r->time < s->read_ns;
}

static void follow_mmap(struct spaces *sp, const struct record *r) {
    struct space *s = find(sp, r->pid);
    if (!s || !s->known || is_old(s, r) || !r->mmap.executable)
        return; /* what is not known is read as a whole when it is asked for */
    struct module m = {.start = r->mmap.start,
                       .end = r->mmap.start + r->mmap.len,
                       .pgoff = r->mmap.pgoff,
                       .dev_major = r->mmap.dev_major,
                       .dev_minor = r->mmap.dev_minor,
                       .ino = r->mmap.ino,
                       .ino_generation = r->mmap.ino_generation,
                       .n_build_id = r->mmap.n_build_id,
                       .path = r->mmap.path};
    memcpy(m.build_id, r->mmap.build_id, sizeof(m.build_id));
    map(sp, s, &m);
}

/* A new program: nothing of the old one is mapped. */
static void follow_exec(struct spaces *sp, const struct record *r) {
    struct space *s = find(sp, r->pid);
    if (s && is_old(s, r))
        return;
    s = begin(sp, r->pid);
    s->known = true;
}

/* A new process has its parent's mappings. */
static void follow_fork(struct spaces *sp, const struct record *r) {
    struct space *parent = find(sp, r->fork.ppid), *s = find(sp, r->pid);
    if (r->pid == r->fork.ppid || (s && is_old(s, r)))
        return; /* a thread */
    if (s)
        drop(sp, s); /* an older process of that number */
    if (!parent || !parent->known)
        return;
    const pid_t ppid = parent->pid;
    s = begin(sp, r->pid); /* it may have taken the place of the parent */
    parent = find(sp, ppid);
    if (!parent || !has_room(sp, s, parent->map.n) || !(parent = find(sp, ppid)))
        return;
    for (size_t i = 0; i < parent->map.n; i++)
        if (!insert_at(sp, s, i, parent->map.at[i]))
            sp->n_dropped++;
    s->known = true;
}

static void follow_exit(struct spaces *sp, const struct record *r) {
    struct space *s = find(sp, r->pid);
    if (s && r->pid == r->tid && !is_old(s, r))
        s->ended = true; /* other threads may go on: it stays while there is room */
}

static void follow_ksymbol(struct spaces *sp, const struct record *r) {
    const uint64_t start = r->ksymbol.addr, end = start + r->ksymbol.len;
    if (end <= start)
        return;
    cut(sp, &sp->kernel, start, end);
    if (r->ksymbol.gone || !r->ksymbol.bpf || !has_room(sp, &sp->kernel, 1))
        return;
    const struct module m = {
        .kind = MODULE_BPF, .start = start, .end = end, .path = r->ksymbol.name};
    const struct mapping new = {start, end, start, modules_add(sp->modules, &m)};
    if (!insert_at(sp, &sp->kernel, search(&sp->kernel, start), new))
        sp->n_dropped++;
}

void spaces_follow(struct spaces *sp, const struct record *r) {
    switch (r->kind) {
    case RECORD_MMAP:
        follow_mmap(sp, r);
        break;
    case RECORD_COMM:
        if (r->comm.exec)
            follow_exec(sp, r);
        break;
    case RECORD_FORK:
        follow_fork(sp, r);
        break;
    case RECORD_EXIT:
        follow_exit(sp, r);
        break;
    case RECORD_KSYMBOL:
        follow_ksymbol(sp, r);
        break;
    default:
        break;
    }
}

/* ---- where ---- */

static bool locate(const struct space *s, uint64_t addr, struct place *out) {
    const size_t i = search(s, addr);
    if (i == s->map.n || s->map.at[i].start > addr)
        return false;
    *out = (struct place){s->map.at[i].module, s->map.at[i].offset + (addr - s->map.at[i].start)};
    return true;
}

void spaces_find(struct spaces *sp, pid_t pid, uint64_t addr, enum record_mode mode,
                 struct place *out) {
    *out = (struct place){MODULES_UNKNOWN, addr};
    if (mode == MODE_KERNEL) {
        if (!locate(&sp->kernel, addr, out))
            out->module = MODULES_KERNEL;
        return;
    }
    if (mode != MODE_USER || pid <= 0)
        return;
    struct space *s = find(sp, pid);
    if (!s) {
        spaces_read(sp, pid);
        s = find(sp, pid);
    }
    s->asked = ++sp->clock;
    locate(s, addr, out);
}

/* ---- memory ---- */

int spaces_init(struct spaces *sp, struct modules *modules, const char *root,
                const struct spaces_limits *limits) {
    *sp = (struct spaces){.modules = modules, .root = root, .limits = *limits, .n_hash = 64};
    sp->timed = true;
    while (sp->n_hash < limits->spaces * 2)
        sp->n_hash *= 2;
    sp->at = calloc(limits->spaces, sizeof(*sp->at));
    sp->hash = calloc(sp->n_hash, sizeof(*sp->hash));
    if (!sp->at || !sp->hash)
        return -ENOMEM;
    for (uint32_t i = 0; i < limits->spaces; i++)
        sp->at[i].next = i + 1 < limits->spaces ? i + 2 : 0;
    sp->first_free = limits->spaces ? 1 : 0;
    return 0;
}

void spaces_destroy(struct spaces *sp) {
    for (uint32_t i = 0; sp->at && i < sp->limits.spaces; i++)
        array_free(&sp->at[i].map);
    array_free(&sp->kernel.map);
    free(sp->at);
    free(sp->hash);
    *sp = (struct spaces){0};
}
