#include "serve/mcp.h"

#include "base/str.h"
#include "serve/mcp_listen.h"
#include "serve/mcp_tools.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

/* JSON-RPC 2.0, section 5.1; the last two are of MCP 2026-07-28. */
enum {
    PARSE_ERROR = -32700,
    INVALID_REQUEST = -32600,
    NO_METHOD = -32601,
    INVALID_PARAMS = -32602,
    INTERNAL = -32603,
    NO_RESOURCE = -32002,
    OTHER_HEADERS = -32020,
    OTHER_REVISION = -32022,
};

static const char stateless[] = "2026-07-28";
static const char *const before[] = {"2025-11-25", "2025-06-18", "2024-11-05"};
enum { N_BEFORE = sizeof(before) / sizeof(before[0]) };
static const char key_version[] = "io.modelcontextprotocol/protocolVersion";
static const char key_server[] = "io.modelcontextprotocol/serverInfo";
static const char instructions[] =
    "Where CPU pipeline slots went, of stored runs of tdtop: Top-Down Microarchitecture Analysis. "
    "list_profiling_runs finds runs; query_bottlenecks says what limits one, what is ruled out and "
    "which experiment would decide; compare_runs and compare_by_labels say what surely changed; "
    "explain_metric what a node means and what to try. A value is known to its err (95 %); a node "
    "without a value has a reason. Shares are of pipeline slots or of clocks, as share_of says.";

/* One request that is being answered. */
struct call {
    const struct mcp *m;
    const json_t *id, *params;
    bool modern;
};

/* ---- answers ---- */

static char *dump(json_t *o) {
    char *text = o ? json_dumps(o, JSON_COMPACT | JSON_REAL_PRECISION(6)) : NULL;
    json_decref(o);
    return text;
}

static char *fail(const json_t *id, int code, const char *words, json_t *data) {
    char safe[512]; /* a name that was cut may end in the middle of a character */
    json_t *e = json_pack("{s:i, s:s, s:o*}", "code", code, "message",
                          str_safe(safe, sizeof(safe), words), "data", data);
    return dump(json_pack("{s:s, s:O?, s:o}", "jsonrpc", "2.0", "id", id, "error", e));
}

static json_t *server_info(void) {
    return json_pack("{s:s, s:s, s:s}", "name", "tdtop", "title",
                     "tdtop: where CPU pipeline slots go", "version", TDTOP_VERSION);
}

/* Before 2026-07-28 messages that answer no request have no way over HTTP. */
static bool subscribes(const struct call *c) {
    return c->m->live && (c->modern || !c->m->stream);
}

static json_t *capabilities(const struct call *c) {
    json_t *resources = subscribes(c) ? json_pack("{s:b}", "subscribe", true) : json_object();
    return json_pack("{s:{}, s:o}", "tools", "resources", resources);
}

/* cached: how long its content stays as it is, in ms; -1: that is not said of this result. */
static char *give(const struct call *c, json_t *result, int cached) {
    if (!result)
        return fail(c->id, INTERNAL, "out of memory", NULL);
    if (c->modern) {
        json_object_set_new(result, "resultType", json_string("complete"));
        json_object_set_new(result, "_meta", json_pack("{s:o}", key_server, server_info()));
        if (cached >= 0) {
            json_object_set_new(result, "ttlMs", json_integer(cached));
            json_object_set_new(result, "cacheScope", json_string("private"));
        }
    }
    return dump(json_pack("{s:s, s:O?, s:o}", "jsonrpc", "2.0", "id", c->id, "result", result));
}

static const char *text_of(const struct call *c, const char *key) {
    return json_string_value(json_object_get(c->params, key));
}

static char *lacks(const struct call *c, const char *what) {
    char words[96];
    snprintf(words, sizeof(words), "%s: it is missing, or no text", what);
    return fail(c->id, INVALID_PARAMS, words, NULL);
}

/* ---- methods ---- */

static char *initialize(const struct call *c) {
    const char *asked = text_of(c, "protocolVersion"), *speaks = before[0];
    if (!asked)
        return lacks(c, "protocolVersion");
    for (int i = 0; i < N_BEFORE; i++)
        if (strcmp(asked, before[i]) == 0)
            speaks = before[i];
    return give(c,
                json_pack("{s:s, s:o, s:o, s:s}", "protocolVersion", speaks, "capabilities",
                          capabilities(c), "serverInfo", server_info(), "instructions",
                          instructions),
                -1);
}

static json_t *revisions(void) {
    json_t *all = json_pack("[s]", stateless);
    for (int i = 0; i < N_BEFORE; i++)
        json_array_append_new(all, json_string(before[i]));
    return all;
}

static char *discover(const struct call *c) {
    return give(c,
                json_pack("{s:[s], s:o, s:s}", "supportedVersions", stateless, "capabilities",
                          capabilities(c), "instructions", instructions),
                3600000);
}

static char *ping(const struct call *c) {
    return give(c, json_object(), -1);
}

static char *tools_list(const struct call *c) {
    return give(c, mcp_tools_list(c->m), 3600000);
}

static char *tools_call(const struct call *c) {
    const char *name = text_of(c, "name");
    bool unknown = false;
    if (!name)
        return lacks(c, "name");
    json_t *r = mcp_tools_call(c->m, name, json_object_get(c->params, "arguments"), &unknown);
    if (!unknown)
        return give(c, r, -1);
    char words[160];
    snprintf(words, sizeof(words), "unknown tool: %.80s; tools/list names those that there are",
             name);
    return fail(c->id, INVALID_PARAMS, words, NULL);
}

static char *resources_list(const struct call *c) {
    return give(c, mcp_resources_list(c->m), 3600000);
}

static char *templates_list(const struct call *c) {
    return give(c, mcp_templates_list(c->m), 3600000);
}

static char *resources_read(const struct call *c) {
    const char *uri = text_of(c, "uri");
    char words[512] = "";
    if (!uri)
        return lacks(c, "uri");
    json_t *r = mcp_resources_read(c->m, uri, words, sizeof(words));
    if (!r && words[0])
        return fail(c->id, c->modern ? INVALID_PARAMS : NO_RESOURCE, words,
                    json_pack("{s:s}", "uri", uri));
    return give(c, r, 0);
}

/* ---- who listens to tdtop://live ---- */

static char *fail_subscribe(const struct call *c, const char *uri, const struct err *err) {
    return fail(c->id, INVALID_PARAMS, err->text, uri ? json_pack("{s:s}", "uri", uri) : NULL);
}

/* NULL: it may. */
static char *refuse_subscribe(const struct call *c) {
    if (subscribes(c))
        return NULL;
    return fail(c->id, NO_METHOD,
                c->m->live ? "over HTTP revision 2026-07-28 alone can subscribe: "
                             "subscriptions/listen; or use standard input and output"
                           : "measuring is not allowed: start tdtop mcp with --allow-collect",
                NULL);
}

/* It is measured, and l listens to it. 0 or negative errno with words. */
static int listen_to(const struct call *c, struct mcp_listen *l, const char *uri, struct err *err) {
    const struct mcp_live *live = c->m->live;
    char target[MCP_TARGET];
    if (strlen(uri) >= MCP_URI || !mcp_live_target(uri, target, sizeof(target)))
        return err_set(err, -EINVAL,
                       "only tdtop://live/TARGET can be subscribed to, TARGET the name of a "
                       "process, a pid or a unit");
    int rc = live->begin(live->user, target, err);
    if (rc == 0 && (rc = mcp_listen_add(live->listens, l, uri, target)) < 0)
        err_set(err, rc, "%s",
                rc == -ENOSPC ? "there are 64 subscriptions already; unsubscribe from one"
                              : "out of memory");
    return rc;
}

static int begin_listen(const struct call *c, const char *id, struct mcp_listen **l,
                        struct err *err) {
    const int rc = mcp_listen_begin(c->m->live->listens, id, id && c->m->stream, l);
    return rc == 0         ? 0
           : rc == -EEXIST ? err_set(err, rc, "a request with this id listens already")
           : rc == -ENOSPC
               ? err_set(err, rc, "%d streams listen already; cancel one", MCP_LISTEN_MOST)
               : err_set(err, rc, "out of memory");
}

static char *subscribe(const struct call *c) {
    const char *uri = text_of(c, "uri");
    struct mcp_listen *l;
    struct err err = {0};
    char *no = refuse_subscribe(c);
    if (no || !uri)
        return no ? no : lacks(c, "uri");
    int rc = begin_listen(c, NULL, &l, &err);
    if (rc == 0)
        rc = listen_to(c, l, uri, &err);
    return rc < 0 ? fail_subscribe(c, uri, &err) : give(c, json_object(), -1);
}

static char *unsubscribe(const struct call *c) {
    const char *uri = text_of(c, "uri");
    char *no = refuse_subscribe(c);
    if (no || !uri)
        return no ? no : lacks(c, "uri");
    mcp_listen_remove(c->m->live->listens, uri);
    return give(c, json_object(), -1);
}

/* Those of a list that can be; where none can, that is an error. */
static int listen_to_all(const struct call *c, struct mcp_listen *l, const json_t *uris,
                         struct err *err) {
    size_t i, good = 0;
    json_t *uri;
    int rc = uris && (!json_is_array(uris) || json_array_size(uris) > MCP_LISTEN_MOST)
                 ? err_set(err, -EINVAL, "resourceSubscriptions: give a list of at most %d URIs",
                           MCP_LISTEN_MOST)
                 : 0;
    if (rc < 0)
        return rc;
    json_array_foreach(uris, i, uri) {
        struct err why = {0};
        int one = json_is_string(uri) ? listen_to(c, l, json_string_value(uri), &why)
                                      : err_set(&why, -EINVAL, "resourceSubscriptions: give texts");
        good += one == 0;
        if (one < 0 && rc == 0) {
            rc = one;
            *err = why;
        }
    }
    return good ? 0 : rc;
}

/* Its answer is the end of a stream; the acknowledgement comes first on it. */
static char *listen(const struct call *c) {
    const json_t *what = json_object_get(c->params, "notifications");
    struct err err = {0};
    struct mcp_listen *l = NULL;
    char *no = refuse_subscribe(c);
    if (no || !json_is_object(what))
        return no ? no : fail(c->id, INVALID_PARAMS, "notifications: give an object", NULL);
    struct mcp_listens *all = c->m->live->listens;
    char *id = json_dumps(c->id, JSON_ENCODE_ANY | JSON_COMPACT);
    int rc = id ? begin_listen(c, id, &l, &err) : err_set(&err, -ENOMEM, "out of memory");
    if (rc == 0)
        rc = listen_to_all(c, l, json_object_get(what, "resourceSubscriptions"), &err);
    if (rc < 0) {
        mcp_listen_drop(all, l);
        free(id);
        return fail_subscribe(c, NULL, &err);
    }
    if (c->m->stream)
        *c->m->stream = l;
    mcp_listen_start(all, l);
    if (!c->m->stream && mcp_is_cancelled(c->m))
        mcp_listen_cancel(all, id);
    free(id);
    return NULL;
}

static const struct {
    const char *name;
    char *(*answer)(const struct call *c);
    bool legacy, modern;
} methods[] = {{"initialize", initialize, true, false},
               {"ping", ping, true, false},
               {"server/discover", discover, false, true},
               {"tools/list", tools_list, true, true},
               {"tools/call", tools_call, true, true},
               {"resources/list", resources_list, true, true},
               {"resources/templates/list", templates_list, true, true},
               {"resources/read", resources_read, true, true},
               {"resources/subscribe", subscribe, true, false},
               {"resources/unsubscribe", unsubscribe, true, false},
               {"subscriptions/listen", listen, false, true}};

/* ---- messages ---- */

static char *refuse(const struct call *c, char *answer) {
    if (c->m->refused)
        *c->m->refused = true;
    return answer;
}

static bool same(const char *a, const char *b) {
    return a && b && strcmp(a, b) == 0;
}

/* Who forwards a message by its headers must have forwarded what it says. NULL: so it is. */
static char *check_headers(const struct call *c, const char *method) {
    const struct mcp_headers *h = c->m->headers;
    const char *name = strcmp(method, "tools/call") == 0       ? text_of(c, "name")
                       : strcmp(method, "resources/read") == 0 ? text_of(c, "uri")
                                                               : NULL;
    const char *lies = !same(h->version, stateless)   ? "MCP-Protocol-Version"
                       : !same(h->method, method)     ? "Mcp-Method"
                       : name && !same(h->name, name) ? "Mcp-Name"
                                                      : NULL;
    char words[96];
    if (!lies)
        return NULL;
    snprintf(words, sizeof(words), "the header %s is missing, or not what the message says", lies);
    return refuse(c, fail(c->id, OTHER_HEADERS, words, NULL));
}

static char *other_revision(const struct call *c, const char *asked) {
    return fail(c->id, OTHER_REVISION, "this revision of the protocol is not spoken",
                json_pack("{s:o, s:s}", "supported", revisions(), "requested", asked));
}

static char *request(const struct mcp *m, const json_t *o) {
    const json_t *id = json_object_get(o, "id");
    const char *method = json_string_value(json_object_get(o, "method"));
    struct call c = {.m = m, .id = id, .params = json_object_get(o, "params")};
    if (!method && !id)
        return fail(NULL, INVALID_REQUEST, "neither a request nor an answer", NULL);
    if (!id || !method) /* a notification: nothing is to be done; or an answer: nothing was asked */
        return NULL;
    if (!json_is_integer(id) && !json_is_string(id))
        return fail(NULL, INVALID_REQUEST, "id: give a number or a text", NULL);
    if (c.params && !json_is_object(c.params))
        return fail(id, INVALID_PARAMS, "params: give an object", NULL);
    const json_t *version = json_object_get(json_object_get(c.params, "_meta"), key_version);
    if (version && !json_is_string(version))
        return fail(id, INVALID_PARAMS, "_meta: the revision is no text", NULL);
    c.modern = version != NULL;
    if (c.modern && strcmp(json_string_value(version), stateless) != 0)
        return refuse(&c, other_revision(&c, json_string_value(version)));
    char *lies = c.modern && m->headers ? check_headers(&c, method) : NULL;
    if (lies)
        return lies;
    for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); i++)
        if (strcmp(method, methods[i].name) == 0 &&
            (c.modern ? methods[i].modern : methods[i].legacy))
            return methods[i].answer(&c);
    char words[160];
    snprintf(words, sizeof(words), "no such method: %.100s", method);
    return fail(id, NO_METHOD, words, NULL);
}

char *mcp_answer(const struct mcp *m, const char *text, size_t n) {
    json_error_t why;
    json_t *o = json_loadb(text, n, JSON_REJECT_DUPLICATES, &why);
    char *answer;
    if (!o)
        answer = fail(NULL, PARSE_ERROR, why.text, NULL);
    else if (!json_is_object(o))
        answer = fail(NULL, INVALID_REQUEST, "give one object a line", NULL);
    else
        answer = request(m, o);
    json_decref(o);
    if (answer && mcp_is_cancelled(m)) { /* nobody waits for it */
        free(answer);
        answer = NULL;
    }
    return answer;
}

bool mcp_is_cancelled(const struct mcp *m) {
    struct pollfd p = {.fd = m->cancel_fd, .events = POLLIN};
    return poll(&p, 1, 0) > 0;
}

char *mcp_id(const char *text, size_t n) {
    json_t *o = json_loadb(text, n, 0, NULL);
    char *id = json_dumps(json_object_get(o, "id"), JSON_ENCODE_ANY | JSON_COMPACT);
    json_decref(o);
    return id;
}

char *mcp_cancels(const char *text, size_t n) {
    static const char method[] = "notifications/cancelled";
    if (!memmem(text, n, method, sizeof(method) - 1))
        return NULL;
    json_t *o = json_loadb(text, n, 0, NULL);
    const char *is = json_string_value(json_object_get(o, "method"));
    const json_t *of = json_object_get(json_object_get(o, "params"), "requestId");
    char *id =
        is && strcmp(is, method) == 0 ? json_dumps(of, JSON_ENCODE_ANY | JSON_COMPACT) : NULL;
    json_decref(o);
    return id;
}

char *mcp_too_long(void) {
    return fail(NULL, INVALID_REQUEST, "the message is longer than 4 MB", NULL);
}
