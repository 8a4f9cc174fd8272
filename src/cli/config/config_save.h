/*
 * Settings written back into the user's file, when asked for: only the lines of the keys
 * concerned change. Comments, unknown keys, order and line ends stay; the file is exchanged whole
 * or not at all.
 */
#ifndef TDTOP_CLI_CONFIG_SAVE_H
#define TDTOP_CLI_CONFIG_SAVE_H

#include "base/err.h"

#include <stddef.h>

struct config_change {
    const char *key;
    const char *value; /* as it would be typed: 250ms, true, nord */
};

/* "250ms" -> "\"250ms\"", as the type of the key wants it in the file; checked. 0, -ENOENT (no such
 * key) or -EINVAL, with words. */
int config_toml(const char *key, const char *value, char *out, size_t cap, struct err *err);

/* A file's text with the changes, malloc'ed in *out. `name` is the file's, for words. 0, -EINVAL
 * with words (the file is broken; a value goes over several lines), -ENOMEM. */
int config_edit(const char *text, size_t len, const char *name, const struct config_change *at,
                int n, char **out, struct err *err);

/*
 * Does that to the file at path (made, with its folder, if it is not there; behind a symbolic link
 * the file itself). 0, or a negative errno with words; then the file is as it was.
 */
int config_save(const char *path, const struct config_change *at, int n, struct err *err);

#endif
