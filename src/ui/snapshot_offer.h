/* What the form of a snapshot offers for the word at the cursor: keys and values that the store
 * knows, or the labels of the newest runs. */
#ifndef TDTOP_UI_SNAPSHOT_OFFER_H
#define TDTOP_UI_SNAPSHOT_OFFER_H

struct snapshots;

/* The word has changed: what fits it. Reads the store, if there is one. */
void offer_words(struct snapshots *sn);
/* Puts the next of them in the place of the word. */
void offer_next(struct snapshots *sn);

#endif
