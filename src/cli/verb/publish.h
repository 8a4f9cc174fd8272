/* Where an exposition can be read: over HTTP, and as a file for node_exporter's textfile collector.
 * `tdtop serve` and `tdtop agent` have it alike. */
#ifndef TDTOP_CLI_PUBLISH_H
#define TDTOP_CLI_PUBLISH_H

#include "cli/cli.h"
#include "serve/metrics_page.h"

struct publish_to {
    const char *listen, *textfile; /* as of --listen and --textfile; NULL: not asked for */
    bool insecure;
};

struct publish {               /* zeroed at first */
    struct exposition *e;      /* borrowed */
    struct metrics_page *page; /* NULL: not asked for */
    char path[4096];           /* of the file; "" */
    char temporary[4096 + 16]; /* beside it */
    bool lacks;                /* it could not be written, which was said */
    bool wrote;                /* it is ours */
    unsigned long long change; /* that it has */
    uint64_t due_ns;           /* not before, CLOCK_MONOTONIC */
};

/* Whether it has the folder for a file. 0, or negative errno with words. */
int publish_check(const struct publish_to *to, struct err *err);
/* Says where it listens. name: of what is measured, in the name of the file. 0, or negative errno
 * with words: nothing is left to close then. */
int publish_open(struct publish *p, struct exposition *e, const struct publish_to *to,
                 const char *name, struct err *err);
/* Writes the file, if something has changed: once a second at most. Returns when it is to be called
 * again, in ms for poll(2); -1: there is no file. */
int publish_turn(struct publish *p);
/* The file goes: what is not measured any more is not to be scraped. */
void publish_close(struct publish *p);

#endif
