#include "pmu/host/encode.h"

#include "base/log.h"
#include "base/str.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool encode_any_thread(const struct model *m, const struct event *ev) {
    return ev->pmu == EVENT_CORE && ev->config >> 21 & 1 && strcmp(m->vendor, "Intel") == 0;
}

/* What the kernel itself calls the event. */
static int from_sysfs(const struct machine *mc, const struct event *ev, const char *root,
                      struct perf_event_attr *attr) {
    char path[512], terms[256];
    unsigned long long c[3];
    if (!mc->pmu[0])
        return -ENOENT;
    snprintf(path, sizeof(path), "%s" MACHINE_PMU_DIR "%s/events/%s", root, mc->pmu, ev->sysfs);
    if (str_read_small(path, terms, sizeof(terms)) <= 0 || encode_terms(root, mc->pmu, terms, c))
        return -ENOENT;
    attr->config = c[0];
    attr->config1 = c[1];
    attr->config2 = c[2];
    if (ev->has_code && (ev->config != c[0] || ev->config1 != c[1]))
        log_line("encode: %s: the kernel's %s is 0x%llx:0x%llx, the model says 0x%" PRIx64
                 ":0x%" PRIx64 "; the kernel's is used",
                 ev->name, ev->sysfs, c[0], c[1], ev->config, ev->config1);
    return 0;
}

/* A raw code, written in the layout of the CPU's vendor, each field where this PMU wants it. */
static int from_code(const struct machine *mc, const struct event *ev, const char *root,
                     const uint64_t code[2], struct perf_event_attr *attr) {
    unsigned long long c[3];
    const char *missing;
    int rc = encode_by_format(root, mc->pmu, machine_vendor(mc->id), code, c, &missing);
    if (rc == -EINVAL) {
        log_line("encode: %s (0x%" PRIx64 ":0x%" PRIx64 "): %s has no field %s for it, or a "
                 "narrower one: no encoding",
                 ev->name, code[0], code[1], mc->pmu, missing);
        return -ENOENT;
    }
    attr->config = c[0];
    attr->config1 = c[1];
    attr->config2 = c[2];
    return 0;
}

/* The model's code, or that of libpfm4 for an event that has none there. */
static bool find_code(const struct machine *mc, const struct event *ev, uint64_t code[2]) {
    unsigned long long c[2] = {ev->config, ev->config1};
    const char *kind = mc->n_core ? mc->core[mc->chosen].kind : "";
    if (!ev->has_code && !encode_from_pfm_kind(kind, ev, c))
        return false;
    code[0] = c[0];
    code[1] = c[1];
    return true;
}

static int from_core(const struct machine *mc, const struct event *ev, const char *root,
                     struct perf_event_attr *attr) {
    uint64_t code[2];
    attr->type = mc->pmu_type;
    if (ev->sysfs && from_sysfs(mc, ev, root, attr) == 0)
        return 0;
    if (ev->perf_metrics) /* the code means something only where the kernel says so */
        return -ENOENT;
    if (!find_code(mc, ev, code))
        return -ENOENT;
    return from_code(mc, ev, root, code, attr);
}

/*
 * Generic events and software events. Where there are several kinds of cores a generic event is
 * for one PMU, whose type goes into the upper half of config (perf_event_open(2),
 * PERF_PMU_TYPE_SHIFT): else the kernel takes the first PMU that there is.
 */
static int from_generic(const struct machine *mc, const struct event *ev,
                        struct perf_event_attr *attr) {
    attr->type = ev->type;
    attr->config = ev->config;
    attr->config1 = ev->config1;
    if (mc->n_core > 1 && (ev->type == PERF_TYPE_HARDWARE || ev->type == PERF_TYPE_HW_CACHE))
        attr->config |= (uint64_t)mc->pmu_type << PERF_PMU_TYPE_SHIFT;
    return ev->has_code ? 0 : -ENOENT;
}

/* Switches and migrations happen in the kernel: counted in user space only, they are always 0,
 * which would be a lie (kernel/events/core.c, perf_exclude_event). */
static bool only_in_kernel(const struct event *ev) {
    return ev->pmu == EVENT_SOFTWARE && (ev->config == PERF_COUNT_SW_CONTEXT_SWITCHES ||
                                         ev->config == PERF_COUNT_SW_CPU_MIGRATIONS);
}

static bool is_cpu_clock(const struct event *ev) {
    return ev->pmu == EVENT_SOFTWARE &&
           (ev->config == PERF_COUNT_SW_TASK_CLOCK || ev->config == PERF_COUNT_SW_CPU_CLOCK);
}

int encode_event(const struct machine *mc, const struct event *ev, const struct encode_options *opt,
                 struct perf_event_attr *attr) {
    memset(attr, 0, sizeof(*attr));
    attr->size = sizeof(*attr);
    attr->exclude_kernel = opt->user_only || ev->user_only;
    attr->exclude_user = opt->kernel_only || ev->kernel_only;
    if (attr->exclude_kernel && (attr->exclude_user || only_in_kernel(ev)))
        return opt->user_only_forced ? -EPERM : -EOPNOTSUPP;
    if (opt->on_cpus && is_cpu_clock(ev))
        return -EOPNOTSUPP;
    switch (ev->pmu) {
    case EVENT_CORE:
        return from_core(mc, ev, opt->root, attr);
    case EVENT_GENERIC:
    case EVENT_SOFTWARE:
        return from_generic(mc, ev, attr);
    default:
        return -EOPNOTSUPP;
    }
}
