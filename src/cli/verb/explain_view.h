/* What `tdtop explain` knows when it prints: the entries, the models, and whose formulas are
 * wanted. */
#ifndef TDTOP_CLI_EXPLAIN_VIEW_H
#define TDTOP_CLI_EXPLAIN_VIEW_H

#include "model/knowledge/explain_names.h"
#include "model/load/model.h"

#include <jansson.h>
#include <stdio.h>

struct explain_view {
    struct explain ex;
    struct model *model; /* outlines of all built-in ones (model_index.h), owned */
    size_t n_model;
    const struct model
        *chosen;          /* that of --model or of this CPU: its formulas are shown; or NULL */
    struct model chosen_; /* what chosen points to */
    bool wanted;          /* --model, --cpuid: its names and notes alone */
    const struct explain_choices *also; /* other names that what was typed is a part of; or NULL */
};

enum { EXPLAIN_NAME_W = 44 }; /* columns of names in lists */

/* The metric of the chosen model that an entry explains, or METRIC_NONE. */
int explain_view_metric(const struct explain_view *v, const struct explain_entry *e);
/* True if the model has a metric or group of this name. */
bool explain_view_has(const struct model *m, const char *name);
/* False for names that the wanted model does not have. */
bool explain_view_wants(const struct explain_view *v, const char *name);

struct args; /* cli/cli.h */

/* What is said where a name (the word of a) is none, or several: in words on standard error, with
 * --json as data on standard output, too. Both return an exit code. */
int explain_say_none(const struct args *a, const struct explain_view *v);
int explain_say_several(const struct args *a, const struct explain_choices *c);

/* One entry for people: wrapped to `width` columns. */
void explain_print(const struct explain_view *v, const struct explain_entry *e, int width,
                   FILE *out);
/* What the chosen model counts for it; nothing where it does not have it. */
void explain_formula(const struct explain_view *v, const struct explain_entry *e, int width,
                     FILE *out);
/* As data; the caller owns it. */
json_t *explain_json(const struct explain_view *v, const struct explain_entry *e);
/* An entry, and all of them with a table of contents. */
void explain_markdown(const struct explain_view *v, const struct explain_entry *e, FILE *out);
void explain_markdown_all(const struct explain_view *v, FILE *out);

#endif
