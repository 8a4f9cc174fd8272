/*
 * Reads all processes, as often as once a second, for a list to choose from. A reading costs one
 * small file per process; user and command are kept from one reading to the next.
 */
#ifndef TDTOP_PMU_PROCESSES_H
#define TDTOP_PMU_PROCESSES_H

#include "base/err.h"
#include "model/run/process.h"

struct processes {
    struct process_table table;
    char proc[64]; /* "/proc" or a fake one */
    int proc_fd;
    uint64_t tick_ns; /* USER_HZ */
    uint64_t page_size;
    pid_t self;               /* left out */
    char *buf;                /* private */
    struct process_row *next; /* private: the rows being read */
    uint32_t next_cap;
    struct user_name *user; /* private: names of users already asked for */
    uint32_t n_user;
};

/* 0 or a negative errno with words. Nothing is read yet. */
int processes_open(struct processes *ps, const char *proc, struct err *err);
void processes_close(struct processes *ps); /* accepts a zeroed one */

/* Reads all. 0, or a negative errno: then the table ends early. */
int processes_read(struct processes *ps);
/* Fills row->command if it is not known. 0 or -ENOMEM. */
int processes_detail(struct processes *ps, struct process_row *row);

#endif
