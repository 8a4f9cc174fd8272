#include "ui/keys.h"

#include "ui/actions.h"
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
    {{'b'}, IN_TREE, action_bottleneck, "b", "go to the bottleneck", "b bottleneck", 8},

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

    {.words = "The terminal"},
    {{KEYC_CTRL_L}, IN_ANY, action_repaint, "Ctrl-L", "draw everything anew", NULL, 0},
    {{KEYC_CTRL_Z}, IN_ANY, action_suspend, "Ctrl-Z", "stop; fg brings tdtop back", NULL, 0},
    {{'q'}, IN_POPUP, action_popup_close, NULL, NULL, NULL, 0},
    {{'q'}, IN_VIEW, action_quit, "q", "close the popup, or quit", "q quit", 0},
    {{KEYC_F10, KEYC_CTRL_C}, IN_ANY, action_quit, "F10 Ctrl-C", "quit at once", NULL, 0},
    {{KEYC_ESC}, IN_VIEW, action_back, "Esc", "close the popup, forget the search", NULL, 0},

    /* In a popup. */
    {{KEYC_UP, 'k'}, IN_POPUP, action_scroll_up, NULL, NULL, NULL, 0},
    {{KEYC_DOWN, 'j'}, IN_POPUP, action_scroll_down, NULL, NULL, "Up/Down scroll", 1},
    {{KEYC_PGUP}, IN_POPUP, action_scroll_page_up, NULL, NULL, NULL, 0},
    {{KEYC_PGDN}, IN_POPUP, action_scroll_page_down, NULL, NULL, NULL, 0},
    {{KEYC_HOME, 'g'}, IN_POPUP, action_scroll_first, NULL, NULL, NULL, 0},
    {{KEYC_END, 'G'}, IN_POPUP, action_scroll_last, NULL, NULL, NULL, 0},
    {{KEYC_ESC, KEYC_ENTER}, IN_POPUP, action_popup_close, NULL, NULL, "Esc close", 0},

    /* While a search is typed. */
    {{KEYC_ENTER}, IN_SEARCH, action_search_accept, NULL, NULL, "Enter accept", 0},
    {{KEYC_ESC}, IN_SEARCH, action_search_cancel, NULL, NULL, "Esc cancel", 1},
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

enum key_context keys_context(const struct screen *sc) {
    static const enum key_context of[VIEW_N] = {IN_TREE, IN_THREADS, IN_CPUS};
    if (sc->search.typing || sc->rows.filter.typing)
        return IN_SEARCH;
    return sc->popup ? IN_POPUP : of[sc->view];
}
