/* What the form of a snapshot offers for the word at the cursor: keys and values that the store
 * knows, or the labels of the newest runs; and completion by Tab, as a shell does it. */
#ifndef TDTOP_UI_SNAPSHOT_OFFER_H
#define TDTOP_UI_SNAPSHOT_OFFER_H

#include <stdbool.h>

struct snapshots;

/* The word has changed: what fits it is looked for when it is needed, since words may come much
 * faster than the store answers. */
void offer_changed(struct snapshots *sn);
/* Before any of what follows, and before drawing: reads the store, if there is one that answers at
 * once. */
void offer_settle(struct snapshots *sn);
/* True if Tab takes one of them: there is a word to be completed, or nothing at all yet. */
bool offer_is_meant(const struct snapshots *sn);
/*
 * Completes the word as far as all that fit it agree, and from then on puts one after the other in
 * its place: the next (1), or the one before (-1, only then). False: there is nothing to complete.
 */
bool offer_complete(struct snapshots *sn, int step);
/* True if one that needs nothing more stands in the place of the word. */
bool offer_is_whole(const struct snapshots *sn);

#endif
