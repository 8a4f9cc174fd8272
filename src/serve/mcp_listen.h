/*
 * Who listens to changes of tdtop://live (mcp.h): requests `subscriptions/listen`, each a stream of
 * its own, and `resources/subscribe` of revisions before, which have one together. What has changed
 * is kept as a mark for each URI, not as a message: a client that reads slowly finds one message,
 * and nothing waits for it. Any thread may call.
 */
#ifndef TDTOP_SERVE_MCP_LISTEN_H
#define TDTOP_SERVE_MCP_LISTEN_H

#include <stdbool.h>

enum { MCP_LISTEN_MOST = 64, MCP_URI = 512 }; /* streams, and URIs of each; bytes of one */

struct mcp_listens;
struct mcp_listen;

/* NULL: errno says why. */
struct mcp_listens *mcp_listens_open(void);
void mcp_listens_close(struct mcp_listens *all); /* NULL is nothing */
/* Readable when mcp_listen_next may have something of the streams that share standard output. */
int mcp_listens_fd(const struct mcp_listens *all);
/* Of this target something has changed that is worth a look. */
void mcp_listens_changed(struct mcp_listens *all, const char *target);
bool mcp_listens_has(struct mcp_listens *all, const char *target);
/* All streams end: each gets the answer to its request. Waits a moment for those with a connection
 * to themselves. */
void mcp_listens_end(struct mcp_listens *all);

/*
 * A stream. id: of its request, as JSON; NULL: that of resources/subscribe, which is made once.
 * own: it has a connection to itself. It is silent until mcp_listen_start, with the acknowledgement
 * as its first message. 0, -EEXIST: there is one with that id, -ENOSPC: there are too many, or
 * -ENOMEM.
 */
int mcp_listen_begin(struct mcp_listens *all, const char *id, bool own, struct mcp_listen **out);
/* 0 (also if it has it already), -ENOSPC or -ENOMEM. */
int mcp_listen_add(struct mcp_listens *all, struct mcp_listen *l, const char *uri,
                   const char *target);
void mcp_listen_start(struct mcp_listens *all, struct mcp_listen *l);
int mcp_listen_fd(const struct mcp_listen *l); /* of its own: as mcp_listens_fd */
/* It ends without a word; l may be NULL. */
void mcp_listen_drop(struct mcp_listens *all, struct mcp_listen *l);
/* The same by the id of one that has no connection to itself; of resources/subscribe, a URI. */
void mcp_listen_cancel(struct mcp_listens *all, const char *id);
void mcp_listen_remove(struct mcp_listens *all, const char *uri);

/* The next message of a stream with a connection to itself, or (NULL) of the others: a line without
 * its end, to be freed. NULL: there is none now; *over (or NULL) whether none will follow. */
char *mcp_listen_next(struct mcp_listens *all, struct mcp_listen *l, bool *over);

#endif
