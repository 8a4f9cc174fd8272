/* Keys of the tuning loop: time, marks, snapshots, the baseline. */
#include "ui/actions.h"
#include "ui/screen.h"

#include <stdio.h>

/* All core types on the screen, or the one screen there is. */
static int screens_of(struct screen *sc, struct screen **out) {
    if (!types_many(sc->types)) {
        out[0] = sc;
        return 1;
    }
    for (int i = 0; i < sc->types->n; i++)
        out[i] = sc->types->at[i];
    return sc->types->n;
}

/* --- time --- */

void action_earlier(struct screen *sc, uint32_t key) {
    (void)key;
    cursor_step(sc, -1);
}

void action_later(struct screen *sc, uint32_t key) {
    (void)key;
    cursor_step(sc, 1);
}

void action_live(struct screen *sc, uint32_t key) {
    (void)key;
    cursor_live(sc);
}

void action_begin_span(struct screen *sc, uint32_t key) {
    (void)key;
    cursor_begin_span(sc);
}

void action_end_span(struct screen *sc, uint32_t key) {
    (void)key;
    cursor_end_span(sc);
}

void action_reset(struct screen *sc, uint32_t key) {
    (void)key;
    struct screen *all[SESSIONS_MAX];
    int n = screens_of(sc, all);
    if (!sc->connected)
        return;
    for (int i = 0; i < n; i++)
        session_reset(all[i]->s);
    screen_say(sc, "sums start anew");
}

/* --- marks --- */

/* "mark 3" where no name was typed. */
static void put_mark(struct screen *sc, const char *name) {
    struct screen *all[SESSIONS_MAX];
    int n = screens_of(sc, all);
    char number[32];
    if (!name[0]) {
        snprintf(number, sizeof(number), "mark %d", sc->s->record.n_mark + 1);
        name = number;
    }
    for (int i = 0; i < n; i++)
        session_mark(all[i]->s, name);
    screen_say(sc, "marked: %s", name);
}

void action_mark(struct screen *sc, uint32_t key) {
    (void)key;
    if (sc->connected)
        ask_begin(sc, "mark now, with the name:", "", put_mark);
}

void action_ask_accept(struct screen *sc, uint32_t key) {
    (void)key;
    ask_accept(sc);
}

void action_ask_cancel(struct screen *sc, uint32_t key) {
    (void)key;
    ask_cancel(sc);
}

/* --- snapshots --- */

void action_snapshot(struct screen *sc, uint32_t key) {
    (void)key;
    snapshot_open(sc);
}

void action_repeat(struct screen *sc, uint32_t key) {
    (void)key;
    snapshot_repeat(sc);
}

void action_form_accept(struct screen *sc, uint32_t key) {
    (void)key;
    snapshot_accept(sc);
}

void action_form_up(struct screen *sc, uint32_t key) {
    (void)key;
    snapshot_line(sc, -1);
}

void action_form_complete_back(struct screen *sc, uint32_t key) {
    (void)key;
    snapshot_complete_back(sc);
}

void action_form_down(struct screen *sc, uint32_t key) {
    (void)key;
    snapshot_line(sc, 1);
}

void action_form_complete(struct screen *sc, uint32_t key) {
    (void)key;
    snapshot_complete(sc);
}

void action_form_close(struct screen *sc, uint32_t key) {
    (void)key;
    snapshot_close(sc);
}

/* --- the baseline --- */

void action_baseline(struct screen *sc, uint32_t key) {
    (void)key;
    struct screen *all[SESSIONS_MAX];
    struct err err = {0};
    char words[192];
    int n = screens_of(sc, all), rc = 0;
    bool on = sc->base.on;
    for (int i = 0; i < n; i++)
        if (on)
            baseline_unpin(all[i]);
        else if (baseline_pin_live(all[i], &err) < 0 && all[i] == sc)
            rc = err.code;
    if (rc < 0)
        screen_say(sc, "%s", err.text);
    else if (on)
        screen_say(sc, "the baseline is unpinned");
    else
        screen_say(sc, "%s", baseline_pinned(sc, words, sizeof(words)));
    if (rc == 0 && !on)
        cursor_live(sc);
}

void action_diff(struct screen *sc, uint32_t key) {
    (void)key;
    if (sc->view == VIEW_DIFF)
        screen_view(sc, VIEW_TREE);
    else
        diff_open(sc);
}

void action_diff_enter(struct screen *sc, uint32_t key) {
    (void)key;
    diff_enter(sc);
}
