/* Ticks per second of the time stamp counter: from the kernel, the CPU or the hypervisor; measured
 * only where a formula may need it and neither of them tells. */
#include "pmu/host/machine_impl.h"

#include "base/clock.h"
#include "base/log.h"
#include "pmu/host/perf_open.h"

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

/* ---- both clocks side by side ---- */

static uint64_t width_of(const struct tsc_reading *r) {
    return r->after_ns - r->before_ns;
}

static struct tsc_reading tightest(const struct tsc_reading *r, int n) {
    int best = 0;
    for (int i = 1; i < n; i++)
        if (width_of(&r[i]) < width_of(&r[best]))
            best = i;
    return r[best];
}

double machine_tsc_rate(const struct tsc_reading *begin, const struct tsc_reading *end, int n,
                        double *off) {
    const struct tsc_reading a = tightest(begin, n), b = tightest(end, n);
    double blur_ns = (double)(width_of(&a) + width_of(&b)) / 2; /* each is somewhere inside */
    double ns = (double)(b.before_ns - a.before_ns) +
                ((double)width_of(&b) - (double)width_of(&a)) / 2; /* from middle to middle */
    *off = ns > 0 ? blur_ns / ns : 1;
    return ns > 0 ? (double)(b.tsc - a.tsc) / ns * 1e9 : 0;
}

#if defined(__x86_64__) || defined(__i386__)
static void read_both(struct tsc_reading *r, int n) {
    for (int i = 0; i < n; i++) {
        r[i].before_ns = clock_read_ns(CLOCK_MONOTONIC_RAW);
        r[i].tsc = __builtin_ia32_rdtsc();
        r[i].after_ns = clock_read_ns(CLOCK_MONOTONIC_RAW);
    }
}

/* Last resort, for guests with a PMU where the hypervisor tells nothing: both clocks over 2 ms.
 * Worse than 1 % is unknown. */
static uint64_t tsc_from_clock(void) {
    enum { READINGS = 16 };
    struct tsc_reading begin[READINGS], end[READINGS];
    double off;
    read_both(begin, READINGS);
    nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
    read_both(end, READINGS);
    double hz = machine_tsc_rate(begin, end, READINGS, &off);
    log_line("machine: TSC against the clock: %.6f GHz, at most %.0f ppm off%s", hz / 1e9,
             off * 1e6, off > 0.01 ? ": too much, it stays unknown" : "");
    return off > 0.01 ? 0 : (uint64_t)(hz + 0.5);
}
#else
static uint64_t tsc_from_clock(void) {
    return 0;
}
#endif

void machine_detect_tsc(struct machine *mc) {
    mc->tsc_hz = tsc_from_perf();
    if (!mc->tsc_hz)
        mc->tsc_hz = tsc_from_cpuid();
    if (!mc->tsc_hz && mc->pmu[0]) /* without a PMU no formula asks for it */
        mc->tsc_hz = tsc_from_clock();
}
