#ifndef TDTOP_UI_SCENE_KEY_CONTEXT_H
#define TDTOP_UI_SCENE_KEY_CONTEXT_H

/* Where a key is meant: a view that has keys of its own, a pop-up, a text that is typed. */
enum key_context {
    IN_TREE = 1 << 0,
    IN_POPUP = 1 << 1,
    IN_SEARCH = 1 << 2, /* while typing */
    IN_THREADS = 1 << 3,
    IN_CPUS = 1 << 4,
    IN_BENCH = 1 << 5,
    IN_FORM = 1 << 6, /* of a snapshot: most keys are typed */
    IN_ASK = 1 << 7,  /* a question in the key line */
    IN_RUNS = 1 << 8, /* the list of stored runs */
    IN_TREND = 1 << 9,
    IN_OVER = 1 << 10, /* a popup over the stored runs */
    IN_FUNNEL = 1 << 11,
    IN_HISTORY = 1 << 12,
    IN_METRICS = 1 << 13,
    IN_DOCTOR = 1 << 14,
    IN_EXPLAIN = 1 << 15, /* a popup with links; IN_POPUP or IN_OVER counts, too */
    IN_HELP = 1 << 16,    /* likewise */
    IN_CHOOSE = 1 << 17,  /* most keys are typed */
    IN_WHERE = 1 << 18,
    IN_PALETTE = 1 << 20, /* most keys are typed */
    IN_SETTINGS = 1 << 21,
    IN_THEMES = 1 << 22,
    IN_OTHER = 1 << 23, /* a view without keys of its own */
    IN_OTHER_PAST = 1 << 24,
    IN_STORE = IN_RUNS | IN_TREND,
    IN_ROWS = IN_THREADS | IN_CPUS,
    /* The time cursor counts. */
    IN_PAST = IN_TREE | IN_FUNNEL | IN_HISTORY | IN_METRICS | IN_BENCH | IN_WHERE | IN_OTHER_PAST,
    IN_VIEW = IN_PAST | IN_ROWS | IN_DOCTOR | IN_WHERE | IN_OTHER,
    IN_TYPING = IN_SEARCH | IN_FORM | IN_ASK | IN_PALETTE | IN_CHOOSE,
    IN_ANY = IN_VIEW | IN_POPUP | IN_OVER | IN_TYPING | IN_STORE | IN_EXPLAIN | IN_HELP |
             IN_SETTINGS | IN_THEMES,
};

#endif
