/*
 * What the user looks at: the session, what of it is shown (the newest frame, or a held one), the
 * open tree, the popup, the search. Knows canvases and keys but no terminal, so a test can press
 * keys and read whole screens. Memory is taken at init, attach and resize only.
 */
#ifndef TDTOP_UI_SCREEN_H
#define TDTOP_UI_SCREEN_H

#include "model/eval/derivation.h"
#include "model/eval/needs.h"
#include "model/knowledge/explain.h"
#include "model/knowledge/guide.h"
#include "session/session.h"
#include "ui/app/baseline.h"
#include "ui/app/focus_policy.h"
#include "ui/app/layout.h"
#include "ui/app/search.h"
#include "ui/app/types.h"
#include "ui/draw/chart.h"
#include "ui/draw/outline.h"
#include "ui/popup/ask.h"
#include "ui/popup/help.h"
#include "ui/popup/links.h"
#include "ui/popup/palette.h"
#include "ui/popup/snapshot.h"
#include "ui/runs/runs_view.h"
#include "ui/term/term.h"
#include "ui/view/bench.h"
#include "ui/view/changes.h"
#include "ui/view/cost.h"
#include "ui/view/cursor.h"
#include "ui/view/metrics.h"
#include "ui/view/rows.h"
#include "ui/view/sentence.h"
#include "ui/view/view.h"
#include "ui/view/view_history.h"

enum { ROOTS_MAX = 16 }; /* segments of the funnel */

/*
 * What a row of the tree shows beside its value. These follow with a small dead band: what jitters
 * by less than can be read stays as it is, and costs no bytes.
 */
struct shown {
    float err, bar, duty;
};

/* What takes the large place; views.h has what is known of each. VIEW_RUNS lies over one of the
 * others (runs_view.h): `view` is never that. */
enum main_view {
    VIEW_TREE,
    VIEW_FUNNEL,
    VIEW_HISTORY,
    VIEW_THREADS,
    VIEW_CPUS,
    VIEW_METRICS,
    VIEW_RUNS,
    VIEW_BENCH,
    VIEW_DOCTOR,
    VIEW_N
};

/* A metric that the bench shows in VIEW_HISTORY: Esc goes back there. */
struct visit {
    bool on;
    struct outline_place tree; /* the tree before, whose selection is what the history shows */
    bool touched;
};

struct screen {
    struct session *s;   /* borrowed */
    bool connected;      /* the session is open */
    bool waits;          /* what is to be measured is not there yet */
    struct types *types; /* borrowed: all of them, of several core types; or NULL */
    int type;            /* which this is */
    bool beside;         /* the trees of all are beside each other */
    int level;           /* the tree is open down to here at start */

    struct canvas canvas;
    struct panes panes;       /* with the tree */
    struct panes row_panes;   /* with threads or CPUs */
    struct panes list_panes;  /* with rows that leave other panes beside them */
    struct panes main_panes;  /* with a view that takes all */
    struct panes whole_panes; /* with one that has words of its own, in place of the advice */
    struct splits splits;     /* where the user has put borders */
    struct columns columns;

    /* What is shown. */
    const struct frame *frame; /* NULL before the first interval */
    const struct sample *sample;
    uint64_t seen;              /* frames that screen_sample has looked at, as session.n_frames */
    const struct frame *newest; /* `frame`, but for the time cursor: what "now" is on the screen */
    struct cursor cursor;
    bool frozen;
    struct frame held; /* what `frame` and `sample` point to while frozen */
    struct sample held_sample;
    bool over;          /* the stream has ended: the whole session is what is newest */
    struct frame whole; /* its values, and counts */
    struct sample whole_sample;
    uint64_t interval_ns; /* between frames, as seen; picks the buckets of the trends */
    int odd_intervals;    /* frames in a row whose interval was another */
    struct trend spark, plot;
    bool has_spark, has_plot;
    float *dots, *warning; /* scratch: [n_dots] one row of values, and their ± */
    float *pile;           /* scratch: [ROOTS_MAX][n_dots] values of the roots */
    int16_t *lane;         /* scratch: [n_dots] ends of paths */
    int n_dots;            /* two for each column of the screen */
    struct shown *shown;   /* [n_metric] */

    /* What the user does with it. */
    enum main_view view;
    struct rows rows;
    struct outline tree;
    struct focus_policy focus_policy; /* its mode may be set before screen_attach */
    bool path_opened;                 /* the bottleneck path is opened once, not again and again */
    bool touched;                     /* the user has moved: the selection is his from now on */
    struct search search;
    struct search page_find; /* in the explanation of a metric */
    struct help help;
    struct metrics metrics;                     /* rows of VIEW_METRICS; made when it is entered */
    struct links links;                         /* of the pop-ups that explain a metric */
    int doctor_scroll, doctor_max, doctor_page; /* lines of VIEW_DOCTOR */
    struct ask ask;
    struct palette palette;
    struct settings *settings; /* borrowed: of all screens; NULL: there are none */
    char save_path[FORM_CAP];  /* of a screen that is to be saved, while a question is asked */
    const struct view_ops *popup;
    int scroll, scroll_max; /* lines of the popup */
    bool split;             /* user space and kernel are told apart among the vital signs */
    char message[256];      /* one line for the user, until the next key */
    int pressed;            /* pane in which the mouse went down; it gets what is dragged */
    int border;             /* that the mouse holds (borders.h); 0: none */
    bool hint;              /* the first keys are told, until one is pressed, or for 20 s */
    uint64_t hint_ns;       /* private: since when */
    bool quit, suspend, repaint;

    struct sentence sentence;    /* of PANE_ADVICE */
    struct baseline base;        /* what live values are compared with */
    struct changes changes;      /* which values have just moved */
    struct baseline_moves moves; /* what u undoes of A and B */
    struct bench_view bench;     /* what VIEW_BENCH shows */
    struct visit visit;
    struct snapshots *snapshot; /* borrowed: of all screens; NULL: nothing can be stored */
    struct runs_view *runs;   /* borrowed: the stored runs, of all screens; NULL: there are none */
    struct runs_open *opened; /* borrowed: this is the screen of a stored run; NULL */

    /* Kept by views, so that what is drawn does not jump. */
    int edge[ROOTS_MAX];   /* right end of each segment of the funnel */
    int anchor[ROOTS_MAX]; /* where the text of each begins */
    int edge_w;            /* width those ends were made for; 0 = none yet */
    int funnel_zoom;       /* what takes the width of the funnel; METRIC_NONE: all */
    struct scale plot_scale;
    struct history_view history;

    enum chart_glyph plot_glyph; /* what plots are drawn with; settings_apply_style sets it */

    struct cost cost;             /* of tdtop itself */
    struct explain explain;       /* owned */
    struct guide guide;           /* owned; of help, see popup_help.c */
    struct needs needs;           /* of the metric that is explained; owned */
    struct derivation derivation; /* of the value that is accounted for; owned */
};

/* Makes the screen of a session that may not be open yet. 0, or a negative errno with words. */
int screen_init(struct screen *sc, struct session *s, int level, struct err *err);
/* The session is open now: takes the memory that depends on its model. */
int screen_attach(struct screen *sc, struct err *err);
int screen_resize(struct screen *sc, int w, int h); /* 0 or -ENOMEM */
int screen_place(struct screen *sc);                /* the same size, other splits. 0 or -ENOMEM */
void screen_destroy(struct screen *sc);

/* The session took a sample: what follows every one does, drawn or not. Who takes several at once
 * calls it for each, and screen_update after the last. */
void screen_sample(struct screen *sc);
/* The rest, of the newest sample. Returns false if the screen is frozen: nothing to draw. */
bool screen_update(struct screen *sc);
/* The stream has ended: what was held back for calm is shown as it is. */
void screen_settle(struct screen *sc);
/* Reads and allocates what is about to be drawn; again, it finds all of it there. */
void screen_prepare(struct screen *sc);
/* Prepares, and draws everything that is to be seen onto the canvas. */
void screen_draw(struct screen *sc);
/* One key; m is used for KEYC_MOUSE. */
void screen_key(struct screen *sc, uint32_t key, const struct mouse *m);
/* What was pasted, at once, into what is being typed; it presses no key. No control characters. */
void screen_paste(struct screen *sc, const char *text);

/* Shows a view, whatever views_go would say; asks for rows only while they are shown. */
void screen_view(struct screen *sc, enum main_view view);
/* What is typed after "/": a node of the tree, or a part of the names of threads. */
struct search *screen_search(struct screen *sc);
/* Shows the rows that came last, of a view that has some. */
void screen_take_rows(struct screen *sc);
/* Why there are no rows, for the place where they would be. Returns buf. */
const char *screen_no_rows(const struct screen *sc, char *buf, size_t cap);

/* A line for the user; shown in the key line until the next key. */
void screen_say(struct screen *sc, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/*
 * The first of n buckets of a trend that are shown. They fill from the left; when they are full
 * they move on by 1/parts of their number at once, so that most of the time only one cell changes.
 */
uint64_t screen_first_bucket(const struct trend *t, int n, int parts);
/* How many of them have passed: the newest is not whole, those behind it are not there yet. */
int screen_whole_buckets(const struct trend *t, uint64_t first, int n);
/* n values of a metric from that bucket on, in sc->dots; NAN = nothing measured, or not yet. */
float *screen_values(struct screen *sc, const struct trend *t, int metric, uint64_t first, int n);

/* Session time of what is shown. */
uint64_t screen_now_ns(const struct screen *sc);
/* Session time of the newest that may be shown: now, or the moment at which it was frozen. */
uint64_t screen_newest_ns(const struct screen *sc);
/* The newest is shown again, after another moment was. */
void screen_shows_newest(struct screen *sc);
/* Length of a bucket of the plot, or of a column of the history while that is shown: what the time
 * cursor moves by. */
uint64_t screen_bucket_ns(const struct screen *sc);
/* "last 42s": the past that the newest n buckets of the sparklines show. Returns buf. */
const char *screen_last_words(const struct screen *sc, int n, char *buf, size_t cap);
/* Length of a bucket that shows every interval. */
uint64_t screen_finest_ns(const struct screen *sc);
/* The next longer one that reads well on an axis. */
uint64_t screen_longer_ns(uint64_t bucket_ns);
/* Another moment is shown than before: nothing that follows slowly holds it back. */
void screen_jump(struct screen *sc);
/* The columns of the tree have changed: places and trends follow. 0 or -ENOMEM. */
int screen_columns(struct screen *sc);

static inline const struct model *screen_model(const struct screen *sc) {
    return &sc->s->model;
}

/* True if the view has rows of threads or CPUs. */
static inline bool screen_has_rows(const struct screen *sc) {
    return sc->view == VIEW_THREADS || sc->view == VIEW_CPUS;
}

/* True while what -P names is not there, and that is what is shown: nothing is known but that. */
static inline bool screen_is_away(const struct screen *sc) {
    return sc->s->away && sc->s->state == STREAM_LIVE && sc->frame == &sc->s->frame;
}

/* "waiting for redis-server": what there is to say then. Returns buf. */
const char *screen_away_words(const struct screen *sc, char *buf, size_t cap);

/* The selected metric, or METRIC_NONE. */
static inline int screen_selected(const struct screen *sc) {
    return outline_metric(&sc->tree);
}

#endif
