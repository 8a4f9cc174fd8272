/* What the command line takes: its verbs and its options, as tables. Private to src/cli. */
#ifndef TDTOP_CLI_CLI_TABLE_H
#define TDTOP_CLI_CLI_TABLE_H

#include "cli/cli.h"

#include <stddef.h>

#define BIT(v)   (1u << (v))
#define ROWS     (1u << 31) /* beside an option's verbs: it asks for rows instead of the screen */
#define FLOOR_MS 20         /* of --interval */

struct cli_verb {
    const char *name, *words, *help;
    int max_words;     /* after the verb */
    const char *needs; /* the one that it cannot do without, said in full; NULL: none */
};
extern const struct cli_verb cli_verbs[VERB_N];

enum option_type {
    OPT_FLAG,
    OPT_TEXT,
    OPT_WORDS, /* text that may be empty */
    OPT_LIST,  /* may be repeated: struct text_list */
    OPT_IDS,   /* numbers of processes or threads: those that follow, and repeats, add to it */
    OPT_INT,
    OPT_REAL,
    OPT_TIME_MS, /* a bare number is in milliseconds */
    OPT_TIME_S,
    OPT_SPAN, /* of days: base/when.h */
    OPT_WHEN, /* a point of time: base/when.h */
    OPT_CONST,
};

struct cli_option {
    const char *name;
    char letter;
    const char *arg;
    enum option_type type;
    size_t at; /* in struct args */
    unsigned verbs;
    int64_t min, max; /* of OPT_INT and OPT_REAL */
    const char *help;
};
/* Order is the order of --help. */
extern const struct cli_option cli_options[];
extern const int cli_n_options;

/* Spellings that other tools taught people. */
struct cli_alias {
    const char *name, *option;
};
extern const struct cli_alias cli_aliases[];
extern const int cli_n_aliases;

#endif
