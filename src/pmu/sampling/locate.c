#include "pmu/sampling/locate.h"

#include "base/str.h"
#include "pmu/host/encode.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* "FRONTEND_RETIRED.LATENCY_GE_4:pp": how precise is for the kernel to say. */
static void without_precise(const char *name, char *out, size_t cap) {
    str_copy(out, cap, name);
    char *colon = strrchr(out, ':');
    if (colon && colon[1] && colon[1 + strspn(colon + 1, "pP")] == '\0')
        *colon = '\0';
}

static struct locate_event *next_of(struct locate *l) {
    struct locate_event *e = &l->at[l->n];
    if (l->n >= LOCATE_MAX - 2) /* two are for cycles and the clock */
        return NULL;
    *e = (struct locate_event){.node = METRIC_NONE};
    return e;
}

/*
 * The highest precise_ip that is worth asking for; the kernel refuses what the core cannot do.
 * Arm's driver does not look at it (armpmu_event_init), so that it would be taken for a promise.
 * From Ice Lake on Intel's takes it for all events (PMU_FL_PEBS_ALL), but only what counts
 * instructions that retire knows the instruction; with the others 1 makes the sample a little less
 * late.
 */
static int precise_of(const struct machine *mc, const char *event) {
    const char *vendor = machine_vendor(mc->id);
    if (strcmp(vendor, "Arm") == 0)
        return 0;
    if (strcmp(vendor, "Intel") != 0 || strcmp(event, "cycles") == 0)
        return LOCATE_PRECISE;
    const char *at = strstr(event, "_RETIRED");
    const bool of_uops = strncmp(event, "UOPS_RETIRED", 12) == 0;
    return at && !of_uops && strncmp(event, "MISC_", 5) != 0 ? LOCATE_PRECISE : 1;
}

/* Of which core type, where there are several: "MEM_LOAD_RETIRED.L3_MISS events on cpu_core". */
static void say_core(struct locate_event *e, const struct machine *mc) {
    const size_t n = strlen(e->of);
    if (mc->n_core > 1)
        snprintf(e->of + n, sizeof(e->of) - n, " on %s", mc->pmu);
}

/* An event of the model, or one that only libpfm4 may know. */
static struct locate_event *encode(struct locate *l, const struct machine *mc, const char *root,
                                   const struct model *m, const char *name) {
    const struct encode_options opt = {.root = root};
    struct locate_event *e = next_of(l);
    if (!e)
        return NULL;
    char plain[sizeof(e->name)];
    without_precise(name, plain, sizeof(plain));
    str_copy(e->name, sizeof(e->name), plain);
    const struct event *known = m ? model_find_located(m, plain) : NULL;
    struct event ev = {.name = e->name, .base = e->name, .pmu = EVENT_CORE, .fixed = -1};
    if (known)
        ev = *known;
    if ((ev.pmu != EVENT_CORE && ev.pmu != EVENT_GENERIC) ||
        encode_event(mc, &ev, &opt, &e->attr) < 0)
        return NULL;
    e->precise = precise_of(mc, plain);
    e->access = e->precise == LOCATE_PRECISE && strncmp(plain, "MEM_", 4) == 0;
    snprintf(e->of, sizeof(e->of), "%s events", plain);
    say_core(e, mc);
    l->n++;
    return e;
}

static void add_event(struct locate *l, const struct machine *mc, const char *root,
                      const struct model *m, int asked, int node, const char *name) {
    struct locate_event *e = encode(l, mc, root, m, name);
    if (!e)
        return;
    e->node = node;
    const char *own = m->metric[node].name;
    if (node == asked)
        snprintf(e->why, sizeof(e->why), "%s is found by this event", own);
    else
        snprintf(e->why, sizeof(e->why),
                 "%s has no event that can be sampled here; this is that of its parent %s",
                 m->metric[asked].name, own);
}

static const char *name_of(const struct model *m, int node) {
    return m && node != METRIC_NONE ? m->metric[node].name : NULL;
}

static void add_cycles(struct locate *l, const struct machine *mc, const char *name) {
    struct locate_event *e = &l->at[l->n++];
    *e = (struct locate_event){
        .node = METRIC_NONE, .precise = precise_of(mc, "cycles"), .name = "cycles"};
    e->attr.type = PERF_TYPE_HARDWARE;
    e->attr.config = PERF_COUNT_HW_CPU_CYCLES;
    if (mc->n_core > 1)
        e->attr.config |= (uint64_t)mc->pmu_type << PERF_PMU_TYPE_SHIFT;
    str_copy(e->of, sizeof(e->of), "CPU cycles");
    say_core(e, mc);
    if (name)
        snprintf(e->why, sizeof(e->why),
                 "neither %s nor its parents have an event that can be sampled here: where cycles "
                 "go, whatever they are lost by",
                 name);
    else
        str_copy(e->why, sizeof(e->why), "no node was named: where cycles go");
}

static void add_clock(struct locate *l, const struct machine *mc, const char *name) {
    struct locate_event *e = &l->at[l->n++];
    *e = (struct locate_event){.node = METRIC_NONE, .clock = true, .name = "cpu-clock"};
    e->attr.type = PERF_TYPE_SOFTWARE;
    e->attr.config = PERF_COUNT_SW_CPU_CLOCK;
    str_copy(e->of, sizeof(e->of), "CPU time");
    snprintf(e->why, sizeof(e->why), "%s: where CPU time goes%s%s",
             mc->n_core ? "the kernel opens no event of the CPU's counters"
                        : "there is no PMU that can be counted",
             name ? ", not where it is lost by " : "", name ? name : "");
}

/* Each switch of a thread; how many of them, events.c says. */
static void add_off_cpu(struct locate *l) {
    struct locate_event *e = &l->at[l->n++];
    *e = (struct locate_event){
        .node = METRIC_NONE, .clock = true, .off_cpu = true, .name = "off-cpu"};
    e->attr.type = PERF_TYPE_SOFTWARE;
    e->attr.config = PERF_COUNT_SW_CONTEXT_SWITCHES;
    str_copy(e->of, sizeof(e->of), "blocked time");
    l->cpus = ""; /* a thread may come back on any */
}

void locate_events(struct locate *out, const struct machine *mc, const char *root,
                   const struct model *m, int node) {
    const char *name = name_of(m, node);
    *out = (struct locate){.cpus = mc->n_core ? mc->core[mc->chosen].cpus : ""};
    if (name && m->metric[node].time == TIME_IDLE) { /* nothing runs then */
        add_off_cpu(out);
        out->at[0].node = node;
        snprintf(out->at[0].why, sizeof(out->at[0].why), "%s is found by what threads wait in",
                 name);
        return;
    }
    if (mc->n_core) {
        for (int at = node; m && at != METRIC_NONE; at = m->metric[at].parent)
            for (const char **ev = m->metric[at].locate; ev && *ev; ev++)
                add_event(out, mc, root, m, node, at, *ev);
        add_cycles(out, mc, name);
    }
    /* a part of the time is not lost by anything */
    add_clock(out, mc, name && model_tells_slots(m) ? name : NULL);
}

int locate_named(struct locate *out, const struct machine *mc, const char *root,
                 const struct model *m, const char *name) {
    *out = (struct locate){.cpus = mc->n_core ? mc->core[mc->chosen].cpus : ""};
    if (!strcmp(name, "off-cpu"))
        add_off_cpu(out);
    else if (!strcmp(name, "cpu-clock"))
        add_clock(out, mc, NULL);
    else if (mc->n_core && !strcmp(name, "cycles"))
        add_cycles(out, mc, NULL);
    else if (mc->n_core)
        encode(out, mc, root, m, name);
    if (!out->n)
        return -ENOENT;
    str_copy(out->at[0].why, sizeof(out->at[0].why),
             locate_is_off_cpu(out) ? "functions are those that threads wait in"
                                    : "it was asked for");
    return 0;
}

/* "event=0x03,umask=0x82" of the kernel's own list. */
static bool from_sysfs(const struct machine *mc, const char *root, const char *name,
                       struct perf_event_attr *attr) {
    const struct event ev = {
        .name = name, .base = name, .sysfs = name, .pmu = EVENT_CORE, .fixed = -1};
    return encode_event(mc, &ev, &(struct encode_options){.root = root}, attr) == 0;
}

/* From Sapphire Rapids on the kernel wants another event to lead (intel_pmu_hw_config in
 * arch/x86/events/intel/core.c); it names that where it is so. */
static int locate_loads(struct locate *l, const struct machine *mc, const char *root) {
    enum { LATENCY_LEAST = 3 }; /* cycles: all loads */
    struct locate_event *e = next_of(l);
    if (!from_sysfs(mc, root, "mem-loads", &e->attr))
        return -ENOENT;
    str_copy(e->name, sizeof(e->name), "mem-loads");
    if (!e->attr.config1)
        e->attr.config1 = LATENCY_LEAST;
    e->has_aux = from_sysfs(mc, root, "mem-loads-aux", &e->aux);
    e->precise = LOCATE_PRECISE;
    e->access = true;
    str_copy(e->of, sizeof(e->of), "loads");
    say_core(e, mc);
    l->n++;
    return 0;
}

int locate_accesses(struct locate *out, const struct machine *mc, const char *root) {
    const char *vendor = mc->n_core ? machine_vendor(mc->id) : "";
    *out = (struct locate){.cpus = mc->n_core ? mc->core[mc->chosen].cpus : ""};
    int rc = -ENOENT;
    if (strcmp(vendor, "Intel") == 0) {
        rc = locate_loads(out, mc, root);
    } else if (strcmp(vendor, "AMD") == 0) {
        add_cycles(out, mc, NULL);
        out->at[0].access = true;
        rc = 0;
    }
    if (rc == 0)
        str_copy(out->at[0].why, sizeof(out->at[0].why), "its samples say which address it was");
    return rc;
}

bool locate_is_access(const struct locate *l) {
    return l->at[0].access;
}

bool locate_is_off_cpu(const struct locate *l) {
    return l->at[0].off_cpu;
}

bool locate_is_mispredict(const struct locate *l) {
    static const char *const words[] = {"MISP", "MIS_PRED", "branch-misses"}; /* Intel, AMD; Arm */
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (strcasestr(l->at[0].name, words[i]))
            return true;
    return false;
}

const char *locate_precision(const struct locate_event *e, int precise_ip) {
    return e->off_cpu        ? "each wait"
           : e->clock        ? "by time only"
           : precise_ip >= 2 ? "precise"
                             : "may be a few instructions late";
}
