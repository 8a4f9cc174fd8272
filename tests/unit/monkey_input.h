/*
 * What a monkey does to a terminal, as the characters that the terminal sends: keys, the mouse,
 * pastes, broken sequences. All of it follows from monkey_state, the seed.
 */
#ifndef TDTOP_TESTS_MONKEY_INPUT_H
#define TDTOP_TESTS_MONKEY_INPUT_H

#include "base/str.h"
#include "ui/screen/keys.h"
#include "ui/term/term.h"

#include <stdio.h>
#include <stdlib.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

enum { QUEUE = 4096 };

static uint64_t monkey_state;
static int monkey_w, monkey_h; /* of the screen that the mouse is on */

/* ---- chance ---- */

/* splitmix64, as in source_sim.c. */
static uint64_t chance(uint64_t n) {
    uint64_t x = monkey_state += 0x9e3779b97f4a7c15ull;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
    return (x ^ (x >> 31)) % n;
}

static bool trace(void) {
    static int on = -1;
    if (on < 0)
        on = getenv("MONKEY_TRACE") != NULL;
    return on;
}

#define TELL(...)                                                                                  \
    do {                                                                                           \
        if (trace())                                                                               \
            fprintf(stderr, __VA_ARGS__);                                                          \
    } while (0)

/* ---- what the terminal sends ---- */

static struct {
    uint32_t at[QUEUE];
    size_t first, n;
} sent;

static uint32_t next(void) {
    return sent.first < sent.n ? sent.at[sent.first++] : 0;
}

static void send(uint32_t code) {
    if (sent.n < QUEUE)
        sent.at[sent.n++] = code;
}

static void send_text(const char *text) {
    for (size_t used; *text; text += used)
        send(str_decode(text, &used));
}

static void send_mouse(int button, int x, int y, char end) {
    char text[64];
    snprintf(text, sizeof(text), "\033[<%d;%d;%d%c", button, x + 1, y + 1, end);
    send_text(text);
}

/* Most on the screen, at its edges and lines of importance; some where there is none. */
static int place(int size) {
    switch (chance(8)) {
    case 0:
        return size - 1 - (int)chance(3);
    case 1:
        return (int)chance(8);
    case 2:
        return (int)chance(600) - 1;
    default:
        return (int)chance((uint64_t)size);
    }
}

static void click(void) {
    static const int buttons[] = {0, 0, 0, 0, 64, 65, 64, 65, 32, 1, 2, 35, 4, 16, 66, 128};
    const int button = buttons[chance(COUNT(buttons))];
    const int x = place(monkey_w), y = place(monkey_h);
    for (uint64_t n = 1 + chance(3); n > 0; n--) /* double and triple clicks, turns of the wheel */
        send_mouse(button, x, y, 'M');
    if (chance(2))
        send_mouse(button, x, y, 'm');
}

static void drag(void) {
    send_mouse(0, place(monkey_w), place(monkey_h), 'M');
    for (uint64_t n = chance(12); n > 0; n--)
        send_mouse(32, place(monkey_w), place(monkey_h), 'M');
    if (chance(4))
        send_mouse(0, place(monkey_w), place(monkey_h), 'm');
}

/* A key that is bound to something, anywhere. */
static void bound_key(void) {
    const struct key_binding *kb = &keys[chance(n_keys)];
    const uint32_t key = keys_of(kb)[chance(KEYS_EACH)];
    if (key)
        send(key);
}

static uint32_t any_character(void) {
    static const uint32_t odd[] = {0x4e2d, 0x6587, 0x0301, 0x1f600, 0x05d0, 0x0627,   0x200d,
                                   0x200b, 0xad,   0xfe0f, 0xffff,  0x85,   0x10ffff, 0x1100};
    return chance(6) ? 0x20 + (uint32_t)chance(95) : odd[chance(COUNT(odd))];
}

static void paste(void) {
    const bool bracketed = chance(2);
    if (bracketed)
        send(KEYC_PASTE);
    for (uint64_t n = chance(300); n > 0; n--)
        send(chance(40) ? any_character() : '\r');
    if (bracketed == (chance(20) != 0))
        send(KEYC_PASTE_END);
}

/* Begins of sequences, with anything behind them. */
static void broken(void) {
    static const char *const begins[] = {"\033",    "\033[",  "\033[<",     "\033O",
                                         "\033[M",  "\033[?", "\033]52;c;", "\033[<0;99999999999;1",
                                         "\033[1;5"};
    send_text(begins[chance(COUNT(begins))]);
    for (uint64_t n = chance(4); n > 0; n--)
        send(1 + (uint32_t)chance(0x7e));
}

/* What leads deeper than single keys do. */
static void phrase(void) {
    static const char *const all[] = {
        ":theme nord\r",
        ":theme mono\r",
        ":interval 250ms\r",
        ":level 3\r",
        ":ascii true\r",
        ":plot blocks\r",
        ":plot ascii\r",
        ":color 8\r",
        ":view cpus\r",
        ":focus off\r",
        ":advice perf-topdown\r",
        ":clipboard true\r",
        ":themes\r",
        ":copy-table\r",
        ":\t\t\r",
        ":nonsense\r",
        "C",
        "P\r",
        "Px.txt\r",
        "Py\r",
        "s monkey=1\r",
        "s\t\r",
        "S",
        "b",
        "bd",
        "r\r",
        "r d",
        "rT",
        "rg monkey\r",
        "rgmonkey\r*",
        "fmonkey\r",
        "rx",
        "ru",
        "rX",
        "rl x=1\r",
        "rna note\r",
        "rE\r",
        "ri",
        "rMIPC\r",
        "i",
        "e\t\r",
        "ee",
        "x",
        "D",
        "W",
        "/L3\r",
        "/bound\rnnn",
        "6/ipc\r",
        "6T*",
        "4I<>",
        "5<>",
        "mwarm\r",
        "mz\r",
        "[,,,]",
        ",,,,",
        "3zzz",
        "3ZZZ",
        "3<<<",
        "2\r\r\r",
        "8",
        "9",
        "**",
        "0",
        "?/time\r",
        "? ",
        "hhh",
        "uuu",
        "FFF",
        "+++",
        "---",
        "ooo",
        "\033\033\0331",
        "\033OQ",
        "\033OQjjj\r",
        "\033OQ\033[C\033[C",
        "\033OQGkk\033[C",
        "\033OQjd",
        "\033OQw",
        "rirT",
        "q",
        "7",
        "1",
        "2",
        "3",
        "4",
        "5",
        "6",
    };
    send_text(all[chance(COUNT(all))]);
}

#endif
