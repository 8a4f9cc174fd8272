/* perf stat recordings as a source. The files in tests/data/perf were made with perf 6.1, 6.12 and
 * 7.2 on a machine without counters; the lines in here are shaped like them. */
#include "replay_fixture.h"

#define DATA "tests/data/perf/"

/* First values of each file: summed over CPUs, cores, sockets and threads. */
static const struct {
    const char *file, *only;
    int intervals;
    uint64_t t1_ns; /* of the last */
    const char *event;
    double first, last; /* NAN: not counted */
} files[] = {
    {"6.1.187-A-interval.csv", NULL, 2, 150304800, "cpu_clock", 203760000, 100230000},
    {"6.1.187-A-interval.csv", "CPU1", 2, 150304800, "switches", 16, 8},
    {"6.1.187-A.json", NULL, 1, 0, "switches", 42, 42},
    {"6.1.187-A.json", "cpu0", 1, 0, "switches", 35, 35},
    {"6.1.187-cgroup.csv", NULL, 1, 0, "cpu_clock", 205750000, 205750000},
    {"6.1.187-cgroup.csv", "/", 1, 0, "switches", NAN, NAN},
    {"6.1.187-default.csv", NULL, 1, 0, "faults", 50, 50},
    {"6.1.187-interval-busy.csv", NULL, 5, 493888178, "switches", 16, 39},
    {"6.1.187-interval.csv", NULL, 3, 253851246, "task_clock", 1100000, 50000},
    {"6.1.187-interval.json", NULL, 3, 252311906, "task_clock", 1316523, 68998},
    {"6.1.187-interval.txt", NULL, 3, 251634189, "task_clock", 1080000, 60000},
    {"6.1.187-locale-de.json", NULL, 1, 0, "task_clock", 1262497, 1262497},
    {"6.1.187-log.csv", NULL, 1, 0, "task_clock", 890000, 890000},
    {"6.1.187-per-core-interval.csv", NULL, 2, 152193330, "cpu_clock", 200800000, 103920000},
    {"6.1.187-per-core-interval.csv", "S0-D0-C1", 2, 152193330, "cpu_clock", 100400000, 51950000},
    {"6.1.187-per-core-interval.csv", "C1", 2, 152193330, "cpu_clock", 100400000, 51950000},
    {"6.1.187-per-core.json", NULL, 1, 0, "cpu_clock", 203525856, 203525856},
    {"6.1.187-per-socket.json", "S0", 1, 0, "cpu_clock", 203805597, 203805597},
    {"6.1.187-per-thread.csv", NULL, 1, 0, "task_clock", NAN, NAN},
    {"6.1.187-per-thread.csv", "28275", 1, 0, "switches", NAN, NAN},
    {"6.1.187-plain.txt", NULL, 1, 1696075, "faults", 49, 49},
    {"6.1.187-repeat.csv", NULL, 1, 0, "task_clock", 1160000, 1160000},
    {"6.1.187-semicolon.csv", NULL, 2, 122030798, "switches", 2, 0},
    {"6.1.187-summary.csv", NULL, 2, 153962554, "switches", 3, 0},
    {"6.12.95-A.csv", NULL, 1, 0, "switches", 26, 26},
    {"6.12.95-default.json", NULL, 1, 0, "faults", 49, 49},
    {"6.12.95-per-die.csv", NULL, 1, 0, "cpu_clock", 206630000, 206630000},
    {"7.2.13-odd-comm.txt", "a,b \"c-15657", 1, 0, "task_clock", 100920000, 100920000},
    {"7.2.13-interval.json", NULL, 3, 255889669, "switches", 1, 0},
    {"7.2.13-per-core.csv", NULL, 1, 0, "switches", 1665, 1665},
    {"7.2.13-per-node.csv", NULL, 1, 0, "cpu_clock", 204030000, 204030000},
    {"7.2.13-metrics.json", NULL, 3, 251714276, "task_clock", 998741, 32508},
    {"7.2.13-metrics.csv", NULL, 3, 251897790, "faults", 76, 0},
};

static void test_files(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(files); i++) {
        struct recording r = {0};
        char path[128];
        snprintf(path, sizeof(path), DATA "%s", files[i].file);
        if (recording_open_file(&r, REPLAY_MODEL, path, files[i].only) < 0)
            fail_msg("%s", r.err.text);
        double first = NAN, last = NAN;
        int n = 0;
        while (recording_read(&r) == 0) {
            last = recording_value(&r, files[i].event);
            first = n++ ? first : last;
        }
        if (n != files[i].intervals || r.sample.t1_ns != files[i].t1_ns ||
            !same_number(first, files[i].first, 1e-15) || !same_number(last, files[i].last, 1e-15))
            fail_msg("%s %s: %d intervals to %llu, %s %.17g ... %.17g", files[i].file,
                     files[i].only ? files[i].only : "", n, (unsigned long long)r.sample.t1_ns,
                     files[i].event, first, last);
        assert_int_equal(recording_read(&r), -ENODATA); /* and again */
        recording_close(&r);
    }
}

/* Files of tests/data/perf and texts that cannot be opened for the model. */
static void test_refused(void **state) {
    (void)state;
    static const struct {
        const char *what, *file, *text, *only, *words;
    } cases[] = {
        {"comma locale", DATA "6.1.187-locale-de.csv", NULL, NULL, "LC_ALL=C"},
        {"metrics only", DATA "7.2.13-metric-only-repeated-header.csv", NULL, NULL,
         "only percentages"},
        {"metrics only, JSON", DATA "7.2.13-metric-only.json", NULL, NULL, "only percentages"},
        {"nothing counted", DATA "7.2.13-default.csv", NULL, NULL, "perf stat counted nothing"},
        {"nothing supported", DATA "6.1.187-hw-unsupported.json", NULL, NULL,
         "every event of it that model rec has is <not supported>"},
        {"no such CPU", DATA "6.1.187-A-interval.csv", NULL, "CPU7",
         "--only CPU7: not in it; there are CPU0, CPU1"},
        {"two CPUs", DATA "6.1.187-A-interval.csv", NULL, "CPU",
         "--only CPU fits 2 of them: CPU0, CPU1"},
        {"nothing to choose", DATA "6.1.187-interval.csv", NULL, "CPU0", "leave --only out"},
        {"empty choice", DATA "6.1.187-A-interval.csv", NULL, "", "fits 2 of them: CPU0, CPU1"},
        {"only totals", NULL, "summary,1,,context-switches,7,100.00,,\n", NULL, "holds no counts"},
        {"other events", NULL, "1,,l2_x,7,100.00,,\n2,,l3_y,7,100.00,,\n", NULL,
         "none of its 2 events is one of model rec (l2_x, l3_y)"},
        {"cgroups", NULL, "1,,cycles,a/b.scope,7,100.00,,\n2,,cycles,c.scope,7,100.00,,\n", NULL,
         "holds 2 cgroups, which are not summed; choose one with --only NAME (a part of it will "
         "do): a/b.scope, c.scope"},
        {"a cgroup and the whole", NULL, "1,,cycles,a/b.scope,7,100.00,,\n2,,cycles,7,100.00,,\n",
         NULL, "holds 2 cgroups"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct recording r = {0};
        if (cases[i].text)
            recording_write(&r, cases[i].text, strlen(cases[i].text));
        int rc = recording_open_file(&r, REPLAY_MODEL, cases[i].text ? r.path : cases[i].file,
                                     cases[i].only);
        if (rc != -EINVAL || !strstr(r.err.text, cases[i].words))
            fail_msg("%s: rc %d, '%s'", cases[i].what, rc, r.err.text);
        recording_close(&r);
    }
}

/* How printed counts of one event become one count. */
static const struct {
    const char *what, *text, *only, *event;
    double value;
    enum count_state state;
    double duty;
} sums[] = {
    {"as printed, never scaled again", "400,,cycles,25,25.00,,\n", NULL, "CPU_CLK_UNHALTED.THREAD",
     400, COUNT_OK, 0.25},
    {"the same code under another name", "400,,cycles,25,25.00,,\n", NULL,
     "CPU_CLK_UNHALTED.THREAD_P", 400, COUNT_OK, 0.25},
    {"two names of a code, each its own",
     "4,,CPU_CLK_UNHALTED.THREAD_P,25,100.00,,\n5,,cycles,25,100.00,,\n", NULL,
     "CPU_CLK_UNHALTED.THREAD", 5, COUNT_OK, 1},
    {"the other one", "4,,CPU_CLK_UNHALTED.THREAD_P,25,100.00,,\n5,,cycles,25,100.00,,\n", NULL,
     "CPU_CLK_UNHALTED.THREAD_P", 4, COUNT_OK, 1},
    {"a name for two spellings", "9,,slots,25,100.00,,\n", NULL, "TOPDOWN.SLOTS:perf_metrics", 9,
     COUNT_OK, 1},
    {"the other of them", "9,,slots,25,100.00,,\n", NULL, "TOPDOWN.SLOTS", 9, COUNT_OK, 1},
    {"a code", "9,,cpu/event=0x10,umask=0x0/,25,100.00,,\n", NULL, "UOPS.A", 9, COUNT_OK, 1},
    {"a code with modifiers", "9,,cpu/event=0x10,cmask=1,edge/,25,100.00,,\n", NULL, "UOPS.A:c1:e1",
     9, COUNT_OK, 1},
    {"CPUs with shares", "CPU0,4,,cycles,100,50.00,,\nCPU1,6,,cycles,100,100.00,,\n", NULL,
     "CPU_CLK_UNHALTED.THREAD", 10, COUNT_OK, 0.5},
    {"one of them", "CPU0,4,,cycles,100,50.00,,\nCPU1,6,,cycles,100,100.00,,\n", "CPU1",
     "CPU_CLK_UNHALTED.THREAD", 6, COUNT_OK, 1},
    {"a thread that did not run",
     "a-1,4,,cycles,100,100.00,,\nb-2,<not counted>,,cycles,0,100.00,,\n", NULL,
     "CPU_CLK_UNHALTED.THREAD", 4, COUNT_OK, 1},
    {"a counter that was never scheduled",
     "CPU0,4,,cycles,100,100.00,,\nCPU1,<not counted>,,cycles,0,0.00,,\n", NULL,
     "CPU_CLK_UNHALTED.THREAD", NAN, COUNT_NOT_COUNTED, 0},
    {"a CPU that cannot", "CPU0,4,,cycles,100,100.00,,\nCPU1,<not supported>,,cycles,0,100.00,,\n",
     NULL, "CPU_CLK_UNHALTED.THREAD", NAN, COUNT_NOT_COUNTED, 0},
    {"nothing counted", "<not counted>,,cycles,0,0.00,,\n1,,cs,5,100.00,,\n", NULL,
     "CPU_CLK_UNHALTED.THREAD", NAN, COUNT_NOT_COUNTED, 0},
    {"zero is a count", "0,,cycles,5,100.00,,\n", NULL, "CPU_CLK_UNHALTED.THREAD", 0, COUNT_OK, 1},
    {"a share that rounds to zero", "7,,cycles,5,0.00,,\n", NULL, "CPU_CLK_UNHALTED.THREAD", 7,
     COUNT_OK, 0},
    {"user and kernel are all", "5,,cycles:u,9,100.00,,\n3,,cycles:k,9,100.00,,\n", NULL,
     "CPU_CLK_UNHALTED.THREAD", 8, COUNT_OK, 1},
    {"kernel alone beside them", "5,,cycles:u,9,100.00,,\n3,,cycles:k,9,100.00,,\n", NULL,
     "CPU_CLK_UNHALTED.THREAD_P:SUP", 3, COUNT_OK, 1},
    {"kernel first", "3,,cycles:k,9,100.00,,\n5,,cycles:u,9,100.00,,\n", NULL,
     "CPU_CLK_UNHALTED.THREAD", 8, COUNT_OK, 1},
    {"the plain one wins", "5,,cycles:u,9,100.00,,\n8,,cycles,9,100.00,,\n", NULL,
     "CPU_CLK_UNHALTED.THREAD", 8, COUNT_OK, 1},
    {"user mode only", "5,,cycles:u,9,100.00,,\n", NULL, "CPU_CLK_UNHALTED.THREAD", 5, COUNT_OK, 1},
    {"a cgroup by its end", "1,,cycles,a/b.scope,7,100.00,,\n2,,cycles,c.scope,7,100.00,,\n",
     "b.scope", "CPU_CLK_UNHALTED.THREAD", 1, COUNT_OK, 1},
    {"a cgroup by a part", "1,,cycles,a/b.scope,7,100.00,,\n2,,cycles,c.scope,7,100.00,,\n", "a/",
     "CPU_CLK_UNHALTED.THREAD", 1, COUNT_OK, 1},
    {"P cores",
     "1,,cpu_core/cycles/,7,100.00,,\n2,,cpu_atom/cycles/,7,100.00,,\n3,,cpu_core/slots/"
     ",7,100.00,,\n",
     NULL, "CPU_CLK_UNHALTED.THREAD", 1, COUNT_OK, 1},
    {"E cores",
     "1,,cpu_core/cycles/,7,100.00,,\n2,,cpu_atom/cycles/,7,100.00,,\n3,,cpu_core/slots/"
     ",7,100.00,,\n",
     "cpu_atom", "CPU_CLK_UNHALTED.THREAD", 2, COUNT_OK, 1},
    {"text with a share", "  1,000      cycles      (25.00%)\n", NULL, "CPU_CLK_UNHALTED.THREAD",
     1000, COUNT_OK, 0.25},
};

static void test_sums(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(sums); i++) {
        struct recording r;
        if (recording_open(&r, sums[i].text, sums[i].only) < 0 || recording_read(&r) < 0)
            fail_msg("%s: %s", sums[i].what, r.err.text);
        const struct count *c = recording_slot(&r, sums[i].event, 0);
        if (!c || c->state != sums[i].state || !same_number(c->value, sums[i].value, 0) ||
            c->running_ns > c->enabled_ns ||
            (c->state == COUNT_OK && fabs(count_duty(c) - sums[i].duty) > 1e-4))
            fail_msg("%s: state %d, value %g, duty %g", sums[i].what, c ? c->state : -1,
                     c ? c->value : NAN, c ? count_duty(c) : NAN);
        recording_close(&r);
    }
}

/* Cycles of the kernel are not the cycles of events that were counted everywhere. */
static void test_level_beside_all(void **state) {
    (void)state;
    struct recording r;
    assert_int_equal(recording_open(&r, "3,,cycles:k,9,100.00,,\n7,,UOPS.A,9,100.00,,\n", NULL), 0);
    assert_int_equal(recording_read(&r), 0);
    assert_null(recording_slot(&r, "CPU_CLK_UNHALTED.THREAD", 0));
    assert_true(recording_value(&r, "CPU_CLK_UNHALTED.THREAD_P:SUP") == 3);
    assert_true(recording_value(&r, "UOPS.A") == 7);
    recording_close(&r);
}

/* perf prints Joules and MiB; formulas mean the vendor's units, which `scale` tells. */
static void test_units_outside_the_core(void **state) {
    (void)state;
    static const char model[] =
        "name = 'rec'\ntitle = 'Recorded core'\nvendor = 'Intel'\nrung = 'full'\n"
        "scope = 'pipeline slots'\nmatch = []\n[event]\n"
        "'PKG_ENERGY' = { pmu = 'uncore', device = 'power', sysfs = 'energy-pkg', scale = 0.5 }\n"
        "'CAS_RD' = { pmu = 'uncore', device = 'uncore_imc', sysfs = 'cas_count_read' }\n"
        "[node.Energy]\nformula = 'PKG_ENERGY + CAS_RD'\n";
    static const struct {
        const char *what, *text, *event;
        double value;
    } cases[] = {
        {"Joules", "2.50,Joules,power/energy-pkg/,9,100.00,,\n", "PKG_ENERGY", 1.25 * 0x1p32},
        {"the kernel's count", "8,,power/energy-pkg/,9,100.00,,\n", "PKG_ENERGY", 4},
        {"the vendor's name", "8,,PKG_ENERGY,9,100.00,,\n", "PKG_ENERGY", 8},
        {"MiB", "2.00,MiB,uncore_imc/cas_count_read/,9,100.00,,\n", "CAS_RD", 32768},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct recording r = {0};
        recording_write(&r, cases[i].text, strlen(cases[i].text));
        if (recording_open_file(&r, model, r.path, NULL) < 0 || recording_read(&r) < 0)
            fail_msg("%s: %s", cases[i].what, r.err.text);
        if (recording_value(&r, cases[i].event) != cases[i].value)
            fail_msg("%s: %g", cases[i].what, recording_value(&r, cases[i].event));
        recording_close(&r);
    }
}

/* A second part that comes late, and goes, and events that come in another order: what the first
 * reading took for a recording of one part was not one. */
static void test_late_part(void **state) {
    (void)state;
    static const char text[] = "1.000000000,CPU0,10,,cycles,9,100.00,,\n"
                               "1.000000000,CPU0,3,,UOPS.A,9,100.00,,\n"
                               "2.000000000,CPU0,4,,UOPS.A,9,100.00,,\n"
                               "2.000000000,CPU0,11,,cycles,9,100.00,,\n"
                               "3.000000000,CPU0,12,,cycles,9,100.00,,\n"
                               "3.000000000,CPU1,700,,cycles,9,100.00,,\n"
                               "3.000000000,CPU0,5,,UOPS.A,9,100.00,,\n"
                               "3.000000000,CPU1,100,,UOPS.A,9,100.00,,\n";
    static const struct {
        const char *only;
        double cycles[3], a[3];
    } cases[] = {{NULL, {10, 11, 712}, {3, 4, 105}},
                 {"CPU0", {10, 11, 12}, {3, 4, 5}},
                 {"CPU1", {700}, {100}}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct recording r;
        if (recording_open(&r, text, cases[i].only) < 0)
            fail_msg("%s", r.err.text);
        for (int k = 0; k < 3 && cases[i].cycles[k] > 0; k++) {
            while (recording_read(&r) == 0 && isnan(recording_value(&r, "UOPS.A")))
                continue; /* CPU1 was not there yet */
            assert_true(recording_value(&r, "CPU_CLK_UNHALTED.THREAD") == cases[i].cycles[k]);
            assert_true(recording_value(&r, "UOPS.A") == cases[i].a[k]);
        }
        assert_int_equal(recording_read(&r), -ENODATA);
        recording_close(&r);
    }
}

/* Events without a slot, and what stands in for the reasons. */
static void test_missing(void **state) {
    (void)state;
    struct recording r;
    assert_int_equal(
        recording_open(&r, "1,,cycles,5,100.00,,\n<not supported>,,slots,0,100.00,,\n", NULL), 0);
    const struct layout *l = &r.source.layout;
    assert_int_equal(l->missing[model_find_event(&r.model, "TOPDOWN.SLOTS")], COUNT_NOT_SUPPORTED);
    assert_int_equal(l->missing[model_find_event(&r.model, "UOPS.A")], COUNT_ABSENT);
    assert_int_equal(l->missing[model_find_event(&r.model, "CPU_CLK_UNHALTED.THREAD")], COUNT_OK);
    assert_true(l->no_perf_metrics);
    assert_false(r.source.live || r.source.simulated);
    recording_close(&r);

    assert_int_equal(recording_open(&r, "1,,topdown-retiring,5,100.00,,\n", NULL), 0);
    assert_false(r.source.layout.no_perf_metrics);
    recording_close(&r);
}

/* "event=group" of every slot that is not a second name of the same code. */
static void describe_groups(const struct recording *r, char *out, size_t cap) {
    struct strbuf sb = strbuf_on(out, cap);
    for (uint32_t i = 0; i < r->source.layout.n_slot; i++) {
        const struct slot *s = &r->source.layout.slot[i];
        const char *name = r->model.event[s->event].name;
        if (strcmp(name, "CPU_CLK_UNHALTED.THREAD_P") == 0)
            continue;
        strbuf_add(&sb, "%s%s=%u", sb.n ? " " : "",
                   strcmp(name, "CPU_CLK_UNHALTED.THREAD") == 0 ? "cyc" : name + strlen("UOPS."),
                   s->group);
    }
}

static const struct {
    const char *what, *text, *groups;
} groups_of[] = {
    {"all at once", "1,,cycles,9,100.00,,\n1,,UOPS.A,8,100.00,,\n1,,UOPS.B,7,100.00,,\n",
     "cyc=0 A=0 B=0"},
    {"cycles lead each group",
     "1,,cycles,9,100.00,,\n1,,UOPS.A,9,100.00,,\n1,,cycles,9,100.00,,\n1,,UOPS.B,9,100.00,,\n",
     "cyc=0 A=0 cyc=1 B=1"},
    {"cycles end each group",
     "1,,UOPS.A,9,100.00,,\n1,,cycles,9,100.00,,\n1,,UOPS.B,9,100.00,,\n1,,cycles,9,100.00,,\n",
     "A=0 cyc=0 B=1 cyc=1"},
    {"the running time tells",
     "1,,UOPS.A,900000,30.00,,\n1,,cycles,900000,30.00,,\n1,,UOPS.D,900000,30.00,,\n"
     "1,,UOPS.B,800000,30.00,,\n1,,cycles,800000,30.00,,\n",
     "A=0 cyc=0 D=0 B=1 cyc=1"},
    {"the time of a read is no turn",
     "1,,UOPS.A,900000,30.00,,\n1,,cycles,900001,30.00,,\n1,,UOPS.D,900002,30.00,,\n",
     "A=0 cyc=0 D=0"},
    {"without sharing times mean nothing", "1,,UOPS.A,900000,100.00,,\n1,,cycles,100,100.00,,\n",
     "A=0 cyc=0"},
    {"single events take turns", "1,,UOPS.A,900000,30.00,,\n1,,cycles,700000,25.00,,\n",
     "A=0 cyc=1"},
    {"equal shares: a metric begins a group",
     "1,,UOPS.A,9,25.00,1.0,x\n1,,cycles,9,25.00,,\n1,,UOPS.D,9,25.00,,\n"
     "1,,UOPS.B,9,25.00,1.0,y\n1,,UOPS.C,9,25.00,,\n1,,cycles,9,25.00,,\n",
     "A=0 cyc=0 D=0 B=1 C=1 cyc=1"},
    {"equal shares: a metric within a group, a formula over two of its events",
     "1,,UOPS.A,9,25.00,1.0,x\n1,,cycles,9,25.00,,\n1,,UOPS.D,9,25.00,1.0,z\n"
     "1,,UOPS.B,9,25.00,1.0,y\n1,,cycles,9,25.00,,\n",
     "A=0 cyc=0 D=0 B=1 cyc=1"},
    {"nearly equal running times, a metric within a group",
     "1,,UOPS.A,900000,25.00,1.0,x\n1,,cycles,900000,25.00,,\n1,,UOPS.C,900000,25.00,1.0,z\n"
     "1,,UOPS.B,900001,25.00,1.0,y\n1,,cycles,900001,25.00,,\n",
     "A=0 cyc=0 C=0 B=1 cyc=1"},
    {"text, shares on the next line",
     "  1      UOPS.A     #  1.0 %  x\n                    #  1.0 %  y  (66.59%)\n"
     "  1      cycles              (66.59%)\n"
     "  1      UOPS.B     #  1.0 %  z  (67.15%)\n  1      cycles     (67.15%)\n",
     "A=0 cyc=0 B=1 cyc=1"},
    {"another run", "# started on x\n1,,cycles,9,100.00,,\n# started on y\n1,,UOPS.A,9,100.00,,\n",
     "cyc=0 A=1"},
    {"CPUs in the order of perf -A",
     "CPU0,1,,cycles,9,100.00,,\nCPU1,1,,cycles,9,100.00,,\nCPU0,1,,UOPS.A,9,100.00,,\n"
     "CPU1,1,,UOPS.A,9,100.00,,\nCPU0,1,,cycles,9,100.00,,\nCPU1,1,,cycles,9,100.00,,\n"
     "CPU0,1,,UOPS.B,9,100.00,,\nCPU1,1,,UOPS.B,9,100.00,,\n",
     "cyc=0 A=0 cyc=1 B=1"},
    {"cores in the order of perf --per-core",
     "S0-D0-C0,1,1,,cycles,9,100.00,,\nS0-D0-C0,1,1,,UOPS.A,9,100.00,,\n"
     "S0-D0-C1,1,1,,cycles,9,100.00,,\nS0-D0-C1,1,1,,UOPS.A,9,100.00,,\n",
     "cyc=0 A=0"},
    {"the first interval says nothing",
     "1.000000000,<not counted>,,cycles,0,100.00,,\n1.000000000,<not "
     "counted>,,UOPS.A,0,100.00,,\n"
     "2.000000000,1,,cycles,500,50.00,,\n2.000000000,1,,UOPS.A,400,40.00,,\n",
     "cyc=0 A=1"},
    {"an event that comes later",
     "1.000000000,1,,cycles,9,100.00,,\n2.000000000,1,,cycles,9,100.00,,\n2.000000000,1,,UOPS."
     "A,9,100.00,,\n",
     "cyc=0 A=0"},
};

static void test_groups(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(groups_of); i++) {
        struct recording r;
        char groups[256] = "";
        if (recording_open(&r, groups_of[i].text, NULL) < 0)
            fail_msg("%s: %s", groups_of[i].what, r.err.text);
        describe_groups(&r, groups, sizeof(groups));
        if (strcmp(groups, groups_of[i].groups) != 0)
            fail_msg("%s: %s", groups_of[i].what, groups);
        recording_close(&r);
    }
}

/* Each occurrence is its own count, in every interval. */
static void test_occurrences(void **state) {
    (void)state;
    struct recording r;
    assert_int_equal(
        recording_open(&r,
                       "1.000000000,10,,cycles,9,100.00,,\n1.000000000,1,,UOPS.A,9,100.00,,\n"
                       "1.000000000,20,,cycles,9,100.00,,\n1.000000000,1,,UOPS.B,9,100.00,,\n"
                       "2.000000000,30,,cycles,9,100.00,,\n2.000000000,3,,UOPS.A,9,100.00,,\n"
                       "2.000000000,40,,cycles,9,100.00,,\n2.000000000,4,,UOPS.B,9,100.00,,\n",
                       NULL),
        0);
    struct eval eval;
    struct frame frame;
    assert_int_equal(eval_init(&eval, &r.model, &r.source.layout, &r.source.consts, &r.err), 0);
    assert_int_equal(frame_init(&frame, r.model.n_metric), 0);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(recording_read(&r), 0);
        assert_true(recording_slot(&r, "CPU_CLK_UNHALTED.THREAD", 0)->value == (i ? 30 : 10));
        assert_true(recording_slot(&r, "CPU_CLK_UNHALTED.THREAD", 1)->value == (i ? 40 : 20));
        assert_null(recording_slot(&r, "CPU_CLK_UNHALTED.THREAD", 2));
        eval_run(&eval, &r.sample, &frame); /* by the cycles of the own group */
        assert_true(frame.at[model_find(&r.model, "A")].v == 0.1);
        assert_true(same_number(frame.at[model_find(&r.model, "B")].v, i ? 0.1 : 0.05, 1e-15));
    }
    frame_destroy(&frame);
    eval_destroy(&eval);
    recording_close(&r);
}

static const struct {
    const char *what, *text;
    uint64_t t[4][2]; /* t0, t1 of each interval; 0, 0 behind the last of them */
    int n;
    bool known;
} times[] = {
    {"intervals",
     "1.000000000,1,,cycles,9,100.00,,\n2.500000000,1,,cycles,9,100.00,,\n",
     {{0, 1000000000}, {1000000000, 2500000000}},
     2,
     true},
    {"the clock begins anew",
     "1.000000000,1,,cycles,9,100.00,,\n2.000000000,1,,cycles,9,100.00,,\n"
     "0.500000000,1,,cycles,9,100.00,,\n",
     {{0, 1000000000}, {1000000000, 2000000000}, {2000000000, 2500000000}},
     3,
     true},
    {"appended",
     "# started on x\n1.000000000,1,,cycles,9,100.00,,\n# started on "
     "y\n1.000000000,1,,cycles,9,100.00,,\n",
     {{0, 1000000000}, {1000000000, 2000000000}},
     2,
     true},
    {"one without a length", "1,,cycles,9,100.00,,\n", {{0, 0}}, 1, false},
    {"its length is an event",
     "1,,cycles,9,100.00,,\n250000000,,duration_time,250000000,100.00,,\n",
     {{0, 250000000}},
     1,
     true},
    {"elapsed",
     "  1      cycles\n\n  0.250000000 seconds time elapsed\n",
     {{0, 250000000}},
     1,
     true},
    {"two runs, elapsed",
     " Performance counter stats for 'a':\n  1      cycles\n  0.250000000 seconds time "
     "elapsed\n"
     " Performance counter stats for 'b':\n  1      cycles\n  0.500000000 seconds time "
     "elapsed\n",
     {{0, 250000000}, {250000000, 750000000}},
     2,
     true},
    {"two runs, one elapsed",
     " Performance counter stats for 'a':\n  1      cycles\n  0.250000000 seconds time "
     "elapsed\n"
     " Performance counter stats for 'b':\n  1      cycles\n",
     {{0, 250000000}, {250000000, 250000000}},
     2,
     false},
    {"totals behind the intervals",
     "1.000000000,1,,cycles,9,100.00,,\n1,,cycles,9,100.00,,\n",
     {{0, 1000000000}},
     1,
     true},
};

static void test_times(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(times); i++) {
        struct recording r;
        if (recording_open(&r, times[i].text, NULL) < 0)
            fail_msg("%s: %s", times[i].what, r.err.text);
        const struct consts *c = &r.source.consts;
        assert_int_equal(c->fixed_by_user[CONST_DURATION_S], !times[i].known);
        assert_int_equal(c->fixed_by_user[CONST_TSC], !times[i].known);
        assert_true(isnan(c->value[CONST_DURATION_S]) && isnan(c->value[CONST_TSC]));
        int n = 0;
        while (recording_read(&r) == 0) {
            if (n >= times[i].n || r.sample.t0_ns != times[i].t[n][0] ||
                r.sample.t1_ns != times[i].t[n][1])
                fail_msg("%s: interval %d is %llu to %llu", times[i].what, n,
                         (unsigned long long)r.sample.t0_ns, (unsigned long long)r.sample.t1_ns);
            n++;
        }
        if (n != times[i].n)
            fail_msg("%s: %d intervals", times[i].what, n);
        recording_close(&r);
    }
}

/* --const DURATION_S=... gives a recording the length that it lacks. */
static void test_length_by_user(void **state) {
    (void)state;
    struct recording r = {0};
    recording_write(&r, "1,,cycles,9,100.00,,\n", 21);
    struct source_options opt = {.file = r.path};
    consts_init(&opt.consts);
    opt.consts.value[CONST_DURATION_S] = 2.5;
    opt.consts.fixed_by_user[CONST_DURATION_S] = true;
    opt.consts.value[CONST_SYSTEM_TSC_FREQ] = 1e9;
    assert_int_equal(model_load(&r.model, REPLAY_MODEL, strlen(REPLAY_MODEL), "rec.toml", &r.err),
                     0);
    assert_int_equal(source_open(&r.source, &source_replay, &r.model, &opt, &r.err), 0);
    assert_int_equal(sample_init(&r.sample, r.source.layout.n_slot), 0);
    assert_int_equal(recording_read(&r), 0);
    assert_int_equal(r.sample.t1_ns - r.sample.t0_ns, 2500000000);
    assert_true(r.source.consts.value[CONST_DURATION_S] == 2.5);
    assert_true(r.source.consts.value[CONST_TSC] == 2.5e9);
    assert_string_equal(r.source.note, "");
    recording_close(&r);
}

/* A recording that ends in the middle of an interval, at every byte. */
static void test_truncated(void **state) {
    (void)state;
    static const char *const texts[] = {
        "1.000000000,10,,cycles,9,100.00,,\n1.000000000,11,,UOPS.A,9,100.00,,\n"
        "2.000000000,20,,cycles,9,100.00,,\n2.000000000,21,,UOPS.A,9,100.00,,\n"
        "3.000000000,30,,cycles,9,100.00,,\n3.000000000,31,,UOPS.A,9,100.00,,\n",
        "     1.000000000                 10      cycles\n     1.000000000                 11      "
        "UOPS.A\n"
        "     2.000000000                 20      cycles\n     2.000000000                 21      "
        "UOPS.A\n"
        "     3.000000000                 30      cycles\n     3.000000000                 31      "
        "UOPS.A\n",
        "{\"interval\" : 1.000000000, \"counter-value\" : \"10.000000\", \"event\" : \"cycles\"}\n"
        "{\"interval\" : 1.000000000, \"counter-value\" : \"11.000000\", \"event\" : \"UOPS.A\"}\n"
        "{\"interval\" : 2.000000000, \"counter-value\" : \"20.000000\", \"event\" : \"cycles\"}\n"
        "{\"interval\" : 2.000000000, \"counter-value\" : \"21.000000\", \"event\" : \"UOPS.A\"}\n"
        "{\"interval\" : 3.000000000, \"counter-value\" : \"30.000000\", \"event\" : \"cycles\"}\n"
        "{\"interval\" : 3.000000000, \"counter-value\" : \"31.000000\", \"event\" : \"UOPS.A\"}\n",
    };
    int noted = 0;
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        size_t whole = strlen(texts[i]) / 3;
        for (size_t len = whole; len <= 3 * whole; len++) {
            struct recording r = {0};
            recording_write(&r, texts[i], len);
            if (recording_open_file(&r, REPLAY_MODEL, r.path, NULL) < 0)
                fail_msg("text %zu cut at %zu: %s", i, len, r.err.text);
            int n = 0;
            while (recording_read(&r) == 0) {
                n++;
                double cycles = recording_value(&r, "CPU_CLK_UNHALTED.THREAD");
                double a = recording_value(&r, "UOPS.A");
                if (cycles != n * 10 || a != n * 10 + 1)
                    fail_msg("text %zu cut at %zu: interval %d has %g and %g", i, len, n, cycles,
                             a);
            }
            noted += strstr(r.source.note, "is left out") != NULL;
            assert_true(n >= (int)(len / whole) && n <= 3);
            recording_close(&r);
        }
    }
    assert_true(noted > 100);
}

static void test_notes(void **state) {
    (void)state;
    static const struct {
        const char *what, *text, *words;
    } cases[] = {
        {"complete", "1.000000000,1,,cycles,9,100.00,,\n", ""},
        {"no length", "1,,cycles,9,100.00,,\n", "its length is not recorded"},
        {"an unreadable line",
         "1.000000000,1,,cycles,9,100.00,,\n1.000000000,x,,UOPS.A,9,100.00,,\n",
         "unreadable lines left out: 1, the first is line 2"},
        {"hybrid",
         "1.000000000,1,,cpu_core/cycles/,9,100.00,,\n1.000000000,1,,cpu_atom/cycles/,9,100.00,,\n",
         "cpu_core is shown; --only cpu_atom"},
        {"user mode", "1.000000000,1,,cycles:u,9,100.00,,\n1.000000000,1,,cs,9,100.00,,\n",
         "counts are of user mode only"},
        {"kernel mode", "1.000000000,1,,cycles:k,9,100.00,,\n", "counts are of kernel mode only"},
        {"percentages", "1.000000000,1,,cycles,9,100.00,,\n1.000000000,,9,100.00,,,,TopdownL1\n",
         "its top-down percentages have no counts"},
        {"percentages with counts",
         "1.000000000,1,,topdown-retiring,9,100.00,,\n1.000000000,,9,100.00,,,,TopdownL1\n", ""},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct recording r;
        if (recording_open(&r, cases[i].text, NULL) < 0)
            fail_msg("%s: %s", cases[i].what, r.err.text);
        bool fits = *cases[i].words ? strstr(r.source.note, cases[i].words) != NULL
                                    : r.source.note[0] == '\0';
        if (!fits)
            fail_msg("%s: note '%s'", cases[i].what, r.source.note);
        recording_close(&r);
    }
}

/* Names reach the screen: nothing in them may reach the terminal. */
static void test_target_text(void **state) {
    (void)state;
    struct recording r;
    assert_int_equal(recording_open(&r, "a\x1b[2Jb-7,1,,cycles,9,100.00,,\n", "b-7"), 0);
    assert_null(strchr(r.source.target_text, '\x1b'));
    assert_non_null(strstr(r.source.target_text, "a?[2Jb-7"));
    assert_non_null(strstr(r.source.target_text, strrchr(r.path, '/') + 1));
    assert_int_equal(recording_read(&r), 0);
    assert_int_equal(r.sample.target_threads, 1);
    recording_close(&r);
}

/* Standard input is a pipe: it can be read only once. */
static void test_stdin(void **state) {
    (void)state;
    int pipe_fd[2], saved = dup(STDIN_FILENO);
    static const char text[] =
        "1.000000000,10,,cycles,9,100.00,,\n2.000000000,20,,cycles,9,100.00,,\n";
    assert_int_equal(pipe(pipe_fd), 0);
    assert_int_equal(write(pipe_fd[1], text, sizeof(text) - 1), sizeof(text) - 1);
    close(pipe_fd[1]);
    dup2(pipe_fd[0], STDIN_FILENO);
    close(pipe_fd[0]);
    struct recording r = {0};
    int rc = recording_open_file(&r, REPLAY_MODEL, "-", NULL);
    dup2(saved, STDIN_FILENO);
    close(saved);
    assert_int_equal(rc, 0);
    assert_string_equal(r.source.target_text, "standard input");
    assert_int_equal(recording_read(&r), 0);
    assert_int_equal(recording_read(&r), 0);
    assert_true(recording_value(&r, "CPU_CLK_UNHALTED.THREAD") == 20);
    assert_int_equal(recording_read(&r), -ENODATA);
    recording_close(&r);
}

/* Files made of one thing too many times have words for it, and an end. */
static void test_too_many(void **state) {
    (void)state;
    static const struct {
        const char *what, *line, *words;
        int times;
    } cases[] = {
        {"one event", "1,,cycles,9,100.00,,\n", "too many different counter lines in one interval",
         2000},
        {"events", "1,,ev%d,9,100.00,,\n", "too many different events", 6000},
        {"parts", "t-%d,1,,cycles,9,100.00,,\n", "too many different CPUs, threads or cgroups",
         100100},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        char *text = NULL;
        size_t len = 0;
        FILE *f = open_memstream(&text, &len);
        for (int k = 0; k < cases[i].times; k++) {
            const char *mark = strchr(cases[i].line, '%');
            if (mark)
                fprintf(f, "%.*s%d%s", (int)(mark - cases[i].line), cases[i].line, k, mark + 2);
            else
                fputs(cases[i].line, f);
        }
        fclose(f);
        struct recording r = {0};
        recording_write(&r, text, len);
        free(text);
        int rc = recording_open_file(&r, REPLAY_MODEL, r.path, NULL);
        if (rc >= 0 || !strstr(r.err.text, cases[i].words))
            fail_msg("%s: rc %d, '%s'", cases[i].what, rc, r.err.text);
        recording_close(&r);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_files),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_sums),
        cmocka_unit_test(test_late_part),
        cmocka_unit_test(test_missing),
        cmocka_unit_test(test_groups),
        cmocka_unit_test(test_occurrences),
        cmocka_unit_test(test_times),
        cmocka_unit_test(test_length_by_user),
        cmocka_unit_test(test_truncated),
        cmocka_unit_test(test_notes),
        cmocka_unit_test(test_target_text),
        cmocka_unit_test(test_stdin),
        cmocka_unit_test(test_too_many),
        cmocka_unit_test(test_level_beside_all),
        cmocka_unit_test(test_units_outside_the_core),
    };
    return cmocka_run_group_tests_name("replay", tests, NULL, NULL);
}
