/* The names of processes and threads that were sampled, also of those that have ended. Bounded: the
 * oldest of a few gives way. Any thread may ask while one adds. */
#ifndef TDTOP_PMU_COMMS_H
#define TDTOP_PMU_COMMS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum { COMM_SIZE = 16 }; /* TASK_COMM_LEN */

struct comm {
    pid_t tid; /* 0: free */
    uint32_t order;
    char name[COMM_SIZE];
};

struct comms {
    pthread_mutex_t lock;
    struct comm *at; /* guarded by lock */
    uint32_t order;  /* guarded by lock */
};

int comms_init(struct comms *c); /* 0 or -ENOMEM */
void comms_destroy(struct comms *c);

/* Cut to what there is room for. */
void comms_put(struct comms *c, pid_t tid, const char *name);
/* A new thread or process is called as its creator, until it is renamed. */
void comms_fork(struct comms *c, pid_t tid, pid_t parent);
/* False if it is not known. The name is as the program chose it: not safe for a terminal. */
bool comms_get(struct comms *c, pid_t tid, char name[COMM_SIZE]);

#endif
