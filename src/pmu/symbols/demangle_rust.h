/* Names of Rust in the mangling of RFC 2603 ("v0": _R...). */
#ifndef TDTOP_PMU_SYMBOLS_DEMANGLE_RUST_H
#define TDTOP_PMU_SYMBOLS_DEMANGLE_RUST_H

#include <stdbool.h>
#include <stddef.h>

/* Writes the name without hashes and types of constants, as rustc-demangle's short form; cut to
 * cap. False: it is none, or larger than makes sense. What is behind it ("." and more) is left out.
 */
bool demangle_rust(char *dst, size_t cap, const char *name);

#endif
