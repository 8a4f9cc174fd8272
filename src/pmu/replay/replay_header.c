/*
 * perf stat itself writes no CPU into its rows, but `perf report --header-only` prints "# cpuid",
 * scripts copy it in front of their rows, and a recording of tdtop has it.
 */
#include "pmu/replay/replay_header.h"

#include "base/str.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

enum { HEADER_LINES = 200, LINE_MAX_BYTES = 1024, ID_MAX = 96 };

/* "0x00000000410fd490": MIDR_EL1, the upper half of which is reserved. */
static bool take_midr(const char *text, char *id, size_t cap) {
    char *end;
    errno = 0;
    uint64_t midr = strtoull(text, &end, 16);
    if (*end || errno || !midr || midr > UINT32_MAX)
        return false;
    return snprintf(id, cap, "0x%08" PRIx64, midr) < (int)cap;
}

/* Family, model and perhaps stepping behind the vendor's name. Returns how many there are. */
static int take_numbers(const char *s, unsigned long out[3]) {
    char sep = *s; /* ',': all decimal, as perf's header has it; '-': model and stepping in hex */
    int n = 0;
    while (sep && *s == sep && n < 3) {
        char *end;
        if (!isxdigit((unsigned char)s[1]))
            return 0;
        out[n] = strtoul(s + 1, &end, sep == '-' && n > 0 ? 16 : 10);
        if (out[n++] > 0xfff)
            return 0;
        s = end;
    }
    return *s ? 0 : n;
}

static bool take_x86(const char *text, char *id, size_t cap) {
    unsigned long v[3];
    size_t vendor = strcspn(text, "-,");
    for (size_t i = 0; i < vendor; i++)
        if (!isalpha((unsigned char)text[i]))
            return false;
    int n = vendor > 0 && vendor < 16 ? take_numbers(text + vendor, v) : 0;
    if (n < 2)
        return false;
    struct strbuf sb = strbuf_on(id, cap);
    strbuf_add(&sb, "%.*s-%lu-%lX", (int)vendor, text, v[0], v[1]);
    if (n == 3)
        strbuf_add(&sb, "-%lX", v[2]);
    return true;
}

bool replay_header_id(const char *text, char *id, size_t cap) {
    if (!strncasecmp(text, "0x", 2))
        return take_midr(text, id, cap);
    return take_x86(text, id, cap);
}

/* Where the value behind a key begins, or NULL: "cpuid : ", "\"midr\": \"". */
static const char *value_of(const char *line, const char *key) {
    for (const char *at = line; (at = strcasestr(at, key)); at++) {
        const char *end = at + strlen(key);
        if ((at > line && (isalnum((unsigned char)at[-1]) || at[-1] == '_')) ||
            isalnum((unsigned char)*end) || *end == '_')
            continue;
        end += strspn(end, "\" \t");
        if (*end == ':' || *end == '=')
            return end + 1 + strspn(end + 1, "\" \t");
    }
    return NULL;
}

bool replay_header_line(const char *line, char *id, size_t cap) {
    static const char *const keys[] = {"cpuid", "midr"};
    const char *text = line + strspn(line, " \t");
    if (*text != '#' && *text != '{' && strncasecmp(text, "cpuid", 5) != 0)
        return false; /* a row, which may name anything */
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        const char *value = value_of(text, keys[i]);
        char word[ID_MAX];
        if (!value)
            continue;
        size_t n =
            strspn(value, "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-,");
        while (n > 0 && value[n - 1] == ',')
            n--;
        str_copy(word, n + 1 < sizeof(word) ? n + 1 : sizeof(word), value);
        if (replay_header_id(word, id, cap))
            return true;
    }
    return false;
}

bool replay_header_find(const char *path, char *id, size_t cap) {
    struct stat st;
    char line[LINE_MAX_BYTES];
    if (stat(path, &st) < 0 || !S_ISREG(st.st_mode))
        return false;
    FILE *f = fopen(path, "re");
    bool found = false;
    for (int i = 0; f && !found && i < HEADER_LINES && fgets(line, sizeof(line), f); i++)
        found = replay_header_line(line, id, cap);
    if (f)
        fclose(f);
    return found;
}
