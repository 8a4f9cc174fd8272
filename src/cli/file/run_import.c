/* The format of docs/STORE.md, "Run as JSON", read strictly: a file may have come from anywhere. */
#include "cli/file/run_import.h"

#include "base/err.h"
#include "base/str.h"
#include "db/store_names.h"
#include "model/run/run.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct reader {
    const char *path;
    char at[64]; /* "nodes[3]." */
    struct err *err;
    int rc;
};

/* Times whose sums and differences 64 bits hold: 146 years. */
#define NS_MAX ((int64_t)1 << 62)

/* ---- members of an object ---- */

/* key: what is wrong; wanted: what should be there. */
static void wrong(struct reader *rd, const char *key, const char *wanted) {
    if (rd->rc < 0)
        return;
    rd->rc =
        err_set(rd->err, -EINVAL, "%s: %s%s: %s; export the run again, the file was changed or cut",
                rd->path, rd->at, key, wanted);
}

static void no_memory(struct reader *rd) {
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
    wrong(rd, key, words);
}

static char *get_raw(struct reader *rd, const json_t *o, const char *key) {
    const char *s = json_string_value(json_object_get(o, key));
    if (!s)
        wrong(rd, key, "a text is wanted");
    char *copy = strdup(s ? s : "");
    if (!copy)
        no_memory(rd);
    return copy;
}

/* malloc'ed. A text has no control characters but newline and tab; raw is the text of a model,
 * which is checked where it is loaded. */
static char *get_text(struct reader *rd, const json_t *o, const char *key) {
    char *s = get_raw(rd, o, key);
    if (s)
        check_text(rd, key, s);
    return s;
}

/* The text itself, as long as the object lives; never NULL. */
static const char *get_peek(struct reader *rd, const json_t *o, const char *key) {
    const char *s = json_string_value(json_object_get(o, key));
    if (!s)
        wrong(rd, key, "a text is wanted");
    else
        check_text(rd, key, s);
    return s ? s : "";
}

static int64_t get_int(struct reader *rd, const json_t *o, const char *key, int64_t min,
                       int64_t max) {
    const json_t *v = json_object_get(o, key);
    const int64_t n = json_integer_value(v);
    if (json_is_integer(v) && n >= min && n <= max)
        return n;
    wrong(rd, key,
          min < 0 ? "a whole number is wanted, not too large on either side of 0"
                  : "a whole number of 0 or more is wanted, not too large");
    return 0;
}

static uint64_t get_ns(struct reader *rd, const json_t *o, const char *key) {
    return (uint64_t)get_int(rd, o, key, 0, NS_MAX);
}

static bool get_bool(struct reader *rd, const json_t *o, const char *key) {
    const json_t *v = json_object_get(o, key);
    if (!json_is_boolean(v))
        wrong(rd, key, "true or false is wanted");
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
        wrong(rd, key, "a number or null is wanted");
    return NAN;
}

/* null: NAN */
static double get_real(struct reader *rd, const json_t *o, const char *key) {
    return real_of(rd, json_object_get(o, key), key);
}

/* An array, or NULL if there is none; never longer than max. */
static const json_t *get_list(struct reader *rd, const json_t *o, const char *key, size_t max) {
    const json_t *v = json_object_get(o, key);
    if (!json_is_array(v))
        wrong(rd, key, "a list is wanted");
    else if (json_array_size(v) > max)
        wrong(rd, key, "the list is too long");
    else
        return v;
    return NULL;
}

/* The i-th object of a list; what is wrong in it is said with its place. NULL: the end, or a
 * mistake before. */
static const json_t *get_item(struct reader *rd, const json_t *list, const char *key, size_t i) {
    if (rd->rc < 0 || i >= json_array_size(list)) {
        rd->at[0] = '\0';
        return NULL;
    }
    snprintf(rd->at, sizeof(rd->at), "%s[%zu].", key, i);
    return json_array_get(list, i);
}

/* ---- counts: events, slots and intervals ---- */

static void read_events(struct reader *rd, const json_t *list, struct run *r) {
    const json_t *e;
    for (size_t i = 0; (e = get_item(rd, list, "events", i)); i++) {
        const int state = store_count_state_find(get_peek(rd, e, "state"));
        if (state < 0)
            wrong(rd, "state", "no state of a count has this name");
        r->event[i] = get_text(rd, e, "name");
        r->layout.missing[i] = (uint8_t)(state < 0 ? COUNT_ABSENT : state);
    }
}

static void read_slots(struct reader *rd, const json_t *list, struct layout *l) {
    const json_t *s;
    for (size_t i = 0; (s = get_item(rd, list, "slots", i)); i++) {
        const bool none = json_is_null(json_object_get(s, "event"));
        const int64_t e = none ? SLOT_NO_EVENT : get_int(rd, s, "event", 0, UINT16_MAX - 1);
        if (!none && e >= l->n_event)
            wrong(rd, "event", "there are fewer events");
        l->slot[i].event = (uint16_t)e;
        l->slot[i].group = (uint16_t)get_int(rd, s, "group", 0, UINT16_MAX);
        if (l->slot[i].group >= l->n_group)
            wrong(rd, "group", "there are fewer groups");
    }
}

static void read_layout(struct reader *rd, const json_t *o, struct run *r) {
    const json_t *event = get_list(rd, o, "events", UINT16_MAX - 1);
    const json_t *slot = get_list(rd, o, "slots", UINT16_MAX);
    const uint32_t n_event = (uint32_t)json_array_size(event);
    const uint32_t n_slot = (uint32_t)json_array_size(slot);
    const uint32_t n_group = (uint32_t)get_int(rd, o, "n_group", 0, UINT16_MAX);
    if (rd->rc < 0)
        return;
    r->event = calloc(n_event + 1u, sizeof(*r->event));
    if (!r->event || layout_init(&r->layout, n_event, COUNT_ABSENT, n_slot) < 0) {
        no_memory(rd);
        return;
    }
    r->layout.n_slot = n_slot;
    r->layout.n_group = n_group;
    if (json_object_get(o, "n_pinned")) /* the first exports did not say it */
        r->layout.n_pinned = (uint16_t)get_int(rd, o, "n_pinned", 0, n_group);
    r->layout.no_perf_metrics = get_bool(rd, o, "no_perf_metrics");
    read_events(rd, event, r);
    read_slots(rd, slot, &r->layout);
}

static uint64_t time_at(struct reader *rd, const json_t *list, size_t i, const char *key) {
    const json_t *v = json_array_get(list, i);
    const json_int_t ns = json_integer_value(v);
    if (!json_is_integer(v) || ns < 0 || ns > NS_MAX)
        wrong(rd, key, "times of 0 or more are wanted, not too large");
    return (uint64_t)ns;
}

/* The part is left out where it is the whole. */
static uint8_t part_at(struct reader *rd, const json_t *list) {
    const json_t *v = json_array_get(list, 3);
    const json_int_t part = v ? json_integer_value(v) : 0;
    if ((v && !json_is_integer(v)) || part < 0 || part > 100)
        wrong(rd, "counts", "a part is 1 to 100 percent");
    return (uint8_t)part;
}

/* A number, the name of a state, or [either, enabled, running, part]. */
static void read_count(struct reader *rd, const json_t *v, const json_t *group, struct count *c) {
    const bool own = json_is_array(v);
    const json_t *what = own ? json_array_get(v, 0) : v;
    const json_t *times = own ? v : group;
    const char *name = json_string_value(what);
    const int state = name ? store_count_state_find(name) : COUNT_OK;
    if (state < 0 || (!name && !json_is_number(what)))
        wrong(rd, "counts", "numbers and states of counts are wanted");
    *c = (struct count){.value = name ? NAN : json_number_value(what),
                        .enabled_ns = time_at(rd, times, own ? 1 : 0, "counts"),
                        .running_ns = time_at(rd, times, own ? 2 : 1, "counts"),
                        .state = (uint8_t)state,
                        .part = own ? part_at(rd, v) : 0};
    if (c->running_ns > c->enabled_ns)
        wrong(rd, "counts", "a counter cannot have run for longer than it was enabled");
}

static void read_interval(struct reader *rd, const json_t *o, const struct layout *l,
                          struct sample *s) {
    const json_t *counts = get_list(rd, o, "counts", l->n_slot);
    const json_t *groups = get_list(rd, o, "groups", l->n_group);
    const uint64_t before = s->t1_ns;
    s->t0_ns = get_ns(rd, o, "t0_ns");
    s->t1_ns = get_ns(rd, o, "t1_ns");
    s->target_threads = (uint32_t)get_int(rd, o, "threads", 0, UINT32_MAX);
    s->busy_ns = json_object_get(o, "busy_ns") ? get_ns(rd, o, "busy_ns") : 0;
    s->resident_ns = json_object_get(o, "here_ns") ? get_ns(rd, o, "here_ns") : 0;
    if (s->t0_ns > s->t1_ns || s->t1_ns < before)
        wrong(rd, "t1_ns", "intervals in order of time are wanted");
    if (json_array_size(counts) != l->n_slot || json_array_size(groups) != l->n_group)
        wrong(rd, "counts", "a count of each slot and the times of each group are wanted");
    for (uint32_t i = 0; i < l->n_slot && rd->rc == 0; i++)
        read_count(rd, json_array_get(counts, i), json_array_get(groups, l->slot[i].group),
                   &s->at[i]);
}

static void read_intervals(struct reader *rd, const json_t *o, struct run *r) {
    const json_t *list = get_list(rd, o, "intervals", SIZE_MAX), *v;
    struct sample row = {0};
    if (rd->rc < 0)
        return;
    if (series_init(&r->series, &r->layout, 0) < 0 || sample_init(&row, r->layout.n_slot) < 0)
        no_memory(rd);
    for (size_t i = 0; (v = get_item(rd, list, "intervals", i)); i++) {
        read_interval(rd, v, &r->layout, &row);
        if (rd->rc == 0 && series_push(&r->series, &row) < 0)
            no_memory(rd);
    }
    sample_destroy(&row);
}

/* Events, slots and intervals. */
static void read_counts(struct reader *rd, const json_t *o, struct run *r) {
    if (!json_object_get(o, "slots"))
        return; /* values without counts */
    read_layout(rd, o, r);
    if (rd->rc == 0)
        read_intervals(rd, o, r);
}

/* ---- the run ---- */

/* ---- lists of the head ---- */

static void read_labels(struct reader *rd, const json_t *o, struct run *r) {
    const json_t *list = get_list(rd, o, "labels", 10000), *l;
    for (size_t i = 0; (l = get_item(rd, list, "labels", i)); i++) {
        const char *key = get_peek(rd, l, "key"), *value = get_peek(rd, l, "value");
        const bool automatic = get_bool(rd, l, "automatic");
        if (rd->rc == 0 && (rd->rc = run_label_set(r, key, value, automatic, rd->err)) < 0)
            err_prefix(rd->err, "%s", rd->path);
    }
}

static void read_facts(struct reader *rd, const json_t *o, struct run *r) {
    const json_t *list = get_list(rd, o, "environment", 10000), *f;
    for (size_t i = 0; (f = get_item(rd, list, "environment", i)); i++) {
        struct run_fact fact = {get_text(rd, f, "key"), get_text(rd, f, "value")};
        if (array_push(&r->fact, fact) == 0)
            continue;
        free(fact.key);
        free(fact.value);
        no_memory(rd);
    }
}

static void read_marks(struct reader *rd, const json_t *o, struct run *r) {
    const json_t *list = get_list(rd, o, "marks", 1000000), *m;
    for (size_t i = 0; (m = get_item(rd, list, "marks", i)); i++) {
        struct run_mark mark = {get_ns(rd, m, "t_ns"), get_text(rd, m, "name")};
        if (array_push(&r->mark, mark) == 0)
            continue;
        free(mark.name);
        no_memory(rd);
    }
}

static void read_constants(struct reader *rd, const json_t *o, struct consts *c) {
    const json_t *list = get_list(rd, o, "constants", 1000), *k;
    for (size_t i = 0; (k = get_item(rd, list, "constants", i)); i++) {
        const int id = const_find(get_peek(rd, k, "name"));
        const double v = get_real(rd, k, "value");
        const bool fixed = get_bool(rd, k, "fixed");
        if (id < 0)
            continue; /* of a newer tdtop, whose models are not known here either */
        c->value[id] = v;
        c->fixed_by_user[id] = fixed;
    }
}

static void read_consts(struct reader *rd, const json_t *o, struct run *r) {
    struct consts c;
    consts_init(&c);
    read_constants(rd, o, &c);
    const json_t *list = get_list(rd, o, "latencies", 10000), *l;
    struct latency_setting *latency = calloc(json_array_size(list) + 1, sizeof(*latency));
    for (size_t i = 0; latency && (l = get_item(rd, list, "latencies", i)); i++) {
        str_copy(latency[i].event, sizeof(latency[i].event), get_peek(rd, l, "event"));
        latency[i].cycles = get_real(rd, l, "cycles");
        c.n_latency++;
    }
    c.latency = latency;
    if (!latency || run_set_consts(r, &c) < 0)
        no_memory(rd);
    free(latency);
}

/* ---- values ---- */

static void read_moments(struct reader *rd, const json_t *o, struct moments_result *m) {
    m->n = get_ns(rd, o, "n");
    m->mean = get_real(rd, o, "mean");
    m->sd = get_real(rd, o, "sd");
    m->least = get_real(rd, o, "min");
    m->most = get_real(rd, o, "max");
    m->se = get_real(rd, o, "se");
    m->dof = get_real(rd, o, "dof");
    m->effective_n = get_real(rd, o, "effective_n");
}

static void read_value(struct reader *rd, const json_t *o, struct value *v) {
    const int state = store_value_state_find(get_peek(rd, o, "state"));
    if (state < 0)
        wrong(rd, "state", "no state of a value has this name");
    v->v = get_real(rd, o, "value");
    v->err = get_real(rd, o, "err");
    v->duty = (float)get_real(rd, o, "duty");
    v->state = (uint8_t)(state < 0 ? VALUE_NA : state);
    v->over = get_bool(rd, o, "over");
    v->split = get_bool(rd, o, "parted");
    v->approx = get_bool(rd, o, "approximate");
}

/* Files of before do not say: total and better are then guessed, and no command ran through. */
static void read_kind(struct reader *rd, const json_t *o, struct run_node *n) {
    run_node_guess(n);
    if (!json_object_get(o, "total"))
        return;
    n->total = get_bool(rd, o, "total");
    n->better = (signed char)get_int(rd, o, "better", -1, 1);
}

static void read_nodes(struct reader *rd, const json_t *o, struct run *r) {
    const json_t *list = get_list(rd, o, "nodes", 100000), *n;
    for (size_t i = 0; (n = get_item(rd, list, "nodes", i)); i++) {
        struct run_node node = {.name = get_text(rd, n, "name"),
                                .path = get_text(rd, n, "path"),
                                .unit = get_text(rd, n, "unit"),
                                .reason = get_text(rd, n, "reason"),
                                .level = (int)get_int(rd, n, "level", 0, 100),
                                .good_up = get_bool(rd, n, "good_up"),
                                .share = get_bool(rd, n, "share")};
        read_value(rd, n, &node.value);
        read_moments(rd, n, &node.m);
        read_kind(rd, n, &node);
        if (array_push(&r->node, node) == 0)
            continue;
        run_node_free(&node);
        no_memory(rd);
    }
}

/* ---- the whole ---- */

static void read_id(struct reader *rd, const json_t *o, struct run *r) {
    const char *id = get_peek(rd, o, "id");
    bool ok = strlen(id) == RUN_ID_LEN;
    for (const char *c = id; *c; c++)
        ok = ok && strchr("0123456789abcdef", *c);
    if (!ok)
        wrong(rd, "id", "16 hexadecimal digits are wanted");
    str_copy(r->id, sizeof(r->id), id);
}

static void read_texts(struct reader *rd, const json_t *o, struct run *r) {
    const struct {
        char **at;
        const char *key;
    } texts[] = {
        {&r->parent, "parent"},         {&r->process, "process"},
        {&r->target, "target"},         {&r->source, "source"},
        {&r->version, "version"},       {&r->warning, "doubt"},
        {&r->bottleneck, "bottleneck"}, {&r->model, "model"},
        {&r->command, "command"},       {&r->note, "note"},
    };
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        *texts[i].at = get_text(rd, o, texts[i].key);
    r->model_text = get_raw(rd, o, "model_text");
}

static void read_head(struct reader *rd, const json_t *o, struct run *r) {
    read_id(rd, o, r);
    read_texts(rd, o, r);
    r->begun_ns = get_int(rd, o, "begun_ns", -NS_MAX, NS_MAX);
    r->ended_ns = get_int(rd, o, "ended_ns", -NS_MAX, NS_MAX);
    r->t0_ns = get_ns(rd, o, "t0_ns");
    r->t1_ns = get_ns(rd, o, "t1_ns");
    r->measured_ns = get_ns(rd, o, "measured_ns");
    r->interval_ns = get_ns(rd, o, "interval_ns");
    if (r->t1_ns < r->t0_ns)
        wrong(rd, "t1_ns", "it ends before it begins");
    r->level = (int)get_int(rd, o, "level", 0, 100);
    r->system_wide = get_bool(rd, o, "system_wide");
    r->simulated = get_bool(rd, o, "simulated");
    r->ran_through = json_object_get(o, "ran_through") && get_bool(rd, o, "ran_through");
}

/* A model that cannot be loaded would only be found out when it is needed. */
static void try_model(struct reader *rd, const struct run *r) {
    struct model m = {0};
    if (rd->rc < 0 || !r->model_text[0])
        return;
    rd->rc = model_load(&m, r->model_text, strlen(r->model_text), r->model, rd->err);
    if (rd->rc < 0)
        err_prefix(rd->err, "%s: model_text", rd->path);
    model_free(&m);
}

static void read_run(struct reader *rd, const json_t *o, struct run *r) {
    read_head(rd, o, r);
    read_labels(rd, o, r);
    read_facts(rd, o, r);
    read_marks(rd, o, r);
    read_consts(rd, o, r);
    read_nodes(rd, o, r);
    if (rd->rc == 0)
        read_counts(rd, o, r);
    try_model(rd, r);
}

static int check_format(struct reader *rd, const json_t *o) {
    const json_t *format = json_object_get(o, RUN_JSON_MAGIC);
    if (!json_is_integer(format))
        return err_set(rd->err, -EINVAL,
                       "%s: not a run that tdtop exported: it has no \"%s\"; tdtop export RUN -j "
                       "makes one",
                       rd->path, RUN_JSON_MAGIC);
    if (json_integer_value(format) != RUN_JSON_FORMAT)
        return err_set(rd->err, -EPROTO,
                       "%s: a run in format %lld, and this tdtop reads %d; use the tdtop that "
                       "wrote it, or a newer one",
                       rd->path, (long long)json_integer_value(format), RUN_JSON_FORMAT);
    return 0;
}

bool run_import_is_json(const char *begin) {
    begin += strspn(begin, " \t\r\n");
    return *begin == '{' && strstr(begin, "\"" RUN_JSON_MAGIC "\"") != NULL;
}

int run_import_json(const char *path, struct run *out, struct err *err) {
    struct reader rd = {.path = path, .err = err};
    json_error_t je;
    char safe[JSON_ERROR_TEXT_LENGTH];
    *out = (struct run){0};
    const int fd = str_open_file(path, err);
    if (fd < 0)
        return fd;
    json_t *o = json_loadfd(fd, JSON_REJECT_DUPLICATES, &je);
    close(fd);
    if (!o)
        return err_set(err, -EINVAL, "%s:%d:%d: not JSON: %s; is the file complete?", path, je.line,
                       je.column, str_safe(safe, sizeof(safe), je.text));
    rd.rc = check_format(&rd, o);
    if (rd.rc == 0)
        read_run(&rd, o, out);
    json_decref(o);
    return rd.rc;
}
