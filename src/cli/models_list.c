/* All models, one a line, by vendor and age: what a core is called is found by looking, not by
 * reading. */
#include "base/array.h"
#include "base/str.h"
#include "cli/models.h"
#include "pmu/machine.h"

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
    struct model model;
    char file[512]; /* "" = built in */
    enum group group;
    int place, order;
    bool here;
};
typedef ARRAY(struct row) rows_t;

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

/* Opens one model into the list. False, with words on standard error, if it cannot be read. */
static bool add(rows_t *rows, const struct args *a, const char *name, bool from_folder) {
    struct err err = {0};
    struct row r = {.order = (int)rows->n};
    if (from_folder)
        snprintf(r.file, sizeof(r.file), "%s/%s.toml", a->places.models, name);
    if (model_open(&r.model, name, &a->places, &err) < 0) {
        cli_error(&err);
        return false;
    }
    classify(&r);
    if (array_push(rows, r) < 0) {
        model_free(&r.model);
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
            bad += !is_embedded(name) && !add(rows, a, name, true);
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
            !ladder_find(&a->places, id, mc->n_core ? mc->core[c].kind : "", name, sizeof(name)))
            continue;
        for (uint32_t i = 0; i < rows->n; i++)
            rows->at[i].here |= !strcasecmp(rows->at[i].model.name, name);
    }
}

/* "GenuineIntel-6-8F", "GenuineIntel-6-55 +2", cut to w columns. */
static void match_words(const struct model *m, char *buf, size_t cap, int w) {
    int n = 0;
    while (m->match && m->match[n])
        n++;
    char more[16] = "";
    if (n > 1)
        snprintf(more, sizeof(more), " +%d", n - 1);
    const char *first = n ? m->match[0] : "";
    int room = w - (int)strlen(more);
    if ((int)strlen(first) <= room)
        snprintf(buf, cap, "%s%s", first, more);
    else
        snprintf(buf, cap, "%.*s..%s", room - 2, first, more);
}

enum { NAME_W = 16, TITLE_W = 33, MATCH_W = 21 };

static void print_rows(const rows_t *rows) {
    int last = -1;
    printf("  %-*s %-*s %-*s %-4s %5s %7s %6s\n", NAME_W, "name", TITLE_W, "title", MATCH_W,
           "match", "TMA", "nodes", "metrics", "events");
    for (uint32_t i = 0; i < rows->n; i++) {
        const struct row *r = &rows->at[i];
        const struct model *m = &r->model;
        char match[64], title[64];
        if ((int)r->group != last)
            printf("%s%s\n", last < 0 ? "" : "\n", titles[r->group]);
        last = (int)r->group;
        match_words(m, match, sizeof(match), MATCH_W);
        str_copy(title, TITLE_W + 1, m->title);
        printf("%c %-*s %-*s %-*s %-4.4s %5u %7u %6u\n", r->here ? '*' : ' ', NAME_W, m->name,
               TITLE_W, title, MATCH_W, match, m->tma && m->tma[0] ? m->tma : "-", m->n_tree,
               m->n_metric - m->n_tree, m->n_event);
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
    int bottlenecks = 0;
    for (int i = 0; m->match && m->match[i]; i++)
        json_array_append_new(match, json_string(m->match[i]));
    for (uint32_t i = 0; i < m->n_metric; i++)
        bottlenecks += m->metric[i].kind == METRIC_BOTTLENECK;
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
    json_object_set_new(o, "bottlenecks", json_integer(bottlenecks));
    json_object_set_new(o, "events", json_integer(m->n_event));
    json_object_set_new(o, "latencies", json_integer(m->n_latency));
    json_object_set_new(o, "this_machine", json_boolean(r->here));
    return o;
}

int models_list(const struct args *a) {
    struct machine mc;
    rows_t rows = {0};
    int bad = 0;
    for (const struct embedded *e = embedded_models; e->name; e++)
        bad += !add(&rows, a, e->name, false);
    if (a->places.models)
        bad += add_folder(&rows, a);
    machine_detect(&mc, "");
    mark_here(&rows, a, &mc);
    qsort(rows.at, rows.n, sizeof(*rows.at), by_place);
    if (a->json) {
        json_t *all = json_array();
        for (uint32_t i = 0; i < rows.n; i++)
            json_array_append_new(all, row_json(&rows.at[i]));
        models_print_json(all);
    } else {
        print_rows(&rows);
        print_note(&rows, &mc);
    }
    for (uint32_t i = 0; i < rows.n; i++)
        model_free(&rows.at[i].model);
    array_free(&rows);
    return bad ? EXIT_ERROR : EXIT_OK;
}
