/* The readers of src/pmu/symbols: files, ELF, kallsyms, maps of JITs, names of C++ and Rust,
 * packages. What they say of real programs: tests/symbols_test.sh. */
#include "pmu/symbols/demangle.h"
#include "pmu/symbols/elf_image.h"
#include "pmu/symbols/jit.h"
#include "pmu/symbols/kallsyms.h"
#include "pmu/symbols/package.h"
#include "pmu/symbols/source_text.h"
#include "pmu/symbols/symtab.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>

#include "fake_root.h"

static const uint64_t none = 0;

static struct places fake_places(void) {
    static char proc[80];
    snprintf(proc, sizeof(proc), "%s/proc", root);
    return (struct places){proc, root, "/usr/lib/debug", NULL, "/var/lib/dpkg/info"};
}

static struct bytes own_file(void) {
    struct bytes b;
    assert_true(file_open("/", "/proc/self/exe", &b) <
                0); /* a link of the kernel's: not followed */
    b = (struct bytes){.fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC)};
    struct stat st;
    assert_int_equal(fstat(b.fd, &st), 0);
    b.size = st.st_size;
    return b;
}

/* ---- files ---- */

static void test_links_stay_inside(void **state) {
    (void)state;
    char path[128];
    struct bytes b;
    put("/in/etc/secret", "inside");
    snprintf(path, sizeof(path), "%s/in", root);
    assert_int_equal(chdir(path), 0);
    assert_int_equal(symlink("/etc/secret", "link"), 0);
    assert_int_equal(symlink("../../../../../../etc/passwd", "up"), 0);
    assert_int_equal(mkfifo("pipe", 0600), 0);
    assert_true(file_open(path, "/link", &b) >= 0);
    assert_int_equal(b.size, 6);
    file_close(&b);
    assert_int_equal(file_open(path, "up", &b), -ENOENT);
    assert_int_equal(file_open(path, "/pipe", &b), -EINVAL);
    assert_int_equal(file_open(path, "/etc", &b), -EINVAL);
    assert_int_equal(file_open(path, "/none", &b), -ENOENT);
    assert_int_equal(file_open("/", "/dev/null", &b), -EINVAL);
    assert_int_equal(chdir("/"), 0);
}

static void copy_file(const char *from, const char *to) {
    char cmd[512];
    snprintf(cmd, sizeof(cmd), "cp %s %s.new && mv %s.new %s", from, to, to, to);
    assert_int_equal(system(cmd), 0);
}

/* The first mapping of the process that is executed and has this name in it. */
static struct module mapping_of(pid_t pid, const char *name) {
    static char path[512];
    char file[64], line[1024];
    struct module m = {.kind = MODULE_FILE, .pid = pid, .path = path};
    for (int tries = 0; tries < 200 && m.end == 0; tries++) {
        snprintf(file, sizeof(file), "/proc/%d/maps", pid);
        FILE *f = fopen(file, "r");
        assert_non_null(f);
        while (fgets(line, sizeof(line), f)) {
            char rights[8];
            if (!strstr(line, name) ||
                sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64 " %x:%x %" SCNu64 " %511[^\n]",
                       &m.start, &m.end, rights, &m.pgoff, &m.dev_major, &m.dev_minor, &m.ino,
                       path) < 8 ||
                rights[2] != 'x') {
                m.end = 0;
                continue;
            }
            break;
        }
        fclose(f);
        usleep(10000);
    }
    assert_true(m.end > 0);
    return m;
}

/* A server that is upgraded while it runs: the old file is read, by who may; the new one never is.
 */
static void test_replaced(void **state) {
    (void)state;
    const struct places p = {"/proc", "/", "/usr/lib/debug", NULL, "/var/lib/dpkg/info"};
    char file[128];
    struct bytes b;
    struct err err;
    struct stat st;
    snprintf(file, sizeof(file), "%s/server", root);
    copy_file("/bin/sleep", file);
    const pid_t pid = fork();
    if (pid == 0) {
        execl(file, file, "100", (char *)NULL);
        _exit(1);
    }
    struct module m = mapping_of(pid, "/server");
    assert_int_equal(file_open_module(&p, &m, elf_is_module, &b, &err), 0);
    file_close(&b);
    copy_file("/bin/cat", file);
    m.deleted = true;
    m.path = file;
    const int rc = file_open_module(&p, &m, elf_is_module, &b, &err);
    if (geteuid() == 0) {
        assert_int_equal(rc, 0);
        assert_int_equal(fstat(b.fd, &st), 0);
        assert_int_equal(st.st_ino, m.ino);
        file_close(&b);
    } else
        assert_int_equal(rc, -ESTALE);
    /* without the mapping there is only the new one */
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    assert_int_equal(file_open_module(&p, &m, elf_is_module, &b, &err), -ESTALE);
    assert_non_null(strstr(err.text, "server was replaced while it runs"));
    m.ino = 0;
    m.deleted = false;
    m.n_build_id = 20;
    memset(m.build_id, 7, 20);
    assert_int_equal(file_open_module(&p, &m, elf_is_module, &b, &err), -ESTALE);
    m.path = "/none/here";
    assert_int_equal(file_open_module(&p, &m, elf_is_module, &b, &err), -ENOENT);
}

/* A program in a mount namespace of its own, as in a container: its file is not to be seen from
 * here. */
static void test_other_mounts(void **state) {
    (void)state;
    const struct places p = {"/proc", "/", "/usr/lib/debug", NULL, "/var/lib/dpkg/info"};
    char dir[96], file[128];
    struct bytes b;
    struct err err;
    int status;
    snprintf(dir, sizeof(dir), "%s/in", root);
    snprintf(file, sizeof(file), "%s/inside", dir);
    assert_int_equal(mkdir(dir, 0755), 0);
    int ready[2];
    assert_int_equal(pipe2(ready, O_CLOEXEC), 0);
    const pid_t pid = fork();
    if (pid == 0) {
        if (unshare(CLONE_NEWNS) < 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
            mount("none", dir, "tmpfs", 0, NULL) < 0)
            _exit(77);
        copy_file("/bin/sleep", file);
        execl(file, file, "100", (char *)NULL);
        _exit(1);
    }
    close(ready[1]);
    char c;
    (void)!read(ready[0], &c, 1); /* until it has executed the program, or ended */
    close(ready[0]);
    usleep(20000);
    if (waitpid(pid, &status, WNOHANG) == pid) {
        print_message("SKIP other mounts: no right to make a mount namespace\n");
        return;
    }
    struct module m = mapping_of(pid, "/inside");
    assert_int_equal(file_open_module(&p, &m, elf_is_module, &b, &err), 0);
    file_close(&b);
    m.start = m.end = 0; /* by its path */
    assert_int_equal(file_open_module(&p, &m, elf_is_module, &b, &err), 0);
    file_close(&b);
    m.pid = 0;
    assert_int_equal(file_open_module(&p, &m, elf_is_module, &b, &err), -ENOENT);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
}

/* ---- ELF ---- */

static void read_all(const struct bytes *from) {
    struct elf_image e;
    if (elf_image_open(&e, *from, NULL) < 0)
        return;
    struct symtab t;
    symtab_init(&t, &e);
    const Elf64_Shdr *s = elf_image_section(&e, ".symtab"), *d = elf_image_section(&e, ".dynsym");
    if (s)
        symtab_add(&t, &e, s, STRINGS_SYMTAB, 1 << 20);
    if (d)
        symtab_add(&t, &e, d, STRINGS_DYNSYM, 1 << 20);
    symtab_add_plt(&t, &e);
    symtab_seal(&t);
    for (uint64_t at = 0; at < 1 << 16; at += 997) {
        uint64_t end;
        char name[64];
        const struct symbol *y = symtab_find(&t, t.base + at, &end);
        if (y) {
            symtab_name(&t, y, name, sizeof(name));
            assert_true(end > t.base + at);
        }
    }
    symtab_destroy(&t);
    elf_image_close(&e);
}

/* A file that was cut anywhere, or whose bytes are others, is read to where it makes sense. */
static void test_broken_elf(void **state) {
    (void)state;
    struct bytes b;
    assert_true(file_open("/", "/bin/true", &b) >= 0 || file_open("/", "/usr/bin/true", &b) >= 0);
    uint8_t *all = malloc(b.size);
    assert_non_null(all);
    assert_true(file_read(&b, 0, all, b.size));
    assert_false(file_read(&b, 1, all, b.size));
    const uint64_t size = b.size;
    file_close(&b);
    for (uint64_t n = 0; n < size; n += 61) {
        uint8_t *cut = malloc(n + 1);
        memcpy(cut, all, n);
        read_all(&(struct bytes){.fd = -1, .at = cut, .size = n});
        free(cut);
    }
    unsigned seed = 1;
    for (int i = 0; i < 3000; i++) {
        const size_t at = i % 2 ? (size_t)(rand_r(&seed) % 1024) : size - 1 - rand_r(&seed) % 2048;
        const uint8_t was = all[at];
        all[at] = (uint8_t)rand_r(&seed);
        read_all(&(struct bytes){.fd = -1, .at = all, .size = size});
        if (i % 16)
            all[at] = was;
    }
    free(all);
}

/* Named by itself. */
__attribute__((noinline)) uint64_t symbols_own_function(uint64_t x);
uint64_t symbols_own_function(uint64_t x) {
    return x * 3 + none;
}
uint64_t _symbols_other_name(uint64_t x) __attribute__((alias("symbols_own_function")));
uint64_t symbols_weak_and_longer_name(uint64_t x)
    __attribute__((weak, alias("symbols_own_function")));

static void test_own_symbols(void **state) {
    (void)state;
    struct bytes b = own_file();
    struct elf_image e;
    struct symtab t;
    char name[256];
    assert_int_equal(elf_image_open(&e, b, NULL), 0);
    symtab_init(&t, &e);
    const Elf64_Shdr *s = elf_image_section(&e, ".symtab");
    assert_non_null(s);
    assert_int_equal(symtab_add(&t, &e, s, STRINGS_SYMTAB, 1000), -EFBIG);
    symtab_destroy(&t);
    symtab_init(&t, &e);
    assert_int_equal(symtab_add(&t, &e, s, STRINGS_SYMTAB, 64 << 20), 0);
    symtab_seal(&t);
    int found = 0;
    for (size_t i = 0; i < t.n; i++) {
        uint64_t end;
        const uint64_t at = t.base + t.symbol[i].at;
        const struct symbol *y = symtab_find(&t, at, &end);
        assert_non_null(y);
        if (strcmp(symtab_name(&t, y, name, sizeof(name)), "symbols_own_function") != 0)
            continue;
        found++;
        assert_ptr_equal(symtab_find(&t, end - 1, &end), y);
        uint64_t offset, back;
        assert_true(elf_to_offset(t.load, t.n_load, at, &offset));
        assert_true(elf_to_address(t.load, t.n_load, offset, &back));
        assert_int_equal(back, at);
    }
    assert_int_equal(found, 3); /* of all three names this one is shown */
    uint64_t end;
    assert_null(symtab_find(&t, t.base - 1, &end));
    assert_null(symtab_find(&t, UINT64_MAX, &end));
    symtab_destroy(&t);
    elf_image_close(&e);
    file_close(&b);
}

/* ---- kallsyms ---- */

static void test_kallsyms(void **state) {
    (void)state;
    const struct places p = fake_places();
    struct kallsyms k;
    struct err err;
    uint64_t end;
    put("/proc/kallsyms",
        "0000000000000000 A fixed\nffffffff81000000 T _text\n"
        "ffffffff81000100 t one\nffffffff81000100 T second_name\n"
        "ffffffff81000180 d data\nffffffff81000200 W two\nbroken\n"
        "ffffffffc0001000 t xfs_read\t[xfs]\nffffffffc0001080 t xfs_write\t[xfs]\n"
        "ffffffffc0002000 t bpf_prog_1\t[bpf]\n");
    assert_int_equal(kallsyms_read(&k, p.proc, &err), 0);
    const struct {
        uint64_t at;
        const char *name, *module;
        uint64_t end;
    } rows[] = {{0xffffffff81000000, "_text", "", 0xffffffff81000100},
                {0xffffffff810001ff, "second_name", "", 0xffffffff81000200},
                {0xffffffff81000200, "two", "", 0xffffffffc0001000},
                {0xffffffffc000107f, "xfs_read", "xfs", 0xffffffffc0001080},
                {0xffffffffc0001090, "xfs_write", "xfs", 0xffffffffc0002000},
                {0xffffffffc0002fff, "bpf_prog_1", "bpf", 0xffffffffc0003000}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const struct kallsyms_symbol *s = kallsyms_find(&k, rows[i].at, &end);
        assert_non_null(s);
        assert_string_equal(k.text.at + s->name, rows[i].name);
        assert_string_equal(s->module ? k.text.at + s->module : "", rows[i].module);
        assert_int_equal(end, rows[i].end);
    }
    assert_null(kallsyms_find(&k, 0x1000, &end));
    assert_null(kallsyms_find(&k, 0xffffffffff000000, &end));
    kallsyms_destroy(&k);
    put("/proc/kallsyms", "0000000000000000 T _text\n0000000000000000 t one\n");
    put("/proc/sys/kernel/kptr_restrict", "1\n");
    assert_int_equal(kallsyms_read(&k, p.proc, &err), -EACCES);
    assert_non_null(strstr(err.text, "kernel.kptr_restrict is 1): run as root"));
}

/* ---- code made at run time ---- */

static const char *jit_name(const struct jit *j, uint64_t at) {
    const struct jit_symbol *s = jit_find(j, at);
    return s ? j->text.at + s->name : "";
}

static void test_perf_map(void **state) {
    (void)state;
    const struct places p = fake_places();
    struct jit j = {0};
    struct err err;
    char path[160];
    assert_int_equal(jit_read(&j, &p, 42, &err), -ENOENT);
    put("/proc/42/status", "Name:\tnode\nNSpid:\t42\t7\n");
    put("/proc/42/root/tmp/perf-7.map",
        "1000 100 a b c\n2000 80 LazyCompile:~two x.js:1\nzz 10 no\n"
        "3000 0 empty\nffffffffffffff00 1000 wraps\n3000 40 half");
    assert_int_equal(jit_read(&j, &p, 42, &err), 0);
    assert_string_equal(jit_name(&j, 0x10ff), "a b c");
    assert_string_equal(jit_name(&j, 0x1100), "");
    assert_string_equal(jit_name(&j, 0x2000), "LazyCompile:~two x.js:1");
    assert_string_equal(jit_name(&j, 0x3000), ""); /* its line is not whole yet */
    assert_int_equal(j.symbol.n, 2);
    assert_false(jit_grew(&j, &p, 42));
    snprintf(path, sizeof(path), "%s/proc/42/root/tmp/perf-7.map", root);
    FILE *f = fopen(path, "a");
    fputs(" now whole\n1010 10 newer\n", f);
    fclose(f);
    assert_true(jit_grew(&j, &p, 42));
    struct jit copy;
    assert_int_equal(jit_copy(&copy, &j), 0);
    jit_destroy(&j);
    assert_int_equal(jit_read(&copy, &p, 42, &err), 0);
    assert_string_equal(jit_name(&copy, 0x3001), "half now whole");
    assert_string_equal(jit_name(&copy, 0x1015), "newer");
    assert_string_equal(jit_name(&copy, 0x1020), "a b c");
    assert_int_equal(copy.symbol.n, 4);
    jit_destroy(&copy);
}

static size_t put_record(uint8_t *at, uint32_t id, const uint64_t *words, size_t n,
                         const char *name) {
    const uint32_t head[2] = {id, (uint32_t)(16 + 8 + 8 * n + (name ? strlen(name) + 1 : 0))};
    memcpy(at, head, 8);
    memset(at + 8, 0, 16); /* time; pid and tid */
    memcpy(at + 24, words, 8 * n);
    if (name)
        memcpy(at + 24 + 8 * n, name, strlen(name) + 1);
    return head[1];
}

static void test_jitdump(void **state) {
    (void)state;
    uint8_t dump[1024] = {0};
    const uint32_t header[] = {0x4A695444, 1, 40, 62, 0, 42};
    memcpy(dump, header, sizeof(header));
    size_t n = 40;
    n += put_record(dump + n, 0, (uint64_t[]){0x5000, 0x5000, 0x100, 1}, 4, "first");
    n += put_record(dump + n, 2, (uint64_t[]){1, 2}, 2, NULL);
    n += put_record(dump + n, 1, (uint64_t[]){0x5000, 0x5000, 0x9000, 0x100, 1}, 5, NULL);
    const size_t last = n;
    n += put_record(dump + n, 0, (uint64_t[]){0x5000, 0x5080, 0x10, 2}, 4, "second");
    for (size_t size = 0; size <= n; size++) { /* as it grows, and cut anywhere */
        struct jit j = {0};
        uint64_t done = 0;
        uint8_t *cut = malloc(size + 1);
        memcpy(cut, dump, size);
        struct bytes b = {.fd = -1, .at = cut, .size = size};
        const int rc = jit_take_dump(&j, &b, &done);
        assert_int_equal(rc, size < 40 ? -EBADMSG : 0);
        jit_seal(&j);
        if (size >= last) {
            assert_string_equal(jit_name(&j, 0x9010), "first");
            assert_string_equal(jit_name(&j, 0x5085), size == n ? "second" : "first");
        }
        free(cut);
        jit_destroy(&j);
    }
    struct jit j = {0};
    uint64_t done = 0;
    memset(dump + last, 0, 8); /* a record of no size would never end */
    assert_int_equal(jit_take_dump(&j, &(struct bytes){-1, dump, n}, &done), -EBADMSG);
    jit_destroy(&j);
}

/* ---- names ---- */

static void test_demangle(void **state) {
    (void)state;
    static char deep[2000] = "_Z1f", wide[3000] = "_Z1f";
    for (int i = 0; i < 400; i++)
        strcat(deep, "PK");
    strcat(deep, "i");
    memset(wide + 4, 'i', sizeof(wide) - 5);
    const struct {
        const char *raw, *name;
    } rows[] = {
        {"main", "main"},
        {"_ZN3app3One4workEi", "app::One::work(int)"},
        {"_ZN3app3One4workEi@plt", "app::One::work(int)@plt"},
        {"_ZN3app3One4workEi.part.0", "app::One::work(int) [clone .part.0]"},
        {"_ZN4core3fmt9Formatter9write_str17h0123456789abcdefE", "core::fmt::Formatter::write_str"},
        {"_ZN60_$LT$alloc..string..String$u20$as$u20$core..fmt..Display$GT$"
         "3fmt17h0123456789abcdefE",
         "<alloc::string::String as core::fmt::Display>::fmt"},
        {"_RNvC6_123foo3bar", "123foo::bar"},
        {"_RNvNtNtCs1234_7mycrate3foo3bar3baz", "mycrate::foo::bar::baz"},
        {"_RNCNvC5crate4main0", "crate::main::{closure#0}"},
        {"_RNCNvC5crate4mains_0", "crate::main::{closure#1}"},
        {"_RINvC5crate3fooeE", "crate::foo::<str>"},
        {"_RINvNtC3std3mem8align_ofjdRhQaE", "std::mem::align_of::<usize, f64, &u8, &mut i8>"},
        {"_RNvXC5crateNtB2_3FooNtC4core5Clone5clone", "<crate::Foo as core::Clone>::clone"},
        {"_RNvMC5crateNtB2_3Foo3new", "<crate::Foo>::new"},
        {"_RNvYNtC5crate3FooNtC4core5Clone5clone", "<crate::Foo as core::Clone>::clone"},
        {"_RINvC5crate1fTlmETjEAhj8_ShPcOyE",
         "crate::f::<(i32, u32), (usize,), [u8; 8], [u8], *const char, *mut u64>"},
        {"_RINvC5crate1fFUKCEuFG_RL0_hEyE",
         "crate::f::<unsafe extern \"C\" fn(), for<'a> fn(&'a u8) -> u64>"},
        {"_RINvC5crate1fDNtC4core4SendEL_E", "crate::f::<dyn core::Send>"},
        {"_RINvC5crate1fDNtC4core4Iterp4ItemhEL_E", "crate::f::<dyn core::Iter<Item = u8>>"},
        {"_RINvC5crate1fKj1f_Kb1_Kc41_Kan5_E", "crate::f::<31, true, 'A', -5>"},
        {"_RINvC5crate1fhEC3two", "crate::f::<u8>"},
        {"_RNvC5crate3foo.llvm.123", "crate::foo"},
        {"_RNvC5crate3fo", "_RNvC5crate3fo"},
        {"_RNvB_3foo", "_RNvB_3foo"},
        {"_RB0_", "_RB0_"},
        {"_Zbroken", "_Zbroken"},
        {"evil\x1b]0;x\n", "evil?]0;x?"},
        {wide, NULL},
        {deep, NULL},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char name[4096];
        demangle(name, sizeof(name), rows[i].raw);
        if (rows[i].name)
            assert_string_equal(name, rows[i].name);
        assert_true(name[0]);
    }
    /* each level doubles the text: it would have 2^60 characters */
    char bomb[1024] = "_Z1fSt4pairIiiE", name[4096];
    for (int i = 0; i < 60; i++) {
        char level[32];
        snprintf(level, sizeof(level), "St4pairIS%c_S%c_E", i < 10 ? '0' + i : 'A' + i % 26,
                 i < 10 ? '0' + i : 'A' + i % 26);
        strcat(bomb, level);
    }
    demangle(name, sizeof(name), bomb);
    assert_true(strlen(name) < sizeof(name));
    char small[8];
    assert_string_equal(demangle(small, sizeof(small), "_ZN3app3One4workEi"), "app::On");
}

static void test_package(void **state) {
    (void)state;
    const struct places p = fake_places();
    char name[64];
    put("/var/lib/dpkg/info/redis-server.list",
        "/.\n/usr/bin/redis-server\n/usr/bin/redis-server-x\n");
    put("/var/lib/dpkg/info/libc6:amd64.list", "/.\n/lib/x86_64-linux-gnu/libc.so.6\n");
    put("/proc/9/root/var/lib/dpkg/info/other.list", "/usr/bin/redis-server\n");
    assert_int_equal(package_of(&p, 0, "/usr/bin/redis-server", name, sizeof(name)), 0);
    assert_string_equal(name, "redis-server");
    assert_int_equal(package_of(&p, 0, "/usr/lib/x86_64-linux-gnu/libc.so.6", name, sizeof(name)),
                     0);
    assert_string_equal(name, "libc6");
    assert_int_equal(package_of(&p, 9, "/usr/bin/redis-server", name, sizeof(name)), 0);
    assert_string_equal(name, "other");
    assert_int_equal(package_of(&p, 0, "/usr/bin/redis", name, sizeof(name)), -ENOENT);
    assert_int_equal(package_of(&p, 0, "/redis-server", name, sizeof(name)), -ENOENT);
}

static void test_source_text(void **state) {
    (void)state;
    const struct places p = fake_places();
    struct source_text s;
    struct err err;
    put("/src/a.c", "one\r\n\ttwo\x1b[2J\n\nfour");
    put("/proc/5/root/src/a.c", "of the container\n");
    assert_int_equal(source_text_read(&p, 0, "/src/a.c", &s, &err), 0);
    assert_int_equal(s.n_line, 4);
    assert_string_equal(source_text_line(&s, 1), "one");
    assert_string_equal(source_text_line(&s, 2), "\ttwo?[2J");
    assert_string_equal(source_text_line(&s, 3), "");
    assert_string_equal(source_text_line(&s, 4), "four");
    assert_null(source_text_line(&s, 5));
    assert_null(source_text_line(&s, 0));
    source_text_destroy(&s);
    assert_int_equal(source_text_read(&p, 5, "/src/a.c", &s, &err), 0);
    assert_string_equal(source_text_line(&s, 1), "of the container");
    source_text_destroy(&s);
    assert_int_equal(source_text_read(&p, 5, "/src/none.c", &s, &err), -ENOENT);
    assert_int_equal(source_text_read(&p, 5, "./rel.c", &s, &err), -ENOENT);
    assert_int_equal(source_text_read(&p, 0, "/src", &s, &err), -EINVAL);
    put("/src/empty.c", "");
    assert_int_equal(source_text_read(&p, 0, "/src/empty.c", &s, &err), 0);
    assert_int_equal(s.n_line, 0);
    source_text_destroy(&s);
}

int main(void) {
#define IN_ROOT(test) cmocka_unit_test_setup_teardown(test, make_root, remove_root)
    const struct CMUnitTest tests[] = {
        IN_ROOT(test_links_stay_inside),
        IN_ROOT(test_replaced),
        IN_ROOT(test_other_mounts),
        cmocka_unit_test(test_broken_elf),
        cmocka_unit_test(test_own_symbols),
        IN_ROOT(test_kallsyms),
        IN_ROOT(test_perf_map),
        cmocka_unit_test(test_jitdump),
        cmocka_unit_test(test_demangle),
        IN_ROOT(test_package),
        IN_ROOT(test_source_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
