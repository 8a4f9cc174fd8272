/*
 * An entry of the knowledge base as a page: in which order its parts are said, and under which
 * headings. Who draws or prints it gives a sink; the pop-up of the screen and `tdtop explain` share
 * this.
 */
#ifndef TDTOP_MODEL_EXPLAIN_TEXT_H
#define TDTOP_MODEL_EXPLAIN_TEXT_H

#include "model/knowledge/explain.h"
#include "model/knowledge/text_sink.h"

struct model;

/* Everything but related names and references: what one reads on. m: notes of this model and its
 * vendor only, unmarked; NULL: all, each with whom it is about. */
void explain_text(const struct explain_entry *e, const struct model *m,
                  const struct text_sink *sink);
/* Whom a note is about: "AMD", "zen4, zen5, zen6". */
void explain_note_of(const struct explain_note *note, char *buf, size_t cap);
/* Related names (each with its summary) and references: where one goes on from here. */
void explain_text_on(const struct explain *ex, const struct explain_entry *e,
                     const struct text_sink *sink);
void explain_text_references(const struct explain *ex, const struct explain_entry *e,
                             const struct text_sink *sink);

#endif
