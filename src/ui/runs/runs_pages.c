#include "ui/runs/runs_pages.h"

#include "base/str.h"

#include <errno.h>
#include <math.h>
#include <string.h>

/* ---- lines ---- */

static uint64_t heading_lines(const struct runs *r) {
    return r->key[0] ? 1 : 0;
}

void pages_lines(struct runs *r) {
    r->rows.n = 0;
    for (uint32_t i = 0; i < r->n_group; i++) {
        struct runs_group *g = &r->group[i];
        g->line = (uint64_t)r->rows.n;
        r->rows.n += (int)(heading_lines(r) + (g->open ? g->n : 0));
    }
}

/* The last group that begins at the line or before it. */
struct runs_group *runs_group_of(const struct runs *r, uint64_t line) {
    uint32_t lo = 0, hi = r->n_group;
    if (line >= (uint64_t)r->rows.n)
        return NULL;
    while (lo + 1 < hi) {
        const uint32_t mid = lo + (hi - lo) / 2;
        if (r->group[mid].line <= line)
            lo = mid;
        else
            hi = mid;
    }
    return hi ? &r->group[lo] : NULL;
}

const struct runs_group *runs_heading(const struct runs *r, uint64_t line) {
    const struct runs_group *g = r->key[0] ? runs_group_of(r, line) : NULL;
    return g && g->line == line ? g : NULL;
}

/* ---- pages ---- */

static const struct runs_page *find_page(const struct runs *r, uint32_t group, uint64_t from) {
    for (int i = 0; i < RUNS_PAGES; i++)
        if (r->page[i].used && r->page[i].group == group && r->page[i].from == from)
            return &r->page[i];
    return NULL;
}

const struct run_row *runs_row(const struct runs *r, uint64_t line) {
    const struct runs_group *g = runs_group_of(r, line);
    if (!g || line < g->line + heading_lines(r))
        return NULL;
    const uint64_t at = line - g->line - heading_lines(r);
    const struct runs_page *p = find_page(r, (uint32_t)(g - r->group), at / RUNS_PAGE * RUNS_PAGE);
    return p && at - p->from < p->list.n ? &p->list.row[at - p->from] : NULL;
}

void pages_drop(struct runs *r) {
    for (int i = 0; i < RUNS_PAGES; i++) {
        run_list_free(&r->page[i].list);
        r->page[i].used = 0;
    }
}

/* A place for a page: the one that was not looked at for the longest time. */
static struct runs_page *take_place(struct runs *r) {
    struct runs_page *oldest = &r->page[0];
    for (int i = 1; i < RUNS_PAGES; i++)
        if (r->page[i].used < oldest->used)
            oldest = &r->page[i];
    run_list_free(&oldest->list);
    oldest->used = 0;
    return oldest;
}

struct run_query runs_query(const struct runs *r, const struct runs_group *of,
                            struct label_filter *extra) {
    union { /* a filter only reads its texts */
        const char *from;
        char *to;
    } key = {.from = r->key}, value = {.from = of ? of->value : NULL};
    const struct runs_sort *s = &runs_sorts[r->sort];
    struct run_query q = {.filter = extra, .n_filter = r->n_filter, .order = s->order};
    memcpy(extra, r->filter, r->n_filter * sizeof(*extra));
    if (of && r->key[0])
        extra[q.n_filter++] = (struct label_filter){
            .key = key.to, .value = value.to, .op = of->value ? LABEL_IS : LABEL_MISSING};
    q.text = r->text[0] ? r->text : NULL;
    q.metric = r->metric[0] ? r->metric : NULL;
    q.by = s->metric;
    q.ascending = !runs_descend(r);
    q.removed = r->removed;
    return q;
}

/* ---- the metric beside the rest ---- */

static const struct run_row *any_row(const struct runs *r) {
    for (int i = 0; i < RUNS_PAGES; i++)
        for (size_t k = 0; r->page[i].used && k < r->page[i].list.n; k++)
            if (!isnan(r->page[i].list.row[k].value))
                return &r->page[i].list.row[k];
    return NULL;
}

/* One of the newest, else of all. */
static bool ask_for_one(struct runs *r, char id[RUN_ID_LEN + 1]) {
    enum { NEWEST = 16 };
    static const char *no_labels[] = {NULL};
    struct label_filter filter[RUNS_FILTERS + 1];
    struct run_query q = runs_query(r, NULL, filter);
    struct run_list l;
    struct err err;
    bool found = false;
    q.by = NULL;
    q.ascending = false;
    q.without_top = true;
    q.keys = no_labels;
    for (int i = 0; i < 2 && !found && q.metric; i++) {
        q.order = i ? BY_METRIC : BY_TIME;
        q.limit = i ? 1 : NEWEST;
        r->queries++;
        if (store_list(&r->store, &q, &l, &err) < 0)
            return false;
        for (size_t k = 0; k < l.n && !found; k++)
            if ((found = !isnan(l.row[k].value)))
                str_copy(id, RUN_ID_LEN + 1, l.row[k].id);
        run_list_free(&l);
    }
    return found;
}

/* Asks for one run where no page is read: all groups are closed. */
static bool any_id(struct runs *r, bool looks, char id[RUN_ID_LEN + 1]) {
    const struct run_row *row = any_row(r);
    if (row)
        str_copy(id, RUN_ID_LEN + 1, row->id);
    return row || (looks && ask_for_one(r, id));
}

void pages_shape(struct runs *r, bool looks) {
    char id[RUN_ID_LEN + 1];
    struct run run;
    struct err err;
    if (!any_id(r, looks, id))
        return;
    if (run_is_elapsed(r->metric)) {
        r->has_shape = true;
        r->share = false;
        str_copy(r->unit, sizeof(r->unit), "s");
        return;
    }
    if (store_load(&r->store, id, RUN_HEAD, &run, &err) < 0)
        return;
    for (size_t i = 0; i < run.node.n && !r->has_shape; i++) {
        const struct run_node *n = &run.node.at[i];
        if (strcasecmp(n->name, r->metric) != 0 && strcasecmp(n->path, r->metric) != 0)
            continue;
        r->has_shape = true;
        r->share = n->share;
        str_copy(r->unit, sizeof(r->unit), n->unit);
    }
    run_free(&run);
}

/* ---- reading ---- */

int pages_read(struct runs *r, uint32_t group, uint64_t from) {
    struct label_filter filter[RUNS_FILTERS + 1];
    struct run_query q = runs_query(r, &r->group[group], filter);
    struct runs_page *p = take_place(r);
    q.skip = from;
    q.limit = RUNS_PAGE;
    r->queries++;
    const int rc = store_list(&r->store, &q, &p->list, &r->err);
    if (rc < 0)
        return rc;
    p->group = group;
    p->from = from;
    p->used = ++r->clock;
    if (!r->key[0]) {
        r->group[group].n = p->list.total;
        r->more = p->list.more;
        r->newest = p->list.newest;
    }
    if (!r->has_shape)
        pages_shape(r, false);
    return 0;
}

static void touch(struct runs *r, uint32_t group, uint64_t from) {
    for (int i = 0; i < RUNS_PAGES; i++)
        if (r->page[i].used && r->page[i].group == group && r->page[i].from == from)
            r->page[i].used = ++r->clock;
}

/* Rows from..to of a group. */
static int fetch_group(struct runs *r, uint32_t group, uint64_t from, uint64_t to) {
    int rc = 0;
    for (uint64_t at = from / RUNS_PAGE * RUNS_PAGE; at < to && rc == 0; at += RUNS_PAGE)
        if (find_page(r, group, at))
            touch(r, group, at);
        else
            rc = pages_read(r, group, at);
    return rc;
}

void runs_fetch(struct runs *r, uint64_t from, uint64_t n) {
    const struct runs_group *first = runs_group_of(r, from);
    const uint64_t end = from + n < (uint64_t)r->rows.n ? from + n : (uint64_t)r->rows.n;
    int rc = 0;
    if (!first || r->state != RUNS_READY)
        return;
    for (uint32_t i = (uint32_t)(first - r->group); i < r->n_group && rc == 0; i++) {
        const struct runs_group *g = &r->group[i];
        const uint64_t begin = g->line + heading_lines(r);
        if (g->line >= end)
            break;
        if (!g->open || g->n == 0 || end <= begin)
            continue;
        const uint64_t a = from > begin ? from - begin : 0, b = end - begin;
        rc = fetch_group(r, i, a, b < g->n ? b : g->n);
    }
    if (rc < 0)
        r->state = RUNS_FAILED;
}
