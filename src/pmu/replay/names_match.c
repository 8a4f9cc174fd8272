/* Which event of a model a printed name means. */
#include "pmu/replay/names.h"

#include "base/str.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

bool event_pmu_is_core(const char *pmu) {
    return !*pmu || str_starts(pmu, "cpu") || str_starts(pmu, "arm") || str_starts(pmu, "apple");
}

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
        return event_pmu_is_core(pmu);
    case EVENT_SOFTWARE:
        return !*pmu || strcmp(pmu, "software") == 0;
    case EVENT_UNCORE:
        return !*pmu || !event_pmu_is_core(pmu);
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
