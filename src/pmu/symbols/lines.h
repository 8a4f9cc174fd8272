/* Source lines of addresses, and where what was inlined there was called from: as `addr2line -i
 * -f`. By libdw, in a process apart (apart.h), so that neither memory nor faults of it stay here.
 */
#ifndef TDTOP_PMU_SYMBOLS_LINES_H
#define TDTOP_PMU_SYMBOLS_LINES_H

#include "pmu/symbols/elf_image.h"

enum { LINE_FRAMES_MAX = 64, LINE_ADDRESSES_MAX = 1 << 18 };

/* A place in the source. Texts are safe for a terminal; "" and 0: not known. */
struct line_frame {
    const char *function, *file; /* function: demangled */
    uint32_t line;
};

/* Of n addresses; the frames of address i are first[i] to first[i + 1]: the innermost first, each
 * of the others called the one before it. None: nothing is known of it. */
struct line_table {
    struct line_frame *frame; /* owned, as all of it */
    size_t n_frame;
    uint32_t *first;
    size_t n;
    char *text;
};

/* The innermost place of address i in the file that the function itself is written in: what is
 * inlined from elsewhere is its caller's line. NULL: not known. */
const struct line_frame *line_table_own(const struct line_table *t, size_t i);

/* True if the file has what lines need. */
bool lines_has(const struct elf_image *e);

/* addresses: those of the ELF file, best in ascending order. 0, or a negative errno with words;
 * line_table_destroy frees. Takes up to ms. */
int lines_read(const struct bytes *file, const uint64_t *address, size_t n, int ms,
               struct line_table *out, struct err *err);
void line_table_destroy(struct line_table *t);

/* What the process wrote about n addresses, cut into its texts in place; t is zeroed, text outlives
 * it. The process may have been taken over: nothing of it is believed. 0 or a negative errno. */
int lines_parse(struct line_table *t, char *text, size_t n);

#endif
