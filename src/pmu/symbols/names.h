/*
 * From code (module and offset, as samples keep it) to what people call it: functions, source
 * lines, instructions, source text.
 *
 * Functions come from tables of symbols, which are small; lines, instructions and text are read for
 * the one function that is open, and belong to the caller. What begins with names_ and says "waits"
 * reads files, for up to seconds: it is for a verb, or for a thread that nobody watches. The
 * screen's thread asks with names_peek and names_ask, which read nothing, and asks again: workers
 * find the answers.
 */
#ifndef TDTOP_PMU_SYMBOLS_NAMES_H
#define TDTOP_PMU_SYMBOLS_NAMES_H

#include "base/err.h"
#include "pmu/sampling/module.h"
#include "pmu/symbols/code.h"
#include "pmu/symbols/lines.h"
#include "pmu/symbols/source_text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct names;

/* All fields may be 0: the machine's own folders and the limits below. Texts are copied. */
struct names_options {
    struct places places;
    size_t tables_max; /* bytes of symbol tables that are kept; those used last */
    size_t text_max;   /* bytes of names that were found */
    bool intel;        /* syntax of instructions */
};
enum { NAMES_TABLES_MAX = 64 << 20, NAMES_TEXT_MAX = 32 << 20, NAMES_LACK = 768 };

/* What an offset lies in. */
struct function {
    const char *name;    /* demangled, safe for a terminal; borrowed until names_close */
    const char *raw;     /* as in the symbol table, not safe; as name */
    const char *kmodule; /* of the kernel: its module, "xfs"; NULL: none. As name */
    uint64_t start;      /* offset as of the module */
    uint64_t size;       /* up to the next symbol if inexact */
    bool inexact;        /* the symbol table has no size for it */
};

/* 0 or a negative errno. Starts no thread and reads nothing yet. */
int names_open(struct names **out, const struct names_options *opt);
/* Ends the worker, which may take as long as what it is at: seconds. Accepts NULL. */
void names_close(struct names *n);

/* ---- functions ---- */

/* Waits. 0; -ENOENT: nothing is known there, names_lack says why; -ENOSPC: text_max is reached;
 * other errnos are those of reading. Any thread. */
int names_function(struct names *n, const struct module *m, uint64_t offset, struct function *out);

/* The same for the screen's thread, from what is known. -EAGAIN: not yet, but the worker has
 * been asked. May allocate: not while drawing. */
int names_peek(struct names *n, const struct module *m, uint64_t offset, struct function *out);

/* Why functions of the module have no names, and what would bring them: a sentence, "" if nothing
 * is missing or nothing was asked yet. Does not wait. Returns buf. */
const char *names_lack(struct names *n, const struct module *m, char *buf, size_t cap);

/* ---- the function that is open ---- */

/* What is shown of one function. Offsets are those of the module; parts that could not be had are
 * empty, and their lack says why. */
struct listing {
    struct function function;
    struct code code;
    struct line_table lines; /* of each instruction */
    struct source_text text; /* of the file that most instructions of the function itself are of */
    char *file;              /* its name, "" if lines are not known; owned */
    char code_lack[NAMES_LACK], lines_lack[NAMES_LACK], text_lack[NAMES_LACK];
};

/* Waits. The function that has the offset. 0 and listing_free frees; or as names_function. */
int names_listing(struct names *n, const struct module *m, uint64_t offset, struct listing **out,
                  struct err *err);
void listing_free(struct listing *l);

/* The same by the worker; a newer question replaces an older one. 0 or -ENOMEM. Does not wait. */
int names_ask(struct names *n, const struct module *m, uint64_t offset);
/* What was asked last, once it is there: the caller's now. NULL: not yet. *rc: why there is none.
 */
struct listing *names_take(struct names *n, int *rc);

/* Waits. Lines of n offsets of one module, best in ascending order; 0, -ENOENT with words: what is
 * missing and what would bring it; or a negative errno. line_table_destroy frees. */
int names_lines(struct names *n, const struct module *m, const uint64_t *offset, size_t n_offset,
                struct line_table *out, struct err *err);

/* The same by a worker. 0, -EBUSY: another question is not answered yet, or a negative errno. Does
 * not wait. */
int names_ask_lines(struct names *n, const struct module *m, const uint64_t *offset,
                    size_t n_offset);
/* The answer, once: the caller's now. -EAGAIN: not yet; else as names_lines. */
int names_take_lines(struct names *n, struct line_table *out);

/* Waits. The build id that a module has, or that is read from its file: how many bytes, 0: none. */
int names_build_id(struct names *n, const struct module *m, uint8_t id[BUILD_ID_MAX]);

/* The same from what is known: does not wait. */
int names_build_id_known(struct names *n, const struct module *m, uint8_t id[BUILD_ID_MAX]);

/* Bytes that tables and names take now. */
size_t names_bytes(struct names *n);

#endif
