#include "ui/form.h"

#include "base/str.h"
#include "ui/term.h"

#include <string.h>

void form_set(struct form_text *f, const char *text) {
    str_copy(f->text, sizeof(f->text), text);
    size_t n = strlen(f->text);
    while (n > 0 && n + 1 == sizeof(f->text) && ((unsigned char)f->text[n - 1] & 0x80))
        n--; /* no half character at the place of the cut */
    f->text[n] = '\0';
    f->at = n;
}

bool form_replace(struct form_text *f, size_t from, const char *text) {
    size_t n = strlen(text), rest = strlen(f->text + f->at);
    if (from + n + rest >= sizeof(f->text))
        return false;
    memmove(f->text + from + n, f->text + f->at, rest + 1);
    memcpy(f->text + from, text, n);
    f->at = from + n;
    return true;
}

/* ---- steps of whole characters ---- */

static bool is_inside(const struct form_text *f, size_t at) {
    return ((unsigned char)f->text[at] & 0xc0) == 0x80;
}

static size_t before(const struct form_text *f, size_t at) {
    while (at > 0 && is_inside(f, --at))
        ;
    return at;
}

static size_t after(const struct form_text *f, size_t at) {
    if (f->text[at])
        at++;
    while (f->text[at] && is_inside(f, at))
        at++;
    return at;
}

static void type(struct form_text *f, uint32_t key) {
    char utf8[5] = "";
    utf8[str_encode(key, utf8)] = '\0';
    form_replace(f, f->at, utf8);
}

static void erase(struct form_text *f, size_t from, size_t to) {
    f->at = to;
    form_replace(f, from, "");
}

bool form_key(struct form_text *f, uint32_t key) {
    if (key >= ' ' && key != 0x7f && key < KEYC_BASE)
        type(f, key);
    else if (key == KEYC_BACKSPACE)
        erase(f, before(f, f->at), f->at);
    else if (key == KEYC_DELETE)
        erase(f, f->at, after(f, f->at));
    else if (key == KEYC_LEFT)
        f->at = before(f, f->at);
    else if (key == KEYC_RIGHT)
        f->at = after(f, f->at);
    else if (key == KEYC_HOME)
        f->at = 0;
    else if (key == KEYC_END)
        f->at = strlen(f->text);
    else
        return false;
    return true;
}

/* ---- drawing ---- */

static int width_to(const struct form_text *f, size_t from, size_t to) {
    int w = 0;
    for (size_t at = from, used; at < to; at += used)
        w += str_cp_width(str_decode(f->text + at, &used));
    return w;
}

void form_draw(const struct form_text *f, struct canvas *c, struct rect clip, int x, int y, int w,
               enum style st, bool focused) {
    if (w < 1)
        return;
    struct rect line = {x, y, w, 1};
    if (line.x + line.w > clip.x + clip.w)
        line.w = clip.x + clip.w - line.x;
    size_t from = 0;
    while (focused && from < f->at && width_to(f, from, f->at) >= line.w)
        from = after(f, from);
    canvas_text(c, line, x, y, st, f->text + from);
    if (!focused)
        return;
    size_t used;
    int at = x + width_to(f, from, f->at);
    uint32_t cp = f->text[f->at] ? str_decode(f->text + f->at, &used) : '_';
    canvas_put(c, line, at, y, STYLE_MATCH, cp);
}
