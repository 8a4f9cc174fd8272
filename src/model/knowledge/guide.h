/*
 * The guide: the method itself on a few short pages. A file of src/model/guide is a page:
 *
 *   title   = "Pipeline slots"
 *   summary = "one line"
 *   [[part]]
 *   heading = "..."                 may be left out
 *   text    = "a paragraph"         text, items or both
 *   items   = ["...", "..."]
 *
 * The name of the file without what stands before its first '-' is the page's name; pages are in
 * the order of their files.
 */
#ifndef TDTOP_MODEL_GUIDE_H
#define TDTOP_MODEL_GUIDE_H

#include "base/err.h"
#include "base/toml.h"
#include "model/knowledge/text_sink.h"

#include <stddef.h>

struct guide_part {
    const char *heading, *text; /* each may be NULL */
    const char **items;         /* NULL terminated, or NULL */
};

struct guide_page {
    const char *name; /* "slots" */
    const char *title, *summary;
    struct guide_part *part;
    size_t n_part;
    struct toml_doc doc_; /* private: owns the texts */
};

struct guide {
    struct guide_page *page;
    size_t n;
};

struct embedded; /* model/load/model.h */

/* Loads the embedded pages. 0, -ENOMEM, or -EINVAL with file:line:column; then nothing is left to
 * free. */
int guide_load(struct guide *g, struct err *err);
/* The same from a given list of files. */
int guide_load_from(struct guide *g, const struct embedded *files, struct err *err);
void guide_free(struct guide *g);

/* A page by its name, its number from 1, or how its name begins if one page's alone does; NULL. */
const struct guide_page *guide_find(const struct guide *g, const char *name);
/* The page without its title. */
void guide_tell(const struct guide_page *page, const struct text_sink *sink);

#endif
