/* A comparison in sentences: work done, slots lost, conditions. */
#include "cli/compare_view.h"

#include "base/str.h"
#include "cli/run_json.h"

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

const char *compare_delta_words(const struct compare_row *r, char *buf, size_t cap) {
    const struct run_node *n = compare_node(r);
    char si[16];
    struct strbuf sb = strbuf_on(buf, cap);
    if (isnan(r->delta))
        return buf;
    if (n->share) {
        strbuf_add(&sb, "%+.1f points", r->delta * 100);
        return buf;
    }
    if (r->delta != 0 && fabs(r->delta) < 0.005)
        strbuf_add(&sb, "%+.2g", r->delta);
    else if (fabs(r->delta) < 1e5)
        strbuf_add(&sb, "%+.*f", decimals(n->value.v), r->delta);
    else
        strbuf_add(&sb, "%s%s", r->delta > 0 ? "+" : "", str_si(si, sizeof(si), r->delta));
    if (!isnan(r->relative))
        strbuf_add(&sb, " (%+.1f %%)", r->relative * 100);
    return buf;
}

const char *compare_err_words(const struct compare_row *r, char *buf, size_t cap) {
    const struct run_node *n = compare_node(r);
    char si[16];
    struct strbuf sb = strbuf_on(buf, cap);
    if (isnan(r->err))
        return buf;
    if (n->share)
        strbuf_add(&sb, "%.1f", r->err * 100);
    else if (r->err < 1e-9 * fabs(n->value.v))
        strbuf_add(&sb, "0");
    else if (r->err > 0 && r->err < 0.005)
        strbuf_add(&sb, "%.2g", r->err);
    else if (r->err < 1e5)
        strbuf_add(&sb, "%.*f", decimals(n->value.v), r->err);
    else
        strbuf_add(&sb, "%s", str_si(si, sizeof(si), r->err));
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

const char *compare_work_words(const struct comparison *c, char *buf, size_t cap) {
    const struct compare_counts *k = &c->counts;
    char by[48], a[16], b[16];
    struct strbuf sb = strbuf_on(buf, cap);
    const bool instructions = both_known(k->instructions_a, k->instructions_b);
    const bool cpi = both_known(k->cpi_a, k->cpi_b);
    if (instructions)
        strbuf_add(&sb, "B runs %s instructions per second (%s, A %s)",
                   more(k->instructions_a, k->instructions_b, by, sizeof(by)),
                   str_si(b, sizeof(b), k->instructions_b),
                   str_si(a, sizeof(a), k->instructions_a));
    if (cpi)
        strbuf_add(&sb, "%s %s cycles per instruction (%.3f, A %.3f)",
                   instructions ? " and needs" : "B needs",
                   more(k->cpi_a, k->cpi_b, by, sizeof(by)), k->cpi_b, k->cpi_a);
    if (instructions && cpi)
        strbuf_add(
            &sb, ": %s cycles per second",
            more(k->instructions_a * k->cpi_a, k->instructions_b * k->cpi_b, by, sizeof(by)));
    if (!instructions && !cpi)
        strbuf_add(&sb, "how much work was done is not known: IPC, GHz or CPUs_Utilized is missing "
                        "on one side");
    else if (!instructions)
        strbuf_add(&sb, "; instructions per second are not known on both sides");
    return buf;
}

const char *compare_slot_words(const struct comparison *c, const struct compare_row *r, char *buf,
                               size_t cap) {
    const struct compare_counts *k = &c->counts;
    char a[16], b[16], by[16];
    struct strbuf sb = strbuf_on(buf, cap);
    if (!r->a || !r->b || !r->a->share || r->a->level < 1 || r->a->level > 2)
        return buf; /* deeper nodes are often shares of clocks */
    strbuf_add(&sb, "%s: %.1f %% -> %.1f %%", r->a->name, r->a->value.v * 100, r->b->value.v * 100);
    if (!both_known(k->slots_a, k->slots_b))
        return buf;
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
