#include "ui/term/term_key.h"

#include "base/clock.h"
#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

enum {
    ESC = 0x1b,
    SEQUENCE_MAX = 32, /* parameters and intermediates; longer ones are noise */
    DOUBLE_MS = 400,   /* what desktops use by default */
};

static uint32_t take(struct key_reader *r) {
    const uint32_t c = r->pushed ? r->pushed : r->next();
    r->pushed = 0;
    return c;
}

/* ---- single characters ---- */

static uint32_t plain_key(uint32_t c) {
    static const struct {
        uint32_t from, to;
    } controls[] = {
        {'\r', KEYC_ENTER},     {'\n', KEYC_ENTER},  {'\t', KEYC_TAB},    {0x7f, KEYC_BACKSPACE},
        {'\b', KEYC_BACKSPACE}, {0x03, KEYC_CTRL_C}, {0x0c, KEYC_CTRL_L}, {0x1a, KEYC_CTRL_Z},
    };
    for (size_t i = 0; i < COUNT(controls); i++)
        if (controls[i].from == c)
            return controls[i].to;
    return c;
}

/* ---- sequences ---- */

/* ESC [ numbers final, or ESC O final, as xterm sends them (ctlseqs, "PC-Style Function Keys"). */
static const struct sequence {
    char final;
    int number; /* the first one, of sequences that end in ~; else 0 */
    uint32_t key;
} sequences[] = {
    {'A', 0, KEYC_UP},     {'B', 0, KEYC_DOWN}, {'C', 0, KEYC_RIGHT}, {'D', 0, KEYC_LEFT},
    {'H', 0, KEYC_HOME},   {'F', 0, KEYC_END},  {'Z', 0, KEYC_BTAB},  {'M', 0, KEYC_ENTER},
    {'P', 0, KEYC_F1},     {'Q', 0, KEYC_F2},   {'R', 0, KEYC_F3},    {'S', 0, KEYC_F4},
    {'~', 1, KEYC_HOME},   {'~', 7, KEYC_HOME}, {'~', 4, KEYC_END},   {'~', 8, KEYC_END},
    {'~', 3, KEYC_DELETE}, {'~', 5, KEYC_PGUP}, {'~', 6, KEYC_PGDN},  {'~', 11, KEYC_F1},
    {'~', 12, KEYC_F2},    {'~', 13, KEYC_F3},  {'~', 14, KEYC_F4},   {'~', 15, KEYC_F5},
    {'~', 17, KEYC_F6},    {'~', 18, KEYC_F7},  {'~', 19, KEYC_F8},   {'~', 20, KEYC_F9},
    {'~', 21, KEYC_F10},
};

static uint32_t sequence_key(char final, int number) {
    for (size_t i = 0; i < COUNT(sequences); i++)
        if (sequences[i].final == final && (final != '~' || sequences[i].number == number))
            return sequences[i].key;
    return 0;
}

/* The body of ESC [ ... : private mark, up to three numbers, final byte (ECMA-48, 5.4). */
struct csi {
    char mark; /* '<', '?', '>' or 0 */
    int number[3];
    char final; /* 0 if the sequence broke off */
};

static struct csi read_csi(struct key_reader *r) {
    struct csi s = {0};
    int at = 0;
    for (int i = 0; i < SEQUENCE_MAX; i++) {
        const uint32_t c = take(r);
        if (c == 0 || c > 0x7e || c < 0x20) {
            r->pushed = c;
            break;
        }
        if (c >= 0x40) {
            s.final = (char)c;
            break;
        }
        if (c >= '<' && c <= '?' && i == 0)
            s.mark = (char)c;
        else if (c == ';')
            at++;
        else if (c >= '0' && c <= '9' && at < 3 && s.number[at] < 10000)
            s.number[at] = s.number[at] * 10 + (int)(c - '0');
    }
    return s;
}

/* SGR reports: button;column;row, M pressed, m released. Bits 2-4 of the button are modifiers. */
static uint32_t mouse_event(struct key_reader *r, const struct csi *s, uint64_t now_ns,
                            struct mouse *m) {
    const int button = s->number[0] & ~0x1c;
    struct mouse e = {.x = s->number[1] - 1, .y = s->number[2] - 1, .what = MOUSE_PRESS};
    if (s->final == 'm' || button == 0)
        r->held = s->final == 'M';
    if (s->final != 'M' || e.x < 0 || e.y < 0)
        return 0;
    if (button == 64 || button == 65) {
        e.what = button == 64 ? MOUSE_WHEEL_UP : MOUSE_WHEEL_DOWN;
    } else if (button == 32) { /* motion with the left button down */
        e.what = MOUSE_DRAG;
    } else if (button != 0) {
        return 0; /* other buttons belong to the terminal's own paste and menus */
    } else {
        const bool twice = r->pressed_ns && now_ns - r->pressed_ns < DOUBLE_MS * 1000000ull &&
                           r->pressed_x == e.x && r->pressed_y == e.y;
        if (twice)
            e.what = MOUSE_DOUBLE;
        r->pressed_ns = twice ? 0 : now_ns; /* a third click starts anew */
        r->pressed_x = e.x;
        r->pressed_y = e.y;
    }
    if (m)
        *m = e;
    return KEYC_MOUSE;
}

/* After ESC [. 0 = a sequence that means nothing here, or a mouse event nobody waits for. */
static uint32_t csi_key(struct key_reader *r, uint64_t now_ns, struct mouse *m) {
    const struct csi s = read_csi(r);
    if (s.mark == '<')
        return mouse_event(r, &s, now_ns, m);
    if (s.mark == 0 && s.final == 'M') /* a report of the old mode 1000: three more bytes */
        for (int i = 0; i < 3; i++)
            take(r);
    if (s.mark || s.final == 'M')
        return 0;
    return sequence_key(s.final, s.number[0]);
}

/* ---- what is pasted ---- */

static void add_pasted(struct key_reader *r, uint32_t c) {
    char utf8[5];
    if (c == '\n' || c == '\r' || c == '\t' || c == KEYC_ENTER)
        c = ' ';
    if (c < ' ' || (c >= 0x7f && c < 0xa0) || c >= KEYC_BASE)
        return;
    const size_t n = str_encode(c, utf8);
    if (r->n_pasted + n < sizeof(r->pasted)) {
        memcpy(r->pasted + r->n_pasted, utf8, n);
        r->n_pasted += n;
    } else {
        r->n_pasted = sizeof(r->pasted); /* nothing behind what had no room */
    }
}

/* All that is there. KEYC_PASTE once it is all of it, else 0. */
static uint32_t read_pasted(struct key_reader *r) {
    for (uint32_t c; (c = take(r)) != 0;) {
        if (c == KEYC_PASTE_END) {
            r->pasting = false;
            return KEYC_PASTE;
        }
        add_pasted(r, c);
    }
    return 0;
}

/* ---- what the terminal answers ---- */

/* xterm ctlseqs, OSC 11: rgb:RR/GG/BB, of one to four hexadecimal digits each; rgba: as well. */
static bool read_rgb(const char *s, int32_t *rgb) {
    static const char digits[] = "0123456789abcdef0123456789ABCDEF";
    int32_t sum = 0;
    s += strncmp(s, "11;", 3) == 0 ? 3 : 0;
    if (strncmp(s, "rgb", 3) != 0 || !(s = strchr(s, ':')))
        return false;
    for (int i = 0; i < 3; i++) {
        int v = 0, most = 0;
        const char *at;
        for (s++; *s && (at = strchr(digits, *s)) != NULL && most < 0xffff; s++) {
            v = v * 16 + (int)(at - digits) % 16;
            most = most * 16 + 15;
        }
        if (!most || (i < 2 && *s != '/'))
            return false;
        sum = sum << 8 | v * 255 / most;
    }
    *rgb = sum;
    return *s == '\0' || *s == '/';
}

static void begin_answer(struct key_reader *r, uint64_t now_ns) {
    r->answering = true;
    r->answer_esc = false;
    r->answer_ns = now_ns;
    r->n_answer = 0;
    memset(r->answer, 0, sizeof(r->answer));
}

static void end_answer(struct key_reader *r) {
    r->answering = false;
    if (r->n_answer < ANSWER_CAP && read_rgb(r->answer, &r->ground))
        r->answered = true;
}

/* All that is there, up to BEL or ESC \. Whatever no answer has ends it, and is a key. */
static void read_answer(struct key_reader *r, uint64_t now_ns) {
    enum { TORN_MS = 1000, NOISE = 256 };
    while (r->answering) {
        const uint32_t c = take(r);
        if (c == 0)
            return;
        if (c == 0x07 || (r->answer_esc && c == '\\')) {
            end_answer(r);
        } else if (c == ESC && !r->answer_esc) {
            r->answer_esc = true;
        } else if (r->answer_esc || c < ' ' || c >= 0x7f || r->n_answer == NOISE ||
                   now_ns - r->answer_ns > TORN_MS * NS_PER_MS) {
            r->answering = false;
            r->pushed = c;
        } else {
            if (r->n_answer < ANSWER_CAP - 1)
                r->answer[r->n_answer] = (char)c;
            r->n_answer++;
        }
        r->answer_ns = now_ns;
    }
}

uint32_t key_read(struct key_reader *r, uint64_t now_ns, struct mouse *m) {
    for (;;) {
        if (r->pasting)
            return read_pasted(r);
        if (r->answering) {
            read_answer(r, now_ns);
            if (r->answering)
                return 0;
        }
        const uint32_t c = take(r);
        if (c == KEYC_ANSWER) {
            begin_answer(r, now_ns);
            continue;
        }
        if (c == KEYC_PASTE) {
            r->pasting = true;
            r->n_pasted = 0;
            memset(r->pasted, 0, sizeof(r->pasted));
            continue;
        }
        if (c == KEYC_PASTE_END)
            continue;
        if (c != ESC)
            return plain_key(c);
        const uint32_t second = take(r);
        uint32_t key = 0;
        if (second == ']' && r->asked) {
            begin_answer(r, now_ns);
        } else if (second == '[') {
            key = csi_key(r, now_ns, m);
        } else if (second == 'O') {
            const uint32_t third = take(r);
            if (third == 0)
                return KEYC_ESC;
            key = third < 0x7f ? sequence_key((char)third, 0) : 0;
        } else {
            r->pushed = second;
            return KEYC_ESC;
        }
        if (key)
            return key;
    }
}
