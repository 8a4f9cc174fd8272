/*
 * Modifiers: what formulas put behind an event's name, ":c1:e1".
 *
 * Behind a core event they change fields of its code (model/load/code.h); behind an event outside
 * the core they add terms. Both have the names of that PMU's format/.
 */
#include "model/load/model_load.h"

#include "base/str.h"
#include "model/load/code.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

bool load_is_x86(const struct loader *ld) {
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
        if (!uncore && mod->does != MOD_FLAG && (!load_is_x86(ld) || ev->pmu != EVENT_CORE))
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

int event_modify(const struct loader *ld, struct event *ev, const char *mods, struct err *why) {
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
