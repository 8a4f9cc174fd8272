/*
 * The codes of our models against those of libpfm4, which were typed in by other people. libpfm4
 * encodes for any PMU that it knows when LIBPFM_ENCODE_INACTIVE is set and the name has it in
 * front. Where the two differ the model file must say why (`libpfm4 = "..."`), and only there.
 *
 * libpfm4 writes EVENT:UMASK for the vendor's EVENT.UMASK, but where the dot was is not always
 * clear; what it names otherwise is in libpfm4_names.h.
 */
#include "libpfm4_names.h"

#include "base/str.h"
#include "model/load/model.h"

#include <perfmon/pfmlib.h>
#include <perfmon/pfmlib_perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

static const struct {
    const char *model, *pmu;
} pairs[] = {
    {"snb", "snb"},
    {"jkt", "snb_ep"},
    {"ivb", "ivb"},
    {"ivt", "ivb_ep"},
    {"hsw", "hsw"},
    {"hsx", "hsw_ep"},
    {"bdw", "bdw"},
    {"bdx", "bdw_ep"},
    {"bdw-de", "bdw_ep"},
    {"skl", "skl"},
    {"skx", "skx"},
    {"clx", "clx"},
    {"icl", "icl"},
    {"tgl", "icl"},
    {"rkl", "icl"},
    {"icx", "icx"},
    {"spr", "spr"},
    {"spr-hbm", "spr"},
    {"emr", "spr"},
    {"glm", "glm"},
    {"glp", "glm"},
    {"ehl", "tmt"},
    {"snr", "tmt"},
    {"zen1", "amd64_fam17h_zen1"},
    {"zen2", "amd64_fam17h_zen2"},
    {"zen3", "amd64_fam19h_zen3"},
    {"zen4", "amd64_fam19h_zen4"},
};

struct tally {
    int equal, explained, unknown, wrong;
};

static bool encode(const char *pmu, const char *name, uint64_t code[2]) {
    char full[600];
    struct perf_event_attr attr = {0};
    pfm_perf_encode_arg_t arg = {.attr = &attr, .size = sizeof(arg)};
    snprintf(full, sizeof(full), "%s::%s", pmu, name);
    if (pfm_get_os_event_encoding(full, PFM_PLM0 | PFM_PLM3, PFM_OS_PERF_EVENT, &arg) !=
        PFM_SUCCESS)
        return false;
    code[0] = attr.config;
    code[1] = attr.config1;
    return true;
}

/* ":c1:e1" as ":c=1:e=1"; who is counted is no part of a code. False if libpfm4 cannot say it. */
static bool modifiers(const struct event *ev, char *out, size_t cap) {
    static const char *const no_code[] = {"SUP", "sup", "USER", "percore", "perf_metrics"};
    struct strbuf sb = strbuf_on(out, cap);
    out[0] = '\0';
    for (const char *p = ev->name + strlen(ev->base); *p == ':';) {
        size_t n = strcspn(++p, ":");
        bool skip = false;
        for (size_t i = 0; i < COUNT_OF(no_code); i++)
            skip |= strlen(no_code[i]) == n && !strncmp(no_code[i], p, n);
        if (!skip && (!strchr("cei", p[0]) || n != 1 + strspn(p + 1, "0123456789")))
            return false;
        if (!skip)
            strbuf_add(&sb, ":%c=%.*s", p[0], (int)n - 1, p + 1);
        p += n;
    }
    return true;
}

/* EVENT.A.B: with the colon at each of the dots, later dots kept or as '_'. */
static bool encode_by_dots(const char *pmu, const struct event *ev, const char *mods,
                           uint64_t code[2]) {
    char name[256];
    if (!strchr(ev->base, '.')) {
        snprintf(name, sizeof(name), "%s%s", ev->base, mods);
        return encode(pmu, name, code);
    }
    for (const char *dot = strchr(ev->base, '.'); dot; dot = strchr(dot + 1, '.'))
        for (int keep = 0; keep < 2; keep++) {
            snprintf(name, sizeof(name), "%s%s", ev->base, mods);
            name[dot - ev->base] = ':';
            for (char *c = name + (dot - ev->base); !keep && *c && c < name + strlen(ev->base); c++)
                *c = (char)(*c == '.' ? '_' : *c);
            if (encode(pmu, name, code))
                return true;
        }
    return false;
}

static bool encode_by_table(const char *pmu, const struct event *ev, const char *mods, bool sayable,
                            uint64_t code[2]) {
    char name[600];
    for (size_t i = 0; i < COUNT_OF(libpfm4_names); i++) {
        const struct libpfm4_name *n = &libpfm4_names[i];
        bool whole = !strcmp(n->ours, ev->name), base = sayable && !strcmp(n->ours, ev->base);
        snprintf(name, sizeof(name), "%s%s", n->libpfm4, whole ? "" : mods);
        if ((whole || base) && encode(pmu, name, code))
            return true;
    }
    return false;
}

static void check_event(const char *model, const char *pmu, const struct event *ev, struct tally *t,
                        bool *differs) {
    char mods[64];
    uint64_t code[2];
    bool sayable = modifiers(ev, mods, sizeof(mods));
    if (!(sayable && encode_by_dots(pmu, ev, mods, code)) &&
        !encode_by_table(pmu, ev, mods, sayable, code)) {
        t->unknown++;
        return;
    }
    if (ev->config == code[0] && ev->config1 == code[1]) {
        t->equal++;
        return;
    }
    *differs = true;
    t->explained += ev->libpfm4 != NULL;
    t->wrong += ev->libpfm4 == NULL;
    if (!ev->libpfm4)
        printf("%s: %s is %#llx,%#llx; libpfm4: %#llx,%#llx\n", model, ev->name,
               (unsigned long long)ev->config, (unsigned long long)ev->config1,
               (unsigned long long)code[0], (unsigned long long)code[1]);
}

/* A reason without a difference is a mistake, too. Reasons belong to the base of several spellings.
 */
static int needless_reasons(const struct model *m, const bool *differs) {
    int n = 0;
    for (uint32_t i = 0; i < m->n_event; i++) {
        bool any = false;
        for (uint32_t k = 0; k < m->n_event; k++)
            any |= differs[k] && !strcmp(m->event[i].base, m->event[k].base);
        if (!m->event[i].libpfm4 || any)
            continue;
        printf("%s: %s says why libpfm4 differs, but it does not\n", m->name, m->event[i].name);
        n++;
    }
    return n;
}

/* Events that nodes are located by and no formula counts: the same, and libpfm4 has to know them,
 * but for one: on Skylake it has bubbles of 2 to 4 slots only. */
static const char unknown_there[] = "FRONTEND_RETIRED.LATENCY_GE_2_BUBBLES_GE_1";

static void check_located(const char *name, const char *pmu, const struct model *m,
                          struct tally *t) {
    for (uint32_t i = 0; i < m->n_located; i++) {
        const struct event *ev = &m->located[i];
        const int unknown = t->unknown;
        bool differs = false;
        if (ev->pmu != EVENT_CORE || !ev->has_code || model_find_event(m, ev->name) >= 0)
            continue;
        check_event(name, pmu, ev, t, &differs);
        if (t->unknown > unknown && strcmp(ev->name, unknown_there) != 0) {
            printf("%s: libpfm4 has no %s to sample\n", name, ev->name);
            t->wrong++;
        }
    }
}

static void check_model(const char *name, const char *pmu, struct tally *sum) {
    struct model m;
    struct err err;
    struct tally t = {0};
    if (model_open(&m, name, NULL, &err) < 0)
        fail_msg("%s", err.text);
    bool *differs = calloc(m.n_event, sizeof(*differs));
    assert_non_null(differs);
    for (uint32_t i = 0; i < m.n_event; i++)
        if (m.event[i].pmu == EVENT_CORE && m.event[i].has_code && !m.event[i].perf_metrics)
            check_event(name, pmu, &m.event[i], &t, &differs[i]);
    t.wrong += needless_reasons(&m, differs);
    check_located(name, pmu, &m, &t);
    printf("%-8s %-18s %3d compared: %3d equal, %2d explained, %d wrong; %2d unknown to libpfm4\n",
           name, pmu, t.equal + t.explained + t.wrong, t.equal, t.explained, t.wrong, t.unknown);
    sum->equal += t.equal;
    sum->explained += t.explained;
    sum->unknown += t.unknown;
    sum->wrong += t.wrong;
    free(differs);
    model_free(&m);
}

/* The library does not say its version (4.0 in every release), but its PMUs tell it. */
static bool knows(const char *pmu) {
    for (int i = 0; i < PFM_PMU_MAX; i++) {
        pfm_pmu_info_t info = {.size = sizeof(info)};
        if (pfm_get_pmu_info((pfm_pmu_t)i, &info) == PFM_SUCCESS && !strcmp(info.name, pmu))
            return true;
    }
    return false;
}

static void codes_equal_those_of_libpfm4(void **state) {
    (void)state;
    struct tally sum = {0};
    setenv("LIBPFM_ENCODE_INACTIVE", "1", 1);
    assert_int_equal(pfm_initialize(), PFM_SUCCESS);
    if (!knows("amd64_fam19h_zen4") || knows("adl_glc")) {
        printf("SKIP libpfm4: this is not 4.13, which the reasons in the models are about\n");
        skip();
    }
    for (size_t i = 0; i < COUNT_OF(pairs); i++)
        check_model(pairs[i].model, pairs[i].pmu, &sum);
    printf("libpfm4: %d compared, %d equal, %d explained, %d wrong; %d unknown to libpfm4\n",
           sum.equal + sum.explained + sum.wrong, sum.equal, sum.explained, sum.wrong, sum.unknown);
    assert_int_equal(sum.wrong, 0);
    assert_true(sum.equal > 2500); /* a table that fits nothing would fail nothing */
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(codes_equal_those_of_libpfm4)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
