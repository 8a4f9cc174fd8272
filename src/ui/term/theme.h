/* Theme files: a style (canvas.h) to colours and attributes. Data in the folder themes, embedded.
 */
#ifndef TDTOP_UI_THEME_H
#define TDTOP_UI_THEME_H

#include "base/err.h"
#include "ui/term/canvas.h"

struct look {
    int32_t fg, bg; /* 0xRRGGBB, or -1 = the terminal's own */
    bool bold, dim, underline, reverse;
};

struct theme {
    char name[32];
    struct look look[STYLE_N];
    int32_t selected_bg;
    int32_t own_fg, own_bg; /* the terminal's own colours as it supposes them; for pictures */
};

/* By name (embedded, else of the user's folder) or path. -ENOENT lists names; wrong files give
 * file:line:column. */
int theme_load(struct theme *t, const char *name, struct err *err);
/* Where the user's own themes are: themes beside the settings. Returns buf, "" if nowhere. */
char *theme_folder(char *buf, size_t cap);
const char *style_name(enum style st); /* as in theme files: "frontend", "bottleneck" ... */

#endif
