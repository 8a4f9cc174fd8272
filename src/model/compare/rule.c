#include "model/compare/rule.h"

#include "base/clock.h"
#include "base/str.h"
#include "base/when.h"
#include "model/eval/steady.h"
#include "model/stats/moments.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- reading ---- */

static int not_a_rule(const struct rule *r, const char *cause, struct err *err) {
    return err_set(err, -EINVAL,
                   "rule '%s': %s; write METRIC > 30%% for 2s, or METRIC:-10%% for 5s (beside the "
                   "baseline), and until 20%% or every 5m behind it if wanted",
                   r->text, cause);
}

static bool read_limit(const char *text, struct rule_limit *to) {
    char *end;
    to->v = strtod(text, &end);
    to->percent = *end == '%';
    to->given = end > text && isfinite(to->v) && end[to->percent] == '\0';
    return to->given;
}

/* "METRIC:-10%"; or "METRIC > 30%". */
static int read_condition(struct rule *r, char *word, char **rest, struct err *err) {
    if (strchr(word, ':')) {
        r->of_base = true;
        if (gate_parse(word, &r->gate, NULL) < 0)
            return not_a_rule(r, "behind ':' is no signed number", err);
        r->below = r->gate.limit < 0;
        return 0;
    }
    const char *is = strtok_r(NULL, " ", rest), *limit = is ? strtok_r(NULL, " ", rest) : NULL;
    if (strlen(word) >= sizeof(r->gate.name))
        return not_a_rule(r, "its name is too long", err);
    str_copy(r->gate.name, sizeof(r->gate.name), word);
    if (!is || (strcmp(is, ">") != 0 && strcmp(is, "<") != 0))
        return not_a_rule(r, "behind the metric is neither > nor <", err);
    r->below = *is == '<';
    if (!limit || !read_limit(limit, &r->limit))
        return not_a_rule(r, "there is no number to hold it against", err);
    return 0;
}

static int read_clause(struct rule *r, const char *word, const char *of, struct err *err) {
    char cause[256];
    struct err why = {0};
    int rc = of ? 0 : -EINVAL;
    if (strcmp(word, "for") == 0 && of)
        rc = str_duration(of, NS_PER_S, &r->for_ns, &why);
    else if (strcmp(word, "every") == 0 && of)
        rc = str_duration(of, NS_PER_S, &r->every_ns, &why);
    else if (strcmp(word, "until") == 0 && of && !r->of_base)
        rc = read_limit(of, &r->until) ? 0 : -EINVAL;
    else
        rc = -EINVAL;
    if (rc == 0)
        return 0;
    snprintf(cause, sizeof(cause), "'%.40s %.40s' is not understood%s%.120s", word, of ? of : "",
             why.text[0] ? ": " : "", why.text);
    return not_a_rule(r, cause, err);
}

/* A space on each side of > and <. */
static void spread(const char *text, char *out, size_t cap) {
    size_t n = 0;
    for (; *text && n + 4 < cap; text++) {
        const bool is = *text == '>' || *text == '<';
        if (is)
            out[n++] = ' ';
        out[n++] = *text == '\t' || *text == '\n' ? ' ' : *text;
        if (is)
            out[n++] = ' ';
    }
    out[n] = '\0';
}

int rule_parse(const char *text, struct rule *r, struct err *err) {
    char words[2 * RULE_TEXT], *rest = NULL, *word;
    *r = (struct rule){.every_ns = RULE_EVERY_NS};
    str_safe(r->text, sizeof(r->text), text);
    if (strlen(text) >= sizeof(r->text))
        return not_a_rule(r, "it is too long", err);
    spread(text, words, sizeof(words));
    word = strtok_r(words, " ", &rest);
    int rc = word ? read_condition(r, word, &rest, err) : not_a_rule(r, "it is empty", err);
    while (rc == 0 && (word = strtok_r(NULL, " ", &rest)))
        rc = read_clause(r, word, strtok_r(NULL, " ", &rest), err);
    return rc;
}

/* ---- of a model ---- */

/* Of a share a number is percent with and without '%'; of anything else there is none. */
static int limit_of(const struct rule *r, const struct metric *m, const struct rule_limit *of,
                    double *v, struct err *err) {
    const bool by_itself = m->unit && strcmp(m->unit, "percent") == 0;
    if (of->percent && !m->share && !by_itself)
        return err_set(err, -EINVAL, "rule '%s': %s is no share: give its limit without %%",
                       r->text, m->name);
    *v = m->share ? of->v / 100 : of->v;
    return 0;
}

static int bind_base(struct rule_watch *w, const struct metric *m, const struct run *base,
                     struct err *err) {
    const struct run_node *n = base ? run_node_find(base, m->path) : NULL;
    const struct gate *g = &w->rule.gate;
    if (!base)
        return err_set(err, -EINVAL,
                       "rule '%s': it is beside a baseline, and there is none: give --baseline RUN",
                       w->rule.text);
    if (!n || isnan(n->value.v) || (g->relative && n->value.v == 0))
        return err_set(err, -EINVAL, "rule '%s': run %.8s, the baseline, has no %s", w->rule.text,
                       base->id, m->name);
    w->base = n->value.v;
    w->base_err = run_mean_err(n); /* not known: nothing is surely another */
    const double point = compare_point(n);
    w->limit =
        g->relative ? w->base * (1 + g->limit) : w->base + g->limit * (point > 0 ? point : 1);
    w->until = w->limit + (w->base - w->limit) / 10;
    return 0;
}

static int bind(struct rule_watch *w, const struct rule *r, const struct model *m,
                const struct run *base, struct err *err) {
    *w = (struct rule_watch){.rule = *r, .base = NAN, .metric = model_find(m, r->gate.name)};
    w->cpus = model_find(m, "CPUs_Utilized");
    if (w->metric == METRIC_NONE)
        return err_set(err, -EINVAL,
                       "rule '%s': the model %s has no metric %s; `tdtop models %s -v` lists them",
                       r->text, m->name, r->gate.name, m->name);
    const struct metric *of = &m->metric[w->metric];
    if (of->unavailable)
        return err_set(err, -EINVAL, "rule '%s': %s is not known: %s", r->text, of->name,
                       of->unavailable);
    if (r->of_base)
        return bind_base(w, of, base, err);
    int rc = limit_of(r, of, &r->limit, &w->limit, err);
    w->until = w->limit - (r->below ? -1 : 1) * fabs(w->limit) / 10;
    if (rc == 0 && r->until.given)
        rc = limit_of(r, of, &r->until, &w->until, err);
    if (rc == 0 && (r->below ? w->until < w->limit : w->until > w->limit))
        return err_set(err, -EINVAL, "rule '%s': 'until' is beyond its limit", r->text);
    return rc;
}

int rule_bind(struct rule_watch *w, const struct rule *r, const struct model *m,
              const struct run *base, struct err *err) {
    const int rc = bind(w, r, m, base, err);
    if (rc < 0)
        w->metric = METRIC_NONE;
    return rc;
}

/* ---- interval after interval ---- */

static void begin_row(struct rule_watch *w) {
    w->n = 0;
    w->mean_now = w->square = 0;
    w->scaled = false;
}

static bool is_beyond(const struct rule_watch *w, double v) {
    if (w->on) /* the way back */
        return w->rule.below ? v >= w->until : v <= w->until;
    return w->rule.below ? v < w->limit : v > w->limit;
}

/* Mean of the row, and half its 95 % interval (not known of two): of what was counted all the time
 * it is exact, but beside a baseline it stands for a program that goes on like this. */
static void judge(struct rule_watch *w) {
    w->mean = w->mean_now;
    w->err = 0;
    if (!w->rule.of_base && !w->scaled)
        return;
    const double square = w->square / (w->n - 1.0);
    const double own = w->n < 3 ? NAN : student_quantile(0.975, w->n - 1.0) * sqrt(square / w->n);
    w->err = sqrt(own * own + w->base_err * w->base_err);
}

/* Beside a baseline it is surely another, too. */
static bool is_sure(const struct rule_watch *w) {
    return !w->rule.of_base || fabs(w->mean - w->base) > w->err;
}

static enum rule_change fire(struct rule_watch *w, const struct frame *f) {
    judge(w);
    if (!is_sure(w))
        return RULE_SAME;
    if (w->fired && f->t1_ns - w->fired_ns < w->rule.every_ns)
        return RULE_SAME;
    w->on = w->fired = true;
    w->fired_ns = f->t1_ns;
    begin_row(w);
    return RULE_FIRES;
}

static bool is_idle(const struct rule_watch *w, const struct model *m, const struct frame *f) {
    return m->metric[w->metric].level > 0 && w->cpus != METRIC_NONE &&
           f->at[w->cpus].v < STEADY_IDLE_CPUS;
}

enum rule_change rule_take(struct rule_watch *w, const struct model *m, const struct frame *f) {
    if (w->metric == METRIC_NONE)
        return RULE_SAME;
    const struct value *v = &f->at[w->metric];
    const bool idle = is_idle(w, m, f);
    if (isnan(v->v) && !idle)
        return RULE_SAME;
    if (idle ? !w->on : !is_beyond(w, v->v)) {
        begin_row(w);
        return RULE_SAME;
    }
    if (w->n++ == 0)
        w->since_ns = f->t0_ns;
    const double off = v->v - w->mean_now; /* Welford */
    w->mean_now += off / w->n;
    w->square += off * (v->v - w->mean_now);
    w->scaled |= v->state != VALUE_EXACT;
    const uint64_t for_ns = w->rule.for_ns, slack = for_ns / 50; /* intervals are not exact */
    if (f->t1_ns - w->since_ns + slack < for_ns)
        return RULE_SAME;
    if (!w->on)
        return fire(w, f);
    w->on = false;
    begin_row(w);
    return RULE_ENDS;
}

static void put_value(struct strbuf *sb, const struct metric *m, double v, bool unit) {
    if (m->share)
        strbuf_add(sb, "%.1f%s", v * 100, unit ? "%" : "");
    else
        strbuf_add(sb, "%.4g%s%s", v, unit && m->unit ? " " : "", unit && m->unit ? m->unit : "");
}

const char *rule_found(const struct rule_watch *w, const struct model *m, char *buf, size_t cap) {
    struct strbuf sb = strbuf_on(buf, cap);
    const struct metric *of = &m->metric[w->metric];
    char time[32];
    strbuf_add(&sb, "%s ", of->name);
    put_value(&sb, of, w->mean, true);
    if (w->err > 0) {
        strbuf_add(&sb, " ± ");
        put_value(&sb, of, w->err, false);
    }
    strbuf_add(&sb, ", %c ", w->rule.below ? '<' : '>');
    put_value(&sb, of, w->limit, true);
    if (w->rule.of_base) {
        strbuf_add(&sb, " (baseline ");
        put_value(&sb, of, w->base, true);
        strbuf_add(&sb, ")");
    }
    if (w->fired_ns > w->since_ns)
        strbuf_add(&sb, " for %s", when_duration(w->fired_ns - w->since_ns, time, sizeof(time)));
    return buf;
}
