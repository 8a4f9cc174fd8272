/*
 * MCP over HTTP ("Streamable HTTP"): each message is a POST to /mcp, which is answered by itself.
 * Who asks shows a token, and is no page of another site that a browser has open.
 */
#ifndef TDTOP_SERVE_MCP_HTTP_H
#define TDTOP_SERVE_MCP_HTTP_H

#include "serve/http.h"
#include "serve/mcp.h"

struct mcp_http;

/* The first line of a file that nobody else may read. malloc'ed. 0 or negative errno with words. */
int mcp_token(const char *path, char **token, struct err *err);
/* As http_open; m and token are borrowed until mcp_http_close. */
int mcp_http_open(struct mcp_http **out, const struct mcp *m, const char *listen, bool insecure,
                  const char *token, struct err *err);
int mcp_http_port(const struct mcp_http *h);
void mcp_http_close(struct mcp_http *h); /* NULL is nothing */

#endif
