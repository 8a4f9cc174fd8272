/* `tdtop mcp`: the Model Context Protocol, in lines on standard input and output, or over HTTP. */
#include "base/thread.h"
#include "base/wake.h"
#include "cli/cli.h"
#include "cli/stop.h"
#include "cli/verb/mcp_live.h"
#include "serve/mcp_http.h"
#include "serve/mcp_listen.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

/* ---- standard input ---- */

struct input {
    int end_fd; /* as of struct output */
    size_t at, n;
    char text[1 << 16];
};

/* More of it. False: the end. */
static bool refill(struct input *in) {
    struct pollfd p[] = {{.fd = STDIN_FILENO, .events = POLLIN},
                         {.fd = in->end_fd, .events = POLLIN}};
    ssize_t n;
    do {
        if (poll(p, 2, -1) > 0 && p[1].revents)
            return false;
        n = read(STDIN_FILENO, in->text, sizeof(in->text));
    } while (n < 0 && (errno == EINTR || errno == EAGAIN));
    in->at = 0;
    in->n = n > 0 ? (size_t)n : 0;
    return n > 0;
}

static int next_char(struct input *in) {
    if (in->at == in->n && !refill(in))
        return EOF;
    return (unsigned char)in->text[in->at++];
}

/* The rest of a line that is too long. */
static int skip_line(struct input *in) {
    int c;
    do
        c = next_char(in);
    while (c != EOF && c != '\n');
    return c;
}

/* A line without its end; n = SIZE_MAX: it was too long. False: there are no more. */
static bool read_line(struct input *in, char *line, size_t *n) {
    int c = 0;
    *n = 0;
    while (*n < MCP_LINE && (c = next_char(in)) != EOF && c != '\n')
        line[(*n)++] = (char)c;
    if (*n == MCP_LINE) {
        *n = SIZE_MAX;
        return skip_line(in) != EOF;
    }
    return c != EOF || *n > 0;
}

/* ---- standard output ---- */

/* Answers, and messages to who listens, by two threads. */
struct output {
    pthread_mutex_t lock;
    /* Of signals, and an eventfd: the end of all. Nothing waits any more, as a client may never
     * read. */
    int stop_fd, end_fd;
    bool broken; /* in the middle of a line; or the reader has gone */
};
/* So much that a pipe has room for, whatever the door makes of it, once poll says so. */
enum { PIECE = PIPE_BUF / 8 };

/* True once it can be written to without waiting. */
static bool wait_room(const struct output *out) {
    struct pollfd p[] = {{.fd = STDOUT_FILENO, .events = POLLOUT},
                         {.fd = out->stop_fd, .events = POLLIN},
                         {.fd = out->end_fd, .events = POLLIN}};
    while (poll(p, 3, -1) < 0 && errno == EINTR)
        continue;
    return (p[0].revents & POLLOUT) && !(p[0].revents & POLLERR);
}

static void put(struct output *out, const char *text) {
    const size_t n = strlen(text);
    pthread_mutex_lock(&out->lock);
    for (size_t at = 0; at < n && !out->broken; at += PIECE) {
        out->broken = !wait_room(out);
        if (out->broken)
            break;
        fwrite(text + at, 1, n - at < PIECE ? n - at : PIECE, stdout);
        if (n - at <= PIECE)
            putc('\n', stdout);
        fflush(stdout);
        out->broken = ferror(stdout);
    }
    pthread_mutex_unlock(&out->lock);
}

static bool is_broken(struct output *out) {
    pthread_mutex_lock(&out->lock);
    const bool broken = out->broken;
    pthread_mutex_unlock(&out->lock);
    return broken;
}

/* ---- lines that have come ---- */

/* A thread reads, so that a request can be cancelled while it is answered. */
struct inbox {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct line {
        char *text; /* owned */
        size_t n;   /* SIZE_MAX: it was too long */
    } line[8];
    int from, n;
    bool ended;
    char *now;          /* the id of what is being answered; owned; NULL: nothing is */
    int cancel_fd;      /* an eventfd */
    struct input input; /* of the thread that reads */
    struct output output;
    const struct mcp_live *live; /* borrowed, or NULL */
};
enum { LINES = sizeof(((struct inbox *)NULL)->line) / sizeof(struct line) };

/* One that waits is dropped, the one at hand is told. */
static void cancel(struct inbox *in, const char *id) {
    pthread_mutex_lock(&in->lock);
    if (in->now && strcmp(in->now, id) == 0)
        wake_ring(in->cancel_fd);
    for (int i = 0; i < in->n; i++) {
        struct line *l = &in->line[(in->from + i) % LINES];
        char *its = l->n == SIZE_MAX ? NULL : mcp_id(l->text, l->n);
        if (its && strcmp(its, id) == 0)
            l->n = 0;
        free(its);
    }
    pthread_mutex_unlock(&in->lock);
    if (in->live)
        mcp_listen_cancel(in->live->listens, id);
}

static void push(struct inbox *in, struct line l) {
    pthread_mutex_lock(&in->lock);
    while (in->n == LINES && !in->ended)
        pthread_cond_wait(&in->changed, &in->lock);
    if (in->ended)
        free(l.text);
    else
        in->line[(in->from + in->n++) % LINES] = l;
    pthread_cond_broadcast(&in->changed);
    pthread_mutex_unlock(&in->lock);
}

static bool read_one(struct inbox *in) {
    struct line l = {.text = malloc(MCP_LINE + 1)};
    if (!l.text || !read_line(&in->input, l.text, &l.n)) {
        free(l.text);
        return false;
    }
    char *id = l.n == SIZE_MAX ? NULL : mcp_cancels(l.text, l.n);
    char *less = l.n == SIZE_MAX ? NULL : realloc(l.text, l.n + 1);
    l.text = less ? less : l.text;
    if (id) {
        cancel(in, id);
        free(l.text);
    } else {
        push(in, l);
    }
    free(id);
    return true;
}

static void *read_all(void *user) {
    struct inbox *in = user;
    while (read_one(in))
        continue;
    pthread_mutex_lock(&in->lock);
    in->ended = true;
    pthread_cond_broadcast(&in->changed);
    pthread_mutex_unlock(&in->lock);
    return NULL;
}

/* What waits is not answered any more, and what is being answered is cancelled. */
static void stop(struct inbox *in) {
    pthread_mutex_lock(&in->lock);
    in->ended = true;
    for (; in->n > 0; in->n--) {
        free(in->line[in->from].text);
        in->from = (in->from + 1) % LINES;
    }
    wake_ring(in->cancel_fd);
    pthread_cond_broadcast(&in->changed);
    pthread_mutex_unlock(&in->lock);
    wake_ring(in->output.end_fd);
}

static void say_changes(struct inbox *in) {
    for (char *text; in->live && (text = mcp_listen_next(in->live->listens, NULL, NULL));
         free(text))
        put(&in->output, text);
}

/* Passes on what has changed, while something else is answered; and sees signals. */
static void *attend(void *user) {
    struct inbox *in = user;
    struct pollfd p[] = {
        {.fd = in->live ? mcp_listens_fd(in->live->listens) : -1, .events = POLLIN},
        {.fd = in->output.stop_fd, .events = POLLIN},
        {.fd = in->output.end_fd, .events = POLLIN}};
    while (!p[1].revents && !p[2].revents) {
        say_changes(in);
        while (poll(p, 3, -1) < 0 && errno == EINTR)
            continue;
    }
    if (p[1].revents)
        stop(in);
    return NULL;
}

/* The next line, which then is the one at hand. False: there are no more. */
static bool take(struct inbox *in, struct line *l) {
    pthread_mutex_lock(&in->lock);
    free(in->now);
    in->now = NULL;
    wake_take(in->cancel_fd); /* of the one before */
    while (in->n == 0 && !in->ended)
        pthread_cond_wait(&in->changed, &in->lock);
    const bool any = in->n > 0;
    if (any) {
        *l = in->line[in->from];
        in->from = (in->from + 1) % LINES;
        in->n--;
        in->now = l->n == SIZE_MAX ? NULL : mcp_id(l->text, l->n);
        pthread_cond_broadcast(&in->changed);
    }
    pthread_mutex_unlock(&in->lock);
    return any;
}

static void answer(const struct mcp *m, const struct line *l, struct output *out) {
    if (l->n != SIZE_MAX && strspn(l->text, " \t\r") >= l->n)
        return;
    char *text = l->n == SIZE_MAX ? mcp_too_long() : mcp_answer(m, l->text, l->n);
    if (text)
        put(out, text);
    free(text);
}

/* Until no more lines come, or the reader of answers has gone. */
static int answer_all(const struct mcp *m, struct inbox *in) {
    pthread_t reads, attends;
    struct line l;
    int rc = thread_start(&attends, "tdtop-mcp-tell", attend, in);
    if (rc < 0)
        return rc;
    rc = thread_start(&reads, "tdtop-mcp-read", read_all, in);
    while (rc == 0 && take(in, &l)) {
        answer(m, &l, &in->output);
        free(l.text);
        if (is_broken(&in->output))
            break;
    }
    stop(in);
    if (rc == 0)
        pthread_join(reads, NULL);
    pthread_join(attends, NULL);
    if (in->live) {
        mcp_listens_end(in->live->listens);
        say_changes(in);
    }
    free(in->now);
    return rc;
}

static int read_lines(struct mcp *m) {
    struct inbox *in = calloc(1, sizeof(*in));
    if (!in)
        return -ENOMEM;
    *in = (struct inbox){.lock = PTHREAD_MUTEX_INITIALIZER,
                         .changed = PTHREAD_COND_INITIALIZER,
                         .cancel_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK),
                         .output = {.lock = PTHREAD_MUTEX_INITIALIZER,
                                    .stop_fd = stop_open(),
                                    .end_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)},
                         .live = m->live};
    in->input.end_fd = in->output.end_fd;
    m->cancel_fd = in->cancel_fd;
    const int rc = in->cancel_fd < 0 || in->output.end_fd < 0 ? -errno : answer_all(m, in);
    stop_close(in->output.stop_fd);
    if (in->cancel_fd >= 0)
        close(in->cancel_fd);
    if (in->output.end_fd >= 0)
        close(in->output.end_fd);
    free(in);
    return rc;
}

/* Until it is stopped. */
static int listen_on(const struct mcp *m, const struct args *a, struct err *err) {
    struct mcp_http *http = NULL;
    char *token = NULL;
    int rc = a->token_file ? mcp_token(a->token_file, &token, err)
                           : err_set(err, -EINVAL,
                                     "--listen: give --token-file FILE, whose first line is shown "
                                     "by who asks; as: (umask 77; openssl rand -hex 32 >FILE)");
    const int signal_fd = stop_open();
    if (rc == 0)
        rc = mcp_http_open(&http, m, a->listen, a->insecure_listen, token, err);
    if (rc == 0) {
        cli_note("http://%.*s:%d/mcp", (int)(strrchr(a->listen, ':') - a->listen), a->listen,
                 mcp_http_port(http));
        struct pollfd p = {.fd = signal_fd, .events = POLLIN};
        while (!stop_came(signal_fd))
            poll(&p, 1, -1);
    }
    mcp_http_close(http);
    stop_close(signal_fd);
    free(token);
    return rc;
}

int verb_mcp(const struct args *a) {
    char program[4096];
    struct mcp m = {.program = program,
                    .db = a->db,
                    .collects = a->allow_collect,
                    .client_fd = STDOUT_FILENO,
                    .cancel_fd = -1};
    struct err err = {0};
    const ssize_t n = readlink("/proc/self/exe", program, sizeof(program) - 1);
    if (n < 0) {
        cli_note("mcp: /proc/self/exe: %s", strerror(errno));
        return EXIT_ERROR;
    }
    program[n] = '\0';
    struct mcp_live live;
    struct live *lv = a->allow_collect ? live_open(&live) : NULL;
    m.live = lv ? &live : NULL;
    int rc;
    if (a->allow_collect && !lv)
        rc = err_set(&err, -errno, "mcp: %s", strerror(errno));
    else if (a->listen)
        rc = listen_on(&m, a, &err);
    else if (a->token_file)
        rc = err_set(&err, -EINVAL, "--token-file: it goes with --listen");
    else if ((rc = read_lines(&m)) < 0)
        err_set(&err, rc, "mcp: %s", strerror(-rc));
    live_close(lv);
    if (rc < 0)
        cli_error(&err);
    return rc == 0 ? cli_finish(EXIT_OK) : cli_is_usage(&err) ? EXIT_USAGE : EXIT_ERROR;
}
