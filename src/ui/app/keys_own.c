/* Keys of the user's own, and what clashes with them. */
#include "ui/screen/keys.h"

#include "base/str.h"
#include "ui/term/key_name.h"
#include "ui/term/term.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Of each row of the table; set before there is a screen. */
static uint32_t own[KEYS_MAX][KEYS_EACH];
static bool is_own[KEYS_MAX];

const uint32_t *keys_of(const struct key_binding *k) {
    return is_own[k - keys] ? own[k - keys] : k->key;
}

bool keys_is_own(const struct key_binding *k) {
    return is_own[k - keys];
}

/* The name that looks most like it, or NULL. */
static const char *nearest(const char *name) {
    struct str_nearest near = {.to = name, .below = 4};
    for (size_t i = 0; i < n_keys; i++)
        if (keys[i].name)
            str_nearest(&near, keys[i].name);
    return near.best;
}

static int unknown_name(const char *name, struct err *err) {
    const char *near = nearest(name);
    if (near)
        return err_set(err, -EINVAL, "no action is called '%s'; did you mean '%s'?", name, near);
    return err_set(err, -EINVAL, "no action is called '%s'; the palette (:) lists all names", name);
}

/* Letters are typed there, whatever they would do. */
static bool is_typed(const struct key_binding *k, uint32_t key) {
    return (k->where & IN_TYPING) && key >= ' ' && key < KEYC_BASE;
}

static int parse(const struct key_binding *k, const char *text, uint32_t *out, struct err *err) {
    *out = key_parse(text);
    if (!*out)
        return err_set(err, -EINVAL,
                       "'%s' is no key; write a character, or Space, Enter, Esc, Tab, F1 to F10, "
                       "Up, PgUp, Home, Del, Ctrl-L ...",
                       text);
    if (is_typed(k, *out))
        return err_set(err, -EINVAL,
                       "%s is typed as a letter where '%s' counts; give it a key like F5 or Ctrl-T",
                       text, k->name);
    return 0;
}

int keys_map(const char *name, const char *const *key, int n, struct err *err) {
    uint32_t to[KEYS_EACH] = {0};
    const struct key_binding *k = keys_named(name);
    if (!k)
        return unknown_name(name, err);
    if (n > KEYS_EACH)
        return err_set(err, -EINVAL, "%d keys for '%s'; at most %d have room", n, name, KEYS_EACH);
    for (int i = 0; i < n; i++) {
        int rc = parse(k, key[i], &to[i], err);
        if (rc < 0)
            return rc;
    }
    for (size_t i = 0; i < n_keys; i++)
        if (keys[i].name && strcmp(keys[i].name, name) == 0) {
            memcpy(own[i], to, sizeof(own[i]));
            is_own[i] = true;
        }
    return 0;
}

void keys_map_reset(void) {
    for (size_t i = 0; i < n_keys; i++)
        is_own[i] = false;
}

/* ---- clashes ---- */

static const struct {
    unsigned where;
    const char *words;
} contexts[] = {
    {IN_TREE, "the tree"},        {IN_FUNNEL, "the funnel"}, {IN_HISTORY, "the history"},
    {IN_THREADS, "the threads"},  {IN_CPUS, "the CPUs"},     {IN_METRICS, "the metrics"},
    {IN_RUNS, "the runs"},        {IN_BENCH, "the bench"},   {IN_DOCTOR, "the doctor"},
    {IN_WHERE, "where"},          {IN_TREND, "the trend"},   {IN_POPUP | IN_OVER, "popups"},
    {IN_TYPING, "what is typed"},
};

static uint32_t common_key(const struct key_binding *a, const struct key_binding *b) {
    const uint32_t *ka = keys_of(a), *kb = keys_of(b);
    for (int i = 0; i < KEYS_EACH; i++)
        for (int j = 0; j < KEYS_EACH; j++)
            if (ka[i] && ka[i] == kb[j])
                return ka[i];
    return 0;
}

static bool may_clash(const struct key_binding *a, const struct key_binding *b) {
    return a->name && b->name && (a->where & b->where) && (keys_is_own(a) || keys_is_own(b)) &&
           strcmp(a->name, b->name) != 0;
}

bool keys_map_clash(struct keys_clash *out) {
    for (size_t i = 0; i < n_keys; i++)
        for (size_t j = i + 1; j < n_keys; j++) {
            uint32_t key = may_clash(&keys[i], &keys[j]) ? common_key(&keys[i], &keys[j]) : 0;
            if (!key)
                continue;
            *out = (struct keys_clash){&keys[i], &keys[j], key};
            return true;
        }
    return false;
}

const char *keys_clash_words(const struct keys_clash *cl, char *buf, size_t cap) {
    char name[24];
    const unsigned both = cl->a->where & cl->b->where;
    size_t i = 0;
    while (i + 1 < sizeof(contexts) / sizeof(contexts[0]) && !(contexts[i].where & both))
        i++;
    snprintf(buf, cap, "%s would be the key of '%s' and of '%s' in %s; give one of them another",
             key_name(cl->key, name, sizeof(name)), cl->a->name, cl->b->name, contexts[i].words);
    return buf;
}
