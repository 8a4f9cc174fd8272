/* What leaves the screen: P saves it into a file, C copies from it. */
#include "base/str.h"
#include "ui/app/actions.h"
#include "ui/app/screen.h"
#include "ui/app/settings.h"
#include "ui/app/views.h"
#include "ui/draw/words.h"
#include "ui/popup/save_screen.h"
#include "ui/term/term_glyph.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- P ---- */

/* "~/a.svg": a shell would have done that. */
static const char *at_home(const char *path, char *buf, size_t cap) {
    const char *home = getenv("HOME");
    if (path[0] != '~' || path[1] != '/' || !home)
        return path;
    snprintf(buf, cap, "%s%s", home, path + 1);
    return buf;
}

static int save(struct screen *sc, const char *path, bool overwrite, struct err *err) {
    char title[192], whole[FORM_CAP + 256];
    struct theme plain;
    const struct settings *set = sc->settings;
    int rc = set ? 0 : theme_load(&plain, "default", err);
    if (rc < 0)
        return rc;
    snprintf(title, sizeof(title), "tdtop: %s", sc->s->source.target_text);
    const struct save_options opt = {.theme = set ? &set->theme : &plain,
                                     .colors = set && set->colors >= 0 ? set->colors : 256,
                                     .ascii = set && set->ascii,
                                     .title = title};
    screen_draw(sc); /* without the question in the key line */
    if (opt.ascii)
        glyph_spell_out(&sc->canvas);
    return save_screen(&sc->canvas, &opt, at_home(path, whole, sizeof(whole)), overwrite, err);
}

static void save_as(struct screen *sc, const char *path, bool overwrite);

static void save_over(struct screen *sc, const char *answer) {
    if (strcmp(answer, "y") == 0 || strcmp(answer, "yes") == 0)
        save_as(sc, sc->save_path, true);
    else
        screen_say(sc, "not saved: %s is as it was", sc->save_path);
}

static void save_as(struct screen *sc, const char *path, bool overwrite) {
    struct err err = {0};
    int rc = save(sc, path, overwrite, &err);
    if (rc == 0) {
        screen_say(sc, "saved: %s", path);
        return;
    }
    if (rc == -EEXIST) {
        str_copy(sc->save_path, sizeof(sc->save_path), path);
        ask_begin(sc, "it is there already; overwrite it (yes, no)?", "", save_over);
        return;
    }
    screen_say(sc, "%s", err.text);
}

static void save_named(struct screen *sc, const char *name) {
    if (name[0])
        save_as(sc, name, false);
    else
        screen_say(sc, "not saved: no name was given");
}

void action_save_screen(struct screen *sc, uint32_t key) {
    (void)key;
    char name[64];
    ask_begin(sc, "save the screen as (.svg, .ansi, .txt):",
              save_name(name, sizeof(name), time(NULL), SAVE_SVG), save_named);
}

/* ---- C ---- */

/* "L3_Bound 12.8% ± 0.9%": what the tree says of the selected node. */
static bool value_text(struct screen *sc, char *buf, size_t cap) {
    int metric = screen_selected(sc);
    char value[48], err[48];
    if (sc->view != VIEW_TREE || runs_shown(sc) || metric == METRIC_NONE || !sc->frame)
        return false;
    const struct metric *mt = &screen_model(sc)->metric[metric];
    const struct value *v = &sc->frame->at[metric];
    struct strbuf sb = strbuf_on(buf, cap);
    strbuf_add(&sb, "%s %s", mt->name, words_cell(value, sizeof(value), mt, v));
    if (!isnan(v->v) && !isnan(v->err))
        strbuf_add(&sb, " ± %s", words_value(err, sizeof(err), mt, v->err));
    return true;
}

/* The part of the screen that is the table, as it is seen. */
static struct rect table_place(const struct screen *sc) {
    const struct home_view *v = views_current(sc);
    const enum view_layout layout = views_layout(sc, v);
    if (runs_shown(sc) || layout == LAYOUT_WHOLE)
        return sc->whole_panes.at[PANE_MAIN];
    if (layout == LAYOUT_MAIN)
        return sc->main_panes.at[PANE_MAIN];
    if (layout == LAYOUT_ROWS)
        return sc->row_panes.at[PANE_ROWS];
    if (layout == LAYOUT_LIST)
        return sc->list_panes.at[PANE_ROWS];
    return sc->panes.at[PANE_TREE];
}

/* Lines of a part of the canvas, without trailing blanks. Returns bytes. */
static size_t text_of(const struct canvas *c, struct rect r, char *out, size_t cap) {
    size_t n = 0;
    for (int y = r.y; y < r.y + r.h && y < c->h; y++) {
        size_t end = n;
        for (int x = r.x; x < r.x + r.w && x < c->w && n + 5 < cap; x++) {
            uint32_t cp = c->at[y * c->w + x].cp;
            if (cp)
                n += str_encode(cp, out + n);
            if (cp && cp != ' ')
                end = n;
        }
        n = end;
        if (n + 1 < cap)
            out[n++] = '\n';
    }
    while (n > 1 && out[n - 1] == '\n' && out[n - 2] == '\n')
        n--;
    out[n] = '\0';
    return n;
}

static int copy(struct screen *sc, const char *text, size_t n, struct err *err) {
    const struct settings *set = sc->settings;
    bool on = set && set->clipboard;
    enum clip_way way = set && set->send ? set->clip_way : CLIP_NEVER;
    size_t cap = clip_room(n);
    char *bytes = malloc(cap);
    if (!bytes)
        return err_set(err, -ENOMEM, "copy: out of memory");
    long len = clip_bytes(on, way, text, n, bytes, cap, err);
    if (len > 0)
        set->send(bytes, (size_t)len);
    free(bytes);
    return len < 0 ? (int)len : 0;
}

static void copy_table(struct screen *sc) {
    struct err err = {0};
    enum { TEXT_MAX = 256 * 1024 };
    char *text = malloc(TEXT_MAX);
    if (!text)
        return;
    screen_draw(sc);
    size_t n = text_of(&sc->canvas, table_place(sc), text, TEXT_MAX);
    if (copy(sc, text, n, &err) < 0)
        screen_say(sc, "%s", err.text);
    else
        screen_say(sc, "copied: the table, as it is seen");
    free(text);
}

void action_copy(struct screen *sc, uint32_t key) {
    char text[256];
    struct err err = {0};
    if (!value_text(sc, text, sizeof(text)))
        action_copy_table(sc, key);
    else if (copy(sc, text, strlen(text), &err) < 0)
        screen_say(sc, "%s", err.text);
    else
        screen_say(sc, "copied: %s", text);
}

void action_copy_table(struct screen *sc, uint32_t key) {
    (void)key;
    copy_table(sc);
}
