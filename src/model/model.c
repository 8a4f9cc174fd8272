/*
 * The model file, one TOML document per core type.
 *
 *   name, title        "spr", "Intel Sapphire Rapids"
 *   rung               "full", "generic" or "software": its place on the ladder
 *   scope              what 100 % is: "pipeline slots"
 *   vendor             "Intel", "AMD", "Arm" or absent: how codes are laid out (model_event.c)
 *   tma, origin        version of the method; where the facts come from
 *   limits             what the model cannot see, in words
 *   match              ["GenuineIntel-6-8F"]: regular expressions on CPUID or MIDR
 *   slots_per_cycle    pipeline width
 *   counters           { general = 8, fixed = 4, perf_metrics = 8 }
 *
 * [event]: one line per event that formulas may name.
 *   "NAME" = { code = 0xa6, umask = 0x21, cmask = 5, inv = 1, edge = 1, any = 1, umaskext = 1 }
 *   config, config1    raw codes, in place of code and its fields; config1 beside either
 *   counters           "0-3": general counters that can take it; absent: any
 *   fixed              number of the fixed counter that counts it
 *   sysfs              its name below events/ of the PMU in sysfs: "topdown-retiring"
 *   alias              another name that tools print: "cycles"
 *   perf_metrics       true: counted by PERF_METRICS, only in a group that slots leads
 *   alone              true: two different events of this kind cannot share a group
 *   pmu                "core" (default), "generic", "software", "proc" (/proc), "uncore"
 *   type               of generic events: "hardware" (default), "hw-cache"; "software"
 * Behind an event's name a formula may write modifiers: :cN cmask, :iN inv, :eN edge, :eqN equal,
 * :uN umask, :ocr_msr_val=N config1, :perf_metrics leader of PERF_METRICS, :percore, :SUP kernel
 * only, :USER user only.
 *
 * [node.NAME] is a node of the tree; the order of the file is the order on the screen.
 * [bottleneck.NAME] is a line of the bottlenecks view, [metric.NAME] stands beside the tree.
 *   parent             the node above; absent: a root (only nodes)
 *   formula            see expr.h
 *   alt                formula where the kernel shows no topdown-* events
 *   fallback           approximate formula where an event of the main one is not measured at all,
 *   fallback_note      and what it leaves out
 *   approximate        why the value is approximate even by its formula
 *   threshold          a number n: over n, and the parent (if any) over its own; or an expression
 *   unavailable        why this value cannot be had here (then the formula may be absent)
 *   share              value is a fraction of 1; default true for nodes, false for others
 *   unit               "GHz"; default "percent" for shares (0..1, shown times 100)
 *   role               of roots: "frontend", "bad_speculation", "backend", "retiring", "none"
 *   inline             true: its formula is expanded where its name is used
 *   good_up, vital     a rise is an improvement; shown among the vital signs
 *   domain, groups     the vendor's words: "Clocks_Estimated", "MemoryBW;Offcore"
 *   locate             ["MEM_LOAD_RETIRED.L1_HIT"]: events to sample for the place in the code
 *   vendor             the vendor's name where ours differs
 *   summary            one line of words
 */
#include "model/model.h"

#include "base/str.h"
#include "model/model_load.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

enum { MODEL_SIZE_MAX = 4 * 1024 * 1024 };

int model_load(struct model *m, const char *text, size_t len, const char *name, struct err *err) {
    *m = (struct model){0};
    struct model_memory *mem = calloc(1, sizeof(*mem));
    if (!mem)
        return err_set(err, -ENOMEM, "%s: out of memory", name);
    m->arena_ = mem;
    int rc = toml_parse(&mem->doc, text, len, name, err);
    mem->has_doc = rc == 0;
    if (rc == 0) {
        struct loader ld = {.m = m, .mem = mem, .text = text, .len = len, .err = err};
        rc = model_build(&ld);
        loader_free(&ld);
    }
    if (rc < 0) {
        model_free(m);
        if (err) { /* it quotes the file, and may reach a terminal */
            const struct err quoted = *err;
            str_safe(err->text, sizeof(err->text), quoted.text);
        }
    }
    return rc;
}

int model_load_file(struct model *m, const char *path, struct err *err) {
    *m = (struct model){0};
    char *text = NULL;
    size_t len = 0;
    int rc = str_read_file(path, MODEL_SIZE_MAX, &text, &len, err);
    if (rc < 0)
        return rc;
    rc = model_load(m, text, len, path, err);
    free(text);
    return rc;
}

void model_free(struct model *m) {
    struct model_memory *mem = m->arena_;
    if (mem) {
        if (mem->has_doc)
            toml_free(&mem->doc);
        arena_free(&mem->arena);
        free(mem);
    }
    *m = (struct model){0};
}

int model_find(const struct model *m, const char *name) {
    for (uint32_t i = 0; i < m->n_metric; i++)
        if (!strcasecmp(m->metric[i].name, name) || !strcasecmp(m->metric[i].path, name))
            return (int)i;
    for (uint32_t i = 0; i < m->n_metric; i++)
        if (m->metric[i].vendor && !strcasecmp(m->metric[i].vendor, name))
            return (int)i;
    return METRIC_NONE;
}

int model_find_event(const struct model *m, const char *name) {
    for (uint32_t i = 0; i < m->n_event; i++)
        if (!strcmp(m->event[i].name, name))
            return (int)i;
    return -1;
}

/* --- opening by name --- */

static int no_such_model(const char *name, const char *dir, struct err *err) {
    char known[256], nearest[64] = "", safe[64];
    struct strbuf sb = strbuf_on(known, sizeof(known));
    int best = 4;
    for (const struct embedded *e = embedded_models; e->name; e++) {
        strbuf_add(&sb, "%s%s", sb.n ? ", " : "", e->name);
        int d = str_distance(name, e->name);
        if (d < best) {
            best = d;
            snprintf(nearest, sizeof(nearest), "; did you mean '%s'?", e->name);
        }
    }
    return err_set(err, -ENOENT, "no model '%s'%s%s%s; known: %s",
                   str_safe(safe, sizeof(safe), name), dir ? " here or in " : "", dir ? dir : "",
                   nearest, known);
}

int model_open(struct model *m, const char *name, const struct model_places *places,
               struct err *err) {
    const char *dir = places ? places->models : NULL;
    *m = (struct model){0};
    if (strchr(name, '/') || str_ends(name, ".toml"))
        return model_load_file(m, name, err);
    char path[4096];
    if (dir) {
        int n = snprintf(path, sizeof(path), "%s/%s.toml", dir, name);
        if (n < (int)sizeof(path) && access(path, F_OK) == 0)
            return model_load_file(m, path, err);
    }
    for (const struct embedded *e = embedded_models; e->name; e++) {
        if (strcasecmp(e->name, name) != 0)
            continue;
        snprintf(path, sizeof(path), "%s.toml (built in)", e->name);
        return model_load(m, e->text, e->len, path, err);
    }
    return no_such_model(name, dir, err);
}
