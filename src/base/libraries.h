/*
 * The libraries that only some users need, loaded when first asked for: libelf and libdw (lines),
 * capstone (instructions), liblzma (.gnu_debugdata), libmicrohttpd (HTTP), libpq (a store on a
 * server). Who opens no function pays neither memory nor start time for them.
 */
#ifndef TDTOP_BASE_LIBRARIES_H
#define TDTOP_BASE_LIBRARIES_H

#include "base/err.h"

enum library {
    LIBRARY_ELF,
    LIBRARY_DW,
    LIBRARY_CAPSTONE,
    LIBRARY_LZMA,
    LIBRARY_MICROHTTPD,
    LIBRARY_PQ,
    LIBRARIES
};

/* A function of a library: where its address goes. */
struct library_function {
    const char *name;
    void *at; /* of a pointer to such a function */
};

/*
 * Loads the library, once, and looks up n functions. 0; -ENOENT with the name of the package that
 * has it, -ENOTSUP if it lacks a function. Any thread, as long as no two fill the same pointers.
 */
int library_load(enum library which, const struct library_function *f, int n, struct err *err);

#endif
