#include "pmu/perf/uncore.h"

#include "base/log.h"
#include "base/str.h"
#include "model/eval/sample.h"
#include "pmu/host/encode.h"
#include "pmu/host/machine.h"
#include "pmu/host/perf_open.h"

#include <dirent.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BOXES_MAX = 1024, CPUS_MAX = 1024 };

/* ---- boxes in sysfs ---- */

struct box {
    int number;
    char pmu[64];
};

static int by_number(const void *a, const void *b) {
    const struct box *x = a, *y = b;
    return (x->number > y->number) - (x->number < y->number);
}

/* The PMUs of a device in the order of their numbers. Returns how many. */
static int list_boxes(const char *root, const char *device, struct box *box) {
    char path[512];
    int n = 0;
    snprintf(path, sizeof(path), "%s" MACHINE_PMU_DIR, root);
    DIR *dir = opendir(path);
    if (!dir)
        return 0;
    for (struct dirent *de; n < BOXES_MAX && (de = readdir(dir));) {
        int number = machine_box_number(de->d_name, device);
        if (number < 0 || strlen(de->d_name) >= sizeof(box->pmu))
            continue;
        box[n].number = number;
        str_copy(box[n++].pmu, sizeof(box->pmu), de->d_name);
    }
    closedir(dir);
    qsort(box, (size_t)n, sizeof(*box), by_number);
    return n;
}

static bool read_attribute(const char *root, const char *pmu, const char *name, char *text,
                           size_t cap) {
    char path[512];
    snprintf(path, sizeof(path), "%s" MACHINE_PMU_DIR "%s/%s", root, pmu, name);
    return str_read_small(path, text, cap) > 0;
}

/* The CPUs that a box is read from. Without a word from the kernel: CPU 0. */
static int cpus_of(const char *root, const char *pmu, int cpu[CPUS_MAX]) {
    static const char *const files[] = {"cpumask", "cpus"};
    char text[4096];
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
        int n = read_attribute(root, pmu, files[i], text, sizeof(text))
                    ? str_list(text, cpu, CPUS_MAX, NULL)
                    : 0;
        if (n > 0)
            return n;
    }
    cpu[0] = 0;
    return 1;
}

static int add_box(struct uncore_device *d, const char *root, const char *pmu) {
    char text[32];
    int cpu[CPUS_MAX];
    if (!read_attribute(root, pmu, "type", text, sizeof(text)))
        return 0;
    int n = cpus_of(root, pmu, cpu);
    struct uncore_place *place = realloc(d->place, (d->n_place + n) * sizeof(*place));
    if (!place)
        return -ENOMEM;
    d->place = place;
    if (!d->n_place)
        str_copy(d->pmu, sizeof(d->pmu), pmu);
    for (int i = 0; i < n; i++)
        place[d->n_place++] =
            (struct uncore_place){.type = (uint32_t)strtoul(text, NULL, 10), .cpu = cpu[i]};
    return 0;
}

static int find_boxes(struct uncore_device *d, const char *root) {
    struct box *box = calloc(BOXES_MAX, sizeof(*box));
    if (!box)
        return -ENOMEM;
    int n = list_boxes(root, d->name, box), rc = 0;
    for (int i = 0; i < n && !rc; i++)
        rc = add_box(d, root, box[i].pmu);
    free(box);
    return rc;
}

/* Index of the device, which is looked for in sysfs when it is first asked for. */
static int device_of(struct uncore *u, const char *root, const char *name) {
    for (uint32_t i = 0; i < u->n_device; i++)
        if (strcmp(u->device[i].name, name) == 0)
            return (int)i;
    u->device[u->n_device] = (struct uncore_device){.name = name};
    int rc = find_boxes(&u->device[u->n_device++], root);
    return rc ? rc : (int)u->n_device - 1;
}

/* ---- codes ---- */

static int encode(const char *root, const char *pmu, const struct event *ev, uint64_t config[3]) {
    char text[256], name[128];
    unsigned long long c[3] = {0}, more[3] = {0};
    if (ev->sysfs) {
        snprintf(name, sizeof(name), "events/%s", ev->sysfs);
        if (!read_attribute(root, pmu, name, text, sizeof(text)))
            return -ENOENT;
        if (encode_terms(root, pmu, text, c))
            return -EINVAL;
    }
    if (ev->terms && encode_terms(root, pmu, ev->terms, more))
        return -EINVAL;
    for (int i = 0; i < 3; i++)
        config[i] = c[i] | more[i];
    return 0;
}

/* Fills one event. Returns its enum count_state, or -ENOMEM. */
static int find_event(struct uncore *u, const struct event *ev, const char *root,
                      struct uncore_event *out) {
    if (!ev->device || (!ev->terms && !ev->sysfs))
        return COUNT_NO_EVENT;
    int device = device_of(u, root, ev->device);
    if (device < 0)
        return device;
    const struct uncore_device *d = &u->device[device];
    if (!d->n_place)
        return COUNT_NOT_SUPPORTED;
    int rc = encode(root, d->pmu, ev, out->config);
    if (rc) {
        log_line("uncore: %s: %s has no %s", ev->name, d->pmu,
                 rc == -ENOENT ? ev->sysfs : "format for all of its terms");
        return rc == -ENOENT ? COUNT_NO_EVENT : COUNT_NOT_SUPPORTED;
    }
    out->device = (uint16_t)device;
    out->scale = ev->scale;
    out->n_place = ev->one_unit ? 1 : d->n_place;
    return COUNT_OK;
}

int uncore_find(struct uncore *u, const struct model *m, const char *root, uint8_t *state) {
    *u = (struct uncore){0};
    u->device = calloc(m->n_event + 1u, sizeof(*u->device));
    u->event = calloc(m->n_event + 1u, sizeof(*u->event));
    int rc = u->device && u->event ? 0 : -ENOMEM;
    for (uint32_t i = 0; i < m->n_event && rc >= 0; i++) {
        if (m->event[i].pmu != EVENT_UNCORE)
            continue;
        struct uncore_event *ue = &u->event[u->n_event];
        rc = find_event(u, &m->event[i], root, ue);
        if (rc >= 0)
            state[i] = (uint8_t)rc;
        ue->event = (uint16_t)i;
        u->n_event += rc == COUNT_OK;
    }
    if (rc < 0)
        uncore_free(u);
    return rc < 0 ? rc : 0;
}

/* ---- opening ---- */

static struct uncore_event *find_planned(const struct uncore *u, uint16_t event) {
    for (uint32_t i = 0; i < u->n_event; i++)
        if (u->event[i].event == event)
            return &u->event[i];
    return NULL;
}

/* The next event of the plan that is outside the core, from *at on; NULL at the end. */
static struct uncore_event *next_planned(const struct uncore *u, const struct plan *plan,
                                         uint32_t *at) {
    while (*at < plan->n_group) {
        const struct plan_group *pg = &plan->group[(*at)++];
        struct uncore_event *ue =
            pg->pmu == EVENT_UNCORE ? find_planned(u, plan->event[pg->first]) : NULL;
        if (ue)
            return ue;
    }
    return NULL;
}

uint32_t uncore_fds(const struct uncore *u, const struct plan *plan) {
    uint32_t n = 0, at = 0;
    for (const struct uncore_event *ue; (ue = next_planned(u, plan, &at));)
        n += ue->n_place;
    return n;
}

/* These PMUs take no flags that tell user from kernel: a box does not know who asks it. */
static int open_place(const struct uncore_event *ue, const struct uncore_place *place) {
    struct perf_event_attr attr = {.type = place->type,
                                   .size = sizeof(attr),
                                   .config = ue->config[0],
                                   .config1 = ue->config[1],
                                   .config2 = ue->config[2],
                                   .read_format = PERF_FORMAT_TOTAL_TIME_ENABLED |
                                                  PERF_FORMAT_TOTAL_TIME_RUNNING};
    return perf_open_fd(&attr, -1, place->cpu, -1);
}

static void close_from(struct uncore *u, uint32_t first) {
    while (u->n_counter > first)
        close(u->counter[--u->n_counter].fd);
}

/* Opens an event everywhere or nowhere. 0 or a negative errno; *cpu is where it was refused. */
static int open_event(struct uncore *u, struct uncore_event *ue, int *cpu) {
    const struct uncore_place *place = u->device[ue->device].place;
    ue->first = u->n_counter;
    for (uint32_t i = 0; i < ue->n_place; i++) {
        int fd = open_place(ue, &place[i]);
        if (fd < 0) {
            *cpu = place[i].cpu;
            close_from(u, ue->first);
            return fd;
        }
        u->counter[u->n_counter++] = (struct uncore_counter){.fd = fd};
    }
    ue->open = true;
    return 0;
}

static enum count_state state_of(int rc) {
    if (perf_is_denied(rc))
        return COUNT_NOT_PERMITTED;
    return rc == -EMFILE || rc == -ENFILE ? COUNT_NO_FDS : COUNT_NOT_SUPPORTED;
}

void uncore_open(struct uncore *u, const struct model *m, const struct plan *plan, uint64_t room,
                 uint8_t *missing) {
    uint32_t at = 0, n = uncore_fds(u, plan);
    u->counter = calloc(n + 1u, sizeof(*u->counter));
    for (struct uncore_event *ue; (ue = next_planned(u, plan, &at));) {
        int cpu = -1;
        int rc = !u->counter                         ? -ENOMEM
                 : u->n_counter + ue->n_place > room ? -EMFILE
                                                     : open_event(u, ue, &cpu);
        if (!rc)
            continue;
        missing[ue->event] = (uint8_t)state_of(rc);
        log_line("uncore: %s on CPU %d: %s", m->event[ue->event].name, cpu, strerror(-rc));
    }
    uncore_read(u, 0); /* from here on */
}

void uncore_close(struct uncore *u) {
    close_from(u, 0);
    free(u->counter);
    u->counter = NULL;
    for (uint32_t i = 0; i < u->n_event; i++)
        u->event[i].open = false;
}

void uncore_free(struct uncore *u) {
    uncore_close(u);
    for (uint32_t i = 0; i < u->n_device; i++)
        free(u->device[i].place);
    free(u->device);
    free(u->event);
    *u = (struct uncore){0};
}

/* ---- reading ---- */

/* The part for a span of what was counted in its time. */
static double cut(struct uncore_counter *c, double count, double time_ns, uint64_t span_ns) {
    const double all = c->beyond + count, all_ns = c->beyond_ns + time_ns, span = (double)span_ns;
    const double part = all_ns > 0 ? all * (span / all_ns) : 0;
    c->beyond = all - part;
    c->beyond_ns = all_ns - span;
    if (span_ns == 0 || fabs(c->beyond_ns) > span) /* its clock is another: begin anew */
        c->beyond = c->beyond_ns = 0;
    return part;
}

/* Adds what one box counted since it was read last, scaled to all of the time. */
static void add_counts(struct uncore_event *ue, struct uncore_counter *c, const uint64_t now[3],
                       uint64_t span_ns) {
    struct perf_sum *sum = &ue->sum;
    uint64_t enabled = now[1] - c->last[1], running = now[2] - c->last[2];
    running = running < enabled ? running : enabled;
    sum->reads++;
    sum->enabled_ns += enabled;
    sum->running_ns += running;
    if (running > 0) {
        sum->counted_ns += enabled;
        ue->value += cut(c, (double)(now[0] - c->last[0]) * ((double)enabled / (double)running),
                         (double)enabled, span_ns);
    } else {
        c->beyond = c->beyond_ns = 0;
    }
}

/* False if it cannot be read, or could not the last time: then there is no interval to count. */
static bool read_box(struct uncore_event *ue, struct uncore_counter *c, uint64_t span_ns) {
    uint64_t now[3];
    ssize_t got;
    do
        got = read(c->fd, now, sizeof(now));
    while (got < 0 && errno == EINTR);
    bool was_lost = c->lost;
    c->lost = got != (ssize_t)sizeof(now);
    if (c->lost)
        return false;
    if (was_lost)
        c->beyond = c->beyond_ns = 0;
    else
        add_counts(ue, c, now, span_ns);
    memcpy(c->last, now, sizeof(c->last));
    return !was_lost;
}

/* A sum that lacks a box is no sum. */
static void read_event(struct uncore *u, struct uncore_event *ue, uint64_t span_ns) {
    uint32_t n_read = 0;
    ue->value = 0;
    ue->sum = (struct perf_sum){0};
    for (uint32_t i = 0; i < ue->n_place; i++)
        n_read += read_box(ue, &u->counter[ue->first + i], span_ns);
    if (n_read < ue->n_place) {
        ue->sum = (struct perf_sum){0};
        ue->value = NAN;
        return;
    }
    /* A box where the event had no turn at all is taken to have done as the others did. */
    const struct perf_sum *sum = &ue->sum;
    if (sum->counted_ns && sum->counted_ns < sum->enabled_ns)
        ue->value *= (double)sum->enabled_ns / (double)sum->counted_ns;
    ue->value *= ue->scale;
}

void uncore_read(struct uncore *u, uint64_t span_ns) {
    for (uint32_t i = 0; i < u->n_event; i++)
        if (u->event[i].open)
            read_event(u, &u->event[i], span_ns);
}
