/* The format of docs/STORE.md, "Run as JSON", read strictly: a file may have come from anywhere. */
#include "cli/file/run_import.h"

#include "base/str.h"
#include "cli/file/run_read.h"
#include "db/store_names.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* ---- lists of the head ---- */

static void read_labels(struct reader *rd, const json_t *o, struct run *r) {
    const json_t *list = run_read_list(rd, o, "labels", 10000), *l;
    for (size_t i = 0; (l = run_read_item(rd, list, "labels", i)); i++) {
        const char *key = run_read_peek(rd, l, "key"), *value = run_read_peek(rd, l, "value");
        const bool automatic = run_read_bool(rd, l, "automatic");
        if (rd->rc == 0 && (rd->rc = run_label_set(r, key, value, automatic, rd->err)) < 0)
            err_prefix(rd->err, "%s", rd->path);
    }
}

static void read_facts(struct reader *rd, const json_t *o, struct run *r) {
    const json_t *list = run_read_list(rd, o, "environment", 10000), *f;
    for (size_t i = 0; (f = run_read_item(rd, list, "environment", i)); i++) {
        struct run_fact fact = {run_read_text(rd, f, "key"), run_read_text(rd, f, "value")};
        if (array_push(&r->fact, fact) == 0)
            continue;
        free(fact.key);
        free(fact.value);
        run_read_no_memory(rd);
    }
}

static void read_marks(struct reader *rd, const json_t *o, struct run *r) {
    const json_t *list = run_read_list(rd, o, "marks", 1000000), *m;
    for (size_t i = 0; (m = run_read_item(rd, list, "marks", i)); i++) {
        struct run_mark mark = {run_read_ns(rd, m, "t_ns"), run_read_text(rd, m, "name")};
        if (array_push(&r->mark, mark) == 0)
            continue;
        free(mark.name);
        run_read_no_memory(rd);
    }
}

static void read_constants(struct reader *rd, const json_t *o, struct consts *c) {
    const json_t *list = run_read_list(rd, o, "constants", 1000), *k;
    for (size_t i = 0; (k = run_read_item(rd, list, "constants", i)); i++) {
        const int id = const_find(run_read_peek(rd, k, "name"));
        const double v = run_read_real(rd, k, "value");
        const bool fixed = run_read_bool(rd, k, "fixed");
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
    const json_t *list = run_read_list(rd, o, "latencies", 10000), *l;
    struct latency_setting *latency = calloc(json_array_size(list) + 1, sizeof(*latency));
    for (size_t i = 0; latency && (l = run_read_item(rd, list, "latencies", i)); i++) {
        str_copy(latency[i].event, sizeof(latency[i].event), run_read_peek(rd, l, "event"));
        latency[i].cycles = run_read_real(rd, l, "cycles");
        c.n_latency++;
    }
    c.latency = latency;
    if (!latency || run_set_consts(r, &c) < 0)
        run_read_no_memory(rd);
    free(latency);
}

/* ---- values ---- */

static void read_moments(struct reader *rd, const json_t *o, struct moments_result *m) {
    m->n = run_read_ns(rd, o, "n");
    m->mean = run_read_real(rd, o, "mean");
    m->sd = run_read_real(rd, o, "sd");
    m->least = run_read_real(rd, o, "min");
    m->most = run_read_real(rd, o, "max");
    m->se = run_read_real(rd, o, "se");
    m->dof = run_read_real(rd, o, "dof");
    m->effective_n = run_read_real(rd, o, "effective_n");
}

static void read_value(struct reader *rd, const json_t *o, struct value *v) {
    const int state = store_value_state_find(run_read_peek(rd, o, "state"));
    if (state < 0)
        run_read_wrong(rd, "state", "no state of a value has this name");
    v->v = run_read_real(rd, o, "value");
    v->err = run_read_real(rd, o, "err");
    v->duty = (float)run_read_real(rd, o, "duty");
    v->state = (uint8_t)(state < 0 ? VALUE_NA : state);
    v->over = run_read_bool(rd, o, "over");
    v->split = run_read_bool(rd, o, "parted");
    v->approx = run_read_bool(rd, o, "approximate");
}

/* Files of before do not say: total and better are then guessed, and no command ran through. */
static void read_kind(struct reader *rd, const json_t *o, struct run_node *n) {
    run_node_guess(n);
    if (!json_object_get(o, "total"))
        return;
    n->total = run_read_bool(rd, o, "total");
    n->better = (signed char)run_read_int(rd, o, "better", -1, 1);
}

static void read_nodes(struct reader *rd, const json_t *o, struct run *r) {
    const json_t *list = run_read_list(rd, o, "nodes", 100000), *n;
    for (size_t i = 0; (n = run_read_item(rd, list, "nodes", i)); i++) {
        struct run_node node = {.name = run_read_text(rd, n, "name"),
                                .path = run_read_text(rd, n, "path"),
                                .unit = run_read_text(rd, n, "unit"),
                                .reason = run_read_text(rd, n, "reason"),
                                .level = (int)run_read_int(rd, n, "level", 0, 100),
                                .good_up = run_read_bool(rd, n, "good_up"),
                                .share = run_read_bool(rd, n, "share")};
        read_value(rd, n, &node.value);
        read_moments(rd, n, &node.m);
        read_kind(rd, n, &node);
        if (array_push(&r->node, node) == 0)
            continue;
        run_node_free(&node);
        run_read_no_memory(rd);
    }
}

/* ---- the whole ---- */

static void read_id(struct reader *rd, const json_t *o, struct run *r) {
    const char *id = run_read_peek(rd, o, "id");
    bool ok = strlen(id) == RUN_ID_LEN;
    for (const char *c = id; *c; c++)
        ok = ok && strchr("0123456789abcdef", *c);
    if (!ok)
        run_read_wrong(rd, "id", "16 hexadecimal digits are wanted");
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
        *texts[i].at = run_read_text(rd, o, texts[i].key);
    r->model_text = run_read_raw(rd, o, "model_text");
}

static void read_head(struct reader *rd, const json_t *o, struct run *r) {
    read_id(rd, o, r);
    read_texts(rd, o, r);
    r->begun_ns = run_read_int(rd, o, "begun_ns", -RUN_READ_NS_MAX, RUN_READ_NS_MAX);
    r->ended_ns = run_read_int(rd, o, "ended_ns", -RUN_READ_NS_MAX, RUN_READ_NS_MAX);
    r->t0_ns = run_read_ns(rd, o, "t0_ns");
    r->t1_ns = run_read_ns(rd, o, "t1_ns");
    r->measured_ns = run_read_ns(rd, o, "measured_ns");
    r->interval_ns = run_read_ns(rd, o, "interval_ns");
    if (r->t1_ns < r->t0_ns)
        run_read_wrong(rd, "t1_ns", "it ends before it begins");
    r->level = (int)run_read_int(rd, o, "level", 0, 100);
    r->system_wide = run_read_bool(rd, o, "system_wide");
    r->simulated = run_read_bool(rd, o, "simulated");
    r->ran_through = json_object_get(o, "ran_through") && run_read_bool(rd, o, "ran_through");
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
        run_read_counts(rd, o, r);
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
