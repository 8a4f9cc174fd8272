/* What loads, but is surely a mistake. Only for files that are checked. */
#include "model/load/model_load.h"

#include "base/str.h"

#include <ctype.h>
#include <regex.h>
#include <string.h>
#include <strings.h>

/* --- events and latencies that nothing uses --- */

static int unused_events(struct loader *ld) {
    int rc = 0;
    for (size_t i = 0; i < ld->n_def && rc == 0; i++) {
        const struct event_def *def = &ld->def[i];
        ld->file = def->file;
        if (!def->used && !def->file->base)
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
        if (!def->used && !def->file->base)
            rc = load_go_on(ld, load_err(ld, def->at,
                                         "latency of '%s' is never used; no formula names "
                                         "'%s:retire_latency'",
                                         def->latency.event, def->latency.event));
    }
    return rc;
}

/* --- events that are too much alike --- */

/* Vendors have two names for one event, so the same code alone says nothing. */
static bool same_count(const struct event *a, const struct event *b) {
    return a->pmu == b->pmu && a->type == b->type && a->config == b->config &&
           a->config1 == b->config1;
}

/* The first event that has a key in the dict, or NULL; then the key is this one's from now on. */
static const struct event *first_with(struct loader *ld, struct dict *first, const char *key,
                                      size_t index) {
    const int known = dict_get(first, key);
    if (known >= 0)
        return &ld->def[known].event;
    if (dict_put(first, key, (int)index) < 0)
        ld->problems->no_memory = true;
    return NULL;
}

static int clash(struct loader *ld, struct dict *names, struct dict *aliases, size_t i) {
    const struct event *e = &ld->def[i].event, *other;
    const char *lower = load_lower_case(ld, e->name);
    ld->file = ld->def[i].file;
    if (!lower)
        return load_no_memory(ld);
    if ((other = first_with(ld, names, lower, i)))
        return load_err(ld, ld->def[i].at,
                        "event '%s' has the same name but for the case of letters: see '%s'",
                        e->name, other->name);
    if (e->alias && (other = first_with(ld, aliases, e->alias, i)) && !same_count(e, other))
        return load_err(ld, ld->def[i].at,
                        "event '%s' has the same alias and another code: see '%s'", e->name,
                        other->name);
    return 0;
}

static int clashes(struct loader *ld) {
    struct dict names = {0}, aliases = {0};
    int rc = 0;
    for (size_t i = 0; i < ld->n_def && rc == 0; i++)
        if (ld->def[i].used || !ld->def[i].file->base)
            rc = load_go_on(ld, clash(ld, &names, &aliases, i));
    dict_free(&names);
    dict_free(&aliases);
    return rc;
}

/* --- names in locate --- */

/* L1_MISS is no misspelt L2_MISS. */
static bool same_but_digits(const char *a, const char *b) {
    for (; *a && *b; a++, b++)
        if (*a != *b && !(isdigit((unsigned char)*a) && isdigit((unsigned char)*b)))
            return false;
    return *a == *b;
}

/* The event of the table that the name is a slip away from, or NULL: few letters of many. */
static const char *nearest_event(const struct loader *ld, const char *name) {
    const char *best = NULL;
    int least = 3;
    for (size_t i = 0; i < ld->n_def; i++) {
        const char *event = ld->def[i].event.name;
        const int d = str_distance(event, name);
        if (d < least && (size_t)d * 4 < strlen(name) && !same_but_digits(event, name)) {
            least = d;
            best = event;
        }
    }
    return best;
}

/* Names that the table lacks are allowed: other tools know them. */
static int locate_check(struct loader *ld, const struct toml *name) {
    if (name->type != TOML_STRING || event_def_of(ld, name->string))
        return 0;
    char base[256];
    const size_t len = strcspn(name->string, ":");
    str_copy(base, len < sizeof(base) ? len + 1 : sizeof(base), name->string);
    const char *near = nearest_event(ld, base);
    return near ? load_err(ld, name, "locate names '%s', which is no event; did you mean '%s'?",
                           name->string, near)
                : 0;
}

/* Not in metrics for every model: what one of them lacks is no mistake. */
static int locates_check(struct loader *ld) {
    int rc = 0;
    for (int i = 0; i < ld->n_source && rc == 0; i++) {
        const struct metric_source *s = &ld->source[i];
        const struct toml *list = toml_get(s->table, "locate");
        ld->file = s->file;
        if (!list || list->type != TOML_ARRAY || file_is_general(s->file))
            continue;
        for (const struct toml *name = list->first; name && rc == 0; name = name->next)
            rc = load_go_on(ld, locate_check(ld, name));
    }
    return rc;
}

/* --- thresholds --- */

/* Percent where a share is meant. */
static int thresholds_check(struct loader *ld) {
    int rc = 0;
    for (int i = 0; i < ld->n_source && rc == 0; i++) {
        const struct metric_source *s = &ld->source[i];
        const struct toml *t = s->keys.threshold;
        ld->file = s->file;
        if (!t || t->type == TOML_STRING || !s->keys.share || !(toml_number(t) > 1))
            continue;
        rc = load_go_on(ld, load_err(ld, t,
                                     "threshold of '%s' is %g, but a share is at most 1: it is "
                                     "never over; 20 %% is 0.2",
                                     s->table->key, toml_number(t)));
    }
    return rc;
}

/* --- fields of PERF_METRICS --- */

/* Each such event is a field of its own. */
static int perf_metrics_check(struct loader *ld) {
    int n = 0, rc = 0;
    for (size_t i = 0; i < ld->n_def && rc == 0; i++) {
        const struct event_def *def = &ld->def[i];
        ld->file = def->file;
        if (def->event.perf_metrics && ++n > ld->m->perf_metrics)
            rc = load_go_on(ld, load_err(ld, def->at,
                                         "event '%s' is no. %d from PERF_METRICS, but the model "
                                         "says counters.perf_metrics = %d",
                                         def->event.name, n, ld->m->perf_metrics));
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

/* Files are found by their names. */
static int name_check(struct loader *ld) {
    const char *slash = strrchr(ld->file->name, '/'), *file = slash ? slash + 1 : ld->file->name;
    const char *name = ld->m->name;
    const size_t len = strlen(file), ext = strlen(".toml");
    if (!str_ends(file, ".toml") || !*name ||
        (len - ext == strlen(name) && !strncmp(file, name, len - ext)))
        return 0;
    return load_err(ld, toml_get(ld->file->doc.root, "name"),
                    "name is '%s', but the file is %s: --model finds it only if they agree", name,
                    file);
}

static int counters_check(struct loader *ld) {
    const struct toml *counters = load_root_key(ld, "counters");
    if (strcmp(ld->m->rung, "full") != 0 || ld->m->general_counters > 0)
        return 0;
    return load_err_at(ld, counters->line ? counters->line : 1, counters->line ? counters->col : 1,
                       "the model has no general counters: write counters = { general = N }, as "
                       "many as one hardware thread has");
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
    if (strcmp(ld->m->rung, "full") != 0 || ld->m->origin[0])
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
        name_check,    counters_check,   origin_check,       match_check,
        roles_check,   unused_events,    unused_latencies,   clashes,
        locates_check, thresholds_check, perf_metrics_check,
    };
    int rc = 0;
    for (size_t i = 0; i < sizeof(lints) / sizeof(lints[0]) && rc == 0; i++) {
        ld->file = ld->mem->file;
        rc = load_go_on(ld, lints[i](ld));
    }
    return rc;
}
