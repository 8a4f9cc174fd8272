/* The three formats line by line, and files that are none of them. */
#include "pmu/replay/replay_rows.h"

#include "replay_fixture.h"

static const struct replay_dialect comma = {REPLAY_CSV, ",", 1, '.'},
                                   semicolon = {REPLAY_CSV, ";", 1, ','};

struct line_case {
    const char *what, *line;
    enum row_kind kind;
    /* of a count */
    uint64_t time_ns;
    const char *agg, *cgroup, *event, *unit;
    double value; /* NAN: not counted */
    double runtime_ns, share;
};

static bool same_row(const struct line_case *c, const struct replay_row *row) {
    return row->timed == (c->time_ns > 0) && row->time_ns == c->time_ns &&
           strcmp(row->agg, c->agg) == 0 && strcmp(row->cgroup, c->cgroup) == 0 &&
           strcmp(row->event, c->event) == 0 && strcmp(row->unit, c->unit) == 0 &&
           same_number(row->value, c->value, 0) && isnan(c->value) == (row->state != COUNT_OK) &&
           same_number(row->runtime_ns, c->runtime_ns, 0) && fabs(row->share - c->share) < 1e-12;
}

static void check_lines(const struct line_case *cases, size_t n,
                        enum row_kind (*read)(const struct replay_dialect *, char *,
                                              struct replay_row *),
                        const struct replay_dialect *d) {
    for (size_t i = 0; i < n; i++) {
        const struct line_case *c = &cases[i];
        char *line = strdup(c->line); /* on the heap: a read past its end is seen */
        struct replay_row row;
        enum row_kind kind = read(d, line, &row);
        if (kind != c->kind || (kind == ROW_COUNT && !same_row(c, &row)))
            fail_msg(
                "%s: kind %d, t %llu, agg '%s', cgroup '%s', event '%s', unit '%s', value %.17g, "
                "runtime %g, share %g",
                c->what, kind, (unsigned long long)row.time_ns, row.agg, row.cgroup, row.event,
                row.unit, row.value, row.runtime_ns, row.share);
        free(line);
    }
}

#define NONE(what, line, kind)                                                                     \
    { what, line, kind, 0, "", "", "", "", NAN, NAN, 0 }

static const struct line_case csv_lines[] = {
    {"plain", "49,,page-faults,901633,100.00,54.346,K/sec", ROW_COUNT, 0, "", "", "page-faults", "",
     49, 901633, 1},
    {"msec is ns", "0.90,msec,task-clock,901633,100.00,,", ROW_COUNT, 0, "", "", "task-clock",
     "msec", 900000, 901633, 1},
    {"interval, 6.1", "     0.100152978,1,,cs,1102734,100.00,906.837,/sec", ROW_COUNT, 100152978,
     "", "", "cs", "", 1, 1102734, 1},
    {"interval, 7.2", "0.100179760,2,,cs,1366682,100.00,,", ROW_COUNT, 100179760, "", "", "cs", "",
     2, 1366682, 1},
    {"shared counters", "1.000000000,5,,cycles,250000,25.03,,", ROW_COUNT, 1000000000, "", "",
     "cycles", "", 5, 250000, 0.2503},
    {"not counted", "0.2,<not counted>,,cycles,0,0.00,,", ROW_COUNT, 0, "0.2", "", "cycles", "",
     NAN, 0, 0},
    {"not supported", "<not supported>,,cycles,0,100.00,,", ROW_COUNT, 0, "", "", "cycles", "", NAN,
     0, 1},
    {"a CPU", "0.100158930,CPU1,16,,cs,101876427,100.00,157.054,/sec", ROW_COUNT, 100158930, "CPU1",
     "", "cs", "", 16, 101876427, 1},
    {"a core", "S0-D0-C1,1,19,,cs,102006050,100.00,186.266,/sec", ROW_COUNT, 0, "S0-D0-C1", "",
     "cs", "", 19, 102006050, 1},
    {"a socket with msec", "S0,2,204.79,msec,cpu-clock,204791833,100.00,1.999,CPUs", ROW_COUNT, 0,
     "S0", "", "cpu-clock", "msec", 204790000, 204791833, 1},
    {"a socket, not counted", "S0,2,<not counted>,,cs,0,100.00,,", ROW_COUNT, 0, "S0", "", "cs", "",
     NAN, 0, 1},
    {"a core without its number", "S0-D0-C1,19,,cs,102006050,100.00,,", ROW_COUNT, 0, "S0-D0-C1",
     "", "cs", "", 19, 102006050, 1},
    {"a thread", "redis-server-4242,7,,cs,5,100.00,,", ROW_COUNT, 0, "redis-server-4242", "", "cs",
     "", 7, 5, 1},
    {"a thread with commas", "a,b \"c-15657,100.92,msec,task-clock,100916671,100.00,,", ROW_COUNT,
     0, "a,b \"c-15657", "", "task-clock", "msec", 100920000, 100916671, 1},
    {"a thread with numbers", "a,5,x-12,3,,cs,7,100.00,,", ROW_COUNT, 0, "a,5,x-12", "", "cs", "",
     3, 7, 1},
    {"a cgroup", "10.009818338,2348102263,,topdown-retiring,m.slice/r1.scope,392076178,100.00,,",
     ROW_COUNT, 10009818338, "", "m.slice/r1.scope", "topdown-retiring", "", 2348102263, 392076178,
     1},
    {"the root cgroup", "205.75,msec,cpu-clock,/,5021218431807,100.00,2.000,CPUs utilized",
     ROW_COUNT, 0, "", "/", "cpu-clock", "msec", 205750000, 5021218431807, 1},
    {"repeated runs", "49,,page-faults,1.80%,1002920,100.00,,", ROW_COUNT, 0, "", "", "page-faults",
     "", 49, 1002920, 1},
    {"a comma in the event", "161041769140,,cpu/de_x.y,cmask=0x6/u,74215055852,100.00,,", ROW_COUNT,
     0, "", "", "cpu/de_x.y,cmask=0x6/u", "", 161041769140, 74215055852, 1},
    {"more commas, and a cgroup", "3,,cpu/event=0xa6,umask=0x21,cmask=0x5/,a/b.scope,8,50.00,,",
     ROW_COUNT, 0, "", "a/b.scope", "cpu/event=0xa6,umask=0x21,cmask=0x5/", "", 3, 8, 0.5},
    {"no slashes, but terms", "3,,uops_retired.ms,cmask=0x1,8,50.00,,", ROW_COUNT, 0, "", "",
     "uops_retired.ms,cmask=0x1", "", 3, 8, 0.5},
    {"the metric looks like a share", "9,,instructions,74215055852,100.00,0.60,insn per cycle",
     ROW_COUNT, 0, "", "", "instructions", "", 9, 74215055852, 1},
    {"a column that was never merged",
     "1.000103288,5,,TOPDOWN.SLOTS,16029302700,100.00,31.1,%  tma_backend_bound,bad", ROW_COUNT,
     1000103288, "", "", "TOPDOWN.SLOTS", "", 5, 16029302700, 1},
    {"an uncore unit", "1.50,MiB,uncore_imc/cas_count_read/,1000,100.00,,", ROW_COUNT, 0, "", "",
     "uncore_imc/cas_count_read/", "MiB", 24576, 1000, 1},
    {"energy", "2.50,Joules,power/energy-pkg/,1000,100.00,,", ROW_COUNT, 0, "", "",
     "power/energy-pkg/", "Joules", 2.5 * 0x1p32, 1000, 1},
    NONE("a metric alone", "1.000103288,,,,,,51.0,%  tma_frontend_bound", ROW_NONE),
    NONE("a title", ",225849327050,100.00,,,,TopdownL1", ROW_GROUP),
    NONE("a title in an interval", "1.001089747,,16045397172,100.00,,,,TopdownL1", ROW_GROUP),
    NONE("a title of a socket", "S0,112,,16045397172,100.00,,,,TopdownL1", ROW_GROUP),
    NONE("a total", "         summary,1.21,msec,task-clock,1206179,100.00,,", ROW_SUMMARY),
    NONE("a percentage", "1.001234,25.30,%,topdown-retiring,1002345678,100.00", ROW_PERCENT),
    NONE("a comment", "# started on Sat Nov 21 12:13:59 2026", ROW_NONE),
    NONE("nothing", "", ROW_NONE),
    NONE("blanks", "    ", ROW_NONE),
    NONE("a header", "time,cs/sec  cs_per_second,CPUs  CPUs_utilized,", ROW_NONE),
    NONE("words", "Some events weren't counted, try disabling the NMI watchdog", ROW_NONE),
    NONE("cut", "0.100152978,1,,context-switches,11027", ROW_NONE),
    NONE("no value", "0.100152978,xyz,,context-switches,1102734,100.00,,", ROW_BROKEN),
    NONE("a negative value", "-5,,cycles,1102734,100.00,,", ROW_BROKEN),
    NONE("two numbers run together", "1e5,,cycles,1102734,100.00,,", ROW_BROKEN),
};

static void test_csv(void **state) {
    (void)state;
    check_lines(csv_lines, COUNT_OF(csv_lines), replay_csv_line, &comma);
    static const struct line_case german[] = {
        {"decimal commas", "0.050191335;49,89;msec;task-clock;49891749;25,50;0;CPUs utilized",
         ROW_COUNT, 50191335, "", "", "task-clock", "msec", 49890000, 49891749, 0.255},
    };
    check_lines(german, COUNT_OF(german), replay_csv_line, &semicolon);
}

static const struct line_case json_lines[] = {
    {"6.1",
     "{\"interval\" : 0.100188151, \"counter-value\" : \"1.316523\", \"unit\" : \"msec\", "
     "\"event\" : \"task-clock\", \"event-runtime\" : 1316523, \"pcnt-running\" : 100.00, "
     "\"metric-value\" : nan, \"metric-unit\" : \"CPUs utilized\"}",
     ROW_COUNT, 100188151, "", "", "task-clock", "msec", 1316523, 1316523, 1},
    {"a CPU",
     "{\"cpu\" : \"0\", \"counter-value\" : \"35.000000\", \"unit\" : \"\", \"event\" : "
     "\"cs\", \"event-runtime\" : 7, \"pcnt-running\" : 33.30}",
     ROW_COUNT, 0, "CPU0", "", "cs", "", 35, 7, 0.333},
    {"no blanks", "{\"cpu\":\"12\",\"counter-value\":\"35.000000\",\"event\":\"cs\"}", ROW_COUNT, 0,
     "CPU12", "", "cs", "", 35, NAN, 1},
    {"a core, 7.2",
     "{\"core\" : \"S0-D0-C0\", \"counters\" : 1, \"counter-value\" : \"105.449821\", \"unit\" "
     ": \"msec\", \"event\" : \"cpu-clock\", \"event-runtime\" : 105450028, \"pcnt-running\" : "
     "100.00}",
     ROW_COUNT, 0, "S0-D0-C0", "", "cpu-clock", "msec", 105449821, 105450028, 1},
    {"a cgroup, not counted",
     "{\"counter-value\" : \"<not counted>\", \"unit\" : \"\", \"event\" : \"cs\", \"cgroup\" "
     ": \"/a/b\", \"event-runtime\" : 0, \"pcnt-running\" : 0.00}",
     ROW_COUNT, 0, "", "/a/b", "cs", "", NAN, 0, 0},
    {"a comma before the brace",
     "{\"counter-value\" : \"3817732.000000\", \"unit\" : \"\", \"event\" : "
     "\"topdown-retiring\", \"event-runtime\" : 5552708, \"pcnt-running\" : 100.00, }",
     ROW_COUNT, 0, "", "", "topdown-retiring", "", 3817732, 5552708, 1},
    {"comma locale",
     "{\"counter-value\" : \"1,262497\", \"unit\" : \"msec\", \"event\" : \"task-clock\", "
     "\"event-runtime\" : 1262497, \"pcnt-running\" : 99,50, \"metric-value\" : 0,640524, "
     "\"metric-unit\" : \"x\"}",
     ROW_COUNT, 0, "", "", "task-clock", "msec", 1262497, 1262497, 0.995},
    {"a quote in a thread",
     "{\"thread\" : \"a,b \"c-15657\", \"counter-value\" : \"64.335783\", \"unit\" : \"msec\", "
     "\"event\" : \"task-clock\", \"event-runtime\" : 64335783, \"pcnt-running\" : 100.00}",
     ROW_COUNT, 0, "a,b \"c-15657", "", "task-clock", "msec", 64335783, 64335783, 1},
    {"the same, escaped",
     "{\"thread\" : \"a,b \\\"c-15657\", \"counter-value\" : \"1.000000\", \"event\" : \"cs\"}",
     ROW_COUNT, 0, "a,b \"c-15657", "", "cs", "", 1, NAN, 1},
    {"other escapes",
     "{\"thread\" : \"\\u00e9\\\\x\\q-1\", \"counter-value\" : \"1.000000\", \"event\" : "
     "\"cs\"}",
     ROW_COUNT, 0, "\xc3\xa9\\x\\q-1", "", "cs", "", 1, NAN, 1},
    {"variance",
     "{\"counter-value\" : \"0.763131\", \"unit\" : \"msec\", \"event\" : \"task-clock\", "
     "\"variance\" : 2.66, \"event-runtime\" : 763131, \"pcnt-running\" : 100.00}",
     ROW_COUNT, 0, "", "", "task-clock", "msec", 763131, 763131, 1},
    NONE("a metric alone",
         "{\"metric-value\" : \"29.212267\", \"metric-unit\" : \"%  tma_frontend_bound\", "
         "\"metric-threshold\" : \"bad\"}",
         ROW_NONE),
    NONE("a title",
         "{\"interval\" : 1.001089747, \"event-runtime\" : 16045397172, \"pcnt-running\" : "
         "100.00, \"metricgroup\" : \"TopdownL1\"}",
         ROW_GROUP),
    NONE("metrics only",
         "{\"interval\" : 0.100206559, \"cs/sec  cs_per_second\" : \"1028.9\", \"CPUs  "
         "CPUs_utilized\" : \"none\"}",
         ROW_PERCENT),
    NONE("empty", "{}", ROW_NONE),
    NONE("a comment", "# started on x", ROW_NONE),
    NONE("cut in a string", "{\"interval\" : 0.100206559, \"counter-val", ROW_BROKEN),
    NONE("cut in a number", "{\"interval\" : 0.1002", ROW_BROKEN),
    NONE("cut behind a key", "{\"interval\"", ROW_BROKEN),
    NONE("cut at once", "{", ROW_BROKEN),
    NONE("no colon", "{\"a\" \"b\"}", ROW_BROKEN),
    NONE("nested", "{\"counter-value\" : {\"a\" : 1}}", ROW_BROKEN),
    NONE("a value that is none", "{\"counter-value\" : \"12x\", \"event\" : \"cs\"}", ROW_BROKEN),
    NONE("no event", "{\"counter-value\" : \"12.000000\"}", ROW_BROKEN),
    NONE("a time that is none",
         "{\"interval\" : x, \"counter-value\" : \"12.000000\", \"event\" : \"cs\"}", ROW_BROKEN),
};

static void test_json(void **state) {
    (void)state;
    check_lines(json_lines, COUNT_OF(json_lines), replay_json_line, NULL);
}

static const struct line_case text_lines[] = {
    {"msec",
     "              1.22 msec task-clock                       #    0.719 CPUs utilized        "
     "  ",
     ROW_COUNT, 0, "", "", "task-clock", "msec", 1220000, NAN, 1},
    {"no unit", "                 1      context-switches                 #  820.020 /sec",
     ROW_COUNT, 0, "", "", "context-switches", "", 1, NAN, 1},
    {"thousands",
     "   149,109,802,437      ls_not_halted_cyc                                                "
     "       (25.00%)",
     ROW_COUNT, 0, "", "", "ls_not_halted_cyc", "", 149109802437, NAN, 0.25},
    {"thousands and decimals",
     "         19,110.87 msec task-clock                       #    1.000 CPUs utilized", ROW_COUNT,
     0, "", "", "task-clock", "msec", 19110870000, NAN, 1},
    {"French",
     "     3.003641903     20 284 275 971      de_src_op_disp.all               #      5,5 %  "
     "bad_speculation          (19,97%)",
     ROW_COUNT, 3003641903, "", "", "de_src_op_disp.all", "", 20284275971, NAN, 0.1997},
    {"French with narrow blanks",
     "     3.003641903     1\xe2\x80\xaf"
     "138,02 msec task-clock",
     ROW_COUNT, 3003641903, "", "", "task-clock", "msec", 1138020000, NAN, 1},
    {"wide blanks",
     "         1\xc2\xa0"
     "138\xc2\xa0"
     "002      cycles",
     ROW_COUNT, 0, "", "", "cycles", "", 1138002, NAN, 1},
    {"German", "         1.138,02 msec task-clock", ROW_COUNT, 0, "", "", "task-clock", "msec",
     1138020000, NAN, 1},
    {"German, a thousand", "             1.234      cycles", ROW_COUNT, 0, "", "", "cycles", "",
     1234, NAN, 1},
    {"Swiss", "         1'138'002      cycles", ROW_COUNT, 0, "", "", "cycles", "", 1138002, NAN,
     1},
    {"decimals only", "              0.05 msec task-clock", ROW_COUNT, 0, "", "", "task-clock",
     "msec", 50000, NAN, 1},
    {"not counted",
     "     0.200591957      <not counted> msec task-clock                                      "
     "            ",
     ROW_COUNT, 200591957, "", "", "task-clock", "msec", NAN, NAN, 1},
    {"never scheduled",
     "     <not counted>      cpu_atom/cycles/                                              "
     "(0.00%)",
     ROW_COUNT, 0, "", "", "cpu_atom/cycles/", "", NAN, NAN, 0},
    {"not supported",
     "   <not supported>      LLC-loads                                                        "
     "     ",
     ROW_COUNT, 0, "", "", "LLC-loads", "", NAN, NAN, 1},
    {"repeated runs",
     "        94,607,174      L1-dcache-load-misses            #      0.7 %  l1d_miss_rate     "
     "       ( +-  1.52% )  (15.41%)",
     ROW_COUNT, 0, "", "", "L1-dcache-load-misses", "", 94607174, NAN, 0.1541},
    {"a cgroup",
     "       324,531,142      cycles                           a.slice/b.scope                 "
     "                     ",
     ROW_COUNT, 0, "", "a.slice/b.scope", "cycles", "", 324531142, NAN, 1},
    {"a cgroup and a metric",
     "       598,303,194      instructions                     a.slice/b.scope #    1.84  insn "
     "per cycle            ",
     ROW_COUNT, 0, "", "a.slice/b.scope", "instructions", "", 598303194, NAN, 1},
    {"a long event",
     "     8,100,159,491      cpu/de_x.no_ops,cmask=0x6/ #      5.4 %  frontend_bound_latency  "
     " (25.00%)",
     ROW_COUNT, 0, "", "", "cpu/de_x.no_ops,cmask=0x6/", "", 8100159491, NAN, 0.25},
    {"a suffix",
     "            102.36 msec cpu-clock [software]             #    1.000 CPUs utilized", ROW_COUNT,
     0, "", "", "cpu-clock [software]", "msec", 102360000, NAN, 1},
    {"a CPU", "CPU0                 35      context-switches                 #  336.3 /sec",
     ROW_COUNT, 0, "CPU0", "", "context-switches", "", 35, NAN, 1},
    {"a core", "     0.100206239 S0-D0-C0              2             100.40 msec cpu-clock",
     ROW_COUNT, 100206239, "S0-D0-C0", "", "cpu-clock", "msec", 100400000, NAN, 1},
    {"a thread", "            sleep-28275           <not counted> msec task-clock", ROW_COUNT, 0,
     "sleep-28275", "", "task-clock", "msec", NAN, NAN, 1},
    {"a thread with blanks", "     my thread-28275              12      context-switches",
     ROW_COUNT, 0, "my thread-28275", "", "context-switches", "", 12, NAN, 1},
    NONE("title", " Performance counter stats for 'sleep 1':", ROW_NONE),
    NONE("title with numbers", " Performance counter stats for 'a -n 10 b' (3 runs):", ROW_NONE),
    NONE("elapsed", "       0.001696075 seconds time elapsed", ROW_NONE),
    NONE("user time", "       0.001738000 seconds user", ROW_NONE),
    NONE("a metric alone",
         "                                                  #      0.0 %  x     (25.00%)",
         ROW_NONE),
    NONE("a group's name",
         "                        TopdownL1                        #      0.0 percent of slots",
         ROW_GROUP),
    NONE("a header", "#           time             counts unit events", ROW_NONE),
    NONE("a sentence", "12 monkeys went home", ROW_NONE),
    NONE("a table", "| cycles | 12.59 G | 13.89 G |", ROW_NONE),
    NONE("cut in the share",
         "   149,109,802,437      ls_not_halted_cyc                               (25.0", ROW_NONE),
    NONE("cut in the value", "   149,109,8", ROW_NONE),
};

static void test_text(void **state) {
    (void)state;
    check_lines(text_lines, COUNT_OF(text_lines), replay_text_line, NULL);
}

static void test_text_between(void **state) {
    (void)state;
    double share = 1, seconds = 0;
    assert_true(
        replay_text_continues("                    #      0.0 %  x          (25.07%)", &share));
    assert_true(fabs(share - 0.2507) < 1e-12);
    share = 1;
    assert_true(
        replay_text_continues("     3.003641903         #      0,0 %  x      (19,97%)", &share));
    assert_true(fabs(share - 0.1997) < 1e-12);
    assert_true(
        replay_text_continues("                    #  0.08  stalled cycles per insn", &share));
    assert_false(replay_text_continues("# started on Sat Nov 21 12:13:59 2026", &share));
    assert_false(replay_text_continues("       3,408      cycles     #  5.1 %  retiring", &share));
    assert_true(replay_text_elapsed(
        "       7.739760343 +- 0.045801207 seconds time elapsed  ( +-  0.59% )", &seconds));
    assert_true(seconds == 7.739760343);
    assert_true(replay_text_elapsed("       5,353088508 seconds time elapsed", &seconds));
    assert_true(seconds == 5.353088508);
    assert_false(replay_text_elapsed("       0.001738000 seconds user", &seconds));
}

static void test_dialect(void **state) {
    (void)state;
    static const struct {
        const char *line, *sep;
        char decimal;
    } cases[] = {
        {"49,,page-faults,901633,100.00,54.346,K/sec", ",", '.'},
        {"     0.100181428;1.42;msec;task-clock;1417745;100.00;0.014;CPUs utilized", ";", '.'},
        {"0.050191335;49,89;msec;task-clock;49891749;100,00;0;CPUs", ";", ','},
        {"0.05|49|msec|cycles|49891749|100.00||", "|", '.'},
        {"0.05\t49\tmsec\tcycles\t49891749\t100.00\t\t", "\t", '.'},
        {"49::::cycles::49891749::100.00::::", "::", '.'},
        {"49, , cycles, 49891749, 100.00, , ", ", ", '.'},
        {"49,89,msec,task-clock,49891749,100,00,0,CPUs utilized", ",", ','},
        {"9,,instructions,74215055852,100.00,0.60,insn per cycle", ",", '.'},
        {"161041769140,,cpu/x,cmask=0x6/u,74215055852,100.00,,", ",", '.'},
        {"49,,page-faults,1.80%,1002920,100.00", ",", '.'},
        {"12 monkeys", NULL, 0},
        {"", NULL, 0},
        {"1,2,3,4", NULL, 0},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct replay_dialect d = {0};
        bool found = replay_csv_dialect(cases[i].line, &d);
        if (found != (cases[i].sep != NULL) ||
            (found && (strcmp(d.sep, cases[i].sep) || d.decimal != cases[i].decimal)))
            fail_msg("%s: found %d, sep '%s', decimal '%c'", cases[i].line, found, d.sep,
                     d.decimal);
    }
}

static void test_numbers(void **state) {
    (void)state;
    static const struct {
        const char *text;
        double value; /* NAN: refused */
    } cases[] = {
        {"0", 0},       {"12", 12},           {"18693525.000000", 18693525},
        {"0.89", 0.89}, {"5351.55", 5351.55}, {"18446744073709551615", 18446744073709551615.0},
        {"007", 7},     {".5", 0.5},          {"5.", 5},
        {"", NAN},      {".", NAN},           {"-1", NAN},
        {"1e5", NAN},   {"1.2.3", NAN},       {"1,2", NAN},
        {" 1", NAN},    {"nan", NAN},         {"99999999999999999999999999", NAN},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        double v = NAN;
        bool ok = replay_number(cases[i].text, '.', &v);
        if (ok == isnan(cases[i].value) || !same_number(ok ? v : NAN, cases[i].value, 1e-15))
            fail_msg("'%s': %d, %.17g", cases[i].text, ok, v);
    }
    uint64_t ns = 0;
    assert_true(replay_time("437.326932537", &ns));
    assert_int_equal(ns, 437326932537);
    assert_true(replay_time("1.001234", &ns));
    assert_int_equal(ns, 1001234000);
    assert_false(replay_time("1.22", &ns));
    assert_false(replay_time("99999999999.000000000", &ns));
    assert_false(replay_time("1.0000000001", &ns));
}

static void test_kinds(void **state) {
    (void)state;
    static const struct {
        const char *text;
        enum replay_agg kind;
    } cases[] = {
        {"CPU0", AGG_CPU},
        {"CPU223", AGG_CPU},
        {"S0-D0-C12", AGG_CORE},
        {"S1", AGG_SOCKET},
        {"S0-D1", AGG_DIE},
        {"N0", AGG_NODE},
        {"S0-D0-L3-ID0", AGG_CACHE},
        {"S0-D0-CLS0", AGG_CLUSTER},
        {"redis-server-42", AGG_THREAD},
        {"a,b \"c-7", AGG_THREAD},
        {"CPU", AGG_NONE},
        {"", AGG_NONE},
        {"S", AGG_NONE},
        {"-5", AGG_NONE},
        {"words", AGG_NONE},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        if (replay_agg_kind(cases[i].text) != cases[i].kind)
            fail_msg("'%s': %d", cases[i].text, replay_agg_kind(cases[i].text));
}

/* What cannot be replayed says what it is. */
static void test_refused(void **state) {
    (void)state;
    static const struct {
        const char *what, *text;
        size_t len; /* 0: strlen */
        const char *words;
    } cases[] = {
        {"empty", "", 0, "is empty"},
        {"only a header", "# started on Sat Nov 21 12:13:59 2026\n\n", 0, "is empty"},
        {"perf.data", "PERFILE2h\0\0\0\0\0\0\0", 16, ":1: looks like a perf.data file"},
        {"gzip", "\x1f\x8b\x08\0\0\0\0\0", 8, "compressed with gzip"},
        {"binary",
         "\x7f"
         "ELF\x02\x01\x01\0",
         8, ":1: holds the byte 0x02"},
        {"a NUL later", "1,,cs,5,100.0\nx\0y\n", 18, ":2: holds the byte 0x00"},
        {"words", "no counts here\nnor here\n", 0,
         "no line of the first 2 is a counter line of perf stat (it begins \"no counts here\")"},
        {"perf's complaint", "Error:\nNo supported events found.\n", 0,
         "perf stat counted nothing"},
        {"metric-only", "time,percent of slots  retiring,\n1.000839140,31.6,\n", 0,
         "holds only percentages"},
        {"old --topdown",
         "retiring,bad speculation,frontend bound,backend bound,\n18.0,16.1,40.4,25.5,\n", 0,
         "holds only percentages"},
        {"metric-only JSON", "{\"interval\" : 0.100206559, \"%  tma_retiring\" : \"28.9\"}\n", 0,
         "holds only percentages"},
        {"percentages as counts", "1.001234000,25.30,%,topdown-retiring,1002345678,100.00\n", 0,
         "holds only percentages"},
        {"comma locale", "0.050191335,49,89,msec,task-clock,49891749,100,00,0,CPUs\n", 0,
         ":1: numbers have decimal commas"},
        {"toplev", "Timestamp,Area,Value,Unit,Description\n1.0,Frontend_Bound,2.7,% Slots\n", 0,
         "toplev output"},
        {"toplev text",
         "# 5.1-full on Intel(R) Xeon(R) Processor [skx]\nFE  Frontend_Bound  % Slots  2.7 <\n", 0,
         "toplev output"},
        {"toplev -V", "Timestamp;CPU;Group;Event;Value;Perf-event;Index\n", 0, "toplev -V wrote"},
        {"uProf", "\nAMDuProfPcm Report\n", 0, ":2: looks like an AMD uProf report"},
        {"topdown-tool", "time,group,stage,level,metric,value,units\n", 0, "Arm's topdown-tool"},
        {"an array", "[\n{\"name\": \"Level1\"}\n]\n", 0, "a JSON array"},
        {"a web page", "<!DOCTYPE html>\n", 0, "a web page"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct recording r = {0};
        struct replay_reader reader;
        recording_write(&r, cases[i].text, cases[i].len ? cases[i].len : strlen(cases[i].text));
        int rc = replay_reader_open(&reader, r.path, &r.err);
        if (rc != -EINVAL || r.err.code != rc || !strstr(r.err.text, cases[i].words) ||
            !strstr(r.err.text, r.path))
            fail_msg("%s: rc %d, '%s'", cases[i].what, rc, rc < 0 ? r.err.text : "");
        replay_reader_close(&reader);
        unlink(r.path);
    }
}

static void test_unreadable(void **state) {
    (void)state;
    struct replay_reader reader;
    struct err err = {0};
    assert_int_equal(replay_reader_open(&reader, "/nonexistent/file.csv", &err), -ENOENT);
    assert_non_null(strstr(err.text, "/nonexistent/file.csv: No such file"));
    replay_reader_close(&reader);
    assert_int_equal(replay_reader_open(&reader, "/tmp", &err), -EISDIR);
    assert_non_null(strstr(err.text, "is a folder"));
    replay_reader_close(&reader);
}

static void test_overlong_line(void **state) {
    (void)state;
    size_t len = 3u << 20;
    char *text = malloc(len);
    memset(text, 'x', len);
    static const char first[] = "1,,cs,5,100.00,,\n";
    memcpy(text, first, sizeof(first) - 1);
    struct recording r = {0};
    recording_write(&r, text, len);
    free(text);
    struct replay_reader reader;
    struct replay_row row;
    assert_int_equal(replay_reader_open(&reader, r.path, &r.err), 0);
    assert_int_equal(replay_reader_next(&reader, &row, &r.err), 1);
    assert_int_equal(replay_reader_next(&reader, &row, &r.err), -EINVAL);
    assert_non_null(strstr(r.err.text, ":2: the line is longer than 1 MiB"));
    replay_reader_close(&reader);
    unlink(r.path);
}

/* Rows of a file: blocks, elapsed time, line ends of other systems, a mark of its encoding. */
static void test_file(void **state) {
    (void)state;
    static const char text[] = "\xef\xbb\xbf# started on Sat\r\n"
                               " Performance counter stats for 'a':\r\n\r\n"
                               "    5      cycles    #  1 x\r\n"
                               "                     #  2 y   (50.00%)\r\n"
                               "    6      cs\r\n\r\n"
                               "    1.500000000 seconds time elapsed\r\n\r\n"
                               " Performance counter stats for 'b':\r\n"
                               "    7      cycles";
    struct recording r = {0};
    recording_write(&r, text, sizeof(text) - 1);
    struct replay_reader reader;
    struct replay_row row;
    assert_int_equal(replay_reader_open(&reader, r.path, &r.err), 0);
    for (int turn = 0; turn < 2; turn++) {
        assert_int_equal(replay_reader_next(&reader, &row, &r.err), 1);
        assert_string_equal(row.event, "cycles");
        assert_true(row.value == 5 && row.share == 0.5 && row.block == 0 && row.line == 4);
        assert_int_equal(replay_reader_next(&reader, &row, &r.err), 1);
        assert_true(row.value == 6 && row.share == 1 && !row.titled);
        assert_int_equal(replay_reader_next(&reader, &row, &r.err), 1);
        assert_true(row.value == 7 && row.block == 1 && row.line == 11);
        assert_true(reader.has_elapsed && reader.elapsed_block == 0 &&
                    reader.elapsed_ns == 1500000000);
        assert_int_equal(replay_reader_next(&reader, &row, &r.err), 0);
        assert_int_equal(replay_reader_rewind(&reader, &r.err), 0);
    }
    replay_reader_close(&reader);
    unlink(r.path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_csv),        cmocka_unit_test(test_json),
        cmocka_unit_test(test_text),       cmocka_unit_test(test_text_between),
        cmocka_unit_test(test_dialect),    cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_kinds),      cmocka_unit_test(test_refused),
        cmocka_unit_test(test_unreadable), cmocka_unit_test(test_overlong_line),
        cmocka_unit_test(test_file),
    };
    return cmocka_run_group_tests_name("replay rows", tests, NULL, NULL);
}
