#include "ui/term/theme_list.h"

#include "base/str.h"
#include "model/load/model.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    add_folder(l, folder ? folder : theme_folder(place, sizeof(place)));
    qsort(l->at, (size_t)own, sizeof(l->at[0]), by_name);
    qsort(l->at + own, (size_t)(l->n - own), sizeof(l->at[0]), by_name);
}

int theme_list_find(const struct theme_list *l, const char *name) {
    for (int i = 0; i < l->n; i++)
        if (strcmp(l->at[i].name, name) == 0)
            return i;
    return -1;
}
