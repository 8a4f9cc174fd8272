#include "ui/scene/cost.h"

#include "base/clock.h"
#include "base/folder.h"
#include "base/str.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* With ten thousands of descriptors even counting them is work. */
#define LOOK_NS (5 * NS_PER_S)

static uint64_t time_ns(const struct rusage *u) {
    return (uint64_t)(u->ru_utime.tv_sec + u->ru_stime.tv_sec) * NS_PER_S +
           (uint64_t)(u->ru_utime.tv_usec + u->ru_stime.tv_usec) * 1000;
}

static const struct cost_point *newest(const struct cost *c) {
    return &c->ring[(c->n - 1) % COST_POINTS];
}

void cost_begin(struct cost *c) {
    *c = (struct cost){.start.at_ns = clock_now_ns(),
                       .descriptors = -1,
                       .descriptors_max = -1,
                       .resident_bytes = -1};
}

void cost_add(struct cost *c, const struct cost_point *p) {
    c->ring[c->n++ % COST_POINTS] = *p;
}

void cost_note(struct cost *c, uint64_t samples) {
    struct cost_point p = {
        .at_ns = clock_now_ns(), .samples = samples, .frames = c->frames, .bytes = c->bytes};
    struct rusage all = {0}, mine = {0};
    if (c->n && p.at_ns - newest(c)->at_ns < NS_PER_S * 9 / 10)
        return;
    getrusage(RUSAGE_SELF, &all);
    getrusage(RUSAGE_THREAD, &mine);
    p.cpu_ns = time_ns(&all);
    p.screen_ns = time_ns(&mine);
    p.wakes = (uint64_t)all.ru_nvcsw;
    cost_add(c, &p);
}

/* ---- what is read now and then ---- */

/* Since Linux 6.2 the folder's size is the number of descriptors; before, its names are counted. */
static int64_t count_descriptors(void) {
    struct stat st;
    int fd = open("/proc/self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return -1;
    int64_t n = fstat(fd, &st) == 0 ? st.st_size : 0;
    char names[8192] __attribute__((aligned(8)));
    struct folder folder = {.fd = fd, .buf = names, .size = sizeof(names)};
    for (bool known = n > 0; !known && folder_next(&folder);)
        n++;
    bool counted = n > 0 && st.st_size == 0;
    close(fd);
    return n - 1 - (counted ? 2 : 0); /* itself, and the names . and .. */
}

static int64_t resident_bytes(void) {
    char text[128];
    long long pages;
    if (str_read_small("/proc/self/statm", text, sizeof(text)) <= 0 ||
        sscanf(text, "%*s %lld", &pages) != 1)
        return -1;
    return pages * sysconf(_SC_PAGESIZE);
}

void cost_look(struct cost *c) {
    struct rlimit files;
    const uint64_t now = clock_now_ns();
    if (c->looked_ns && now - c->looked_ns < LOOK_NS)
        return;
    c->looked_ns = now;
    c->descriptors = count_descriptors();
    c->descriptors_max = getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur != RLIM_INFINITY
                             ? (int64_t)files.rlim_cur
                             : -1;
    c->resident_bytes = resident_bytes();
}

/* ---- rates ---- */

struct cost_rate cost_rate(const struct cost_point *from, const struct cost_point *to) {
    const double s =
        to->at_ns > from->at_ns ? (double)(to->at_ns - from->at_ns) / (double)NS_PER_S : NAN;
    return (struct cost_rate){
        .seconds = s,
        .cpu = (double)(to->cpu_ns - from->cpu_ns) / (double)NS_PER_S / s,
        .screen = (double)(to->screen_ns - from->screen_ns) / (double)NS_PER_S / s,
        .wakes = (double)(to->wakes - from->wakes) / s,
        .samples = (double)(to->samples - from->samples) / s,
        .frames = (double)(to->frames - from->frames) / s,
        .bytes = (double)(to->bytes - from->bytes) / s,
    };
}

struct cost_rate cost_since_start(const struct cost *c) {
    return cost_rate(&c->start, c->n ? newest(c) : &c->start);
}

struct cost_rate cost_lately(const struct cost *c) {
    if (c->n == 0)
        return cost_rate(&c->start, &c->start);
    const unsigned oldest = c->n > COST_POINTS ? c->n - COST_POINTS : 0;
    return cost_rate(&c->ring[oldest % COST_POINTS], newest(c));
}
