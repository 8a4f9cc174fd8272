/* `tdtop mcp`: lines of the Model Context Protocol on standard input and output. */
#include "serve/mcp.h"

#include "cli/cli.h"

#include <errno.h>
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

int verb_mcp(const struct args *a) {
    char program[4096];
    struct mcp m = {
        .program = program, .db = a->db, .collects = a->allow_collect, .client_fd = STDOUT_FILENO};
    const ssize_t n = readlink("/proc/self/exe", program, sizeof(program) - 1);
    char *line = malloc(MCP_LINE + 1);
    if (n < 0 || !line) {
        cli_note("mcp: %s", n < 0 ? strerror(errno) : "out of memory");
        free(line);
        return EXIT_ERROR;
    }
    program[n] = '\0';
    for (size_t length; read_line(stdin, line, &length);) {
        if (length != SIZE_MAX)
            line[length] = '\0';
        answer(&m, line, length);
        if (ferror(stdout))
            break;
    }
    free(line);
    return cli_finish(EXIT_OK);
}
