/*
 * `tdtop collect`: measures without a screen and stores the run. Standard output gets the run's id
 * alone, so that a script can take it; what is said to people is on standard error.
 */
#include "base/log.h"
#include "cli/stop.h"
#include "cli/verb/collect.h"

int verb_collect(const struct args *said) {
    struct collect c = {.stop_fd = -1};
    struct err err = {0};
    int code, rc = collect_open(&c, said, &err);
    if (rc == 0 && c.config.log[0])
        rc = log_open(c.config.log, &err);
    if (rc == 0) {
        c.stop_fd = stop_open();
        code = collect_all(&c);
        stop_close(c.stop_fd);
    } else {
        code = run_pick_exit(&err);
    }
    collect_close(&c);
    log_close();
    return code;
}
