/*
 * toplev's CSV: `toplev -x, -o FILE`, with -I or without, with -v or without, for the whole or per
 * CPU, one row per value or (--columns) one column per CPU. It has no counts: the run gets values.
 */
#include "cli/import.h"

#include "base/str.h"
#include "model/run_values.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIELDS_MAX = 256, SNIFF_LINES = 20, LONGEST_S = 1000000000 };

/* Where a column is; -1: there is none. */
struct shape {
    int time, cpu, path, value, unit, multiplex, mark;
    bool fractions; /* --columns: values are fractions, without units */
};

struct toplev {
    struct importer *im;
    FILE *f;
    char *line;
    size_t cap;
    unsigned long number;
    char separator;
    struct shape shape;
    struct run_values values;
    char cpu[64];   /* whose values are taken: the first seen, or --only */
    char other[64]; /* one that is not */
    char model[64], version[64];
    double begin_s, end_s; /* of the first and the last time seen; NAN */
    uint64_t n_row;
};

/* ---- lines ---- */

/* Splits in place at the separator; quotes as in RFC 4180. Returns how many fields there are. */
static int split(char *line, char separator, char **field, int max) {
    int n = 0;
    char *from = line, *to;
    while (n < max) {
        bool quoted = *from == '"';
        from += quoted;
        field[n++] = to = from;
        for (; *from && (quoted || *from != separator); from++) {
            if (quoted && *from == '"') {
                quoted = from[1] == '"';
                from += quoted;
                if (!quoted)
                    continue;
            }
            *to++ = *from;
        }
        const bool more = *from != '\0';
        *to = '\0';
        if (!more)
            return n;
        from++;
    }
    return n;
}

static int find(char *const *field, int n, const char *name) {
    for (int i = 0; i < n; i++)
        if (!strcmp(field[i], name))
            return i;
    return -1;
}

/* Of --columns: those between the node and its description, of which --only picks one. */
static int column_of_values(struct toplev *t, char *const *field, int node, int description) {
    const char *only = t->im->a->only;
    if (description - node == 2)
        return node + 1;
    for (int i = node + 1; i < description && only; i++)
        if (!strcmp(field[i], only))
            return i;
    str_safe(t->cpu, sizeof(t->cpu), field[node + 1]);
    str_safe(t->other, sizeof(t->other), field[description - 1]);
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
        const int n = split(copy, separators[i], field, FIELDS_MAX);
        t->separator = separators[i];
        if (n >= 7 && read_header(t, field, n))
            return true;
    }
    return false;
}

bool import_is_toplev(const char *begin) {
    const struct args none = {0};
    struct importer im = {.a = &none};
    struct toplev t = {.im = &im};
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
    str_copy(t->model,
             (size_t)(end - begin) < sizeof(t->model) ? (size_t)(end - begin) : sizeof(t->model),
             begin + 1);
    line += strspn(line, "# ");
    struct strbuf sb = strbuf_on(t->version, sizeof(t->version));
    strbuf_add(&sb, "toplev %.*s", (int)(dash - line), line);
}

/* 1: a line; 0: the end. Comments are read on the way. */
static int next_line(struct toplev *t) {
    while (getline(&t->line, &t->cap, t->f) > 0) {
        t->number++;
        t->line[strcspn(t->line, "\r\n")] = '\0';
        if (t->line[0] == '#')
            read_comment(t, t->line);
        else if (t->line[0])
            return 1;
    }
    return 0;
}

/* ---- rows ---- */

static int bad(const struct toplev *t, const char *what, struct err *err) {
    return err_set(err, -EINVAL, "%s:%lu: %s; is the file complete?", t->im->path, t->number, what);
}

static const char *at(char *const *field, int n, int column) {
    return column >= 0 && column < n ? field[column] : "";
}

static double number(const char *text) {
    char *end;
    const double v = strtod(text, &end);
    return end == text ? NAN : v;
}

/* Values of several CPUs cannot be added up without their counts. */
static bool is_chosen(struct toplev *t, const char *cpu) {
    const char *only = t->im->a->only;
    if (!t->cpu[0])
        str_copy(t->cpu, sizeof(t->cpu), only ? only : cpu);
    if (!strcmp(t->cpu, cpu))
        return true;
    if (!t->other[0])
        str_copy(t->other, sizeof(t->other), cpu);
    return false;
}

static int take_row(struct toplev *t, char *const *field, int n, struct err *err) {
    const struct shape *s = &t->shape;
    const char *path = at(field, n, s->path), *unit = at(field, n, s->unit);
    const char *multiplex = at(field, n, s->multiplex);
    const double v = number(at(field, n, s->value)), seconds = number(at(field, n, s->time));
    const double duty = number(multiplex + (*multiplex == '['));
    if (s->cpu >= 0 && !is_chosen(t, at(field, n, s->cpu)))
        return 0;
    if (!*path || isnan(v) || (s->time >= 0 && isnan(seconds)))
        return bad(t, "a time, a name and a number are wanted", err);
    if (seconds < 0 || seconds > LONGEST_S) /* not NAN: there is no column */
        return bad(t, "its time is negative, or more than 30 years", err);
    t->begin_s = isnan(t->begin_s) ? seconds : t->begin_s;
    t->end_s = isnan(seconds) ? t->end_s : seconds;
    t->n_row++;
    const struct run_value value = {.path = path,
                                    .unit = s->fractions ? "%" : unit,
                                    .v = s->fractions ? v * 100 : v,
                                    .duty = isnan(duty) ? 1 : fmin(duty / 100, 1),
                                    .over = !s->fractions && !strchr(unit, '<'),
                                    .limits = !strcmp(at(field, n, s->mark), "<==")};
    return run_values_add(&t->values, &value) == 0 ? 0 : err_set(err, -ENOMEM, "out of memory");
}

static int read_rows(struct toplev *t, struct err *err) {
    char *field[FIELDS_MAX];
    int rc = 0;
    while (rc == 0 && next_line(t)) {
        const int n = split(t->line, t->separator, field, FIELDS_MAX);
        rc = n <= t->shape.path ? bad(t, "the line is too short", err) : take_row(t, field, n, err);
    }
    return rc;
}

static int read_file(struct toplev *t, struct err *err) {
    bool found = false;
    while (!found && next_line(t))
        found = is_header(t->line, t);
    if (!found)
        return err_set(err, -EINVAL, "%s: no header of toplev's CSV; toplev -x, -o FILE writes one",
                       t->im->path);
    int rc = t->shape.value < 0 ? 0 : read_rows(t, err);
    if (rc == 0 && t->other[0] && !t->im->a->only)
        rc = err_set(err, -EINVAL,
                     "%s: it has values of several CPUs (%s, %s ...), which cannot be put together "
                     "without their counts; choose one: --only %s",
                     t->im->path, t->cpu, t->other, t->cpu);
    if (rc == 0 && t->n_row == 0)
        rc = err_set(err, -ENODATA, "%s: there are no values%s%s in it", t->im->path,
                     t->im->a->only ? " of " : "", t->im->a->only ? t->im->a->only : "");
    return rc;
}

/* ---- the run ---- */

/* Times are those of the ends of intervals, and begin at 0. */
static void set_times(struct toplev *t, struct run *r) {
    r->measured_ns = isnan(t->end_s) ? 0 : (uint64_t)(t->end_s * 1e9);
    r->t1_ns = r->measured_ns;
    r->interval_ns = isnan(t->begin_s) ? 0 : (uint64_t)(t->begin_s * 1e9);
    r->ended_ns = import_time_ns(t->im->path);
    r->begun_ns = r->ended_ns - (int64_t)r->measured_ns;
}

static int deepest(const struct run *r) {
    int level = 0;
    for (size_t i = 0; i < r->node.n; i++)
        level = r->node.at[i].level > level ? r->node.at[i].level : level;
    return level;
}

static int make_run(struct toplev *t, struct run *r, struct err *err) {
    const char *slash = strrchr(t->im->path, '/');
    char target[160], file[128];
    struct strbuf sb = strbuf_on(target, sizeof(target));
    str_safe(file, sizeof(file), slash ? slash + 1 : t->im->path);
    strbuf_add(&sb, "%s%s%s", file, t->cpu[0] ? " · " : "", t->cpu);
    run_new_id(r->id);
    set_times(t, r);
    int rc = run_set_text(&r->process, file);
    if (rc == 0)
        rc = run_set_text(&r->target, target);
    if (rc == 0)
        rc = run_set_text(&r->source, "import");
    if (rc == 0)
        rc = run_set_text(&r->version, t->version[0] ? t->version : "toplev");
    if (rc == 0)
        rc = run_label_set(r, "collector", "toplev", true, err);
    if (rc == 0)
        rc = run_set_text(&r->model, t->im->a->model ? t->im->a->model : t->model);
    if (rc == 0)
        rc = run_values_finish(
            &t->values, "the mean of what toplev printed per interval; its CSV has no counts", r,
            err);
    r->level = deepest(r);
    return rc;
}

int import_toplev(struct importer *im, struct err *err) {
    struct toplev t = {.im = im, .begin_s = NAN, .end_s = NAN};
    struct run r = {0};
    t.f = fopen(im->path, "re");
    if (!t.f)
        return err_set(err, -errno, "%s: %s", im->path, strerror(errno));
    int rc = read_file(&t, err);
    if (rc == 0)
        rc = make_run(&t, &r, err);
    if (rc == 0)
        rc = import_take(im, &r, err);
    run_free(&r);
    run_values_free(&t.values);
    free(t.line);
    fclose(t.f);
    return rc;
}
