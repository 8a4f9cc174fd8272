#include "db/store_names.h"

#include <stddef.h>
#include <string.h>

static const char *const count_states[COUNT_STATES] = {
    [COUNT_OK] = "ok",
    [COUNT_STALE] = "stale",
    [COUNT_NOT_COUNTED] = "not_counted",
    [COUNT_NOT_SUPPORTED] = "not_supported",
    [COUNT_NOT_PERMITTED] = "not_permitted",
    [COUNT_NO_EVENT] = "no_event",
    [COUNT_ABSENT] = "absent",
    [COUNT_UNCORE] = "uncore",
    [COUNT_NOT_PLANNED] = "not_planned",
    [COUNT_NOT_FOCUSED] = "not_focused",
    [COUNT_NO_FDS] = "no_fds",
    [COUNT_LOST] = "lost",
    [COUNT_NOT_SIMULATED] = "not_simulated",
    [COUNT_PERCORE] = "percore",
    [COUNT_ELSEWHERE] = "elsewhere",
    [COUNT_HELD] = "held",
    [COUNT_UNSEEN] = "unseen",
};
_Static_assert(COUNT_UNSEEN + 1 == COUNT_STATES, "a new state needs a name in the file");

static const char *const value_states[] = {
    [VALUE_EXACT] = "exact", [VALUE_SCALED] = "scaled", [VALUE_ODD] = "odd",
    [VALUE_STALE] = "stale", [VALUE_NA] = "na",
};
enum { VALUE_STATES = VALUE_NA + 1 };

static const char *name_of(const char *const *names, unsigned n, unsigned state) {
    return state < n ? names[state] : "unknown";
}

static int find(const char *const *names, unsigned n, const char *name) {
    for (unsigned i = 0; i < n; i++)
        if (strcmp(names[i], name) == 0)
            return (int)i;
    return -1;
}

const char *store_count_state(unsigned state) {
    return name_of(count_states, COUNT_STATES, state);
}

int store_count_state_find(const char *name) {
    return find(count_states, COUNT_STATES, name);
}

const char *store_value_state(unsigned state) {
    return name_of(value_states, VALUE_STATES, state);
}

int store_value_state_find(const char *name) {
    return find(value_states, VALUE_STATES, name);
}
