/*
 * Newest wins: a screen that fell behind wants the present, and window sums count what was lost.
 * All writes to event_fd happen under the lock, so that "empty" and "not readable" agree.
 */
#include "model/mailbox.h"

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

static void clear_fd(int fd) {
    uint64_t count;
    while (read(fd, &count, sizeof(count)) < 0 && errno == EINTR)
        continue;
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

/* With the lock held: makes room for one sample. */
static void make_room(struct mailbox *mb) {
    while (mb->lossless && mb->n >= MAILBOX_AHEAD && !mb->closing)
        pthread_cond_wait(&mb->room, &mb->lock);
    if (mb->closing || mb->n < MAILBOX_CAP)
        return;
    mb->head = (mb->head + 1) % MAILBOX_CAP;
    mb->n--;
    mb->dropped++;
}

int mailbox_push(struct mailbox *mb, const struct sample *s) {
    pthread_mutex_lock(&mb->lock);
    make_room(mb);
    const int rc = mb->closing ? -ECANCELED : 0;
    if (rc == 0)
        sample_copy(&mb->slot[(mb->head + mb->n++) % MAILBOX_CAP], s);
    pthread_mutex_unlock(&mb->lock);
    if (rc == 0)
        signal_fd(mb->event_fd); /* unlocked: or the reader wakes only to wait for the lock */
    return rc;
}

void mailbox_finish(struct mailbox *mb, enum stream_state state, int exit_code,
                    const struct err *why) {
    pthread_mutex_lock(&mb->lock);
    mb->state = state;
    mb->exit_code = exit_code;
    if (why)
        mb->last = *why;
    pthread_mutex_unlock(&mb->lock);
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

bool mailbox_pop(struct mailbox *mb, struct sample *out) {
    pthread_mutex_lock(&mb->lock);
    const bool some = mb->n > 0;
    if (some) {
        sample_copy(out, &mb->slot[mb->head]);
        mb->head = (mb->head + 1) % MAILBOX_CAP;
        mb->n--;
        pthread_cond_signal(&mb->room);
    } else {
        clear_fd(mb->event_fd);
    }
    pthread_mutex_unlock(&mb->lock);
    return some;
}

enum stream_state mailbox_state(struct mailbox *mb, uint64_t *dropped, int *exit_code,
                                struct err *why) {
    pthread_mutex_lock(&mb->lock);
    const enum stream_state state = mb->n > 0 ? STREAM_LIVE : mb->state;
    if (dropped)
        *dropped = mb->dropped;
    if (exit_code)
        *exit_code = mb->exit_code;
    if (why)
        *why = mb->last;
    pthread_mutex_unlock(&mb->lock);
    return state;
}

static void swap_tables(struct unit_table *a, struct unit_table *b) {
    struct unit_table was = *a;
    *a = *b;
    *b = was;
}

void mailbox_put_units(struct mailbox *mb, struct unit_table *mine) {
    pthread_mutex_lock(&mb->lock);
    swap_tables(&mb->units, mine);
    mb->has_units = true;
    pthread_mutex_unlock(&mb->lock);
}

bool mailbox_take_units(struct mailbox *mb, struct unit_table *mine) {
    pthread_mutex_lock(&mb->lock);
    bool any = mb->has_units;
    if (any)
        swap_tables(&mb->units, mine);
    mb->has_units = false;
    pthread_mutex_unlock(&mb->lock);
    return any;
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

void mailbox_put_news(struct mailbox *mb, const char *text) {
    put_text(mb, mb->news, sizeof(mb->news), &mb->has_news, text);
}

bool mailbox_take_news(struct mailbox *mb, char *buf, size_t cap) {
    return take_text(mb, mb->news, &mb->has_news, buf, cap);
}

void mailbox_put_name(struct mailbox *mb, const char *text) {
    put_text(mb, mb->name, sizeof(mb->name), &mb->has_name, text);
}

bool mailbox_take_name(struct mailbox *mb, char *buf, size_t cap) {
    return take_text(mb, mb->name, &mb->has_name, buf, cap);
}

void mailbox_request(struct mailbox *mb, const struct control *c) {
    pthread_mutex_lock(&mb->lock);
    mb->control = *c;
    mb->control_seq++;
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
