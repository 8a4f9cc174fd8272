/*
 * Where a PMU wants the fields of an event: <pmu>/format/FIELD says "config:0-7,32-35". The terms
 * of an event's name are put there, and so are the raw codes of models, which are written in the
 * layout that the vendor's PMUs have had so far (model/load/code.h).
 */
#include "pmu/host/encode.h"

#include "base/str.h"
#include "model/load/code.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
        snprintf(path, sizeof(path), "%s" MACHINE_PMU_DIR "%s/format/%s", root, pmu, *name);
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

int encode_by_format(const char *root, const char *pmu, const char *vendor, const uint64_t code[2],
                     unsigned long long c[3], const char **missing) {
    const struct code_field *layout = code_layout(vendor);
    char path[512], text[64];
    uint64_t rest = code[0];
    *missing = NULL;
    c[0] = code[0];
    c[1] = code[1];
    c[2] = 0;
    snprintf(path, sizeof(path), "%s" MACHINE_PMU_DIR "%s/format/event", root, pmu);
    if (!layout || str_read_small(path, text, sizeof(text)) <= 0)
        return -ENOENT;
    c[0] = c[1] = 0;
    for (const struct code_field *f = layout; f->name; f++) {
        uint64_t value = code_get(f, code[0]);
        rest = code_set(f, rest, 0);
        *missing = f->name;
        if (value && put_term(root, pmu, f->name, value, c))
            return -EINVAL;
    }
    *missing = "config";
    if (rest) /* bits that no field of the layout explains */
        return -EINVAL;
    *missing = code_config1_name(vendor, code[0]);
    if (code[1] && put_term(root, pmu, *missing, code[1], c))
        return -EINVAL;
    *missing = NULL;
    return 0;
}
