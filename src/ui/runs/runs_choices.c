#include "ui/runs/runs_choices.h"

#include "base/str.h"
#include "ui/draw/label_text.h"
#include "ui/draw/words.h"
#include "ui/runs/runs_view.h"
#include "ui/screen/choose.h"
#include "ui/screen/screen.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_VALUES = 24 /* of a label: more are no choice */ };

static struct runs *list_of(const struct screen *sc) {
    return &sc->runs->list;
}

static void open_or_say(struct screen *sc, const char *why_not) {
    if (!choose_open(sc))
        screen_say(sc, "%s", why_not);
}

/* ---- labels ---- */

/* The values of a label in the runs that are meant; or in all that would be without what the filter
 * says of this label. */
static int read_values(struct runs *r, const char *key, bool all, struct run_group_list *out) {
    struct label_filter filter[RUNS_FILTERS + 1];
    struct run_query q = runs_query(r, NULL, filter);
    struct err err;
    size_t n = 0;
    for (size_t i = 0; i < q.n_filter; i++)
        if (!all || strcmp(filter[i].key, key) != 0)
            filter[n++] = filter[i];
    q.n_filter = n;
    r->queries++;
    return store_groups(&r->store, &q, key, out, &err);
}

static bool is_choice(const struct run_group_list *l) {
    return l->n > 1 && l->n <= MOST_VALUES;
}

typedef void add_label(struct screen *sc, const char *key, const struct run_group_list *values);

/* Calls each label of the runs with its values: those of the user's first. */
static void each_label(struct screen *sc, bool all, add_label *add) {
    struct runs *r = list_of(sc);
    for (int automatic = 0; automatic < 2; automatic++)
        for (unsigned i = 0; i < r->survey.n_label; i++) {
            struct run_group_list l;
            const struct survey_label *label = &r->survey.label[i];
            if (label->automatic != automatic || read_values(r, label->key, all, &l) < 0)
                continue;
            add(sc, label->key, &l);
            run_group_list_free(&l);
        }
}

/* ---- groups ---- */

static void add_key(struct screen *sc, const char *key, const struct run_group_list *l) {
    char words[160], safe[64];
    struct strbuf sb = strbuf_on(words, sizeof(words));
    const bool on = strcmp(key, list_of(sc)->key) == 0;
    if (l->n < 2 && !on)
        return;
    for (size_t i = 0; i < l->n && i < 6; i++)
        strbuf_add(&sb, "%s%s", i ? " " : "",
                   l->group[i].value ? str_safe(safe, sizeof(safe), l->group[i].value) : "-");
    if (l->n > 6)
        strbuf_add(&sb, " ... %zu in all", l->n);
    choose_add(sc, key, words, on);
}

static const char no_groups[] = "no groups";

static void grouped(struct screen *sc, const char *text, int at) {
    struct runs *r = list_of(sc);
    runs_group_by(r, at >= 0 && strcmp(text, no_groups) == 0 ? "" : text);
    if (text[0] && r->n_group == 1 && !r->group[0].value && r->key[0])
        screen_say(sc, "no run has a label %.60s", text);
}

void runs_key_group(struct screen *sc) {
    choose_begin(sc, "Group by", grouped);
    each_label(sc, false, add_key);
    if (list_of(sc)->key[0])
        choose_add(sc, no_groups, "", false);
    open_or_say(sc, "no label differs from run to run");
}

/* ---- the filter ---- */

/* Takes the conditions that are of a key out of a filter; returns whether `same` was among them. */
static bool without_key(const char *text, const char *key, const char *same, char *out,
                        size_t cap) {
    struct strbuf sb = strbuf_on(out, cap);
    char word[512];
    bool found = false;
    out[0] = '\0';
    for (const char *at = text, *begin = at; label_text_next(&at, word, sizeof(word)); begin = at) {
        struct label_filter f;
        struct err err;
        begin += strspn(begin, " ");
        const bool is = strcmp(word, "is:removed") != 0 && label_filter_parse(word, &f, &err) == 0;
        const bool of_key = is && strcmp(f.key, key) == 0;
        if (is)
            label_filter_free(&f);
        found |= strncmp(begin, same, strlen(same)) == 0 && (size_t)(at - begin) >= strlen(same) &&
                 strspn(begin + strlen(same), " ") == (size_t)(at - begin) - strlen(same);
        if (!of_key)
            strbuf_add(&sb, "%s%.*s", sb.n ? " " : "", (int)(at - begin), begin);
    }
    return found;
}

static void add_condition(struct screen *sc, const char *key, const char *text, uint64_t n) {
    char words[32], rest[512];
    snprintf(words, sizeof(words), "%llu run%s", (unsigned long long)n, n == 1 ? "" : "s");
    choose_add(sc, text, words,
               without_key(list_of(sc)->filter_text, key, text, rest, sizeof(rest)));
}

static void add_values(struct screen *sc, const char *key, const struct run_group_list *l) {
    char text[512];
    if (!is_choice(l))
        return;
    for (size_t i = 0; i < l->n; i++) {
        text[0] = '\0';
        if (!l->group[i].value)
            snprintf(text, sizeof(text), "!%s", key);
        else if (!label_text_add(text, sizeof(text), key, l->group[i].value))
            continue;
        add_condition(sc, key, text, l->group[i].n);
    }
}

static const char all_runs[] = "all runs";

/* What was chosen takes the place of other conditions on the label; again, it goes. */
static void filtered(struct screen *sc, const char *text, int at) {
    struct runs *r = list_of(sc);
    char rest[512], whole[sizeof(r->filter_text)];
    struct label_filter f;
    struct err err = {0};
    str_copy(whole, sizeof(whole), at >= 0 && strcmp(text, all_runs) == 0 ? "" : text);
    if (at >= 0 && whole[0] && label_filter_parse(text, &f, &err) == 0) {
        const bool was = without_key(r->filter_text, f.key, text, rest, sizeof(rest));
        struct strbuf sb = strbuf_on(whole, sizeof(whole));
        strbuf_add(&sb, "%s%s%s", rest, rest[0] && !was ? " " : "", was ? "" : text);
        label_filter_free(&f);
    }
    if (runs_filter(r, whole, &err) < 0)
        screen_say(sc, "%s", err.text);
}

void runs_key_filter(struct screen *sc) {
    choose_begin(sc, "Filter", filtered);
    each_label(sc, true, add_values);
    if (list_of(sc)->filter_text[0])
        choose_add(sc, all_runs, "", false);
    open_or_say(sc, "no label differs from run to run");
}

/* ---- the order ---- */

static void say_sort(struct screen *sc) {
    const struct runs *r = list_of(sc);
    const bool time = runs_sorts[r->sort].order == BY_TIME, down = runs_descend(r);
    screen_say(sc, "by %s, %s first",
               r->sort == RUNS_SORT_METRIC ? r->metric : runs_sorts[r->sort].name,
               time   ? down ? "newest" : "oldest"
               : down ? "highest"
                      : "lowest");
}

static const char *name_of_sort(const struct runs *r, int i) {
    return i == RUNS_SORT_METRIC ? r->metric : runs_sorts[i].name;
}

static void sorted(struct screen *sc, const char *text, int at) {
    struct runs *r = list_of(sc);
    (void)text;
    if (at < 0)
        return;
    if (at == r->sort)
        runs_invert(r);
    else
        runs_sort_by(r, at);
    say_sort(sc);
}

void runs_key_sort(struct screen *sc) {
    const struct runs *r = list_of(sc);
    choose_begin(sc, "Sort by", sorted);
    for (int i = 0; i < RUNS_SORTS; i++)
        choose_add(sc, name_of_sort(r, i), i == r->sort ? "again: reversed" : "", i == r->sort);
    choose_open(sc);
}

void runs_key_invert(struct screen *sc) {
    runs_invert(list_of(sc));
    say_sort(sc);
}

/* ---- metrics ---- */

/* The run that is selected, or the newest. */
static bool find_run(struct runs *r, char id[RUN_ID_LEN + 1]) {
    static const char *no_labels[] = {NULL};
    const struct run_row *row = runs_row(r, (uint64_t)r->rows.at);
    struct label_filter filter[RUNS_FILTERS + 1];
    struct run_query q = runs_query(r, NULL, filter);
    struct run_list l;
    struct err err;
    if (row) {
        memcpy(id, row->id, RUN_ID_LEN + 1);
        return true;
    }
    q.order = BY_TIME;
    q.metric = q.by = NULL;
    q.keys = no_labels;
    q.without_top = true;
    q.limit = 1;
    if (store_list(&r->store, &q, &l, &err) < 0)
        return false;
    const bool found = l.n > 0;
    if (found)
        memcpy(id, l.row[0].id, RUN_ID_LEN + 1);
    run_list_free(&l);
    return found;
}

void runs_choose_metric(struct screen *sc,
                        void (*done)(struct screen *sc, const char *text, int at)) {
    struct runs *r = list_of(sc);
    char id[RUN_ID_LEN + 1], value[48];
    struct run run;
    struct err err;
    choose_begin(sc, "Metric", done);
    if (r->state == RUNS_READY && find_run(r, id) &&
        store_load(&r->store, id, RUN_HEAD, &run, &err) == 0) {
        for (size_t i = 0; i < run.node.n; i++) {
            const struct run_node *n = &run.node.at[i];
            const struct metric mt = {.name = n->name, .share = n->share, .unit = n->unit};
            if (!isnan(n->value.v))
                choose_add(sc, n->name, words_value(value, sizeof(value), &mt, n->value.v),
                           strcasecmp(n->name, r->metric) == 0);
        }
        choose_add(sc, RUN_ELAPSED, "", strcmp(RUN_ELAPSED, r->metric) == 0);
        run_free(&run);
    }
    open_or_say(sc, "there is no run");
}
