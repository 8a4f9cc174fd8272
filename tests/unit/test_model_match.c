/*
 * Which id means which model: every id matches exactly one full model of its kind of core, whatever
 * order the models stand in. The ids are those of the vendors' own lists (perfmon's mapfile, the
 * kernel's, Arm's telemetry data) and everything around them.
 */
#include "model/load/model.h"

#include "pmu/host/machine.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MODELS_MAX = 128 };

static struct model models[MODELS_MAX];
static int n_models;

static int load_all(void **state) {
    (void)state;
    for (const struct embedded *e = embedded_models; e->name && n_models < MODELS_MAX; e++) {
        struct err err = {0};
        if (model_load(&models[n_models], e->text, e->len, e->name, &err) < 0) {
            print_error("%s\n", err.text);
            return -1;
        }
        n_models++;
    }
    return n_models == MODELS_MAX ? -1 : 0;
}

static int free_all(void **state) {
    (void)state;
    while (n_models > 0)
        model_free(&models[--n_models]);
    return 0;
}

static bool is_for(const struct model *m, const char *id, const char *kind) {
    if (*kind && m->core_type && strcmp(m->core_type, kind))
        return false;
    for (const char **p = m->match; p && *p; p++)
        if (machine_matches(*p, id))
            return true;
    return false;
}

/* Vendor by the beginning of an id, so that thousands of ids are not held against every pattern;
 * patterns_of_one_vendor shows that nothing is missed. */
static const char *vendor_of(const char *id) {
    return !strncmp(id, "0x", 2) ? "Arm"
           : strstr(id, "AMD")   ? "AMD"
           : strstr(id, "Intel") ? "Intel"
                                 : NULL;
}

/* Names of the models of a rung that are for an id, with blanks between them. */
static const char *names_for(const char *id, const char *kind, const char *rung) {
    static char names[256];
    const char *vendor = vendor_of(id);
    names[0] = '\0';
    for (int i = 0; i < n_models; i++) {
        if ((vendor && strcmp(models[i].vendor, vendor)) || strcmp(models[i].rung, rung) ||
            !is_for(&models[i], id, kind))
            continue;
        size_t n = strlen(names);
        snprintf(names + n, sizeof(names) - n, "%s%s", n ? " " : "", models[i].name);
    }
    return names;
}

static void expect(const char *id, const char *kind, const char *model) {
    const char *got = names_for(id, kind, "full");
    if (strcmp(got, model))
        fail_msg("%s %s: matches '%s', expected '%s'", id, kind, got, model);
}

/* As /proc/cpuinfo gives it, and as a user types it, without the stepping. */
static void expect_any_stepping(const char *id, const char *kind, const char *model) {
    static const char *const steppings[] = {"", "-0", "-A"};
    for (size_t i = 0; i < sizeof(steppings) / sizeof(steppings[0]); i++) {
        char full[96];
        snprintf(full, sizeof(full), "%s%s", id, steppings[i]);
        expect(full, kind, model);
    }
}

static void intel_cores(void **state) {
    (void)state;
    static const struct {
        const char *models, *kind, *name;
    } cases[] = {
        {"2A", "", "snb"},
        {"2D", "", "jkt"},
        {"3A", "", "ivb"},
        {"3E", "", "ivt"},
        {"3C 45 46", "", "hsw"},
        {"3F", "", "hsx"},
        {"3D 47", "", "bdw"},
        {"56", "", "bdw-de"},
        {"4F", "", "bdx"},
        {"4E 5E 8E 9E A5 A6", "", "skl"},
        {"7D 7E", "", "icl"},
        {"6A 6C", "", "icx"},
        {"A7", "", "rkl"},
        {"8C 8D", "", "tgl"},
        {"8F", "", "spr"},
        {"CF", "", "emr"},
        {"AD AE", "", "gnr"},
        {"97 9A B7 BA BF", "core", "adl-glc"},
        {"97 9A B7 BA BF BE", "atom", "adl-grt"},
        {"BE", "", "adl-grt"}, /* Alder Lake-N: E-cores only */
        {"AA AC B5", "core", "mtl-rwc"},
        {"AA AC B5", "atom", "mtl-cmt"},
        {"C5 C6", "core", "arl-lnc"},
        {"C5 C6", "atom", "arl-skt"},
        {"C5", "lowpower", "arl-cmt"},
        {"BD", "core", "lnl-lnc"},
        {"BD", "atom", "lnl-skt"},
        {"CC D5 E5", "core", "ptl-cgc"},
        {"CC D5 E5", "atom", "ptl-dkt"},
        {"5C 5F", "", "glm"},
        {"7A", "", "glp"},
        {"96 9C", "", "ehl"},
        {"86", "", "snr"},
        {"AF", "", "srf"},
        {"B6", "", "grr"},
        {"DD", "", "cwf"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char list[64], *rest = list;
        snprintf(list, sizeof(list), "%s", cases[i].models);
        for (const char *model; (model = strsep(&rest, " "));) {
            char id[64];
            snprintf(id, sizeof(id), "GenuineIntel-6-%s", model);
            expect_any_stepping(id, cases[i].kind, cases[i].name);
        }
    }
}

/* One model number, two cores: only the stepping tells them apart. */
static void intel_steppings(void **state) {
    (void)state;
    for (unsigned stepping = 0; stepping < 16; stepping++) {
        char id[64];
        snprintf(id, sizeof(id), "GenuineIntel-6-55-%X", stepping);
        expect(id, "", stepping < 5 ? "skx" : "clx");
    }
}

/* Every model number of every family: what is not named belongs to the newest core. */
static void amd_families(void **state) {
    (void)state;
    static const struct {
        unsigned family, first, last;
        const char *name;
    } ranges[] = {
        {0x17, 0x00, 0x2f, "zen1"}, {0x17, 0x30, 0xff, "zen2"}, {0x19, 0x00, 0x0f, "zen3"},
        {0x19, 0x10, 0x1f, "zen4"}, {0x19, 0x20, 0x2f, "zen3"}, {0x19, 0x30, 0x3f, "zen4"},
        {0x19, 0x40, 0x5f, "zen3"}, {0x19, 0x60, 0xff, "zen4"}, {0x1a, 0x00, 0x2f, "zen5"},
        {0x1a, 0x30, 0x3f, "zen6"}, {0x1a, 0x40, 0x4f, "zen5"}, {0x1a, 0x50, 0x5f, "zen6"},
        {0x1a, 0x60, 0x7f, "zen5"}, {0x1a, 0x80, 0xff, "zen6"},
    };
    for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++)
        for (unsigned model = ranges[i].first; model <= ranges[i].last; model++) {
            char id[64];
            snprintf(id, sizeof(id), "AuthenticAMD-%u-%X", ranges[i].family, model);
            expect(id, "", ranges[i].name);
            snprintf(id, sizeof(id), "AuthenticAMD-%u-%X-1", ranges[i].family, model);
            expect(id, "", ranges[i].name);
        }
}

/* MIDR: implementer, variant, 0xf, part, revision. */
static void midr(char *id, size_t cap, unsigned implementer, unsigned part, unsigned variant,
                 unsigned revision) {
    snprintf(id, cap, "0x%02x%xf%03x%x", implementer, variant, part, revision);
}

static void arm_any_revision(void **state) {
    (void)state;
    static const struct {
        unsigned part;
        const char *name;
    } cores[] = {
        {0xd0c, "neoverse-n1"}, {0xd40, "neoverse-v1"}, {0xd4f, "neoverse-v2"},
        {0xd8e, "neoverse-n3"}, {0xd84, "neoverse-v3"}, {0xd83, "neoverse-v3"}, /* V3AE */
    };
    for (size_t i = 0; i < sizeof(cores) / sizeof(cores[0]); i++)
        for (unsigned r = 0; r < 256; r += 15) { /* every variant, every revision */
            char id[64];
            midr(id, sizeof(id), 0x41, cores[i].part, r >> 4, r & 15);
            expect(id, "", cores[i].name);
        }
}

/* Arm and Microsoft build it; r0p0 and r0p1 were Arm's only, r0p3 has the erratum mended. */
static void arm_n2(void **state) {
    (void)state;
    static const struct {
        unsigned implementer, revision; /* variant 0 */
        const char *name;
    } named[] = {
        {0x41, 0, "neoverse-n2-r0p0"},
        {0x41, 1, "neoverse-n2-r0p1"},
        {0x41, 3, "neoverse-n2-r0p3"},
        {0x6d, 3, "neoverse-n2-r0p3"},
    };
    static const unsigned implementers[] = {0x41, 0x6d};
    for (size_t i = 0; i < sizeof(implementers) / sizeof(implementers[0]); i++)
        for (unsigned r = 0; r < 256; r++) {
            const char *want = "neoverse-n2-r0p2";
            for (size_t k = 0; k < sizeof(named) / sizeof(named[0]); k++)
                if (implementers[i] == named[k].implementer && r == named[k].revision)
                    want = named[k].name;
            char id[64];
            midr(id, sizeof(id), implementers[i], 0xd49, r >> 4, r & 15);
            expect(id, "", want);
        }
}

static void patterns_of_one_vendor(void **state) {
    (void)state;
    static const char *const ids[] = {"GenuineIntel-6-8F-8",  "GenuineIntel-6-55-4",
                                      "AuthenticAMD-25-11-1", "AuthenticAMD-23-1-1",
                                      "0x410fd490",           "0x411fd0c1"};
    for (int i = 0; i < n_models; i++)
        for (size_t k = 0; k < sizeof(ids) / sizeof(ids[0]); k++)
            if (is_for(&models[i], ids[k], "") && strcmp(models[i].vendor, vendor_of(ids[k])))
                fail_msg("%s is for %s", models[i].name, ids[k]);
}

static void others_match_nothing(void **state) {
    (void)state;
    static const char *const ids[] = {
        "",
        "GenuineIntel-6-1A-5", /* Nehalem: before the method */
        "GenuineIntel-6-FE-1", /* not built yet */
        "GenuineIntel-15-4-1", /* another family of the same numbers */
        "AuthenticAMD-21-2-0", /* Bulldozer */
        "AuthenticAMD-24-11-1",
        "HygonGenuine-24-1-1",
        "0x410fd080", /* Cortex-A72 */
        "0x610f0220", /* another implementer */
        "0x6d0fd0c1", /* N1 is Arm's own */
    };
    for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++)
        expect(ids[i], "", "");
}

/* Any Arm core falls back to the architecture's events, and nothing else does. */
static void architecture(void **state) {
    (void)state;
    static const struct {
        const char *id, *name;
    } cases[] = {
        {"0x410fd080", "arm-sbsa"},  {"0xc00fac30", "arm-sbsa"},  {"0x410fd490", "arm-sbsa"},
        {"GenuineIntel-6-FE-1", ""}, {"AuthenticAMD-21-2-0", ""}, {"", ""},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const char *got = names_for(cases[i].id, "", "architecture");
        if (strcmp(got, cases[i].name))
            fail_msg("%s: matches '%s', expected '%s'", cases[i].id, got, cases[i].name);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(intel_cores),
        cmocka_unit_test(intel_steppings),
        cmocka_unit_test(amd_families),
        cmocka_unit_test(arm_any_revision),
        cmocka_unit_test(arm_n2),
        cmocka_unit_test(patterns_of_one_vendor),
        cmocka_unit_test(others_match_nothing),
        cmocka_unit_test(architecture),
    };
    return cmocka_run_group_tests(tests, load_all, free_all);
}
