/*
 * The loop: poll() over the keyboard, signals and the session; draws when something has changed.
 * One wake-up a sample, nothing in between; pace.h says when a timer is needed.
 */
#include "ui/app/ui.h"

#include "base/clock.h"
#include "base/str.h"
#include "session/hybrid.h"
#include "ui/app/actions.h"
#include "ui/app/control.h"
#include "ui/draw/pace.h"
#include "ui/popup/snapshot.h"
#include "ui/popup/snapshot_when.h"
#include "ui/runs/runs_keys.h"
#include "ui/runs/runs_open.h"
#include "ui/runs/runs_view.h"
#include "ui/screen/keys.h"
#include "ui/screen/screen.h"
#include "ui/screen/settings.h"
#include "ui/screen/views.h"
#include "ui/term/term.h"
#include "ui/term/term_bytes.h"
#include "ui/term/term_style.h"
#include "ui/term/theme.h"

#include <errno.h>
#include <malloc.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    FD_KEYS,
    FD_SIGNALS,
    FD_SAVER,
    FD_CONTROL,
    FD_OPENED,
    FD_ROOM,
    FD_SESSION,
    FD_N = FD_SESSION + SESSIONS_MAX
};

struct ui {
    struct types types;      /* owned: a screen for each session; the active one is shown */
    bool dirty, full;        /* something is to be drawn; everything is to be drawn again */
    bool keys_wait;          /* more keys came than were taken */
    bool over[SESSIONS_MAX]; /* the session said its last word: its descriptor is left alone */
    struct pace pace;
    struct snapshots snapshots;
    struct runs_view runs; /* the stored runs; one that is open has a screen of its own */
    struct control_fifo control;
    struct run baseline;       /* --baseline, until it is pinned */
    struct settings *settings; /* borrowed; NULL: there are none */
    uint64_t end_ns;           /* CLOCK_MONOTONIC; 0 = never */
    uint64_t retry_ns;         /* likewise: when connecting is tried again */
};

static struct screen *shown(const struct ui *ui) {
    return ui->types.at[ui->types.active];
}

/* That which has the terminal: of a stored run that is open, or of what is measured. */
static struct screen *top(const struct ui *ui) {
    return runs_top(shown(ui));
}

static void show(struct ui *ui) {
    struct screen *sc = top(ui);
    screen_draw(sc);
    term_show(&sc->canvas, ui->full);
    sc->scene.cost.frames++;
    sc->scene.cost.bytes = bytes_sent();
    ui->dirty = ui->full = false;
    pace_drawn(&ui->pace, clock_now_ns());
}

static int resize(struct ui *ui) {
    int w, h, rc = 0;
    term_size(&w, &h);
    ui->dirty = ui->full = true;
    for (int i = 0; i < ui->types.n && rc == 0; i++)
        rc = screen_resize(ui->types.at[i], w, h);
    if (rc == 0 && ui->runs.open)
        rc = screen_resize(&ui->runs.open->sc, w, h);
    return rc;
}

/* Signals that arrived as bytes. */
static int take_signals(struct ui *ui) {
    for (int sig; (sig = term_signal()) != 0;) {
        if (sig == SIGTERM || sig == SIGHUP || sig == SIGINT || sig == SIGQUIT)
            shown(ui)->quit = true;
        if (sig == SIGTSTP)
            top(ui)->suspend = true;
        if (sig == SIGWINCH || sig == SIGCONT) {
            int rc = resize(ui);
            if (rc < 0)
                return rc;
        }
    }
    return 0;
}

static bool quits(const struct ui *ui) {
    return shown(ui)->quit || top(ui)->quit;
}

static struct term_options looks(const struct settings *set) {
    return (struct term_options){.mouse = set->mouse, .ascii = set->ascii, .colors = set->colors};
}

/* A setting says that the terminal is to look otherwise. */
static void restyle(struct ui *ui) {
    struct settings *set = ui->settings;
    if (!set || !set->restyle)
        return;
    const struct term_options to = looks(set);
    set->restyle = false;
    ui->full = ui->dirty = true;
    term_restyle(&to, &set->theme);
}

/* A light theme on a light terminal, unless the user was faster and chose one. */
static void take_ground(struct ui *ui) {
    if (!ui->settings)
        return;
    const struct term_options to = looks(ui->settings);
    if (term_goes_light(&to, &ui->settings->theme))
        ui->full = ui->dirty = true;
}

/* There is nothing yet that other keys could be about. */
static bool ends_waiting(uint32_t key) {
    const struct key_binding *k = keys_find(key, IN_TREE);
    return k &&
           (k->act == action_quit || k->act == action_quit_at_once || k->act == action_suspend);
}

/* Those that are there; of very many the rest next time. */
static int take_keys(struct ui *ui) {
    const uint64_t until_ns = clock_now_ns() + TERM_KEYS_NS;
    struct mouse m = {0};
    uint32_t key = 0;
    int rc = 0;
    while (rc == 0 && !quits(ui) && clock_now_ns() < until_ns && (key = term_key(&m)) != 0) {
        if (key == KEYC_RESIZE) {
            rc = resize(ui);
            continue;
        }
        if (key == KEYC_PASTE)
            screen_paste(top(ui), term_pasted());
        else if (!shown(ui)->scene.waits || ends_waiting(key))
            runs_key(shown(ui), key, &m);
        ui->dirty = true;
        restyle(ui);
    }
    ui->keys_wait = key != 0;
    return rc;
}

static void take_one(struct screen *sc) {
    screen_sample(sc);
    snapshot_when_sample(sc);
}

/* Takes what is in the box, at most one box full, so that a key never waits for a recording. */
static void take_samples(struct ui *ui, struct screen *sc, bool *over) {
    struct session *s = sc->scene.s;
    enum stream_state before = s->state;
    bool first = s->n_frames == 0;
    int taken = 0;
    for (; taken < MAILBOX_CAP && session_take(s); taken++)
        take_one(sc);
    *over = taken == 0 && s->state != STREAM_LIVE;
    bool urgent = s->state != before || first;
    bool changed = taken > 0 && screen_update(sc);
    if (changed && (urgent || pace_sample(&ui->pace, clock_now_ns())))
        ui->dirty = true;
    if (s->state != before) {
        if (sc->opened)
            runs_open_complete(sc->opened);
        screen_settle(sc);
        ui->dirty = true;
    }
}

/* Stops here until fg; the terminal may have another size then. */
static int suspend(struct ui *ui) {
    top(ui)->suspend = false;
    term_suspend();
    return resize(ui);
}

static int opened_fd(const struct ui *ui) {
    const struct runs_open *o = ui->runs.open;
    return o && !o->over ? session_fd(&o->s) : -1;
}

static uint64_t view_due_ns(const struct ui *ui) {
    struct screen *sc = top(ui);
    const struct view *v = views_current(sc);
    return v->due && sc->scene.connected ? v->due(screen_scene(sc, v)) : 0;
}

/* When something is to be done though nothing comes: CLOCK_MONOTONIC, 0 = never. */
static uint64_t due_ns(const struct ui *ui) {
    const uint64_t at[] = {ui->pace.due_ns, runs_due_ns(&ui->runs), ui->retry_ns,
                           term_ground_due_ns(), view_due_ns(ui)};
    uint64_t first = 0;
    for (size_t i = 0; i < sizeof(at) / sizeof(at[0]); i++)
        if (at[i] && (!first || at[i] < first))
            first = at[i];
    return first;
}

static int turn(struct ui *ui) {
    struct pollfd fd[FD_N] = {
        [FD_KEYS] = {.fd = term_fd(), .events = POLLIN},
        [FD_SIGNALS] = {.fd = term_signal_fd(), .events = POLLIN},
        [FD_SAVER] = {.fd = ui->snapshots.saver.fd, .events = POLLIN},
        [FD_CONTROL] = {.fd = ui->control.fd, .events = POLLIN},
        [FD_OPENED] = {.fd = opened_fd(ui), .events = POLLIN},
        [FD_ROOM] = {.fd = term_room_fd(), .events = POLLOUT},
    };
    for (int i = 0; i < ui->types.n; i++)
        fd[FD_SESSION + i] = (struct pollfd){
            .fd = ui->over[i] ? -1 : session_fd(ui->types.at[i]->scene.s), .events = POLLIN};
    int n = poll(fd, (nfds_t)(FD_SESSION + ui->types.n),
                 ui->keys_wait ? 0 : pace_timeout_ms(ui->end_ns, due_ns(ui), clock_now_ns()));
    if (n < 0 && errno != EINTR)
        return -errno;
    if (n < 0)
        memset(fd, 0, sizeof(fd)); /* a signal: its byte is waiting */
    int rc = take_signals(ui);
    if (rc == 0 && (ui->keys_wait || (fd[FD_KEYS].revents & POLLIN)))
        rc = take_keys(ui);
    take_ground(ui);
    if (fd[FD_KEYS].revents & (POLLHUP | POLLERR | POLLNVAL))
        shown(ui)->quit = true; /* the terminal is gone */
    if (fd[FD_ROOM].revents)
        ui->dirty = true;
    if (fd[FD_SAVER].revents && snapshot_status(top(ui)))
        ui->dirty = true;
    if (fd[FD_CONTROL].revents && control_take(&ui->control, shown(ui)))
        ui->dirty = true;
    for (int i = 0; i < ui->types.n; i++)
        if (fd[FD_SESSION + i].revents)
            take_samples(ui, ui->types.at[i], &ui->over[i]);
    if (fd[FD_OPENED].revents && ui->runs.open)
        take_samples(ui, &ui->runs.open->sc, &ui->runs.open->over);
    if (runs_tick(&ui->runs, clock_now_ns()))
        ui->dirty = true;
    const uint64_t view_due = view_due_ns(ui);
    if (pace_due(&ui->pace, clock_now_ns()) || (view_due && clock_now_ns() >= view_due))
        ui->dirty = true;
    if (ui->end_ns && clock_now_ns() >= ui->end_ns)
        shown(ui)->quit = true;
    return rc;
}

/* Until the user quits, or connecting is to be tried again. */
static int loop(struct ui *ui, struct err *err) {
    while (!quits(ui) && (!ui->retry_ns || clock_now_ns() < ui->retry_ns)) {
        if (top(ui)->repaint)
            ui->full = ui->dirty = true;
        top(ui)->repaint = false;
        if (ui->dirty)
            show(ui);
        int rc = turn(ui);
        if (rc == 0 && top(ui)->suspend)
            rc = suspend(ui);
        if (rc < 0)
            return err_set(err, rc, "screen: %s", strerror(-rc));
    }
    return 0;
}

/* ---- screens ---- */

static int add_screen(struct ui *ui, struct session *s, const struct ui_options *opt,
                      struct err *err) {
    const struct types_options to = {.level = opt->level,
                                     .focus = opt->focus,
                                     .advice = opt->advice,
                                     .layout = opt->layout,
                                     .snapshots = &ui->snapshots,
                                     .runs = &ui->runs,
                                     .settings = ui->settings};
    const int rc = types_add(&ui->types, s, &to, err);
    if (rc == 0)
        ui->types.at[ui->types.n - 1]->returns = opt->returns;
    if (rc == 0)
        ui->types.at[ui->types.n - 1]->scopes = opt->scopes;
    return rc;
}

/* It is known now which core types can be counted; before, there was one screen to wait on. */
static int attach(struct ui *ui, struct sessions *all, const struct ui_options *opt,
                  struct err *err) {
    int rc = 0;
    ui->types.at[0]->scene.s = all->at[0];
    for (int i = 1; i < all->n && rc == 0; i++)
        rc = add_screen(ui, all->at[i], opt, err);
    if (rc == 0 && all->n > 1 && resize(ui) < 0)
        rc = err_set(err, -ENOMEM, "screen: out of memory");
    for (int i = 0; i < all->n && rc == 0; i++)
        rc = screen_attach(ui->types.at[i], err);
    const struct view *first = opt->view ? views_find(opt->view) : NULL;
    if (rc == 0 && first && first != &view_tree)
        views_go(shown(ui), first);
    if (rc == 0 && ui->baseline.id[0]) /* of a hybrid CPU to the type that is shown first */
        rc = baseline_pin_run(&shown(ui)->scene, &ui->baseline, err);
    return rc;
}

/* What is to be measured may come later; err has words for that. 1: the user has quit before. */
static int connect_when_there(struct ui *ui, const struct ui_options *opt, struct err *err) {
    enum { RETRY_MS = 250 };
    const uint64_t begun_ns = clock_now_ns();
    struct screen *sc = shown(ui);
    int rc = opt->connect ? opt->connect(opt->user, err) : 0;
    while (rc == 1 && !quits(ui)) {
        if (opt->duration_ns)
            ui->end_ns = begun_ns + opt->duration_ns;
        ui->dirty |=
            !sc->scene.waits || strncmp(sc->message, err->text, sizeof(sc->message) - 1) != 0;
        sc->scene.waits = true;
        screen_say(sc, "%s", err->text);
        ui->retry_ns = clock_now_ns() + RETRY_MS * NS_PER_MS;
        rc = loop(ui, err);
        if (rc == 0)
            rc = quits(ui) ? 1 : opt->connect(opt->user, err);
    }
    if (rc == 0 && sc->scene.waits)
        sc->message[0] = '\0';
    sc->scene.waits = false;
    ui->retry_ns = 0;
    return rc;
}

static int run(struct ui *ui, struct sessions *all, const struct ui_options *opt, struct err *err) {
    int rc = resize(ui);
    if (rc < 0)
        return err_set(err, rc, "screen: out of memory");
    if (opt->note && opt->note[0])
        screen_say(shown(ui), "%s", opt->note);
    if (opt->any_theme)
        term_ask_ground();
    if (opt->runs) { /* there is nothing to wait for */
        ui->runs.alone = true;
        runs_key_show(shown(ui));
        return loop(ui, err);
    }
    show(ui);
    rc = connect_when_there(ui, opt, err);
    if (rc == 0)
        rc = attach(ui, all, opt, err);
    if (rc)
        return rc < 0 ? rc : 0;
    malloc_trim(0); /* of texts that were parsed */
    if (opt->duration_ns && !ui->end_ns)
        ui->end_ns = clock_now_ns() + opt->duration_ns;
    ui->dirty = true;
    return loop(ui, err);
}

/* ---- the store, and who else talks to us ---- */

static int open_outside(struct ui *ui, const struct ui_options *opt, struct err *err) {
    ui->control.fd = -1;
    runs_view_init(&ui->runs, opt->db);
    ui->runs.export_run = opt->export_run;
    ui->runs.alone = opt->runs;
    int rc = snapshots_init(&ui->snapshots, opt->db, err);
    if (rc == 0 && opt->control)
        rc = control_fifo_open(&ui->control, opt->control, err);
    if (rc == 0 && opt->baseline)
        rc = baseline_load(opt->db, opt->baseline, &ui->baseline, err);
    return rc;
}

/* ---- what could not be saved ---- */

/* Where it goes at the end; the first that takes it. */
static void places(const char **out, char *here, size_t cap) {
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    int n = 0;
    if (state && *state == '/')
        out[n++] = state;
    if (getcwd(here, cap))
        out[n++] = here;
    if (home && *home == '/')
        out[n++] = home;
    out[n++] = "/tmp";
    out[n] = NULL;
}

static int unsaved(int rc, int n, const char *where, const char *why, struct err *err) {
    const struct err first = *err;
    char what[64];
    snprintf(what, sizeof(what), "%d snapshot%s could not be stored", n, n == 1 ? "" : "s");
    if (where[0])
        err_set(err, -EIO, "%s, and %s in %s%s: tdtop import reads %s; %s", what,
                n == 1 ? "is" : "are", where, n == 1 ? "" : " and beside it",
                n == 1 ? "it" : "them", why);
    else
        err_set(err, -EIO, "%s, and %s lost: %s", what, n == 1 ? "is" : "are", why);
    if (rc < 0)
        err_prefix(err, "%.300s", first.text);
    return rc < 0 ? rc : -EIO;
}

/* Who quits after being told of them does not want them; any other end writes them into files. */
static int rescue(struct ui *ui, const struct ui_options *opt, int rc, struct err *err) {
    struct saver *sv = &ui->snapshots.saver;
    const char *folders[5];
    char here[4096], at[4096 + 64] = "", why[320];
    struct err refused = {0};
    if (ui->snapshots.gives_up || !sv->failed)
        return rc;
    str_copy(why, sizeof(why), sv->failed->err.text);
    places(folders, here, sizeof(here));
    int n =
        opt->rescue_run ? saver_rescue(sv, folders, opt->rescue_run, at, sizeof(at), &refused) : 0;
    if (n > 0)
        rc = unsaved(rc, n, at, why, err);
    if (sv->failed)
        rc = unsaved(rc, saver_unsaved(sv), "", refused.text[0] ? refused.text : why, err);
    return rc;
}

/* What is still being saved is waited for: for another process' lock not for ever, for a disk as
 * long as it takes, which is said where it is long. The terminal is the user's again. */
static int close_outside(struct ui *ui, const struct ui_options *opt, int rc, struct err *err) {
    enum { WAIT_S = 5 };
    struct err why = {0};
    if (opt->left && ui->types.n > 0)
        opt->left->asked = snapshot_is_asked(top(ui));
    if (ui->types.n > 0)
        snapshot_when_end(shown(ui));
    saver_finish(&ui->snapshots.saver, WAIT_S, &why);
    rc = rescue(ui, opt, rc, err);
    if (opt->left) {
        opt->left->n_kept = ui->snapshots.saver.n_saved;
        str_copy(opt->left->last_id, sizeof(opt->left->last_id), ui->snapshots.saver.last_saved);
    }
    snapshots_destroy(&ui->snapshots);
    runs_view_destroy(&ui->runs);
    control_fifo_close(&ui->control);
    run_free(&ui->baseline);
    return rc;
}

static int run_screens(struct ui *ui, struct sessions *all, const struct ui_options *opt,
                       struct err *err) {
    struct theme theme;
    int rc = theme_load(&theme, opt->theme ? opt->theme : "default", err);
    ui->settings = opt->settings;
    if (rc == 0 && ui->settings)
        rc = settings_begin(ui->settings, err);
    if (rc == 0)
        rc = open_outside(ui, opt, err);
    if (rc == 0)
        rc = add_screen(ui, all->at[0], opt, err);
    if (rc == 0) {
        struct term_options to = {.mouse = opt->mouse, .ascii = opt->ascii, .colors = opt->colors};
        rc = term_open(&to, &theme, err);
        if (ui->settings)
            ui->settings->send = bytes_send;
    }
    if (rc == 0) {
        rc = run(ui, all, opt, err);
        const bool returned = rc == 0 && shown(ui)->returned;
        if (opt->left)
            opt->left->returned = returned, opt->left->thread = shown(ui)->thread;
        if (!returned)
            term_close();
    }
    return rc;
}

int ui_run(struct sessions *all, const struct ui_options *opt, struct err *err) {
    struct ui *ui = calloc(1, sizeof(*ui));
    if (!ui)
        return err_set(err, -ENOMEM, "screen: out of memory");
    ui->snapshots.saver.fd = ui->control.fd = -1;
    int rc = close_outside(ui, opt, run_screens(ui, all, opt, err), err);
    types_destroy(&ui->types);
    free(ui);
    return rc;
}
