/*
 * toplev's CSV: `toplev -x, -o FILE`, with -I or without, with -v or without, for the whole or per
 * CPU, one row per value or (--columns) one column per CPU. It has no counts: the run gets values.
 */
#include "cli/file/import_values.h"

#include "base/str.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIELDS_MAX = 256, SNIFF_LINES = 20 };

/* Where a column is; -1: there is none. */
struct shape {
    int time, cpu, path, value, unit, multiplex, mark;
    bool fractions; /* --columns: values are fractions, without units */
};

struct toplev {
    struct import_values v;
    char separator;
    struct shape shape;
};

/* ---- lines ---- */

static int find(char *const *field, int n, const char *name) {
    for (int i = 0; i < n; i++)
        if (!strcmp(field[i], name))
            return i;
    return -1;
}

/* Of --columns: those between the node and its description, of which --only picks one. */
static int column_of_values(struct toplev *t, char *const *field, int node, int description) {
    const char *only = t->v.im->a->only;
    if (description - node == 2)
        return node + 1;
    for (int i = node + 1; i < description && only; i++)
        if (!strcmp(field[i], only))
            return i;
    str_safe(t->v.cpu, sizeof(t->v.cpu), field[node + 1]);
    str_safe(t->v.other, sizeof(t->v.other), field[description - 1]);
    return -1;
}

/* True if the fields are a header of toplev's; then the shape is filled. */
static bool read_header(struct toplev *t, char *const *field, int n) {
    struct shape *s = &t->shape;
    const int node = find(field, n, "Node"), description = find(field, n, "Description");
    s->time = find(field, n, "Timestamp");
    s->cpu = find(field, n, "CPUs");
    s->multiplex = find(field, n, "Multiplex");
    s->mark = find(field, n, "Bottleneck");
    s->unit = find(field, n, "Unit");
    s->fractions = node >= 0 && description > node + 1 && find(field, n, "Area") >= 0;
    s->path = s->fractions ? node : find(field, n, "Area");
    s->value =
        s->fractions ? column_of_values(t, field, node, description) : find(field, n, "Value");
    return s->path >= 0 && s->multiplex >= 0 && (s->fractions || (s->value >= 0 && s->unit >= 0));
}

static bool is_header(char *line, struct toplev *t) {
    char *field[FIELDS_MAX];
    static const char separators[] = {',', ';', '\t', '|'};
    const size_t len = strlen(line);
    for (size_t i = 0; i < sizeof(separators); i++) {
        char copy[1024];
        if (len >= sizeof(copy))
            return false;
        memcpy(copy, line, len + 1);
        const int n = import_values_split(copy, separators[i], field, FIELDS_MAX);
        t->separator = separators[i];
        if (n >= 7 && read_header(t, field, n))
            return true;
    }
    return false;
}

bool import_is_toplev(const char *begin) {
    const struct args none = {0};
    struct importer im = {.a = &none};
    struct toplev t = {.v.im = &im};
    char line[1024];
    for (int i = 0; i < SNIFF_LINES && *begin; i++) {
        const size_t n = strcspn(begin, "\r\n");
        str_copy(line, n + 1 < sizeof(line) ? n + 1 : sizeof(line), begin);
        if (is_header(line, &t))
            return true;
        begin += n + (begin[n] != '\0');
    }
    return false;
}

/* "# 5.1-full on Intel(R) Xeon(R) Processor [skx]" */
static void read_comment(struct toplev *t, const char *line) {
    char *dash = strstr(line, "-full on "), *begin = strrchr(line, '['), *end = strrchr(line, ']');
    if (!dash || !begin || !end || end < begin)
        return;
    str_copy(t->v.model,
             (size_t)(end - begin) < sizeof(t->v.model) ? (size_t)(end - begin)
                                                        : sizeof(t->v.model),
             begin + 1);
    line += strspn(line, "# ");
    struct strbuf sb = strbuf_on(t->v.version, sizeof(t->v.version));
    strbuf_add(&sb, "toplev %.*s", (int)(dash - line), line);
}

/* 1: a line; 0: the end; or negative errno. Comments are read on the way. */
static int next_line(struct toplev *t, struct err *err) {
    int rc;
    while ((rc = replay_lines_next(&t->v.in, err)) > 0) {
        if (t->v.in.text[0] == '#')
            read_comment(t, t->v.in.text);
        else if (t->v.in.text[0])
            return 1;
    }
    return rc;
}

/* ---- rows ---- */

static const char *at(char *const *field, int n, int column) {
    return column >= 0 && column < n ? field[column] : "";
}

static double number(const char *text) {
    char *end;
    const double v = strtod(text, &end);
    return end == text ? NAN : v;
}

static int take_row(struct toplev *t, char *const *field, int n, struct err *err) {
    const struct shape *s = &t->shape;
    const char *path = at(field, n, s->path), *unit = at(field, n, s->unit);
    const char *multiplex = at(field, n, s->multiplex);
    const double v = number(at(field, n, s->value)), seconds = number(at(field, n, s->time));
    const double duty = number(multiplex + (*multiplex == '['));
    if (s->cpu >= 0 && !import_values_choose(&t->v, at(field, n, s->cpu)))
        return 0;
    if (!*path || isnan(v) || (s->time >= 0 && isnan(seconds)))
        return import_values_bad(&t->v, "a time, a name and a number are wanted", err);
    if (!import_values_time(&t->v, seconds))
        return import_values_bad(&t->v, "its time is negative, or more than 30 years", err);
    t->v.n_row++;
    const struct run_value value = {.path = path,
                                    .unit = s->fractions ? "%" : unit,
                                    .v = s->fractions ? v * 100 : v,
                                    .duty = isnan(duty) ? 1 : fmin(duty / 100, 1),
                                    .over = !s->fractions && !strchr(unit, '<'),
                                    .limits = !strcmp(at(field, n, s->mark), "<==")};
    return run_values_add(&t->v.values, &value) == 0 ? 0 : err_set(err, -ENOMEM, "out of memory");
}

static int read_rows(struct toplev *t, struct err *err) {
    char *field[FIELDS_MAX];
    int rc = 0;
    while (rc == 0 && (rc = next_line(t, err)) > 0) {
        const int n = import_values_split(t->v.in.text, t->separator, field, FIELDS_MAX);
        rc = n <= t->shape.path ? import_values_bad(&t->v, "the line is too short", err)
                                : take_row(t, field, n, err);
    }
    return rc;
}

static int read_file(struct toplev *t, struct err *err) {
    bool found = false;
    int rc = 0;
    while (!found && (rc = next_line(t, err)) > 0)
        found = is_header(t->v.in.text, t);
    if (rc < 0)
        return rc;
    if (!found)
        return err_set(err, -EINVAL, "%s: no header of toplev's CSV; toplev -x, -o FILE writes one",
                       t->v.im->path);
    return t->shape.value < 0 ? 0 : read_rows(t, err);
}

int import_toplev(struct importer *im, struct err *err) {
    struct toplev t = {.separator = ','};
    int rc = import_values_open(&t.v, im, err);
    t.v.collector = "toplev";
    t.v.reason = "the mean of what toplev printed per interval; its CSV has no counts";
    if (rc == 0)
        rc = read_file(&t, err);
    if (rc == 0)
        rc = import_values_take(&t.v, err);
    import_values_close(&t.v);
    return rc;
}
