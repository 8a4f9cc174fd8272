/*
 * Does a model's pattern fit a CPU? At every start some hundred patterns are tried against one id:
 * what stands before the first special character decides nearly all of them, so that only one or
 * two are compiled.
 */
#include "pmu/host/machine.h"

#include "base/str.h"

#include <regex.h>
#include <stdio.h>
#include <string.h>

/* Is there an alternative outside of all parentheses? Then nothing in front is common to all. */
static bool has_top_level_choice(const char *pattern) {
    int depth = 0;
    for (const char *p = pattern; *p; p++) {
        if (*p == '\\' && p[1])
            p++;
        else if (*p == '[' && strchr(p + 1, ']'))
            p = strchr(p + 1 + (p[1] == ']'), ']') ? strchr(p + 1 + (p[1] == ']'), ']') : p;
        depth += *p == '(';
        depth -= *p == ')';
        if (*p == '|' && depth == 0)
            return true;
    }
    return false;
}

/* Length of what every text that fits must begin with. */
static size_t fixed_part(const char *pattern) {
    size_t n = strcspn(pattern, ".[]()*+?{}|^$\\");
    if (n > 0 && pattern[n] && strchr("*?{", pattern[n]))
        n--; /* the last character may be absent */
    return has_top_level_choice(pattern) ? 0 : n;
}

/* "GenuineIntel-6-8F" of "GenuineIntel-6-8F-8": most patterns leave the stepping out. */
static void cut_stepping(char *shorter, size_t cap, const char *id) {
    str_copy(shorter, cap, id);
    char *cut = strrchr(shorter, '-');
    if (cut)
        *cut = '\0';
}

static bool fits_regex(const char *pattern, const char *id, const char *shorter) {
    char text[256];
    regex_t re;
    if (strlen(pattern) + 5 > sizeof(text))
        return false;
    snprintf(text, sizeof(text), "^(%s)$", pattern);
    if (regcomp(&re, text, REG_EXTENDED | REG_NOSUB))
        return false;
    bool hit = regexec(&re, id, 0, NULL, 0) == 0 || regexec(&re, shorter, 0, NULL, 0) == 0;
    regfree(&re);
    return hit;
}

bool machine_matches(const char *pattern, const char *id) {
    char shorter[64];
    size_t fixed = fixed_part(pattern);
    if (!id[0] || strncmp(pattern, id, fixed) != 0)
        return false;
    cut_stepping(shorter, sizeof(shorter), id);
    if (!pattern[fixed])
        return strcmp(pattern, id) == 0 || strcmp(pattern, shorter) == 0;
    return fits_regex(pattern, id, shorter);
}

const char *machine_vendor(const char *id) {
    static const struct {
        const char *prefix, *vendor;
    } known[] = {{"GenuineIntel", "Intel"},
                 {"AuthenticAMD", "AMD"},
                 {"HygonGenuine", "AMD"}, /* Zen under licence */
                 {"0x", "Arm"}};
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        if (str_starts(id, known[i].prefix))
            return known[i].vendor;
    return "";
}
