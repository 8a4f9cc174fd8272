/* Bounded text: formatting that cannot overflow, lists, durations, names from outside. */
#ifndef TDTOP_BASE_STR_H
#define TDTOP_BASE_STR_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A text of fixed capacity that is appended to and cut, never overflown. */
struct strbuf {
    char *at; /* borrowed; always NUL terminated when cap > 0 */
    size_t n, cap;
};

struct strbuf strbuf_on(char *buf, size_t cap);
void strbuf_add(struct strbuf *sb, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* strlcpy: copies and cuts; dst is always terminated. Returns dst. */
char *str_copy(char *dst, size_t cap, const char *src);

/* Copies text with `with` in place of each word that is `word`; what finds no room is cut. Returns
 * dst. */
char *str_put_word(char *dst, size_t cap, const char *text, const char *word, const char *with);

bool str_starts(const char *s, const char *prefix);
bool str_ends(const char *s, const char *suffix);

/* What follows the last '/', where something does; else the whole path. */
const char *str_base_name(const char *path);

/* True if the names are equal ignoring ASCII case and taking '-' for '_'. */
bool str_same_name(const char *a, const char *b);
/* The order of such names, for qsort and bsearch: 0 if they are the same. */
int str_order_names(const char *a, const char *b);

/* Parses "250ms", "1s", "5m", "2h", "1.5s", "90d", "2w"; a day has 24 hours. A bare number is in
 * bare_unit_ns; 0: it is refused. 0, or with words -EINVAL, or -ERANGE: too long. */
int str_duration(const char *s, uint64_t bare_unit_ns, uint64_t *ns, struct err *err);

/* "1s", "250ms", "33300us": what str_duration reads as exactly this. Returns buf. */
const char *str_duration_text(char *buf, size_t cap, uint64_t ns);

/*
 * Parses "0-3,8" into at most cap ascending unique numbers. Returns how many there are,
 * or -EINVAL / -ERANGE with words.
 */
int str_list(const char *s, int *out, int cap, struct err *err);

/* Adds such a list of ascending numbers, or of the bits of a mask. */
void strbuf_add_list(struct strbuf *sb, const int *number, int n);
void strbuf_add_mask(struct strbuf *sb, uint64_t mask);

/*
 * Copies text from outside (process names, file contents) so that it is safe in a cell:
 * invalid UTF-8 and control characters become '?'. Returns dst.
 */
char *str_safe(char *dst, size_t cap, const char *src);

/* A character that could command the terminal, or make text look like another: C0 (newline and tab
 * too), DEL, C1, line and paragraph separators, marks that reorder a line. */
bool str_cp_unsafe(uint32_t cp);

/* The first control character (C0, DEL, C1) of the text that is none of keep ("\n\t"), or NULL. */
const char *str_find_unsafe(const char *text, const char *keep);
/* How many of n bytes, from the first on, are printable ASCII (' ' to '~'). */
size_t str_printable(const char *text, size_t n);
/* Makes text from outside harmless where it stands: control characters become '?', but for those of
 * keep ("\n\t"). What is no UTF-8 stays, and so do marks of direction, which are text to their
 * readers. Returns the length, which is no larger than before. */
size_t str_clean(char *text, const char *keep);

/* Columns the UTF-8 text takes on a terminal (wide characters 2, combining 0). Locale independent.
 */
int str_width(const char *s);

/* Columns of one code point: 0, 1 or 2. */
int str_cp_width(uint32_t cp);

/* A quick first question: ASCII, lines, blocks and braille, which nearly all that is drawn is made
 * of, take one column each and are safe. So are others. */
static inline bool str_cp_plain(uint32_t cp) {
    return (cp >= 0x20 && cp < 0x7F) || (cp >= 0x2500 && cp < 0x25FD) ||
           (cp >= 0x2800 && cp < 0x2900);
}

/* A letter with a combining mark as one code point, 0 where there is none; and a letter without
 * its marks. Latin, Greek and Cyrillic. */
uint32_t str_compose(uint32_t base, uint32_t mark);
uint32_t str_base_letter(uint32_t cp);

/* Bytes of a UTF-8 byte order mark at the begin: 3 or 0. */
size_t str_bom(const char *text, size_t len);

/* Decodes one code point; *used gets its length in bytes (1 and U+FFFD for a broken sequence). */
uint32_t str_decode(const char *s, size_t *used);

/* Writes cp as UTF-8 into out (at most 4 bytes, not terminated). Returns the length. */
size_t str_encode(uint32_t cp, char out[4]);

/* v as the shortest decimal that reads back as the same double: "0.1", "48.25", "1e-09", "nan". buf
 * has room for STR_NUMBER bytes, else it gets "". Returns buf. */
enum { STR_NUMBER = 32 };
char *str_number(char *buf, size_t cap, double v);

/* v with 0 to 4 decimals, as printf("%.*f") writes it, without its cost. Returns buf. */
char *str_fixed(char *buf, size_t cap, double v, int decimals);

/* "1.23G", "45.6k", "0.7": at most 6 columns; NAN gives "n/a". Returns buf. */
char *str_si(char *buf, size_t cap, double v);

/* Opens a file that a user named, to read it. Never waits: a pipe or a socket is refused, but for
 * /dev/fd/N, /proc/self/fd/N and /dev/stdin, where a shell has put one. The descriptor, or negative
 * errno with words. */
int str_open_file(const char *path, struct err *err);

/* Reads a whole file (at most max bytes; str_open_file) into a malloc'ed, NUL terminated text. 0 or
 * negative errno with words. */
int str_read_file(const char *path, size_t max, char **text, size_t *len, struct err *err);

/* Reads a small /proc or /sys file, cuts the trailing newline. Returns length or a negative errno.
 */
int str_read_small(const char *path, char *buf, size_t cap);

/* Levenshtein distance, for "did you mean"; stops counting at 8. */
int str_distance(const char *a, const char *b);

/* Of the names that are offered one by one, the one that is spelt most like `to`:
 *   struct str_nearest near = {.to = typed, .below = 4};
 *   for (...) str_nearest(&near, name[i]); */
struct str_nearest {
    const char *to;
    int below;        /* the distance that a name has to have less of */
    const char *best; /* borrowed; NULL: none is near */
};
void str_nearest(struct str_nearest *n, const char *name);

#endif
