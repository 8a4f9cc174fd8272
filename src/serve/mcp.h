/*
 * The Model Context Protocol (modelcontextprotocol.io/specification) over lines of JSON-RPC 2.0:
 * what `tdtop -j` prints, as tools and resources. Revision 2026-07-28, in which every request says
 * which one it speaks (`_meta`), and those before it, which begin with `initialize`. A tool is a
 * verb of this very program, run with -j, so that both tell the same.
 */
#ifndef TDTOP_SERVE_MCP_H
#define TDTOP_SERVE_MCP_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

/* Bytes: of a message; of an answer's text; of the name of a live target. */
enum { MCP_LINE = 4 << 20, MCP_PAGE = 60 << 10, MCP_TARGET = 200 };

/* What the headers of HTTP say of a message, which must be the same (2026-07-28). */
struct mcp_headers {
    const char *version, *method, *name; /* NULL: there is no such header */
};

struct mcp;
struct mcp_listen;
struct mcp_listens;

/* What measures for tdtop://live. Any thread may call; what has changed it tells mcp_listens. */
struct mcp_live {
    struct mcp_listens *listens; /* borrowed */
    /* What is measured now; of a target, what limits it, once there is an interval: JSON, to be
     * freed. NULL with words. Ends without them when the request was cancelled. */
    char *(*list)(void *user);
    char *(*read)(void *user, const struct mcp *m, const char *target, struct err *err);
    /* Begins to measure it, if it is not; also one that is to come. 0 or negative errno with words.
     * It goes on while mcp_listens_has it, and for a while after the last read. */
    int (*begin)(void *user, const char *target, struct err *err);
    void *user;
};

struct mcp {
    const char *program;         /* borrowed: that is run */
    const char *db;              /* of --db, or NULL */
    bool collects;               /* collect_topdown is offered */
    const struct mcp_live *live; /* of --allow-collect; or NULL */
    struct mcp_listen **stream; /* of HTTP: where the stream is put that a request opens, instead of
                                   an answer. NULL: it is one of those on standard output */
    int client_fd; /* that answers are written to: a tool ends when its reader has gone; -1: none */
    int cancel_fd; /* readable when the request at hand was cancelled; -1: it cannot be */
    const struct mcp_headers *headers; /* of HTTP; NULL: it came on a line */
    bool *refused; /* where not NULL: set where HTTP's status is 400, Bad Request */
};

/* The answer to a message of n bytes without the line's end: a line without its end, to be freed.
 * NULL: there is none (a notification, an answer), or memory ran out. */
char *mcp_answer(const struct mcp *m, const char *text, size_t n);
bool mcp_is_cancelled(const struct mcp *m);
/* The id of a request, as JSON has it; of the request that a message cancels. malloc'ed; NULL: it
 * has none, or cancels none. */
char *mcp_id(const char *text, size_t n);
char *mcp_cancels(const char *text, size_t n);
/* To a message that is longer than MCP_LINE. */
char *mcp_too_long(void);

#endif
