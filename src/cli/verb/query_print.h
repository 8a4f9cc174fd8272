/* What `tdtop query` found, for people and for programs. */
#ifndef TDTOP_CLI_QUERY_PRINT_H
#define TDTOP_CLI_QUERY_PRINT_H

#include "cli/file/run_json.h"
#include "cli/verb/query_nodes.h"

/* Nodes of one run. */
struct query_view {
    const struct run *run;
    const struct model *model; /* that gave the values; NULL: not known */
    const struct node_list *nodes;
    bool funnel, tree; /* neither: a list */
    bool over;         /* of nodes over their threshold */
};
int query_print_text(const struct query_view *v); /* all return an exit code */
int query_print_json(const struct query_view *v);
int query_print_csv(const struct query_view *v);

/* Runs in which a node has at least `least`. */
struct query_runs {
    const char *node;
    const struct run_row *row;
    size_t n;
    double least;
};
int query_runs_text(const struct query_runs *q);
int query_runs_json(const struct query_runs *q);
int query_runs_csv(const struct query_runs *q);

/* "run 3f9a1c22  redis-server 4242  2026-11-01 14:30:05  60 intervals, 1:00  spr", and lines of
 * what is to be known about it: labels, note, doubt, bottleneck. */
void query_print_head(const struct run *r);

#endif
