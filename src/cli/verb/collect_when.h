/* `tdtop collect --when RULE`: a flight recorder. Nothing is stored but the time around what the
 * rules point at, with samples of --where from there on, and --then is run. */
#ifndef TDTOP_CLI_COLLECT_WHEN_H
#define TDTOP_CLI_COLLECT_WHEN_H

#include "cli/cli.h"
#include "session/flight.h"

struct collect_when { /* zeroed at first */
    bool on;
    struct flight flight;
    struct run base;              /* of --baseline */
    uint64_t until_ns;            /* samples are taken until then, CLOCK_MONOTONIC; 0: none are */
    char sampled[RUN_ID_LEN + 1]; /* the run that they are for; "": none */
    struct run *samples[FLIGHT_KEPT]; /* owned: of runs that are not stored yet, id and samples */
    int code;                         /* of the worst that was kept */
};

struct collect;
int collect_when_check(const struct args *a, struct err *err); /* what is said goes together */
/* Rules and the baseline, of c->a. 0, or negative errno with words. */
int collect_when_open(struct collect *c, struct err *err);
/* Of the packed counts of a session: the time that is kept, of the largest models. */
size_t collect_when_bytes(const struct collect *c);
/* Of sessions that are open. As above. */
int collect_when_begin(struct collect *c, struct err *err);
void collect_when_take(struct collect *c, int type); /* behind session_take */
void collect_when_turn(struct collect *c);           /* what is due: samples end, runs are stored */
/* The sooner of `ms` and what is due, for poll(2). */
int collect_when_wait_ms(const struct collect_when *w, int ms);
int collect_when_end(struct collect *c); /* what is waited for is stored as it is; an exit code */
void collect_when_close(struct collect_when *w);

#endif
