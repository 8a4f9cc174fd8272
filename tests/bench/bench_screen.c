/*
 * What a frame of the screen costs in CPU, of a session of the simulated core: the home view at
 * 120x40, where each frame has a new interval; the history at 200x60 while the time cursor is
 * dragged over it, on a young session and on a long one, and while it changes its zoom. Layout and
 * cells: from the key to the canvas, without the terminal. And how many bytes an interval of the
 * home view brings to a terminal of 256 colours. Prints the medians and exits 1 above a limit: 60
 * drags a second may take a quarter of a core.
 */
#include "../unit/term_vocabulary.h"
#include "base/clock.h"
#include "ui/screen.h"
#include "ui/term_draw.h"
#include "ui/theme.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum {
    RUNS = 301,
    LIMIT_HOME_US = 300,
    LIMIT_HOME_BYTES = 600,
    LIMIT_DRAG_US = 4000,
    LIMIT_ZOOM_US = 30000
};

static struct session s;
static struct screen sc;
static struct theme theme;
static uint64_t frame_ns[20000], frame_bytes[20000], n_frame;

static int by_value(const void *a, const void *b) {
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static uint64_t cpu_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_nsec;
}

static int fail(const char *what) {
    fprintf(stderr, "bench_screen: %s\n", what);
    return 2;
}

/* ---- a terminal that only counts ---- */

static uint64_t n_byte;

static void count(const char *bytes, size_t n) {
    (void)bytes;
    n_byte += n;
}

static uint64_t bytes_of_frame(void) {
    const uint64_t before = n_byte;
    draw_canvas(&sc.canvas);
    return n_byte - before;
}

static double median_us(uint64_t *ns, uint64_t n) {
    qsort(ns, n, sizeof(*ns), by_value);
    return (double)ns[n / 2] / 1000;
}

static int report(const char *what, double us, int limit_us) {
    printf("%s: %.0f us (limit %d)\n", what, us, limit_us);
    return us > limit_us;
}

static int report_bytes(const char *what) {
    qsort(frame_bytes, n_frame, sizeof(frame_bytes[0]), by_value);
    const uint64_t half = frame_bytes[n_frame / 2];
    printf("%s: %llu bytes to the terminal (limit %d), at most %llu in 9 of 10\n", what,
           (unsigned long long)half, LIMIT_HOME_BYTES,
           (unsigned long long)frame_bytes[n_frame * 9 / 10]);
    return half > LIMIT_HOME_BYTES;
}

static int open_session(uint64_t length_ns) {
    struct source_options opt = {.seed = 1, .interval_ns = NS_PER_S, .until_ns = length_ns};
    struct err err = {0};
    s = (struct session){.exit_code = 0};
    consts_init(&opt.consts);
    if (model_open(&s.model, "spr", NULL, &err) < 0 ||
        session_open(&s, &source_sim, &opt, &err) < 0 || screen_init(&sc, &s, 2, &err) < 0 ||
        screen_attach(&sc, &err) < 0 || screen_resize(&sc, 120, 40) < 0 ||
        session_start(&s, &err) < 0)
        return fail(err.text);
    draw_open(&xterm, count, &theme, 256, false);
    if (draw_resize(120, 40) < 0)
        return fail("out of memory");
    return 0;
}

/* Every interval of the session is shown. */
static int run_session(void) {
    struct pollfd fd = {.fd = session_fd(&s), .events = POLLIN};
    n_frame = 0;
    while (s.state == STREAM_LIVE) {
        while (session_take(&s)) {
            screen_update(&sc);
            const uint64_t t0 = cpu_ns();
            screen_draw(&sc);
            const uint64_t took_ns = cpu_ns() - t0;
            if (n_frame == sizeof(frame_ns) / sizeof(frame_ns[0]))
                continue;
            frame_ns[n_frame] = took_ns;
            frame_bytes[n_frame++] = bytes_of_frame();
        }
        if (s.state == STREAM_LIVE && poll(&fd, 1, 10000) != 1)
            return fail("the simulated core stands still");
    }
    return 0;
}

static void close_session(void) {
    draw_close();
    screen_destroy(&sc);
    session_close(&s);
}

/* From end to end and back, a column at a time. */
static double drag_us(void) {
    static uint64_t ns[RUNS];
    const struct rect r = sc.main_panes.at[PANE_MAIN];
    struct mouse m = {.x = r.x + r.w / 2, .y = r.y + r.h / 2, .what = MOUSE_PRESS};
    screen_key(&sc, KEYC_MOUSE, &m);
    m.what = MOUSE_DRAG;
    for (int i = 0; i < RUNS; i++) {
        const int at = i % (2 * (r.w - 10));
        m.x = r.x + 9 + (at < r.w - 10 ? at : 2 * (r.w - 10) - 1 - at);
        const uint64_t t0 = cpu_ns();
        screen_key(&sc, KEYC_MOUSE, &m);
        screen_draw(&sc);
        ns[i] = cpu_ns() - t0;
    }
    return median_us(ns, RUNS);
}

static double zoom_us(void) {
    enum { STEPS = 12 };
    uint64_t ns[STEPS];
    for (int i = 0; i < STEPS; i++) {
        const uint64_t t0 = cpu_ns();
        screen_key(&sc, i % 6 < 3 ? 'z' : 'Z', NULL);
        screen_draw(&sc);
        ns[i] = cpu_ns() - t0;
    }
    return median_us(ns, STEPS);
}

static int history(const char *what, int *bad) {
    char text[96];
    if (screen_resize(&sc, 200, 60) < 0)
        return fail("out of memory");
    screen_key(&sc, '3', NULL);
    screen_draw(&sc);
    snprintf(text, sizeof(text), "history 200x60, %s: a drag of the time cursor", what);
    *bad |= report(text, drag_us(), LIMIT_DRAG_US);
    snprintf(text, sizeof(text), "history 200x60, %s: another zoom", what);
    *bad |= report(text, zoom_us(), LIMIT_ZOOM_US);
    screen_key(&sc, 'Z', NULL);
    for (int i = 0; i < 5; i++)
        screen_key(&sc, 'z', NULL);
    screen_draw(&sc);
    snprintf(text, sizeof(text), "history 200x60, %s: a drag, zoomed in", what);
    *bad |= report(text, drag_us(), LIMIT_DRAG_US);
    return 0;
}

int main(void) {
    static const struct {
        const char *what;
        uint64_t length_ns;
    } cases[] = {{"5 minutes", 300 * NS_PER_S}, {"4 hours", 4 * 3600 * NS_PER_S}};
    struct err err = {0};
    int bad = 0;
    if (theme_load(&theme, "default", &err) < 0)
        return fail(err.text);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        if (open_session(cases[i].length_ns) || run_session())
            return 2;
        bad |= report("home view 120x40, a frame", median_us(frame_ns, n_frame), LIMIT_HOME_US);
        bad |= report_bytes("home view 120x40, an interval of 1 s");
        if (history(cases[i].what, &bad))
            return 2;
        close_session();
    }
    return bad;
}
