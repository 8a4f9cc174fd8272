/*
 * A strict TOML 1.0.0 reader (https://toml.io/en/v1.0.0).
 *
 * The whole document is checked: a text that is not TOML 1.0 is refused with
 * "FILE:LINE:COLUMN: what was found, what was expected". Nothing is guessed.
 * Order of keys is kept, because the order of a model file is the order on screen.
 *
 * Where the standard leaves a choice: a byte order mark at the begin is skipped, CRLF
 * inside a multi-line string becomes LF, digits of a second beyond the ninth are dropped, a second
 * may be 60 (leap second). Arrays and inline tables nest at most 64 deep.
 */
#ifndef TDTOP_BASE_TOML_H
#define TDTOP_BASE_TOML_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum toml_type {
    TOML_TABLE,
    TOML_ARRAY,
    TOML_STRING,
    TOML_INTEGER,
    TOML_FLOAT,
    TOML_BOOLEAN,
    TOML_OFFSET_DATETIME,
    TOML_LOCAL_DATETIME,
    TOML_LOCAL_DATE,
    TOML_LOCAL_TIME,
};

struct toml_datetime {
    int year, month, day, hour, minute, second; /* -1 where the type has none */
    int nanosecond;
    int offset_min; /* minutes east of UTC; only for TOML_OFFSET_DATETIME */
};

/* A value. All memory belongs to the document; valid until toml_free. */
struct toml {
    enum toml_type type;
    const char *key; /* in a table: its key, unescaped UTF-8; else NULL */
    int line,
        col; /* of the key in a table, of the value in an array; from 1, column in characters */
    struct toml *next; /* next in the same table or array, in file order */
    union {
        struct { /* TOML_TABLE, TOML_ARRAY */
            struct toml *first;
            struct toml *last_; /* private */
            void *index_;       /* private: hash of the keys of a larger table */
        };
        const char *string; /* UTF-8, NUL terminated (a NUL inside is refused) */
        int64_t integer;
        double real;
        bool boolean;
        struct toml_datetime datetime;
    };
    size_t n;             /* elements of a table or array; bytes of a string */
    unsigned char state_; /* private to the parser */
};

struct toml_doc {
    struct toml *root; /* TOML_TABLE */
    const char *name;  /* as in errors; a copy */
    int header_line;   /* of the first [table] or [[table]], behind the keys of the root; 0: none */
    void *arena_;      /* private */
};

/*
 * Parses len bytes. `name` is how errors call the file. On success doc must be freed with
 * toml_free; on failure nothing is left to free (but toml_free may be called). Returns 0, -EINVAL
 * (not TOML; err has file:line:column) or -ENOMEM; toml_parse_file also what reading the file
 * returned (-ENOENT, -EACCES ...).
 */
int toml_parse(struct toml_doc *doc, const char *text, size_t len, const char *name,
               struct err *err);
int toml_parse_file(struct toml_doc *doc, const char *path, struct err *err);
void toml_free(struct toml_doc *doc);

/* The value of a key of a table, or NULL. */
const struct toml *toml_get(const struct toml *table, const char *key);

/* "string", "integer" ... for messages. */
const char *toml_type_name(enum toml_type type);

/* The strings of an array, NULL behind the last: *out is the caller's to free, the texts are the
 * document's. 0, -ENOMEM, or -EINVAL with file:line:column: not an array, or not of strings; *out
 * may be set even then. */
int toml_strings(const struct toml_doc *doc, const struct toml *value, const char ***out,
                 struct err *err);
/* err_set with "FILE:LINE:COL: " of a value in front. Returns code. */
int toml_err(const struct toml_doc *doc, const struct toml *at, struct err *err, int code,
             const char *fmt, ...) __attribute__((format(printf, 5, 6)));

/*
 * Typed access: when the key is absent *out is left alone and 0 is returned; a wrong type is
 * -EINVAL with file:line:column and both type names. Integers are accepted where a real is wanted.
 */
int toml_take_string(const struct toml_doc *doc, const struct toml *table, const char *key,
                     const char **out, struct err *err);
int toml_take_int(const struct toml_doc *doc, const struct toml *table, const char *key,
                  int64_t min, int64_t max, int64_t *out, struct err *err);

/* Has the table other keys than these? known: n structs of `size` bytes that begin with a key. 0 or
 * -EINVAL: "found 'x'; expected ...". */
int toml_check_keys(const struct toml_doc *doc, const struct toml *table, const void *known,
                    size_t n, size_t size, const char *expected, struct err *err);
/* Are all values of the table strings? 0 or -EINVAL. */
int toml_check_strings(const struct toml_doc *doc, const struct toml *table, struct err *err);

#endif
