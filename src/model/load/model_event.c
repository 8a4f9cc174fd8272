/*
 * Events: the [event] table, the spellings of its entries that formulas use, with the modifiers
 * behind a name; and the [latency] table.
 */
#include "base/str.h"
#include "model/load/code.h"
#include "model/load/model_load.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- modifiers --- */

/*
 * What formulas put behind the name of an event, ":c1:e1". Behind a core event they change fields
 * of its code (model/load/code.h); behind an event outside the core they add terms. Both have the
 * names of the format/ of that PMU.
 */

static bool is_x86(const struct loader *ld) {
    return !strcmp(ld->m->vendor, "Intel") || !strcmp(ld->m->vendor, "AMD");
}

/* Numbers stand behind the text: "c12", "u0x30", "ocr_msr_val=0x10"; flags alone: "percore". */
struct modifier {
    const char *text;
    enum { MOD_FIELD, MOD_CONFIG1, MOD_FLAG, MOD_TERM } does;
    size_t flag;       /* offset of a bool in struct event */
    const char *field; /* its name in format/ */
    int shift;         /* of the number in a term */
    int width;         /* bits of the number in a term */
};

#define FLAG(text, field)                                                                          \
    { text, MOD_FLAG, offsetof(struct event, field), NULL, 0, 0 }
#define FIELD(text, name)                                                                          \
    { text, MOD_FIELD, 0, name, 0, 0 }
#define TERM(text, name, shift, width)                                                             \
    { text, MOD_TERM, 0, name, shift, width }

/* Longer texts first: "eq1" is not "e" with "q1". */
static const struct modifier core_modifiers[] = {
    {"ocr_msr_val=", MOD_CONFIG1, 0, NULL, 0, 0},
    FLAG("perf_metrics", slots_leader),
    FLAG("percore", percore),
    FLAG("SUP", kernel_only),
    FLAG("sup", kernel_only),
    FLAG("USER", user_only),
    FLAG("user", user_only),
    FIELD("eq", "eq"),
    FIELD("c", "cmask"),
    FIELD("i", "inv"),
    FIELD("e", "edge"),
    FIELD("u", "umask"),
};

/* filter1 is the second of the two filter registers that fill config1. */
static const struct modifier uncore_modifiers[] = {
    FLAG("one_unit", one_unit),        TERM("filter1=", "config1", 32, 32),
    TERM("opc=", "filter_opc", 0, 32), TERM("tid=", "filter_tid", 0, 32),
    TERM("c", "thresh", 0, 8),         TERM("i", "inv", 0, 1),
    TERM("e", "edge", 0, 1),
};

static const char core_known[] = "cN iN eN eqN uN ocr_msr_val=N perf_metrics percore SUP USER";
static const char uncore_known[] = "cN iN eN opc=N tid=N filter1=N one_unit";

/* "12" or "0x30", nothing behind it; -1 otherwise. */
static int64_t modifier_number(const char *s) {
    char *end = NULL;
    if (s[0] < '0' || s[0] > '9')
        return -1;
    errno = 0;
    unsigned long long v = strtoull(s, &end, 0);
    return *end || errno || v > INT64_MAX ? -1 : (int64_t)v;
}

/* An event that is known by its name alone stays so. */
static int term_add(const struct loader *ld, const struct modifier *mod, uint64_t v,
                    struct event *ev) {
    if (!ev->terms)
        return 0;
    size_t cap = strlen(ev->terms) + strlen(mod->field) + 24;
    char *terms = arena_alloc(&ld->mem->arena, cap);
    if (!terms)
        return -ENOMEM;
    struct strbuf sb = strbuf_on(terms, cap);
    strbuf_add(&sb, "%s,%s=0x%" PRIx64, ev->terms, mod->field, v << mod->shift);
    ev->terms = terms;
    return 0;
}

/* The field of a core event's code; NULL: the vendor's codes have none of that name. */
static const struct code_field *field_of(const struct loader *ld, const struct modifier *mod) {
    return mod->does == MOD_FIELD ? code_find(code_layout(ld->m->vendor), mod->field) : NULL;
}

/* 0, -EINVAL if the number does not fit, or -ENOMEM. */
static int apply(const struct loader *ld, const struct modifier *mod, const char *rest,
                 struct event *ev) {
    if (mod->does == MOD_FLAG) {
        if (*rest)
            return -EINVAL;
        *(bool *)((char *)ev + mod->flag) = true;
        return 0;
    }
    const struct code_field *field = field_of(ld, mod);
    int64_t v = modifier_number(rest);
    int width = field ? code_width(field) : mod->does == MOD_TERM ? mod->width : 63;
    if (v < 0 || v >> width)
        return -EINVAL;
    if (mod->does == MOD_TERM)
        return term_add(ld, mod, (uint64_t)v, ev);
    if (field)
        ev->config = code_set(field, ev->config, (uint64_t)v);
    else
        ev->config1 = (uint64_t)v;
    ev->sysfs = ev->alias = NULL; /* they name the event as it was */
    return 0;
}

/* Applies one modifier. */
static int modify(const struct loader *ld, struct event *ev, const char *text, struct err *why) {
    bool uncore = ev->pmu == EVENT_UNCORE;
    const struct modifier *mod = uncore ? uncore_modifiers : core_modifiers;
    const struct modifier *end = mod + (uncore ? sizeof(uncore_modifiers) / sizeof(*mod)
                                               : sizeof(core_modifiers) / sizeof(*mod));
    for (; mod < end; mod++) {
        if (!str_starts(text, mod->text))
            continue;
        if (!uncore && mod->does != MOD_FLAG && (!is_x86(ld) || ev->pmu != EVENT_CORE))
            return err_set(why, -EINVAL, "modifier ':%s' is for Intel and AMD core events only",
                           text);
        if (mod->does == MOD_FIELD && !field_of(ld, mod))
            return err_set(why, -EINVAL, "modifier ':%s': codes of %s have no field '%s'", text,
                           ld->m->vendor, mod->field);
        if (mod->does == MOD_TERM && ev->sysfs)
            return err_set(why, -EINVAL, "modifier ':%s' needs event '%s' by its terms, not sysfs",
                           text, ev->base);
        int rc = apply(ld, mod, text + strlen(mod->text), ev);
        if (rc == -ENOMEM)
            return err_set(why, rc, "out of memory");
        if (rc == 0)
            return 0;
    }
    return err_set(why, -EINVAL, "modifier ':%s' of event '%s'; known: %s", text, ev->base,
                   uncore ? uncore_known : core_known);
}

/* Applies ":c1:e1" to an event. 0; -EINVAL for one that it cannot have, or -ENOMEM, with words. */
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

/* perf_event_attr.type, see perf_event_open(2) */
enum { TYPE_HARDWARE = 0, TYPE_SOFTWARE = 1, TYPE_HW_CACHE = 3 };

/* --- the [event] table --- */

struct event_keys {
    int64_t code, umask, umaskext, cmask, inv, edge, any; /* code: -1 = absent */
    int64_t config, config1, fixed;                       /* config: -1 = absent */
    const char *counters, *sysfs, *alias, *pmu, *type, *device, *terms, *libpfm4;
    double scale;
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
    {"device", KEY_STRING, AT(device), 0, 0},
    {"terms", KEY_STRING, AT(terms), 0, 0},
    {"scale", KEY_FLOAT, AT(scale), 0, 0},
    {"libpfm4", KEY_STRING, AT(libpfm4), 0, 0},
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

/* Says why this model's CPU cannot count the event: no mistake in metrics for every model. */
static int misfit(struct loader *ld, struct event_def *def, const char *words) {
    char text[256];
    struct strbuf sb = strbuf_on(text, sizeof(text));
    strbuf_add(&sb, "event '%s': %s", def->at->key, words);
    if (!file_is_general(ld->file))
        return load_err(ld, def->at, "%s", text);
    def->misfit = arena_text(&ld->mem->arena, text, sb.n);
    return def->misfit ? 0 : load_no_memory(ld);
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

/* Puts the code and what stands beside it into config, by the vendor's layout. */
static int read_fields(struct loader *ld, struct event_def *def, const struct event_keys *k) {
    const struct {
        const char *name, *field;
        int64_t value;
    } part[] = {{"code", "event", k->code}, {"umask", "umask", k->umaskext << 8 | k->umask},
                {"edge", "edge", k->edge},  {"any", "any", k->any},
                {"inv", "inv", k->inv},     {"cmask", "cmask", k->cmask}};
    const struct code_field *layout = code_layout(ld->m->vendor);
    char words[96];
    struct strbuf sb = strbuf_on(words, sizeof(words));
    uint64_t config = layout ? 0 : (uint64_t)k->code;
    for (size_t i = 0; layout && i < sizeof(part) / sizeof(part[0]) && !sb.n; i++) {
        const struct code_field *f = code_find(layout, part[i].field);
        const uint64_t value = (uint64_t)part[i].value, most = f ? (1ull << code_width(f)) - 1 : 0;
        if (!f && value)
            strbuf_add(&sb, "codes of %s have no '%s'", ld->m->vendor, part[i].name);
        else if (value > most)
            strbuf_add(&sb, "%s is 0x%" PRIx64 ", at most 0x%" PRIx64, part[i].name, value, most);
        else if (f)
            config = code_set(f, config, value);
    }
    def->event.config = config;
    return sb.n ? misfit(ld, def, words) : 0;
}

static int read_code(struct loader *ld, struct event_def *def, const struct event_keys *k) {
    struct event *ev = &def->event;
    bool parts = k->umask || k->umaskext || k->cmask || k->inv || k->edge || k->any;
    if (k->code >= 0 && k->config >= 0)
        return load_err(ld, def->at, "event '%s' has both code and config, expected one",
                        def->at->key);
    if (parts && (k->code < 0 || !is_x86(ld)))
        return misfit(ld, def,
                      "umask, cmask, inv, edge and any need the code of an Intel or AMD event");
    ev->has_code = k->code >= 0 || k->config >= 0;
    ev->config1 = (uint64_t)k->config1;
    if (k->config >= 0)
        ev->config = (uint64_t)k->config;
    return k->code >= 0 ? read_fields(ld, def, k) : 0;
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

/* "event=0x35,umask=0xc816fe01": names of fields, each with a number or alone. */
static bool are_terms(const char *s) {
    for (;; s++) {
        size_t name = 0;
        while (islower((unsigned char)s[name]) || isdigit((unsigned char)s[name]) || s[name] == '_')
            name++;
        s += name;
        if (name == 0)
            return false;
        if (*s == '=') {
            char *end = NULL;
            if (!isdigit((unsigned char)s[1]))
                return false;
            strtoull(s + 1, &end, 0);
            s = end;
        }
        if (*s != ',')
            return *s == '\0';
    }
}

static int read_uncore(struct loader *ld, const struct toml *at, const struct event_keys *k,
                       struct event *ev) {
    if (ev->pmu != EVENT_UNCORE)
        return k->device || k->terms || k->scale != 1
                   ? load_err(ld, at, "event '%s': device, terms and scale need pmu = \"uncore\"",
                              at->key)
                   : 0;
    if (ev->has_code)
        return load_err(ld, at, "event '%s' is outside the core: expected terms in place of a code",
                        at->key);
    if ((k->terms || k->sysfs) && !k->device)
        return load_err(ld, at, "event '%s' has %s, but no device", at->key,
                        k->terms ? "terms" : "sysfs");
    if (k->terms && k->sysfs)
        return load_err(ld, at, "event '%s' has both terms and sysfs, expected one", at->key);
    if (k->terms && !are_terms(k->terms))
        return load_err(ld, at, "terms of event '%s' are '%s', expected \"event=0x35,umask=1\"",
                        at->key, k->terms);
    if (!(k->scale > 0 && k->scale < 1e30))
        return load_err(ld, at, "scale of event '%s' is %g, expected more than 0", at->key,
                        k->scale);
    return 0;
}

/* An event must be countable somehow: by code, by name below /sys, or by its name alone. */
static int check_way(struct loader *ld, const struct event_def *def) {
    const struct event *ev = &def->event;
    bool by_name = ev->pmu == EVENT_PROC || ev->pmu == EVENT_UNCORE;
    if (ev->has_code || ev->sysfs || by_name || def->misfit)
        return 0;
    return load_err(ld, def->at, "event '%s' has neither code, config nor sysfs", def->at->key);
}

static int read_event(struct loader *ld, struct event_def *def) {
    struct event_keys k = {.code = -1, .config = -1, .fixed = -1, .scale = 1};
    const struct toml *at = def->at;
    def->event = (struct event){.name = at->key, .base = at->key, .fixed = -1, .scale = 1};
    if (at->type != TOML_TABLE)
        return load_err(ld, at, "event '%s' is of type %s, expected a table", at->key,
                        toml_type_name(at->type));
    size_t before = problems_count(ld);
    int rc = keys_read(ld, at, keys, sizeof(keys) / sizeof(keys[0]), &k);
    if (rc < 0)
        return rc;
    struct event *ev = &def->event;
    ev->fixed = (int)k.fixed;
    ev->sysfs = k.sysfs;
    ev->alias = k.alias;
    ev->perf_metrics = k.perf_metrics;
    ev->alone = k.alone;
    ev->device = k.device;
    ev->terms = k.terms;
    ev->scale = k.scale;
    ev->libpfm4 = k.libpfm4;
    if ((rc = read_pmu(ld, at, &k, ev)) < 0 || (rc = read_code(ld, def, &k)) < 0 ||
        (rc = read_counters(ld, at, k.counters, ev)) < 0 || (rc = read_uncore(ld, at, &k, ev)) < 0)
        return rc;
    return problems_count(ld) > before ? 0 : check_way(ld, def); /* a misspelt "code" is told */
}

static bool is_metric(const struct model_file *file, const char *name) {
    for (; file && !file->extra; file = file->next)
        for (int kind = 0; kind < 3; kind++)
            if (toml_get(file->metric[kind], name))
                return true;
    return false;
}

static bool same_way(const struct event *a, const struct event *b) {
    static const char none[] = "";
    return a->pmu == b->pmu && a->type == b->type && a->config == b->config &&
           a->config1 == b->config1 && a->has_code == b->has_code && a->scale == b->scale &&
           !strcmp(a->sysfs ? a->sysfs : none, b->sysfs ? b->sysfs : none) &&
           !strcmp(a->device ? a->device : none, b->device ? b->device : none) &&
           !strcmp(a->terms ? a->terms : none, b->terms ? b->terms : none);
}

/* The user may name an event that is there already, if it means the same. */
static int event_again(struct loader *ld, const struct event_def *def) {
    struct event_def *first = &ld->def[dict_get(&ld->def_by_name, def->at->key)];
    if (ld->file->shared || def->misfit || same_way(&first->event, &def->event))
        return 0;
    return load_err(ld, def->at,
                    "event '%s' is in %s already, encoded otherwise; choose another name",
                    def->at->key, first->file->name);
}

static int event_take(struct loader *ld, const struct toml *at) {
    struct event_def *def = &ld->def[ld->n_def];
    *def = (struct event_def){.file = ld->file, .at = at};
    int rc = load_go_on(ld, read_event(ld, def));
    if (rc < 0)
        return rc;
    if (const_find(at->key) >= 0)
        return load_err(ld, at, "event '%s' has the name of a constant", at->key);
    if (ld->file->extra && !ld->file->shared && is_metric(ld->mem->file, at->key))
        return load_err(ld, at, "event '%s' has the name of a metric of the model %s", at->key,
                        ld->m->name);
    rc = dict_put(&ld->def_by_name, at->key, (int)ld->n_def);
    if (rc == -EEXIST && ld->file->base)
        return 0; /* replaced */
    if (rc == -EEXIST)
        return event_again(ld, def);
    if (rc < 0)
        return load_no_memory(ld);
    ld->n_def++;
    return 0;
}

int events_read(struct loader *ld) {
    size_t n = 1;
    for (const struct model_file *f = ld->mem->file; f; f = f->next)
        n += f->event ? f->event->n : 0;
    ld->def = arena_alloc(&ld->mem->arena, n * sizeof(*ld->def));
    if (!ld->def)
        return load_no_memory(ld);
    for (struct model_file *f = ld->mem->file; f; f = f->next) {
        ld->file = f;
        for (const struct toml *at = f->event ? f->event->first : NULL; at; at = at->next) {
            int rc = load_go_on(ld, event_take(ld, at));
            if (rc < 0)
                return rc;
        }
    }
    return 0;
}

/* --- spellings --- */

/* The table may name a modified event itself; *mods then is empty. */
static struct event_def *def_of(const struct loader *ld, const char *spelling, const char **mods) {
    char base[256];
    *mods = "";
    int def = dict_get(&ld->def_by_name, spelling);
    size_t len = strcspn(spelling, ":");
    if (def < 0 && spelling[len] && len < sizeof(base)) {
        *mods = spelling + len;
        str_copy(base, len + 1, spelling);
        def = dict_get(&ld->def_by_name, base);
    }
    return def < 0 ? NULL : &ld->def[def];
}

struct event_def *event_def_of(const struct loader *ld, const char *spelling) {
    const char *mods;
    return def_of(ld, spelling, &mods);
}

static int event_add(struct loader *ld, const struct event *plain, const char *spelling,
                     const char *mods, struct err *why) {
    struct event ev = *plain;
    int rc = modify_all(ld, &ev, mods, why);
    if (rc < 0)
        return rc;
    if (*mods)
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
    const char *mods;
    struct event_def *def = def_of(ld, spelling, &mods);
    if (!def)
        return -ENOENT;
    def->used = true;
    if (def->misfit)
        return err_set(why, -EINVAL, "%s", def->misfit);
    return event_add(ld, &def->event, spelling, mods, why);
}

/* --- retire latencies: the [latency] tables, and the names that formulas give them --- */

static const char suffix[] = ":retire_latency";

static int latency_add(struct loader *ld, struct latency_def def) {
    int index = (int)ld->latency.n;
    if (array_push(&ld->latency, def) < 0)
        return load_no_memory(ld);
    int rc = dict_put(&ld->latency_by_event, def.latency.event, index);
    return rc < 0 ? load_no_memory(ld) : index;
}

/* One of the user's replaces the vendor's. */
static int latency_take(struct loader *ld, const struct toml *at) {
    if (at->type != TOML_FLOAT && at->type != TOML_INTEGER)
        return load_err(ld, at, "latency of '%s' is of type %s, expected cycles", at->key,
                        toml_type_name(at->type));
    double cycles = toml_number(at);
    if (!(cycles >= 0 && cycles < 1e9))
        return load_err(ld, at, "latency of '%s' is %g, expected cycles", at->key, cycles);
    struct latency_def def = {
        {at->key, cycles, ld->file->extra && !ld->file->shared}, ld->file, at, false};
    int known = dict_get(&ld->latency_by_event, at->key);
    if (known >= 0 && !ld->file->base)
        ld->latency.at[known] = def;
    return known >= 0 ? 0 : latency_add(ld, def);
}

int latencies_read(struct loader *ld) {
    for (struct model_file *f = ld->mem->file; f; f = f->next) {
        ld->file = f;
        for (const struct toml *at = f->latency ? f->latency->first : NULL; at; at = at->next) {
            int rc = latency_take(ld, at);
            if (load_go_on(ld, rc) < 0)
                return rc;
        }
    }
    return 0;
}

int latency_of_spelling(struct loader *ld, const char *spelling) {
    if (!str_ends(spelling, suffix))
        return -ENOENT;
    char event[256];
    str_copy(event, sizeof(event), spelling);
    event[strlen(event) - strlen(suffix)] = '\0';
    struct event_def *def = event_def_of(ld, event);
    if (!def)
        return -ENOENT;
    def->used = true;
    int index = dict_get(&ld->latency_by_event, event);
    if (index < 0) {
        const char *kept = arena_text(&ld->mem->arena, event, strlen(event));
        index =
            kept ? latency_add(ld, (struct latency_def){{kept, NAN, false}, ld->file, NULL, true})
                 : load_no_memory(ld);
    }
    if (index >= 0)
        ld->latency.at[index].used = true;
    return index;
}
