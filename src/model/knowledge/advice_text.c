/* Sentences of clauses: what is worth least goes first where room is scarce. */
#include "model/knowledge/advice_impl.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum {
    MOST = 2 * ADVICE_CLAUSES,
    LINE = 2048,
    ROOM_LEAST = 24, /* columns for the words, before who says them is named */
};

void draft_init(struct draft *d) {
    d->sb = strbuf_on(d->text, sizeof(d->text));
    d->n = 0;
}

void draft_add(struct draft *d, int keep, unsigned flags, const char *fmt, ...) {
    char text[1024];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    const size_t before = d->sb.n;
    if (d->n == ADVICE_CLAUSES || !text[0])
        return;
    strbuf_add(&d->sb, "%s", text);
    d->c[d->n++] = (struct advice_clause){.at = (uint16_t)before,
                                          .len = (uint16_t)(d->sb.n - before),
                                          .keep = (uint8_t)keep,
                                          .flags = (uint8_t)flags};
}

/* One or two parts, of which some clauses are chosen. */
struct line {
    const char *text[2];
    const struct advice_clause *c[2];
    int n[2];
    bool in[2][ADVICE_CLAUSES];
};

/* A clause without the punctuation that joins it to the one before. */
static const char *bare(const char *text, size_t *len) {
    const size_t skip = strspn(text, " ,;:");
    const size_t cut = skip < *len ? skip : *len;
    *len -= cut;
    return text + cut;
}

static void add_first(struct strbuf *sb, const char *text, size_t len, bool name) {
    text = bare(text, &len);
    if (!len)
        return;
    const char first = name ? text[0] : (char)toupper((unsigned char)text[0]);
    strbuf_add(sb, "%s%c%.*s", sb->n ? ". " : "", first, (int)len - 1, text + 1);
}

static void line_render(const struct line *l, char *buf, size_t cap) {
    struct strbuf sb = strbuf_on(buf, cap);
    for (int p = 0; p < 2; p++) {
        bool any = false;
        for (int i = 0; i < l->n[p]; i++) {
            const struct advice_clause *c = &l->c[p][i];
            if (!l->in[p][i])
                continue;
            if (any)
                strbuf_add(&sb, "%.*s", (int)c->len, l->text[p] + c->at);
            else
                add_first(&sb, l->text[p] + c->at, c->len, c->flags & CLAUSE_NAME);
            any = true;
        }
    }
}

/* Its width in columns; bytes where room is that of a buffer. */
static size_t line_size(const struct line *l, bool bytes) {
    char buf[LINE];
    line_render(l, buf, sizeof(buf));
    return bytes ? strlen(buf) : (size_t)str_width(buf);
}

/* The clause to be tried next: the most telling one that was not. False at the end. */
static bool line_next(const struct line *l, bool tried[2][ADVICE_CLAUSES], int *part, int *at) {
    int best = -1;
    for (int p = 0; p < 2; p++)
        for (int i = 0; i < l->n[p]; i++)
            if (!tried[p][i] && l->c[p][i].keep > best) {
                best = l->c[p][i].keep;
                *part = p;
                *at = i;
            }
    return best >= 0;
}

/* A tied clause goes with the nearest one before it that is not. */
static bool anchored(const struct line *l, int part, int at) {
    if (!(l->c[part][at].flags & CLAUSE_TIED))
        return true;
    while (at > 0 && (l->c[part][at].flags & CLAUSE_TIED))
        at--;
    return l->in[part][at];
}

static bool line_choose(struct line *l, size_t room, bool bytes) {
    bool tried[2][ADVICE_CLAUSES] = {{false}}, any = false;
    int p = 0, i = 0;
    while (line_next(l, tried, &p, &i)) {
        tried[p][i] = true;
        if (!anchored(l, p, i))
            continue;
        l->in[p][i] = true;
        l->in[p][i] = line_size(l, bytes) <= room;
        any = any || l->in[p][i];
    }
    return any;
}

/* The most telling clause alone, cut behind a whole word. */
static void line_cut(struct line *l, size_t room, bool bytes, char *buf, size_t cap) {
    bool tried[2][ADVICE_CLAUSES] = {{false}};
    int p = 0, i = 0;
    buf[0] = '\0';
    if (!line_next(l, tried, &p, &i))
        return;
    l->in[p][i] = true;
    line_render(l, buf, cap);
    const size_t dots = bytes ? strlen("…") : 1;
    for (size_t n = strlen(buf); n > 0; n--) {
        if (buf[n] && buf[n] != ' ')
            continue;
        buf[n] = '\0';
        if ((bytes ? n : (size_t)str_width(buf)) + dots <= room && n + strlen("…") < cap) {
            memcpy(buf + n, "…", sizeof("…"));
            return;
        }
    }
    buf[0] = '\0';
}

static void line_fit(struct line *l, size_t room, bool bytes, char *buf, size_t cap) {
    if (line_choose(l, room, bytes))
        line_render(l, buf, cap);
    else
        line_cut(l, room, bytes, buf, cap);
}

/* Clauses as they stand in the settled text, so that it can be fitted again. */
uint8_t draft_settle(const struct draft *d, char *text, size_t cap, struct advice_clause *c) {
    struct line l = {.text = {d->text}, .c = {d->c}, .n = {d->n}};
    uint8_t n = 0;
    line_fit(&l, cap - 1, true, text, cap);
    size_t at = 0;
    for (int i = 0; i < d->n; i++) {
        size_t len = d->c[i].len;
        if (!l.in[0][i])
            continue;
        if (n == 0)
            bare(d->text + d->c[i].at, &len);
        if (at + len > strlen(text)) /* it was cut */
            len = strlen(text) - at;
        c[n] = d->c[i];
        c[n].at = (uint16_t)at;
        c[n].len = (uint16_t)len;
        at += len;
        n++;
    }
    if (n == 0 && text[0]) { /* a cut one: the words that are left are one clause */
        c[0] = (struct advice_clause){
            .len = (uint16_t)strlen(text), .keep = KEEP_VALUE, .flags = CLAUSE_NAME};
        n = 1;
    }
    return n;
}

const char *advice_fit(const struct advice_text *t, enum advice_part part, int columns, char *buf,
                       size_t cap) {
    struct line l = {
        .text = {t->seen, t->next},
        .c = {t->seen_, t->next_},
        .n = {part & ADVICE_SEEN ? t->n_seen_ : 0, part & ADVICE_NEXT ? t->n_next_ : 0}};
    const size_t n = part & ADVICE_SEEN ? strlen(t->who) : 0;
    const int room = columns - str_width(t->who);
    buf[0] = '\0';
    if (n == 0 || n >= cap || room < ROOM_LEAST) {
        if (columns > 0)
            line_fit(&l, (size_t)columns, false, buf, cap);
        return buf;
    }
    line_fit(&l, (size_t)room, false, buf + n, cap - n);
    if (buf[n])
        memcpy(buf, t->who, n);
    return buf;
}
