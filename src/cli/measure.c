#include "cli/measure.h"

#include "base/clock.h"
#include "base/str.h"
#include "base/toml.h"
#include "base/when.h"
#include "cli/pick.h"
#include "db/store.h"
#include "model/load/model.h"
#include "pmu/host/fallback.h"
#include "pmu/host/machine.h"
#include "pmu/host/target.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- the user's own metrics ---- */

static void note_metrics(const struct model *m, struct strbuf *sb) {
    const struct metric *first = NULL;
    unsigned n = 0;
    for (uint32_t i = 0; i < m->n_metric; i++) {
        if (!m->metric[i].own || !m->metric[i].unavailable)
            continue;
        if (n++ == 0)
            first = &m->metric[i];
    }
    if (n == 0)
        return;
    strbuf_add(sb,
               n == 1 ? "%u own metric is unavailable: " : "%u own metrics are unavailable: ", n);
    strbuf_add(sb, "%s: %s", first->name, first->unavailable);
}

/* A model in a folder of the user's counts too: that it is the one in use is all that is known. */
static bool fits_any(const struct toml *globs, const struct model *m) {
    for (const struct toml *g = globs->first; g; g = g->next) {
        if (g->type != TOML_STRING || fnmatch(g->string, m->name, FNM_CASEFOLD) == 0)
            return true;
        for (const struct embedded *e = embedded_models; e->name; e++)
            if (fnmatch(g->string, e->name, FNM_CASEFOLD) == 0)
                return true;
    }
    return globs->n == 0;
}

static void note_file(const struct model *m, const char *dir, const char *file, struct strbuf *sb) {
    char path[4096];
    struct toml_doc doc = {0};
    if (snprintf(path, sizeof(path), "%s/%s", dir, file) >= (int)sizeof(path) ||
        toml_parse_file(&doc, path, NULL) < 0)
        return; /* model_open has said so */
    const struct toml *globs = toml_get(doc.root, "for");
    if (globs && globs->type == TOML_ARRAY && !fits_any(globs, m))
        strbuf_add(sb, "%s%s: 'for' fits no model, so nothing of it is used (tdtop models --check)",
                   sb->n ? "; " : "", file);
    toml_free(&doc);
}

static int toml_only(const struct dirent *d) {
    return d->d_name[0] != '.' && str_ends(d->d_name, ".toml");
}

/*
 * "1 own metric is unavailable: NAME: reason", of those that the model took from the folder, and
 * "FILE: 'for' fits no model" of those that no model takes. "" if all is well, or dir is NULL.
 * Returns buf.
 */
static const char *own_note(const struct model *m, const char *dir, char *buf, size_t cap) {
    struct strbuf sb = strbuf_on(buf, cap);
    struct dirent **list = NULL;
    buf[0] = '\0';
    note_metrics(m, &sb);
    int n = dir ? scandir(dir, &list, toml_only, alphasort) : 0;
    for (int i = 0; i < n; i++) {
        note_file(m, dir, list[i]->d_name, &sb);
        free(list[i]);
    }
    free(list);
    return buf;
}

/* ---- recordings ---- */

/*
 * Whose events are these? A full model must be named, because a formula of the wrong core gives
 * wrong numbers silently. The general models fit every core: of these, and of the one that has the
 * common events of the CPU's architecture, the one that knows more of the recording.
 */
static int guess_model(struct measure *m, struct session *s, const struct args *a,
                       const struct pick *of, struct err *err) {
    const char *const general[] = {"generic", "software", of->name};
    const char *best = NULL;
    uint32_t most = 0;
    struct err first = {0};
    for (size_t i = 0; i < sizeof(general) / sizeof(general[0]) && general[i][0]; i++) {
        struct model model = {0};
        struct source src = {0};
        struct err why = {0};
        int rc = model_open(&model, general[i], &a->places, err);
        if (rc < 0)
            return rc;
        rc = source_open(&src, m->ops, &model, m->opt, &why);
        if (rc == 0) {
            if (src.layout.n_slot > most) {
                most = src.layout.n_slot;
                best = general[i];
            }
            source_close(&src);
        } else if (!first.code) {
            first = why;
        }
        model_free(&model);
    }
    if (!best) {
        *err = first;
        return first.code;
    }
    struct strbuf sb = strbuf_on(s->why_model, sizeof(s->why_model));
    strbuf_add(&sb, "only what every core %shas; ",
               best == of->name ? "of this architecture " : "");
    if (of->id[0])
        strbuf_add(&sb, "there is no model for %s, %s",
                   a->cpuid ? "that CPU" : "the recording's CPU", of->id);
    else
        strbuf_add(&sb, "--model NAME gives more (tdtop models lists them)");
    return model_open(&s->model, best, &a->places, err);
}

/* ---- stored runs ---- */

/* What is no file, and begins the id of a run, or is "@N". */
static bool names_run(const char *word) {
    if (access(word, F_OK) == 0 || !strcmp(word, "-"))
        return false;
    const char *digits = word[0] == '@' ? "0123456789" : "0123456789abcdefABCDEF";
    const size_t begin = word[0] == '@', n = strlen(word) - begin;
    return n > 0 && n <= RUN_ID_LEN && strspn(word + begin, digits) == n;
}

static int load_run(struct measure *m, const struct args *a, struct err *err) {
    struct store store;
    char id[RUN_ID_LEN + 1];
    m->run = calloc(1, sizeof(*m->run));
    if (!m->run)
        return err_set(err, -ENOMEM, "replay: out of memory; close other programs");
    int rc = store_open(&store, a->db, STORE_READ, err);
    if (rc == 0)
        rc = store_find(&store, a->word[0], id, err);
    if (rc == 0)
        rc = store_load(&store, id, RUN_ALL, m->run, err);
    store_close(&store);
    if (rc < 0)
        err_prefix(err, "replay %s: it is no file", a->word[0]);
    return rc;
}

/* By the model that it was evaluated with then, whatever became of it since; or by --model. */
static int prepare_run(struct measure *m, struct session *s, const struct args *a,
                       const struct pick *want, struct err *err) {
    struct strbuf sb = strbuf_on(s->why_model, sizeof(s->why_model));
    int rc = a->only ? err_set(err, -EINVAL, "--only is for recordings; a stored run is one thing")
                     : load_run(m, a, err);
    if (rc < 0)
        return rc;
    m->ops = &source_run;
    m->opt[0].run = m->run;
    if (want->name[0]) {
        strbuf_add(&sb, "as --%s says", a->cpuid ? "cpuid" : "model");
        return model_open(&s->model, want->name, &a->places, err);
    }
    if (!m->run->model_text[0])
        return err_set(err, -ENODATA,
                       "run %.8s: it holds values but no counts, so it cannot be replayed; tdtop "
                       "query %.8s shows its values",
                       m->run->id, m->run->id);
    strbuf_add(&sb, "the text that was stored with the run");
    return model_load(&s->model, m->run->model_text, strlen(m->run->model_text), m->run->model,
                      err);
}

/* ---- either ---- */

static bool can_be_read_once(const char *file) {
    struct stat st;
    return !strcmp(file, "-") ||
           (stat(file, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode));
}

/* Opens the model of a->word[0], a file or a run, in the first session, and fills m. 0 or negative
 * errno with words. */
static int measure_replay(struct measure *m, struct sessions *all, const struct args *a,
                          const struct pick *want, struct err *err) {
    struct session *s = all->at[0];
    struct pick recorded;
    if (a->verb == VERB_REPLAY && names_run(a->word[0]))
        return prepare_run(m, s, a, want, err);
    struct strbuf sb = strbuf_on(s->why_model, sizeof(s->why_model));
    m->ops = &source_replay;
    m->opt[0].file = a->word[0];
    m->opt[0].only = a->only;
    const bool piped = can_be_read_once(m->opt[0].file);
    if (want->name[0] && (!want->lower || piped)) {
        strbuf_add(&sb, "as --%s says", a->cpuid ? "cpuid" : "model");
        pick_say(&sb, want, ": ");
        int rc = model_open(&s->model, want->name, &a->places, err);
        return rc == 0 && !want->id[0] ? pick_check_kind(a, &s->model, err) : rc;
    }
    if (want->lower)
        return guess_model(m, s, a, want, err);
    if (piped)
        return err_set(err, -EINVAL,
                       "replay %s: %s can be read once, so give --model NAME (tdtop models lists "
                       "them)",
                       m->opt[0].file,
                       strcmp(m->opt[0].file, "-") == 0 ? "standard input" : "a pipe or a device");
    int rc = pick_recorded(&recorded, a, m->opt[0].file, err);
    if (rc < 0)
        return rc;
    if (a->core_type && !recorded.id[0])
        return err_set(err, -EINVAL,
                       "--cputype %s: the recording does not say what CPU it was made on; give "
                       "--cpuid, or --model NAME alone",
                       a->core_type);
    if (!recorded.name[0] || recorded.lower)
        return guess_model(m, s, a, &recorded, err);
    strbuf_add(&sb, "as the recording says: it was made on %s", recorded.id);
    return model_open(&s->model, recorded.name, &a->places, err);
}

void measure_target(struct target *t, const struct args *a) {
    *t = (struct target){.pids = a->pids, .name = a->name, .argv = a->command, .cpus = a->cpus};
    t->tids = a->tids;
    t->cgroup = a->cgroup;
    t->follows =
        a->name && (a->verb == VERB_LIVE || a->verb == VERB_SERVE); /* a run is of one life */
    t->mute = a->mute;
    t->user_only = a->user;
    t->kernel_only = a->kernel;
    t->kind = a->pids      ? TARGET_PIDS
              : a->name    ? TARGET_NAME
              : a->command ? TARGET_COMMAND
              : a->cpus    ? TARGET_CPUS
              : a->tids    ? TARGET_TIDS
              : a->cgroup  ? TARGET_CGROUP
              : a->all     ? TARGET_ALL
                           : TARGET_NONE;
}

int measure_no_target(struct err *err) {
    return err_set(err, -EINVAL,
                   "no target; give -p PID, -P NAME, -t TID, -G CGROUP, -a, -C CPUS or -- COMMAND "
                   "(or look at `tdtop demo`)");
}

/* ---- the kernel's counters ---- */

/* On a CPU with several core types each session says which one it is of. */
static void name_type(struct session *s, const struct machine *mc) {
    if (mc->n_core < 2)
        return;
    str_copy(s->pmu, sizeof(s->pmu), mc->pmu);
    str_copy(s->core_type, sizeof(s->core_type), mc->core[mc->chosen].kind);
}

static bool counts_cores(const struct session *s) {
    return strcmp(s->model.rung, "software") != 0;
}

/* One core type more. -ENODEV if no model can be counted on it; then its session is there all the
 * same, unless there was no memory for one. */
static int prepare_type(struct measure *m, struct sessions *all, struct machine *mc, int type,
                        const struct args *a, struct err *err) {
    struct session *s = type ? sessions_add(all) : all->at[0];
    if (!s)
        return err_set(err, -ENOMEM, "out of memory; close other programs");
    struct source_options *opt = &m->opt[all->n - 1];
    *opt = m->opt[0];
    int rc = machine_choose(mc, mc->core[type].pmu, err);
    name_type(s, mc);
    opt->core_type = s->pmu;
    opt->consts = a->consts;
    machine_consts(mc, &opt->consts);
    if (!rc)
        rc =
            fallback_pick(&s->model, mc, NULL, &a->places, s->why_model, sizeof(s->why_model), err);
    if (!rc && type && !counts_cores(s))
        rc = err_set(err, -ENODEV, "%s: %s", s->pmu, s->why_model);
    return rc;
}

/* Without --cputype all core types are measured at once, each by itself. */
static int prepare_types(struct measure *m, struct sessions *all, struct machine *mc,
                         const struct args *a, struct err *err) {
    struct err why = {0};
    const int n = mc->n_core;
    mc->all_types = true;
    int rc = prepare_type(m, all, mc, 0, a, err);
    for (int type = 1; type < n && !rc && counts_cores(all->at[0]); type++) {
        const int n_before = all->n;
        if (prepare_type(m, all, mc, type, a, &why) == 0)
            continue;
        struct session *first = all->at[0];
        size_t used = strlen(first->why_model);
        snprintf(first->why_model + used, sizeof(first->why_model) - used, "; not counted: %s",
                 why.text);
        if (all->n > n_before) /* else there was no memory for it */
            sessions_drop(all);
    }
    for (int i = 0; i < all->n && all->n > 1; i++) {
        m->opt[i].type_at = i;
        m->opt[i].n_type = all->n;
    }
    if (!rc && !counts_cores(all->at[0])) /* the kernel's clocks know no core types */
        all->at[0]->pmu[0] = all->at[0]->core_type[0] = '\0';
    return rc;
}

static int prepare_live(struct measure *m, struct sessions *all, const struct args *a,
                        const struct pick *want, struct err *err) {
    struct session *s = all->at[0];
    struct machine mc;
    m->ops = &source_perf;
    measure_target(&m->opt[0].target, a);
    if (m->opt[0].target.kind == TARGET_NONE)
        return measure_no_target(err);
    machine_detect(&mc, "");
    if (mc.n_core > 1 && !a->core_type && !want->name[0])
        return prepare_types(m, all, &mc, a, err);
    int rc = a->core_type ? machine_choose(&mc, a->core_type, err) : 0;
    if (rc < 0)
        return err_prefix(err, "--cputype"), rc;
    name_type(s, &mc);
    m->opt[0].core_type = a->core_type;
    machine_consts(&mc, &m->opt[0].consts);
    return fallback_pick(&s->model, &mc, want->name[0] ? want->name : NULL, &a->places,
                         s->why_model, sizeof(s->why_model), err);
}

/* ---- the simulated core ---- */

static int open_demo(struct session *s, const char *name, const struct args *a, struct err *err) {
    struct strbuf sb = strbuf_on(s->why_model, sizeof(s->why_model));
    strbuf_add(&sb, "the numbers are made up, the formulas are real");
    return model_open(&s->model, name, &a->places, err);
}

/* One CPU has core types of one vendor. */
static int check_types(const struct sessions *all, const char *list, struct err *err) {
    const struct model *first = &all->at[0]->model;
    for (int i = 0; i < all->n && all->n > 1; i++) {
        const struct model *m = &all->at[i]->model;
        if (!m->core_type || !m->core_type[0])
            return err_set(err, -EINVAL,
                           "--model %s: %s is no core type of a hybrid CPU; give one model, or "
                           "those of such a CPU: adl-glc,adl-grt",
                           list, m->name);
        if (strcmp(m->vendor, first->vendor) != 0)
            return err_set(err, -EINVAL,
                           "--model %s: %s is %s's, %s is %s's; give the core types of one CPU: "
                           "adl-glc,adl-grt",
                           list, first->name, first->vendor, m->name, m->vendor);
    }
    return 0;
}

/* --model a,b: a simulated CPU with several core types. */
static int prepare_demo_types(struct measure *m, struct sessions *all, const struct args *a,
                              const char *list, struct err *err) {
    int rc = 0;
    for (const char *at = list; at && rc == 0; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
        char name[256];
        struct session *s = at == list ? all->at[0] : sessions_add(all);
        if (!s)
            return err_set(err, -EINVAL, "--model %s: at most %d models", list, SESSIONS_MAX);
        snprintf(name, sizeof(name), "%.*s", (int)strcspn(at, ","), at);
        rc = open_demo(s, name, a, err);
        if (rc < 0)
            return rc;
        str_copy(s->core_type, sizeof(s->core_type),
                 s->model.core_type && s->model.core_type[0] ? s->model.core_type : s->model.name);
        m->opt[all->n - 1] = m->opt[0];
    }
    for (int i = 0; i < all->n; i++) {
        m->opt[i].type_at = i;
        m->opt[i].n_type = all->n;
    }
    return rc ? rc : check_types(all, list, err);
}

static int prepare_demo(struct measure *m, struct sessions *all, const struct args *a,
                        const struct pick *want, struct err *err) {
    struct session *s = all->at[0];
    m->ops = &source_sim;
    if (!want->id[0] && strchr(want->name, ','))
        return prepare_demo_types(m, all, a, want->name, err);
    int rc = open_demo(s, want->name[0] ? want->name : "spr", a, err);
    struct strbuf sb = {.at = s->why_model, .n = strlen(s->why_model), .cap = sizeof(s->why_model)};
    pick_say(&sb, want, "; for ");
    return rc == 0 && !want->id[0] ? pick_check_kind(a, &s->model, err) : rc;
}

/* ---- both, to be stored ---- */

static int prepare_collect(struct measure *m, struct sessions *all, const struct args *a,
                           const struct pick *want, struct err *err) {
    return (a->demo ? prepare_demo : prepare_live)(m, all, a, want, err);
}

/* ---- what is said of all ---- */

/* The event of the model's latencies that is spelt most like this one; NULL: none is. */
static const char *nearest_latency(const struct model *m, const char *event) {
    struct str_nearest near = {.to = event, .below = (int)strlen(event) / 3 + 1};
    for (uint32_t i = 0; i < m->n_latency; i++)
        str_nearest(&near, m->latency[i].event);
    return near.best;
}

static int refuse_latency(const struct model *m, const char *event, struct err *err) {
    if (m->n_latency == 0)
        return err_set(
            err, -EINVAL,
            "--const %s:retire_latency: model %s has no formula with a latency; leave it "
            "out",
            event, m->name);
    const char *near = nearest_latency(m, event);
    return err_set(err, -EINVAL,
                   "--const %s:retire_latency: no formula of model %s asks for it%s%s%s tdtop "
                   "models -v %s lists its latencies",
                   event, m->name, near ? "; did you mean '" : "", near ? near : "",
                   near ? "'?" : ";", m->name);
}

/* A latency that no formula asks for is a slip of the pen. */
static int check_latencies(const struct model *m, const struct consts *c, struct err *err) {
    for (uint32_t i = 0; i < c->n_latency; i++) {
        uint32_t k = 0;
        while (k < m->n_latency && strcmp(m->latency[k].event, c->latency[i].event) != 0)
            k++;
        if (k == m->n_latency)
            return refuse_latency(m, c->latency[i].event, err);
    }
    return 0;
}

/*
 * Rows and a choice made by hand are counted as they are asked for. A run to a moment at which it
 * stands still must know everything by then, because nothing can be counted later.
 */
static void choose_focus(struct measure *m, struct sessions *all, const struct args *a,
                         bool on_screen) {
    const bool chosen = a->nodes || (a->level_given && a->level > 0);
    const bool still = a->at_ns || (m->ops == &source_sim && m->opt[0].speed == 0);
    m->focus =
        a->focus || (on_screen && !chosen && !still) ? (enum focus_mode)a->focus_mode : FOCUS_OFF;
    for (int i = 0; i < all->n; i++) {
        m->opt[i].focus = m->focus != FOCUS_OFF;
        m->opt[i].level1_first = a->verb == VERB_COLLECT && !a->focus;
        all->at[i]->calm = on_screen;
        all->at[i]->follows = !on_screen && m->focus == FOCUS_AUTO;
    }
}

/* What no core type has is a slip of the pen; where others have it, levels 1 and 2 are counted. */
static int choose_nodes(struct measure *m, struct sessions *all, const struct args *a,
                        struct err *err) {
    int n_good = 0, rc = 0;
    for (int i = 0; i < all->n; i++) {
        struct err why = {0};
        int one = nodes_wanted(a, &all->at[i]->model, &m->wanted[i], &why);
        n_good += one == 0;
        if (one < 0 && rc == 0) {
            rc = one;
            *err = why;
        }
        if (one < 0)
            m->opt[i].level = 2;
        m->opt[i].wanted = m->wanted[i];
    }
    return n_good ? 0 : rc;
}

static int check_all_latencies(const struct measure *m, const struct sessions *all,
                               struct err *err) {
    int rc = 0;
    for (int i = 0; i < all->n; i++)
        if ((rc = check_latencies(&all->at[i]->model, &m->opt[i].consts, err)) == 0)
            return 0;
    return rc;
}

int measure_prepare(struct measure *m, struct sessions *all, const struct args *a, bool on_screen,
                    struct err *err) {
    static int (*const prepare[])(struct measure *, struct sessions *, const struct args *,
                                  const struct pick *, struct err *) = {
        [VERB_LIVE] = prepare_live,     [VERB_DEMO] = prepare_demo,
        [VERB_REPLAY] = measure_replay, [VERB_COLLECT] = prepare_collect,
        [VERB_SERVE] = prepare_collect, [VERB_IMPORT] = measure_replay};
    *m = (struct measure){0};
    if (all->n == 0 && !sessions_add(all))
        return err_set(err, -ENOMEM, "out of memory; close other programs");
    struct source_options *opt = &m->opt[0];
    opt->interval_ns = a->interval_ns ? a->interval_ns : NS_PER_S;
    opt->level = (int)a->level;
    opt->seed = (uint64_t)a->seed;
    opt->consts = a->consts;
    /* Rows of units are of the newest sample alone, so that they cannot be read at leisure. */
    const bool paced = a->speed_given || a->per_thread || a->per_cpu || (on_screen && !a->at_ns);
    opt->speed = paced ? a->speed : 0;
    opt->until_ns = a->at_ns;
    struct pick want;
    int rc = pick_named(&want, a, err);
    if (rc == 0)
        rc = prepare[a->verb](m, all, a, &want, err);
    if (rc < 0)
        return rc;
    for (int i = 0; i < all->n; i++) {
        struct session *s = all->at[i];
        m->opt[i].target.quiet = on_screen;
        own_note(&s->model, a->places.metrics, s->own_note, sizeof(s->own_note));
    }
    choose_focus(m, all, a, on_screen);
    rc = choose_nodes(m, all, a, err);
    return rc < 0 ? rc : check_all_latencies(m, all, err);
}

/* ---- -P: a process that is not there yet ---- */

/* Words of target_find: the name that may have been meant, with what stands before it; or "". */
static const char *nearest_process(const struct err *none) {
    const char *near = strstr(none->text, "; did you mean ");
    return near ? near : "";
}

static int say_waiting(const char *name, const char *near, struct err *err) {
    char safe[96];
    err_set(err, -EAGAIN, "waiting for a process named %s ...%s",
            str_safe(safe, sizeof(safe), name), near);
    return MEASURE_WAITS;
}

static int find_named(const struct target *t, struct err *err) {
    pid_t *pid = NULL;
    struct err none = {0};
    const int n = target_find("/proc", t->name, &pid, &none);
    free(pid);
    if (n == -ENOENT)
        return say_waiting(t->name, nearest_process(&none), err);
    if (n < 0)
        *err = none;
    return n < 0 ? n : 0;
}

int measure_open(const struct measure *m, struct sessions *all, struct err *err) {
    const struct target *t = &m->opt[0].target;
    const bool named = m->ops == &source_perf && t->kind == TARGET_NAME;
    int rc = named ? find_named(t, err) : 0;
    if (rc == MEASURE_WAITS) { /* until it is there, the name is all that is known */
        char *title = all->at[0]->source.target_text;
        str_safe(title, sizeof(all->at[0]->source.target_text), t->name);
    }
    if (rc)
        return rc;
    rc = sessions_open(all, m->ops, m->opt, err);
    if (named && (rc == -ENOENT || rc == -ESRCH)) /* it has ended meanwhile */
        return say_waiting(t->name, "", err);
    return rc;
}

int measure_wait(struct measure *m, uint64_t most_ns, int fd, struct err *err) {
    const char *name = m->opt[0].target.name, *near = nearest_process(err);
    const uint64_t now = clock_now_ns();
    struct pollfd stop = {.fd = fd, .events = POLLIN};
    char most[32];
    if (!m->wait_ns) {
        m->wait_ns = now;
        cli_note("%s", err->text);
    }
    m->waited_ns = now - m->wait_ns;
    if (most_ns && m->waited_ns >= most_ns)
        return err_set(err, -ETIMEDOUT, "-P %s: no process of that name came within %s%s", name,
                       when_duration(most_ns, most, sizeof(most)), near);
    uint64_t ms = m->look_ms ? m->look_ms : MEASURE_WAIT_MS;
    if (most_ns && most_ns - m->waited_ns < ms * NS_PER_MS)
        ms = (most_ns - m->waited_ns) / NS_PER_MS + 1;
    if (poll(&stop, 1, (int)ms) > 0)
        return err_set(err, -EINTR, "-P %s: ended before a process of that name came", name);
    m->waited_ns = clock_now_ns() - m->wait_ns;
    return 0;
}

void measure_destroy(struct measure *m) {
    if (m->run)
        run_free(m->run);
    free(m->run);
    m->run = NULL;
    for (int i = 0; i < SESSIONS_MAX; i++) {
        free(m->wanted[i]);
        m->wanted[i] = NULL;
    }
}
