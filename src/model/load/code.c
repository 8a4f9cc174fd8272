#include "model/load/code.h"

#include <stddef.h>
#include <string.h>

/* Intel SDM vol. 3B, IA32_PERFEVTSELx; the kernel puts the second byte of umask at 40. */
static const struct code_field intel[] = {
    {"event", {{0, 8}}},     {"umask", {{8, 8}, {40, 8}}},
    {"edge", {{18, 1}}},     {"pc", {{19, 1}}},
    {"any", {{21, 1}}},      {"inv", {{23, 1}}},
    {"cmask", {{24, 8}}},    {"in_tx", {{32, 1}}},
    {"in_tx_cp", {{33, 1}}}, {"eq", {{36, 1}}},
    {NULL, {{0, 0}}},
};

/* AMD APM vol. 2, PerfEvtSeln. */
static const struct code_field amd[] = {
    {"event", {{0, 8}, {32, 4}}}, {"umask", {{8, 8}}},  {"edge", {{18, 1}}},
    {"inv", {{23, 1}}},           {"cmask", {{24, 8}}}, {NULL, {{0, 0}}},
};

/* Arm ARM, PMEVTYPER: evtCount. */
static const struct code_field arm[] = {{"event", {{0, 16}}}, {NULL, {{0, 0}}}};

static const struct {
    const char *vendor;
    const struct code_field *layout;
} layouts[] = {{"Intel", intel}, {"AMD", amd}, {"Arm", arm}};

const struct code_field *code_layout(const char *vendor) {
    for (size_t i = 0; i < sizeof(layouts) / sizeof(layouts[0]); i++)
        if (strcmp(layouts[i].vendor, vendor) == 0)
            return layouts[i].layout;
    return NULL;
}

const struct code_field *code_find(const struct code_field *layout, const char *name) {
    for (const struct code_field *f = layout; f && f->name; f++)
        if (strcmp(f->name, name) == 0)
            return f;
    return NULL;
}

int code_width(const struct code_field *f) {
    return f->run[0].width + f->run[1].width;
}

static uint64_t low_bits(int n) {
    return (1ull << n) - 1;
}

uint64_t code_get(const struct code_field *f, uint64_t config) {
    uint64_t low = config >> f->run[0].shift & low_bits(f->run[0].width);
    uint64_t high = config >> f->run[1].shift & low_bits(f->run[1].width);
    return low | high << f->run[0].width;
}

uint64_t code_set(const struct code_field *f, uint64_t config, uint64_t value) {
    for (int i = 0; i < 2; i++) {
        uint64_t mask = low_bits(f->run[i].width);
        config = (config & ~(mask << f->run[i].shift)) | (value & mask) << f->run[i].shift;
        value >>= f->run[i].width;
    }
    return config;
}

/* Extra registers of Intel's PMUs, by event (perfmon's MSR column; the kernel's extra_regs). */
static const struct {
    uint64_t code; /* with the umask in bits 8-15 where both decide */
    uint64_t mask;
    const char *name;
} extra[] = {
    {0xb7, 0xff, "offcore_rsp"},  {0xbb, 0xff, "offcore_rsp"}, {0x2a, 0xff, "offcore_rsp"},
    {0x2b, 0xff, "offcore_rsp"},  {0xc6, 0xff, "frontend"},    {0x40ad, 0xffff, "frontend"},
    {0x04c2, 0xffff, "frontend"}, {0x01cd, 0xffff, "ldlat"},   {0x05d0, 0xffff, "ldlat"},
};

const char *code_config1_name(const char *vendor, uint64_t config) {
    if (strcmp(vendor, "Intel") == 0)
        for (size_t i = 0; i < sizeof(extra) / sizeof(extra[0]); i++)
            if ((config & extra[i].mask) == extra[i].code)
                return extra[i].name;
    return "config1";
}
