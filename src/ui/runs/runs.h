/*
 * The stored runs as a list: which are meant, in which order, in which groups; what is selected and
 * marked. Knows no canvas. Of a hundred thousand runs only the pages that are looked at are read;
 * they are read again when another process has written. Memory is taken when something else is to
 * be seen, never while drawing.
 *
 * The list is made of lines: a run each, or, where runs are grouped by a label, a heading for each
 * of its values and below those that are open their runs.
 */
#ifndef TDTOP_UI_RUNS_H
#define TDTOP_UI_RUNS_H

#include "db/store.h"
#include "ui/draw/list.h"
#include "ui/runs/runs_survey.h"

#include <sys/stat.h>

enum {
    RUNS_PAGE = 128,   /* rows that are read at once */
    RUNS_PAGES = 256,  /* kept; each open group has pages of its own */
    RUNS_FILTERS = 16, /* conditions of a filter line */
    RUNS_KEY = 65,
};

enum runs_state {
    RUNS_READY,
    RUNS_NONE,   /* there is no store yet */
    RUNS_FAILED, /* err says why */
};

struct runs_sort {
    const char *name; /* "begun" */
    enum run_order order;
    const char *metric; /* of BY_METRIC; NULL: runs.metric */
    bool ascends;       /* by itself: names do, numbers and times do not */
};
enum { RUNS_SORT_TOP = 4, RUNS_SORT_METRIC = 8, RUNS_SORTS = 9 };
extern const struct runs_sort runs_sorts[RUNS_SORTS];

struct runs_group {
    const char *value; /* borrowed from `groups`; NULL: runs without the label */
    uint64_t n;
    uint64_t line; /* of its heading */
    bool open;
    size_t at, n_value; /* its values in survey.value */
    double mean, sd;    /* of them; NAN: too few */
};

/* A run, or a group of runs; zeroed: neither. */
struct runs_mark {
    char id[RUN_ID_LEN + 1]; /* "": a group, if there is a key */
    char *key, *value;       /* owned; value NULL: the runs without the label */
    uint64_t begun_ns;       /* of a run */
};

struct runs_page {
    uint32_t group;
    uint64_t from; /* of its first row among the runs of the group */
    uint64_t used; /* when it was last looked at; 0: empty */
    struct run_list list;
};

struct runs {
    const char *path; /* borrowed; NULL: the usual file */
    struct store store;
    enum runs_state state;
    struct err err;

    /* What the user wants to see. */
    char text[128];        /* anywhere in the run; "" for all */
    char filter_text[512]; /* as typed */
    struct label_filter filter[RUNS_FILTERS];
    size_t n_filter;
    bool removed; /* those that were removed, instead of the others: "is:removed" of a filter */
    char key[RUNS_KEY]; /* grouped by this label; "" for no groups */
    bool key_last;      /* the groups came after the filter: they are the first to go back */
    int sort;           /* of runs_sorts */
    bool inverted;
    char metric[96]; /* shown beside the rest */
    bool share;      /* how it is to be shown, as a run that has it says: */
    char unit[32];
    bool has_shape;

    /* What is there. */
    uint64_t total; /* runs that are meant */
    bool more;      /* there are more, of which a server shows no more */
    bool newest;    /* they are the newest of more */
    struct run_group_list groups;
    struct runs_group *group; /* [n_group]; one that has no heading where there are no groups */
    uint32_t n_group;
    struct runs_survey survey;
    struct runs_page page[RUNS_PAGES];
    uint64_t clock;   /* private: of runs_page.used */
    uint64_t queries; /* asked of the store so far: for tests */

    /* What is selected: a line, and what is on it, which is followed wherever it goes. */
    struct list rows;
    struct runs_mark pin;  /* nothing while the user has chosen nothing: the first line */
    struct runs_mark lost; /* what was chosen, while it is not in the list */
    struct runs_mark
        mark[2];     /* to be compared: of two runs the older first, else as they were set */
    int oldest_mark; /* which of two was set first */

    bool anew;           /* private: another list than before comes */
    struct stat seen[2]; /* private: of the file and its log, or of the server, when last read */
};

int runs_init(struct runs *r, const char *path);
void runs_destroy(struct runs *r); /* accepts a zeroed one */

/* Reads what is not there yet, or all anew if the file has changed. True if there is something else
 * to be seen than before. */
bool runs_look(struct runs *r);
/* All anew, in any case. */
void runs_reload(struct runs *r);
/* Reads the pages that lines from..from+n are on. */
void runs_fetch(struct runs *r, uint64_t from, uint64_t n);

/* The heading that is on a line, or NULL. */
const struct runs_group *runs_heading(const struct runs *r, uint64_t line);
/* The run that is on a line; NULL for a heading, beyond the end, and where it is not read. */
const struct run_row *runs_row(const struct runs *r, uint64_t line);
/* The group that a line is in; NULL if there is none. */
struct runs_group *runs_group_of(const struct runs *r, uint64_t line);
/* The query of all runs that are meant, or of a group. Valid until the next call; extra has room
 * for RUNS_FILTERS + 1. */
struct run_query runs_query(const struct runs *r, const struct runs_group *of,
                            struct label_filter *extra);

/* What is selected is about to go: what is behind it takes its place when the list is read anew. */
void runs_step_off(struct runs *r);
/* A run is to be selected when the list is read anew. */
void runs_choose(struct runs *r, const char *id);
/* The line of a run, or of the closed group it is in. False: it is not in the list. */
bool runs_find(struct runs *r, const char *id, uint64_t *line);

void runs_sort_by(struct runs *r, int sort);
void runs_invert(struct runs *r);
bool runs_descend(const struct runs *r);

void runs_search(struct runs *r, const char *text);
/* "key=value key!=value key~text key !key", all of which must hold; "is:removed" for those that
 * were removed; "" for all runs. 0, or -EINVAL with words: nothing has changed. */
int runs_filter(struct runs *r, const char *text, struct err *err);
/* Groups by a label; "" ungroups. */
void runs_group_by(struct runs *r, const char *key);
/* Opens or closes the group that a line is in; -1 closes, 1 opens. The selection goes to its
 * heading when it closes. */
void runs_fold(struct runs *r, uint64_t line, int how);
void runs_fold_all(struct runs *r);
/* 0, or -ENOENT with words if no run has such a metric. */
int runs_show_metric(struct runs *r, const char *name, struct err *err);

/* Marks what is on a line, or takes its mark away; of three marks the oldest goes. */
void runs_mark(struct runs *r, uint64_t line);
/* 0, 1: which mark the line has; -1. */
int runs_marked(const struct runs *r, uint64_t line);
void runs_unmark(struct runs *r);
bool runs_mark_is_set(const struct runs_mark *m);
/* What is on a line; frees what was there. */
void runs_mark_line(const struct runs *r, uint64_t line, struct runs_mark *m);
void runs_mark_free(struct runs_mark *m);

#endif
