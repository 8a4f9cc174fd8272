#include "ui/popup/links.h"

#include "base/str.h"

#include <ctype.h>
#include <string.h>

void links_begin(struct links *l, int metric) {
    l->metric = metric;
    l->chosen = -1;
    l->n = l->n_back = 0;
}

static bool is_named(const char *name, const char *word, size_t len) {
    return name && name[0] == word[0] && strncmp(name, word, len) == 0 && name[len] == '\0';
}

/* Names as texts spell them: in full, as the vendor does, or without "Info_". */
static int find(const struct model *m, const char *word, size_t len) {
    static const char prefix[] = "Info_";
    for (int i = 0; i < (int)m->n_metric; i++) {
        const char *name = m->metric[i].name;
        if (is_named(name, word, len) || is_named(m->metric[i].vendor, word, len) ||
            (str_starts(name, prefix) && is_named(name + sizeof(prefix) - 1, word, len)))
            return i;
    }
    return METRIC_NONE;
}

/* Events are ALL_CAPITALS, other words begin with a small letter: most need no looking up. */
static bool may_be_name(const char *word, size_t len) {
    bool lower = false;
    for (size_t i = 0; i < len; i++)
        lower |= islower((unsigned char)word[i]) != 0;
    return len > 2 && isupper((unsigned char)word[0]) && (lower || len <= 4);
}

static enum style note(struct page *p, const char *word, size_t len, int x, enum style st) {
    struct links *l = p->user;
    if (l->n == LINKS_MAX || !may_be_name(word, len))
        return st;
    int to = find(l->model, word, len);
    if (to == METRIC_NONE || to == l->metric)
        return st;
    bool chosen = l->n == l->chosen;
    l->at[l->n++] = (struct link){to, p->line - 1, x, (int)len};
    return chosen ? STYLE_TAB_ON : STYLE_KEY;
}

void links_on(struct links *l, const struct model *m, struct page *p) {
    l->model = m;
    l->n = 0;
    l->r = p->r;
    p->word = note;
    p->user = l;
}

static bool is_seen(const struct link *at, int scroll, int h) {
    return at->line >= scroll && at->line < scroll + h;
}

/* The first to be seen, or the last when going backwards. */
static int begin(const struct links *l, int step, int scroll, int h) {
    for (int i = 0; i < l->n; i++) {
        int at = step > 0 ? i : l->n - 1 - i;
        if (is_seen(&l->at[at], scroll, h))
            return at;
    }
    return step > 0 ? 0 : l->n - 1;
}

int links_step(struct links *l, int step, int scroll, int h) {
    if (l->n == 0)
        return scroll;
    bool lost = l->chosen < 0 || l->chosen >= l->n || !is_seen(&l->at[l->chosen], scroll, h);
    l->chosen = lost ? begin(l, step, scroll, h) : (l->chosen + step + l->n) % l->n;
    int line = l->at[l->chosen].line;
    if (line < scroll)
        return line > 0 ? line - 1 : 0;
    return line >= scroll + h ? line - h + (h > 2 ? 2 : 1) : scroll;
}

int links_chosen(const struct links *l) {
    return l->chosen >= 0 && l->chosen < l->n ? l->at[l->chosen].to : METRIC_NONE;
}

void links_follow(struct links *l, int metric, int scroll) {
    if (l->n_back == LINKS_BACK_MAX)
        memmove(l->back, l->back + 1, (size_t)--l->n_back * sizeof(l->back[0]));
    l->back[l->n_back++] = (struct links_step){l->metric, scroll, l->chosen};
    l->metric = metric;
    l->chosen = -1;
}

int links_return(struct links *l) {
    if (l->n_back == 0)
        return -1;
    const struct links_step *to = &l->back[--l->n_back];
    l->metric = to->metric;
    l->chosen = to->chosen;
    return to->scroll;
}

int links_at(const struct links *l, int x, int line) {
    for (int i = 0; i < l->n; i++)
        if (l->at[i].line == line && x >= l->at[i].x && x < l->at[i].x + l->at[i].cols)
            return l->at[i].to;
    return METRIC_NONE;
}

void links_want(const struct links *l, bool *wanted) {
    if (l->metric != METRIC_NONE)
        wanted[l->metric] = true;
    for (int i = 0; i < l->n; i++)
        wanted[l->at[i].to] = true;
}
