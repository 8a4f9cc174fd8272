#include "cli/verb/batch.h"

#include "base/clock.h"
#include "base/door.h"
#include "base/str.h"
#include "cli/out/print_units.h"
#include "cli/stop.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct batch {
    struct session *s;
    const struct args *a;
    struct printer printer;
    struct derivation derivation; /* --explain-value */
    struct print_units units;     /* --per-thread, --per-cpu */
    const struct print_ops *ops;
    struct json_put json;
    int64_t printed;
    int signal_fd;
    int write_error; /* errno of the first write that failed; 0 = none */
    bool stop;
    bool warned;    /* CSV has no place for it: said once on standard error */
    char said[256]; /* the source's note that was said last */
};

static void say_warning(struct batch *b) {
    char warning[128];
    if (b->warned || !session_warning(b->s, &b->s->frame, warning, sizeof(warning))[0])
        return;
    cli_note("%s", warning);
    b->warned = true;
}

/* What the source says of itself may change: JSON rows have it each, here it is said when it does.
 */
static void say_status(struct batch *b) {
    const char *note = b->s->source.note;
    if (b->ops->notes == NOTES_IN_ROWS || strcmp(b->said, note) == 0)
        return;
    const char *before = note[0] ? "" : "no longer: ", *words = note[0] ? note : b->said;
    if (b->ops->notes == NOTES_ASIDE)
        cli_note("%s%s", before, words);
    else
        fprintf(b->printer.out, "# note: %s%s\n", before, words);
    str_copy(b->said, sizeof(b->said), note);
}

/* Prints a frame; takes note of the first write that fails. */
static void put_frame(struct batch *b, const struct frame *f, double dt, bool summary) {
    b->ops->frame(&b->printer, b->s, f, dt, summary);
    if (b->write_error)
        return;
    if (cli_lacks())
        b->write_error = ENOMEM;
    else if (ferror(b->printer.out))
        b->write_error = -cli_flush(b->printer.out);
}

static void print_interval(struct batch *b) {
    const struct frame *f = &b->s->frame;
    if (b->ops->notes == NOTES_ASIDE)
        say_warning(b);
    say_status(b);
    put_frame(b, f, (double)(f->t1_ns - f->t0_ns) / 1e9, false);
    b->printed++;
    if (b->a->count && b->printed >= b->a->count)
        b->stop = true;
    if (b->a->duration_ns && f->t1_ns + NS_PER_MS >= b->a->duration_ns)
        b->stop = true;
    if (b->write_error)
        b->stop = true;
}

/* A command that has ended by itself has an exit code, which the sampler is about to bring. */
static void await_code(struct batch *b) {
    enum { MOST_MS = 2000 };
    struct session *s = b->s;
    struct pollfd ended = {.fd = s->source.wait_fd, .events = POLLIN};
    uint64_t until = clock_now_ns() + MOST_MS * NS_PER_MS;
    if (!s->source.command || !s->sampler.started || poll(&ended, 1, 0) <= 0)
        return;
    while (s->state == STREAM_LIVE && clock_now_ns() < until) {
        if (!session_take(s)) {
            if (s->state == STREAM_LIVE)
                session_wait(s, -1, 10);
        } else if (!b->stop)
            print_interval(b);
    }
}

/* By a signal: no more is counted, but what has been is printed. A second signal ends that. */
static void print_rest(struct sessions *sessions, struct batch *all) {
    for (int i = 0; i < sessions->n; i++)
        await_code(&all[i]);
    sessions_halt(sessions);
    for (int i = 0; i < sessions->n; i++)
        while (all[i].s->source.live && !all[i].stop && !stop_came(all[i].signal_fd) &&
               session_take(all[i].s))
            print_interval(&all[i]);
}

static bool is_over(const struct batch *b) {
    return b->stop || b->s->state != STREAM_LIVE;
}

/* Whose row comes next: sessions take turns, so that rows of one interval stand together. NULL: no
 * one's. */
static struct batch *next_of(struct batch *b, int n, int *turn) {
    for (int i = 0; i < n; i++, *turn = (*turn + 1) % n)
        if (!is_over(&b[*turn]))
            return &b[*turn];
    return NULL;
}

/* Until all have ended or printed enough; true: or a signal came. */
static bool loop(struct batch *all, int n) {
    int turn = 0;
    bool took = false;
    for (struct batch *b; (b = next_of(all, n, &turn));) {
        if (session_take(b->s)) {
            print_interval(b);
            turn = (turn + 1) % n;
            /* A box that fills faster than rows are printed never lets poll() see the signal. */
            if (b->write_error || (took && stop_came(b->signal_fd)))
                return !b->write_error;
            took = true;
            continue;
        }
        took = false;
        if (b->s->state == STREAM_LIVE && session_wait(b->s, b->signal_fd, -1) &&
            stop_came(b->signal_fd))
            return true;
    }
    return false;
}

static int summarise(struct batch *b) {
    struct frame f = {0};
    if (!b->a->summary || !b->printed || b->write_error)
        return 0;
    if (frame_init(&f, b->s->model.n_metric) < 0) {
        cli_note("summary: out of memory");
        return -ENOMEM;
    }
    window_frame(&b->s->window, &b->s->eval, &f);
    put_frame(b, &f, b->s->window.covered_s, true);
    frame_destroy(&f);
    return 0;
}

static int finish(struct batch *b) {
    struct session *s = b->s;
    b->stop = true; /* no more rows */
    await_code(b);
    if (b->write_error) {
        cli_note("%s: %s; nothing more can be written there",
                 b->a->output ? b->a->output : "standard output", strerror(b->write_error));
        return EXIT_ERROR;
    }
    if (s->merged)
        cli_note("the output was read too slowly: %llu interval%s in the row of the one before; "
                 "nothing is lost",
                 (unsigned long long)s->merged, s->merged == 1 ? " is" : "s are");
    if (s->state == STREAM_FAILED) {
        cli_error(&s->last);
        return EXIT_ERROR;
    }
    if (s->state == STREAM_GONE && s->exit_code < 0 && !s->first)
        cli_note("%s", s->last.text);
    if (!b->printed && s->state == STREAM_ENDED) {
        cli_note("%s: no complete interval in it; nothing to print", s->source.target_text);
        return EXIT_ERROR;
    }
    return s->exit_code >= 0 ? s->exit_code : EXIT_OK;
}

static int unknown_node(const struct model *m, const char *name, struct err *err) {
    const char *best = model_nearest(m, name);
    return err_set(err, -EINVAL,
                   "--explain-value %s: model %s has no such metric; %s%s%stdtop models %s lists "
                   "them",
                   name, m->name, best ? "did you mean " : "", best ? best : "", best ? "? " : "",
                   m->name);
}

/* 0 or negative errno with words. */
static int prepare_derivation(struct batch *b, struct err *err) {
    const struct model *m = &b->s->model;
    const char *node = b->a->explain;
    if (!node)
        return 0;
    b->printer.explained = model_find(m, node);
    if (b->printer.explained == METRIC_NONE)
        return unknown_node(m, node, err);
    int rc = derivation_init(&b->derivation, m, &b->s->source.layout);
    if (rc < 0)
        return err_set(err, rc, "--explain-value: out of memory; close other programs");
    b->printer.derivation = &b->derivation;
    return 0;
}

static int prepare_units(struct batch *b, struct err *err) {
    if (!b->a->per_thread && !b->a->per_cpu)
        return 0;
    if (print_units_init(&b->units, b->s, b->a->per_cpu))
        return err_set(err, -ENOMEM, "out of memory for the rows");
    b->printer.units = &b->units;
    session_units(b->s, true);
    return 0;
}

static int open_output(struct batch *b, struct err *err) {
    const char *path = b->a->output;
    if (!path || (b->printer.out = door_create(path)))
        return 0;
    return err_set(err, -errno, "--output %s: %s; give a file that can be written", path,
                   strerror(errno));
}

/* One for each session; they write to the same place. */
static struct batch batch_of(struct session *s, const struct args *a) {
    struct batch b = {.s = s,
                      .a = a,
                      .signal_fd = -1,
                      .printer = {.out = stdout, .separator = a->separator, .verbose = a->verbose}};
    b.printer.level = (int)a->level;
    b.ops = a->json ? &print_json : a->separator ? &print_csv : &print_text;
    return b;
}

/* A node that one core type has not is not accounted for there; none has it: an error. */
static int prepare(struct batch *b, int n, struct err *err) {
    int good = 0, rc = 0;
    for (int i = 0; i < n; i++) {
        int one = prepare_derivation(&b[i], rc ? NULL : err);
        good += one == 0;
        rc = rc ? rc : one;
    }
    if (!good)
        return rc;
    for (int i = 0; i < n; i++) {
        b[i].printer.json = &b[i].json;
        b[i].printer.warned = calloc(b[i].s->model.n_metric + 1u, sizeof(*b[i].printer.absent));
        b[i].printer.absent = calloc(b[i].s->model.n_metric + 1u, sizeof(*b[i].printer.absent));
        if (!b[i].printer.warned || !b[i].printer.absent)
            return err_set(err, -ENOMEM, "out of memory for the rows");
        int bad = prepare_units(&b[i], err);
        if (bad)
            return bad;
    }
    rc = open_output(&b[0], err);
    for (int i = 1; i < n; i++)
        b[i].printer.out = b[0].printer.out;
    return rc;
}

static void begin(struct batch *b, bool first) {
    const struct session *s = b->s;
    if (b->ops->begin && (first || b->ops->begins_each))
        b->ops->begin(&b->printer, s);
    if (b->ops->notes == NOTES_BETWEEN)
        str_copy(b->said, sizeof(b->said), s->source.note);
}

static int end(struct batch *b, int n) {
    int rc = EXIT_OK;
    for (int i = 0; i < n; i++) {
        int one = summarise(&b[i]) < 0 ? EXIT_ERROR : finish(&b[i]);
        rc = rc ? rc : one;
        if (b[i].write_error)
            break;
    }
    return rc;
}

static void spawn(void *user) {
    session_spawn(user);
}

/* Rows of one session that go to standard output need no second thread until a write would block.
 */
static bool is_alone(const struct sessions *all, const struct args *a) {
    return all->n == 1 && !a->output && door_before_block(spawn, all->at[0]);
}

int batch_run(struct sessions *all, const struct args *a) {
    struct batch *b = calloc((size_t)all->n, sizeof(*b));
    struct err err = {0};
    int rc = EXIT_ERROR, n = all->n;
    for (int i = 0; b && i < n; i++)
        b[i] = batch_of(all->at[i], a);
    int bad = b ? prepare(b, n, &err) : err_set(&err, -ENOMEM, "out of memory");
    if (bad < 0) {
        cli_error(&err);
        rc = bad == -EINVAL ? EXIT_USAGE : EXIT_ERROR;
        goto out;
    }
    for (int i = 0; i < n; i++)
        if (all->at[i]->own_note[0])
            cli_note("%s", all->at[i]->own_note);
    int signal_fd = stop_open();
    for (int i = 0; i < n; i++) {
        b[i].signal_fd = signal_fd;
        all->at[i]->passes = true;
    }
    all->at[0]->alone = is_alone(all, a);
    if (sessions_start(all, &err) < 0) {
        cli_error(&err);
        rc = all->at[0]->exit_code > 0 ? all->at[0]->exit_code : EXIT_ERROR;
    } else {
        for (int i = 0; i < n; i++)
            begin(&b[i], i == 0);
        if (loop(b, n))
            print_rest(all, b);
        rc = end(b, n);
    }
    stop_close(signal_fd);
    if (b[0].printer.out != stdout && fclose(b[0].printer.out)) {
        cli_note("%s: %s; the file is not complete", a->output, strerror(errno));
        rc = EXIT_ERROR;
    }
out:
    door_before_block(NULL, NULL);
    for (int i = 0; b && i < n; i++) {
        derivation_destroy(&b[i].derivation);
        free(b[i].printer.warned);
        free(b[i].printer.absent);
        json_put_free(&b[i].json);
        print_units_destroy(&b[i].units);
    }
    free(b);
    return rc;
}
