/* Long text goes through the user's pager when it goes to a terminal. */
#ifndef TDTOP_CLI_PAGER_H
#define TDTOP_CLI_PAGER_H

#include <stdbool.h>
#include <stdio.h>

/* Text of which it is not known yet how long it is. */
struct pager {
    FILE *out; /* write here */
    char *text_;
    size_t len_;
};

/* 0 or -ENOMEM. */
int pager_begin(struct pager *p);
/*
 * Shows what was written: on standard output, or, where that is a terminal that it does not fit,
 * through $PAGER ("less -FRX" if it is not set, plain if there is no such program).
 */
void pager_end(struct pager *p);

#endif
