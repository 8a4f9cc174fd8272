#include "ui/view/doctor_page.h"

#include "base/str.h"
#include "session/hybrid.h"
#include "ui/draw/words.h"
#include "ui/scene/scene.h"
#include "ui/view/explain_page.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SIGN_W = 2, INDENT = 4, PAIR_W = 22 };

static const struct {
    const char *word, *many, *sign;
    enum style st;
} states[] = {
    [CHECK_OK] = {"ok", "ok", "✓", STYLE_POPUP},
    [CHECK_NOTE] = {"note", "notes", "•", STYLE_VALUE},
    [CHECK_WARN] = {"warning", "warnings", "!", STYLE_WARN},
    [CHECK_FAIL] = {"FAIL", "FAILED", "✗", STYLE_ERROR},
};

/* What is left while a check is not well. */
static const struct {
    const char *name, *words;
} without[] = {
    {"kernel", "the same tree: its level 1 takes more counters and turns"},
    {"perf_event_paranoid",
     "what is permitted is counted and the rest is n/a with the reason; replay, the "
     "store of runs and the demo need no permission"},
    {"perf_event_open", "replay, the store of runs and the demo; counting does not"},
    {"cpu_pmu",
     "the software model: CPU time, waiting, faults, switches; threads, runs and replay"},
    {"core_types", "each type by itself, and architectural events on the others"},
    {"topdown_events", "the same tree by other formulas"},
    {"libpfm4", "everything that the model has codes for"},
    {"uncore_pmus", "all that cores count: tree, threads, CPUs; bandwidths of memory are n/a"},
    {"nmi_watchdog", "everything, with a lower duty"},
    {"perf_users", "everything, with a lower duty"},
    {"open_files", "small processes; of large ones a part, which says so"},
    {"mux_interval", "everything at intervals of 1 s and more"},
    {"pinned_group", "everything, with a lower duty: level 1 is multiplexed, too"},
    {"smt", "all, but comparing needs a quiet neighbour"},
    {"hypervisor", "all that is not n/a"},
    {"steal", "shares; times and IPC over time are not the program's own"},
    {"governor", "shares of slots; times are not comparable"},
    {"turbo", "shares of slots; times are not comparable"},
    {"clock", "shares of slots; times are not comparable"},
    {"clock_change", "shares of slots; times are not comparable"},
    {"thermal_throttle", "shares of slots; times are not comparable"},
    {"throttled", "shares of slots; times are not comparable"},
    {"run_queue", "per-thread rows: those that run are told apart from those that wait"},
    {"migrations", "shares; caches that are cold after each move are part of them"},
    {"kptr_restrict", "everything that tdtop does"},
};

static const char *without_it(const struct check *c) {
    for (size_t i = 0; c->state != CHECK_OK && i < sizeof(without) / sizeof(without[0]); i++)
        if (strcmp(without[i].name, c->name) == 0)
            return without[i].words;
    return NULL;
}

static void put_check(struct page *p, const struct check *c) {
    char text[sizeof(c->found) + sizeof(c->name) + 16];
    struct strbuf sb = strbuf_on(text, sizeof(text));
    strbuf_add(&sb, "%s: %s", c->name, c->found);
    if (c->state != CHECK_OK) /* which the sign says well enough */
        strbuf_add(&sb, " (%s)", states[c->state].word);
    page_text(p, states[c->state].st, SIGN_W, states[c->state].sign, text);
    if (c->effect[0])
        page_text(p, STYLE_POPUP, INDENT, NULL, c->effect);
    if (c->fix[0])
        page_text(p, STYLE_KEY, INDENT, "→", c->fix);
    if (without_it(c)) {
        snprintf(text, sizeof(text), "still works: %s", without_it(c));
        page_text(p, STYLE_LABEL, INDENT, NULL, text);
    }
}

/* Those that want to be read first, the rest below. */
static void put_checks(struct page *p, const struct check *c, int n) {
    for (int state = CHECK_FAIL; state >= CHECK_OK; state--)
        for (int i = 0; i < n; i++)
            if ((int)c[i].state == state)
                put_check(p, &c[i]);
}

/* The doctor's checks that no note has already. */
static int others(const struct environment *env, struct check *out) {
    int n = 0;
    for (int i = 0; i < env->n_check; i++) {
        bool noted = false;
        for (int k = 0; k < env->n_note; k++)
            noted |= strcmp(env->note[k].name, env->check[i].name) == 0;
        if (!noted)
            out[n++] = env->check[i];
    }
    return n;
}

/* Why the numbers say nothing about this machine, and who does. */
static void put_elsewhere(const struct scene *sc, struct page *p, bool examined) {
    char text[256];
    const char *why = !sc->connected ? "Nothing is measured yet."
                      : sc->s->source.simulated
                          ? "These numbers are simulated: nothing of this machine is in them."
                          : "These numbers were recorded: the state of the machine then is not "
                            "known.";
    snprintf(text, sizeof(text), "%s%s", why,
             examined || !sc->connected ? "" : " tdtop doctor looks at this one.");
    page_text(p, STYLE_POPUP, 0, NULL, text);
}

void doctor_checks(const struct scene *sc, struct page *p) {
    const struct environment *env = session_environment(sc->s);
    if (!env->open) {
        put_elsewhere(sc, p, env->n_check > 0);
        if (env->n_check)
            page_heading(p, "What tdtop could count on this machine");
        put_checks(p, env->check, env->n_check);
        return;
    }
    struct check rest[CHECKS_MAX];
    int n = others(env, rest);
    if (env->n_note)
        page_heading(p, "What the numbers depend on");
    put_checks(p, env->note, env->n_note);
    if (n)
        page_heading(p, "What tdtop can count here");
    put_checks(p, rest, n);
}

const char *doctor_summary(const struct scene *sc, char *buf, size_t cap) {
    const struct environment *env = session_environment(sc->s);
    struct check rest[CHECKS_MAX];
    int n[CHECK_FAIL + 1] = {0}, n_rest = others(env, rest);
    struct strbuf sb = strbuf_on(buf, cap);
    for (int i = 0; env->open && i < env->n_note; i++)
        n[env->note[i].state]++;
    for (int i = 0; i < n_rest; i++)
        n[rest[i].state]++;
    for (int state = CHECK_FAIL; state >= CHECK_OK; state--)
        if (n[state])
            strbuf_add(&sb, "%s%d %s", sb.n ? ", " : "", n[state],
                       n[state] == 1 ? states[state].word : states[state].many);
    if (!sb.n)
        strbuf_add(&sb, env->open ? "no checks yet" : "this machine was not examined");
    return buf;
}

/* --- the model --- */

static void put_pair(struct page *p, const char *name, const char *text) {
    if (text && text[0])
        page_item(p, PAIR_W, STYLE_LABEL, name, STYLE_POPUP, text);
}

static void put_counters(const struct model *m, struct page *p) {
    char text[128];
    struct strbuf sb = strbuf_on(text, sizeof(text));
    if (m->general_counters)
        strbuf_add(&sb, "%d general, %d fixed", m->general_counters, m->fixed_counters);
    if (m->perf_metrics)
        strbuf_add(&sb, "%sPERF_METRICS with %d fields", sb.n ? ", " : "", m->perf_metrics);
    put_pair(p, "counters of a core", text);
}

static int known(const struct scene *sc) {
    int n = 0;
    for (uint32_t i = 0; sc->frame && i < sc->frame->n_metric; i++)
        n += sc->frame->at[i].v == sc->frame->at[i].v;
    return n;
}

void doctor_model(const struct scene *sc, struct page *p) {
    const struct model *m = scene_model(sc);
    char text[512];
    page_heading(p, "Model");
    if (!m->name) {
        page_text(p, STYLE_POPUP, 0, NULL, "None is chosen yet.");
        return;
    }
    snprintf(text, sizeof(text), "%s: %s%s%s", m->name, m->title ? m->title : "",
             m->tma && m->tma[0] ? ", TMA " : "", m->tma ? m->tma : "");
    put_pair(p, "in use", text);
    put_pair(p, "why this one", sc->s->why_model);
    put_pair(p, "100% is", m->scope);
    snprintf(text, sizeof(text), "%u nodes, %u metrics beside them, of %u events", m->n_tree,
             m->n_metric - m->n_tree, m->n_event);
    put_pair(p, "has", text);
    snprintf(text, sizeof(text), "%d of %u in this interval", known(sc), m->n_metric);
    put_pair(p, "known", sc->frame ? text : "");
    put_counters(m, p);
    put_pair(p, "facts from", m->origin);
    put_pair(p, "your own metrics", sc->s->own_note);
}

void doctor_models(const struct scene *sc, struct page *p) {
    char text[1024], heading[64];
    struct strbuf sb = strbuf_on(text, sizeof(text));
    int n = 0;
    (void)sc;
    for (; embedded_models[n].name; n++)
        strbuf_add(&sb, "%s%s", n ? ", " : "", embedded_models[n].name);
    snprintf(heading, sizeof(heading), "Models built in: %d (--model NAME takes one)", n);
    page_heading(p, heading);
    page_text(p, STYLE_POPUP, 0, NULL, text);
}

static void put_limit(struct page *p, const char *name, const char *text) {
    page_item(p, PAIR_W, STYLE_LABEL, name, STYLE_POPUP, text);
}

void doctor_limits(const struct scene *sc, struct page *p) {
    const struct session *s = sc->s;
    char text[160], a[16], b[16];
    explain_limits(sc, p);
    page_heading(p, "Limits of what is kept");
    words_interval(a, sizeof(a), s->control.interval_ns);
    snprintf(text, sizeof(text), "%s now; the floor is 20ms", a);
    put_limit(p, "interval", text);
    snprintf(text, sizeof(text), "%llu of %llu intervals, into the one before",
             (unsigned long long)s->merged, (unsigned long long)(s->n_frames + s->merged));
    put_limit(p, "merged", text);
    words_span(a, sizeof(a), TIERS_ROWS * s->control.interval_ns);
    words_span(b, sizeof(b), (uint64_t)TIERS_ROWS * TIERS_FOLD * s->control.interval_ns);
    snprintf(text, sizeof(text), "each interval for %s, coarser for %s and longer", a, b);
    put_limit(p, "history", text);
}

/* ---- what tdtop itself costs ---- */

enum { NAME_W = 34, SHORT_NAME_W = 18, NUMBER_W = 12 };

/* Where there is no room for all, names give way: numbers are never cut. */
static int name_w(const struct page *p) {
    int least = p->r.w - 2 * NUMBER_W - 2;
    return least < NAME_W ? least > SHORT_NAME_W - 8 ? least : SHORT_NAME_W - 8 : NAME_W;
}

static void percent(char *buf, size_t cap, double share) {
    if (isnan(share))
        str_copy(buf, cap, "–");
    else
        snprintf(buf, cap, "%.2f%%", share * 100);
}

static void number(char *buf, size_t cap, double v) {
    char si[16];
    if (isnan(v))
        str_copy(buf, cap, "–");
    else if (v < 1000)
        snprintf(buf, cap, "%.1f", v);
    else
        str_copy(buf, cap, str_si(si, sizeof(si), v));
}

/* Columns, not bytes: "–" has three of these. */
static void pair(struct page *p, const char *name, const char *a, const char *b) {
    char text[96];
    struct strbuf sb = strbuf_on(text, sizeof(text));
    strbuf_add(&sb, "%*s%s  ", NUMBER_W - str_width(a), "", a);
    strbuf_add(&sb, "%*s%s", NUMBER_W - str_width(b), "", b);
    page_pair(p, name_w(p), STYLE_POPUP, name, STYLE_VALUE, text);
}

static void page_rates(struct page *p, const struct cost *c) {
    const struct cost_rate all = cost_since_start(c), late = cost_lately(c);
    const struct {
        const char *name;
        void (*text)(char *, size_t, double);
        double all, late;
    } rows[] = {
        {"CPU (100% = one CPU)", percent, all.cpu, late.cpu},
        {"  drawing the screen", percent, all.screen, late.screen},
        {"  sampling and the rest", percent, all.cpu - all.screen, late.cpu - late.screen},
        {"wake-ups a second", number, all.wakes, late.wakes},
        {"samples a second", number, all.samples, late.samples},
        {"frames drawn a second", number, all.frames, late.frames},
        {"terminal bytes a second", number, all.bytes, late.bytes},
    };
    char a[32], b[32] = "lately";
    if (!isnan(late.seconds))
        snprintf(b, sizeof(b), "last %.0f s", late.seconds);
    pair(p, "", "since start", b);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        rows[i].text(a, sizeof(a), rows[i].all);
        rows[i].text(b, sizeof(b), rows[i].late);
        pair(p, rows[i].name, a, b);
    }
}

static void line(struct page *p, const char *name, const char *text) {
    page_pair(p, name_w(p), STYLE_POPUP, name, STYLE_VALUE, text);
}

static int groups_on(const struct session *s) {
    int n = 0;
    for (uint32_t g = 0; g < s->source.layout.n_group; g++)
        n += group_set_has(&s->control.groups, g);
    return n;
}

static void page_state(const struct scene *sc, struct page *p) {
    const struct session *s = sc->s;
    const struct cost *c = &sc->cost;
    char text[96];
    struct strbuf sb = strbuf_on(text, sizeof(text));
    page_heading(p, "Now");
    strbuf_add(&sb, c->descriptors < 0 ? "n/a" : "%lld", (long long)c->descriptors);
    if (c->descriptors_max >= 0)
        strbuf_add(&sb, " of %lld", (long long)c->descriptors_max);
    line(p, "descriptors open", text);
    if (c->resident_bytes < 0)
        str_copy(text, sizeof(text), "n/a");
    else
        snprintf(text, sizeof(text), "%.1f MB", (double)c->resident_bytes / 1e6);
    line(p, "memory in use", text);
    snprintf(text, sizeof(text), "%llu, %llu merged", (unsigned long long)s->n_frames,
             (unsigned long long)s->merged);
    line(p, "samples", text);
    snprintf(text, sizeof(text), "%d of %u", groups_on(s), s->source.layout.n_group);
    line(p, "event groups in focus", text);
}

void doctor_cost_lines(const struct scene *sc, struct page *p) {
    page_rates(p, &sc->cost);
    page_state(sc, p);
    page_blank(p);
    page_text(p, STYLE_LABEL, 0, NULL,
              "What the counters cost the target, at each change of its threads, is not in this.");
}

void doctor_cost(const struct scene *sc, struct page *p) {
    page_heading(p, "What tdtop itself costs");
    doctor_cost_lines(sc, p);
}
