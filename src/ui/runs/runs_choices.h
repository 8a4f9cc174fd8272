/* The lists that keys of the stored runs offer: labels to group by, conditions of the filter,
 * metrics, columns to sort by. Each is filled from the store and opens a pop-up. */
#ifndef TDTOP_UI_RUNS_CHOICES_H
#define TDTOP_UI_RUNS_CHOICES_H

struct screen;

void runs_key_group(struct screen *sc);
void runs_key_filter(struct screen *sc);
void runs_key_sort(struct screen *sc);
void runs_key_invert(struct screen *sc);
/* done gets the name of a metric that the selected run has, or the newest one; or what was typed.
 */
void runs_choose_metric(struct screen *sc,
                        void (*done)(struct screen *sc, const char *text, int at));

#endif
