#include "pmu/encode.h"

#include "base/log.h"
#include "base/str.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PMU_DIR "/sys/bus/event_source/devices/"

/* Scatters value over "config:0-7,32-35", lowest bits first. */
static int put_field(const char *format, unsigned long long value, unsigned long long c[3]) {
    static const char *const words[] = {"config:", "config1:", "config2:"};
    int word = -1;
    for (int i = 0; i < 3; i++)
        if (str_starts(format, words[i]))
            word = i;
    if (word < 0)
        return -EINVAL;
    const char *p = strchr(format, ':') + 1;
    for (;;) {
        char *end;
        unsigned long lo = strtoul(p, &end, 10), hi = lo;
        if (end == p)
            return -EINVAL;
        if (*end == '-')
            hi = strtoul(end + 1, &end, 10);
        if (lo > hi || hi > 63)
            return -EINVAL;
        for (unsigned long bit = lo; bit <= hi; bit++, value >>= 1)
            c[word] |= (value & 1) << bit;
        if (*end != ',')
            return value ? -EINVAL : 0; /* bits that do not fit */
        p = end + 1;
    }
}

static int put_term(const char *root, const char *pmu, const char *key, unsigned long long value,
                    unsigned long long c[3]) {
    char path[512], format[64];
    for (int i = 0; i < 3; i++) {
        char word[16];
        snprintf(word, sizeof(word), i ? "config%d" : "config", i);
        if (strcmp(key, word) == 0) {
            c[i] |= value;
            return 0;
        }
    }
    snprintf(path, sizeof(path), "%s" PMU_DIR "%s/format/%s", root, pmu, key);
    if (str_read_small(path, format, sizeof(format)) <= 0)
        return -EINVAL;
    return put_field(format, value, c);
}

int encode_terms(const char *root, const char *pmu, const char *terms, unsigned long long c[3]) {
    char text[256];
    if (strlen(terms) >= sizeof(text))
        return -EINVAL;
    str_copy(text, sizeof(text), terms);
    c[0] = c[1] = c[2] = 0;
    char *save = NULL;
    for (char *term = strtok_r(text, ",\n", &save); term; term = strtok_r(NULL, ",\n", &save)) {
        unsigned long long value = 1; /* a bare "edge" */
        char *eq = strchr(term, '=');
        if (eq) {
            char *end;
            *eq++ = '\0';
            value = strtoull(eq, &end, 0);
            if (end == eq || *end)
                return -EINVAL;
        }
        int rc = put_term(root, pmu, term, value, c);
        if (rc)
            return rc;
    }
    return 0;
}

/* What the kernel itself calls the event. */
static int from_sysfs(const struct machine *mc, const struct event *ev, const char *root,
                      struct perf_event_attr *attr) {
    char path[512], terms[256];
    unsigned long long c[3];
    if (!mc->pmu[0])
        return -ENOENT;
    snprintf(path, sizeof(path), "%s" PMU_DIR "%s/events/%s", root, mc->pmu, ev->sysfs);
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

static int from_core(const struct machine *mc, const struct event *ev, const char *root,
                     struct perf_event_attr *attr) {
    attr->type = mc->pmu_type;
    if (ev->sysfs && from_sysfs(mc, ev, root, attr) == 0)
        return 0;
    if (ev->perf_metrics) /* the code means something only where the kernel says so */
        return -ENOENT;
    unsigned long long c[2];
    bool pfm = encode_from_pfm(ev, c);
    if (pfm && ev->has_code && (c[0] != ev->config || c[1] != ev->config1))
        log_line("encode: %s: libpfm4 says 0x%llx:0x%llx, the model 0x%" PRIx64 ":0x%" PRIx64
                 "; the model's is used",
                 ev->name, c[0], c[1], ev->config, ev->config1);
    if (ev->has_code) {
        attr->config = ev->config;
        attr->config1 = ev->config1;
        return 0;
    }
    if (!pfm)
        return -ENOENT;
    attr->config = c[0];
    attr->config1 = c[1];
    return 0;
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
        attr->type = ev->type;
        attr->config = ev->config;
        attr->config1 = ev->config1;
        return ev->has_code ? 0 : -ENOENT;
    default:
        return -EOPNOTSUPP;
    }
}
