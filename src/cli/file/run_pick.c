#include "cli/file/run_pick.h"

#include "base/str.h"
#include "base/thread.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- the store ---- */

/* Others may hold the lock for long (db vacuum); nothing is given up but by Ctrl-C. */
static bool go_on_waiting(void *user, double waited_s) {
    struct run_pick *p = user;
    if (waited_s >= 1 && !p->waits) {
        cli_note("%s: waiting for another tdtop that writes there", p->store.path);
        p->waits = true;
    }
    return !thread_end_waits();
}

static int add_filter(struct run_pick *p, const char *option, const char *text, struct err *err) {
    int rc = label_filter_parse(text, &p->filter[p->query.n_filter], err);
    if (rc < 0)
        return err_prefix(err, "--%s", option), rc;
    p->query.n_filter++;
    return 0;
}

/* --label chooses by equality; more is for --filter. */
static int add_label(struct run_pick *p, const char *option, const char *text, struct err *err) {
    const size_t key = strcspn(text, "!=~");
    if (text[key] != '=')
        return err_set(err, -EINVAL, "--%s %s: it takes KEY=VALUE; --filter takes more", option,
                       text);
    return add_filter(p, option, text, err);
}

static int make_query(struct run_pick *p, const struct args *a, struct err *err) {
    p->query = (struct run_query){.filter = p->filter, .process = a->name};
    p->query.since_ns = a->since_ns;
    p->query.until_ns = a->until_ns;
    p->query.removed = a->removed;
    if (a->since_ns && a->until_ns && a->since_ns > a->until_ns)
        return err_set(err, -EINVAL, "--since is after --until; no run can be both");
    int rc = 0;
    for (int i = 0; i < a->filters.n && rc == 0; i++)
        rc = add_filter(p, "filter", a->filters.at[i], err);
    for (int i = 0; i < a->labels.n && rc == 0; i++)
        rc = add_label(p, "label", a->labels.at[i], err);
    return rc;
}

int run_pick_open(struct run_pick *p, const struct args *a, enum store_mode mode, struct err *err) {
    *p = (struct run_pick){0};
    int rc = make_query(p, a, err);
    if (rc == 0 && (rc = store_open(&p->store, a->db, mode, err)) == -EINVAL)
        rc = err ? (err->code = -EIO) : -EIO; /* what is no store is not a slip of the pen */
    if (rc == 0)
        store_on_wait(&p->store, go_on_waiting, p);
    else
        run_pick_close(p);
    return rc;
}

bool run_pick_has_conditions(const struct args *a) {
    return a->filters.n || a->labels.n || a->name || a->since_ns || a->until_ns;
}

size_t store_say_outbox(struct store *st, size_t *said) {
    struct store_outbox o;
    store_outbox(st, &o);
    if (o.sent)
        cli_note("%zu run%s that had waited %s sent", o.sent, o.sent == 1 ? "" : "s",
                 o.sent == 1 ? "was" : "were");
    const bool says = o.waiting && (*said == 0 || o.waiting >= 2 * *said);
    if (says)
        cli_note("%zu run%s on this host and will be sent%s%s", o.waiting,
                 o.waiting == 1 ? " waits" : "s wait", o.why.text[0] ? ": " : "", o.why.text);
    if (says || o.waiting < *said)
        *said = o.waiting;
    return o.waiting;
}

size_t run_pick_say_outbox(struct run_pick *p) {
    return store_say_outbox(&p->store, &p->said_waiting);
}

uint64_t run_pick_most(const struct run_pick *p, const struct args *a) {
    return store_is_file(&p->store) || a->limit == 0 ? 0 : STORE_COUNTED;
}

void run_pick_say_newest(const struct run_list *l) {
    fflush(stdout);
    if (l->newest)
        cli_note("sorted among the newest %llu runs of more; a filter, --since or --until chooses "
                 "others, -n 0 takes all",
                 (unsigned long long)l->total);
}

void run_pick_close(struct run_pick *p) {
    run_pick_say_outbox(p);
    store_close(&p->store);
    for (size_t i = 0; i < p->query.n_filter; i++)
        label_filter_free(&p->filter[i]);
    *p = (struct run_pick){0};
}

/* ---- one run ---- */

/* To a verb, a word that names several runs, or can name none, is as good as one that names none.
 */
static int not_found(int rc, struct err *err) {
    if (rc != -EINVAL)
        return rc;
    if (err)
        err->code = -ENOENT;
    return -ENOENT;
}

int run_pick_find(struct run_pick *p, const char *word, char id[RUN_ID_LEN + 1], struct err *err) {
    return not_found(store_find(&p->store, word, id, err), err);
}

int run_pick_find_removed(struct run_pick *p, const char *word, char id[RUN_ID_LEN + 1],
                          struct err *err) {
    return not_found(store_find_deleted(&p->store, word, id, err), err);
}

int run_pick_load(struct run_pick *p, const char *word, unsigned parts, struct run *out,
                  struct err *err) {
    char id[RUN_ID_LEN + 1];
    *out = (struct run){0};
    int rc = run_pick_find(p, word, id, err);
    return rc < 0 ? rc : store_load(&p->store, id, parts, out, err);
}

static int none_matches(const struct run_pick *p, const struct text_list *labels, struct err *err) {
    const struct run_query *q = &p->query;
    const bool asked = q->n_filter || q->process || q->since_ns || q->until_ns;
    char words[256];
    struct strbuf sb = strbuf_on(words, sizeof(words));
    for (int i = 0; labels && i < labels->n; i++)
        strbuf_add(&sb, "%s%s", i ? ", " : " has ", labels->at[i]);
    if (!asked && !words[0])
        return err_set(err, -ENOENT, "%s: no run is stored; tdtop collect makes one",
                       p->store.path);
    return err_set(err, -ENOENT, "%s: no stored run%s%s; tdtop list shows which there are",
                   p->store.path, words,
                   q->n_filter ? " matches the filter"
                   : asked     ? " matches"
                               : "");
}

int run_pick_newest(struct run_pick *p, const struct text_list *labels, char id[RUN_ID_LEN + 1],
                    struct err *err) {
    const size_t asked = p->query.n_filter;
    const size_t room = sizeof(p->filter) / sizeof(p->filter[0]);
    struct run_query q;
    struct run_list list = {0};
    static const char *no_keys[] = {NULL};
    int rc = 0;
    for (int i = 0; labels && i < labels->n && rc == 0; i++)
        rc = p->query.n_filter < room
                 ? add_label(p, "label", labels->at[i], err)
                 : err_set(err, -EINVAL, "more than %zu conditions on labels", room);
    q = p->query;
    q.limit = 1;
    q.keys = no_keys;
    q.without_top = true;
    if (rc == 0)
        rc = store_list(&p->store, &q, &list, err);
    if (rc == 0 && list.n == 0)
        rc = none_matches(p, labels, err);
    if (rc == 0)
        str_copy(id, RUN_ID_LEN + 1, list.row[0].id);
    run_list_free(&list);
    while (p->query.n_filter > asked)
        label_filter_free(&p->filter[--p->query.n_filter]);
    return rc;
}

/* ---- metrics ---- */

const struct run_node *run_pick_node(const struct run *r, const char *name) {
    for (size_t i = 0; i < r->node.n; i++)
        if (!strcmp(r->node.at[i].name, name) || !strcmp(r->node.at[i].path, name))
            return &r->node.at[i];
    return NULL;
}

/* How far it is from what was written; FAR: it is another word. Either may be the
 * begin of the other: that is near, too. */
enum { NEAR = 2, SHARED = 3, FAR = 100 };

static int how_far(const char *written, const char *name) {
    const size_t n = strlen(written), m = strlen(name), least = n < m ? n : m;
    if (str_same_name(written, name))
        return 0;
    const int d = str_distance(written, name);
    if (d <= NEAR && (size_t)d * 2 <= least)
        return d;
    return least >= SHARED && strncasecmp(written, name, least) == 0 ? NEAR + 1 : FAR;
}

/* -ENOENT with words: the run has no such metric; did you mean ...? */
static int no_such_node(const struct run *r, const char *name, struct err *err) {
    const char *best = NULL;
    char safe[64];
    int least = FAR;
    for (size_t i = 0; i < r->node.n; i++) {
        const int d = how_far(name, r->node.at[i].name);
        if (d < least) {
            least = d;
            best = r->node.at[i].name;
        }
    }
    return err_set(err, -ENOENT,
                   "%s: run %.8s has no such metric; %s%s%stdtop query %.8s --tree -v shows them",
                   str_safe(safe, sizeof(safe), name), r->id, best ? "did you mean " : "",
                   best ? best : "", best ? "? " : "", r->id);
}

static const struct run_row *first_with(const struct run_list *list) {
    for (size_t i = 0; i < list->n; i++)
        if (!isnan(list->row[i].value))
            return &list->row[i];
    return NULL;
}

int run_pick_shape(struct run_pick *p, const struct run_list *list, const char *name,
                   struct metric_shape *out, struct err *err) {
    struct run r = {0};
    const struct run_row *row = first_with(list);
    *out = (struct metric_shape){0};
    if (!row && list->n == 0)
        return none_matches(p, NULL, err);
    if (run_is_elapsed(name)) {
        str_copy(out->unit, sizeof(out->unit), "s");
        return row ? 0
                   : err_set(err, -ENOENT,
                             "%s: none of these runs is of a command that ended by itself; tdtop "
                             "collect -- COMMAND makes one",
                             name);
    }
    int rc = store_load(&p->store, row ? row->id : list->row[0].id, RUN_HEAD, &r, err);
    const struct run_node *n = rc == 0 ? run_pick_node(&r, name) : NULL;
    if (n) {
        out->share = n->share;
        str_copy(out->unit, sizeof(out->unit), n->unit);
    } else if (rc == 0) {
        rc = no_such_node(&r, name, err);
    }
    run_free(&r);
    return rc;
}

/* ---- the end ---- */

int run_pick_exit(const struct err *err) {
    fflush(stdout);
    cli_error(err);
    return err->code == -EINVAL ? EXIT_USAGE : EXIT_ERROR;
}

/* ---- runs of one value of a label together ---- */

struct grouped {
    const char *value; /* NULL: without the label */
    const struct run_row *row;
    size_t at;
};

static int by_value(const void *a, const void *b) {
    const struct grouped *x = a, *y = b;
    if (!x->value != !y->value)
        return x->value ? -1 : 1;
    const int by_name = x->value ? strcmp(x->value, y->value) : 0;
    return by_name ? by_name : x->at < y->at ? -1 : 1;
}

int run_pick_group(const struct run_row **row, size_t n, const char *key) {
    struct grouped *g = calloc(n + 1, sizeof(*g));
    if (!g)
        return -ENOMEM;
    for (size_t i = 0; i < n; i++)
        g[i] = (struct grouped){key ? run_row_label(row[i], key) : NULL, row[i], i};
    qsort(g, n, sizeof(*g), by_value);
    for (size_t i = 0; i < n; i++)
        row[i] = g[i].row;
    free(g);
    return 0;
}

bool run_pick_same(const struct run_row *x, const struct run_row *y, const char *key) {
    const char *a = key ? run_row_label(x, key) : NULL, *b = key ? run_row_label(y, key) : NULL;
    return a && b ? !strcmp(a, b) : a == b;
}
