/* Long text goes through the user's pager when it goes to a terminal. */
#ifndef TDTOP_CLI_PAGER_H
#define TDTOP_CLI_PAGER_H

#include <stdio.h>

/* Text of which it is not known yet how long it is. */
struct pager {
    FILE *out; /* write here */
    char *text_;
    size_t len_;
};

/* 0, or -ENOMEM, of which the user was told. */
int pager_begin(struct pager *p);
/*
 * Shows what was written: on standard output, or, where that is a terminal that it does not fit,
 * through $PAGER, which may have arguments ("less -FRX" if it is not set, plain if it cannot be
 * started). Standard output is checked by cli_finish. 0, or -ENOMEM, of which the user was told.
 */
int pager_end(struct pager *p);

#endif
