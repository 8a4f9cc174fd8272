#include "pmu/symbols/jit.h"

#include "base/sort.h"
#include "base/str.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { CHUNK = 1 << 16, LINE_MAX_BYTES = 4096, NAME_MAX_BYTES = 2048 };

void jit_destroy(struct jit *j) {
    array_free(&j->symbol);
    array_free(&j->text);
    *j = (struct jit){0};
}

static int add(struct jit *j, uint64_t at, uint64_t size, const char *name, size_t n_name) {
    if (size == 0 || size > UINT32_MAX || at > UINT64_MAX - size || n_name == 0)
        return 0;
    n_name = n_name < NAME_MAX_BYTES ? n_name : NAME_MAX_BYTES;
    if (j->symbol.n >= JIT_SYMBOLS_MAX || j->text.n + n_name + 1 > JIT_TEXT_MAX)
        return -EFBIG;
    const struct jit_symbol s = {
        .at = at, .size = (uint32_t)size, .name = (uint32_t)j->text.n, .seq = j->seq};
    if (array_append(&j->text, name, n_name) < 0 || array_push(&j->text, '\0') < 0 ||
        array_push(&j->symbol, s) < 0)
        return -ENOMEM;
    j->seq++;
    j->size_max = size > j->size_max ? (uint32_t)size : j->size_max;
    return 0;
}

static int take_line(struct jit *j, const char *line) {
    char *end;
    const uint64_t at = strtoull(line, &end, 16);
    if (end == line || *end != ' ')
        return 0;
    const char *size_text = end;
    const uint64_t size = strtoull(size_text, &end, 16);
    if (end == size_text || *end != ' ')
        return 0;
    return add(j, at, size, end + 1, strlen(end + 1));
}

int jit_take_map(struct jit *j, const struct bytes *b, uint64_t *done) {
    static const size_t cap = CHUNK;
    char *buf = malloc(cap + 1);
    int rc = buf ? 0 : -ENOMEM;
    while (rc == 0) {
        const size_t got = file_read_some(b, *done, buf, cap);
        size_t used = 0;
        for (char *nl; rc == 0 && (nl = memchr(buf + used, '\n', got - used));) {
            *nl = '\0';
            rc = take_line(j, buf + used);
            used = nl + 1 - buf;
        }
        if (used == 0 && got == cap)
            used = cap; /* no line is that long */
        *done += used;
        if (used == 0 || got < cap)
            break;
    }
    free(buf);
    return rc;
}

/* The records of a dump, as far as they are needed here. */
struct dump_header {
    uint32_t magic, version, total_size, machine, pad, pid;
    uint64_t time, flags;
};
struct dump_record {
    uint32_t id, total_size;
    uint64_t time;
};
struct dump_load {
    uint32_t pid, tid;
    uint64_t vma, at, size, index;
};
struct dump_move {
    uint32_t pid, tid;
    uint64_t vma, from, to, size, index;
};
enum { DUMP_MAGIC = 0x4A695444, DUMP_LOAD = 0, DUMP_MOVE = 1 };

static int take_load(struct jit *j, const struct bytes *b, uint64_t at, uint32_t left) {
    struct dump_load l;
    char name[NAME_MAX_BYTES];
    if (left < sizeof(l) || !file_read(b, at, &l, sizeof(l)))
        return 0;
    left -= (uint32_t)sizeof(l);
    const size_t n = left < sizeof(name) ? left : sizeof(name);
    const size_t got = file_read_some(b, at + sizeof(l), name, n);
    return add(j, l.at, l.size, name, strnlen(name, got));
}

static int take_move(struct jit *j, const struct bytes *b, uint64_t at, uint32_t left) {
    struct dump_move v;
    if (left < sizeof(v) || !file_read(b, at, &v, sizeof(v)))
        return 0;
    const struct jit_symbol *s = NULL;
    for (size_t i = j->symbol.n;
         !s && i-- > j->n_sealed && j->symbol.n - i < 4096;) /* not long ago, most likely */
        s = j->symbol.at[i].at == v.from ? &j->symbol.at[i] : NULL;
    if (!s)
        s = jit_find(j, v.from);
    if (!s)
        return 0;
    char name[NAME_MAX_BYTES + 1];
    str_copy(name, sizeof(name), j->text.at + s->name);
    return add(j, v.to, v.size, name, strlen(name));
}

int jit_take_dump(struct jit *j, const struct bytes *b, uint64_t *done) {
    int rc = 0;
    if (*done == 0) {
        struct dump_header h;
        if (!file_read(b, 0, &h, sizeof(h)) || h.magic != DUMP_MAGIC || h.total_size < sizeof(h) ||
            h.total_size > CHUNK)
            return -EBADMSG;
        *done = h.total_size;
    }
    struct dump_record r;
    while (rc == 0 && file_read(b, *done, &r, sizeof(r))) {
        if (r.total_size < sizeof(r) || r.total_size > JIT_RECORD_MAX)
            return -EBADMSG;
        char last;
        if (!file_read(b, *done + r.total_size - 1, &last, 1))
            break; /* being written */
        const uint32_t left = r.total_size - (uint32_t)sizeof(r);
        if (r.id == DUMP_LOAD)
            rc = take_load(j, b, *done + sizeof(r), left);
        else if (r.id == DUMP_MOVE)
            rc = take_move(j, b, *done + sizeof(r), left);
        *done += r.total_size;
    }
    return rc;
}

static int compare(const void *a, const void *b) {
    const struct jit_symbol *x = a, *y = b;
    return x->at != y->at ? (x->at < y->at ? -1 : 1) : (x->seq < y->seq ? -1 : x->seq > y->seq);
}

void jit_seal(struct jit *j) {
    if (j->symbol.n > 0)
        qsort(j->symbol.at, j->symbol.n, sizeof(*j->symbol.at), compare);
    j->n_sealed = j->symbol.n;
}

const struct jit_symbol *jit_find(const struct jit *j, uint64_t address) {
    const struct jit_symbol *found = NULL;
    size_t behind;
    SORT_FIRST(behind, j->n_sealed, j->symbol.at[behind].at > address);
    /* the newest of those that hold it; code that was thrown away may lie around it */
    for (size_t i = behind, tries = 0; i-- > 0 && tries < 4096; tries++) {
        const struct jit_symbol *s = &j->symbol.at[i];
        if (address - s->at >= j->size_max)
            break;
        if (address - s->at < s->size && (!found || s->seq > found->seq))
            found = s;
    }
    return found;
}

/* The process's id in its own PID namespace, the last number of "NSpid:". */
static pid_t inner_pid(const struct places *p, pid_t pid) {
    char path[4096], line[512];
    snprintf(path, sizeof(path), "%s/%d/status", p->proc, pid);
    FILE *f = fopen(path, "re");
    while (f && fgets(line, sizeof(line), f))
        if (str_starts(line, "NSpid:")) {
            line[strcspn(line, "\n")] = '\0';
            const char *last = strrchr(line, '\t');
            pid = last && atoi(last) > 0 ? atoi(last) : pid;
            break;
        }
    if (f)
        fclose(f);
    return pid;
}

/* True if it has more than was read. A file in the place of another begins at 0; what the first one
 * said stays, as older. */
static bool grew(struct jit_file *f, const struct bytes *b) {
    struct stat st;
    if (fstat(b->fd, &st) < 0)
        return false;
    if (f->dev != st.st_dev || f->ino != st.st_ino || b->size < f->done)
        *f = (struct jit_file){.dev = st.st_dev, .ino = st.st_ino};
    return b->size > f->done && b->size > f->seen;
}

/* The dump is named by a mapping of it, which its writer makes for that purpose. */
static int open_dump(const struct places *p, pid_t pid, struct bytes *b) {
    char path[4096], line[4352];
    int rc = -ENOENT;
    snprintf(path, sizeof(path), "%s/%d/maps", p->proc, pid);
    FILE *f = fopen(path, "re");
    while (rc < 0 && f && fgets(line, sizeof(line), f)) {
        line[strcspn(line, "\n")] = '\0';
        const char *name = strchr(line, '/'), *last = name ? strrchr(name, '/') + 1 : NULL;
        if (last && str_starts(last, "jit-") && str_ends(last, ".dump"))
            rc = file_open_of(p, pid, name, b);
    }
    if (f)
        fclose(f);
    return rc;
}

static int open_map(const struct places *p, pid_t pid, struct bytes *b) {
    char path[64];
    snprintf(path, sizeof(path), "/tmp/perf-%d.map", inner_pid(p, pid));
    return file_open_of(p, pid, path, b);
}

bool jit_grew(const struct jit *j, const struct places *p, pid_t pid) {
    struct jit_file map = j->map, dump = j->dump;
    struct bytes b;
    bool more = false;
    if (open_map(p, pid, &b) >= 0) {
        more = grew(&map, &b);
        file_close(&b);
    }
    if (!more && open_dump(p, pid, &b) >= 0) {
        more = grew(&dump, &b);
        file_close(&b);
    }
    return more;
}

int jit_copy(struct jit *j, const struct jit *from) {
    *j = *from;
    memset(&j->symbol, 0, sizeof(j->symbol));
    memset(&j->text, 0, sizeof(j->text));
    if (from->symbol.n == 0)
        return 0;
    if (array_append(&j->symbol, from->symbol.at, from->symbol.n) == 0 &&
        array_append(&j->text, from->text.at, from->text.n) == 0)
        return 0;
    jit_destroy(j);
    return -ENOMEM;
}

int jit_read(struct jit *j, const struct places *p, pid_t pid, struct err *err) {
    struct bytes b;
    bool any = false;
    if (open_map(p, pid, &b) >= 0) {
        any = true;
        if (grew(&j->map, &b))
            jit_take_map(j, &b, &j->map.done);
        j->map.seen = b.size;
        file_close(&b);
    }
    if (open_dump(p, pid, &b) >= 0) {
        any = true;
        if (grew(&j->dump, &b))
            jit_take_dump(j, &b, &j->dump.done);
        j->dump.seen = b.size;
        file_close(&b);
    }
    jit_seal(j);
    return any ? 0
               : err_set(err, -ENOENT,
                         "code that process %d made at run time has no names: it writes no "
                         "/tmp/perf-%d.map (node --perf-basic-prof, jcmd PID Compiler.perfmap, "
                         "python3 -X perf)",
                         pid, inner_pid(p, pid));
}
