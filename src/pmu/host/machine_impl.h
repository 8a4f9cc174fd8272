/* Small files below a root, which is "" or a folder with fake /proc and /sys; and how the rate of
 * the time stamp counter is measured. */
#ifndef TDTOP_PMU_MACHINE_IMPL_H
#define TDTOP_PMU_MACHINE_IMPL_H

#include "pmu/host/machine.h"

enum { MACHINE_CPUS_MAX = 8192 }; /* Linux' own limit, NR_CPUS with MAXSMP */

/* Reads a small file. Returns its length or a negative errno; buf is always a text. */
int machine_read(const char *root, const char *path, char *buf, size_t cap);

/* A number in a small file, or what is said for no file and no number. */
int machine_read_int(const char *root, const char *path, int absent);

/* The same below the folder of one CPU: "topology/physical_package_id". */
int machine_read_cpu(const char *root, int cpu, const char *rest, char *buf, size_t cap);

/* The time stamp counter, read between two readings of the clock. */
struct tsc_reading {
    uint64_t before_ns, tsc, after_ns;
};

/*
 * Ticks per second from n readings at the beginning and n at the end of a while. Whoever is
 * preempted between the clock and the counter has a wide reading: the tightest of either n is used.
 * *off is the share that the result may be off by for what is left of that. 0 if no time has
 * passed.
 */
double machine_tsc_rate(const struct tsc_reading *begin, const struct tsc_reading *end, int n,
                        double *off);

#endif
