/*
 * Where in the embedded texts of the knowledge base each name is explained: a table that
 * tools/explain_index.sh makes when the program is built, so that a screen reads of a megabyte only
 * what it shows. Relies on how the files are laid out: each table begins with its line and has bare
 * keys ("[entry.NAME]", "[entry.NAME.also]"), and summaries have no escapes.
 */
#ifndef TDTOP_MODEL_EXPLAIN_PLACE_H
#define TDTOP_MODEL_EXPLAIN_PLACE_H

#include <stddef.h>
#include <stdint.h>

struct explain_place {
    uint32_t name;    /* in explain_place_names */
    uint32_t file;    /* index in embedded_explain */
    uint32_t at, len; /* the entry with its tables */
    uint32_t summary; /* of this name, up to the next quote */
};

extern const char explain_place_names[];            /* NUL terminated, one behind the other */
extern const struct explain_place explain_places[]; /* in the order of str_order_names */
extern const size_t explain_n_places;

/* Ignoring case, but of two names that differ in nothing else the one that is spelt so. Or NULL. */
const struct explain_place *explain_place_find(const char *name);

#endif
