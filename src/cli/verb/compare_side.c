/* The sides of a comparison: runs by id or by labels, or a file that `tdtop export` wrote; and a
 * check that no two of them measured the same target at the same time. */
#include "cli/verb/compare_view.h"

#include "base/clock.h"
#include "base/str.h"
#include "base/when.h"
#include "cli/file/run_import.h"
#include "db/store.h"
#include "model/compare/pool.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- overlap ---- */

static const char *or_empty(const char *t) {
    return t ? t : "";
}

static bool same_text(const char *a, const char *b) {
    return strcmp(or_empty(a), or_empty(b)) == 0;
}

/* The beginning of a session on the clock of the wall. */
static int64_t session_ns(const struct run *r) {
    return r->begun_ns - (int64_t)r->t0_ns;
}

static const char *host_of(const struct run *r) {
    const char *node = run_label_get(r, "node");
    return node ? node : run_label_get(r, "host");
}

/* Spans of one session, or of one target at the same time: recordings pass faster than that. */
static bool is_overlap(const struct run *a, const struct run *b) {
    if (!same_text(a->target, b->target) || !same_text(a->model, b->model) ||
        !same_text(a->source, b->source) || !same_text(host_of(a), host_of(b)))
        return false;
    if (session_ns(a) == session_ns(b))
        return a->t0_ns < b->t1_ns && b->t0_ns < a->t1_ns;
    return same_text(a->source, "perf") && a->begun_ns < b->ended_ns && b->begun_ns < a->ended_ns;
}

/* By what is at hand: most runs need not be read for it. */
static bool may_overlap(const struct side_span *a, const struct side_span *b) {
    return strcmp(a->id, b->id) != 0 && a->begun_ns < b->ended_ns && b->begun_ns < a->ended_ns;
}

static int read_head(struct run_pick *p, const struct side *s, const char *id, struct run *out,
                     const struct run **at, struct err *err) {
    *at = &s->run;
    if (s->kind == SIDE_RUN)
        return 0;
    *at = out;
    return store_load(&p->store, id, RUN_HEAD, out, err);
}

static int check_pair(struct run_pick *p, const struct side *a, const struct side *b,
                      const char *id_a, const char *id_b, struct err *err) {
    struct run head[2] = {0};
    const struct run *at[2];
    int rc = read_head(p, a, id_a, &head[0], &at[0], err);
    if (rc == 0)
        rc = read_head(p, b, id_b, &head[1], &at[1], err);
    if (rc == 0 && is_overlap(at[0], at[1]))
        rc =
            err_set(err, -EINVAL,
                    "runs %.8s and %.8s overlap: both have intervals of the same time of %s, which "
                    "hide the change; keep spans that begin after each other (s keeps what came "
                    "since the last change), or give --overlap",
                    id_a, id_b, or_empty(at[0]->target));
    run_free(&head[0]);
    run_free(&head[1]);
    return rc;
}

/* 0, or -EINVAL with words that name two runs, one of each side, that have
 * measured the same target at the same time. A run on both sides is none. */
static int side_check_overlap(struct run_pick *p, const struct side side[2], struct err *err) {
    int rc = 0;
    for (size_t i = 0; i < side[0].span.n && rc == 0; i++)
        for (size_t k = 0; k < side[1].span.n && rc == 0; k++)
            if (may_overlap(&side[0].span.at[i], &side[1].span.at[k]))
                rc = check_pair(p, &side[0], &side[1], side[0].span.at[i].id, side[1].span.at[k].id,
                                err);
    return rc;
}

/* What a side is asked for by. */
struct wish {
    const char *word;
    struct text_list labels;
    char name; /* 'A', 'B' */
};

static int add_span(struct side *s, const char *id, int64_t begun_ns, int64_t ended_ns,
                    struct err *err) {
    struct side_span span = {.begun_ns = begun_ns, .ended_ns = ended_ns};
    str_copy(span.id, sizeof(span.id), id);
    return array_push(&s->span, span) == 0 ? 0 : err_set(err, -ENOMEM, "compare: out of memory");
}

void side_free(struct side *s) {
    run_free(&s->run);
    array_free(&s->span);
}

/* ---- one run ---- */

static bool is_file(const char *word) {
    return strchr(word, '/') || str_ends(word, ".json");
}

/* "build=old": labels in the place of --label-a. No id has such a character; a path may. */
static bool is_filter(const char *word) {
    const size_t key = strcspn(word, "=~/");
    return word[key] && word[key] != '/' && access(word, F_OK) != 0;
}

static int open_word(struct run_pick *p, struct side *s, const char *word, struct err *err) {
    int rc = is_file(word) ? run_import_json(word, &s->run, err)
                           : run_pick_load(p, word, RUN_HEAD, &s->run, err);
    if (rc < 0)
        return rc;
    s->kind = SIDE_RUN;
    s->n_run = s->n_matched = 1;
    s->n_interval = pool_intervals(&s->run);
    s->shortest_s = s->longest_s = (double)s->run.measured_ns / 1e9;
    return add_span(s, s->run.id, s->run.begun_ns, s->run.ended_ns, err);
}

/* ---- runs by labels ---- */

/* The conditions of --filter, --label and so on, and of this side. */
static int make_filter(struct run_pick *p, const struct wish *w, struct label_filter *filter,
                       struct run_query *q, struct err *err) {
    *q = p->query;
    q->filter = filter;
    if (q->n_filter)
        memcpy(filter, p->query.filter, q->n_filter * sizeof(*filter));
    for (int i = 0; i < w->labels.n; i++) {
        int rc = label_filter_parse(w->labels.at[i], &filter[q->n_filter], err);
        if (rc < 0)
            return err_prefix(err, "--label-%c", w->name == 'A' ? 'a' : 'b'), rc;
        q->n_filter++;
    }
    return 0;
}

static int list_runs(struct run_pick *p, struct side *s, const struct wish *w,
                     struct run_list *list, struct err *err) {
    static const char *keys[] = {RUN_REEVAL_OF, NULL};
    struct label_filter *filter = calloc(3 * TEXTS_MAX, sizeof(*filter));
    struct run_query q;
    if (!filter)
        return err_set(err, -ENOMEM, "compare: out of memory");
    int rc = make_filter(p, w, filter, &q, err);
    q.limit = SIDE_RUNS_MAX;
    q.keys = keys;
    q.without_top = true;
    if (rc == 0)
        rc = store_list(&p->store, &q, list, err);
    for (size_t i = p->query.n_filter; i < q.n_filter; i++)
        label_filter_free(&filter[i]);
    free(filter);
    const long gone = rc == 0 ? run_latest(list) : 0;
    if (gone < 0)
        rc = err_set(err, -ENOMEM, "compare: out of memory");
    s->n_run = list->n;
    s->n_again = gone > 0 ? (size_t)gone : 0;
    s->n_matched = (size_t)list->total - s->n_again;
    s->more_matched = list->more;
    if (rc == 0 && list->n == 0)
        rc = err_set(err, -ENOENT,
                     "%c: no stored run has %s; tdtop list -v shows the labels there are", w->name,
                     s->labels);
    return rc;
}

static int pool_side(struct run_pick *p, struct side *s, const struct run_list *list,
                     struct err *err) {
    struct pool_of_runs pool;
    const int rc = pool_of_runs(&p->store, list, &pool, err);
    if (rc < 0)
        return rc;
    s->run = pool.run; /* taken over */
    s->kind = pool.kind;
    s->n_interval = pool.n_interval;
    s->shortest_s = pool.shortest_s;
    s->longest_s = pool.longest_s;
    return 0;
}

static int open_labels(struct run_pick *p, struct side *s, const struct wish *w, struct err *err) {
    struct run_list list = {0};
    struct strbuf sb = strbuf_on(s->labels, sizeof(s->labels));
    for (int i = 0; i < w->labels.n; i++)
        strbuf_add(&sb, "%s%s", i ? ", " : "", w->labels.at[i]);
    int rc = list_runs(p, s, w, &list, err);
    if (rc == 0)
        rc = pool_side(p, s, &list, err);
    for (size_t i = 0; i < list.n && rc == 0; i++)
        rc = add_span(s, list.row[i].id, list.row[i].begun_ns,
                      list.row[i].begun_ns + (int64_t)list.row[i].duration_ns, err);
    run_list_free(&list);
    if (rc == -EINVAL)
        err_prefix(err, "%c", w->name);
    return rc;
}

/* ---- both ---- */

static int read_wishes(const struct args *a, struct wish wish[2], struct err *err) {
    const struct text_list *labels[2] = {&a->labels_a, &a->labels_b};
    int used = 0;
    for (int i = 0; i < 2; i++) {
        wish[i] = (struct wish){.labels = *labels[i], .name = (char)('A' + i)};
        if (labels[i]->n == 0 && used < a->n_word)
            wish[i].word = a->word[used++];
        if (wish[i].word && is_filter(wish[i].word)) {
            wish[i].labels.at[wish[i].labels.n++] = wish[i].word;
            wish[i].word = NULL;
        }
        if (wish[i].labels.n == 0 && !wish[i].word)
            return err_set(err, -EINVAL,
                           "compare needs two sides: two runs (first digits of their ids, @0 for "
                           "the newest), labels (build=old), or files of tdtop export; %c is "
                           "missing",
                           wish[i].name);
    }
    if (used < a->n_word)
        return err_set(err, -EINVAL, "%s: both sides are said already, by --label-a and --label-b",
                       a->word[used]);
    return 0;
}

static bool needs_store(const struct wish wish[2]) {
    for (int i = 0; i < 2; i++)
        if (!wish[i].word || !is_file(wish[i].word))
            return true;
    return false;
}

static void note_overlap(const struct compare_view *v) {
    size_t n = 0;
    const char *one = "";
    for (size_t i = 0; i < v->side[0].span.n; i++)
        for (size_t k = 0; k < v->side[1].span.n; k++)
            if (!strcmp(v->side[0].span.at[i].id, v->side[1].span.at[k].id)) {
                one = v->side[0].span.at[i].id;
                n++;
            }
    if (n)
        cli_note("run %.8s%s %s on both sides", one, n > 1 ? " and others" : "",
                 n > 1 ? "are" : "is");
}

int side_open_all(struct compare_view *v, struct err *err) {
    struct wish wish[2];
    struct run_pick p = {0};
    int rc = read_wishes(v->a, wish, err);
    if (rc == 0 && needs_store(wish))
        rc = run_pick_open(&p, v->a, STORE_READ, err);
    for (int i = 0; i < 2 && rc == 0; i++)
        rc = wish[i].word ? open_word(&p, &v->side[i], wish[i].word, err)
                          : open_labels(&p, &v->side[i], &wish[i], err);
    if (rc == 0 && !v->a->overlap)
        rc = side_check_overlap(&p, v->side, err);
    run_pick_close(&p);
    if (rc == 0)
        note_overlap(v);
    return rc;
}

/* ---- words ---- */

/* "81 ms", "1.25 s", "1:00". */
static const char *took_words(double s, char *buf, size_t cap) {
    if (s >= 10)
        return when_duration(clock_ns_of(s), buf, cap);
    snprintf(buf, cap, s < 1 ? "%.*f ms" : "%.*f s", s < 1 ? s < 0.01 : 2, s < 1 ? s * 1e3 : s);
    return buf;
}

/* "60 intervals, 1:00", "180 intervals, 58 s to 1:02 each"; of runs of an interval each "81 ms to
 * 95 ms each". */
static void time_words(const struct side *s, struct strbuf *sb) {
    char from[32], to[32];
    const bool alike = s->longest_s < 1.01 * s->shortest_s;
    if (s->n_interval != s->n_run || s->n_run == 1)
        strbuf_add(sb, "%llu interval%s, ", (unsigned long long)s->n_interval,
                   s->n_interval == 1 ? "" : "s");
    if (s->n_run == 1) {
        strbuf_add(sb, "%s", took_words((double)s->run.measured_ns / 1e9, to, sizeof(to)));
        return;
    }
    took_words(s->shortest_s, from, sizeof(from));
    took_words(s->longest_s, to, sizeof(to));
    strbuf_add(sb, "%s%s%s each", from, alike ? "" : " to ", alike ? "" : to);
}

const char *side_words(const struct side *s, char *buf, size_t cap) {
    const struct run *r = &s->run;
    char when[32], target[160];
    struct strbuf sb = strbuf_on(buf, cap);
    if (s->n_run == 1)
        strbuf_add(&sb, "run %.8s of %s: %s%s; ", r->id, when_text(r->begun_ns, when, sizeof(when)),
                   str_safe(target, sizeof(target), r->target[0] ? r->target : r->process),
                   r->simulated ? " (SIMULATED)" : "");
    else
        strbuf_add(&sb, "%zu runs of %s with %s%s; ", s->n_run,
                   str_safe(target, sizeof(target), r->process ? r->process : ""), s->labels,
                   r->simulated ? " (SIMULATED)" : "");
    time_words(s, &sb);
    if (s->n_matched > s->n_run)
        strbuf_add(&sb, "; the newest of %s%zu", s->more_matched ? "more than " : "", s->n_matched);
    if (s->n_again)
        strbuf_add(&sb, "; not counted twice: %zu that %s evaluated again", s->n_again,
                   s->n_again == 1 ? "was" : "were");
    return buf;
}

const char *side_samples(const struct side *s) {
    static const char *const words[] = {
        [SIDE_RUN] = "",
        [SIDE_RUNS] = "each run is one sample: what differs from run to run is in the ±",
        [SIDE_INTERVALS] = "their intervals are the samples: what differs from run to run is not "
                           "in the ±; three runs or more would show it",
        [SIDE_VALUES] = "their values are weighted by time, because they did not count the same "
                        "way; what differs from run to run is not in the ±",
    };
    return words[s->kind];
}
