/*
 * A reader that fell behind finds the intervals that there was no room for summed up in one, so
 * that sums and rows cover all the time, and the box holds no more than before.
 */
#include "pmu/mailbox.h"

#include "base/str.h"

#include <errno.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

/* A full counter (EAGAIN) is readable already: nothing is lost. */
static void signal_fd(int fd) {
    const uint64_t one = 1;
    while (write(fd, &one, sizeof(one)) < 0 && errno == EINTR)
        continue;
}

/* False: there was nothing to clear. */
static bool clear_fd(int fd) {
    uint64_t count;
    ssize_t n;
    while ((n = read(fd, &count, sizeof(count))) < 0 && errno == EINTR)
        continue;
    return n > 0;
}

/* With the lock held: is the reader to be signalled? That is done without it, or the reader wakes
 * only to wait for the lock. */
static bool must_tell(struct mailbox *mb) {
    const bool tell = !mb->alone && !mb->signalled;
    mb->signalled |= tell;
    return tell;
}

static int init_lock(struct mailbox *mb) {
    int rc = -pthread_mutex_init(&mb->lock, NULL);
    if (rc < 0)
        return rc;
    rc = -pthread_cond_init(&mb->room, NULL);
    if (rc < 0)
        pthread_mutex_destroy(&mb->lock);
    mb->ready = rc == 0;
    return rc;
}

bool group_set_same(const struct group_set *a, const struct group_set *b) {
    return a->only == b->only && (!a->only || memcmp(a->bits, b->bits, sizeof(a->bits)) == 0);
}

bool group_set_has(const struct group_set *gs, uint32_t group) {
    if (!gs->only || group >= FOCUS_WORDS * 64)
        return true;
    return gs->bits[group / 64] >> (group % 64) & 1;
}

int mailbox_init(struct mailbox *mb, uint32_t n_slot, bool lossless, const struct control *first) {
    *mb = (struct mailbox){.event_fd = -1,
                           .wake_fd = -1,
                           .lossless = lossless,
                           .control = *first,
                           .control_seq = 1,
                           .exit_code = -1};
    int rc = init_lock(mb);
    if (rc < 0)
        return rc; /* nothing else exists yet */
    for (unsigned i = 0; i < MAILBOX_CAP && rc == 0; i++)
        rc = sample_init(&mb->slot[i], n_slot);
    if (rc < 0)
        goto fail;
    mb->event_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    mb->wake_fd = mb->event_fd < 0 ? -1 : eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    if (mb->wake_fd >= 0)
        return 0;
    rc = -errno;
fail:
    mailbox_destroy(mb);
    return rc;
}

void mailbox_destroy(struct mailbox *mb) {
    if (!mb->ready)
        return; /* never made, or destroyed before */
    if (mb->event_fd >= 0)
        close(mb->event_fd);
    if (mb->wake_fd >= 0)
        close(mb->wake_fd);
    for (unsigned i = 0; i < MAILBOX_CAP; i++)
        sample_destroy(&mb->slot[i]);
    unit_table_destroy(&mb->units);
    pthread_cond_destroy(&mb->room);
    pthread_mutex_destroy(&mb->lock);
    *mb = (struct mailbox){.event_fd = -1, .wake_fd = -1};
}

static void swap_tables(struct unit_table *a, struct unit_table *b) {
    struct unit_table was = *a;
    *a = *b;
    *b = was;
}

/* With the lock held. There is but one table, of one sample. */
static bool is_full(const struct mailbox *mb, bool rows) {
    const unsigned most = mb->lossless ? MAILBOX_AHEAD : MAILBOX_CAP;
    return mb->n >= most || (rows && mb->has_units);
}

/* With the lock held, after the sample that they belong to: without memory for those of both
 * intervals, those of the newer one. `newest` had that number before. */
static void put_rows(struct mailbox *mb, struct unit_table *rows, uint64_t newest) {
    if (!mb->has_units || mb->units.seq != newest || unit_table_merge(&mb->units, rows) < 0)
        swap_tables(&mb->units, rows);
    mb->has_units = true;
}

/* With the lock held, and room for it if the box is lossless. */
static void put(struct mailbox *mb, const struct sample *s, struct unit_table *rows) {
    struct sample *newest = &mb->slot[(mb->head + mb->n + MAILBOX_CAP - 1) % MAILBOX_CAP];
    const uint64_t seq = newest->seq;
    if (is_full(mb, rows) && mb->n > 0)
        sample_merge(newest, s);
    else
        sample_copy(&mb->slot[(mb->head + mb->n++) % MAILBOX_CAP], s);
    if (rows)
        put_rows(mb, rows, seq);
}

int mailbox_push(struct mailbox *mb, const struct sample *s, struct unit_table *rows) {
    pthread_mutex_lock(&mb->lock);
    while (mb->lossless && is_full(mb, rows) && !mb->closing)
        pthread_cond_wait(&mb->room, &mb->lock);
    const int rc = mb->closing ? -ECANCELED : 0;
    if (rc == 0)
        put(mb, s, rows);
    const bool tell = rc == 0 && must_tell(mb);
    pthread_mutex_unlock(&mb->lock);
    if (tell)
        signal_fd(mb->event_fd);
    return rc;
}

void mailbox_finish(struct mailbox *mb, enum stream_state state, int exit_code,
                    const struct err *why) {
    pthread_mutex_lock(&mb->lock);
    mb->state = state;
    mb->exit_code = exit_code;
    if (why)
        mb->last = *why;
    const bool tell = must_tell(mb);
    pthread_mutex_unlock(&mb->lock);
    if (tell)
        signal_fd(mb->event_fd);
}

bool mailbox_control(struct mailbox *mb, uint64_t *seq, struct control *out) {
    pthread_mutex_lock(&mb->lock);
    const bool newer = mb->control_seq > *seq;
    if (newer) {
        *seq = mb->control_seq;
        *out = mb->control;
    }
    pthread_mutex_unlock(&mb->lock);
    return newer;
}

/* With the lock held: the rows of that sample, if they are wanted. */
static void take_rows(struct mailbox *mb, uint64_t seq, struct unit_table *rows) {
    if (!mb->has_units || mb->units.seq != seq)
        return;
    if (rows)
        swap_tables(&mb->units, rows);
    mb->has_units = false;
}

bool mailbox_pop(struct mailbox *mb, struct sample *out, struct unit_table *rows) {
    pthread_mutex_lock(&mb->lock);
    const bool some = mb->n > 0;
    if (some) {
        sample_copy(out, &mb->slot[mb->head]);
        take_rows(mb, out->seq, rows);
        mb->head = (mb->head + 1) % MAILBOX_CAP;
        mb->n--;
        pthread_cond_signal(&mb->room);
    } else if (mb->signalled) { /* maybe by a signal that is still to come */
        mb->signalled = !clear_fd(mb->event_fd);
    }
    pthread_mutex_unlock(&mb->lock);
    return some;
}

enum stream_state mailbox_state(struct mailbox *mb, int *exit_code, struct err *why) {
    pthread_mutex_lock(&mb->lock);
    const enum stream_state state = mb->n > 0 ? STREAM_LIVE : mb->state;
    if (exit_code)
        *exit_code = mb->exit_code;
    if (why)
        *why = mb->last;
    pthread_mutex_unlock(&mb->lock);
    return state;
}

static void put_text(struct mailbox *mb, char *at, size_t cap, bool *has, const char *text) {
    pthread_mutex_lock(&mb->lock);
    str_copy(at, cap, text);
    *has = true;
    pthread_mutex_unlock(&mb->lock);
}

static bool take_text(struct mailbox *mb, const char *from, bool *has, char *buf, size_t cap) {
    pthread_mutex_lock(&mb->lock);
    bool any = *has;
    if (any)
        str_copy(buf, cap, from);
    *has = false;
    pthread_mutex_unlock(&mb->lock);
    return any;
}

void mailbox_put_status(struct mailbox *mb, const char *text) {
    put_text(mb, mb->status, sizeof(mb->status), &mb->has_status, text);
}

bool mailbox_take_status(struct mailbox *mb, char *buf, size_t cap) {
    return take_text(mb, mb->status, &mb->has_status, buf, cap);
}

void mailbox_put_name(struct mailbox *mb, const char *text) {
    put_text(mb, mb->name, sizeof(mb->name), &mb->has_name, text);
}

bool mailbox_take_name(struct mailbox *mb, char *buf, size_t cap) {
    return take_text(mb, mb->name, &mb->has_name, buf, cap);
}

void mailbox_put_look(struct mailbox *mb, const struct env_look *look) {
    pthread_mutex_lock(&mb->lock);
    mb->look = *look;
    mb->has_look = true;
    pthread_mutex_unlock(&mb->lock);
}

bool mailbox_take_look(struct mailbox *mb, struct env_look *out) {
    pthread_mutex_lock(&mb->lock);
    const bool any = mb->has_look;
    if (any)
        *out = mb->look;
    mb->has_look = false;
    pthread_mutex_unlock(&mb->lock);
    return any;
}

void mailbox_set_alone(struct mailbox *mb, bool alone) {
    pthread_mutex_lock(&mb->lock);
    mb->alone = alone;
    pthread_mutex_unlock(&mb->lock);
}

void mailbox_request(struct mailbox *mb, const struct control *c) {
    pthread_mutex_lock(&mb->lock);
    mb->control = *c;
    mb->control_seq++;
    if (!mb->alone)
        signal_fd(mb->wake_fd);
    pthread_mutex_unlock(&mb->lock);
}

void mailbox_close(struct mailbox *mb) {
    pthread_mutex_lock(&mb->lock);
    mb->closing = true;
    pthread_cond_broadcast(&mb->room);
    signal_fd(mb->wake_fd);
    pthread_mutex_unlock(&mb->lock);
}
