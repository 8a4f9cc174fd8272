/*
 * Members of a JSON object, read strictly: the first thing that is wrong is kept with its place,
 * and what follows reads as nothing. Private to run_import.c and run_import_counts.c.
 */
#ifndef TDTOP_CLI_RUN_READ_H
#define TDTOP_CLI_RUN_READ_H

#include "base/err.h"
#include "model/run/run.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

struct reader {
    const char *path;
    char at[64]; /* "nodes[3]." */
    struct err *err;
    int rc;
};

/* key: what is wrong; wanted: what should be there. */
void run_read_wrong(struct reader *rd, const char *key, const char *wanted);
void run_read_no_memory(struct reader *rd);

/* malloc'ed. A text has no control characters but newline and tab; raw is the text of a model,
 * which is checked where it is loaded. */
char *run_read_text(struct reader *rd, const json_t *o, const char *key);
char *run_read_raw(struct reader *rd, const json_t *o, const char *key);
/* The text itself, as long as the object lives; never NULL. */
const char *run_read_peek(struct reader *rd, const json_t *o, const char *key);
int64_t run_read_int(struct reader *rd, const json_t *o, const char *key, int64_t min, int64_t max);
/* Times whose sums and differences 64 bits hold: 146 years. */
#define RUN_READ_NS_MAX ((int64_t)1 << 62)
uint64_t run_read_ns(struct reader *rd, const json_t *o, const char *key);
bool run_read_bool(struct reader *rd, const json_t *o, const char *key);
double run_read_real(struct reader *rd, const json_t *o, const char *key); /* null: NAN */
/* An array, or NULL if there is none; never longer than max. */
const json_t *run_read_list(struct reader *rd, const json_t *o, const char *key, size_t max);
/* The i-th object of a list; what is wrong in it is said with its place. NULL: the end, or a
 * mistake before. */
const json_t *run_read_item(struct reader *rd, const json_t *list, const char *key, size_t i);

/* run_import_counts.c: events, slots and intervals. */
void run_read_counts(struct reader *rd, const json_t *o, struct run *r);

#endif
