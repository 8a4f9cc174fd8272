/*
 * One measuring session: source -> sampler -> frames -> timeline. The screen, batch, and replay all
 * use it alike; after the mailbox nothing knows where counts come from.
 */
#ifndef TDTOP_SESSION_H
#define TDTOP_SESSION_H

#include "model/eval/eval.h"
#include "model/eval/steady.h"
#include "model/eval/window.h"
#include "model/run/change_point.h"
#include "model/run/timeline.h"
#include "pmu/host/environment.h"
#include "pmu/mailbox.h"
#include "pmu/plan/focus.h"
#include "pmu/sampler.h"
#include "pmu/source.h"
#include "session/auto_labels.h"

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
    struct sample begun;  /* private: the early sample whose rest is awaited */
    struct frame frame;   /* the newest */
    struct window window; /* since reset */
    struct window before; /* until then */
    struct timeline timeline;
    size_t keep_bytes; /* set before opening: of the packed counts; 0: TIMELINE_BYTES; SIZE_MAX: all
                          are kept, and memory grows */
    struct control control;  /* as last requested */
    struct focus focus;      /* which groups each metric needs */
    bool follows;            /* set before opening: the focus follows the bottleneck path by itself;
                                for rows, which are not opened and closed */
    bool *wanted;            /* private: [n_metric] scratch */
    struct unit_table units; /* the newest rows, if asked for */
    struct environment env;  /* of this machine; not open unless the source is live */
    struct auto_names names; /* what the target was called when it was opened */
    size_t n_past_mark;      /* private: of the stored run that is replayed */
    /* Set before opening on a CPU with several core types (hybrid.h). */
    char pmu[32];         /* "cpu_core": the PMU of the type that is counted; else "" */
    char core_type[16];   /* "core", "atom", "lowpower"; "" if it has no such name */
    struct steady steady; /* what is over, for whoever looks; set `calm` before opening */
    bool calm;            /* changes of level are looked for, too */
    struct change_point change;
    struct breaks breaks;   /* where spans begin */
    bool marked;            /* private: the interval that runs has a mark in it */
    struct sample of_phase; /* private, as the next: scratch */
    struct frame in_phase;
    int newest_main; /* private, as the next two: of the newest phase, found at newest_main_ns */
    uint64_t newest_t0_ns, newest_main_ns;
    bool passes;           /* no one will look back: no timeline is kept */
    bool alone;            /* the thread that takes samples counts, too: it waits by session_wait */
    struct session *first; /* that runs the command and looks after the machine; NULL: this one */
    char why_model[256];   /* how it was chosen */
    char own_note[256];    /* what does not work of the user's own metrics; "" if all does */
    char phase[48];        /* what the simulated core is doing in `sample`; "" for real counts */
    bool pausing;          /* session_pause */
    bool away;             /* private: what is measured was not there in the newest interval */
    bool still;            /* private: session_request */
    /* Begin and end of the interval in which what is measured ended last; 0: of none. Sums have it,
     * so that nothing is lost; a level has not. */
    uint64_t end_t0_ns, end_t1_ns;
    uint64_t pause_ns, resume_ns; /* private: session time of the last of each */
    uint64_t n_frames;
    uint64_t merged; /* intervals that were added to the one before: the reader was slow */
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
 * is left: the next fallback may be tried, or session_close called.
 */
int session_open(struct session *s, const struct source_ops *ops, const struct source_options *opt,
                 struct err *err);
/* Starts counting and the sampler. 0 or a negative errno with words; exit_code is set then if a
 * command could not be run. */
int session_start(struct session *s, struct err *err);
/* The process that is measured; 0: several, none, or not known which. */
int session_pid(const struct session *s);
/* For poll(): readable when session_take would return true or the state changed; -1 when not open.
 */
int session_fd(const struct session *s);
/*
 * Waits until session_fd or fd (-1: none) is readable, for most_ms (-1: no limit); true: fd is. Of
 * a session that is alone this is where counting is done, and it ends after each tick.
 */
bool session_wait(struct session *s, int fd, int most_ms);
/* Gives counting a thread of its own if it has none: the caller is about to block. */
void session_spawn(struct session *s);
/*
 * Takes one sample if there is one: frame, window and timeline follow. Returns true then. Never
 * blocks or allocates. `state` leaves STREAM_LIVE only when the last sample has been taken, so
 * "false and not STREAM_LIVE" is the end.
 */
bool session_take(struct session *s);
/* Part of session_take: the newest interval was recorded; is it of another level? */
void session_follow_changes(struct session *s);
/*
 * Focus: only what `wanted` [n_metric] and levels 1 and 2 need is counted from now on; NULL: all.
 * Returns false if that is what was counted already.
 */
bool session_focus(struct session *s, const bool *wanted);
/* True if the source can leave out what is not looked at. */
bool session_can_focus(const struct session *s);
/* Adds the nodes of a path, and the children of each, to wanted [n_metric]. */
void session_want_path(const struct session *s, const struct bottleneck *path, bool *wanted);
/* Runs the doctor's checks for s->env, of a live session; takes milliseconds. */
void session_examine(struct session *s);
/* The same of one that measures nothing here: a recording, or the simulated core. */
void session_examine_machine(struct session *s);
/* Rows per thread or CPU: on or off. While on, session_take fills s->units with those of its
 * sample (units.seq is its number then), if the source could tell. */
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
 * is --model right?". "" if there is none. Returns buf.
 */
const char *session_warning(const struct session *s, const struct frame *f, char *buf, size_t cap);
/* What it is made of: true if the model may be that of another core, because it was chosen by hand,
 * or for a recording, and not stored with a run. */
bool session_model_warning(const struct session *s);
const char *session_warning_words(const struct frame *f, bool model_warned, char *buf, size_t cap);
void session_reset(struct session *s); /* window sums and moments start again */
/* Values of the whole session, resets or not: with ± and `over`. `sum` (or NULL): its counts. */
void session_whole(struct session *s, struct frame *out, struct sample *sum);

/* Something changes now, as the cause says: a span begins with the next interval; with a mark
 * behind the interval in which it is put. */
void session_break(struct session *s, enum break_cause cause);
/*
 * What the newest span begins with: the last change of anything. A pin or a snapshot that nothing
 * (less than SINCE_LEAST intervals) was measured since is none. BREAK_START at 0 if nothing
 * changed.
 */
enum { SINCE_LEAST = 3 };
struct break_point session_since(const struct session *s);

/* A phase: what was measured between two changes of level, or restarts. */
struct session_phase {
    uint64_t t0_ns, t1_ns; /* session time; t1 of the last is that of the newest interval */
    int main;              /* the end of the bottleneck path of its sums; without one the largest
                              share of level 1; METRIC_NONE: hardly a CPU was busy */
};
/* The newest phases, at most cap, in order of time; of a phase that goes on `main` is of now.
 * Returns how many. Allocates nothing. */
int session_phases(struct session *s, struct session_phase *out, int cap);
/*
 * Makes a run of (t0_ns, t1_ns] of session time, or (both 0) of what was measured since the reset:
 * a copy, with automatic labels and values, that nothing later changes. What the packed counts no
 * longer reach is in coarser intervals of the timeline. 0, -ENODATA if nothing was measured then,
 * -ENOMEM. *out is to be freed with run_free, whatever the result.
 */
int session_run(const struct session *s, uint64_t t0_ns, uint64_t t1_ns, struct run *out,
                struct err *err);
/*
 * The same in two steps. A draft has all that is needed of the session, copied as it lies in
 * memory. The rest (putting the counts together, evaluating every interval) needs the session no
 * more: another thread may do it.
 */
struct session_draft {
    struct run run;            /* its labels and note may be changed */
    struct series early, late; /* private: counts of the tiers, and exact ones */
    bool joined;               /* private: they are in run.series */
    bool whole;                /* run is what session_run makes */
    bool fits; /* wanted: it begins and ends with its intervals, not with the span that was asked
                  for */
    bool model_warned;
    uint64_t n_lost; /* intervals of that span that memory was too short for */
    bool lost_at_most;
};
/* n_stored: intervals of the run that are not on the timeline any more (run.n_stored); else 0. 0,
 * or as session_run: nothing is left then. */
int session_draft(const struct session *s, uint64_t t0_ns, uint64_t t1_ns, uint64_t n_stored,
                  struct session_draft *out, struct err *err);
/* Makes it whole, if it is not. 0, or negative errno with words: it can be tried again. */
int session_draft_finish(struct session_draft *d, struct err *err);
/* The same in parts: the counts, into run.series; then values and warning, of a tally to which all
 * intervals of the run were added. */
int session_draft_join(struct session_draft *d, struct err *err);
int session_draft_values(struct session_draft *d, struct run_tally *tally, struct err *err);
void session_draft_free(struct session_draft *d); /* the run too; accepts a zeroed one */
/* The automatic labels that a run of this session would get, and nothing else, in *out, to be freed
 * with run_free. 0 or -ENOMEM. */
int session_labels(const struct session *s, struct run *out, struct err *err);
/* Session time: of the clock while something live is measured, else of the newest interval. */
uint64_t session_now_ns(const struct session *s);
/* A mark on the time line, now. */
void session_mark(struct session *s, const char *name);
/* No more is counted. What has been is still to be taken. */
void session_halt(struct session *s);
void session_close(struct session *s); /* stops, joins, frees; accepts a half-open session */

#endif
