/*
 * TOML documents: keys, tables, arrays, and the rules about what may be defined twice (never) and
 * what may still be added to (toml_impl.h, enum toml_state).
 */
#include "base/toml_impl.h"

#include "base/str.h"

#include <errno.h>
#include <string.h>

struct part {
    const char *name;
    const char *at; /* in the text */
};

struct key {
    struct part part[TOML_DEPTH_MAX];
    int n;
};

/* ---- blanks ---- */

static void skip_blanks(struct toml_parser *ps) {
    while (ps->p < ps->end && (*ps->p == ' ' || *ps->p == '\t'))
        ps->p++;
}

static void skip_comment(struct toml_parser *ps) {
    if (toml_peek(ps) != '#')
        return;
    const char *newline = memchr(ps->p, '\n', (size_t)(ps->end - ps->p));
    ps->p = newline ? newline : ps->end;
}

/* Blanks, comments and line ends, as between the elements of an array. CR stands only before LF. */
static void skip_lines(struct toml_parser *ps) {
    for (;;) {
        skip_blanks(ps);
        skip_comment(ps);
        const int c = toml_peek(ps);
        if (c != '\n' && c != '\r')
            return;
        ps->p++;
    }
}

static int expect_line_end(struct toml_parser *ps) {
    skip_blanks(ps);
    skip_comment(ps);
    const int c = toml_peek(ps);
    if (c >= 0 && c != '\n' && c != '\r')
        return toml_fail_expected(ps, ps->p, "the end of the line");
    return 0;
}

/* ---- keys ---- */

static bool is_bare(int c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-';
}

static int parse_part(struct toml_parser *ps, struct part *part) {
    part->at = ps->p;
    const int c = toml_peek(ps);
    if (c == '"' || c == '\'') {
        size_t len;
        return toml_string(ps, false, &part->name, &len);
    }
    while (is_bare(toml_peek(ps)))
        ps->p++;
    if (ps->p == part->at)
        return toml_fail_expected(ps, ps->p, "a key (letters, digits, _ and -, or in quotes)");
    part->name = toml_alloc_text(ps, part->at, (size_t)(ps->p - part->at));
    return part->name ? 0 : -ENOMEM;
}

/* a . "b" . c; leaves ps->p behind the blanks that follow. */
static int parse_key(struct toml_parser *ps, struct key *key) {
    for (key->n = 0;; ps->p++) {
        skip_blanks(ps);
        if (key->n == TOML_DEPTH_MAX)
            return toml_fail(ps, ps->p, "found a key of more than %d parts; expected at most %d",
                             TOML_DEPTH_MAX, TOML_DEPTH_MAX);
        const int rc = parse_part(ps, &key->part[key->n]);
        if (rc < 0)
            return rc;
        key->n++;
        skip_blanks(ps);
        if (toml_peek(ps) != '.')
            return 0;
    }
}

/* ---- tables ---- */

static struct toml *find(const struct toml *table, const char *key) {
    union { /* the parser owns the document that toml_get shows as const */
        const struct toml *seen;
        struct toml *owned;
    } t = {.seen = toml_get(table, key)};
    return t.owned;
}

static struct toml *add(struct toml_parser *ps, struct toml *to, const struct part *part,
                        enum toml_type type, enum toml_state state) {
    struct toml *t = toml_alloc(ps, sizeof(*t));
    if (!t)
        return NULL;
    t->type = type;
    t->key = part->name;
    t->state_ = (unsigned char)state;
    toml_place(ps, part->at, &t->line, &t->col);
    return toml_append(ps, to, t) < 0 ? NULL : t;
}

static int fail_taken(struct toml_parser *ps, const struct part *part, const struct toml *taken,
                      const char *expected) {
    static const char *const made[] = {
        [TABLE_IMPLICIT] = "table",         [TABLE_DOTTED] = "table of dotted keys",
        [TABLE_DEFINED] = "table",          [TABLE_INLINE] = "inline table",
        [ARRAY_STATIC] = "array of values", [ARRAY_TABLES] = "array of tables",
    };
    char name[64];
    const bool holds = taken->type == TOML_TABLE || taken->type == TOML_ARRAY;
    const char *kind = holds ? made[taken->state_] : toml_type_name(taken->type);
    return toml_fail(ps, part->at, "found '%s', which is %s %s since line %d; expected %s",
                     str_safe(name, sizeof(name), part->name), strchr("aeiou", *kind) ? "an" : "a",
                     kind, taken->line, expected);
}

/* One step of [a.b.c] before its last part: any table, or the newest table of an array. */
static int header_step(struct toml_parser *ps, struct toml **table, const struct part *part) {
    struct toml *t = find(*table, part->name);
    if (!t)
        t = add(ps, *table, part, TOML_TABLE, TABLE_IMPLICIT);
    if (!t)
        return -ENOMEM;
    if (t->type == TOML_ARRAY && t->state_ == ARRAY_TABLES)
        t = t->last_;
    if (t->type != TOML_TABLE || t->state_ == TABLE_INLINE)
        return fail_taken(ps, part, t, "a name that is free or a table that can be added to");
    *table = t;
    return 0;
}

/* One step of a.b.c = 1 before its last part: only tables that dotted keys may add to. */
static int dotted_step(struct toml_parser *ps, struct toml **table, const struct part *part) {
    struct toml *t = find(*table, part->name);
    if (!t)
        t = add(ps, *table, part, TOML_TABLE, TABLE_DOTTED);
    if (!t)
        return -ENOMEM;
    if (t->type != TOML_TABLE || (t->state_ != TABLE_IMPLICIT && t->state_ != TABLE_DOTTED))
        return fail_taken(ps, part, t, "a name that is free or made by dotted keys right here");
    t->state_ = TABLE_DOTTED;
    *table = t;
    return 0;
}

/* [a]: makes it, or defines it if it was only implied so far. */
static int define_table(struct toml_parser *ps, struct toml **table, const struct part *part) {
    struct toml *t = find(*table, part->name);
    if (!t) {
        *table = add(ps, *table, part, TOML_TABLE, TABLE_DEFINED);
        return *table ? 0 : -ENOMEM;
    }
    if (t->type != TOML_TABLE || t->state_ != TABLE_IMPLICIT)
        return fail_taken(ps, part, t, "each table to be defined once");
    t->state_ = TABLE_DEFINED;
    toml_place(ps, part->at, &t->line, &t->col);
    *table = t;
    return 0;
}

/* [[a]]: appends a table to the array, which it makes at first. */
static int define_element(struct toml_parser *ps, struct toml **table, const struct part *part) {
    struct toml *array = find(*table, part->name);
    if (!array)
        array = add(ps, *table, part, TOML_ARRAY, ARRAY_TABLES);
    if (!array)
        return -ENOMEM;
    if (array->type != TOML_ARRAY || array->state_ != ARRAY_TABLES)
        return fail_taken(ps, part, array, "a name that is free or an array of tables");
    const struct part element = {.at = part->at};
    *table = add(ps, array, &element, TOML_TABLE, TABLE_DEFINED);
    return *table ? 0 : -ENOMEM;
}

static int parse_header(struct toml_parser *ps, struct toml **current) {
    int col;
    if (!ps->doc->header_line)
        toml_place(ps, ps->p, &ps->doc->header_line, &col);
    ps->p++;
    const bool element = toml_peek(ps) == '[';
    ps->p += element;
    struct key key;
    int rc = parse_key(ps, &key);
    if (rc < 0)
        return rc;
    for (int close = 0; close <= element; close++, ps->p++)
        if (toml_peek(ps) != ']')
            return toml_fail_expected(ps, ps->p, "%s after the name of the table",
                                      element ? "]]" : "]");
    *current = ps->doc->root;
    for (int i = 0; i + 1 < key.n; i++) {
        rc = header_step(ps, current, &key.part[i]);
        if (rc < 0)
            return rc;
    }
    rc = (element ? define_element : define_table)(ps, current, &key.part[key.n - 1]);
    return rc < 0 ? rc : expect_line_end(ps);
}

/* ---- values ---- */

static int parse_value(struct toml_parser *ps, struct toml *out);

static int parse_key_value(struct toml_parser *ps, struct toml *table) {
    struct key key;
    int rc = parse_key(ps, &key);
    if (rc < 0)
        return rc;
    if (toml_peek(ps) != '=')
        return toml_fail_expected(ps, ps->p, "= after the key");
    ps->p++;
    for (int i = 0; i + 1 < key.n; i++) {
        rc = dotted_step(ps, &table, &key.part[i]);
        if (rc < 0)
            return rc;
    }
    const struct part *last = &key.part[key.n - 1];
    const struct toml *taken = find(table, last->name);
    if (taken)
        return fail_taken(ps, last, taken, "each key once");
    struct toml *value = add(ps, table, last, TOML_TABLE, TABLE_INLINE);
    if (!value)
        return -ENOMEM;
    skip_blanks(ps);
    return parse_value(ps, value);
}

static int parse_array(struct toml_parser *ps, struct toml *out) {
    out->type = TOML_ARRAY;
    out->state_ = ARRAY_STATIC;
    ps->p++;
    for (;;) {
        skip_lines(ps);
        if (toml_peek(ps) == ']')
            break;
        const struct part element = {.at = ps->p};
        struct toml *value = add(ps, out, &element, TOML_TABLE, TABLE_INLINE);
        if (!value)
            return -ENOMEM;
        const int rc = parse_value(ps, value);
        if (rc < 0)
            return rc;
        skip_lines(ps);
        if (toml_peek(ps) == ']')
            break;
        if (toml_peek(ps) != ',')
            return toml_fail_expected(ps, ps->p, "',' or ']' in the array");
        ps->p++;
    }
    ps->p++;
    return 0;
}

/* On one line, without a comma before the brace. */
static int parse_inline_table(struct toml_parser *ps, struct toml *out) {
    out->type = TOML_TABLE;
    ps->p++;
    skip_blanks(ps);
    for (bool first = true; toml_peek(ps) != '}' || !first; first = false) {
        const int rc = parse_key_value(ps, out);
        if (rc < 0)
            return rc;
        skip_blanks(ps);
        if (toml_peek(ps) == '}')
            break;
        if (toml_peek(ps) != ',')
            return toml_fail_expected(ps, ps->p, "',' or '}' in the inline table");
        ps->p++;
    }
    ps->p++;
    out->state_ = TABLE_INLINE;
    return 0;
}

static int parse_nested(struct toml_parser *ps, struct toml *out) {
    if (ps->depth == TOML_DEPTH_MAX)
        return toml_fail(ps, ps->p, "found more than %d nested arrays and tables; expected fewer",
                         TOML_DEPTH_MAX);
    ps->depth++;
    const int rc = *ps->p == '[' ? parse_array(ps, out) : parse_inline_table(ps, out);
    ps->depth--;
    return rc;
}

static int parse_boolean(struct toml_parser *ps, struct toml *out) {
    const char *word = *ps->p == 't' ? "true" : "false";
    const char *p = ps->p;
    while (*word && p < ps->end && *p == *word)
        p++, word++;
    if (*word || (p < ps->end && is_bare((unsigned char)*p)))
        return toml_fail_expected(ps, ps->p, "a value (true, false; strings stand in quotes)");
    out->type = TOML_BOOLEAN;
    out->boolean = *ps->p == 't';
    ps->p = p;
    return 0;
}

static int parse_string(struct toml_parser *ps, struct toml *out) {
    out->type = TOML_STRING;
    return toml_string(ps, true, &out->string, &out->n);
}

static int parse_value(struct toml_parser *ps, struct toml *out) {
    static const struct {
        const char *first;
        int (*parse)(struct toml_parser *ps, struct toml *out);
    } forms[] = {
        {"\"'", parse_string},
        {"0123456789+-in", toml_number_or_date},
        {"tf", parse_boolean},
        {"[{", parse_nested},
    };
    const int c = toml_peek(ps);
    for (size_t i = 0; c > 0 && i < sizeof(forms) / sizeof(forms[0]); i++)
        if (strchr(forms[i].first, c))
            return forms[i].parse(ps, out);
    return toml_fail_expected(ps, ps->p, "a value (strings stand in quotes)");
}

/* ---- the whole text ---- */

/* Moves *p past one character that is not plain ASCII, if it may stand in a document. */
static int check_character(struct toml_parser *ps, const char **p) {
    const unsigned char c = (unsigned char)**p;
    if (c == '\r' && *p + 1 < ps->end && (*p)[1] == '\n') {
        *p += 2;
        return 0;
    }
    if (c == '\r')
        return toml_fail(ps, *p, "found a lone carriage return; expected LF or CRLF");
    if (c < 0x80)
        return toml_fail(
            ps, *p, "found the control character U+%04X; expected \\u%04X, in double quotes", c, c);
    char four[5] = {0};
    for (size_t i = 0; i < 4 && *p + i < ps->end; i++)
        four[i] = (*p)[i];
    size_t used;
    const uint32_t cp = str_decode(four, &used);
    if (cp == 0xFFFD && used == 1)
        return toml_fail(ps, *p, "found the byte 0x%02X; expected UTF-8", c);
    *p += used;
    return 0;
}

/* UTF-8, and no control character but tab and line ends: nowhere in a document. */
static int check_characters(struct toml_parser *ps) {
    for (const char *p = ps->text; p < ps->end;) {
        const unsigned char c = (unsigned char)*p;
        if ((c >= 0x20 && c < 0x7F) || c == '\n' || c == '\t') {
            p++;
            continue;
        }
        const int rc = check_character(ps, &p);
        if (rc < 0)
            return rc;
    }
    return 0;
}

int toml_parse_document(struct toml_parser *ps) {
    int rc = check_characters(ps);
    if (rc < 0)
        return rc;
    struct toml *root = toml_alloc(ps, sizeof(*root));
    if (!root)
        return -ENOMEM;
    *root = (struct toml){.type = TOML_TABLE, .line = 1, .col = 1, .state_ = TABLE_DEFINED};
    ps->doc->root = root;
    struct toml *current = root;
    for (;;) {
        skip_lines(ps);
        const int c = toml_peek(ps);
        if (c < 0)
            return 0;
        if (c == '[') {
            rc = parse_header(ps, &current);
        } else {
            rc = parse_key_value(ps, current);
            if (rc == 0)
                rc = expect_line_end(ps);
        }
        if (rc < 0)
            return rc;
    }
}
