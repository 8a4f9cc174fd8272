/* Fake trees of cgroups as systemd, docker, containerd, podman and kubernetes make them; and a real
 * one where this machine lets us make it. */
#include "pmu/host/cgroup.h"

#include "base/str.h"
#include "fake_root.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#define ID_A "3f2a1b9c0d1e4f5a6b7c8d9e0f1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c"
#define ID_B "3f2a77770d1e4f5a6b7c8d9e0f1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c"
#define ID_C "9900aabbccddeeff00112233445566778899aabbccddeeff0011223344556677"
#define ID_D "77aa00bbccddeeff00112233445566778899aabbccddeeff0011223344556677"
#define POD  "1b2c3d4e_5f60_7182_93a4_b5c6d7e8f901"

static const char *const folders[] = {
    "",
    "init.scope",
    "system.slice",
    "system.slice/redis-server.service",
    "system.slice/system-getty.slice",
    "system.slice/system-getty.slice/getty@tty1.service",
    "system.slice/docker-" ID_A ".scope",
    "system.slice/docker-" ID_B ".scope",
    "system.slice/dev-disk\\x2dby\\x2dlabel.service",
    "docker/" ID_C,
    "machine.slice/libpod-" ID_D ".scope",
    "machine.slice/libpod-conmon-" ID_D ".scope",
    "machine.slice/machine-build\\x2dhost.scope",
    "user.slice/user-1000.slice/user@1000.service/app.slice/editor.service",
    "user.slice/user-1001.slice/user@1001.service/app.slice/editor.service",
    "kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod" POD ".slice",
    "kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod" POD
    ".slice/cri-containerd-aa00112233445566778899aabbccddeeff00112233445566778899aabbccddee.scope",
    "lxc.payload.web",
};

static void put_mounts(const char *text) {
    put("/proc/mounts", text);
}

static int make_tree(void **state) {
    if (make_root(state))
        return -1;
    put_mounts("sysfs /sys sysfs rw,nosuid 0 0\n"
               "cgroup2 /sys/fs/cgroup cgroup2 rw,nosuid,nodev,noexec,relatime,nsdelegate 0 0\n");
    for (size_t i = 0; i < COUNT_OF(folders); i++) {
        char path[400];
        snprintf(path, sizeof(path), "/sys/fs/cgroup/%s/cgroup.procs", folders[i]);
        put(path, i == 3 ? "41\n42\n43\n" : i == 5 ? "7\n" : "");
    }
    put("/sys/fs/cgroup/system.slice/redis-server.service/io.threads/cgroup.procs", "50\n51\n");
    return 0;
}

static void finds(void **state) {
    (void)state;
    static const struct {
        const char *what, *text;
        int rc;
        const char *path; /* found, or what the error says */
    } cases[] = {
        {"a path below the mount", "system.slice/redis-server.service", 0, folders[3]},
        {"as in /proc/PID/cgroup", "/system.slice/redis-server.service", 0, folders[3]},
        {"the whole path", "/sys/fs/cgroup/system.slice/redis-server.service/", 0, folders[3]},
        {"the root", "/", 0, ""},
        {"the root by its mount", "/sys/fs/cgroup", 0, ""},
        {"a slice", "system.slice", 0, "system.slice"},
        {"a unit with its suffix", "redis-server.service", 0, folders[3]},
        {"a unit without", "redis-server", 0, folders[3]},
        {"an instance", "getty@tty1", 0, folders[5]},
        {"a unit's name, unescaped", "dev-disk-by-label", 0, folders[8]},
        {"a unit's name as systemd writes it", "dev-disk\\x2dby\\x2dlabel.service", 0, folders[8]},
        {"docker: the whole id", ID_A, 0, folders[6]},
        {"docker: as docker ps shows it", "3f2a1b9c0d1e", 0, folders[6]},
        {"docker: in capitals", "3F2A1B", 0, folders[6]},
        {"docker: cgroupfs driver", "9900aabb", 0, folders[9]},
        {"docker: a beginning of two", "3f2a", -EEXIST, "2 cgroups are meant"},
        {"podman, not its monitor", "77aa00bb", 0, folders[10]},
        {"containerd", "aa0011223344", 0, folders[16]},
        {"a pod by its uid", "1b2c3d4e-5f60-7182-93a4-b5c6d7e8f901", 0, folders[15]},
        {"a pod by the beginning", "pod1b2c3d4e", 0, folders[15]},
        {"a machine", "build-host", 0, folders[12]},
        {"lxc", "web", 0, folders[17]},
        {"one unit of two users", "editor", -EEXIST, "user-1000.slice/user@1000.service"},
        {"too short for an id", "3f2", -ENOENT, "none of the"},
        {"a typing error", "redis-servre", -ENOENT, "did you mean redis-server?"},
        {"a part of a name", "redis", -ENOENT, "did you mean redis-server?"},
        {"nothing like it", "postgresql", -ENOENT, "none of the"},
        {"no such path", "system.slice/nginx.service", -ENOENT, "no such cgroup below"},
        {"a file of a cgroup", "system.slice/cgroup.procs", -ENOTDIR, "not the folder"},
        {"out of the tree", "../../proc", -ENOENT, "no such cgroup"},
        {"out of the tree by a name", "..", -ENOENT, "none of the"},
        {"not safe for a terminal", "a\033b/c", -ENOENT, "a?b/c"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct cgroup cg;
        struct err err = {0};
        int rc = cgroup_open(&cg, root, cases[i].text, &err);
        bool right = rc == 0 ? cg.fd >= 0 && strcmp(cg.path, cases[i].path) == 0
                             : cg.fd < 0 && strstr(err.text, cases[i].path);
        if (rc != cases[i].rc || !right)
            fail_msg("%s: rc %d, \"%s\", %s", cases[i].what, rc, rc ? "" : cg.path, err.text);
        cgroup_close(&cg);
        cgroup_close(&cg); /* twice does no harm */
    }
}

static void mounts_of_all_kinds(void **state) {
    (void)state;
#define V2     "cgroup2 /sys/fs/cgroup cgroup2 rw 0 0\n"
#define HYBRID "cgroup2 /sys/fs/cgroup/unified cgroup2 rw 0 0\n"
#define V1     "cgroup /sys/fs/cgroup/memory cgroup rw,memory 0 0\n"
    static const struct {
        const char *what, *mounts, *text;
        int rc;
        const char *says; /* path or error */
    } cases[] = {
        {"none", "proc /proc proc rw 0 0\n", "x", -ENOTSUP, "no cgroups are mounted"},
        {"version 1 only", V1, "x", -ENOTSUP, "version 1 only (/sys/fs/cgroup/memory)"},
        {"perf_event is with version 1",
         V1 "cgroup /sys/fs/cgroup/perf_event cgroup rw,nosuid,perf_event 0 0\n" HYBRID, "x",
         -ENOTSUP, "counters belong to the version 1 cgroups of /sys/fs/cgroup/perf_event"},
        {"both, version 2 beside", V1 HYBRID, "job", 0, "job"},
        {"both, the whole path", V1 HYBRID, "/sys/fs/cgroup/unified/job", 0, "job"},
        {"both, a path of version 1", V1 HYBRID, "/sys/fs/cgroup/memory/job", -ENOTSUP,
         "a cgroup of version 1"},
        {"a second mount does not win", V2 "cgroup2 /other cgroup2 rw 0 0\n", "init.scope", 0,
         "init.scope"},
        {"a mount with a blank", "x /my\\040groups cgroup2 rw 0 0\n", "job", 0, "job"},
        {"an unfinished line", "cgroup2 /sys/fs", "x", -ENOTSUP, "no cgroups"},
    };
    put("/sys/fs/cgroup/unified/job/cgroup.procs", "");
    put("/my groups/job/cgroup.procs", "");
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct cgroup cg;
        struct err err = {0};
        put_mounts(cases[i].mounts);
        int rc = cgroup_open(&cg, root, cases[i].text, &err);
        if (rc != cases[i].rc || !strstr(rc ? err.text : cg.path, cases[i].says))
            fail_msg("%s: rc %d, \"%s\", %s", cases[i].what, rc, cg.path, err.text);
        cgroup_close(&cg);
    }
}

static void counts_and_words(void **state) {
    (void)state;
    struct cgroup cg;
    char text[160];
    assert_int_equal(cgroup_open(&cg, root, "redis-server", NULL), 0);
    assert_int_equal(cgroup_processes(cg.fd), 5); /* with those below */
    cgroup_words(cg.path, text, sizeof(text));
    assert_string_equal(text, "cgroup system.slice/redis-server.service");
    assert_false(cgroup_gone(&cg));
    cgroup_close(&cg);
    cgroup_words("system.slice/docker-" ID_A ".scope", text, sizeof(text));
    assert_string_equal(text, "cgroup system.slice/docker-3f2a1b9c0d1e.scope");
    cgroup_words("", text, sizeof(text));
    assert_string_equal(text, "cgroup /");
    char small[12];
    cgroup_words("system.slice", small, sizeof(small));
    assert_string_equal(small, "cgroup syst");
}

static void memory_of_none(void **state) {
    (void)state;
    struct cgroup zero = {0};
    cgroup_close(&zero);
    assert_false(cgroup_gone(&zero));
}

/* Where the machine's cgroups are, or false. */
static bool real_mount(char *path, size_t cap) {
    FILE *f = fopen("/proc/mounts", "r");
    char line[1024], folder[512], type[32];
    bool found = false;
    while (f && fgets(line, sizeof(line), f))
        if (sscanf(line, "%*s %511s %31s", folder, type) == 2 && strcmp(type, "cgroup2") == 0 &&
            !found) {
            snprintf(path, cap, "%s", folder);
            found = true;
        }
    if (f)
        fclose(f);
    return found;
}

static void a_real_one(void **state) {
    (void)state;
    char mount[512], path[600], name[64], procs[700];
    snprintf(name, sizeof(name), "tdtop-test-%d", (int)getpid());
    if (!real_mount(mount, sizeof(mount)))
        skip();
    snprintf(path, sizeof(path), "%s/%s", mount, name);
    if (mkdir(path, 0755) < 0) {
        print_message("skipped: %s cannot be written: %s\n", mount, strerror(errno));
        skip();
    }
    struct cgroup cg;
    struct err err = {0};
    pid_t pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        _exit(pause());
    }
    int rc = cgroup_open(&cg, "", name, &err);
    int before = cgroup_processes(cg.fd);
    bool gone_early = cgroup_gone(&cg);
    snprintf(procs, sizeof(procs), "%s/cgroup.procs", path);
    FILE *f = fopen(procs, "w");
    bool moved = f && fprintf(f, "%d\n", (int)pid) > 0 && fclose(f) == 0;
    int with_one = cgroup_processes(cg.fd);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    for (int i = 0; rmdir(path) < 0 && errno == EBUSY && i < 1000; i++)
        usleep(1000);
    bool gone = cgroup_gone(&cg);
    cgroup_close(&cg);
    assert_int_equal(rc, 0);
    assert_int_equal(before, 0);
    assert_false(gone_early);
    assert_true(!moved || with_one == 1);
    assert_true(gone);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(finds, make_tree, remove_root),
        cmocka_unit_test_setup_teardown(mounts_of_all_kinds, make_tree, remove_root),
        cmocka_unit_test_setup_teardown(counts_and_words, make_tree, remove_root),
        cmocka_unit_test(memory_of_none),
        cmocka_unit_test(a_real_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
