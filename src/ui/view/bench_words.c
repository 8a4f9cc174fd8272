#include "ui/view/bench_words.h"

#include "base/clock.h"
#include "base/str.h"
#include "ui/draw/words.h"
#include "ui/scene/scene.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- cells ---- */

const char *bench_value(const struct bench_change *ch, double v, char *buf, size_t cap) {
    const struct metric mt = {.share = ch->node && ch->node->share,
                              .unit = ch->node ? ch->node->unit : "/s"};
    return isnan(v) ? str_copy(buf, cap, "") : words_number(buf, cap, &mt, v);
}

static bool is_share(const struct bench_change *ch) {
    return ch->node && ch->node->share;
}

/* In points, or in percent of a. */
static double shown(const struct bench_change *ch, double v) {
    const double point = ch->node ? compare_point(ch->node) : 0;
    return point > 0 ? v / point : v / fabs(ch->a) * 100;
}

static int decimals(const struct bench_change *ch, double by) {
    return is_share(ch) || fabs(by) < 9.95 ? 1 : 0;
}

const char *bench_delta(const struct bench_change *ch, char *buf, size_t cap) {
    double by = shown(ch, ch->delta);
    const char *unit = is_share(ch) ? "" : "%";
    if (!isfinite(by))
        return str_copy(buf, cap, "");
    if (fabs(by) < 0.05)
        by = 0; /* "-0.0" is noise */
    if (fabs(by) < 999.5)
        snprintf(buf, cap, "%+.*f%s", decimals(ch, by), by, unit);
    else
        snprintf(buf, cap, by > 0 ? ">999%s" : "<-999%s", unit);
    return buf;
}

/* False of an interval that reaches beyond what is possible: all points of a share, or less than
 * nothing. It is as good as none. */
static bool has_meaning(const struct bench_change *ch) {
    return is_share(ch) ? ch->err < 1 : ch->err - ch->delta <= fabs(ch->a);
}

const char *bench_err(const struct bench_change *ch, char *buf, size_t cap) {
    const double by = shown(ch, ch->err);
    if (!isfinite(by) || !has_meaning(ch) || by >= 999.5)
        return str_copy(buf, cap, "");
    snprintf(buf, cap, "±%.*f", is_share(ch) || by < 0.95 ? 1 : decimals(ch, shown(ch, ch->delta)),
             by);
    return buf;
}

static const double loud_least = 0.05; /* small changes are not shouted */

const char *bench_verdict(const struct bench_change *ch, double largest, enum style *st) {
    static const struct {
        const char *word, *loud;
        enum style st;
    } words[VERDICTS] = {
        [VERDICT_REGRESSED] = {"worse", "WORSE", STYLE_ERROR},
        [VERDICT_IMPROVED] = {"better", "BETTER", STYLE_GOOD},
        [VERDICT_CHANGED] = {"changed", "CHANGED", STYLE_WARN},
        [VERDICT_NOISE] = {"noise", "noise", STYLE_DIM},
        [VERDICT_UNSURE] = {"unsure", "unsure", STYLE_DIM},
        [VERDICT_ONLY_A] = {"only A", "only A", STYLE_DIM},
        [VERDICT_ONLY_B] = {"only B", "only B", STYLE_DIM},
    };
    *st = words[ch->verdict].st;
    const bool loud = ch->node && ch->node->level > 0 && fabs(ch->delta) >= loud_least &&
                      fabs(ch->delta) >= largest / 2;
    return loud ? words[ch->verdict].loud : words[ch->verdict].word;
}

/* ---- what is not sure ---- */

/* How much more it takes. A stays as it is while B grows. */
static void add_wait(const struct scene *sc, const struct compare_row *r, struct strbuf *sb) {
    enum { SAID_MOST_S = 600 }; /* by then something else has changed */
    const struct window *w = &sc->base.live.sums;
    const bool live = !sc->bench.stored && !sc->stored && sc->cursor.shows == CURSOR_LIVE;
    char span[16];
    if (isnan(r->needed))
        return;
    if (!live) {
        const char *what = sc->bench.from[0].samples ? "runs" : "intervals";
        if (compare_more_would_do(r))
            strbuf_add(sb, ", %.0f %s on each side would do", r->needed, what);
        else
            strbuf_add(sb, ", too few %s to tell", what);
        return;
    }
    const double more_s = (r->needed_of_b - (double)w->n) * w->covered_s / (double)w->n;
    if (w->n == 0 || sc->s->state != STREAM_LIVE || isnan(more_s))
        return;
    if (more_s > SAID_MOST_S)
        strbuf_add(sb, ", A is too short to tell");
    else if (more_s > 0)
        strbuf_add(sb, ", %s more", words_span(span, sizeof(span), clock_ns_of(ceil(more_s))));
}

const char *bench_unsure_words(const struct scene *sc, const struct compare_row *r, char *buf,
                               size_t cap) {
    const struct bench_change ch = bench_change(&sc->bench, r);
    char delta[24], err[24];
    struct strbuf sb = strbuf_on(buf, cap);
    strbuf_add(&sb, "%s", ch.node->name);
    if (bench_delta(&ch, delta, sizeof(delta))[0]) /* none of what A had nothing of */
        strbuf_add(&sb, " %s", delta);
    if (bench_err(&ch, err, sizeof(err))[0])
        strbuf_add(&sb, " %s", err);
    add_wait(sc, r, &sb);
    return buf;
}

/* ---- one line for many ---- */

static void add_same(const struct comparison *c, int n, struct strbuf *sb) {
    const double least = compare_defaults().least_points;
    int n_share = 0, n_hides = 0;
    for (size_t i = 0; i < c->n_row; i++) {
        const struct compare_row *r = &c->row[i];
        if (r->verdict != VERDICT_NOISE || !r->a->share)
            continue;
        n_share++;
        n_hides += fabs(r->delta) + r->err > 2 * least;
    }
    strbuf_add(sb, "%d other%s: no sure change", n, n == 1 ? "" : "s");
    if (n_share)
        strbuf_add(sb, " above %g point", least * 100);
    if (n_hides)
        strbuf_add(sb, "; %d could still hide %g", n_hides, 2 * least * 100);
}

/* With the largest of them. */
static void add_beside(const struct scene *sc, int n, struct strbuf *sb) {
    const struct comparison *c = bench_shown(sc);
    char delta[24];
    strbuf_add(sb, "%d other metrics changed", n);
    for (size_t i = 0; i < c->n_row && bench_is_sure(c->row[i].verdict); i++) {
        const struct bench_change ch = bench_change(&sc->bench, &c->row[i]);
        if (ch.node->level > 0 || bench_is_unit(&c->row[i]) || !isfinite(shown(&ch, ch.delta)))
            continue;
        strbuf_add(sb, ", most %s %s", ch.node->name, bench_delta(&ch, delta, sizeof(delta)));
        return;
    }
}

static void add_alone(const struct scene *sc, struct strbuf *sb) {
    const int *n = bench_shown(sc)->n_verdict;
    const bool turn = sc->bench.swapped;
    const int a = n[turn ? VERDICT_ONLY_B : VERDICT_ONLY_A];
    const int b = n[turn ? VERDICT_ONLY_A : VERDICT_ONLY_B];
    if (a)
        strbuf_add(sb, "%d only in A", a);
    if (b)
        strbuf_add(sb, "%s%d only in B", a ? ", " : "", b);
}

const char *bench_fold_words(const struct scene *sc, enum bench_fold f, int n, char *buf,
                             size_t cap) {
    struct strbuf sb = strbuf_on(buf, cap);
    if (f == FOLD_SMALLER)
        strbuf_add(&sb, "%d smaller change%s", n, n == 1 ? "" : "s");
    else if (f == FOLD_UNSURE)
        strbuf_add(&sb, "%d more unsure", n);
    else if (f == FOLD_BESIDE)
        add_beside(sc, n, &sb);
    else if (f == FOLD_SAME)
        add_same(bench_shown(sc), n, &sb);
    else
        add_alone(sc, &sb);
    return buf;
}

const char *bench_sure_words(const struct comparison *c, char *buf, size_t cap) {
    int n = 0;
    for (size_t i = 0; i < c->n_row; i++)
        n += !isnan(c->row[i].p);
    if (n)
        snprintf(buf, cap, "sure at %g%% for all %d metrics together", c->confidence * 100, n);
    else
        str_copy(buf, cap, "too few intervals: nothing is sure");
    return buf;
}

/* ---- the sentence ---- */

/* The strongest change to look at first that costs, or saves. That less is useful is no cause of
 * what an instruction costs; where nothing is known of instructions it may be all that is known. */
static bool find_cause(const struct scene *sc, enum verdict way, struct bench_change *out) {
    const struct comparison *c = bench_shown(sc);
    const bool of_instructions = !isnan(c->counts.cpi_a) && !isnan(c->counts.cpi_b);
    for (size_t i = 0; i < c->n_row; i++) {
        *out = bench_change(&sc->bench, &c->row[i]);
        if (out->leads && out->verdict == way && !(of_instructions && out->node->good_up))
            return true;
    }
    return false;
}

static void add_cause(const struct scene *sc, enum verdict way, const char *words,
                      struct strbuf *sb) {
    struct bench_change cause;
    char delta[24];
    if (find_cause(sc, way, &cause))
        strbuf_add(sb, "%s%s %s (%s%s)", sb->n ? "; " : "", words, cause.node->name,
                   bench_delta(&cause, delta, sizeof(delta)), is_share(&cause) ? " points" : "");
}

/* Without cycles per instruction: what costs more, and what less. A large part of all slots that is
 * not sure yet is not passed over for a small one that is. */
static void add_changes(const struct scene *sc, struct strbuf *sb) {
    const struct compare_row *r = compare_largest_unsure(bench_shown(sc));
    struct bench_change worse, better;
    char words[160];
    const bool has_worse = find_cause(sc, VERDICT_REGRESSED, &worse);
    const bool has_better = find_cause(sc, VERDICT_IMPROVED, &better);
    add_cause(sc, VERDICT_REGRESSED, "B is worse at", sb);
    add_cause(sc, VERDICT_IMPROVED, sb->n ? "better at" : "B is better at", sb);
    const double said =
        fmax(has_worse ? fabs(worse.delta) : 0, has_better ? fabs(better.delta) : 0);
    if (sb->n && r && r->a->share && r->a->level == 1 && fabs(r->delta) > 2 * said)
        strbuf_add(sb, "; not sure yet: %s", bench_unsure_words(sc, r, words, sizeof(words)));
}

static void add_unsure(const struct scene *sc, struct strbuf *sb) {
    const struct comparison *c = bench_shown(sc);
    const struct compare_row *r = compare_largest_unsure(c);
    char words[160];
    int n = 0;
    for (int v = VERDICT_REGRESSED; v <= VERDICT_CHANGED; v++)
        n += c->n_verdict[v];
    if (n > 0) {
        strbuf_add(sb, "no change in the tree is sure, %d beside it", n);
        return;
    }
    strbuf_add(sb, "no change is sure");
    if (r)
        strbuf_add(sb, " yet: %s", bench_unsure_words(sc, r, words, sizeof(words)));
}

const char *bench_sentence(const struct scene *sc, char *buf, size_t cap) {
    static const struct bench_unit cycles = {"IPC", "", true}, work = {NULL, "", false};
    const struct bench_change cpi = bench_unit_change(sc, &cycles);
    const struct bench_change done = bench_unit_change(sc, &work);
    const bool says_work = !isnan(done.a) && bench_is_sure(done.verdict);
    const bool says_cpi = !isnan(cpi.a) && bench_is_sure(cpi.verdict);
    struct strbuf sb = strbuf_on(buf, cap);
    if (says_work)
        strbuf_add(&sb, "B does %s work per second", done.delta > 0 ? "more" : "less");
    if (says_cpi) {
        const double by = fabs(cpi.relative) * 100;
        if (says_work)
            strbuf_add(&sb, (done.delta > 0) == (cpi.delta > 0) ? " but " : " and ");
        strbuf_add(&sb, "each instruction%s costs %.*f%% %s cycles", says_work ? "" : " of B",
                   by < 9.95 ? 1 : 0, by, cpi.delta > 0 ? "more" : "fewer");
        add_cause(sc, cpi.delta > 0 ? VERDICT_REGRESSED : VERDICT_IMPROVED,
                  cpi.delta > 0 ? "the added cost is" : "the saving is", &sb);
    } else {
        add_changes(sc, &sb);
    }
    if (sb.n == 0)
        add_unsure(sc, &sb);
    return buf;
}
