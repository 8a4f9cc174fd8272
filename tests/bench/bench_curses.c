/*
 * The same frames of the demo brought to a terminal in two ways: by tdtop's own writer
 * (term_draw.h), and cell by cell through ncurses, which finds out what has changed.
 *
 *   bench_curses               a line for each view, size and way: median CPU time, bytes and
 * writes of a frame bench_curses VIEW WAY [N]  one of them ("tree own 40"); under callgrind as
 * bench.c
 *
 * Exits 1 where the own writer is not the cheaper one, or needs more than one write a frame: then
 * it has no reason to be.
 */
#include "../unit/term_vocabulary.h"
#include "base/clock.h"
#include "ui/screen/screen.h"
#include "ui/term/term_style.h"

#include <locale.h>
#include <ncurses.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>
#else
#define CALLGRIND_START_INSTRUMENTATION
#define CALLGRIND_STOP_INSTRUMENTATION
#define CALLGRIND_TOGGLE_COLLECT
#endif

enum { FRAMES = 200, FRAMES_MAX = 1000, WARM_UP = 20, COLORS_256 = 256, PAIRS_MAX = 4096 };

static const struct {
    const char *name;
    const struct view *view;
    int w, h;
} cases[] = {
    {"tree", &view_tree, 120, 40},
    {"history", &view_history, 120, 40},
    {"threads", &view_threads, 200, 60},
};

static struct session s;
static struct screen sc;
static struct theme theme;
static struct err err;
static int ends[2]; /* of the terminal: a write is a message of its own */

struct sent {
    uint64_t ns[FRAMES_MAX];
    uint64_t bytes, writes;
};

static void must(bool ok, const char *what) {
    if (ok)
        return;
    fprintf(stderr, "bench_curses: %s: %s\n", what, err.text);
    exit(2);
}

/* ---- the frames ---- */

static void frame(void) {
    struct pollfd fd = {.fd = session_fd(&s), .events = POLLIN};
    while (!session_take(&s))
        poll(&fd, 1, 10000);
    screen_update(&sc);
    screen_draw(&sc);
}

static void open_screen(const struct view *view, int w, int h) {
    struct source_options opt = {.seed = 1, .interval_ns = NS_PER_S};
    consts_init(&opt.consts);
    must(model_open(&s.model, "spr", NULL, &err) == 0, "model");
    must(session_open(&s, &source_sim, &opt, &err) == 0, "session");
    must(screen_init(&sc, &s, 2, &err) == 0 && screen_attach(&sc, &err) == 0, "screen");
    must(screen_resize(&sc, w, h) == 0, "memory");
    must(session_start(&s, &err) == 0, "session");
    must(theme_load(&theme, "default", &err) == 0, "theme");
    screen_view(&sc, view);
    must(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends) == 0, "socket");
}

/* ---- tdtop's own writer ---- */

static void to_terminal(const char *bytes, size_t n) {
    must(write(ends[0], bytes, n) == (ssize_t)n, "write");
}

static void own_open(void) {
    draw_open(&xterm, to_terminal, &theme, COLORS_256, false);
    must(draw_resize(sc.canvas.w, sc.canvas.h) == 0, "memory");
}

static void own_draw(void) {
    draw_canvas(&sc.canvas);
}

/* ---- ncurses ---- */

static struct term_style pair_of[PAIRS_MAX];
static int n_pair;

static void curses_open(void) {
    char text[16];
    snprintf(text, sizeof(text), "%d", sc.canvas.w);
    setenv("COLUMNS", text, 1);
    snprintf(text, sizeof(text), "%d", sc.canvas.h);
    setenv("LINES", text, 1);
    must(newterm("xterm-256color", fdopen(dup(ends[0]), "w"), stdin) != NULL, "newterm");
    start_color();
    use_default_colors();
    leaveok(stdscr, TRUE);
}

static short pair_for(const struct term_style *st) {
    int i = 0;
    while (i < n_pair && (pair_of[i].fg != st->fg || pair_of[i].bg != st->bg))
        i++;
    if (i == n_pair) {
        must(n_pair < PAIRS_MAX - 1, "pairs");
        pair_of[n_pair++] = *st;
        init_pair((short)(i + 1), (short)st->fg, (short)st->bg);
    }
    return (short)(i + 1);
}

/* What each kind of cell is for ncurses: found once, as a program that draws with it would. */
static struct known {
    attr_t attr;
    short pair;
    bool known;
} known[STYLE_N][2][STYLE_N];

static const struct known *known_of(const struct cell *cell) {
    struct known *k = &known[cell->style][cell->selected != 0][cell->ground];
    if (k->known)
        return k;
    const struct term_style st = cell_style(&theme, cell, COLORS_256);
    *k = (struct known){.known = true, .pair = pair_for(&st)};
    k->attr = (st.bold ? A_BOLD : 0) | (st.dim ? A_DIM : 0) | (st.underline ? A_UNDERLINE : 0) |
              (st.reverse ? A_REVERSE : 0);
    return k;
}

static void curses_draw(void) {
    for (int y = 0; y < sc.canvas.h; y++)
        for (int x = 0; x < sc.canvas.w; x++) {
            const struct cell *cell = &sc.canvas.at[y * sc.canvas.w + x];
            const struct known *k = known_of(cell);
            const wchar_t text[2] = {(wchar_t)cell->cp, 0};
            cchar_t c;
            if (!cell->cp)
                continue; /* the right half of a wide one */
            setcchar(&c, text, k->attr, k->pair, NULL);
            mvadd_wch(y, x, &c);
        }
    refresh();
}

/* ---- both ---- */

static const struct way {
    const char *name;
    void (*open)(void), (*draw)(void);
} ways[] = {{"own", own_open, own_draw}, {"ncurses", curses_open, curses_draw}};

static void drain(struct sent *c) {
    static char bytes[1 << 20];
    for (ssize_t n; (n = recv(ends[1], bytes, sizeof(bytes), MSG_DONTWAIT)) > 0;) {
        c->bytes += (uint64_t)n;
        c->writes++;
    }
}

static int by_value(const void *a, const void *b) {
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static void measure(const struct way *way, int n, struct sent *c) {
    way->open();
    for (int i = 0; i < WARM_UP + n; i++) {
        frame();
        if (i == WARM_UP)
            *c = (struct sent){0};
        const uint64_t t0 = clock_thread_ns();
        if (i >= WARM_UP) {
            CALLGRIND_START_INSTRUMENTATION;
            CALLGRIND_TOGGLE_COLLECT;
        }
        way->draw();
        if (i >= WARM_UP) {
            CALLGRIND_TOGGLE_COLLECT;
            CALLGRIND_STOP_INSTRUMENTATION;
            c->ns[i - WARM_UP] = clock_thread_ns() - t0;
        }
        drain(c);
    }
    qsort(c->ns, (size_t)n, sizeof(c->ns[0]), by_value);
}

/* One run in a process of its own: what it has drawn before must not count. */
static void run(size_t which, size_t way, int n) {
    static struct sent c;
    open_screen(cases[which].view, cases[which].w, cases[which].h);
    measure(&ways[way], n, &c);
    printf("%s %dx%d %s %.1f us %.0f bytes %.2f writes\n", cases[which].name, cases[which].w,
           cases[which].h, ways[way].name, (double)c.ns[n / 2] / 1000, (double)c.bytes / n,
           (double)c.writes / n);
    fflush(stdout);
    _exit(0); /* the terminal of ncurses is none: it is not given back */
}

static bool compare(const char *self, size_t which) {
    double us[2], bytes[2], writes[2];
    for (int way = 0; way < 2; way++) {
        char command[600], line[200];
        snprintf(command, sizeof(command), "'%s' %s %s", self, cases[which].name, ways[way].name);
        FILE *p = popen(command, "r");
        must(p && fgets(line, sizeof(line), p) && pclose(p) == 0, "a run");
        must(sscanf(line, "%*s %*s %*s %lf us %lf bytes %lf", &us[way], &bytes[way],
                    &writes[way]) == 3,
             line);
        fputs(line, stdout);
    }
    return us[0] <= us[1] && writes[0] <= 1 && (bytes[0] <= bytes[1] || writes[0] < writes[1]);
}

int main(int argc, char **argv) {
    setlocale(LC_ALL, "C.UTF-8");
    bool good = true;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        for (size_t k = 0; k < 2; k++)
            if (argc > 2 && !strcmp(argv[1], cases[i].name) && !strcmp(argv[2], ways[k].name)) {
                const int n = argc > 3 ? atoi(argv[3]) : FRAMES;
                must(n > 0 && n <= FRAMES_MAX, "1 to 1000 frames");
                run(i, k, n);
            }
    must(argc == 1, "VIEW WAY [N]: tree, history or threads; own or ncurses");
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        good &= compare(argv[0], i);
    return good ? 0 : 1;
}
