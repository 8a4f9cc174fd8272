/* Which model is meant: by its name, by the id of a CPU, or by what a recording says of itself. */
#ifndef TDTOP_CLI_PICK_H
#define TDTOP_CLI_PICK_H

#include "cli/cli.h"

struct pick {
    char name[4096]; /* for model_open; "" if nothing was said */
    char id[64];     /* the CPU's id, "" if the model was named */
};

/*
 * From --cpuid or --model, whose value may be a CPU's id as well. 0 (also if neither was given);
 * -ENOENT with words if there is no model for that id, -EINVAL if --cpuid is no id.
 */
int pick_named(struct pick *p, const struct args *a, struct err *err);

/* From the header of a recording. False if it has none, or there is no model for its CPU: then
 * p->id is set and p->name is not. */
bool pick_recorded(struct pick *p, const struct args *a, const char *path);

#endif
