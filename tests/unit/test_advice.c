/* The sentence below the tree: its sources fit the models, and its words fit the values. */
#include "model/knowledge/advice.h"

#include "base/str.h"
#include "model/eval/bottleneck.h"
#include "model/eval/eval.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "count_malloc.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

enum { SOURCES = 8, MODELS = 80 };

static struct advice_source source[SOURCES];
static struct advice advice[SOURCES];
static int n_source;
static struct model model[MODELS];
static int n_model;
static struct explain explain;

static int load(void **state) {
    (void)state;
    struct err err = {0};
    if (explain_load(&explain, &err) < 0)
        goto fail;
    n_source = advice_sources(source, SOURCES);
    for (int i = 0; i < n_source; i++)
        if (advice_load(&advice[i], source[i].name, &err) < 0)
            goto fail;
    for (const struct embedded *f = embedded_models; f->name && n_model < MODELS; f++)
        if (model_open(&model[n_model++], f->name, NULL, &err) < 0)
            goto fail;
    return 0;
fail:
    print_error("%s\n", err.text);
    return -1;
}

static int unload(void **state) {
    (void)state;
    for (int i = 0; i < n_source; i++) {
        advice_free(&advice[i]);
        advice_free(&advice[i]); /* harmless */
    }
    for (int i = 0; i < n_model; i++)
        model_free(&model[i]);
    explain_free(&explain);
    return 0;
}

static const struct model *model_named(const char *name) {
    for (int i = 0; i < n_model; i++)
        if (!strcmp(model[i].name, name))
            return &model[i];
    fail_msg("no model %s", name);
    return NULL;
}

static const struct advice *advice_named(const char *name) {
    for (int i = 0; i < n_source; i++)
        if (!strcmp(source[i].name, name))
            return &advice[i];
    fail_msg("no source %s", name);
    return NULL;
}

/* --- a frame whose values a case writes down --- */

/* Thresholds of models are written with these operators only. */
static double judge(const struct ast *a, const struct frame *f) {
    const double x = a->kid[0] ? judge(a->kid[0], f) : 0, y = a->kid[1] ? judge(a->kid[1], f) : 0;
    switch (a->op) {
    case AST_NUMBER:
        return a->number;
    case AST_METRIC:
        return f->at[a->index].v;
    case AST_ADD:
        return x + y;
    case AST_SUB:
        return x - y;
    case AST_MUL:
        return x * y;
    case AST_DIV:
        return x / y;
    case AST_LT:
        return x < y;
    case AST_GT:
        return x > y;
    case AST_LE:
        return x <= y;
    case AST_GE:
        return x >= y;
    case AST_AND:
        return x > 0 && y > 0;
    case AST_OR:
        return x > 0 || y > 0;
    default:
        return NAN;
    }
}

/* "Backend_Bound=0.5~0.01 IPC=0.4": values, and after '~' their ±. */
static void frame_write(const struct model *m, struct frame *f, const char *text) {
    char copy[1024], *save = NULL;
    for (uint32_t i = 0; i < m->n_metric; i++)
        f->at[i] = (struct value){.v = NAN, .err = NAN, .state = VALUE_NA};
    str_copy(copy, sizeof(copy), text);
    for (char *p = strtok_r(copy, " ", &save); p; p = strtok_r(NULL, " ", &save)) {
        char *value = strchr(p, '='), *err = strchr(p, '~');
        *value++ = '\0';
        const int i = model_find(m, p);
        if (i == METRIC_NONE)
            fail_msg("%s has no %s", m->name, p);
        f->at[i] = (struct value){.v = atof(value), .err = err ? atof(err + 1) : 0, .duty = 1};
    }
    for (uint32_t i = 0; i < m->n_metric; i++)
        f->at[i].over =
            m->metric[i].threshold && !isnan(f->at[i].v) && judge(m->metric[i].threshold, f) > 0;
    bottleneck_find(m, f, &f->bottleneck);
}

/* --- the files --- */

static void sources_are_listed(void **state) {
    (void)state;
    assert_int_equal(n_source, 4);
    assert_string_equal(source[0].name, ADVICE_DEFAULT);
    for (int i = 0; i < n_source; i++) {
        assert_true(strlen(source[i].title) > 10);
        assert_true(strlen(source[i].origin) > 10);
        assert_string_equal(source[i].name, advice[i].name);
        assert_string_equal(source[i].title, advice[i].title);   /* not cut */
        assert_string_equal(source[i].origin, advice[i].origin); /* not cut */
    }
}

static bool some_model(bool (*has)(const struct model *, const char *), const char *name) {
    for (int i = 0; i < n_model; i++)
        if (has(&model[i], name))
            return true;
    return false;
}

static bool has_metric(const struct model *m, const char *name) {
    return model_find(m, name) != METRIC_NONE;
}

static bool has_node(const struct model *m, const char *name) {
    const int i = model_find(m, name);
    return i != METRIC_NONE && m->metric[i].kind == METRIC_TREE;
}

static bool has_event(const struct model *m, const char *name) {
    return model_find_event(m, name) >= 0;
}

static bool has_group(const struct model *m, const char *name) {
    for (uint32_t i = 0; i < m->n_metric; i++)
        if (m->metric[i].groups && strstr(m->metric[i].groups, name))
            return true;
    return false;
}

static void check_names(const struct advice_row *row, const char *what, const char **names,
                        bool (*has)(const struct model *, const char *)) {
    for (const char **name = names; name && *name; name++)
        if (!some_model(has, *name))
            fail_msg("%s: no model has the %s %s", row->id, what, *name);
}

/* Every name in a product; some model must have all of them. */
static bool has_product(const struct model *m, const char *text) {
    char copy[256], *save = NULL, *end;
    str_copy(copy, sizeof(copy), text);
    for (char *p = strtok_r(copy, " */", &save); p; p = strtok_r(NULL, " */", &save)) {
        (void)strtod(p, &end);
        if (*end && !has_metric(m, p))
            return false;
    }
    return true;
}

static bool has_any(const struct model *m, const char *text) {
    char copy[256], *save = NULL;
    str_copy(copy, sizeof(copy), text);
    copy[strcspn(copy, "<>")] = '\0';
    for (char *p = strtok_r(copy, "| ", &save); p; p = strtok_r(NULL, "| ", &save))
        if (!has_metric(m, p))
            return false;
    return true;
}

/* Both names of "A|B" must exist, but no model has both. */
static void check_condition(const struct advice_row *row, const char *text) {
    char copy[256], *save = NULL;
    str_copy(copy, sizeof(copy), text);
    assert_non_null(strpbrk(text, "<>"));
    copy[strcspn(copy, "<>")] = '\0';
    for (char *p = strtok_r(copy, "| ", &save); p; p = strtok_r(NULL, "| ", &save))
        if (!some_model(has_any, p))
            fail_msg("%s: no model has %s", row->id, p);
}

static void rows_name_what_models_have(void **state) {
    (void)state;
    for (int s = 0; s < n_source; s++) {
        const struct advice_row *row = advice[s].row;
        const size_t n = advice[s].n_row;
        assert_true(n > 5);
        for (size_t i = 0; i < n; i++, row++) {
            check_names(row, "metric", row->metric, has_product);
            check_names(row, "metric", row->beside, has_metric);
            check_names(row, "node", row->node, has_node);
            check_names(row, "group", row->group, has_group);
            check_names(row, "event", row->event, has_event);
            for (const char **c = row->also; c && *c; c++)
                check_condition(row, *c);
            if (advice[s].tree && !some_model(has_metric, row->id))
                fail_msg("no model has %s", row->id);
        }
    }
}

/* All sentences of all sources, to compare each with all others. */
struct said {
    const char *text, *where;
};

static int by_text(const void *a, const void *b) {
    return strcasecmp(((const struct said *)a)->text, ((const struct said *)b)->text);
}

static void no_sentence_is_said_twice(void **state) {
    (void)state;
    static struct said said[1000];
    size_t n = 0;
    for (int s = 0; s < n_source; s++) {
        const struct advice_row *row = advice[s].row;
        for (size_t i = 0; i < advice[s].n_row; i++) {
            const char *const texts[] = {row[i].says, row[i].next, row[i].fine};
            for (size_t t = 0; t < COUNT(texts); t++)
                if (texts[t])
                    said[n++] = (struct said){texts[t], row[i].id};
        }
        for (const struct toml *t = advice[s].words_ ? advice[s].words_->first : NULL; t;
             t = t->next)
            said[n++] = (struct said){t->string, t->key};
    }
    assert_true(n > 200);
    qsort(said, n, sizeof(said[0]), by_text);
    for (size_t i = 1; i < n; i++)
        if (!strcasecmp(said[i].text, said[i - 1].text))
            fail_msg("%s and %s both say: %s", said[i - 1].where, said[i].where, said[i].text);
}

static void every_node_has_words(void **state) {
    (void)state;
    const struct advice *a = advice_named(ADVICE_DEFAULT);
    for (int i = 0; i < n_model; i++)
        for (uint32_t k = 0; k < model[i].n_tree; k++)
            if (!toml_get(a->words_, model[i].metric[k].name))
                fail_msg("%s of %s has no words", model[i].metric[k].name, model[i].name);
    for (const struct toml *t = a->words_->first; t; t = t->next)
        if (!some_model(has_node, t->key))
            fail_msg("no model has the node %s", t->key);
}

/* The limits of the sources, as their documents have them. */
static void limits_are_those_of_the_sources(void **state) {
    (void)state;
    static const struct {
        const char *source, *row, *ok, *bad;
    } cases[] = {
        {"perf-topdown", "cpi", "1.0", "1.0"},
        {"perf-topdown", "branch_misses", "2%", "5%"},
        {"perf-topdown", "l1d_misses", "5%", "10%"},
        {"perf-topdown", "icache_misses", "0.1%", "1%"},
        {"perf-topdown", "retiring", NULL, "80%"},
        {"perf-topdown", "bad_speculation", NULL, "15%"},
        {"perf-topdown", "frontend", NULL, "20%"},
        {"perf-topdown", "backend", NULL, "40%"},
        {"perf-counters", "ipc_critical", NULL, "0.3"},
        {"perf-counters", "ipc_poor", NULL, "0.8"},
        {"perf-counters", "ipc_moderate", "1.5", NULL},
        {"perf-counters", "cache_misses", NULL, "5%"},
        {"perf-counters", "l3_misses", NULL, "2%"},
        {"linux-perf-profile", "ipc", "2.0", "1.0"},
        {"linux-perf-profile", "frontend", "10%", "20%"},
        {"linux-perf-profile", "backend", "30%", "40%"},
        {"linux-perf-profile", "backend_memory", "15%", "25%"},
        {"linux-perf-profile", "mispredicts", "1%", "3%"},
        {"linux-perf-profile", "l1d", "5%", "10%"},
        {"linux-perf-profile", "l1d_to_l2", "30%", "50%"},
        {"linux-perf-profile", "l2", "10%", "20%"},
        {"linux-perf-profile", "l2_to_llc", "20%", "40%"},
        {"linux-perf-profile", "dtlb", "0.5%", "2%"},
        {"linux-perf-profile", "itlb", "0.1%", "1%"},
        {"linux-perf-profile", "speculative", "2%", "5%"},
        {"linux-perf-profile", "density", "20%", "30%"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct advice *a = advice_named(cases[i].source);
        const struct advice_row *row = a->row;
        size_t k = 0;
        while (k < a->n_row && strcmp(row[k].id, cases[i].row) != 0)
            k++;
        assert_true(k < a->n_row);
        const char *ok = row[k].ok.text, *bad = row[k].bad.text;
        if ((ok ? !cases[i].ok || strcmp(ok, cases[i].ok) : cases[i].ok != NULL) ||
            (bad ? !cases[i].bad || strcmp(bad, cases[i].bad) : cases[i].bad != NULL))
            fail_msg("%s: %s: ok %s, bad %s", cases[i].source, cases[i].row, ok ? ok : "none",
                     bad ? bad : "none");
    }
}

static void broken_files_are_refused(void **state) {
    (void)state;
#define HEAD "name='x'\ntitle='X'\norigin='X'\nrule='table'\n"
#define PRODUCT                                                                                    \
    "[row.a]\nsection='s'\nlabel='l'\nmetric=['IPC', 'A / B']\nrank=1\nsays='s'\nnext='n'\n"
#define ROW "[row.a]\nsection='s'\nlabel='l'\nmetric=['IPC']\nrank=1\nsays='s'\nnext='n'\n"
    static const struct {
        const char *what, *text, *words;
    } cases[] = {
        {"no TOML", "name=", "x.toml:1:6"},
        {"no name", "rule='tree'\n", "found no name, title or origin"},
        {"no rule", "name='x'\ntitle='X'\norigin='X'\n", "found rule ''"},
        {"an unknown key", HEAD "rul='x'\n", "x.toml:5:1: found 'rul'"},
        {"an unknown key of a row", HEAD ROW "okay='< 1'\n", "found 'okay'"},
        {"a limit without sign", HEAD ROW "ok='1'\n", "found no limit for 'ok'"},
        {"a limit with a space before %", HEAD ROW "ok='< 1 %'\n", "found no limit for 'ok'"},
        {"no limit", HEAD ROW, "found no limit in row 'a'"},
        {"no metric", HEAD "[row.a]\nsection='s'\nlabel='l'\n", "found no 'metric' in row 'a'"},
        {"an empty list", HEAD ROW "ok='< 1'\nevent=[]\n", "found nothing for 'event'"},
        {"a number in a list", HEAD ROW "ok='< 1'\nevent=[1]\n", "found integer in 'event'"},
        {"a command for nobody", HEAD ROW "ok='< 1'\ncommand={VIA='x'}\n", "found 'VIA'"},
        {"a condition without a sign", HEAD ROW "ok='< 1'\nalso=['X']\n", "x.toml:13:"},
        {"a condition without a limit", HEAD ROW "ok='< 1'\nalso=['X <']\n", "condition in 'also'"},
        {"a condition of nothing", HEAD ROW "ok='< 1'\nalso=['< 1']\n", "condition in 'also'"},
        {"a limit with a tail", HEAD ROW "ok='< 1'\nalso=['X < 1% or so']\n", "condition in"},
        {"the second condition", HEAD ROW "ok='< 1'\nalso=['X < 1', 'Y']\n", "found no condition"},
        {"the model's limit of a product", HEAD PRODUCT "bad='model'\n",
         "x.toml:12:1: found 'model'"},
        {"the model's limit for ok", HEAD ROW "ok='model'\n", "found 'model' for 'ok'"},
        {"the model's limit for good", HEAD ROW "good='model'\n", "found 'model' for 'good'"},
        {"a rank too far", HEAD ROW "ok='< 1'\nbeside=['a']\n[row.b]\nrank=10\n", "rank"},
        {"words that are none", HEAD "[words]\nA=1\n", "found integer for 'A'"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct advice a;
        struct err err = {0};
        const int rc = advice_load_text(&a, cases[i].text, strlen(cases[i].text), "x.toml", &err);
        if (rc != -EINVAL || !strstr(err.text, cases[i].words))
            fail_msg("%s: rc %d: %s", cases[i].what, rc, err.text);
        advice_free(&a);
    }
}

static void unknown_source_names_the_others(void **state) {
    (void)state;
    struct advice a;
    struct err err = {0};
    assert_int_equal(advice_load(&a, "oracle", &err), -ENOENT);
    for (int i = 0; i < n_source; i++)
        assert_non_null(strstr(err.text, source[i].name));
}

/* --- the sentences --- */

struct scenario {
    const char *what, *source, *model, *values,
        *before; /* before: values of the baseline, or NULL */
    enum advice_certainty certainty;
    const char *node, *seen, *next, *from; /* from: the source; NULL: as in the case before */
};

#include "advice_cases.h"

static void make(const struct scenario *s, struct advice_text *t, const struct advice_keys *keys) {
    const struct model *m = model_named(s->model);
    struct frame f, then;
    assert_int_equal(frame_init(&f, m->n_metric), 0);
    assert_int_equal(frame_init(&then, m->n_metric), 0);
    frame_write(m, &f, s->values);
    frame_write(m, &then, s->before ? s->before : "");
    struct explain fit; /* as the screen has it */
    assert_int_equal(explain_load_for(&fit, m, NULL), 0);
    struct advice_input in = {.model = m, .frame = &f, .explain = &fit, .keys = keys};
    if (s->before)
        in.baseline =
            (struct advice_past){advice_past_frame, &then, "since the baseline", NULL, NULL};
    advice_make(advice_named(s->source), &in, t);
    explain_free(&fit);
    frame_destroy(&f);
    frame_destroy(&then);
}

static void words_are_as_expected(void **state) {
    (void)state;
    int bad = 0;
    for (size_t i = 0; i < COUNT(scenarios); i++) {
        const struct scenario *s = &scenarios[i];
        struct advice_text t;
        make(s, &t, NULL);
        const char *node = t.node == METRIC_NONE ? "" : model_named(s->model)->metric[t.node].name;
        if (strcmp(t.seen, s->seen) || strcmp(t.next, s->next) || strcmp(node, s->node) ||
            t.certainty != s->certainty || (s->from && strcmp(t.source, s->from))) {
            print_error("%s (%s, %s):\n  %s\n  %s\n  %s, %s, certainty %d\n", s->what, s->source,
                        s->model, t.seen, t.next, t.source, node, (int)t.certainty);
            bad++;
        }
    }
    assert_int_equal(bad, 0);
}

static bool is_text(const char *s) {
    for (; *s; s++)
        if ((unsigned char)*s < ' ')
            return false;
    return true;
}

/* Every word of the short form is one of the long form, or its ellipsis. */
static bool words_are_of(const char *line, const char *seen, const char *next) {
    char copy[600], *save = NULL;
    str_copy(copy, sizeof(copy), line);
    for (char *p = strtok_r(copy, " ", &save); p; p = strtok_r(NULL, " ", &save)) {
        size_t n = strlen(p);
        while (n && strchr(".,;:", p[n - 1]))
            p[--n] = '\0';
        char *dots = strstr(p, "…");
        if (dots)
            *dots = '\0';
        if (n && !strcasestr(seen, p) && !strcasestr(next, p))
            return false;
    }
    return true;
}

/* The line behind who says it. */
static const char *without_who(const struct advice_text *t, const char *line) {
    const size_t n = strlen(t->who);
    return n && strncmp(line, t->who, n) == 0 ? line + n : line;
}

static void every_text_fits_every_width(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT(scenarios); i++) {
        struct advice_text t;
        make(&scenarios[i], &t, NULL);
        assert_true(is_text(t.seen) && is_text(t.next) && is_text(t.source));
        assert_true(isupper((unsigned char)t.next[0]) || strchr("e", t.next[0]));
        for (int part = ADVICE_SEEN; part <= ADVICE_BOTH; part++)
            for (int columns = 0; columns <= 300; columns++) {
                char line[600];
                advice_fit(&t, (enum advice_part)part, columns, line, sizeof(line));
                if (str_width(line) > columns ||
                    !words_are_of(without_who(&t, line), t.seen, t.next))
                    fail_msg("%s at %d: %s", scenarios[i].what, columns, line);
                if (columns >= 60 && !line[0])
                    fail_msg("%s at %d: nothing", scenarios[i].what, columns);
            }
        char line[600], whole[600];
        snprintf(whole, sizeof(whole), "%s%s. %s", t.who, t.seen, t.next);
        assert_string_equal(advice_fit(&t, ADVICE_BOTH, 500, line, sizeof(line)), whole);
    }
}

static void short_forms_are_as_expected(void **state) {
    (void)state;
    int bad = 0;
    for (size_t i = 0; i < COUNT(shorts); i++) {
        struct advice_text t;
        char line[600];
        make(&scenarios[shorts[i].scenario], &t, NULL);
        advice_fit(&t, ADVICE_BOTH, shorts[i].columns, line, sizeof(line));
        if (strcmp(line, shorts[i].line) == 0)
            continue;
        print_message("%s at %d:\n  %s\n", scenarios[shorts[i].scenario].what, shorts[i].columns,
                      line);
        bad++;
    }
    assert_int_equal(bad, 0);
}

static void nothing_is_allocated(void **state) {
    (void)state;
#ifdef SANITIZED
    skip();
#else
    const struct model *m = model_named("spr");
    struct frame f;
    struct advice_text t;
    char line[600];
    assert_int_equal(frame_init(&f, m->n_metric), 0);
    frame_write(m, &f, scenarios[0].values);
    const struct advice_input in = {.model = m, .frame = &f, .explain = &explain};
    const unsigned long before = calls_now();
    for (int s = 0; s < n_source; s++) {
        advice_make(&advice[s], &in, &t);
        advice_fit(&t, ADVICE_BOTH, 120, line, sizeof(line));
    }
    assert_int_equal(calls_now(), before);
    frame_destroy(&f);
#endif
}

static void changes_are_since_what_is_known(void **state) {
    (void)state;
    static const struct {
        const char *what, *now, *baseline, *words;
    } cases[] = {
        {"more", "Kernel=0.50", "Kernel=0.40", "up 10.0 points since the baseline"},
        {"no baseline", "Kernel=0.50", NULL, NULL},
        {"not in it", "Kernel=0.50", "User=0.5", NULL},
        {"less than a point", "Kernel=0.50", "Kernel=0.495", "no clear change since"},
        {"less than its error", "Kernel=0.50~0.05", "Kernel=0.44~0.04", "no clear change"},
        {"more than its error", "Kernel=0.50~0.03", "Kernel=0.44~0.04", "up 6.0 points"},
    };
    const struct model *m = model_named("software");
    struct frame now, base;
    assert_int_equal(frame_init(&now, m->n_metric), 0);
    assert_int_equal(frame_init(&base, m->n_metric), 0);
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct advice_text t;
        frame_write(m, &now, cases[i].now);
        frame_write(m, &base, cases[i].baseline ? cases[i].baseline : "");
        struct advice_input in = {.model = m, .frame = &now};
        if (cases[i].baseline)
            in.baseline =
                (struct advice_past){advice_past_frame, &base, "since the baseline", NULL, NULL};
        advice_make(advice_named(ADVICE_DEFAULT), &in, &t);
        if (cases[i].words ? !strstr(t.seen, cases[i].words) : strstr(t.seen, "since") != NULL)
            fail_msg("%s: %s", cases[i].what, t.seen);
    }
    frame_destroy(&now);
    frame_destroy(&base);
}

/* What a comparison says, by hand: of two metrics. */
struct judged {
    const struct frame *then;
    int node[2];
    struct advice_change c[2];
};

static bool judged_get(void *user, int metric, double *v, double *err) {
    union {
        const struct frame *from;
        void *to;
    } u = {.from = ((struct judged *)user)->then};
    return advice_past_frame(u.to, metric, v, err);
}

static bool judged_judge(void *user, int metric, struct advice_change *out) {
    const struct judged *j = user;
    for (int i = 0; i < 2; i++)
        if (metric == j->node[i]) {
            *out = j->c[i];
            return true;
        }
    return false;
}

static int judged_largest(void *user) {
    const struct judged *j = user;
    return j->c[0].sure ? j->node[0] : j->c[1].sure ? j->node[1] : METRIC_NONE;
}

/* A share that is not the largest is named: why. Useful work, and time that is nobody's, need no
 * words. And commands are for the process that is measured, where it is one. */
static void smaller_share_is_explained(void **state) {
    (void)state;
    static const struct {
        const char *what, *model, *values, *path,
            *words; /* path: its end, where it is an old one */
        enum advice_certainty certainty;
    } cases[] = {
        {"it has just become larger", "software", "Kernel=0.36 Run_Queue_Wait=0.42", "Kernel",
         "; larger only just now: waiting for a CPU 42.0%", ADVICE_UNSURE},
        {"it is below its threshold", "spr",
         "Frontend_Bound=0.18 Bad_Speculation=0.05 Backend_Bound=0.19 Retiring=0.58", NULL,
         "; larger: backend-bound 19.0%, below its threshold", ADVICE_SURE},
        {"useful, idle", "software", "User=0.30 Kernel=0.28 Run_Queue_Wait=0.02 Idle=0.40", NULL,
         "", ADVICE_SURE},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct model *m = model_named(cases[i].model);
        struct frame f;
        struct advice_text t;
        assert_int_equal(frame_init(&f, m->n_metric), 0);
        frame_write(m, &f, cases[i].values);
        if (cases[i].path)
            f.bottleneck = (struct bottleneck){.at = {(int16_t)model_find(m, cases[i].path)},
                                               .n = 1,
                                               .tie = {METRIC_NONE, METRIC_NONE}};
        const struct advice_input in = {.model = m, .frame = &f, .explain = &explain, .pid = 4242};
        advice_make(advice_named("toplev"), &in, &t);
        if (cases[i].words[0] ? !strstr(t.seen, cases[i].words) : !!strstr(t.seen, "larger"))
            fail_msg("%s: %s", cases[i].what, t.seen);
        assert_int_equal(t.certainty, cases[i].certainty);
        if (m == model_named("software"))
            assert_non_null(strstr(t.next, "perf trace -s -p 4242"));
        frame_destroy(&f);
    }
}

/* Whatever is seen, the comparison is told: of the node, else its largest sure change. */
static void comparison_is_always_told(void **state) {
    (void)state;
    const struct advice_change none = {0.001, 0.002, false, 0}, less = {-0.096, -0.3, true, 1},
                               more = {0.04, 0.2, true, -1}, idle = {0.04, 0.2, true, 0},
                               half = {0.3, 0.5, true, 1}, from_0 = {3, (double)NAN, true, -1};
    const struct {
        const char *what, *now, *node[2];
        struct advice_change c[2];
        const char *words;
    } cases[] = {
        {"a tie",
         "Kernel=0.40 User=0.20 Run_Queue_Wait=0.38",
         {"User", "Kernel"},
         {less, none},
         "; User better by 9.6 points since the baseline"},
        {"the node itself",
         "Kernel=0.50",
         {"User", "Kernel"},
         {less, more},
         ", up 4.0 points since the baseline"},
        {"another than the node",
         "Kernel=0.50",
         {"Run_Queue_Wait", "Kernel"},
         {more, none},
         "; Run_Queue_Wait worse by 4.0 points since the baseline"},
        {"neither better nor worse",
         "Kernel=0.50",
         {"Idle", "Kernel"},
         {idle, none},
         "; Idle up 4.0 points since the baseline"},
        {"no share",
         "Kernel=0.50",
         {"CPUs_Utilized", "Kernel"},
         {half, none},
         "; CPUs_Utilized better by 50% since the baseline"},
        {"of nothing",
         "Kernel=0.50",
         {"Major_Faults_Per_S", "Kernel"},
         {from_0, none},
         "; Major_Faults_Per_S worse since the baseline"},
        {"nothing is over",
         "User=0.40 Kernel=0.10",
         {"User", "Kernel"},
         {none, less},
         "; Kernel better by 9.6 points since the baseline"},
        {"nothing sure",
         "Kernel=0.50",
         {"User", "Kernel"},
         {none, none},
         "; no clear change since the baseline"},
    };
    const struct model *m = model_named("software");
    struct frame now;
    assert_int_equal(frame_init(&now, m->n_metric), 0);
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct advice_text t;
        char line[512];
        struct judged j = {.then = &now, .c = {cases[i].c[0], cases[i].c[1]}};
        for (int k = 0; k < 2; k++)
            j.node[k] = model_find(m, cases[i].node[k]);
        frame_write(m, &now, cases[i].now);
        const struct advice_input in = {
            .model = m,
            .frame = &now,
            .baseline = {judged_get, &j, "since the baseline", judged_judge, judged_largest}};
        advice_make(advice_named(ADVICE_DEFAULT), &in, &t);
        if (!strstr(t.seen, cases[i].words))
            fail_msg("%s: %s", cases[i].what, t.seen);
        advice_fit(&t, ADVICE_BOTH, 120, line, sizeof(line));
        if (!strstr(line, "since the baseline"))
            fail_msg("%s: %s", cases[i].what, line);
    }
    frame_destroy(&now);
}

static bool always(void *user, int metric) {
    (void)metric;
    return user != NULL;
}

/* A ± that reaches a threshold from far away does not make the value one that is near it. */
static void far_is_not_near(void **state) {
    (void)state;
    static const struct {
        const char *what, *l3;
        bool moved;
        const char *words, *not_words;
    } cases[] = {
        {"near", "0.052~0.006", true, ", about at its threshold of 5.0%", "changed"},
        {"far", "0.30~0.28", false, ", a ± that reaches its threshold of 5.0%", "about at"},
        {"just changed", "0.30~0.28", true, ", just changed: the ± is of before and after",
         "about at"},
        {"sure", "0.30~0.02", true, "± 2.0", "threshold"},
    };
    const struct model *m = model_named("spr");
    static int yes;
    struct frame f;
    assert_int_equal(frame_init(&f, m->n_metric), 0);
    for (size_t i = 0; i < COUNT(cases); i++) {
        char values[200];
        struct advice_text t;
        struct advice_input in = {.model = m, .frame = &f, .moved = always};
        snprintf(values, sizeof(values), "Backend_Bound=0.5 Memory_Bound=0.4 L3_Bound=%s",
                 cases[i].l3);
        frame_write(m, &f, values);
        in.moved_user = cases[i].moved ? &yes : NULL;
        advice_make(advice_named("toplev"), &in, &t);
        if (!strstr(t.seen, cases[i].words) || strstr(t.seen, cases[i].not_words))
            fail_msg("%s: %s", cases[i].what, t.seen);
    }
    frame_destroy(&f);
}

/* Who sleeps has no shares: nothing lacks. */
static void who_sleeps_did_not_run(void **state) {
    (void)state;
    static const struct {
        const char *what, *model, *values;
        bool not_counted, slept;
    } cases[] = {
        {"no CPU time", "software", "CPUs_Utilized=0 Threads=1", false, true},
        {"CPU time", "software", "CPUs_Utilized=0.5 Threads=1", false, false},
        {"counters that never ran", "spr", "", true, true},
        {"no reason", "spr", "", false, false},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct model *m = model_named(cases[i].model);
        struct frame f;
        struct advice_text t;
        assert_int_equal(frame_init(&f, m->n_metric), 0);
        frame_write(m, &f, cases[i].values);
        for (uint32_t k = 0; k < m->n_tree && cases[i].not_counted; k++)
            f.at[k].why = (struct why){.kind = WHY_EVENT, .code = COUNT_NOT_COUNTED};
        const struct advice_input in = {.model = m, .frame = &f};
        advice_make(advice_named("toplev"), &in, &t);
        const char *words = cases[i].slept ? "It did not run in this interval" : "Level 1 is not";
        if (strncmp(t.seen, words, strlen(words)) || !strstr(t.next, "doctor") != cases[i].slept)
            fail_msg("%s: %s. %s", cases[i].what, t.seen, t.next);
        frame_destroy(&f);
    }
}

static void keys_are_those_given(void **state) {
    (void)state;
    static const struct advice_keys other = {"l", "d", "G", "h"}, none = {"", "", "", ""};
    struct advice_text t;
    make(&scenarios[0], &t, &other);
    assert_non_null(strstr(t.next, "Open L3_Bound (G, then l) for "));
    assert_null(strstr(t.next, "ample ")); /* h does */
    make(&scenarios[0], &t, &none);
    assert_non_null(strstr(t.next, "Look below L3_Bound: "));
    assert_non_null(strstr(t.next, "ample MEM_"));
    assert_null(strstr(t.next, "(B"));
}

/* To what can be counted, and is not looked at already. */
static void sends_where_there_is_something(void **state) {
    (void)state;
    static const struct {
        const char *what;
        enum count_state below; /* why the nodes below are not known */
        bool open, on_it, over;
        const char *words; /* of the step; NULL: it is not to be opened */
    } cases[] = {
        {"out of focus", COUNT_NOT_FOCUSED, false, false, false,
         "Open L3_Bound (B, then Enter) for "},
        {"the cursor is on it", COUNT_NOT_FOCUSED, false, true, false,
         "Open L3_Bound (Enter) for "},
        {"it is open", COUNT_NOT_FOCUSED, true, true, false, NULL},
        {"of the past", COUNT_NOT_FOCUSED, false, false, true, NULL},
        {"not in the recording", COUNT_ABSENT, false, false, false, NULL},
        {"refused", COUNT_NOT_SUPPORTED, false, false, false, NULL},
        {"beyond --level", COUNT_NOT_PLANNED, false, false, false, NULL},
    };
    const struct scenario *sc = &scenarios[0]; /* ends in L3_Bound, nothing below it is known */
    const struct model *m = model_named(sc->model);
    const int node = model_find(m, sc->node);
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct frame f;
        struct advice_text t;
        bool *open = calloc(m->n_tree, sizeof(*open));
        assert_non_null(open);
        assert_int_equal(frame_init(&f, m->n_metric), 0);
        frame_write(m, &f, sc->values);
        for (int k = m->metric[node].first_child; k != METRIC_NONE; k = m->metric[k].next_sibling)
            f.at[k].why = (struct why){.kind = WHY_EVENT, .code = (uint8_t)cases[i].below};
        open[node] = cases[i].open;
        const struct advice_input in = {.model = m,
                                        .frame = &f,
                                        .open = open,
                                        .cursor = cases[i].on_it ? &node : NULL,
                                        .over = cases[i].over};
        advice_make(advice_named("toplev"), &in, &t);
        const char *child = m->metric[m->metric[node].first_child].name;
        if (cases[i].words ? !strstr(t.next, cases[i].words)
                           : strstr(t.next, "pen L3") || strstr(t.next, child))
            fail_msg("%s: %s", cases[i].what, t.next);
        frame_destroy(&f);
        free(open);
    }
}

/* A table's step goes to a node: not to one that is not to be had. */
static void a_row_sends_to_no_unknown_node(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT(scenarios); i++) {
        const struct scenario *sc = &scenarios[i];
        const char *at = strstr(sc->next, "; open "),
                   *end = at ? strstr(at, " (Enter on it)") : NULL;
        char name[64];
        struct frame f;
        struct advice_text t;
        if (!end)
            continue;
        snprintf(name, sizeof(name), "%.*s", (int)(end - at) - 7, at + 7);
        const struct model *m = model_named(sc->model);
        const int node = model_find(m, name);
        assert_int_not_equal(node, METRIC_NONE);
        assert_int_equal(frame_init(&f, m->n_metric), 0);
        frame_write(m, &f, sc->values);
        for (uint32_t k = 0; k < m->n_metric; k++)
            if (isnan(f.at[k].v))
                f.at[k].why = (struct why){.kind = WHY_EVENT, .code = COUNT_ABSENT};
        const struct advice_input in = {.model = m, .frame = &f};
        advice_make(advice_named(sc->source), &in, &t);
        char open[96], see[96];
        snprintf(open, sizeof(open), "open %s (Enter", name);
        snprintf(see, sizeof(see), "see %s", name);
        bool below = false;
        for (int k = m->metric[node].first_child; k != METRIC_NONE; k = m->metric[k].next_sibling)
            below |= !isnan(f.at[k].v);
        if ((!below && strstr(t.next, open)) || (isnan(f.at[node].v) && strstr(t.next, see)))
            fail_msg("%s: %s", sc->what, t.next);
        frame_destroy(&f);
    }
}

/* Names of 200 characters, and all nodes at once: nothing overflows, nothing is empty. */
static void long_names_are_no_harm(void **state) {
    (void)state;
    char text[2000], name[201];
    memset(name, 'N', 200);
    name[200] = '\0';
    snprintf(text, sizeof(text),
             "name='long'\ntitle='Long'\nrung='full'\nscope='pipeline slots'\nmatch=[]\n[event]\n"
             "'a'={code=1}\n'b'={code=2}\n[node.%s]\nformula='a'\nthreshold=0.1\n"
             "[node.%.199sM]\nparent='%s'\nformula='b'\nthreshold=0.1\n",
             name, name, name);
    struct model m;
    struct err err = {0};
    struct frame f;
    struct advice_text t;
    if (model_load(&m, text, strlen(text), "long.toml", &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(frame_init(&f, m.n_metric), 0);
    f.at[0] = (struct value){.v = 0.5, .over = true};
    f.at[1] = (struct value){.v = NAN};
    bottleneck_find(&m, &f, &f.bottleneck);
    const struct advice_input in = {.model = &m, .frame = &f};
    for (int s = 0; s < n_source; s++)
        for (int columns = 1; columns < 300; columns += 7) {
            char line[600];
            advice_make(&advice[s], &in, &t);
            advice_fit(&t, ADVICE_BOTH, columns, line, sizeof(line));
            assert_true(str_width(line) <= columns);
        }
    frame_destroy(&f);
    model_free(&m);
}

/* Every model, every source, each node in turn far over its threshold: words for all of it. */
static void every_node_of_every_model_gets_words(void **state) {
    (void)state;
    for (int i = 0; i < n_model; i++) {
        struct frame f;
        assert_int_equal(frame_init(&f, model[i].n_metric), 0);
        for (uint32_t k = 0; k < model[i].n_tree; k++) {
            frame_write(&model[i], &f, "");
            for (int n = (int)k; n != METRIC_NONE; n = model[i].metric[n].parent)
                f.at[n] = (struct value){.v = 0.9, .over = true};
            bottleneck_find(&model[i], &f, &f.bottleneck);
            struct advice_text t;
            const struct advice_input in = {.model = &model[i], .frame = &f, .explain = &explain};
            advice_make(advice_named(ADVICE_DEFAULT), &in, &t);
            char plain[ADVICE_PLAIN];
            advice_plain(advice_named(ADVICE_DEFAULT), &model[i].metric[k], true, plain,
                         sizeof(plain));
            if (t.node != (int)k || !strstr(t.seen, plain) || !t.next[0])
                fail_msg("%s, %s: %s. %s", model[i].name, model[i].metric[k].name, t.seen, t.next);
        }
        frame_destroy(&f);
    }
}

/* Of each node, where a pane of 80 columns has room for it: no action sends to another's. */
static void every_action_stands_alone(void **state) {
    (void)state;
    enum { ROOM = 68 };
    int bad = 0;
    for (int i = 0; i < n_model; i++) {
        struct frame f;
        assert_int_equal(frame_init(&f, model[i].n_metric), 0);
        for (uint32_t k = 0; k < model[i].n_tree; k++) {
            char hint[512] = "", line[300];
            struct advice_text t;
            frame_write(&model[i], &f, "");
            for (int n = (int)k; n != METRIC_NONE; n = model[i].metric[n].parent)
                f.at[n] = (struct value){.v = 0.9, .over = true};
            for (int n = model[i].metric[k].first_child; n != METRIC_NONE;
                 n = model[i].metric[n].next_sibling)
                f.at[n] = (struct value){.v = 0.01};
            bottleneck_find(&model[i], &f, &f.bottleneck);
            const struct advice_input in = {.model = &model[i], .frame = &f, .explain = &explain};
            advice_make(advice_named(ADVICE_DEFAULT), &in, &t);
            advice_fit(&t, ADVICE_NEXT, ROOM, line, sizeof(line));
            explain_hint(&explain, model[i].metric[k].name, hint, sizeof(hint));
            if (line[0] && strncmp(line, "Sample", 6) && !strstr(line, "…") &&
                !strcasestr(line, "as for ") && !strcasestr(hint, "as for "))
                continue;
            print_error("%s, %s: %s (%s)\n", model[i].name, model[i].metric[k].name, line, hint);
            bad++;
        }
        frame_destroy(&f);
    }
    assert_int_equal(bad, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sources_are_listed),
        cmocka_unit_test(rows_name_what_models_have),
        cmocka_unit_test(no_sentence_is_said_twice),
        cmocka_unit_test(every_node_has_words),
        cmocka_unit_test(limits_are_those_of_the_sources),
        cmocka_unit_test(broken_files_are_refused),
        cmocka_unit_test(unknown_source_names_the_others),
        cmocka_unit_test(words_are_as_expected),
        cmocka_unit_test(every_text_fits_every_width),
        cmocka_unit_test(short_forms_are_as_expected),
        cmocka_unit_test(changes_are_since_what_is_known),
        cmocka_unit_test(smaller_share_is_explained),
        cmocka_unit_test(comparison_is_always_told),
        cmocka_unit_test(nothing_is_allocated),
        cmocka_unit_test(far_is_not_near),
        cmocka_unit_test(who_sleeps_did_not_run),
        cmocka_unit_test(keys_are_those_given),
        cmocka_unit_test(sends_where_there_is_something),
        cmocka_unit_test(a_row_sends_to_no_unknown_node),
        cmocka_unit_test(long_names_are_no_harm),
        cmocka_unit_test(every_node_of_every_model_gets_words),
        cmocka_unit_test(every_action_stands_alone),
    };
    return cmocka_run_group_tests(tests, load, unload);
}
