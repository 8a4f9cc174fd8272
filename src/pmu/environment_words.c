/* From the state of the machine to words: three warnings for the header, sentences for the list,
 * keys and values for the store. */
#include "base/str.h"
#include "pmu/environment_impl.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* From when on it is worth a word. */
static const double steal_bad = 0.02;     /* of the time that CPUs wanted to run */
static const double clock_fell = 0.85;    /* now, compared with the fastest */
static const double migrations_bad = 500; /* per second */

/* ---- notes ---- */

static struct check *add_note(struct environment *env, const char *name, enum check_state state) {
    struct check *c = &env->note[env->n_note < ENV_NOTES_MAX ? env->n_note++ : ENV_NOTES_MAX - 1];
    *c = (struct check){.state = state};
    str_copy(c->name, sizeof(c->name), name);
    return c;
}

static void say(char *buf, size_t cap, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
static void say(char *buf, size_t cap, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(buf, cap, fmt, ap);
    va_end(ap);
}

#define FOUND(c, ...)  say((c)->found, sizeof((c)->found), __VA_ARGS__)
#define EFFECT(c, ...) say((c)->effect, sizeof((c)->effect), __VA_ARGS__)
#define FIX(c, ...)    say((c)->fix, sizeof((c)->fix), __VA_ARGS__)

static void warn(struct environment *env, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
static void warn(struct environment *env, const char *fmt, ...) {
    if (env->n_warning == ENV_WARNINGS)
        return;
    char *to = env->warning[env->n_warning++];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(to, sizeof(env->warning[0]), fmt, ap);
    va_end(ap);
}

/* ---- each thing; in the order of what spoils numbers most ---- */

static void judge_heat(struct environment *env) {
    if (!env->knows_throttling)
        return;
    struct check *c = add_note(env, "throttled", env->throttled ? CHECK_WARN : CHECK_OK);
    FOUND(c, "%llu times since tdtop began", (unsigned long long)env->throttled);
    if (!env->throttled)
        return;
    warn(env, "throttled %llux", (unsigned long long)env->throttled);
    EFFECT(c, "the CPU slows itself down for heat or power: times and rates measured before and "
              "after do not compare, shares of slots hardly change");
    FIX(c, "better cooling, a lower power limit, or turbo off while comparing");
}

static void judge_steal(struct environment *env) {
    if (isnan(env->steal_mean) || (!env->hypervisor[0] && env->steal.most == 0))
        return;
    bool bad = env->steal.now >= steal_bad || env->steal_mean >= steal_bad;
    struct check *c = add_note(env, "steal", bad ? CHECK_WARN : CHECK_OK);
    FOUND(c, "%.1f%% now, %.1f%% on average, %.1f%% at most", env->steal.now * 100,
          env->steal_mean * 100, env->steal.most * 100);
    if (!bad)
        return;
    warn(env, "steal %.0f%%", fmax(env->steal.now, env->steal_mean) * 100);
    EFFECT(c, "other guests of the host take this share of the time in which our CPUs have work: "
              "programs look slower than they are, and a busy sibling may take slots unseen");
    FIX(c, "a dedicated host or CPUs that are not overcommitted");
}

static void judge_clock(struct environment *env) {
    const struct env_range *r = &env->ghz;
    if (isnan(r->now))
        return;
    bool fell = r->now < r->most * clock_fell, moved = r->least < r->most * clock_fell;
    struct check *c = add_note(env, "clock", moved ? CHECK_WARN : CHECK_OK);
    FOUND(c, "%.2f GHz now, %.2f to %.2f GHz so far (%s)", r->now, r->least, r->most,
          env->ghz_counted ? "counted on the target" : "busy CPUs, as the kernel says");
    if (!moved)
        return;
    if (fell)
        warn(env, "%.1f -> %.1f GHz", r->most, r->now);
    else
        warn(env, "%.1f..%.1f GHz", r->least, r->most);
    EFFECT(c, "memory does not become slower with the core: at a lower clock a program looks less "
              "memory bound, and its rates per second fall");
    FIX(c, "cpupower frequency-set -g performance, and turbo off, while comparing");
}

static void judge_migrations(struct environment *env) {
    const struct env_range *r = &env->migrations_per_s;
    if (isnan(r->now))
        return;
    bool bad = r->now >= migrations_bad;
    struct check *c = add_note(env, "migrations", bad ? CHECK_WARN : CHECK_OK);
    FOUND(c, "%.1f per second now, %.1f at most, %.0f since tdtop began", r->now, r->most,
          env->migrations);
    if (!bad)
        return;
    warn(env, "%.0f migrations/s", r->now);
    EFFECT(c,
           "each move to another CPU leaves warm private caches behind: part of the memory bound "
           "share is not the program's own");
    FIX(c, "taskset or cpusets, or fewer runnable threads than CPUs");
}

/* The doctor's check has it in sentences. */
static void judge_users(struct environment *env) {
    if (env->n_perf_users > 0 && env->has_pmu)
        warn(env, "%d other perf user%s", env->n_perf_users, env->n_perf_users == 1 ? "" : "s");
}

static void judge_watchdog(struct environment *env) {
    if (env->nmi_watchdog == 1 && env->has_pmu)
        warn(env, "NMI watchdog");
}

static void judge_governor(struct environment *env) {
    if (env->governor[0] && strcmp(env->governor, "performance") != 0)
        warn(env, "governor %.28s", env->governor);
}

bool env_judge(struct environment *env) {
    static void (*const judges[])(struct environment *) = {
        judge_heat,  judge_steal,    judge_clock,   judge_migrations,
        judge_users, judge_watchdog, judge_governor};
    char before[ENV_WARNINGS][sizeof(env->warning[0])];
    int n_before = env->n_warning;
    memcpy(before, env->warning, sizeof(before));
    env->n_warning = env->n_note = 0;
    memset(env->warning, 0, sizeof(env->warning));
    for (size_t i = 0; i < sizeof(judges) / sizeof(judges[0]); i++)
        judges[i](env);
    return env->n_warning != n_before || memcmp(before, env->warning, sizeof(before)) != 0;
}

/* ---- keys and values ---- */

struct facts {
    struct env_fact *out;
    int n;
};

static void add(struct facts *f, const char *key, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
static void add(struct facts *f, const char *key, const char *fmt, ...) {
    char value[sizeof(f->out->value)];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(value, sizeof(value), fmt, ap);
    va_end(ap);
    if (!value[0] || f->n == ENV_FACTS_MAX)
        return;
    str_copy(f->out[f->n].key, sizeof(f->out->key), key);
    str_safe(f->out[f->n++].value, sizeof(f->out->value), value);
}

/* What is not known has no row. */
static void add_known(struct facts *f, const char *key, int v) {
    if (v >= 0)
        add(f, key, "%d", v);
}

static void add_switch(struct facts *f, const char *key, int v) {
    if (v >= 0)
        add(f, key, "%s", v ? "on" : "off");
}

static void add_number(struct facts *f, const char *key, double v, int digits) {
    if (!isnan(v))
        add(f, key, "%.*f", digits, v);
}

int environment_facts(const struct environment *env, struct env_fact *out) {
    struct facts f = {.out = out};
    if (!env->open)
        return 0;
    add(&f, "cpu", "%s", env->cpu_name);
    add(&f, "cpu_id", "%s", env->cpu_id);
    add_known(&f, "cpus", env->n_cpu ? env->n_cpu : -1);
    add(&f, "kernel", "%s", env->kernel);
    add(&f, "microcode", "%s", env->microcode);
    add(&f, "hypervisor", "%s", env->hypervisor[0] ? env->hypervisor : "none");
    add(&f, "governor", "%s", env->governor);
    add_switch(&f, "turbo", env->turbo);
    add_switch(&f, "smt", env->smt);
    add_switch(&f, "nmi_watchdog", env->nmi_watchdog);
    add_known(&f, "mux_interval_ms", env->mux_interval_ms);
    if (env->paranoid != 99)
        add(&f, "perf_event_paranoid", "%d", env->paranoid);
    add_known(&f, "perf_users", env->n_perf_users);
    if (env->knows_throttling)
        add(&f, "throttled", "%llu", (unsigned long long)env->throttled);
    add_number(&f, "ghz_first", env->ghz.first, 3);
    add_number(&f, "ghz_least", env->ghz.least, 3);
    add_number(&f, "ghz_most", env->ghz.most, 3);
    add(&f, "ghz_from", "%s", isnan(env->ghz.now) ? "" : env->ghz_counted ? "counted" : "kernel");
    add_number(&f, "steal_mean_percent", env->steal_mean * 100, 2);
    add_number(&f, "steal_most_percent", env->steal.most * 100, 2);
    add_number(&f, "migrations", env->migrations, 0);
    add_number(&f, "migrations_most_per_s", env->migrations_per_s.most, 1);
    return f.n;
}
