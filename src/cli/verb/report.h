/* A run as a report that a colleague can read: Markdown. Nothing in it that was not measured. */
#ifndef TDTOP_CLI_REPORT_H
#define TDTOP_CLI_REPORT_H

#include "model/run/run.h"

#include <stdio.h>

/*
 * Environment, level 1 against its thresholds, the bottleneck and what the knowledge base says of
 * it, vital signs, what is not known and why, and how to find out whether a change helped. 0,
 * -ENOMEM, or -EINVAL with words if the model that was kept cannot be read.
 */
int report_markdown(const struct run *r, FILE *out, struct err *err);

/* A text in Markdown that stays text, in a table too. */
void report_text(FILE *out, const char *text);

#endif
