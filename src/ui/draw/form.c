#include "ui/draw/form.h"

#include "base/str.h"
#include "ui/term/term.h"

#include <string.h>

void form_set(struct form_text *f, const char *text) {
    str_copy(f->text, sizeof(f->text), text);
    f->at = strlen(f->text);
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

/* What shells and GNU Readline have these for. */
enum { CTRL_A = 0x01, CTRL_E = 0x05, CTRL_U = 0x15, CTRL_W = 0x17 };

/* ---- steps of whole characters ---- */

static bool is_inside(const char *text, size_t at) {
    return ((unsigned char)text[at] & 0xc0) == 0x80;
}

static size_t before(const char *text, size_t at) {
    while (at > 0 && is_inside(text, --at))
        ;
    return at;
}

static size_t after(const struct form_text *f, size_t at) {
    if (f->text[at])
        at++;
    while (f->text[at] && is_inside(f->text, at))
        at++;
    return at;
}

/* Where the word that ends at `at` begins, with the blanks behind it. */
static size_t word_before(const char *text, size_t at) {
    while (at > 0 && text[at - 1] == ' ')
        at--;
    while (at > 0 && text[at - 1] != ' ')
        at--;
    return at;
}

bool form_end_key(char *text, size_t cap, uint32_t key) {
    size_t n = strlen(text);
    char utf8[5] = "";
    if (key >= ' ' && key != 0x7f && key < KEYC_BASE) {
        const size_t len = str_encode(key, utf8);
        if (n + len >= cap)
            return false;
        memcpy(text + n, utf8, len + 1);
        return true;
    }
    if (key != KEYC_BACKSPACE && key != CTRL_W && key != CTRL_U)
        return false;
    text[key == CTRL_U ? 0 : key == CTRL_W ? word_before(text, n) : before(text, n)] = '\0';
    return n > 0;
}

/* Bytes of a text, whole characters, that fit into so many. */
static size_t fitting(const char *text, size_t room) {
    size_t n = strnlen(text, room + 1);
    for (n = n < room ? n : room; n > 0 && is_inside(text, n);)
        n--;
    return n;
}

bool form_end_paste(char *text, size_t cap, const char *pasted) {
    const size_t n = strlen(text), more = fitting(pasted, cap - n - 1);
    memcpy(text + n, pasted, more);
    text[n + more] = '\0';
    return more > 0;
}

void form_paste(struct form_text *f, const char *text) {
    char part[FORM_CAP];
    str_copy(part, fitting(text, sizeof(f->text) - strlen(f->text) - 1) + 1, text);
    form_replace(f, f->at, part);
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
        erase(f, before(f->text, f->at), f->at);
    else if (key == KEYC_DELETE)
        erase(f, f->at, after(f, f->at));
    else if (key == KEYC_LEFT)
        f->at = before(f->text, f->at);
    else if (key == KEYC_RIGHT)
        f->at = after(f, f->at);
    else if (key == CTRL_W)
        erase(f, word_before(f->text, f->at), f->at);
    else if (key == CTRL_U)
        erase(f, 0, f->at);
    else if (key == KEYC_HOME || key == CTRL_A)
        f->at = 0;
    else if (key == KEYC_END || key == CTRL_E)
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
