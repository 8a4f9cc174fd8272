#include "model/mailbox.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { SLOTS = 5, DEADLINE_MS = 10000 };

static const struct control one_second = {.interval_ns = 1000000000};

static bool readable(int fd, int timeout_ms) {
    struct pollfd p = {.fd = fd, .events = POLLIN};
    return poll(&p, 1, timeout_ms) == 1;
}

/* A sample that shows whether it was torn: every slot holds its number. */
static void fill(struct sample *s, uint64_t seq) {
    s->seq = seq;
    for (uint32_t i = 0; i < s->n_slot; i++)
        s->at[i] = (struct count){.value = (double)seq, .state = COUNT_OK};
}

static bool intact(const struct sample *s) {
    for (uint32_t i = 0; i < s->n_slot; i++)
        if (s->at[i].value != (double)s->seq)
            return false;
    return true;
}

struct pair {
    struct mailbox box;
    struct sample in, out;
};

static void open_pair(struct pair *p, bool lossless) {
    assert_int_equal(mailbox_init(&p->box, SLOTS, lossless, &one_second), 0);
    assert_int_equal(sample_init(&p->in, SLOTS), 0);
    assert_int_equal(sample_init(&p->out, SLOTS), 0);
}

static void close_pair(struct pair *p) {
    mailbox_destroy(&p->box);
    sample_destroy(&p->in);
    sample_destroy(&p->out);
}

static void live_drops_the_oldest(void **state) {
    (void)state;
    struct pair p;
    uint64_t dropped = 99;
    open_pair(&p, false);
    assert_false(readable(p.box.event_fd, 0));
    for (uint64_t i = 0; i < MAILBOX_CAP + 3; i++) {
        fill(&p.in, i);
        assert_int_equal(mailbox_push(&p.box, &p.in), 0);
    }
    assert_true(readable(p.box.event_fd, 0));
    mailbox_state(&p.box, &dropped, NULL, NULL);
    assert_int_equal(dropped, 3);
    for (uint64_t i = 3; i < MAILBOX_CAP + 3; i++) {
        assert_true(mailbox_pop(&p.box, &p.out));
        assert_int_equal(p.out.seq, i); /* the gap before the first shows what was lost */
        assert_true(intact(&p.out));
    }
    assert_false(mailbox_pop(&p.box, &p.out));
    assert_false(readable(p.box.event_fd, 0)); /* cleared */
    fill(&p.in, 100);
    mailbox_push(&p.box, &p.in);
    assert_true(readable(p.box.event_fd, 0));
    close_pair(&p);
}

static void the_last_word_comes_last(void **state) {
    (void)state;
    struct pair p;
    struct err why = {0};
    int code = -5;
    open_pair(&p, false);
    assert_int_equal(mailbox_state(&p.box, NULL, &code, &why), STREAM_LIVE);
    assert_int_equal(code, -1);
    fill(&p.in, 1);
    mailbox_push(&p.box, &p.in);
    const struct err gone = {.code = -ESRCH, .text = "redis-server 42: exited"};
    mailbox_finish(&p.box, STREAM_GONE, 3, &gone);
    assert_true(readable(p.box.event_fd, 0));
    assert_int_equal(mailbox_state(&p.box, NULL, NULL, NULL), STREAM_LIVE);
    assert_true(mailbox_pop(&p.box, &p.out));
    assert_int_equal(mailbox_state(&p.box, NULL, &code, &why), STREAM_GONE);
    assert_int_equal(code, 3);
    assert_string_equal(why.text, gone.text);
    close_pair(&p);

    open_pair(&p, true); /* an empty box wakes its reader too, and no words are fine */
    mailbox_finish(&p.box, STREAM_ENDED, -1, NULL);
    assert_true(readable(p.box.event_fd, 0));
    assert_false(mailbox_pop(&p.box, &p.out));
    assert_int_equal(mailbox_state(&p.box, NULL, NULL, NULL), STREAM_ENDED);
    close_pair(&p);
}

static void newest_request_wins(void **state) {
    (void)state;
    struct pair p;
    uint64_t seq = 0;
    struct control c = {0};
    open_pair(&p, false);
    assert_true(mailbox_control(&p.box, &seq, &c)); /* the first is there from the start */
    assert_int_equal(c.interval_ns, 1000000000);
    assert_false(mailbox_control(&p.box, &seq, &c));
    assert_false(readable(p.box.wake_fd, 0));

    mailbox_request(&p.box, &(struct control){.interval_ns = 500});
    mailbox_request(&p.box, &(struct control){.interval_ns = 250, .paused = true});
    assert_true(readable(p.box.wake_fd, 0));
    assert_true(mailbox_control(&p.box, &seq, &c));
    assert_int_equal(c.interval_ns, 250);
    assert_true(c.paused);
    assert_false(mailbox_control(&p.box, &seq, &c));
    close_pair(&p);
}

static void close_refuses_more(void **state) {
    (void)state;
    struct pair p;
    open_pair(&p, false);
    fill(&p.in, 1);
    assert_int_equal(mailbox_push(&p.box, &p.in), 0);
    mailbox_close(&p.box);
    assert_true(readable(p.box.wake_fd, 0));
    assert_int_equal(mailbox_push(&p.box, &p.in), -ECANCELED);
    close_pair(&p);
}

static void destroy_accepts_any_box(void **state) {
    (void)state;
    struct mailbox box;
    memset(&box, 0, sizeof(box));
    mailbox_destroy(&box); /* must not close descriptor 0 */
    assert_int_not_equal(fcntl(STDIN_FILENO, F_GETFD), -1);
    assert_int_equal(mailbox_init(&box, SLOTS, false, &one_second), 0);
    mailbox_destroy(&box);
    mailbox_destroy(&box);
}

/* --- with a real thread --------------------------------------------------------------------- */

enum { MANY = 3000 };

struct sender {
    struct mailbox *box;
    uint64_t n;
    int rc;            /* of the last push; read after the join */
    uint64_t pushed;   /* likewise */
    uint64_t interval; /* the newest request it saw; likewise */
};

static void *send_all(void *user) {
    struct sender *me = user;
    struct sample s;
    struct control c;
    uint64_t seq = 0;
    if (sample_init(&s, SLOTS) < 0)
        return NULL;
    for (uint64_t i = 0; i < me->n && me->rc == 0; i++) {
        fill(&s, i);
        me->rc = mailbox_push(me->box, &s);
        me->pushed += me->rc == 0;
        if (mailbox_control(me->box, &seq, &c))
            me->interval = c.interval_ns;
    }
    mailbox_finish(me->box, STREAM_ENDED, 0, NULL);
    sample_destroy(&s);
    return NULL;
}

/* Reads until the end. Returns how many samples came; fails if one is torn or out of order. */
static uint64_t read_all(struct pair *p, bool gaps_allowed) {
    uint64_t n = 0, next = 0;
    while (true) {
        if (!readable(p->box.event_fd, DEADLINE_MS))
            fail_msg("the box stays silent after %d samples", (int)n);
        while (mailbox_pop(&p->box, &p->out)) {
            if (!intact(&p->out) || p->out.seq < next || (p->out.seq > next && !gaps_allowed))
                fail_msg("sample %d after %d", (int)p->out.seq, (int)next);
            next = p->out.seq + 1;
            if (++n % 100 == 0)
                mailbox_request(&p->box, &(struct control){.interval_ns = n});
        }
        if (mailbox_state(&p->box, NULL, NULL, NULL) != STREAM_LIVE)
            return n;
    }
}

static void lossless_loses_nothing(void **state) {
    (void)state;
    struct pair p;
    pthread_t thread;
    open_pair(&p, true);
    struct sender sender = {.box = &p.box, .n = MANY};
    assert_int_equal(pthread_create(&thread, NULL, send_all, &sender), 0);
    assert_int_equal(read_all(&p, false), MANY);
    pthread_join(thread, NULL);
    uint64_t dropped = 1;
    mailbox_state(&p.box, &dropped, NULL, NULL);
    assert_int_equal(dropped, 0);
    assert_true(sender.interval % 100 == 0 && sender.interval > 0); /* it saw requests */
    close_pair(&p);
}

static void live_counts_what_it_loses(void **state) {
    (void)state;
    struct pair p;
    pthread_t thread;
    uint64_t dropped = 0;
    open_pair(&p, false);
    struct sender sender = {.box = &p.box, .n = MANY};
    assert_int_equal(pthread_create(&thread, NULL, send_all, &sender), 0);
    const uint64_t got = read_all(&p, true);
    pthread_join(thread, NULL);
    mailbox_state(&p.box, &dropped, NULL, NULL);
    assert_int_equal(got + dropped, MANY);
    assert_int_equal(p.out.seq, MANY - 1); /* the newest is never the one that is lost */
    close_pair(&p);
}

static void close_lets_a_waiting_sender_go(void **state) {
    (void)state;
    struct pair p;
    pthread_t thread;
    open_pair(&p, true);
    struct sender sender = {.box = &p.box, .n = MANY};
    assert_int_equal(pthread_create(&thread, NULL, send_all, &sender), 0);
    for (unsigned n = 0; n < MAILBOX_CAP; usleep(1000)) { /* until it must wait for room */
        pthread_mutex_lock(&p.box.lock);
        n = p.box.n;
        pthread_mutex_unlock(&p.box.lock);
    }
    mailbox_close(&p.box);
    pthread_join(thread, NULL);
    assert_int_equal(sender.rc, -ECANCELED);
    assert_int_equal(sender.pushed, MAILBOX_CAP);
    close_pair(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(live_drops_the_oldest),
        cmocka_unit_test(the_last_word_comes_last),
        cmocka_unit_test(newest_request_wins),
        cmocka_unit_test(close_refuses_more),
        cmocka_unit_test(destroy_accepts_any_box),
        cmocka_unit_test(lossless_loses_nothing),
        cmocka_unit_test(live_counts_what_it_loses),
        cmocka_unit_test(close_lets_a_waiting_sender_go),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
