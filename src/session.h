/*
 * One measuring session: source -> sampler -> frames -> history. The screen, batch, and replay all
 * use it alike; after the mailbox nothing knows where counts come from.
 */
#ifndef TDTOP_SESSION_H
#define TDTOP_SESSION_H

#include "model/eval.h"
#include "model/focus.h"
#include "model/history.h"
#include "model/mailbox.h"
#include "model/record.h"
#include "model/window.h"
#include "pmu/auto_labels.h"
#include "pmu/environment.h"
#include "pmu/sampler.h"
#include "pmu/source.h"

/* What is counted beside levels 1 and 2 and the vital metrics, which always are. */
enum focus_mode {
    FOCUS_AUTO, /* what is looked at, and the bottleneck path with what lies below it */
    FOCUS_OPEN, /* what is looked at */
    FOCUS_OFF,  /* everything */
};

struct session {
    struct model model; /* owned; loaded by the caller before session_open */
    struct source source;
    struct sampler sampler;
    struct mailbox box;
    struct eval eval;
    struct sample sample; /* the newest */
    struct frame frame;   /* the newest */
    struct window window; /* since reset */
    struct history history;
    struct record record; /* counts of each interval, moments and marks: what a run is made of */
    size_t keep_bytes; /* set before opening: of the packed counts; 0: RECORD_BYTES; SIZE_MAX: all
                          are kept, and memory grows */
    struct control control;  /* as last requested */
    struct focus focus;      /* which groups each metric needs */
    bool follows;            /* set before opening: the focus follows the bottleneck path by itself;
                                for rows, which nobody opens and closes */
    bool *wanted;            /* private: [n_metric] scratch */
    struct unit_table units; /* the newest rows, if asked for */
    struct environment env;  /* of this machine; not open unless the source is live */
    struct auto_names names; /* what the target was called when it was opened */
    size_t n_past_mark;      /* private: of the stored run that is replayed */
    /* Set before opening on a CPU with several core types (hybrid.h). */
    char pmu[32];          /* "cpu_core": the PMU of the type that is counted; else "" */
    char core_type[16];    /* "core", "atom", "lowpower"; "" if it has no such name */
    struct session *first; /* that runs the command and looks after the machine; NULL: this one */
    char why_model[256];   /* the ladder's line */
    char own_note[256];    /* what does not work of the user's own metrics; "" if all does */
    char phase[48];        /* what the simulated core is doing in `sample`; "" for real counts */
    bool pausing;          /* session_pause */
    bool still;            /* private: session_request */
    uint64_t pause_ns, resume_ns; /* private: session time of the last of each */
    uint64_t n_frames;
    uint64_t dropped;
    enum stream_state state;
    int exit_code;       /* of a command, or -1 */
    struct err last;     /* why it ended */
    uint64_t ended_ns;   /* when it ended, session time */
    uint64_t t_start_ns; /* CLOCK_MONOTONIC at start */
    uint64_t t_wall_ns;  /* CLOCK_REALTIME at the same moment */
    bool opened;         /* private: session_open succeeded */
};

/*
 * Opens the source and allocates everything; the model must be loaded in s->model and the rest of
 * *s be zero but for what is set before opening, why_model and own_note. With opt->focus, levels 1
 * and 2 are counted until session_focus says more. Nothing runs yet. After a failure only the model
 * is left: another rung of the ladder may be tried, or session_close called.
 */
int session_open(struct session *s, const struct source_ops *ops, const struct source_options *opt,
                 struct err *err);
/* Starts counting and the sampler. 0 or a negative errno with words; exit_code is set then if a
 * command could not be run. */
int session_start(struct session *s, struct err *err);
/* For poll(): readable when session_take would return true or the state changed; -1 when not open.
 */
int session_fd(const struct session *s);
/*
 * Takes one sample if there is one: frame, window and history follow. Returns true then. Never
 * blocks or allocates. `state` leaves STREAM_LIVE only when the last sample has been taken, so
 * "false and not STREAM_LIVE" is the end.
 */
bool session_take(struct session *s);
/*
 * Focus: only what `wanted` [n_metric] and levels 1 and 2 need is counted from now on; NULL: all.
 * Returns false if that is what was counted already.
 */
bool session_focus(struct session *s, const bool *wanted);
/* True if the source can leave out what nobody looks at. */
bool session_can_focus(const struct session *s);
/* Adds the nodes of a path, and the children of each, to wanted [n_metric]. */
void session_want_path(const struct session *s, const struct bottleneck *path, bool *wanted);
/* Runs the doctor's checks for s->env, of a live session; takes milliseconds. */
void session_examine(struct session *s);
/* The same of one that measures nothing here: a recording, or the simulated core. */
void session_examine_machine(struct session *s);
/* Rows per thread or CPU: on or off. While on, session_take fills s->units when new ones came. */
void session_units(struct session *s, bool on);
/* Asks for another interval (clamped to the floor) or for standing still. */
void session_request(struct session *s, uint64_t interval_ns, bool paused);
/*
 * Pauses, or goes on. Counting does not stop, but what overlaps the pause comes into neither sums
 * nor history: it is a gap. A recording, or the simulated core, stands still instead.
 */
void session_pause(struct session *s, bool pause);
/*
 * Why a frame of this session is not to be trusted as a whole: "level 1 adds up to 75.0%, not 100%:
 * is --model right?". "" if there is no doubt. Returns buf.
 */
const char *session_doubt(const struct session *s, const struct frame *f, char *buf, size_t cap);
void session_reset(struct session *s); /* window sums and moments start anew */
/*
 * Makes a run of (t0_ns, t1_ns] of session time, or (both 0) of what was measured since the reset:
 * a copy, with automatic labels and values, that nothing later changes. What the packed counts no
 * longer reach is in coarser intervals of the history. 0, -ENODATA if nothing was measured then,
 * -ENOMEM. *out is to be freed with run_free, whatever the result.
 */
int session_run(const struct session *s, uint64_t t0_ns, uint64_t t1_ns, struct run *out,
                struct err *err);
/* The automatic labels that a run of this session would get, and nothing else, in *out, to be freed
 * with run_free. 0 or -ENOMEM. */
int session_labels(const struct session *s, struct run *out, struct err *err);
/* Session time: of the clock while something live is measured, else of the newest interval. */
uint64_t session_now_ns(const struct session *s);
/* A mark on the time line, now. */
void session_mark(struct session *s, const char *name);
void session_close(struct session *s); /* stops, joins, frees; accepts a half-open session */

#endif
