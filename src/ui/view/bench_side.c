#include "ui/view/bench_side.h"

#include "base/clock.h"
#include "base/str.h"
#include "ui/draw/form.h"
#include "ui/draw/label_text.h"
#include "ui/draw/words.h"
#include "ui/scene/app.h"
#include "ui/scene/scene.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The nodes of a side, as the comparison has them. */
struct nodes {
    const struct run_node *at;
    size_t n;
};

static struct nodes nodes_of(const struct scene *sc, bool other) {
    const struct bench_view *d = &sc->bench;
    if (!d->stored && other)
        return (struct nodes){sc->base.live_node, scene_model(sc)->n_metric};
    const struct run *r = d->stored ? (other ? &d->b : &d->a) : &sc->base.run;
    return (struct nodes){r->node.at, r->node.n};
}

static bool is_past(const struct scene *sc) {
    return sc->cursor.shows != CURSOR_LIVE;
}

/* ---- how well it is known ---- */

/*
 * What the moments tell of level 1: independent values are few where the level changed once, or
 * drifts, however many intervals there are. Simulated with 40 metrics (tests/unit/test_bench.c has
 * a part of it): a step of 4 sd in the middle of 20 to 600 intervals is found always, at four
 * fifths of the time from 60 intervals on; white noise never, AR(1) of 0.5 in 6 % of 20 and less
 * than 1 % of 30 or more intervals; of 0.8 in 37 % of 60 and 3 % of 120.
 */
enum { STEADY_LEAST = 20, STEADY_RATIO = 20 };
static const double steady_range = 0.02; /* what moves by less than two points is steady */

static void take_moments(struct bench_side *s, const struct nodes *of) {
    s->err = NAN;
    s->steadiness = "";
    bool moves = false;
    for (size_t i = 0; i < of->n; i++) {
        const struct run_node *n = &of->at[i];
        if (n->m.n > s->n)
            s->n = n->m.n;
        if (n->level != 1 || !n->share || n->m.n == 0)
            continue;
        const double err = run_mean_err(n);
        if (isnan(s->err) || err > s->err)
            s->err = fmin(err, 1);
        moves |= (double)n->m.n > STEADY_RATIO * n->m.effective_n &&
                 n->m.most - n->m.least > steady_range;
    }
    if (s->n >= STEADY_LEAST && !s->runs && !isnan(s->err))
        s->steadiness = moves ? "not steady" : "steady";
}

double bench_progress(const struct bench_side *s) {
    return s->err > 0 ? fmin(pow(0.01 / s->err, 2), 1) : s->err;
}

const char *bench_progress_words(const struct bench_side *s, char *buf, size_t cap) {
    enum { FEWEST = 8, LONGEST_S = 600 }; /* intervals that tell how many more it takes */
    const double more_s = (double)s->measured_ns / 1e9 * (pow(s->err / 0.01, 2) - 1);
    char span[16];
    buf[0] = '\0';
    if (isnan(s->err))
        return buf;
    if (s->err <= 0.01)
        return str_copy(buf, cap, "ready");
    if (s->growing && s->n < FEWEST)
        str_copy(buf, cap, "a few intervals more");
    else if (!s->growing || more_s > LONGEST_S)
        snprintf(buf, cap, "±%.1f points", s->err * 100);
    else
        snprintf(buf, cap, "%s more for ±1 point",
                 words_span(span, sizeof(span), clock_ns_of(ceil(more_s))));
    return buf;
}

/* ---- what it is ---- */

static void add_label(struct bench_side *s, const char *key, const char *value) {
    if (s->n_label == BENCH_LABELS)
        return;
    struct bench_label *l = &s->label[s->n_label++];
    l->differs = false;
    str_safe(l->key, sizeof(l->key), key);
    str_safe(l->value, sizeof(l->value), value);
}

static void run_labels(struct bench_side *s, const struct run *r) {
    for (size_t i = 0; i < r->label.n; i++)
        if (!r->label.at[i].automatic)
            add_label(s, r->label.at[i].key, r->label.at[i].value);
}

/* What was typed for the newest snapshot, as long as that is of what is measured now. */
static void live_labels(const struct scene *sc, struct bench_side *s) {
    const char *at = app_labels_between(sc, sc->base.since_ns, UINT64_MAX);
    char word[FORM_CAP];
    while (label_text_next(&at, word, sizeof(word))) {
        char *value = strchr(word, '=');
        if (value) {
            *value = '\0';
            add_label(s, word, value + 1);
        }
    }
}

static void stored_side(const struct run *r, const struct bench_source *from,
                        struct bench_side *s) {
    struct strbuf sb = strbuf_on(s->state, sizeof(s->state));
    s->runs = from->samples;
    s->apart = from->apart[0] ? from->apart : NULL;
    s->measured_ns = r->measured_ns;
    strbuf_add(&sb, "%s", r->simulated ? "SIMULATED " : "");
    if (from->n_run)
        strbuf_add(&sb, "%zu run%s", from->n_run, from->n_run == 1 ? "" : "s");
    else
        strbuf_add(&sb, "%.8s", r->id);
    str_safe(s->name, sizeof(s->name), r->process ? r->process : "");
    if (from->has_value && from->key[0])
        add_label(s, from->key, from->value);
    run_labels(s, r);
}

static void pinned_side(const struct scene *sc, struct bench_side *s) {
    const struct baseline *b = &sc->base;
    char at[16];
    s->measured_ns = b->run.measured_ns;
    str_copy(s->name, sizeof(s->name), b->name);
    if (b->run.id[0])
        snprintf(s->state, sizeof(s->state), "%s%.8s", b->run.simulated ? "SIMULATED " : "",
                 b->run.id);
    else
        snprintf(s->state, sizeof(s->state), "pinned %s",
                 words_clock(at, sizeof(at), b->run.t1_ns));
    run_labels(s, &b->run);
}

static void other_side(const struct scene *sc, struct bench_side *s) {
    const struct cursor *cu = &sc->cursor;
    const bool live = !is_past(sc);
    const struct window *w = live ? &sc->base.live.sums : &cu->past.sums;
    s->n = w->n;
    s->measured_ns = w->covered_ns;
    s->growing = live && !sc->stored && sc->s->state == STREAM_LIVE;
    s->n_left_out = live ? sc->base.n_left_out : 0;
    str_copy(s->state, sizeof(s->state),
             !live        ? cu->shows == CURSOR_SPAN ? "this span" : "this moment"
             : sc->stored ? "this run"
             : s->growing ? "live"
                          : "ended");
    if (sc->stored) {
        char process[96];
        snprintf(
            s->name, sizeof(s->name), "%.8s %s", sc->stored->id,
            str_safe(process, sizeof(process), sc->stored->process ? sc->stored->process : ""));
        run_labels(s, sc->stored);
    } else {
        str_copy(s->name, sizeof(s->name), live ? "what came since" : "");
        if (live)
            live_labels(sc, s);
    }
}

/* The last name of a path. */
static void take_end(char *buf, size_t cap, const char *path) {
    const char *dot = path ? strrchr(path, '.') : NULL;
    str_safe(buf, cap, dot ? dot + 1 : path ? path : "");
}

static void take_bottleneck(const struct scene *sc, bool other, struct bench_side *s) {
    const struct bench_view *d = &sc->bench;
    const bool coarse = is_past(sc) && !sc->cursor.packed;
    const struct frame *f = coarse ? &sc->cursor.frame : &sc->base.sums;
    const struct bottleneck *at = &f->bottleneck;
    if (d->stored || !other)
        take_end(s->bottleneck, sizeof(s->bottleneck),
                 d->stored ? (other ? d->b : d->a).bottleneck : sc->base.run.bottleneck);
    else if (at->n)
        str_copy(s->bottleneck, sizeof(s->bottleneck),
                 scene_model(sc)->metric[at->at[at->n - 1]].name);
}

void bench_side_of(const struct scene *sc, bool b, struct bench_side *out) {
    const bool other = b != sc->bench.swapped;
    const struct compare_counts *k = &bench_shown(sc)->counts;
    *out = (struct bench_side){
        .ipc = 1 / (other ? k->cpi_b : k->cpi_a),
        .instructions = other ? k->instructions_b : k->instructions_a,
    };
    if (sc->bench.stored)
        stored_side(other ? &sc->bench.b : &sc->bench.a, &sc->bench.from[other], out);
    else if (other)
        other_side(sc, out);
    else
        pinned_side(sc, out);
    const struct nodes of = nodes_of(sc, other);
    take_moments(out, &of);
    take_bottleneck(sc, other, out);
}

/* ---- labels that differ ---- */

static bool has(const struct bench_side *s, const struct bench_label *l) {
    for (int i = 0; i < s->n_label; i++)
        if (strcmp(s->label[i].key, l->key) == 0 && strcmp(s->label[i].value, l->value) == 0)
            return true;
    return false;
}

static void differ_first(struct bench_side *s) {
    struct bench_label sorted[BENCH_LABELS];
    int n = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < s->n_label; i++)
            if (s->label[i].differs == (pass == 0))
                sorted[n++] = s->label[i];
    memcpy(s->label, sorted, (size_t)n * sizeof(sorted[0]));
}

void bench_sides_differ(struct bench_side *a, struct bench_side *b) {
    for (int i = 0; i < a->n_label; i++)
        a->label[i].differs = !has(b, &a->label[i]);
    for (int i = 0; i < b->n_label; i++)
        b->label[i].differs = !has(a, &b->label[i]);
    differ_first(a);
    differ_first(b);
}
