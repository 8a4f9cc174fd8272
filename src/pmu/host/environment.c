/*
 * The state of the machine during a session: settings, read once at the start; what changes, from
 * the files (environment_files.c) and from the target's own counts; and what follows from both in
 * words: some for the header, sentences for the list, keys and values for the store.
 */
#include "pmu/host/environment_impl.h"

#include "base/clock.h"
#include "base/str.h"
#include "pmu/host/machine.h"
#include "pmu/host/machine_impl.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Limits from which on something is worth a word. */
static const double steal_bad = 0.02;     /* of the time that CPUs wanted to run */
static const double clock_fell = 0.85;    /* now, compared with the fastest */
static const double migrations_bad = 500; /* per second */
static const double pinned_lost = 0.99;   /* of the time */

/* ---- the words ---- */

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

static void add_word(struct environment *env, enum check_state state, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
static void add_word(struct environment *env, enum check_state state, const char *fmt, ...) {
    if (env->n_word == ENV_WORDS_MAX)
        return;
    struct env_word *to = &env->word[env->n_word++];
    to->state = state;
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(to->text, sizeof(to->text), fmt, ap);
    va_end(ap);
}

/* ---- each thing; in the order of what spoils numbers most ---- */

static void judge_pinned(struct environment *env) {
    if (isnan(env->pinned_duty))
        return;
    bool lost = env->pinned_duty < pinned_lost;
    struct check *c = add_note(env, "pinned_group", lost ? CHECK_WARN : CHECK_OK);
    FOUND(c, "counted %.1f%% of the time", env->pinned_duty * 100);
    if (!lost)
        return;
    bool never = env->pinned_duty <= 0;
    if (never)
        add_word(env, CHECK_WARN, "level 1 not counted");
    else
        add_word(env, CHECK_WARN, "level 1 multiplexed: %.0f%%", env->pinned_duty * 100);
    EFFECT(c,
           "another user of the counters holds what the slots group was pinned to: levels 1 and 2 "
           "%s",
           never ? "have no values" : "are scaled up from the time that was left");
    FIX(c, "end the other user (perf_users), or let it count less");
}

static void judge_heat(struct environment *env) {
    if (!env->knows_throttling)
        return;
    struct check *c = add_note(env, "throttled", env->throttled ? CHECK_WARN : CHECK_OK);
    FOUND(c, "%llu times since tdtop began", (unsigned long long)env->throttled);
    if (!env->throttled)
        return;
    add_word(env, CHECK_WARN, "throttled %llux", (unsigned long long)env->throttled);
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
    add_word(env, CHECK_WARN, "steal %.0f%%", fmax(env->steal.now, env->steal_mean) * 100);
    EFFECT(c, "other guests of the host take this share of the time in which our CPUs have work: "
              "programs look slower than they are, and a busy sibling may take slots unseen");
    FIX(c, "a dedicated host or CPUs that are not overcommitted");
}

static void judge_clock(struct environment *env) {
    const struct env_range *r = &env->ghz;
    if (isnan(r->now))
        return;
    bool fell = r->now < r->most * clock_fell, moved = r->least < r->most * clock_fell;
    struct check *c = add_note(env, "clock_change", moved ? CHECK_WARN : CHECK_OK);
    FOUND(c, "%.2f GHz now, %.2f to %.2f GHz so far (%s)", r->now, r->least, r->most,
          env->ghz_counted ? "counted on the target" : "busy CPUs, as the kernel says");
    if (!moved)
        return;
    if (fell)
        add_word(env, CHECK_WARN, "%.1f -> %.1f GHz", r->most, r->now);
    else
        add_word(env, CHECK_WARN, "%.1f..%.1f GHz", r->least, r->most);
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
    add_word(env, CHECK_WARN, "%.0f migrations/s", r->now);
    EFFECT(c,
           "each move to another CPU leaves warm private caches behind: part of the memory bound "
           "share is not the program's own");
    FIX(c, "taskset or cpusets, or fewer runnable threads than CPUs");
}

static void judge_users(struct environment *env) {
    bool lost = env->n_perf_users > 0 && env->has_pmu;
    if (env->n_perf_users < 0)
        return;
    struct check *c = add_note(env, "perf_users", lost ? CHECK_WARN : CHECK_OK);
    if (env->n_perf_users)
        FOUND(c, "%d hold%s perf events: %s%s", env->n_perf_users,
              env->n_perf_users == 1 ? "s" : "", env->perf_users,
              env->n_perf_users > 3 ? " ..." : "");
    else
        FOUND(c, "none that we may see");
    if (!lost)
        return;
    add_word(env, CHECK_WARN, "%d other perf user%s", env->n_perf_users,
             env->n_perf_users == 1 ? "" : "s");
    EFFECT(c, "counters that they hold are not ours: fewer events fit, and groups are multiplexed");
    FIX(c, "end them while measuring");
}

/* The doctor has found these at the start; what they are called in the header. */
static void judge_fixed(struct environment *env, const char *name, const char *before, bool found,
                        const char *after) {
    for (int i = 0; i < env->n_fixed; i++) {
        const struct check *c = &env->fixed[i];
        if (strcmp(c->name, name) != 0)
            continue;
        *add_note(env, name, c->state) = *c;
        if (c->state == CHECK_OK || (strcmp(name, "smt") == 0 && env->smt < 0))
            return; /* that it is a guest says it */
        add_word(env, c->state, "%s%.28s%s", before, found ? c->found : "", after);
    }
}

static void judge_settings(struct environment *env) {
    static const struct {
        const char *name, *before;
        bool found;
        const char *after;
    } words[] = {
        {"nmi_watchdog", "NMI watchdog", false, ""},
        {"perf_event_paranoid", "paranoid ", true, ""},
        {"hypervisor", "", true, " guest"},
        {"mux_interval", "turns of ", true, ""},
        {"governor", "governor ", true, ""},
        {"turbo", "turbo", false, ""},
        {"smt", "SMT", false, ""},
    };
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        judge_fixed(env, words[i].name, words[i].before, words[i].found, words[i].after);
}

/* Warnings first; each kind keeps its order. */
static void sort_words(struct environment *env) {
    for (int i = 1; i < env->n_word; i++)
        for (int k = i; k > 0 && env->word[k].state > env->word[k - 1].state; k--) {
            struct env_word w = env->word[k];
            env->word[k] = env->word[k - 1];
            env->word[k - 1] = w;
        }
}

/* The warnings and notes that follow from the numbers. True if the warnings are other ones than
 * before. */
static bool judge(struct environment *env) {
    static void (*const judges[])(struct environment *) = {
        judge_pinned, judge_heat,       judge_steal,   judge_clock,
        judge_users,  judge_migrations, judge_settings};
    struct env_word before[ENV_WORDS_MAX];
    int n_before = env->n_word;
    memcpy(before, env->word, sizeof(before));
    env->n_word = env->n_note = 0;
    memset(env->word, 0, sizeof(env->word));
    for (size_t i = 0; i < sizeof(judges) / sizeof(judges[0]); i++)
        judges[i](env);
    sort_words(env);
    return env->n_word != n_before || memcmp(before, env->word, sizeof(before)) != 0;
}

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

/* The doctor's checks of what does not change. */
static void check_fixed(struct environment *env, const struct machine *mc) {
    static const char *const names[] = {
        "nmi_watchdog", "perf_event_paranoid", "mux_interval", "hypervisor", "governor", "turbo",
        "smt"};
    _Static_assert(sizeof(names) / sizeof(names[0]) <= ENV_FIXED_MAX, "ENV_FIXED_MAX");
    env->n_fixed = 0;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        env->n_fixed += doctor_check(mc, env->root, names[i], &env->fixed[env->n_fixed]);
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
        env->mux_interval_ms = machine_read_int(env->root, path, -1);
    check_fixed(env, mc);
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

/* Pinned, it is on whenever its target runs; unless another user had the counters first. */
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
    return judge(env);
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

/* That it has lost its place is said at once, by this interval alone: until files are looked at
 * again much time may pass. */
static bool lost_pinned(struct environment *env, const struct sample *s) {
    const uint64_t least_ns = NS_PER_S / 10;
    const struct count *c = env->pinned_slot >= 0 ? &s->at[env->pinned_slot] : NULL;
    if (!c || c->enabled_ns < least_ns || c->running_ns > c->enabled_ns / 10 * 9 ||
        env->pinned_duty < pinned_lost)
        return false;
    env->pinned_enabled_ns = c->enabled_ns;
    env->pinned_running_ns = c->running_ns;
    return true;
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
    else if (lost_pinned(env, s)) {
        take_pinned(env);
        env->status = judge(env);
    }
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
        judge(env);
}

/* ---- keys and values, for the store ---- */

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
    add_number(&f, "pinned_group_percent", env->pinned_duty * 100, 1);
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
