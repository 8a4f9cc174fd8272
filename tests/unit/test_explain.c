#include "model/explain.h"

#include "model/model.h"

#include <ctype.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static struct explain ex;

static int load(void **state) {
    (void)state;
    struct err err = {0};
    if (explain_load(&ex, &err) == 0)
        return 0;
    print_error("%s\n", err.text);
    return -1;
}

static int unload(void **state) {
    (void)state;
    explain_free(&ex);
    explain_free(&ex); /* harmless */
    return 0;
}

/* What a user meets first: two levels of every tree, and the third of the common ones. */
static void first_entries_are_there(void **state) {
    (void)state;
    static const char *const names[] = {
        "Frontend_Bound",
        "Bad_Speculation",
        "Backend_Bound",
        "Retiring",
        "Fetch_Latency",
        "Fetch_Bandwidth",
        "Branch_Mispredicts",
        "Machine_Clears",
        "Memory_Bound",
        "Core_Bound",
        "Light_Operations",
        "Heavy_Operations",
        "ICache_Misses",
        "ITLB_Misses",
        "Branch_Resteers",
        "MS_Switches",
        "LCP",
        "DSB_Switches",
        "MITE",
        "DSB",
        "MS",
        "L1_Bound",
        "L2_Bound",
        "L3_Bound",
        "DRAM_Bound",
        "Store_Bound",
        "Divider",
        "Serializing_Operation",
        "Ports_Utilization",
        "AMX_Busy",
        "Microcode_Sequencer",
        "Few_Uops_Instructions",
        "Other_Mispredicts",
        "Other_Nukes",
        "FP_Arith",
        "Int_Operations",
        "Memory_Operations",
        "Fused_Instructions",
        "Non_Fused_Branches",
        "Other_Light_Ops",
        "User",
        "Kernel",
        "Run_Queue_Wait",
        "Frontend_Stalls",
        "Backend_Stalls",
        "Active",
        "Resource_Bound",
        "Mem_Scheduler",
        "Serialization",
        "Fast_Nuke",
        "Cond_TK_Mispredicts",
        "Ret_Mispredicts",
        "HBM_Bound",
        "SMT_Contention",
        "Frontend_Core_Bound",
        "Backend_Mem_Bound",
        "Backend_Busy_Bound",
    };
    for (size_t i = 0; i < COUNT(names); i++)
        if (!explain_find(&ex, names[i]))
            fail_msg("no entry '%s'", names[i]);
}

/* What `take` makes of every embedded model. */
static void each_model(void (*take)(const struct model *m, void *arg), void *arg) {
    for (const struct embedded *f = embedded_models; f->name; f++) {
        struct model m;
        struct err err = {0};
        if (model_load(&m, f->text, f->len, f->name, &err) != 0)
            fail_msg("%s", err.text);
        take(&m, arg);
        model_free(&m);
    }
}

static void check_cover(const struct model *m, void *arg) {
    int *missing = arg;
    for (uint32_t i = 0; i < m->n_tree; i++) {
        if (m->metric[i].level > 3 || explain_find(&ex, m->metric[i].name))
            continue;
        print_error("%s: no entry for '%s'\n", m->name, m->metric[i].name);
        ++*missing;
    }
}

/* Every node of the first three levels of every embedded model can be explained. */
static void models_are_covered(void **state) {
    (void)state;
    int missing = 0;
    each_model(check_cover, &missing);
    assert_int_equal(missing, 0);
}

static void mark_used(const struct model *m, void *arg) {
    bool *used = arg;
    for (uint32_t i = 0; i < m->n_metric; i++) {
        const struct explain_entry *e = explain_find(&ex, m->metric[i].name);
        if (e)
            used[e - ex.at] = true;
    }
}

/* An entry that no model has a metric for would never be seen: a misspelt or forgotten name. */
static void entries_are_used(void **state) {
    (void)state;
    bool *used = calloc(ex.n, sizeof(*used));
    assert_non_null(used);
    each_model(mark_used, used);
    for (size_t i = 0; i < ex.n; i++)
        if (!used[i])
            fail_msg("no model has a metric '%s'", ex.at[i].name);
    free(used);
}

static size_t list_length(const char **list) {
    size_t n = 0;
    while (list && list[n])
        n++;
    return n;
}

/* Sentences end in . ! or ? before a blank or the end. */
static int sentences(const char *text) {
    int n = 0;
    for (const char *p = text; *p; p++)
        n += strchr(".!?", *p) && (p[1] == ' ' || !p[1]);
    return n;
}

static void entries_are_complete(void **state) {
    (void)state;
    assert_in_range(ex.n, 90, 500);
    for (size_t i = 0; i < ex.n; i++) {
        const struct explain_entry *e = &ex.at[i];
        if (!e->summary[0] || strlen(e->summary) > 72 || strchr(e->summary, '\n'))
            fail_msg("%s: summary", e->name);
        if (sentences(e->description) < 2 || sentences(e->description) > 4)
            fail_msg("%s: %d sentences of description", e->name, sentences(e->description));
        if (list_length(e->causes) < 3 || list_length(e->causes) > 5)
            fail_msg("%s: %zu causes", e->name, list_length(e->causes));
        if (list_length(e->hints) < 3 || list_length(e->hints) > 5)
            fail_msg("%s: %zu hints", e->name, list_length(e->hints));
        if (list_length(e->confirm) < 1)
            fail_msg("%s: nothing to confirm it with", e->name);
        assert_ptr_equal(explain_find(&ex, e->name), e);
    }
}

static void names_ignore_case(void **state) {
    (void)state;
    assert_non_null(explain_find(&ex, "l3_bound"));
    assert_ptr_equal(explain_find(&ex, "L3-BOUND"), explain_find(&ex, "L3_Bound"));
    assert_null(explain_find(&ex, "L3"));
    assert_null(explain_find(&ex, ""));
    const struct explain none = {0};
    assert_null(explain_find(&none, "L3_Bound"));
}

/* ---- no sentence of more than eight words occurs in two entries ---- */

struct sentence {
    char text[400]; /* lower case words, one blank between */
    const char *entry;
};

struct sentences {
    struct sentence *at;
    size_t n, cap;
};

static void sentence_add(struct sentences *all, const char *entry, const char *from, size_t len) {
    struct sentence s = {.entry = entry};
    size_t n = 0, words = 0;
    for (size_t i = 0; i < len && n + 2 < sizeof(s.text); i++) {
        if (!isalnum((unsigned char)from[i]) && !(from[i] & 0x80))
            continue;
        const bool begins = i == 0 || from[i - 1] == ' ';
        words += begins;
        if (begins && n)
            s.text[n++] = ' ';
        s.text[n++] = (char)tolower((unsigned char)from[i]);
    }
    if (words <= 8)
        return;
    assert_true(all->n < all->cap);
    all->at[all->n++] = s;
}

/* A sentence ends at . ! ? ; : before a blank, and at the end of the text. */
static void text_add(struct sentences *all, const char *entry, const char *text) {
    const char *from = text;
    for (const char *p = text;; p++) {
        if (*p && !(strchr(".!?;:", *p) && p[1] == ' '))
            continue;
        sentence_add(all, entry, from, (size_t)(p - from));
        if (!*p)
            return;
        from = p + 2;
    }
}

static int sentence_order(const void *a, const void *b) {
    const struct sentence *x = a, *y = b;
    return strcmp(x->text, y->text);
}

static void no_sentence_twice(void **state) {
    (void)state;
    struct sentences all = {.cap = 40 * ex.n};
    all.at = malloc(all.cap * sizeof(*all.at));
    for (size_t i = 0; i < ex.n; i++) {
        const struct explain_entry *e = &ex.at[i];
        const char **lists[] = {e->causes, e->hints, e->confirm};
        text_add(&all, e->name, e->summary);
        text_add(&all, e->name, e->description);
        for (size_t k = 0; k < COUNT(lists); k++)
            for (const char **s = lists[k]; s && *s; s++)
                text_add(&all, e->name, *s);
    }
    assert_in_range(all.n, 2 * ex.n, all.cap);
    qsort(all.at, all.n, sizeof(*all.at), sentence_order);
    for (size_t i = 1; i < all.n; i++)
        if (strcmp(all.at[i].text, all.at[i - 1].text) == 0)
            fail_msg("%s and %s share: %s", all.at[i].entry, all.at[i - 1].entry, all.at[i].text);
    free(all.at);
}

/* ---- what is refused ---- */

#define GOOD "summary = 's'\ndescription = 'd'\ncauses = ['c']\nhints = ['h']\n"

static void files_are_checked(void **state) {
    (void)state;
    static const struct {
        const char *what, *text, *second, *words; /* words == NULL: accepted */
    } cases[] = {
        {"nothing", "", "", NULL},
        {"one entry", "[entry.A]\n" GOOD, "", NULL},
        {"two files", "[entry.A]\n" GOOD, "[entry.B]\n" GOOD "confirm = []\n", NULL},
        {"not TOML", "[entry.A\n", "", "explain/one.toml:1:9: found the end of the line"},
        {"no summary", "\n[entry.A]\ndescription = 'd'\n", "",
         "explain/one.toml:2:8: found no 'summary' in entry 'A'; expected one"},
        {"no hints", "[entry.A]\nsummary='s'\ndescription='d'\ncauses=[]\n", "",
         "explain/one.toml:1:8: found no 'hints'"},
        {"unknown key", "[entry.A]\n" GOOD "cause = 'x'\n", "",
         "explain/one.toml:6:1: found 'cause'; expected summary"},
        {"wrong type", "[entry.A]\nsummary = 1\n", "",
         "explain/one.toml:2:1: found integer for 'summary'; expected string"},
        {"text for a list", "[entry.A]\nsummary='s'\ndescription='d'\ncauses='c'\n", "",
         "explain/one.toml:4:1: found string for 'causes'; expected array of strings"},
        {"number in a list", "[entry.A]\nsummary='s'\ndescription='d'\ncauses=['c', 2]\n", "",
         "explain/one.toml:4:14: found integer in 'causes'; expected string"},
        {"other table", "[entries.A]\n", "", "explain/one.toml:1:2: found 'entries'; expected"},
        {"entry is a value", "entry = 1\n", "", "explain/one.toml:1:1: found 'entry'; expected"},
        {"entry is no table", "[entry]\nA = 1\n", "",
         "explain/one.toml:2:1: found integer for 'A'"},
        {"name twice, other case", "[entry.A]\n" GOOD, "\n[entry.a]\n" GOOD,
         "explain/two.toml:2:8: found a second entry 'a'; expected one"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct embedded files[] = {
            {"one", cases[i].text, strlen(cases[i].text)},
            {"two", cases[i].second, strlen(cases[i].second)},
            {NULL, NULL, 0},
        };
        struct explain own;
        struct err err = {0};
        const int rc = explain_load_from(&own, files, &err);
        if ((rc == 0) != !cases[i].words ||
            (rc < 0 && strstr(err.text, cases[i].words) != err.text))
            fail_msg("%s: rc %d, %s", cases[i].what, rc, err.text);
        if (rc < 0)
            assert_int_equal(rc, -EINVAL);
        explain_free(&own);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_entries_are_there), cmocka_unit_test(models_are_covered),
        cmocka_unit_test(entries_are_used),        cmocka_unit_test(entries_are_complete),
        cmocka_unit_test(names_ignore_case),       cmocka_unit_test(no_sentence_twice),
        cmocka_unit_test(files_are_checked),
    };
    return cmocka_run_group_tests(tests, load, unload);
}
