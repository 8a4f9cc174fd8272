/* What the files of snapshots share: the stretch that is asked for, and the question where else to
 * save. Everyone else includes snapshot.h. */
#ifndef TDTOP_UI_SNAPSHOT_IMPL_H
#define TDTOP_UI_SNAPSHOT_IMPL_H

#include "ui/popup/snapshot.h"

/* What is to be stored, of session time. */
struct snapshot_request {
    uint64_t t0_ns, t1_ns;
    const char *labels, *note;
    char skipped[64]; /* filled: core types that had no interval in it */
};

/* The number of seconds that is typed; 0: it is none. */
uint64_t snapshot_seconds(const struct snapshots *sn);
/* The times of a span; ns: the length of SPAN_LAST. 0, or negative errno with words. */
int snapshot_times(const struct screen *sc, enum snapshot_span span, uint64_t ns, uint64_t *t0,
                   uint64_t *t1, struct err *err);
/* 0, or negative errno with words: there is nothing that could be stored. */
int snapshot_possible(const struct screen *sc, struct err *err);
/* Hands all that is asked for to the saver, or nothing. 0, or negative errno with words. */
int snapshot_save(struct screen *sc, struct snapshot_request *q, struct err *err);

/* True if something could not be saved, and nothing is being saved. */
static inline bool snapshot_wants_path(const struct snapshots *sn) {
    return sn && sn->saver.failed && !sn->saver.busy;
}
/* Opens the form to ask where else to. */
void snapshot_ask_path(struct screen *sc);

#endif
