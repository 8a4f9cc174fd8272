#include "cli/verb/collect_sum.h"

#include "base/str.h"
#include "cli/file/run_json.h"

#include <math.h>
#include <string.h>

static struct sum_value *sum_find(struct collect_sum *sum, const char *name) {
    for (int i = 0; i < sum->n; i++)
        if (!strcmp(sum->at[i].name, name))
            return &sum->at[i];
    if (sum->n == SUM_VALUES)
        return NULL;
    struct sum_value *v = &sum->at[sum->n++];
    str_copy(v->name, sizeof(v->name), name);
    return v;
}

static void sum_value_add(struct collect_sum *sum, const char *name, const char *unit, bool share,
                          double v) {
    struct sum_value *to = isfinite(v) ? sum_find(sum, name) : NULL;
    if (!to)
        return;
    str_copy(to->unit, sizeof(to->unit), unit);
    to->share = share;
    to->n++;
    const double off = v - to->mean;
    to->mean += off / (double)to->n;
    to->m2 += off * (v - to->mean);
}

void collect_sum_add(struct collect_sum *sum, const struct run *r, bool with_time) {
    const char *cores = run_label_get(r, "cores");
    sum->n_run++;
    sum->simulated = r->simulated;
    str_copy(sum->cores, sizeof(sum->cores), cores ? cores : "");
    if (with_time)
        sum_value_add(sum, "time", "s", false, (double)r->measured_ns / 1e9);
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < r->node.n; i++) {
            const struct run_node *n = &r->node.at[i];
            if (pass ? n->level == 1 : !strcmp(n->name, "IPC"))
                sum_value_add(sum, n->name, n->unit, n->share, n->value.v);
        }
}

const char *collect_sum_text(const struct collect_sum *sum, char *buf, size_t cap) {
    struct strbuf sb = strbuf_on(buf, cap);
    char value[64], sd[64];
    if (sum->n_run < 2 || sum->n == 0)
        return buf;
    strbuf_add(&sb, "mean ± standard deviation of %llu runs%s%s%s:", (unsigned long long)sum->n_run,
               sum->cores[0] ? " on cores " : "", sum->cores, sum->simulated ? " (SIMULATED)" : "");
    const char *before = " ";
    for (int i = 0; i < sum->n; i++) {
        struct sum_value v = sum->at[i];
        const struct run_node of = {.unit = v.unit,
                                    .share = v.share,
                                    .value.v = v.mean,
                                    .m.sd = v.n < 2 ? NAN : sqrt(v.m2 / (double)(v.n - 1))};
        run_value_text(v.share, v.unit, v.mean, value, sizeof(value));
        run_sd_text(&of, sd, sizeof(sd));
        strbuf_add(&sb, "%s%s %s%s%s", before, v.name, value, sd[0] ? " ± " : "", sd);
        before = ", ";
    }
    return buf;
}
