#include "ui/app/keys_map.h"

#include "base/str.h"
#include "ui/term/key_name.h"
#include "ui/term/term.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const struct {
    unsigned where;
    const char *words;
} contexts[] = {
    {IN_TREE, "the tree"},       {IN_FUNNEL, "the funnel"},      {IN_HISTORY, "the history"},
    {IN_THREADS, "the threads"}, {IN_CPUS, "the CPUs"},          {IN_METRICS, "the metrics"},
    {IN_RUNS, "the runs"},       {IN_BENCH, "the bench"},        {IN_DOCTOR, "the doctor"},
    {IN_TREND, "the trend"},     {IN_POPUP | IN_OVER, "popups"}, {IN_TYPING, "what is typed"},
};

/* --- setting --- */

/* The name that looks most like it, or NULL. */
static const char *nearest(const char *name) {
    const char *best = NULL;
    int limit = 4;
    for (size_t i = 0; i < n_keys; i++) {
        int distance = keys[i].name ? str_distance(name, keys[i].name) : limit;
        if (distance >= limit)
            continue;
        limit = distance;
        best = keys[i].name;
    }
    return best;
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
    uint32_t own[KEYS_EACH] = {0};
    const struct key_binding *k = keys_named(name);
    if (!k)
        return unknown_name(name, err);
    if (n > KEYS_EACH)
        return err_set(err, -EINVAL, "%d keys for '%s'; at most %d have room", n, name, KEYS_EACH);
    for (int i = 0; i < n; i++) {
        int rc = parse(k, key[i], &own[i], err);
        if (rc < 0)
            return rc;
    }
    for (size_t i = 0; i < n_keys; i++)
        if (keys[i].name && strcmp(keys[i].name, name) == 0)
            keys_own(&keys[i], own);
    return 0;
}

void keys_map_reset(void) {
    for (size_t i = 0; i < n_keys; i++)
        keys_own(&keys[i], NULL);
}

/* --- clashes --- */

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

/* --- names of keys on the screen --- */

/* Rows that one line of the help is for: "n N" stands at the first, and names the second, too. */
static bool goes_on(const struct key_binding *k) {
    return k < keys + n_keys && !keys_is_heading(k) && !k->words;
}

static bool are_pair(const struct key_binding *first, const struct key_binding *second) {
    return first->words && goes_on(second) && first->where == second->where &&
           strchr(first->show, ' ');
}

static bool any_own(const struct key_binding *a, const struct key_binding *b) {
    return keys_is_own(a) || (b && keys_is_own(b));
}

/* The keys of one row with blanks between them. */
static void add_all(struct strbuf *sb, const struct key_binding *k) {
    char name[24];
    for (int i = 0; i < KEYS_EACH && keys_of(k)[i]; i++)
        strbuf_add(sb, "%s%s", sb->n ? " " : "", key_name(keys_of(k)[i], name, sizeof(name)));
}

static const char *first_name(const struct key_binding *k, char *buf, size_t cap) {
    return key_name(keys_of(k)[0], buf, cap);
}

const char *keys_show(const struct key_binding *k, char *buf, size_t cap) {
    char name[24];
    const struct key_binding *next = k + 1 < keys + n_keys && are_pair(k, k + 1) ? k + 1 : NULL;
    if (!any_own(k, next))
        return str_copy(buf, cap, k->show ? k->show : "");
    struct strbuf sb = strbuf_on(buf, cap);
    if (!next) {
        add_all(&sb, k);
        return buf;
    }
    strbuf_add(&sb, "%s", first_name(k, name, sizeof(name)));
    strbuf_add(&sb, " %s", first_name(next, name, sizeof(name)));
    return buf;
}

const char *keys_brief(const struct key_binding *k, char *buf, size_t cap) {
    char name[2][24];
    if (!k->brief)
        return NULL;
    const struct key_binding *before = k > keys && are_pair(k - 1, k) ? k - 1 : NULL;
    const struct key_binding *head = before ? before : k, *next = before ? k : NULL;
    if (!next && k + 1 < keys + n_keys && are_pair(k, k + 1))
        next = k + 1;
    if (!any_own(head, next))
        return str_copy(buf, cap, k->brief);
    if (!keys_of(k)[0])
        return NULL; /* it has none any more */
    first_name(head, name[0], sizeof(name[0]));
    first_name(next ? next : head, name[1], sizeof(name[1]));
    bool words = str_width(name[0]) > 1 || str_width(name[1]) > 1;
    snprintf(buf, cap, "%s%s%s%s", name[0], next && words ? "/" : "", next ? name[1] : "",
             strchr(k->brief, ' '));
    return buf;
}

/* "name}" after a brace, as the name of an action; "" if it is none. */
static const char *named_in(const char *at, char *name, size_t cap) {
    const size_t n = strcspn(at, "} ");
    if (at[n] != '}' || n == 0 || n >= cap)
        return "";
    memcpy(name, at, n);
    name[n] = '\0';
    return keys_named(name) ? name : "";
}

const char *keys_in_words(const char *words, char *buf, size_t cap) {
    struct strbuf sb = strbuf_on(buf, cap);
    char name[32], key[24];
    buf[0] = '\0';
    while (*words) {
        const size_t plain = strcspn(words, "{");
        strbuf_add(&sb, "%.*s", (int)plain, words);
        words += plain;
        if (!*words)
            break;
        if (!named_in(words + 1, name, sizeof(name))[0]) {
            strbuf_add(&sb, "{");
            words++;
            continue;
        }
        keys_name_of(name, key, sizeof(key));
        strbuf_add(&sb, "%s%s", key[0] ? "" : ":", key[0] ? key : name);
        words += strlen(name) + 2;
    }
    return buf;
}
