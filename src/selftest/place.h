/* Where kernels run: quiet CPUs that are allowed, and what their caches hold. */
#ifndef TDTOP_SELFTEST_PLACE_H
#define TDTOP_SELFTEST_PLACE_H

#include "selftest/kernel.h"

/*
 * The CPU of `cpus` (of one core type: "0-15"; "" = any) that was idle the most of the last 100 ms
 * among those that we may use; and a second one on another core, if possible below the same last
 * cache. root is "" or a folder with fake /proc and /sys. What cannot be found out is assumed: 32
 * kB, 1 MB, 32 MB. 0, or -ENODEV with words if there is no such CPU.
 */
int place_find(struct kernel_place *place, const char *root, const char *cpus, struct err *err);

/* Pins the calling thread. 0 or negative errno. */
int place_pin(int cpu);

#endif
