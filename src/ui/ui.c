/*
 * The loop: poll() over the keyboard, signals and the session; draws when something has changed.
 * One wake-up a sample, nothing in between; pace.h says when a timer is needed.
 */
#include "ui/ui.h"

#include "base/clock.h"
#include "hybrid.h"
#include "ui/pace.h"
#include "ui/screen.h"
#include "ui/term.h"
#include "ui/term_bytes.h"
#include "ui/theme.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

enum { FD_KEYS, FD_SIGNALS, FD_SESSION, FD_N = FD_SESSION + SESSIONS_MAX };

struct ui {
    struct types types;      /* owned: a screen for each session; the active one is shown */
    bool dirty, full;        /* something is to be drawn; everything is to be drawn anew */
    bool over[SESSIONS_MAX]; /* the session said its last word: its descriptor is left alone */
    struct pace pace;
    uint64_t end_ns; /* CLOCK_MONOTONIC; 0 = never */
};

static struct screen *shown(const struct ui *ui) {
    return ui->types.at[ui->types.active];
}

static void show(struct ui *ui) {
    struct screen *sc = shown(ui);
    screen_draw(sc);
    term_show(&sc->canvas, ui->full);
    sc->cost.frames++;
    sc->cost.bytes = bytes_sent();
    ui->dirty = ui->full = false;
    pace_drawn(&ui->pace, clock_now_ns());
}

static int resize(struct ui *ui) {
    int w, h, rc = 0;
    term_size(&w, &h);
    ui->dirty = ui->full = true;
    for (int i = 0; i < ui->types.n && rc == 0; i++)
        rc = screen_resize(ui->types.at[i], w, h);
    return rc;
}

/* Signals that arrived as bytes. */
static int take_signals(struct ui *ui) {
    for (int sig; (sig = term_signal()) != 0;) {
        if (sig == SIGTERM || sig == SIGHUP || sig == SIGINT || sig == SIGQUIT)
            shown(ui)->quit = true;
        if (sig == SIGTSTP)
            shown(ui)->suspend = true;
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
    for (uint32_t key; !shown(ui)->quit && (key = term_key(&m)) != 0;) {
        if (key == KEYC_RESIZE) {
            int rc = resize(ui);
            if (rc < 0)
                return rc;
            continue;
        }
        screen_key(shown(ui), key, &m);
        ui->dirty = true;
    }
    return 0;
}

/* Takes what is in the box, at most one box full, so that a key never waits for a recording. */
static void take_samples(struct ui *ui, int type) {
    struct screen *sc = ui->types.at[type];
    struct session *s = sc->s;
    enum stream_state before = s->state;
    uint64_t dropped = s->dropped;
    bool first = s->n_frames == 0;
    int taken = 0;
    while (taken < MAILBOX_CAP && session_take(s))
        if (++taken == 1 && s->n_frames == 1)
            screen_update(sc); /* what it opens and selects comes from the first sample,
                                       however many wait */
    ui->over[type] = taken == 0 && s->state != STREAM_LIVE;
    bool urgent = s->state != before || s->dropped != dropped || first;
    bool changed = taken > 0 && screen_update(sc);
    if (changed && (urgent || pace_sample(&ui->pace, clock_now_ns())))
        ui->dirty = true;
    if (s->state != before) {
        screen_settle(sc);
        ui->dirty = true;
    }
}

/* Stops here until fg; the terminal may have another size then. */
static int suspend(struct ui *ui) {
    shown(ui)->suspend = false;
    term_suspend();
    return resize(ui);
}

static int turn(struct ui *ui) {
    struct pollfd fd[FD_N] = {
        [FD_KEYS] = {.fd = term_fd(), .events = POLLIN},
        [FD_SIGNALS] = {.fd = term_signal_fd(), .events = POLLIN},
    };
    for (int i = 0; i < ui->types.n; i++)
        fd[FD_SESSION + i] = (struct pollfd){
            .fd = ui->over[i] ? -1 : session_fd(ui->types.at[i]->s), .events = POLLIN};
    int n = poll(fd, (nfds_t)(FD_SESSION + ui->types.n),
                 pace_timeout_ms(ui->end_ns, ui->pace.due_ns, clock_now_ns()));
    if (n < 0 && errno != EINTR)
        return -errno;
    if (n < 0)
        memset(fd, 0, sizeof(fd)); /* a signal: its byte is waiting */
    int rc = take_signals(ui);
    if (rc == 0 && (fd[FD_KEYS].revents & POLLIN))
        rc = take_keys(ui);
    if (fd[FD_KEYS].revents & (POLLHUP | POLLERR | POLLNVAL))
        shown(ui)->quit = true; /* the terminal is gone */
    for (int i = 0; i < ui->types.n; i++)
        if (fd[FD_SESSION + i].revents)
            take_samples(ui, i);
    if (pace_due(&ui->pace, clock_now_ns()))
        ui->dirty = true;
    if (ui->end_ns && clock_now_ns() >= ui->end_ns)
        shown(ui)->quit = true;
    return rc;
}

static int loop(struct ui *ui, struct err *err) {
    while (!shown(ui)->quit) {
        if (shown(ui)->repaint)
            ui->full = ui->dirty = true;
        shown(ui)->repaint = false;
        if (ui->dirty)
            show(ui);
        int rc = turn(ui);
        if (rc == 0 && shown(ui)->suspend)
            rc = suspend(ui);
        if (rc < 0)
            return err_set(err, rc, "screen: %s", strerror(-rc));
    }
    return 0;
}

/* ---- screens ---- */

static int add_screen(struct ui *ui, struct session *s, const struct ui_options *opt,
                      struct err *err) {
    struct screen *sc = calloc(1, sizeof(*sc));
    if (!sc)
        return err_set(err, -ENOMEM, "screen: out of memory");
    int rc = screen_init(sc, s, opt->level, err);
    sc->attention.mode = (enum focus_mode)opt->focus;
    sc->type = ui->types.n;
    sc->types = &ui->types;
    ui->types.at[ui->types.n++] = sc;
    return rc;
}

static void drop_screens(struct ui *ui) {
    for (int i = 0; i < ui->types.n; i++) {
        screen_destroy(ui->types.at[i]);
        free(ui->types.at[i]);
    }
}

/* It is known now which core types can be counted; before, there was one screen to wait on. */
static int attach(struct ui *ui, struct sessions *all, const struct ui_options *opt,
                  struct err *err) {
    int rc = 0;
    ui->types.at[0]->s = all->at[0];
    for (int i = 1; i < all->n && rc == 0; i++)
        rc = add_screen(ui, all->at[i], opt, err);
    if (rc == 0 && all->n > 1 && resize(ui) < 0)
        rc = err_set(err, -ENOMEM, "screen: out of memory");
    for (int i = 0; i < all->n && rc == 0; i++)
        rc = screen_attach(ui->types.at[i], err);
    return rc;
}

static int run(struct ui *ui, struct sessions *all, const struct ui_options *opt, struct err *err) {
    int rc = resize(ui);
    if (rc < 0)
        return err_set(err, rc, "screen: out of memory");
    show(ui);
    rc = opt->connect ? opt->connect(opt->user, err) : 0;
    if (rc == 0)
        rc = attach(ui, all, opt, err);
    if (rc < 0)
        return rc;
    if (opt->duration_ns)
        ui->end_ns = clock_now_ns() + opt->duration_ns;
    ui->dirty = true;
    return loop(ui, err);
}

int ui_run(struct sessions *all, const struct ui_options *opt, struct err *err) {
    struct ui ui = {0};
    struct theme theme;
    int rc = theme_load(&theme, opt->theme ? opt->theme : "default", err);
    if (rc < 0)
        return rc;
    rc = add_screen(&ui, all->at[0], opt, err);
    if (rc == 0) {
        struct term_options to = {.mouse = opt->mouse, .ascii = opt->ascii, .colors = opt->colors};
        rc = opt->taken ? 0 : term_open(&to, &theme, err);
    }
    if (rc == 0) {
        rc = run(&ui, all, opt, err);
        term_close();
    }
    drop_screens(&ui);
    return rc;
}
