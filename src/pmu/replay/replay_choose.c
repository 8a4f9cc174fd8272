/*
 * Which rows are shown, and what their events mean.
 *
 * CPUs, cores, sockets and threads add up to the whole, so without --only they are summed. Cgroups
 * are different programs and the core types of a hybrid CPU are different machines: never summed.
 */
#include "pmu/replay/replay_plan.h"

#include "base/str.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { LISTED = 6 };

/* --- what --only means --- */

enum choice { CHOICE_AGG, CHOICE_CGROUP, CHOICE_PMU, CHOICES };

/* A PMU of which a hybrid machine has several; "" for every other. */
static const char *core_pmu(const struct replay_event *e) {
    const char *pmu = e->named ? e->name.pmu : "";
    return str_starts(pmu, "cpu_") || str_starts(pmu, "arm") ? pmu : "";
}

/* Text i of a kind of choice, or NULL past the end. */
static const char *choice_text(const struct replay_plan *p, enum choice kind, uint32_t i) {
    if (kind == CHOICE_PMU)
        return i < p->event_names.n ? core_pmu(&p->event[i]) : NULL;
    if (i >= p->part_names.n)
        return NULL;
    return kind == CHOICE_AGG ? p->part_names.at[i].first : p->part_names.at[i].second;
}

static bool is_exact(const char *text, const char *only) {
    return strcasecmp(text, only) == 0;
}

static bool contains(const char *text, const char *only) {
    return strcasestr(text, only) != NULL;
}

/* The one text that fits, with its kind; NULL if none or several different ones do. */
static const char *find_unique(const struct replay_plan *p, const char *only, enum choice *kind,
                               bool (*fits)(const char *, const char *)) {
    const char *found = NULL;
    for (int k = 0; k < CHOICES; k++) {
        const char *text;
        for (uint32_t i = 0; (text = choice_text(p, (enum choice)k, i)); i++) {
            if (!*text || !fits(text, only) || (found && strcmp(found, text) == 0))
                continue;
            if (found)
                return NULL;
            found = text;
            *kind = (enum choice)k;
        }
    }
    return found;
}

static const char *find_choice(const struct replay_plan *p, const char *only, enum choice *kind) {
    bool (*const steps[])(const char *, const char *) = {is_exact, str_ends, contains};
    const char *found = NULL;
    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]) && !found && *only; i++)
        found = find_unique(p, only, kind, steps[i]);
    return found;
}

/* "a, b, c and 12 more" of the texts of one kind that contain `part`. */
static uint32_t list_choices(const struct replay_plan *p, enum choice kind, const char *part,
                             struct strbuf *out) {
    struct replay_table seen = {0};
    const char *text;
    uint32_t n = 0;
    for (uint32_t i = 0; (text = choice_text(p, kind, i)); i++) {
        if (!*text || !contains(text, part) || replay_table_find(&seen, text, "") >= 0)
            continue;
        char safe[100];
        replay_table_add(&seen, text, "");
        if (n++ < LISTED)
            strbuf_add(out, "%s%s", out->n ? ", " : "", str_safe(safe, sizeof(safe), text));
    }
    replay_table_free(&seen);
    if (n > LISTED)
        strbuf_add(out, " and %u more", n - LISTED);
    return n;
}

static int refuse_only(const struct replay_plan *p, const char *only, const char *file,
                       struct err *err) {
    char text[560] = "";
    struct strbuf all = strbuf_on(text, sizeof(text));
    uint32_t fitting = 0, any = 0;
    for (int k = 0; k < CHOICES; k++)
        fitting += list_choices(p, (enum choice)k, only, &all);
    if (fitting > 1)
        return err_set(err, -EINVAL, "%s: --only %.60s fits %u of them: %s", file, only, fitting,
                       text);
    all = strbuf_on(text, sizeof(text));
    text[0] = '\0';
    for (int k = 0; k < CHOICES; k++)
        any += list_choices(p, (enum choice)k, "", &all);
    if (any == 0)
        return err_set(err, -EINVAL,
                       "%s: --only %.60s: nothing to choose from, the counts are of the whole "
                       "target; leave --only out",
                       file, only);
    return err_set(err, -EINVAL, "%s: --only %.60s: not in it; there are %s", file, only, text);
}

static int refuse_cgroups(const struct replay_plan *p, uint32_t n, const char *file,
                          struct err *err) {
    char text[560] = "";
    struct strbuf all = strbuf_on(text, sizeof(text));
    list_choices(p, CHOICE_CGROUP, "", &all);
    return err_set(
        err, -EINVAL,
        "%s: holds %u cgroups, which are not summed; choose one with --only NAME (a part "
        "of it will do): %s",
        file, n, text);
}

/* Different cgroups among the used parts; rows without one count as one more. */
static uint32_t count_cgroups(const struct replay_plan *p) {
    const char *first = NULL;
    struct replay_table seen = {0};
    for (uint32_t i = 0; i < p->part_names.n; i++)
        if (p->part.at[i].used && (!first || strcmp(first, p->part_names.at[i].second) != 0)) {
            first = p->part_names.at[i].second;
            replay_table_add(&seen, first, "");
        }
    uint32_t n = seen.n;
    replay_table_free(&seen);
    return n;
}

int replay_choose_parts(struct replay_plan *p, const char *only, const char *file,
                        struct err *err) {
    enum choice kind = CHOICE_PMU;
    const char *chosen = only ? find_choice(p, only, &kind) : NULL;
    if (only && !chosen)
        return refuse_only(p, only, file, err);
    for (uint32_t i = 0; i < p->part_names.n; i++)
        p->part.at[i].used = kind == CHOICE_PMU || strcmp(choice_text(p, kind, i), chosen) == 0;
    if (chosen)
        str_safe(p->chosen, sizeof(p->chosen), chosen);
    if (chosen && kind == CHOICE_PMU) {
        str_copy(p->pmu, sizeof(p->pmu), chosen);
        p->pmu_chosen = true;
    }
    uint32_t cgroups = count_cgroups(p);
    return cgroups > 1 ? refuse_cgroups(p, cgroups, file, err) : 0;
}

/* --- what the events mean --- */

/* The vendor's own name counts what formulas mean; the kernel's name of it, what the kernel counts.
 */
static double scale_of(const struct replay_event *e, const struct event *ev) {
    return e->name.base[0] && str_same_name(e->name.base, ev->base) ? 1.0 : ev->scale;
}

static int add_target(struct replay_event *e, uint32_t event, const struct event *ev,
                      bool by_code) {
    struct replay_target *target = realloc(e->target, (e->n_target + 1) * sizeof(*target));
    if (!target)
        return -ENOMEM;
    e->target = target;
    e->target[e->n_target++] = (struct replay_target){
        .event = (uint16_t)event, .scale = scale_of(e, ev), .by_code = by_code};
    return 0;
}

static bool has_target(const struct replay_event *e, uint32_t event) {
    for (uint32_t i = 0; i < e->n_target; i++)
        if (e->target[i].event == event)
            return true;
    return false;
}

static char privilege(const struct replay_event *e) {
    return event_name_privilege(&e->name);
}

/*
 * One code under two names is one count: INST_RETIRED.ANY and INST_RETIRED.ANY_P. The level must
 * be what the other event asks for.
 */
static bool same_count(const struct replay_event *e, const struct event *a, const struct event *b) {
    char want = b->user_only ? 'u' : b->kernel_only ? 'k' : '\0';
    return a->has_code && b->has_code && a->pmu == b->pmu && a->type == b->type &&
           a->config == b->config && a->config1 == b->config1 && a->percore == b->percore &&
           (!want || want == privilege(e));
}

static int add_matches(const struct model *m, const struct event_name *name,
                       struct replay_event *e) {
    for (uint32_t k = 0; k < m->n_event; k++)
        if (event_name_matches(name, &m->event[k]) && add_target(e, k, &m->event[k], false) < 0)
            return -ENOMEM;
    return 0;
}

/* "INT_MISC.RECOVERY_CYCLES,cmask=1,edge": where the model has the event without these bits, the
 * whole code, which it may have under another name. */
static bool find_code(const struct model *m, const struct event_name *name,
                      struct event_name *code) {
    struct event_name plain = *name;
    plain.config = plain.config1 = 0;
    for (uint32_t k = 0; k < m->n_event && name->has_code; k++) {
        const struct event *ev = &m->event[k];
        if (!ev->has_code || ev->pmu != EVENT_CORE || !event_name_matches(&plain, ev))
            continue;
        *code = *name;
        code->base[0] = '\0';
        code->config |= ev->config;
        code->config1 |= ev->config1;
        return true;
    }
    return false;
}

/* Direct matches first, then what has the same code as one of them. */
static int find_targets_of(const struct model *m, struct replay_event *e) {
    struct event_name code;
    if (add_matches(m, &e->name, e) < 0)
        return -ENOMEM;
    if (!e->n_target && find_code(m, &e->name, &code) && add_matches(m, &code, e) < 0)
        return -ENOMEM;
    uint32_t direct = e->n_target;
    for (uint32_t k = 0; k < m->n_event && direct; k++)
        for (uint32_t i = 0; i < direct; i++)
            if (!has_target(e, k) && same_count(e, &m->event[e->target[i].event], &m->event[k]) &&
                add_target(e, k, &m->event[k], true) < 0)
                return -ENOMEM;
    return 0;
}

static int find_targets(struct replay_plan *p) {
    int rc = 0;
    for (uint32_t i = 0; i < p->event_names.n && rc == 0; i++)
        if (p->event[i].named)
            rc = find_targets_of(p->model, &p->event[i]);
    return rc;
}

static uint32_t pmu_score(const struct replay_plan *p, const char *pmu) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < p->event_names.n; i++)
        if (strcmp(core_pmu(&p->event[i]), pmu) == 0)
            n += p->event[i].n_target;
    return n;
}

/* "cpu_atom" for a model of the kind "atom"; what has no kind fits every model, and the reverse. */
static bool is_of_model(const struct replay_plan *p, const char *pmu) {
    return !p->model->core_type || !str_starts(pmu, "cpu_") ||
           strcmp(pmu + strlen("cpu_"), p->model->core_type) == 0;
}

/* The core type that the model is for. A model for any core: the type with the most events that
 * match (only P cores have PERF_METRICS), on a tie the first printed. */
static void choose_pmu(struct replay_plan *p) {
    uint32_t best = 0;
    for (uint32_t i = 0; i < p->event_names.n && !p->pmu_chosen; i++) {
        const char *pmu = core_pmu(&p->event[i]);
        uint32_t score =
            *pmu && strcmp(pmu, p->pmu) != 0 && is_of_model(p, pmu) ? pmu_score(p, pmu) : 0;
        if (score > best) {
            best = score;
            str_copy(p->pmu, sizeof(p->pmu), pmu);
        }
    }
    for (uint32_t i = 0; i < p->event_names.n; i++) {
        const char *pmu = core_pmu(&p->event[i]);
        if (!*pmu || !p->event[i].n_target || strcmp(pmu, p->pmu) == 0)
            continue;
        str_copy(p->other_pmu, sizeof(p->other_pmu), pmu);
        p->event[i].n_target = 0;
    }
}

/* The formulas of one kind of core mean nothing over the counts of another. */
static int refuse_pmu(const struct replay_plan *p, const char *pmu, const char *file,
                      struct err *err) {
    char safe[40];
    str_safe(safe, sizeof(safe), pmu);
    return err_set(err, -EINVAL,
                   "%s: counts of %s, and model %s is for cpu_%s; choose the model of the other "
                   "cores with --model, or with --cpuid and --cputype %s",
                   file, safe, p->model->name, p->model->core_type, safe);
}

static void drop_target(struct replay_event *e, uint32_t event) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < e->n_target; i++)
        if (e->target[i].event != event)
            e->target[n++] = e->target[i];
    e->n_target = n;
}

/* An event that counted one privilege level, for a model event that asks for none. */
static uint32_t find_level(const struct replay_plan *p, uint32_t event, char level) {
    for (uint32_t i = 0; i < p->event_names.n; i++)
        if (has_target(&p->event[i], event) && privilege(&p->event[i]) == level)
            return i;
    return REPLAY_NO_EVENT;
}

static void drop_levels(struct replay_plan *p, uint32_t event) {
    for (uint32_t i = 0; i < p->event_names.n; i++)
        if (privilege(&p->event[i]))
            drop_target(&p->event[i], event);
}

/*
 * cycles, cycles:u and cycles:k may stand side by side. A model event that asks for no level takes
 * the plain one; without it, user and kernel together are all; one of them alone is what there is
 * if nothing in the recording was counted in both modes: else it would be set against the whole.
 */
static void settle_level(struct replay_plan *p, uint32_t event, bool some_plain) {
    const struct event *ev = &p->model->event[event];
    if (ev->user_only || ev->kernel_only)
        return;
    uint32_t user = find_level(p, event, 'u'), kernel = find_level(p, event, 'k');
    bool both = user != REPLAY_NO_EVENT && kernel != REPLAY_NO_EVENT;
    bool plain = find_level(p, event, '\0') != REPLAY_NO_EVENT;
    if (plain || (some_plain && !both))
        drop_levels(p, event);
    if (plain || !both)
        return;
    struct replay_event *second = &p->event[kernel];
    second->partner = user;
    for (uint32_t i = 0; i < second->n_target; i++)
        second->target[i].joins |= second->target[i].event == event;
}

/* Was a hardware event that fits counted in both modes? */
static bool any_plain(const struct replay_plan *p) {
    for (uint32_t i = 0; i < p->event_names.n; i++) {
        const struct replay_event *e = &p->event[i];
        if (e->n_target && !privilege(e) &&
            p->model->event[e->target[0].event].pmu != EVENT_SOFTWARE)
            return true;
    }
    return false;
}

/* Were all hardware events that fit counted in one mode only? Worth a word to the user. */
static bool all_of_level(const struct replay_plan *p, char level) {
    bool any = false;
    for (uint32_t i = 0; i < p->event_names.n; i++) {
        const struct replay_event *e = &p->event[i];
        if (!e->n_target || p->model->event[e->target[0].event].pmu == EVENT_SOFTWARE)
            continue;
        if (privilege(e) != level)
            return false;
        any = true;
    }
    return any;
}

static int refuse_events(const struct replay_plan *p, const char *file, struct err *err) {
    char text[400] = "";
    struct strbuf some = strbuf_on(text, sizeof(text));
    for (uint32_t i = 0; i < p->event_names.n && i < LISTED; i++) {
        char safe[64];
        strbuf_add(&some, "%s%s", i ? ", " : "",
                   str_safe(safe, sizeof(safe), p->event_names.at[i].first));
    }
    return err_set(err, -EINVAL,
                   "%s: none of its %u events is one of model %s (%s%s); choose the model of the "
                   "recorded CPU with --model",
                   file, p->event_names.n, p->model->name, text,
                   p->event_names.n > LISTED ? ", ..." : "");
}

int replay_match_events(struct replay_plan *p, const char *file, struct err *err) {
    if (find_targets(p) < 0)
        return err_set(err, -ENOMEM, "%s: out of memory", file);
    if (p->pmu_chosen && !is_of_model(p, p->pmu))
        return refuse_pmu(p, p->pmu, file, err);
    choose_pmu(p);
    const bool some_plain = any_plain(p);
    for (uint32_t i = 0; i < p->model->n_event; i++)
        settle_level(p, i, some_plain);
    p->user_only = all_of_level(p, 'u');
    p->kernel_only = all_of_level(p, 'k');
    for (uint32_t i = 0; i < p->event_names.n; i++)
        if (p->event[i].n_target)
            return 0;
    if (p->other_pmu[0] && !p->pmu[0])
        return refuse_pmu(p, p->other_pmu, file, err);
    return refuse_events(p, file, err);
}
