/* Ctrl-C and a polite kill end the measurement, not the program: what was measured is still used.
 */
#ifndef TDTOP_CLI_STOP_H
#define TDTOP_CLI_STOP_H

#include <stdbool.h>

/* Blocks SIGINT, SIGTERM and SIGHUP in this thread and those it starts later. Returns a descriptor
 * that becomes readable when one came, or -1. */
int stop_open(void);
bool stop_came(int fd);
int stop_which(int fd); /* which signal came; 0: none has */
void stop_close(int fd);

#endif
