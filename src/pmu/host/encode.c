/*
 * Where a PMU wants the fields of an event: <pmu>/format/FIELD says "config:0-7,32-35". The terms
 * of an event's name are put there, and so are the raw codes of models, which are written in the
 * layout that the vendor's PMUs have had so far (model/load/code.h).
 */
#include "pmu/host/encode.h"

#include "base/log.h"
#include "base/str.h"
#include "model/load/code.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* What uncores of servers call thresh has other names in those of clients, by generation. */
static const char *const *field_names(const char *key, const char *const *alone) {
    static const char *const thresh[] = {"thresh", "threshold", "cmask", NULL};
    return strcmp(key, thresh[0]) == 0 ? thresh : alone;
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
    for (const char *const *name = field_names(key, (const char *[2]){key, NULL}); *name; name++) {
        snprintf(path, sizeof(path), "%s" MACHINE_PMU_DIR "%s/format/%s", root, pmu, *name);
        if (str_read_small(path, format, sizeof(format)) > 0)
            return put_field(format, value, c);
    }
    return -EINVAL;
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

/* ---- raw codes ---- */

int encode_by_format(const char *root, const char *pmu, const char *vendor, const uint64_t code[2],
                     unsigned long long c[3], const char **missing) {
    const struct code_field *layout = code_layout(vendor);
    char path[512], text[64];
    uint64_t rest = code[0];
    *missing = NULL;
    c[0] = code[0];
    c[1] = code[1];
    c[2] = 0;
    snprintf(path, sizeof(path), "%s" MACHINE_PMU_DIR "%s/format/event", root, pmu);
    if (!layout || str_read_small(path, text, sizeof(text)) <= 0)
        return -ENOENT;
    c[0] = c[1] = 0;
    for (const struct code_field *f = layout; f->name; f++) {
        uint64_t value = code_get(f, code[0]);
        rest = code_set(f, rest, 0);
        *missing = f->name;
        if (value && put_term(root, pmu, f->name, value, c))
            return -EINVAL;
    }
    *missing = "config";
    if (rest) /* bits that no field of the layout explains */
        return -EINVAL;
    *missing = code_config1_name(vendor, code[0]);
    if (code[1] && put_term(root, pmu, *missing, code[1], c))
        return -EINVAL;
    *missing = NULL;
    return 0;
}

/* ---- one event ---- */

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
    if (!ev->has_code && !encode_from_pfm(kind, ev, c))
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
 * for one PMU; its type goes into the upper half of config (perf_event_open(2),
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

bool encode_is_cpu_clock(const struct event *ev) {
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
    if (opt->on_cpus && encode_is_cpu_clock(ev))
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
