/* Source lines and instructions of a function with their shares, as text and as JSON. */
#include "base/json_put.h"
#include "base/str.h"
#include "cli/out/table.h"
#include "cli/verb/annotate_view.h"
#include "cli/verb/where_view.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { GAP_MOST = 8 }; /* lines without code that are printed on the way to the next */

typedef unsigned long long number;

/* The frame of the function itself at an instruction; what is inlined there is in front of it.
 * NULL: not known. */
static const struct line_frame *own_frame(const struct listing *l, size_t i) {
    const struct line_table *t = &l->lines;
    return i < t->n && t->first[i] < t->first[i + 1] ? &t->frame[t->first[i + 1] - 1] : NULL;
}

static const struct line_frame *inner_frame(const struct listing *l, size_t i) {
    const struct line_table *t = &l->lines;
    return i < t->n && t->first[i] < t->first[i + 1] ? &t->frame[t->first[i]] : NULL;
}

/* Of each line of the function's file what its instructions have. */
struct lines {
    uint32_t first, last; /* 0: none */
    struct hot_count *n;  /* [last + 1] */
    bool *code;           /* [last + 1] it has instructions */
};

enum { LINE_MOST = 1 << 22 };

static uint32_t line_of(const struct listing *l, size_t i) {
    const struct line_frame *f = own_frame(l, i);
    return f && f->line && f->line < LINE_MOST && !strcmp(f->file, l->file) ? f->line : 0;
}

static int lines_make(struct lines *s, const struct annotate *a) {
    const struct listing *l = a->listing;
    *s = (struct lines){0};
    for (size_t i = 0; i < l->code.n; i++) {
        const uint32_t line = line_of(l, i);
        s->first = line && (!s->first || line < s->first) ? line : s->first;
        s->last = line > s->last ? line : s->last;
    }
    s->n = calloc(s->last + 1u, sizeof(*s->n));
    s->code = calloc(s->last + 1u, sizeof(*s->code));
    if (!s->n || !s->code)
        return -ENOMEM;
    for (size_t i = 0; i < l->code.n; i++) {
        hot_add(&s->n[line_of(l, i)], &a->at[i]);
        s->code[line_of(l, i)] = true;
    }
    return 0;
}

static void lines_free(struct lines *s) {
    free(s->n);
    free(s->code);
}

static double share_of(const struct annotate *a, const struct hot_count *c) {
    return a->count.n >= HOT_LEAST ? c->weight / a->count.weight : NAN;
}

/* ---- as text ---- */

static void print_head(const struct annotate *a, FILE *out) {
    const struct hot_function *f = &a->h->function.at[a->function];
    struct binomial in;
    const double share = hot_share(a->h, &a->count, &in);
    where_print_head(a->h, out);
    fprintf(out, "# %s in %s", f->name, a->h->module.at[f->module].path);
    if (a->listing && a->listing->file[0])
        fprintf(out, ", %s", a->listing->file);
    fprintf(out, ": %llu of %llu samples", (number)a->count.n, (number)a->h->all.n);
    if (!isnan(share))
        fprintf(out, ", %.1f%% (%.1f - %.1f)", 100 * share, 100 * in.low, 100 * in.high);
    fprintf(out, "; below, shares are of the function's\n");
}

static void add_share(struct table *t, const struct annotate *a, const struct hot_count *c) {
    const double share = share_of(a, c);
    if (!c->n || isnan(share))
        table_add(t, "");
    else
        table_addf(t, "%.1f%%", 100 * share);
    if (c->n)
        table_addf(t, "%llu", (number)c->n);
    else
        table_add(t, "");
}

/* Tabs of a source are blanks here: a table shows them as \t. */
static void add_source(struct table *t, const char *text) {
    char line[512];
    struct strbuf sb = strbuf_on(line, sizeof(line));
    for (; text && *text && sb.n + 8 < sizeof(line); text++)
        strbuf_add(&sb, *text == '\t' ? "    " : "%c", *text);
    table_add(t, line);
}

static uint32_t next_code(const struct lines *s, uint32_t line) {
    while (line < s->last && !s->code[line])
        line++;
    return line;
}

static int print_lines(const struct annotate *a, FILE *out) {
    static const struct table_column columns[] = {
        {"share", true, 0}, {"samples", true, 0}, {"line", true, 0}, {"source", false, 20}};
    struct lines s;
    struct table t;
    int rc = lines_make(&s, a);
    table_init(&t, columns, 4);
    for (uint32_t i = s.first; rc == 0 && i && i <= s.last; i++) {
        const uint32_t next = next_code(&s, i);
        if (next - i > GAP_MOST)
            i = next;
        add_share(&t, a, &s.n[i]);
        table_addf(&t, "%u", i);
        add_source(&t, source_text_line(&a->listing->text, i));
    }
    if (rc == 0 && table_rows(&t)) {
        rc = table_print(&t, out);
        if (s.n[0].n)
            fprintf(out, "# %llu samples at no line of this file\n", (number)s.n[0].n);
        fputc('\n', out);
    }
    table_free(&t);
    lines_free(&s);
    return rc;
}

/* "prog.c:17", with the function where it is one that was inlined. */
static const char *place_text(const struct listing *l, size_t i, char *buf, size_t cap) {
    const struct line_frame *f = inner_frame(l, i), *own = own_frame(l, i);
    struct strbuf sb = strbuf_on(buf, cap);
    if (!f || !f->file[0])
        return buf;
    strbuf_add(&sb, "%s:%u", str_base_name(f->file), f->line);
    if (f != own && f->function[0])
        strbuf_add(&sb, " %s", f->function);
    return buf;
}

static int print_code(const struct annotate *a, FILE *out) {
    static const struct table_column columns[] = {{"share", true, 0},
                                                  {"samples", true, 0},
                                                  {"offset", true, 0},
                                                  {"instruction", false, 20},
                                                  {"source", false, 10}};
    const struct listing *l = a->listing;
    char place[HOT_NAME];
    struct table t;
    table_init(&t, columns, 5);
    for (size_t i = 0; i < l->code.n; i++) {
        add_share(&t, a, &a->at[i]);
        table_addf(&t, "%" PRIx64, l->code.at[i].at);
        table_add(&t, l->code.text.at + l->code.at[i].text);
        table_add(&t, place_text(l, i, place, sizeof(place)));
    }
    const int rc = l->code.n ? table_print(&t, out) : 0;
    table_free(&t);
    return rc;
}

/* What is known without the program. */
static int print_places(const struct annotate *a, FILE *out) {
    static const struct table_column columns[] = {
        {"share", true, 0}, {"samples", true, 0}, {"offset", true, 0}, {"thread", false, 8}};
    const struct hot *h = a->h;
    char name[HOT_NAME];
    struct table t;
    table_init(&t, columns, 4);
    for (size_t i = 0; i < h->leaf.n; i++) {
        const struct hot_leaf *l = &h->leaf.at[i];
        if (l->function != a->function)
            continue;
        add_share(&t, a, &l->count);
        table_addf(&t, "%" PRIx64, l->offset);
        table_addf(&t, "%s %d", hot_process(h, l->thread, name, sizeof(name)),
                   (int)h->thread.at[l->thread].tid);
    }
    const int rc = table_print(&t, out);
    table_free(&t);
    return rc;
}

static void print_lack(const char *lack, FILE *out) {
    if (lack[0])
        fprintf(out, "# %s\n", lack);
}

int annotate_print_text(const struct annotate *a, FILE *out) {
    const struct listing *l = a->listing;
    print_head(a, out);
    print_lack(a->lack, out);
    if (!l || !l->code.n) {
        if (l)
            print_lack(l->code_lack, out);
        return print_places(a, out);
    }
    print_lack(l->lines_lack, out);
    print_lack(l->text_lack, out);
    print_lack(l->code_lack, out);
    const int rc = print_lines(a, out);
    if (a->n_between)
        fprintf(out, "# %llu samples at no instruction\n", (number)a->n_between);
    return rc < 0 ? rc : print_code(a, out);
}

/* ---- as JSON ---- */

static int put_lines(struct json_put *p, const struct annotate *a) {
    struct lines s;
    const int rc = lines_make(&s, a);
    json_put_begin(p, "lines", '[');
    for (uint32_t i = s.first; rc == 0 && i && i <= s.last; i++) {
        const char *text = source_text_line(&a->listing->text, i);
        if (!s.code[i])
            continue;
        json_put_begin(p, NULL, '{');
        json_put_integer(p, "line", i);
        json_put_integer(p, "samples", (int64_t)s.n[i].n);
        json_put_number(p, "share", share_of(a, &s.n[i]));
        if (text)
            json_put_text(p, "text", text);
        json_put_end(p, '}');
    }
    json_put_end(p, ']');
    lines_free(&s);
    return rc;
}

static void put_offset(struct json_put *p, const char *key, uint64_t offset) {
    char text[32];
    snprintf(text, sizeof(text), "0x%" PRIx64, offset);
    json_put_text(p, key, text);
}

static void put_code(struct json_put *p, const struct annotate *a) {
    const struct listing *l = a->listing;
    json_put_begin(p, "instructions", '[');
    for (size_t i = 0; i < l->code.n; i++) {
        const struct line_frame *f = inner_frame(l, i);
        json_put_begin(p, NULL, '{');
        put_offset(p, "offset", l->code.at[i].at);
        json_put_text(p, "text", l->code.text.at + l->code.at[i].text);
        json_put_integer(p, "samples", (int64_t)a->at[i].n);
        json_put_number(p, "share", share_of(a, &a->at[i]));
        if (f && f->file[0]) {
            json_put_text(p, "source", f->file);
            json_put_integer(p, "line", f->line);
        }
        if (l->code.at[i].target)
            put_offset(p, "target", l->code.at[i].target);
        json_put_end(p, '}');
    }
    json_put_end(p, ']');
}

static void put_places(struct json_put *p, const struct annotate *a) {
    json_put_begin(p, "places", '[');
    for (size_t i = 0; i < a->h->leaf.n; i++) {
        const struct hot_leaf *l = &a->h->leaf.at[i];
        if (l->function != a->function)
            continue;
        json_put_begin(p, NULL, '{');
        put_offset(p, "offset", l->offset);
        json_put_integer(p, "tid", a->h->thread.at[l->thread].tid);
        json_put_integer(p, "samples", (int64_t)l->count.n);
        json_put_end(p, '}');
    }
    json_put_end(p, ']');
}

static void put_lacks(struct json_put *p, const struct annotate *a) {
    const char *const lack[] = {a->lack, a->listing ? a->listing->code_lack : "",
                                a->listing ? a->listing->lines_lack : "",
                                a->listing ? a->listing->text_lack : ""};
    json_put_begin(p, "missing", '[');
    for (size_t i = 0; i < sizeof(lack) / sizeof(lack[0]); i++)
        if (lack[i][0])
            json_put_text(p, NULL, lack[i]);
    json_put_end(p, ']');
}

int annotate_print_json(const struct annotate *a, FILE *out) {
    const struct hot_function *f = &a->h->function.at[a->function];
    struct json_put p = {0};
    struct binomial in;
    int rc = 0;
    const double share = hot_share(a->h, &a->count, &in);
    json_put_begin(&p, NULL, '{');
    json_put_text(&p, "function", f->name);
    json_put_text(&p, "file", a->h->module.at[f->module].path);
    json_put_text(&p, "build_id", a->h->module.at[f->module].build_id);
    json_put_integer(&p, "samples", (int64_t)a->count.n);
    json_put_integer(&p, "all_samples", (int64_t)a->h->all.n);
    json_put_number(&p, "share", share);
    json_put_number(&p, "low", in.low);
    json_put_number(&p, "high", in.high);
    put_lacks(&p, a);
    put_places(&p, a);
    if (a->listing) {
        json_put_text(&p, "source", a->listing->file);
        rc = put_lines(&p, a);
        put_code(&p, a);
    }
    json_put_end(&p, '}');
    if (rc == 0)
        rc = json_put_line(&p, out);
    json_put_free(&p);
    return rc;
}
