/* All models, one a line, by vendor and age: what a core is called is found by looking, not by
 * reading. */
#include "base/array.h"
#include "base/str.h"
#include "cli/verb/models.h"
#include "model/load/model_index.h"
#include "pmu/host/fallback.h"
#include "pmu/host/machine.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum group { INTEL_P, INTEL_E, AMD, ARM, OTHER, LOWER, N_GROUPS };
static const char *const titles[N_GROUPS] = {
    [INTEL_P] = "Intel", [INTEL_E] = "Intel E-cores", [AMD] = "AMD",
    [ARM] = "Arm",       [OTHER] = "Others",          [LOWER] = "For CPUs without a model"};

/* By age. A model that is not here is put behind, in its vendor's group. */
static const char *const p_cores[] = {
    "snb",     "jkt", "ivb",     "ivt", "hsw",     "hsx",     "bdw",    "bdw-de",  "bdx",
    "skl",     "skx", "clx",     "icl", "icx",     "tgl",     "rkl",    "adl-glc", "spr",
    "spr-hbm", "emr", "mtl-rwc", "gnr", "lnl-lnc", "arl-lnc", "ptl-cgc"};
static const char *const e_cores[] = {"glm",     "glp", "ehl",     "snr",     "adl-grt",
                                      "grr",     "srf", "mtl-cmt", "arl-cmt", "lnl-skt",
                                      "arl-skt", "cwf", "ptl-dkt"};

#define N(array) ((int)(sizeof(array) / sizeof((array)[0])))

static int place_in(const char *const *list, int n, const char *name) {
    for (int i = 0; i < n; i++)
        if (!strcasecmp(list[i], name))
            return i;
    return -1;
}

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
    int e = place_in(e_cores, N(e_cores), m->name), p = place_in(p_cores, N(p_cores), m->name);
    r->group = OTHER;
    for (int i = 0; i < N(by_vendor); i++)
        if (m->vendor && !strcmp(m->vendor, by_vendor[i].vendor))
            r->group = by_vendor[i].group;
    if (r->group == INTEL_P && (e >= 0 || (m->core_type && strcmp(m->core_type, "core") != 0)))
        r->group = INTEL_E;
    if (m->rung && strcmp(m->rung, "full") != 0)
        r->group = LOWER;
    r->place = r->group == INTEL_E ? e : r->group == INTEL_P ? p : 0;
    if (r->place < 0)
        r->place = 1000;
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
static bool add(rows_t *rows, const struct args *a, const char *name, int embedded) {
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
            bad += !is_embedded(name) && !add(rows, a, name, NOT_EMBEDDED);
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
    for (int i = 0; i < N(shorter); i++)
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
    for (int i = 0; i < N(vendors); i++)
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
    for (int i = 0; i < N(texts); i++)
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

int models_list(const struct args *a, const char *id) {
    struct machine mc;
    rows_t rows = {0};
    int bad = 0;
    for (int i = 0; embedded_models[i].name; i++)
        bad += !add(&rows, a, embedded_models[i].name, i);
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
        models_print_json(all);
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
