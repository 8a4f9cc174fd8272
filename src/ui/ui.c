/*
 * The loop: poll() over the keyboard, signals and the session; draws when something has changed.
 * One wake-up a sample, nothing in between; pace.h says when a timer is needed.
 */
#include "ui/ui.h"

#include "base/clock.h"
#include "session.h"
#include "ui/pace.h"
#include "ui/screen.h"
#include "ui/term.h"
#include "ui/term_bytes.h"
#include "ui/theme.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>

enum { FD_KEYS, FD_SIGNALS, FD_SESSION, FD_N };

struct ui {
    struct screen sc;
    bool dirty, full; /* something is to be drawn; everything is to be drawn anew */
    bool over;        /* the session said its last word: its descriptor is left alone */
    struct pace pace;
    uint64_t end_ns; /* CLOCK_MONOTONIC; 0 = never */
};

static void show(struct ui *ui) {
    screen_draw(&ui->sc);
    term_show(&ui->sc.canvas, ui->full);
    ui->sc.cost.frames++;
    ui->sc.cost.bytes = bytes_sent();
    ui->dirty = ui->full = false;
    pace_drawn(&ui->pace, clock_now_ns());
}

static int resize(struct ui *ui) {
    int w, h;
    term_size(&w, &h);
    ui->dirty = ui->full = true;
    return screen_resize(&ui->sc, w, h);
}

/* Signals that arrived as bytes. */
static int take_signals(struct ui *ui) {
    for (int sig; (sig = term_signal()) != 0;) {
        if (sig == SIGTERM || sig == SIGHUP || sig == SIGINT || sig == SIGQUIT)
            ui->sc.quit = true;
        if (sig == SIGTSTP)
            ui->sc.suspend = true;
        if (sig == SIGWINCH || sig == SIGCONT) {
            int rc = resize(ui);
            if (rc < 0)
                return rc;
        }
    }
    return 0;
}

static int take_keys(struct ui *ui) {
    struct mouse m = {0};
    for (uint32_t key; !ui->sc.quit && (key = term_key(&m)) != 0;) {
        if (key == KEYC_RESIZE) {
            int rc = resize(ui);
            if (rc < 0)
                return rc;
            continue;
        }
        screen_key(&ui->sc, key, &m);
        ui->dirty = true;
    }
    return 0;
}

/* Takes what is in the box, at most one box full, so that a key never waits for a recording. */
static void take_samples(struct ui *ui) {
    struct session *s = ui->sc.s;
    enum stream_state before = s->state;
    uint64_t dropped = s->dropped;
    bool first = s->n_frames == 0;
    int taken = 0;
    while (taken < MAILBOX_CAP && session_take(s))
        if (++taken == 1 && s->n_frames == 1)
            screen_update(&ui->sc); /* what it opens and selects comes from the first sample,
                                       however many wait */
    ui->over = taken == 0 && s->state != STREAM_LIVE;
    bool urgent = s->state != before || s->dropped != dropped || first;
    bool changed = taken > 0 && screen_update(&ui->sc);
    if (changed && (urgent || pace_sample(&ui->pace, clock_now_ns())))
        ui->dirty = true;
    if (s->state != before) {
        screen_settle(&ui->sc);
        ui->dirty = true;
    }
}

/* Stops here until fg; the terminal may have another size then. */
static int suspend(struct ui *ui) {
    ui->sc.suspend = false;
    term_suspend();
    return resize(ui);
}

static int turn(struct ui *ui) {
    struct pollfd fd[FD_N] = {
        [FD_KEYS] = {.fd = term_fd(), .events = POLLIN},
        [FD_SIGNALS] = {.fd = term_signal_fd(), .events = POLLIN},
        [FD_SESSION] = {.fd = ui->over ? -1 : session_fd(ui->sc.s), .events = POLLIN},
    };
    int n = poll(fd, FD_N, pace_timeout_ms(ui->end_ns, ui->pace.due_ns, clock_now_ns()));
    if (n < 0 && errno != EINTR)
        return -errno;
    if (n < 0)
        memset(fd, 0, sizeof(fd)); /* a signal: its byte is waiting */
    int rc = take_signals(ui);
    if (rc == 0 && (fd[FD_KEYS].revents & POLLIN))
        rc = take_keys(ui);
    if (fd[FD_KEYS].revents & (POLLHUP | POLLERR | POLLNVAL))
        ui->sc.quit = true; /* the terminal is gone */
    if (fd[FD_SESSION].revents)
        take_samples(ui);
    if (pace_due(&ui->pace, clock_now_ns()))
        ui->dirty = true;
    if (ui->end_ns && clock_now_ns() >= ui->end_ns)
        ui->sc.quit = true;
    return rc;
}

static int loop(struct ui *ui, struct err *err) {
    while (!ui->sc.quit) {
        if (ui->sc.repaint)
            ui->full = ui->dirty = true;
        ui->sc.repaint = false;
        if (ui->dirty)
            show(ui);
        int rc = turn(ui);
        if (rc == 0 && ui->sc.suspend)
            rc = suspend(ui);
        if (rc < 0)
            return err_set(err, rc, "screen: %s", strerror(-rc));
    }
    return 0;
}

static int run(struct ui *ui, const struct ui_options *opt, struct err *err) {
    int rc = resize(ui);
    if (rc < 0)
        return err_set(err, rc, "screen: out of memory");
    show(ui);
    rc = opt->connect ? opt->connect(opt->user, err) : 0;
    if (rc == 0)
        rc = screen_attach(&ui->sc, err);
    if (rc < 0)
        return rc;
    if (opt->duration_ns)
        ui->end_ns = clock_now_ns() + opt->duration_ns;
    ui->dirty = true;
    return loop(ui, err);
}

int ui_run(struct session *s, const struct ui_options *opt, struct err *err) {
    struct ui ui = {0};
    struct theme theme;
    int rc = theme_load(&theme, opt->theme ? opt->theme : "default", err);
    if (rc < 0)
        return rc;
    rc = screen_init(&ui.sc, s, opt->level, err);
    ui.sc.attention.mode = (enum focus_mode)opt->focus;
    if (rc == 0) {
        struct term_options to = {.mouse = opt->mouse, .ascii = opt->ascii, .colors = opt->colors};
        rc = opt->taken ? 0 : term_open(&to, &theme, err);
    }
    if (rc == 0) {
        rc = run(&ui, opt, err);
        term_close();
    }
    screen_destroy(&ui.sc);
    return rc;
}
