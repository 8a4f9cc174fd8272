/*
 * What else decides the numbers: what happened to the machine while tdtop runs and how it is set,
 * then the doctor's other checks, each with effect and remedy. The checks are made when the popup
 * opens, the rest follows.
 */
#include "ui/actions.h"
#include "ui/popup.h"
#include "ui/screen.h"

#include <stdio.h>
#include <string.h>

enum { WIDTH = 92, INDENT = 4 };

static const struct {
    const char *word;
    enum style st;
} states[] = {
    [CHECK_OK] = {"ok", STYLE_POPUP},
    [CHECK_NOTE] = {"note", STYLE_VALUE},
    [CHECK_WARN] = {"warning", STYLE_WARN},
    [CHECK_FAIL] = {"FAIL", STYLE_ERROR},
};

static void put_check(struct page *p, const struct check *c) {
    char text[sizeof(c->found) + sizeof(c->name) + 16];
    snprintf(text, sizeof(text), "%s: %s (%s)", c->name, c->found, states[c->state].word);
    page_text(p, states[c->state].st, 0, NULL, text);
    if (c->effect[0])
        page_text(p, STYLE_POPUP, INDENT, NULL, c->effect);
    if (c->fix[0])
        page_text(p, STYLE_KEY, INDENT, "→", c->fix);
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

static void put_all(const struct screen *sc, struct page *p) {
    const struct environment *env = session_environment(sc->s);
    if (!env->open) {
        page_text(p, STYLE_POPUP, 0, NULL,
                  !sc->connected ? "Nothing is measured yet."
                  : sc->s->source.simulated
                      ? "These numbers are simulated: nothing of this machine "
                        "is in them. tdtop doctor looks at it."
                      : "These numbers were recorded: the state of the machine "
                        "then is not known. tdtop doctor looks at this one.");
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

static void draw(struct screen *sc, struct canvas *c, struct rect r) {
    int w = WIDTH + 4 < r.w ? WIDTH : r.w - 4;
    struct page measure = page_on(c, (struct rect){0, 0, w, 0}, 0);
    put_all(sc, &measure); /* lines that it takes: the same page, with no place to be drawn */
    struct page p = popup_begin(sc, c, r, w, measure.line, "Doctor");
    put_all(sc, &p);
    popup_end(sc, &p);
}

const struct view_ops popup_doctor = {.name = "doctor", .draw = draw, .mouse = popup_mouse};

void action_doctor(struct screen *sc, uint32_t key) {
    (void)key;
    sc->popup = sc->popup == &popup_doctor ? NULL : &popup_doctor;
    sc->scroll = sc->scroll_max = 0;
    if (sc->popup)
        session_examine(sc->s);
}
