/*
 * The scene: what is on the screen, without cells and keys. The session and the moment of it that
 * is shown, the selection, A and B, and the past in buckets as wide as the screen. Views draw it
 * and may not change it; what the user does changes it, here and in ui/app (struct screen, which
 * holds it).
 */
#ifndef TDTOP_UI_SCENE_SCENE_H
#define TDTOP_UI_SCENE_SCENE_H

#include "model/eval/derivation.h"
#include "model/eval/needs.h"
#include "model/knowledge/explain.h"
#include "session/session.h"
#include "ui/draw/chart.h"
#include "ui/draw/layout.h"
#include "ui/draw/outline.h"
#include "ui/draw/words.h"
#include "ui/scene/baseline.h"
#include "ui/scene/bench.h"
#include "ui/scene/changes.h"
#include "ui/scene/cost.h"
#include "ui/scene/cursor.h"
#include "ui/scene/search.h"
#include "ui/scene/sentence.h"
#include "ui/scene/view.h"
#include "ui/term/term.h"

enum { ROOTS_MAX = 16 }; /* segments of level 1 */

/*
 * What a row of the tree shows beside its value. These follow with a small dead band: what jitters
 * by less than can be read stays as it is, and costs no bytes.
 */
struct shown {
    float err, bar, duty;
};

/* The past of all metrics in buckets; as long as the screen is wide. */
struct trends {
    struct trend spark, plot; /* of the tree's column; of plots */
    bool has_spark, has_plot;
    float *dots, *warning; /* scratch: [n_dots] one row of values, and their ± */
    float *pile;           /* scratch: [ROOTS_MAX][n_dots] values of the roots */
    int16_t *lane;         /* scratch: [n_dots] ends of paths */
    int n_dots;            /* two for each column of the screen */
};

/* A metric that the bench shows over time: Esc goes back there. */
struct visit {
    bool on;
    struct outline_place tree; /* the tree before, whose selection is what the history shows */
    bool touched;
};

struct scene {
    /* What is measured. */
    struct session *s;        /* borrowed */
    bool connected;           /* the session is open */
    bool waits;               /* what is to be measured is not there yet */
    const struct run *stored; /* borrowed: it is a stored run that is shown; NULL: live */
    int type, n_types;        /* which core type this is, of how many; 0 of 1 where there is one */
    bool active;              /* of them it has the keys */
    bool beside;              /* the trees of all are beside each other */

    /* The moment. */
    const struct frame *frame; /* NULL before the first interval */
    const struct sample *sample;
    const struct frame *newest; /* `frame`, but for the time cursor: what "now" is on the screen */
    struct cursor cursor;
    bool frozen;
    bool over;            /* the stream has ended: the whole session is what is newest */
    uint64_t interval_ns; /* between frames, as seen; picks the buckets of the trends */

    /* The user's: what is looked at. */
    const struct view *view; /* the stored runs lie over it (ui/runs): it is never those */
    struct outline tree;     /* open branches and the selected metric */
    bool touched;            /* the user has moved: nobody else moves the selection from now on */
    int funnel_zoom;         /* what takes the width of the funnel; METRIC_NONE: all */
    struct search search;
    struct visit visit;
    int where; /* the metric that view_where is about; METRIC_NONE */
    enum focus_mode focus;
    bool split; /* user space and kernel are told apart among the vital signs */

    /* What is made of it. */
    struct shown *shown; /* [n_metric] */
    struct trends trends;
    struct columns columns; /* of the tree */
    int h;                  /* rows of the screen: no view shows more */
    uint64_t column_ns;     /* that the history draws; 0: it was not drawn */
    struct sentence sentence;
    struct changes changes; /* which values have just moved */
    struct baseline base;   /* A */
    struct baseline_moves moves;
    struct bench_view bench;       /* A and B as lines */
    struct explain explain;        /* owned */
    struct cost cost;              /* of tdtop itself */
    enum chart_glyph plot_glyph;   /* what plots are drawn with */
    struct needs *needs;           /* scratch of the page that explains a metric */
    struct derivation *derivation; /* and of how a value came to be */
    unsigned jumps;  /* counts: another moment is shown, nothing holds back what comes */
    unsigned scales; /* counts: nor do the scales of plots */

    void *state; /* of the view that is at work (view.h) */
};

static inline const struct model *scene_model(const struct scene *sc) {
    return &sc->s->model;
}

/* The selected metric, or METRIC_NONE. */
static inline int scene_selected(const struct scene *sc) {
    return outline_metric(&sc->tree);
}

/* The user is at the tree, and has the selection and the arrow keys. */
static inline void scene_touch(struct scene *sc) {
    sc->touched = true;
    sc->cursor.focused = false;
}

/* True if the view has rows of threads or CPUs. */
static inline bool scene_has_rows(const struct scene *sc) {
    return sc->view == &view_threads || sc->view == &view_cpus;
}

/* True for what is on the way to the bottleneck; for all where there is none. */
static inline bool scene_counts(const struct scene *sc, int metric) {
    const struct bottleneck *b = &sc->frame->bottleneck;
    return b->n == 0 || bottleneck_has(b, metric);
}

/* The style of a large area, below the verdict: what does not count is grey. STYLE_TEXT: it has no
 * hue. */
static inline enum style scene_fill(const struct scene *sc, int metric) {
    const enum style fill = words_fill(scene_model(sc), metric);
    return scene_counts(sc, metric) ? words_quiet(fill) : words_grey(fill);
}

/* True while there is a program whose code can be sampled. */
static inline bool scene_has_code(const struct scene *sc) {
    const struct session *s = sc->s;
    return s->source.live && !s->source.simulated && s->state == STREAM_LIVE && !s->away;
}

/* True while what -P names is not there, and that is what is shown: nothing is known but that. */
static inline bool scene_is_away(const struct scene *sc) {
    return sc->s->away && sc->s->state == STREAM_LIVE && sc->frame == &sc->s->frame;
}

/* "waiting for redis-server": what there is to say then. Returns buf. */
const char *scene_away_words(const struct scene *sc, char *buf, size_t cap);
/* "P-cores 62% of the CPU time", in brief "P-cores 62%"; "" where all cores are alike. Returns
 * buf. */
const char *scene_type_words(const struct scene *sc, bool brief, char *buf, size_t cap);
/* True if the trees of all core types are beside each other now. */
bool scene_is_beside(const struct scene *sc);

/* "auto", "open", "off". */
const char *scene_focus_word(enum focus_mode mode);

/* ---- time ---- */

/* Session time of what is shown. */
uint64_t scene_now_ns(const struct scene *sc);
/* Session time of the newest that may be shown: now, or the moment at which it was frozen. */
uint64_t scene_newest_ns(const struct scene *sc);
/* Another moment is shown than before: nothing that follows slowly holds it back. */
void scene_jump(struct scene *sc);
/* The same, but nothing is shown so far. */
void scene_forget(struct scene *sc);
/* What follows the values slowly (struct shown) is brought on to the frame that is shown. */
void scene_follow(struct scene *sc);
/* Its counters are off, because nobody looked: nothing is wrong, so it is said calmly. */
bool scene_is_resting(const struct value *v);

/* ---- buckets ---- */

/* 0 or -ENOMEM; scene_drop_trends in both cases. n_*: buckets; 0: none. */
int scene_make_trends(struct scene *sc, int n_spark, int n_plot, int w);
void scene_drop_trends(struct scene *sc);
void scene_update_trends(struct scene *sc);
/* Follows the interval between frames once three in a row agree that it has changed; `odd` counts
 * those that did not. */
void scene_follow_interval(struct scene *sc, int *odd);
/* Length of a bucket of the plot, or of a column of the history while that is shown: what the time
 * cursor moves by. */
uint64_t scene_bucket_ns(const struct scene *sc);
/* Length of a bucket that shows every interval; and the next longer one that reads well on an axis.
 */
uint64_t scene_finest_ns(const struct scene *sc);
uint64_t scene_longer_ns(uint64_t bucket_ns);

#endif
