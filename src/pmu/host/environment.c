#include "pmu/host/environment_impl.h"

#include "base/clock.h"
#include "base/str.h"
#include "pmu/host/machine.h"
#include "pmu/host/machine_impl.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- at the start ---- */

/* Line of /proc/cpuinfo; x86 only. */
static void read_microcode(struct environment *env) {
    char text[4096];
    if (machine_read(env->root, "/proc/cpuinfo", text, sizeof(text)) <= 0)
        return;
    const char *at = strstr(text, "\nmicrocode");
    at = at ? strchr(at, ':') : NULL;
    if (at)
        sscanf(at, ": %31s", env->microcode);
}

static void read_machine(struct environment *env) {
    struct machine *mc = calloc(1, sizeof(*mc)); /* too large for a stack that is not ours */
    if (!mc)
        return;
    machine_detect(mc, env->root);
    char path[128];
    str_copy(env->cpu_name, sizeof(env->cpu_name), mc->cpu_name);
    str_copy(env->cpu_id, sizeof(env->cpu_id), mc->id);
    if (mc->hypervisor)
        str_copy(env->hypervisor, sizeof(env->hypervisor), mc->hypervisor_name);
    env->has_pmu = mc->pmu[0] != '\0';
    env->smt = machine_knows_smt(mc) ? mc->smt_on : -1;
    env->nmi_watchdog = mc->nmi_watchdog;
    env->paranoid = mc->paranoid;
    env->mux_interval_ms = -1;
    snprintf(path, sizeof(path), MACHINE_PMU_DIR "%s/perf_event_mux_interval_ms", mc->pmu);
    if (env->has_pmu)
        env->mux_interval_ms = (int)env_read_long(env->root, path, -1);
    env_check_fixed(env, mc);
    free(mc);
}

static void read_settings(struct environment *env) {
    const char *fix;
    read_machine(env);
    read_microcode(env);
    machine_read(env->root, "/proc/sys/kernel/osrelease", env->kernel, sizeof(env->kernel));
    env_read_governor(env->root, env->governor, sizeof(env->governor));
    env->turbo = env_read_turbo(env->root, &fix);
    env->n_perf_users = -1;
}

static const struct env_range unknown = {NAN, NAN, NAN, NAN};

int environment_open(struct environment *env, const char *root) {
    *env = (struct environment){.ghz = unknown, .steal = unknown};
    env->migrations_per_s = unknown;
    env->steal_mean = env->migrations = env->pinned_duty = NAN;
    env->ghz_metric = env->migration_slot = env->pinned_slot = -1;
    str_copy(env->root, sizeof(env->root), root);
    read_settings(env);
    env->files = env_files_open(root);
    if (!env->files)
        return -ENOMEM;
    env->n_cpu = env->files->n_cpu;
    env->knows_throttling = env->files->knows_throttling;
    env->open = true;
    environment_look(env); /* the beginning of what is compared later */
    return 0;
}

void environment_close(struct environment *env) {
    env_files_close(env->files);
    *env = (struct environment){0};
}

/* ---- looking ---- */

static void range_add(struct env_range *r, double v) {
    if (isnan(v))
        return;
    r->first = isnan(r->first) ? v : r->first;
    r->least = isnan(r->least) || v < r->least ? v : r->least;
    r->most = isnan(r->most) || v > r->most ? v : r->most;
    r->now = v;
}

/* What the target's own counters say is better than any file. */
static void take_clock(struct environment *env, double ghz) {
    if (env->ghz_ns > 0) {
        if (!env->ghz_counted)
            env->ghz = unknown; /* the two are not to be compared */
        env->ghz_counted = true;
        range_add(&env->ghz, env->ghz_sum / env->ghz_ns);
    } else if (!env->ghz_counted) {
        range_add(&env->ghz, ghz);
    }
    env->ghz_sum = env->ghz_ns = 0;
}

static void take_migrations(struct environment *env) {
    if (env->migrated_ns > 0)
        range_add(&env->migrations_per_s, env->migrated / (env->migrated_ns / (double)NS_PER_S));
    env->migrated = env->migrated_ns = 0;
}

/* Pinned, it is on whenever its target runs; unless somebody else had the counters first. */
static void take_pinned(struct environment *env) {
    if (env->pinned_enabled_ns)
        env->pinned_duty = (double)env->pinned_running_ns / (double)env->pinned_enabled_ns;
    env->pinned_enabled_ns = env->pinned_running_ns = 0;
}

static void take_files(struct environment *env, const struct env_look *l) {
    range_add(&env->steal, l->steal);
    env->steal_mean = l->steal_mean;
    env->throttled = l->throttled;
    env->n_perf_users = l->n_perf_users;
    str_copy(env->perf_users, sizeof(env->perf_users), l->perf_users);
    env->cost_ns = l->cost_ns;
}

/* l: of the files; NULL: not looked at yet. Returns true if the warnings are other ones. */
static bool take_look(struct environment *env, const struct env_look *l) {
    if (l)
        take_files(env, l);
    take_clock(env, l ? l->ghz : NAN);
    take_migrations(env);
    take_pinned(env);
    return env_judge(env);
}

bool environment_wants_clock(const struct environment *env) {
    return !env->ghz_counted && !(env->ghz_ns > 0);
}

bool environment_look(struct environment *env) {
    struct env_look l;
    if (!env->open)
        return false;
    env_files_look(env->files, environment_wants_clock(env), &l);
    return take_look(env, &l);
}

/* ---- with a session ---- */

static int find_migrations(const struct model *m, const struct layout *l) {
    for (uint32_t i = 0; i < l->n_slot; i++) {
        const struct event *ev = &m->event[l->slot[i].event];
        if (str_same_name(ev->name, "cpu_migrations") ||
            (ev->alias && str_same_name(ev->alias, "cpu_migrations")))
            return (int)i;
    }
    return -1;
}

void environment_bind(struct environment *env, const struct model *m, const struct layout *l) {
    env->ghz_metric = -1;
    for (uint32_t i = 0; i < m->n_metric; i++)
        if (strcmp(m->metric[i].name, "GHz") == 0)
            env->ghz_metric = (int)i;
    env->migration_slot = find_migrations(m, l);
    env->pinned_slot = -1;
    for (uint32_t i = 0; i < l->n_slot && env->pinned_slot < 0; i++)
        if (l->slot[i].group < l->n_pinned && m->event[l->slot[i].event].slots_leader)
            env->pinned_slot = (int)i; /* not a clock alone: level 1 does not hang on that */
}

static void add_counts(struct environment *env, const struct frame *f, const struct sample *s) {
    double ns = (double)(s->t1_ns - s->t0_ns);
    double ghz = env->ghz_metric >= 0 ? f->at[env->ghz_metric].v : NAN;
    if (ghz > 0 && !isinf(ghz)) {
        env->ghz_sum += ghz * ns;
        env->ghz_ns += ns;
    }
    const struct count *c = env->migration_slot >= 0 ? &s->at[env->migration_slot] : NULL;
    if (c && c->state == COUNT_OK) {
        env->migrated += c->value;
        env->migrated_ns += ns;
        env->migrations = (isnan(env->migrations) ? 0 : env->migrations) + c->value;
    }
    if (env->pinned_slot >= 0) {
        env->pinned_enabled_ns += s->at[env->pinned_slot].enabled_ns;
        env->pinned_running_ns += s->at[env->pinned_slot].running_ns;
    }
}

bool environment_take(struct environment *env, const struct frame *f, const struct sample *s,
                      const struct env_look *l) {
    if (!env->open)
        return false;
    const bool first = !env->begun;
    env->begun = true;
    env->status = false;
    add_counts(env, f, s);
    if (first || l)
        env->status = take_look(env, l) || first;
    return env->status;
}

void environment_examine(struct environment *env) {
    struct machine *mc = calloc(1, sizeof(*mc));
    if (!mc)
        return;
    env->n_perf_users = env_find_perf_users(env->root, env->perf_users, sizeof(env->perf_users));
    machine_detect(mc, env->root);
    env->n_check = doctor_run(mc, env->root, env->check);
    free(mc);
    if (env->open)
        env_judge(env);
}
