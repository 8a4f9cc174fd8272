/* Time that tests can freeze. Only this file calls clock_gettime. */
#ifndef TDTOP_BASE_CLOCK_H
#define TDTOP_BASE_CLOCK_H

#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#define NS_PER_S  1000000000ull
#define NS_PER_MS 1000000ull

/* CLOCK_MONOTONIC in nanoseconds, or the frozen time. Safe from any thread. */
uint64_t clock_now_ns(void);

/* Wall-clock time in nanoseconds since 1970, or the frozen time. */
uint64_t clock_wall_ns(void);

/* CPU time that a process has used, ended threads included; 0 if there is no such process. Never
 * frozen. */
uint64_t clock_process_ns(pid_t pid);

/* CPU time of the calling thread. Never frozen. */
uint64_t clock_thread_ns(void);

/* One of clock_gettime(2)'s, never frozen: for deadlines of what runs, and its cost. */
uint64_t clock_read_ns(clockid_t id);

/* Seconds as nanoseconds: 0 of what is negative or no number, at most INT64_MAX. */
uint64_t clock_ns_of(double seconds);

/* From now on clock_now_ns() and clock_wall_ns() return these; call before any thread starts. */
void clock_freeze(uint64_t now_ns, uint64_t wall_ns);

#endif
