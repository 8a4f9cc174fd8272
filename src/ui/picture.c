#include "ui/picture.h"

#include "base/str.h"
#include "hybrid.h"
#include "ui/save_screen.h"
#include "ui/screen.h"
#include "ui/settings.h"
#include "ui/theme.h"
#include "ui/types.h"

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

static int add_screen(struct types *t, struct session *s, const struct picture_options *opt,
                      struct err *err) {
    struct screen *sc = calloc(1, sizeof(*sc));
    if (!sc)
        return err_set(err, -ENOMEM, "screen: out of memory");
    int rc = screen_init(sc, s, opt->level, err);
    if (rc == 0 && opt->advice && opt->advice[0])
        rc = sentence_load(&sc->sentence, opt->advice, err);
    sc->attention.mode = FOCUS_OFF; /* what is counted does not depend on who is faster */
    sc->type = t->n;
    sc->types = t;
    sc->settings = opt->settings;
    if (sc->settings)
        settings_dress(sc);
    t->at[t->n++] = sc;
    return rc;
}

static int open_screens(struct types *t, struct sessions *all, const struct picture_options *opt,
                        struct err *err) {
    int rc = 0;
    for (int i = 0; i < all->n && rc == 0; i++)
        rc = add_screen(t, all->at[i], opt, err);
    for (int i = 0; i < t->n && rc == 0; i++)
        if (screen_resize(t->at[i], opt->w, opt->h) < 0)
            rc = err_set(err, -ENOMEM, "screen: out of memory");
    for (int i = 0; i < t->n && rc == 0; i++)
        rc = screen_attach(t->at[i], err);
    return rc;
}

/* Every sample up to the end of the stream. */
static int run_to_end(struct screen *sc, struct err *err) {
    struct session *s = sc->s;
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

static void press(struct types *t, const char *keys) {
    static const struct mouse none;
    for (size_t used; *keys; keys += used) {
        screen_draw(t->at[t->active]); /* what keys do may depend on what is seen */
        screen_key(t->at[t->active], key_of(str_decode(keys, &used)), &none);
    }
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
    snprintf(title, sizeof(title), "tdtop: %s", sc->s->source.target_text);
    const struct save_options so = {
        .theme = &theme, .colors = opt->colors, .ascii = opt->ascii, .title = title};
    return save_screen(&sc->canvas, &so, opt->path, opt->overwrite, err);
}

int picture_save(struct sessions *all, const struct picture_options *opt, struct err *err) {
    struct types t = {.n = 0};
    enum save_format f;
    int rc = save_format_of(opt->path, &f, err); /* before anything is measured */
    if (rc == 0 && opt->settings)
        rc = settings_begin(opt->settings, err);
    if (rc == 0)
        rc = opt->connect(opt->user, err);
    if (rc == 0)
        rc = open_screens(&t, all, opt, err);
    for (int i = 0; i < t.n && rc == 0; i++)
        rc = run_to_end(t.at[i], err);
    if (rc == 0) {
        press(&t, opt->press ? opt->press : "");
        rc = save(t.at[t.active], opt, err);
    }
    for (int i = 0; i < t.n; i++) {
        screen_destroy(t.at[i]);
        free(t.at[i]);
    }
    return rc;
}
