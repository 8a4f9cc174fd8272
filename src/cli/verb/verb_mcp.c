/* `tdtop mcp`: the Model Context Protocol, in lines on standard input and output, or over HTTP. */
#include "base/thread.h"
#include "cli/cli.h"
#include "cli/stop.h"
#include "serve/mcp_http.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

/* The rest of a line that is too long. */
static int skip_line(FILE *in) {
    int c;
    do
        c = getc_unlocked(in);
    while (c != EOF && c != '\n');
    return c;
}

/* A line without its end; n = SIZE_MAX: it was too long. False: there are no more. */
static bool read_line(FILE *in, char *line, size_t *n) {
    int c = 0;
    *n = 0;
    while (*n < MCP_LINE && (c = getc_unlocked(in)) != EOF && c != '\n')
        line[(*n)++] = (char)c;
    if (*n == MCP_LINE) {
        *n = SIZE_MAX;
        return skip_line(in) != EOF;
    }
    return c != EOF || *n > 0;
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
    char *now;     /* the id of what is being answered; owned; NULL: nothing is */
    int cancel_fd; /* an eventfd */
};
enum { LINES = sizeof(((struct inbox *)NULL)->line) / sizeof(struct line) };

/* One that waits is dropped, the one at hand is told. */
static void cancel(struct inbox *in, const char *id) {
    const uint64_t one = 1;
    pthread_mutex_lock(&in->lock);
    if (in->now && strcmp(in->now, id) == 0) {
        const ssize_t n = write(in->cancel_fd, &one, sizeof(one));
        (void)n;
    }
    for (int i = 0; i < in->n; i++) {
        struct line *l = &in->line[(in->from + i) % LINES];
        char *its = l->n == SIZE_MAX ? NULL : mcp_id(l->text, l->n);
        if (its && strcmp(its, id) == 0)
            l->n = 0;
        free(its);
    }
    pthread_mutex_unlock(&in->lock);
}

static void push(struct inbox *in, struct line l) {
    pthread_mutex_lock(&in->lock);
    while (in->n == LINES)
        pthread_cond_wait(&in->changed, &in->lock);
    in->line[(in->from + in->n++) % LINES] = l;
    pthread_cond_broadcast(&in->changed);
    pthread_mutex_unlock(&in->lock);
}

static bool read_one(struct inbox *in) {
    struct line l = {.text = malloc(MCP_LINE + 1)};
    if (!l.text || !read_line(stdin, l.text, &l.n)) {
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

/* The next line, which then is the one at hand. False: there are no more. */
static bool take(struct inbox *in, struct line *l) {
    uint64_t told;
    pthread_mutex_lock(&in->lock);
    free(in->now);
    in->now = NULL;
    const ssize_t was = read(in->cancel_fd, &told, sizeof(told)); /* of the one before */
    (void)was;
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

static void answer(const struct mcp *m, const struct line *l) {
    if (l->n != SIZE_MAX && strspn(l->text, " \t\r") >= l->n)
        return;
    char *text = l->n == SIZE_MAX ? mcp_too_long() : mcp_answer(m, l->text, l->n);
    if (text) {
        fputs(text, stdout);
        putchar('\n');
        fflush(stdout);
    }
    free(text);
}

static int read_lines(struct mcp *m) {
    struct inbox in = {.lock = PTHREAD_MUTEX_INITIALIZER,
                       .changed = PTHREAD_COND_INITIALIZER,
                       .cancel_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
    pthread_t thread;
    struct line l;
    const int rc = in.cancel_fd < 0 ? -errno : thread_start(&thread, "tdtop-mcp", read_all, &in);
    if (rc < 0) {
        cli_note("mcp: %s", strerror(-rc));
        return EXIT_ERROR;
    }
    m->cancel_fd = in.cancel_fd;
    while (take(&in, &l)) {
        answer(m, &l);
        free(l.text);
        if (ferror(stdout)) /* nobody listens: the other thread ends with the process */
            exit(cli_finish(EXIT_OK));
    }
    pthread_join(thread, NULL);
    close(in.cancel_fd);
    return cli_finish(EXIT_OK);
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
    if (!a->listen && !a->token_file)
        return read_lines(&m);
    int rc = a->listen ? listen_on(&m, a, &err)
                       : err_set(&err, -EINVAL, "--token-file: it goes with --listen");
    if (rc < 0)
        cli_error(&err);
    return rc == 0 ? EXIT_OK : cli_is_usage(&err) ? EXIT_USAGE : EXIT_ERROR;
}
