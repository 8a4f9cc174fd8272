/*
 * The ladder: full model, generic, software. A rung is left only for a reason the user is told;
 * "not permitted" is no such reason but an error, because the remedy is his.
 */
#include "base/array.h"
#include "base/log.h"
#include "base/str.h"
#include "base/toml.h"
#include "pmu/machine.h"
#include "pmu/perf_open.h"

#include <dirent.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MODEL_TEXT_MAX = 8 << 20 };

/*
 * Does a model match? Only the keys before the first table are parsed: the identity stands there,
 * and a whole model is a thousand times as long.
 */
static bool text_matches(const char *text, size_t len, const char *name, const char *id) {
    const char *end = len && text[0] == '[' ? text : strstr(text, "\n[");
    size_t head = end ? (size_t)(end - text) : len;
    struct toml_doc doc = {0};
    if (toml_parse(&doc, text, head, name, NULL))
        return false;
    bool hit = false;
    const struct toml *match = toml_get(doc.root, "match");
    if (match && match->type == TOML_ARRAY)
        for (const struct toml *p = match->first; p && !hit; p = p->next)
            hit = p->type == TOML_STRING && machine_matches(p->string, id);
    toml_free(&doc);
    return hit;
}

/* Name of the first model of a folder that matches. */
static bool find_in_dir(const char *dir, const char *id, char *name, size_t cap) {
    DIR *d = opendir(dir);
    bool hit = false;
    if (!d)
        return false;
    for (struct dirent *de; !hit && (de = readdir(d));) {
        if (!str_ends(de->d_name, ".toml"))
            continue;
        char path[512], *text = NULL;
        size_t len = 0;
        snprintf(path, sizeof(path), "%s/%s", dir, de->d_name);
        if (str_read_file(path, MODEL_TEXT_MAX, &text, &len, NULL) == 0)
            hit = text_matches(text, len, path, id);
        free(text);
        if (hit)
            snprintf(name, cap, "%.*s", (int)(strlen(de->d_name) - strlen(".toml")), de->d_name);
    }
    closedir(d);
    return hit;
}

static bool find_model(const char *dir, const char *id, char *name, size_t cap) {
    if (dir && find_in_dir(dir, id, name, cap))
        return true;
    for (const struct embedded *e = embedded_models; e->name; e++)
        if (text_matches(e->text, e->len, e->name, id)) {
            str_copy(name, cap, e->name);
            return true;
        }
    return false;
}

static bool model_matches(const struct model *m, const char *id) {
    for (const char **p = m->match; p && *p; p++)
        if (machine_matches(*p, id))
            return true;
    return false;
}

static bool model_wants_topdown(const struct model *m) {
    for (uint32_t i = 0; i < m->n_event; i++)
        if (m->event[i].perf_metrics)
            return true;
    return false;
}

/* What a full model does where the kernel shows no topdown-* events; "" where that is no loss. */
static const char *topdown_words(const struct model *m, const struct machine *mc) {
    if (mc->has_topdown || !model_wants_topdown(m))
        return "";
    return ", by its alternative formulas (no topdown-* events here)";
}

static int take_wanted(struct model *m, const struct machine *mc, const char *want,
                       const struct model_places *dir, char *why, size_t cap, struct err *err) {
    int rc = model_open(m, want, dir, err);
    if (rc)
        return rc;
    bool full = m->match && m->match[0];
    snprintf(why, cap, "%s as asked with --model%s%s%s", m->title, full ? topdown_words(m, mc) : "",
             full && !model_matches(m, mc->id) ? "; it is not made for this CPU: " : "",
             full && !model_matches(m, mc->id) ? (mc->id[0] ? mc->id : "unknown") : "");
    return 0;
}

/* Why the software rung. */
static void say_no_pmu(const struct machine *mc, int rc, char *why, size_t cap) {
    if (mc->hypervisor)
        snprintf(
            why, cap,
            "software: no CPU PMU here (%s guest without a virtual PMU); tdtop doctor says more",
            mc->hypervisor_name);
    else
        snprintf(why, cap, "software: no CPU PMU here (%s); tdtop doctor says more",
                 mc->pmu[0] ? strerror(-rc) : "the kernel shows none");
}

static int say_denied(const struct machine *mc, int rc, struct err *err) {
    struct perf_where where = {.event = "CPU cycles",
                               .on = "this very program, user space only",
                               .paranoid = mc->paranoid};
    return perf_explain(err, rc, &where);
}

int ladder_pick(struct model *m, const struct machine *mc, const char *want,
                const struct model_places *places, char *why, size_t cap, struct err *err) {
    const char *model_dir = places ? places->models : NULL;
    *m = (struct model){0};
    why[0] = '\0';
    if (want && want[0])
        return take_wanted(m, mc, want, places, why, cap, err);

    int rc = perf_probe(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES);
    log_line("ladder: %s, PMU \"%s\", cycles: %s", mc->id, mc->pmu, rc ? strerror(-rc) : "ok");
    if (perf_is_denied(rc))
        return say_denied(mc, rc, err);
    if (rc) {
        say_no_pmu(mc, rc, why, cap);
        return model_open(m, "software", places, err);
    }
    char name[64];
    if (mc->pmu[0] && find_model(model_dir, mc->id, name, sizeof(name))) {
        rc = model_open(m, name, places, err);
        if (rc == 0)
            snprintf(why, cap, "%s (%s): full model%s", m->title, mc->id, topdown_words(m, mc));
        return rc;
    }
    snprintf(why, cap, "generic: no model for %s (%s)", mc->id[0] ? mc->id : "an unknown CPU",
             mc->cpu_name[0] ? mc->cpu_name : "no name");
    return model_open(m, "generic", places, err);
}
