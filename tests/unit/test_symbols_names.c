/* Names of src/pmu/symbols as views and verbs ask for them: what is known, what the workers find,
 * what is shown of one function; and instructions, of machines that are not here, too. */
#include "pmu/symbols/apart.h"
#include "pmu/symbols/names.h"

#include <elf.h>
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <sys/sysmacros.h>

#include "fake_root.h"

static struct module own; /* this program */
static uint64_t own_offset;

__attribute__((noinline)) int symbols_opened(int n);

int symbols_opened(int n) {
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += i * n;
    return sum;
}

static int find_own(void **state) {
    (void)state;
    static char path[4096];
    char line[4352];
    const uint64_t at = (uint64_t)(uintptr_t)symbols_opened;
    FILE *f = fopen("/proc/self/maps", "r");
    while (f && fgets(line, sizeof(line), f)) {
        struct module m = {.kind = MODULE_FILE, .pid = getpid(), .path = path};
        if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %" SCNx64 " %x:%x %" SCNu64 " %4095[^\n]",
                   &m.start, &m.end, &m.pgoff, &m.dev_major, &m.dev_minor, &m.ino, path) == 7 &&
            at >= m.start && at < m.end) {
            own = m;
            own_offset = at - m.start + m.pgoff;
            break;
        }
    }
    if (f)
        fclose(f);
    return own_offset ? 0 : -1;
}

/* An answer that is asked for again and again: 20 s at most. */
static void wait_a_little(void) {
    nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
}
enum { TIMES = 10000 };

static void test_function(void **state) {
    (void)state;
    struct names *n;
    struct function f, g;
    char lack[NAMES_LACK];
    assert_int_equal(names_open(&n, NULL), 0);
    assert_int_equal(names_function(n, &own, own_offset + 3, &f), 0);
    assert_string_equal(f.name, "symbols_opened");
    assert_int_equal(f.start, own_offset);
    assert_true(f.size > 3 && !f.inexact && !f.kmodule);
    assert_int_equal(names_function(n, &own, own_offset, &g), 0);
    assert_ptr_equal(f.name, g.name);
    assert_string_equal(names_lack(n, &own, lack, sizeof(lack)), "");
    assert_int_equal(names_function(n, &own, UINT64_MAX, &f), -ENOENT);
    const struct module unknown = {.kind = MODULE_UNKNOWN, .path = "//anon"};
    assert_int_equal(names_function(n, &unknown, 5, &f), -ENOENT);
    assert_true(names_bytes(n) > 1000 && names_bytes(n) < 8 << 20);
    names_close(n);
    names_close(NULL);
}

/* The screen's thread is told "not yet", and later the answer; what is asked again is there. */
static void test_peek(void **state) {
    (void)state;
    struct names *n;
    struct function f;
    assert_int_equal(names_open(&n, NULL), 0);
    assert_int_equal(names_peek(n, &own, own_offset, &f), -EAGAIN);
    for (int i = 0; i < TIMES && names_peek(n, &own, own_offset, &f) == -EAGAIN; i++)
        wait_a_little();
    assert_int_equal(names_peek(n, &own, own_offset + 1, &f), 0);
    assert_string_equal(f.name, "symbols_opened");
    assert_int_equal(names_peek(n, &own, UINT64_MAX, &f),
                     -ENOENT); /* known to have none: no wish */
    /* more than the worker can be told at once */
    for (uint64_t i = 0; i < 5000; i++)
        names_peek(n, &own, own_offset - 40000 + 16 * i, &f);
    names_close(n);
}

static void test_told_by_kernel(void **state) {
    (void)state;
    struct names *n;
    struct function f;
    char proc[96];
    put("/proc/kallsyms", "ffffffff81000000 T _text\nffffffff81000100 t one\n"
                          "ffffffffc0001000 t xfs_read\t[xfs]\n");
    snprintf(proc, sizeof(proc), "%s/proc", root);
    const struct names_options opt = {.places = {.proc = proc}};
    const struct module kernel = {.kind = MODULE_KERNEL, .path = "[kernel]"};
    const struct module bpf = {.kind = MODULE_BPF, .path = "bpf_prog_x"};
    assert_int_equal(names_open(&n, &opt), 0);
    assert_int_equal(names_function(n, &kernel, 0xffffffff81000180, &f), 0);
    assert_string_equal(f.name, "one");
    assert_int_equal(names_function(n, &kernel, 0xffffffffc0001001, &f), 0);
    assert_string_equal(f.name, "xfs_read");
    assert_string_equal(f.kmodule, "xfs");
    assert_int_equal(names_function(n, &bpf, 0xffffffffc0100000, &f), -ENOENT);
    names_close(n);
    /* where the kernel does not tell */
    char lack[NAMES_LACK];
    put("/proc/kallsyms", "0000000000000000 T _text\n");
    assert_int_equal(names_open(&n, &opt), 0);
    assert_int_equal(names_function(n, &kernel, 0xffffffff81000180, &f), -EACCES);
    assert_non_null(
        strstr(names_lack(n, &kernel, lack, sizeof(lack)), "sysctl kernel.kptr_restrict=0"));
    names_close(n);
}

/* Tables that do not fit are taken away, those used longest ago first; names stay. */
static void test_limits(void **state) {
    (void)state;
    struct names *n;
    struct function f, libc;
    const struct names_options small = {.tables_max = 4 << 20, .text_max = 64 << 10};
    struct module m[40];
    char path[40][96];
    assert_int_equal(names_open(&n, &small), 0);
    assert_int_equal(names_function(n, &own, own_offset, &f), 0);
    for (int i = 0; i < 40; i++) {
        char cmd[4352];
        struct stat st;
        snprintf(path[i], sizeof(path[i]), "%s/copy%d", root, i);
        snprintf(cmd, sizeof(cmd), "cp '%s' %s", own.path, path[i]);
        assert_int_equal(system(cmd), 0);
        assert_int_equal(stat(path[i], &st), 0);
        m[i] = (struct module){.kind = MODULE_FILE,
                               .path = path[i],
                               .ino = st.st_ino,
                               .dev_major = major(st.st_dev),
                               .dev_minor = minor(st.st_dev)};
        assert_int_equal(names_function(n, &m[i], own_offset, &libc), 0);
        assert_string_equal(libc.name, "symbols_opened");
        assert_true(names_bytes(n) < (5 << 20));
    }
    assert_string_equal(f.name, "symbols_opened");
    const size_t before = names_bytes(n);
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 40; i++)
            assert_int_equal(names_function(n, &m[i], own_offset, &libc), 0);
    assert_true(names_bytes(n) < before + (1 << 20));
    int full = 0;
    for (int i = 0; i < 40 && !full; i++)
        for (uint64_t at = 0; at < 1 << 22 && !full; at += 16)
            full = names_function(n, &m[i], at, &f) == -ENOSPC;
    assert_true(full);
    assert_int_equal(names_function(n, &own, own_offset, &f), 0); /* what is known still is */
    names_close(n);
}

static bool have(const struct listing *l) {
    if (strstr(l->lines_lack, "is not installed") || strstr(l->code_lack, "is not installed"))
        print_message("SKIP lines, instructions: %s%s\n", l->lines_lack, l->code_lack);
    return !l->lines_lack[0] && !l->code_lack[0];
}

/* The function that is open: by the worker, the newest question only. */
static void test_listing(void **state) {
    (void)state;
    struct names *n;
    struct listing *l = NULL;
    int rc = -EAGAIN;
    assert_int_equal(names_open(&n, NULL), 0);
    assert_int_equal(names_ask(n, &own, own_offset + 60000), 0);
    assert_int_equal(names_ask(n, &own, own_offset), 0);
    for (int i = 0; i < TIMES && rc == -EAGAIN; i++) {
        wait_a_little();
        l = names_take(n, &rc);
    }
    assert_int_equal(rc, 0);
    assert_non_null(l);
    assert_string_equal(l->function.name, "symbols_opened");
    if (have(l)) {
        assert_true(l->code.n > 3);
        assert_int_equal(l->code.at[0].at, own_offset);
        uint64_t at = own_offset;
        bool loops = false;
        for (size_t i = 0; i < l->code.n; i++) {
            assert_int_equal(l->code.at[i].at, at);
            at += l->code.at[i].length;
            loops |= l->code.at[i].target >= own_offset &&
                     l->code.at[i].target < own_offset + l->function.size;
        }
        assert_int_equal(at, own_offset + l->function.size);
        assert_true(loops);
        assert_int_equal(l->lines.n, l->code.n);
        assert_non_null(strstr(l->file, "tests/unit/test_symbols_names.c"));
        const struct line_frame *first = &l->lines.frame[l->lines.first[0]];
        assert_string_equal(first->function, "symbols_opened");
        const char *text = source_text_line(&l->text, first->line);
        if (!l->text_lack[0]) /* an optimizer may begin with the loop */
            assert_true(text && (strstr(text, "symbols_opened(int n)") || strstr(text, "i < n")));
    }
    listing_free(l);
    assert_null(names_take(n, &rc));
    assert_int_equal(rc, -EAGAIN);
    struct err err;
    assert_int_equal(names_listing(n, &own, UINT64_MAX, &l, &err), -ENOENT);
    names_ask(n, &own, own_offset); /* closed while it works */
    names_close(n);
}

static void *ask_much(void *user) {
    struct function f;
    for (uint64_t i = 0; i < 300; i++)
        names_function(user, &own, own_offset - 9000 + 61 * i, &f);
    return NULL;
}

static void test_threads(void **state) {
    (void)state;
    struct names *n;
    struct function f;
    pthread_t threads[3];
    assert_int_equal(names_open(&n, NULL), 0);
    for (int i = 0; i < 3; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, ask_much, n), 0);
    for (uint64_t i = 0; i < 300; i++)
        names_peek(n, &own, own_offset + 61 * i, &f);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(names_function(n, &own, own_offset, &f), 0);
    names_close(n);
}

/* ---- instructions ---- */

static void test_code(void **state) {
    (void)state;
    static const uint8_t x86[] = {0x55, 0x48, 0x89, 0xe5, 0xe8, 0x0b, 0, 0, 0, 0x74, 0xf5, 0xff,
                                  0xd0,
                                  /* vpcmpneqb %ymm17, %ymm19, %k2 is not known to capstone 4 */
                                  0x62, 0xb3, 0x65, 0x20, 0x3f, 0xd1, 0x04, 0xc3, 0x0f};
    static const uint8_t arm64[] = {0xfd, 0x7b, 0xbf, 0xa9, 0x02, 0x00, 0x00, 0x94,
                                    0x60, 0x00, 0x00, 0xb4, 0xc0, 0x03, 0x5f, 0xd6};
    static const struct {
        uint16_t machine;
        bool intel;
        const uint8_t *bytes;
        size_t n;
        const char *text[8];
        uint64_t target[8];
    } rows[] = {
        {EM_X86_64,
         false,
         x86,
         sizeof(x86),
         {"pushq %rbp", "movq %rsp, %rbp", "callq 0x1014", "je 0x1000", "callq *%rax", ".byte",
          "retq", ".byte"},
         {0, 0, 0x1014, 0x1000}},
        {EM_X86_64,
         true,
         x86,
         13,
         {"push rbp", "mov rbp, rsp", "call 0x1014", "je 0x1000", "call rax"},
         {0, 0, 0x1014, 0x1000}},
        {EM_AARCH64,
         false,
         arm64,
         sizeof(arm64),
         {"stp x29, x30, [sp, #-0x10]!", "bl #0x100c", "cbz x0, #0x1014", "ret"},
         {0, 0x100c, 0x1014}},
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct code c;
        struct err err;
        const int rc =
            code_read(rows[r].machine, rows[r].intel, rows[r].bytes, rows[r].n, 0x1000, &c, &err);
        if (rc == -ENOENT) {
            print_message("SKIP instructions: %s\n", err.text);
            return;
        }
        assert_int_equal(rc, 0);
        size_t sum = 0;
        for (size_t i = 0; i < c.n; i++) {
            const char *want = rows[r].text[i];
            assert_non_null(want);
            const char *got = c.text.at + c.at[i].text;
            if (strncmp(got, want, strlen(want)) != 0)
                fail_msg("row %zu, instruction %zu: wanted %s, got %s", r, i, want, got);
            assert_int_equal(c.at[i].target, rows[r].target[i]);
            sum += c.at[i].length;
        }
        assert_int_equal(sum, rows[r].n);
        code_destroy(&c);
    }
    struct code c;
    assert_int_equal(code_read(EM_S390, false, x86, 4, 0, &c, NULL), -ENOTSUP);
    assert_int_equal(code_read(EM_X86_64, false, x86, 2 << 20, 0, &c, NULL), -EFBIG);
}

/* ---- apart ---- */

static void work_well(void *user, int fd) {
    for (int i = 0; i < 20000; i++)
        if (write(fd, user, 5) != 5)
            _exit(1);
}
static void work_dies(void *user, int fd) {
    (void)fd;
    *(volatile int *)user = 1;
}
static void work_forever(void *user, int fd) {
    (void)user, (void)fd;
    for (;;)
        pause();
}

static void test_apart(void **state) {
    (void)state;
    char *out;
    size_t n;
    char five[] = "12345";
    assert_int_equal(apart_run(work_well, five, 5000, 1 << 20, &out, &n, NULL), 0);
    assert_int_equal(n, 100000);
    assert_int_equal(strlen(out), n);
    free(out);
    assert_int_equal(apart_run(work_well, five, 5000, 50000, &out, &n, NULL), -EFBIG);
    assert_null(out);
    assert_int_equal(apart_run(work_dies, NULL, 5000, 100, &out, &n, NULL), -EIO);
    assert_int_equal(apart_run(work_forever, NULL, 100, 100, &out, &n, NULL), -ETIMEDOUT);
}

int main(void) {
#define IN_ROOT(test) cmocka_unit_test_setup_teardown(test, make_root, remove_root)
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_function), cmocka_unit_test(test_peek),
        IN_ROOT(test_told_by_kernel),    IN_ROOT(test_limits),
        cmocka_unit_test(test_listing),  cmocka_unit_test(test_threads),
        cmocka_unit_test(test_code),     cmocka_unit_test(test_apart),
    };
    return cmocka_run_group_tests(tests, find_own, NULL);
}
