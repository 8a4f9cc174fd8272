/* A rule that is watched while the screen is there: what it finds is stored, with the minute before
 * and behind it (session/flight.h). */
#ifndef TDTOP_UI_SNAPSHOT_WHEN_H
#define TDTOP_UI_SNAPSHOT_WHEN_H

struct screen;

void snapshot_when_ask(struct screen *sc); /* for the rule; an empty answer ends it */
void snapshot_when_set(struct screen *sc, const char *rule); /* "": none */
void snapshot_when_sample(struct screen *sc); /* behind each interval of any screen */
void snapshot_when_end(struct screen *sc);    /* what is waited for is stored as it is */

#endif
