/*
 * Colours: 24-bit ones are used only where terminfo says that the terminal takes them (capability
 * RGB, as in xterm-direct). COLORTERM=truecolor says nothing about which sequences are understood,
 * and changing the user's palette would have to be undone even after a crash; so elsewhere colours
 * are the nearest of xterm's 256, from which the built-in themes are made anyway.
 */
#include "ui/term/term_caps.h"

#include "ui/term/term_bytes.h"
#include "ui/term/term_out.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <term.h> /* terminfo's own; it makes macros of many short words */

static const char *const cap_name[CAP_N] = {"clear", "el",   "sgr0",  "op",    "bold",
                                            "dim",   "smul", "rev",   "smcup", "rmcup",
                                            "smkx",  "rmkx", "civis", "cnorm"};
static char known[CAP_N][CAP_MAX];

static char *capability(const char *name) {
    char *s = tigetstr(name);
    return s == (char *)-1 ? NULL : s;
}

int caps_read(const char *name, struct err *err) {
    for (int i = 0; i < CAP_N; i++)
        bytes_unpadded(known[i], CAP_MAX, capability(cap_name[i]));
    if (capability("cup") && *known[CAP_CLEAR])
        return 0;
    return err_set(err, -ENOTSUP,
                   "terminal \"%s\": it cannot move its cursor; use another terminal, or --batch "
                   "for rows of text",
                   name ? name : "");
}

const char *caps_text(enum cap cap) {
    return known[cap];
}

const char *caps_move(int y, int x) {
    static char out[CAP_MAX];
    return bytes_unpadded(out, sizeof(out), tparm(capability("cup"), y, x));
}

bool caps_has(const char *name) {
    return capability(name);
}

int caps_number(const char *name) {
    return tigetnum(name);
}

int caps_colors(int asked) {
    static const int steps[] = {256, 16, 8};
    const char *no_color = getenv("NO_COLOR"); /* https://no-color.org: present and not empty */
    if (asked == 0 || (asked < 0 && no_color && *no_color))
        return 0;
    if (!capability("setaf") || !capability("setab") || !*known[CAP_OP])
        return 0; /* without op there is no way back to the terminal's own colours */
    if (tigetflag("RGB") > 0 || tigetnum("RGB") > 0 || capability("RGB"))
        return DIRECT_COLORS; /* such a terminal has no palette to take fewer from */
    const int have = tigetnum("colors");
    const int most = asked > 0 && asked < have ? asked : have;
    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
        if (most >= steps[i])
            return steps[i];
    return 0;
}

static void color_cap(char *out, size_t cap, int color, bool ground) {
    const char *s = capability(ground ? "setab" : "setaf");
    bytes_unpadded(out, cap, s ? tparm(s, color) : NULL);
}

struct vocabulary caps_vocabulary(int colors) {
    static char plain[CAP_MAX];
    char cup[CAP_MAX], ech[CAP_MAX];
    bytes_unpadded(cup, sizeof(cup), capability("cup"));
    bytes_unpadded(ech, sizeof(ech), capability("ech"));
    /* no_color_video: attributes that cannot be had together with colours (terminfo(5), ncv) */
    const int ncv = colors > 0 && tigetnum("ncv") > 0 ? tigetnum("ncv") : 0;
    return (struct vocabulary){
        .clear = known[CAP_CLEAR],
        .erase_row = known[CAP_EL],
        .plain = bytes_plain(plain, sizeof(plain), known[CAP_SGR0]),
        .both_default = known[CAP_OP],
        .bold = known[CAP_BOLD],
        .dim = known[CAP_DIM],
        .underline = known[CAP_SMUL],
        .reverse = known[CAP_REV],
        .colorless = (ncv & 32 ? ATTR_BOLD : 0u) | (ncv & 16 ? ATTR_DIM : 0u) |
                     (ncv & 2 ? ATTR_UNDERLINE : 0u) | (ncv & 4 ? ATTR_REVERSE : 0u),
        .ansi_move = strcmp(cup, "\033[%i%p1%d;%p2%dH") == 0,
        .ansi_erase = strcmp(ech, "\033[%p1%dX") == 0,
        .keeps_ground = tigetflag("bce") > 0,
        .ansi_default = tigetflag("AX") > 0,
        .last_cell_scrolls = tigetflag("am") > 0 && tigetflag("xenl") <= 0,
        .move = caps_move,
        .color = color_cap,
    };
}
