/* A comparison in sentences: work done, slots lost, conditions. */
#include "cli/verb/compare_view.h"

#include "base/clock.h"
#include "base/str.h"
#include "base/when.h"
#include "cli/file/run_json.h"
#include "model/compare/pool.h"

#include <math.h>

const struct run_node *compare_node(const struct compare_row *r) {
    return r->a ? r->a : r->b;
}

const char *compare_direction(const struct compare_row *r) {
    static const char *const words[VERDICTS] = {[VERDICT_REGRESSED] = "regressed",
                                                [VERDICT_IMPROVED] = "improved",
                                                [VERDICT_CHANGED] = "changed"};
    return words[r->verdict] ? words[r->verdict] : "unchanged";
}

const char *gate_state_name(enum gate_state s) {
    static const char *const names[] = {"ok", "FAILED", "unclear", "skipped"};
    return names[s];
}

/* ---- one change ---- */

static int decimals(double of) {
    return fabs(of) < 10 ? 3 : 1;
}

/* A difference in the metric's own unit: of what was 0 there is no percentage. */
static void add_plain(struct strbuf *sb, const struct run_node *n, double v, bool sign) {
    char si[16];
    const char *plus = sign && v > 0 ? "+" : "";
    if (v != 0 && fabs(v) < 0.005)
        strbuf_add(sb, "%s%.2g", plus, v);
    else if (fabs(v) < 1e5)
        strbuf_add(sb, "%s%.*f", plus, decimals(n->value.v), v);
    else
        strbuf_add(sb, "%s%s", plus, str_si(si, sizeof(si), v));
}

static const char *difference(const struct compare_row *r, double v, bool sign, char *buf,
                              size_t cap) {
    const struct run_node *n = compare_node(r);
    struct strbuf sb = strbuf_on(buf, cap);
    if (isnan(v))
        return buf;
    if (compare_point(n) > 0)
        strbuf_add(&sb, sign ? "%+.1f points" : "%.1f points", v / compare_point(n));
    else if (r->a && r->a->value.v != 0)
        strbuf_add(&sb, sign ? "%+.1f %%" : "%.1f %%", v / fabs(r->a->value.v) * 100);
    else
        add_plain(&sb, n, v, sign);
    return buf;
}

const char *compare_delta_words(const struct compare_row *r, char *buf, size_t cap) {
    return difference(r, r->delta, true, buf, cap);
}

const char *compare_err_words(const struct compare_row *r, char *buf, size_t cap) {
    return difference(r, r->err, false, buf, cap);
}

/* ---- how much more ---- */

double compare_needed_s(const struct side *s, double needed) {
    if (s->kind == SIDE_RUNS || s->n_interval == 0)
        return NAN;
    return needed * (double)s->run.measured_ns / 1e9 / (double)s->n_interval;
}

/* 37 is 40, 1234 is 1300: more would be made up. */
static double rounded_up(double v) {
    const double unit = v < 20 ? 1 : pow(10, floor(log10(v)) - 1);
    return ceil(v / unit) * unit;
}

static uint64_t samples_of(const struct side *s) {
    return s->kind == SIDE_RUNS ? s->n_run : s->n_interval;
}

/* Runs on one side, intervals on the other. */
static const char *mixed_words(const struct compare_view *v, char *buf, size_t cap) {
    const bool a_runs = v->side[0].kind == SIDE_RUNS;
    const struct side *runs = &v->side[!a_runs], *few = &v->side[a_runs];
    snprintf(buf, cap,
             "%s has %zu runs as samples, %s only the %llu intervals of %zu run%s: with %d runs "
             "there, too, runs are compared with runs",
             a_runs ? "A" : "B", runs->n_run, a_runs ? "B" : "A",
             (unsigned long long)few->n_interval, few->n_run, few->n_run == 1 ? "" : "s",
             POOL_LEAST);
    return buf;
}

const char *compare_needed_words(const struct compare_view *v, char *buf, size_t cap) {
    const struct side *a = &v->side[0], *b = &v->side[1];
    const bool runs = a->kind == SIDE_RUNS;
    const struct compare_row *r = compare_largest_unsure(&v->c);
    char took[32];
    struct strbuf sb = strbuf_on(buf, cap);
    if (!r)
        return buf;
    if (runs != (b->kind == SIDE_RUNS))
        return mixed_words(v, buf, cap);
    const double needed = rounded_up(r->needed);
    strbuf_add(&sb, "the samples are %s, A has %llu and B %llu; ", runs ? "runs" : "intervals",
               (unsigned long long)samples_of(a), (unsigned long long)samples_of(b));
    strbuf_add(&sb, "about %.0f on each side", needed);
    const double s = fmax(compare_needed_s(a, needed), compare_needed_s(b, needed));
    if (s > 0)
        strbuf_add(&sb, " (%s)", when_duration(clock_ns_of(s), took, sizeof(took)));
    strbuf_add(&sb, " would do for %s", compare_node(r)->name);
    return buf;
}

/* ---- why a ± is wide ---- */

enum { WIDE = 5 }; /* least changes */

static const struct compare_row *widest_share(const struct compare_view *v) {
    const struct compare_row *widest = NULL;
    for (size_t i = 0; i < v->n_row; i++) {
        const struct compare_row *r = v->row[i];
        if (r->a && r->b && r->a->share && r->err > (widest ? widest->err : 0))
            widest = r;
    }
    return widest && widest->err > WIDE * v->opt.least_points ? widest : NULL;
}

/* "A's 15 intervals are worth 4 independent ones". */
static void add_worth(struct strbuf *sb, const struct side *s, char name,
                      const struct run_node *n) {
    const char *what = s->kind == SIDE_RUNS ? "run" : "interval";
    const double worth = fmax(floor(n->m.effective_n), 1);
    strbuf_add(sb, "%c's %llu %s%s", name, (unsigned long long)n->m.n, what,
               n->m.n == 1 ? "" : "s");
    if (2 * worth <= (double)n->m.n)
        strbuf_add(sb, " (worth %.0f: neighbours are alike)", worth);
}

const char *compare_wide_words(const struct compare_view *v, char *buf, size_t cap) {
    const struct compare_row *r = widest_share(v);
    char margin[64];
    struct strbuf sb = strbuf_on(buf, cap);
    if (!r)
        return buf;
    strbuf_add(&sb, "%s %s: ", compare_node(r)->name, compare_err_words(r, margin, sizeof(margin)));
    add_worth(&sb, &v->side[0], 'A', r->a);
    strbuf_add(&sb, ", ");
    add_worth(&sb, &v->side[1], 'B', r->b);
    strbuf_add(&sb, "; 4 times as %s halves it", v->side[0].kind == SIDE_RUNS ? "many" : "long");
    return buf;
}

/* ---- work: cycles per second = instructions per second x cycles per instruction ---- */

static const char *more(double a, double b, char *buf, size_t cap) {
    const double by = (b - a) / a * 100;
    if (fabs(by) < 0.05)
        snprintf(buf, cap, "as many");
    else
        snprintf(buf, cap, "%.1f %% %s", fabs(by), by > 0 ? "more" : "fewer");
    return buf;
}

static bool both_known(double a, double b) {
    return isfinite(a) && isfinite(b) && a > 0;
}

const char *compare_work_words(const struct compare_view *v, char *buf, size_t cap) {
    const struct compare_counts *k = &v->c.counts;
    char by[48], a[16], b[16];
    struct strbuf sb = strbuf_on(buf, cap);
    const bool instructions = both_known(k->instructions_a, k->instructions_b);
    const bool cpi = both_known(k->cpi_a, k->cpi_b);
    const struct compare_row *ipc = compare_find(&v->c, "IPC");
    const char *work_sure = compare_work_is_sure(&v->c) ? "" : "; not sure",
               *cpi_sure = ipc && compare_is_sure(ipc) ? "" : "; not sure";
    if (instructions)
        strbuf_add(&sb, "B runs %s instructions per second (%s, A %s%s)",
                   more(k->instructions_a, k->instructions_b, by, sizeof(by)),
                   str_si(b, sizeof(b), k->instructions_b), str_si(a, sizeof(a), k->instructions_a),
                   work_sure);
    if (cpi)
        strbuf_add(&sb, "%s %s cycles per instruction (%.3f, A %.3f%s)",
                   instructions ? " and needs" : "B needs",
                   more(k->cpi_a, k->cpi_b, by, sizeof(by)), k->cpi_b, k->cpi_a, cpi_sure);
    if (instructions && cpi)
        strbuf_add(
            &sb, ": %s cycles per second",
            more(k->instructions_a * k->cpi_a, k->instructions_b * k->cpi_b, by, sizeof(by)));
    if (!instructions && !cpi && v->a->verbose)
        strbuf_add(&sb, "how much work was done is not known: it takes IPC, GHz and CPUs_Utilized "
                        "on both sides");
    else if (cpi && !instructions)
        strbuf_add(&sb, "; instructions per second are not known on both sides");
    return buf;
}

const char *compare_slot_words(const struct comparison *c, const struct compare_row *r, char *buf,
                               size_t cap) {
    const struct compare_counts *k = &c->counts;
    char a[16], b[16], by[16];
    struct strbuf sb = strbuf_on(buf, cap);
    if (!compare_is_of_slots(c, r))
        return buf;
    strbuf_add(&sb, "%s: %.1f %% -> %.1f %%", r->a->name, r->a->value.v * 100, r->b->value.v * 100);
    const double slots_a = r->a->value.v * k->slots_a, slots_b = r->b->value.v * k->slots_b;
    strbuf_add(&sb, " is %s -> %s slots per second, %s%s", str_si(a, sizeof(a), slots_a),
               str_si(b, sizeof(b), slots_b), slots_b > slots_a ? "+" : "",
               str_si(by, sizeof(by), slots_b - slots_a));
    return buf;
}

/* ---- conditions ---- */

const char *compare_result_words(const struct compare_view *v, char *buf, size_t cap) {
    struct strbuf sb = strbuf_on(buf, cap);
    const int *n = v->n_gate;
    const int judged = n[GATE_OK] + n[GATE_FAILED];
    if (v->gate.n == 0)
        return buf;
    if (n[GATE_FAILED])
        strbuf_add(&sb, "regressed: %d of %d condition%s failed", n[GATE_FAILED],
                   judged + n[GATE_UNCLEAR], judged + n[GATE_UNCLEAR] == 1 ? "" : "s");
    else if (n[GATE_UNCLEAR] || !judged)
        strbuf_add(&sb, "unclear: %d of %d conditions cannot be judged",
                   n[GATE_UNCLEAR] + (judged ? 0 : n[GATE_SKIPPED]), (int)v->gate.n);
    else
        strbuf_add(&sb, "ok: %d condition%s hold%s", judged, judged == 1 ? "" : "s",
                   judged == 1 ? "s" : "");
    if (judged && n[GATE_SKIPPED])
        strbuf_add(&sb, "; %d skipped", n[GATE_SKIPPED]);
    return buf;
}

const char *compare_samples_words(const struct compare_view *v, int side) {
    return v->ab ? "pairs of neighbouring runs are the samples; the ± holds at whichever it stops"
                 : side_samples(&v->side[side]);
}
