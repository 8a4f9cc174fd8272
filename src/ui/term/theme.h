/* Theme files: a style (canvas.h) to colours and attributes. Data in the folder themes, embedded.
 */
#ifndef TDTOP_UI_THEME_H
#define TDTOP_UI_THEME_H

#include "base/err.h"
#include "ui/term/canvas.h"

#include <stdbool.h>

struct look {
    int32_t fg, bg; /* 0xRRGGBB, or -1 = the terminal's own */
    bool bold, dim, underline, reverse;
};

struct theme {
    char name[32];
    struct look look[STYLE_N];
    int32_t selected_bg;
    bool paints;            /* with 256 colours or more its ground is own_bg and its text own_fg */
    int32_t own_fg, own_bg; /* else those of the terminal as it supposes them; of pictures too */
};

/* By name (embedded, else of the user's folder) or path. -ENOENT lists names; wrong files give
 * file:line:column. */
int theme_load(struct theme *t, const char *name, struct err *err);
bool theme_has_colors(const struct theme *t);
const char *style_name(enum style st); /* as in theme files: "frontend", "bottleneck" ... */

enum { THEMES_MAX = 64 };

struct theme_entry {
    char name[64];
    bool own;          /* a file of the user's */
    char problem[256]; /* file:line:column and why it cannot be used; "" if it can */
    struct theme theme;
};

struct theme_list {
    struct theme_entry at[THEMES_MAX];
    int n;
    bool more; /* there are more files than have room */
};

/* Built in ones first, each sort by name; folder NULL: theme_folder(). Reads files. */
void theme_list_read(struct theme_list *l, const char *folder);
/* Its place, or -1. */
int theme_list_find(const struct theme_list *l, const char *name);

#endif
