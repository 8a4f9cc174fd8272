#include "cli/measure.h"

#include "base/clock.h"
#include "base/str.h"
#include "cli/nodes.h"
#include "cli/own.h"
#include "cli/pick.h"
#include "pmu/machine.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void set_target(struct target *t, const struct args *a) {
    *t = (struct target){.pids = a->pids, .name = a->name, .argv = a->command, .cpus = a->cpus};
    t->tids = a->tids;
    t->cgroup = a->cgroup;
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

static int prepare_live(struct measure *m, struct session *s, const struct args *a,
                        const struct pick *want, struct err *err) {
    struct machine mc;
    m->ops = &source_perf;
    set_target(&m->opt.target, a);
    if (m->opt.target.kind == TARGET_NONE)
        return err_set(err, -EINVAL,
                       "no target; give -p PID, -P NAME, -t TID, -G CGROUP, -a, -C CPUS or -- "
                       "COMMAND (or look at "
                       "`tdtop demo`)");
    machine_detect(&mc, "");
    int rc = a->core_type ? machine_choose(&mc, a->core_type, err) : 0;
    if (rc < 0)
        return err_prefix(err, "--cputype"), rc;
    m->opt.core_type = a->core_type;
    machine_consts(&mc, &m->opt.consts);
    return ladder_pick(&s->model, &mc, want->name[0] ? want->name : NULL, &a->places, s->why_model,
                       sizeof(s->why_model), err);
}

/* "; for AuthenticAMD-25-33 (family 25, model 0x33)" */
static void say_id(struct strbuf *sb, const struct pick *p, const char *before) {
    if (!p->id[0])
        return;
    strbuf_add(sb, "%s%s%s", before, p->lower ? "a CPU without a model, " : "", p->id);
    if (p->words[0])
        strbuf_add(sb, " (%s)", p->words);
}

static int prepare_demo(struct measure *m, struct session *s, const struct args *a,
                        const struct pick *want, struct err *err) {
    const char *name = want->name[0] ? want->name : "spr";
    struct strbuf sb = strbuf_on(s->why_model, sizeof(s->why_model));
    m->ops = &source_sim;
    strbuf_add(&sb, "the numbers are made up, the formulas are real");
    say_id(&sb, want, "; for ");
    int rc = model_open(&s->model, name, &a->places, err);
    return rc == 0 && !want->id[0] ? pick_check_kind(a, &s->model, err) : rc;
}

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
        rc = source_open(&src, m->ops, &model, &m->opt, &why);
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

static int prepare_replay(struct measure *m, struct session *s, const struct args *a,
                          const struct pick *want, struct err *err) {
    struct pick recorded;
    struct strbuf sb = strbuf_on(s->why_model, sizeof(s->why_model));
    m->ops = &source_replay;
    m->opt.file = a->word[0];
    m->opt.only = a->only;
    const bool piped = !strcmp(m->opt.file, "-");
    if (want->name[0] && (!want->lower || piped)) {
        strbuf_add(&sb, "as --%s says", a->cpuid ? "cpuid" : "model");
        say_id(&sb, want, ": ");
        int rc = model_open(&s->model, want->name, &a->places, err);
        return rc == 0 && !want->id[0] ? pick_check_kind(a, &s->model, err) : rc;
    }
    if (want->lower)
        return guess_model(m, s, a, want, err);
    if (piped)
        return err_set(err, -EINVAL,
                       "replay -: standard input can be read once, so give --model NAME (tdtop "
                       "models lists them)");
    int rc = pick_recorded(&recorded, a, m->opt.file, err);
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

/* The event of the model's latencies that is spelt most like this one; NULL: none is. */
static const char *nearest_latency(const struct model *m, const char *event) {
    const char *best = NULL;
    int least = (int)strlen(event) / 3 + 1;
    for (uint32_t i = 0; i < m->n_latency; i++) {
        int d = str_distance(event, m->latency[i].event);
        if (d < least) {
            least = d;
            best = m->latency[i].event;
        }
    }
    return best;
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
static void choose_focus(struct measure *m, struct session *s, const struct args *a,
                         bool on_screen) {
    const bool chosen = a->nodes || (a->level_given && a->level > 0);
    const bool still = a->at_ns || (m->ops == &source_sim && m->opt.speed == 0);
    m->focus =
        a->focus || (on_screen && !chosen && !still) ? (enum focus_mode)a->focus_mode : FOCUS_OFF;
    m->opt.focus = m->focus != FOCUS_OFF;
    s->follows = !on_screen && m->focus == FOCUS_AUTO;
}

int measure_prepare(struct measure *m, struct session *s, const struct args *a, bool on_screen,
                    struct err *err) {
    static int (*const prepare[])(struct measure *, struct session *, const struct args *,
                                  const struct pick *, struct err *) = {
        [VERB_LIVE] = prepare_live, [VERB_DEMO] = prepare_demo, [VERB_REPLAY] = prepare_replay};
    *m = (struct measure){0};
    m->opt.interval_ns = a->interval_ns ? a->interval_ns : NS_PER_S;
    m->opt.level = (int)a->level;
    m->opt.seed = (uint64_t)a->seed;
    m->opt.consts = a->consts;
    m->opt.speed = a->speed_given || (on_screen && !a->at_ns) ? a->speed : 0;
    m->opt.until_ns = a->at_ns;
    struct pick want;
    int rc = pick_named(&want, a, err);
    if (rc == 0)
        rc = prepare[a->verb](m, s, a, &want, err);
    m->opt.target.quiet = on_screen;
    if (rc < 0)
        return rc;
    own_note(&s->model, a->places.metrics, s->own_note, sizeof(s->own_note));
    choose_focus(m, s, a, on_screen);
    rc = nodes_wanted(a, &s->model, &m->wanted, err);
    m->opt.wanted = m->wanted;
    return rc < 0 ? rc : check_latencies(&s->model, &m->opt.consts, err);
}

void measure_destroy(struct measure *m) {
    free(m->wanted);
    m->wanted = NULL;
}
