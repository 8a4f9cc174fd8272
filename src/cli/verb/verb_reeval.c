/*
 * `tdtop reeval`: the counts of a stored run by today's model of that name, or by another, as a new
 * run whose parent is the old one. With --dry-run only what would differ is printed.
 */
#include "base/str.h"
#include "cli/config/config.h"
#include "cli/file/json_out.h"
#include "cli/file/run_json.h"
#include "cli/out/table.h"
#include "db/store.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct reeval {
    const struct args *a;
    struct run_pick pick;
    json_t *json; /* the array that -j prints; NULL */
};

/* A value before and after; NULL: that side does not have it. */
struct change {
    const struct run_node *old, *new;
};
struct changes {
    ARRAY(struct change) at;
};

/* ---- what differs ---- */

/* Rounding of a formula that was written another way is no difference. */
static bool differs(const struct run_node *a, const struct run_node *b) {
    if (!a || !b)
        return isfinite((a ? a : b)->value.v);
    const double x = a->value.v, y = b->value.v;
    if (isnan(x) || isnan(y))
        return isnan(x) != isnan(y);
    return fabs(x - y) > 1e-9 * fmax(fabs(x), fabs(y)) || a->value.over != b->value.over;
}

static int find_changes(const struct run *old, const struct run *new, struct changes *out,
                        struct err *err) {
    int rc = 0;
    for (size_t i = 0; i < new->node.n &&rc == 0; i++) {
        const struct run_node *n = &new->node.at[i], *o = run_node_find(old, n->path);
        if (differs(o, n))
            rc = array_push(&out->at, (struct change){o, n});
    }
    for (size_t i = 0; i < old->node.n && rc == 0; i++) {
        const struct run_node *o = &old->node.at[i];
        if (!run_node_find(new, o->path) && differs(o, NULL))
            rc = array_push(&out->at, (struct change){o, NULL});
    }
    return rc < 0 ? err_set(err, rc, "reeval: out of memory; close other programs") : 0;
}

static const char *text_of(const struct run_node *n, char *buf, size_t cap) {
    return n ? run_value_text(n->share, n->unit, n->value.v, buf, cap) : "not in the model";
}

static int print_changes(const struct changes *c) {
    static const struct table_column columns[] = {
        {"metric", false, 20}, {"before", true, 0}, {"after", true, 0}, {"", false, 20}};
    struct table t;
    char text[64];
    table_init(&t, columns, 4);
    for (size_t i = 0; i < c->at.n; i++) {
        const struct change *ch = &c->at.at[i];
        const struct run_node *n = ch->new ? ch->new : ch->old;
        const bool lost = ch->new &&isnan(ch->new->value.v);
        table_add(&t, n->name);
        table_add(&t, text_of(ch->old, text, sizeof(text)));
        table_add(&t, text_of(ch->new, text, sizeof(text)));
        table_add(&t, lost ? n->reason
                      : ch->old && ch->new && ch->old->value.over != ch->new->value.over
                          ? (ch->new->value.over ? "now over its threshold" : "now below")
                          : "");
    }
    const int rc = c->at.n ? table_print(&t, stdout) : 0;
    table_free(&t);
    return rc;
}

static json_t *json_changes(const struct changes *c) {
    json_t *list = json_array();
    for (size_t i = 0; i < c->at.n; i++) {
        const struct change *ch = &c->at.at[i];
        const struct run_node *n = ch->new ? ch->new : ch->old;
        json_t *o = json_object();
        json_object_set_new(o, "metric_name", run_json_text(n->name));
        json_object_set_new(o, "path", run_json_text(n->path));
        json_object_set_new(o, "unit", run_json_text(run_unit(n->share, n->unit)));
        json_object_set_new(o, "before",
                            json_number(ch->old ? run_shown(n->share, ch->old->value.v) : NAN));
        json_object_set_new(o, "after",
                            json_number(ch->new ? run_shown(n->share, ch->new->value.v) : NAN));
        json_object_set_new(o, "reason",
                            run_json_text(ch->new ? ch->new->reason : "not in the model"));
        json_array_append_new(list, o);
    }
    return list;
}

/* ---- one run ---- */

/* Which model: of --model, else today's of the name that it was evaluated with. */
static int open_model(const struct reeval *re, const struct run *old, struct model *m,
                      struct err *err) {
    if (!re->a->model && !old->model[0])
        return err_set(err, -EINVAL, "run %.8s: it has no model; name one with --model", old->id);
    return model_open(m, re->a->model ? re->a->model : old->model, &re->a->places, err);
}

/* r is the old run with its counts; then the new one. */
static int evaluate(struct run *r, const char *text, struct err *err) {
    const int rc = run_evaluate_by(r, text, err);
    return rc < 0 ? rc : run_label_set(r, "model", r->model, true, err);
}

static int become_new(struct run *r, struct err *err) {
    int rc = run_set_text(&r->parent, r->id);
    run_new_id(r->id);
    if (rc == 0)
        rc = run_label_set(r, RUN_REEVAL_OF, r->parent, true, err);
    return rc == -ENOMEM ? err_set(err, rc, "reeval: out of memory") : rc;
}

static void say(const struct reeval *re, const struct run *old, const struct run *new,
                const struct changes *c, bool same) {
    if (re->json) {
        json_t *o = run_json_head(new);
        if (re->a->dry_run || same)
            json_object_set_new(o, "run_id", json_null());
        json_object_set_new(o, "parent", run_json_text(old->id));
        json_object_set_new(o, "stored", json_boolean(!re->a->dry_run && !same));
        json_object_set_new(o, "changes", json_changes(c));
        json_array_append_new(re->json, o);
        return;
    }
    if (!re->a->dry_run && !same)
        puts(new->id);
    if (same)
        cli_note("run %.8s: model %s is the very one that it was evaluated with; nothing to do",
                 old->id, new->model);
    else
        cli_note("run %.8s: %zu values differ by model %s%s", old->id, c->at.n, new->model,
                 re->a->dry_run ? "; nothing was stored" : "");
    if (re->a->dry_run && print_changes(c) < 0)
        cli_note("reeval: out of memory; close other programs");
}

static int reopen(struct reeval *re, const struct run *old, struct run *new, struct err *err) {
    struct model m = {0};
    struct changes c = {0};
    int rc = open_model(re, old, &m, err);
    const bool same = rc == 0 && !strcmp(model_text(&m), new->model_text);
    if (rc == 0 && !same)
        rc = evaluate(new, model_text(&m), err);
    if (rc == 0 && !same)
        rc = become_new(new, err);
    if (rc == 0)
        rc = find_changes(old, new, &c, err);
    if (rc == 0 && !same && !re->a->dry_run)
        rc = store_save(&re->pick.store, new, err);
    if (rc == 0)
        say(re, old, new, &c, same);
    array_free(&c.at);
    model_free(&m);
    return rc;
}

static int reeval_one(struct reeval *re, const char *word) {
    struct run old = {0}, new = {0};
    struct err err = {0};
    int rc = run_pick_load(&re->pick, word, RUN_HEAD, &old, &err);
    if (rc == 0)
        rc = store_load(&re->pick.store, old.id, RUN_ALL, &new, &err);
    if (rc == 0)
        rc = reopen(re, &old, &new, &err);
    run_free(&old);
    run_free(&new);
    if (rc < 0)
        cli_error(&err);
    return rc < 0 ? EXIT_ERROR : EXIT_OK;
}

/* ---- which runs ---- */

static int reeval_matching(struct reeval *re, struct err *err) {
    static const char *no_keys[] = {NULL};
    struct run_list list = {0};
    struct run_query q = re->pick.query;
    int code = EXIT_OK;
    q.keys = no_keys;
    q.without_top = true;
    int rc = store_list(&re->pick.store, &q, &list, err);
    if (rc == 0 && list.n == 0)
        rc = err_set(err, -ENOENT, "%s: no stored run matches; tdtop list shows which there are",
                     re->pick.store.path);
    for (size_t i = 0; i < list.n && rc == 0; i++)
        if (reeval_one(re, list.row[i].id) != EXIT_OK)
            code = EXIT_ERROR;
    run_list_free(&list);
    return rc < 0 ? run_pick_exit(err) : code;
}

static int reeval_all(struct reeval *re, struct err *err) {
    int code = EXIT_OK;
    re->json = re->a->json ? json_array() : NULL;
    if (re->a->n_word == 0)
        code = reeval_matching(re, err);
    for (int i = 0; i < re->a->n_word; i++)
        if (reeval_one(re, re->a->words[i]) != EXIT_OK)
            code = EXIT_ERROR;
    if (re->json && json_print(re->json, JSON_INDENT(1)) != EXIT_OK)
        code = EXIT_ERROR;
    return cli_finish(code);
}

static int check(const struct args *a, struct err *err) {
    if (a->n_word && run_pick_has_conditions(a))
        return err_set(err, -EINVAL,
                       "reeval: runs by their ids, or by --filter and the like; not both");
    if (!a->n_word && !run_pick_has_conditions(a))
        return err_set(err, -EINVAL,
                       "reeval needs RUN: the first digits of its id, @0 for the "
                       "newest, or --filter for several");
    return 0;
}

int verb_reeval(const struct args *said) {
    struct args a = *said; /* the settings add to it */
    struct reeval re = {.a = &a};
    struct config cfg;
    struct err err = {0};
    config_defaults(&cfg);
    int rc = check(&a, &err);
    if (rc == 0)
        rc = config_for(&cfg, &a, &err);
    if (rc == 0)
        rc = run_pick_open(&re.pick, &a, a.dry_run ? STORE_READ : STORE_CHANGE, &err);
    const int code = rc == 0 ? reeval_all(&re, &err) : run_pick_exit(&err);
    run_pick_close(&re.pick);
    config_free(&cfg);
    return code;
}
