/*
 * Small files of /proc and /sys that tell the state of a machine: how it is set, who else uses the
 * counters, and what is looked at every few seconds while a session runs, by its sampler.
 */
#include "pmu/host/environment_impl.h"

#include "base/clock.h"
#include "base/folder.h"
#include "base/str.h"
#include "pmu/host/machine.h"
#include "pmu/host/machine_impl.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- clock ---- */

enum { KINDS = 4 };

static int add_kind(char kind[KINDS][24], int n, const char *name) {
    for (int i = 0; i < n; i++)
        if (strcmp(kind[i], name) == 0)
            return n;
    if (n == KINDS)
        return n;
    str_safe(kind[n], sizeof(kind[n]), name);
    return n + 1;
}

static int by_name(const void *a, const void *b) {
    return strcmp(a, b);
}

void env_read_governor(const char *root, char *buf, size_t cap) {
    char path[512], text[48], kind[KINDS][24];
    int n = 0;
    buf[0] = '\0';
    snprintf(path, sizeof(path), "%s" MACHINE_CPU_DIR "cpufreq", root);
    DIR *dir = opendir(path);
    for (struct dirent *de; dir && (de = readdir(dir));) {
        snprintf(path, sizeof(path), MACHINE_CPU_DIR "cpufreq/%.200s/scaling_governor", de->d_name);
        if (str_starts(de->d_name, "policy") && machine_read(root, path, text, sizeof(text)) > 0)
            n = add_kind(kind, n, text);
    }
    if (dir)
        closedir(dir);
    /* Before Linux 4.3 there are no folders of policies. */
    if (!n && machine_read_cpu(root, 0, "cpufreq/scaling_governor", text, sizeof(text)) > 0)
        n = add_kind(kind, n, text);
    qsort(kind, (size_t)n, sizeof(kind[0]), by_name);
    struct strbuf sb = strbuf_on(buf, cap);
    for (int i = 0; i < n; i++)
        strbuf_add(&sb, "%s%s", i ? ", " : n > 1 ? "mixed: " : "", kind[i]);
}

int env_read_turbo(const char *root, const char **fix_off) {
    const int off = machine_read_int(root, MACHINE_CPU_DIR "intel_pstate/no_turbo", -1);
    const int boost = machine_read_int(root, MACHINE_CPU_DIR "cpufreq/boost", -1);
    *fix_off = off >= 0 ? "echo 1 >" MACHINE_CPU_DIR "intel_pstate/no_turbo"
                        : "echo 0 >" MACHINE_CPU_DIR "cpufreq/boost";
    return off >= 0 ? off == 0 : boost < 0 ? -1 : boost == 1;
}

bool env_read_throttle(const char *root, int cpu, bool package, uint64_t *times) {
    char text[32], *end;
    const char *file = package ? "thermal_throttle/package_throttle_count"
                               : "thermal_throttle/core_throttle_count";
    if (machine_read_cpu(root, cpu, file, text, sizeof(text)) <= 0)
        return false;
    *times = strtoull(text, &end, 10);
    return end != text;
}

/* proc(5): user nice system idle iowait irq softirq steal; guests are part of user. */
bool env_parse_steal(const char *line, uint64_t *wanted, uint64_t *stolen) {
    enum { USER, NICE, SYSTEM, IDLE, IOWAIT, IRQ, SOFTIRQ, STEAL, N };
    uint64_t v[N];
    line += strcspn(line, " ");
    for (int i = 0; i < N; i++) {
        char *end;
        v[i] = strtoull(line, &end, 10);
        if (end == line)
            return false;
        line = end;
    }
    *stolen = v[STEAL];
    *wanted = v[USER] + v[NICE] + v[SYSTEM] + v[IRQ] + v[SOFTIRQ] + v[STEAL];
    return true;
}

/* ---- other users of the counters ---- */

/*
 * Who else holds perf events, found without being noticed: a machine has thousands of processes,
 * and looking into all of them takes longer than drawing a frame. So the walk over /proc stops
 * after a moment and goes on at the next look. System calls only: opendir() allocates.
 */
enum {
    LINKS_MAX = 512, /* a little at a time: those who count hold perf events among the first */
    BUF_SIZE = 4096,
    NAMED = 3,
    REST = 10, /* calls between the end of a walk and the next */
};

struct env_users {
    char root[64];
    struct folder proc, fds;
    char proc_buf[BUF_SIZE] __attribute__((aligned(8)));
    char fds_buf[BUF_SIZE] __attribute__((aligned(8)));
    int links_max; /* that are looked at of one process */
    int found, rest;
    char names[96];
};

static bool open_folder(struct folder *f, const char *path, char *buf) {
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    *f = (struct folder){.fd = fd, .buf = buf, .size = BUF_SIZE};
    return fd >= 0;
}

static void close_folder(struct folder *f) {
    if (f->fd >= 0)
        close(f->fd);
    f->fd = -1;
}

static struct env_users *users_open(const char *root) {
    struct env_users *eu = calloc(1, sizeof(*eu));
    if (!eu)
        return NULL;
    str_copy(eu->root, sizeof(eu->root), root);
    eu->links_max = LINKS_MAX;
    eu->proc.fd = eu->fds.fd = -1;
    return eu;
}

static void users_close(struct env_users *eu) {
    if (eu)
        close_folder(&eu->proc);
    free(eu);
}

static bool is_perf_event(int folder, const char *name) {
    static const char wanted[] = "anon_inode:[perf_event]";
    char link[64];
    ssize_t n = readlinkat(folder, name, link, sizeof(link));
    return n == (ssize_t)strlen(wanted) && memcmp(link, wanted, (size_t)n) == 0;
}

static bool counts(struct env_users *eu, const char *pid) {
    char path[512];
    bool found = false;
    snprintf(path, sizeof(path), "%s/proc/%.20s/fd", eu->root, pid);
    if (!open_folder(&eu->fds, path, eu->fds_buf))
        return false; /* of another user, or gone */
    const char *name;
    for (int i = 0; i < eu->links_max && !found && (name = folder_next(&eu->fds)); i++)
        found = is_perf_event(eu->fds.fd, name);
    close_folder(&eu->fds);
    return found;
}

static void add_user(struct env_users *eu, const char *pid) {
    char path[64], comm[64], safe[64];
    size_t n = strlen(eu->names);
    if (eu->found++ >= NAMED)
        return;
    snprintf(path, sizeof(path), "/proc/%.20s/comm", pid);
    bool named = machine_read(eu->root, path, comm, sizeof(comm)) > 0;
    snprintf(eu->names + n, sizeof(eu->names) - n, "%s%.15s %.10s", n ? ", " : "",
             named ? str_safe(safe, sizeof(safe), comm) : "process", pid);
}

static bool is_ours(const struct env_users *eu, const char *pid) {
    return !eu->root[0] && atoi(pid) == (int)getpid();
}

static bool begin(struct env_users *eu) {
    char path[128];
    eu->found = 0;
    eu->names[0] = '\0';
    snprintf(path, sizeof(path), "%s/proc", eu->root);
    return open_folder(&eu->proc, path, eu->proc_buf);
}

/*
 * A walk over /proc that stops after most_ns and goes on at the next call, and begins again some
 * calls after its end. True at its end; then *n and names say what it found. Never allocates.
 */
static bool users_walk(struct env_users *eu, uint64_t most_ns, int *n, char *names, size_t cap) {
    uint64_t end = clock_now_ns() + most_ns;
    if (eu->rest > 0) {
        eu->rest--;
        return false;
    }
    if (eu->proc.fd < 0 && !begin(eu))
        return false;
    const char *pid;
    while ((pid = folder_next(&eu->proc))) {
        if (isdigit((unsigned char)pid[0]) && !is_ours(eu, pid) && counts(eu, pid))
            add_user(eu, pid);
        if (clock_now_ns() >= end)
            return false;
    }
    close_folder(&eu->proc);
    eu->rest = REST;
    *n = eu->found;
    str_copy(names, cap, eu->names);
    return true;
}

int env_find_perf_users(const char *root, char *names, size_t cap) {
    struct env_users *eu = users_open(root);
    int n = -1;
    names[0] = '\0';
    if (eu) {
        eu->links_max = INT_MAX;
        users_walk(eu, UINT64_MAX / 2, &n, names, cap);
    }
    users_close(eu);
    return n;
}

enum {
    LOOK_EVERY_S = 3,
    COST_SHARE = 5000,    /* at most one 5000th of the time is spent looking */
    THROTTLE_AT_ONCE = 8, /* CPUs that have their counts read in one look */
    CLOCK_AT_ONCE = 4,    /* and their clock */
    CLOCK_MS = 1,         /* longer than that */
    SLOW_CLOCKS = 3,      /* so often in a row, and it is not asked again */
    WALK_NS = 2000000,    /* for other users of the counters, in one look */
    WALK_FIRST_NS = 4000000,
    LINE = 160, /* of a CPU in /proc/stat, at most */
};

/* ---- the files that a session looks at: at the start ---- */

static int package_of(const struct env_files *ef, int cpu) {
    char text[16];
    int n = machine_read_cpu(ef->root, cpu, "topology/physical_package_id", text, sizeof(text));
    return n > 0 ? atoi(text) : 0;
}

/* The first CPU of each package, with the counts that there are already. */
static void find_throttling(struct env_files *ef) {
    uint64_t times;
    int last = -1;
    ef->knows_throttling =
        ef->n_cpu > 0 && (env_read_throttle(ef->root, ef->cpu[0].cpu, false, &times) ||
                          env_read_throttle(ef->root, ef->cpu[0].cpu, true, &times));
    for (int i = 0; i < ef->n_cpu && ef->knows_throttling; i++) {
        struct env_cpu *c = &ef->cpu[i];
        int package = package_of(ef, c->cpu);
        c->leads = package > last; /* packages are numbered by their first CPU */
        last = package > last ? package : last;
        env_read_throttle(ef->root, c->cpu, false, &c->core_first);
        c->core = c->core_first;
        if (c->leads)
            env_read_throttle(ef->root, c->cpu, true, &c->package_first);
        c->package = c->package_first;
    }
}

static int list_cpus(struct env_files *ef) {
    char text[32768];
    int *list = calloc(MACHINE_CPUS_MAX, sizeof(*list)), n = 0;
    if (!list)
        return -ENOMEM;
    if (machine_read(ef->root, MACHINE_CPU_DIR "online", text, sizeof(text)) > 0)
        n = str_list(text, list, MACHINE_CPUS_MAX, NULL);
    ef->n_cpu = n > 0 ? n : 0;
    ef->cpu = calloc((size_t)ef->n_cpu + 1, sizeof(*ef->cpu));
    for (int i = 0; ef->cpu && i < ef->n_cpu; i++)
        ef->cpu[i].cpu = list[i];
    free(list);
    return ef->cpu ? 0 : -ENOMEM;
}

/* Others who count. */
static void walk_users(struct env_files *ef, uint64_t most_ns) {
    users_walk(ef->users, most_ns, &ef->now.n_perf_users, ef->now.perf_users,
               sizeof(ef->now.perf_users));
}

struct env_files *env_files_open(const char *root) {
    char path[128];
    struct env_files *ef = calloc(1, sizeof(*ef));
    if (!ef)
        return NULL;
    ef->stat_fd = -1;
    str_copy(ef->root, sizeof(ef->root), root);
    const int rc = list_cpus(ef);
    ef->buf_size = (size_t)(ef->n_cpu + 2) * LINE;
    ef->buf = malloc(ef->buf_size);
    ef->users = users_open(root);
    if (rc || !ef->buf || !ef->users) {
        env_files_close(ef);
        return NULL;
    }
    ef->now = (struct env_look){.ghz = NAN, .steal_mean = NAN, .n_perf_users = -1};
    find_throttling(ef);
    snprintf(path, sizeof(path), "%s/proc/stat", root);
    ef->stat_fd = open(path, O_RDONLY | O_CLOEXEC);
    walk_users(ef, WALK_FIRST_NS);
    return ef;
}

void env_files_close(struct env_files *ef) {
    if (!ef)
        return;
    if (ef->stat_fd >= 0)
        close(ef->stat_fd);
    users_close(ef->users);
    free(ef->cpu);
    free(ef->buf);
    free(ef);
}

/* ---- looking ---- */

static void take_steal(struct env_files *ef, const char *line) {
    uint64_t wanted, stolen;
    if (!env_parse_steal(line, &wanted, &stolen))
        return;
    if (!ef->knows_ticks) {
        ef->steal_first = stolen;
        ef->ticks_first = wanted;
    } else if (wanted > ef->ticks && stolen >= ef->steal_ticks) {
        ef->now.steal = (double)(stolen - ef->steal_ticks) / (double)(wanted - ef->ticks);
        ef->now.steal_mean =
            (double)(stolen - ef->steal_first) / (double)(wanted - ef->ticks_first);
    }
    ef->steal_ticks = stolen;
    ef->ticks = wanted;
    ef->knows_ticks = true;
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
static void look_at_times(struct env_files *ef) {
    ssize_t n = ef->stat_fd >= 0 ? pread(ef->stat_fd, ef->buf, ef->buf_size - 1, 0) : -1;
    if (n <= 0)
        return;
    ef->buf[n] = '\0';
    int i = 0;
    for (char *line = ef->buf, *end; (end = strchr(line, '\n')); line = end + 1) {
        *end = '\0';
        if (strncmp(line, "cpu", 3) != 0)
            return;
        if (line[3] == ' ') {
            take_steal(ef, line);
            continue;
        }
        int cpu = atoi(line + 3);
        while (i < ef->n_cpu && ef->cpu[i].cpu < cpu)
            ef->cpu[i++].busy = false; /* offline now */
        if (i < ef->n_cpu && ef->cpu[i].cpu == cpu)
            take_cpu(&ef->cpu[i++], line);
    }
}

/* A count that fell began again: the CPU was offline. */
static void follow_count(uint64_t now, uint64_t *first, uint64_t *last) {
    if (now < *last)
        *first = 0;
    *last = now;
}

static void look_at_throttling(struct env_files *ef, int from) {
    if (!ef->knows_throttling)
        return;
    uint64_t times;
    for (int i = 0; i < THROTTLE_AT_ONCE && i < ef->n_cpu; i++) {
        struct env_cpu *c = &ef->cpu[(from + i) % ef->n_cpu];
        if (env_read_throttle(ef->root, c->cpu, false, &times))
            follow_count(times, &c->core_first, &c->core);
    }
    for (int i = 0; i < ef->n_cpu; i++) {
        struct env_cpu *c = &ef->cpu[i];
        if (c->leads && env_read_throttle(ef->root, c->cpu, true, &times))
            follow_count(times, &c->package_first, &c->package);
        uint64_t core = c->core - c->core_first, package = c->package - c->package_first;
        uint64_t most = core > package ? core : package;
        ef->now.throttled = most > ef->now.throttled ? most : ef->now.throttled;
    }
}

/*
 * The clock of a busy CPU in GHz, as the kernel says it; an idle one has none that matters. Before
 * Linux 5.18 the answer on x86 may take 10 ms: after three such answers it is not asked again.
 */
static double clock_of(struct env_files *ef, const struct env_cpu *c) {
    char text[32];
    uint64_t begin = clock_now_ns();
    if (machine_read_cpu(ef->root, c->cpu, "cpufreq/scaling_cur_freq", text, sizeof(text)) <= 0)
        return NAN;
    const bool slow = clock_now_ns() - begin > CLOCK_MS * NS_PER_MS;
    ef->slow_clocks = slow ? ef->slow_clocks + 1 : 0; /* once may be a busy machine */
    double khz = strtod(text, NULL);
    return khz > 0 ? khz / 1e6 : NAN;
}

/* The fastest of some busy CPUs. */
static double look_at_clocks(struct env_files *ef, int from) {
    double most = NAN;
    for (int i = 0, n = 0; i < ef->n_cpu && n < CLOCK_AT_ONCE && ef->slow_clocks < SLOW_CLOCKS;
         i++) {
        const struct env_cpu *c = &ef->cpu[(from + i) % ef->n_cpu];
        if (!c->busy)
            continue;
        n++;
        most = fmax(most, clock_of(ef, c));
    }
    return most;
}

bool env_files_due(struct env_files *ef, uint64_t t_ns) {
    const uint64_t wait = COST_SHARE * ef->now.cost_ns;
    if (t_ns < ef->due_ns)
        return false;
    ef->due_ns = t_ns + (wait > LOOK_EVERY_S * NS_PER_S ? wait : LOOK_EVERY_S * NS_PER_S);
    return true;
}

void env_files_look(struct env_files *ef, bool clock, struct env_look *out) {
    const uint64_t begin = clock_now_ns();
    const int from = ef->next_cpu;
    ef->now.steal = NAN;
    look_at_times(ef);
    look_at_throttling(ef, from);
    ef->now.ghz = clock ? look_at_clocks(ef, from) : NAN;
    if (ef->n_cpu)
        ef->next_cpu = (from + THROTTLE_AT_ONCE) % ef->n_cpu;
    ef->now.cost_ns = clock_now_ns() - begin;
    walk_users(ef, WALK_NS); /* has a measure of its own */
    *out = ef->now;
}
