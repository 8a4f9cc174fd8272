/* Names of C++ and Rust, in its older and its newer way, as people wrote them: by libiberty. */
#ifndef TDTOP_PMU_SYMBOLS_DEMANGLE_H
#define TDTOP_PMU_SYMBOLS_DEMANGLE_H

#include <stddef.h>

/*
 * The name as it is read, safe for a terminal (str_safe); what cannot be demangled stays. "@plt"
 * and ".cold", ".part.0", ".lto_priv.1" behind a name stay behind it. cap: cut to it. Returns dst.
 * Any thread.
 */
char *demangle(char *dst, size_t cap, const char *name);

#endif
