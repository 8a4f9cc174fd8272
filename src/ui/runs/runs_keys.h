/* What keys do in the list of stored runs, in the trend, and to get there and back. keys.c says
 * which key does what. */
#ifndef TDTOP_UI_RUNS_KEYS_H
#define TDTOP_UI_RUNS_KEYS_H

struct bench_source; /* ui/view/bench.h */
struct run_node;
struct screen;

void runs_key_show(struct screen *sc); /* or back from there */
void runs_key_back(struct screen *sc); /* what is narrowed down is wide again; back */
void runs_key_quit(struct screen *sc); /* of an opened run: back to the list */

void runs_key_open(struct screen *sc);         /* a run, or its group */
void runs_key_fold(struct screen *sc, int by); /* closes (-1) the group, or opens (1) it */
void runs_key_fold_all(struct screen *sc);

void runs_key_search(struct screen *sc);
void runs_key_metric(struct screen *sc);

void runs_key_mark(struct screen *sc);
void runs_key_compare(struct screen *sc);
void runs_key_baseline(struct screen *sc);
void runs_key_about(struct screen *sc);
void runs_key_labels(struct screen *sc);
void runs_key_note(struct screen *sc);
void runs_key_remove(struct screen *sc); /* a run, or a group, after a question */
void runs_key_undo(struct screen *sc);
void runs_key_removed(struct screen *sc); /* those that were removed; back */
void runs_key_export(struct screen *sc);

void runs_key_trend(struct screen *sc);
/* Of the trend: so many runs on; the next run that stands out, or the one before. */
void runs_key_along(struct screen *sc, int by);
void runs_key_odd(struct screen *sc, int by);

#endif
