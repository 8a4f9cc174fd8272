/*
 * Where a PMU wants the fields of an event: <pmu>/format/FIELD says "config:0-7,32-35". The terms
 * of an event's name are put there, and so are the raw codes of models, which are written in the
 * layout that the vendor's PMUs have had so far (model_event.c).
 */
#include "pmu/encode.h"

#include "base/str.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PMU_DIR "/sys/bus/event_source/devices/"

/* Scatters value over "config:0-7,32-35", lowest bits first. */
static int put_field(const char *format, unsigned long long value, unsigned long long c[3]) {
    static const char *const words[] = {"config:", "config1:", "config2:"};
    int word = -1;
    for (int i = 0; i < 3; i++)
        if (str_starts(format, words[i]))
            word = i;
    if (word < 0)
        return -EINVAL;
    const char *p = strchr(format, ':') + 1;
    for (;;) {
        char *end;
        unsigned long lo = strtoul(p, &end, 10), hi = lo;
        if (end == p)
            return -EINVAL;
        if (*end == '-')
            hi = strtoul(end + 1, &end, 10);
        if (lo > hi || hi > 63)
            return -EINVAL;
        for (unsigned long bit = lo; bit <= hi; bit++, value >>= 1)
            c[word] |= (value & 1) << bit;
        if (*end != ',')
            return value ? -EINVAL : 0; /* bits that do not fit */
        p = end + 1;
    }
}

/* What uncores of servers call thresh has other names in those of clients, by generation. */
static const char *const *field_names(const char *key, const char *const *alone) {
    static const char *const thresh[] = {"thresh", "threshold", "cmask", NULL};
    return strcmp(key, thresh[0]) == 0 ? thresh : alone;
}

static int put_term(const char *root, const char *pmu, const char *key, unsigned long long value,
                    unsigned long long c[3]) {
    char path[512], format[64];
    for (int i = 0; i < 3; i++) {
        char word[16];
        snprintf(word, sizeof(word), i ? "config%d" : "config", i);
        if (strcmp(key, word) == 0) {
            c[i] |= value;
            return 0;
        }
    }
    for (const char *const *name = field_names(key, (const char *[2]){key, NULL}); *name; name++) {
        snprintf(path, sizeof(path), "%s" PMU_DIR "%s/format/%s", root, pmu, *name);
        if (str_read_small(path, format, sizeof(format)) > 0)
            return put_field(format, value, c);
    }
    return -EINVAL;
}

int encode_terms(const char *root, const char *pmu, const char *terms, unsigned long long c[3]) {
    char text[256];
    if (strlen(terms) >= sizeof(text))
        return -EINVAL;
    str_copy(text, sizeof(text), terms);
    c[0] = c[1] = c[2] = 0;
    char *save = NULL;
    for (char *term = strtok_r(text, ",\n", &save); term; term = strtok_r(NULL, ",\n", &save)) {
        unsigned long long value = 1; /* a bare "edge" */
        char *eq = strchr(term, '=');
        if (eq) {
            char *end;
            *eq++ = '\0';
            value = strtoull(eq, &end, 0);
            if (end == eq || *end)
                return -EINVAL;
        }
        int rc = put_term(root, pmu, term, value, c);
        if (rc)
            return rc;
    }
    return 0;
}

/* ---- raw codes ---- */

/* A field of the vendor's layout: its bits in the code, as up to two runs, lowest first. */
struct code_field {
    const char *name;
    struct {
        int shift, width;
    } run[2];
};

/* Intel SDM vol. 3B, IA32_PERFEVTSELx; the kernel puts the second byte of umask at 40. */
static const struct code_field intel_fields[] = {
    {"event", {{0, 8}}},     {"umask", {{8, 8}, {40, 8}}},
    {"edge", {{18, 1}}},     {"pc", {{19, 1}}},
    {"any", {{21, 1}}},      {"inv", {{23, 1}}},
    {"cmask", {{24, 8}}},    {"in_tx", {{32, 1}}},
    {"in_tx_cp", {{33, 1}}}, {"eq", {{36, 1}}},
    {NULL, {{0, 0}}},
};

/* AMD APM vol. 2, PerfEvtSeln. */
static const struct code_field amd_fields[] = {
    {"event", {{0, 8}, {32, 4}}}, {"umask", {{8, 8}}},  {"edge", {{18, 1}}},
    {"inv", {{23, 1}}},           {"cmask", {{24, 8}}}, {NULL, {{0, 0}}},
};

/* Arm ARM, PMEVTYPER: evtCount. */
static const struct code_field arm_fields[] = {{"event", {{0, 16}}}, {NULL, {{0, 0}}}};

static const struct {
    const char *name;
    const struct code_field *field;
} vendors[] = {{"Intel", intel_fields}, {"AMD", amd_fields}, {"Arm", arm_fields}};

/* What config1 of Intel's events is called depends on the event (perfmon's MSR column). */
static const struct {
    unsigned event;
    const char *field;
} intel_config1[] = {{0xb7, "offcore_rsp"}, {0xbb, "offcore_rsp"}, {0x2a, "offcore_rsp"},
                     {0x2b, "offcore_rsp"}, {0xc6, "frontend"},    {0xcd, "ldlat"}};

static uint64_t take_bits(uint64_t code, int shift, int width, uint64_t *rest) {
    uint64_t mask = ((1ull << width) - 1) << shift;
    *rest &= ~mask;
    return (code & mask) >> shift;
}

static uint64_t take_field(const struct code_field *f, uint64_t code, uint64_t *rest) {
    uint64_t low = take_bits(code, f->run[0].shift, f->run[0].width, rest);
    if (!f->run[1].width)
        return low;
    return low | take_bits(code, f->run[1].shift, f->run[1].width, rest) << f->run[0].width;
}

static const struct code_field *layout_of(const char *vendor) {
    for (size_t i = 0; i < sizeof(vendors) / sizeof(vendors[0]); i++)
        if (strcmp(vendors[i].name, vendor) == 0)
            return vendors[i].field;
    return NULL;
}

/* config1 goes as it is: to a field of its name where that is known. */
static int put_config1(const char *root, const char *pmu, bool intel, const uint64_t code[2],
                       unsigned long long c[3], const char **missing) {
    if (!code[1])
        return 0;
    for (size_t i = 0; intel && i < sizeof(intel_config1) / sizeof(intel_config1[0]); i++)
        if (intel_config1[i].event == (code[0] & 0xff)) {
            *missing = intel_config1[i].field;
            return put_term(root, pmu, intel_config1[i].field, code[1], c);
        }
    c[1] = code[1];
    return 0;
}

int encode_by_format(const char *root, const char *pmu, const char *vendor, const uint64_t code[2],
                     unsigned long long c[3], const char **missing) {
    const struct code_field *field = layout_of(vendor);
    char path[512], text[64];
    uint64_t rest = code[0];
    *missing = NULL;
    c[0] = code[0];
    c[1] = code[1];
    c[2] = 0;
    snprintf(path, sizeof(path), "%s" PMU_DIR "%s/format/event", root, pmu);
    if (!field || str_read_small(path, text, sizeof(text)) <= 0)
        return -ENOENT;
    c[0] = c[1] = 0;
    for (const struct code_field *f = field; f->name; f++) {
        uint64_t value = take_field(f, code[0], &rest);
        *missing = f->name;
        if (value && put_term(root, pmu, f->name, value, c))
            return -EINVAL;
    }
    *missing = "config";
    if (rest) /* bits that no field of the layout explains */
        return -EINVAL;
    if (put_config1(root, pmu, field == intel_fields, code, c, missing))
        return -EINVAL;
    *missing = NULL;
    return 0;
}
