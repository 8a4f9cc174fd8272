/*
 * One wake-up per tick: ppoll() waits for the deadline, for a request, for stop and for the end of
 * the target at once. Its timeout is computed from the absolute deadline each time, so ticks do not
 * drift, and that costs one system call where a timerfd costs three. A timeout is never early
 * (ppoll(2): rounded up), so it is the tick; the clock is not asked whether it is. With a frozen
 * clock every wait is simply one interval long.
 */
#include "pmu/sampler.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/str.h"
#include "base/thread.h"

#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum wake { WAKE_DUE, WAKE_REQUEST, WAKE_GONE, WAKE_READER };

/* What a step ends in: a stream state, where STREAM_LIVE means go on, or this. */
enum { STOPPED = -1, READER_WOKEN = -2 };

#define FOREVER UINT64_MAX
#define WORK_NS (10 * NS_PER_MS)

uint64_t sampler_interval(uint64_t wanted_ns) {
    if (!wanted_ns)
        return SAMPLER_DEFAULT_INTERVAL_NS;
    return wanted_ns < SAMPLER_MIN_INTERVAL_NS ? SAMPLER_MIN_INTERVAL_NS : wanted_ns;
}

/* Sleeps until due_ns, a request, the end of the target or, in sampler_wait, what the reader waits
 * for, whichever is first. */
static enum wake wait_until(struct sampler *sp, uint64_t due_ns) {
    struct pollfd fds[] = {{.fd = sp->box->wake_fd, .events = POLLIN},
                           {.fd = sp->reader_fd, .events = POLLIN}, /* -1 is ignored */
                           {.fd = sp->src->wait_fd, .events = POLLIN}};
    for (;;) {
        struct timespec left = {0};
        if (due_ns != FOREVER) {
            uint64_t now = clock_now_ns();
            uint64_t ns = due_ns > now ? due_ns - now : 0;
            left = (struct timespec){.tv_sec = (time_t)(ns / NS_PER_S),
                                     .tv_nsec = (long)(ns % NS_PER_S)};
        }
        int n = ppoll(fds, 3, due_ns == FOREVER ? NULL : &left, NULL);
        if (n < 0 && errno == EINTR)
            continue;   /* only a debugger can do that here */
        assert(n >= 0); /* descriptors and times are our own: nothing else can fail */
        if (fds[0].revents) {
            uint64_t drained;
            ssize_t ignored = read(sp->box->wake_fd, &drained, sizeof(drained));
            (void)ignored; /* the request itself is in the box */
            return WAKE_REQUEST;
        }
        if (fds[1].revents)
            return WAKE_READER;
        sp->src->alive = fds[2].fd >= 0 && !fds[2].revents;
        return fds[2].revents ? WAKE_GONE : WAKE_DUE;
    }
}

/* As above, with the turns of the source on the way. */
static enum wake turn_until(struct sampler *sp, uint64_t due_ns) {
    while (sp->src->ops->turn) {
        const uint64_t next_ns = sp->src->ops->turn(sp->src, clock_now_ns());
        if (next_ns >= due_ns)
            break;
        const enum wake wake = wait_until(sp, next_ns);
        if (wake != WAKE_DUE)
            return wake;
    }
    return wait_until(sp, due_ns);
}

/*
 * As above. The time until then is the source's for what it has left to do, a slice at a time: a
 * request is taken between two of them.
 */
static enum wake work_until(struct sampler *sp, uint64_t due_ns) {
    bool more = sp->src->ops->work;
    while (more) {
        uint64_t now = clock_now_ns();
        if (now + WORK_NS > due_ns)
            break;
        more = sp->src->ops->work(sp->src, now + WORK_NS);
        enum wake wake = more ? wait_until(sp, 0) : WAKE_DUE;
        if (wake != WAKE_DUE)
            return wake;
    }
    return turn_until(sp, due_ns);
}

static bool is_closing(struct mailbox *box) {
    pthread_mutex_lock(&box->lock);
    bool closing = box->closing;
    pthread_mutex_unlock(&box->lock);
    return closing;
}

/* What cannot be had leaves the old focus in force: its values go on, the others stay unknown. */
static void change_focus(struct sampler *sp, const struct group_set *groups) {
    struct err why = {0};
    if (sp->src->ops->focus && sp->src->ops->focus(sp->src, groups, &why) < 0)
        log_line("sampler: focus: %s", why.text);
}

/* Takes the newest request. Returns false when the reader wants the thread to end. */
static bool take_request(struct sampler *sp) {
    struct control c;
    if (mailbox_control(sp->box, &sp->control_seq, &c)) {
        if (!group_set_same(&c.groups, &sp->control.groups))
            change_focus(sp, &c.groups);
        sp->control = c;
        sp->control.interval_ns = sampler_interval(c.interval_ns);
        sp->src->opt.interval_ns = sp->control.interval_ns;
    }
    return !is_closing(sp->box);
}

/* A source that changes its note says so once. */
static void deliver_status(struct sampler *sp) {
    if (strcmp(sp->said, sp->src->status) == 0)
        return;
    str_copy(sp->said, sizeof(sp->said), sp->src->status);
    mailbox_put_status(sp->box, sp->said);
}

static void deliver_name(struct sampler *sp) {
    if (strcmp(sp->named, sp->src->name) == 0)
        return;
    str_copy(sp->named, sizeof(sp->named), sp->src->name);
    mailbox_put_name(sp->box, sp->named);
}

/* The rows of the sample, NULL if there are none. */
static struct unit_table *read_units(struct sampler *sp) {
    struct unit_table *t = &sp->units;
    if (!sp->control.units || !sp->src->ops->units)
        return NULL;
    int rc = sp->src->ops->units(sp->src, t);
    if (rc < 0) {
        log_line("sampler: rows: %s", strerror(-rc));
        return NULL;
    }
    t->seq = sp->seq;
    t->t0_ns = sp->buf.t0_ns;
    t->t1_ns = sp->buf.t1_ns;
    return t;
}

/* What the machine's files say, when it is due. */
static void deliver_look(struct sampler *sp) {
    struct env_look look;
    if (!sp->files || !env_files_due(sp->files, sp->buf.t1_ns))
        return;
    env_files_look(sp->files, sp->control.look_clock, &look);
    mailbox_put_look(sp->box, &look);
}

/* Reads one sample and delivers it. Returns the stream state, or STOPPED. */
static int step(struct sampler *sp, bool early, struct err *why) {
    int rc = sp->src->ops->read(sp->src, &sp->buf, why);
    if (rc == -ENODATA)
        return STREAM_ENDED;
    if (rc < 0 && rc != -ESRCH)
        return STREAM_FAILED;
    sp->buf.seq = sp->seq;
    sp->buf.early = early && rc == 0;
    struct unit_table *rows = read_units(sp);
    deliver_look(sp);
    deliver_status(sp);
    deliver_name(sp);
    sp->seq++;
    if (mailbox_push(sp->box, &sp->buf, rows) < 0)
        return STOPPED;
    return rc == -ESRCH ? STREAM_GONE : STREAM_LIVE;
}

/* The target has exited: what was counted since the last tick is read at once. */
static int last_step(struct sampler *sp, struct err *why) {
    int rc = step(sp, false, why);
    if (rc != STREAM_LIVE)
        return rc == STREAM_ENDED ? STREAM_GONE : rc;
    if (sp->src->wait_fd < 0) /* its successor is waited for */
        return STREAM_LIVE;
    err_set(why, -ESRCH, "%s: has exited", sp->src->name);
    return STREAM_GONE;
}

/*
 * Ticks lie on a grid of intervals that begins at base_ns. Late ticks are skipped, not caught up: a
 * burst of short intervals would say less than one long one, and t0..t1 of the sample tell it.
 */
static int tick(struct sampler *sp, struct err *why) {
    if (!take_request(sp))
        return STOPPED;
    uint64_t interval = sp->control.interval_ns, now = clock_now_ns();
    if (sp->base_ns + interval < now) /* more than one is over: the grid begins again */
        sp->base_ns += (now - sp->base_ns) / interval * interval - interval;
    const bool early = sp->src->opt.early && sp->seq == 0 && interval >= 2 * SAMPLER_EARLY_NS;
    enum wake wake = work_until(sp, sp->base_ns + (early ? SAMPLER_EARLY_NS : interval));
    if (wake == WAKE_REQUEST || wake == WAKE_READER)
        return wake == WAKE_READER ? READER_WOKEN : STREAM_LIVE;
    int rc = wake == WAKE_GONE ? last_step(sp, why) : step(sp, early, why);
    if (early)
        return rc; /* the interval goes on to its own end */
    sp->base_ns += interval;
    now = clock_now_ns();
    if (now > sp->base_ns)
        sp->base_ns += (now - sp->base_ns) / interval * interval;
    else
        sp->base_ns = now; /* a frozen clock */
    return rc;
}

static int run_live(struct sampler *sp, struct err *why) {
    int rc;
    while ((rc = tick(sp, why)) == STREAM_LIVE)
        continue;
    return rc;
}

/* How long a sample that covers span_ns is left standing before the next is read. */
static uint64_t pace(const struct source *src, uint64_t span_ns) {
    double speed = src->opt.speed;
    return speed > 0 ? (uint64_t)((double)span_ns / speed) : 0;
}

/* Waits until due_ns of the recording's pace. Returns false when the thread is to end. */
static bool wait_paced(struct sampler *sp, uint64_t *due_ns) {
    for (;;) {
        uint64_t was = sp->control.interval_ns;
        if (!take_request(sp))
            return false;
        uint64_t now = clock_now_ns();
        if (sp->control.paused) { /* stands still; goes on at once when released */
            *due_ns = now;
            wait_until(sp, FOREVER);
            continue;
        }
        /* A shorter interval of the simulated core is felt at once. */
        if (sp->src->simulated && sp->control.interval_ns < was) {
            uint64_t soon = now + pace(sp->src, sp->control.interval_ns);
            *due_ns = soon < *due_ns ? soon : *due_ns;
        }
        if (*due_ns <= now || wait_until(sp, *due_ns) == WAKE_DUE)
            return true;
    }
}

static int run_paced(struct sampler *sp, struct err *why) {
    uint64_t due_ns = clock_now_ns();
    for (;;) {
        if (!wait_paced(sp, &due_ns))
            return STOPPED;
        int rc = step(sp, false, why);
        if (rc != STREAM_LIVE)
            return rc;
        uint64_t until = sp->src->opt.until_ns;
        if (until && sp->buf.t1_ns >= until)
            return STREAM_ENDED;
        uint64_t now = clock_now_ns(), hold = pace(sp->src, sp->buf.t1_ns - sp->buf.t0_ns);
        if (due_ns > now)
            due_ns = now; /* a frozen clock */
        due_ns = due_ns + hold > now ? due_ns + hold : now;
    }
}

static void finish(struct sampler *sp, int end, const struct err *why) {
    sp->over = true;
    if (end == STOPPED)
        return;
    int code = sp->src->ops->exit_code ? sp->src->ops->exit_code(sp->src) : -1;
    mailbox_finish(sp->box, (enum stream_state)end, code, why);
}

static void *run(void *arg) {
    struct sampler *sp = arg;
    struct err why = {0};
    finish(sp, sp->src->live ? run_live(sp, &why) : run_paced(sp, &why), &why);
    return NULL;
}

int sampler_prepare(struct sampler *sp, struct source *src, struct mailbox *box,
                    struct env_files *files, struct err *err) {
    *sp = (struct sampler){.src = src, .box = box, .files = files, .reader_fd = -1};
    str_copy(src->status, sizeof(src->status), src->note);
    str_copy(sp->said, sizeof(sp->said), src->note);
    str_copy(src->name, sizeof(src->name), src->target_text);
    str_copy(sp->named, sizeof(sp->named), src->name);
    src->opt.interval_ns = sampler_interval(src->opt.interval_ns);
    sp->control.interval_ns = src->opt.interval_ns;
    sp->base_ns = clock_now_ns();
    int rc = sample_init(&sp->buf, src->layout.n_slot);
    if (rc < 0)
        return err_set(err, rc, "sampler: out of memory");
    mailbox_set_alone(box, true);
    sp->started = true;
    return 0;
}

int sampler_spawn(struct sampler *sp, struct err *err) {
    if (!sp->started || sp->over || sp->threaded)
        return 0;
    mailbox_set_alone(sp->box, false);
    int rc = thread_start(&sp->thread, "tdtop-sampler", run, sp);
    sp->threaded = rc == 0;
    if (rc == 0)
        return 0;
    mailbox_set_alone(sp->box, true);
    return err_set(err, rc, "sampler thread: %s; raise the limit of processes (ulimit -u)",
                   strerror(-rc));
}

int sampler_start(struct sampler *sp, struct source *src, struct mailbox *box,
                  struct env_files *files, struct err *err) {
    int rc = sampler_prepare(sp, src, box, files, err);
    if (rc == 0 && (rc = sampler_spawn(sp, err)) < 0)
        sampler_join(sp);
    return rc;
}

bool sampler_wait(struct sampler *sp, int fd) {
    struct err why = {0};
    sp->reader_fd = fd;
    int rc = tick(sp, &why);
    sp->reader_fd = -1;
    if (rc != STREAM_LIVE && rc != READER_WOKEN)
        finish(sp, rc, &why);
    return rc == READER_WOKEN;
}

void sampler_join(struct sampler *sp) {
    if (!sp->started)
        return;
    mailbox_close(sp->box);
    if (sp->threaded)
        pthread_join(sp->thread, NULL);
    sample_destroy(&sp->buf);
    unit_table_destroy(&sp->units);
    sp->started = sp->threaded = false;
}
