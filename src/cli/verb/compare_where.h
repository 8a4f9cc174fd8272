/* Functions whose share of the samples has changed from run A to run B. */
#ifndef TDTOP_CLI_COMPARE_WHERE_H
#define TDTOP_CLI_COMPARE_WHERE_H

#include "cli/cli.h"

/* Prints them. Returns an exit code; errors are printed. */
int compare_where(const struct args *a);

#endif
