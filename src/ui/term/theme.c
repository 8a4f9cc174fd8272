/*
 * A theme file, read top to bottom:
 *
 *   base = "default"              (optional) an embedded theme whose styles are taken first
 *   selected_bg = COLOUR          ground of the selected row; "default" = shown reversed
 *   own_fg, own_bg = "#rrggbb"    the colours of text and ground that it is made for
 *   background = "theme"          with 256 colours or more they are painted; "terminal" keeps the
 *                                 terminal's own, and they are those of pictures only
 *   [palette]
 *   NAME = "#rrggbb"              names for colours, so that a hue is written once
 *   [style]
 *   STYLE = { fg = COLOUR, bg = COLOUR, bold = true, dim, underline, reverse }
 *
 * Without a base and without `background` the terminal's own are kept.
 * COLOUR is "#rrggbb", "default" (the terminal's own) or a name of the palette. A style that is
 * not given keeps what the base says; in a style that is given, what is left out is off. What is
 * not known is an error, with the nearest name: a misspelt style would silently be ignored.
 */
#include "ui/term/theme.h"

#include "base/folder.h"
#include "base/str.h"
#include "base/toml.h"
#include "model/load/model.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void add(struct theme_list *l, const char *name, const char *from, bool own) {
    struct err err = {0};
    if (l->n == THEMES_MAX) {
        l->more = true;
        return;
    }
    struct theme_entry *e = &l->at[l->n++];
    *e = (struct theme_entry){.own = own};
    str_copy(e->name, sizeof(e->name), name);
    if (theme_load(&e->theme, from, &err) < 0)
        str_copy(e->problem, sizeof(e->problem), err.text);
}

static int by_name(const void *a, const void *b) {
    const struct theme_entry *x = a, *y = b;
    return strcmp(x->name, y->name);
}

static void add_folder(struct theme_list *l, const char *folder) {
    char path[4096], name[256];
    DIR *dir = *folder ? opendir(folder) : NULL;
    for (struct dirent *e; dir && (e = readdir(dir));) {
        if (!str_ends(e->d_name, ".toml") || e->d_name[0] == '.')
            continue;
        snprintf(path, sizeof(path), "%s/%s", folder, e->d_name);
        str_copy(name, sizeof(name), e->d_name);
        name[strlen(name) - strlen(".toml")] = '\0';
        if (theme_list_find(l, name) < 0) /* a built-in one of that name is the one that is used */
            add(l, name, path, true);
    }
    if (dir)
        closedir(dir);
}

void theme_list_read(struct theme_list *l, const char *folder) {
    char place[4096];
    l->n = 0;
    l->more = false;
    for (const struct embedded *e = embedded_themes; e->name; e++)
        add(l, e->name, e->name, false);
    int own = l->n;
    add_folder(l, folder ? folder : folder_config("tdtop/themes", place, sizeof(place)));
    qsort(l->at, (size_t)own, sizeof(l->at[0]), by_name);
    qsort(l->at + own, (size_t)(l->n - own), sizeof(l->at[0]), by_name);
}

int theme_list_find(const struct theme_list *l, const char *name) {
    for (int i = 0; i < l->n; i++)
        if (strcmp(l->at[i].name, name) == 0)
            return i;
    return -1;
}

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static const char *const names[STYLE_N] = {
    [STYLE_TEXT] = "text",
    [STYLE_DIM] = "dim",
    [STYLE_LABEL] = "label",
    [STYLE_TITLE] = "title",
    [STYLE_VALUE] = "value",
    [STYLE_BORDER] = "border",
    [STYLE_KEY] = "key",
    [STYLE_KEY_TEXT] = "key_text",
    [STYLE_SELECTED] = "selected",
    [STYLE_BOTTLENECK] = "bottleneck",
    [STYLE_WARN] = "warn",
    [STYLE_ERROR] = "error",
    [STYLE_GOOD] = "good",
    [STYLE_FRONTEND] = "frontend",
    [STYLE_BADSPEC] = "badspec",
    [STYLE_BACKEND] = "backend",
    [STYLE_RETIRING] = "retiring",
    [STYLE_FRONTEND_FILL] = "frontend_fill",
    [STYLE_BADSPEC_FILL] = "badspec_fill",
    [STYLE_BACKEND_FILL] = "backend_fill",
    [STYLE_RETIRING_FILL] = "retiring_fill",
    [STYLE_FRONTEND_QUIET] = "frontend_quiet",
    [STYLE_BADSPEC_QUIET] = "badspec_quiet",
    [STYLE_BACKEND_QUIET] = "backend_quiet",
    [STYLE_RETIRING_QUIET] = "retiring_quiet",
    [STYLE_FRONTEND_GREY] = "frontend_grey",
    [STYLE_BADSPEC_GREY] = "badspec_grey",
    [STYLE_BACKEND_GREY] = "backend_grey",
    [STYLE_RETIRING_GREY] = "retiring_grey",
    [STYLE_FRONTEND_SURE] = "frontend_sure",
    [STYLE_BADSPEC_SURE] = "badspec_sure",
    [STYLE_BACKEND_SURE] = "backend_sure",
    [STYLE_RETIRING_SURE] = "retiring_sure",
    [STYLE_PLOT] = "plot",
    [STYLE_AXIS] = "axis",
    [STYLE_POPUP] = "popup",
    [STYLE_POPUP_TITLE] = "popup_title",
    [STYLE_MATCH] = "match",
    [STYLE_SIMULATED] = "simulated",
    [STYLE_TAB] = "tab",
    [STYLE_TAB_ON] = "tab_on",
    [STYLE_UP] = "up",
    [STYLE_UP_FADED] = "up_faded",
    [STYLE_DOWN] = "down",
    [STYLE_DOWN_FADED] = "down_faded",
    [STYLE_BASELINE] = "baseline",
    [STYLE_BAND] = "band",
    [STYLE_MARK] = "mark",
    [STYLE_ADVICE] = "advice",
    [STYLE_HEAT_0] = "heat_0",
    [STYLE_HEAT_1] = "heat_1",
    [STYLE_HEAT_2] = "heat_2",
    [STYLE_HEAT_3] = "heat_3",
    [STYLE_HEAT_4] = "heat_4",
};

const char *style_name(enum style st) {
    return (unsigned)st < STYLE_N ? names[st] : "?";
}

/* One theme file while it is read. */
struct reader {
    const struct toml_doc *doc;
    const struct toml *palette; /* NULL if there is none */
    struct theme *theme;
    struct err *err;
};

static int read_theme(struct theme *t, const struct toml_doc *doc, bool may_have_base,
                      struct err *err);

/* ---- names ---- */

/* The name of a list that is nearest to a misspelt one, or NULL if none is near. */
static const char *nearest(const char *name, const char *const *list, size_t n) {
    struct str_nearest near = {.to = name, .below = 4};
    for (size_t i = 0; i < n; i++)
        str_nearest(&near, list[i]);
    return near.best;
}

static int unknown(const struct reader *r, const struct toml *at, const char *what,
                   const char *const *list, size_t n) {
    const char *near = nearest(at->key, list, n);
    if (near)
        return toml_err(r->doc, at, r->err, -EINVAL, "unknown %s \"%s\"; did you mean \"%s\"?",
                        what, at->key, near);
    char all[1024];
    struct strbuf sb = strbuf_on(all, sizeof(all));
    for (size_t i = 0; i < n; i++)
        strbuf_add(&sb, "%s%s", i ? ", " : "", list[i]);
    return toml_err(r->doc, at, r->err, -EINVAL, "unknown %s \"%s\"; expected one of %s", what,
                    at->key, all);
}

static int wrong_type(const struct reader *r, const struct toml *at, enum toml_type want) {
    return toml_err(r->doc, at, r->err, -EINVAL, "%s is a %s, expected a %s", at->key,
                    toml_type_name(at->type), toml_type_name(want));
}

/* ---- colours ---- */

static int hex_digit(char c) {
    static const char digits[] = "0123456789abcdefABCDEF";
    const char *at = c ? strchr(digits, c) : NULL;
    const int i = at ? (int)(at - digits) : -1;
    return i < 16 ? i : i - 6;
}

/* "#rrggbb" -> 0xRRGGBB; false if it is something else. */
static bool hex_color(const char *s, int32_t *rgb) {
    if (*s++ != '#' || strlen(s) != 6)
        return false;
    int32_t v = 0;
    for (int i = 0; i < 6; i++) {
        const int d = hex_digit(s[i]);
        if (d < 0)
            return false;
        v = v * 16 + d;
    }
    *rgb = v;
    return true;
}

static int read_color(const struct reader *r, const struct toml *at, int32_t *rgb) {
    if (at->type != TOML_STRING)
        return wrong_type(r, at, TOML_STRING);
    if (strcmp(at->string, "default") == 0) {
        *rgb = -1;
        return 0;
    }
    const struct toml *named = r->palette ? toml_get(r->palette, at->string) : NULL;
    if (hex_color(named ? named->string : at->string, rgb))
        return 0;
    return toml_err(r->doc, at, r->err, -EINVAL,
                    "%s = \"%s\" is not a colour; expected \"#rrggbb\", \"default\" or a name of "
                    "[palette]",
                    at->key, at->string);
}

static int check_palette(const struct reader *r) {
    for (const struct toml *at = r->palette ? r->palette->first : NULL; at; at = at->next) {
        int32_t rgb;
        if (at->type != TOML_STRING)
            return wrong_type(r, at, TOML_STRING);
        if (!hex_color(at->string, &rgb))
            return toml_err(r->doc, at, r->err, -EINVAL,
                            "%s = \"%s\" is not a colour; expected \"#rrggbb\"", at->key,
                            at->string);
    }
    return 0;
}

/* ---- styles ---- */

static int read_flag(const struct reader *r, const struct toml *at, bool *flag) {
    if (at->type != TOML_BOOLEAN)
        return wrong_type(r, at, TOML_BOOLEAN);
    *flag = at->boolean;
    return 0;
}

static int read_look(const struct reader *r, const struct toml *table, struct look *look) {
    static const char *const keys[] = {"fg", "bg", "bold", "dim", "underline", "reverse"};
    if (table->type != TOML_TABLE)
        return wrong_type(r, table, TOML_TABLE);
    *look = (struct look){.fg = -1, .bg = -1};
    bool *const flags[] = {&look->bold, &look->dim, &look->underline, &look->reverse};
    for (const struct toml *at = table->first; at; at = at->next) {
        size_t i = 0;
        while (i < COUNT(keys) && strcmp(at->key, keys[i]) != 0)
            i++;
        if (i == COUNT(keys))
            return unknown(r, at, "key", keys, COUNT(keys));
        const int rc = i < 2 ? read_color(r, at, i == 0 ? &look->fg : &look->bg)
                             : read_flag(r, at, flags[i - 2]);
        if (rc < 0)
            return rc;
    }
    return 0;
}

static int read_styles(const struct reader *r, const struct toml *styles) {
    for (const struct toml *at = styles->first; at; at = at->next) {
        int st = 0;
        while (st < STYLE_N && strcmp(at->key, names[st]) != 0)
            st++;
        if (st == STYLE_N)
            return unknown(r, at, "style", names, STYLE_N);
        const int rc = read_look(r, at, &r->theme->look[st]);
        if (rc < 0)
            return rc;
    }
    return 0;
}

/* ---- files ---- */

static const struct embedded *find_embedded(const char *name) {
    for (const struct embedded *e = embedded_themes; e->name; e++)
        if (strcmp(e->name, name) == 0)
            return e;
    return NULL;
}

static int load_embedded(struct theme *t, const struct embedded *e, bool may_have_base,
                         struct err *err) {
    char file[64];
    struct strbuf sb = strbuf_on(file, sizeof(file));
    strbuf_add(&sb, "themes/%s.toml", e->name);
    struct toml_doc doc;
    int rc = toml_parse(&doc, e->text, e->len, file, err);
    if (rc < 0)
        return rc;
    rc = read_theme(t, &doc, may_have_base, err);
    toml_free(&doc);
    return rc;
}

/* A base has no base of its own: one step is enough, and there can be no circle. */
static int read_base(const struct reader *r, bool may_have_base) {
    const struct toml *at = toml_get(r->doc->root, "base");
    if (!at)
        return 0;
    if (at->type != TOML_STRING)
        return wrong_type(r, at, TOML_STRING);
    if (!may_have_base)
        return toml_err(r->doc, at, r->err, -EINVAL, "the base of a theme cannot have a base");
    const struct embedded *e = find_embedded(at->string);
    if (!e)
        return toml_err(r->doc, at, r->err, -ENOENT, "base \"%s\" is not a built-in theme",
                        at->string);
    return load_embedded(r->theme, e, false, r->err);
}

static int check_keys(const struct reader *r) {
    enum { TABLES = 5 }; /* where they begin in the list */
    static const char *const keys[] = {"base",       "selected_bg", "own_fg", "own_bg",
                                       "background", "palette",     "style"};
    for (const struct toml *at = r->doc->root->first; at; at = at->next) {
        size_t i = 0;
        while (i < COUNT(keys) && strcmp(at->key, keys[i]) != 0)
            i++;
        if (i == COUNT(keys))
            return unknown(r, at, "key", keys, COUNT(keys));
        if (i >= TABLES && at->type != TOML_TABLE)
            return wrong_type(r, at, TOML_TABLE);
    }
    return 0;
}

static int read_grounds(const struct reader *r) {
    const struct {
        const char *key;
        int32_t *to;
        bool may_be_own;
    } keys[] = {{"selected_bg", &r->theme->selected_bg, true},
                {"own_fg", &r->theme->own_fg, false},
                {"own_bg", &r->theme->own_bg, false}};
    for (size_t i = 0; i < COUNT(keys); i++) {
        const struct toml *at = toml_get(r->doc->root, keys[i].key);
        const int rc = at ? read_color(r, at, keys[i].to) : 0;
        if (rc < 0)
            return rc;
        if (*keys[i].to < 0 && !keys[i].may_be_own)
            return toml_err(r->doc, at, r->err, -EINVAL,
                            "%s is what \"default\" stands for; expected \"#rrggbb\"", keys[i].key);
    }
    return 0;
}

static int read_background(const struct reader *r) {
    const struct toml *at = toml_get(r->doc->root, "background");
    if (!at)
        return 0;
    if (at->type != TOML_STRING)
        return wrong_type(r, at, TOML_STRING);
    r->theme->paints = strcmp(at->string, "theme") == 0;
    if (r->theme->paints || strcmp(at->string, "terminal") == 0)
        return 0;
    return toml_err(r->doc, at, r->err, -EINVAL,
                    "background = \"%s\"; expected \"theme\" or \"terminal\"", at->string);
}

static int read_theme(struct theme *t, const struct toml_doc *doc, bool may_have_base,
                      struct err *err) {
    const struct reader r = {doc, toml_get(doc->root, "palette"), t, err};
    int rc = check_keys(&r);
    if (rc == 0)
        rc = check_palette(&r);
    if (rc == 0)
        rc = read_base(&r, may_have_base);
    if (rc == 0)
        rc = read_grounds(&r);
    if (rc == 0)
        rc = read_background(&r);
    const struct toml *styles = toml_get(doc->root, "style");
    if (rc == 0 && styles)
        rc = read_styles(&r, styles);
    return rc;
}

static void plain(struct theme *t) {
    *t = (struct theme){.selected_bg = -1, .own_fg = 0xd4d4d4, .own_bg = 0x1d1f21};
    for (int st = 0; st < STYLE_N; st++)
        t->look[st] = (struct look){.fg = -1, .bg = -1};
}

bool theme_has_colors(const struct theme *t) {
    for (int st = 0; st < STYLE_N; st++)
        if (t->look[st].fg >= 0 || t->look[st].bg >= 0)
            return true;
    return false;
}

static int not_found(const char *name, struct err *err) {
    char all[256];
    struct strbuf sb = strbuf_on(all, sizeof(all));
    for (const struct embedded *e = embedded_themes; e->name; e++)
        strbuf_add(&sb, "%s%s", e == embedded_themes ? "" : ", ", e->name);
    return err_set(err, -ENOENT,
                   "theme \"%s\": no such theme; built in are %s; a file is given as a path "
                   "(./%s.toml), or lies "
                   "in ~/.config/tdtop/themes",
                   name, all, name);
}

static int load_file(struct theme *t, const char *path, struct err *err) {
    struct toml_doc doc;
    int rc = toml_parse_file(&doc, path, err);
    if (rc < 0)
        return rc;
    rc = read_theme(t, &doc, true, err);
    toml_free(&doc);
    return rc;
}

/* "themes/night.toml" -> "night" */
static void base_name(struct theme *t, const char *name) {
    str_copy(t->name, sizeof(t->name), str_base_name(name));
    if (str_ends(t->name, ".toml"))
        t->name[strlen(t->name) - strlen(".toml")] = '\0';
}

/* One of the user's own, by name; -ENOENT if there is none of it. */
static int load_own(struct theme *t, const char *name, struct err *err) {
    char folder[4096], path[4096 + 80];
    if (!folder_config("tdtop/themes", folder, sizeof(folder))[0] || strlen(name) > 64)
        return not_found(name, err);
    snprintf(path, sizeof(path), "%s/%s.toml", folder, name);
    return access(path, F_OK) == 0 ? load_file(t, path, err) : not_found(name, err);
}

int theme_load(struct theme *t, const char *name, struct err *err) {
    struct theme made;
    plain(&made);
    const struct embedded *e = find_embedded(name);
    int rc;
    if (e)
        rc = load_embedded(&made, e, true, err);
    else if (strchr(name, '/') || str_ends(name, ".toml"))
        rc = load_file(&made, name, err);
    else
        rc = load_own(&made, name, err);
    if (rc < 0)
        return rc;
    base_name(&made, name);
    *t = made;
    return 0;
}
