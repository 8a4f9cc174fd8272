#include "cli/file/run_read.h"

#include "base/str.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void run_read_wrong(struct reader *rd, const char *key, const char *wanted) {
    if (rd->rc < 0)
        return;
    rd->rc =
        err_set(rd->err, -EINVAL, "%s: %s%s: %s; export the run again, the file was changed or cut",
                rd->path, rd->at, key, wanted);
}

void run_read_no_memory(struct reader *rd) {
    if (rd->rc == 0)
        rd->rc = err_set(rd->err, -ENOMEM, "%s: out of memory", rd->path);
}

/* No file of ours has any but newline and tab. */
static void check_text(struct reader *rd, const char *key, const char *s) {
    char words[96];
    size_t used;
    const char *bad = str_find_unsafe(s, "\n\t");
    if (!bad)
        return;
    snprintf(words, sizeof(words), "it holds the control character U+%04X",
             (unsigned)str_decode(bad, &used));
    run_read_wrong(rd, key, words);
}

char *run_read_raw(struct reader *rd, const json_t *o, const char *key) {
    const char *s = json_string_value(json_object_get(o, key));
    if (!s)
        run_read_wrong(rd, key, "a text is wanted");
    char *copy = strdup(s ? s : "");
    if (!copy)
        run_read_no_memory(rd);
    return copy;
}

char *run_read_text(struct reader *rd, const json_t *o, const char *key) {
    char *s = run_read_raw(rd, o, key);
    if (s)
        check_text(rd, key, s);
    return s;
}

const char *run_read_peek(struct reader *rd, const json_t *o, const char *key) {
    const char *s = json_string_value(json_object_get(o, key));
    if (!s)
        run_read_wrong(rd, key, "a text is wanted");
    else
        check_text(rd, key, s);
    return s ? s : "";
}

int64_t run_read_int(struct reader *rd, const json_t *o, const char *key, int64_t min,
                     int64_t max) {
    const json_t *v = json_object_get(o, key);
    const int64_t n = json_integer_value(v);
    if (json_is_integer(v) && n >= min && n <= max)
        return n;
    run_read_wrong(rd, key,
                   min < 0 ? "a whole number is wanted, not too large on either side of 0"
                           : "a whole number of 0 or more is wanted, not too large");
    return 0;
}

uint64_t run_read_ns(struct reader *rd, const json_t *o, const char *key) {
    return (uint64_t)run_read_int(rd, o, key, 0, RUN_READ_NS_MAX);
}

bool run_read_bool(struct reader *rd, const json_t *o, const char *key) {
    const json_t *v = json_object_get(o, key);
    if (!json_is_boolean(v))
        run_read_wrong(rd, key, "true or false is wanted");
    return json_is_true(v);
}

static double real_of(struct reader *rd, const json_t *v, const char *key) {
    const char *s = json_string_value(v);
    if (json_is_number(v))
        return json_number_value(v);
    if (s && !strcmp(s, "inf"))
        return INFINITY;
    if (s && !strcmp(s, "-inf"))
        return -INFINITY;
    if (!json_is_null(v))
        run_read_wrong(rd, key, "a number or null is wanted");
    return NAN;
}

double run_read_real(struct reader *rd, const json_t *o, const char *key) {
    return real_of(rd, json_object_get(o, key), key);
}

const json_t *run_read_list(struct reader *rd, const json_t *o, const char *key, size_t max) {
    const json_t *v = json_object_get(o, key);
    if (!json_is_array(v))
        run_read_wrong(rd, key, "a list is wanted");
    else if (json_array_size(v) > max)
        run_read_wrong(rd, key, "the list is too long");
    else
        return v;
    return NULL;
}

const json_t *run_read_item(struct reader *rd, const json_t *list, const char *key, size_t i) {
    if (rd->rc < 0 || i >= json_array_size(list)) {
        rd->at[0] = '\0';
        return NULL;
    }
    snprintf(rd->at, sizeof(rd->at), "%s[%zu].", key, i);
    return json_array_get(list, i);
}
