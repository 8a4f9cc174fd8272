#include "cli/measure.h"

#include "base/clock.h"
#include "base/str.h"
#include "cli/pick.h"
#include "pmu/machine.h"

#include <errno.h>
#include <string.h>

static void set_target(struct target *t, const struct args *a) {
    *t = (struct target){.pids = a->pids, .name = a->name, .argv = a->command, .cpus = a->cpus};
    t->user_only = a->user;
    t->kernel_only = a->kernel;
    t->kind = a->pids      ? TARGET_PIDS
              : a->name    ? TARGET_NAME
              : a->command ? TARGET_COMMAND
              : a->cpus    ? TARGET_CPUS
              : a->all     ? TARGET_ALL
                           : TARGET_NONE;
}

static int prepare_live(struct measure *m, struct session *s, const struct args *a,
                        const struct pick *want, struct err *err) {
    struct machine mc;
    m->ops = &source_perf;
    set_target(&m->opt.target, a);
    if (m->opt.target.kind == TARGET_NONE)
        return err_set(
            err, -EINVAL,
            "no target; give -p PID, -P NAME, -a, -C CPUS or -- COMMAND (or look at `tdtop demo`)");
    machine_detect(&mc, "");
    int rc = a->core_type ? machine_choose(&mc, a->core_type, err) : 0;
    if (rc < 0)
        return err_prefix(err, "--cputype"), rc;
    m->opt.core_type = a->core_type;
    machine_consts(&mc, &m->opt.consts);
    return ladder_pick(&s->model, &mc, want->name[0] ? want->name : NULL, &a->places, s->why_model,
                       sizeof(s->why_model), err);
}

static int prepare_demo(struct measure *m, struct session *s, const struct args *a,
                        const struct pick *want, struct err *err) {
    const char *name = want->name[0] ? want->name : "spr";
    m->ops = &source_sim;
    str_copy(s->why_model, sizeof(s->why_model),
             "a simulated core: the numbers are made up, the formulas are real");
    return model_open(&s->model, name, &a->places, err);
}

/*
 * Whose events are these? A full model must be named, because a formula of the wrong core gives
 * wrong numbers silently. The general models fit every core: of the two, the one that knows more of
 * the recording.
 */
static int guess_model(struct measure *m, struct session *s, const struct args *a, const char *id,
                       struct err *err) {
    static const char *const general[] = {"generic", "software"};
    const char *best = NULL;
    uint32_t most = 0;
    struct err first = {0};
    for (size_t i = 0; i < sizeof(general) / sizeof(general[0]); i++) {
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
    strbuf_add(&sb, "only what every core has; ");
    if (id[0])
        strbuf_add(&sb, "there is no model for the recording's CPU, %s", id);
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
    if (want->name[0]) {
        strbuf_add(&sb, "as --%s says", a->cpuid ? "cpuid" : "model");
        if (want->id[0])
            strbuf_add(&sb, " (%s)", want->id);
        return model_open(&s->model, want->name, &a->places, err);
    }
    if (!strcmp(m->opt.file, "-"))
        return err_set(err, -EINVAL,
                       "replay -: standard input can be read once, so give --model NAME (tdtop "
                       "models lists them)");
    if (pick_recorded(&recorded, a, m->opt.file)) {
        strbuf_add(&sb, "as the recording says: it was made on %s", recorded.id);
        return model_open(&s->model, recorded.name, &a->places, err);
    }
    return guess_model(m, s, a, recorded.id, err);
}

/* A latency that no formula asks for is a slip of the pen. */
static int check_latencies(const struct model *m, const struct consts *c, struct err *err) {
    for (uint32_t i = 0; i < c->n_latency; i++) {
        uint32_t k = 0;
        while (k < m->n_latency && strcmp(m->latency[k].event, c->latency[i].event) != 0)
            k++;
        if (k == m->n_latency)
            return err_set(err, -EINVAL,
                           "--const %s:retire_latency: no formula of model %s asks for it; tdtop "
                           "models %s lists its latencies",
                           c->latency[i].event, m->name, m->name);
    }
    return 0;
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
    return rc < 0 ? rc : check_latencies(&s->model, &m->opt.consts, err);
}
