/*
 * The themes there are: those built in, and the user's own in ~/.config/tdtop/themes. Each is
 * loaded, so that one that cannot be says why where it is chosen.
 */
#ifndef TDTOP_UI_THEME_LIST_H
#define TDTOP_UI_THEME_LIST_H

#include "ui/term/theme.h"

#include <stdbool.h>

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
