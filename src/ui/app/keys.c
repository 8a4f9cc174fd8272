#include "ui/app/keys.h"

#include "ui/app/actions.h"
#include "ui/app/views.h"
#include "ui/popup/explain_view.h"
#include "ui/popup/help.h"
#include "ui/runs/runs_keys.h"
#include "ui/term/key_name.h"
#include "ui/view/metrics_view.h"

#include <string.h>

/* Order is the order on the help screen, which is drawn from this table; the first binding that
 * fits a key and its context wins. */
const struct key_binding keys[] = {
    /* A row a line, or two, which the tool would make nine. */
    /* clang-format off */
    {.words = "Look around"},
    {"up", {KEYC_UP, 'k'}, IN_VIEW, action_up, "Up k", "one row up", NULL, 0},
    {"down", {KEYC_DOWN, 'j'}, IN_VIEW, action_down, "Down j", "one row down", NULL, 0},
    {"page-up", {KEYC_PGUP}, IN_VIEW, action_page_up, "PgUp", "one page up", NULL, 0},
    {"page-down", {KEYC_PGDN}, IN_VIEW, action_page_down, "PgDn", "one page down", NULL, 0},
    {"first", {KEYC_HOME, 'g'}, IN_VIEW, action_first, "Home g", "first row", NULL, 0},
    {"last", {KEYC_END, 'G'}, IN_VIEW, action_last, "End G", "last row", NULL, 0},
    {"bottleneck", {'B'}, IN_TREE | IN_FUNNEL | IN_HISTORY, action_bottleneck,
     "B", "go to the bottleneck", "B bottleneck", 12},

    {.words = "Views"},
    {"view-tree", {'1'}, IN_VIEW | IN_STORE, action_view,
     "1 .. 9", "a view: the line of names has them", NULL, 0},
    {"view-funnel", {'2'}, IN_VIEW | IN_STORE, action_view, NULL, NULL, NULL, 0},
    {"view-history", {'3'}, IN_VIEW | IN_STORE, action_view, NULL, NULL, NULL, 0},
    {"view-threads", {'4'}, IN_VIEW | IN_STORE, action_view, NULL, NULL, NULL, 0},
    {"view-cpus", {'5'}, IN_VIEW | IN_STORE, action_view, NULL, NULL, NULL, 0},
    {"view-metrics", {'6'}, IN_VIEW | IN_STORE, action_view, NULL, NULL, NULL, 0},
    {"view-runs", {'7'}, IN_VIEW | IN_STORE, action_view, NULL, NULL, NULL, 0},
    {"view-bench", {'8'}, IN_VIEW | IN_STORE, action_view, NULL, NULL, NULL, 0},
    {"view-doctor", {'9'}, IN_VIEW | IN_STORE, action_view, NULL, NULL, NULL, 0},
    {"view-next", {KEYC_TAB}, IN_VIEW, action_next_view, "Tab", "the next view", "Tab views", 5},
    {"view-next", {KEYC_TAB}, IN_STORE, action_next_view, NULL, NULL, NULL, 0},
    {"view-previous", {KEYC_BTAB}, IN_VIEW | IN_STORE, action_previous_view,
     "Shift-Tab", "the view before", NULL, 0},
    {"threads", {'t'}, IN_VIEW, action_threads, "t", "threads; again: the tree", NULL, 0},
    {"layout-next", {'w'}, IN_VIEW, action_layout,
     "w", "another layout of panes: more plots, more tree", NULL, 0},
    {"cpus", {'c'}, IN_VIEW, action_cpus, "c", "CPUs; again: the tree", NULL, 0},

    {.words = "Open and close"},
    {"open-close", {KEYC_ENTER}, IN_TREE, action_toggle,
     "Enter", "open or close the branch", "Enter open", 2},
    {"open", {KEYC_RIGHT}, IN_TREE, action_open, "Right", "open; again: first child", NULL, 0},
    {"close-branch", {KEYC_LEFT}, IN_TREE, action_close, "Left", "close; again: parent", NULL, 0},
    {"open-all", {'*'}, IN_TREE, action_all, "*", "open everything, or as at start", "* all", 7},
    {"level-shallower", {'('}, IN_TREE, action_shallower,
     "( )", "open one level less, one level more", NULL, 0},
    {"level-deeper", {')'}, IN_TREE, action_deeper, NULL, NULL, NULL, 0},

    {.words = "The funnel"},
    {"funnel-drill", {KEYC_ENTER}, IN_FUNNEL, action_drill,
     "Enter", "funnel: the block takes all of the width", "Enter drill", 2},
    {"funnel-back", {KEYC_BACKSPACE}, IN_FUNNEL, action_undrill,
     "Backspace", "funnel: one step back out", "Backspace out", 3},
    {"block-left", {KEYC_LEFT}, IN_FUNNEL, action_block_left, NULL, NULL, NULL, 0},
    {"block-right", {KEYC_RIGHT}, IN_FUNNEL, action_block_right, NULL, NULL, NULL, 0},

    {.words = "The history", .where = IN_HISTORY},
    {"history-left", {KEYC_LEFT}, IN_HISTORY, action_earlier,
     "Left Right", "a column earlier, later", NULL, 0},
    {"history-right", {KEYC_RIGHT}, IN_HISTORY, action_later, NULL, NULL, "Left/Right time", 2},
    {"history-back", {'<'}, IN_HISTORY, history_key_back,
     "< >", "a screen earlier, later", NULL, 0},
    {"history-on", {'>'}, IN_HISTORY, history_key_on, NULL, NULL, NULL, 0},
    {"history-closer", {'z'}, IN_HISTORY, history_key_closer,
     "z Z", "shorter columns; longer ones, up to all", NULL, 0},
    {"history-farther", {'Z'}, IN_HISTORY, history_key_farther, NULL, NULL, "zZ zoom", 3},

    {.words = "Measure"},
    {"freeze", {' ', 'p', 'Z'}, IN_VIEW | IN_POPUP, action_freeze,
     "Space p", "freeze the screen; counting goes on", "Space freeze", 4},
    {"slower", {'+', '='}, IN_VIEW, action_slower, "+", "longer interval", "+- interval", 6},
    {"faster", {'-', '_'}, IN_VIEW, action_faster, "-", "shorter interval", NULL, 0},
    {"user-kernel", {'u'}, IN_VIEW & ~IN_BENCH, action_split, "u", "tell user space from the kernel", NULL, 0},
    {"focus", {'F'}, IN_TREE | IN_FUNNEL, action_focus,
     "F", "focus: auto, what is open, off", "F focus", 9},

    {"reset-sums", {'0'}, IN_VIEW & ~IN_BENCH, action_reset,
     "0", "start anew: sums, and B of a comparison", "0 restart B", 2},

    {.words = "Go through time"},
    {"earlier", {','}, IN_PAST, action_earlier,
     ", .", "earlier, later; then Left and Right, too", NULL, 0},
    {"later", {'.'}, IN_PAST, action_later, NULL, NULL, ",. time", 10},
    {"back-to-live", {'L'}, IN_PAST, action_live, "L Esc", "back to what is live", NULL, 0},
    {"begin-span", {'['}, IN_PAST, action_begin_span,
     "[ ]", "mark a span: begin, end; shows its sums", NULL, 0},
    {"end-span", {']'}, IN_PAST, action_end_span, NULL, NULL, "[] span", 14},
    {"phase-before", {'{'}, IN_PAST, action_phase_before,
     "{ }", "the phase before, the next: as the span", NULL, 0},
    {"phase-next", {'}'}, IN_PAST, action_phase_next, NULL, NULL, "{} phase", 15},
    {"mark", {'m'}, IN_VIEW, action_mark,
     "m", "put a mark with a name on the time line", "m mark", 13},

    {.words = "Keep and compare"},
    {"snapshot", {'s'}, IN_VIEW & ~IN_BENCH, action_snapshot,
     "s", "store a snapshot: since the last change", "s snapshot", 8},
    {"repeat", {'S'}, IN_VIEW, action_repeat, "S", "the same at once, with the last labels", NULL, 0},
    {"baseline", {'b'}, IN_VIEW & ~IN_BENCH, action_baseline,
     "b", "pin a baseline: since the last change", "b baseline", 9},
    {"bench", {'d'}, IN_VIEW & ~IN_BENCH, action_bench,
     "d", "what has changed from A to B", "d bench", 11},
    {"bench", {'d'}, IN_BENCH, action_bench, NULL, NULL, NULL, 0},

    {.words = "The bench", .where = IN_BENCH},
    {"bench-enter", {KEYC_ENTER}, IN_BENCH, action_bench_enter,
     "Enter", "the metric over time; a closed line: open it", "Enter over time", 2},
    {"reset-sums", {'0'}, IN_BENCH, action_bench_restart,
     "0", "B begins with the next interval", "0 restart B", 2},
    {"snapshot", {'s'}, IN_BENCH, action_bench_keep,
     "s", "store B as a run", "s keep B", 3},
    {"baseline", {'b'}, IN_BENCH, action_bench_pin,
     "b", "B becomes A", "b pin as A", 2},
    {"bench-undo", {'u'}, IN_BENCH, action_bench_undo,
     "u", "A and B as before the last b, x or 0", "u undo", 3},
    {"bench-swap", {'x'}, IN_BENCH, action_bench_swap, "x", "A and B change places", "x swap", 3},
    {"bench-a", {KEYC_LEFT}, IN_BENCH, action_bench_left,
     "Left Right", "stored runs: choose A or B for Enter", NULL, 0},
    {"bench-b", {KEYC_RIGHT}, IN_BENCH, action_bench_right, NULL, NULL, "Left/Right A or B", 2},

    {.words = "Find out"},
    {"explain", {'e'}, IN_TREE | IN_FUNNEL | IN_HISTORY | IN_POPUP, action_explain,
     "e", "explain the selected node", "e explain", 3},
    {"value", {'x'}, IN_TREE | IN_FUNNEL | IN_HISTORY | IN_POPUP, action_value,
     "x", "how the selected value came about", NULL, 0},
    {"explain", {'e'}, IN_THREADS | IN_CPUS, action_no_explain, NULL, NULL, NULL, 0},
    {"value", {'x'}, IN_THREADS | IN_CPUS, action_no_value, NULL, NULL, NULL, 0},
    {"cost", {'W'}, IN_VIEW | IN_POPUP, action_cost, "W", "what tdtop itself costs", NULL, 0},
    {"doctor", {'D'}, IN_VIEW | IN_POPUP, action_doctor,
     "D", "doctor: what else decides numbers", NULL, 0},
    {"search", {'/'}, IN_TREE | IN_FUNNEL | IN_HISTORY, action_search,
     "/", "search a node by name", "/ search", 5},
    {"search", {'/'}, IN_THREADS, action_search, NULL, NULL, "/ filter", 5},
    {"search-next", {'n'}, IN_TREE | IN_FUNNEL | IN_HISTORY, action_search_next, "n", "next hit", NULL, 0},
    {"search-previous", {'N'}, IN_TREE | IN_FUNNEL | IN_HISTORY, action_search_previous, "N", "previous hit", NULL, 0},
    {"help", {KEYC_F1, '?', 'h'}, IN_VIEW | IN_POPUP, action_help,
     "F1 ? h", "show or hide this help", "F1 help", 1},

    {.words = "Threads and CPUs"},
    {"column-left", {'<', KEYC_LEFT}, IN_THREADS, action_column_left,
     "< >", "sort by another column", NULL, 0},
    {"column-right", {'>', KEYC_RIGHT}, IN_THREADS, action_column_right,
     NULL, NULL, "<> sort by", 2},
    {"invert", {'I'}, IN_THREADS, action_invert, "I", "sort the other way round", "I invert", 3},
    {"column-left", {'<'}, IN_CPUS, action_column_left, "< >", "CPUs: show another share", NULL, 0},
    {"column-right", {'>'}, IN_CPUS, action_column_right, NULL, NULL, "<> show", 2},
    {"left", {KEYC_LEFT}, IN_CPUS, action_left, NULL, NULL, NULL, 0},
    {"right", {KEYC_RIGHT}, IN_CPUS, action_right, NULL, NULL, NULL, 0},

    {"next-core-type", {'o'}, IN_VIEW, action_next_type,
     "o", "hybrid CPU: the other core type", NULL, 0},

    {.words = "Metrics", .where = IN_METRICS},
    {"metrics-enter", {KEYC_ENTER}, IN_METRICS, action_metrics_enter,
     "Enter", "explain it; a group: open or close", "Enter explain", 2},
    {"explain", {'e'}, IN_METRICS, action_metrics_explain, NULL, NULL, NULL, 0},
    {"value", {'x'}, IN_METRICS, action_metrics_value, NULL, NULL, "x value", 6},
    {"search", {'/'}, IN_METRICS, action_search,
     "/", "filter: name, group, unit, what it is", "/ filter", 3},
    {"column-left", {'<'}, IN_METRICS, action_metrics_order_back,
     "< >", "by group, name, value or duty", NULL, 0},
    {"column-right", {'>'}, IN_METRICS, action_metrics_order, NULL, NULL, "<> sort", 4},
    {"invert", {'I'}, IN_METRICS, action_metrics_invert, "I", "sort the other way round", NULL, 0},
    {"metrics-tree", {'T'}, IN_METRICS, action_metrics_tree,
     "T", "nodes of the tree, too", "T tree", 7},
    {"open", {KEYC_RIGHT}, IN_METRICS, action_metrics_open,
     "Right Left", "open, close the group", NULL, 0},
    {"close-branch", {KEYC_LEFT}, IN_METRICS, action_metrics_close, NULL, NULL, NULL, 0},
    {"open-all", {'*'}, IN_METRICS, action_metrics_all,
     "*", "open or close all groups", "* all", 8},

    {.words = "An explanation", .where = IN_EXPLAIN},
    {"link-next", {KEYC_TAB, KEYC_RIGHT}, IN_EXPLAIN, action_link_next,
     "Tab Right", "choose the next link", "Tab link", 2},
    {"link-previous", {KEYC_BTAB, KEYC_LEFT}, IN_EXPLAIN, action_link_previous,
     "Shift-Tab", "choose the one before; Left, too", NULL, 0},
    {"link-follow", {KEYC_ENTER}, IN_EXPLAIN, action_link_follow,
     "Enter", "go to the metric that is chosen", "Enter follow", 3},
    {"link-back", {KEYC_BACKSPACE}, IN_EXPLAIN, action_link_back,
     "Backspace", "back to where one came from", "Backspace back", 4},

    {"search", {'/'}, IN_EXPLAIN, action_search, "/", "find a text in it; n: the next place", "/ find", 5},
    {"search-next", {'n'}, IN_EXPLAIN, action_find_next, NULL, NULL, NULL, 0},
    {"close", {KEYC_ESC}, IN_EXPLAIN, action_help_back, NULL, NULL, NULL, 0},

    {.words = "This help", .where = IN_HELP},
    {"search", {'/'}, IN_HELP, action_search, "/", "only lines with a text; Esc: all", "/ find", 2},
    {"help-next", {KEYC_RIGHT, KEYC_TAB}, IN_HELP, action_help_next,
     "Right Left", "next section, section before", "Right section", 3},
    {"help-previous", {KEYC_LEFT, KEYC_BTAB}, IN_HELP, action_help_previous, NULL, NULL, NULL, 0},
    {"close", {KEYC_ESC}, IN_HELP, action_help_back, NULL, NULL, NULL, 0},

    {.words = "Stored runs", .where = IN_RUNS},
    {"runs", {'r'}, IN_VIEW, runs_key_show, "r", "the stored runs; again: back", "r runs", 7},
    {"runs-open", {KEYC_ENTER}, IN_STORE, runs_key_open,
     "Enter", "open the run, or the group", "Enter open", 1},
    {"runs-about", {'i'}, IN_VIEW | IN_POPUP | IN_STORE | IN_OVER, runs_key_about,
     "i", "about a stored run: note, labels, environment, values", NULL, 0},
    {"runs-about", {'i'}, IN_STORE, runs_key_about, NULL, NULL, "i about", 12},
    {"runs-mark", {' '}, IN_RUNS, runs_key_mark,
     "Space", "mark a run or a group as A, then B", "Space mark", 3},
    {"runs-compare", {'d'}, IN_RUNS, runs_key_compare, "d", "compare A with B", "d bench", 4},
    {"runs-baseline", {'b'}, IN_RUNS, runs_key_baseline,
     "b", "make it the baseline of what is live", "b baseline", 15},
    {"runs-filter", {'f', '\\', KEYC_F4}, IN_RUNS, runs_key_filter,
     "f", "filter by labels: below", "f filter", 6},
    {"runs-search", {'/'}, IN_RUNS, runs_key_search, "/", "runs with a text anywhere", "/ find", 5},
    {"runs-group", {'g'}, IN_RUNS, runs_key_group, "g", "group by a label", "g group", 8},
    {"runs-fold", {KEYC_LEFT}, IN_RUNS, runs_key_fold,
     "Left Right", "close, open the group", NULL, 0},
    {"runs-unfold", {KEYC_RIGHT}, IN_RUNS, runs_key_unfold, NULL, NULL, NULL, 0},
    {"runs-fold-all", {'*'}, IN_RUNS, runs_key_fold_all, "*", "open or close all groups", NULL, 0},
    {"runs-sort-left", {'<'}, IN_RUNS, runs_key_sort_left,
     "< >", "sort by another column", NULL, 0},
    {"runs-sort-right", {'>'}, IN_RUNS, runs_key_sort_right, NULL, NULL, "<> sort", 14},
    {"runs-invert", {'I'}, IN_RUNS, runs_key_invert, "I", "sort the other way round", NULL, 0},
    {"runs-trend", {'T'}, IN_STORE, runs_key_trend,
     "T", "trend of the metric over these runs", "T trend", 13},
    {"runs-metric", {'M'}, IN_STORE, runs_key_metric,
     "M", "another metric, for the list and the trend", "M metric", 16},
    {"runs-labels", {'l'}, IN_RUNS, runs_key_labels, "l", "edit its labels", "l labels", 9},
    {"runs-note", {'n'}, IN_RUNS, runs_key_note,
     "n", "edit its note; an empty one is none", "n note", 10},
    {"runs-export", {'E'}, IN_RUNS, runs_key_export, "E", "write it into a file", "E export", 11},
    {"runs-remove", {'x', KEYC_DELETE}, IN_RUNS, runs_key_remove,
     "x Del", "remove a run, or a group", "x remove", 7},
    {"runs-undo", {'u'}, IN_RUNS, runs_key_undo,
     "u", "bring back what was removed last", "u undo", 14},
    {"runs-removed", {'X'}, IN_RUNS, runs_key_removed,
     "X", "runs that were removed; again: the others", NULL, 0},
    {"runs-up", {KEYC_UP, 'k'}, IN_RUNS, runs_key_up, NULL, NULL, NULL, 0},
    {"runs-down", {KEYC_DOWN, 'j'}, IN_RUNS, runs_key_down, NULL, NULL, NULL, 0},
    {"runs-page-up", {KEYC_PGUP}, IN_RUNS, runs_key_page_up, NULL, NULL, NULL, 0},
    {"runs-page-down", {KEYC_PGDN}, IN_RUNS, runs_key_page_down, NULL, NULL, NULL, 0},
    {"runs-first", {KEYC_HOME}, IN_RUNS, runs_key_first,
     "Home", "the first; what is newest stays selected", NULL, 0},
    {"runs-last", {KEYC_END, 'G'}, IN_RUNS, runs_key_last, NULL, NULL, NULL, 0},
    {"help", {KEYC_F1, '?', 'h'}, IN_STORE, action_help, NULL, NULL, "F1 help", 2},
    {"runs-back", {KEYC_ESC}, IN_STORE, runs_key_back,
     "Esc", "all runs; no groups; back", "Esc back", 0},
    {"runs", {'r'}, IN_STORE, runs_key_show, NULL, NULL, NULL, 0},
    {"runs-quit", {'q'}, IN_STORE, runs_key_quit, NULL, NULL, NULL, 0},

    {.words = "Trend", .where = IN_TREND},
    {"runs-left", {KEYC_LEFT, KEYC_UP, 'k'}, IN_TREND, runs_key_left,
     "Left Right", "the run before, after", NULL, 0},
    {"runs-right", {KEYC_RIGHT, KEYC_DOWN, 'j'}, IN_TREND, runs_key_right,
     NULL, NULL, "Left/Right run", 3},
    {"runs-oldest", {KEYC_HOME, 'g'}, IN_TREND, runs_key_oldest,
     "Home End", "the oldest, the newest", NULL, 0},
    {"runs-newest", {KEYC_END, 'G'}, IN_TREND, runs_key_newest, NULL, NULL, NULL, 0},
    {"runs-next-odd", {'n'}, IN_TREND, runs_key_next_odd,
     "n N", "next, previous run that stands out", "n next odd", 4},
    {"runs-previous-odd", {'N'}, IN_TREND, runs_key_previous_odd, NULL, NULL, NULL, 0},

    {.words = "Commands and settings"},
    {"palette", {':'}, IN_VIEW | IN_POPUP | IN_OVER, action_palette,
     ":", "every action and setting by name", ": commands", 6},
    {"palette", {':'}, IN_STORE, action_palette, NULL, NULL, NULL, 0},
    {"settings", {KEYC_F2}, IN_VIEW | IN_POPUP | IN_STORE | IN_OVER, action_settings,
     "F2", "the settings, and what each costs", "F2 settings", 15},
    {"themes", {0}, IN_VIEW | IN_STORE, action_theme, NULL, NULL, NULL, 0},
    {"save-screen", {'P'}, IN_VIEW | IN_POPUP | IN_STORE | IN_OVER, action_save_screen,
     "P", "save the screen: picture, ANSI or text", NULL, 0},
    {"copy", {'C'}, IN_VIEW | IN_STORE, action_copy,
     "C", "copy the selected value, or the table", NULL, 0},
    {"copy-table", {0}, IN_VIEW | IN_STORE, action_copy_table, NULL, NULL, NULL, 0},
    {"palette-accept", {KEYC_ENTER}, IN_PALETTE, action_palette_accept,
     NULL, NULL, "Enter do it", 1},
    {"palette-up", {KEYC_UP}, IN_PALETTE, action_palette_up, NULL, NULL, "Up earlier", 3},
    {"palette-down", {KEYC_DOWN}, IN_PALETTE, action_palette_down, NULL, NULL, NULL, 0},
    {"palette-page-up", {KEYC_PGUP}, IN_PALETTE, action_palette_page_up, NULL, NULL, NULL, 0},
    {"palette-page-down", {KEYC_PGDN}, IN_PALETTE, action_palette_page_down, NULL, NULL, NULL, 0},
    {"palette-complete", {KEYC_TAB}, IN_PALETTE, action_palette_complete,
     NULL, NULL, "Tab complete", 2},
    {"palette-close", {KEYC_ESC}, IN_PALETTE, action_palette_close, NULL, NULL, "Esc close", 0},

    {.words = "Settings screen", .where = IN_SETTINGS},
    {"settings-up", {KEYC_UP, 'k'}, IN_SETTINGS, action_settings_up,
     "Up k", "the setting above", NULL, 0},
    {"settings-down", {KEYC_DOWN, 'j'}, IN_SETTINGS, action_settings_down,
     "Down j", "the setting below", NULL, 0},
    {"settings-page-up", {KEYC_PGUP}, IN_SETTINGS, action_settings_page_up, NULL, NULL, NULL, 0},
    {"settings-page-down", {KEYC_PGDN}, IN_SETTINGS, action_settings_page_down,
     NULL, NULL, NULL, 0},
    {"settings-first", {KEYC_HOME, 'g'}, IN_SETTINGS, action_settings_first, NULL, NULL, NULL, 0},
    {"settings-last", {KEYC_END, 'G'}, IN_SETTINGS, action_settings_last, NULL, NULL, NULL, 0},
    {"settings-change", {KEYC_ENTER, ' '}, IN_SETTINGS, action_settings_enter,
     "Enter", "change it: the next value, or another text", "Enter change", 1},
    {"settings-before", {KEYC_LEFT}, IN_SETTINGS, action_settings_before,
     "Left Right", "the value before, the next one", NULL, 0},
    {"settings-next", {KEYC_RIGHT}, IN_SETTINGS, action_settings_next,
     NULL, NULL, "Left/Right value", 2},
    {"settings-default", {'d', KEYC_DELETE}, IN_SETTINGS, action_settings_default,
     "d Del", "its default", "d default", 4},
    {"settings-write", {'w'}, IN_SETTINGS, action_settings_write,
     "w", "write what was changed into the file", "w write", 3},
    {"settings-close", {KEYC_ESC, 'q', KEYC_F2}, IN_SETTINGS, action_settings_close,
     NULL, NULL, "Esc close", 0},
    {"help", {KEYC_F1, '?', 'h'}, IN_SETTINGS, action_help, NULL, NULL, "F1 help", 5},

    {"theme-up", {KEYC_UP, 'k'}, IN_THEMES, action_theme_up, NULL, NULL, NULL, 0},
    {"theme-down", {KEYC_DOWN, 'j'}, IN_THEMES, action_theme_down, NULL, NULL, "Up/Down show", 1},
    {"theme-first", {KEYC_HOME, KEYC_PGUP, 'g'}, IN_THEMES, action_theme_first,
     NULL, NULL, NULL, 0},
    {"theme-last", {KEYC_END, KEYC_PGDN, 'G'}, IN_THEMES, action_theme_last, NULL, NULL, NULL, 0},
    {"theme-keep", {KEYC_ENTER}, IN_THEMES, action_theme_keep, NULL, NULL, "Enter keep", 2},
    {"theme-cancel", {KEYC_ESC, 'q'}, IN_THEMES, action_theme_cancel,
     NULL, NULL, "Esc as before", 0},

    {.words = "The terminal"},
    {"repaint", {KEYC_CTRL_L}, IN_ANY, action_repaint, "Ctrl-L", "draw everything anew", NULL, 0},
    {"suspend", {KEYC_CTRL_Z}, IN_ANY, action_suspend,
     "Ctrl-Z", "stop; fg brings tdtop back", NULL, 0},
    {"close", {'q'}, IN_POPUP | IN_OVER, action_popup_close, NULL, NULL, NULL, 0},
    {"quit", {'q'}, IN_VIEW, action_quit, "q", "close the popup, or quit", "q quit", 0},
    {"quit-at-once", {KEYC_F10, KEYC_CTRL_C}, IN_ANY, action_quit,
     "F10 Ctrl-C", "quit at once", NULL, 0},
    {"back", {KEYC_ESC}, IN_VIEW, action_back,
     "Esc", "close the popup; back to live; forget search, span", NULL, 0},

    /* In a popup. */
    {"scroll-up", {KEYC_UP, 'k'}, IN_POPUP | IN_OVER, action_scroll_up, NULL, NULL, NULL, 0},
    {"scroll-down", {KEYC_DOWN, 'j'}, IN_POPUP | IN_OVER, action_scroll_down,
     NULL, NULL, "Up/Down scroll", 1},
    {"scroll-page-up", {KEYC_PGUP}, IN_POPUP | IN_OVER, action_scroll_page_up, NULL, NULL, NULL, 0},
    {"scroll-page-down", {KEYC_PGDN}, IN_POPUP | IN_OVER, action_scroll_page_down,
     NULL, NULL, NULL, 0},
    {"scroll-first", {KEYC_HOME, 'g'}, IN_POPUP | IN_OVER, action_scroll_first,
     NULL, NULL, NULL, 0},
    {"scroll-last", {KEYC_END, 'G'}, IN_POPUP | IN_OVER, action_scroll_last, NULL, NULL, NULL, 0},
    {"close", {KEYC_ESC, KEYC_ENTER}, IN_POPUP | IN_OVER, action_popup_close,
     NULL, NULL, "Esc close", 0},

    {"help", {KEYC_F1, '?', 'h'}, IN_OVER, action_help, NULL, NULL, "F1 help", 2},

    /* While a search is typed. */
    {"search-accept", {KEYC_ENTER}, IN_SEARCH, action_search_accept, NULL, NULL, "Enter accept", 0},
    {"search-cancel", {KEYC_ESC}, IN_SEARCH, action_search_cancel, NULL, NULL, "Esc cancel", 1},

    /* While something else is typed. */
    {"ask-accept", {KEYC_ENTER}, IN_ASK, action_ask_accept, NULL, NULL, NULL, 0},
    {"ask-cancel", {KEYC_ESC}, IN_ASK, action_ask_cancel, NULL, NULL, NULL, 0},
    {"form-accept", {KEYC_ENTER}, IN_FORM, action_form_accept, NULL, NULL, "Enter save", 1},
    {"form-up", {KEYC_UP}, IN_FORM, action_form_up, NULL, NULL, NULL, 0},
    {"form-complete-back", {KEYC_BTAB}, IN_FORM, action_form_complete_back, NULL, NULL, NULL, 0},
    {"form-down", {KEYC_DOWN}, IN_FORM, action_form_down, NULL, NULL, "Up/Down line", 2},
    {"form-complete", {KEYC_TAB}, IN_FORM, action_form_complete, NULL, NULL, "Tab complete", 3},
    {"form-close", {KEYC_ESC}, IN_FORM, action_form_close, NULL, NULL, "Esc cancel", 0},
    /* clang-format on */
};
const size_t n_keys = sizeof(keys) / sizeof(keys[0]);

/* The user's own, of each row; set before there is a screen. */
static uint32_t own[sizeof(keys) / sizeof(keys[0])][KEYS_EACH];
static bool is_own[sizeof(keys) / sizeof(keys[0])];

const uint32_t *keys_of(const struct key_binding *k) {
    return is_own[k - keys] ? own[k - keys] : k->key;
}

bool keys_is_own(const struct key_binding *k) {
    return is_own[k - keys];
}

void keys_own(const struct key_binding *k, const uint32_t key[KEYS_EACH]) {
    is_own[k - keys] = key != NULL;
    if (key)
        memcpy(own[k - keys], key, sizeof(own[0]));
}

void keys_press(struct screen *sc, const struct key_binding *k, uint32_t key) {
    k->act(sc, keys_is_own(k) ? k->key[0] : key);
}

const struct key_binding *keys_find(uint32_t key, enum key_context where) {
    if (key == 0)
        return NULL;
    for (size_t i = 0; i < n_keys; i++)
        for (int k = 0; k < KEYS_EACH && (keys[i].where & where); k++)
            if (keys[i].act && keys_of(&keys[i])[k] == key)
                return &keys[i];
    return NULL;
}

const char *keys_name_of(const char *name, char *buf, size_t cap) {
    const struct key_binding *k = keys_named(name);
    return key_name(k ? keys_of(k)[0] : 0, buf, cap);
}

const struct key_binding *keys_named(const char *name) {
    for (size_t i = 0; i < n_keys; i++)
        if (keys[i].name && strcmp(keys[i].name, name) == 0)
            return &keys[i];
    return NULL;
}

bool keys_is_heading(const struct key_binding *k) {
    return !k->act;
}

enum key_context keys_context(const struct screen *sc) {
    if (sc->ask.typing)
        return IN_ASK;
    if (sc->popup == &popup_snapshot)
        return IN_FORM;
    if (sc->popup == &popup_palette)
        return IN_PALETTE;
    if (sc->popup == &popup_settings)
        return IN_SETTINGS;
    if (sc->popup == &popup_theme)
        return IN_THEMES;
    if (search_is_typed(sc))
        return IN_SEARCH;
    if (!sc->popup && runs_shown(sc))
        return sc->runs->mode == RUNS_TREND ? IN_TREND : IN_RUNS;
    if (sc->popup)
        return (enum key_context)((runs_shown(sc) ? IN_OVER : IN_POPUP) |
                                  (sc->popup == &popup_explain ? IN_EXPLAIN : 0) |
                                  (sc->popup == &popup_help ? IN_HELP : 0));
    return (enum key_context)views_row(sc->view)->context;
}
