/* The tools of the Model Context Protocol server, as rows of a table; their schemas and what is run
 * follow from it. */
#ifndef TDTOP_SERVE_MCP_TOOLS_H
#define TDTOP_SERVE_MCP_TOOLS_H

#include "serve/mcp.h"

#include <jansson.h>

/* What tools/list tells of them. NULL: out of memory, as below. */
json_t *mcp_tools_list(const struct mcp *m);
/* The result of tools/call. *unknown: there is no tool of that name; NULL is returned then. */
json_t *mcp_tools_call(const struct mcp *m, const char *name, const json_t *arguments,
                       bool *unknown);
/* Adds to o, what `query --bottlenecks` tells of a run, what follows from `tree`, what
 * `query --funnel` tells of it: what is ruled out, open, not known, and which experiment is next.
 */
void mcp_conclude(json_t *o, const json_t *tree);

json_t *mcp_resources_list(const struct mcp *m);
json_t *mcp_templates_list(const struct mcp *m);
/* The target of tdtop://live/TARGET, where an escape %XX stands for any character. False: uri is
 * another, or names none that can be measured. */
bool mcp_live_target(const char *uri, char *to, size_t cap);
/* The contents of a resource; NULL with words: there is none of that name. */
json_t *mcp_resources_read(const struct mcp *m, const char *uri, char *words, size_t cap);

#endif
