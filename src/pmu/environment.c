#include "pmu/environment_impl.h"

#include "base/clock.h"
#include "base/str.h"
#include "pmu/machine.h"
#include "pmu/machine_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    LOOK_EVERY_S = 3,
    COST_SHARE = 5000,    /* at most one 5000th of the time is spent looking */
    THROTTLE_AT_ONCE = 8, /* CPUs whose counts are read in one look */
    CLOCK_AT_ONCE = 4,    /* and whose clock */
    CLOCK_MS = 1,         /* longer than that, and it is not asked again */
    CPUS_MAX = 8192,
    WALK_NS = 2000000, /* for other users of the counters, in one look */
    WALK_FIRST_NS = 4000000,
    LINE = 160, /* of a CPU in /proc/stat, at most */
};

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

/* ---- the CPUs ---- */

static int package_of(const struct environment *env, int cpu) {
    char text[16];
    int n = machine_read_cpu(env->root, cpu, "topology/physical_package_id", text, sizeof(text));
    return n > 0 ? atoi(text) : 0;
}

/* The first CPU of each package, with the counts that there are already. */
static void find_throttling(struct environment *env) {
    uint64_t times;
    int last = -1;
    env->knows_throttling =
        env->n_cpu > 0 && (env_read_throttle(env->root, env->cpu[0].cpu, false, &times) ||
                           env_read_throttle(env->root, env->cpu[0].cpu, true, &times));
    for (int i = 0; i < env->n_cpu && env->knows_throttling; i++) {
        struct env_cpu *c = &env->cpu[i];
        int package = package_of(env, c->cpu);
        c->leads = package > last; /* packages are numbered by their first CPU */
        last = package > last ? package : last;
        env_read_throttle(env->root, c->cpu, false, &c->core_first);
        c->core = c->core_first;
        if (c->leads)
            env_read_throttle(env->root, c->cpu, true, &c->package_first);
        c->package = c->package_first;
    }
}

static int list_cpus(struct environment *env) {
    char text[32768];
    int *list = calloc(CPUS_MAX, sizeof(*list)), n = 0;
    if (!list)
        return -ENOMEM;
    if (machine_read(env->root, MACHINE_CPU_DIR "online", text, sizeof(text)) > 0)
        n = str_list(text, list, CPUS_MAX, NULL);
    env->n_cpu = n > 0 ? n : 0;
    env->cpu = calloc((size_t)env->n_cpu + 1, sizeof(*env->cpu));
    for (int i = 0; env->cpu && i < env->n_cpu; i++)
        env->cpu[i].cpu = list[i];
    free(list);
    return env->cpu ? 0 : -ENOMEM;
}

/* Others who count. */
static void walk_users(struct environment *env, uint64_t most_ns) {
    env_users_walk(env->users, most_ns, &env->n_perf_users, env->perf_users,
                   sizeof(env->perf_users));
}

static const struct env_range unknown = {NAN, NAN, NAN, NAN};

int environment_open(struct environment *env, const char *root) {
    char path[128];
    *env = (struct environment){.stat_fd = -1, .ghz = unknown, .steal = unknown};
    env->migrations_per_s = unknown;
    env->steal_mean = env->migrations = env->pinned_duty = NAN;
    env->ghz_metric = env->migration_slot = env->pinned_slot = -1;
    str_copy(env->root, sizeof(env->root), root);
    read_settings(env);
    int rc = list_cpus(env);
    env->buf_size = (size_t)(env->n_cpu + 2) * LINE;
    env->buf = malloc(env->buf_size);
    env->users = env_users_open(root);
    if (rc || !env->buf || !env->users) {
        environment_close(env);
        return -ENOMEM;
    }
    find_throttling(env);
    snprintf(path, sizeof(path), "%s/proc/stat", root);
    env->stat_fd = open(path, O_RDONLY | O_CLOEXEC);
    env->open = true;
    walk_users(env, WALK_FIRST_NS);
    environment_look(env); /* the beginning of what is compared later */
    return 0;
}

void environment_close(struct environment *env) {
    if (env->stat_fd > 0)
        close(env->stat_fd);
    env_users_close(env->users);
    free(env->cpu);
    free(env->buf);
    *env = (struct environment){.stat_fd = -1};
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

static void take_steal(struct environment *env, const char *line) {
    uint64_t wanted, stolen;
    if (!env_parse_steal(line, &wanted, &stolen))
        return;
    if (!env->knows_ticks) {
        env->steal_first = stolen;
        env->ticks_first = wanted;
    } else if (wanted > env->ticks && stolen >= env->steal_ticks) {
        range_add(&env->steal, (double)(stolen - env->steal_ticks) / (double)(wanted - env->ticks));
        env->steal_mean = (double)(stolen - env->steal_first) / (double)(wanted - env->ticks_first);
    }
    env->steal_ticks = stolen;
    env->ticks = wanted;
    env->knows_ticks = true;
}

/* Was this CPU busy since the last look? The line is "cpu7 user nice system idle ...". */
static void take_cpu(struct env_cpu *c, const char *line) {
    enum { IDLE = 3, IOWAIT = 4, STEAL = 7, N };
    uint64_t total = 0, idle = 0;
    line += strcspn(line, " ");
    for (int i = 0; i < N; i++) {
        char *end;
        uint64_t v = strtoull(line, &end, 10);
        total += v;
        idle += i == IDLE || i == IOWAIT || i == STEAL ? v : 0;
        line = end;
    }
    uint64_t busy = total - idle;
    c->busy = c->ticks && total > c->ticks && (busy - c->busy_ticks) * 2 > total - c->ticks;
    c->ticks = total;
    c->busy_ticks = busy;
}

/* Lines of CPUs come first and ascend, as our list does. */
static void look_at_times(struct environment *env) {
    ssize_t n = env->stat_fd >= 0 ? pread(env->stat_fd, env->buf, env->buf_size - 1, 0) : -1;
    if (n <= 0)
        return;
    env->buf[n] = '\0';
    int i = 0;
    for (char *line = env->buf, *end; (end = strchr(line, '\n')); line = end + 1) {
        *end = '\0';
        if (strncmp(line, "cpu", 3) != 0)
            return;
        if (line[3] == ' ') {
            take_steal(env, line);
            continue;
        }
        int cpu = atoi(line + 3);
        while (i < env->n_cpu && env->cpu[i].cpu < cpu)
            env->cpu[i++].busy = false; /* offline now */
        if (i < env->n_cpu && env->cpu[i].cpu == cpu)
            take_cpu(&env->cpu[i++], line);
    }
}

/* A count that fell began anew: the CPU was offline. */
static void follow_count(uint64_t now, uint64_t *first, uint64_t *last) {
    if (now < *last)
        *first = 0;
    *last = now;
}

static void look_at_throttling(struct environment *env, int from) {
    if (!env->knows_throttling)
        return;
    uint64_t times;
    for (int i = 0; i < THROTTLE_AT_ONCE && i < env->n_cpu; i++) {
        struct env_cpu *c = &env->cpu[(from + i) % env->n_cpu];
        if (env_read_throttle(env->root, c->cpu, false, &times))
            follow_count(times, &c->core_first, &c->core);
    }
    for (int i = 0; i < env->n_cpu; i++) {
        struct env_cpu *c = &env->cpu[i];
        if (c->leads && env_read_throttle(env->root, c->cpu, true, &times))
            follow_count(times, &c->package_first, &c->package);
        uint64_t core = c->core - c->core_first, package = c->package - c->package_first;
        uint64_t most = core > package ? core : package;
        env->throttled = most > env->throttled ? most : env->throttled;
    }
}

/*
 * The clock of a busy CPU in GHz, as the kernel says it; an idle one has none that matters. Before
 * Linux 5.18 the answer on x86 may take 10 ms: then it is not asked again.
 */
static double clock_of(struct environment *env, const struct env_cpu *c) {
    char text[32];
    uint64_t begin = clock_now_ns();
    if (machine_read_cpu(env->root, c->cpu, "cpufreq/scaling_cur_freq", text, sizeof(text)) <= 0)
        return NAN;
    env->no_clock = clock_now_ns() - begin > CLOCK_MS * NS_PER_MS;
    double khz = strtod(text, NULL);
    return khz > 0 ? khz / 1e6 : NAN;
}

/* The fastest of some busy CPUs. */
static double look_at_clocks(struct environment *env, int from) {
    double most = NAN;
    for (int i = 0, n = 0; i < env->n_cpu && n < CLOCK_AT_ONCE && !env->no_clock; i++) {
        const struct env_cpu *c = &env->cpu[(from + i) % env->n_cpu];
        if (!c->busy)
            continue;
        n++;
        most = fmax(most, clock_of(env, c));
    }
    return most;
}

/* What the target's own counters say is better than any file. */
static void take_clock(struct environment *env, int from) {
    if (env->ghz_ns > 0) {
        if (!env->ghz_counted)
            env->ghz = unknown; /* the two are not to be compared */
        env->ghz_counted = true;
        range_add(&env->ghz, env->ghz_sum / env->ghz_ns);
    } else if (!env->ghz_counted) {
        range_add(&env->ghz, look_at_clocks(env, from));
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

bool environment_look(struct environment *env) {
    if (!env->open)
        return false;
    uint64_t begin = clock_now_ns();
    int from = env->next_cpu;
    look_at_times(env);
    look_at_throttling(env, from);
    take_clock(env, from);
    take_migrations(env);
    take_pinned(env);
    if (env->n_cpu)
        env->next_cpu = (from + THROTTLE_AT_ONCE) % env->n_cpu;
    env->cost_ns = clock_now_ns() - begin;
    walk_users(env, WALK_NS); /* has a measure of its own */
    return env_judge(env);
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

bool environment_take(struct environment *env, const struct frame *f, const struct sample *s) {
    if (!env->open)
        return false;
    bool first = !env->due_ns;
    env->news = false;
    add_counts(env, f, s);
    if (s->t1_ns < env->due_ns)
        return false;
    env->news = environment_look(env) || first;
    uint64_t wait = COST_SHARE * env->cost_ns;
    env->due_ns = s->t1_ns + (wait > LOOK_EVERY_S * NS_PER_S ? wait : LOOK_EVERY_S * NS_PER_S);
    return env->news;
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
