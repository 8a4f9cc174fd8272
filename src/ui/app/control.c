#include "ui/app/control.h"

#include "base/str.h"
#include "ui/app/screen.h"

#include <errno.h>

/* Each core type's session. */
static void for_all(struct screen *sc, void (*act)(struct session *s, const char *rest),
                    const char *rest) {
    int n = types_many(sc->types) ? sc->types->n : 1;
    for (int i = 0; i < n; i++)
        act(n > 1 ? sc->types->at[i]->s : sc->s, rest);
}

static void put_mark(struct session *s, const char *rest) {
    session_mark(s, rest);
}

static void do_pause(struct session *s, const char *rest) {
    (void)rest;
    session_pause(s, true);
}

static void do_resume(struct session *s, const char *rest) {
    (void)rest;
    session_pause(s, false);
}

static void do_reset(struct session *s, const char *rest) {
    (void)rest;
    session_reset(s);
}

static int mark(struct screen *sc, const char *rest, struct err *err) {
    char name[64];
    (void)err;
    for_all(sc, put_mark, rest);
    screen_say(sc, "control: marked %s", str_safe(name, sizeof(name), rest));
    return 0;
}

static int snapshot(struct screen *sc, const char *rest, struct err *err) {
    int rc = snapshot_take(sc, rest, err);
    if (rc == 0)
        screen_say(sc, "control: saving ...");
    return rc;
}

static int pause_all(struct screen *sc, const char *rest, struct err *err) {
    (void)err;
    for_all(sc, do_pause, rest);
    screen_say(sc, "control: paused; what is counted now is left out");
    return 0;
}

static int resume_all(struct screen *sc, const char *rest, struct err *err) {
    (void)err;
    for_all(sc, do_resume, rest);
    screen_say(sc, "control: goes on");
    return 0;
}

static int reset_all(struct screen *sc, const char *rest, struct err *err) {
    (void)err;
    for_all(sc, do_reset, rest);
    screen_say(sc, "control: sums start anew");
    return 0;
}

static int quit(struct screen *sc, const char *rest, struct err *err) {
    (void)rest;
    (void)err;
    sc->quit = true; /* what is being saved is waited for */
    return 0;
}

static int (*const acts[CONTROL_VERBS])(struct screen *, const char *, struct err *) = {
    [CONTROL_MARK] = mark,         [CONTROL_SNAPSHOT] = snapshot, [CONTROL_PAUSE] = pause_all,
    [CONTROL_RESUME] = resume_all, [CONTROL_RESET] = reset_all,   [CONTROL_QUIT] = quit,
};

bool control_take(struct control_fifo *cf, struct screen *sc) {
    enum control_verb verb;
    char rest[CONTROL_LINE];
    struct err err;
    bool any = false;
    while (!sc->quit) {
        int rc = control_fifo_next(cf, &verb, rest, &err);
        if (rc == 0)
            break;
        any = true;
        bool broken = rc < 0 && rc != -EINVAL;
        if (rc > 0)
            rc = acts[verb](sc, rest, &err);
        if (rc < 0)
            screen_say(sc, "%s", err.text);
        if (broken) {
            control_fifo_close(cf);
            break;
        }
    }
    return any;
}
