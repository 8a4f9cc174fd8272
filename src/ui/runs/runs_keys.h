/* What keys do in the list of stored runs, in the trend, and to get there and back. keys.c says
 * which key does what. */
#ifndef TDTOP_UI_RUNS_KEYS_H
#define TDTOP_UI_RUNS_KEYS_H

#include <stdint.h>

struct bench_source; /* ui/view/bench.h */
struct run_node;
struct screen;

void runs_key_show(struct screen *sc, uint32_t key); /* or back from there */
void runs_key_back(struct screen *sc, uint32_t key); /* what is narrowed down is wide again; back */
void runs_key_quit(struct screen *sc, uint32_t key); /* of an opened run: back to the list */

void runs_key_up(struct screen *sc, uint32_t key);
void runs_key_down(struct screen *sc, uint32_t key);
void runs_key_page_up(struct screen *sc, uint32_t key);
void runs_key_page_down(struct screen *sc, uint32_t key);
void runs_key_first(struct screen *sc, uint32_t key);
void runs_key_last(struct screen *sc, uint32_t key);
void runs_key_open(struct screen *sc, uint32_t key);   /* a run, or its group */
void runs_key_fold(struct screen *sc, uint32_t key);   /* Left: closes the group */
void runs_key_unfold(struct screen *sc, uint32_t key); /* Right: opens it */
void runs_key_fold_all(struct screen *sc, uint32_t key);

void runs_key_search(struct screen *sc, uint32_t key);
void runs_key_filter(struct screen *sc, uint32_t key);
void runs_key_group(struct screen *sc, uint32_t key);
void runs_key_sort_left(struct screen *sc, uint32_t key);
void runs_key_sort_right(struct screen *sc, uint32_t key);
void runs_key_invert(struct screen *sc, uint32_t key);
void runs_key_metric(struct screen *sc, uint32_t key);

void runs_key_mark(struct screen *sc, uint32_t key);
void runs_key_compare(struct screen *sc, uint32_t key);
/* A metric over time in a run that was compared; of a group its trend over the runs. */
void runs_compare_enter(struct screen *sc, const struct bench_source *from,
                        const struct run_node *n);
void runs_key_baseline(struct screen *sc, uint32_t key);
void runs_key_about(struct screen *sc, uint32_t key);
void runs_key_labels(struct screen *sc, uint32_t key);
void runs_key_note(struct screen *sc, uint32_t key);
void runs_key_remove(struct screen *sc, uint32_t key); /* a run; a group, after a question */
void runs_key_undo(struct screen *sc, uint32_t key);
void runs_key_removed(struct screen *sc, uint32_t key); /* those that were removed; back */
void runs_key_export(struct screen *sc, uint32_t key);

void runs_key_trend(struct screen *sc, uint32_t key);
void runs_key_left(struct screen *sc, uint32_t key); /* these six: in the trend */
void runs_key_right(struct screen *sc, uint32_t key);
void runs_key_oldest(struct screen *sc, uint32_t key);
void runs_key_newest(struct screen *sc, uint32_t key);
void runs_key_next_odd(struct screen *sc, uint32_t key);
void runs_key_previous_odd(struct screen *sc, uint32_t key);

#endif
