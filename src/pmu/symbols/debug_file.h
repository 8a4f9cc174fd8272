/* What was cut from a program and can be had elsewhere: a separate file with debug information,
 * found by build id or .gnu_debuglink, or the small table of symbols that some distributions leave
 * in the program (.gnu_debugdata, compressed by xz). */
#ifndef TDTOP_PMU_SYMBOLS_DEBUG_FILE_H
#define TDTOP_PMU_SYMBOLS_DEBUG_FILE_H

#include "pmu/symbols/elf_image.h"

/*
 * Opens the separate file of program e, which m is: below the root of the process, then below ours,
 * last debuginfod's cache. It is the right one by its build id, or by the checksum of the link.
 * 0, -ENOENT: there is none.
 */
int debug_file_open(const struct places *p, const struct module *m, const struct elf_image *e,
                    struct bytes *out, struct err *err);

/* .gnu_debugdata as malloc'ed memory, an ELF file by itself. 0, -ENOENT: the program has none, or
 * a negative errno with words (liblzma is missing, broken, larger than 64 MB). */
int debug_data_read(const struct elf_image *e, uint8_t **data, size_t *size, struct err *err);

/* Where a file is looked for by build id: ".build-id/ab/cdef.debug". Returns buf, "" without an id.
 */
const char *debug_file_id_path(char *buf, size_t cap, const uint8_t *id, int n_id);
/* The id in hexadecimal. Returns buf. */
const char *debug_file_id_text(char *buf, size_t cap, const uint8_t *id, int n_id);

#endif
