/* What loads, but is surely a mistake. Only for files that are checked. */
#include "model/model_load.h"

#include <regex.h>
#include <string.h>

/* --- events and latencies that nothing uses --- */

static int unused_events(struct loader *ld) {
    int rc = 0;
    for (size_t i = 0; i < ld->n_def && rc == 0; i++) {
        const struct event_def *def = &ld->def[i];
        ld->file = def->file;
        if (!def->used)
            rc = load_go_on(ld, load_err(ld, def->at,
                                         "event '%s' is never used; no formula and no locate "
                                         "names it",
                                         def->event.name));
    }
    return rc;
}

static int unused_latencies(struct loader *ld) {
    int rc = 0;
    for (size_t i = 0; i < ld->latency.n && rc == 0; i++) {
        const struct latency_def *def = &ld->latency.at[i];
        ld->file = def->file;
        if (!def->used)
            rc = load_go_on(ld, load_err(ld, def->at,
                                         "latency of '%s' is never used; no formula names "
                                         "'%s:retire_latency'",
                                         def->latency.event, def->latency.event));
    }
    return rc;
}

/* --- the model itself --- */

static int regex_check(struct loader *ld, const struct toml *v) {
    regex_t re;
    char words[128];
    if (v->type != TOML_STRING)
        return 0; /* told already */
    int bad = regcomp(&re, v->string, REG_EXTENDED | REG_NOSUB);
    if (bad == 0) {
        regfree(&re);
        return 0;
    }
    regerror(bad, &re, words, sizeof(words));
    return load_err(ld, v, "match '%s' is no regular expression: %s", v->string, words);
}

/* An empty list is a decision: no CPU chooses the model by itself. */
static int match_check(struct loader *ld) {
    const struct toml *match = toml_get(ld->file->doc.root, "match");
    if (!match && !strcmp(ld->m->rung, "full"))
        return load_err_at(ld, 1, 1,
                           "the model has no 'match': no CPU will choose it; write match = [] if "
                           "that is meant");
    int rc = 0;
    for (const struct toml *v = match && match->type == TOML_ARRAY ? match->first : NULL;
         v && rc == 0; v = v->next)
        rc = load_go_on(ld, regex_check(ld, v));
    return rc;
}

static int origin_check(struct loader *ld) {
    if (strcmp(ld->m->rung, "full") != 0 || toml_get(ld->file->doc.root, "origin"))
        return 0;
    return load_err_at(ld, 1, 1, "the model has no 'origin': where its facts come from");
}

/* Either all roots have a role, or (where none fits) none of them; of slots all have one. */
static int roles_check(struct loader *ld) {
    bool must = !strcmp(ld->m->rung, "full") || !strcmp(ld->m->rung, "architecture");
    int rc = 0;
    for (int i = 0; i < ld->n_source; i++)
        must |= toml_get(ld->source[i].table, "role") != NULL;
    for (int i = 0; i < ld->n_source && must && rc == 0; i++) {
        const struct metric_source *s = &ld->source[i];
        if (s->kind == METRIC_TREE && !toml_get(s->table, "parent") && !toml_get(s->table, "role"))
            rc = load_go_on(ld, load_err(ld, s->table,
                                         "root '%s' has no role; known: frontend, "
                                         "bad_speculation, backend, retiring, none",
                                         s->table->key));
    }
    return rc;
}

int lint(struct loader *ld) {
    static int (*const lints[])(struct loader *) = {
        origin_check, match_check, roles_check, unused_events, unused_latencies,
    };
    int rc = 0;
    for (size_t i = 0; i < sizeof(lints) / sizeof(lints[0]) && rc == 0; i++) {
        ld->file = ld->mem->file;
        rc = load_go_on(ld, lints[i](ld));
    }
    return rc;
}
