#include "ui/app/picture.h"

#include "base/str.h"
#include "session/hybrid.h"
#include "ui/popup/save_screen.h"
#include "ui/popup/snapshot.h"
#include "ui/runs/runs_open.h"
#include "ui/runs/runs_view.h"
#include "ui/screen/screen.h"
#include "ui/screen/settings.h"
#include "ui/screen/types.h"
#include "ui/term/term_glyph.h"
#include "ui/term/theme.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>

int picture_size(const char *text, int *w, int *h, struct err *err) {
    int used = 0;
    if (sscanf(text, "%4dx%4d%n", w, h, &used) == 2 && !text[used] && *w > 0 && *h > 0 &&
        *w <= PICTURE_MAX_W && *h <= PICTURE_MAX_H)
        return 0;
    return err_set(err, -EINVAL,
                   "\"%s\" is not a size; expected columns x rows, as 120x40, up to %dx%d", text,
                   PICTURE_MAX_W, PICTURE_MAX_H);
}

/* What the screens share. */
struct easel {
    struct types types;
    struct runs_view runs;
    struct snapshots snapshots;
    struct run baseline; /* until it is pinned */
};

static int add_screen(struct easel *e, struct session *s, const struct picture_options *opt,
                      struct err *err) {
    const struct types_options to = {
        .level = opt->level,
        .focus = FOCUS_OFF, /* what is counted does not depend on who is faster */
        .advice = opt->advice,
        .layout = opt->layout,
        .snapshots = &e->snapshots,
        .runs = &e->runs,
        .settings = opt->settings};
    return types_add(&e->types, s, &to, err);
}

static int open_screens(struct easel *e, struct sessions *all, const struct picture_options *opt,
                        struct err *err) {
    const struct types *t = &e->types;
    int rc = 0;
    for (int i = 0; i < all->n && rc == 0; i++)
        rc = add_screen(e, all->at[i], opt, err);
    for (int i = 0; i < t->n && rc == 0; i++)
        if (screen_resize(t->at[i], opt->w, opt->h) < 0)
            rc = err_set(err, -ENOMEM, "screen: out of memory");
    for (int i = 0; i < t->n && rc == 0; i++)
        rc = screen_attach(t->at[i], err);
    for (int i = 0; i < t->n && rc == 0; i++)
        session_units(t->at[i]->scene.s, true); /* keys may ask for the rows of the last interval */
    if (rc == 0 && e->baseline.id[0])
        rc = baseline_pin_run(&t->at[0]->scene, &e->baseline, err);
    return rc;
}

/* The store is read when keys ask for it; a baseline from there is read now. */
static int open_store(struct easel *e, const struct picture_options *opt, struct err *err) {
    runs_view_init(&e->runs, opt->db);
    int rc = snapshots_init(&e->snapshots, opt->db, err);
    if (rc == 0 && opt->baseline)
        rc = baseline_load(opt->db, opt->baseline, &e->baseline, err);
    return rc;
}

/* Every sample up to the end of the stream. */
static int run_to_end(struct screen *sc, struct err *err) {
    struct session *s = sc->scene.s;
    for (;;) {
        if (session_take(s)) {
            screen_update(sc);
            continue;
        }
        if (s->state != STREAM_LIVE)
            break;
        struct pollfd fd = {.fd = session_fd(s), .events = POLLIN};
        if (poll(&fd, 1, -1) < 0 && errno != EINTR)
            return err_set(err, -errno, "screen: cannot wait for the next sample");
    }
    screen_settle(sc);
    return s->state == STREAM_FAILED ? err_set(err, -EIO, "%s", s->last.text) : 0;
}

/* What a character of a terminal means as a key. */
static uint32_t key_of(uint32_t cp) {
    static const struct {
        uint32_t cp, key;
    } all[] = {{'\t', KEYC_TAB},
               {'\r', KEYC_ENTER},
               {'\n', KEYC_ENTER},
               {0x1b, KEYC_ESC},
               {0x7f, KEYC_BACKSPACE}};
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        if (all[i].cp == cp)
            return all[i].key;
    return cp;
}

/* A stored run that keys have opened is read whole. */
static int read_opened(struct runs_open *o, struct err *err) {
    if (!o || o->complete)
        return 0;
    int rc = run_to_end(&o->sc, err);
    if (rc == 0) {
        runs_open_complete(o);
        screen_settle(&o->sc);
    }
    return rc;
}

static int press(struct easel *e, const char *keys, struct err *err) {
    static const struct mouse none;
    struct types *t = &e->types;
    int rc = 0;
    for (size_t used; *keys && rc == 0; keys += used) {
        screen_draw(runs_top(t->at[t->active])); /* what keys do may depend on what is seen */
        runs_key(t->at[t->active], key_of(str_decode(keys, &used)), &none);
        rc = read_opened(e->runs.open, err);
    }
    return rc;
}

static int save(struct screen *sc, const struct picture_options *opt, struct err *err) {
    struct theme theme;
    char title[192];
    int rc = theme_load(&theme, opt->theme ? opt->theme : "default", err);
    if (rc < 0)
        return rc;
    if (opt->settings)
        theme = opt->settings->theme; /* keys may have chosen another */
    screen_draw(sc);
    snprintf(title, sizeof(title), "tdtop: %s", sc->scene.s->source.target_text);
    struct save_options so = {
        .theme = &theme, .colors = opt->colors, .ascii = opt->ascii, .title = title};
    if (sc->scene.sentence.made)
        so.seen = sc->scene.sentence.text.seen, so.next = sc->scene.sentence.text.next;
    if (so.ascii)
        glyph_spell_out(&sc->canvas);
    return save_screen(&sc->canvas, &so, opt->path, opt->overwrite, err);
}

static int paint(struct easel *e, struct sessions *all, const struct picture_options *opt,
                 struct err *err) {
    struct types *t = &e->types;
    int rc = open_screens(e, all, opt, err);
    for (int i = 0; i < t->n && rc == 0; i++)
        rc = run_to_end(t->at[i], err);
    if (rc == 0)
        rc = press(e, opt->press ? opt->press : "", err);
    return rc < 0 ? rc : save(runs_top(t->at[t->active]), opt, err);
}

static void fold_up(struct easel *e) {
    runs_view_destroy(&e->runs);
    types_destroy(&e->types);
    snapshots_destroy(&e->snapshots);
    run_free(&e->baseline);
}

int picture_save(struct sessions *all, const struct picture_options *opt, struct err *err) {
    struct easel e = {.types = {.n = 0}};
    enum save_format f;
    int rc = save_format_of(opt->path, &f, err); /* before anything is measured */
    if (rc < 0)
        return rc;
    rc = open_store(&e, opt, err);
    if (rc == 0 && opt->settings)
        rc = settings_begin(opt->settings, err);
    if (rc == 0)
        rc = opt->connect(opt->user, err);
    if (rc == 0)
        rc = paint(&e, all, opt, err);
    fold_up(&e);
    return rc;
}
