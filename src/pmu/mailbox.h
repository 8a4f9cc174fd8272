/*
 * The only thing two threads share: samples from the sampler to the screen, requests back.
 * Bounded, and nothing is lost in it: when the reader is slow, a live source adds its interval to
 * the newest in the box, which is longer then and says so; a recording waits for room, because it
 * can.
 */
#ifndef TDTOP_PMU_MAILBOX_H
#define TDTOP_PMU_MAILBOX_H

#include "base/err.h"
#include "model/eval/sample.h"
#include "model/eval/units.h"
#include "pmu/host/env_look.h"

#include <pthread.h>

enum {
    MAILBOX_CAP = 32,  /* at 20 ms as many as come while the reader makes a run of an hour */
    MAILBOX_AHEAD = 8, /* what waits for room goes no further ahead: requests shall reach it soon */
};

/* Groups of a layout by number; those past the last bit are always in the set. */
enum { FOCUS_WORDS = 16 };
struct group_set {
    bool only; /* false: all groups, whatever the bits say */
    uint64_t bits[FOCUS_WORDS];
};
bool group_set_same(const struct group_set *a, const struct group_set *b);
bool group_set_has(const struct group_set *gs, uint32_t group);

/* What the reader asks of the sampler; a newer request replaces an older one. */
struct control {
    uint64_t interval_ns;
    bool paused;             /* recordings and the simulator stand still; live counters go on */
    struct group_set groups; /* that are to be counted: see pmu/plan/focus.h */
    bool units;              /* rows per thread or CPU are wanted, too */
    bool look_clock;         /* looks at the machine ask for its clock, too */
};

/* Why no more samples come. */
enum stream_state {
    STREAM_LIVE,
    STREAM_ENDED,  /* end of the recording */
    STREAM_GONE,   /* the target has exited; text says when and how */
    STREAM_FAILED, /* reading failed for good; text says why */
};

struct mailbox {
    bool ready;   /* private: set by init, so that destroy accepts a box that was never made */
    int event_fd; /* readable when something is in the box; for poll() */
    bool lossless;
    bool alone;     /* guarded by lock: reader and sampler are one thread, which needs no signal */
    bool signalled; /* guarded by lock: event_fd is readable */
    pthread_mutex_t lock;
    pthread_cond_t room;
    struct sample slot[MAILBOX_CAP]; /* guarded by lock */
    unsigned head, n;                /* guarded by lock */
    bool closing;                    /* guarded by lock */
    struct control control;          /* guarded by lock */
    uint64_t control_seq;            /* guarded by lock: counts requests */
    int wake_fd;                     /* wakes the sampler, who reads it: a request or stop */
    struct unit_table units;         /* guarded by lock: of a sample in the box; swapped in, out */
    bool has_units;                  /* guarded by lock: not taken yet */
    char status[256];                /* guarded by lock: the source's note, when it changes */
    bool has_status;                 /* guarded by lock: not taken yet */
    char name[160];                  /* guarded by lock: of the target, when it changes */
    bool has_name;                   /* guarded by lock: not taken yet */
    struct env_look look;            /* guarded by lock: the newest at the machine */
    bool has_look;                   /* guarded by lock: not taken yet */
    enum stream_state state;         /* guarded by lock */
    int exit_code;                   /* guarded by lock: of a command that was run, or -1 */
    struct err last;                 /* guarded by lock */
};

int mailbox_init(struct mailbox *mb, uint32_t n_slot, bool lossless, const struct control *first);
void mailbox_destroy(struct mailbox *mb);

/*
 * Sampler: copies s in, with its rows (by swapping: an older table comes back to be filled next,
 * maybe an empty one, which is to be initialized) or NULL. Where there is no room, or rows have not
 * been taken yet, a lossless box waits, and any other merges both into the newest. Returns 0, or
 * -ECANCELED if the reader is closing.
 */
int mailbox_push(struct mailbox *mb, const struct sample *s, struct unit_table *rows);
/* Sampler: the last word. */
void mailbox_finish(struct mailbox *mb, enum stream_state state, int exit_code,
                    const struct err *why);
/* Sampler: copies the newest request if it is newer than *seq. Returns true and updates *seq then.
 */
bool mailbox_control(struct mailbox *mb, uint64_t *seq, struct control *out);

/* Reader: takes the oldest sample; its rows, if it has any and they are wanted, are swapped into
 * *rows (rows->seq is the sample's then). Returns true, or false when the box is empty (event_fd is
 * then cleared). */
bool mailbox_pop(struct mailbox *mb, struct sample *out, struct unit_table *rows);
/* Reader: whether the stream has ended. It is STREAM_LIVE while samples are in the box: the last
 * word comes after the last sample. Pointers may be NULL. */
enum stream_state mailbox_state(struct mailbox *mb, int *exit_code, struct err *why);
/* Sampler: the note of the source is another from now on. */
void mailbox_put_status(struct mailbox *mb, const char *text);
/* Reader: copies it. False if there is none since the last call. */
bool mailbox_take_status(struct mailbox *mb, char *buf, size_t cap);
/* The same for what the target is called. */
void mailbox_put_name(struct mailbox *mb, const char *text);
bool mailbox_take_name(struct mailbox *mb, char *buf, size_t cap);
/* Sampler: the machine was looked at. */
void mailbox_put_look(struct mailbox *mb, const struct env_look *look);
/* Reader: copies it. False if there is none since the last call. */
bool mailbox_take_look(struct mailbox *mb, struct env_look *out);
/* Whether reader and sampler are one thread from now on, for which event_fd is not signalled. The
 * box is empty then. */
void mailbox_set_alone(struct mailbox *mb, bool alone);
/* Reader: posts a request and wakes the sampler. */
void mailbox_request(struct mailbox *mb, const struct control *c);
/* Reader: lets a waiting sampler go; further pushes fail. What is in the box can be taken. */
void mailbox_close(struct mailbox *mb);

#endif
