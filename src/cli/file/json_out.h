/*
 * Prints JSON. Most calls of jansson that make an object fail only if memory is short, and the
 * object then lacks a member without a sign. So its allocations are watched, and an object that may
 * be incomplete is not printed (cli_lacks).
 */
#ifndef TDTOP_CLI_JSON_OUT_H
#define TDTOP_CLI_JSON_OUT_H

#include <jansson.h>

/* To be called before anything else of jansson. */
void json_watch(void);

/* Writes o, which it takes over, and a newline to stdout: the whole or nothing. flags: those of
 * json_dumps. EXIT_OK, or EXIT_ERROR: out of memory, which cli_finish reports. An error of writing
 * is left in stdout. */
int json_print(json_t *o, size_t flags);

json_t *json_number(double v); /* null for what is not finite */

/* Sets a member, and takes v over. */
static inline void json_set(json_t *o, const char *key, json_t *v) {
    json_object_set_new(o, key, v);
}

#endif
