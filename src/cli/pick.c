#include "cli/pick.h"

#include "base/str.h"
#include "model/load/select.h"
#include "pmu/host/fallback.h"
#include "pmu/host/machine.h"
#include "pmu/replay/replay_header.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const kinds[] = {"core", "atom", "lowpower"};
enum { N_KINDS = sizeof(kinds) / sizeof(kinds[0]), STEPPINGS = 16, MODELS_MAX = 4 };

/* The kind of core that --cputype names, as a model says it: "cpu_atom" is "atom". */
static const char *kind_of(const struct args *a) {
    const char *type = a->core_type ? a->core_type : "";
    return str_starts(type, "cpu_") ? type + strlen("cpu_") : type;
}

static bool find(struct pick *p, const struct args *a, const char *kind) {
    return fallback_find(&a->places, p->id, kind, p->name, sizeof(p->name));
}

/* --- what an id means --- */

/* "family 25, model 0x33, stepping 1" */
static void understand(struct pick *p) {
    unsigned family, model, stepping;
    const char *at = strchr(p->id, '-');
    int n = at ? sscanf(at, "-%u-%x-%x", &family, &model, &stepping) : 0;
    struct strbuf sb = strbuf_on(p->words, sizeof(p->words));
    if (n >= 2)
        strbuf_add(&sb, "family %u, model 0x%X", family, model);
    if (n == 3)
        strbuf_add(&sb, ", stepping %u", stepping);
}

static bool lacks_stepping(const struct pick *p) {
    const char *family = strchr(p->id, '-'), *model = family ? strchr(family + 1, '-') : NULL;
    return model && !strchr(model + 1, '-');
}

/* The models of a CPU by its stepping. */
struct steppings {
    char name[MODELS_MAX][64];
    unsigned of[MODELS_MAX]; /* bit n: stepping n */
    int n;
};

static void find_by_stepping(const struct pick *p, const struct args *a, struct steppings *s) {
    *s = (struct steppings){.n = 0};
    for (unsigned i = 0; i < STEPPINGS; i++) {
        char id[80], name[64];
        snprintf(id, sizeof(id), "%s-%X", p->id, i);
        if (!fallback_find(&a->places, id, kind_of(a), name, sizeof(name)))
            continue;
        int at = 0;
        while (at < s->n && strcmp(s->name[at], name) != 0)
            at++;
        if (at == MODELS_MAX)
            continue;
        if (at == s->n)
            str_copy(s->name[s->n++], sizeof(s->name[0]), name);
        s->of[at] |= 1u << i;
    }
}

/* "skx with stepping 0-4" */
static void stepping_words(struct strbuf *sb, const char *name, unsigned of) {
    strbuf_add(sb, "%s%s with stepping ", sb->n ? ", " : "", name);
    for (int i = 0, n = 0; i < STEPPINGS; i++) {
        if (!(of >> i & 1))
            continue;
        int last = i;
        while (of >> (last + 1) & 1)
            last++;
        strbuf_add(sb, last > i ? "%s%X-%X" : "%s%X", n++ ? "," : "", i, last);
        i = last;
    }
}

static int refuse_open(const struct pick *p, const struct steppings *s, const char *by,
                       struct err *err) {
    char text[256] = "";
    struct strbuf sb = strbuf_on(text, sizeof(text));
    int last = STEPPINGS - 1; /* the later ones were sold */
    for (int i = 0; i < s->n; i++)
        stepping_words(&sb, s->name[i], s->of[i]);
    while (!(s->of[0] >> last & 1))
        last--;
    return err_set(err, -EINVAL, "%s %s: %s; add it, as in %s-%X, or give --model %s", by, p->id,
                   text, p->id, last, s->name[0]);
}

/* --cputype names what this CPU has not. */
static int refuse_kind(struct pick *p, const struct args *a, const char *by, struct err *err) {
    char text[64] = "";
    struct strbuf sb = strbuf_on(text, sizeof(text));
    for (int i = 0; i < N_KINDS; i++)
        if (find(p, a, kinds[i]))
            strbuf_add(&sb, "%s%s", sb.n ? ", " : "", kinds[i]);
    return err_set(err, -EINVAL, "--cputype %s: %s %s has %s%s", a->core_type, by, p->id,
                   text[0] ? "other kinds of core: " : "one kind of core; leave --cputype out",
                   text);
}

/* Fills the name for the id that p has. */
static int find_by_id(struct pick *p, const struct args *a, const char *by, struct err *err) {
    understand(p);
    if (find(p, a, kind_of(a)))
        return 0;
    if (a->core_type && find(p, a, ""))
        return refuse_kind(p, a, by, err);
    struct steppings s = {.n = 0};
    if (lacks_stepping(p))
        find_by_stepping(p, a, &s);
    if (s.n > 1)
        return refuse_open(p, &s, by, err);
    if (s.n == 1)
        return str_copy(p->name, sizeof(p->name), s.name[0]), 0;
    struct fallback_wish common = {"architecture", p->id, ""};
    p->lower = true;
    if (!fallback_search(&a->places, &common, p->name, sizeof(p->name)))
        str_copy(p->name, sizeof(p->name), "generic");
    return 0;
}

/* --- who says it --- */

int pick_named(struct pick *p, const struct args *a, struct err *err) {
    *p = (struct pick){0};
    const char *text = a->cpuid ? a->cpuid : a->model;
    if (!text || !text[0])
        return 0;
    bool is_id = replay_header_id(text, p->id, sizeof(p->id));
    if (a->cpuid && !is_id)
        return err_set(err, -EINVAL,
                       "--cpuid %s: not an id of a CPU; they look like GenuineIntel-6-8F-8 (family "
                       "decimal, model and stepping hexadecimal) or 0x410fd490 (tdtop doctor shows "
                       "that of this machine)",
                       text);
    if (is_id)
        return find_by_id(p, a, a->cpuid ? "--cpuid" : "--model", err);
    str_copy(p->name, sizeof(p->name), text);
    return 0;
}

int pick_recorded(struct pick *p, const struct args *a, const char *path, struct err *err) {
    *p = (struct pick){0};
    if (!replay_header_find(path, p->id, sizeof(p->id)))
        return 0;
    int rc = find_by_id(p, a, "the recording's CPU", err);
    return rc < 0 ? err_prefix(err, "%s", path), rc : 0;
}

int pick_check_kind(const struct args *a, const struct model *m, struct err *err) {
    if (!a->core_type || (m->core_type && !strcmp(kind_of(a), m->core_type)))
        return 0;
    if (m->core_type)
        return err_set(err, -EINVAL, "--cputype %s: model %s is for %s; leave --cputype out",
                       a->core_type, m->name, m->core_type);
    return err_set(err, -EINVAL,
                   "--cputype %s: model %s is not for a CPU with several kinds of core; leave "
                   "--cputype out, or give --cpuid",
                   a->core_type, m->name);
}

bool pick_is_hybrid(const struct pick *p, const struct args *a) {
    struct pick of = *p;
    int n = 0;
    for (int i = 0; i < N_KINDS && p->id[0] && !a->core_type; i++)
        n += find(&of, a, kinds[i]);
    return n > 1;
}

void pick_say(struct strbuf *sb, const struct pick *p, const char *before) {
    if (!p->id[0])
        return;
    strbuf_add(sb, "%s%s%s", before, p->lower ? "a CPU without a model, " : "", p->id);
    if (p->words[0])
        strbuf_add(sb, " (%s)", p->words);
}

/* ---- --nodes ---- */

/*
 * What --nodes is applied to: the level that was asked for; without one levels 1 and 2, or, where
 * it begins by taking away, everything.
 */
static int base_level(const struct args *a) {
    if (a->level_given || a->level > 0)
        return (int)a->level;
    return a->nodes[0] == '-' || a->nodes[0] == '^' ? 0 : 2;
}

int nodes_wanted(const struct args *a, const struct model *m, bool **wanted, struct err *err) {
    *wanted = NULL;
    if (!a->nodes)
        return 0;
    bool *w = calloc(m->n_metric + 1u, sizeof(*w));
    if (!w)
        return err_set(err, -ENOMEM, "--nodes: out of memory");
    select_level(m, base_level(a), w);
    int rc = select_nodes(m, a->nodes, w, err);
    if (rc == 0)
        *wanted = w;
    else
        free(w);
    return rc;
}
