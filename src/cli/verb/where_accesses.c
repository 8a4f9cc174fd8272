/* What samples say of memory, as text, CSV and JSON: where data came from, and cache lines with the
 * threads that share them. */
#include "base/json_put.h"
#include "cli/out/csv.h"
#include "cli/out/table.h"
#include "cli/verb/where_view.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const sharing_words[] = {
    [LINE_PRIVATE] = "", [LINE_SHARED] = "shared", [LINE_FALSE_SHARED] = "false sharing"};

static double share_of(const struct hot *h, const struct access_count *c, struct binomial *in) {
    return hot_share(&(struct hot){.all = h->data}, &c->count, in);
}

void where_print_sources(const struct hot *h, FILE *out) {
    struct access_count by[DATA_SOURCES] = {{{0}, 0, 0, 0}};
    access_by_source(h->access.at, h->access.n, by);
    for (int i = 0, n = 0; i < DATA_SOURCES; i++) {
        const char *name = data_source_name((enum data_source)i);
        const double cycles = access_cycles(&by[i]);
        if (!by[i].count.n)
            continue;
        fprintf(out, "%s%s %.1f%%", n++ ? ", " : "# data from ", name[0] ? name : "(not said)",
                100 * by[i].count.weight / h->data.weight);
        if (!isnan(cycles))
            fprintf(out, " %.0f cycles", cycles);
    }
    if (h->access.n)
        fprintf(out, "; of %llu samples with an address\n", (unsigned long long)h->data.n);
    if (h->n_no_line)
        fprintf(out, "# without room: the cache lines of %llu accesses\n",
                (unsigned long long)h->n_no_line);
}

/* ---- as text ---- */

static void add_line(struct table *t, const struct hot *h, const struct access_line *l) {
    const struct hot_function *f = &h->function.at[l->function];
    char source[HOT_NAME];
    struct binomial in;
    double most;
    const double cycles = access_cycles(&l->sum.all), share = share_of(h, &l->sum.all, &in);
    const enum data_source from = access_mostly(&l->sum, &most);
    where_add_part(t, share, &in);
    table_addf(t, isnan(cycles) ? "-" : "%.0f", cycles);
    table_addf(t, from == DATA_UNKNOWN ? "-" : "%s %.0f%%", data_source_name(from), 100 * most);
    table_addf(t, "%u", l->n_thread);
    table_add(t, sharing_words[l->sharing]);
    table_addf(t, "0x%" PRIx64, l->line * CACHE_LINE);
    table_add(t, f->name);
    table_add(t, hot_source(f, source, sizeof(source)));
}

int where_print_accesses(const struct hot *h, const struct args *a, FILE *out) {
    static const struct table_column columns[] = {
        {"share", true, 0},       {"95% interval", true, 0}, {"cycles", true, 0},
        {"mostly from", true, 0}, {"threads", true, 0},      {"sharing", false, 0},
        {"cache line", false, 0}, {"function", false, 20},   {"source", false, 10}};
    struct access_line *line;
    struct table t;
    size_t n;
    where_print_head(h, out);
    if (!h->data.n) {
        fprintf(out, "# no sample says which address it accessed\n");
        return 0;
    }
    int rc = hot_access_lines(h, &line, &n);
    if (rc < 0)
        return rc;
    table_init(&t, columns, sizeof(columns) / sizeof(columns[0]));
    for (size_t i = 0; i < n && i < where_rows(a); i++)
        add_line(&t, h, &line[i]);
    rc = table_print(&t, out);
    table_free(&t);
    free(line);
    return rc;
}

/* ---- as CSV ---- */

int where_csv_accesses(const struct hot *h, const struct args *a, FILE *out) {
    struct access_line *line;
    struct csv c;
    size_t n;
    char text[32];
    const int rc = hot_access_lines(h, &line, &n);
    if (rc < 0)
        return rc;
    csv_init(&c, out, ",");
    csv_head(&c, "line,share,low,high,samples,stores,cycles,mostly_from,threads,functions,sharing,"
                 "function,source,source_line,file");
    for (size_t i = 0; i < n && i < where_rows(a); i++) {
        const struct access_line *l = &line[i];
        const struct hot_function *f = &h->function.at[l->function];
        struct binomial in;
        double most;
        snprintf(text, sizeof(text), "0x%" PRIx64, l->line * CACHE_LINE);
        csv_text(&c, text);
        csv_number(&c, share_of(h, &l->sum.all, &in));
        csv_number(&c, in.low);
        csv_number(&c, in.high);
        csv_integer(&c, (int64_t)l->sum.all.count.n);
        csv_integer(&c, (int64_t)l->sum.all.n_store);
        csv_number(&c, access_cycles(&l->sum.all));
        csv_text(&c, data_source_name(access_mostly(&l->sum, &most)));
        csv_integer(&c, l->n_thread);
        csv_integer(&c, l->n_function);
        csv_text(&c, sharing_words[l->sharing]);
        csv_text(&c, f->name);
        csv_text(&c, f->file);
        csv_number(&c, f->line ? f->line : (double)NAN);
        csv_text(&c, h->module.at[f->module].path);
        csv_end(&c);
    }
    free(line);
    return 0;
}

/* ---- as JSON ---- */

static void put_count(struct json_put *p, const struct hot *h, const struct access_count *c) {
    struct binomial in;
    json_put_number(p, "share", share_of(h, c, &in));
    json_put_number(p, "low", in.low);
    json_put_number(p, "high", in.high);
    json_put_integer(p, "samples", (int64_t)c->count.n);
    json_put_integer(p, "stores", (int64_t)c->n_store);
    json_put_number(p, "cycles", access_cycles(c));
}

static void put_line(struct json_put *p, const struct hot *h, const struct access_line *l) {
    const struct hot_function *f = &h->function.at[l->function];
    char text[32];
    double most;
    json_put_begin(p, NULL, '{');
    snprintf(text, sizeof(text), "0x%" PRIx64, l->line * CACHE_LINE);
    json_put_text(p, "line", text);
    put_count(p, h, &l->sum.all);
    json_put_text(p, "mostly_from", data_source_name(access_mostly(&l->sum, &most)));
    json_put_integer(p, "threads", l->n_thread);
    json_put_integer(p, "functions", l->n_function);
    json_put_text(p, "sharing", sharing_words[l->sharing]);
    snprintf(text, sizeof(text), "0x%016" PRIx64, l->bytes);
    json_put_text(p, "bytes", text);
    json_put_text(p, "function", f->name);
    json_put_integer(p, "tid", h->thread.at[l->thread].tid);
    json_put_end(p, '}');
}

static void put_sources(struct json_put *p, const struct hot *h) {
    struct access_count by[DATA_SOURCES] = {{{0}, 0, 0, 0}};
    access_by_source(h->access.at, h->access.n, by);
    json_put_begin(p, "sources", '[');
    for (int i = 0; i < DATA_SOURCES; i++) {
        if (!by[i].count.n)
            continue;
        json_put_begin(p, NULL, '{');
        json_put_text(p, "source", i ? data_source_name((enum data_source)i) : "unknown");
        put_count(p, h, &by[i]);
        json_put_end(p, '}');
    }
    json_put_end(p, ']');
}

static int put_functions(struct json_put *p, const struct hot *h) {
    struct access_sum *sum = hot_access_sums(h);
    if (!sum)
        return -ENOMEM;
    json_put_begin(p, "accesses_by_function", '[');
    for (size_t i = 0; i < h->function.n; i++) {
        if (!sum[i].all.count.n)
            continue;
        json_put_begin(p, NULL, '{');
        json_put_text(p, "name", h->function.at[i].name);
        put_count(p, h, &sum[i].all);
        json_put_begin(p, "from", '{');
        for (int k = 0; k < DATA_SOURCES; k++)
            if (sum[i].from[k] > 0)
                json_put_number(p, k ? data_source_name((enum data_source)k) : "unknown",
                                sum[i].from[k] / sum[i].all.count.weight);
        json_put_end(p, '}');
        json_put_end(p, '}');
    }
    json_put_end(p, ']');
    free(sum);
    return 0;
}

int where_put_accesses(struct json_put *p, const struct hot *h) {
    struct access_line *line;
    size_t n;
    if (!h->data.n)
        return 0;
    int rc = hot_access_lines(h, &line, &n);
    if (rc < 0)
        return rc;
    json_put_integer(p, "accesses", (int64_t)h->data.n);
    json_put_integer(p, "lines_without_room", (int64_t)h->n_no_line);
    put_sources(p, h);
    rc = put_functions(p, h);
    json_put_begin(p, "cache_lines", '[');
    for (size_t i = 0; i < n; i++)
        put_line(p, h, &line[i]);
    json_put_end(p, ']');
    free(line);
    return rc;
}
