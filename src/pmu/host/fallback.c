/*
 * Which model: the full one, common events of the architecture, generic, software. The next is
 * taken only for a reason that the user is told; "not permitted" is an error instead, because the
 * user has the remedy.
 */
#include "pmu/host/fallback.h"

#include "base/log.h"
#include "base/str.h"
#include "base/toml.h"
#include "model/load/model_index.h"
#include "model/load/model_load.h"
#include "pmu/host/perf_open.h"

#include <dirent.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- which model is for a CPU ---- */

enum { NO_MATCH = 99 };

struct best {
    int rank; /* 0 is what was wished for */
    char *name;
    size_t cap;
};

/* How well a model's core type fits: 0 best, NO_MATCH not at all. */
static int rank_kind(const char *core_type, const char *kind) {
    static const char *const sizes[] = {"", "core", "atom", "lowpower"};
    if (kind[0])
        return strcmp(core_type, kind) == 0 ? 0 : NO_MATCH;
    for (int i = 0; i < (int)(sizeof(sizes) / sizeof(sizes[0])); i++)
        if (strcmp(sizes[i], core_type) == 0)
            return i;
    return NO_MATCH;
}

static const char *text_of(const struct toml *root, const char *key, const char *absent) {
    const struct toml *v = toml_get(root, key);
    return v && v->type == TOML_STRING ? v->string : absent;
}

/* What a file lacks is as in the built-in model that it extends. */
static const char *inherited(const struct toml *root, const char *key, bool rung) {
    const char *base = text_of(root, "extends", "");
    size_t i = 0;
    while (embedded_models[i].name && strcasecmp(embedded_models[i].name, base) != 0)
        i++;
    const struct model_index *x = embedded_models[i].name ? &model_indexes[i] : NULL;
    return text_of(root, key, x ? model_index_text + (rung ? x->rung : x->core_type) : "");
}

static bool has_match(const struct toml *root, const char *id) {
    const struct toml *match = toml_get(root, "match");
    if (!match || match->type != TOML_ARRAY)
        return false;
    for (const struct toml *p = match->first; p; p = p->next)
        if (p->type == TOML_STRING && machine_matches(p->string, id))
            return true;
    return false;
}

/*
 * Only the keys before the first table are parsed: the identity stands there, and a whole model is
 * a thousand times as long. What cannot be read fits nothing, and the log says why.
 */
static int rank_text(const char *text, size_t len, const char *file,
                     const struct fallback_wish *wish) {
    const char *end = len && text[0] == '[' ? text : strstr(text, "\n[");
    size_t head = end ? (size_t)(end - text) : len;
    struct toml_doc doc = {0};
    struct err err = {0};
    if (toml_parse(&doc, text, head, file, &err)) {
        log_line("models: %s", err.text);
        return NO_MATCH;
    }
    int rank = NO_MATCH;
    if (strcmp(inherited(doc.root, "rung", true), wish->rung) == 0 && has_match(doc.root, wish->id))
        rank = rank_kind(inherited(doc.root, "core_type", false), wish->kind);
    toml_free(&doc);
    return rank;
}

static void keep_better(struct best *best, int rank, const char *name, size_t len) {
    if (rank >= best->rank)
        return;
    best->rank = rank;
    snprintf(best->name, best->cap, "%.*s", (int)len, name);
}

/* ---- files of the user's folder ---- */

/* Editors keep their own copies in dot files. */
static int toml_only(const struct dirent *d) {
    return d->d_name[0] != '.' && str_ends(d->d_name, ".toml");
}

static int by_name(const struct dirent **a, const struct dirent **b) {
    return strcmp((*a)->d_name, (*b)->d_name);
}

static void search_file(const char *dir, const char *file, const struct fallback_wish *wish,
                        struct best *best) {
    char path[4096], *text = NULL;
    struct err err = {0};
    size_t len = 0, n_name = strlen(file) - strlen(".toml");
    if (n_name >= best->cap ||
        snprintf(path, sizeof(path), "%s/%s", dir, file) >= (int)sizeof(path)) {
        log_line("models: %s/%s: too long a name", dir, file);
        return;
    }
    if (str_read_file(path, MODEL_SIZE_MAX, &text, &len, &err) == 0)
        keep_better(best, rank_text(text, len, path, wish), file, n_name);
    else
        log_line("models: %s", err.text);
    free(text);
}

/* Of files that fit alike the first by name is taken, wherever the file system has put them. */
static void search_dir(const char *dir, const struct fallback_wish *wish, struct best *best) {
    struct dirent **list = NULL;
    int n = scandir(dir, &list, toml_only, by_name);
    if (n < 0 && errno != ENOENT)
        log_line("models: %s: %s", dir, strerror(errno));
    for (int i = 0; i < n; i++) {
        if (best->rank > 0)
            search_file(dir, list[i]->d_name, wish, best);
        free(list[i]);
    }
    free(list);
}

/* ---- built-in models ---- */

static int rank_embedded(const struct model_index *x, const struct fallback_wish *wish) {
    if (strcmp(model_index_text + x->rung, wish->rung) != 0)
        return NO_MATCH;
    for (uint16_t i = 0; i < x->n_match; i++)
        if (machine_matches(model_index_text + model_index_matches[x->match + i], wish->id))
            return rank_kind(model_index_text + x->core_type, wish->kind);
    return NO_MATCH;
}

/* A file of the user's goes before the built-in one of its name, fit or not. */
static void search_embedded(const struct model_places *places, const struct fallback_wish *wish,
                            struct best *best) {
    for (size_t i = 0; embedded_models[i].name && best->rank > 0; i++) {
        const char *name = embedded_models[i].name;
        const int rank = rank_embedded(&model_indexes[i], wish);
        if (rank < best->rank && !model_is_users(places, name))
            keep_better(best, rank, name, strlen(name));
    }
}

bool fallback_search(const struct model_places *places, const struct fallback_wish *wish,
                     char *name, size_t cap) {
    struct best best = {.rank = NO_MATCH, .name = name, .cap = cap};
    if (places && places->models)
        search_dir(places->models, wish, &best);
    if (best.rank < NO_MATCH)
        return true;
    search_embedded(places, wish, &best);
    return best.rank < NO_MATCH;
}

bool fallback_find(const struct model_places *places, const char *id, const char *kind, char *name,
                   size_t cap) {
    struct fallback_wish wish = {"full", id, kind ? kind : ""};
    return fallback_search(places, &wish, name, cap);
}

/* ---- words ---- */

static bool model_matches(const struct model *m, const char *id) {
    for (const char **p = m->match; p && *p; p++)
        if (machine_matches(*p, id))
            return true;
    return false;
}

/* What a full model does where the kernel shows no topdown-* events. */
static void say_topdown(struct strbuf *sb, const struct model *m, const struct machine *mc) {
    if (!mc->has_topdown && model_has_perf_metrics(m))
        strbuf_add(sb, ", by its alternative formulas (no topdown-* events here)");
}

/* Arm: the hardware's own number of slots goes before the model's. */
static void say_slots(struct strbuf *sb, const struct model *m, const struct machine *mc) {
    int slots = mc->n_core ? mc->core[mc->chosen].slots : 0;
    if (slots && m->slots_per_cycle && slots != m->slots_per_cycle)
        strbuf_add(sb, "; %d slots per cycle, as the kernel says, not the model's %d", slots,
                   m->slots_per_cycle);
}

/* "E-cores'", "armv8_cortex_a55's": the share of the work that is not counted. */
static void add_owner(struct strbuf *sb, const struct core_type *ct) {
    static const struct {
        const char *kind, *words;
    } owners[] = {
        {"core", "the P-cores'"}, {"atom", "the E-cores'"}, {"lowpower", "the low-power E-cores'"}};
    for (size_t i = 0; i < sizeof(owners) / sizeof(owners[0]); i++)
        if (strcmp(owners[i].kind, ct->kind) == 0) {
            strbuf_add(sb, "%s", owners[i].words);
            return;
        }
    strbuf_add(sb, "%s's", ct->pmu);
}

/* One core type is counted at a time: what happens on the others is not in the numbers. */
static void say_hybrid(struct strbuf *sb, const struct machine *mc) {
    int n = 0;
    if (mc->n_core < 2 || mc->all_types)
        return;
    strbuf_add(sb, "; %s only: ", mc->pmu);
    for (int i = 0; i < mc->n_core; i++)
        if (i != mc->chosen) {
            strbuf_add(sb, "%s", n++ ? " and " : "");
            add_owner(sb, &mc->core[i]);
        }
    strbuf_add(sb, " share of the work is not counted; --cputype ");
    n = 0;
    for (int i = 0; i < mc->n_core; i++)
        if (i != mc->chosen)
            strbuf_add(sb, "%s%s", n++ ? " or " : "",
                       mc->core[i].kind[0] ? mc->core[i].kind : mc->core[i].pmu);
    strbuf_add(sb, n > 1 ? " counts one of those" : " counts those");
}

static const char *own_kind(const struct machine *mc) {
    return mc->n_core ? mc->core[mc->chosen].kind : "";
}

/* ---- --model ---- */

/* Is it made for one kind of core, or architecture? */
static bool has_a_core(const struct model *m) {
    return strcmp(m->rung, "full") == 0 || strcmp(m->rung, "architecture") == 0;
}

/*
 * A model for another core gives numbers that mean nothing: that must be said. A model without
 * `match` is for a CPU that shares its id with others: Xeon Max has that of Sapphire Rapids.
 */
static void say_misfit(struct strbuf *sb, const struct model *m, const struct machine *mc) {
    const char *kind = own_kind(mc);
    bool listed = m->match && m->match[0];
    bool foreign = listed ? !model_matches(m, mc->id)
                          : mc->id[0] && m->vendor[0] && strcmp(machine_vendor(mc->id), m->vendor);
    if (foreign)
        strbuf_add(sb, "; it is not made for this CPU: %s", mc->id[0] ? mc->id : "unknown");
    else if (!listed)
        strbuf_add(sb, "; whether it is made for this CPU, its id (%s) does not tell",
                   mc->id[0] ? mc->id : "unknown");
    else if (m->core_type && kind[0] && strcmp(m->core_type, kind) != 0)
        strbuf_add(sb, "; it is not made for %s: --cputype %s is what it is for", mc->pmu,
                   m->core_type);
}

static int take_wanted(struct model *m, const struct machine *mc, const char *want,
                       const struct model_places *places, char *why, size_t cap, struct err *err) {
    struct strbuf sb = strbuf_on(why, cap);
    int rc = model_open(m, want, places, err);
    if (rc)
        return rc;
    strbuf_add(&sb, "%s as asked with --model", m->title);
    if (has_a_core(m)) {
        say_topdown(&sb, m, mc);
        say_misfit(&sb, m, mc);
        say_slots(&sb, m, mc);
    }
    if (mc->pmu[0] && strcmp(m->rung, "software") != 0)
        say_hybrid(&sb, mc);
    return 0;
}

/* ---- one fallback after the other ---- */

static int take_software(struct model *m, const struct machine *mc,
                         const struct fallback_probe *probe, const struct model_places *places,
                         char *why, size_t cap, struct err *err) {
    if (!probe->raw)
        snprintf(why, cap,
                 "software: no model for %s, and this kernel counts generic events only on all "
                 "kinds of cores at once",
                 mc->id[0] ? mc->id : mc->pmu);
    else if (mc->hypervisor)
        snprintf(
            why, cap,
            "software: no CPU PMU here (%s guest without a virtual PMU); tdtop doctor says more",
            mc->hypervisor_name);
    else
        snprintf(why, cap, "software: no CPU PMU here (%s); tdtop doctor says more",
                 mc->pmu[0] ? strerror(-probe->raw) : "the kernel shows none");
    return model_open(m, "software", places, err);
}

static int take_full(struct model *m, const struct machine *mc, const char *name,
                     const struct model_places *places, char *why, size_t cap, struct err *err) {
    struct strbuf sb = strbuf_on(why, cap);
    int rc = model_open(m, name, places, err);
    if (rc)
        return rc;
    strbuf_add(&sb, "%s (%s): full model", m->title, mc->id);
    say_topdown(&sb, m, mc);
    say_slots(&sb, m, mc);
    say_hybrid(&sb, mc);
    return 0;
}

static int take_architecture(struct model *m, const struct machine *mc, const char *name,
                             const struct model_places *places, char *why, size_t cap,
                             struct err *err) {
    struct strbuf sb = strbuf_on(why, cap);
    int rc = model_open(m, name, places, err);
    if (rc)
        return rc;
    strbuf_add(&sb, "%s: no model for %s itself, so the common events of its architecture",
               m->title, mc->id);
    say_slots(&sb, m, mc);
    say_hybrid(&sb, mc);
    return 0;
}

static int take_generic(struct model *m, const struct machine *mc,
                        const struct model_places *places, char *why, size_t cap, struct err *err) {
    struct strbuf sb = strbuf_on(why, cap);
    strbuf_add(&sb, "generic: no model for %s (%s)", mc->id[0] ? mc->id : "an unknown CPU",
               mc->cpu_name[0] ? mc->cpu_name : "no name");
    say_hybrid(&sb, mc);
    return model_open(m, "generic", places, err);
}

/* Slots of an unknown Arm core are of no use if the kernel does not say how many there are. */
static bool architecture_will_do(const struct machine *mc) {
    return !str_starts(mc->id, "0x") || (mc->n_core && mc->core[mc->chosen].slots > 0);
}

static int say_denied(const struct machine *mc, int rc, struct err *err) {
    struct perf_where where = {.event = "CPU cycles",
                               .on = "this very program, user space only",
                               .paranoid = mc->paranoid};
    return perf_explain(err, rc, &where);
}

int fallback_climb(struct model *m, const struct machine *mc, const struct fallback_probe *probe,
                   const struct model_places *places, char *why, size_t cap, struct err *err) {
    char name[64];
    struct fallback_wish full = {"full", mc->id, own_kind(mc)};
    struct fallback_wish common = {"architecture", mc->id, own_kind(mc)};
    *m = (struct model){0};
    why[0] = '\0';
    if (perf_is_denied(probe->raw))
        return say_denied(mc, probe->raw, err);
    if (probe->raw)
        return take_software(m, mc, probe, places, why, cap, err);
    if (mc->pmu[0] && fallback_search(places, &full, name, sizeof(name)))
        return take_full(m, mc, name, places, why, cap, err);
    if (mc->pmu[0] && architecture_will_do(mc) &&
        fallback_search(places, &common, name, sizeof(name)))
        return take_architecture(m, mc, name, places, why, cap, err);
    if (probe->generic)
        return take_software(m, mc, probe, places, why, cap, err);
    return take_generic(m, mc, places, why, cap, err);
}

/* Generic events go to the PMU in the upper half of config: perf_event_open(2),
 * PERF_PMU_TYPE_SHIFT. */
static struct fallback_probe ask_kernel(const struct machine *mc) {
    uint64_t on = mc->n_core > 1 ? (uint64_t)mc->pmu_type << PERF_PMU_TYPE_SHIFT : 0;
    struct fallback_probe probe;
    probe.raw = probe.generic = perf_probe(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES | on);
    if (probe.raw && on)
        probe.raw = perf_probe(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES);
    log_line("models: %s, PMU \"%s\", cycles: %s", mc->id, mc->pmu,
             probe.raw ? strerror(-probe.raw) : "ok");
    return probe;
}

int fallback_pick(struct model *m, const struct machine *mc, const char *want,
                  const struct model_places *places, char *why, size_t cap, struct err *err) {
    *m = (struct model){0};
    why[0] = '\0';
    if (want && want[0])
        return take_wanted(m, mc, want, places, why, cap, err);
    struct fallback_probe probe = ask_kernel(mc);
    return fallback_climb(m, mc, &probe, places, why, cap, err);
}
