/*
 * `tdtop plan`: which events would be counted together, how often, and for what. Opens nothing; for
 * this machine it asks the kernel how many counters are free.
 */
#include "base/str.h"
#include "cli/cli.h"
#include "cli/config/config.h"
#include "cli/nodes.h"
#include "cli/pick.h"
#include "cli/verb/plan_view.h"
#include "pmu/host/fallback.h"
#include "pmu/host/machine.h"
#include "pmu/perf/probe.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- what formulas depend on ---- */

static void note_const(const struct ast *leaf, void *user) {
    bool *named = user;
    if (leaf->op == AST_CONST && leaf->index < CONST_N)
        named[leaf->index] = true;
}

static void find_consts(const struct model *m, bool named[CONST_N]) {
    for (uint32_t i = 0; i < m->n_metric; i++) {
        const struct ast *all[] = {m->metric[i].ast, m->metric[i].alt, m->metric[i].fallback};
        for (size_t k = 0; k < sizeof(all) / sizeof(all[0]); k++)
            if (all[k])
                expr_leaves(all[k], note_const, named);
    }
}

/*
 * A process on cores whose siblings do other things is the usual case, and the one that needs most
 * events; -a sees all there is.
 */
static void assume(struct plan_view *v, const struct args *a) {
    double *value = v->consts.value;
    bool named[CONST_N] = {false}, smt_unknown = isnan(value[CONST_SMT_ON]);
    find_consts(&v->model, named);
    if (smt_unknown)
        value[CONST_SMT_ON] = 1.0;
    if (isnan(value[CONST_EBS_MODE]))
        value[CONST_EBS_MODE] = !a->all && value[CONST_SMT_ON] != 0.0;
    struct strbuf sb = strbuf_on(v->assumed, sizeof(v->assumed));
    strbuf_add(&sb, a->all ? "for the whole system (-a)" : "for a process (-a: the whole system)");
    if (smt_unknown && (named[CONST_SMT_ON] || named[CONST_EBS_MODE]))
        strbuf_add(&sb, "; SMT taken to be on (--const SMT_ON=0: off)");
}

/* ---- whose plan ---- */

/* What is free now; a number that was asked for goes before it. */
static void ask_counters(struct plan_view *v, const struct machine *mc, const struct args *a) {
    struct budget b;
    if (a->counters)
        return;
    probe_counters(mc, &v->model, NULL, 0, &b);
    if (!b.known)
        return;
    v->opt.probed = true;
    v->opt.general = b.general;
    v->opt.free = b.free;
    v->opt.fixed_taken = b.fixed_taken | b.fixed_gone;
    v->opt.no_perf_metrics |= (v->opt.fixed_taken & probe_slots(&v->model)) != 0;
}

static int open_here(struct plan_view *v, const struct args *a, struct err *err) {
    struct machine mc;
    machine_detect(&mc, "");
    int rc = a->core_type ? machine_choose(&mc, a->core_type, err) : 0;
    if (rc < 0)
        return err_prefix(err, "--cputype"), rc;
    machine_detect_tsc(&mc);
    machine_consts(&mc, &v->consts);
    v->opt.no_perf_metrics = !mc.has_topdown;
    v->opt.nmi_watchdog = mc.nmi_watchdog == 1;
    rc = fallback_pick(&v->model, &mc, a->model, &a->places, v->why_model, sizeof(v->why_model),
                       err);
    if (rc == 0)
        ask_counters(v, &mc, a);
    return rc;
}

static int view_open(struct plan_view *v, const struct args *a, struct err *err) {
    struct pick want;
    int rc = pick_named(&want, a, err);
    v->consts = a->consts;
    v->opt.level = (int)a->level;
    v->opt.general = (int)a->counters;
    v->opt.uncore = a->all;
    if (rc == 0)
        rc = a->here ? open_here(v, a, err) : model_open(&v->model, want.name, &a->places, err);
    if (rc == 0)
        rc = nodes_wanted(a, &v->model, &v->asked, err);
    if (rc < 0)
        return rc;
    assume(v, a);
    return plan_view_init(v, err);
}

int verb_plan(const struct args *said) {
    struct args a = *said; /* the settings add to it */
    struct config cfg;
    struct plan_view *v = calloc(1, sizeof(*v));
    struct err err = {0};
    a.here = !a.model && !a.cpuid; /* then the settings of this machine hold */
    int rc = v ? config_for(&cfg, &a, &err) : err_set(&err, -ENOMEM, "out of memory");
    if (rc == 0)
        rc = view_open(v, &a, &err);
    if (rc < 0)
        cli_error(&err);
    else if (a.json)
        plan_print_json(v);
    else
        plan_print_text(v, a.verbose);
    if (v) {
        plan_view_free(v);
        config_free(&cfg);
    }
    free(v);
    return rc == 0 ? EXIT_OK : cli_is_usage(&err) ? EXIT_USAGE : EXIT_ERROR;
}
