#include "model/load/time_parts.h"

#include "base/str.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum time_part time_part_find(const char *name) {
    static const char *const names[TIME_PARTS] = {"", "Running", "Run_Queue_Wait", "Idle"};
    for (int i = TIME_RUNNING; i < TIME_PARTS; i++)
        if (strcmp(names[i], name) == 0)
            return (enum time_part)i;
    return TIME_NONE;
}

/* Both from the same interval, so their ratio is steady; of next to nothing it would be noise. */
static double whole_cpus(const struct model *m, const struct frame *f, double running) {
    const double least = 0.02;
    const int cpus = model_find(m, "CPUs_Utilized");
    return cpus == METRIC_NONE ? NAN : running < least ? 1 : f->at[cpus].v / running;
}

bool time_parts_of(const struct model *m, const struct frame *f, struct time_parts *out) {
    struct time_parts p = {.share = {NAN, NAN, NAN, NAN}};
    bool any = false;
    for (uint32_t i = 0; i < m->n_metric; i++) {
        const enum time_part part = m->metric[i].time;
        if (part == TIME_NONE)
            continue;
        any = true;
        p.share[part] = f->at[i].v;
        if (isnan(f->at[i].v) && p.why.kind == WHY_NOTHING)
            p.why = f->at[i].why;
    }
    if (!any)
        return false;
    p.cpus = whole_cpus(m, f, p.share[TIME_RUNNING]);
    *out = p;
    return true;
}

const char *time_parts_whole(const struct time_parts *p, char *buf, size_t cap) {
    const double over_one =
        1.05; /* CPUs_Utilized of a PMU's clock is not quite that of the kernel */
    buf[0] = '\0';
    if (!isnan(p->cpus) && p->cpus < over_one)
        snprintf(buf, cap, " of one CPU");
    else if (!isnan(p->cpus))
        snprintf(buf, cap, " of %.3g CPUs", p->cpus);
    return buf;
}

const char *time_parts_words(const struct time_parts *p, char *buf, size_t cap) {
    static const char *const words[TIME_PARTS] = {"", "running", "waiting for a CPU", "idle"};
    struct strbuf sb = strbuf_on(buf, cap);
    char whole[32];
    for (int i = TIME_RUNNING; i < TIME_PARTS; i++)
        if (!isnan(p->share[i]))
            strbuf_add(&sb, "%s%s %.1f%%", sb.n ? ", " : "", words[i], p->share[i] * 100);
    if (sb.n)
        strbuf_add(&sb, "%s", time_parts_whole(p, whole, sizeof(whole)));
    return buf;
}
