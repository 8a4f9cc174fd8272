/*
 * The knowledge base: what a metric means, why it is high, what to try. Shared by all models.
 *
 * An entry explains the metric, node or group it is called after, and those of its `also` table;
 * each of them is found by its name and has a summary of its own, the rest is shared.
 */
#ifndef TDTOP_MODEL_EXPLAIN_H
#define TDTOP_MODEL_EXPLAIN_H

#include "base/err.h"
#include "base/toml.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What differs by vendor or generation. */
struct explain_note {
    const char *of; /* "intel", "ecore", "amd", "arm", or globs on names of models: "icl icx" */
    const char *text;
};

struct explain_entry {
    const char *name; /* "Port_1"; matched to a metric's name, ignoring case */
    const char
        *entry; /* "Port_0": the entry that explains it; the same pointer as name in that one */
    const char *summary;
    const char *description;
    const char *counts;             /* domain, overlap with siblings, when it misleads */
    const char *healthy, *worrying; /* values, in words with units */
    const char *values_from;        /* where they are from */
    const char **causes;            /* NULL terminated lists, none of them empty */
    const char **hints;
    const char **confirm;
    const char **related;    /* metrics, nodes and groups */
    const char **references; /* "key" or "key: section"; the key is one of references.toml */
    struct explain_note *note;
    size_t n_note;
    const struct toml *at_; /* private: where it stands, and in which document */
    size_t doc_;
};

struct explain {
    struct explain_entry *at; /* by name, those of `also` tables among them */
    size_t n;
    void *docs_; /* private */
};

struct embedded; /* model/load/model.h */
struct model;

/* Loads all embedded entries. 0, -ENOMEM, or -EINVAL with file:line:column; then nothing is left to
 * free. */
int explain_load(struct explain *ex, struct err *err);
/* Entries as they are said of a model (explain_fit), of none (NULL) as they stand. Each is read
 * when it is first looked up, and kept; `at` stays empty. 0 or -ENOMEM. */
int explain_load_for(struct explain *ex, const struct model *m, struct err *err);
/* All from a given list of files. */
int explain_load_from(struct explain *ex, const struct embedded *files, struct err *err);
void explain_free(struct explain *ex);
/* Ignoring case, but of two names that differ in nothing else the one that is spelt so. Or NULL. */
const struct explain_entry *explain_find(const struct explain *ex, const char *name);
/* All names, in their order: those of explain_load and those of the build are the same. */
size_t explain_n_names(const struct explain *ex);
const char *explain_name(const struct explain *ex, size_t i);
/* Its summary, its description, the first of its hints: buf, or NULL if there is none. For who
 * draws: allocates nothing. */
const char *explain_summary(const struct explain *ex, const char *name, char *buf, size_t cap);
const char *explain_description(const struct explain *ex, const char *name, char *buf, size_t cap);
const char *explain_hint(const struct explain *ex, const char *name, char *buf, size_t cap);
/* Before the whole entry is drawn: then looking it up allocates nothing. */
void explain_read(const struct explain *ex, const char *name);

/* True for the entry itself, false for a name of its `also` table. */
bool explain_is_first(const struct explain_entry *e);
/* An E-core of Intel's, or a core that E-cores come from. */
bool explain_is_ecore(const struct model *m);
/* True if the note is about this model. */
bool explain_note_fits(const struct explain_note *note, const struct model *m);
/* Is it the name of a model that one of the globs, with blanks between them, is for? */
bool explain_globs_match(const char *globs, const char *name);
/* A reference in full: the book, and the section if one is named. Returns buf. */
const char *explain_reference(const struct explain *ex, const char *reference, char *buf,
                              size_t cap);

/*
 * The knowledge base knows the metrics of all models. In entries of what the model has, drops the
 * causes, hints and places to look at that name others, and what is related but not there. 0, or
 * -ENOMEM: then nothing was dropped.
 */
int explain_fit(struct explain *ex, const struct model *m);

/*
 * Where in the embedded texts of the knowledge base each name is explained: a table that
 * tools/explain_index.sh makes when the program is built, so that a screen reads of a megabyte only
 * what it shows. Relies on how the files are laid out: each table begins with its line and has bare
 * keys ("[entry.NAME]", "[entry.NAME.also]"), and summaries have no escapes.
 */

struct explain_place {
    uint32_t name;    /* in explain_place_names */
    uint32_t file;    /* index in embedded_explain */
    uint32_t at, len; /* the entry with its tables */
    uint32_t summary; /* of this name, up to the next quote */
};

extern const char explain_place_names[];            /* NUL terminated, one behind the other */
extern const struct explain_place explain_places[]; /* in the order of str_order_names */
extern const size_t explain_n_places;

#endif
