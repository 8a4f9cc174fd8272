/*
 * Which model a machine gets. The models are small ones in a folder of the test's own; where the
 * built-in ones of the same names exist they must be found as well.
 */
#include "pmu/host/fallback.h"

#include "base/log.h"
#include "base/str.h"
#include "fake_machines.h"
#include "model/load/model_index.h"

#include <errno.h>
#include <linux/perf_event.h>

static char models[64];

/* Written as tdtop's own are: what stands on top of their files. */
static const struct {
    const char *name, *match, *core_type, *rung;
    int slots;
    bool topdown; /* wants PERF_METRICS */
} small[] = {
    {"spr", "'GenuineIntel-6-8F'", NULL, "full", 6, true},
    {"skl", "'GenuineIntel-6-4E', 'GenuineIntel-6-5E', 'GenuineIntel-6-[89]E'", NULL, "full", 4,
     false},
    {"adl-grt", "'GenuineIntel-6-97', 'GenuineIntel-6-B7', 'GenuineIntel-6-BE'", "atom", "full", 5,
     false},
    {"adl-glc", "'GenuineIntel-6-97', 'GenuineIntel-6-B7'", "core", "full", 6, true},
    {"mtl-cmt", "'GenuineIntel-6-A[AC]', 'GenuineIntel-6-B5'", "atom", "full", 6, false},
    {"mtl-rwc", "'GenuineIntel-6-A[AC]', 'GenuineIntel-6-B5'", "core", "full", 6, true},
    {"lnl-lnc", "'GenuineIntel-6-BD'", "core", "full", 8, true},
    {"lnl-skt", "'GenuineIntel-6-BD'", "atom", "full", 8, false},
    {"arl-lnc", "'GenuineIntel-6-C[56]'", "core", "full", 8, true},
    {"arl-skt", "'GenuineIntel-6-C[56]'", "atom", "full", 8, false},
    {"arl-cmt", "'GenuineIntel-6-C5'", "lowpower", "full", 6, false},
    {"srf", "'GenuineIntel-6-AF'", NULL, "full", 6, false},
    {"zen3", "'AuthenticAMD-25-([245][[:xdigit:]]|[[:xdigit:]])'", NULL, "full", 0, false},
    {"zen4", "'AuthenticAMD-25-[[:xdigit:]]+'", NULL, "full", 6, false},
    {"neoverse-n1", "'0x41.fd0c.'", NULL, "full", 0, false},
    {"neoverse-v1", "'0x41.fd40.'", NULL, "full", 8, false},
    {"neoverse-v2", "'0x41.fd4f.'", NULL, "full", 8, false},
    {"neoverse-n2-r0p0", "'0x410fd490'", NULL, "full", 5, false},
    {"neoverse-n2-r0p3", "'0x410fd493', '0x6d0fd493'", NULL, "full", 5, false},
    {"common-arm", "'0x........'", NULL, "architecture", 0, false},
    {"unlisted-arm", NULL, NULL, "full", 8, false}, /* its id is that of others, too */
};

static void put_model(size_t i) {
    char path[160];
    const char *match = small[i].match ? small[i].match : "";
    snprintf(path, sizeof(path), "%s/%s.toml", models, small[i].name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fprintf(f, "# a small model\nname = '%s'\ntitle = 'Small %s'\nvendor = '%s'\nrung = '%s'\n",
            small[i].name, small[i].name,
            strstr(match, "Intel") ? "Intel"
            : strstr(match, "AMD") ? "AMD"
                                   : "Arm",
            small[i].rung);
    fprintf(f, "scope = 'slots'\nmatch = [\n    %s%s\n]\n", match, match[0] ? "," : "");
    if (small[i].core_type)
        fprintf(f, "core_type = '%s'\n", small[i].core_type);
    if (small[i].slots)
        fprintf(f, "slots_per_cycle = %d\n", small[i].slots);
    fprintf(f, "\n[event]\n'A' = { %s }\n'B' = { code = 0x11 }\n\n[node.Retiring]\n",
            small[i].topdown ? "sysfs = 'topdown-retiring', perf_metrics = true" : "code = 0x3c");
    fprintf(f, "formula = 'A / B'\n");
    fclose(f);
}

static int setup(void **state) {
    (void)state;
    snprintf(models, sizeof(models), "/tmp/tdtop-models.XXXXXX");
    if (!mkdtemp(models))
        return -1;
    for (size_t i = 0; i < COUNT_OF(small); i++)
        put_model(i);
    return 0;
}

static int teardown(void **state) {
    (void)state;
    char cmd[96];
    snprintf(cmd, sizeof(cmd), "rm -rf '%s'", models);
    return system(cmd);
}

static bool is_built_in(const char *name) {
    for (const struct embedded *e = embedded_models; e->name; e++)
        if (strcmp(e->name, name) == 0)
            return true;
    return false;
}

static void check_find(const struct model_places *places, const char *what, const char *id,
                       const char *kind, const char *expected) {
    char name[64] = "";
    bool found = fallback_find(places, id, kind, name, sizeof(name));
    if (found != (expected != NULL) || (found && strcmp(name, expected) != 0))
        fail_msg("%s: %s \"%s\" is %s, not %s%s", what, id, kind ? kind : "-",
                 found ? name : "nothing", expected ? expected : "nothing",
                 places ? "" : " (built in)");
}

/* Each core type of each machine gets its own model, from the folder and from the binary. */
static void every_family(void **state) {
    (void)state;
    struct model_places places = {.models = models};
    int skipped = 0;
    for (size_t i = 0; i < COUNT_OF(fake_machines); i++)
        for (int k = 0; k < fake_machines[i].n_core; k++) {
            const struct fake_core *fc = &fake_machines[i].core[k];
            check_find(&places, fake_machines[i].what, fc->id, fc->kind, fc->model);
            if (!fc->model || is_built_in(fc->model))
                check_find(NULL, fake_machines[i].what, fc->id, fc->kind, fc->model);
            else
                skipped++;
        }
    if (skipped)
        print_message("skipped: %d of these models are not built in\n", skipped);
}

/* A recording's header names the CPU, not the kind of its cores. */
static void kinds(void **state) {
    (void)state;
    struct model_places places = {.models = models};
    static const struct {
        const char *what, *id, *kind, *model;
    } cases[] = {
        {"unknown kind: the biggest", "GenuineIntel-6-97-2", NULL, "adl-glc"},
        {"unknown kind, empty", "GenuineIntel-6-C5-2", "", "arl-lnc"},
        {"unknown kind: all there is", "GenuineIntel-6-BE-0", NULL, "adl-grt"},
        {"a kind that has no model", "GenuineIntel-6-C6-2", "lowpower", NULL},
        {"a model without kind is for none", "GenuineIntel-6-8F-8", "atom", NULL},
        {"without stepping", "GenuineIntel-6-BD", "atom", "lnl-skt"},
        {"no such CPU", "GenuineIntel-6-FF-0", NULL, NULL},
        {"unknown CPU", "", NULL, NULL},
        {"another implementer's part", "0x420fd490", NULL, NULL},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        check_find(&places, cases[i].what, cases[i].id, cases[i].kind, cases[i].model);
}

/* What the user is told. */
static void rungs(void **state) {
    (void)state;
    struct model_places places = {.models = models};
    static const struct {
        const char *what, *machine, *choose;
        struct fallback_probe probe;
        const char *model, *why; /* why: the whole line */
    } cases[] = {
        {"full",
         "Zen 4 client",
         NULL,
         {0, 0},
         "zen4",
         "Small zen4 (AuthenticAMD-25-61-2): full model"},
        {"full, perf metrics there",
         "Sapphire Rapids, two sockets",
         NULL,
         {0, 0},
         "spr",
         "Small spr (GenuineIntel-6-8F-8): full model"},
        {"full, none there",
         "Raptor Lake as a plain cpu",
         NULL,
         {0, 0},
         "adl-glc",
         "Small adl-glc (GenuineIntel-6-B7-1): full model, by its alternative formulas (no "
         "topdown-* events here)"},
        {"hybrid, the P-cores",
         "Alder Lake",
         NULL,
         {0, 0},
         "adl-glc",
         "Small adl-glc (GenuineIntel-6-97-2): full model; cpu_core only: the E-cores' share of "
         "the work is not counted; --cputype atom counts those"},
        {"hybrid, the E-cores",
         "Alder Lake",
         "atom",
         {0, 0},
         "adl-grt",
         "Small adl-grt (GenuineIntel-6-97-2): full model; cpu_atom only: the P-cores' share of "
         "the work is not counted; --cputype core counts those"},
        {"three kinds",
         "Arrow Lake-H, three kinds",
         "lowpower",
         {0, 0},
         "arl-cmt",
         "Small arl-cmt (GenuineIntel-6-C5-2): full model; cpu_lowpower only: the P-cores' and the "
         "E-cores' share of the work is not counted; --cputype core or atom counts one of those"},
        {"E-cores alone",
         "Alder Lake-N",
         NULL,
         {0, 0},
         "adl-grt",
         "Small adl-grt (GenuineIntel-6-BE-0): full model"},
        {"raw events count, generic ones do not",
         "Alder Lake",
         NULL,
         {0, -ENOENT},
         "adl-glc",
         "Small adl-glc (GenuineIntel-6-97-2): full model; cpu_core only: the E-cores' share of "
         "the work is not counted; --cputype atom counts those"},
        {"Arm",
         "Graviton 3",
         NULL,
         {0, 0},
         "neoverse-v1",
         "Small neoverse-v1 (0x411fd401): full model"},
        {"architecture",
         "an unknown Arm server whose kernel knows its slots",
         NULL,
         {0, 0},
         "common-arm",
         "Small common-arm: no model for 0xc00fac40 itself, so the common events of its "
         "architecture"},
        {"no slots: generic",
         "an unknown Arm server",
         NULL,
         {0, 0},
         "generic",
         "generic: no model for 0x480fd010 (no name)"},
        {"big.LITTLE: generic, of one cluster",
         "big.LITTLE, the small ones first",
         NULL,
         {0, 0},
         "generic",
         "generic: no model for 0x414fd0b1 (no name); armv8_cortex_a76 only: armv8_cortex_a55's "
         "share of the work is not counted; --cputype armv8_cortex_a55 counts those"},
        {"big.LITTLE before Linux 6.6",
         "big.LITTLE, the small ones first",
         NULL,
         {0, -ENOENT},
         "software",
         "software: no model for 0x414fd0b1, and this kernel counts generic events only on all "
         "kinds of cores at once"},
        {"the PMU does not count",
         "Zen 4 client",
         NULL,
         {-ENOENT, -ENOENT},
         "software",
         "software: no CPU PMU here (No such file or directory); tdtop doctor says more"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct machine mc;
        struct model m;
        struct err err = {0};
        char why[256];
        assert_int_equal(make_root(NULL), 0);
        fake_build(fake_find(cases[i].machine));
        machine_detect(&mc, root);
        assert_int_equal(machine_choose(&mc, cases[i].choose, &err), 0);
        int rc = fallback_climb(&m, &mc, &cases[i].probe, &places, why, sizeof(why), &err);
        if (rc || strcmp(m.name, cases[i].model) != 0 || strcmp(why, cases[i].why) != 0)
            fail_msg("%s: rc %d %s, %s: %s", cases[i].what, rc, err.text, rc ? "-" : m.name, why);
        model_free(&m);
        assert_int_equal(remove_root(NULL), 0);
    }
}

/* Not permitted is no reason to show less: it is said. */
static void denied(void **state) {
    (void)state;
    struct machine mc = {.id = "GenuineIntel-6-8F-8", .pmu = "cpu", .paranoid = 4};
    struct fallback_probe probe = {-EACCES, -EACCES};
    struct model m;
    struct err err = {0};
    char why[256];
    assert_int_equal(fallback_climb(&m, &mc, &probe, NULL, why, sizeof(why), &err), -EACCES);
    assert_non_null(strstr(err.text, "not permitted"));
    model_free(&m);
}

/* Where the kernel's number of slots is another than the model's. */
static void slots(void **state) {
    (void)state;
    struct model_places places = {.models = models};
    static const struct {
        const char *what;
        int slots;
        const char *words;
    } cases[] = {{"the same", 8, NULL},
                 {"not known", 0, NULL},
                 {"another", 10, "; 10 slots per cycle, as the kernel says, not the model's 8"}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct machine mc = {.id = "0x410fd4f1",
                             .pmu = "armv8_pmuv3_0",
                             .n_core = 1,
                             .core = {{.slots = cases[i].slots}}};
        struct fallback_probe probe = {0, 0};
        struct model m;
        struct err err = {0};
        char why[256];
        assert_int_equal(fallback_climb(&m, &mc, &probe, &places, why, sizeof(why), &err), 0);
        if (cases[i].words ? !strstr(why, cases[i].words) : strstr(why, "slots") != NULL)
            fail_msg("%s: %s", cases[i].what, why);
        model_free(&m);
    }
}

/* --model goes first; its words name the model that was asked for, and what does not fit. */
static void obeys(void **state) {
    (void)state;
    struct model_places places = {.models = models};
    static const struct {
        const char *what, *machine, *want, *words, *not_words;
    } cases[] = {
        {"software", "Zen 4 client", "software", "Software", "only"},
        {"another CPU's", "Zen 4 client", "spr", "not made for this CPU: AuthenticAMD-25-61-2",
         NULL},
        {"another CPU's events", "Zen 4 client", "spr", "no topdown-* events", NULL},
        {"its own", "Zen 4 client", "zen4", "as asked with --model", "not made"},
        {"the other kind's", "Alder Lake", "adl-grt",
         "it is not made for cpu_core: --cputype atom is what it is for", NULL},
        {"this kind's", "Alder Lake", "adl-glc", "; cpu_core only: ", "not made"},
        {"no ids, another vendor's", "Zen 4 client", "spr-hbm",
         "; it is not made for this CPU: AuthenticAMD-25-61-2", "does not tell"},
        {"no ids, another vendor's events", "Zen 4 client", "spr-hbm", "no topdown-* events", NULL},
        {"no ids, this vendor's", "Sapphire Rapids, two sockets", "spr-hbm",
         "; whether it is made for this CPU, its id (GenuineIntel-6-8F-8) does not tell",
         "not made"},
        {"no ids, other slots", "an unknown Arm server whose kernel knows its slots",
         "unlisted-arm", "; 6 slots per cycle, as the kernel says, not the model's 8", NULL},
        {"of no core", "Zen 4 client", "generic", "as asked with --model", "this CPU"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct machine mc;
        struct model m;
        struct err err = {0};
        char why[256];
        assert_int_equal(make_root(NULL), 0);
        fake_build(fake_find(cases[i].machine));
        machine_detect(&mc, root);
        int rc = fallback_pick(&m, &mc, cases[i].want, &places, why, sizeof(why), &err);
        if (rc || strcmp(m.name, cases[i].want) != 0 || !strstr(why, cases[i].words) ||
            (cases[i].not_words && strstr(why, cases[i].not_words)))
            fail_msg("%s: rc %d, %s%s", cases[i].what, rc, why, err.text);
        model_free(&m);
        assert_int_equal(remove_root(NULL), 0);
    }
}

/* ---- the user's folder ---- */

static void put_file(const char *dir, const char *name, const char *text) {
    char path[160];
    snprintf(path, sizeof(path), "%s/%s", dir, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

#define OWN_MODEL(match) "rung = 'full'\nmatch = [" match "]\n[event]\n"

/* What is judged is what model_open opens: the user's file, if it has the name of a built-in one.
 */
static void a_users_file_hides_the_built_in_one(void **state) {
    (void)state;
    struct model_places places = {.models = root};
    const char *id = "GenuineIntel-6-8F-8";
    check_find(&places, "an empty folder", id, "", "spr");
    put_file(root, "spr.toml", OWN_MODEL(""));
    check_find(&places, "one for no CPU at all", id, "", NULL);
    check_find(NULL, "without the folder", id, "", "spr");
    put_file(root, "mine.toml", OWN_MODEL("'GenuineIntel-6-8F'"));
    check_find(&places, "another that fits", id, "", "mine");
    put_file(root, "atom.toml", "extends = 'adl-grt'\nmatch = ['GenuineIntel-6-01']\n");
    check_find(&places, "one that extends a built-in one", "GenuineIntel-6-01-1", "atom", "atom");
    check_find(&places, "but not of that kind", "GenuineIntel-6-01-1", "core", NULL);
}

/* The order of names, not that in which the file system has them; and no editor's leavings. */
static void the_first_by_name(void **state) {
    (void)state;
    enum { N = 12 };
    struct model_places places = {.models = root};
    for (int upwards = 0; upwards < 2; upwards++) {
        char name[32];
        assert_int_equal(make_root(NULL), 0);
        for (int i = 0; i < N; i++) {
            snprintf(name, sizeof(name), "own-%c.toml", 'a' + (upwards ? i : N - 1 - i));
            put_file(root, name, OWN_MODEL("'0x.*'"));
        }
        put_file(root, ".own-0.toml", OWN_MODEL("'0x.*'"));
        put_file(root, ".#own-a.toml", OWN_MODEL("'0x.*'"));
        check_find(&places, upwards ? "upwards" : "downwards", "0x410fd490", "", "own-a");
        assert_int_equal(remove_root(NULL), 0);
    }
}

/* A file that cannot be judged is passed over, but the log says which and why. */
static void trouble_is_in_the_log(void **state) {
    (void)state;
    char path[160], dir[96], text[4096] = "", long_name[128];
    struct err err = {0};
    snprintf(dir, sizeof(dir), "%s/models", root);
    struct model_places places = {.models = dir};
    snprintf(path, sizeof(path), "%s/log", root);
    assert_int_equal(mkdir(dir, 0755), 0);
    put_file(dir, "a.toml", "rung = 'full'\nmatch = 'no end\n");
    snprintf(long_name, sizeof(long_name), "%080d.toml", 1);
    put_file(dir, long_name, OWN_MODEL("'0x.*'"));
    put_file(dir, "z.toml", OWN_MODEL("'0x.*'"));
    strcat(strcpy(text, dir), "/b.toml");
    assert_int_equal(mkdir(text, 0755), 0); /* may be opened, not read */
    assert_int_equal(log_open(path, &err), 0);
    check_find(&places, "behind the bad ones", "0x410fd490", "", "z");
    log_close();
    assert_true(str_read_small(path, text, sizeof(text)) > 0);
    if (!strstr(text, "/a.toml:2:") || !strstr(text, "/b.toml: ") ||
        !strstr(text, "1.toml: too long a name") || strstr(text, "z.toml"))
        fail_msg("%s", text);
}

static void no_such_model(void **state) {
    (void)state;
    struct machine mc = {.id = "GenuineIntel-6-1-1", .pmu_type = PERF_TYPE_RAW};
    struct model m;
    struct err err = {0};
    char why[256];
    assert_int_equal(fallback_pick(&m, &mc, "no-such-model", NULL, why, sizeof(why), &err),
                     -ENOENT);
    model_free(&m);
}

/* What this machine really gives decides the rung, and the line says which and why. */
static void this_machine(void **state) {
    (void)state;
    struct machine mc;
    struct model m;
    struct err err = {0};
    char why[256];
    machine_detect(&mc, "");
    int rc = fallback_pick(&m, &mc, NULL, NULL, why, sizeof(why), &err);
    if (rc == -EACCES || rc == -EPERM) {
        assert_non_null(strstr(err.text, "not permitted"));
        return;
    }
    assert_int_equal(rc, 0);
    assert_true(str_starts(why, "software: no CPU PMU here") ||
                str_starts(why, "generic: no model for") || strstr(why, "full model") ||
                strstr(why, "common events of its architecture"));
    if (str_starts(why, "software"))
        assert_string_equal(m.rung, "software");
    model_free(&m);
}

/* Every built-in model is found by each id that it names, so far as that is no pattern. */
static void built_in_models_are_found(void **state) {
    (void)state;
    unsigned ids = 0;
    for (size_t i = 0; embedded_models[i].name; i++) {
        const struct embedded *e = &embedded_models[i];
        struct model m;
        struct err err = {0};
        char name[64];
        assert_int_equal(model_outline(&m, i, &err), 0);
        for (const char **id = m.match; *id; id++) {
            if (strcmp(m.rung, "full") != 0 || strpbrk(*id, ".[]()*+?{}|^$\\"))
                continue;
            ids++;
            if (!fallback_find(NULL, *id, m.core_type ? m.core_type : "", name, sizeof(name)))
                fail_msg("%s: nothing for %s", e->name, *id);
            if (strcmp(name, e->name) != 0)
                fail_msg("%s is for %s, but %s is found", e->name, *id, name);
        }
        model_free(&m);
    }
    assert_true(ids > 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_family),
        cmocka_unit_test(kinds),
        cmocka_unit_test(rungs),
        cmocka_unit_test(denied),
        cmocka_unit_test(slots),
        cmocka_unit_test(obeys),
        cmocka_unit_test_setup_teardown(a_users_file_hides_the_built_in_one, make_root,
                                        remove_root),
        cmocka_unit_test(the_first_by_name),
        cmocka_unit_test_setup_teardown(trouble_is_in_the_log, make_root, remove_root),
        cmocka_unit_test(no_such_model),
        cmocka_unit_test(this_machine),
        cmocka_unit_test(built_in_models_are_found),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
