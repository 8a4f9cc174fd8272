#include "ui/term/clip.h"

#include "base/str.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

enum {
    PIECE = 200, /* bytes of one DCS of screen: versions before 4.2 take strings up to 256 */
};

static const char head[] = "\033]52;c;"; /* c: the clipboard, not the primary selection */

enum clip_way clip_way_of(const char *term, const char *tmux, const char *sty) {
    /* Terminals that end the sequence too early and show the rest. */
    static const char *const never[] = {"linux", "vt", "dumb", "ansi", "cons", "wsvt", "sun"};
    if (tmux && *tmux)
        return CLIP_TMUX;
    if (sty && *sty)
        return CLIP_SCREEN;
    if (!term || !*term)
        return CLIP_NEVER;
    for (size_t i = 0; i < sizeof(never) / sizeof(never[0]); i++)
        if (str_starts(term, never[i]))
            return CLIP_NEVER;
    return CLIP_PLAIN;
}

static size_t base64_len(size_t n) {
    return (n + 2) / 3 * 4;
}

static size_t plain_len(size_t n) {
    return sizeof(head) - 1 + base64_len(n) + 1;
}

size_t clip_room(size_t n) {
    const size_t plain = plain_len(n), pieces = plain / PIECE + 1;
    const size_t tmux = plain + sizeof("\033Ptmux;\033") - 1 + plain + 2;
    const size_t screen = plain + 4 * pieces;
    return tmux > screen ? tmux : screen;
}

/* What is written, and where. */
struct bytes {
    char *at;
    size_t n;
};

static void add(struct bytes *b, const char *s, size_t n) {
    memcpy(b->at + b->n, s, n);
    b->n += n;
}

/* RFC 4648, chapter 4 */
static void add_base64(struct bytes *b, const char *text, size_t n) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < n; i += 3) {
        uint32_t v = 0;
        for (size_t k = i; k < i + 3; k++)
            v = v << 8 | (k < n ? (unsigned char)text[k] : 0);
        const char four[] = {digits[v >> 18], digits[v >> 12 & 63],
                             i + 1 < n ? digits[v >> 6 & 63] : '=',
                             i + 2 < n ? digits[v & 63] : '='};
        add(b, four, sizeof(four));
    }
}

/* Ends with BEL: the other end, ESC \, would end what it is wrapped in. */
static void add_plain(struct bytes *b, const char *text, size_t n) {
    add(b, head, sizeof(head) - 1);
    add_base64(b, text, n);
    add(b, "\a", 1);
}

/* tmux takes the plain sequence with set-clipboard on, the wrapped one with allow-passthrough on,
 * and none without either; twice the same text does no harm. In the wrapped one an ESC is doubled.
 */
static void add_tmux(struct bytes *b, const char *text, size_t n) {
    add_plain(b, text, n);
    add(b, "\033Ptmux;\033", 8);
    add_plain(b, text, n);
    add(b, "\033\\", 2);
}

/* The plain sequence, cut into strings that screen passes on. It is written to the end of the room
 * first, and moves to the front piece by piece: what is read is always ahead of what is written. */
static void add_screen(struct bytes *b, const char *text, size_t n) {
    const size_t len = plain_len(n), pieces = (len + PIECE - 1) / PIECE;
    struct bytes plain = {b->at + b->n + 4 * pieces, 0};
    add_plain(&plain, text, n);
    for (size_t i = 0; i < len; i += PIECE) {
        const size_t size = len - i < PIECE ? len - i : PIECE;
        add(b, "\033P", 2);
        memmove(b->at + b->n, plain.at + i, size);
        b->n += size;
        add(b, "\033\\", 2);
    }
}

long clip_bytes(bool on, enum clip_way way, const char *text, size_t n, char *out, size_t cap,
                struct err *err) {
    static void (*const ways[])(struct bytes *, const char *, size_t) = {
        [CLIP_PLAIN] = add_plain, [CLIP_TMUX] = add_tmux, [CLIP_SCREEN] = add_screen};
    if (!on)
        return err_set(err, -EPERM,
                       "copy: it is switched off; `clipboard = true` in the settings "
                       "allows it");
    if (way == CLIP_NEVER)
        return err_set(
            err, -ENOTSUP,
            "copy: this terminal has no clipboard; {save-screen} saves the screen to a file");
    if (n == 0)
        return err_set(err, -ENODATA, "copy: there is nothing to copy here");
    if (n > CLIP_MAX)
        return err_set(err, -E2BIG,
                       "copy: %zu kB are more than terminals take (%d kB); {save-screen} saves the "
                       "screen to a "
                       "file",
                       (n + 999) / 1000, CLIP_MAX / 1000);
    if (cap < clip_room(n))
        return err_set(err, -ENOBUFS, "copy: no room for %zu bytes", n);
    struct bytes b = {out, 0};
    ways[way](&b, text, n);
    return (long)b.n;
}
