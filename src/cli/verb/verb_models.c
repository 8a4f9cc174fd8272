/* `tdtop models`: the list of models; what this machine gets (--here); a check of a file (--check);
 * one model (models_show.c). */
#include "cli/verb/models.h"

#include "base/array.h"
#include "base/str.h"
#include "base/toml.h"
#include "cli/cli.h"
#include "cli/config/config.h"
#include "cli/file/json_out.h"
#include "cli/pick.h"
#include "model/knowledge/explain.h"
#include "model/load/model_index.h"
#include "model/load/model_text.h"
#include "pmu/host/fallback.h"
#include "pmu/host/machine.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- the list ---- */

enum group { INTEL_P, INTEL_E, AMD, ARM, OTHER, LOWER, N_GROUPS };
static const char *const titles[N_GROUPS] = {
    [INTEL_P] = "Intel", [INTEL_E] = "Intel E-cores", [AMD] = "AMD",
    [ARM] = "Arm",       [OTHER] = "Others",          [LOWER] = "For CPUs without a model"};

/* By age. A model that is not here is put behind, in its vendor's group. */
static const char *const by_age[] = {
    "snb",     "jkt",     "ivb",     "ivt",     "hsw",     "hsx",     "bdw",     "bdw-de",
    "bdx",     "skl",     "skx",     "clx",     "icl",     "icx",     "tgl",     "rkl",
    "adl-glc", "spr",     "spr-hbm", "emr",     "mtl-rwc", "gnr",     "lnl-lnc", "arl-lnc",
    "ptl-cgc", "glm",     "glp",     "ehl",     "snr",     "adl-grt", "grr",     "srf",
    "mtl-cmt", "arl-cmt", "lnl-skt", "arl-skt", "cwf",     "ptl-dkt"};

#define N_OF(array) ((int)(sizeof(array) / sizeof((array)[0])))

struct row {
    struct model model; /* an outline (model_index.h), where nothing of the user's changes it */
    char file[512];     /* "" = built in */
    enum group group;
    int place, order, n_bottleneck;
    bool here;
};
typedef ARRAY(struct row) rows_t;
enum { NOT_EMBEDDED = -1 };

static void classify(struct row *r) {
    static const struct {
        const char *vendor;
        enum group group;
    } by_vendor[] = {{"Intel", INTEL_P}, {"AMD", AMD}, {"Arm", ARM}};
    const struct model *m = &r->model;
    r->group = OTHER;
    for (int i = 0; i < N_OF(by_vendor); i++)
        if (m->vendor && !strcmp(m->vendor, by_vendor[i].vendor))
            r->group = by_vendor[i].group;
    if (r->group == INTEL_P &&
        (explain_is_ecore(m) || (m->core_type && strcmp(m->core_type, "core") != 0)))
        r->group = INTEL_E;
    if (m->rung && strcmp(m->rung, "full") != 0)
        r->group = LOWER;
    while (r->place < N_OF(by_age) && strcasecmp(by_age[r->place], m->name) != 0)
        r->place++;
}

static int by_place(const void *a, const void *b) {
    const struct row *x = a, *y = b;
    if (x->group != y->group)
        return x->group < y->group ? -1 : 1;
    if (x->place != y->place)
        return x->place < y->place ? -1 : 1;
    return x->order - y->order;
}

static int count_bottlenecks(const struct model *m) {
    int n = 0;
    for (uint32_t i = 0; i < m->n_metric; i++)
        n += m->metric[i].kind == METRIC_BOTTLENECK;
    return n;
}

/* A built-in model that nothing of the user's changes need not be read. */
static int open_row(struct row *r, const struct args *a, const char *name, int embedded,
                    struct err *err) {
    if (embedded != NOT_EMBEDDED && !a->places.metrics && !model_is_users(&a->places, name)) {
        r->n_bottleneck = model_indexes[embedded].n_bottleneck;
        return model_outline(&r->model, (size_t)embedded, err);
    }
    const int rc = model_open(&r->model, name, &a->places, err);
    r->n_bottleneck = count_bottlenecks(&r->model);
    return rc;
}

/* Takes one model into the list, by its index if it is built in. False, with words on standard
 * error, if it cannot be read. */
static bool add_model(rows_t *rows, const struct args *a, const char *name, int embedded) {
    struct err err = {0};
    struct row r = {.order = (int)rows->n};
    if (embedded == NOT_EMBEDDED)
        snprintf(r.file, sizeof(r.file), "%s/%s.toml", a->places.models, name);
    if (open_row(&r, a, name, embedded, &err) < 0) {
        cli_error(&err);
        model_free(&r.model);
        return false;
    }
    classify(&r);
    if (array_push(rows, r) < 0) {
        model_free(&r.model);
        cli_lack();
        return false;
    }
    return true;
}

static bool is_embedded(const char *name) {
    for (const struct embedded *e = embedded_models; e->name; e++)
        if (!strcasecmp(e->name, name))
            return true;
    return false;
}

/* The user's own, those that replace a built-in one excepted. Returns how many cannot be read. */
static int add_folder(rows_t *rows, const struct args *a) {
    struct dirent **found = NULL;
    int bad = 0, n = scandir(a->places.models, &found, NULL, alphasort);
    if (n < 0) {
        cli_note("--model-dir %s: %s", a->places.models, strerror(errno));
        return 1;
    }
    for (int i = 0; i < n; i++) {
        char name[256];
        str_copy(name, sizeof(name), found[i]->d_name);
        if (str_ends(name, ".toml")) {
            name[strlen(name) - strlen(".toml")] = '\0';
            bad += !is_embedded(name) && !add_model(rows, a, name, NOT_EMBEDDED);
        }
        free(found[i]);
    }
    free(found);
    return bad;
}

static void mark_here(rows_t *rows, const struct args *a, const struct machine *mc) {
    for (int c = 0; c < (mc->n_core ? mc->n_core : 1); c++) {
        char name[256];
        const char *id = mc->n_core ? mc->core[c].id : mc->id;
        if (!id[0] ||
            !fallback_find(&a->places, id, mc->n_core ? mc->core[c].kind : "", name, sizeof(name)))
            continue;
        for (uint32_t i = 0; i < rows->n; i++)
            rows->at[i].here |= !strcasecmp(rows->at[i].model.name, name);
    }
}

/* Copies from *in what stands for any digit, or one character; the vendor's spelling of both cases
 * of a hexadecimal digit once. */
static void copy_part(const char **in, struct strbuf *sb) {
    static const struct {
        const char *from, *to;
    } shorter[] = {
        {"[[:xdigit:]]", "."}, {"A-Fa-f", "A-F"}, {"56789ABCDEF", "5-F"}, {"01234", "0-4"}};
    for (int i = 0; i < N_OF(shorter); i++)
        if (str_starts(*in, shorter[i].from)) {
            strbuf_add(sb, "%s", shorter[i].to);
            *in += strlen(shorter[i].from);
            return;
        }
    strbuf_add(sb, "%c", *(*in)++);
}

/* "6-97" of "GenuineIntel-6-97", whose vendor the heading names; "25-[245]?." */
static void pattern_words(const char *pattern, char *buf, size_t cap) {
    static const char *const vendors[] = {"GenuineIntel-", "AuthenticAMD-"};
    struct strbuf sb = strbuf_on(buf, cap);
    for (int i = 0; i < N_OF(vendors); i++)
        if (str_starts(pattern, vendors[i]))
            pattern += strlen(vendors[i]);
    buf[0] = '\0';
    while (*pattern)
        copy_part(&pattern, &sb);
}

/* What two patterns have in common, up to and with the last '-'. */
static size_t common_head(const char *a, const char *b) {
    size_t n = 0, head = 0;
    while (a[n] && a[n] == b[n])
        if (a[n++] == '-')
            head = n;
    return head;
}

/* "6-97,9A,BE +2": whole patterns, as many as w columns hold. */
static void match_words(const struct model *m, char *buf, size_t cap, int w) {
    struct strbuf sb = strbuf_on(buf, cap);
    int n = 0, shown = 0;
    char first[128] = "", next[128];
    buf[0] = '\0';
    while (m->match && m->match[n])
        n++;
    for (; shown < n; shown++) {
        pattern_words(m->match[shown], next, sizeof(next));
        const char *rest = next + (shown ? common_head(first, next) : 0);
        int more = n - shown > 1 ? (int)strlen(" +9") : 0;
        if (shown && (int)(sb.n + 1 + strlen(rest)) + more > w)
            break;
        strbuf_add(&sb, "%s%s", shown ? "," : "", rest);
        if (!shown)
            str_copy(first, sizeof(first), next);
    }
    if (shown < n)
        strbuf_add(&sb, " +%d", n - shown);
}

enum { NAME_W = 16, TITLE_W = 33, MATCH_W = 21 };

/* Bytes of the text that fit into w columns without cutting a word. */
static size_t fitting(const char *text, size_t w) {
    size_t n = strlen(text);
    if (n <= w)
        return n;
    for (n = w; n > 0 && text[n] != ' ';)
        n--;
    return n ? n : w;
}

static void print_row(const struct row *r) {
    const struct model *m = &r->model;
    char match[256];
    size_t n = fitting(m->title, TITLE_W);
    match_words(m, match, sizeof(match), MATCH_W);
    printf("%c %-*s %-*.*s %-*s %-4.4s %5u %7u %6u\n", r->here ? '*' : ' ', NAME_W, m->name,
           TITLE_W, (int)n, m->title, MATCH_W,
           match[0]            ? match
           : r->group == LOWER ? "any"
                               : "by --model",
           m->tma && m->tma[0] ? m->tma : "-", m->n_tree, m->n_metric - m->n_tree, m->n_event);
    if (m->title[n])
        printf("  %-*s   %s\n", NAME_W, "", m->title + n + 1);
}

static void print_rows(const rows_t *rows) {
    int last = -1;
    printf("  %-*s %-*s %-*s %-4s %5s %7s %6s\n", NAME_W, "name", TITLE_W, "title", MATCH_W,
           "match", "TMA", "nodes", "metrics", "events");
    for (uint32_t i = 0; i < rows->n; i++) {
        if ((int)rows->at[i].group != last)
            printf("%s%s\n", last < 0 ? "" : "\n", titles[rows->at[i].group]);
        last = (int)rows->at[i].group;
        print_row(&rows->at[i]);
    }
}

static void print_note(const rows_t *rows, const struct machine *mc) {
    bool any = false;
    for (uint32_t i = 0; i < rows->n; i++)
        any |= rows->at[i].here;
    const char *id = mc->id[0] ? mc->id : "no id";
    if (any)
        printf("\n* made for this machine (%s); tdtop models --here says what it really gets\n",
               id);
    else
        printf("\nNone is made for this machine (%s); tdtop models --here says what it gets\n", id);
}

static json_t *row_json(const struct row *r) {
    const struct model *m = &r->model;
    json_t *o = json_object(), *match = json_array();
    for (int i = 0; m->match && m->match[i]; i++)
        json_array_append_new(match, json_string(m->match[i]));
    const struct {
        const char *key, *text;
    } texts[] = {{"name", m->name},     {"title", m->title},
                 {"tma", m->tma},       {"vendor", m->vendor},
                 {"rung", m->rung},     {"core_type", m->core_type},
                 {"scope", m->scope},   {"origin", m->origin},
                 {"limits", m->limits}, {"file", r->file[0] ? r->file : NULL}};
    for (int i = 0; i < N_OF(texts); i++)
        json_object_set_new(o, texts[i].key,
                            texts[i].text ? json_string(texts[i].text) : json_null());
    json_object_set_new(o, "match", match);
    json_object_set_new(o, "slots_per_cycle", json_integer(m->slots_per_cycle));
    json_object_set_new(o, "nodes", json_integer(m->n_tree));
    json_object_set_new(o, "metrics", json_integer(m->n_metric - m->n_tree));
    json_object_set_new(o, "bottlenecks", json_integer(r->n_bottleneck));
    json_object_set_new(o, "events", json_integer(m->n_event));
    json_object_set_new(o, "latencies", json_integer(m->n_latency));
    json_object_set_new(o, "this_machine", json_boolean(r->here));
    return o;
}

/* Leaves the models that are made for one CPU. */
static void keep_matching(rows_t *rows, const char *id) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < rows->n; i++) {
        const struct model *m = &rows->at[i].model;
        bool fits = false;
        for (int k = 0; m->match && m->match[k] && rows->at[i].group != LOWER; k++)
            fits |= machine_matches(m->match[k], id);
        if (fits)
            rows->at[n++] = rows->at[i];
        else
            model_free(&rows->at[i].model);
    }
    rows->n = n;
}

static void print_kinds(const rows_t *rows, const char *id) {
    printf("\n%s has several kinds of core: --cputype", id);
    for (uint32_t i = 0; i < rows->n; i++)
        printf("%s %s", i ? " or" : "", rows->at[i].model.core_type);
    printf(" chooses one.\n");
}

/* Every model there is, one a line; with an id ("" = none) only those for that CPU's kinds of
 * core. */
static int models_list(const struct args *a, const char *id) {
    struct machine mc;
    rows_t rows = {0};
    int bad = 0;
    for (int i = 0; embedded_models[i].name; i++)
        bad += !add_model(&rows, a, embedded_models[i].name, i);
    if (a->places.models)
        bad += add_folder(&rows, a);
    machine_detect(&mc, "");
    mark_here(&rows, a, &mc);
    if (id[0])
        keep_matching(&rows, id);
    qsort(rows.at, rows.n, sizeof(*rows.at), by_place);
    if (a->json) {
        json_t *all = json_array();
        for (uint32_t i = 0; i < rows.n; i++)
            json_array_append_new(all, row_json(&rows.at[i]));
        json_print(all, JSON_INDENT(1));
    } else {
        print_rows(&rows);
        if (id[0])
            print_kinds(&rows, id);
        else
            print_note(&rows, &mc);
    }
    for (uint32_t i = 0; i < rows.n; i++)
        model_free(&rows.at[i].model);
    array_free(&rows);
    return bad ? EXIT_ERROR : EXIT_OK;
}

/* ---- --here ---- */

enum { RUNGS = 4, HERE_W = 14 };
static const char *const rungs[RUNGS] = {"full", "architecture", "generic", "software"};

struct here {
    const struct args *a;
    struct machine mc;
    struct model m; /* what it gets */
    char why[256];
    char made[64]; /* the model of the CPU itself; "" if there is none */
    char arch[64]; /* that of its architecture */
    int taken;     /* rung; RUNGS: --model chose it, or it is of no known rung */
};

static const char *kind_here(const struct here *h) {
    return h->mc.n_core ? h->mc.core[h->mc.chosen].kind : "";
}

static void look_up(struct here *h) {
    struct fallback_wish common = {"architecture", h->mc.id, kind_here(h)};
    if (!h->mc.id[0] ||
        !fallback_find(&h->a->places, h->mc.id, kind_here(h), h->made, sizeof(h->made)))
        h->made[0] = '\0';
    if (!h->mc.id[0] || !fallback_search(&h->a->places, &common, h->arch, sizeof(h->arch)))
        h->arch[0] = '\0';
    h->taken = 0;
    while (h->taken < RUNGS && (h->a->model || strcmp(rungs[h->taken], h->m.rung) != 0))
        h->taken++;
}

static const char *model_of(const struct here *h, int rung) {
    const char *const names[RUNGS] = {h->made, h->arch, "generic", "software"};
    return names[rung];
}

/* What came of a rung. Those below the one that was taken were not asked for. */
static const char *result_of(const struct here *h, int rung) {
    if (rung == h->taken)
        return "taken";
    if (h->taken == RUNGS)
        return "not tried: --model chose";
    if (rung > h->taken)
        return "not needed";
    if (!model_of(h, rung)[0])
        return "there is none for this CPU";
    if (rung == 1 && str_starts(h->mc.id, "0x") && !strcmp(h->m.rung, "generic"))
        return "the kernel does not say how many slots a cycle has";
    return "cannot be counted here";
}

/* The first word is the name of the model: scripts read it. */
static void print_here(const struct here *h) {
    const struct machine *mc = &h->mc;
    printf("%s%s%s\n", str_starts(h->why, h->m.name) ? "" : h->m.name,
           str_starts(h->why, h->m.name) ? "" : ": ", h->why);
    printf("%-*s%s%s%s%s\n", HERE_W, "CPU", mc->id[0] ? mc->id : "no id",
           mc->cpu_name[0] ? " (" : "", mc->cpu_name, mc->cpu_name[0] ? ")" : "");
    printf("%-*s%s\n", HERE_W, "made for it", h->made[0] ? h->made : "no model");
    for (int i = 0; i < mc->n_core; i++)
        printf("%-*s%s%s%s%s\n", HERE_W, i ? "" : "PMU", mc->core[i].pmu,
               mc->core[i].kind[0] ? ", --cputype " : "", mc->core[i].kind,
               mc->n_core > 1 && (mc->all_types || i == mc->chosen) ? ", measured" : "");
    if (!mc->n_core)
        printf("%-*s%s\n", HERE_W, "PMU", "none");
    for (int i = 0; i < RUNGS; i++)
        printf("%-*s%-13s %-18s%s\n", HERE_W, i ? "" : "tried", rungs[i],
               model_of(h, i)[0] ? model_of(h, i) : "-", result_of(h, i));
}

static json_t *text_or_null(const char *text) {
    return text && text[0] ? json_string(text) : json_null();
}

static json_t *cores_json(const struct here *h) {
    json_t *all = json_array();
    for (int i = 0; i < h->mc.n_core; i++) {
        const struct core_type *c = &h->mc.core[i];
        json_t *o = json_object();
        json_object_set_new(o, "pmu", text_or_null(c->pmu));
        json_object_set_new(o, "cputype", text_or_null(c->kind));
        json_object_set_new(o, "cpuid", text_or_null(c->id));
        json_object_set_new(o, "cpus", text_or_null(c->cpus));
        json_object_set_new(o, "measured", json_boolean(i == h->mc.chosen));
        json_array_append_new(all, o);
    }
    return all;
}

static json_t *here_json(const struct here *h) {
    json_t *o = json_object(), *tried = json_array();
    json_object_set_new(o, "model", json_string(h->m.name));
    json_object_set_new(o, "title", json_string(h->m.title));
    json_object_set_new(o, "rung", text_or_null(h->m.rung));
    json_object_set_new(o, "why", json_string(h->why));
    json_object_set_new(o, "cpuid", text_or_null(h->mc.id));
    json_object_set_new(o, "cpu", text_or_null(h->mc.cpu_name));
    json_object_set_new(o, "made_for_it", text_or_null(h->made));
    json_object_set_new(o, "cores", cores_json(h));
    for (int i = 0; i < RUNGS; i++) {
        json_t *r = json_object();
        json_object_set_new(r, "rung", json_string(rungs[i]));
        json_object_set_new(r, "model", text_or_null(model_of(h, i)));
        json_object_set_new(r, "result", json_string(result_of(h, i)));
        json_array_append_new(tried, r);
    }
    json_object_set_new(o, "tried", tried);
    return o;
}

/* What this machine gets, and why. */
static int models_here(const struct args *a) {
    struct here h = {.a = a};
    struct err err = {0};
    int rc = 0;
    machine_detect(&h.mc, "");
    h.mc.all_types = !a->core_type && !a->model;
    if (a->core_type && (rc = machine_choose(&h.mc, a->core_type, &err)) < 0)
        err_prefix(&err, "--cputype");
    if (rc == 0)
        rc = fallback_pick(&h.m, &h.mc, a->model, &a->places, h.why, sizeof(h.why), &err);
    if (rc < 0) {
        cli_error(&err);
    } else {
        look_up(&h);
        if (a->json)
            json_print(here_json(&h), JSON_INDENT(1));
        else
            print_here(&h);
    }
    model_free(&h.m);
    return rc < 0 ? EXIT_ERROR : EXIT_OK;
}

/* ---- --check ---- */

static void print_problem(void *user, const char *text) {
    (void)user;
    char safe[1024];
    puts(str_safe(safe, sizeof(safe), text));
}

static void add_problem(void *user, const char *text) {
    json_array_append_new(user, json_string(text));
}

/* What a sound file of metrics adds, and to what. */
static void metrics_words(const char *path, struct strbuf *sb) {
    struct toml_doc doc = {0};
    struct err err = {0};
    unsigned n = 0;
    if (toml_parse_file(&doc, path, &err) < 0)
        return;
    const struct toml *metrics = toml_get(doc.root, "metric"), *models = toml_get(doc.root, "for");
    for (const struct toml *v = metrics && metrics->type == TOML_TABLE ? metrics->first : NULL; v;
         v = v->next)
        n++;
    strbuf_add(sb, "%u metric%s for ", n, n == 1 ? "" : "s");
    if (!models || models->type != TOML_ARRAY)
        strbuf_add(sb, "every model");
    else
        for (const struct toml *p = models->first; p; p = p->next)
            strbuf_add(sb, "%s%s", p == models->first ? "" : ", ",
                       p->type == TOML_STRING ? p->string : "?");
    toml_free(&doc);
}

/* What a sound file holds. */
static void ok_words(const char *path, char *buf, size_t cap) {
    struct model m = {0};
    struct err err = {0};
    struct strbuf sb = strbuf_on(buf, cap);
    if (model_load_file(&m, path, &err) == 0)
        strbuf_add(&sb, "model %s: %u nodes, %u metrics, %u events", m.name, m.n_tree,
                   m.n_metric - m.n_tree, m.n_event);
    else
        metrics_words(path, &sb);
    model_free(&m);
}

static void print_check(const char *path, int n) {
    char words[512];
    if (n > 0) {
        printf("%s: %d problem%s\n", path, n, n == 1 ? "" : "s");
        return;
    }
    ok_words(path, words, sizeof(words));
    printf("%s: ok (%s)\n", path, words);
}

/* --check */
static int models_check(const struct args *a) {
    struct err err = {0};
    json_t *problems = a->json ? json_array() : NULL;
    int n = model_check(a->check, problems ? add_problem : print_problem, problems, &err);
    if (n < 0) {
        json_decref(problems);
        cli_error(&err);
        return EXIT_ERROR;
    }
    if (problems)
        json_print(json_pack("{sssiso}", "file", a->check, "n", n, "problems", problems),
                   JSON_INDENT(1));
    else
        print_check(a->check, n);
    return n ? EXIT_ERROR : EXIT_OK;
}

/* ---- the verb ---- */

static int fail(const struct err *err) {
    cli_error(err);
    return EXIT_ERROR;
}

/* The metric or the group of one that is spelt most like this; NULL: none is. */
static const char *nearest_name(const struct model *m, const char *name) {
    struct str_nearest near = {.to = name, .below = 5};
    for (uint32_t i = 0; i < m->n_metric; i++)
        str_nearest(&near, m->metric[i].name);
    return near.best;
}

static int no_such_metric(const struct model *m, const char *name, struct err *err) {
    const char *nearest = nearest_name(m, name);
    return err_set(err, -ENOENT,
                   "%s: model %s has no node, metric or group of this name%s%s%s tdtop "
                   "models %s lists them",
                   name, m->name, nearest ? "; did you mean '" : ";", nearest ? nearest : "",
                   nearest ? "'?" : "", m->name);
}

static void print_json(const struct model *m, const char *group, int metric) {
    json_print(metric != METRIC_NONE ? models_json_metric(m, metric)
               : group               ? models_json_group(m, group)
                                     : models_json(m),
               JSON_INDENT(1));
}

static void print_words(const struct args *a, const struct model *m, const char *group,
                        int metric) {
    if (metric != METRIC_NONE)
        models_show_metric(m, metric);
    else if (group)
        models_show_group(m, group);
    else if (a->summary)
        models_brief(m);
    else
        models_show(m);
}

/* What was understood of an id that may be misread, and where it led. */
static void say_id(const struct pick *p) {
    if (p->lower)
        cli_note("%s: there is no model for this CPU itself; this is the %s", p->id,
                 !strcmp(p->name, "generic") ? "generic one" : "one of its architecture");
    const char *model = strrchr(p->words, ' ') ? strstr(p->words, "model 0x") : NULL;
    size_t digits = model ? strspn(model + 8, "0123456789") : 0;
    if (digits > 1 && (model[8 + digits] == ',' || !model[8 + digits]))
        cli_note("%s is %s", p->id, p->words); /* it might have been meant to be decimal */
}

static int show(const struct args *a, const struct pick *p, const char *part) {
    struct model m = {0};
    struct err err = {0};
    int metric = METRIC_NONE;
    int rc = model_open(&m, p->name, &a->places, &err);
    if (rc == 0 && !p->id[0])
        rc = pick_check_kind(a, &m, &err);
    if (rc == 0 && part)
        metric = model_find(&m, part);
    if (rc == 0 && part && metric == METRIC_NONE && !model_has_group(&m, part))
        rc = no_such_metric(&m, part, &err);
    if (rc == 0)
        say_id(p);
    if (rc == 0 && a->json)
        print_json(&m, part, metric);
    else if (rc == 0)
        print_words(a, &m, part, metric);
    model_free(&m);
    return rc < 0 ? fail(&err) : EXIT_OK;
}

static int run(struct args *a) {
    struct pick want;
    struct err err = {0};
    bool by_option = a->model || a->cpuid;
    const char *part = by_option ? a->word[0] : a->word[1];
    if (a->here)
        return models_here(a);
    if (!by_option)
        a->model = a->word[0];
    int rc = pick_named(&want, a, &err);
    if (rc == 0 && by_option && a->n_word > 1)
        rc = err_set(&err, -EINVAL, "%s: one NODE or GROUP at a time", a->word[1]);
    if (rc == 0 && !want.name[0] && a->core_type)
        rc = err_set(&err, -EINVAL, "--cputype %s: which model? give its name, or --cpuid ID",
                     a->core_type);
    if (rc < 0)
        return fail(&err);
    if (!want.name[0] || (pick_is_hybrid(&want, a) && !part))
        return models_list(a, want.id);
    return show(a, &want, part);
}

int verb_models(const struct args *said) {
    struct args a = *said; /* the settings add to it */
    struct config cfg;
    struct err err = {0};
    if (a.check)
        return models_check(&a);
    int rc = config_for(&cfg, &a, &err) < 0 ? fail(&err) : run(&a);
    config_free(&cfg);
    return rc;
}
