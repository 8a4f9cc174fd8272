/* Who listens to tdtop://live: what is said to whom, in which order, and how much is kept. */
#include "serve/mcp_listen.h"

#include <errno.h>
#include <jansson.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static bool is_readable(int fd) {
    struct pollfd p = {.fd = fd, .events = POLLIN};
    return poll(&p, 1, 0) > 0;
}

static void expect(struct mcp_listens *all, struct mcp_listen *l, const char *line) {
    char *text = mcp_listen_next(all, l, NULL);
    if (line)
        assert_string_equal(text ? text : "", line);
    else
        assert_null(text);
    free(text);
}

static const char ack[] =
    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/subscriptions/acknowledged\",\"params\":{"
    "\"notifications\":{\"resourceSubscriptions\":[\"tdtop://live/a\"]},\"_meta\":{"
    "\"io.modelcontextprotocol/subscriptionId\":\"x\"}}}";
static const char updated[] =
    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/resources/updated\",\"params\":{\"uri\":"
    "\"tdtop://live/a\",\"_meta\":{\"io.modelcontextprotocol/subscriptionId\":\"x\"}}}";
static const char updated_before[] = "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/resources/"
                                     "updated\",\"params\":{\"uri\":\"tdtop://live/a\"}}";
static const char ended[] = "{\"jsonrpc\":\"2.0\",\"id\":\"x\",\"result\":{\"resultType\":"
                            "\"complete\",\"_meta\":{\"io.modelcontextprotocol/subscriptionId\":"
                            "\"x\"}}}";

static struct mcp_listen *begin(struct mcp_listens *all, const char *id, bool own) {
    struct mcp_listen *l;
    assert_int_equal(mcp_listen_begin(all, id, own, &l), 0);
    assert_int_equal(mcp_listen_add(all, l, "tdtop://live/a", "a"), 0);
    return l;
}

/* The acknowledgement is the first, a change that comes before it waits, many are one. */
static void test_order(void **state) {
    (void)state;
    struct mcp_listens *all = mcp_listens_open();
    struct mcp_listen *l = begin(all, "\"x\"", false);
    mcp_listens_changed(all, "a");
    mcp_listens_changed(all, "b");
    expect(all, NULL, NULL);
    mcp_listen_start(all, l);
    for (int i = 0; i < 100000; i++)
        mcp_listens_changed(all, "a");
    assert_true(is_readable(mcp_listens_fd(all)));
    expect(all, NULL, ack);
    expect(all, NULL, updated);
    expect(all, NULL, NULL);
    assert_false(is_readable(mcp_listens_fd(all)));
    mcp_listens_end(all);
    expect(all, NULL, ended);
    expect(all, NULL, NULL);
    assert_false(mcp_listens_has(all, "a"));
    mcp_listens_close(all);
}

/* That of resources/subscribe is one, which needs no acknowledgement, and ends without a word. */
static void test_before(void **state) {
    (void)state;
    struct mcp_listens *all = mcp_listens_open();
    assert_ptr_equal(begin(all, NULL, false), begin(all, NULL, false));
    mcp_listens_changed(all, "a");
    expect(all, NULL, updated_before);
    expect(all, NULL, NULL);
    mcp_listen_remove(all, "tdtop://live/b");
    assert_true(mcp_listens_has(all, "a"));
    mcp_listen_remove(all, "tdtop://live/a");
    assert_false(mcp_listens_has(all, "a"));
    mcp_listens_end(all);
    expect(all, NULL, NULL);
    mcp_listens_close(all);
}

static void test_own(void **state) {
    (void)state;
    struct mcp_listens *all = mcp_listens_open();
    struct mcp_listen *l = begin(all, "\"x\"", true), *same = begin(all, "\"x\"", true);
    bool over;
    mcp_listen_start(all, l);
    mcp_listens_changed(all, "a");
    assert_true(is_readable(mcp_listen_fd(l)));
    assert_false(is_readable(mcp_listens_fd(all)));
    expect(all, NULL, NULL);
    expect(all, l, ack);
    expect(all, l, updated);
    expect(all, same, NULL); /* it has not begun */
    mcp_listen_drop(all, same);
    mcp_listen_cancel(all, "\"x\""); /* of standard output only */
    assert_true(mcp_listens_has(all, "a"));
    mcp_listens_end(all);
    char *text = mcp_listen_next(all, l, &over);
    assert_string_equal(text, ended);
    assert_true(over);
    free(text);
    mcp_listen_drop(all, l);
    assert_false(mcp_listens_has(all, "a"));
    mcp_listens_close(all);
}

static void test_bounds(void **state) {
    (void)state;
    struct mcp_listens *all = mcp_listens_open();
    struct mcp_listen *l, *none;
    char id[16];
    for (int i = 0; i < MCP_LISTEN_MOST; i++) {
        snprintf(id, sizeof(id), "%d", i);
        l = begin(all, id, i % 2);
    }
    assert_int_equal(mcp_listen_begin(all, "64", false, &none), -ENOSPC);
    assert_int_equal(mcp_listen_begin(all, NULL, false, &none), -ENOSPC);
    assert_null(none);
    assert_int_equal(mcp_listen_begin(all, "0", false, &none), -EEXIST);
    for (int i = 1; i < MCP_LISTEN_MOST; i++) {
        snprintf(id, sizeof(id), "u%d", i);
        assert_int_equal(mcp_listen_add(all, l, id, "b"), 0);
    }
    assert_int_equal(mcp_listen_add(all, l, "u64", "b"), -ENOSPC);
    assert_int_equal(mcp_listen_add(all, l, "u1", "b"), 0);
    mcp_listen_cancel(all, "0"); /* who makes it still uses it */
    assert_int_equal(mcp_listen_begin(all, "new", false, &none), -ENOSPC);
    mcp_listen_drop(all, l);
    assert_int_equal(mcp_listen_begin(all, "new", false, &none), 0);
    mcp_listens_close(all);
}

/* One says that things change, the other listens, is cancelled, and listens again. */
static void *change(void *user) {
    for (int i = 0; i < 20000; i++)
        mcp_listens_changed(user, "a");
    return NULL;
}

static void test_threads(void **state) {
    (void)state;
    struct mcp_listens *all = mcp_listens_open();
    pthread_t thread;
    int n = 0;
    assert_int_equal(pthread_create(&thread, NULL, change, all), 0);
    for (int i = 0; i < 2000; i++) {
        mcp_listen_start(all, begin(all, "\"x\"", false));
        for (char *text; (text = mcp_listen_next(all, NULL, NULL)); n++)
            free(text);
        mcp_listen_cancel(all, "\"x\"");
        assert_false(mcp_listens_has(all, "a"));
    }
    pthread_join(thread, NULL);
    assert_true(n >= 2000);
    mcp_listens_close(all);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order),  cmocka_unit_test(test_before),  cmocka_unit_test(test_own),
        cmocka_unit_test(test_bounds), cmocka_unit_test(test_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
