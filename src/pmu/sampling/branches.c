#include "pmu/sampling/branches.h"

#include <linux/perf_event.h>

static void find(struct spaces *sp, const struct record *r, uint64_t addr, struct place *out) {
    spaces_find(sp, r->pid, addr, addr >> 63 ? MODE_KERNEL : MODE_USER, out);
}

static void count(struct tally_jump *j, const struct perf_branch_entry *e) {
    j->n++;
    j->n_told += e->mispred || e->predicted;
    j->n_missed += e->mispred;
    j->n_timed += e->cycles > 0;
    j->cycles += e->cycles;
}

uint32_t branches_find(struct spaces *sp, const struct record *r,
                       struct tally_jump out[TALLY_JUMPS]) {
    const struct record_sample *s = &r->sample;
    const struct perf_branch_entry *first[TALLY_JUMPS];
    uint32_t n = 0, k;
    for (uint64_t i = 0; i < s->n_branch && i < TALLY_JUMPS; i++) {
        const struct perf_branch_entry *e = &s->branch[i];
        if (!e->from || !e->to || e->spec == PERF_BR_SPEC_WRONG_PATH)
            continue;
        for (k = 0; k < n && (first[k]->from != e->from || first[k]->to != e->to); k++)
            continue;
        if (k == n) {
            first[n] = e;
            out[n] = (struct tally_jump){0};
            find(sp, r, e->from, &out[n].from);
            find(sp, r, e->to, &out[n].to);
            n++;
        }
        count(&out[k], e);
    }
    return n;
}
