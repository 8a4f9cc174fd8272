/*
 * Code that a process made while it runs, as the process itself tells: /tmp/perf-PID.map, a line
 * "START SIZE NAME" in hexadecimal for each function, or jit-PID.dump (jitdump, see
 * tools/perf/Documentation/jitdump-specification.txt of Linux). Both only grow: what was read is
 * kept. Where two functions share an address, the later one is there now.
 */
#ifndef TDTOP_PMU_SYMBOLS_JIT_H
#define TDTOP_PMU_SYMBOLS_JIT_H

#include "base/array.h"
#include "pmu/symbols/module_file.h"

enum { JIT_SYMBOLS_MAX = 1 << 20, JIT_TEXT_MAX = 64 << 20, JIT_RECORD_MAX = 16 << 20 };

struct jit_symbol {
    uint64_t at;
    uint32_t size, name; /* name: in text */
    uint32_t seq;        /* the later one is larger */
};

struct jit_file {
    uint64_t dev, ino;
    uint64_t done; /* bytes that are taken: whole lines or records */
    uint64_t seen; /* its size then */
};

struct jit {
    ARRAY(struct jit_symbol) symbol; /* ascending by address, then seq, as of jit_seal */
    size_t n_sealed;                 /* those that are in order */
    uint32_t seq, size_max;          /* the largest function: how far back a search goes */
    ARRAY(char) text;
    struct jit_file map, dump;
};

void jit_destroy(struct jit *j);

/*
 * Reads what the files of process pid have grown by; those that are others than before from the
 * beginning. 0 if there is one of them, what could be read of it is taken; -ENOENT with words.
 */
int jit_read(struct jit *j, const struct places *p, pid_t pid, struct err *err);
/* Whether there is something to read. */
bool jit_grew(const struct jit *j, const struct places *p, pid_t pid);
/* 0 or -ENOMEM. */
int jit_copy(struct jit *j, const struct jit *from);

/* The parts of it: the whole lines from done on; the whole records. 0 or -ENOMEM, -EFBIG; the dump
 * -EBADMSG, if it is none. jit_seal sorts. */
int jit_take_map(struct jit *j, const struct bytes *b, uint64_t *done);
int jit_take_dump(struct jit *j, const struct bytes *b, uint64_t *done);
void jit_seal(struct jit *j);

const struct jit_symbol *jit_find(const struct jit *j, uint64_t address);

#endif
