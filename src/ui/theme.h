/* Theme files: a style (canvas.h) to colours and attributes. Data in the folder themes, embedded.
 */
#ifndef TDTOP_UI_THEME_H
#define TDTOP_UI_THEME_H

#include "base/err.h"
#include "ui/canvas.h"

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

/* By name (embedded) or path. -ENOENT lists names; wrong files give file:line:column. */
int theme_load(struct theme *t, const char *name, struct err *err);
const char *style_name(enum style st); /* as in theme files: "frontend", "bottleneck" ... */

#endif
