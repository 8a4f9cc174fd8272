/* Settings made by hand, and pop-ups compared as text in UTF-8 and ASCII. After ui_fixture.h. */
#ifndef TDTOP_TESTS_SETTINGS_FIXTURE_H
#define TDTOP_TESTS_SETTINGS_FIXTURE_H

#include "ui/screen/settings.h"

#include <errno.h>

static struct {
    char sent[4096];
    size_t n_sent;
    struct setting_change saved[SETTINGS_MAX];
    char saved_values[SETTINGS_MAX][SETTING_CAP];
    int n_saved;
    int save_rc;
} fixture_host;

static int fixture_check(const char *key, const char *value, struct err *err) {
    bool bad = strcmp(value, "nonsense") == 0 ||
               (strcmp(key, "interval") == 0 && str_duration(value, 0, &(uint64_t){0}, NULL) < 0);
    return bad ? err_set(err, -EINVAL, "%s: \"%s\" is not one of its values", key, value) : 0;
}

static int fixture_save(void *user, const struct setting_change *at, int n, struct err *err) {
    (void)user;
    if (fixture_host.save_rc)
        return err_set(err, fixture_host.save_rc, "/etc/x.toml: Permission denied");
    fixture_host.n_saved = n;
    for (int i = 0; i < n; i++) {
        str_copy(fixture_host.saved_values[i], SETTING_CAP, at[i].value);
        fixture_host.saved[i] = (struct setting_change){at[i].key, fixture_host.saved_values[i]};
    }
    return 0;
}

static void fixture_send(const char *bytes, size_t n) {
    assert_true(n < sizeof(fixture_host.sent));
    memcpy(fixture_host.sent, bytes, n);
    fixture_host.sent[n] = '\0';
    fixture_host.n_sent = n;
}

static void fixture_row(struct settings *set, const char *key, const char *value, const char *help,
                        const char *const *choices, bool open) {
    struct setting_row *r = &set->row[set->n++];
    r->key = key;
    r->help = help;
    r->open = open;
    for (int i = 0; choices && choices[i]; i++)
        r->choice[i] = choices[i];
    str_copy(r->preset, SETTING_CAP, value);
    str_copy(r->value, SETTING_CAP, value);
    str_copy(r->kept, SETTING_CAP, value);
}

/* To be freed by the caller, after the screen. */
static inline struct settings *fixture_settings(struct fixture *f) {
    static const char *const flags[] = {"true", "false", NULL};
    static const char *const intervals[] = {"100ms", "250ms", "1s", "5s", NULL};
    static const char *const levels[] = {"0", "1", "2", "3", NULL};
    static const char *const modes[] = {"auto", "open", "off", NULL};
    static const char *const colors[] = {"auto", "mono", "256", NULL};
    static const char *const views[] = {"tree", "threads", "cpus", NULL};
    static const char *const plots[] = {"auto", "braille", "blocks", "ascii", NULL};
    static const char *const sources[] = {"toplev", "perf-topdown", NULL};
    struct settings *set = calloc(1, sizeof(*set));
    struct err err = {0};
    assert_non_null(set);
    memset(&fixture_host, 0, sizeof(fixture_host));
    fixture_row(set, "interval", "1s", "time between samples: 20ms to 1h", intervals, true);
    fixture_row(set, "level", "0", "deepest level of the tree to measure", levels, false);
    fixture_row(set, "focus", "off", "auto, open or off", modes, false);
    fixture_row(set, "theme", "default", "name of a theme, or a theme file", NULL, false);
    fixture_row(set, "mouse", "true", "take clicks and the wheel", flags, false);
    fixture_row(set, "ascii", "false", "draw with ASCII characters only", flags, false);
    fixture_row(set, "color", "auto", "how many colours", colors, false);
    fixture_row(set, "plot", "auto", "what plots are drawn with", plots, false);
    fixture_row(set, "advice", "toplev", "source of the sentence", sources, false);
    fixture_row(set, "view", "tree", "the view at start", views, false);
    fixture_row(set, "clipboard", "false", "key C copies through the terminal", flags, false);
    fixture_row(set, "model", "", "model for live measurements", NULL, false);
    set->path = "~/.config/tdtop/config.toml";
    set->check = fixture_check;
    set->save = fixture_save;
    set->send = fixture_send;
    set->plot = -1;
    set->colors = -1;
    assert_int_equal(settings_begin(set, &err), 0);
    set->clip_way = CLIP_PLAIN;
    f->sc.settings = set;
    return set;
}

/* The pop-up and the key line alone: what lies behind is another test's. */
static inline void fixture_draw_popup(struct fixture *f) {
    struct canvas *c = &f->sc.canvas;
    const struct rect room = {0, 2, c->w, c->h - 3}, keys = {0, c->h - 1, c->w, 1};
    screen_prepare(&f->sc);
    canvas_clear(c);
    f->sc.popup->draw(&f->sc, c, room);
    pane_keyline.draw(&f->sc, c, keys);
}

/* At the three sizes, in UTF-8 and in ASCII. */
static inline void fixture_goldens(struct fixture *f, const char *what) {
    static const struct { int w, h; } sizes[] = {{80, 24}, {120, 40}, {200, 60}};
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        char name[64];
        assert_int_equal(screen_resize(&f->sc, sizes[i].w, sizes[i].h), 0);
        snprintf(name, sizeof(name), "%s_%dx%d", what, sizes[i].w, sizes[i].h);
        fixture_draw_popup(f);
        golden_compare(&f->sc.canvas, name, false);
        golden_compare(&f->sc.canvas, name, true);
    }
}

/* At every size nothing is drawn outside, and nothing faults. */
static inline void fixture_all_sizes(struct fixture *f) {
    for (int h = 1; h <= 60; h += h < 26 ? 1 : 17)
        for (int w = 1; w <= 200; w += w < 12 ? 1 : w < 90 ? 3 : 55) {
            assert_int_equal(screen_resize(&f->sc, w, h), 0);
            screen_draw(&f->sc);
        }
}

static inline void fixture_key(struct fixture *f, uint32_t key) {
    screen_key(&f->sc, key, NULL);
}

#endif
