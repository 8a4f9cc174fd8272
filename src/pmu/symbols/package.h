/* Which Debian package a file is of, as `dpkg -S` says, without starting it. */
#ifndef TDTOP_PMU_SYMBOLS_PACKAGE_H
#define TDTOP_PMU_SYMBOLS_PACKAGE_H

#include "pmu/symbols/module_file.h"

/*
 * Looks for the path in the lists of dpkg, below the root of process pid, then below ours. 0 and
 * the name without its architecture; -ENOENT. Reads at most 64 MB; a few ms per thousand packages.
 */
int package_of(const struct places *p, pid_t pid, const char *path, char *name, size_t cap);

#endif
