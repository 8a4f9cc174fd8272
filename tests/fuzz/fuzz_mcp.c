/* Messages of the Model Context Protocol. No tool can be run, so that nothing is started; each
 * answer is one line of JSON. */
#include "fuzz.h"
#include "serve/mcp.h"

#include <jansson.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const struct mcp m = {
        .program = "/nonexistent/tdtop", .collects = true, .client_fd = -1, .cancel_fd = -1};
    char *answer = mcp_answer(&m, (const char *)data, size);
    if (!answer)
        return 0;
    json_t *o = strchr(answer, '\n') ? NULL : json_loads(answer, 0, NULL);
    if (!o || !json_object_get(o, "jsonrpc") ||
        !json_object_get(o, "result") == !json_object_get(o, "error"))
        abort();
    json_decref(o);
    free(answer);
    return 0;
}
