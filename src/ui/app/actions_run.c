/* Keys of the tuning loop: time, marks, snapshots, the baseline. */
#include "ui/app/actions.h"
#include "ui/app/screen.h"

#include <stdio.h>

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

void action_phase_before(struct screen *sc, uint32_t key) {
    (void)key;
    cursor_phase(sc, -1);
}

void action_phase_next(struct screen *sc, uint32_t key) {
    (void)key;
    cursor_phase(sc, 1);
}

void action_reset(struct screen *sc, uint32_t key) {
    (void)key;
    struct screen *all[SESSIONS_MAX];
    int n = types_all(sc, all);
    if (!sc->connected)
        return;
    for (int i = 0; i < n; i++)
        baseline_restart(all[i]);
    screen_say(sc,
               sc->base.on ? "what is compared with the baseline starts anew" : "sums start anew");
}

/* --- marks --- */

/* "mark 3" where no name was typed. */
static void put_mark(struct screen *sc, const char *name) {
    struct screen *all[SESSIONS_MAX];
    int n = types_all(sc, all);
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
    int n = types_all(sc, all), rc = 0;
    bool on = sc->base.on;
    for (int i = 0; i < n; i++) {
        all[i]->bench.swapped = false;
        if (on)
            baseline_unpin(all[i]);
        else if (baseline_pin_live(all[i], &err) < 0 && all[i] == sc)
            rc = err.code;
    }
    if (rc < 0)
        screen_say(sc, "%s", err.text);
    else if (on)
        screen_say(sc, "the baseline is unpinned");
    else
        screen_say(sc, "%s", baseline_pinned(sc, words, sizeof(words)));
    if (rc == 0 && !on)
        cursor_live(sc);
    baseline_label(sc);
}

/* --- A and B --- */

void action_bench(struct screen *sc, uint32_t key) {
    (void)key;
    if (sc->view == VIEW_BENCH)
        screen_view(sc, VIEW_TREE);
    else
        bench_open(sc);
}

/* Two stored runs stand still. */
static bool is_live(struct screen *sc) {
    if (sc->bench.stored)
        screen_say(sc, "A and B are stored runs; {baseline} in another view pins what is live");
    return !sc->bench.stored;
}

void action_bench_pin(struct screen *sc, uint32_t key) {
    (void)key;
    struct screen *all[SESSIONS_MAX];
    struct err err = {0};
    int rc = 0;
    if (!is_live(sc))
        return;
    const int n = types_all(sc, all);
    for (int i = 0; i < n; i++)
        if (baseline_advance(all[i], &err) < 0 && all[i] == sc)
            rc = err.code;
    if (rc < 0) {
        screen_say(sc, "%s", err.text);
        return;
    }
    screen_say(sc, "A: %s; B begins with the next interval", sc->base.name);
    cursor_live(sc);
}

void action_bench_restart(struct screen *sc, uint32_t key) {
    (void)key;
    struct screen *all[SESSIONS_MAX];
    if (!is_live(sc))
        return;
    const int n = types_all(sc, all);
    for (int i = 0; i < n; i++)
        baseline_begin_again(all[i]);
    if (sc->base.on)
        screen_say(sc, "%s begins with the next interval", sc->bench.swapped ? "A" : "B");
}

void action_bench_keep(struct screen *sc, uint32_t key) {
    if (is_live(sc))
        action_snapshot(sc, key);
}

void action_bench_swap(struct screen *sc, uint32_t key) {
    (void)key;
    struct screen *all[SESSIONS_MAX];
    const int n = types_all(sc, all);
    for (int i = 0; i < n; i++)
        baseline_exchange(all[i]);
}

void action_bench_undo(struct screen *sc, uint32_t key) {
    (void)key;
    struct screen *all[SESSIONS_MAX];
    const int n = types_all(sc, all);
    bool undone = false;
    for (int i = 0; i < n; i++)
        undone |= baseline_undo(all[i]);
    screen_say(sc, undone ? "A and B are as they were" : "there is nothing to undo");
}

/* Of stored runs: which of them Enter goes to. Else the time cursor moves. */
void action_bench_left(struct screen *sc, uint32_t key) {
    if (sc->bench.stored)
        sc->bench.side = 0;
    else
        action_earlier(sc, key);
}

void action_bench_right(struct screen *sc, uint32_t key) {
    if (sc->bench.stored)
        sc->bench.side = 1;
    else
        action_later(sc, key);
}

void action_bench_enter(struct screen *sc, uint32_t key) {
    (void)key;
    bench_enter(sc);
}
