#include "cli/batch.h"

#include "base/clock.h"
#include "base/str.h"
#include "cli/print.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

struct batch {
    struct session *s;
    const struct args *a;
    struct printer printer;
    struct account account; /* --explain-value */
    const struct print_ops *ops;
    int64_t printed;
    int signal_fd;
    int write_error; /* errno of the first write that failed; 0 = none */
    bool stop;
    bool doubted; /* CSV has no place for it: said once on standard error */
};

/* Ctrl-C and a polite kill end the run, not the program: what was measured is still summed up and
 * printed. */
static int block_signals(void) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGHUP);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

static void say_doubt(struct batch *b) {
    char doubt[128];
    if (b->doubted || !session_doubt(b->s, &b->s->frame, doubt, sizeof(doubt))[0])
        return;
    cli_note("%s", doubt);
    b->doubted = true;
}

static void print_interval(struct batch *b) {
    const struct frame *f = &b->s->frame;
    if (b->ops == &print_csv)
        say_doubt(b);
    b->ops->frame(&b->printer, b->s, f, (double)(f->t1_ns - f->t0_ns) / 1e9, false);
    b->printed++;
    if (ferror(b->printer.out) && !b->write_error)
        b->write_error = errno ? errno : EIO;
    if (b->a->count && b->printed >= b->a->count)
        b->stop = true;
    if (b->a->duration_ns && f->t1_ns + NS_PER_MS >= b->a->duration_ns)
        b->stop = true;
    if (b->write_error)
        b->stop = true;
}

/* A box that fills faster than rows are printed never lets poll() see the signal: so this is asked
 * when two samples came without a sleep. */
static bool signalled(const struct batch *b) {
    struct signalfd_siginfo si;
    return b->signal_fd >= 0 && read(b->signal_fd, &si, sizeof(si)) > 0;
}

static void loop(struct batch *b) {
    struct pollfd fds[] = {{.fd = session_fd(b->s), .events = POLLIN},
                           {.fd = b->signal_fd, .events = POLLIN}};
    while (!b->stop) {
        bool took = false;
        while (!b->stop && session_take(b->s)) {
            print_interval(b);
            b->stop |= took && signalled(b);
            took = true;
        }
        if (b->stop || b->s->state != STREAM_LIVE)
            return;
        if (poll(fds, 2, -1) < 0 && errno != EINTR)
            return;
        if (fds[1].revents & POLLIN)
            b->stop = true;
    }
}

static int summarise(struct batch *b) {
    struct frame f = {0};
    if (!b->a->summary || !b->printed)
        return 0;
    if (frame_init(&f, b->s->model.n_metric) < 0) {
        cli_note("summary: out of memory");
        return -ENOMEM;
    }
    window_frame(&b->s->window, &b->s->eval, &f);
    b->ops->frame(&b->printer, b->s, &f, b->s->window.covered_s, true);
    frame_destroy(&f);
    return 0;
}

static int finish(struct batch *b) {
    struct session *s = b->s;
    if (b->write_error) {
        cli_note("%s: %s; nothing more can be written there",
                 b->a->output ? b->a->output : "standard output", strerror(b->write_error));
        return EXIT_ERROR;
    }
    if (s->dropped)
        cli_note("%llu intervals were dropped: the reader was too slow",
                 (unsigned long long)s->dropped);
    if (s->state == STREAM_FAILED) {
        cli_error(&s->last);
        return EXIT_ERROR;
    }
    if (s->state == STREAM_GONE && s->exit_code < 0)
        cli_note("%s", s->last.text);
    if (!b->printed && s->state == STREAM_ENDED) {
        cli_note("%s: no complete interval in it; nothing to print", s->source.target_text);
        return EXIT_ERROR;
    }
    return s->exit_code >= 0 ? s->exit_code : EXIT_OK;
}

static int unknown_node(const struct model *m, const char *name, struct err *err) {
    const char *best = NULL;
    int least = 4; /* further away it is another word */
    for (uint32_t i = 0; i < m->n_metric; i++) {
        const int d = str_distance(name, m->metric[i].name);
        if (d < least) {
            least = d;
            best = m->metric[i].name;
        }
    }
    return err_set(err, -EINVAL,
                   "--explain-value %s: model %s has no such metric; %s%s%stdtop models %s lists "
                   "them",
                   name, m->name, best ? "did you mean " : "", best ? best : "", best ? "? " : "",
                   m->name);
}

/* 0 or negative errno with words. */
static int prepare_account(struct batch *b, struct err *err) {
    const struct model *m = &b->s->model;
    const char *node = b->a->explain;
    if (!node)
        return 0;
    if (b->a->separator)
        return err_set(err, -EINVAL,
                       "--explain-value and -x exclude each other; leave -x out, or use -j");
    b->printer.explained = model_find(m, node);
    if (b->printer.explained == METRIC_NONE)
        return unknown_node(m, node, err);
    int rc = account_init(&b->account, m, &b->s->source.layout);
    if (rc < 0)
        return err_set(err, rc, "--explain-value: out of memory; close other programs");
    b->printer.account = &b->account;
    return 0;
}

static int open_output(struct batch *b, struct err *err) {
    const char *path = b->a->output;
    if (!path || (b->printer.out = fopen(path, "we")))
        return 0;
    return err_set(err, -errno, "--output %s: %s; give a file that can be written", path,
                   strerror(errno));
}

int batch_run(struct session *s, const struct args *a) {
    struct batch b = {.s = s,
                      .a = a,
                      .printer = {.out = stdout, .separator = a->separator, .verbose = a->verbose}};
    b.printer.level = (int)a->level;
    b.ops = a->json ? &print_json : a->separator ? &print_csv : &print_text;
    struct err err = {0};
    if (prepare_account(&b, &err) < 0 || open_output(&b, &err) < 0) {
        cli_error(&err);
        account_destroy(&b.account);
        return err.code == -EINVAL ? EXIT_USAGE : EXIT_ERROR;
    }
    if (s->own_note[0])
        cli_note("%s", s->own_note);
    b.signal_fd = block_signals();
    int rc = EXIT_ERROR;
    if (session_start(s, &err) < 0) {
        cli_error(&err);
        rc = s->exit_code > 0 ? s->exit_code : EXIT_ERROR;
        goto out;
    }
    if (b.ops->begin)
        b.ops->begin(&b.printer, s);
    loop(&b);
    rc = summarise(&b) < 0 ? EXIT_ERROR : finish(&b);
out:
    account_destroy(&b.account);
    if (b.signal_fd >= 0)
        close(b.signal_fd);
    if (b.printer.out != stdout && fclose(b.printer.out)) {
        cli_note("%s: %s; the file is not complete", a->output, strerror(errno));
        rc = EXIT_ERROR;
    }
    return rc;
}
