/* Address spaces: read from a /proc of our own, then followed by records. */
#include "fake_root.h"

#include "pmu/sampling/maps.h"
#include "pmu/sampling/spaces.h"

#include "base/clock.h"

enum { PID = 42, CHILD = 43 };

static const char maps[] =
    "00400000-00401000 r--p 00000000 08:01 100                        /bin/prog\n"
    "00401000-00405000 r-xp 00001000 08:01 100                        /bin/prog\n"
    "00500000-00501000 rw-p 00000000 00:00 0                          [heap]\n"
    "7f0000000000-7f0000010000 r-xp 00002000 08:01 200                /lib/with space.so\n"
    "7f0000020000-7f0000021000 r-xp 00000000 08:01 300                /lib/old.so (deleted)\n"
    "7f0000030000-7f0000031000 rwxp 00000000 00:00 0 \n"
    "7f0000040000-7f0000042000 r-xp 00000000 00:00 0                  [vdso]\n"
    "ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0          [vsyscall]\n"
    "a line that is none\n";

struct box {
    struct modules modules;
    struct spaces spaces;
};

static void open_box(struct box *b, uint32_t spaces, uint32_t mappings) {
    assert_int_equal(modules_init(&b->modules, 64), 0);
    assert_int_equal(
        spaces_init(&b->spaces, &b->modules, root, &(struct spaces_limits){spaces, mappings}), 0);
}

static void close_box(struct box *b) {
    spaces_destroy(&b->spaces);
    modules_destroy(&b->modules);
}

static void expect(struct box *b, pid_t pid, uint64_t addr, enum module_kind kind, const char *path,
                   uint64_t offset) {
    struct place at;
    struct module m;
    spaces_find(&b->spaces, pid, addr, MODE_USER, &at);
    modules_get(&b->modules, at.module, &m);
    if (m.kind != kind || strcmp(m.path, path) != 0 || at.offset != offset)
        fail_msg("%#llx of %d: %s (kind %d) + %#llx, not %s (%d) + %#llx", (unsigned long long)addr,
                 (int)pid, m.path, m.kind, (unsigned long long)at.offset, path, kind,
                 (unsigned long long)offset);
}

static void expect_nothing(struct box *b, pid_t pid, uint64_t addr) {
    expect(b, pid, addr, MODULE_UNKNOWN, "[unknown]", addr);
}

static void maps_are_read_when_they_are_asked_for(void **state) {
    (void)state;
    struct box b;
    struct place at;
    struct module m;
    put("/proc/42/maps", maps);
    open_box(&b, 8, 100);
    expect(&b, PID, 0x401000, MODULE_FILE, "/bin/prog", 0x1000);
    expect(&b, PID, 0x404fff, MODULE_FILE, "/bin/prog", 0x4fff);
    expect_nothing(&b, PID, 0x405000);
    expect_nothing(&b, PID, 0x400800); /* not executable */
    expect(&b, PID, 0x7f0000000010, MODULE_FILE, "/lib/with space.so", 0x2010);
    expect(&b, PID, 0x7f0000030010, MODULE_JIT, "[jit]", 0x7f0000030010);
    expect(&b, PID, 0x7f0000040ac0, MODULE_VDSO, "[vdso]", 0xac0);
    expect(&b, PID, 0xffffffffff600010, MODULE_UNKNOWN, "[vsyscall]", 0xffffffffff600010);
    expect(&b, PID, 0x7f0000020004, MODULE_FILE, "/lib/old.so", 4);
    spaces_find(&b.spaces, PID, 0x7f0000020004, MODE_USER, &at);
    modules_get(&b.modules, at.module, &m);
    assert_true(m.deleted);
    assert_int_equal(m.pid, PID);
    assert_int_equal(m.start, 0x7f0000020000);
    assert_int_equal(m.ino, 300);
    close_box(&b);
}

static void kernel_addresses_are_the_kernels(void **state) {
    (void)state;
    struct box b;
    struct place at;
    open_box(&b, 8, 100);
    spaces_find(&b.spaces, PID, 0xffffffff81000000, MODE_KERNEL, &at);
    assert_int_equal(at.module, MODULES_KERNEL);
    assert_int_equal(at.offset, 0xffffffff81000000);
    struct record r = {.kind = RECORD_KSYMBOL};
    r.ksymbol.addr = 0xffffffffc0001000;
    r.ksymbol.len = 0x40;
    r.ksymbol.bpf = true;
    r.ksymbol.name = "bpf_prog_1";
    spaces_follow(&b.spaces, &r);
    spaces_find(&b.spaces, PID, 0xffffffffc0001010, MODE_KERNEL, &at);
    struct module m;
    modules_get(&b.modules, at.module, &m);
    assert_int_equal(m.kind, MODULE_BPF);
    assert_string_equal(m.path, "bpf_prog_1");
    r.ksymbol.gone = true;
    spaces_follow(&b.spaces, &r);
    spaces_find(&b.spaces, PID, 0xffffffffc0001010, MODE_KERNEL, &at);
    assert_int_equal(at.module, MODULES_KERNEL);
    close_box(&b);
}

static void map(struct box *b, pid_t pid, uint64_t start, uint64_t len, uint64_t pgoff,
                const char *path, uint64_t ino, uint64_t time) {
    struct record r = {.kind = RECORD_MMAP, .pid = pid, .tid = pid, .time = time};
    r.mmap = (struct record_mmap){.start = start,
                                  .len = len,
                                  .pgoff = pgoff,
                                  .dev_major = 8,
                                  .dev_minor = 1,
                                  .ino = ino,
                                  .executable = true,
                                  .path = path};
    spaces_follow(&b->spaces, &r);
}

static void task(struct box *b, enum record_kind kind, pid_t pid, pid_t tid, pid_t ppid) {
    struct record r = {.kind = kind, .pid = pid, .tid = tid};
    if (kind == RECORD_COMM) {
        r.comm.exec = true;
        r.comm.name = "new";
    } else {
        r.fork.ppid = r.fork.ptid = ppid;
    }
    spaces_follow(&b->spaces, &r);
}

static void new_mappings_cover_old_ones(void **state) {
    (void)state;
    struct box b;
    open_box(&b, 8, 100);
    task(&b, RECORD_COMM, 7, 7, 0);
    map(&b, 7, 0x1000, 0x9000, 0, "/a", 1, 0);
    map(&b, 7, 0x3000, 0x1000, 0x100, "/b", 2, 0); /* in its middle */
    expect(&b, 7, 0x2fff, MODULE_FILE, "/a", 0x1fff);
    expect(&b, 7, 0x3000, MODULE_FILE, "/b", 0x100);
    expect(&b, 7, 0x4000, MODULE_FILE, "/a", 0x3000);
    expect(&b, 7, 0x9fff, MODULE_FILE, "/a", 0x8fff);
    map(&b, 7, 0x2800, 0x3000, 0, "/c", 3, 0); /* over the end of one, all of one, a begin */
    expect(&b, 7, 0x27ff, MODULE_FILE, "/a", 0x17ff);
    expect(&b, 7, 0x3800, MODULE_FILE, "/c", 0x1000);
    expect(&b, 7, 0x5800, MODULE_FILE, "/a", 0x4800);
    map(&b, 7, 0x1000, 0x9000, 0, "/d", 4, 0); /* over everything */
    expect(&b, 7, 0x5800, MODULE_FILE, "/d", 0x4800);
    assert_int_equal(b.spaces.n_mapping, 1);
    map(&b, 7, 0x20000, UINT64_MAX, 0, "/wraps", 5, 0);
    map(&b, 7, 0x20000, 0, 0, "/empty", 6, 0);
    assert_int_equal(b.spaces.n_mapping, 1);
    close_box(&b);
}

static void a_process_has_its_parents_mappings_until_it_execs(void **state) {
    (void)state;
    struct box b;
    put("/proc/42/maps", maps);
    open_box(&b, 8, 100);
    expect(&b, PID, 0x401000, MODULE_FILE, "/bin/prog", 0x1000);
    task(&b, RECORD_FORK, CHILD, CHILD, PID);
    expect(&b, CHILD, 0x401000, MODULE_FILE, "/bin/prog", 0x1000);
    map(&b, CHILD, 0x600000, 0x1000, 0, "/lib/child.so", 400, 0);
    expect_nothing(&b, PID, 0x600000);
    task(&b, RECORD_FORK, PID, 99, PID); /* a thread */
    expect(&b, PID, 0x401000, MODULE_FILE, "/bin/prog", 0x1000);
    task(&b, RECORD_COMM, CHILD, CHILD, 0);
    expect_nothing(&b, CHILD, 0x401000);
    task(&b, RECORD_EXIT, CHILD, CHILD, PID);
    expect_nothing(&b, CHILD, 0x600000);
    close_box(&b);
}

/* What /proc has told already is not done again. */
static void records_of_before_the_reading_are_left_out(void **state) {
    (void)state;
    struct box b;
    put("/proc/42/maps", maps);
    open_box(&b, 8, 100);
    const uint64_t before = clock_now_ns();
    assert_int_equal(spaces_read(&b.spaces, PID), 0);
    map(&b, PID, 0x401000, 0x1000, 0, "/lib/before.so", 500, before);
    expect(&b, PID, 0x401000, MODULE_FILE, "/bin/prog", 0x1000);
    map(&b, PID, 0x401000, 0x1000, 0, "/lib/after.so", 600, clock_now_ns());
    expect(&b, PID, 0x401000, MODULE_FILE, "/lib/after.so", 0);
    close_box(&b);
}

static void a_process_that_cannot_be_read_is_unknown_until_it_execs(void **state) {
    (void)state;
    struct box b;
    open_box(&b, 8, 100);
    expect_nothing(&b, 999, 0x401000);
    expect_nothing(&b, 999, 0x401000);
    assert_int_equal(b.spaces.n_unreadable, 1); /* once, not for each sample */
    map(&b, 999, 0x401000, 0x1000, 0, "/x", 7, 0);
    expect_nothing(&b, 999, 0x401000); /* a part of it would be taken for the whole */
    task(&b, RECORD_COMM, 999, 999, 0);
    map(&b, 999, 0x401000, 0x1000, 0, "/x", 7, 0);
    expect(&b, 999, 0x401000, MODULE_FILE, "/x", 0);
    close_box(&b);
}

static void memory_is_bounded(void **state) {
    (void)state;
    struct box b;
    open_box(&b, 4, 20);
    for (pid_t pid = 100; pid < 200; pid++) {
        task(&b, RECORD_COMM, pid, pid, 0);
        for (uint64_t i = 0; i < 4; i++)
            map(&b, pid, 0x1000 * (2 * i + 1), 0x1000, 0, "/x", 7, 0);
        expect(&b, pid, 0x1000, MODULE_FILE, "/x", 0);
    }
    assert_true(b.spaces.n_used <= 4);
    assert_true(b.spaces.n_mapping <= 20);
    assert_true(b.spaces.n_evicted > 80);
    const uint64_t evicted = b.spaces.n_evicted;
    task(&b, RECORD_EXIT, 199, 199, 1);
    task(&b, RECORD_COMM, 200, 200, 0);
    assert_int_equal(b.spaces.n_evicted, evicted); /* those that have ended go first, uncounted */
    for (uint64_t i = 0; i < 100; i++) /* one process alone has more than there is room for */
        map(&b, 200, 0x1000 * (2 * i + 1), 0x1000, 0, "/x", 7, 0);
    assert_true(b.spaces.n_dropped > 0);
    assert_true(b.spaces.n_mapping <= 20);
    close_box(&b);
}

/* ---- modules ---- */

static uint32_t add(struct modules *ms, enum module_kind kind, uint8_t build_id, uint64_t ino,
                    uint64_t generation, pid_t pid, const char *path) {
    struct module m = {.kind = kind,
                       .n_build_id = build_id ? 2 : 0,
                       .build_id = {build_id, 1},
                       .dev_major = 8,
                       .ino = ino,
                       .ino_generation = generation,
                       .pid = pid,
                       .path = path};
    return modules_add(ms, &m);
}

static void a_file_is_one_module_in_all_processes(void **state) {
    (void)state;
    struct modules ms;
    assert_int_equal(modules_init(&ms, 16), 0);
    const uint32_t a = add(&ms, MODULE_FILE, 7, 0, 0, 1, "/a");
    assert_int_equal(a, add(&ms, MODULE_FILE, 7, 55, 0, 2, "/copy/of/a"));
    assert_int_not_equal(a, add(&ms, MODULE_FILE, 8, 0, 0, 1, "/a")); /* it was replaced */
    const uint32_t b = add(&ms, MODULE_FILE, 0, 100, 0, 1, "/b");
    assert_int_equal(b, add(&ms, MODULE_FILE, 0, 100, 3, 2, "/b"));
    assert_int_not_equal(b, add(&ms, MODULE_FILE, 0, 101, 3, 2, "/b"));
    const uint32_t j = add(&ms, MODULE_JIT, 0, 0, 0, 1, "[jit]");
    assert_int_equal(j, add(&ms, MODULE_JIT, 0, 0, 0, 1, "[jit]"));
    assert_int_not_equal(j, add(&ms, MODULE_JIT, 0, 0, 0, 2, "[jit]"));
    const uint32_t v = add(&ms, MODULE_VDSO, 0, 0, 0, 1, "[vdso]");
    assert_int_equal(v, add(&ms, MODULE_VDSO, 0, 0, 0, 2, "[vdso]"));
    modules_destroy(&ms);
}

static void a_full_table_says_so(void **state) {
    (void)state;
    struct modules ms;
    struct module m;
    assert_int_equal(modules_init(&ms, 4), 0);
    assert_int_equal(add(&ms, MODULE_FILE, 0, 1, 0, 1, "/1"), 2);
    assert_int_equal(add(&ms, MODULE_FILE, 0, 2, 0, 1, "/2"), 3);
    assert_int_equal(add(&ms, MODULE_FILE, 0, 3, 0, 1, "/3"), MODULES_UNKNOWN);
    assert_int_equal(add(&ms, MODULE_FILE, 0, 2, 0, 1, "/2"), 3);
    assert_int_equal(modules_refused(&ms), 1);
    assert_int_equal(modules_count(&ms), 4);
    modules_get(&ms, 99, &m); /* no such: unknown */
    assert_int_equal(m.kind, MODULE_UNKNOWN);
    modules_destroy(&ms);
}

static void names_that_are_no_files(void **state) {
    (void)state;
    static const struct {
        const char *path;
        enum module_kind kind;
        const char *as;
        bool deleted;
    } cases[] = {
        {"/memfd:runc (deleted)", MODULE_FILE, "/memfd:runc", true},
        {"/memfd:doublemapper (deleted)", MODULE_JIT, "[jit]", true},
        {"//anon", MODULE_JIT, "[jit]", false},
        {"[anon:v8]", MODULE_JIT, "[jit]", false},
        {"[stack]", MODULE_JIT, "[jit]", false},
        {"/dev/zero (deleted)", MODULE_JIT, "[jit]", true},
        {"[vdso]", MODULE_VDSO, "[vdso]", false},
        {"[other]", MODULE_UNKNOWN, "[other]", false},
        {" (deleted)", MODULE_JIT, "[jit]", true},
        {"/a (deleted) b", MODULE_FILE, "/a (deleted) b", false},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct module out;
        maps_name(&(struct module){.path = cases[i].path, .ino = 9}, 1, &out);
        if (out.kind != cases[i].kind || strcmp(out.path, cases[i].as) != 0 ||
            out.deleted != cases[i].deleted)
            fail_msg("%s: kind %d, %s", cases[i].path, out.kind, out.path);
        assert_true((out.kind == MODULE_FILE) == (out.ino == 9));
    }
    char line[] = "1000-2000 r-xp 0 08:01 5   /odd\\012name";
    struct module m;
    assert_true(maps_line(line, &m));
    assert_string_equal(m.path, "/odd\nname");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(maps_are_read_when_they_are_asked_for),
        cmocka_unit_test(kernel_addresses_are_the_kernels),
        cmocka_unit_test(new_mappings_cover_old_ones),
        cmocka_unit_test(a_process_has_its_parents_mappings_until_it_execs),
        cmocka_unit_test(records_of_before_the_reading_are_left_out),
        cmocka_unit_test(a_process_that_cannot_be_read_is_unknown_until_it_execs),
        cmocka_unit_test(memory_is_bounded),
        cmocka_unit_test(a_file_is_one_module_in_all_processes),
        cmocka_unit_test(a_full_table_says_so),
        cmocka_unit_test(names_that_are_no_files),
    };
    return cmocka_run_group_tests(tests, make_root, remove_root);
}
