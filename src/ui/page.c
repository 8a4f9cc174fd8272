#include "ui/page.h"

#include "base/str.h"
#include "ui/widget.h"

#include <string.h>

struct page page_on(struct canvas *c, struct rect r, int skip) {
    return (struct page){.c = c, .r = r, .skip = skip};
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

void page_heading(struct page *p, const char *text) {
    page_blank(p);
    int y = next_row(p);
    if (y >= 0)
        widget_text(p->c, p->r, p->r.x, y, p->r.w, STYLE_LABEL, text);
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

static void put_line(struct page *p, int y, int x, enum style st, const char *s, size_t len) {
    for (size_t at = 0; at < len;) {
        size_t used;
        uint32_t cp = str_decode(s + at, &used);
        canvas_put(p->c, p->r, x, y, st, is_blank(s[at]) ? ' ' : cp);
        x += is_blank(s[at]) ? 1 : str_cp_width(cp);
        at += used;
    }
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
        if (y >= 0)
            put_line(p, y, p->r.x + indent, st, text, len);
        if (bullet && y >= 0)
            canvas_text(p->c, p->r, p->r.x + indent - 2, y, STYLE_LABEL, bullet);
        bullet = NULL;
        text += len;
    }
}

void page_pair(struct page *p, int at, enum style st1, const char *left, enum style st2,
               const char *right) {
    int y = next_row(p);
    if (y < 0)
        return;
    widget_text(p->c, p->r, p->r.x, y, at - 1, st1, left);
    widget_text(p->c, p->r, p->r.x + at, y, p->r.w - at, st2, right);
}
