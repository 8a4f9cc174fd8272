/* Messages of the Model Context Protocol, on a line and over HTTP. No tool can be run, so that
 * nothing is started, and nothing is measured; each message is one line of JSON. */
#include "fuzz.h"
#include "serve/mcp.h"
#include "serve/mcp_listen.h"

#include <errno.h>
#include <jansson.h>
#include <string.h>

static char *list(void *user) {
    (void)user;
    return strdup("{}");
}

static char *read_target(void *user, const struct mcp *m, const char *target, struct err *err) {
    (void)user, (void)m;
    err_set(err, -ESRCH, "%s: no such process", target);
    return NULL;
}

/* As if there were processes whose names begin with a letter up to m. */
static int begin(void *user, const char *target, struct err *err) {
    (void)user;
    return target[0] <= 'm' ? 0 : err_set(err, -ESRCH, "%s: no such process", target);
}

static void check_line(const char *line, bool answers) {
    json_t *o = strchr(line, '\n') ? NULL : json_loads(line, 0, NULL);
    if (!o || !json_object_get(o, "jsonrpc") ||
        (answers && !json_object_get(o, "result") == !json_object_get(o, "error")))
        abort();
    json_decref(o);
}

static void check_messages(struct mcp_listens *all, struct mcp_listen *l) {
    for (char *text; (text = mcp_listen_next(all, l, NULL)); free(text))
        check_line(text, false);
}

static void send(const char *text, size_t n, bool http) {
    struct mcp_listen *stream = NULL;
    const struct mcp_live live = {
        .listens = mcp_listens_open(), .list = list, .read = read_target, .begin = begin};
    const struct mcp m = {.program = "/nonexistent/tdtop",
                          .collects = true,
                          .live = &live,
                          .stream = http ? &stream : NULL,
                          .client_fd = -1,
                          .cancel_fd = -1};
    char *answer = mcp_answer(&m, text, n), *cancels = mcp_cancels(text, n);
    if (answer)
        check_line(answer, true);
    mcp_listens_changed(live.listens, "a");
    check_messages(live.listens, stream);
    if (cancels)
        mcp_listen_cancel(live.listens, cancels);
    mcp_listen_drop(live.listens, stream);
    mcp_listens_end(live.listens);
    check_messages(live.listens, NULL);
    free(cancels);
    free(answer);
    mcp_listens_close(live.listens);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    send((const char *)data, size, false);
    send((const char *)data, size, true);
    return 0;
}
