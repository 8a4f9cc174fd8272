/* Functions of the kernel, its modules and BPF programs: /proc/kallsyms, and what the kernel says
 * of code that comes later (PERF_RECORD_KSYMBOL). */
#ifndef TDTOP_PMU_SYMBOLS_KALLSYMS_H
#define TDTOP_PMU_SYMBOLS_KALLSYMS_H

#include "base/array.h"
#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { KALLSYMS_SYMBOLS_MAX = 2 << 20, KALLSYMS_TEXT_MAX = 64 << 20 };

struct kallsyms_symbol {
    uint64_t at;
    uint32_t name;   /* in text; a later line's is larger */
    uint32_t module; /* 0: the kernel; else a name in text: "xfs", "bpf" */
};

struct kallsyms {
    ARRAY(struct kallsyms_symbol) symbol; /* ascending */
    ARRAY(char) text;
};

/* Reads kallsyms of the folder proc ("/proc"). 0, or a negative errno with words: -EACCES if the
 * kernel does not tell its addresses. */
int kallsyms_read(struct kallsyms *k, const char *proc, struct err *err);
void kallsyms_destroy(struct kallsyms *k);

/* The function that has the address; of several names the last one, as perf. *end: where the next
 * one begins. Or NULL. */
const struct kallsyms_symbol *kallsyms_find(const struct kallsyms *k, uint64_t address,
                                            uint64_t *end);

#endif
