#include "model/load/select.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { METRICS_MAX = 512 };

static struct model small, spr;

/*
 *   Front {Lat {Cache {Deep}, Tlb}, Band}   Back {Mem {L1}, Core}   Ret
 *   beside: IPC (vital; group Sum), Mem_Lat (Slow;Big), Mem_Bw (Memory), Lonely (no group)
 */
static const char text[] =
    "name = \"small\"\ntitle = \"Small\"\nvendor = \"Intel\"\nrung = \"full\"\nscope = \"slots\"\n"
    "[event]\n\"A\" = { code = 1 }\n"
    "[node.Front]\nformula = \"A\"\n"
    "[node.Lat]\nparent = \"Front\"\nformula = \"A\"\ngroups = \"Fetch\"\n"
    "[node.Cache]\nparent = \"Lat\"\nformula = \"A\"\ngroups = \"Memory;Big\"\nvendor = "
    "\"ICache\"\n"
    "[node.Deep]\nparent = \"Cache\"\nformula = \"A\"\n"
    "[node.Tlb]\nparent = \"Lat\"\nformula = \"A\"\n"
    "[node.Band]\nparent = \"Front\"\nformula = \"A\"\n"
    "[node.Back]\nformula = \"A\"\n"
    "[node.Mem]\nparent = \"Back\"\nformula = \"A\"\n"
    "[node.L1]\nparent = \"Mem\"\nformula = \"A\"\n"
    "[node.Core]\nparent = \"Back\"\nformula = \"A\"\n"
    "[node.Ret]\nformula = \"A\"\n"
    "[metric.IPC]\nformula = \"A\"\nvital = true\ngroups = \"Sum\"\n"
    "[metric.Mem_Lat]\nformula = \"A\"\ngroups = \"Slow;Big\"\n"
    "[metric.Mem_Bw]\nformula = \"A\"\ngroups = \"Memory\"\n"
    "[metric.Lonely]\nformula = \"A\"\n";

static int setup(void **state) {
    (void)state;
    struct err err = {0};
    if (model_load(&small, text, strlen(text), "small", &err) ||
        model_open(&spr, "spr", NULL, &err))
        fail_msg("%s", err.text);
    return 0;
}

static int teardown(void **state) {
    (void)state;
    model_free(&small);
    model_free(&spr);
    return 0;
}

/* The wanted ones by name, in the order of the model. */
static const char *names(const struct model *m, const bool *wanted, char *buf, size_t cap) {
    size_t n = 0;
    buf[0] = '\0';
    for (uint32_t i = 0; i < m->n_metric && n < cap; i++)
        if (wanted[i])
            n += (size_t)snprintf(buf + n, cap - n, "%s%s", n ? " " : "", m->metric[i].name);
    return buf;
}

static void by_level(void **state) {
    (void)state;
    static const struct {
        int level;
        const char *names;
    } cases[] = {
        {1, "Front Back Ret IPC"},
        {2, "Front Lat Band Back Mem Core Ret IPC"},
        {3, "Front Lat Cache Tlb Band Back Mem L1 Core Ret IPC"},
        {4, "Front Lat Cache Deep Tlb Band Back Mem L1 Core Ret IPC"},
        {0, "Front Lat Cache Deep Tlb Band Back Mem L1 Core Ret IPC Mem_Lat Mem_Bw Lonely"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        bool wanted[METRICS_MAX];
        char buf[512];
        memset(wanted, true, sizeof(wanted)); /* whatever was there before */
        select_level(&small, cases[i].level, wanted);
        if (strcmp(names(&small, wanted, buf, sizeof(buf)), cases[i].names) != 0)
            fail_msg("level %d: %s", cases[i].level, buf);
    }
}

static void grammar(void **state) {
    (void)state;
    static const struct {
        const char *what;
        int level;
        const char *spec, *names;
    } cases[] = {
        {"plain name adds", 1, "Mem", "Front Back Mem Ret IPC"},
        {"plus adds, ancestors come along", 1, "+L1", "Front Back Mem L1 Ret IPC"},
        {"minus removes", 2, "-Band", "Front Lat Back Mem Core Ret IPC"},
        {"a hat in front removes", 2, "^Band", "Front Lat Back Mem Core Ret IPC"},
        {"only what is named", 2, "!Core", "Back Core"},
        {"blanks around", 2, "  ! Core , +Ret ", "Back Core Ret"},
        {"case does not matter", 2, "!core", "Back Core"},
        {"by path", 0, "!Front.Lat.Tlb", "Front Lat Tlb"},
        {"by the vendor's name", 0, "!ICache", "Front Lat Cache"},
        {"star: it and all below", 1, "+Lat*", "Front Lat Cache Deep Tlb Back Ret IPC"},
        {"star to a level", 1, "+Lat*/3", "Front Lat Cache Tlb Back Ret IPC"},
        {"everything to a level", 0, "!*/1", "Front Back Ret IPC Mem_Lat Mem_Bw Lonely"},
        {"a wildcard within", 0, "!?em", "Back Mem"},
        {"nodes and metrics of a group", 0, "!Memory", "Front Lat Cache Mem_Bw"},
        {"by group", 0, "!Fetch", "Front Lat"},
        {"second group of a list", 0, "!Big", "Front Lat Cache Mem_Lat"},
        {"siblings of a node, metrics of its groups", 1, "+Cache^",
         "Front Lat Cache Tlb Back Ret IPC Mem_Lat Mem_Bw"},
        {"a node without groups has siblings only", 1, "+Core^", "Front Back Mem Core Ret IPC"},
        {"siblings of a metric beside the tree", 1, "!Mem_Lat^", "Mem_Lat"},
        {"siblings of a root are the roots", 0, "!Ret^", "Front Back Ret"},
        {"removing with siblings", 2, "-Lat^", "Front Back Mem Core Ret IPC"},
        {"from left to right", 2, "-Lat*,+Tlb", "Front Lat Tlb Band Back Mem Core Ret IPC"},
        {"the last word counts", 2, "+Tlb,-Tlb", "Front Lat Band Back Mem Core Ret IPC"},
        {"ancestors of what is wanted cannot be removed", 2, "-Back",
         "Front Lat Band Back Mem Core Ret IPC"},
        {"with all its children they can", 2, "-Back*", "Front Lat Band Ret IPC"},
        {"vital signs, too", 1, "-IPC", "Front Back Ret"},
        {"no group at all", 0, "!Lonely^", "Lonely"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        bool wanted[METRICS_MAX] = {false};
        char buf[512];
        struct err err = {0};
        select_level(&small, cases[i].level, wanted);
        if (select_nodes(&small, cases[i].spec, wanted, &err))
            fail_msg("%s: %s", cases[i].what, err.text);
        if (strcmp(names(&small, wanted, buf, sizeof(buf)), cases[i].names) != 0)
            fail_msg("%s: '%s' gives: %s", cases[i].what, cases[i].spec, buf);
    }
}

static void mistakes(void **state) {
    (void)state;
    char too_long[300];
    memset(too_long, 'x', sizeof(too_long) - 1);
    too_long[sizeof(too_long) - 1] = '\0';
    const struct {
        const char *what, *spec, *words;
    } cases[] = {
        {"nothing of this name", "Meem", "nothing called 'Meem'; did you mean 'Mem'?"},
        {"another word, if a short one", "Bogus", "nothing called 'Bogus'; tdtop models"},
        {"nothing near either", "Xyzzyxyzzy", "nothing called 'Xyzzyxyzzy';"},
        {"where to look", "Xyzzyxyzzy", "tdtop models small"},
        {"too deep for the level", "Deep/2", "'Deep' at that level or above"},
        {"an empty item", "Mem,,L1", "an empty item"},
        {"nothing after the sign", "+", "an empty item"},
        {"nothing but a hat", "Mem,^", "an empty item"},
        {"ends in a comma", "Mem,", "an empty item"},
        {"a level that is none", "Mem/x", "'/x' is no level"},
        {"level 0", "Mem/0", "'/0' is no level"},
        {"a level and more", "Mem/2x", "'/2x' is no level"},
        {"no level", "Mem/", "'/' is no level"},
        {"too long", too_long, "names are shorter"},
        {"only an exclamation mark", "!", "an empty item"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        bool wanted[METRICS_MAX] = {false};
        struct err err = {0};
        int rc = select_nodes(&small, cases[i].spec, wanted, &err);
        if (rc >= 0 || !strstr(err.text, cases[i].words))
            fail_msg("%s: %d, %s", cases[i].what, rc, err.text);
        if (strncmp(err.text, "--nodes: ", strlen("--nodes: ")) != 0)
            fail_msg("%s does not name the option: %s", cases[i].what, err.text);
    }
}

static uint32_t count(const struct model *m, const bool *wanted) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < m->n_metric; i++)
        n += wanted[i];
    return n;
}

/* The examples of toplev's manual, on a real core. */
static void on_sapphire_rapids(void **state) {
    (void)state;
    assert_true(spr.n_metric < METRICS_MAX);
    bool wanted[METRICS_MAX] = {false}, all[METRICS_MAX] = {false};
    assert_int_equal(select_nodes(&spr, "!+L1_Bound*,+DRAM_Bound", wanted, NULL), 0);
    assert_true(wanted[model_find(&spr, "L1_Bound")]);
    assert_true(wanted[model_find(&spr, "DTLB_Load")]);
    assert_true(wanted[model_find(&spr, "DRAM_Bound")]);
    assert_true(wanted[model_find(&spr, "Memory_Bound")]);
    assert_true(wanted[model_find(&spr, "Backend_Bound")]);
    assert_false(wanted[model_find(&spr, "MEM_Latency")]);
    assert_false(wanted[model_find(&spr, "Frontend_Bound")]);
    select_level(&spr, 0, all);
    assert_int_equal(count(&spr, all), spr.n_metric);
    assert_int_equal(select_nodes(&spr, "-*", all, NULL), 0);
    assert_int_equal(count(&spr, all), 0);
    assert_int_equal(select_nodes(&spr, "*/2", all, NULL), 0);
    for (uint32_t i = 0; i < spr.n_tree; i++)
        assert_int_equal(all[i], spr.metric[i].level <= 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_level),
        cmocka_unit_test(grammar),
        cmocka_unit_test(mistakes),
        cmocka_unit_test(on_sapphire_rapids),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
