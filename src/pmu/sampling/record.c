#include "pmu/sampling/record.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/mman.h>

#ifndef PERF_RECORD_MISC_MMAP_BUILD_ID
#define PERF_RECORD_MISC_MMAP_BUILD_ID (1 << 14)
#endif

/* ---- the bytes of a record ---- */

struct bytes {
    const uint8_t *at;
    size_t left;
    bool failed;
};

static const void *take(struct bytes *b, size_t n) {
    if (n > b->left) {
        b->failed = true;
        b->left = 0;
        return NULL;
    }
    const uint8_t *p = b->at;
    b->at += n;
    b->left -= n;
    return p;
}

static uint64_t take_u64(struct bytes *b) {
    uint64_t v = 0;
    const void *p = take(b, sizeof(v));
    if (p)
        memcpy(&v, p, sizeof(v));
    return v;
}

static uint32_t take_u32(struct bytes *b) {
    uint32_t v = 0;
    const void *p = take(b, sizeof(v));
    if (p)
        memcpy(&v, p, sizeof(v));
    return v;
}

/* A list of n things; its length comes from the record. One that is not aligned is not the
 * kernel's: it pads what comes before. */
static const void *take_list(struct bytes *b, uint64_t n, size_t size) {
    if (n > b->left / size || (uintptr_t)b->at % _Alignof(uint64_t))
        n = SIZE_MAX / size;
    return take(b, (size_t)n * size);
}

/* Text up to the end of what is left; it must be terminated there. */
static const char *take_text(struct bytes *b) {
    if (!memchr(b->at, '\0', b->left)) {
        b->failed = true;
        return "";
    }
    const char *text = (const char *)b->at;
    b->at += b->left;
    b->left = 0;
    return text;
}

/* ---- samples ---- */

static enum record_mode mode_of(uint16_t misc) {
    switch (misc & PERF_RECORD_MISC_CPUMODE_MASK) {
    case PERF_RECORD_MISC_KERNEL:
        return MODE_KERNEL;
    case PERF_RECORD_MISC_USER:
        return MODE_USER;
    case PERF_RECORD_MISC_GUEST_KERNEL:
    case PERF_RECORD_MISC_GUEST_USER:
        return MODE_GUEST;
    default:
        return MODE_UNKNOWN;
    }
}

/* Fields come in this order (perf_output_sample in kernel/events/core.c). */
static void read_sample(struct bytes *b, uint16_t misc, const struct record_format *f,
                        struct record *out) {
    const uint64_t has = f->sample_type;
    struct record_sample *s = &out->sample;
    s->mode = mode_of(misc);
    s->exact = misc & PERF_RECORD_MISC_EXACT_IP;
    if (has & PERF_SAMPLE_IDENTIFIER)
        take_u64(b);
    if (has & PERF_SAMPLE_IP)
        s->ip = take_u64(b);
    if (has & PERF_SAMPLE_TID) {
        out->pid = (pid_t)take_u32(b);
        out->tid = (pid_t)take_u32(b);
    }
    if (has & PERF_SAMPLE_TIME)
        out->time = take_u64(b);
    if (has & PERF_SAMPLE_ADDR)
        s->addr = take_u64(b);
    if (has & PERF_SAMPLE_ID)
        take_u64(b);
    if (has & PERF_SAMPLE_STREAM_ID)
        s->stream_id = take_u64(b);
    if (has & PERF_SAMPLE_CPU) {
        out->cpu = take_u32(b);
        take_u32(b);
    }
    if (has & PERF_SAMPLE_PERIOD)
        s->period = take_u64(b);
    if (has & PERF_SAMPLE_CALLCHAIN) {
        s->n_chain = take_u64(b);
        s->chain = take_list(b, s->n_chain, sizeof(*s->chain));
    }
    if (has & PERF_SAMPLE_RAW)
        take(b, take_u32(b));
    if (has & PERF_SAMPLE_BRANCH_STACK) {
        s->n_branch = take_u64(b);
        if (f->branch_sample_type & PERF_SAMPLE_BRANCH_HW_INDEX)
            take_u64(b);
        s->branch = take_list(b, s->n_branch, sizeof(*s->branch));
    }
    if (has & PERF_SAMPLE_WEIGHT_TYPE)
        s->weight = take_u64(b);
    if (has & PERF_SAMPLE_WEIGHT_STRUCT) /* var1 is the latency */
        s->weight &= UINT32_MAX;
    if (has & PERF_SAMPLE_DATA_SRC)
        s->data_src = take_u64(b);
}

/* ---- other records ---- */

static void read_mmap(struct bytes *b, uint16_t misc, bool second, struct record *out) {
    struct record_mmap *m = &out->mmap;
    out->pid = (pid_t)take_u32(b);
    out->tid = (pid_t)take_u32(b);
    m->start = take_u64(b);
    m->len = take_u64(b);
    m->pgoff = take_u64(b);
    m->executable = !(misc & PERF_RECORD_MISC_MMAP_DATA);
    if (second && misc & PERF_RECORD_MISC_MMAP_BUILD_ID) {
        const uint8_t *id = take(b, 4 + BUILD_ID_MAX); /* its size, 3 bytes of nothing */
        if (id && id[0] <= BUILD_ID_MAX) {
            m->n_build_id = id[0];
            memcpy(m->build_id, id + 4, id[0]);
        }
    } else if (second) {
        m->dev_major = take_u32(b);
        m->dev_minor = take_u32(b);
        m->ino = take_u64(b);
        m->ino_generation = take_u64(b);
    }
    if (second) {
        m->executable = take_u32(b) & PROT_EXEC;
        take_u32(b); /* flags */
    }
    m->path = take_text(b);
}

static void read_task(struct bytes *b, struct record *out) {
    out->pid = (pid_t)take_u32(b);
    out->fork.ppid = (pid_t)take_u32(b);
    out->tid = (pid_t)take_u32(b);
    out->fork.ptid = (pid_t)take_u32(b);
    out->time = take_u64(b);
}

static void read_ksymbol(struct bytes *b, struct record *out) {
    out->ksymbol.addr = take_u64(b);
    out->ksymbol.len = take_u32(b);
    const uint32_t type_flags = take_u32(b); /* 16 bits each */
    uint16_t half[2];
    memcpy(half, &type_flags, sizeof(half));
    out->ksymbol.bpf = half[0] == PERF_RECORD_KSYMBOL_TYPE_BPF;
    out->ksymbol.gone = half[1] & PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER;
    out->ksymbol.name = take_text(b);
}

/* struct sample_id at the end of all records but samples: takes it off b. */
static void read_sample_id(struct bytes *b, const struct record_format *f, struct record *out) {
    static const uint64_t words[] = {PERF_SAMPLE_TID, PERF_SAMPLE_TIME,
                                     PERF_SAMPLE_ID,  PERF_SAMPLE_STREAM_ID,
                                     PERF_SAMPLE_CPU, PERF_SAMPLE_IDENTIFIER};
    size_t size = 0;
    if (!f->sample_id_all)
        return;
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        size += f->sample_type & words[i] ? sizeof(uint64_t) : 0;
    if (size > b->left) {
        b->failed = true;
        return;
    }
    struct bytes id = {.at = b->at + b->left - size, .left = size};
    b->left -= size;
    if (f->sample_type & PERF_SAMPLE_TID) {
        out->pid = (pid_t)take_u32(&id);
        out->tid = (pid_t)take_u32(&id);
    }
    if (f->sample_type & PERF_SAMPLE_TIME)
        out->time = take_u64(&id);
    if (f->sample_type & PERF_SAMPLE_ID)
        take_u64(&id);
    if (f->sample_type & PERF_SAMPLE_STREAM_ID)
        take_u64(&id);
    if (f->sample_type & PERF_SAMPLE_CPU)
        out->cpu = take_u32(&id);
}

static void read_body(struct bytes *b, const struct perf_event_header *h, struct record *out) {
    switch (h->type) {
    case PERF_RECORD_MMAP:
    case PERF_RECORD_MMAP2:
        out->kind = RECORD_MMAP;
        read_mmap(b, h->misc, h->type == PERF_RECORD_MMAP2, out);
        break;
    case PERF_RECORD_COMM:
        out->kind = RECORD_COMM;
        out->pid = (pid_t)take_u32(b);
        out->tid = (pid_t)take_u32(b);
        out->comm.exec = h->misc & PERF_RECORD_MISC_COMM_EXEC;
        out->comm.name = take_text(b);
        break;
    case PERF_RECORD_FORK:
    case PERF_RECORD_EXIT:
        out->kind = h->type == PERF_RECORD_FORK ? RECORD_FORK : RECORD_EXIT;
        read_task(b, out);
        break;
    case PERF_RECORD_LOST:
        take_u64(b); /* id */
        out->kind = RECORD_LOST;
        out->n_lost = take_u64(b);
        break;
    case PERF_RECORD_LOST_SAMPLES:
        out->kind = RECORD_LOST;
        out->n_lost = take_u64(b);
        break;
    case PERF_RECORD_THROTTLE:
    case PERF_RECORD_UNTHROTTLE:
        out->kind = h->type == PERF_RECORD_THROTTLE ? RECORD_THROTTLE : RECORD_UNTHROTTLE;
        break;
    case PERF_RECORD_KSYMBOL:
        out->kind = RECORD_KSYMBOL;
        read_ksymbol(b, out);
        break;
    case PERF_RECORD_SWITCH:
    case PERF_RECORD_SWITCH_CPU_WIDE:
        out->kind = RECORD_SWITCH;
        out->change.out = h->misc & PERF_RECORD_MISC_SWITCH_OUT;
        out->change.runnable = h->misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT;
        break;
    default:
        break;
    }
}

int record_read(const struct perf_event_header *h, const struct record_format *f,
                struct record *out) {
    *out = (struct record){0};
    if (h->size < sizeof(*h))
        return -EBADMSG;
    struct bytes b = {.at = (const uint8_t *)h + sizeof(*h), .left = h->size - sizeof(*h)};
    if (h->type == PERF_RECORD_SAMPLE) {
        out->kind = RECORD_SAMPLE;
        b.failed = f->sample_type & ~(uint64_t)RECORD_SAMPLE_TYPES;
        if (!b.failed)
            read_sample(&b, h->misc, f, out);
    } else {
        read_sample_id(&b, f, out);
        if (!b.failed)
            read_body(&b, h, out);
    }
    if (b.failed)
        *out = (struct record){0};
    return b.failed ? -EBADMSG : 0;
}
