/*
 * JSON written piece by piece into a text that grows, for rows that are printed at every interval:
 * no tree is made of them, and once the text is as long as a row is, nothing is allocated.
 *
 *   json_put_begin(w, NULL, '{');
 *   json_put_number(w, "t", 0.5);
 *   json_put_end(w, '}');            {"t":0.5}
 *
 * Commas come by themselves. Numbers are the shortest text that reads back as the same double
 * (str_number). What is no UTF-8 becomes U+FFFD, a character for each byte, because JSON has no
 * other way to hold it.
 */
#ifndef TDTOP_BASE_JSON_PUT_H
#define TDTOP_BASE_JSON_PUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct json_put {
    char *text; /* owned; not terminated */
    size_t n, cap;
    bool follows; /* private: a comma is due before the next value or key */
    bool lacks;   /* there was no memory for all of it */
};

/* Each takes the key that the value has in an object, or NULL in a list and outside. */
void json_put_begin(struct json_put *w, const char *key, char bracket); /* '{' or '[' */
void json_put_end(struct json_put *w, char bracket);                    /* '}' or ']' */
void json_put_text(struct json_put *w, const char *key, const char *text);
/* null if it is not finite */
void json_put_number(struct json_put *w, const char *key, double v);
void json_put_integer(struct json_put *w, const char *key, int64_t v);
void json_put_bool(struct json_put *w, const char *key, bool v);
void json_put_null(struct json_put *w, const char *key);

/* Writes the text and a newline to out, and empties it: the whole or nothing. 0 or -ENOMEM; an
 * error of writing is left in `out`. */
int json_put_line(struct json_put *w, FILE *out);

void json_put_free(struct json_put *w);

#endif
