#include "ui/draw/page.h"

#include "base/str.h"
#include "ui/draw/widget.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

struct page page_on(struct canvas *c, struct rect r, int skip) {
    return (struct page){.c = c, .r = r, .skip = skip, .hit = -1, .first = -1};
}

/* Row of the canvas for the next line, or -1 if it cannot be seen. */
static int next_row(struct page *p) {
    int at = p->line++ - p->skip;
    return at >= 0 && at < p->r.h ? p->r.y + at : -1;
}

void page_blank(struct page *p) {
    if (p->line > 0)
        p->line++;
}

/* Notes that the line has what is looked for, be it drawn or not. */
static void note_hit(struct page *p, int line, const char *text) {
    if (!p->match || !p->match[0] || !strcasestr(text, p->match))
        return;
    if (p->first < 0)
        p->first = line;
    if (p->hit < 0 && line >= p->seek)
        p->hit = line;
}

void page_heading(struct page *p, const char *text) {
    page_blank(p);
    int y = next_row(p);
    note_hit(p, p->line - 1, text);
    if (y >= 0)
        widget_text(p->c, p->r, p->r.x, y, p->r.w, STYLE_TITLE, text);
}

static bool is_blank(char ch) {
    return ch == ' ' || ch == '\n' || ch == '\t';
}

static bool ends_paragraph(const char *s) {
    return s[0] == '\n' && s[1] == '\n';
}

/* Bytes of the words from s on that fit into w columns: at least one character. */
static size_t line_length(const char *s, int w) {
    size_t at = 0, last_blank = 0;
    int cols = 0;
    while (s[at] && !ends_paragraph(s + at)) {
        size_t len;
        cols += str_cp_width(str_decode(s + at, &len));
        if (cols > w && !is_blank(s[at]))
            return last_blank ? last_blank : at ? at : len;
        if (is_blank(s[at]))
            last_blank = at;
        at += len;
    }
    return at;
}

/* What is looked for, in a text of w columns that stands at x. */
static void mark(struct page *p, int x, int y, int w, const char *text) {
    char part[256];
    const char *hit = p->match && p->match[0] ? strcasestr(text, p->match) : NULL;
    if (!hit)
        return;
    size_t before = (size_t)(hit - text), len = strlen(p->match);
    str_copy(part, before + 1 < sizeof(part) ? before + 1 : sizeof(part), text);
    int from = str_width(part);
    str_copy(part, len + 1 < sizeof(part) ? len + 1 : sizeof(part), hit);
    if (from < w)
        widget_text(p->c, p->r, x + from, y, w - from, STYLE_MATCH, part);
}

static bool is_word_char(char ch) {
    return isalnum((unsigned char)ch) || ch == '_';
}

/* Draws a line, or, with y < 0, only tells of its words. */
static void put_line(struct page *p, int y, int x, enum style st, const char *s, size_t len) {
    enum style now = st;
    for (size_t at = 0; at < len;) {
        size_t used;
        bool in_word = is_word_char(s[at]);
        if (p->word && in_word && (at == 0 || !is_word_char(s[at - 1]))) {
            size_t end = at;
            while (end < len && is_word_char(s[end]))
                end++;
            now = p->word(p, s + at, end - at, x - p->r.x, st);
        }
        uint32_t cp = str_decode(s + at, &used);
        if (y >= 0)
            canvas_put(p->c, p->r, x, y, in_word ? now : st, is_blank(s[at]) ? ' ' : cp);
        x += is_blank(s[at]) ? 1 : str_cp_width(cp);
        at += used;
    }
}

/* The line before the next one. */
static void mark_line(struct page *p, int x, int y, int w, const char *s, size_t len) {
    char line[1024];
    str_copy(line, len + 1 < sizeof(line) ? len + 1 : sizeof(line), s);
    note_hit(p, p->line - 1, line);
    if (y >= 0)
        mark(p, x, y, w, line);
}

void page_text(struct page *p, enum style st, int indent, const char *bullet, const char *text) {
    int w = p->r.w - indent > 4 ? p->r.w - indent : 4;
    while (*text) {
        while (is_blank(*text) && !ends_paragraph(text))
            text++;
        if (ends_paragraph(text)) {
            text += strspn(text, "\n \t");
            if (*text)
                p->line++;
            continue;
        }
        size_t len = line_length(text, w);
        int y = next_row(p);
        if (y >= 0 || p->word)
            put_line(p, y, p->r.x + indent, st, text, len);
        if (p->match && p->match[0])
            mark_line(p, p->r.x + indent, y, w, text, len);
        if (bullet && y >= 0)
            canvas_text(p->c, p->r, p->r.x + indent - 2, y, STYLE_LABEL, bullet);
        bullet = NULL;
        text += len;
    }
}

void page_band(struct page *p, enum style st, const char *text) {
    page_text(p, st, 0, NULL, text);
    const int at = p->line - 1 - p->skip, w = str_width(text);
    if (at >= 0 && at < p->r.h && w < p->r.w)
        canvas_fill(p->c, (struct rect){p->r.x + w, p->r.y + at, p->r.w - w, 1}, st, ' ');
}

/* Its words are told of; a link is drawn again in its style, as far as there is room. */
static void pair_words(struct page *p, int y, int w, const char *left, enum style st) {
    for (size_t at = 0; p->word && left[at];) {
        size_t end = at;
        while (is_word_char(left[end]))
            end++;
        if (end > at) {
            char part[256];
            str_copy(part, at + 1 < sizeof(part) ? at + 1 : sizeof(part), left);
            int x = str_width(part);
            str_copy(part, end - at + 1 < sizeof(part) ? end - at + 1 : sizeof(part), left + at);
            enum style now = p->word(p, left + at, end - at, x, st);
            if (now != st && y >= 0)
                widget_text(p->c, p->r, p->r.x + x, y, w - x, now, part);
        }
        at = end > at ? end : at + 1;
    }
}

void page_pair(struct page *p, int at, enum style st1, const char *left, enum style st2,
               const char *right) {
    int y = next_row(p);
    note_hit(p, p->line - 1, left);
    note_hit(p, p->line - 1, right);
    if (y >= 0) {
        widget_text(p->c, p->r, p->r.x, y, at - 1, st1, left);
        widget_text(p->c, p->r, p->r.x + at, y, p->r.w - at, st2, right);
        mark(p, p->r.x, y, at - 1, left);
        mark(p, p->r.x + at, y, p->r.w - at, right);
    }
    pair_words(p, y, at - 1, left, st1);
}

void page_item(struct page *p, int at, enum style st1, const char *left, enum style st2,
               const char *right) {
    int y = p->line - p->skip;
    if (y >= 0 && y < p->r.h) {
        widget_text(p->c, p->r, p->r.x, p->r.y + y, at - 1, st1, left);
        mark(p, p->r.x, p->r.y + y, at - 1, left);
    }
    int before = p->line;
    page_text(p, st2, at, NULL, right);
    if (p->line == before)
        p->line++;
}

/* --- pages of text that are told --- */

/* A paragraph stands apart from what is above it, unless that is its heading. */
static void tell_heading(void *user, const char *text) {
    struct page *p = user;
    page_heading(p, text);
    p->below = p->line;
}

static void tell_summary(void *user, const char *text) {
    page_blank(user);
    page_text(user, STYLE_VALUE, 0, NULL, text);
}

static void tell_text(void *user, const char *text) {
    struct page *p = user;
    if (p->line != p->below)
        page_blank(p);
    page_text(p, STYLE_POPUP, 0, NULL, text);
}

static void tell_item(void *user, const char *text) {
    struct page *p = user;
    char pid[16], told[512];
    snprintf(pid, sizeof(pid), "%d", p->pid);
    if (p->pid > 0)
        text = str_put_word(told, sizeof(told), text, "PID", pid);
    page_text(p, STYLE_POPUP, 2, "•", text);
}

struct text_sink page_sink(struct page *p) {
    return (struct text_sink){tell_heading, tell_summary, tell_text, tell_item, p};
}
