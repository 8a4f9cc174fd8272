/*
 * Files that whoever runs the target has chosen: opened without waiting for them or changing
 * anything (no device, pipe or socket is ever opened), and only if they are what the process maps.
 */
#ifndef TDTOP_PMU_SYMBOLS_MODULE_FILE_H
#define TDTOP_PMU_SYMBOLS_MODULE_FILE_H

#include "base/err.h"
#include "pmu/sampling/module.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where to look; borrowed. Other folders than the machine's own are for tests. */
struct places {
    const char *proc;       /* "/proc" */
    const char *root;       /* "/": what paths are below when no process is asked */
    const char *debug;      /* "/usr/lib/debug", below a process's root and below ours */
    const char *debuginfod; /* debuginfod's cache of files, or NULL; no server is asked */
    const char *dpkg;       /* "/var/lib/dpkg/info", as debug */
};

/* A file, or memory. */
struct bytes {
    int fd;            /* -1: memory */
    const uint8_t *at; /* borrowed */
    uint64_t size;
};

/* Reads n bytes from offset on; false if they are not all there. */
bool file_read(const struct bytes *b, uint64_t offset, void *out, size_t n);
/* Reads what there is of n bytes: how many. */
size_t file_read_some(const struct bytes *b, uint64_t offset, void *out, size_t n);

/* A regular file below folder root, whose links lead nowhere else. The descriptor, or a negative
 * errno; -EINVAL: not a regular file. */
int file_open(const char *root, const char *path, struct bytes *out);
/* The same, where root is that of a process; with pid 0 places->root. */
int file_open_of(const struct places *p, pid_t pid, const char *path, struct bytes *out);

/*
 * The file of a module: by the mapping itself, then by path below the process's root, then by path.
 * What is there under the name but is not what is mapped is refused: by inode, or by build id,
 * which `is_it` compares (NULL: not asked). 0, or a negative errno with words; -ESTALE: replaced.
 */
int file_open_module(const struct places *p, const struct module *m,
                     bool (*is_it)(const struct bytes *b, const struct module *m),
                     struct bytes *out, struct err *err);

void file_close(struct bytes *b);

#endif
