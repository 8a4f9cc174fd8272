/* Names of C++ and Rust as people wrote them. Rust's older ones (_ZN...17hHASHE) are C++'s with a
 * hash, which is cut; its newer ones (_R...) stay as they are. */
#ifndef TDTOP_PMU_SYMBOLS_DEMANGLE_H
#define TDTOP_PMU_SYMBOLS_DEMANGLE_H

#include <stddef.h>

/*
 * The name as it is read, safe for a terminal (str_safe); what cannot be demangled stays. "@plt"
 * and ".cold", ".part.0", ".lto_priv.1" behind a name stay behind it. cap: cut to it. Returns dst.
 * May load libstdc++, once; without it names stay as they are. Any thread.
 */
char *demangle(char *dst, size_t cap, const char *name);

#endif
