/*
 * The settings as the screen has them: each row of the config table with its value now, what the
 * user changed of it, and how a change is made at once. The table itself and the file are the
 * command line's (cli/config/config.h), which is not known here: start_settings.c hands over rows
 * and functions.
 */
#ifndef TDTOP_UI_SETTINGS_H
#define TDTOP_UI_SETTINGS_H

#include "base/err.h"
#include "model/knowledge/advice.h"
#include "ui/draw/list.h"
#include "ui/term/clip.h"
#include "ui/term/theme.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct screen;

enum { SETTINGS_MAX = 40, SETTING_CAP = 256, SETTING_CHOICES = 24 };

struct setting_row {
    const char *key, *help;              /* borrowed */
    const char *choice[SETTING_CHOICES]; /* NULL ends; none: settings_begin adds what the screen
                                            offers, or it is whatever check takes */
    bool open;                           /* choices are only what is usual */
    char preset[SETTING_CAP];            /* the default */
    char kept[SETTING_CAP];              /* when the program began, or as saved since */
    char value[SETTING_CAP];
};

struct setting_change {
    const char *key, *value;
};

/* One for all screens. Filled by who makes it, but for the theme, what is true or false, and what
 * is private. */
struct settings {
    struct setting_row row[SETTINGS_MAX];
    int n;
    const char *path; /* of the file, for words; borrowed */
    /* Is it a value of that key? 0, or negative errno with words. */
    int (*check)(const char *key, const char *value, struct err *err);
    /* Writes these into the file, and nothing else of it changes. */
    int (*save)(void *user, const struct setting_change *at, int n, struct err *err);
    void *user;

    /* What the terminal is to look like; who draws looks at `restyle` after every key. */
    struct theme theme;
    bool ascii, mouse;
    int colors; /* as term_options */
    bool restyle;
    int plot; /* enum chart_glyph; -1: as fits */
    bool clipboard;
    enum clip_way clip_way;
    void (*send)(const char *bytes, size_t n); /* to the terminal; NULL: there is none */

    struct advice_source source[SETTING_CHOICES]; /* private: names of choices */
    struct theme_list themes;
    struct theme theme_before; /* while the chooser shows another */
    bool theme_back;           /* it was opened from the settings screen */
    struct list theme_list;    /* the chooser: what is selected is shown at once */
    struct list list;          /* the settings screen */
};

/* Takes over the theme and what is true or false from the rows, and adds the choices that the
 * screen has: views, layouts, sources of advice. 0, or negative errno with words. */
int settings_begin(struct settings *set, struct err *err);

/* The row of a key, or NULL. */
struct setting_row *settings_find(struct settings *set, const char *key);

/* Brings up to date what keys and mouse may have changed since: interval, focus, borders. */
void settings_look(struct screen *sc);

/* False, with words for the user: this screen has none. */
bool settings_are_here(struct screen *sc);
/* Changes a setting, at once where that can be done, and says what it did on the screen. 0, or a
 * negative errno; then the words are those of the mistake. */
int settings_set(struct screen *sc, const char *key, const char *value);

/* What it costs, and when a change is seen. "" if nothing is known. */
const char *settings_cost(const char *key);
/* Of the usual intervals the next longer one, with by = -1 the next shorter; 0: there is none. */
uint64_t settings_next_interval(uint64_t now_ns, int by);

bool settings_changed(const struct setting_row *r);
int settings_n_changed(const struct settings *set);
/* Writes those that the user changed into the file; says so on the screen. */
void settings_save(struct screen *sc);

/* Before a screen is drawn: what its scene, and those beside it, have of the settings. */
void settings_prepare(struct screen *sc);

#endif
