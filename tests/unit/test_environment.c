/* Fake machines that grow hot, lose time to others and change their clock; then this machine. */
#include "pmu/host/environment.h"
#include "pmu/host/environment_impl.h"

#include "base/clock.h"
#include "base/str.h"
#include "fake_root.h"

#include <math.h>

#define STAT    "/proc/stat"
#define CORE(n) CPU_DIR "cpu" #n "/thermal_throttle/core_throttle_count"
#define PKG(n)  CPU_DIR "cpu" #n "/thermal_throttle/package_throttle_count"
#define FREQ(n) CPU_DIR "cpu" #n "/cpufreq/scaling_cur_freq"
#define CPUINFO                                                                                    \
    "processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 143\n"                 \
    "model name\t: Big Iron\nstepping\t: 8\nmicrocode\t: 0x2b0004d0\nflags\t\t: fpu"

/* An ordinary server: two packages of two CPUs. Nothing is wrong with it. */
static int make_server(void **state) {
    if (make_root(state))
        return -1;
    put("/proc/cpuinfo", CPUINFO "\n");
    put("/proc/sys/kernel/osrelease", "6.1.0-13-amd64\n");
    put("/proc/sys/kernel/perf_event_paranoid", "0\n");
    put("/proc/sys/kernel/nmi_watchdog", "0\n");
    put(CPU_DIR "online", "0-3\n");
    put(CPU_DIR "smt/active", "1\n");
    put(CPU_DIR "intel_pstate/no_turbo", "0\n");
    put(CPU_DIR "cpufreq/policy0/scaling_governor", "performance\n");
    put_pmu("cpu", "type", "4\n");
    put_pmu("cpu", "perf_event_mux_interval_ms", "4\n");
    for (int i = 0; i < 4; i++) {
        char path[128];
        snprintf(path, sizeof(path), CPU_DIR "cpu%d/topology/physical_package_id", i);
        put(path, i < 2 ? "0\n" : "1\n");
        snprintf(path, sizeof(path), CPU_DIR "cpu%d/thermal_throttle/core_throttle_count", i);
        put(path, "10\n");
        snprintf(path, sizeof(path), CPU_DIR "cpu%d/thermal_throttle/package_throttle_count", i);
        put(path, "20\n");
    }
    put(STAT, "cpu  100 0 100 1000 0 0 0 0 0 0\ncpu0 100 0 0 0 0 0 0 0 0 0\n"
              "cpu1 10 0 0 90 0 0 0 0 0 0\ncpu2 10 0 0 90 0 0 0 0 0 0\ncpu3 10 0 0 90 0 0\n");
    return 0;
}

static const struct check *find(const struct check *list, int n, const char *name) {
    for (int i = 0; i < n; i++)
        if (strcmp(list[i].name, name) == 0)
            return &list[i];
    return NULL;
}

static const struct env_word *word(const struct environment *env, const char *text) {
    for (int i = 0; i < env->n_word; i++)
        if (strcmp(env->word[i].text, text) == 0)
            return &env->word[i];
    return NULL;
}

static bool warns(const struct environment *env, const char *text) {
    const struct env_word *w = word(env, text);
    return w && w->state == CHECK_WARN;
}

static int n_warnings(const struct environment *env) {
    int n = 0;
    for (int i = 0; i < env->n_word; i++)
        n += env->word[i].state >= CHECK_WARN;
    return n;
}

static const char *fact(const struct environment *env, const char *key) {
    static struct env_fact list[ENV_FACTS_MAX];
    int n = environment_facts(env, list);
    assert_true(n <= ENV_FACTS_MAX);
    for (int i = 0; i < n; i++)
        if (strcmp(list[i].key, key) == 0)
            return list[i].value;
    return "";
}

static void open_here(struct environment *env) {
    assert_int_equal(environment_open(env, root), 0);
}

static void what_is_there_at_the_start(void **state) {
    (void)state;
    static const struct {
        const char *key, *value;
    } facts[] = {
        {"cpu", "Big Iron"},
        {"cpu_id", "GenuineIntel-6-8F-8"},
        {"cpus", "4"},
        {"kernel", "6.1.0-13-amd64"},
        {"microcode", "0x2b0004d0"},
        {"hypervisor", "none"},
        {"governor", "performance"},
        {"turbo", "on"},
        {"smt", "on"},
        {"nmi_watchdog", "off"},
        {"mux_interval_ms", "4"},
        {"perf_event_paranoid", "0"},
        {"throttled", "0"},
        {"perf_users", "0"},
        {"pinned_group_percent", ""},
        {"ghz_least", ""},
        {"migrations", ""},
    };
    struct environment env;
    open_here(&env);
    for (size_t i = 0; i < COUNT_OF(facts); i++)
        if (strcmp(fact(&env, facts[i].key), facts[i].value) != 0)
            fail_msg("%s: \"%s\", wanted \"%s\"", facts[i].key, fact(&env, facts[i].key),
                     facts[i].value);
    assert_int_equal(n_warnings(&env), 0);
    assert_int_equal(env.n_word, 2); /* good to know */
    assert_true(word(&env, "turbo") && word(&env, "SMT"));
    environment_close(&env);
    environment_close(&env);
    assert_int_equal(environment_facts(&env, NULL), 0);
    assert_false(environment_look(&env));
}

static void a_bare_root(void **state) {
    (void)state;
    struct environment env;
    open_here(&env);
    environment_look(&env);
    assert_int_equal(env.n_word, 1); /* a kernel without perf events */
    assert_true(env.word[0].state == CHECK_FAIL);
    assert_int_equal(env.n_note, 1);
    assert_string_equal(fact(&env, "turbo"), "");
    assert_string_equal(fact(&env, "perf_users"), "");
    assert_string_equal(fact(&env, "throttled"), "");
    environment_close(&env);
}

/* Each case changes some files after the start; then it is looked at. */
static void warnings(void **state) {
    (void)state;
    static const struct {
        const char *what;
        struct {
            const char *path, *text;
        } before[4], after[4];
        const char *warning, *note; /* NULL: none */
        enum check_state state;
    } cases[] = {
        {"nothing changes", {{NULL, NULL}}, {{NULL, NULL}}, NULL, "throttled", CHECK_OK},
        {"a core grows hot",
         {{NULL, NULL}},
         {{CORE(1), "22\n"}},
         "throttled 12x",
         "throttled",
         CHECK_WARN},
        {"the second package does",
         {{NULL, NULL}},
         {{PKG(2), "23\n"}},
         "throttled 3x",
         "throttled",
         CHECK_WARN},
        {"both: not added up",
         {{NULL, NULL}},
         {{CORE(1), "14\n"}, {PKG(0), "25\n"}},
         "throttled 5x",
         "throttled",
         CHECK_WARN},
        {"a CPU that came back begins anew",
         {{NULL, NULL}},
         {{CORE(3), "2\n"}},
         "throttled 2x",
         "throttled",
         CHECK_WARN},
        {"AMD does not say",
         {{CORE(0), ""}, {PKG(0), ""}},
         {{CORE(1), "99\n"}},
         NULL,
         NULL,
         CHECK_OK},
        {"steal",
         {{NULL, NULL}},
         {{STAT, "cpu  146 0 100 2000 0 0 0 4 0 0\n"}},
         "steal 8%",
         "steal",
         CHECK_WARN},
        {"steal too small to matter",
         {{"/proc/cpuinfo", CPUINFO " hypervisor\n"}},
         {{STAT, "cpu  199 0 100 2000 0 0 0 1 0 0\n"}},
         NULL,
         "steal",
         CHECK_OK},
        {"no guest, no steal: not a word",
         {{NULL, NULL}},
         {{STAT, "cpu  199 0 100 2000 0 0 0 0 0 0\n"}},
         NULL,
         NULL,
         CHECK_OK},
        {"the time runs backwards",
         {{NULL, NULL}},
         {{STAT, "cpu  5 0 5 5 0 0 0 0 0 0\n"}},
         NULL,
         NULL,
         CHECK_OK},
        {"a broken file", {{NULL, NULL}}, {{STAT, "cpu  x\n"}}, NULL, NULL, CHECK_OK},
        {"a governor that saves",
         {{CPU_DIR "cpufreq/policy0/scaling_governor", "powersave\n"}},
         {{NULL, NULL}},
         "governor powersave",
         "governor",
         CHECK_NOTE},
        {"a governor with an escape",
         {{CPU_DIR "cpufreq/policy0/scaling_governor", "p\033[m\n"}},
         {{NULL, NULL}},
         "governor p?[m",
         "governor",
         CHECK_NOTE},
        {"groups that take turns slowly",
         {{PMU_DIR "cpu/perf_event_mux_interval_ms", "100\n"}},
         {{NULL, NULL}},
         "turns of 100 ms",
         "mux_interval",
         CHECK_NOTE},
        {"a guest with counters",
         {{"/proc/cpuinfo", CPUINFO " hypervisor\n"}, {"/sys/class/dmi/id/sys_vendor", "QEMU\n"}},
         {{NULL, NULL}},
         "QEMU guest",
         "hypervisor",
         CHECK_NOTE},
        {"turbo", {{NULL, NULL}}, {{NULL, NULL}}, "turbo", "turbo", CHECK_NOTE},
        {"SMT", {{NULL, NULL}}, {{NULL, NULL}}, "SMT", "smt", CHECK_NOTE},
        {"no SMT", {{CPU_DIR "smt/active", "0\n"}}, {{NULL, NULL}}, NULL, "smt", CHECK_OK},
        {"the watchdog",
         {{"/proc/sys/kernel/nmi_watchdog", "1\n"}},
         {{NULL, NULL}},
         "NMI watchdog",
         "nmi_watchdog",
         CHECK_WARN},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct environment env;
        assert_int_equal(make_server(NULL), 0);
        for (int k = 0; k < 4 && cases[i].before[k].path; k++)
            put(cases[i].before[k].path, cases[i].before[k].text);
        open_here(&env);
        for (int k = 0; k < 4 && cases[i].after[k].path; k++)
            put(cases[i].after[k].path, cases[i].after[k].text);
        environment_look(&env);
        const struct check *note = cases[i].note ? find(env.note, env.n_note, cases[i].note) : NULL;
        const struct env_word *w = cases[i].warning ? word(&env, cases[i].warning) : NULL;
        if (cases[i].warning ? !w || w->state != cases[i].state : n_warnings(&env) != 0)
            fail_msg("%s: %d words, first \"%s\"", cases[i].what, env.n_word, env.word[0].text);
        if (cases[i].note && (!note || note->state != cases[i].state))
            fail_msg("%s: note state %d", cases[i].what, note ? (int)note->state : -1);
        if (note && (note->state == CHECK_OK) != (note->effect[0] == '\0'))
            fail_msg("%s: an effect without cause, or none", cases[i].what);
        environment_close(&env);
        assert_int_equal(remove_root(NULL), 0);
    }
}

static void the_worst_first(void **state) {
    (void)state;
    struct environment env;
    put("/proc/sys/kernel/nmi_watchdog", "1\n");
    put(CPU_DIR "cpufreq/policy0/scaling_governor", "powersave\n");
    open_here(&env);
    assert_int_equal(n_warnings(&env), 1);
    put(CORE(0), "11\n");
    put(STAT, "cpu  140 0 100 2000 0 0 0 10 0 0\n");
    assert_true(environment_look(&env)); /* they have changed */
    static const char *const order[] = {"throttled 1x",       "steal 20%", "NMI watchdog",
                                        "governor powersave", "turbo",     "SMT"};
    assert_int_equal(env.n_word, COUNT_OF(order));
    for (int i = 0; i < env.n_word; i++)
        assert_string_equal(env.word[i].text, order[i]);
    assert_int_equal(n_warnings(&env), 3);
    assert_false(environment_look(&env));
    environment_close(&env);
}

/* Every core is looked at in the end, however few at once. */
static void many_cores_take_turns(void **state) {
    (void)state;
    struct environment env;
    put(CPU_DIR "online", "0-39\n");
    for (int i = 0; i < 40; i++) {
        char path[128];
        snprintf(path, sizeof(path), CPU_DIR "cpu%d/thermal_throttle/core_throttle_count", i);
        put(path, "0\n");
    }
    open_here(&env);
    put(CPU_DIR "cpu39/thermal_throttle/core_throttle_count", "4\n");
    int n_looks = 0;
    while (!env.throttled && n_looks < 40) {
        environment_look(&env);
        n_looks++;
    }
    assert_int_equal(env.throttled, 4);
    assert_true(n_looks > 1 && n_looks <= 5);
    environment_close(&env);
}

/* Only busy CPUs have a clock that matters; the fastest of them. */
static void the_clock_as_the_kernel_says(void **state) {
    (void)state;
    struct environment env;
    put(FREQ(0), "3900000\n");
    put(FREQ(1), "3500000\n");
    put(FREQ(2), "800000\n");
    open_here(&env);
    assert_true(isnan(env.ghz.now)); /* who was busy is not known yet */
    put(STAT, "cpu  100 0 100 1000 0 0 0 0 0 0\ncpu0 200 0 0 0 0 0 0 0 0 0\n"
              "cpu1 110 0 0 90 0 0 0 0 0 0\ncpu2 20 0 0 190 0 0 0 0 0 0\ncpu3 10 0 0 90 0 0\n");
    environment_look(&env);
    assert_true(env.ghz.now == 3.9);
    put(STAT, "cpu  100 0 100 1000 0 0 0 0 0 0\ncpu0 200 0 0 100 0 0 0 0 0 0\n"
              "cpu2 20 0 0 290 0 0 0 0 0 0\ncpu3 10 0 0 190 0 0\n"); /* CPU 1 went offline */
    environment_look(&env);
    assert_true(env.ghz.now == 3.9 && env.ghz.least == 3.9); /* all idle: nothing is learnt */
    put(FREQ(0), "2100000\n");
    put(STAT, "cpu  100 0 100 1000 0 0 0 0 0 0\ncpu0 300 0 0 100 0 0 0 0 0 0\n");
    environment_look(&env);
    assert_true(env.ghz.now == 2.1 && env.ghz.most == 3.9 && !env.ghz_counted);
    assert_true(warns(&env, "3.9 -> 2.1 GHz"));
    assert_string_equal(fact(&env, "ghz_from"), "kernel");
    environment_close(&env);
}

/* --- with a session's counts --- */

static struct metric metrics[] = {{.name = "IPC"}, {.name = "GHz"}};
static struct event events[] = {{.name = "slots", .slots_leader = true},
                                {.name = "moves", .alias = "cpu-migrations"}};
static struct slot slots[] = {{.event = 0}, {.event = 1}};
static const struct model model = {.metric = metrics, .n_metric = 2, .event = events, .n_event = 2};
static const struct layout layout = {.slot = slots, .n_slot = 2, .n_event = 2};

struct counted {
    struct value value[2];
    struct count count[2];
    struct frame frame;
    struct sample sample;
};

static void interval(struct counted *c, int second, double ghz, double moves) {
    *c = (struct counted){.value[1].v = ghz, .count[1].value = moves};
    c->count[1].state = isnan(moves) ? COUNT_LOST : COUNT_OK;
    c->frame = (struct frame){.n_metric = 2, .at = c->value};
    c->sample = (struct sample){.n_slot = 2, .at = c->count};
    c->sample.t0_ns = (uint64_t)(second - 1) * NS_PER_S;
    c->sample.t1_ns = (uint64_t)second * NS_PER_S;
}

static int due_looks;

/* As a session and its sampler do; a busy host does not make the looks of a test dear, and so
 * rarer. */
static bool take(struct environment *env, const struct counted *c) {
    struct env_look look;
    env->files->now.cost_ns = 0;
    const bool due = env_files_due(env->files, c->sample.t1_ns);
    due_looks += due;
    if (due)
        env_files_look(env->files, environment_wants_clock(env), &look);
    return environment_take(env, &c->frame, &c->sample, due ? &look : NULL);
}

static void the_clock_as_counted(void **state) {
    (void)state;
    struct environment env;
    struct counted c;
    open_here(&env);
    environment_bind(&env, &model, &layout);
    static const double ghz[] = {3.9, 3.9, NAN, 3.8, 2.0, 2.1, 2.2, 2.1};
    due_looks = 0;
    for (int i = 0; i < (int)COUNT_OF(ghz); i++) {
        interval(&c, i + 1, ghz[i], 1000);
        take(&env, &c);
    }
    assert_int_equal(due_looks, 3); /* every three seconds, not at each interval */
    assert_true(env.ghz_counted && env.ghz.most == 3.9);
    assert_true(env.ghz.now > 1.9 && env.ghz.now < 2.7);
    const struct check *note = find(env.note, env.n_note, "clock_change");
    assert_true(note && note->state == CHECK_WARN && strstr(note->found, "counted on the target"));
    assert_true(warns(&env, "1000 migrations/s"));
    assert_string_equal(fact(&env, "migrations"), "8000");
    assert_string_equal(fact(&env, "ghz_from"), "counted");
    for (int second = 20; second <= 24; second += 4) { /* fast again: both ends are said */
        interval(&c, second, 3.9, NAN);
        take(&env, &c);
    }
    assert_true(strstr(env.word[0].text, "..3.9 GHz") != NULL);
    assert_string_equal(fact(&env, "migrations"), "8000");
    environment_close(&env);
}

static void a_dear_look_is_rare(void **state) {
    (void)state;
    struct environment env;
    open_here(&env);
    assert_true(env_files_due(env.files, NS_PER_S));
    env.files->now.cost_ns = 10 * NS_PER_MS; /* 5000 times that: 50 s */
    assert_true(env_files_due(env.files, 4 * NS_PER_S));
    assert_false(env_files_due(env.files, 53 * NS_PER_S));
    assert_true(env_files_due(env.files, 54 * NS_PER_S));
    environment_close(&env);
}

static void a_model_without_any_of_that(void **state) {
    (void)state;
    struct environment env;
    struct counted c;
    static const struct model plain = {
        .metric = metrics, .n_metric = 1, .event = events, .n_event = 1};
    static const struct layout one = {.slot = slots, .n_slot = 1, .n_event = 1};
    open_here(&env);
    environment_bind(&env, &plain, &one);
    interval(&c, 1, 3.9, 1000);
    take(&env, &c);
    assert_true(isnan(env.ghz.now) && isnan(env.migrations));
    environment_close(&env);
}

/* The first group was to be on all the time; then somebody else takes its counters for a while. */
static void the_pinned_group(void **state) {
    (void)state;
    static const struct layout pinned = {
        .slot = slots, .n_slot = 2, .n_event = 2, .n_group = 1, .n_pinned = 1};
    static const struct layout clock = {
        .slot = slots + 1, .n_slot = 1, .n_event = 2, .n_group = 1, .n_pinned = 1};
    static const struct {
        const char *what;
        const struct layout *layout;
        unsigned percent; /* running of enabled */
        const char *word, *found;
    } cases[] = {
        {"always on", &pinned, 100, NULL, "counted 100.0% of the time"},
        {"takes turns", &pinned, 40, "level 1 multiplexed: 40%", "counted 40.0% of the time"},
        {"never on", &pinned, 0, "level 1 not counted", "counted 0.0% of the time"},
        {"nothing was pinned", &layout, 40, NULL, NULL},
        {"a clock alone was pinned", &clock, 40, NULL, NULL},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct environment env;
        struct counted c;
        open_here(&env);
        environment_bind(&env, &model, cases[i].layout);
        interval(&c, 1, NAN, NAN);
        c.count[0].enabled_ns = NS_PER_S;
        c.count[0].running_ns = cases[i].percent * (NS_PER_S / 100);
        assert_true(take(&env, &c));
        const struct check *note = find(env.note, env.n_note, "pinned_group");
        if ((note != NULL) != (cases[i].found != NULL) ||
            (note && strcmp(note->found, cases[i].found) != 0))
            fail_msg("%s: \"%s\"", cases[i].what, note ? note->found : "no note");
        if (cases[i].word ? strcmp(env.word[0].text, cases[i].word) != 0 : n_warnings(&env) > 0)
            fail_msg("%s: \"%s\"", cases[i].what, env.word[0].text);
        if (note && (note->state == CHECK_WARN) != (note->effect[0] && note->fix[0]))
            fail_msg("%s: no effect or no remedy", cases[i].what);
        environment_close(&env);
    }
}

/* It is lost in the middle: who looks at files seldom says so nevertheless, and once. */
static void the_pinned_group_is_lost(void **state) {
    (void)state;
    static const struct layout pinned = {
        .slot = slots, .n_slot = 2, .n_event = 2, .n_group = 1, .n_pinned = 1};
    struct environment env;
    struct counted c;
    int said = 0;
    open_here(&env);
    environment_bind(&env, &model, &pinned);
    for (int second = 1; second <= 6; second++) {
        interval(&c, second, NAN, NAN);
        c.count[0].enabled_ns = NS_PER_S / 2;
        c.count[0].running_ns = second <= 2 ? NS_PER_S / 2 : 0;
        said += environment_take(&env, &c.frame, &c.sample, NULL) && second > 1;
        assert_int_equal(said, second >= 3);
    }
    assert_string_equal(env.word[0].text, "level 1 not counted");
    environment_close(&env);
}

/* News are for those who keep them: in the first interval, and when words have changed. */
static void status(void **state) {
    (void)state;
    struct environment env;
    struct counted c;
    open_here(&env);
    environment_bind(&env, &model, &layout);
    for (int second = 1; second <= 1000; second++) {
        interval(&c, second, NAN, NAN);
        const bool first = second == 1;
        const int before = due_looks;
        if (second == 500)
            put(CORE(0), "99\n");
        take(&env, &c);
        if (env.throttled) { /* seen at the first look after it happened */
            assert_true(second >= 500 && due_looks > before && env.status);
            break;
        }
        assert_int_equal(env.status, first);
    }
    assert_int_equal(env.throttled, 89);
    environment_close(&env);
}

static void examined(void **state) {
    (void)state;
    struct environment env;
    char link[256];
    put("/proc/70/comm", "perf\n");
    put("/proc/70/fd/keep", "");
    snprintf(link, sizeof(link), "%s/proc/70/fd/4", root);
    assert_int_equal(symlink("anon_inode:[perf_event]", link), 0);
    open_here(&env);
    assert_int_equal(env.n_check, 0);
    env.n_perf_users = 0; /* the examination does not wait for the walk */
    environment_examine(&env);
    assert_true(env.n_check > 5 && find(env.check, env.n_check, "perf_event_paranoid"));
    assert_int_equal(env.n_perf_users, 1);
    assert_true(warns(&env, "1 other perf user"));
    assert_string_equal(fact(&env, "perf_users"), "1");
    environment_close(&env);
}

/* Many processes: the walk stops and goes on, and finds what comes and goes. */
static void others_who_count(void **state) {
    (void)state;
    struct environment env;
    char path[256];
    for (int i = 0; i < 600; i++) {
        snprintf(path, sizeof(path), "/proc/%d/fd/keep", 1000 + i);
        put(path, "");
    }
    open_here(&env);
    int n_looks = 0;
    for (; env.n_perf_users < 0 && n_looks < 10000; n_looks++)
        environment_look(&env);
    assert_int_equal(env.n_perf_users, 0);
    assert_string_equal(find(env.note, env.n_note, "perf_users")->found, "none that we may see");
    put("/proc/1321/comm", "perf\n");
    snprintf(path, sizeof(path), "%s/proc/1321/fd/4", root);
    assert_int_equal(symlink("anon_inode:[perf_event]", path), 0);
    for (n_looks = 0; env.n_perf_users < 1 && n_looks < 10000; n_looks++)
        environment_look(&env);
    assert_int_equal(env.n_perf_users, 1);
    assert_true(warns(&env, "1 other perf user"));
    const struct check *note = find(env.note, env.n_note, "perf_users");
    assert_string_equal(note->found, "1 holds perf events: perf 1321");
    assert_true(note->effect[0] && note->fix[0]);
    assert_int_equal(unlink(path), 0);
    for (n_looks = 0; env.n_perf_users > 0 && n_looks < 10000; n_looks++)
        environment_look(&env);
    assert_int_equal(env.n_perf_users, 0);
    environment_close(&env);
}

/* Two sockets, 64 busy CPUs with everything to be read: cheap enough for the thread that draws. */
static void the_price_on_a_big_machine(void **state) {
    (void)state;
    static char stat[64 * 1024];
    struct environment env;
    uint64_t least = UINT64_MAX;
    put(CPU_DIR "online", "0-63\n");
    for (int i = 0; i < 64; i++) {
        char path[128];
        snprintf(path, sizeof(path), CPU_DIR "cpu%d/thermal_throttle/core_throttle_count", i);
        put(path, "0\n");
        snprintf(path, sizeof(path), CPU_DIR "cpu%d/topology/physical_package_id", i);
        put(path, i < 32 ? "0\n" : "1\n");
        snprintf(path, sizeof(path), CPU_DIR "cpu%d/cpufreq/scaling_cur_freq", i);
        put(path, "3000000\n");
    }
    open_here(&env);
    for (int round = 1; round <= 50; round++) {
        struct strbuf sb = strbuf_on(stat, sizeof(stat));
        strbuf_add(&sb, "cpu  %d 0 100 1000 0 0 0 0 0 0\n", round * 6400);
        for (int i = 0; i < 64; i++)
            strbuf_add(&sb, "cpu%d %d 1234567 7654321 123456789 123456 0 98765 4321 0 0\n", i,
                       round * 100);
        put(STAT, stat);
        environment_look(&env);
        least = env.cost_ns < least ? env.cost_ns : least;
    }
    assert_true(env.ghz.now == 3.0);
    print_message("a look takes %.1f us on 64 CPUs\n", (double)least / 1e3);
    assert_true(least < 2 * NS_PER_MS); /* 0.2 ms; more under a sanitizer on a busy machine */
    environment_close(&env);
}

static void this_machine(void **state) {
    (void)state;
    struct environment env;
    uint64_t least = UINT64_MAX;
    assert_int_equal(environment_open(&env, ""), 0);
    assert_true(env.n_cpu > 0);
    for (int i = 0; i < 20; i++) {
        environment_look(&env);
        least = env.cost_ns < least ? env.cost_ns : least;
    }
    print_message("a look takes %.1f us on %d CPUs\n", (double)least / 1e3, env.n_cpu);
    assert_true(least < 2 * NS_PER_MS); /* also under a sanitizer, on a busy machine */
    assert_true(env.n_word <= ENV_WORDS_MAX && env.n_note <= ENV_NOTES_MAX);
    assert_string_not_equal(fact(&env, "kernel"), "");
    environment_close(&env);
}

int main(void) {
#define ON(make, test) cmocka_unit_test_setup_teardown(test, make, remove_root)
    const struct CMUnitTest tests[] = {
        ON(make_server, what_is_there_at_the_start),
        ON(make_root, a_bare_root),
        cmocka_unit_test(warnings),
        ON(make_server, the_worst_first),
        ON(make_server, many_cores_take_turns),
        ON(make_server, the_clock_as_the_kernel_says),
        ON(make_server, the_clock_as_counted),
        ON(make_server, a_dear_look_is_rare),
        ON(make_server, a_model_without_any_of_that),
        ON(make_server, examined),
        ON(make_server, others_who_count),
        ON(make_server, the_pinned_group),
        ON(make_server, the_pinned_group_is_lost),
        ON(make_server, status),
        ON(make_server, the_price_on_a_big_machine),
        cmocka_unit_test(this_machine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
