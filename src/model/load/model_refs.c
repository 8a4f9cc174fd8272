/* What can only be told once all metrics stand: where `next` leads, what `approximate_when` needs.
 */
#include "model/load/model_load.h"

#include "base/str.h"

#include <errno.h>
#include <string.h>

/* --- next: names of metrics, or of groups that some metric is in --- */

/* Takes the groups of a metric ("A;B; C") into the dict. */
static int groups_take(struct loader *ld, struct dict *groups, const char *at) {
    while (at && *at) {
        at += strspn(at, "; ");
        size_t len = strcspn(at, ";"), n = len;
        while (n && at[n - 1] == ' ')
            n--;
        char *name = arena_text(&ld->mem->arena, at, n);
        if (!name || dict_put(groups, name, 0) == -ENOMEM)
            return load_no_memory(ld);
        at += len;
    }
    return 0;
}

static bool metric_exists(const struct loader *ld, const char *name) {
    for (uint32_t i = 0; i < ld->m->n_metric; i++)
        if (!strcmp(ld->m->metric[i].name, name))
            return true;
    return false;
}

/* "; did you mean 'X'?", the nearest metric or group; or "". */
static const char *next_hint(const struct loader *ld, const struct dict *groups, const char *name,
                             char *buf, size_t cap) {
    const char *best = NULL;
    int least = 5;
    for (uint32_t i = 0; i < ld->m->n_metric; i++) {
        int d = str_distance(ld->m->metric[i].name, name);
        if (d < least)
            least = d, best = ld->m->metric[i].name;
    }
    for (size_t i = 0; i < groups->cap; i++) {
        int d = groups->at[i].key ? str_distance(groups->at[i].key, name) : least;
        if (d < least)
            least = d, best = groups->at[i].key;
    }
    struct strbuf sb = strbuf_on(buf, cap);
    if (best)
        strbuf_add(&sb, "; did you mean '%s'?", best);
    return buf;
}

static int next_check(struct loader *ld, const struct dict *groups, const struct metric_source *s) {
    int rc = 0;
    for (const char **name = s->keys.next; name && *name && rc == 0; name++) {
        char hint[320];
        if (dict_get(groups, *name) < 0 && !metric_exists(ld, *name))
            rc = load_go_on(ld, load_err(ld, toml_get(s->table, "next"),
                                         "next of '%s': no metric and no group has the name "
                                         "'%s'%s",
                                         s->table->key, *name,
                                         next_hint(ld, groups, *name, hint, sizeof(hint))));
    }
    return rc;
}

static int nexts_check(struct loader *ld) {
    const struct model *m = ld->m;
    struct dict groups = {0};
    int rc = 0;
    bool any = false;
    for (uint32_t i = 0; i < m->n_metric; i++)
        any |= m->metric[i].next != NULL;
    for (uint32_t i = 0; i < m->n_metric && any && rc == 0; i++)
        rc = groups_take(ld, &groups, m->metric[i].groups);
    for (uint32_t i = 0; i < m->n_metric && any && rc == 0; i++) {
        ld->file = ld->source_of[i]->file;
        if (!file_is_general(ld->file))
            rc = next_check(ld, &groups, ld->source_of[i]);
    }
    dict_free(&groups);
    return rc;
}

/* --- approximate_when: constants, and metrics of constants --- */

struct leaves {
    const bool *constant;  /* [n_metric] */
    const struct ast *bad; /* the first leaf that is counted */
};

static void leaf_check(const struct ast *leaf, void *user) {
    struct leaves *l = user;
    bool fine = leaf->op == AST_CONST || (leaf->op == AST_METRIC && l->constant[leaf->index]);
    if (!fine && !l->bad)
        l->bad = leaf;
}

static int when_check(struct loader *ld, const struct metric_source *s, const struct leaves *l) {
    const struct model *m = ld->m;
    return load_err(
        ld, s->keys.approximate_when,
        "approximate_when of '%s' names '%s', which is counted; expected constants", s->table->key,
        l->bad->op == AST_EVENT ? ld->event.at[l->bad->index].name : m->metric[l->bad->index].name);
}

/* Metrics come in the order of evaluation, so those a formula names are decided before it. */
static int whens_check(struct loader *ld) {
    const struct model *m = ld->m;
    bool *constant = arena_alloc(&ld->mem->arena, m->n_metric + 1);
    if (!constant)
        return load_no_memory(ld);
    for (uint32_t i = 0; i < m->n_metric; i++) {
        const struct metric *metric = &m->metric[m->order[i]];
        struct leaves l = {.constant = constant};
        expr_leaves(metric->ast, leaf_check, &l);
        expr_leaves(metric->alt, leaf_check, &l);
        expr_leaves(metric->fallback, leaf_check, &l);
        constant[m->order[i]] = metric->ast && !l.bad;
    }
    for (uint32_t i = 0; i < m->n_metric; i++) {
        struct leaves l = {.constant = constant};
        expr_leaves(m->metric[i].approximate_when, leaf_check, &l);
        ld->file = ld->source_of[i]->file;
        int rc = l.bad ? load_go_on(ld, when_check(ld, ld->source_of[i], &l)) : 0;
        if (rc < 0)
            return rc;
    }
    return 0;
}

int refs_check(struct loader *ld) {
    int rc = nexts_check(ld);
    return rc == 0 ? whens_check(ld) : rc;
}
