/*
 * JSON leaves the program here. Most calls of jansson that make an object fail for want of memory
 * alone, and what was to be in it is then missing without a sign. So its memory is watched, and
 * nothing is printed of what may lack something (cli_lacks).
 */
#ifndef TDTOP_CLI_JSON_OUT_H
#define TDTOP_CLI_JSON_OUT_H

#include <jansson.h>
#include <stdio.h>

/* To be called before anything else of jansson. */
void json_watch(void);

/* Writes o, which it takes over, and a newline: the whole or nothing. 0, or -ENOMEM, which
 * cli_finish tells of; an error of writing is left in `out`. */
int json_print(json_t *o, FILE *out, size_t flags);

#endif
