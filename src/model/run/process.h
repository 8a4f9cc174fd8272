/* The processes of a machine as rows to choose from: plain data, read by pmu/host/processes.c. */
#ifndef TDTOP_MODEL_PROCESS_H
#define TDTOP_MODEL_PROCESS_H

#include "model/load/model.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum { PROCESS_ROOTS = 8 };

/* Level 1 of one process, in its last interval. */
struct process_level1 {
    const struct model *model; /* borrowed: what counted it; NULL: not known */
    int n;
    int16_t root[PROCESS_ROOTS]; /* metrics of the model, in its order */
    float share[PROCESS_ROOTS];  /* 0..1 each; together at most about 1 */
};

struct process_row {
    pid_t pid;
    uint32_t uid;
    char comm[48]; /* safe for the screen, as all texts here */
    char user[24]; /* name, or number */
    char *command; /* owned: the command line, or "[comm]" of a kernel thread; NULL: not read yet */
    double cpu;    /* CPUs used: 1.5; in the last interval, or since it began if seen only once */
    bool fresh;    /* seen only once */
    bool kernel;   /* a thread of the kernel: no program */
    char state;    /* 'R', 'S', ... proc(5) */
    uint32_t n_thread;
    uint64_t rss;                    /* bytes */
    uint64_t start_ticks, cpu_ticks; /* since boot; used since it began */
    struct process_level1 level1;    /* of the busiest only: session/busiest.h */
};

struct process_table {
    struct process_row *row; /* ascending by pid */
    uint32_t n, cap;
    uint32_t n_thread; /* of all processes */
    uint32_t reading;  /* how often it was read */
    uint64_t at_ns;    /* when it was last read: CLOCK_MONOTONIC */
};

#endif
