/*
 * One record of a ring buffer, taken apart. What is not in the record is 0. Bytes come from the
 * kernel, but names in them from whoever runs the program: nothing here trusts a size or a number.
 * perf_event_open(2), "MMAP layout", and include/uapi/linux/perf_event.h, enum perf_event_type.
 */
#ifndef TDTOP_PMU_RECORD_H
#define TDTOP_PMU_RECORD_H

#include "pmu/sampling/module.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct perf_event_header;
struct perf_branch_entry;

/* What decides how records look: of perf_event_attr. */
struct record_format {
    uint64_t sample_type, branch_sample_type;
    bool sample_id_all;
};

enum record_kind {
    RECORD_OTHER, /* of no interest */
    RECORD_SAMPLE,
    RECORD_MMAP,
    RECORD_COMM,
    RECORD_FORK,
    RECORD_EXIT,
    RECORD_LOST, /* LOST and LOST_SAMPLES */
    RECORD_THROTTLE,
    RECORD_UNTHROTTLE,
    RECORD_KSYMBOL,
    RECORD_SWITCH, /* SWITCH and SWITCH_CPU_WIDE: of pid and tid */
};

enum record_mode { MODE_UNKNOWN, MODE_KERNEL, MODE_USER, MODE_GUEST };

struct record_sample {
    uint64_t ip, addr, period, weight, data_src, stream_id;
    enum record_mode mode;
    bool exact;            /* ip is that of the instruction itself */
    const uint64_t *chain; /* borrowed from the record; context markers are in it */
    uint64_t n_chain;
    const struct perf_branch_entry *branch; /* likewise, the youngest first */
    uint64_t n_branch;
};

struct record_mmap {
    uint64_t start, len, pgoff;
    uint32_t dev_major, dev_minor;
    uint64_t ino, ino_generation;
    uint8_t n_build_id, build_id[BUILD_ID_MAX];
    bool executable;
    const char *path; /* borrowed, terminated */
};

struct record {
    enum record_kind kind;
    pid_t pid, tid;
    uint32_t cpu;
    uint64_t time; /* 0: not known */
    union {
        struct record_sample sample;
        struct record_mmap mmap;
        struct {
            const char *name;
            bool exec;
        } comm;
        struct {
            pid_t ppid, ptid;
        } fork; /* and exit */
        uint64_t n_lost;
        struct {
            uint64_t addr;
            uint32_t len;
            bool bpf, gone;
            const char *name;
        } ksymbol;
        struct {
            bool out;      /* it leaves its CPU; false: it gets one */
            bool runnable; /* and could have gone on */
        } change;
    };
};

/* What record_read can take apart. */
#define RECORD_SAMPLE_TYPES                                                                        \
    (PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR | PERF_SAMPLE_ID |     \
     PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | PERF_SAMPLE_STREAM_ID |        \
     PERF_SAMPLE_RAW | PERF_SAMPLE_BRANCH_STACK | PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT | \
     PERF_SAMPLE_DATA_SRC | PERF_SAMPLE_IDENTIFIER)

/*
 * Reads a whole record, h->size bytes of it, 8 byte aligned. 0, or -EBADMSG if it is shorter than
 * what it says to hold, or has a field that is not in RECORD_SAMPLE_TYPES; out is zero then.
 */
int record_read(const struct perf_event_header *h, const struct record_format *f,
                struct record *out);

#endif
