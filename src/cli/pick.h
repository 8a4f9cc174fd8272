/*
 * Which model is meant: by its name, by the id of a CPU, or by what a recording says of itself. An
 * id is spelt as in perf's mapfile: the family decimal, model and stepping hexadecimal. For a CPU
 * without a model of its own it is the common events of its architecture, else the generic model.
 */
#ifndef TDTOP_CLI_PICK_H
#define TDTOP_CLI_PICK_H

#include "base/str.h"
#include "cli/cli.h"

struct pick {
    char name[4096]; /* for model_open; "" if nothing was said */
    char id[64];     /* the CPU's id, "" if the model was named */
    char words[160]; /* how the id was understood: "family 25, model 0x33"; "" for others */
    bool lower;      /* there is no model for this CPU: the name is that of a fallback */
};

/*
 * From --cpuid or --model, which may be a CPU's id as well. 0 (also if neither was given);
 * -EINVAL with words if --cpuid is no id, or if the id or --cputype leaves open which one it is.
 */
int pick_named(struct pick *p, const struct args *a, struct err *err);

/* From the header of a recording; p->id is "" if it has none. 0 or -EINVAL as above. */
int pick_recorded(struct pick *p, const struct args *a, const char *path, struct err *err);

/* --cputype beside a model that was named: it must be that model's. 0 or -EINVAL with words. */
int pick_check_kind(const struct args *a, const struct model *m, struct err *err);

/* Appends `before` and the id, as "; for AuthenticAMD-25-33 (family 25, model 0x33)"; nothing if
 * the model was named. */
void pick_say(struct strbuf *sb, const struct pick *p, const char *before);

/* Several kinds of core with this id, and no --cputype that names one. */
bool pick_is_hybrid(const struct pick *p, const struct args *a);

/*
 * Sets *wanted to what --nodes makes of the level, [n_metric], to be freed; to NULL without
 * --nodes: then the level alone decides. 0, -ENOMEM, or -EINVAL with words that name the item.
 */
int nodes_wanted(const struct args *a, const struct model *m, bool **wanted, struct err *err);

#endif
