#include "selftest/judge.h"

#include "base/str.h"
#include "model/eval/bottleneck.h"
#include "model/eval/eval.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *judged_name(enum judged v) {
    static const char *const names[] = {
        [VERDICT_OK] = "ok", [VERDICT_NOT] = "NOT", [VERDICT_SKIPPED] = "skipped"};
    return names[v];
}

void judge_skip(struct judgement *out, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(out->why, sizeof(out->why), fmt, ap);
    va_end(ap);
    out->verdict = VERDICT_SKIPPED;
}

static void join(char *text, size_t cap, const char *more) {
    size_t n = strlen(text);
    if (*more)
        snprintf(text + n, cap - n, "%s%s", n ? "; " : "", more);
}

/* ---- paths ---- */

/* Two siblings too close to call, one of them the end of the path that was expected. */
static bool ends_in_tie(const struct bottleneck *b, const struct expect_path *p) {
    int last = p->node[p->n - 1];
    return p->n > 1 && b->n == p->n - 1 && (b->tie[0] == last || b->tie[1] == last);
}

static bool follows(const struct bottleneck *b, const struct expect_path *p) {
    for (int i = 0; i < p->n && i < b->n; i++)
        if (b->at[i] != p->node[i])
            return false;
    return b->n >= p->n || ends_in_tie(b, p);
}

static bool follows_one(const struct bottleneck *b, const struct expect *e) {
    for (int i = 0; i < e->n_path; i++)
        if (follows(b, &e->path[i]))
            return true;
    return e->n_path == 0;
}

static void value_words(const struct model *m, const struct frame *f, int metric,
                        struct strbuf *sb) {
    const struct metric *at = &m->metric[metric];
    double v = f->at[metric].v;
    strbuf_add(sb, at->share ? "%s %.1f %%" : "%s %.2f", at->name, at->share ? 100 * v : v);
}

static void path_words(const struct model *m, const struct frame *f, struct strbuf *sb) {
    const struct bottleneck *b = &f->bottleneck;
    char none[256];
    for (int i = 0; i < b->n; i++) {
        strbuf_add(sb, i ? " > " : "");
        value_words(m, f, b->at[i], sb);
    }
    if (b->n == 0)
        strbuf_add(sb, "%s", bottleneck_text(m, f, b, none, sizeof(none)));
    if (b->tie[0] == METRIC_NONE)
        return;
    strbuf_add(sb, " (");
    value_words(m, f, b->tie[0], sb);
    strbuf_add(sb, " ≈ ");
    value_words(m, f, b->tie[1], sb);
    strbuf_add(sb, ")");
}

/* The first thing that a kernel's expectation names and this frame does not know. */
static void say_unknown(const struct model *m, const char *kernel, const struct frame *f,
                        struct judgement *out) {
    struct expect all;
    char why[256];
    expect_find(m, kernel, NULL, &all);
    expect_text(m, &all, out->expected, sizeof(out->expected));
    int at = all.n_path ? all.path[0].node[0] : all.n_limit ? all.limit[0].metric : METRIC_NONE;
    if (at == METRIC_NONE)
        judge_skip(out, "model %s has none of the nodes that this kernel leads to", m->name);
    else
        judge_skip(out, "%s is not known: %s", m->metric[at].name,
                   why_text(m, f->at[at].why, why, sizeof(why)));
}

void judge_frame(const struct model *m, const char *kernel, const struct frame *f,
                 struct judgement *out) {
    struct expect e;
    *out = (struct judgement){.verdict = VERDICT_OK};
    struct strbuf measured = strbuf_on(out->measured, sizeof(out->measured));
    expect_find(m, kernel, f, &e);
    if (!e.n_path && !e.n_limit) {
        say_unknown(m, kernel, f, out);
        return;
    }
    expect_text(m, &e, out->expected, sizeof(out->expected));
    if (e.n_path)
        path_words(m, f, &measured);
    if (!follows_one(&f->bottleneck, &e)) {
        out->verdict = VERDICT_NOT;
        str_copy(out->why, sizeof(out->why), "the path leads elsewhere");
    }
    for (int i = 0; i < e.n_limit; i++) {
        const struct expect_limit *l = &e.limit[i];
        double v = f->at[l->metric].v;
        strbuf_add(&measured, measured.n ? "; " : "");
        value_words(m, f, l->metric, &measured);
        if (v >= l->min && v <= l->max)
            continue;
        out->verdict = VERDICT_NOT;
        snprintf(out->why, sizeof(out->why), "%s is not what it must be",
                 m->metric[l->metric].name);
    }
}

/* ---- counts ---- */

/* CPU time is counted in ns and read in ms. */
static void count_words(const struct judge_count *c, double v, struct strbuf *sb) {
    bool time = strcmp(c->event, "task_clock") == 0;
    strbuf_add(sb, time ? "%.1f ms" : "%.0f", time ? v / 1e6 : v);
}

static bool is_near(double measured, double truth, double tolerance) {
    return fabs(measured - truth) <= 0.01 * truth + tolerance;
}

void judge_count(const struct judge_count *c, struct judgement *out) {
    *out = (struct judgement){.verdict = VERDICT_OK};
    struct strbuf expected = strbuf_on(out->expected, sizeof(out->expected)),
                  measured = strbuf_on(out->measured, sizeof(out->measured));
    strbuf_add(&expected, "%s ", c->event);
    if (c->known > 0) {
        count_words(c, c->known, &expected);
        strbuf_add(&expected, " at least, ");
    }
    count_words(c, c->truth, &expected);
    strbuf_add(&expected, " by getrusage");
    if (isnan(c->measured)) {
        judge_skip(out, "%s is not counted here", c->event);
        return;
    }
    strbuf_add(&measured, "%s ", c->event);
    count_words(c, c->measured, &measured);
    if (c->truth < c->known) {
        out->verdict = VERDICT_NOT;
        str_copy(out->why, sizeof(out->why), "the operating system knows of fewer than were made");
    } else if (c->measured < c->known || !is_near(c->measured, c->truth, c->tolerance)) {
        out->verdict = VERDICT_NOT;
        str_copy(out->why, sizeof(out->why), "more than 1 % beside what happened");
    }
}

void judge_add(struct judgement *to, const struct judgement *more) {
    join(to->expected, sizeof(to->expected), more->expected);
    join(to->measured, sizeof(to->measured), more->measured);
    join(to->why, sizeof(to->why), more->why);
    if (to->verdict == VERDICT_OK || more->verdict == VERDICT_NOT)
        to->verdict = more->verdict == VERDICT_OK ? to->verdict : more->verdict;
}
