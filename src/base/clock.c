#include "base/clock.h"

#include <stdbool.h>

static bool frozen;
static uint64_t frozen_now_ns, frozen_wall_ns;

uint64_t clock_read_ns(clockid_t id) {
    struct timespec ts = {0};
    clock_gettime(id, &ts);
    return (uint64_t)ts.tv_sec * NS_PER_S + (uint64_t)ts.tv_nsec;
}

uint64_t clock_now_ns(void) {
    return frozen ? frozen_now_ns : clock_read_ns(CLOCK_MONOTONIC);
}

uint64_t clock_wall_ns(void) {
    return frozen ? frozen_wall_ns : clock_read_ns(CLOCK_REALTIME);
}

uint64_t clock_process_ns(pid_t pid) {
    clockid_t id;
    return clock_getcpuclockid(pid, &id) == 0 ? clock_read_ns(id) : 0;
}

uint64_t clock_thread_ns(void) {
    return clock_read_ns(CLOCK_THREAD_CPUTIME_ID);
}

uint64_t clock_ns_of(double seconds) {
    const double ns = seconds * 1e9;
    if (!(ns > 0))
        return 0;
    return ns < 0x1p63 ? (uint64_t)ns : INT64_MAX;
}

void clock_freeze(uint64_t now_ns, uint64_t wall_ns) {
    frozen = true;
    frozen_now_ns = now_ns;
    frozen_wall_ns = wall_ns;
}
