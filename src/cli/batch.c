#include "cli/batch.h"

#include "base/clock.h"
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
    const struct print_ops *ops;
    int64_t printed;
    bool stop;
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

static void print_interval(struct batch *b) {
    const struct frame *f = &b->s->frame;
    b->ops->frame(&b->printer, b->s, f, (double)(f->t1_ns - f->t0_ns) / 1e9, false);
    b->printed++;
    if (b->a->count && b->printed >= b->a->count)
        b->stop = true;
    if (b->a->duration_ns && f->t1_ns + NS_PER_MS >= b->a->duration_ns)
        b->stop = true;
    if (ferror(b->printer.out))
        b->stop = true;
}

static void loop(struct batch *b, int signal_fd) {
    struct pollfd fds[] = {{.fd = session_fd(b->s), .events = POLLIN},
                           {.fd = signal_fd, .events = POLLIN}};
    while (!b->stop) {
        bool took = false;
        while (!b->stop && session_take(b->s)) {
            print_interval(b);
            took = true;
        }
        if (b->stop || (!took && b->s->state != STREAM_LIVE))
            return;
        if (took)
            continue;
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
    if (frame_init(&f, b->s->model.n_metric) < 0)
        return -ENOMEM;
    window_frame(&b->s->window, &b->s->eval, &f);
    b->ops->frame(&b->printer, b->s, &f, b->s->window.covered_s, true);
    frame_destroy(&f);
    return 0;
}

static int finish(struct batch *b) {
    struct session *s = b->s;
    if (ferror(b->printer.out)) {
        cli_note("%s: %s; nothing more can be written there",
                 b->a->output ? b->a->output : "standard output", strerror(errno));
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

int batch_run(struct session *s, const struct args *a) {
    struct batch b = {.s = s,
                      .a = a,
                      .printer = {.out = stdout, .separator = a->separator, .verbose = a->verbose}};
    b.printer.level = (int)a->level;
    b.ops = a->json ? &print_json : a->separator ? &print_csv : &print_text;
    struct err err = {0};
    if (a->output && !(b.printer.out = fopen(a->output, "we"))) {
        err_set(&err, -errno, "--output %s: %s; give a file that can be written", a->output,
                strerror(errno));
        cli_error(&err);
        return EXIT_ERROR;
    }
    int signal_fd = block_signals();
    int rc = EXIT_ERROR;
    if (session_start(s, &err) < 0) {
        cli_error(&err);
        rc = s->exit_code > 0 ? s->exit_code : EXIT_ERROR;
        goto out;
    }
    if (b.ops->begin)
        b.ops->begin(&b.printer, s);
    loop(&b, signal_fd);
    summarise(&b);
    rc = finish(&b);
out:
    if (signal_fd >= 0)
        close(signal_fd);
    if (b.printer.out != stdout && fclose(b.printer.out)) {
        cli_note("%s: %s; the file is not complete", a->output, strerror(errno));
        rc = EXIT_ERROR;
    }
    return rc;
}
