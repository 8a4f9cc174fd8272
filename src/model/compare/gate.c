#include "model/compare/gate.h"

#include "base/str.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- presets ---- */

/* Intel has no ratio of misses in its metrics: what misses L2 per instruction comes nearest. */
#define CACHE_MISS_RATE                                                                            \
    "Cache_Miss_Ratio|ll_cache_read_miss_ratio|L2_To_LLC_Misses|Info_Memory_L2MPKI"
#define L3_MISSES                                                                                  \
    "Info_Memory_L3MPKI|l3_misses|ll_cache_read_mpki|llc_data_read_mpi_demand_plus_prefetch|"      \
    "Cache_Misses_PKI"

/* What performance tutorials use, in relative change; where a model has several names for one
 * thing, the nearest comes first. */
static const struct gate tutorial[] = {
    {RUN_ELAPSED, 0.05, true},
    {CACHE_MISS_RATE, 0.20, true},
    {"IPC", -0.10, true},
    {L3_MISSES, 0.15, true},
};
static const struct gate strict[] = {
    {RUN_ELAPSED, 0.05, true},
    {"IPC", -0.05, true},
    {L3_MISSES, 0.15, true},
};

static const struct {
    const char *name;
    const struct gate *gate;
    size_t n;
} presets[] = {
    {"tutorial", tutorial, sizeof(tutorial) / sizeof(tutorial[0])},
    {"strict", strict, sizeof(strict) / sizeof(strict[0])},
};
const char *const gate_presets[] = {"tutorial", "strict", NULL};

const struct gate *gate_preset(const char *name, size_t *n) {
    for (size_t i = 0; i < sizeof(presets) / sizeof(presets[0]); i++) {
        if (strcasecmp(presets[i].name, name) != 0)
            continue;
        *n = presets[i].n;
        return presets[i].gate;
    }
    *n = 0;
    return NULL;
}

/* ---- reading ---- */

static int not_a_gate(const char *text, const char *cause, struct err *err) {
    char safe[160];
    return err_set(err, -EINVAL, "condition '%s': %s; write METRIC:+2 (points) or METRIC:-5%%",
                   str_safe(safe, sizeof(safe), text), cause);
}

/* A sign and a number; *relative if a '%' follows. */
static bool read_limit(const char *text, double *limit, bool *relative) {
    char *end;
    if (*text != '+' && *text != '-')
        return false;
    *limit = strtod(text, &end);
    if (end == text || !isfinite(*limit) || *limit == 0.0)
        return false;
    *relative = *end == '%';
    *limit /= *relative ? 100.0 : 1.0;
    return end[*relative] == '\0';
}

int gate_parse(const char *text, struct gate *g, struct err *err) {
    const char *colon = strrchr(text, ':');
    *g = (struct gate){0};
    if (!colon || colon == text)
        return not_a_gate(text, colon ? "it names no metric" : "it has no ':'", err);
    if ((size_t)(colon - text) >= sizeof(g->name))
        return not_a_gate(text, "its name is too long", err);
    memcpy(g->name, text, (size_t)(colon - text));
    if (!read_limit(colon + 1, &g->limit, &g->relative))
        return not_a_gate(text, "behind the ':' is no signed number other than 0", err);
    return 0;
}

/* ---- checking ---- */

/* A change as it is held against a limit, and how it is written. */
struct change {
    double by, err; /* in the unit of the limit */
    const char *unit;
    double scale; /* of the unit in what is written */
};

static struct change change_of(const struct gate *g, const struct comparison *c,
                               const struct compare_row *r) {
    const double err = compare_err_alone(c, r);
    if (g->relative)
        return (struct change){r->relative, err * fabs(r->relative / r->delta), "%", 100.0};
    const double point = compare_point(r->a);
    if (point > 0)
        return (struct change){r->delta / point, err / point, " points", 1.0};
    return (struct change){r->delta, err, "", 1.0};
}

static bool is_beyond(double by, double limit) {
    return limit > 0 ? by > limit : by < limit;
}

static void judge(struct gate_result *out, double by, double err) {
    const double limit = out->gate.limit;
    const bool beyond = is_beyond(by, limit);
    const bool sure = fabs(by) > err; /* false where err is not known */
    out->failed = beyond && sure;
    out->unsure = beyond && !sure;
    const double most = limit > 0 ? by + err : by - err;
    out->near = !beyond && (isnan(err) || most == limit || is_beyond(most, limit));
    out->coarse = !(err < fabs(limit));
}

static void value_words(const struct run_node *n, char *buf, size_t cap) {
    if (n->share)
        snprintf(buf, cap, "%.1f%%", n->value.v * 100.0);
    else
        snprintf(buf, cap, "%.4g%s%s", n->value.v, *n->unit ? " " : "", n->unit);
}

static void say(struct gate_result *out, const char *name, const char *change, const char *from_to,
                const char *chance) {
    char limit[48];
    const struct gate *g = &out->gate;
    snprintf(limit, sizeof(limit), "%+g%s", g->limit * (g->relative ? 100.0 : 1.0),
             g->relative ? "%" : "");
    snprintf(out->words, sizeof(out->words), "%s: %s (%s): %s %s%s", name, change, from_to,
             out->failed || out->unsure ? "beyond the limit of" : "within the limit of", limit,
             out->unsure ? chance : "");
}

static void check_row(struct gate_result *out, const struct comparison *of,
                      const struct compare_row *r) {
    char change[96], a[64], b[64], from_to[224];
    const struct change c = change_of(&out->gate, of, r);
    if (isnan(c.by)) {
        out->missing = true;
        snprintf(out->words, sizeof(out->words), "%s: it was 0, of which there is no percentage",
                 r->a->name);
        return;
    }
    judge(out, c.by, c.err);
    struct strbuf sb = strbuf_on(change, sizeof(change));
    strbuf_add(&sb, "%+.3g", c.by * c.scale);
    if (c.err > 0 && fabs(c.err) < 1e-9 * fabs(c.by))
        strbuf_add(&sb, " ± 0"); /* nothing varied: the rest is rounding */
    else if (!isnan(c.err))
        strbuf_add(&sb, " ± %.2g", c.err * c.scale);
    strbuf_add(&sb, "%s", c.unit);
    value_words(r->a, a, sizeof(a));
    value_words(r->b, b, sizeof(b));
    snprintf(from_to, sizeof(from_to), "from %s to %s%s", a, b,
             r->total ? ", as if both had taken the same time" : "");
    say(out, r->a->name, change, from_to,
        isnan(c.err) ? ", but there is not enough data to tell: measure longer"
                     : ", but that may be chance: measure longer");
}

/* One time on each side: what it would be the next time is not known. */
static void check_elapsed(struct gate_result *out, const struct comparison *c) {
    char change[48], from_to[96];
    const double a = c->measured_s_a, b = c->measured_s_b;
    if (!(a > 0) || !(b > 0) || !c->ran_through) {
        out->missing = true;
        snprintf(out->words, sizeof(out->words),
                 "elapsed: not measured of a command that ended by itself, on both sides: tdtop "
                 "collect -- COMMAND does");
        return;
    }
    const double by = out->gate.relative ? (b - a) / a : b - a;
    judge(out, by, INFINITY);
    snprintf(change, sizeof(change), "%+.3g%s", by * (out->gate.relative ? 100.0 : 1.0),
             out->gate.relative ? "%" : " s");
    snprintf(from_to, sizeof(from_to), "from %.3g s to %.3g s", a, b);
    say(out, "elapsed", change, from_to, ", but one time on each side may be chance: repeat both");
}

/* The first of the names that both sides know. */
static const struct compare_row *find_either(const char *names, const struct comparison *c) {
    char name[GATE_NAME];
    for (const char *at = names; at;) {
        const char *bar = strchr(at, '|');
        const size_t n = bar ? (size_t)(bar - at) : strlen(at);
        snprintf(name, sizeof(name), "%.*s", (int)n, at);
        const struct compare_row *r = compare_find(c, name);
        if (r && r->a && r->b)
            return r;
        at = bar ? bar + 1 : NULL;
    }
    return NULL;
}

/* Why it cannot be checked, from whatever of the names is known best. */
static void say_missing(struct gate_result *out, const struct comparison *c) {
    char name[GATE_NAME], safe[GATE_NAME];
    const char *reason = NULL;
    struct strbuf sb = strbuf_on(out->words, sizeof(out->words));
    strbuf_add(&sb, "%s: not known on both sides", str_safe(safe, sizeof(safe), out->gate.name));
    for (const char *at = out->gate.name; at && !reason; at = strchr(at, '|')) {
        at += *at == '|';
        snprintf(name, sizeof(name), "%.*s", (int)strcspn(at, "|"), at);
        const struct compare_row *r = compare_find(c, name);
        if (r)
            strbuf_add(&sb, " (%s is only in %s)", name, r->a ? "A" : "B");
        reason = r ? r->reason : compare_unknown(c, name);
    }
    if (reason && *reason)
        strbuf_add(&sb, ": %s", reason);
    else
        strbuf_add(&sb, "; tdtop compare lists what is");
}

static int by_p(const void *a, const void *b) {
    const struct gate_result *const *x = a, *const *y = b;
    return ((*x)->row->p > (*y)->row->p) - ((*x)->row->p < (*y)->row->p);
}

int gate_correct(struct gate_result **all, size_t n, double confidence) {
    struct gate_result **told = calloc(n + 1, sizeof(struct gate_result *));
    size_t m = 0;
    if (!told)
        return -ENOMEM;
    for (size_t i = 0; i < n; i++)
        if (all[i]->row && !all[i]->missing && !isnan(all[i]->row->p))
            told[m++] = all[i];
    qsort(told, m, sizeof(*told), by_p);
    bool sure = true;
    for (size_t i = 0; i < m; i++) {
        struct gate_result *g = told[i];
        sure = sure && g->row->p <= (1.0 - confidence) / (double)(m - i);
        if (sure || !g->failed)
            continue;
        g->failed = false;
        g->unsure = true;
        struct strbuf sb = {.at = g->words, .n = strlen(g->words), .cap = sizeof(g->words)};
        strbuf_add(&sb, ", but of %zu conditions one may come so far by chance: measure longer", m);
    }
    free(told);
    return 0;
}

struct gate_result gate_check(const struct gate *g, const struct comparison *c) {
    struct gate_result out = {.gate = *g};
    out.row = find_either(g->name, c);
    if (!out.row && run_is_elapsed(g->name)) {
        check_elapsed(&out, c);
        return out;
    }
    if (out.row) {
        check_row(&out, c, out.row);
        return out;
    }
    out.missing = true;
    say_missing(&out, c);
    return out;
}
