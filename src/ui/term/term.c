/*
 * The terminal. ncurses gives what it is best at: its modes and its keys; terminfo says what it
 * understands. The screen itself is drawn by term_draw.c.
 */
#include "ui/term/term.h"

#include "base/clock.h"
#include "base/err.h"
#include "base/str.h"
#include "ui/term/term_bytes.h"
#include "ui/term/term_draw.h"
#include "ui/term/term_glyph.h"
#include "ui/term/term_key.h"
#include "ui/term/term_out.h"
#include "ui/term/term_signal.h"

#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <locale.h>
#include <ncurses.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <term.h> /* terminfo's own; it makes macros of many short words */
#include <termios.h>
#include <unistd.h>

enum {
    CAP_MAX = 80, /* bytes of one capability; terminfo's longest of ours has 20 */
};

/* Those that are copied, without padding. */
enum cap {
    CAP_CLEAR,
    CAP_EL,
    CAP_SGR0,
    CAP_OP,
    CAP_BOLD,
    CAP_DIM,
    CAP_SMUL,
    CAP_REV,
    CAP_SMCUP,
    CAP_RMCUP,
    CAP_SMKX,
    CAP_RMKX,
    CAP_CIVIS,
    CAP_CNORM,
    CAP_N,
};

static const char *const cap_name[CAP_N] = {"clear", "el",   "sgr0",  "op",    "bold",
                                            "dim",   "smul", "rev",   "smcup", "rmcup",
                                            "smkx",  "rmkx", "civis", "cnorm"};
static char known[CAP_N][CAP_MAX];

static char *capability(const char *name) {
    char *s = tigetstr(name);
    return s == (char *)-1 ? NULL : s;
}

/* Reads them; name is that of the terminal (may be NULL), for the words. 0, or -ENOTSUP if it
 * cannot move its cursor. */
static int caps_read(const char *name, struct err *err) {
    for (int i = 0; i < CAP_N; i++)
        bytes_unpadded(known[i], CAP_MAX, capability(cap_name[i]));
    if (capability("cup") && *known[CAP_CLEAR])
        return 0;
    return err_set(err, -ENOTSUP,
                   "terminal \"%s\": it cannot move its cursor; use another terminal, or --batch "
                   "for rows of text",
                   name ? name : "");
}

/* "" if the terminal does not have it */
static const char *caps_text(enum cap cap) {
    return known[cap];
}

/* until the next call */
static const char *caps_move(int y, int x) {
    static char out[CAP_MAX];
    return bytes_unpadded(out, sizeof(out), tparm(capability("cup"), y, x));
}

/* a string capability */
static bool caps_has(const char *name) {
    return capability(name);
}

/* as tigetnum: -1 if it has none */
static int caps_number(const char *name) {
    return tigetnum(name);
}

/* Colours as asked (-1: as found; NO_COLOR counts then), rounded down to what themes are made for.
 */
static int caps_colors(int asked) {
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

static struct vocabulary caps_vocabulary(int colors) {
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

#define NCURSES_WIDECHAR 1

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

enum {
    ESCAPE_MS = 25, /* how long an ESC may be the start of a key; the rest of a key comes at once */
    CODE_PASTE_BEGIN = KEY_MAX + 1, /* as ncurses gives them */
    CODE_PASTE_END,
    CODE_ANSWER,
};

/* xterm ctlseqs: press, release and motion with a button down; SGR coordinates */
#define MOUSE_ON  "\033[?1002h\033[?1006h"
#define MOUSE_OFF "\033[?1006l\033[?1002l"
/* What is pasted comes between PASTE_BEGIN and PASTE_END. */
#define PASTE_ON    "\033[?2004h"
#define PASTE_OFF   "\033[?2004l"
#define PASTE_BEGIN "\033[200~"
#define PASTE_END   "\033[201~"
/* What ground is it? The answer begins so, and ends with BEL or ESC \. */
#define ASK_GROUND   "\033]11;?\007"
#define ANSWER_BEGIN "\033]11;"

static struct {
    SCREEN *screen; /* NULL = the terminal is not ours */
    WINDOW *input;  /* a pad: reading keys from a window would draw it */
    FILE *tty;      /* opened when standard input is not the terminal */
    FILE *aside;    /* where ncurses writes: see divert */
    pid_t owner;
    struct termios saved, ours;
    bool mouse, paste, ascii;
    int colors;
    int w, h;
    struct key_reader keys;
    uint64_t answer_ns; /* an answer is waited for until then; 0 = none is */
} term;

static uint32_t next_char(void);

/* ---- entering and leaving the screen ---- */

/* Also again, where what was sent may have been lost. */
static void enter(void) {
    char text[CAP_MAX * 4];
    struct strbuf sb = strbuf_on(text, sizeof(text));
    strbuf_add(&sb, "%s%s%s%s%s", caps_text(CAP_SMCUP), caps_text(CAP_SMKX), caps_text(CAP_CIVIS),
               term.mouse          ? MOUSE_ON
               : caps_has("kmous") ? MOUSE_OFF
                                   : "",
               term.paste ? PASTE_ON : "");
    bytes_send(sb.at, sb.n);
    draw_forget();
}

/* What gives the screen back, in a crash as in a normal end. */
static struct strbuf leaving(char *buf, size_t cap) {
    struct strbuf sb = strbuf_on(buf, cap);
    strbuf_add(&sb, "%s%s%s%s", term.mouse ? MOUSE_OFF : "", term.paste ? PASTE_OFF : "",
               caps_text(CAP_SGR0), term.colors > 0 ? caps_text(CAP_OP) : "");
    /* Where there is no screen to go back to (GNU screen, unless told) the prompt goes below ours.
     */
    strbuf_add(&sb, "%s\n", caps_move(term.h - 1, 0));
    strbuf_add(&sb, "%s%s%s", caps_text(CAP_RMKX), caps_text(CAP_RMCUP), caps_text(CAP_CNORM));
    return sb;
}

static void arm_crash(void) {
    char text[CAP_MAX * 6];
    const struct strbuf sb = leaving(text, sizeof(text));
    crash_arm(bytes_fd(), &term.saved, sb.at, sb.n);
}

/*
 * What was sent to us is not for the shell. A click ends with a release, which comes while a finger
 * takes its time, and would be typed into the prompt; so would an answer that is on its way.
 */
static bool is_to_come(void) {
    return term.keys.held || (!term.keys.answered && clock_now_ns() < term.answer_ns);
}

static void drain(void) {
    enum { FINGER_MS = 400 };
    const uint64_t held_ns = clock_now_ns() + FINGER_MS * NS_PER_MS;
    struct pollfd fd = {.fd = term_fd(), .events = POLLIN};
    while (is_to_come()) {
        const uint64_t until_ns = term.keys.held ? held_ns : term.answer_ns;
        if (clock_now_ns() >= until_ns)
            break;
        const int left_ms = (int)((until_ns - clock_now_ns()) / NS_PER_MS) + 1;
        if (poll(&fd, 1, left_ms) < 0 || (fd.revents & ~POLLIN))
            break; /* a signal is in a hurry; a terminal that is gone has no shell */
        while (fd.revents && key_read(&term.keys, clock_now_ns(), NULL)) {
        }
    }
    term.keys.held = false;
    term.answer_ns = 0;
    tcflush(term_fd(), TCIFLUSH);
}

static void leave(void) {
    char text[CAP_MAX * 6];
    const struct strbuf sb = leaving(text, sizeof(text));
    bytes_force(bytes_fd(), sb.at, sb.n);
    drain();
    tcsetattr(STDOUT_FILENO, TCSANOW, &term.saved);
    crash_disarm(); /* not before: given back twice is better than half */
}

/* ---- size ---- */

/* 0, or -ENOMEM with the old size kept. A terminal that does not know its size has terminfo's. */
static int take_size(void) {
    struct winsize ws = {0};
    int w = term.w ? term.w : caps_number("cols"), h = term.h ? term.h : caps_number("lines");
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &ws) == 0 && ws.ws_row && ws.ws_col) {
        w = ws.ws_col;
        h = ws.ws_row;
    }
    w = w > 0 ? w : 80;
    h = h > 0 ? h : 24;
    if (w == term.w && h == term.h)
        return 0;
    if (draw_resize(w, h) < 0)
        return -ENOMEM;
    term.w = w;
    term.h = h;
    arm_crash();
    return 0;
}

void term_size(int *w, int *h) {
    *w = term.w;
    *h = term.h;
}

/* ---- taking the terminal ---- */

/* A locale that was not set yet is taken from the environment; numbers stay as in C. */
static bool locale_is_utf8(void) {
    if (strcmp(nl_langinfo(CODESET), "UTF-8") != 0)
        setlocale(LC_CTYPE, "");
    return strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}

/* The console of Linux draws 512 characters: no braille, no eighths of blocks. */
static bool needs_ascii(const char *name) {
    return !locale_is_utf8() || (name && strcmp(name, "linux") == 0);
}

/* Keys arrive at once and unechoed. Ctrl-S does not freeze the screen, Ctrl-V is a key; Ctrl-C,
 * Ctrl-\ and Ctrl-Z stay signals, so that they also work while the main loop is busy. */
static void set_modes(void) {
    cbreak();
    noecho();
    nonl();
    intrflush(stdscr, FALSE);
    set_escdelay(ESCAPE_MS);
    term.ours = term.saved;
    tcgetattr(STDOUT_FILENO, &term.ours);
    term.ours.c_iflag &= ~(tcflag_t)(IXON | IXOFF);
    term.ours.c_oflag &= ~(tcflag_t)(ONLCR | OCRNL | ONLRET); /* \n is down, and nothing else */
    term.ours.c_lflag &= ~(tcflag_t)IEXTEN;
    tcsetattr(STDOUT_FILENO, TCSANOW, &term.ours);
}

static int open_input(struct err *err) {
    if (isatty(STDIN_FILENO))
        return 0;
    term.tty = fopen("/dev/tty", "re");
    if (term.tty)
        return 0;
    return err_set(err, -ENOTTY,
                   "keyboard: standard input is not a terminal, and /dev/tty: %s; use --batch for "
                   "rows of text",
                   strerror(errno));
}

/*
 * ncurses has a descriptor of its own: the terminal while modes are set, nothing from now on. What
 * it wants to write to the screen that it believes to have (queued by newterm, sent at any time)
 * would otherwise land in the middle of ours.
 */
static void divert(void) {
    const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (nowhere < 0)
        return; /* no /dev: then its few bytes come with the first key, and Ctrl-L mends it */
    dup3(nowhere, fileno(term.aside), O_CLOEXEC);
    close(nowhere);
}

/* Never drawn, but three windows of the size that it finds: it is told of one cell (curs_util(3X),
 * use_env), so that it neither fills nor keeps a megabyte. */
static SCREEN *newterm_small(void) {
    static const char *const names[] = {"LINES", "COLUMNS"};
    char *old[COUNT(names)];
    for (size_t i = 0; i < COUNT(names); i++) {
        const char *was = getenv(names[i]);
        old[i] = was ? strdup(was) : NULL;
        setenv(names[i], "1", 1);
    }
    SCREEN *screen = newterm(NULL, term.aside, term.tty ? term.tty : stdin);
    for (size_t i = 0; i < COUNT(names); i++) {
        if (old[i])
            setenv(names[i], old[i], 1);
        else
            unsetenv(names[i]);
        free(old[i]);
    }
    return screen;
}

static int open_terminfo(const char *name, struct err *err) {
    const int fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
    term.aside = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (!term.aside)
        return err_set(err, -errno, "terminal: %s", strerror(errno));
    term.screen = newterm_small();
    if (!term.screen)
        return err_set(err, -ENOTSUP,
                       "terminal \"%s\": terminfo does not know it; set TERM (infocmp shows what "
                       "is known, ncurses-term has more), or use --batch for rows of text",
                       name ? name : "");
    return caps_read(name, err);
}

/* What the user wishes, as far as the terminal can do it. */
static void take_style(const struct term_options *opt, const struct theme *theme,
                       void (*draw)(const struct vocabulary *, draw_write *, const struct theme *,
                                    int, bool)) {
    struct theme mono;
    term.ascii = opt->ascii || needs_ascii(getenv("TERM"));
    term.colors = caps_colors(opt->colors);
    term.mouse = opt->mouse && caps_has("kmous");
    /* terminfo has told of it (BE) since 2022 only; a terminal with a mouse knows it or ignores it
     */
    term.paste = caps_has("BE") || caps_has("kmous");
    if (term.colors == 0 && theme_load(&mono, "mono", NULL) == 0)
        theme = &mono;
    if (!theme_has_colors(theme))
        term.colors = 0; /* bars need textures then, whatever the terminal could do */
    const struct vocabulary v = caps_vocabulary(term.colors);
    draw(&v, bytes_send, theme, term.colors, term.ascii);
}

void term_restyle(const struct term_options *opt, const struct theme *theme) {
    const bool mouse = term.mouse;
    if (!term.screen)
        return;
    bytes_send(caps_text(CAP_SGR0), strlen(caps_text(CAP_SGR0)));
    take_style(opt, theme, draw_restyle);
    if (mouse != term.mouse)
        bytes_send(term.mouse ? MOUSE_ON : MOUSE_OFF, strlen(term.mouse ? MOUSE_ON : MOUSE_OFF));
    arm_crash();
}

static int start(const struct term_options *opt, const struct theme *theme, struct err *err) {
    const char *name = getenv("TERM");
    int rc = open_terminfo(name, err);
    if (rc < 0)
        return rc;
    set_modes();
    divert();
    term.input = newpad(1, 1);
    if (!term.input)
        return err_set(err, -ENOMEM, "terminal: not enough memory");
    keypad(term.input, TRUE);
    nodelay(term.input, TRUE);
    define_key(NULL, KEY_MOUSE);    /* term_key.c reads mouse reports, on every terminal alike */
    define_key("\033[Z", KEY_BTAB); /* terminfo's linux has it as a key of its own, kcbt2 */
    define_key(PASTE_BEGIN, CODE_PASTE_BEGIN); /* so that one that comes in two parts is whole */
    define_key(PASTE_END, CODE_PASTE_END);
    term.keys = (struct key_reader){.next = next_char};

    take_style(opt, theme, draw_open);
    rc = take_size();
    return rc < 0 ? err_set(err, rc, "terminal: not enough memory") : 0;
}

static void free_all(void) {
    signals_restore();
    bytes_close();
    draw_close();
    if (term.input)
        delwin(term.input);
    if (term.screen)
        delscreen(term.screen);
    if (term.tty)
        fclose(term.tty);
    if (term.aside)
        fclose(term.aside);
    term.aside = NULL;
    term.input = NULL;
    term.screen = NULL;
    term.tty = NULL;
    term.w = term.h = 0;
}

static void at_exit(void) {
    if (getpid() == term.owner)
        term_close();
}

int term_open(const struct term_options *opt, const struct theme *theme, struct err *err) {
    static bool guarded;
    if (term.screen) {
        term_restyle(opt, theme);
        return 0;
    }
    if (!isatty(STDOUT_FILENO) || tcgetattr(STDOUT_FILENO, &term.saved) < 0)
        return err_set(err, -ENOTTY,
                       "standard output is not a terminal; use --batch for rows of text");
    int rc = open_input(err);
    if (rc < 0)
        return rc;
    fflush(stdout);         /* what was printed before stays before */
    rc = signals_install(); /* before newterm, which leaves the handlers of others alone */
    if (rc == 0) {
        bytes_open(signals_fd());
        crash_arm(bytes_fd(), &term.saved, "", 0); /* newterm changes the modes */
    }
    rc = rc < 0 ? err_set(err, rc, "signals: %s", strerror(-rc)) : start(opt, theme, err);
    if (rc < 0) {
        if (term.aside)
            divert();
        free_all();
        tcsetattr(STDOUT_FILENO, TCSANOW, &term.saved);
        crash_disarm();
        return rc;
    }
    term.owner = getpid();
    enter();
    if (!guarded)
        guarded = atexit(at_exit) == 0; /* whoever calls exit(): the terminal is given back */
    return 0;
}

void term_close(void) {
    if (!term.screen)
        return;
    leave();
    free_all();
}

/* ---- stopping and going on ---- */

/* The shell has used the terminal, which may have another size now. */
static void take_again(void) {
    /* In the background this stops us until fg, before anything is drawn. */
    tcsetattr(STDOUT_FILENO, TCSANOW, &term.ours);
    take_size();
    arm_crash();
    enter();
}

void term_suspend(void) {
    if (!term.screen)
        return;
    leave();
    signals_stop();
    take_again();
}

int term_fd(void) {
    return term.tty ? fileno(term.tty) : STDIN_FILENO;
}

int term_signal_fd(void) {
    return signals_fd();
}

int term_signal(void) {
    const int sig = signals_take();
    if (sig == SIGWINCH && term.screen) {
        signals_resized();
        take_size();
    }
    if (sig == SIGCONT && term.screen)
        take_again(); /* stopped by SIGSTOP, without a chance to tidy up */
    return sig;
}

/* ---- keys ---- */

/* One character or key of ncurses; 0 = none waits. */
static uint32_t next_char(void) {
    static const struct {
        wint_t from;
        uint32_t to;
    } keys[] = {
        {KEY_UP, KEYC_UP},       {KEY_DOWN, KEYC_DOWN},   {KEY_LEFT, KEYC_LEFT},
        {KEY_RIGHT, KEYC_RIGHT}, {KEY_PPAGE, KEYC_PGUP},  {KEY_NPAGE, KEYC_PGDN},
        {KEY_HOME, KEYC_HOME},   {KEY_END, KEYC_END},     {KEY_FIND, KEYC_HOME},
        {KEY_SELECT, KEYC_END},  {KEY_ENTER, KEYC_ENTER}, {KEY_BTAB, KEYC_BTAB},
        {KEY_DC, KEYC_DELETE},   {KEY_F(1), KEYC_F1},     {KEY_F(2), KEYC_F2},
        {KEY_F(3), KEYC_F3},     {KEY_F(4), KEYC_F4},     {KEY_F(5), KEYC_F5},
        {KEY_F(6), KEYC_F6},     {KEY_F(7), KEYC_F7},     {KEY_F(8), KEYC_F8},
        {KEY_F(9), KEYC_F9},     {KEY_F(10), KEYC_F10},   {KEY_BACKSPACE, KEYC_BACKSPACE},
    };
    for (;;) {
        wint_t c;
        const int rc = wget_wch(term.input, &c);
        if (rc == ERR)
            return 0;
        if (rc == OK)
            return c ? (uint32_t)c : ' '; /* Ctrl-Space sends NUL */
        if (c == CODE_PASTE_BEGIN || c == CODE_PASTE_END)
            return c == CODE_PASTE_BEGIN ? KEYC_PASTE : KEYC_PASTE_END;
        if (c == CODE_ANSWER)
            return KEYC_ANSWER;
        for (size_t i = 0; i < COUNT(keys); i++)
            if (keys[i].from == c)
                return keys[i].to;
    }
}

uint32_t term_key(struct mouse *m) {
    if (!term.screen)
        return 0;
    if (signals_resized()) {
        take_size();
        return KEYC_RESIZE;
    }
    return key_read(&term.keys, clock_now_ns(), m);
}

const char *term_pasted(void) {
    return term.keys.pasted;
}

/* ---- the ground of the terminal ---- */

/* Those with a mouse answer or keep silent; others may show the question. GNU screen and the
 * console are known not to answer. */
static bool answers(const char *name) {
    static const char *const silent[] = {"linux", "screen", "vt", "dumb"};
    for (size_t i = 0; i < COUNT(silent); i++)
        if (!name || strncmp(name, silent[i], strlen(silent[i])) == 0)
            return false;
    return caps_has("kmous");
}

void term_ask_ground(void) {
    enum { ANSWER_MS = 100 };
    if (!term.screen || term.keys.asked || term.colors == 0 || !answers(getenv("TERM")))
        return;
    define_key(ANSWER_BEGIN, CODE_ANSWER); /* so that one that comes in two parts is whole */
    term.keys.asked = true;
    term.answer_ns = clock_now_ns() + ANSWER_MS * NS_PER_MS;
    bytes_send(ASK_GROUND, strlen(ASK_GROUND));
}

uint64_t term_ground_due_ns(void) {
    return term.answer_ns;
}

bool term_goes_light(const struct term_options *opt, struct theme *theme) {
    const bool waits = term.answer_ns != 0;
    if (term.keys.answered || clock_now_ns() >= term.answer_ns)
        term.answer_ns = 0;
    if (!waits || !term.keys.answered || !color_is_light(term.keys.ground) ||
        strcmp(theme->name, "default") != 0 || theme_load(theme, "light", NULL) < 0)
        return false;
    term_restyle(opt, theme);
    return true;
}

/* ---- showing ---- */

int term_room_fd(void) {
    return bytes_room_fd();
}

void term_show(struct canvas *c, bool full) {
    if (!term.screen)
        return;
    if (bytes_lost()) {
        if (!bytes_again())
            return;
        enter();
    }
    if (full)
        draw_forget();
    if (term.ascii)
        glyph_spell_out(c);
    draw_canvas(c);
}
