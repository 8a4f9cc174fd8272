/*
 * What the files of the TOML reader share. Private to src/base/toml*.c.
 *
 * The parser walks the text once with a pointer. Lines and columns are not kept on the way: they
 * are counted from the last place that was asked for, which is always a little behind.
 */
#ifndef TDTOP_BASE_TOML_IMPL_H
#define TDTOP_BASE_TOML_IMPL_H

#include "base/toml.h"

#include <locale.h>

enum { TOML_DEPTH_MAX = 64 }; /* of nested arrays and inline tables; of the parts of one key */

/* struct toml.state_: who made a table or array, which decides what may still be added to it. */
enum toml_state {
    TABLE_IMPLICIT, /* by [a.b] for a: may be defined once, by [a] or by dotted keys */
    TABLE_DOTTED,   /* by a.b = 1 for a: more dotted keys and sub-tables, but no [a] */
    TABLE_DEFINED,  /* by [a], an element of [[a]], the root: sub-tables only */
    TABLE_INLINE,   /* closed */
    ARRAY_STATIC,   /* closed */
    ARRAY_TABLES,   /* by [[a]] */
};

struct toml_parser {
    const char *text, *end;
    const char *p; /* the next byte */
    struct toml_doc *doc;
    struct err *err;
    int depth;
    locale_t c_locale; /* strtod with a point, whatever the user's locale */
    const char *mark;  /* text before it is counted in: */
    int mark_line, mark_col;
};

/* Next byte, or -1 at the end. */
static inline int toml_peek(const struct toml_parser *ps) {
    return ps->p < ps->end ? (unsigned char)*ps->p : -1;
}

/* toml.c */
void *toml_alloc(struct toml_parser *ps, size_t size); /* zeroed; NULL: err is set to -ENOMEM */
char *toml_alloc_text(struct toml_parser *ps, const char *text, size_t len);
void toml_place(struct toml_parser *ps, const char *at, int *line, int *col);
int toml_append(struct toml_parser *ps, struct toml *to, struct toml *value);

/* "FILE:LINE:COL: " and the words. Returns -EINVAL. */
int toml_fail(struct toml_parser *ps, const char *at, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* The same with "found <what stands at `at`>; expected ...". */
int toml_fail_expected(struct toml_parser *ps, const char *at, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* toml_parse.c */
int toml_parse_document(struct toml_parser *ps);

/* toml_string.c: ps->p stands on the opening quote. */
int toml_string(struct toml_parser *ps, bool multiline_too, const char **out, size_t *len);

/* toml_number.c: ps->p stands on a digit, a sign, 'i' or 'n'. */
int toml_number_or_date(struct toml_parser *ps, struct toml *out);
/* toml_date.c */
bool toml_is_date(const struct toml_parser *ps);
int toml_date(struct toml_parser *ps, struct toml *out);

#endif
