#include "pmu/sampling/sampling.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/str.h"
#include "base/thread.h"
#include "pmu/sampling/branches.h"
#include "pmu/sampling/comms.h"
#include "pmu/sampling/data_source.h"
#include "pmu/sampling/events.h"
#include "pmu/sampling/id_set.h"
#include "pmu/sampling/maps.h"
#include "pmu/sampling/merge.h"
#include "pmu/sampling/sample_rate.h"
#include "pmu/sampling/threads.h"
#include "pmu/sampling/waits.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum {
    EARLY_MS = 100, /* the rings are emptied this often, or when one is half full */
    WAKE_MS = 500,  /* likewise, of a target that is sampled for EARLY_S */
    EARLY_S = 5,
    SETTLE_MS = 5, /* until the record of a thread that is in /proc has been written */
    FILES_OURS = 256,
};

/* A thread that blocks pays for a switch in any case. */
static const double off_cpu_hz = 10000;

static const struct spaces_limits space_limits = {.spaces = 4096, .mappings = 1 << 18};
enum { MODULES_MOST = 1 << 14 };
#define COUNTED_NS NS_PER_S
#define PART_NS    NS_PER_S /* of a wait that goes on */

struct sampling {
    struct events events;
    struct merge merge;
    struct modules modules; /* has a lock */
    struct spaces spaces;
    struct tally tally; /* has a lock */
    struct comms comms; /* has a lock */
    struct sample_rate rate;
    uint64_t counted_ns; /* when it was looked whether it has a counter */
    uint64_t taking_ns; /* CPU time for samples; opening and closing is not what the rate changes */
    struct threads threads; /* where threads are sampled */
    bool tasks;             /* that is so */
    bool filter;            /* of what the CPUs do only that of these processes */
    struct id_set processes;
    struct waits waits; /* of off-cpu, as the next four */
    uint64_t n_begun;
    struct id_set moved; /* threads that had a CPU, or left one */
    struct id_set ended; /* threads that have, but leave their CPU for the last time afterwards */
    bool looked;         /* for those that blocked from the beginning */
    uint64_t parts_ns;   /* when those that go on were counted */
    pthread_t thread;
    bool started;
    int stop_fd;
    pthread_mutex_t lock;
    struct sampling_info info; /* guarded by lock */
    struct sampling_info now;  /* the thread's own */
    struct place stack[TALLY_DEPTH];
    struct tally_jump jump[TALLY_JUMPS];
    bool accesses;           /* samples may have addresses */
    enum data_source source; /* of all samples of the event; DATA_UNKNOWN: of none in particular */
};

/* ---- records ---- */

/* Which part of a call chain follows a marker (enum perf_callchain_context). */
static enum record_mode mode_of(uint64_t marker) {
    return marker == (uint64_t)PERF_CONTEXT_USER     ? MODE_USER
           : marker == (uint64_t)PERF_CONTEXT_KERNEL ? MODE_KERNEL
                                                     : MODE_UNKNOWN;
}

/*
 * Programs without frame pointers: the CPU's own stack of calls (Intel's LBR) has those of user
 * space since the event was opened, the youngest first, each with the call itself. They take the
 * place of what the kernel has found from `user` on, unless that goes on for longer before an
 * address that is none: without frame pointers it follows whatever is in the register.
 */
static uint32_t prefer_calls(struct sampling *s, const struct record *r, uint32_t n,
                             uint32_t user) {
    const struct record_sample *smp = &r->sample;
    uint64_t n_call = 0, good = user;
    while (n_call < smp->n_branch && smp->branch[n_call].from)
        n_call++;
    while (good < n && s->stack[good].module != MODULES_UNKNOWN)
        good++;
    if (!s->events.opt.calls || !user || !n_call || user + n_call < good)
        return n;
    n = user;
    for (uint64_t i = 0; i < n_call && n < TALLY_DEPTH; i++)
        spaces_find(&s->spaces, r->pid, smp->branch[i].from, MODE_USER, &s->stack[n++]);
    return n;
}

/* The place of a sample and those of its callers. Behind a marker comes where that part was
 * stopped, then return addresses. */
static uint32_t find_stack(struct sampling *s, const struct record *r) {
    const struct record_sample *smp = &r->sample;
    enum record_mode mode = MODE_UNKNOWN;
    bool exact = true, first = true;               /* no return address; what was sampled itself */
    uint32_t n = 1, user = smp->mode == MODE_USER; /* where callers in user space begin */
    spaces_find(&s->spaces, r->pid, smp->ip, smp->mode, &s->stack[0]);
    for (uint64_t i = 0; i < smp->n_chain && n < TALLY_DEPTH; i++) {
        const uint64_t at = smp->chain[i];
        if (at >= (uint64_t)PERF_CONTEXT_MAX) {
            mode = mode_of(at);
            exact = true;
            continue;
        }
        if (!(first && mode == smp->mode) && mode != MODE_UNKNOWN)
            spaces_find(&s->spaces, r->pid, exact ? at : at - 1, mode, &s->stack[n++]);
        if (exact && mode == MODE_USER && !user)
            user = n;
        first = exact = false;
    }
    return prefer_calls(s, r, n, user);
}

static bool is_clock(const struct sampling *s) {
    return !s->events.attr[0].freq;
}

/* As the sample says, else as its event does. */
static enum data_source source_of(const struct sampling *s, const struct record *r) {
    const enum data_source said = data_source_of(r->sample.data_src);
    return said != DATA_UNKNOWN ? said : s->source;
}

static bool is_broken(const struct place *stack, uint32_t n) {
    for (uint32_t i = 1; i < n; i++)
        if (stack[i].module == MODULES_UNKNOWN)
            return true;
    return false;
}

/* ---- waits ---- */

static void begin_wait(struct sampling *s, const struct record *r) {
    if (r->tid == 0 || id_set_has(&s->ended, r->tid)) /* 0: the CPU had nothing to do */
        return;
    const uint32_t n = find_stack(s, r);
    s->n_begun++;
    waits_begin(&s->waits, r, (double)events_period(&s->events), s->stack, n);
}

/* As far as it has come: what is new of it. */
static void count_part(struct sampling *s, struct wait *one, uint64_t until_ns) {
    const uint64_t from = one->told_ns ? one->told_ns : one->left_ns;
    const double ns = one->times * (double)(until_ns > from ? until_ns - from : 1);
    const struct tally_sample sample = {.pid = one->pid,
                                        .tid = one->tid,
                                        .time_ns = until_ns,
                                        .period = (uint64_t)ns,
                                        .before = one->told,
                                        .exact = true,
                                        .kernel = one->kernel,
                                        .n_stack = one->n_stack,
                                        .stack = one->stack};
    tally_add(&s->tally, &sample);
    s->now.n_sample += one->told == 0;
    s->now.n_broken += one->told == 0 && is_broken(one->stack, one->n_stack);
    one->told += ns;
    one->told_ns = until_ns;
}

/* Takes it over. */
static void count_wait(struct sampling *s, struct wait *one, uint64_t end_ns) {
    count_part(s, one, end_ns);
    free(one);
}

static void count_long(void *user, struct wait *one) {
    struct sampling *s = user;
    const uint64_t from = one->told_ns ? one->told_ns : one->left_ns;
    if (from && s->parts_ns > from + PART_NS)
        count_part(s, one, s->parts_ns);
}

/* Those that are long are seen before they end. */
static void count_parts(struct sampling *s, uint64_t now) {
    if (now < s->parts_ns + PART_NS)
        return;
    s->parts_ns = now;
    waits_check(&s->waits, "/proc");
    waits_each(&s->waits, count_long, s);
}

static void follow_wait(struct sampling *s, const struct record *r) {
    struct wait *one = waits_end(&s->waits, r);
    if (s->moved.bits)
        id_set_put(r->kind == RECORD_EXIT ? &s->ended : &s->moved, r->tid, true);
    if (one)
        count_wait(s, one, r->time);
}

/* Those that go on, as long as they do. */
static void count_waits_left(struct sampling *s) {
    const uint64_t now = clock_now_ns();
    struct asleep a;
    for (struct wait *one; (one = waits_take(&s->waits));)
        if (one->left_ns && asleep_read(&a, "/proc", one->tid)) /* else a record was lost */
            count_wait(s, one, now);
        else
            free(one);
}

/* Where it is not known what they wait for. */
static void count_asleep(struct sampling *s) {
    struct asleep a;
    for (pid_t tid = 0; s->tasks && s->moved.bits && (tid = id_set_next(&s->threads.have, tid));)
        s->now.n_asleep += !id_set_has(&s->moved, tid) && !waits_has(&s->waits, tid) &&
                           asleep_read(&a, "/proc", tid);
}

static void add_asleep(struct sampling *s, const struct asleep *a) {
    struct place stack[2];
    uint32_t n = 0;
    if (a->wchan_at && !s->events.user_only)
        spaces_find(&s->spaces, a->pid, a->wchan_at, MODE_KERNEL, &stack[n++]);
    if (a->pc)
        spaces_find(&s->spaces, a->pid, a->pc, MODE_USER, &stack[n++]);
    if (n)
        waits_add(&s->waits, a, s->now.begin_ns, stack, n);
}

/* Threads that block when all have the event: no sample tells of what. */
static void look_for_asleep(struct sampling *s) {
    ARRAY(struct asleep) all = {0};
    struct asleep a;
    s->looked = true;
    for (pid_t tid = 0; (tid = id_set_next(&s->threads.have, tid));)
        if (!id_set_has(&s->moved, tid) && asleep_read(&a, "/proc", tid))
            (void)array_push(&all, a);
    if (all.n && !s->events.user_only)
        asleep_find(all.at, all.n, "/proc");
    for (size_t i = 0; i < all.n; i++)
        add_asleep(s, &all.at[i]);
    array_free(&all);
}

static bool is_to_look(const struct sampling *s) {
    return s->events.opt.off_cpu && !s->looked && s->tasks && !s->events.opt.on_exec &&
           !threads_open(&s->threads);
}

/* ---- samples ---- */

static void take_sample(struct sampling *s, const struct record *r) {
    if (s->tasks && !threads_count(&s->threads, &s->events, r))
        return;
    if (s->filter && !id_set_has(&s->processes, r->pid)) {
        s->now.n_foreign++;
        return;
    }
    if (s->events.opt.off_cpu) {
        begin_wait(s, r);
        return;
    }
    const struct tally_sample sample = {
        .pid = r->pid,
        .tid = r->tid,
        .time_ns = s->events.timed ? r->time : clock_now_ns(),
        .period = is_clock(s) && !s->tasks ? NS_PER_S / s->events.opt.freq : r->sample.period,
        .exact = r->sample.exact,
        .kernel = r->sample.mode == MODE_KERNEL,
        .n_stack = find_stack(s, r),
        .stack = s->stack,
        .n_jump = s->events.opt.branches ? branches_find(&s->spaces, r, s->jump) : 0,
        .jump = s->jump,
        .addr = s->accesses ? r->sample.addr : 0,
        .cycles = r->sample.weight,
        .source = source_of(s, r),
        .store = data_source_is_store(r->sample.data_src),
    };
    tally_add(&s->tally, &sample);
    s->now.n_sample++;
    s->now.n_broken += is_broken(s->stack, sample.n_stack);
}

/* Who belongs to it. */
static void follow_task(struct sampling *s, const struct record *r) {
    if (s->tasks)
        threads_follow(&s->threads, &s->events, r);
    else if (s->filter && r->kind == RECORD_FORK && r->pid != r->fork.ppid)
        id_set_put(&s->processes, r->pid, id_set_has(&s->processes, r->fork.ppid));
}

static void take(void *user, const struct record *r) {
    struct sampling *s = user;
    switch (r->kind) {
    case RECORD_SAMPLE:
        take_sample(s, r);
        return;
    case RECORD_LOST:
        s->now.n_lost += r->n_lost;
        waits_lose(&s->waits); /* or two of them would become one */
        return;
    case RECORD_THROTTLE:
        s->now.n_throttled++;
        return;
    case RECORD_COMM:
        comms_put(&s->comms, r->tid, r->comm.name);
        break;
    case RECORD_FORK:
        if (s->ended.bits)
            id_set_put(&s->ended, r->tid, false);
        comms_fork(&s->comms, r->tid, r->fork.ptid);
        follow_task(s, r);
        break;
    case RECORD_EXIT:
        follow_wait(s, r);
        follow_task(s, r);
        break;
    case RECORD_SWITCH:
        follow_wait(s, r);
        return;
    default:
        break;
    }
    spaces_follow(&s->spaces, r);
}

/* ---- what others see ---- */

/* Others may have taken its counter: then there are fewer samples, or none. */
static void look_at_counter(struct sampling *s) {
    s->counted_ns = clock_now_ns();
    s->now.no_counter = is_clock(s) ? 0 : 1 - events_counted(&s->events);
}

static void publish(struct sampling *s) {
    struct sampling_info *n = &s->now;
    if (clock_now_ns() - s->counted_ns > COUNTED_NS)
        look_at_counter(s);
    n->cpu_ns = clock_thread_ns();
    n->n_garbled = s->merge.n_garbled;
    n->n_evicted = s->spaces.n_evicted + s->spaces.n_dropped + modules_refused(&s->modules) +
                   s->waits.n_no_room;
    n->n_unreadable = s->spaces.n_unreadable;
    n->freq_hz = (double)s->events.opt.freq;
    n->opening = s->tasks && threads_open(&s->threads);
    n->n_thread = (uint32_t)s->threads.opened.n;
    n->n_left_out = s->threads.n_left_out;
    pthread_mutex_lock(&s->lock);
    s->info = *n;
    pthread_mutex_unlock(&s->lock);
}

void sampling_info(struct sampling *s, struct sampling_info *out) {
    pthread_mutex_lock(&s->lock);
    *out = s->info;
    pthread_mutex_unlock(&s->lock);
}

int sampling_read(struct sampling *s, struct tally_copy *copy) {
    return tally_read(&s->tally, copy);
}

void sampling_reset(struct sampling *s) {
    tally_reset(&s->tally);
}

void sampling_module(struct sampling *s, uint32_t id, struct module *out) {
    modules_get(&s->modules, id, out);
}

bool sampling_comm(struct sampling *s, pid_t pid, pid_t tid, char name[COMM_SIZE]) {
    char path[64];
    if (comms_get(&s->comms, tid, name))
        return true;
    snprintf(path, sizeof(path), "/proc/%d/task/%d/comm", (int)pid, (int)tid);
    return str_read_small(path, name, COMM_SIZE) > 0;
}

uint32_t sampling_modules(struct sampling *s) {
    return modules_count(&s->modules);
}

/* ---- the rate ---- */

/* What costs time: samples, or waits that begin. */
static uint64_t seen(const struct sampling *s) {
    const uint64_t own = s->events.opt.off_cpu ? s->n_begun : s->now.n_sample;
    return own + s->now.n_foreign + s->now.n_lost;
}

/* Of off-cpu most is for records of switches, which come at any rate. */
static uint64_t cost_ns(const struct sampling *s) {
    return s->events.opt.off_cpu ? 0 : s->taking_ns;
}

/* Threads that have inherited an event keep their rate until all is opened again. */
static void reopen(struct sampling *s) {
    s->events.opt.on_exec = false;
    for (int i = 0; i < EVENTS_LISTS; i++)
        s->events.attr[i].enable_on_exec = 0;
    threads_again(&s->threads, &s->events);
    waits_lose(&s->waits); /* of their ends there may be no record */
    s->now.n_reopened++;
}

/*
 * A clock that is told another period goes on to say the first in its samples (perf_swevent_hrtimer
 * takes last_period, which only opening sets), so that it is opened again; that is not worth a
 * small change.
 */
static void keep_rate_of_clock(struct sampling *s) {
    const uint64_t before = s->rate.freq;
    if (sample_rate_step(&s->rate, clock_now_ns(), seen(s), cost_ns(s)) == RATE_STAYS)
        return;
    if (s->rate.freq < before || s->rate.freq > before + before / 2) {
        reopen(s); /* they are opened bit by bit, as below */
        events_set_freq(&s->events, s->rate.freq);
    } else {
        s->rate.freq = before;
    }
}

static void keep_rate(struct sampling *s) {
    if (is_clock(s) && s->tasks) {
        keep_rate_of_clock(s);
        return;
    }
    switch (sample_rate_step(&s->rate, clock_now_ns(), seen(s), cost_ns(s))) {
    case RATE_STAYS:
        return;
    case RATE_CHANGES:
        events_set_freq(&s->events, s->rate.freq);
        return;
    case RATE_IN_VAIN:
        events_set_freq(&s->events, s->rate.freq);
        if (s->tasks && s->events.opt.inherit)
            reopen(s);
        return;
    }
}

/* ---- the thread ---- */

/* Of a target the kernel tells all mappings; of a whole system /proc is read before a process ends.
 */
static int wake_ms(const struct sampling *s) {
    if (s->tasks && threads_open(&s->threads))
        return threads_listed(&s->threads) ? SETTLE_MS : 0;
    const bool early = clock_now_ns() - s->now.begin_ns < EARLY_S * NS_PER_S;
    return early || !s->tasks ? EARLY_MS : WAKE_MS;
}

static bool wait_for_work(struct sampling *s, struct pollfd *fd) {
    poll(fd, (nfds_t)s->events.n_cpu + 1, wake_ms(s));
    return !(fd[0].revents & POLLIN);
}

static void read_process(struct sampling *s, pid_t pid) {
    char name[COMM_SIZE];
    spaces_read(&s->spaces, pid);
    if (sampling_comm(s, pid, pid, name)) /* it may end before it is asked for */
        comms_put(&s->comms, pid, name);
}

static void *run(void *user) {
    struct sampling *s = user;
    struct pollfd *fd = calloc((size_t)s->events.n_cpu + 1, sizeof(*fd));
    if (!fd)
        return NULL;
    fd[0] = (struct pollfd){.fd = s->stop_fd, .events = POLLIN};
    if (s->events.opt.off_cpu)
        waits_init(&s->waits, s->events.user_only ? NULL : "/proc");
    for (int i = 0; i < s->events.n_cpu; i++)
        fd[i + 1] = (struct pollfd){.fd = s->events.cpu[i].fd, .events = POLLIN};
    for (int i = 0; i < s->threads.n_pid && !s->events.opt.on_exec; i++)
        read_process(s, s->threads.pid[i]);
    while (wait_for_work(s, fd)) {
        const uint64_t now = clock_now_ns();
        const uint64_t cpu = clock_thread_ns();
        merge_rings(&s->merge, &s->events, s->events.timed ? now : UINT64_MAX, take, s);
        s->taking_ns += clock_thread_ns() - cpu;
        if (s->tasks)
            threads_work(&s->threads, &s->events);
        if (is_to_look(s))
            look_for_asleep(s);
        if (s->events.opt.off_cpu)
            count_parts(s, now);
        keep_rate(s);
        publish(s);
    }
    events_stop(&s->events);
    merge_rings(&s->merge, &s->events, UINT64_MAX, take, s);
    waits_check(&s->waits, "/proc");
    count_asleep(s);
    count_waits_left(s);
    look_at_counter(s);
    const uint64_t lost = events_lost(&s->events);
    if (s->now.n_lost < lost)
        s->now.n_lost = lost;
    publish(s);
    free(fd);
    return NULL;
}

void sampling_stop(struct sampling *s) {
    const uint64_t one = 1;
    if (!s->started)
        return;
    while (write(s->stop_fd, &one, sizeof(one)) < 0 && errno == EINTR) {
        /* again */
    }
    pthread_join(s->thread, NULL);
    s->started = false;
}

void sampling_close(struct sampling *s) {
    if (!s)
        return;
    sampling_stop(s);
    events_close(&s->events);
    merge_destroy(&s->merge);
    spaces_destroy(&s->spaces);
    modules_destroy(&s->modules);
    tally_destroy(&s->tally);
    comms_destroy(&s->comms);
    threads_destroy(&s->threads);
    id_set_destroy(&s->processes);
    id_set_destroy(&s->moved);
    id_set_destroy(&s->ended);
    waits_destroy(&s->waits);
    if (s->stop_fd >= 0)
        close(s->stop_fd);
    pthread_mutex_destroy(&s->lock);
    free(s);
}

/* ---- opening ---- */

/* Descriptors, as source_perf_open.c does it. */
static uint64_t files_room(void) {
    struct rlimit now;
    if (getrlimit(RLIMIT_NOFILE, &now) < 0)
        return EVENTS_MOST;
    now.rlim_cur = now.rlim_max;
    setrlimit(RLIMIT_NOFILE, &now);
    getrlimit(RLIMIT_NOFILE, &now);
    return now.rlim_cur > 2 * FILES_OURS ? now.rlim_cur - FILES_OURS : now.rlim_cur / 2;
}

static bool is_of_tasks(const struct target_set *ts) {
    return ts->kind == TARGET_PIDS || ts->kind == TARGET_NAME || ts->kind == TARGET_COMMAND ||
           ts->kind == TARGET_TIDS;
}

static int online_cpus(int **cpu) {
    enum { MOST = 8192 };
    char text[4096];
    *cpu = calloc(MOST, sizeof(**cpu));
    if (!*cpu || str_read_small(MACHINE_CPU_DIR "online", text, sizeof(text)) <= 0)
        return *cpu ? ((*cpu)[0] = 0, 1) : -ENOMEM;
    return str_list(text, *cpu, MOST, NULL);
}

static int open_rings(struct sampling *s, const struct sampling_options *opt, struct err *err) {
    const struct target_set *ts = opt->target;
    int *all = NULL, n = ts->n_cpu;
    const struct events_options eo = {.list = opt->list,
                                      .n_list =
                                          opt->n_list < EVENTS_LISTS ? opt->n_list : EVENTS_LISTS,
                                      .freq = s->rate.freq,
                                      .off_cpu = locate_is_off_cpu(&opt->list[0]),
                                      .stacks = opt->stacks,
                                      .branches = opt->branches,
                                      .calls = opt->stacks && !opt->branches,
                                      .memory = opt->memory,
                                      .inherit = s->tasks && ts->kind != TARGET_TIDS,
                                      .on_exec = ts->kind == TARGET_COMMAND && !ts->started,
                                      .user_only = opt->user_only,
                                      .build_ids = maps_knows_build_ids(),
                                      .paranoid = opt->paranoid};
    if (s->tasks)
        n = online_cpus(&all);
    const int rc = n < 0 ? err_set(err, n, "out of memory for the CPUs")
                         : events_open(&s->events, &eo, s->tasks ? all : ts->cpu, n, err);
    free(all);
    return rc;
}

/* Whole CPUs, one event each; others' samples are left out. */
static int choose_cpus(struct sampling *s, int cgroup_fd, struct err *err) {
    return events_choose(&s->events, &(struct events_on){-1, cgroup_fd},
                         cgroup_fd >= 0 ? "the cgroup" : "all CPUs", false, err);
}

static int choose_filter(struct sampling *s, struct err *err) {
    s->events.opt.inherit = false;
    const int rc = choose_cpus(s, -1, err);
    s->filter = s->now.system_wide = rc == 0;
    s->tasks = rc != 0;
    s->events.opt.inherit = rc != 0;
    for (int i = 0; i < s->threads.n_pid && rc == 0; i++)
        id_set_put(&s->processes, s->threads.pid[i], true);
    return rc;
}

static int choose_threads(struct sampling *s, struct err *err) {
    struct threads *t = &s->threads;
    const uint64_t need = t->tid.n * (uint64_t)s->events.n_cpu, room = files_room();
    struct err none;
    int rc = -ESRCH;
    if (t->n_pid && need > (room < EVENTS_MOST ? room : EVENTS_MOST)) {
        if (choose_filter(s, &none) == 0)
            return 0;
        threads_busiest_first(t);
    }
    while (t->next < t->tid.n && rc == -ESRCH) {
        char words[64];
        const pid_t tid = t->tid.at[t->next];
        snprintf(words, sizeof(words), "process %d", (int)(t->n_pid ? t->pid[0] : tid));
        rc = events_choose(&s->events, &(struct events_on){tid, -1}, words, target_is_foreign(tid),
                           err);
        if (rc == 0)
            threads_opened(t, &s->events, 0);
        else
            t->next++;
    }
    return rc == -ESRCH ? err_set(err, rc, "what was to be sampled has ended") : rc;
}

/* Why samples have no branch records. */
static const char *no_branches(const struct sampling_info *n, int rc) {
    return n->n_event && n->event[0].clock ? "a clock has none, only an event of the PMU"
           : rc == -EOPNOTSUPP             ? "the CPU, or its hypervisor, offers none to the kernel"
                                           : strerror(-rc);
}

/* What was opened, for those who ask. */
static void describe(struct sampling *s) {
    struct sampling_info *n = &s->now;
    const struct events *ev = &s->events;
    for (int i = 0; i < ev->opt.n_list && n->n_event < 4; i++) {
        if (ev->chosen[i] < 0)
            continue;
        const struct locate_event *from = &ev->opt.list[i].at[ev->chosen[i]];
        struct sampling_event *e = &n->event[n->n_event++];
        str_copy(e->name, sizeof(e->name), from->name);
        str_copy(e->of, sizeof(e->of), from->of);
        str_copy(e->why, sizeof(e->why), from->why);
        e->clock = from->clock;
        e->off_cpu = from->off_cpu;
        const enum data_source is = data_source_of_event(e->name);
        s->source = n->n_event == 1 || is == s->source ? is : DATA_UNKNOWN;
        s->accesses |= ev->opt.memory && from->access;
        e->node = from->node;
        e->precise_ip = ev->attr[i].precise_ip;
        e->precision = locate_precision(from, e->precise_ip);
    }
    n->n_cpu = ev->n_cpu;
    n->ring_pages = ev->ring_pages;
    n->ring_wanted = ev->ring_wanted;
    n->user_only = ev->user_only;
    n->branches = ev->opt.branches;
    n->accesses = s->accesses;
    if (ev->no_branches)
        str_copy(n->no_branches, sizeof(n->no_branches), no_branches(n, ev->no_branches));
    n->begin_ns = clock_now_ns();
}

static int prepare(struct sampling *s, const struct sampling_options *opt, struct err *err) {
    int rc = modules_init(&s->modules, MODULES_MOST);
    if (!rc && locate_is_off_cpu(&opt->list[0]))
        rc = id_set_init(&s->moved) ? -ENOMEM : id_set_init(&s->ended);
    if (!rc)
        rc = spaces_init(&s->spaces, &s->modules, "", &space_limits);
    if (!rc)
        rc = tally_init(&s->tally, &opt->limits);
    if (!rc)
        rc = id_set_init(&s->processes);
    if (!rc)
        rc = comms_init(&s->comms);
    if (!rc)
        s->tasks = is_of_tasks(opt->target);
    if (!rc && s->tasks)
        rc = threads_init(&s->threads, opt->target);
    s->stop_fd = eventfd(0, EFD_CLOEXEC);
    if (!rc && s->stop_fd < 0)
        rc = -errno;
    return rc ? err_set(err, rc, "sampling: %s", strerror(-rc)) : 0;
}

static int open_all(struct sampling *s, const struct sampling_options *opt, struct err *err) {
    if (opt->target->kind == TARGET_CPUS && locate_is_off_cpu(&opt->list[0]))
        return err_set(
            err, -EINVAL,
            "off-cpu: a thread that leaves these CPUs may come back on another; sample a "
            "process, or all (-a)");
    int rc = prepare(s, opt, err);
    if (!rc)
        rc = open_rings(s, opt, err);
    if (rc)
        return rc;
    s->spaces.timed = s->events.timed;
    rc = s->tasks ? choose_threads(s, err)
                  : choose_cpus(s, opt->target->kind == TARGET_CGROUP ? opt->target->cgroup_fd : -1,
                                err);
    if (!rc && merge_init(&s->merge, s->events.n_cpu))
        rc = err_set(err, -ENOMEM, "out of memory for the ring buffers");
    if (rc)
        return rc;
    describe(s);
    s->info = s->now;
    s->events.opt.list = NULL; /* it was borrowed */
    rc = thread_start(&s->thread, "tdtop-where", run, s);
    s->started = rc == 0;
    return rc ? err_set(err, rc, "sampling: no thread: %s", strerror(-rc)) : 0;
}

int sampling_open(struct sampling **out, const struct sampling_options *opt, struct err *err) {
    struct sampling *s = calloc(1, sizeof(*s));
    *out = NULL;
    if (!s)
        return err_set(err, -ENOMEM, "out of memory for samples");
    s->stop_fd = -1;
    pthread_mutex_init(&s->lock, NULL);
    const bool waits = opt->n_list && locate_is_off_cpu(&opt->list[0]);
    sample_rate_init(&s->rate, waits ? off_cpu_hz : opt->rate_hz, opt->cpu_share);
    const int rc = open_all(s, opt, err);
    if (rc)
        sampling_close(s);
    else
        *out = s;
    return rc;
}
