/* `tdtop mcp`: the Model Context Protocol, in lines on standard input and output, or over HTTP. */
#include "cli/cli.h"
#include "cli/stop.h"
#include "serve/mcp_http.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

static void answer(const struct mcp *m, const char *line, size_t n) {
    if (n != SIZE_MAX && strspn(line, " \t\r") == n)
        return;
    char *text = n == SIZE_MAX ? mcp_too_long() : mcp_answer(m, line, n);
    if (text) {
        fputs(text, stdout);
        putchar('\n');
        fflush(stdout);
    }
    free(text);
}

static int read_lines(const struct mcp *m) {
    char *line = malloc(MCP_LINE + 1);
    if (!line) {
        cli_note("mcp: out of memory");
        return EXIT_ERROR;
    }
    for (size_t length; read_line(stdin, line, &length);) {
        if (length != SIZE_MAX)
            line[length] = '\0';
        answer(m, line, length);
        if (ferror(stdout))
            break;
    }
    free(line);
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
    struct mcp m = {
        .program = program, .db = a->db, .collects = a->allow_collect, .client_fd = STDOUT_FILENO};
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
