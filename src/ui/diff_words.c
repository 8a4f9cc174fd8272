#include "ui/diff_words.h"

#include "base/str.h"
#include "model/model.h"
#include "ui/words.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static bool both(double a, double b) {
    return isfinite(a) && isfinite(b) && a > 0 && b > 0;
}

static double percent(double a, double b) {
    return (b - a) / a * 100;
}

const char *diff_work_words(const struct comparison *c, char *buf, size_t cap) {
    const struct compare_counts *k = &c->counts;
    char a[16], b[16];
    struct strbuf sb = strbuf_on(buf, cap);
    bool work = both(k->instructions_a, k->instructions_b), cpi = both(k->cpi_a, k->cpi_b);
    if (work)
        strbuf_add(&sb, "instructions %s -> %s/s (%+.1f%%)",
                   str_si(a, sizeof(a), k->instructions_a), str_si(b, sizeof(b), k->instructions_b),
                   percent(k->instructions_a, k->instructions_b));
    if (cpi)
        strbuf_add(&sb, "%sCPI %.3f -> %.3f (%+.1f%%)", work ? " x " : "", k->cpi_a, k->cpi_b,
                   percent(k->cpi_a, k->cpi_b));
    if (work && cpi)
        strbuf_add(&sb, " = cycles/s %+.1f%%",
                   percent(k->instructions_a * k->cpi_a, k->instructions_b * k->cpi_b));
    return buf;
}

const char *diff_slot_words(const struct comparison *c, const struct compare_row *r, char *buf,
                            size_t cap) {
    const struct compare_counts *k = &c->counts;
    char slots[16];
    struct strbuf sb = strbuf_on(buf, cap);
    if (!r->a || !r->b || !r->a->share || !both(k->slots_a, k->slots_b))
        return buf;
    double more = r->b->value.v * k->slots_b - r->a->value.v * k->slots_a;
    strbuf_add(&sb, "%s %+.1f points: %s %s %s a second", r->a->name, r->delta * 100,
               str_si(slots, sizeof(slots), fabs(more)), more < 0 ? "fewer" : "more",
               r->a->good_up ? "slots used" : "slots lost");
    return buf;
}

const char *diff_count_words(const struct comparison *c, char *buf, size_t cap) {
    static const char *const what[VERDICTS] = {
        [VERDICT_REGRESSED] = "worse",         [VERDICT_IMPROVED] = "better",
        [VERDICT_CHANGED] = "changed",         [VERDICT_NOISE] = "noise",
        [VERDICT_TOO_FEW] = "not enough data", [VERDICT_ONLY_A] = "only in A",
        [VERDICT_ONLY_B] = "only in B",
    };
    struct strbuf sb = strbuf_on(buf, cap);
    for (int i = 0; i < VERDICTS; i++)
        if (c->n_verdict[i])
            strbuf_add(&sb, "%s%d %s", sb.n ? ", " : "", c->n_verdict[i], what[i]);
    return buf;
}

/* ---- cells ---- */

const char *diff_value(const struct compare_row *r, bool b, int w, char *buf, size_t cap) {
    const struct run_node *n = b ? r->b : r->a;
    if (!n)
        return str_copy(buf, cap, "n/a");
    struct metric mt = {.share = n->share, .unit = n->unit};
    double v = b && r->total ? r->a->value.v + r->delta : n->value.v;
    words_value(buf, cap, &mt, v);
    mt.unit = "";
    if (str_width(buf) > w) /* the name says what it is a number of */
        words_value(buf, cap, &mt, v);
    return buf;
}

const char *diff_err(const struct compare_row *r, char *buf, size_t cap) {
    bool share = r->a && r->a->share;
    double by = share ? r->err * 100 : fabs(r->err / r->delta * r->relative) * 100;
    const bool says_nothing = r->verdict == VERDICT_TOO_FEW && by >= (share ? 100 : 1000);
    if (!isfinite(by) || says_nothing)
        return str_copy(buf, cap, "");
    if (by < 9999.5)
        snprintf(buf, cap, "±%.*f%s", by < 99.95 ? 1 : 0, by, share ? "" : "%");
    else
        str_copy(buf, cap, ">±9999%");
    return buf;
}

const char *diff_p(const struct compare_row *r, char *buf, size_t cap) {
    if (isnan(r->p))
        return str_copy(buf, cap, "");
    if (r->p >= 0.001)
        snprintf(buf, cap, "%.3f", r->p);
    else if (r->p >= 1e-9)
        snprintf(buf, cap, "%.0e", r->p);
    else
        str_copy(buf, cap, "<1e-9");
    return buf;
}
