/*
 * The sentence of PANE_VERDICT: its words hold still, because who reads it must come to its end;
 * its numbers are always those of the sample that the tree shows. Other words take their place when
 * the path of the tree changes; when it has become more or less sure, or another rule than the
 * tree's names another node, and that for two intervals; when another moment is shown, or another
 * baseline or view; and else every 5 s. It follows every sample, drawn or not.
 */
#ifndef TDTOP_UI_SENTENCE_H
#define TDTOP_UI_SENTENCE_H

#include "model/knowledge/advice.h"

struct scene;
struct view;

enum { SENTENCE_PAST = 4 };

struct sentence {
    struct advice advice; /* the source that is used; owned */
    bool loaded;
    struct advice_text text; /* what is shown, if `made` */
    bool made;
    uint64_t made_ns;        /* session time of the frame its words were made of */
    uint64_t seen_ns;        /* of the newest frame that was looked at */
    const struct frame *of;  /* private: live, frozen, or another moment; only compared */
    int differs;             /* intervals in a row in which it would say something else */
    const struct view *view; /* private: of which it names the keys */
    bool based;              /* private: against a baseline */
    int told_;               /* private: the change since the baseline that is told */
    struct bottleneck path_; /* private: what the words are about */
    unsigned stance_; /* private: where the cursor was, and what was open, when it was said */
    struct advice_text next_; /* private: scratch */

    /* Frames of the last minute and a bit, one every 20 s. */
    struct frame past[SENTENCE_PAST];
    int n_past, newest_past;
};

/* Takes another source of advice. 0, or negative errno with words: the one before stays. */
int sentence_load(struct sentence *se, const char *source, struct err *err);
/* Memory that depends on the model; again for another one. 0 or -ENOMEM. */
int sentence_init(struct sentence *se, const struct model *m);
void sentence_destroy(struct sentence *se); /* accepts a zeroed one; leaves it zeroed */

/* A new interval was taken: it is what the one a minute later is compared with. */
void sentence_note(struct scene *sc);
/* Brings it to the frame that is shown. Allocates nothing; the same frame again costs nothing. */
void sentence_follow(struct scene *sc);
/* The newest frame that is about a minute older than the one that is shown, if that is the newest;
 * borrowed, or NULL. */
const struct frame *sentence_minute_ago(const struct scene *sc);

#endif
