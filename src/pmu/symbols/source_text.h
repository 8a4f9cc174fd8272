/* The text of a source file that debug information names. */
#ifndef TDTOP_PMU_SYMBOLS_SOURCE_TEXT_H
#define TDTOP_PMU_SYMBOLS_SOURCE_TEXT_H

#include "pmu/symbols/module_file.h"

enum { SOURCE_TEXT_MAX = 16 << 20 };

struct source_text {
    char *text;     /* owned; its lines are terminated and safe but for tabs */
    uint32_t *line; /* owned; where line i + 1 begins */
    size_t n_line;
};

/* Below the root of process pid, then below ours: a path that begins with '/'. 0, or a negative
 * errno with words; source_text_destroy frees. */
int source_text_read(const struct places *p, pid_t pid, const char *path, struct source_text *out,
                     struct err *err);
/* Line `number` (from 1 on), NULL if the file has fewer. */
const char *source_text_line(const struct source_text *s, uint32_t number);
void source_text_destroy(struct source_text *s);

#endif
