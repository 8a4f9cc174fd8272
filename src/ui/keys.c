#include "ui/keys.h"

#include "ui/actions.h"
#include "ui/runs_keys.h"
#include "ui/screen.h"

/* Order is the order on the help screen, which is drawn from this table; the first binding that
 * fits a key and its context wins. */
const struct key_binding keys[] = {
    {.words = "Look around"},
    {{KEYC_UP, 'k'}, IN_VIEW, action_up, "Up k", "one row up", NULL, 0},
    {{KEYC_DOWN, 'j'}, IN_VIEW, action_down, "Down j", "one row down", NULL, 0},
    {{KEYC_PGUP}, IN_VIEW, action_page_up, "PgUp", "one page up", NULL, 0},
    {{KEYC_PGDN}, IN_VIEW, action_page_down, "PgDn", "one page down", NULL, 0},
    {{KEYC_HOME, 'g'}, IN_VIEW, action_first, "Home g", "first row", NULL, 0},
    {{KEYC_END, 'G'}, IN_VIEW, action_last, "End G", "last row", NULL, 0},
    {{'B'}, IN_TREE, action_bottleneck, "B", "go to the bottleneck", "B bottleneck", 12},

    {.words = "Open and close"},
    {{KEYC_ENTER}, IN_TREE, action_toggle, "Enter", "open or close the branch", "Enter open", 2},
    {{KEYC_RIGHT}, IN_TREE, action_open, "Right", "open; again: first child", NULL, 0},
    {{KEYC_LEFT}, IN_TREE, action_close, "Left", "close; again: parent", NULL, 0},
    {{'*'}, IN_TREE, action_all, "*", "open everything, or as at start", "* all", 7},
    {{'1', '2', '3', '4'}, IN_TREE, action_level, "1 .. 6", "open down to this level", NULL, 0},
    {{'5', '6'}, IN_TREE, action_level, NULL, NULL, NULL, 0},

    {.words = "Measure"},
    {{' ', 'p', 'Z'},
     IN_VIEW | IN_POPUP,
     action_freeze,
     "Space p Z",
     "freeze the screen; counting goes on",
     "Space freeze",
     4},
    {{'+', '='}, IN_VIEW, action_slower, "+", "longer interval", "+- interval", 6},
    {{'-', '_'}, IN_VIEW, action_faster, "-", "shorter interval", NULL, 0},
    {{'u'}, IN_VIEW, action_split, "u", "tell user space from the kernel", NULL, 0},
    {{'F'}, IN_TREE, action_focus, "F", "focus: auto, what is open, off", "F focus", 9},

    {{'0'}, IN_VIEW, action_reset, "0", "sums start anew", NULL, 0},

    {.words = "Go through time"},
    {{','}, IN_TREE, action_earlier, ", .", "earlier, later; then Left and Right, too", NULL, 0},
    {{'.'}, IN_TREE, action_later, NULL, NULL, ",. time", 10},
    {{'L'}, IN_TREE, action_live, "L Esc", "back to what is live", NULL, 0},
    {{'['}, IN_TREE, action_begin_span, "[ ]", "mark a span: begin, end; shows its sums", NULL, 0},
    {{']'}, IN_TREE, action_end_span, NULL, NULL, "[] span", 14},
    {{'m'}, IN_VIEW, action_mark, "m", "put a mark with a name on the time line", "m mark", 13},

    {.words = "Keep and compare"},
    {{'s'}, IN_VIEW, action_snapshot, "s", "store a snapshot as a run", "s snapshot", 8},
    {{'S'}, IN_VIEW, action_repeat, "S", "the same once more, same labels", NULL, 0},
    {{'b'}, IN_VIEW, action_baseline, "b", "pin what is shown as baseline; unpin", "b baseline", 9},
    {{'d'}, IN_VIEW, action_diff, "d", "every difference to the baseline", "d diff", 11},
    {{KEYC_ENTER}, IN_DIFF, action_diff_enter, NULL, NULL, "Enter go there", 2},

    {.words = "Find out"},
    {{'e'}, IN_TREE | IN_POPUP, action_explain, "e", "explain the selected node", "e explain", 3},
    {{'x'}, IN_TREE | IN_POPUP, action_value, "x", "how the selected value came about", NULL, 0},
    {{'e', 'x'}, IN_THREADS | IN_CPUS, action_of_tree, NULL, NULL, NULL, 0},
    {{'W'}, IN_VIEW | IN_POPUP, action_cost, "W", "what tdtop itself costs", NULL, 0},
    {{'D'}, IN_VIEW | IN_POPUP, action_doctor, "D", "doctor: what else decides numbers", NULL, 0},
    {{'/'}, IN_TREE, action_search, "/", "search a node by name", "/ search", 5},
    {{'/'}, IN_THREADS, action_search, NULL, NULL, "/ filter", 5},
    {{'n'}, IN_TREE, action_search_next, "n", "next hit", NULL, 0},
    {{'N'}, IN_TREE, action_search_previous, "N", "previous hit", NULL, 0},
    {{KEYC_F1, '?', 'h'},
     IN_VIEW | IN_POPUP,
     action_help,
     "F1 ? h",
     "show or hide this help",
     "F1 help",
     1},

    {.words = "Threads and CPUs"},
    {{KEYC_TAB}, IN_VIEW, action_next_view, "Tab", "tree, threads, CPUs in turn", "Tab views", 5},
    {{KEYC_BTAB}, IN_VIEW, action_previous_view, "Shift-Tab", "the same backwards", NULL, 0},
    {{'t'}, IN_VIEW, action_threads, "t", "threads; again: the tree", NULL, 0},
    {{'c'}, IN_VIEW, action_cpus, "c", "CPUs; again: the tree", NULL, 0},
    {{'<', KEYC_LEFT}, IN_THREADS, action_column_left, "< >", "sort by another column", NULL, 0},
    {{'>', KEYC_RIGHT}, IN_THREADS, action_column_right, NULL, NULL, "<> sort by", 2},
    {{'I'}, IN_THREADS, action_invert, "I", "sort the other way round", "I invert", 3},
    {{'<'}, IN_CPUS, action_column_left, "< >", "CPUs: show another share", NULL, 0},
    {{'>'}, IN_CPUS, action_column_right, NULL, NULL, "<> show", 2},
    {{KEYC_LEFT}, IN_CPUS, action_left, NULL, NULL, NULL, 0},
    {{KEYC_RIGHT}, IN_CPUS, action_right, NULL, NULL, NULL, 0},

    {{'o'}, IN_VIEW, action_next_type, "o", "hybrid CPU: the other core type", NULL, 0},

    {.words = "Stored runs", .where = IN_RUNS},
    {{'r'}, IN_VIEW, runs_key_show, "r", "the stored runs; again: back", "r runs", 7},
    {{KEYC_ENTER}, IN_STORE, runs_key_open, "Enter", "open the run, or the group", "Enter open", 1},
    {{'i'},
     IN_VIEW | IN_POPUP | IN_STORE | IN_OVER,
     runs_key_about,
     "i",
     "about a stored run: note, labels, environment, values",
     NULL,
     0},
    {{'i'}, IN_STORE, runs_key_about, NULL, NULL, "i about", 12},
    {{' '}, IN_RUNS, runs_key_mark, "Space", "mark a run or a group as A, then B", "Space mark", 3},
    {{'d'}, IN_RUNS, runs_key_compare, "d", "compare A with B", "d diff", 4},
    {{'b'},
     IN_RUNS,
     runs_key_baseline,
     "b",
     "make it the baseline of what is live",
     "b baseline",
     15},
    {{'f', '\\', KEYC_F4}, IN_RUNS, runs_key_filter, "f", "filter by labels: below", "f filter", 6},
    {{'/'}, IN_RUNS, runs_key_search, "/", "runs with a text anywhere", "/ find", 5},
    {{'g'}, IN_RUNS, runs_key_group, "g", "group by a label", "g group", 8},
    {{KEYC_LEFT}, IN_RUNS, runs_key_fold, "Left Right", "close, open the group", NULL, 0},
    {{KEYC_RIGHT}, IN_RUNS, runs_key_unfold, NULL, NULL, NULL, 0},
    {{'*'}, IN_RUNS, runs_key_fold_all, "*", "open or close all groups", NULL, 0},
    {{'<'}, IN_RUNS, runs_key_sort_left, "< >", "sort by another column", NULL, 0},
    {{'>'}, IN_RUNS, runs_key_sort_right, NULL, NULL, "<> sort", 14},
    {{'I'}, IN_RUNS, runs_key_invert, "I", "sort the other way round", NULL, 0},
    {{'T'}, IN_STORE, runs_key_trend, "T", "trend of the metric over these runs", "T trend", 13},
    {{'M'},
     IN_STORE,
     runs_key_metric,
     "M",
     "another metric, for the list and the trend",
     "M metric",
     16},
    {{'l'}, IN_RUNS, runs_key_labels, "l", "edit its labels", "l labels", 9},
    {{'n'}, IN_RUNS, runs_key_note, "n", "edit its note; an empty one is none", "n note", 10},
    {{'E'}, IN_RUNS, runs_key_export, "E", "write it into a file", "E export", 11},
    {{'x', KEYC_DELETE},
     IN_RUNS,
     runs_key_remove,
     "x Del",
     "remove a run, or a group",
     "x remove",
     7},
    {{'u'}, IN_RUNS, runs_key_undo, "u", "bring back what was removed last", "u undo", 14},
    {{'X'}, IN_RUNS, runs_key_removed, "X", "runs that were removed; again: the others", NULL, 0},
    {{KEYC_UP, 'k'}, IN_RUNS, runs_key_up, NULL, NULL, NULL, 0},
    {{KEYC_DOWN, 'j'}, IN_RUNS, runs_key_down, NULL, NULL, NULL, 0},
    {{KEYC_PGUP}, IN_RUNS, runs_key_page_up, NULL, NULL, NULL, 0},
    {{KEYC_PGDN}, IN_RUNS, runs_key_page_down, NULL, NULL, NULL, 0},
    {{KEYC_HOME},
     IN_RUNS,
     runs_key_first,
     "Home",
     "the first; what is newest stays selected",
     NULL,
     0},
    {{KEYC_END, 'G'}, IN_RUNS, runs_key_last, NULL, NULL, NULL, 0},
    {{KEYC_F1, '?', 'h'}, IN_STORE, action_help, NULL, NULL, "F1 help", 2},
    {{KEYC_ESC}, IN_STORE, runs_key_back, "Esc", "all runs; no groups; back", "Esc back", 0},
    {{'r'}, IN_STORE, runs_key_show, NULL, NULL, NULL, 0},
    {{'q'}, IN_STORE, runs_key_quit, NULL, NULL, NULL, 0},

    {.words = "Trend", .where = IN_TREND},
    {{KEYC_LEFT, KEYC_UP, 'k'},
     IN_TREND,
     runs_key_left,
     "Left Right",
     "the run before, after",
     NULL,
     0},
    {{KEYC_RIGHT, KEYC_DOWN, 'j'}, IN_TREND, runs_key_right, NULL, NULL, "Left/Right run", 3},
    {{KEYC_HOME, 'g'}, IN_TREND, runs_key_oldest, "Home End", "the oldest, the newest", NULL, 0},
    {{KEYC_END, 'G'}, IN_TREND, runs_key_newest, NULL, NULL, NULL, 0},
    {{'n'},
     IN_TREND,
     runs_key_next_odd,
     "n N",
     "next, previous run that stands out",
     "n next odd",
     4},
    {{'N'}, IN_TREND, runs_key_previous_odd, NULL, NULL, NULL, 0},

    {.words = "The terminal"},
    {{KEYC_CTRL_L}, IN_ANY, action_repaint, "Ctrl-L", "draw everything anew", NULL, 0},
    {{KEYC_CTRL_Z}, IN_ANY, action_suspend, "Ctrl-Z", "stop; fg brings tdtop back", NULL, 0},
    {{'q'}, IN_POPUP | IN_OVER, action_popup_close, NULL, NULL, NULL, 0},
    {{'q'}, IN_VIEW, action_quit, "q", "close the popup, or quit", "q quit", 0},
    {{KEYC_F10, KEYC_CTRL_C}, IN_ANY, action_quit, "F10 Ctrl-C", "quit at once", NULL, 0},
    {{KEYC_ESC},
     IN_VIEW,
     action_back,
     "Esc",
     "close the popup; back to live; forget search, span",
     NULL,
     0},

    /* In a popup. */
    {{KEYC_UP, 'k'}, IN_POPUP | IN_OVER, action_scroll_up, NULL, NULL, NULL, 0},
    {{KEYC_DOWN, 'j'}, IN_POPUP | IN_OVER, action_scroll_down, NULL, NULL, "Up/Down scroll", 1},
    {{KEYC_PGUP}, IN_POPUP | IN_OVER, action_scroll_page_up, NULL, NULL, NULL, 0},
    {{KEYC_PGDN}, IN_POPUP | IN_OVER, action_scroll_page_down, NULL, NULL, NULL, 0},
    {{KEYC_HOME, 'g'}, IN_POPUP | IN_OVER, action_scroll_first, NULL, NULL, NULL, 0},
    {{KEYC_END, 'G'}, IN_POPUP | IN_OVER, action_scroll_last, NULL, NULL, NULL, 0},
    {{KEYC_ESC, KEYC_ENTER}, IN_POPUP | IN_OVER, action_popup_close, NULL, NULL, "Esc close", 0},

    {{KEYC_F1, '?', 'h'}, IN_OVER, action_help, NULL, NULL, "F1 help", 2},

    /* While a search is typed. */
    {{KEYC_ENTER}, IN_SEARCH, action_search_accept, NULL, NULL, "Enter accept", 0},
    {{KEYC_ESC}, IN_SEARCH, action_search_cancel, NULL, NULL, "Esc cancel", 1},

    /* While something else is typed. */
    {{KEYC_ENTER}, IN_ASK, action_ask_accept, NULL, NULL, NULL, 0},
    {{KEYC_ESC}, IN_ASK, action_ask_cancel, NULL, NULL, NULL, 0},
    {{KEYC_ENTER}, IN_FORM, action_form_accept, NULL, NULL, "Enter save", 1},
    {{KEYC_UP, KEYC_BTAB}, IN_FORM, action_form_up, NULL, NULL, NULL, 0},
    {{KEYC_DOWN}, IN_FORM, action_form_down, NULL, NULL, "Up/Down line", 2},
    {{KEYC_TAB}, IN_FORM, action_form_complete, NULL, NULL, "Tab complete", 3},
    {{KEYC_ESC}, IN_FORM, action_form_close, NULL, NULL, "Esc cancel", 0},
};
const size_t n_keys = sizeof(keys) / sizeof(keys[0]);

const struct key_binding *keys_find(uint32_t key, enum key_context where) {
    if (key == 0)
        return NULL;
    for (size_t i = 0; i < n_keys; i++)
        for (size_t k = 0; k < sizeof(keys[i].key) / sizeof(keys[i].key[0]); k++)
            if (keys[i].key[k] == key && (keys[i].where & where))
                return &keys[i];
    return NULL;
}

bool keys_is_heading(const struct key_binding *k) {
    return !k->act;
}

enum key_context keys_context(const struct screen *sc) {
    static const enum key_context of[VIEW_N] = {[VIEW_TREE] = IN_TREE,
                                                [VIEW_THREADS] = IN_THREADS,
                                                [VIEW_CPUS] = IN_CPUS,
                                                [VIEW_DIFF] = IN_DIFF};
    if (sc->ask.typing)
        return IN_ASK;
    if (sc->popup == &popup_snapshot)
        return IN_FORM;
    if (sc->search.typing || sc->rows.filter.typing)
        return IN_SEARCH;
    if (!sc->popup && runs_shown(sc))
        return sc->runs->mode == RUNS_TREND ? IN_TREND : IN_RUNS;
    if (sc->popup)
        return runs_shown(sc) ? IN_OVER : IN_POPUP;
    return of[sc->view];
}
