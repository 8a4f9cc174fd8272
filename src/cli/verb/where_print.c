/* Tables of functions and branches as text, CSV and JSON; where they and files of other formats go.
 */
#include "base/json_put.h"
#include "base/str.h"
#include "cli/file/output.h"
#include "cli/out/csv.h"
#include "cli/out/table.h"
#include "cli/verb/where_view.h"
#include "model/hot/hot_export.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned long long number;

/* ---- as text ---- */

void where_print_head(const struct hot *h, FILE *out) {
    for (size_t i = 0; i < h->event.n; i++)
        fprintf(out, "# %s, %s: a share is one of %s; %s\n", h->event.at[i].name,
                h->event.at[i].precision, h->event.at[i].of, h->event.at[i].why);
    char amount[96];
    fprintf(out, "# %s: %s", h->target, hot_amount(h, amount, sizeof(amount)));
    if (h->n_lost)
        fprintf(out, ", %llu lost", (number)h->n_lost);
    if (h->n_throttled)
        fprintf(out, ", %llu times throttled", (number)h->n_throttled);
    fprintf(out, "; %.1f ms of CPU time of our own\n", h->cpu_s * 1e3);
    for (size_t i = 0; i < h->note.n; i++)
        fprintf(out, "# %s\n", h->note.at[i]);
    if (h->n_unreadable)
        fprintf(out, "# %llu processes have mappings that could not be read\n",
                (number)h->n_unreadable);
    if (h->n_no_room + h->n_garbled + h->n_no_leaf + h->n_cut)
        fprintf(out,
                "# without room: %llu mappings, the places of %llu samples, the outermost or "
                "innermost frames of %llu; %llu records that cannot be read\n",
                (number)h->n_no_room, (number)h->n_no_leaf, (number)h->n_cut, (number)h->n_garbled);
    if (h->no_branches[0])
        fprintf(out, "# no branch records: %s\n", h->no_branches);
    if (h->taken.n)
        fprintf(out, "# branch records of %llu samples: %llu taken, %llu of them mispredicted\n",
                (number)h->n_recorded, (number)h->taken.n, (number)h->taken.n_missed);
    if (h->n_no_branch)
        fprintf(out, "# without room: the branches of %llu records\n", (number)h->n_no_branch);
    where_print_sources(h, out);
}

/* Once of each module whose functions are printed without a name, or with fewer than there are. */
static void print_lacks(const struct hot *h, const struct hot_row *row, size_t n, FILE *out) {
    for (size_t i = 0; i < n; i++) {
        const uint32_t m = h->function.at[row[i].function].module;
        bool said = false;
        for (size_t k = 0; k < i; k++)
            said |= h->function.at[row[k].function].module == m;
        if (!said && h->module.at[m].lack[0])
            fprintf(out, "# %s\n", h->module.at[m].lack);
    }
}

size_t where_rows(const struct args *a) {
    return a->limit > 0 ? (size_t)a->limit : a->limit == 0 ? SIZE_MAX : WHERE_ROWS;
}

void where_add_part(struct table *t, double share, const struct binomial *in) {
    if (isnan(share)) {
        table_add(t, "-");
        table_add(t, "");
    } else {
        table_addf(t, "%.1f%%", 100 * share);
        table_addf(t, "%.1f - %.1f", 100 * in->low, 100 * in->high);
    }
}

static void add_row(struct table *t, const struct hot *h, const struct hot_row *r) {
    const struct hot_function *f = &h->function.at[r->function];
    char source[HOT_NAME];
    struct binomial in;
    const double share = hot_share(h, &r->count, &in);
    where_add_part(t, share, &in);
    table_addf(t, "%llu", (number)r->count.n);
    if (hot_is_off_cpu(h))
        table_addf(t, "%.3g s", r->count.weight / 1e9);
    table_add(t, f->name);
    table_add(t, hot_source(f, source, sizeof(source)));
    table_add(t, h->module.at[f->module].path);
}

static int where_print_table(const struct hot *h, const struct args *a, FILE *out) {
    static const struct table_column columns[] = {{"share", true, 0},    {"95% interval", true, 0},
                                                  {"samples", true, 0},  {"function", false, 20},
                                                  {"source", false, 10}, {"file", false, 10}},
                                     of_waits[] = {
                                         {"share", true, 0},      {"95% interval", true, 0},
                                         {"waits", true, 0},      {"time", true, 0},
                                         {"function", false, 20}, {"source", false, 10},
                                         {"file", false, 10}};
    const bool waits = hot_is_off_cpu(h);
    struct hot_row *row;
    size_t n;
    struct table t;
    where_print_head(h, out);
    if (!h->all.n) {
        fprintf(out, waits ? "# no wait: no thread blocked, as far as is known\n"
                           : "# no sample: it did not happen, or the target was on no CPU\n");
        return 0;
    }
    int rc = hot_rows(h, &row, &n);
    if (rc < 0)
        return rc;
    n = n < where_rows(a) ? n : where_rows(a);
    table_init(&t, waits ? of_waits : columns, waits ? 7 : 6);
    for (size_t i = 0; i < n; i++)
        add_row(&t, h, &row[i]);
    rc = table_print(&t, out);
    table_free(&t);
    print_lacks(h, row, n, out);
    free(row);
    return rc;
}

static void add_branch(struct table *t, const struct hot *h, const struct hot_branch *b) {
    char text[HOT_NAME + 32];
    struct binomial in;
    const double share = hot_missed_share(&b->count, &h->taken, &in);
    where_add_part(t, share, &in);
    const double rate = hot_missed_rate(&b->count, &in);
    where_add_part(t, rate, &in);
    table_addf(t, "%llu", (number)b->count.n);
    const double cycles = hot_taken_cycles(&b->count);
    table_addf(t, isnan(cycles) ? "-" : "%.1f", cycles);
    table_add(t, hot_branch_place(h, b->from, b->from_offset, text, sizeof(text)));
    table_add(t, hot_branch_place(h, b->to, b->to_offset, text, sizeof(text)));
    table_add(t, hot_branch_source(b, text, sizeof(text)));
}

static int where_print_branches(const struct hot *h, const struct args *a, FILE *out) {
    static const struct table_column columns[] = {
        {"of mispredicted", true, 0}, {"95% interval", true, 0}, {"of taken", true, 0},
        {"95% interval", true, 0},    {"taken", true, 0},        {"cycles", true, 0},
        {"from", false, 20},          {"to", false, 20},         {"source", false, 10}};
    struct table t;
    where_print_head(h, out);
    if (!h->taken.n) {
        if (h->branches)
            fprintf(out, "# no branch record\n");
        else if (!h->no_branches[0])
            fprintf(out, "# these samples were taken without branch records\n");
        return 0;
    }
    table_init(&t, columns, sizeof(columns) / sizeof(columns[0]));
    for (size_t i = 0; i < h->branch.n && i < where_rows(a); i++)
        add_branch(&t, h, &h->branch.at[i]);
    const int rc = table_print(&t, out);
    table_free(&t);
    return rc;
}

/* ---- as CSV ---- */

static int where_csv_table(const struct hot *h, const struct args *a, FILE *out) {
    struct hot_row *row;
    struct csv c;
    size_t n;
    const int rc = hot_rows(h, &row, &n);
    if (rc < 0)
        return rc;
    csv_init(&c, out, ",");
    csv_head(&c, "share,low,high,samples,weight,function,source,line,file");
    for (size_t i = 0; i < n && i < where_rows(a); i++) {
        const struct hot_function *f = &h->function.at[row[i].function];
        struct binomial in;
        csv_number(&c, hot_share(h, &row[i].count, &in));
        csv_number(&c, in.low);
        csv_number(&c, in.high);
        csv_integer(&c, (int64_t)row[i].count.n);
        csv_number(&c, row[i].count.weight);
        csv_text(&c, f->name);
        csv_text(&c, f->file);
        csv_number(&c, f->line ? f->line : (double)NAN);
        csv_text(&c, h->module.at[f->module].path);
        csv_end(&c);
    }
    free(row);
    return 0;
}

static int where_csv_branches(const struct hot *h, const struct args *a, FILE *out) {
    struct csv c;
    csv_init(&c, out, ",");
    csv_head(&c, "share,share_low,share_high,rate,rate_low,rate_high,taken,mispredicted,cycles,"
                 "from,from_offset,to,to_offset,source,line,file");
    for (size_t i = 0; i < h->branch.n && i < where_rows(a); i++) {
        const struct hot_branch *b = &h->branch.at[i];
        const struct hot_function *from = &h->function.at[b->from], *to = &h->function.at[b->to];
        struct binomial in;
        csv_number(&c, hot_missed_share(&b->count, &h->taken, &in));
        csv_number(&c, in.low);
        csv_number(&c, in.high);
        csv_number(&c, hot_missed_rate(&b->count, &in));
        csv_number(&c, in.low);
        csv_number(&c, in.high);
        csv_integer(&c, (int64_t)b->count.n);
        csv_integer(&c, (int64_t)b->count.n_missed);
        csv_number(&c, hot_taken_cycles(&b->count));
        csv_text(&c, from->name);
        csv_integer(&c, (int64_t)(b->from_offset - from->start));
        csv_text(&c, to->name);
        csv_integer(&c, (int64_t)(b->to_offset - to->start));
        csv_text(&c, b->file);
        csv_number(&c, b->line ? b->line : (double)NAN);
        csv_text(&c, h->module.at[from->module].path);
        csv_end(&c);
    }
    return 0;
}

/* ---- as JSON ---- */

/* Of each function its leaves, one behind the other: first[f] to first[f + 1]. NULL: no memory. */
struct places {
    uint32_t *first, *leaf;
};

static int places_make(struct places *p, const struct hot *h) {
    p->first = calloc(h->function.n + 2, sizeof(*p->first));
    p->leaf = calloc(h->leaf.n + 1, sizeof(*p->leaf));
    if (!p->first || !p->leaf)
        return -ENOMEM;
    for (size_t i = 0; i < h->leaf.n; i++)
        p->first[h->leaf.at[i].function + 2]++;
    for (size_t f = 2; f < h->function.n + 2; f++)
        p->first[f] += p->first[f - 1];
    for (uint32_t i = 0; i < h->leaf.n; i++)
        p->leaf[p->first[h->leaf.at[i].function + 1]++] = i;
    return 0;
}

static void put_places(struct json_put *p, const struct hot *h, const struct places *at,
                       uint32_t function) {
    char offset[32];
    json_put_begin(p, "places", '[');
    for (uint32_t i = at->first[function]; i < at->first[function + 1]; i++) {
        const struct hot_leaf *l = &h->leaf.at[at->leaf[i]];
        snprintf(offset, sizeof(offset), "0x%" PRIx64, l->offset);
        json_put_begin(p, NULL, '{');
        json_put_text(p, "offset", offset);
        json_put_integer(p, "tid", h->thread.at[l->thread].tid);
        json_put_integer(p, "samples", (int64_t)l->count.n);
        json_put_end(p, '}');
    }
    json_put_end(p, ']');
}

static void put_row(struct json_put *p, const struct hot *h, const struct hot_row *r,
                    const struct places *at) {
    const struct hot_function *f = &h->function.at[r->function];
    const struct hot_module *m = &h->module.at[f->module];
    struct binomial in;
    char offset[32];
    const double share = hot_share(h, &r->count, &in);
    json_put_begin(p, NULL, '{');
    json_put_text(p, "name", f->name);
    json_put_number(p, "share", share);
    json_put_number(p, "low", in.low);
    json_put_number(p, "high", in.high);
    json_put_integer(p, "samples", (int64_t)r->count.n);
    json_put_number(p, "weight", r->count.weight);
    if (f->file[0]) {
        json_put_text(p, "source", f->file);
        json_put_integer(p, "line", f->line);
    }
    json_put_text(p, "file", m->path);
    json_put_text(p, "kind", m->kind);
    json_put_bool(p, "deleted", m->deleted);
    json_put_text(p, "build_id", m->build_id);
    snprintf(offset, sizeof(offset), "0x%" PRIx64, f->start);
    json_put_text(p, "offset", offset);
    put_places(p, h, at, r->function);
    json_put_end(p, '}');
}

/* The samples of each thread. */
static int put_threads(struct json_put *p, const struct hot *h) {
    uint64_t *n = calloc(h->thread.n + 1, sizeof(*n));
    if (!n)
        return -ENOMEM;
    for (size_t i = 0; i < h->leaf.n; i++)
        n[h->leaf.at[i].thread] += h->leaf.at[i].count.n;
    json_put_begin(p, "threads", '[');
    for (size_t i = 0; i < h->thread.n; i++) {
        const struct hot_thread *t = &h->thread.at[i];
        if (!n[i])
            continue;
        json_put_begin(p, NULL, '{');
        json_put_integer(p, "pid", t->pid);
        json_put_integer(p, "tid", t->tid);
        if (t->name[0])
            json_put_text(p, "name", t->name);
        json_put_integer(p, "samples", (int64_t)n[i]);
        json_put_end(p, '}');
    }
    json_put_end(p, ']');
    free(n);
    return 0;
}

static void put_end(struct json_put *p, const struct hot *h, const char *name, uint32_t function,
                    uint64_t offset) {
    const struct hot_function *f = &h->function.at[function];
    char text[32];
    json_put_begin(p, name, '{');
    json_put_text(p, "name", f->name);
    json_put_integer(p, "at", (int64_t)(offset - f->start));
    json_put_text(p, "file", h->module.at[f->module].path);
    snprintf(text, sizeof(text), "0x%" PRIx64, offset);
    json_put_text(p, "offset", text);
    json_put_end(p, '}');
}

static void put_branch(struct json_put *p, const struct hot *h, const struct hot_branch *b) {
    struct binomial in;
    json_put_begin(p, NULL, '{');
    json_put_number(p, "share", hot_missed_share(&b->count, &h->taken, &in));
    json_put_number(p, "share_low", in.low);
    json_put_number(p, "share_high", in.high);
    json_put_number(p, "rate", hot_missed_rate(&b->count, &in));
    json_put_number(p, "rate_low", in.low);
    json_put_number(p, "rate_high", in.high);
    json_put_integer(p, "taken", (int64_t)b->count.n);
    json_put_integer(p, "mispredicted", (int64_t)b->count.n_missed);
    json_put_number(p, "cycles", hot_taken_cycles(&b->count));
    put_end(p, h, "from", b->from, b->from_offset);
    put_end(p, h, "to", b->to, b->to_offset);
    if (b->file[0]) {
        json_put_text(p, "source", b->file);
        json_put_integer(p, "line", b->line);
    }
    json_put_end(p, '}');
}

/* Where there are branch records, or were to be. */
static void put_branches(struct json_put *p, const struct hot *h) {
    if (h->no_branches[0])
        json_put_text(p, "no_branches", h->no_branches);
    if (!h->branches)
        return;
    json_put_integer(p, "branch_samples", (int64_t)h->n_recorded);
    json_put_integer(p, "taken", (int64_t)h->taken.n);
    json_put_integer(p, "mispredicted", (int64_t)h->taken.n_missed);
    json_put_integer(p, "branches_without_room", (int64_t)h->n_no_branch);
    json_put_begin(p, "branches", '[');
    for (size_t i = 0; i < h->branch.n; i++)
        put_branch(p, h, &h->branch.at[i]);
    json_put_end(p, ']');
}

static void put_event(struct json_put *p, const struct hot_event *e) {
    json_put_begin(p, NULL, '{');
    json_put_text(p, "event", e->name);
    json_put_text(p, "precision", e->precision);
    json_put_integer(p, "precise_ip", e->precise_ip);
    json_put_text(p, "of", e->of);
    json_put_text(p, "why", e->why);
    json_put_end(p, '}');
}

static void put_counts(struct json_put *p, const struct hot *h) {
    json_put_number(p, "seconds", h->seconds);
    json_put_integer(p, "samples", (int64_t)h->all.n);
    json_put_number(p, "effective_samples", hot_effective(&h->all));
    json_put_integer(p, "kernel_samples", (int64_t)h->n_kernel);
    json_put_integer(p, "unknown_samples", (int64_t)h->n_unknown);
    json_put_integer(p, "exact_samples", (int64_t)h->n_exact);
    json_put_integer(p, "lost", (int64_t)h->n_lost);
    json_put_integer(p, "throttled", (int64_t)h->n_throttled);
    json_put_integer(p, "foreign", (int64_t)h->n_foreign);
    json_put_integer(p, "garbled", (int64_t)h->n_garbled);
    json_put_integer(p, "without_room", (int64_t)(h->n_no_room + h->n_no_leaf + h->n_cut));
    json_put_integer(p, "unreadable", (int64_t)h->n_unreadable);
    json_put_integer(p, "reopened", (int64_t)h->n_reopened);
    json_put_integer(p, "threads_left_out", (int64_t)h->n_left_out);
    json_put_bool(p, "user_only", h->user_only);
    json_put_bool(p, "system_wide", h->system_wide);
    json_put_number(p, "freq_hz", h->freq_hz);
    json_put_number(p, "cpu_s", h->cpu_s);
}

static int where_print_json(const struct hot *h, FILE *out) {
    struct json_put p = {0};
    struct hot_row *row;
    size_t n;
    struct places at = {0};
    int rc = hot_rows(h, &row, &n);
    if (rc < 0)
        return rc;
    rc = places_make(&at, h);
    json_put_begin(&p, NULL, '{');
    json_put_text(&p, "target", h->target);
    if (h->asked[0])
        json_put_text(&p, "asked", h->asked);
    json_put_begin(&p, "events", '[');
    for (size_t i = 0; i < h->event.n; i++)
        put_event(&p, &h->event.at[i]);
    json_put_end(&p, ']');
    put_counts(&p, h);
    json_put_begin(&p, "notes", '[');
    for (size_t i = 0; i < h->note.n; i++)
        json_put_text(&p, NULL, h->note.at[i]);
    json_put_end(&p, ']');
    json_put_begin(&p, "functions", '[');
    for (size_t i = 0; rc == 0 && i < n; i++)
        put_row(&p, h, &row[i], &at);
    json_put_end(&p, ']');
    put_branches(&p, h);
    if (rc == 0)
        rc = where_put_accesses(&p, h);
    if (rc == 0)
        rc = put_threads(&p, h);
    json_put_end(&p, '}');
    if (rc == 0)
        rc = json_put_line(&p, out);
    json_put_free(&p);
    free(at.first);
    free(at.leaf);
    free(row);
    return rc;
}

/* ---- where it goes ---- */

static int lacks(int rc, struct err *err) {
    return rc < 0 ? err_set(err, rc, "out of memory for what is to be printed") : 0;
}

/* Bytes do not go through a stream of text. */
static int write_bytes(const struct hot *h, const struct hot_format *f, struct output *o,
                       struct err *err) {
    char *at = NULL;
    size_t n = 0;
    FILE *memory = open_memstream(&at, &n);
    int rc = memory ? f->write(h, memory) : -ENOMEM;
    if (memory && fclose(memory) != 0 && rc == 0)
        rc = -ENOMEM;
    rc = rc < 0 ? lacks(rc, err) : output_bytes(o, at, n, err);
    free(at);
    return rc;
}

int where_export(const struct hot *h, const struct hot_format *f, const char *path,
                 struct err *err) {
    struct output o = {0};
    int rc = output_open(&o, path, 0666, err);
    if (rc < 0)
        return rc;
    rc = f->bytes ? write_bytes(h, f, &o, err) : lacks(f->write(h, o.out), err);
    return output_close(&o, rc, err);
}

int where_write(const struct hot *h, const struct args *a, struct err *err) {
    static const struct hot_format folded = {".folded", hot_folded, false};
    struct output o = {0};
    int (*const print)(const struct hot *, const struct args *, FILE *) =
        a->csv ? (a->branches   ? where_csv_branches
                  : a->accesses ? where_csv_accesses
                                : where_csv_table)
               : (a->branches   ? where_print_branches
                  : a->accesses ? where_print_accesses
                                : where_print_table);
    const struct hot_format *f = a->folded           ? &folded
                                 : a->json || a->csv ? NULL
                                                     : hot_format_of(a->output);
    if (f)
        return where_export(h, f, a->output, err);
    int rc = output_open(&o, a->output, 0666, err);
    if (rc < 0)
        return rc;
    rc = lacks(a->json ? where_print_json(h, o.out) : print(h, a, o.out), err);
    return output_close(&o, rc, err);
}
