/* Keys as the help, the key line and sentences name them: those of the user's own where there are
 * any. */
#include "ui/screen/keys.h"

#include "base/str.h"
#include "ui/screen/screen.h"
#include "ui/term/key_name.h"

#include <stdio.h>
#include <string.h>

const char *keys_name_of(const char *name, char *buf, size_t cap) {
    const struct key_binding *k = keys_named(name);
    return key_name(k ? keys_of(k)[0] : 0, buf, cap);
}

const char *app_key_here(const struct scene *sc, const char *action, char *buf, size_t cap) {
    const unsigned where = keys_context_of(sc->view), nodes = IN_TREE | IN_FUNNEL | IN_HISTORY;
    const struct key_binding *k = keys_named(action);
    const bool here = k && (k->where & where);
    buf[0] = '\0';
    return here && ((where & nodes) || (k->where & IN_VIEW) == IN_VIEW)
               ? keys_name_of(action, buf, cap)
               : buf;
}

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
