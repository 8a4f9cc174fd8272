/*
 * Keys of the user's own for the actions of keys.c. They hold for the whole program and are set
 * once, before there is a screen; the key line and the help name them.
 */
#ifndef TDTOP_UI_KEYS_MAP_H
#define TDTOP_UI_KEYS_MAP_H

#include "base/err.h"
#include "ui/app/keys.h"

/*
 * Gives an action these keys instead of its own, wherever it counts; n = 0: none. 0, or -EINVAL
 * with words: there is no such action, or no such key, or it is a letter that is typed there.
 */
int keys_map(const char *name, const char *const *key, int n, struct err *err);
/* All as in the table again. */
void keys_map_reset(void);

/* Two actions that have one key in one context, of which at least one is the user's. */
struct keys_clash {
    const struct key_binding *a, *b;
    uint32_t key;
};
bool keys_map_clash(struct keys_clash *out);
/* "K is the key of 'snapshot' and of 'runs' in the tree: ..." Returns buf. */
const char *keys_clash_words(const struct keys_clash *cl, char *buf, size_t cap);

/*
 * Words with the keys that actions have now: "{baseline} pins it" -> "b pins it"; an action without
 * a key stands as its command, ":baseline". What no action is called stays. Returns buf.
 */
const char *keys_in_words(const char *words, char *buf, size_t cap);

/* The keys of a binding as the help names them, "" where it names none; and its place in the key
 * line, "F1 help", or NULL. Return buf. */
const char *keys_show(const struct key_binding *k, char *buf, size_t cap);
const char *keys_brief(const struct key_binding *k, char *buf, size_t cap);

#endif
