/*
 * The same counter has many spellings: the vendor's ("UOPS_RETIRED.MS:c1" in formulas), perf's
 * lower case, the kernel's own names, a PMU with terms between slashes, a raw code. All become one
 * struct event_name: a base name with the bits that its modifiers add, or a whole code.
 */
#include "pmu/replay/names.h"

#include "base/str.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Is it the PMU of a kind of core ("", "cpu_atom", "armv8_pmuv3_0"), or of something beside it? */
static bool is_core_pmu(const char *pmu) {
    return !*pmu || str_starts(pmu, "cpu") || str_starts(pmu, "arm") || str_starts(pmu, "apple");
}

/* Where a term's value goes. Bits of perf_event_attr.config on x86:
 * /sys/bus/event_source/devices/cpu/format. */
enum place { CONFIG_BITS, CONFIG_WHOLE, CONFIG1_WHOLE, EVENT_CODE, UNIT_MASK, PER_CORE, NOTHING };

static const struct term {
    const char *name;
    enum place place;
    int shift, bits;
} terms[] = {
    {"event", EVENT_CODE, 0, 0},
    {"umask", UNIT_MASK, 0, 0},
    {"config", CONFIG_WHOLE, 0, 0},
    {"cmask", CONFIG_BITS, 24, 8},
    {"edge", CONFIG_BITS, 18, 1},
    {"pc", CONFIG_BITS, 19, 1},
    {"any", CONFIG_BITS, 21, 1},
    {"inv", CONFIG_BITS, 23, 1},
    {"in_tx", CONFIG_BITS, 32, 1},
    {"in_tx_cp", CONFIG_BITS, 33, 1},
    {"eq", CONFIG_BITS, 36, 1},
    {"config1", CONFIG1_WHOLE, 0, 0},
    {"offcore_rsp", CONFIG1_WHOLE, 0, 0},
    {"frontend", CONFIG1_WHOLE, 0, 0},
    {"ldlat", CONFIG1_WHOLE, 0, 0},
    {"snoop_rsp", CONFIG1_WHOLE, 0, 0},
    {"percore", PER_CORE, 0, 0},
    /* How it was sampled or named, not what was counted. */
    {"period", NOTHING, 0, 0},
    {"freq", NOTHING, 0, 0},
    {"metric-id", NOTHING, 0, 0},
    {"inherit", NOTHING, 0, 0},
    {"no-inherit", NOTHING, 0, 0},
};

/* Modifiers of formulas, after a colon: "c1", "e1", "ocr_msr_val=0x10"; libpfm4 writes "c=1". */
static const struct {
    const char *prefix;
    const char *term;
} colon_terms[] = {
    {"ocr_msr_val", "config1"},
    {"cmask", "cmask"},
    {"edge", "edge"},
    {"eq", "eq"},
    {"c", "cmask"},
    {"e", "edge"},
    {"i", "inv"},
    {"u", "umask"},
};

/* "0x21" or "33", all of it. */
static bool parse_u64(const char *s, int base, uint64_t *out) {
    if (base == 0 && s[0] == '0' && (s[1] == 'x' || s[1] == 'X')) {
        base = 16;
        s += 2;
    } else if (base == 0) {
        base = 10;
    }
    uint64_t v = 0;
    if (!*s)
        return false;
    for (; *s; s++) {
        int digit = isdigit((unsigned char)*s)    ? *s - '0'
                    : isxdigit((unsigned char)*s) ? tolower((unsigned char)*s) - 'a' + 10
                                                  : 99;
        if (digit >= base || v > (UINT64_MAX - (uint64_t)digit) / (uint64_t)base)
            return false;
        v = v * (uint64_t)base + (uint64_t)digit;
    }
    *out = v;
    return true;
}

static const struct term *find_term(const char *name) {
    for (size_t i = 0; i < sizeof(terms) / sizeof(terms[0]); i++)
        if (str_same_name(name, terms[i].name))
            return &terms[i];
    return NULL;
}

/*
 * The event number. AMD keeps its bits 8-11 in config:32-35; Arm has sixteen bits in a row and
 * names its PMU (armv8_pmuv3_0).
 */
static uint64_t event_bits(const struct event_name *n, uint64_t v) {
    if (str_starts(n->pmu, "arm") || v > 0xfff)
        return v & 0xffff;
    return (v & 0xff) | (v >> 8 & 0xf) << 32;
}

static int apply_term(struct event_name *out, const struct term *t, uint64_t v) {
    switch (t->place) {
    case EVENT_CODE:
        out->config |= event_bits(out, v);
        break;
    case UNIT_MASK: /* Intel keeps bits 8-15 in config:40-47 */
        out->config |= (v & 0xff) << 8 | (v >> 8 & 0xff) << 40;
        break;
    case CONFIG_BITS:
        if (v >> t->bits)
            return -EINVAL;
        out->config |= v << t->shift;
        break;
    case CONFIG_WHOLE:
        out->config |= v;
        break;
    case CONFIG1_WHOLE:
        out->config1 = v;
        break;
    case PER_CORE:
        out->percore = v != 0;
        return 0;
    case NOTHING:
        return 0;
    }
    out->has_code = true;
    return 0;
}

static bool is_name_char(unsigned char c) {
    return isalnum(c) || c == '_' || c == '.' || c == '-' || c == '@' || c == '!';
}

static int set_base(struct event_name *out, const char *name, const char *join) {
    size_t have = strlen(out->base), add = strlen(join) + strlen(name);
    if (!*name || have + add >= sizeof(out->base))
        return -EINVAL;
    for (const char *c = name; *c; c++)
        if (!is_name_char((unsigned char)*c))
            return -EINVAL;
    str_copy(out->base + have, sizeof(out->base) - have, join);
    have += strlen(join);
    str_copy(out->base + have, sizeof(out->base) - have, name);
    return 0;
}

/* A raw code: "r50021a6". */
static bool raw_code(const char *name, uint64_t *config) {
    return name[0] == 'r' && parse_u64(name + 1, 16, config);
}

/* One "name=value", "flag" or, once, the event's own name. `text` is cut. */
static int parse_term(struct event_name *out, char *text) {
    char *eq = strchr(text, '=');
    if (eq)
        *eq = '\0';
    const struct term *t = find_term(text);
    uint64_t v = 1;
    if (t)
        return eq && !parse_u64(eq + 1, 0, &v) ? -EINVAL : apply_term(out, t, v);
    if (eq)
        return -EINVAL; /* a term that we do not know may change what is counted */
    if (!out->base[0] && raw_code(text, &v)) {
        out->config |= v;
        out->has_code = true;
        return 0;
    }
    return out->base[0] ? -EINVAL : set_base(out, text, "");
}

/* Does a term only say how the event was sampled, or what it was called ("name=x")? */
static bool is_note(const char *text, const char **called) {
    char key[32];
    snprintf(key, sizeof(key), "%.*s", (int)strcspn(text, "=,"), text);
    const struct term *t = find_term(key);
    if (strcmp(key, "name") == 0 && text[strlen(key)] == '=')
        *called = text + strlen(key) + 1;
    return (t && t->place == NOTHING) || *called;
}

/* Takes such terms out. If nothing else is there, a name that was given is the event's: 'x' or x.
 */
static void drop_notes(char *text) {
    const char *called = NULL;
    char *out = text;
    for (char *at = text; *at;) {
        const char *name = NULL;
        at += strspn(at, " ,");
        const size_t n = strcspn(at, ",");
        if (n && !is_note(at, &name)) {
            if (out > text)
                *out++ = ',';
            memmove(out, at, n);
            out += n;
        }
        called = name ? name : called;
        at += n;
    }
    if (out == text && called) {
        const size_t quote = *called == '\'' || *called == '"', n = strcspn(called + quote, ",'\"");
        memmove(out, called + quote, n);
        out += n;
    }
    *out = '\0';
}

static int parse_terms(struct event_name *out, char *text) {
    int rc = 0;
    while (rc == 0 && text) {
        char *comma = strchr(text, ',');
        if (comma)
            *comma = '\0';
        while (*text == ' ')
            text++;
        if (*text)
            rc = parse_term(out, text);
        text = comma ? comma + 1 : NULL;
    }
    return rc;
}

/* perf's letters: u k h G H say where it counts; p P S D W e b I how it is scheduled. */
static bool parse_letters(struct event_name *out, const char *text) {
    if (strspn(text, "ukhGHpPSDWebI") != strlen(text))
        return false;
    size_t n = strlen(out->mods);
    for (; *text; text++)
        if (strchr("ukhGH", *text) && n + 1 < sizeof(out->mods))
            out->mods[n++] = *text;
    out->mods[n] = '\0';
    return true;
}

/* "c1", "c=1", "ocr_msr_val=0x10": 1 if it was one, 0 if not, -EINVAL if its value is wrong. */
static int parse_colon_term(struct event_name *out, const char *text) {
    for (size_t i = 0; i < sizeof(colon_terms) / sizeof(colon_terms[0]); i++) {
        size_t n = strlen(colon_terms[i].prefix);
        if (strncmp(text, colon_terms[i].prefix, n) != 0)
            continue;
        const char *number = text + n + (text[n] == '=');
        uint64_t v;
        if (!isdigit((unsigned char)*number) || !parse_u64(number, 0, &v))
            continue;
        if (text[n] == '=' && text[0] == 'u') /* libpfm4: u=1 counts user mode */
            return v ? parse_letters(out, "u") : 1;
        int rc = apply_term(out, find_term(colon_terms[i].term), v);
        return rc < 0 ? rc : 1;
    }
    return 0;
}

/* "opc=0x182": 1 if it was one, 0 if not, -EINVAL if its value is wrong. Numbers in one spelling.
 */
static int parse_filter(struct event_name *out, const char *text) {
    static const char *const filters[] = {"opc=", "tid=", "filter1="};
    for (size_t i = 0; i < sizeof(filters) / sizeof(filters[0]); i++) {
        uint64_t v;
        if (!str_starts(text, filters[i]))
            continue;
        if (!parse_u64(text + strlen(filters[i]), 0, &v))
            return -EINVAL;
        size_t n = strlen(out->filter);
        snprintf(out->filter + n, sizeof(out->filter) - n, "%s%s0x%" PRIx64, n ? "," : "",
                 filters[i], v);
        return 1;
    }
    return 0;
}

/* One part after a colon. What is no modifier is libpfm4's way to write a dot. */
static int parse_colon(struct event_name *out, const char *text) {
    if (!*text || strcmp(text, "perf_metrics") == 0)
        return 0;
    if (strcmp(text, "percore") == 0) {
        out->percore = true;
        return 0;
    }
    if (strcmp(text, "one_unit") == 0) {
        out->one_unit = true;
        return 0;
    }
    if (str_same_name(text, "sup") || strcmp(text, "k=1") == 0)
        return parse_letters(out, "k") ? 0 : -EINVAL;
    if (str_same_name(text, "user"))
        return parse_letters(out, "u") ? 0 : -EINVAL;
    if (parse_letters(out, text))
        return 0;
    int rc = parse_colon_term(out, text);
    if (rc == 0)
        rc = parse_filter(out, text);
    if (rc != 0)
        return rc < 0 ? rc : 0;
    return out->base[0] ? set_base(out, text, ".") : -EINVAL;
}

static int parse_colons(struct event_name *out, char *text) {
    int rc = 0;
    while (rc == 0 && text) {
        char *colon = strchr(text, ':');
        if (colon)
            *colon = '\0';
        rc = parse_colon(out, text);
        text = colon ? colon + 1 : NULL;
    }
    return rc;
}

/* pmu/terms/letters. Terms that say nothing about the event ("slots/metric-id=x/") leave the name
 * in front of them as the event. */
static int parse_slashed(struct event_name *out, char *text, char *slash) {
    char *last = strrchr(text, '/');
    if (last == slash || slash == text || (size_t)(slash - text) >= sizeof(out->pmu))
        return -EINVAL;
    *slash = *last = '\0';
    for (const char *c = text; *c; c++)
        if (!is_name_char((unsigned char)*c))
            return -EINVAL;
    str_copy(out->pmu, sizeof(out->pmu), text);
    char *inner = slash + 1;
    drop_notes(inner);
    char *colon = strchr(inner, ':');
    if (!is_core_pmu(out->pmu) && strchr(inner, '=')) { /* its fields are its own affair */
        if (strlen(inner) >= sizeof(out->terms))
            return -EINVAL;
        str_copy(out->terms, sizeof(out->terms), inner);
        return parse_colons(out, last + 1);
    }
    if (colon) /* the modifiers of a name inside: cpu/uops_retired.ms:c1/ */
        *colon = '\0';
    int rc = parse_terms(out, inner);
    if (rc == 0 && !out->base[0] && !out->has_code) {
        rc = set_base(out, text, "");
        out->pmu[0] = '\0';
    }
    if (rc == 0 && colon)
        rc = parse_colons(out, colon + 1);
    return rc < 0 ? rc : parse_colons(out, last + 1);
}

/* "cpu-clock [software]": perf 6.12 adds the PMU to make a name unique. */
static void take_pmu_suffix(struct event_name *out, char *text) {
    char *open = strstr(text, " [");
    size_t len = strlen(text);
    if (!open || text[len - 1] != ']')
        return;
    text[len - 1] = '\0';
    str_copy(out->pmu, sizeof(out->pmu), open + 2);
    *open = '\0';
}

int event_name_parse(const char *text, struct event_name *out) {
    *out = (struct event_name){0};
    char buf[512];
    if (strlen(text) >= sizeof(buf))
        return -EINVAL;
    str_copy(buf, sizeof(buf), text);
    take_pmu_suffix(out, buf);
    char *slash = strchr(buf, '/');
    if (slash)
        return parse_slashed(out, buf, slash);
    drop_notes(buf);
    char *colon = strchr(buf, ':');
    if (colon)
        *colon = '\0';
    int rc = parse_terms(out, buf);
    if (rc == 0 && !out->base[0] && !out->has_code)
        rc = -EINVAL;
    return rc == 0 && colon ? parse_colons(out, colon + 1) : rc;
}

char event_name_privilege(const struct event_name *name) {
    bool user = strchr(name->mods, 'u'), kernel = strchr(name->mods, 'k');
    return user == kernel ? '\0' : user ? 'u' : 'k';
}

/* ---- which event of a model a printed name means ---- */

/* Names that the kernel and perf take for the same event: tools/perf, parse-events. */
static const char *const synonyms[][2] = {
    {"cpu-cycles", "cycles"},
    {"branches", "branch-instructions"},
    {"faults", "page-faults"},
    {"cs", "context-switches"},
    {"migrations", "cpu-migrations"},
    {"idle-cycles-frontend", "stalled-cycles-frontend"},
    {"idle-cycles-backend", "stalled-cycles-backend"},
    /* the kernel's names below cpu_atom/events; those of P cores stay themselves on both sides */
    {"topdown-retiring", "TOPDOWN_RETIRING.ALL"},
    {"topdown-bad-spec", "TOPDOWN_BAD_SPECULATION.ALL"},
    {"topdown-fe-bound", "TOPDOWN_FE_BOUND.ALL"},
    {"topdown-be-bound", "TOPDOWN_BE_BOUND.ALL"},
};

static const char *canonical(const char *name) {
    for (size_t i = 0; i < sizeof(synonyms) / sizeof(synonyms[0]); i++)
        if (str_same_name(name, synonyms[i][0]))
            return synonyms[i][1];
    return name;
}

static bool same_base(const char *printed, const char *of_model) {
    char base[160];
    snprintf(base, sizeof(base), "%.*s", (int)strcspn(of_model, ":"), of_model);
    return str_same_name(canonical(printed), canonical(base));
}

/* Is it this spelling of a model's event (`whole` has the modifiers too), bits of both included? */
static bool same_spelling(const struct event_name *printed, const char *base, const char *whole) {
    struct event_name model;
    return base && same_base(printed->base, base) && event_name_parse(whole, &model) == 0 &&
           model.config == printed->config && model.config1 == printed->config1 &&
           model.one_unit == printed->one_unit && strcmp(model.filter, printed->filter) == 0;
}

static bool pmu_fits(const char *pmu, enum event_pmu kind) {
    switch (kind) {
    case EVENT_CORE:
    case EVENT_GENERIC:
        return is_core_pmu(pmu);
    case EVENT_SOFTWARE:
        return !*pmu || strcmp(pmu, "software") == 0;
    case EVENT_UNCORE:
        return !*pmu || !is_core_pmu(pmu);
    case EVENT_PROC:
        return false;
    }
    return false;
}

/* The next "name=number" of a list, which is cut off its front; false at the end. A name alone
 * is 1. */
static bool next_term(const char **list, char *name, size_t cap, uint64_t *v) {
    const char *s = *list + strspn(*list, " ,");
    size_t n = strcspn(s, ","), key = strcspn(s, "=,");
    char number[32];
    if (n == 0)
        return false;
    *list = s + n;
    snprintf(name, cap, "%.*s", (int)key, s);
    snprintf(number, sizeof(number), "%.*s", (int)(n - key), s + key);
    char *end = number;
    *v = number[0] ? strtoull(number + 1, &end, 0) : 1;
    if (*end) /* no number: equal to nothing */
        name[0] = '\0';
    return true;
}

/* Does every term of a stand in b with the same number? */
static bool terms_within(const char *a, const char *b) {
    char key[32], other[32];
    uint64_t v, w;
    while (next_term(&a, key, sizeof(key), &v)) {
        bool found = false;
        const char *rest = b;
        while (!found && next_term(&rest, other, sizeof(other), &w))
            found = key[0] && str_same_name(key, other) && v == w;
        if (!found)
            return false;
    }
    return true;
}

static bool same_terms(const struct event_name *name, const struct event *ev) {
    return ev->pmu == EVENT_UNCORE && ev->device && ev->terms &&
           str_same_name(name->pmu, ev->device) && !name->one_unit == !ev->one_unit &&
           terms_within(name->terms, ev->terms) && terms_within(ev->terms, name->terms);
}

bool event_name_matches(const struct event_name *name, const struct event *ev) {
    if (name->terms[0])
        return same_terms(name, ev);
    if (!pmu_fits(name->pmu, ev->pmu) || name->percore != ev->percore)
        return false;
    char want = ev->user_only ? 'u' : ev->kernel_only ? 'k' : '\0';
    if (want && event_name_privilege(name) != want)
        return false;
    if (!name->base[0])
        return ev->pmu == EVENT_CORE && ev->has_code && ev->config == name->config &&
               ev->config1 == name->config1;
    return same_spelling(name, ev->base, ev->name) || same_spelling(name, ev->alias, ev->alias) ||
           same_spelling(name, ev->sysfs, ev->name);
}
