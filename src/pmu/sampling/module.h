/*
 * What code lies in: a file, the kernel, a module of it, the vDSO, code made at run time. An
 * address of a sample is kept as (module, offset), never as itself: the same file is one module in
 * all processes, whatever it is mapped to.
 */
#ifndef TDTOP_PMU_MODULE_H
#define TDTOP_PMU_MODULE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum module_kind {
    MODULE_FILE,    /* offset: in the file */
    MODULE_KERNEL,  /* offset: the address */
    MODULE_KMODULE, /* offset: the address; name is that of the module */
    MODULE_VDSO,    /* offset: from its beginning */
    MODULE_JIT,     /* anonymous memory of `pid` that is executed; offset: the address */
    MODULE_BPF,     /* offset: the address */
    MODULE_UNKNOWN, /* offset: the address */
};

enum { BUILD_ID_MAX = 20 };

struct module {
    enum module_kind kind;
    uint8_t n_build_id, build_id[BUILD_ID_MAX]; /* as the kernel gave it; 0 bytes: not known */
    uint32_t dev_major, dev_minor;              /* of files */
    uint64_t ino, ino_generation;               /* 0: not known */
    pid_t pid; /* a process that maps it (JIT: the one); by it and the next two the file is
                  found in other mount namespaces: /proc/PID/map_files/START-END */
    uint64_t start, end; /* of one mapping of it in that process */
    uint64_t pgoff;      /* of that mapping */
    const char *path;    /* as the kernel names it; "[kernel]"; owned by whoever has the table */
    bool deleted;        /* it was replaced or removed while the process runs */
};

#endif
