/* Ticks per second of the time stamp counter: from the kernel, the CPU or the hypervisor; measured
 * only where a formula may need it and nobody tells. */
#include "pmu/machine_impl.h"

#include "pmu/perf_open.h"

#include <linux/perf_event.h>
#include <math.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

/* The kernel's own conversion of TSC ticks to ns: perf_event_open(2), cap_user_time. */
static uint64_t tsc_from_perf(void) {
    struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
                                   .size = sizeof(attr),
                                   .config = PERF_COUNT_SW_DUMMY,
                                   .exclude_kernel = 1,
                                   .exclude_hv = 1};
    int fd = perf_open_fd(&attr, 0, -1, -1);
    if (fd < 0)
        return 0;
    uint64_t hz = 0;
    struct perf_event_mmap_page *page =
        mmap(NULL, (size_t)sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, fd, 0);
    if (page != MAP_FAILED) {
        if (page->cap_user_time && page->time_mult)
            hz = (uint64_t)(ldexp(1e9, page->time_shift) / page->time_mult + 0.5);
        munmap(page, (size_t)sysconf(_SC_PAGESIZE));
    }
    close(fd);
    return hz;
}

/* CPUID 0x15: crystal clock times ratio (Intel SDM vol. 2A); under KVM and VMware leaf
 * 0x40000010 has kHz. */
static uint64_t tsc_from_cpuid(void) {
#if defined(__x86_64__) || defined(__i386__)
    unsigned a = 0, b = 0, c = 0, d = 0;
    if (__get_cpuid(0x15, &a, &b, &c, &d) && a && b && c)
        return (uint64_t)c * b / a;
    unsigned has = 0;
    __cpuid(1, a, b, has, d);
    if (!(has >> 31 & 1)) /* no hypervisor */
        return 0;
    __cpuid(0x40000000, a, b, c, d);
    if (a < 0x40000010)
        return 0;
    __cpuid(0x40000010, a, b, c, d);
    return (uint64_t)a * 1000;
#else
    return 0;
#endif
}

/* Last resort, for guests with a PMU whose hypervisor tells nothing: both clocks over 2 ms. */
static uint64_t tsc_from_clock(void) {
#if defined(__x86_64__) || defined(__i386__)
    struct timespec a, b, pause = {.tv_nsec = 2000000};
    clock_gettime(CLOCK_MONOTONIC_RAW, &a);
    uint64_t t0 = __builtin_ia32_rdtsc();
    nanosleep(&pause, NULL);
    clock_gettime(CLOCK_MONOTONIC_RAW, &b);
    uint64_t ticks = __builtin_ia32_rdtsc() - t0;
    double s = (double)(b.tv_sec - a.tv_sec) + (double)(b.tv_nsec - a.tv_nsec) / 1e9;
    return s > 0 ? (uint64_t)((double)ticks / s + 0.5) : 0;
#else
    return 0;
#endif
}

uint64_t machine_detect_tsc(const struct machine *mc) {
    uint64_t hz = tsc_from_perf();
    if (!hz)
        hz = tsc_from_cpuid();
    if (!hz && mc->pmu[0]) /* without a PMU no formula asks for it */
        hz = tsc_from_clock();
    return hz;
}
