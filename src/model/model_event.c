/*
 * Events: the [event] table, and the modifiers that formulas put behind an event's name.
 *
 * Bits of perf_event_attr.config, by vendor (sysfs format/ of the core PMU):
 *   Intel  event 0-7, umask 8-15, edge 18, any 21, inv 23, cmask 24-31, eq 36, umask2 40-47
 *   AMD    event 0-7 and 32-35, umask 8-15, edge 18, inv 23, cmask 24-31
 *   Arm    event 0-15, nothing else
 */
#include "model/model_load.h"

#include "base/str.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* perf_event_attr.type, see perf_event_open(2) */
enum { TYPE_HARDWARE = 0, TYPE_SOFTWARE = 1, TYPE_HW_CACHE = 3 };

struct field {
    int shift, width;
};

static const struct field umask = {8, 8}, edge = {18, 1}, any = {21, 1}, inv = {23, 1},
                          cmask = {24, 8}, eq = {36, 1}, umask2 = {40, 8};

static uint64_t field_set(uint64_t config, struct field f, uint64_t value) {
    uint64_t mask = ((1ull << f.width) - 1) << f.shift;
    return (config & ~mask) | (value << f.shift);
}

/* --- the [event] table --- */

struct event_keys {
    int64_t code, umask, umaskext, cmask, inv, edge, any; /* code: -1 = absent */
    int64_t config, config1, fixed;                       /* config: -1 = absent */
    const char *counters, *sysfs, *alias, *pmu, *type;
    bool perf_metrics, alone;
};

#define AT(field) offsetof(struct event_keys, field)
static const struct key keys[] = {
    {"code", KEY_INTEGER, AT(code), 0, 0xffff},
    {"umask", KEY_INTEGER, AT(umask), 0, 0xff},
    {"umaskext", KEY_INTEGER, AT(umaskext), 0, 0xff},
    {"cmask", KEY_INTEGER, AT(cmask), 0, 0xff},
    {"inv", KEY_INTEGER, AT(inv), 0, 1},
    {"edge", KEY_INTEGER, AT(edge), 0, 1},
    {"any", KEY_INTEGER, AT(any), 0, 1},
    {"config", KEY_INTEGER, AT(config), 0, INT64_MAX},
    {"config1", KEY_INTEGER, AT(config1), 0, INT64_MAX},
    {"counters", KEY_STRING, AT(counters), 0, 0},
    {"fixed", KEY_INTEGER, AT(fixed), 0, 31},
    {"sysfs", KEY_STRING, AT(sysfs), 0, 0},
    {"alias", KEY_STRING, AT(alias), 0, 0},
    {"perf_metrics", KEY_BOOLEAN, AT(perf_metrics), 0, 0},
    {"alone", KEY_BOOLEAN, AT(alone), 0, 0},
    {"pmu", KEY_STRING, AT(pmu), 0, 0},
    {"type", KEY_STRING, AT(type), 0, 0},
};
#undef AT

static const struct {
    const char *name;
    enum event_pmu pmu;
    uint32_t type;
} pmus[] = {
    {"core", EVENT_CORE, 0},
    {"generic", EVENT_GENERIC, TYPE_HARDWARE},
    {"software", EVENT_SOFTWARE, TYPE_SOFTWARE},
    {"proc", EVENT_PROC, 0},
    {"uncore", EVENT_UNCORE, 0},
};

static const struct {
    const char *name;
    uint32_t type;
} types[] = {{"hardware", TYPE_HARDWARE}, {"hw-cache", TYPE_HW_CACHE}, {"software", TYPE_SOFTWARE}};

static bool is_x86(const struct loader *ld) {
    return !strcmp(ld->m->vendor, "Intel") || !strcmp(ld->m->vendor, "AMD");
}

static int read_pmu(struct loader *ld, const struct toml *at, const struct event_keys *k,
                    struct event *ev) {
    const char *want = k->pmu ? k->pmu : "core";
    size_t i = 0;
    while (i < sizeof(pmus) / sizeof(pmus[0]) && strcmp(pmus[i].name, want))
        i++;
    if (i == sizeof(pmus) / sizeof(pmus[0]))
        return load_err(ld, at,
                        "pmu '%s' of event '%s'; known: core, generic, software, proc, uncore",
                        want, at->key);
    ev->pmu = pmus[i].pmu;
    ev->type = pmus[i].type;
    if (!k->type)
        return 0;
    for (i = 0; i < sizeof(types) / sizeof(types[0]); i++)
        if (!strcmp(types[i].name, k->type)) {
            ev->type = types[i].type;
            return 0;
        }
    return load_err(ld, at, "type '%s' of event '%s'; known: hardware, hw-cache, software", k->type,
                    at->key);
}

static int read_code(struct loader *ld, const struct toml *at, const struct event_keys *k,
                     struct event *ev) {
    bool x86 = is_x86(ld);
    bool parts = k->umask || k->umaskext || k->cmask || k->inv || k->edge || k->any;
    if (k->code >= 0 && k->config >= 0)
        return load_err(ld, at, "event '%s' has both code and config, expected one", at->key);
    if (parts && (k->code < 0 || !x86))
        return load_err(ld, at,
                        "event '%s': umask, cmask, inv, edge and any need the code of an "
                        "Intel or AMD event",
                        at->key);
    int64_t code_max = !x86 ? 0xffff : !strcmp(ld->m->vendor, "AMD") ? 0xfff : 0xff;
    if (k->code > code_max)
        return load_err(ld, at, "code of event '%s' is 0x%llx, at most 0x%llx", at->key,
                        (unsigned long long)k->code, (unsigned long long)code_max);
    ev->has_code = k->code >= 0 || k->config >= 0;
    ev->config1 = (uint64_t)k->config1;
    if (k->config >= 0)
        ev->config = (uint64_t)k->config;
    if (k->code < 0)
        return 0;
    uint64_t code = (uint64_t)k->code;
    uint64_t config = x86 ? (code & 0xff) | (code >> 8) << 32 : code;
    config = field_set(config, umask, (uint64_t)k->umask);
    config = field_set(config, umask2, (uint64_t)k->umaskext);
    config = field_set(config, cmask, (uint64_t)k->cmask);
    config = field_set(config, inv, (uint64_t)k->inv);
    config = field_set(config, edge, (uint64_t)k->edge);
    config = field_set(config, any, (uint64_t)k->any);
    ev->config = x86 ? config : code;
    return 0;
}

static int read_counters(struct loader *ld, const struct toml *at, const char *list,
                         struct event *ev) {
    if (!list)
        return 0;
    int number[64];
    struct err why = {0};
    int n = str_list(list, number, 64, &why);
    for (int i = 0; i < n; i++) {
        if (number[i] > 63)
            return load_err(ld, at, "counters of event '%s': %d is more than 63", at->key,
                            number[i]);
        ev->counters |= 1ull << number[i];
    }
    return n < 0 ? load_err(ld, at, "counters of event '%s': %s", at->key, why.text) : 0;
}

/* An event must be countable somehow: by code, by name below /sys, or by its name alone. */
static int check_event(struct loader *ld, const struct toml *at, const struct event *ev) {
    bool by_name = ev->pmu == EVENT_PROC || ev->pmu == EVENT_UNCORE;
    if (!ev->has_code && !ev->sysfs && !by_name)
        return load_err(ld, at, "event '%s' has neither code, config nor sysfs", at->key);
    return 0;
}

static int read_event(struct loader *ld, const struct toml *at, struct event *ev) {
    struct event_keys k = {.code = -1, .config = -1, .fixed = -1};
    if (at->type != TOML_TABLE)
        return load_err(ld, at, "event '%s' is of type %s, expected a table", at->key,
                        toml_type_name(at->type));
    int rc = keys_read(ld, at, keys, sizeof(keys) / sizeof(keys[0]), &k);
    if (rc < 0)
        return rc;
    *ev = (struct event){.name = at->key, .base = at->key, .fixed = (int)k.fixed};
    ev->sysfs = k.sysfs;
    ev->alias = k.alias;
    ev->perf_metrics = k.perf_metrics;
    ev->alone = k.alone;
    if ((rc = read_pmu(ld, at, &k, ev)) < 0 || (rc = read_code(ld, at, &k, ev)) < 0)
        return rc;
    rc = read_counters(ld, at, k.counters, ev);
    return rc < 0 ? rc : check_event(ld, at, ev);
}

int events_read(struct loader *ld, const struct toml *table) {
    if (!table)
        return 0;
    ld->def = arena_alloc(&ld->mem->arena, (table->n + 1) * sizeof(*ld->def));
    if (!ld->def)
        return load_no_memory(ld);
    for (const struct toml *at = table->first; at; at = at->next) {
        int rc = read_event(ld, at, &ld->def[ld->n_def]);
        if (rc < 0)
            return rc;
        if (const_find(at->key) >= 0)
            return load_err(ld, at, "event '%s' has the name of a constant", at->key);
        rc = dict_put(&ld->def_by_name, at->key, (int)ld->n_def);
        if (rc < 0)
            return load_err(ld, at, "event '%s': %s", at->key,
                            rc == -EEXIST ? "named twice" : "out of memory");
        ld->n_def++;
    }
    return 0;
}

/* --- modifiers --- */

/* What a modifier does to an event. Numbers: "c12", "u0x30", "ocr_msr_val=0x10"; flags: "percore".
 */
struct modifier {
    const char *text;
    enum { MOD_FIELD, MOD_CONFIG1, MOD_FLAG } does;
    const struct field *field;
    size_t flag; /* offset of a bool in struct event */
};

/* Longer names first: "eq1" is not "e" with "q1". */
static const struct modifier modifiers[] = {
    {"ocr_msr_val=", MOD_CONFIG1, NULL, 0},
    {"perf_metrics", MOD_FLAG, NULL, offsetof(struct event, slots_leader)},
    {"percore", MOD_FLAG, NULL, offsetof(struct event, percore)},
    {"SUP", MOD_FLAG, NULL, offsetof(struct event, kernel_only)},
    {"sup", MOD_FLAG, NULL, offsetof(struct event, kernel_only)},
    {"USER", MOD_FLAG, NULL, offsetof(struct event, user_only)},
    {"user", MOD_FLAG, NULL, offsetof(struct event, user_only)},
    {"eq", MOD_FIELD, &eq, 0},
    {"c", MOD_FIELD, &cmask, 0},
    {"i", MOD_FIELD, &inv, 0},
    {"e", MOD_FIELD, &edge, 0},
    {"u", MOD_FIELD, &umask, 0},
};

/* "12" or "0x30", nothing behind it; -1 otherwise. */
static int64_t modifier_number(const char *s) {
    char *end = NULL;
    if (s[0] < '0' || s[0] > '9')
        return -1;
    errno = 0;
    unsigned long long v = strtoull(s, &end, 0);
    return *end || errno || v > INT64_MAX ? -1 : (int64_t)v;
}

static bool modifier_apply(const struct modifier *mod, const char *rest, struct event *ev) {
    if (mod->does == MOD_FLAG) {
        if (*rest)
            return false;
        *(bool *)((char *)ev + mod->flag) = true;
        return true;
    }
    int64_t v = modifier_number(rest);
    if (v < 0)
        return false;
    if (mod->does == MOD_CONFIG1) {
        ev->config1 = (uint64_t)v;
    } else {
        if (v >> mod->field->width)
            return false;
        ev->config = field_set(ev->config, *mod->field, (uint64_t)v);
    }
    ev->sysfs = ev->alias = NULL; /* they name the event as it was */
    return true;
}

/* Applies one modifier. 0, or -EINVAL with words. */
static int modify(const struct loader *ld, struct event *ev, const char *text, struct err *why) {
    if (ev->pmu == EVENT_UNCORE)
        return 0; /* filters of boxes outside the core: nothing encodes these yet */
    for (size_t i = 0; i < sizeof(modifiers) / sizeof(modifiers[0]); i++) {
        const struct modifier *mod = &modifiers[i];
        size_t len = strlen(mod->text);
        if (strncmp(text, mod->text, len) != 0)
            continue;
        if (mod->does != MOD_FLAG && (!is_x86(ld) || ev->pmu != EVENT_CORE))
            return err_set(why, -EINVAL, "modifier ':%s' is for Intel and AMD core events only",
                           text);
        if (modifier_apply(mod, text + len, ev))
            return 0;
    }
    return err_set(why, -EINVAL,
                   "modifier ':%s' of event '%s'; known: cN iN eN eqN uN ocr_msr_val=N "
                   "perf_metrics percore SUP USER",
                   text, ev->base);
}

static int modify_all(const struct loader *ld, struct event *ev, const char *mods,
                      struct err *why) {
    while (*mods == ':') {
        char one[64];
        size_t len = strcspn(mods + 1, ":");
        str_copy(one, len + 1 < sizeof(one) ? len + 1 : sizeof(one), mods + 1);
        int rc = modify(ld, ev, one, why);
        if (rc < 0)
            return rc;
        mods += 1 + len;
    }
    return 0;
}

static int event_add(struct loader *ld, const struct event *def, const char *spelling,
                     const char *mods, struct err *why) {
    struct event ev = *def;
    int rc = modify_all(ld, &ev, mods, why);
    if (rc < 0)
        return rc;
    ev.name = arena_text(&ld->mem->arena, spelling, strlen(spelling));
    if (ld->event.n >= EVENTS_MAX)
        return err_set(why, -EINVAL, "more than %d events", EVENTS_MAX);
    int index = (int)ld->event.n;
    if (!ev.name || array_push(&ld->event, ev) < 0 ||
        dict_put(&ld->event_by_name, ev.name, index) < 0)
        return err_set(why, -ENOMEM, "out of memory");
    return index;
}

int event_of_spelling(struct loader *ld, const char *spelling, struct err *why) {
    int index = dict_get(&ld->event_by_name, spelling);
    if (index >= 0)
        return index;
    char base[256];
    const char *mods = spelling + strcspn(spelling, ":");
    int def = dict_get(&ld->def_by_name, spelling); /* the table may name a modified event itself */
    if (def >= 0) {
        mods = "";
    } else {
        if ((size_t)(mods - spelling) >= sizeof(base))
            return -ENOENT;
        str_copy(base, (size_t)(mods - spelling) + 1, spelling);
        def = dict_get(&ld->def_by_name, base);
    }
    /* A sampled latency is a constant, not a count; no model has any yet. */
    if (def < 0 || str_ends(spelling, ":retire_latency"))
        return -ENOENT;
    return event_add(ld, &ld->def[def], spelling, mods, why);
}
