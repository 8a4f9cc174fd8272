/* What a key can do to the screen. keys.c says which key does what. */
#ifndef TDTOP_UI_ACTIONS_H
#define TDTOP_UI_ACTIONS_H

#include <stdint.h>

struct screen;

void action_up(struct screen *sc, uint32_t key);
void action_down(struct screen *sc, uint32_t key);
void action_page_up(struct screen *sc, uint32_t key);
void action_page_down(struct screen *sc, uint32_t key);
void action_first(struct screen *sc, uint32_t key);
void action_last(struct screen *sc, uint32_t key);
void action_open(struct screen *sc, uint32_t key);
void action_close(struct screen *sc, uint32_t key);
void action_toggle(struct screen *sc, uint32_t key);
void action_all(struct screen *sc, uint32_t key);
void action_deeper(struct screen *sc, uint32_t key); /* one level more is open */
void action_shallower(struct screen *sc, uint32_t key);
void action_bottleneck(struct screen *sc, uint32_t key);

void action_block_left(struct screen *sc, uint32_t key); /* these four: of the funnel */
void action_block_right(struct screen *sc, uint32_t key);
void action_drill(struct screen *sc, uint32_t key);
void action_undrill(struct screen *sc, uint32_t key);

void action_next_view(struct screen *sc, uint32_t key);
void action_previous_view(struct screen *sc, uint32_t key);
void action_view(struct screen *sc, uint32_t key);    /* key: its digit */
void action_layout(struct screen *sc, uint32_t key);  /* the next preset */
void action_threads(struct screen *sc, uint32_t key); /* these two go back when pressed again */
void action_cpus(struct screen *sc, uint32_t key);
void action_column_left(struct screen *sc, uint32_t key);
void action_column_right(struct screen *sc, uint32_t key);
void action_invert(struct screen *sc, uint32_t key);
void action_left(struct screen *sc, uint32_t key);
void action_right(struct screen *sc, uint32_t key);

void action_freeze(struct screen *sc, uint32_t key);
void action_slower(struct screen *sc, uint32_t key);
void action_faster(struct screen *sc, uint32_t key);
void action_focus(struct screen *sc, uint32_t key);
void action_split(struct screen *sc, uint32_t key);

void action_reset(struct screen *sc, uint32_t key);

void action_earlier(struct screen *sc, uint32_t key);
void action_later(struct screen *sc, uint32_t key);
void action_live(struct screen *sc, uint32_t key);
void action_begin_span(struct screen *sc, uint32_t key);
void action_end_span(struct screen *sc, uint32_t key);
void action_phase_before(struct screen *sc, uint32_t key);
void action_phase_next(struct screen *sc, uint32_t key);
void action_mark(struct screen *sc, uint32_t key);

void action_snapshot(struct screen *sc, uint32_t key);
void action_repeat(struct screen *sc, uint32_t key);
void action_baseline(struct screen *sc, uint32_t key); /* pressed again: unpins it */
void action_bench(struct screen *sc, uint32_t key);    /* goes back when pressed again */
void action_bench_enter(struct screen *sc, uint32_t key);
void action_bench_pin(struct screen *sc, uint32_t key);
void action_bench_restart(struct screen *sc, uint32_t key);
void action_bench_keep(struct screen *sc, uint32_t key);
void action_bench_swap(struct screen *sc, uint32_t key);
void action_bench_undo(struct screen *sc, uint32_t key);
void action_bench_left(struct screen *sc, uint32_t key); /* these two: of stored runs A, or B */
void action_bench_right(struct screen *sc, uint32_t key);
void action_ask_accept(struct screen *sc, uint32_t key);
void action_ask_cancel(struct screen *sc, uint32_t key);
void action_form_accept(struct screen *sc, uint32_t key);
void action_form_up(struct screen *sc, uint32_t key);
void action_form_complete_back(struct screen *sc, uint32_t key);
void action_form_down(struct screen *sc, uint32_t key);
void action_form_complete(struct screen *sc, uint32_t key);
void action_form_close(struct screen *sc, uint32_t key);

void action_next_type(struct screen *sc, uint32_t key); /* of several core types */

void action_help(struct screen *sc, uint32_t key);
void action_explain(struct screen *sc, uint32_t key);
void action_value(struct screen *sc, uint32_t key);
void action_no_explain(struct screen *sc, uint32_t key); /* say where it can be done */
void action_no_value(struct screen *sc, uint32_t key);   /* e and x where no node is selected */
void action_cost(struct screen *sc, uint32_t key);
void action_doctor(struct screen *sc, uint32_t key);
void action_scroll_up(struct screen *sc, uint32_t key);
void action_scroll_down(struct screen *sc, uint32_t key);
void action_scroll_page_up(struct screen *sc, uint32_t key);
void action_scroll_page_down(struct screen *sc, uint32_t key);
void action_scroll_first(struct screen *sc, uint32_t key);
void action_scroll_last(struct screen *sc, uint32_t key);
void action_back(struct screen *sc,
                 uint32_t key); /* clears the search, else back to the tree or bench */
void action_popup_close(struct screen *sc, uint32_t key);

void action_search(struct screen *sc, uint32_t key);
void action_search_next(struct screen *sc, uint32_t key);
void action_search_previous(struct screen *sc, uint32_t key);
void action_search_accept(struct screen *sc, uint32_t key);
void action_search_cancel(struct screen *sc, uint32_t key);

void action_palette(struct screen *sc, uint32_t key);
void action_palette_accept(struct screen *sc, uint32_t key);
void action_palette_up(struct screen *sc, uint32_t key);
void action_palette_down(struct screen *sc, uint32_t key);
void action_palette_page_up(struct screen *sc, uint32_t key);
void action_palette_page_down(struct screen *sc, uint32_t key);
void action_palette_complete(struct screen *sc, uint32_t key);
void action_palette_close(struct screen *sc, uint32_t key);
void action_settings(struct screen *sc, uint32_t key);
void action_settings_up(struct screen *sc, uint32_t key);
void action_settings_down(struct screen *sc, uint32_t key);
void action_settings_page_up(struct screen *sc, uint32_t key);
void action_settings_page_down(struct screen *sc, uint32_t key);
void action_settings_first(struct screen *sc, uint32_t key);
void action_settings_last(struct screen *sc, uint32_t key);
void action_settings_enter(struct screen *sc, uint32_t key);
void action_settings_before(struct screen *sc, uint32_t key);
void action_settings_next(struct screen *sc, uint32_t key);
void action_settings_default(struct screen *sc, uint32_t key);
void action_settings_write(struct screen *sc, uint32_t key);
void action_settings_close(struct screen *sc, uint32_t key);
void action_theme(struct screen *sc, uint32_t key);
void action_theme_up(struct screen *sc, uint32_t key);
void action_theme_down(struct screen *sc, uint32_t key);
void action_theme_first(struct screen *sc, uint32_t key);
void action_theme_last(struct screen *sc, uint32_t key);
void action_theme_keep(struct screen *sc, uint32_t key);
void action_theme_cancel(struct screen *sc, uint32_t key);
void action_save_screen(struct screen *sc, uint32_t key);
void action_copy(struct screen *sc, uint32_t key); /* the selected value, else the table */
void action_copy_table(struct screen *sc, uint32_t key);

void action_repaint(struct screen *sc, uint32_t key);
void action_suspend(struct screen *sc, uint32_t key);
void action_quit(struct screen *sc, uint32_t key);

#endif
