/* What the user should see of how it is counted, in one line. */
#include "pmu/perf/source_perf.h"

#include "base/str.h"

static const char *units_of(const struct perf *p) {
    return perf_on_cpus(p) ? "CPUs" : "threads";
}

/* Is a group that is on not open everywhere yet? While groups are only closed nothing is missing.
 */
static bool is_opening(const struct perf_units *pu) {
    bool lacking = false;
    for (uint32_t g = 0; g < pu->shape->n_group; g++)
        lacking |= pu->on[g] && pu->have[g] < pu->n;
    return lacking && pu->next < pu->n;
}

/* Not all threads are open: not yet, or never. */
static void note_units(const struct perf *p, struct strbuf *sb) {
    const struct perf_units *pu = &p->units;
    uint32_t counted = perf_units_counted(pu), all = perf_units_present(pu);
    bool opening = is_opening(pu), hidden = pu->next == pu->n && counted < all;
    if (opening)
        strbuf_add(sb, "opening: %u of %u %s, values are approximate; ", counted, all, units_of(p));
    else if (hidden)
        strbuf_add(sb, "counting %u of %u %s: descriptor limit; ", counted, all, units_of(p));
    if (p->proc.starved || procfs_lacks(&p->proc))
        strbuf_add(sb, "nothing of /proc, which level 1 needs: descriptor limit; ");
    else if (p->level1_only || (p->stage == STAGE_LEVEL1 && p->short_of_files))
        strbuf_add(sb, "level 1 only: descriptor limit; ");
    else if (p->stage == STAGE_TOP && pu->off_state == COUNT_NO_FDS)
        strbuf_add(sb, "levels 1 and 2 only: descriptor limit; ");
    if (p->short_of_files || pu->too_many_fds || hidden)
        strbuf_add(sb, "ulimit -n %llu; ", (unsigned long long)p->files_wanted);
}

/* "CPU 1 offline, not counted", "CPUs 1-3,5 offline ...". */
static void note_offline(const struct perf_units *pu, struct strbuf *sb) {
    bool begun = false;
    for (uint32_t u = 0; u < pu->n && pu->n_offline; u++) {
        if (!perf_unit_is_offline(&pu->unit[u]))
            continue;
        uint32_t last = u;
        while (last + 1 < pu->n && perf_unit_is_offline(&pu->unit[last + 1]) &&
               pu->unit[last + 1].cpu == pu->unit[last].cpu + 1)
            last++;
        const char *before = begun ? "," : pu->n_offline > 1 ? "CPUs " : "CPU ";
        strbuf_add(sb, last > u ? "%s%d-%d" : "%s%d", before, pu->unit[u].cpu, pu->unit[last].cpu);
        begun = true;
        u = last;
    }
    if (begun)
        strbuf_add(sb, " offline, not counted; ");
}

/* Groups of one PMU that are not pinned are multiplexed. */
static void note_turns(const struct perf *p, struct strbuf *sb) {
    unsigned turns = 0;
    for (uint32_t g = 0; g < p->shape.n_group; g++) {
        const struct perf_group *pg = &p->shape.group[g];
        turns += p->units.on[g] && !pg->pinned && plan_competes(&p->plan.group[pg->plan_group]);
    }
    if (turns > 1)
        strbuf_add(sb,
                   "duty will be low: %u groups of events are multiplexed; a lower "
                   "level (-l) needs fewer; ",
                   turns);
}

/* What each new thread inherits. */
static void note_thread_cost(const struct perf *p, struct strbuf *sb) {
    uint32_t n = 0, pending = 0;
    for (uint32_t g = 0; g < p->shape.n_group && p->units.mode.inherit; g++) {
        n += p->units.on[g] ? p->shape.group[g].n : 0;
        pending += p->units.on[g] && !p->shape.group[g].top ? p->shape.group[g].n : 0;
    }
    thread_cost_format(&p->thread_cost, n, pending, sb);
}

/* Tasks are counted wherever they run; of CPUs only those that we know of. */
static void note_cut(const struct perf *p, struct strbuf *sb) {
    char words[128];
    if (!perf_on_cpus(p) || !p->mc.n_core)
        return;
    machine_cut_words(&p->mc.core[p->mc.chosen], words, sizeof(words));
    if (words[0])
        strbuf_add(sb, "%s; ", words);
}

void perf_describe(const struct source *src, uint32_t n_thread, char *buf, size_t cap) {
    const struct perf *p = src->priv;
    struct strbuf sb = strbuf_on(buf, cap);
    char words[128];
    target_words(&p->target, words, sizeof(words));
    strbuf_add(&sb, "%s", words);
    if (p->target.kind == TARGET_PIDS || p->target.kind == TARGET_NAME)
        strbuf_add(&sb, " · %u thread%s", n_thread, n_thread == 1 ? "" : "s");
}

void perf_note(const struct source *src, char *buf, size_t cap) {
    const struct perf *p = src->priv;
    struct strbuf sb = strbuf_on(buf, cap);
    if (p->away) {
        strbuf_add(&sb, "%s; waiting for a process of that name", p->ended.text);
        return;
    }
    if (p->focus_failed[0])
        strbuf_add(&sb, "%s; ", p->focus_failed);
    note_units(p, &sb);
    note_offline(&p->units, &sb);
    if (p->said[0])
        strbuf_add(&sb, "%s; ", p->said);
    perf_budget_words(src, &sb);
    note_cut(p, &sb);
    note_turns(p, &sb);
    note_thread_cost(p, &sb);
    if (sb.n >= 2 && str_ends(buf, "; "))
        buf[sb.n - 2] = '\0';
}
