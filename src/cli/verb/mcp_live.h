/* What `tdtop mcp --allow-collect` measures itself, for tdtop://live: some targets at once, each on
 * a thread of its own, of which the last seconds are told. */
#ifndef TDTOP_CLI_MCP_LIVE_H
#define TDTOP_CLI_MCP_LIVE_H

#include "serve/mcp.h"

enum { MCP_LIVE_MOST = 4, MCP_LIVE_SPAN_S = 10, MCP_LIVE_LINGER_S = 60 };

struct live;

/* Makes *as, which is valid until live_close. NULL: out of memory, or errno says why. */
struct live *live_open(struct mcp_live *as);
/* No request is left. Ends all that is measured; NULL is nothing. */
void live_close(struct live *lv);

#endif
