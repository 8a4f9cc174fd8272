/* What a key can do to the screen, where no function of another header does it. keys.c says which
 * key does what. */
#ifndef TDTOP_UI_ACTIONS_H
#define TDTOP_UI_ACTIONS_H

struct screen;

/* In whatever list has the keys. */
void action_line(struct screen *sc, int lines); /* a line of the map has many CPUs */
void action_row(struct screen *sc, int rows);
void action_page(struct screen *sc, int pages);
void action_end(struct screen *sc, int last); /* 0: to the first row; 1: to the last */

/* Of the tree: opens (1) or closes (-1) the branch; while the time cursor has the arrow keys, it
 * moves instead. */
void action_branch(struct screen *sc, int by);
void action_toggle(struct screen *sc);
void action_all(struct screen *sc);
void action_level(struct screen *sc, int by); /* so many levels more are open */
void action_bottleneck(struct screen *sc);

/* Of the funnel. */
void action_block(struct screen *sc, int by);
void action_undrill(struct screen *sc);

void action_column(struct screen *sc, int by);
void action_thread_alone(struct screen *sc);
void action_invert(struct screen *sc);

void action_freeze(struct screen *sc);
void action_interval(struct screen *sc, int by); /* the next longer one, -1: shorter */
void action_split(struct screen *sc);
void action_reset(struct screen *sc);
void action_mark(struct screen *sc);
void action_mark_as(struct screen *sc, const char *name); /* "mark 3" where the name is "" */
void action_next_type(struct screen *sc);                 /* of several core types */

void action_baseline(struct screen *sc); /* pressed again: unpins it */
void action_bench(struct screen *sc);    /* goes back when pressed again */
void action_bench_pin(struct screen *sc);
void action_bench_restart(struct screen *sc);
void action_bench_keep(struct screen *sc);
void action_bench_swap(struct screen *sc);
void action_bench_undo(struct screen *sc);
/* Stored runs: Enter goes to A (-1) or to B (1). Else the time cursor moves. */
void action_bench_side(struct screen *sc, int by);

void action_no_explain(struct screen *sc); /* say where it can be done: */
void action_no_value(struct screen *sc);   /* e and x where no node is selected */
void action_cost(struct screen *sc);
void action_doctor(struct screen *sc);
void action_popup_close(struct screen *sc);
void action_back(struct screen *sc); /* clears the search, else back to the tree or bench */
void action_search_cancel(struct screen *sc);
void action_palette(struct screen *sc);

void action_save_screen(struct screen *sc);
void action_copy(struct screen *sc); /* the selected value, else the table */
void action_copy_table(struct screen *sc);

void action_repaint(struct screen *sc);
void action_suspend(struct screen *sc);
void action_quit(struct screen *sc); /* of an opened run: back to the list */
void action_quit_at_once(struct screen *sc);

#endif
