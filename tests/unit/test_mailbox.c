#include "pmu/mailbox.h"

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

/* A sample that shows whether it was torn or counted twice: every slot holds its number + 1. */
static void fill(struct sample *s, uint64_t seq) {
    s->seq = seq;
    s->t0_ns = seq * 10;
    s->t1_ns = s->t0_ns + 10;
    for (uint32_t i = 0; i < s->n_slot; i++)
        s->at[i] = (struct count){.value = (double)seq + 1, .state = COUNT_OK};
}

/* The sum of the numbers that a sample is made of. */
static double whole(const struct sample *s) {
    const double n = s->merged + 1.0;
    return n * ((double)s->seq + 1) - n * (n - 1) / 2;
}

static bool intact(const struct sample *s) {
    for (uint32_t i = 0; i < s->n_slot; i++)
        if (s->at[i].value != whole(s))
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

/* A reader that is slow finds all that was counted: the last sample has what there was no room for.
 */
static void live_merges_what_there_is_no_room_for(void **state) {
    (void)state;
    struct pair p;
    open_pair(&p, false);
    assert_false(readable(p.box.event_fd, 0));
    for (uint64_t i = 0; i < MAILBOX_CAP + 3; i++) {
        fill(&p.in, i);
        assert_int_equal(mailbox_push(&p.box, &p.in, NULL), 0);
    }
    assert_true(readable(p.box.event_fd, 0));
    for (uint64_t i = 0; i < MAILBOX_CAP - 1; i++) {
        assert_true(mailbox_pop(&p.box, &p.out, NULL));
        assert_int_equal(p.out.seq, i);
        assert_int_equal(p.out.merged, 0);
        assert_true(intact(&p.out));
    }
    assert_true(mailbox_pop(&p.box, &p.out, NULL));
    assert_int_equal(p.out.seq, MAILBOX_CAP + 2);
    assert_int_equal(p.out.merged, 3);
    assert_true(intact(&p.out));
    assert_int_equal(p.out.t0_ns, (MAILBOX_CAP - 1) * 10);
    assert_int_equal(p.out.t1_ns, (MAILBOX_CAP + 3) * 10);
    assert_false(mailbox_pop(&p.box, &p.out, NULL));
    assert_false(readable(p.box.event_fd, 0)); /* cleared */
    fill(&p.in, 100);
    mailbox_push(&p.box, &p.in, NULL);
    assert_true(readable(p.box.event_fd, 0));
    close_pair(&p);
}

static void the_last_word_comes_last(void **state) {
    (void)state;
    struct pair p;
    struct err why = {0};
    int code = -5;
    open_pair(&p, false);
    assert_int_equal(mailbox_state(&p.box, &code, &why), STREAM_LIVE);
    assert_int_equal(code, -1);
    fill(&p.in, 1);
    mailbox_push(&p.box, &p.in, NULL);
    const struct err gone = {.code = -ESRCH, .text = "redis-server 42: exited"};
    mailbox_finish(&p.box, STREAM_GONE, 3, &gone);
    assert_true(readable(p.box.event_fd, 0));
    assert_int_equal(mailbox_state(&p.box, NULL, NULL), STREAM_LIVE);
    assert_true(mailbox_pop(&p.box, &p.out, NULL));
    assert_int_equal(mailbox_state(&p.box, &code, &why), STREAM_GONE);
    assert_int_equal(code, 3);
    assert_string_equal(why.text, gone.text);
    close_pair(&p);

    open_pair(&p, true); /* an empty box wakes its reader too, and no words are fine */
    mailbox_finish(&p.box, STREAM_ENDED, -1, NULL);
    assert_true(readable(p.box.event_fd, 0));
    assert_false(mailbox_pop(&p.box, &p.out, NULL));
    assert_int_equal(mailbox_state(&p.box, NULL, NULL), STREAM_ENDED);
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

static void sets_of_groups(void **state) {
    (void)state;
    const struct group_set all = {0}, odd = {.bits = {5}};
    const struct group_set two = {.only = true, .bits = {1, 1ull << 63}}, none = {.only = true};
    static const struct {
        const char *what;
        uint32_t group;
        bool in_two, in_none;
    } cases[] = {
        {"the first", 0, true, false},
        {"not in it", 1, false, false},
        {"the last of a word", 127, true, false},
        {"beyond all bits: always", FOCUS_WORDS * 64, true, true},
        {"the last bit", FOCUS_WORDS * 64 - 1, false, false},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        if (!group_set_has(&all, cases[i].group) ||
            group_set_has(&two, cases[i].group) != cases[i].in_two ||
            group_set_has(&none, cases[i].group) != cases[i].in_none)
            fail_msg("%s", cases[i].what);
    assert_true(group_set_same(&all, &odd)); /* all is all, whatever the bits say */
    assert_true(group_set_same(&two, &two));
    assert_false(group_set_same(&two, &none));
    assert_false(group_set_same(&all, &none));
}

/* What the reader asks for comes through whole. */
static void a_request_has_groups_and_rows(void **state) {
    (void)state;
    struct pair p;
    uint64_t seq = 0;
    struct control c = {0};
    open_pair(&p, false);
    const struct control want = {
        .interval_ns = 5, .groups = {.only = true, .bits = {0x15}}, .units = true};
    mailbox_request(&p.box, &want);
    assert_true(mailbox_control(&p.box, &seq, &c));
    assert_true(group_set_same(&c.groups, &want.groups) && c.units && c.interval_ns == 5);
    close_pair(&p);
}

/* --- rows --- */

static const uint16_t row_slots[] = {0, 3};

/* A table of n rows that shows whether it was torn. */
static void fill_rows(struct unit_table *t, uint64_t seq) {
    if (!t->slot)
        assert_int_equal(unit_table_init(t, row_slots, 2), 0);
    t->n = (uint32_t)(1 + seq % 50);
    assert_int_equal(unit_table_reserve(t, t->n), 0);
    t->seq = seq;
    for (uint32_t i = 0; i < t->n; i++) {
        t->row[i] = (struct unit_row){.tid = (pid_t)seq};
        t->value[2 * i] = t->value[2 * i + 1] = (double)seq;
    }
}

static void check_rows(const struct unit_table *t, uint64_t seq) {
    assert_true(t->seq == seq && t->n == 1 + seq % 50);
    for (uint32_t i = 0; i < t->n; i++)
        if (t->row[i].tid != (pid_t)seq || t->value[2 * i + 1] != (double)seq)
            fail_msg("row %u of table %d", i, (int)seq);
}

static void push_rows(struct pair *p, struct unit_table *mine, uint64_t seq) {
    fill(&p->in, seq);
    fill_rows(mine, seq);
    assert_int_equal(mailbox_push(&p->box, &p->in, mine), 0);
}

static void rows_come_with_their_sample(void **state) {
    (void)state;
    struct pair p;
    struct unit_table mine = {0}, got = {0};
    open_pair(&p, false);
    push_rows(&p, &mine, 1);
    assert_null(mine.slot); /* none to give back yet: an empty one */
    fill(&p.in, 2);
    mailbox_push(&p.box, &p.in, NULL);
    assert_true(mailbox_pop(&p.box, &p.out, &got));
    check_rows(&got, 1);
    assert_true(mailbox_pop(&p.box, &p.out, &got)); /* which has none */
    check_rows(&got, 1);
    const struct unit_row *rows = got.row;
    push_rows(&p, &mine, 3);
    assert_true(mailbox_pop(&p.box, &p.out, NULL)); /* not wanted: gone with their sample */
    push_rows(&p, &mine, 4);
    assert_true(mailbox_pop(&p.box, &p.out, &got));
    check_rows(&got, 4);
    push_rows(&p, &mine, 5);
    assert_true(mailbox_pop(&p.box, &p.out, &got));
    push_rows(&p, &mine, 6);
    /* Three tables go round: none is made anew. */
    assert_true(got.row == rows || mine.row == rows || p.box.units.row == rows);
    unit_table_destroy(&mine);
    unit_table_destroy(&got);
    close_pair(&p); /* frees the one that is in the box */
}

static void rows_not_taken_yet_are_merged_with_their_sample(void **state) {
    (void)state;
    struct pair p;
    struct unit_table mine = {0}, got = {0};
    open_pair(&p, false);
    for (uint64_t i = 1; i <= 3; i++)
        push_rows(&p, &mine, i);
    assert_true(mailbox_pop(&p.box, &p.out, &got));
    assert_int_equal(p.out.merged, 2);
    assert_true(intact(&p.out));
    assert_int_equal(got.seq, 3);
    assert_int_equal(got.n, 2 + 3 + 4); /* all of other threads */
    assert_false(mailbox_pop(&p.box, &p.out, &got));
    unit_table_destroy(&mine);
    unit_table_destroy(&got);
    close_pair(&p);
}

static void close_refuses_more(void **state) {
    (void)state;
    struct pair p;
    open_pair(&p, false);
    fill(&p.in, 1);
    assert_int_equal(mailbox_push(&p.box, &p.in, NULL), 0);
    mailbox_close(&p.box);
    assert_true(readable(p.box.wake_fd, 0));
    assert_int_equal(mailbox_push(&p.box, &p.in, NULL), -ECANCELED);
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
        me->rc = mailbox_push(me->box, &s, NULL);
        me->pushed += me->rc == 0;
        if (mailbox_control(me->box, &seq, &c))
            me->interval = c.interval_ns;
    }
    mailbox_finish(me->box, STREAM_ENDED, 0, NULL);
    sample_destroy(&s);
    return NULL;
}

struct row_sender {
    struct mailbox *box;
    uint64_t n;
};

/* Thread 7 in each table, thread i in every other one, with a count of 1. */
static void *send_rows(void *user) {
    struct row_sender *me = user;
    struct unit_table mine = {0};
    struct sample s;
    if (sample_init(&s, SLOTS) < 0)
        return NULL;
    for (uint64_t i = 0; i < me->n; i++) {
        fill(&s, i);
        if (!mine.slot && unit_table_init(&mine, row_slots, 1) < 0)
            return NULL;
        mine.n = 1 + (uint32_t)(i % 2);
        if (unit_table_reserve(&mine, mine.n) < 0)
            return NULL;
        mine.seq = i;
        mine.t0_ns = s.t0_ns;
        mine.t1_ns = s.t1_ns;
        mine.row[0] = (struct unit_row){.tid = 7, .busy = 0.5};
        mine.row[1 % mine.n] =
            (struct unit_row){.tid = mine.n > 1 ? 1000 + (pid_t)i : 7, .busy = 0.5};
        mine.value[0] = mine.value[1 % mine.n] = 1;
        mailbox_push(me->box, &s, &mine);
    }
    unit_table_destroy(&mine);
    sample_destroy(&s);
    mailbox_finish(me->box, STREAM_ENDED, 0, NULL);
    return NULL;
}

/* Each sample has rows of just its time, and none is lost, however fast they come. */
static void no_row_is_lost_between_threads(bool lossless) {
    struct pair p;
    pthread_t thread;
    struct unit_table got = {0};
    uint64_t end_ns = 0;
    double seven = 0, others = 0, busy = 0;
    open_pair(&p, lossless);
    struct row_sender sender = {&p.box, MANY};
    assert_int_equal(pthread_create(&thread, NULL, send_rows, &sender), 0);
    while (mailbox_state(&p.box, NULL, NULL) == STREAM_LIVE) {
        assert_true(readable(p.box.event_fd, DEADLINE_MS));
        while (mailbox_pop(&p.box, &p.out, &got)) {
            assert_true(got.seq == p.out.seq && got.t0_ns == end_ns && p.out.t0_ns == end_ns);
            end_ns = got.t1_ns;
            for (uint32_t i = 0; i < got.n; i++) {
                *(got.row[i].tid == 7 ? &seven : &others) += got.value[i];
                busy += got.row[i].busy;
            }
        }
    }
    pthread_join(thread, NULL);
    assert_int_equal(end_ns, MANY * 10);
    assert_int_equal(seven, MANY);
    assert_int_equal(others, MANY / 2);
    assert_int_equal(busy * 2, MANY + MANY / 2);
    unit_table_destroy(&got);
    close_pair(&p);
}

static void rows_between_threads(void **state) {
    (void)state;
    no_row_is_lost_between_threads(false);
    no_row_is_lost_between_threads(true);
}

/* Reads until the end. Returns how many intervals came; fails if one is torn, lost or out of order.
 */
static uint64_t read_all(struct pair *p, bool may_merge) {
    uint64_t n = 0, next = 0;
    while (true) {
        if (!readable(p->box.event_fd, DEADLINE_MS))
            fail_msg("the box stays silent after %d samples", (int)n);
        while (mailbox_pop(&p->box, &p->out, NULL)) {
            if (!intact(&p->out) || p->out.seq != next + p->out.merged ||
                (p->out.merged && !may_merge))
                fail_msg("sample %d after %d", (int)p->out.seq, (int)next);
            n += p->out.merged;
            next = p->out.seq + 1;
            if (++n % 100 == 0)
                mailbox_request(&p->box, &(struct control){.interval_ns = n});
        }
        if (mailbox_state(&p->box, NULL, NULL) != STREAM_LIVE)
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
    assert_true(sender.interval % 100 == 0 && sender.interval > 0); /* it saw requests */
    close_pair(&p);
}

static void live_loses_nothing(void **state) {
    (void)state;
    struct pair p;
    pthread_t thread;
    open_pair(&p, false);
    struct sender sender = {.box = &p.box, .n = MANY};
    assert_int_equal(pthread_create(&thread, NULL, send_all, &sender), 0);
    assert_int_equal(read_all(&p, true), MANY);
    pthread_join(thread, NULL);
    assert_int_equal(p.out.seq, MANY - 1);
    close_pair(&p);
}

static void close_lets_a_waiting_sender_go(void **state) {
    (void)state;
    struct pair p;
    pthread_t thread;
    open_pair(&p, true);
    struct sender sender = {.box = &p.box, .n = MANY};
    assert_int_equal(pthread_create(&thread, NULL, send_all, &sender), 0);
    for (unsigned n = 0; n < MAILBOX_AHEAD; usleep(1000)) { /* until it must wait for room */
        pthread_mutex_lock(&p.box.lock);
        n = p.box.n;
        pthread_mutex_unlock(&p.box.lock);
    }
    mailbox_close(&p.box);
    pthread_join(thread, NULL);
    assert_int_equal(sender.rc, -ECANCELED);
    assert_int_equal(sender.pushed, MAILBOX_AHEAD);
    close_pair(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(live_merges_what_there_is_no_room_for),
        cmocka_unit_test(the_last_word_comes_last),
        cmocka_unit_test(newest_request_wins),
        cmocka_unit_test(sets_of_groups),
        cmocka_unit_test(a_request_has_groups_and_rows),
        cmocka_unit_test(rows_come_with_their_sample),
        cmocka_unit_test(rows_not_taken_yet_are_merged_with_their_sample),
        cmocka_unit_test(rows_between_threads),
        cmocka_unit_test(close_refuses_more),
        cmocka_unit_test(destroy_accepts_any_box),
        cmocka_unit_test(lossless_loses_nothing),
        cmocka_unit_test(live_loses_nothing),
        cmocka_unit_test(close_lets_a_waiting_sender_go),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
