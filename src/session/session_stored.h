/*
 * A stored run that is measured again, as it were (`tdtop replay RUN`): what it says of itself goes
 * to its frames, and to the runs that are made of it. It is still that process, on that machine, at
 * that time of day.
 */
#ifndef TDTOP_SESSION_STORED_H
#define TDTOP_SESSION_STORED_H

#include "model/run/run.h"

struct session;

/* CLOCK_REALTIME at time 0 of a session that replays `from`. */
uint64_t session_stored_wall_ns(const struct run *from);
/* Its marks up to the newest interval come onto the session's time line. Allocates nothing. */
void session_stored_marks(struct session *s);

/* Events and slots by the names that the run has, those too that the model does not know. 0 or
 * -ENOMEM. */
int session_stored_events(const struct run *from, struct run *r);
/* Whose counts, where from and by which tdtop; it becomes the parent. The note is not taken over:
 * it is of the whole. 0 or -ENOMEM. */
int session_stored_texts(const struct run *from, struct run *r);
int session_stored_facts(const struct run *from, struct run *r);
/* All its labels, the automatic ones too; but the model is the one that counts now, and a stretch
 * of a run that was evaluated again is not that run. */
int session_stored_labels(const struct run *from, const struct model *m, struct run *r);

#endif
