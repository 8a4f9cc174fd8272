/*
 * A session made by hand: a small model, counts that follow simple waves, no source and no thread.
 * Screens drawn from it are always the same, so they are compared as text with the goldens in
 * tests/screen/golden; BLESS=1 rewrites those.
 */
#ifndef TDTOP_TESTS_UI_FIXTURE_H
#define TDTOP_TESTS_UI_FIXTURE_H

#include "golden.h"

#include "base/clock.h"
#include "base/str.h"
#include "model/eval/bottleneck.h"
#include "model/knowledge/explain.h"
#include "ui/screen/screen.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char fixture_model[] =
    "name = 'hand'\n"
    "title = 'Hand-made Core'\n"
    "tma = '1.0'\n"
    "vendor = ''\n"
    "origin = 'made for tests'\n"
    "rung = 'full'\n"
    "scope = 'pipeline slots'\n"
    "match = []\n"
    "slots_per_cycle = 4\n"
    "[event]\n"
    "'SLOTS' = { code = 0x01 }\n"
    "'CYCLES' = { code = 0x02 }\n"
    "'INSTRUCTIONS' = { code = 0x03 }\n"
    "'FE.LATENCY' = { code = 0x10 }\n"
    "'FE.BANDWIDTH' = { code = 0x11 }\n"
    "'BAD.MISPREDICTS' = { code = 0x12 }\n"
    "'BAD.CLEARS' = { code = 0x13 }\n"
    "'BE.L1' = { code = 0x14 }\n"
    "'BE.L2' = { code = 0x15 }\n"
    "'BE.L3' = { code = 0x16 }\n"
    "'BE.DRAM' = { code = 0x17 }\n"
    "'BE.STORES' = { code = 0x18 }\n"
    "'BE.DIVIDER' = { code = 0x19 }\n"
    "'BE.PORTS' = { code = 0x1a }\n"
    "'L3.CONTESTED' = { code = 0x1b }\n"
    "'L3.QUEUE_FULL' = { code = 0x1c }\n"
    "'RET.LIGHT' = { code = 0x1d }\n"
    "'RET.HEAVY' = { code = 0x1e }\n"
    "[node.Frontend_Bound]\nrole = 'frontend'\nthreshold = 0.15\n"
    "formula = 'Fetch_Latency + Fetch_Bandwidth'\n"
    "[node.Fetch_Latency]\nparent = 'Frontend_Bound'\nthreshold = 0.10\n"
    "formula = 'FE.LATENCY / SLOTS'\n"
    "[node.Fetch_Bandwidth]\nparent = 'Frontend_Bound'\nthreshold = 0.20\n"
    "formula = 'FE.BANDWIDTH / SLOTS'\n"
    "[node.Bad_Speculation]\nrole = 'bad_speculation'\nthreshold = 0.15\n"
    "formula = 'Branch_Mispredicts + Machine_Clears'\n"
    "[node.Branch_Mispredicts]\nparent = 'Bad_Speculation'\nthreshold = 0.10\n"
    "formula = 'BAD.MISPREDICTS / SLOTS'\n"
    "[node.Machine_Clears]\nparent = 'Bad_Speculation'\nthreshold = 0.10\n"
    "formula = 'BAD.CLEARS / SLOTS'\n"
    "[node.Backend_Bound]\nrole = 'backend'\nthreshold = 0.20\n"
    "formula = 'Memory_Bound + (BE.PORTS / SLOTS)'\n"
    "[node.Memory_Bound]\nparent = 'Backend_Bound'\nthreshold = 0.20\n"
    "formula = '(BE.L1 + BE.L2 + BE.L3 + BE.DRAM) / SLOTS'\n"
    "[node.L1_Bound]\nparent = 'Memory_Bound'\nthreshold = 0.10\n"
    "formula = 'BE.L1 / SLOTS'\n"
    "[node.L2_Bound]\nparent = 'Memory_Bound'\nthreshold = 0.05\n"
    "formula = 'BE.L2 / SLOTS'\n"
    "[node.L3_Bound]\nparent = 'Memory_Bound'\nthreshold = 0.05\n"
    "formula = 'BE.L3 / SLOTS'\nlocate = ['BE.L3']\ndomain = 'Slots'\n"
    "[node.Contested_Accesses]\nparent = 'L3_Bound'\nthreshold = 0.05\n"
    "formula = 'L3.CONTESTED / SLOTS'\n"
    "[node.Queue_Full]\nparent = 'L3_Bound'\nthreshold = 0.30\n"
    "formula = 'L3.QUEUE_FULL / SLOTS'\nfallback = 'BE.L3 / SLOTS / 4'\n"
    "fallback_note = 'a quarter of L3_Bound'\n"
    "[node.DRAM_Bound]\nparent = 'Memory_Bound'\nthreshold = 0.10\n"
    "formula = 'BE.DRAM / SLOTS'\n"
    "[node.Store_Bound]\nparent = 'Memory_Bound'\nthreshold = 0.20\n"
    "formula = 'BE.STORES / SLOTS'\n"
    "[node.Core_Bound]\nparent = 'Backend_Bound'\nthreshold = 0.10\n"
    "formula = 'BE.PORTS / SLOTS'\n"
    "[node.Divider]\nparent = 'Core_Bound'\nthreshold = 0.20\n"
    "formula = 'BE.DIVIDER / SLOTS'\n"
    "[node.Ports_Utilization]\nparent = 'Core_Bound'\nthreshold = 0.15\n"
    "formula = 'BE.PORTS / SLOTS'\n"
    "[node.Retiring]\nrole = 'retiring'\nthreshold = 0.70\n"
    "formula = 'Light_Operations + Heavy_Operations'\n"
    "[node.Light_Operations]\nparent = 'Retiring'\nthreshold = 0.60\n"
    "formula = 'RET.LIGHT / SLOTS'\n"
    "[node.Heavy_Operations]\nparent = 'Retiring'\nthreshold = 0.10\n"
    "formula = 'RET.HEAVY / SLOTS'\n"
    "[metric.IPC]\nvital = true\nformula = 'INSTRUCTIONS / CYCLES'\n"
    "[metric.GHz]\nvital = true\nunit = 'GHz'\n"
    "formula = 'CYCLES / DURATION_S / 1000000000'\n";

/* The knowledge base grows; what is compared must not. */
static const char fixture_explain_text[] =
    "[entry.L3_Bound]\n"
    "summary = 'Waiting for loads that the shared cache served'\n"
    "description = \"\"\"\nThese loads missed both private caches.\n\n"
    "When cores write to the same lines, every transfer passes through here.\n\"\"\"\n"
    "causes = ['a working set larger than L2', 'lines that several cores write']\n"
    "hints = ['block loops, so that data is used again while it is near']\n"
    "confirm = ['perf c2c for the lines that several cores modify']\n"
    "counts = 'Clocks with loads outstanding that missed L2.'\n"
    "healthy = 'below 5 % of clocks'\nworrying = 'above 5 %'\nvalues_from = 'the tables'\n"
    "related = ['L2_Bound', 'DRAM_Bound']\nreferences = ['book: chapter']\n"
    "[reference]\nbook = 'The Book'\n";
static const struct embedded fixture_explain[] = {
    {"hand", fixture_explain_text, sizeof(fixture_explain_text) - 1}, {0}};

static const struct source_ops fixture_ops = {.name = "perf"};

struct fixture {
    struct session s;
    struct screen sc;
    uint64_t step_ns;   /* length of an interval */
    double more_clears; /* of SLOTS: for a program that changes */
    bool steady;        /* no waves: levels change by more_clears alone, with a little noise */
};

/* What each event counts in one interval, as a share of SLOTS, and how far it swings. */
static const struct {
    const char *name;
    double share, swing;
    int period; /* intervals */
    float duty;
    enum count_state missing; /* COUNT_OK: it is counted */
    bool level1;              /* taken from level 1 before RET.LIGHT, the last */
} fixture_events[] = {
    {"SLOTS", 1, 0, 1, 1, COUNT_OK, false},
    {"CYCLES", 0.25, 0, 1, 1, COUNT_OK, false},
    {"INSTRUCTIONS", 0.28, 0.04, 40, 1, COUNT_OK, false},
    {"FE.LATENCY", 0.083, 0.02, 14, 1, COUNT_OK, true},
    {"FE.BANDWIDTH", 0.040, 0.01, 9, 1, COUNT_OK, true},
    {"BAD.MISPREDICTS", 0.079, 0.015, 23, 1, COUNT_OK, true},
    {"BAD.CLEARS", 0.006, 0.004, 7, 1, COUNT_OK, true},
    {"BE.L1", 0.065, 0.02, 31, 0.61F, COUNT_OK, true},
    {"BE.L2", 0.041, 0.02, 17, 0.61F, COUNT_OK, true},
    {"BE.L3", 0.148, 0.06, 60, 0.61F, COUNT_OK, true},
    {"BE.DRAM", 0.067, 0.03, 45, 0.61F, COUNT_OK, true},
    {"BE.STORES", 0.03, 0.02, 12, 0.19F, COUNT_OK, false},
    {"BE.DIVIDER", 0, 0, 1, 1, COUNT_NOT_SUPPORTED, false},
    {"BE.PORTS", 0.159, 0.02, 11, 1, COUNT_OK, true},
    {"L3.CONTESTED", 0.021, 0.01, 19, 0.43F, COUNT_OK, false},
    {"L3.QUEUE_FULL", 0, 0, 1, 1, COUNT_NOT_PERMITTED, false},
    {"RET.HEAVY", 0.05, 0.01, 29, 1, COUNT_OK, true},
    {"RET.LIGHT", 0.262, 0.03, 37, 1, COUNT_OK, false},
};

enum { FIXTURE_EVENTS = sizeof(fixture_events) / sizeof(fixture_events[0]) };

/* A triangle from -1 to 1: no libm whose last bit could differ. */
static double fixture_wave(uint64_t tick, int period) {
    int at = (int)(tick % (uint64_t)period);
    double up = 4.0 * at / period;
    return up <= 1 ? up : up <= 3 ? 2 - up : up - 4;
}

/* `more` is added to the model's text. */
static void fixture_open_with(struct fixture *f, const char *target, const char *more) {
    struct session *s = &f->s;
    struct err err = {0};
    memset(f, 0, sizeof(*f));
    f->step_ns = NS_PER_S;
    static char text[sizeof(fixture_model) + (1 << 18)];
    snprintf(text, sizeof(text), "%s%s", fixture_model, more);
    if (model_load(&s->model, text, strlen(text), "hand.toml", &err) < 0)
        fail_msg("%s", err.text);
    struct layout *l = &s->source.layout;
    assert_int_equal(layout_init(l, s->model.n_event, COUNT_NO_EVENT, FIXTURE_EVENTS), 0);
    for (int i = 0; i < FIXTURE_EVENTS; i++) {
        int event = model_find_event(&s->model, fixture_events[i].name);
        assert_true(event >= 0);
        if (fixture_events[i].missing == COUNT_OK)
            layout_add(l, (uint16_t)event, 0);
        else
            l->missing[event] = (uint8_t)fixture_events[i].missing;
    }
    consts_init(&s->source.consts);
    assert_int_equal(eval_init(&s->eval, &s->model, l, &s->source.consts, &err), 0);
    assert_int_equal(sample_init(&s->sample, l->n_slot), 0);
    assert_int_equal(frame_init(&s->frame, s->model.n_metric), 0);
    assert_int_equal(window_init(&s->window, l->n_slot, s->model.n_metric), 0);
    assert_int_equal(timeline_init(&s->timeline, l, s->model.n_metric, 1 << 20), 0);
    str_copy(s->source.target_text, sizeof(s->source.target_text), target);
    s->source.ops = &fixture_ops;
    s->source.model = &s->model;
    s->source.live = true;
    s->control.interval_ns = f->step_ns;
    s->exit_code = -1;
}

static inline void fixture_open(struct fixture *f, const char *target) {
    fixture_open_with(f, target, "");
}

static void fixture_close(struct fixture *f) {
    struct session *s = &f->s;
    screen_destroy(&f->sc);
    timeline_destroy(&s->timeline);
    window_destroy(&s->window);
    frame_destroy(&s->frame);
    sample_destroy(&s->sample);
    eval_destroy(&s->eval);
    layout_destroy(&s->source.layout);
    model_free(&s->model);
}

/* -1 .. 1, as if by chance. */
static double fixture_noise(uint64_t x) {
    x = (x + 1) * 0x9e3779b97f4a7c15ull;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
    return (double)((x ^ (x >> 27)) >> 11) / 4503599627370496.0 - 1;
}

/* The counts of interval `tick`. */
static void fixture_sample(struct fixture *f, uint64_t tick) {
    struct sample *sm = &f->s.sample;
    double slots = 12e9 * (double)f->step_ns / (double)NS_PER_S;
    sm->seq = tick;
    sm->t0_ns = tick * f->step_ns;
    sm->t1_ns = (tick + 1) * f->step_ns;
    sm->target_threads = 5;
    uint32_t slot = 0;
    double rest = 1; /* what other nodes of level 1 leave for useful work */
    for (int i = 0; i < FIXTURE_EVENTS; i++) {
        if (fixture_events[i].missing != COUNT_OK)
            continue;
        double share =
            fixture_events[i].share + (f->steady ? 0.1 * fixture_noise(tick * 97 + (uint64_t)i)
                                                 : fixture_wave(tick, fixture_events[i].period)) *
                                          fixture_events[i].swing;
        if (strcmp(fixture_events[i].name, "BAD.CLEARS") == 0)
            share += f->more_clears;
        if (fixture_events[i].level1)
            rest -= share;
        if (strcmp(fixture_events[i].name, "RET.LIGHT") == 0)
            share = rest;
        bool stale = strcmp(fixture_events[i].name, "BE.STORES") == 0 && tick % 5 == 4;
        sm->at[slot++] = (struct count){
            .value = stale ? (double)NAN : floor(share * slots),
            .enabled_ns = 1000,
            .running_ns = stale ? 0 : (uint64_t)(fixture_events[i].duty * 1000),
            .state = stale ? COUNT_STALE : COUNT_OK,
        };
    }
}

/* n intervals pass; what session_take does, without the mailbox. */
static inline void fixture_run(struct fixture *f, int n) {
    struct session *s = &f->s;
    for (int i = 0; i < n; i++) {
        fixture_sample(f, s->n_frames);
        eval_run(&s->eval, &s->sample, &s->frame);
        window_add(&s->window, &s->sample);
        window_spread(&s->window, &s->eval, &s->sample, &s->frame);
        assert_int_equal(timeline_push(&s->timeline, &s->sample, &s->frame), 0);
        session_follow_changes(s);
        s->n_frames++;
        screen_update(&f->sc);
    }
}

/* What is open was opened by the user: quiet siblings have a row each, as tests count them. */
static inline void fixture_rows_stay(struct fixture *f) {
    struct outline *o = &f->sc.scene.tree;
    for (uint32_t i = 0; i < f->s.model.n_tree; i++)
        if (o->open[i])
            o->by[i] = BY_USER;
    outline_show(o, outline_metric(o));
}

/* A screen of w x h on the session; connected, nothing measured yet. */
static inline void fixture_screen(struct fixture *f, int w, int h) {
    struct err err = {0};
    if (screen_init(&f->sc, &f->s, 2, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(screen_resize(&f->sc, w, h), 0);
    if (screen_attach(&f->sc, &err) < 0)
        fail_msg("%s", err.text);
    explain_free(&f->sc.scene.explain);
    if (explain_load_from(&f->sc.scene.explain, fixture_explain, &err) < 0)
        fail_msg("%s", err.text);
    explain_fit(&f->sc.scene.explain, &f->s.model);
}

/* Presses characters; < and > are the arrows, a newline is Enter. */
static inline void fixture_keys(struct fixture *f, const char *keys) {
    for (; *keys; keys++)
        screen_key(&f->sc,
                   *keys == '<'    ? KEYC_LEFT
                   : *keys == '>'  ? KEYC_RIGHT
                   : *keys == '\n' ? KEYC_ENTER
                                   : (unsigned char)*keys,
                   NULL);
}

/* True for the sizes that goldens are kept of in ASCII, too. */
static inline bool fixture_is_whole(const struct canvas *c) {
    return (c->w == 80 && c->h == 24) || (c->w == 120 && c->h == 40) || (c->w == 200 && c->h == 60);
}

/* Draws and compares with tests/screen/golden/NAME.txt, and NAME_ascii.txt. */
static inline void fixture_golden(struct fixture *f, const char *name) {
    screen_draw(&f->sc);
    golden_compare(&f->sc.canvas, name, false);
    if (!fixture_is_whole(&f->sc.canvas))
        return;
    const enum chart_glyph was = f->sc.scene.plot_glyph;
    f->sc.scene.plot_glyph = CHART_ASCII;
    screen_draw(&f->sc);
    golden_compare(&f->sc.canvas, name, true);
    f->sc.scene.plot_glyph = was;
}

/* True if the text is on the screen as it is drawn now. */
static inline bool fixture_shows(struct fixture *f, const char *text) {
    static char got[256 * 1024];
    screen_draw(&f->sc);
    canvas_dump(&f->sc.canvas, got, sizeof(got));
    return strstr(got, text) != NULL;
}

#endif
