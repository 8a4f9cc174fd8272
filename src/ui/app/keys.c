#include "ui/screen/keys.h"

#include "ui/screen/choose.h"
#include "ui/screen/find.h"

#include "ui/app/actions.h"
#include "ui/popup/explain_view.h"
#include "ui/popup/help.h"
#include "ui/popup/palette.h"
#include "ui/popup/popup_settings.h"
#include "ui/popup/popup_sql.h"
#include "ui/popup/snapshot.h"
#include "ui/popup/snapshot_when.h"
#include "ui/runs/runs_choices.h"
#include "ui/runs/runs_keys.h"
#include "ui/runs/runs_view.h"
#include "ui/screen/borders.h"
#include "ui/screen/settings.h"
#include "ui/screen/views.h"
#include "ui/term/term.h"
#include "ui/view/funnel.h"
#include "ui/view/metrics_view.h"
#include "ui/view/view_history.h"
#include "ui/view/where_view.h"

#include <string.h>

/* Order is the order on the help screen, which is drawn from this table; the first binding that
 * fits a key and its context wins. */
const struct key_binding keys[] = {
    /* A row is a few lines, of which the tool would make many. */
    /* clang-format off */
    {.words = "Look around"},
    {.name = "up", .key = {KEYC_UP, 'k'}, .where = IN_VIEW, .step = action_line, .by = -1,
     .show = "Up k", .words = "one row up"},
    {.name = "down", .key = {KEYC_DOWN, 'j'}, .where = IN_VIEW, .step = action_line, .by = 1,
     .show = "Down j", .words = "one row down"},
    {.name = "page-up", .key = {KEYC_PGUP}, .where = IN_VIEW, .step = action_page, .by = -1,
     .show = "PgUp", .words = "one page up"},
    {.name = "page-down", .key = {KEYC_PGDN}, .where = IN_VIEW, .step = action_page, .by = 1,
     .show = "PgDn", .words = "one page down"},
    {.name = "first", .key = {KEYC_HOME, 'g'}, .where = IN_VIEW, .step = action_end,
     .show = "Home g", .words = "first row"},
    {.name = "last", .key = {KEYC_END, 'G'}, .where = IN_VIEW, .step = action_end, .by = 1,
     .show = "End G", .words = "last row"},
    {.name = "bottleneck", .key = {'B'}, .where = IN_TREE | IN_FUNNEL | IN_HISTORY,
     .act = action_bottleneck, .show = "B", .words = "go to the bottleneck",
     .brief = "B bottleneck", .rank = 12},

    {.words = "Views"},
    {.name = "view-tree", .key = {'1', KEYC_F5}, .where = IN_VIEW | IN_STORE, .view = &view_tree, .show = "1 .. 9", .words = "a view: the last line names them"},
    {.name = "view-funnel", .key = {'2'}, .where = IN_VIEW | IN_STORE, .view = &view_funnel},
    {.name = "view-history", .key = {'3'}, .where = IN_VIEW | IN_STORE, .view = &view_history},
    {.name = "view-threads", .key = {'4'}, .where = IN_VIEW | IN_STORE, .view = &view_threads},
    {.name = "view-cpus", .key = {'5'}, .where = IN_VIEW | IN_STORE, .view = &view_cpus},
    {.name = "view-metrics", .key = {'6'}, .where = IN_VIEW | IN_STORE, .view = &view_metrics},
    {.name = "view-runs", .key = {'7'}, .where = IN_VIEW | IN_STORE, .view = &view_runs},
    {.name = "view-bench", .key = {'8'}, .where = IN_VIEW | IN_STORE, .view = &view_bench},
    {.name = "view-doctor", .key = {'9'}, .where = IN_VIEW | IN_STORE, .view = &view_doctor},
    {.name = "view-next", .key = {KEYC_TAB}, .where = IN_VIEW, .step = views_turn, .by = 1,
     .show = "Tab", .words = "the next view"},
    {.name = "view-next", .key = {KEYC_TAB}, .where = IN_STORE, .step = views_turn, .by = 1},
    {.name = "view-previous", .key = {KEYC_BTAB}, .where = IN_VIEW | IN_STORE, .step = views_turn,
     .by = -1, .show = "Shift-Tab", .words = "the view before"},
    {.name = "threads", .key = {'t'}, .where = IN_VIEW & ~IN_WHERE, .view = &view_threads, .back = true, .show = "t", .words = "threads; again: the tree"},
    {.name = "layout-next", .key = {'w'}, .where = IN_VIEW, .act = borders_next, .show = "w",
     .words = "another layout"},
    {.name = "cpus", .key = {'c'}, .where = IN_VIEW, .view = &view_cpus, .back = true, .show = "c", .words = "CPUs; again: the tree"},

    {.words = "Open and close"},
    {.name = "open-close", .key = {KEYC_ENTER}, .where = IN_TREE, .act = action_toggle,
     .show = "Enter", .words = "open or close the branch", .brief = "Enter open", .rank = 2},
    {.name = "open", .key = {KEYC_RIGHT}, .where = IN_TREE, .step = action_branch, .by = 1,
     .show = "Right", .words = "open; again: first child"},
    {.name = "close-branch", .key = {KEYC_LEFT}, .where = IN_TREE, .step = action_branch,
     .by = -1, .show = "Left", .words = "close; again: parent"},
    {.name = "open-all", .key = {'*'}, .where = IN_TREE, .act = action_all, .show = "*",
     .words = "open all, or as at start", .brief = "* all", .rank = 7},
    {.name = "level-shallower", .key = {'('}, .where = IN_TREE, .step = action_level, .by = -1,
     .show = "( )", .words = "one level less, more"},
    {.name = "level-deeper", .key = {')'}, .where = IN_TREE, .step = action_level, .by = 1},

    {.words = "The funnel"},
    {.name = "funnel-drill", .key = {KEYC_ENTER}, .where = IN_FUNNEL, .view_act = funnel_drill,
     .show = "Enter", .words = "the block takes the width", .brief = "Enter drill",
     .rank = 2},
    {.name = "funnel-back", .key = {KEYC_BACKSPACE}, .where = IN_FUNNEL, .act = action_undrill,
     .show = "Backspace", .words = "one step back out", .brief = "Backspace out",
     .rank = 3},
    {.name = "block-left", .key = {KEYC_LEFT}, .where = IN_FUNNEL, .step = action_block, .by = -1},
    {.name = "block-right", .key = {KEYC_RIGHT}, .where = IN_FUNNEL, .step = action_block,
     .by = 1},

    {.words = "The history", .where = IN_HISTORY},
    {.name = "history-left", .key = {KEYC_LEFT}, .where = IN_HISTORY, .view_step = cursor_step,
     .by = -1, .show = "Left Right", .words = "a column earlier, later"},
    {.name = "history-right", .key = {KEYC_RIGHT}, .where = IN_HISTORY, .view_step = cursor_step,
     .by = 1, .brief = "Left/Right time", .rank = 2},
    {.name = "history-back", .key = {'<'}, .where = IN_HISTORY, .view_step = history_key_screen,
     .by = -1, .show = "< >", .words = "a screen earlier, later"},
    {.name = "history-on", .key = {'>'}, .where = IN_HISTORY, .view_step = history_key_screen, .by = 1},
    {.name = "history-closer", .key = {'z'}, .where = IN_HISTORY, .view_act = history_key_closer,
     .show = "z Z", .words = "shorter columns; longer ones, up to all"},
    {.name = "history-farther", .key = {'Z'}, .where = IN_HISTORY, .view_act = history_key_farther,
     .brief = "zZ zoom", .rank = 3},

    {.words = "Measure"},
    {.name = "freeze", .key = {' ', 'p', 'Z'}, .where = IN_VIEW | IN_POPUP, .act = action_freeze,
     .show = "Space p", .words = "freeze the screen", .brief = "Space freeze",
     .rank = 4},
    {.name = "slower", .key = {'+', '='}, .where = IN_VIEW, .step = action_interval, .by = 1,
     .show = "+", .words = "longer interval", .brief = "+- interval", .rank = 6},
    {.name = "faster", .key = {'-', '_'}, .where = IN_VIEW, .step = action_interval, .by = -1,
     .show = "-", .words = "shorter interval"},
    {.name = "user-kernel", .key = {'u'}, .where = IN_VIEW & ~IN_BENCH, .act = action_split,
     .show = "u", .words = "user and kernel apart"},
    {.name = "focus", .key = {'F'}, .where = IN_TREE | IN_FUNNEL, .act = focus_policy_cycle,
     .show = "F", .words = "focus: auto, open, off", .brief = "F focus", .rank = 9},

    {.name = "reset-sums", .key = {'0'}, .where = IN_VIEW & ~(IN_BENCH | IN_WHERE), .act = action_reset,
     .show = "0", .words = "start anew: sums, and B", .brief = "0 restart B",
     .rank = 2},

    {.words = "Go through time"},
    {.name = "earlier", .key = {','}, .where = IN_PAST, .view_step = cursor_step, .by = -1,
     .show = ", .", .words = "earlier, later"},
    {.name = "later", .key = {'.'}, .where = IN_PAST, .view_step = cursor_step, .by = 1,
     .brief = ",. time", .rank = 10},
    {.name = "back-to-live", .key = {'L'}, .where = IN_PAST, .view_act = cursor_live, .show = "L Esc",
     .words = "back to what is live"},
    {.name = "begin-span", .key = {'['}, .where = IN_PAST, .view_act = cursor_begin_span,
     .show = "[ ]", .words = "a span: begin, end"},
    {.name = "end-span", .key = {']'}, .where = IN_PAST, .view_act = cursor_end_span,
     .brief = "[] span", .rank = 14},
    {.name = "phase-before", .key = {'{'}, .where = IN_PAST, .view_step = cursor_phase, .by = -1,
     .show = "{ }", .words = "phase before, next"},
    {.name = "phase-next", .key = {'}'}, .where = IN_PAST, .view_step = cursor_phase, .by = 1,
     .brief = "{} phase", .rank = 15},
    {.name = "mark", .key = {'m'}, .where = IN_VIEW, .act = action_mark, .with = action_mark_as, .show = "m",
     .words = "put a mark with a name on the time line", .brief = "m mark", .rank = 13},

    {.words = "Keep and compare"},
    {.name = "snapshot", .key = {'s'}, .where = IN_VIEW & ~IN_BENCH, .act = snapshot_open,
     .show = "s", .words = "store a snapshot: since the last change", .brief = "s snapshot",
     .rank = 3},
    {.name = "repeat", .key = {'S'}, .where = IN_VIEW, .act = snapshot_repeat, .show = "S",
     .words = "the same at once, with the last labels"},
    {.name = "baseline", .key = {'b'}, .where = IN_VIEW & ~IN_BENCH, .act = action_baseline,
     .show = "b", .words = "pin a baseline: since the last change", .brief = "b baseline",
     .rank = 4},
    {.name = "bench", .key = {'d'}, .where = IN_VIEW & ~IN_BENCH, .act = action_bench,
     .show = "d", .words = "what has changed from A to B", .brief = "d bench", .rank = 11},
    {.name = "bench", .key = {'d'}, .where = IN_BENCH, .act = action_bench},

    {.words = "The bench", .where = IN_BENCH},
    {.name = "bench-enter", .key = {KEYC_ENTER}, .where = IN_BENCH, .view_act = bench_enter,
     .show = "Enter", .words = "the metric over time; a closed line: open it",
     .brief = "Enter over time", .rank = 2},
    {.name = "reset-sums", .key = {'0'}, .where = IN_BENCH, .act = action_bench_restart,
     .show = "0", .words = "B begins with the next interval", .brief = "0 restart B", .rank = 2},
    {.name = "snapshot", .key = {'s'}, .where = IN_BENCH, .act = action_bench_keep, .show = "s",
     .words = "store the live side as a run", .brief = "s snapshot", .rank = 3},
    {.name = "baseline", .key = {'b'}, .where = IN_BENCH, .act = action_bench_pin, .show = "b",
     .words = "B becomes A", .brief = "b pin as A", .rank = 2},
    {.name = "bench-undo", .key = {'u'}, .where = IN_BENCH, .act = action_bench_undo, .show = "u",
     .words = "A and B as before the last b, x or 0", .brief = "u undo", .rank = 3},
    {.name = "bench-swap", .key = {'x'}, .where = IN_BENCH, .act = action_bench_swap, .show = "x",
     .words = "A and B change places", .brief = "x swap", .rank = 3},
    {.name = "bench-a", .key = {KEYC_LEFT}, .where = IN_BENCH, .step = action_bench_side,
     .by = -1, .show = "Left Right", .words = "stored runs: choose A or B for Enter"},
    {.name = "bench-b", .key = {KEYC_RIGHT}, .where = IN_BENCH, .step = action_bench_side,
     .by = 1, .brief = "Left/Right A or B", .rank = 2},

    {.words = "Find out"},
    {.name = "explain", .key = {'e'}, .where = IN_TREE | IN_FUNNEL | IN_HISTORY | IN_POPUP,
     .act = action_explain, .show = "e", .words = "explain the selected node",
     .brief = "e explain", .rank = 5},
    {.name = "value", .key = {'x'}, .where = IN_TREE | IN_FUNNEL | IN_HISTORY | IN_POPUP,
     .act = action_value, .show = "x", .words = "how the selected value came about"},
    {.name = "bench-explain", .key = {'e'}, .where = IN_BENCH, .view_act = bench_explain,
     .show = "e", .words = "explain the selected metric"},
    {.name = "where-explain", .key = {'e'}, .where = IN_WHERE, .view_act = where_key_explain},
    {.name = "explain", .key = {'e'}, .where = IN_THREADS | IN_CPUS, .act = action_no_explain},
    {.name = "value", .key = {'x'}, .where = IN_THREADS | IN_CPUS, .act = action_no_value},
    {.name = "cost", .key = {'W'}, .where = IN_VIEW | IN_POPUP, .act = action_cost, .show = "W",
     .words = "what tdtop itself costs"},
    {.name = "doctor", .key = {'D'}, .where = IN_VIEW | IN_POPUP, .act = action_doctor,
     .show = "D", .words = "doctor: what else decides numbers"},
    {.name = "search", .key = {'/', KEYC_F3, KEYC_F4}, .where = IN_TREE | IN_FUNNEL | IN_HISTORY,
     .act = search_begin, .show = "/", .words = "search a node by name", .brief = "/ search",
     .rank = 5},
    {.name = "search", .key = {'/', KEYC_F3, KEYC_F4}, .where = IN_THREADS, .act = search_begin,
     .brief = "/ filter", .rank = 5},
    {.name = "search-next", .key = {'n'}, .where = IN_TREE | IN_FUNNEL | IN_HISTORY,
     .step = search_next, .by = 1, .show = "n", .words = "next hit"},
    {.name = "search-previous", .key = {'N'}, .where = IN_TREE | IN_FUNNEL | IN_HISTORY,
     .step = search_next, .by = -1, .show = "N", .words = "previous hit"},
    {.name = "help", .key = {KEYC_F1, '?'}, .where = IN_VIEW | IN_POPUP, .act = action_help,
     .show = "F1 ?", .words = "show or hide this help", .brief = "? help", .rank = 1},

    {.words = "Where in the code", .where = IN_WHERE},
    {.name = "where", .key = {'h'}, .where = IN_VIEW, .view_act = where_go, .show = "h",
     .words = "where a node happens: functions; again: the tree", .brief = "h where", .rank = 8},
    {.name = "where-enter", .key = {KEYC_ENTER}, .where = IN_WHERE, .view_act = where_key_enter,
     .show = "Enter", .words = "its source and instructions; a branch: its target; zoom",
     .brief = "Enter open", .rank = 2},
    {.name = "where-flame", .key = {'f'}, .where = IN_WHERE, .view_act = where_key_flame,
     .show = "f", .words = "stacks as a flame graph, or functions", .brief = "f flame graph",
     .rank = 2},
    {.name = "where-threads", .key = {'t'}, .where = IN_WHERE, .view_step = where_key_by,
     .by = WHERE_BY_THREAD, .show = "t", .words = "by thread, or function; Enter: one alone",
     .brief = "t threads", .rank = 4},
    {.name = "where-lines", .key = {'l'}, .where = IN_WHERE, .view_step = where_key_by,
     .by = WHERE_BY_LINE, .show = "l", .words = "by source line, or function",
     .brief = "l lines", .rank = 4},
    {.name = "where-branches", .key = {'M'}, .where = IN_WHERE, .view_act = where_key_branches,
     .show = "M", .words = "branches: taken, mispredicted; or functions",
     .brief = "M branches", .rank = 6},
    {.name = "where-addresses", .key = {'A'}, .where = IN_WHERE, .view_act = where_key_accesses,
     .show = "A", .words = "addresses: cache lines, false sharing; or functions",
     .brief = "A addresses", .rank = 6},
    {.name = "where-waits", .key = {'O'}, .where = IN_WHERE, .view_act = where_key_waits,
     .show = "O", .words = "off-cpu: where its threads block; again: the node",
     .brief = "O off-cpu", .rank = 4},
    {.name = "where-waits", .key = {'O'}, .where = IN_VIEW, .view_act = where_key_waits},
    {.name = "where-out", .key = {KEYC_BACKSPACE}, .where = IN_WHERE, .view_act = where_key_out,
     .show = "Backspace", .words = "one step back out"},
    {.name = "where-left", .key = {KEYC_LEFT}, .where = IN_WHERE, .view_step = where_key_side,
     .by = -1, .show = "Left Right", .words = "functions, source, instructions; block beside"},
    {.name = "where-right", .key = {KEYC_RIGHT}, .where = IN_WHERE, .view_step = where_key_side,
     .by = 1},
    {.name = "open-all", .key = {'*'}, .where = IN_WHERE, .view_act = where_key_all,
     .show = "*", .words = "the smallest functions, too"},
    {.name = "search", .key = {'/', KEYC_F3, KEYC_F4}, .where = IN_WHERE, .act = search_begin,
     .show = "/", .words = "filter: function, file, thread; lights up blocks",
     .brief = "/ filter", .rank = 2},
    {.name = "reset-sums", .key = {'0'}, .where = IN_WHERE, .view_act = where_key_reset,
     .show = "0", .words = "samples start anew", .brief = "0 anew", .rank = 2},

    {.words = "Threads and CPUs"},
    {.name = "column-left", .key = {'<', KEYC_LEFT}, .where = IN_THREADS, .step = action_column,
     .by = -1, .show = "< >", .words = "sort by another column"},
    {.name = "column-right", .key = {'>', KEYC_RIGHT, KEYC_F6}, .where = IN_THREADS, .step = action_column,
     .by = 1, .brief = "<> sort by", .rank = 2},
    {.name = "thread-alone", .key = {KEYC_ENTER}, .where = IN_THREADS, .act = action_thread_alone,
     .show = "Enter", .words = "measure this thread alone",
     .brief = "Enter alone", .rank = 1},
    {.name = "invert", .key = {'I'}, .where = IN_THREADS, .act = action_invert, .show = "I",
     .words = "sort the other way round", .brief = "I invert", .rank = 3},
    {.name = "column-left", .key = {'<'}, .where = IN_CPUS, .step = action_column, .by = -1,
     .show = "< >", .words = "CPUs: show another share"},
    {.name = "column-right", .key = {'>', KEYC_F6}, .where = IN_CPUS, .step = action_column, .by = 1,
     .brief = "<> show", .rank = 2},
    {.name = "left", .key = {KEYC_LEFT}, .where = IN_CPUS, .step = action_row, .by = -1},
    {.name = "right", .key = {KEYC_RIGHT}, .where = IN_CPUS, .step = action_row, .by = 1},

    {.name = "next-core-type", .key = {'o'}, .where = IN_VIEW, .act = action_next_type,
     .show = "o", .words = "hybrid CPU: the other core type"},

    {.words = "Metrics", .where = IN_METRICS},
    {.name = "metrics-enter", .key = {KEYC_ENTER}, .where = IN_METRICS,
     .view_act = action_metrics_enter, .show = "Enter", .words = "explain it; a group: open or close",
     .brief = "Enter explain", .rank = 2},
    {.name = "explain", .key = {'e'}, .where = IN_METRICS, .view_act = action_metrics_explain},
    {.name = "value", .key = {'x'}, .where = IN_METRICS, .view_act = action_metrics_value,
     .brief = "x value", .rank = 6},
    {.name = "search", .key = {'/', KEYC_F3, KEYC_F4}, .where = IN_METRICS, .act = search_begin, .show = "/",
     .words = "filter: name, group, unit, what it is", .brief = "/ filter", .rank = 3},
    {.name = "column-left", .key = {'<'}, .where = IN_METRICS, .view_step = action_metrics_order,
     .by = -1, .show = "< >", .words = "sort by another column"},
    {.name = "column-right", .key = {'>', KEYC_F6}, .where = IN_METRICS, .view_step = action_metrics_order,
     .by = 1, .brief = "<> sort", .rank = 4},
    {.name = "invert", .key = {'I'}, .where = IN_METRICS, .view_act = action_metrics_invert,
     .show = "I", .words = "sort the other way round"},
    {.name = "metrics-tree", .key = {'T'}, .where = IN_METRICS, .view_act = action_metrics_tree,
     .show = "T", .words = "nodes of the tree, too", .brief = "T tree", .rank = 7},
    {.name = "open", .key = {KEYC_RIGHT}, .where = IN_METRICS, .view_step = action_metrics_fold,
     .by = 1, .show = "Right Left", .words = "open, close the group"},
    {.name = "close-branch", .key = {KEYC_LEFT}, .where = IN_METRICS, .view_step = action_metrics_fold},
    {.name = "open-all", .key = {'*'}, .where = IN_METRICS, .view_act = action_metrics_all,
     .show = "*", .words = "open or close all groups", .brief = "* all", .rank = 8},

    {.words = "An explanation", .where = IN_EXPLAIN},
    {.name = "link-next", .key = {KEYC_TAB, KEYC_RIGHT}, .where = IN_EXPLAIN, .step = action_link,
     .by = 1, .show = "Tab Right", .words = "choose the next link", .brief = "Tab link",
     .rank = 2},
    {.name = "link-previous", .key = {KEYC_BTAB, KEYC_LEFT}, .where = IN_EXPLAIN,
     .step = action_link, .by = -1, .show = "Shift-Tab",
     .words = "choose the one before; Left, too"},
    {.name = "link-follow", .key = {KEYC_ENTER}, .where = IN_EXPLAIN, .act = action_link_follow,
     .show = "Enter", .words = "go to the metric that is chosen", .brief = "Enter follow",
     .rank = 3},
    {.name = "link-back", .key = {KEYC_BACKSPACE}, .where = IN_EXPLAIN, .act = action_link_back,
     .show = "Backspace", .words = "back to where one came from", .brief = "Backspace back",
     .rank = 4},

    {.name = "search", .key = {'/', KEYC_F3, KEYC_F4}, .where = IN_EXPLAIN, .act = search_begin, .show = "/",
     .words = "find a text in it; n: the next place", .brief = "/ find", .rank = 5},
    {.name = "search-next", .key = {'n'}, .where = IN_EXPLAIN, .act = action_find_next},
    {.name = "close", .key = {KEYC_ESC}, .where = IN_EXPLAIN, .act = action_help_back},

    {.words = "This help", .where = IN_HELP},
    {.name = "search", .key = {'/', KEYC_F3, KEYC_F4}, .where = IN_HELP, .act = search_begin, .show = "/",
     .words = "only lines with a text; Esc: all", .brief = "/ find", .rank = 2},
    {.name = "help-next", .key = {KEYC_RIGHT, KEYC_TAB}, .where = IN_HELP,
     .step = action_help_section, .by = 1, .show = "Right Left",
     .words = "next section, section before", .brief = "Right section", .rank = 3},
    {.name = "help-previous", .key = {KEYC_LEFT, KEYC_BTAB}, .where = IN_HELP,
     .step = action_help_section, .by = -1},
    {.name = "close", .key = {KEYC_ESC}, .where = IN_HELP, .act = action_help_back},

    {.words = "Stored runs", .where = IN_RUNS},
    {.name = "runs", .key = {'r'}, .where = IN_VIEW, .act = runs_key_show, .show = "r",
     .words = "the stored runs; again: back", .brief = "r runs", .rank = 7},
    {.name = "runs-open", .key = {KEYC_ENTER}, .where = IN_STORE, .act = runs_key_open,
     .show = "Enter", .words = "open the run, or the group", .brief = "Enter open", .rank = 1},
    {.name = "runs-about", .key = {'i'}, .where = IN_VIEW | IN_POPUP | IN_STORE | IN_OVER,
     .act = runs_key_about, .show = "i",
     .words = "about a stored run: note, labels, environment, values"},
    {.name = "runs-about", .key = {'i'}, .where = IN_STORE, .act = runs_key_about,
     .brief = "i about", .rank = 12},
    {.name = "runs-mark", .key = {' '}, .where = IN_RUNS, .act = runs_key_mark, .show = "Space",
     .words = "mark as A or B: of two runs A is the older", .brief = "Space mark", .rank = 3},
    {.name = "runs-compare", .key = {'d'}, .where = IN_RUNS, .act = runs_key_compare, .show = "d",
     .words = "compare A with B", .brief = "d compare", .rank = 4},
    {.name = "runs-baseline", .key = {'b'}, .where = IN_RUNS, .act = runs_key_baseline,
     .show = "b", .words = "make it the baseline of what is live", .brief = "b baseline",
     .rank = 15},
    {.name = "runs-filter", .key = {'f', '\\', KEYC_F4}, .where = IN_RUNS, .act = runs_key_filter,
     .show = "f", .words = "filter by labels: a list, or type as below", .brief = "f filter", .rank = 6},
    {.name = "runs-search", .key = {'/'}, .where = IN_RUNS, .act = runs_key_search, .show = "/",
     .words = "runs with a text anywhere", .brief = "/ find", .rank = 5},
    {.name = "runs-group", .key = {'g'}, .where = IN_RUNS, .act = runs_key_group, .show = "g",
     .words = "group by a label", .brief = "g group", .rank = 8},
    {.name = "runs-fold", .key = {KEYC_LEFT}, .where = IN_RUNS, .step = runs_key_fold, .by = -1,
     .show = "Left Right", .words = "close, open the group"},
    {.name = "runs-unfold", .key = {KEYC_RIGHT}, .where = IN_RUNS, .step = runs_key_fold, .by = 1},
    {.name = "runs-fold-all", .key = {'*'}, .where = IN_RUNS, .act = runs_key_fold_all,
     .show = "*", .words = "open or close all groups"},
    {.name = "runs-sort", .key = {'<', '>', KEYC_F6}, .where = IN_RUNS, .act = runs_key_sort, .show = "< >",
     .words = "sort by", .brief = "< sort", .rank = 14},
    {.name = "runs-invert", .key = {'I'}, .where = IN_RUNS, .act = runs_key_invert, .show = "I",
     .words = "sort the other way round"},
    {.name = "runs-trend", .key = {'T'}, .where = IN_STORE, .act = runs_key_trend, .show = "T",
     .words = "trend of the metric over these runs", .brief = "T trend", .rank = 13},
    {.name = "runs-metric", .key = {'M'}, .where = IN_STORE, .act = runs_key_metric, .show = "M",
     .words = "another metric, for the list and the trend", .brief = "M metric", .rank = 16},
    {.name = "runs-labels", .key = {'l'}, .where = IN_RUNS, .act = runs_key_labels, .show = "l",
     .words = "edit its labels", .brief = "l labels", .rank = 9},
    {.name = "runs-note", .key = {'n'}, .where = IN_RUNS, .act = runs_key_note, .show = "n",
     .words = "edit its note; an empty one is none", .brief = "n note", .rank = 10},
    {.name = "runs-export", .key = {'E'}, .where = IN_RUNS, .act = runs_key_export, .show = "E",
     .words = "write it into a file", .brief = "E export", .rank = 11},
    {.name = "runs-remove", .key = {'D', KEYC_DELETE}, .where = IN_RUNS, .act = runs_key_remove,
     .show = "D Del", .words = "remove a run, or a group", .brief = "D remove", .rank = 7},
    {.name = "runs-undo", .key = {'u'}, .where = IN_RUNS, .act = runs_key_undo, .show = "u",
     .words = "bring back what was removed last", .brief = "u undo", .rank = 14},
    {.name = "runs-removed", .key = {'X'}, .where = IN_RUNS, .act = runs_key_removed, .show = "X",
     .words = "runs that were removed; again: the others"},
    {.name = "runs-up", .key = {KEYC_UP, 'k'}, .where = IN_RUNS, .step = action_line, .by = -1},
    {.name = "runs-down", .key = {KEYC_DOWN, 'j'}, .where = IN_RUNS, .step = action_line,
     .by = 1},
    {.name = "runs-page-up", .key = {KEYC_PGUP}, .where = IN_RUNS, .step = action_page,
     .by = -1},
    {.name = "runs-page-down", .key = {KEYC_PGDN}, .where = IN_RUNS, .step = action_page,
     .by = 1},
    {.name = "runs-first", .key = {KEYC_HOME}, .where = IN_RUNS, .step = action_end,
     .show = "Home", .words = "the first; what is newest stays selected"},
    {.name = "runs-last", .key = {KEYC_END, 'G'}, .where = IN_RUNS, .step = action_end, .by = 1},
    {.name = "help", .key = {KEYC_F1, '?'}, .where = IN_STORE, .act = action_help,
     .brief = "? help", .rank = 2},
    {.name = "runs-back", .key = {KEYC_ESC}, .where = IN_STORE, .act = runs_key_back,
     .show = "Esc", .words = "a search, the filter, groups end; back", .brief = "Esc back"},
    {.name = "runs", .key = {'r'}, .where = IN_STORE, .act = runs_key_show},
    {.name = "runs-quit", .key = {'q'}, .where = IN_STORE, .act = runs_key_quit},

    {.words = "Trend", .where = IN_TREND},
    {.name = "runs-left", .key = {KEYC_LEFT, KEYC_UP, 'k'}, .where = IN_TREND,
     .step = runs_key_along, .by = -1, .show = "Left Right", .words = "the run before, after"},
    {.name = "runs-right", .key = {KEYC_RIGHT, KEYC_DOWN, 'j'}, .where = IN_TREND,
     .step = runs_key_along, .by = 1, .brief = "Left/Right run", .rank = 3},
    {.name = "runs-oldest", .key = {KEYC_HOME, 'g'}, .where = IN_TREND, .step = runs_key_along,
     .by = -RUNS_TREND_MOST, .show = "Home End", .words = "the oldest, the newest"},
    {.name = "runs-newest", .key = {KEYC_END, 'G'}, .where = IN_TREND, .step = runs_key_along,
     .by = RUNS_TREND_MOST},
    {.name = "runs-next-odd", .key = {'n'}, .where = IN_TREND, .step = runs_key_odd, .by = 1,
     .show = "n N", .words = "a run that stands out", .brief = "n next odd",
     .rank = 4},
    {.name = "runs-previous-odd", .key = {'N'}, .where = IN_TREND, .step = runs_key_odd, .by = -1},

    {.words = "Commands and settings"},
    {.name = "palette", .key = {':'}, .where = IN_VIEW | IN_POPUP | IN_OVER,
     .act = action_palette, .show = ":", .words = "every action and setting by name",
     .brief = ": commands", .rank = 6},
    {.name = "palette", .key = {':'}, .where = IN_STORE, .act = action_palette},
    {.name = "settings", .key = {KEYC_F2}, .where = IN_VIEW | IN_POPUP | IN_STORE | IN_OVER,
     .act = settings_open, .show = "F2", .words = "the settings, and what each costs",
     .brief = "F2 settings", .rank = 15},
    {.name = "themes", .where = IN_VIEW | IN_STORE, .act = themes_open},
    {.name = "save-screen", .key = {'P'}, .where = IN_VIEW | IN_POPUP | IN_STORE | IN_OVER,
     .act = action_save_screen, .show = "P", .words = "save the screen: picture, text, recording, card"},
    {.name = "copy", .key = {'C'}, .where = IN_VIEW | IN_STORE, .act = action_copy, .show = "C",
     .words = "copy the selected value, or the table"},
    {.name = "sql", .where = IN_VIEW, .act = sql_ask, .with = sql_show},
    {.name = "when", .where = IN_VIEW, .act = snapshot_when_ask, .with = snapshot_when_set},
    {.name = "copy-table", .where = IN_VIEW | IN_STORE, .act = action_copy_table},
    {.name = "palette-accept", .key = {KEYC_ENTER}, .where = IN_PALETTE, .act = palette_accept,
     .brief = "Enter do it", .rank = 1},
    {.name = "palette-up", .key = {KEYC_UP}, .where = IN_PALETTE, .step = palette_move, .by = -1,
     .brief = "Up earlier", .rank = 3},
    {.name = "palette-down", .key = {KEYC_DOWN}, .where = IN_PALETTE, .step = palette_move,
     .by = 1},
    {.name = "palette-page-up", .key = {KEYC_PGUP}, .where = IN_PALETTE, .step = action_page,
     .by = -1},
    {.name = "palette-page-down", .key = {KEYC_PGDN}, .where = IN_PALETTE, .step = action_page,
     .by = 1},
    {.name = "palette-complete", .key = {KEYC_TAB}, .where = IN_PALETTE, .act = palette_complete,
     .brief = "Tab complete", .rank = 2},
    {.name = "palette-close", .key = {KEYC_ESC}, .where = IN_PALETTE, .act = palette_close,
     .brief = "Esc close"},

    {.name = "choose-accept", .key = {KEYC_ENTER}, .where = IN_CHOOSE, .act = choose_accept,
     .brief = "Enter choose", .rank = 1},
    {.name = "choose-up", .key = {KEYC_UP}, .where = IN_CHOOSE, .step = action_line, .by = -1},
    {.name = "choose-down", .key = {KEYC_DOWN}, .where = IN_CHOOSE, .step = action_line, .by = 1},
    {.name = "choose-page-up", .key = {KEYC_PGUP}, .where = IN_CHOOSE, .step = action_page,
     .by = -1},
    {.name = "choose-page-down", .key = {KEYC_PGDN}, .where = IN_CHOOSE, .step = action_page,
     .by = 1},
    {.name = "choose-cancel", .key = {KEYC_ESC}, .where = IN_CHOOSE, .act = choose_cancel,
     .brief = "Esc close"},

    {.words = "Settings screen", .where = IN_SETTINGS},
    {.name = "settings-up", .key = {KEYC_UP, 'k'}, .where = IN_SETTINGS, .step = action_line,
     .by = -1, .show = "Up k", .words = "the setting above"},
    {.name = "settings-down", .key = {KEYC_DOWN, 'j'}, .where = IN_SETTINGS,
     .step = action_line, .by = 1, .show = "Down j", .words = "the setting below"},
    {.name = "settings-page-up", .key = {KEYC_PGUP}, .where = IN_SETTINGS, .step = action_page,
     .by = -1},
    {.name = "settings-page-down", .key = {KEYC_PGDN}, .where = IN_SETTINGS,
     .step = action_page, .by = 1},
    {.name = "settings-first", .key = {KEYC_HOME, 'g'}, .where = IN_SETTINGS,
     .step = action_end},
    {.name = "settings-last", .key = {KEYC_END, 'G'}, .where = IN_SETTINGS, .step = action_end,
     .by = 1},
    {.name = "settings-change", .key = {KEYC_ENTER, ' '}, .where = IN_SETTINGS,
     .act = settings_enter, .show = "Enter",
     .words = "change it: the next value, or another text", .brief = "Enter change", .rank = 1},
    {.name = "settings-before", .key = {KEYC_LEFT}, .where = IN_SETTINGS, .step = settings_turn,
     .by = -1, .show = "Left Right", .words = "the value before, the next one"},
    {.name = "settings-next", .key = {KEYC_RIGHT}, .where = IN_SETTINGS, .step = settings_turn,
     .by = 1, .brief = "Left/Right value", .rank = 2},
    {.name = "settings-default", .key = {'d', KEYC_DELETE}, .where = IN_SETTINGS,
     .act = settings_reset, .show = "d Del", .words = "its default", .brief = "d default",
     .rank = 4},
    {.name = "settings-write", .key = {'w'}, .where = IN_SETTINGS, .act = settings_save,
     .show = "w", .words = "write what was changed into the file", .brief = "w write", .rank = 3},
    {.name = "settings-close", .key = {KEYC_ESC, 'q', KEYC_F2}, .where = IN_SETTINGS,
     .act = settings_close, .brief = "Esc close"},
    {.name = "help", .key = {KEYC_F1, '?'}, .where = IN_SETTINGS, .act = action_help,
     .brief = "? help", .rank = 5},

    {.name = "theme-up", .key = {KEYC_UP, 'k'}, .where = IN_THEMES, .step = action_line, .by = -1},
    {.name = "theme-down", .key = {KEYC_DOWN, 'j'}, .where = IN_THEMES, .step = action_line,
     .by = 1, .brief = "Up/Down show", .rank = 1},
    {.name = "theme-first", .key = {KEYC_HOME, KEYC_PGUP, 'g'}, .where = IN_THEMES,
     .step = action_end},
    {.name = "theme-last", .key = {KEYC_END, KEYC_PGDN, 'G'}, .where = IN_THEMES,
     .step = action_end, .by = 1},
    {.name = "theme-keep", .key = {KEYC_ENTER}, .where = IN_THEMES, .act = themes_keep,
     .brief = "Enter keep", .rank = 2},
    {.name = "theme-cancel", .key = {KEYC_ESC, 'q'}, .where = IN_THEMES, .act = themes_cancel,
     .brief = "Esc as before"},

    {.words = "The terminal"},
    {.name = "repaint", .key = {KEYC_CTRL_L}, .where = IN_ANY, .act = action_repaint,
     .show = "Ctrl-L", .words = "draw everything anew"},
    {.name = "suspend", .key = {KEYC_CTRL_Z}, .where = IN_ANY, .act = action_suspend,
     .show = "Ctrl-Z", .words = "stop; fg brings tdtop back"},
    {.name = "close", .key = {'q'}, .where = IN_POPUP | IN_OVER, .act = action_popup_close},
    {.name = "quit", .key = {'q'}, .where = IN_VIEW, .act = action_quit, .show = "q",
     .words = "close the popup, or quit", .brief = "q quit"},
    {.name = "quit-at-once", .key = {KEYC_F10, KEYC_CTRL_C}, .where = IN_ANY,
     .act = action_quit_at_once, .show = "F10 Ctrl-C", .words = "quit at once"},
    {.name = "back", .key = {KEYC_ESC}, .where = IN_VIEW, .act = action_back, .show = "Esc",
     .words = "close the popup; back to live; forget search, span", .brief = "Esc back",
     .rank = 1},

    /* In a popup. */
    {.name = "scroll-up", .key = {KEYC_UP, 'k'}, .where = IN_POPUP | IN_OVER,
     .step = action_line, .by = -1},
    {.name = "scroll-down", .key = {KEYC_DOWN, 'j'}, .where = IN_POPUP | IN_OVER,
     .step = action_line, .by = 1, .brief = "Up/Down scroll", .rank = 1},
    {.name = "scroll-page-up", .key = {KEYC_PGUP}, .where = IN_POPUP | IN_OVER,
     .step = action_page, .by = -1},
    {.name = "scroll-page-down", .key = {KEYC_PGDN}, .where = IN_POPUP | IN_OVER,
     .step = action_page, .by = 1},
    {.name = "scroll-first", .key = {KEYC_HOME, 'g'}, .where = IN_POPUP | IN_OVER,
     .step = action_end},
    {.name = "scroll-last", .key = {KEYC_END, 'G'}, .where = IN_POPUP | IN_OVER,
     .step = action_end, .by = 1},
    {.name = "close", .key = {KEYC_ESC, KEYC_ENTER}, .where = IN_POPUP | IN_OVER,
     .act = action_popup_close, .brief = "Esc close"},

    {.name = "help", .key = {KEYC_F1, '?'}, .where = IN_OVER, .act = action_help,
     .brief = "? help", .rank = 2},

    /* While a search is typed. */
    {.name = "search-accept", .key = {KEYC_ENTER}, .where = IN_SEARCH, .act = search_accept,
     .brief = "Enter accept"},
    {.name = "search-cancel", .key = {KEYC_ESC}, .where = IN_SEARCH, .act = action_search_cancel,
     .brief = "Esc cancel", .rank = 1},

    /* While something else is typed. */
    {.name = "ask-accept", .key = {KEYC_ENTER}, .where = IN_ASK, .act = ask_accept},
    {.name = "ask-cancel", .key = {KEYC_ESC}, .where = IN_ASK, .act = ask_cancel},
    {.name = "form-accept", .key = {KEYC_ENTER}, .where = IN_FORM, .act = snapshot_accept,
     .brief = "Enter save", .rank = 1},
    {.name = "form-up", .key = {KEYC_UP}, .where = IN_FORM, .step = snapshot_line, .by = -1},
    {.name = "form-complete-back", .key = {KEYC_BTAB}, .where = IN_FORM,
     .act = snapshot_complete_back},
    {.name = "form-down", .key = {KEYC_DOWN}, .where = IN_FORM, .step = snapshot_line, .by = 1,
     .brief = "Up/Down line", .rank = 2},
    {.name = "form-complete", .key = {KEYC_TAB}, .where = IN_FORM, .act = snapshot_complete,
     .brief = "Tab complete", .rank = 3},
    {.name = "form-close", .key = {KEYC_ESC}, .where = IN_FORM, .act = snapshot_close,
     .brief = "Esc cancel"},
    /* clang-format on */
};
const size_t n_keys = sizeof(keys) / sizeof(keys[0]);
_Static_assert(sizeof(keys) / sizeof(keys[0]) <= KEYS_MAX, "keys_own.c has room for KEYS_MAX rows");

void keys_do(struct screen *sc, const struct key_binding *k) {
    struct scene *scene = screen_scene(sc, sc->scene.view);
    if (k->view)
        views_go(sc, k->back && views_current(sc) == k->view ? &view_tree : k->view);
    else if (k->act)
        k->act(sc);
    else if (k->step)
        k->step(sc, k->by);
    else if (k->view_act)
        k->view_act(scene);
    else if (k->view_step)
        k->view_step(scene, k->by);
}

const struct key_binding *keys_find(uint32_t key, enum key_context where) {
    if (key == 0)
        return NULL;
    for (size_t i = 0; i < n_keys; i++)
        for (int k = 0; k < KEYS_EACH && (keys[i].where & where); k++)
            if (!keys_is_heading(&keys[i]) && keys_of(&keys[i])[k] == key)
                return &keys[i];
    return NULL;
}

const struct key_binding *keys_named(const char *name) {
    for (size_t i = 0; i < n_keys; i++)
        if (keys[i].name && strcmp(keys[i].name, name) == 0)
            return &keys[i];
    return NULL;
}

bool keys_is_heading(const struct key_binding *k) {
    return !k->act && !k->step && !k->view_act && !k->view_step && !k->view;
}

enum key_context keys_context_of(const struct view *v) {
    const unsigned other = v->past ? IN_OTHER_PAST : IN_OTHER;
    return (enum key_context)(v->context ? v->context : other);
}

enum key_context keys_context(const struct screen *sc) {
    if (sc->ask.typing)
        return IN_ASK;
    if (sc->popup && sc->popup->own_keys)
        return (enum key_context)sc->popup->context;
    if (search_is_typed(sc))
        return IN_SEARCH;
    if (!sc->popup && runs_shown(sc))
        return sc->runs->mode == RUNS_TREND ? IN_TREND : IN_RUNS;
    if (sc->popup)
        return (enum key_context)((runs_shown(sc) ? IN_OVER : IN_POPUP) | sc->popup->context);
    return keys_context_of(sc->scene.view);
}
