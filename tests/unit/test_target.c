#include "base/clock.h"
#include "pmu/host/target.h"

#include "base/str.h"

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "perf_children.h"

/* A child that sleeps under a name until it is killed. */
static pid_t sleeper(const char *name) {
    pid_t pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        prctl(PR_SET_NAME, name);
        _exit(pause());
    }
    char path[64], comm[32];
    snprintf(path, sizeof(path), "/proc/%d/comm", (int)pid);
    for (int i = 0; i < 1000; i++) { /* until it has its name */
        if (str_read_small(path, comm, sizeof(comm)) > 0 && strncmp(comm, name, 15) == 0)
            break;
        sleep_ms(1);
    }
    return pid;
}

static bool gone_within(struct target_set *ts, int ms) {
    for (int i = 0; i < ms; i++) {
        if (target_gone(ts))
            return true;
        sleep_ms(1);
    }
    return target_gone(ts);
}

static void bad_lists(void **state) {
    (void)state;
    static const struct {
        const char *what, *pids;
        int rc;
        const char *says;
    } cases[] = {
        {"empty", "", -EINVAL, "not a list"},
        {"a word", "redis", -EINVAL, "not a list"},
        {"zero", "0", -EINVAL, "not a list"},
        {"negative", "-3", -EINVAL, "not a list"},
        {"trailing comma", "1,", -EINVAL, "not a list"},
        {"too large", "99999999999", -EINVAL, "not a list"},
        {"larger than long", "99999999999999999999999", -EINVAL, "not a list"},
        {"trailing word", "1x", -EINVAL, "not a list"},
        {"two commas", "1,,2147483646", -EINVAL, "not a list"},
        {"spaces alone", "  ", -EINVAL, "not a list"},
        {"spaces divide", "1 2147483646\n", -ESRCH, "process 2147483646: no such process"},
        {"comma and spaces", " 1 , 2147483646", -ESRCH, "process 2147483646: no such process"},
        {"a word behind a space", "1 x", -EINVAL, "not a list"},
        {"nobody", "2147483646", -ESRCH, "process 2147483646: no such process"},
        {"one of two is nobody", "1,2147483646", -ESRCH, "process 2147483646: no such process"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct target t = {.kind = TARGET_PIDS, .pids = cases[i].pids};
        struct target_set ts;
        struct err err = {0};
        int rc = target_open(&ts, &t, NULL, &err);
        if (rc != cases[i].rc || !strstr(err.text, cases[i].says) || ts.process)
            fail_msg("%s: rc %d, %s", cases[i].what, rc, err.text);
    }
}

static void two_processes_end(void **state) {
    (void)state;
    pid_t a = sleeper("tdt-a"), b = sleeper("tdt-b");
    char list[64], text[160];
    snprintf(list, sizeof(list), "%d,%d,%d", (int)a, (int)b, (int)a);
    struct target t = {.kind = TARGET_PIDS, .pids = list};
    struct target_set ts;
    struct err err = {0};
    assert_int_equal(target_open(&ts, &t, NULL, &err), 0);
    assert_int_equal(ts.n_process, 2); /* the double is dropped */
    target_words(&ts, text, sizeof(text));
    char want[160];
    snprintf(want, sizeof(want), "2 processes: tdt-a %d, tdt-b %d", (int)a, (int)b);
    assert_string_equal(text, want);
    assert_false(target_gone(&ts));
    end(a);
    assert_false(gone_within(&ts, 5));
    assert_true(ts.process[0].gone);
    end(b);
    assert_true(gone_within(&ts, 1000));
    target_close(&ts);
    target_close(&ts); /* twice does no harm */
}

static void a_name_is_taken_by_others(void **state) {
    (void)state;
    pid_t a = sleeper("tdt-again");
    struct target t = {.kind = TARGET_NAME, .name = "tdt-again"};
    struct target_set ts;
    struct err err = {0};
    assert_int_equal(target_open(&ts, &t, NULL, &err), 0);
    kill(a, SIGKILL);
    assert_true(gone_within(&ts, 1000));
    assert_int_equal(target_again(&ts, t.name, &err), -ENOENT); /* a zombie has the name still */
    assert_int_equal(ts.process[0].pid, a);
    waitpid(a, NULL, 0);
    assert_int_equal(target_again(&ts, t.name, &err), -ENOENT);
    pid_t b = sleeper("tdt-again"), c = sleeper("tdt-again");
    assert_int_equal(target_again(&ts, t.name, &err), 0);
    assert_int_equal(ts.n_process, 2);
    assert_true(ts.process[0].pid == (b < c ? b : c) && ts.process[1].pid == (b < c ? c : b));
    assert_false(target_gone(&ts));
    end(b);
    end(c);
    assert_true(gone_within(&ts, 1000));
    target_close(&ts);
}

static void *wait_on(void *lock) {
    pthread_mutex_lock(lock);
    pthread_mutex_unlock(lock);
    return NULL;
}

static void a_thread_is_no_process(void **state) {
    (void)state;
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_t thread[3];
    pthread_mutex_lock(&lock);
    for (int i = 0; i < 3; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, wait_on, &lock), 0);
    pid_t *tids = NULL;
    int cap = 0;
    int n = target_tids(getpid(), &tids, &cap);
    assert_true(n >= 4); /* a sanitizer may have one of its own */
    for (int i = 1; i < n; i++)
        assert_true(tids[i - 1] < tids[i]);
    char list[32];
    pid_t other = tids[n - 1] == getpid() ? tids[0] : tids[n - 1];
    snprintf(list, sizeof(list), "%d", (int)other);
    struct target t = {.kind = TARGET_PIDS, .pids = list};
    struct target_set ts;
    struct err err = {0};
    assert_int_equal(target_open(&ts, &t, NULL, &err), -EINVAL);
    assert_non_null(strstr(err.text, "is a thread of process"));
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < 3; i++)
        pthread_join(thread[i], NULL);
    free(tids);
    tids = NULL;
    cap = 0;
    assert_int_equal(target_tids(2147483646, &tids, &cap), 0);
    free(tids);
}

static void finds_by_name(void **state) {
    (void)state;
    pid_t a = sleeper("tdtop-find-me"), b = sleeper("tdtop-find-me");
    struct target t = {.kind = TARGET_NAME, .name = "tdtop-find-me"};
    struct target_set ts;
    struct err err = {0};
    assert_int_equal(target_open(&ts, &t, NULL, &err), 0);
    assert_int_equal(ts.n_process, 2);
    target_close(&ts);
    t.name = "tdtop-fimd-me";
    assert_int_equal(target_open(&ts, &t, NULL, &err), -ENOENT);
    assert_non_null(strstr(err.text, "did you mean tdtop-find-me?"));
    t.name = "tdtop-no\033such";
    assert_int_equal(target_open(&ts, &t, NULL, &err), -ENOENT);
    assert_null(strchr(err.text, '\033'));
    end(a);
    end(b);
}

static void put(const char *dir, const char *rest, const char *text, size_t n) {
    char path[256];
    snprintf(path, sizeof(path), "%s%s", dir, rest);
    *strrchr(path, '/') = '\0';
    mkdir(path, 0755);
    snprintf(path, sizeof(path), "%s%s", dir, rest);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fwrite(text, 1, n, f);
    fclose(f);
}

static void names_of_all_kinds(void **state) {
    (void)state;
    char dir[] = "/tmp/tdtop-proc.XXXXXX", self[32];
    assert_non_null(mkdtemp(dir));
#define FILE_OF(rest, text) put(dir, rest, text, sizeof(text) - 1)
    FILE_OF("/20/comm", "redis-server\n");
    FILE_OF("/20/cmdline", "redis-server *:6379\0");
    FILE_OF("/3/comm", "java\n");
    FILE_OF("/3/cmdline", "/usr/lib/jvm/bin/java\0-jar\0redis-server");
    FILE_OF("/100/comm", "a-very-long-nam\n"); /* the kernel cuts at 15 */
    FILE_OF("/100/cmdline", "./bin/a-very-long-name-indeed\0-x\0");
    FILE_OF("/7/comm", "kworker/0:1\n");
    FILE_OF("/7/cmdline", "");
    FILE_OF("/self/comm", "redis-server\n"); /* not a number */
    snprintf(self, sizeof(self), "/%d/comm", (int)getpid());
    put(dir, self, "redis-server\n", 13);
    static const struct {
        const char *what, *name;
        int n;
        pid_t first;
    } cases[] = {
        {"by comm; not itself, not an argument", "redis-server", 1, 20},
        {"by the base of argv[0]", "a-very-long-name-indeed", 1, 100},
        {"by the cut comm", "a-very-long-nam", 1, 100},
        {"a kernel thread", "kworker/0:1", 1, 7},
        {"exactly, not a part of it", "redis", -ENOENT, 0},
        {"case counts", "Java", -ENOENT, 0},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        pid_t *pids = NULL;
        struct err err = {0};
        int n = target_find(dir, cases[i].name, &pids, &err);
        if (n != cases[i].n || (n > 0 && pids[0] != cases[i].first))
            fail_msg("%s: %d, %s", cases[i].what, n, err.text);
        if (strcmp(cases[i].name, "redis") == 0)
            assert_non_null(strstr(err.text, "did you mean redis-server?"));
        free(pids);
    }
    char cmd[64];
    snprintf(cmd, sizeof(cmd), "rm -rf %s", dir);
    assert_int_equal(system(cmd), 0);
}

static void runs_a_command(void **state) {
    (void)state;
    struct {
        const char *what;
        char *argv[4];
        int start, status; /* of target_start; of the command */
        const char *says;
    } cases[] = {
        {"exit code passed on",
         {(char[]){"sh"}, (char[]){"-c"}, (char[]){"exit 7"}, NULL},
         0,
         7,
         "ended with exit code 7"},
        {"a signal",
         {(char[]){"sh"}, (char[]){"-c"}, (char[]){"kill -TERM $$"}, NULL},
         0,
         143,
         "signal 15"},
        {"not found", {(char[]){"/no/such/command"}, NULL}, -ENOENT, 127, "No such file"},
        {"not executable", {(char[]){"/etc/passwd"}, NULL}, -EACCES, 126, "Permission denied"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char *argv[4];
        memcpy(argv, cases[i].argv, sizeof(argv));
        struct target t = {.kind = TARGET_COMMAND, .argv = argv};
        struct target_set ts;
        struct err err = {0};
        char words[256] = "";
        assert_int_equal(target_open(&ts, &t, NULL, &err), 0);
        assert_false(target_gone(&ts)); /* it waits for us */
        int rc = target_start(&ts, &err);
        bool gone = gone_within(&ts, 2000);
        target_reap(&ts);
        target_last_words(&ts, 1700000000000000000u, words, sizeof(words));
        if (rc != cases[i].start || !gone || ts.status != cases[i].status ||
            !strstr(rc ? err.text : words, cases[i].says))
            fail_msg("%s: rc %d, gone %d, status %d, \"%s\", \"%s\"", cases[i].what, rc, gone,
                     ts.status, words, err.text);
        target_close(&ts);
    }
}

/* An exec changes the name; a name that the kernel has cut is no other. */
static void an_exec_changes_the_name(void **state) {
    (void)state;
    char *argv[] = {(char[]){"sh"}, (char[]){"-c"}, (char[]){"exec sleep 30"}, NULL};
    struct target t = {.kind = TARGET_COMMAND, .argv = argv};
    struct target_set ts;
    struct err err = {0};
    uint64_t now = 0;
    char text[160], want[160];
    assert_int_equal(target_open(&ts, &t, NULL, &err), 0);
    assert_int_equal(target_start(&ts, &err), 0);
    for (int i = 0; i < 1000 && strcmp(ts.process[0].comm, "sleep") != 0; i++) {
        target_renamed(&ts, now += NS_PER_S);
        sleep_ms(1);
    }
    target_words(&ts, text, sizeof(text));
    snprintf(want, sizeof(want), "sleep %d (was sh)", (int)ts.process[0].pid);
    assert_string_equal(text, want);
    assert_false(target_renamed(&ts, now += NS_PER_S));
    ts.process[0].first[0] = '\0';
    pid_t self = ts.process[0].pid;
    char name[] = "a-name-of-many-letters";
    close(ts.process[0].comm_file - 1); /* as if it was not read yet */
    ts.process[0].comm_file = 0;
    ts.process[0].pid = getpid();
    prctl(PR_SET_NAME, name);
    str_copy(ts.process[0].comm, sizeof(ts.process[0].comm), name);
    assert_false(target_renamed(&ts, now += NS_PER_S));
    prctl(PR_SET_NAME, "another");
    assert_false(target_renamed(&ts, now + NS_PER_MS)); /* it has just been looked at */
    assert_true(target_renamed(&ts, now += NS_PER_S));
    assert_string_equal(ts.process[0].first, name);
    ts.process[0].pid = self;
    target_close(&ts);
}

/* Not a command of ours, and not yet asked for by its parent. */
static void how_others_end(void **state) {
    (void)state;
    static const struct {
        const char *what;
        int signal_no;
        const char *says;
    } cases[] = {
        {"killed", SIGKILL, "was ended by signal 9"},
        {"a polite signal", SIGTERM, "was ended by signal 15"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        pid_t child = sleeper("tdt-ends");
        char list[32], words[256];
        snprintf(list, sizeof(list), "%d", (int)child);
        struct target t = {.kind = TARGET_PIDS, .pids = list};
        struct target_set ts;
        struct err err = {0};
        assert_int_equal(target_open(&ts, &t, NULL, &err), 0);
        kill(child, cases[i].signal_no);
        assert_true(gone_within(&ts, 1000));
        target_last_words(&ts, 1700000000000000000u, words, sizeof(words));
        if (!strstr(words, cases[i].says))
            fail_msg("%s: \"%s\"", cases[i].what, words);
        end(child);
        target_close(&ts);
    }
}

/* Whatever signals we block and whatever limit we raised: the command finds the usual. */
static void a_command_gets_a_clean_start(void **state) {
    (void)state;
    struct {
        const char *what;
        char *argv[5];
    } cases[] = {
        /* Not through a shell, which blocks signals itself while it waits. */
        {"no signal blocked",
         {(char[]){"grep"}, (char[]){"-q"}, (char[]){"^SigBlk:.0000000000000000"},
          (char[]){"/proc/self/status"}, NULL}},
        {"its own limit of files",
         {(char[]){"sh"}, (char[]){"-c"}, (char[]){"[ $(ulimit -n) = 123 ]"}, NULL}},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        sigset_t set, old;
        struct rlimit usual;
        getrlimit(RLIMIT_NOFILE, &usual);
        usual.rlim_cur = 123;
        sigfillset(&set);
        pthread_sigmask(SIG_BLOCK, &set, &old);
        struct target t = {.kind = TARGET_COMMAND, .argv = cases[i].argv};
        struct target_set ts;
        struct err err = {0};
        int rc = target_open(&ts, &t, &usual, &err);
        pthread_sigmask(SIG_SETMASK, &old, NULL);
        assert_int_equal(rc, 0);
        assert_int_equal(target_start(&ts, &err), 0);
        assert_true(gone_within(&ts, 5000));
        target_reap(&ts);
        if (ts.status != 0)
            fail_msg("%s: status %d", cases[i].what, ts.status);
        target_close(&ts);
    }
}

static void a_command_dies_with_us(void **state) {
    (void)state;
    char *argv[] = {(char[]){"sleep"}, (char[]){"100"}, NULL};
    struct target t = {.kind = TARGET_COMMAND, .argv = argv};
    for (int start = 0; start < 2; start++) {
        struct target_set ts;
        struct err err = {0};
        assert_int_equal(target_open(&ts, &t, NULL, &err), 0);
        pid_t pid = ts.process[0].pid;
        assert_string_equal(ts.process[0].comm, "sleep");
        if (start)
            assert_int_equal(target_start(&ts, &err), 0);
        target_close(&ts); /* waits for it, but not long: it may need a CPU to end */
        for (int i = 0; i < 10000 && waitpid(pid, NULL, WNOHANG) == 0; i++)
            sleep_ms(1);
        assert_int_equal(kill(pid, 0), -1); /* gone, and no zombie either */
    }
}

struct helper {
    pthread_t thread;
    pthread_mutex_t *lock;
    pid_t tid;
};

static void *helper_main(void *arg) {
    struct helper *h = arg;
    prctl(PR_SET_NAME, "tdt-helper");
    __atomic_store_n(&h->tid, (pid_t)syscall(SYS_gettid), __ATOMIC_RELEASE);
    return wait_on(h->lock);
}

static void threads_alone(void **state) {
    (void)state;
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    struct helper h[2] = {{.lock = &lock}, {.lock = &lock}};
    char list[64], text[160], want[160], comm[48];
    pthread_mutex_lock(&lock);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(pthread_create(&h[i].thread, NULL, helper_main, &h[i]), 0);
        while (!__atomic_load_n(&h[i].tid, __ATOMIC_ACQUIRE))
            sleep_ms(1);
    }
    snprintf(list, sizeof(list), "%d,%d,%d", (int)h[0].tid, (int)h[1].tid, (int)h[0].tid);
    struct target t = {.kind = TARGET_TIDS, .tids = list};
    struct target_set ts;
    struct err err = {0};
    assert_int_equal(target_open(&ts, &t, NULL, &err), 0);
    assert_int_equal(ts.n_thread, 2);
    assert_int_equal(ts.n_process, 1);
    assert_int_equal(ts.cgroup_fd, -1);
    assert_int_equal(ts.thread[0].pid, getpid());
    assert_int_equal(ts.thread[1].tid, h[1].tid);
    str_copy(comm, sizeof(comm), ts.process[0].comm);
    target_words(&ts, text, sizeof(text));
    snprintf(want, sizeof(want), "2 threads of %s %d", comm, (int)getpid());
    assert_string_equal(text, want);
    assert_false(target_gone(&ts));
    pthread_mutex_unlock(&lock);
    pthread_join(h[0].thread, NULL);
    pthread_join(h[1].thread, NULL);
    assert_true(gone_within(&ts, 1000)); /* although the process lives */
    target_last_words(&ts, 1700000000000000000u, text, sizeof(text));
    assert_non_null(strstr(text, "ended at"));
    target_close(&ts);
    target_close(&ts);

    pid_t child = sleeper("tdt-one");
    snprintf(list, sizeof(list), "%d", (int)child);
    assert_int_equal(target_open(&ts, &t, NULL, &err), 0);
    target_words(&ts, text, sizeof(text));
    snprintf(want, sizeof(want), "thread tdt-one %d of tdt-one %d", (int)child, (int)child);
    assert_string_equal(text, want);
    kill(child, SIGKILL); /* not waited for yet: its folder is still there */
    assert_true(gone_within(&ts, 1000));
    end(child);
    target_close(&ts);
}

static void bad_threads(void **state) {
    (void)state;
    static const struct {
        const char *what, *tids;
        int rc;
        const char *says;
    } cases[] = {
        {"a word", "io_thd_1", -EINVAL, "-t io_thd_1: not a list of thread ids"},
        {"empty", "", -EINVAL, "not a list of thread ids"},
        {"nobody", "2147483646", -ESRCH, "thread 2147483646: no such thread"},
        {"one of two is nobody", "1,2147483646", -ESRCH, "thread 2147483646: no such thread"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct target t = {.kind = TARGET_TIDS, .tids = cases[i].tids};
        struct target_set ts;
        struct err err = {0};
        int rc = target_open(&ts, &t, NULL, &err);
        if (rc != cases[i].rc || !strstr(err.text, cases[i].says) || ts.process || ts.thread)
            fail_msg("%s: rc %d, %s", cases[i].what, rc, err.text);
    }
    char many[256 * 8] = "";
    for (int i = 1, n = 0; i <= 257; i++)
        n += snprintf(many + n, sizeof(many) - (size_t)n, "%s%d", i > 1 ? "," : "", i);
    struct target t = {.kind = TARGET_TIDS, .tids = many};
    struct target_set ts;
    struct err err = {0};
    assert_int_equal(target_open(&ts, &t, NULL, &err), -E2BIG);
}

/* The words; opening is tested in test_cgroup.c. */
static void cgroup_words_of_a_set(void **state) {
    (void)state;
    struct target_set ts = {.kind = TARGET_CGROUP, .cgroup.fd = -1, .n_in_cgroup = 5};
    char text[200];
    str_copy(ts.cgroup.path, sizeof(ts.cgroup.path), "system.slice/redis.service");
    target_words(&ts, text, sizeof(text));
    assert_string_equal(text, "cgroup system.slice/redis.service · 5 processes");
    ts.n_in_cgroup = 1;
    target_words(&ts, text, sizeof(text));
    assert_string_equal(text, "cgroup system.slice/redis.service · 1 process");
    ts.n_in_cgroup = 0;
    target_words(&ts, text, sizeof(text));
    assert_string_equal(text, "cgroup system.slice/redis.service · no process yet");
    ts.status = -1;
    target_last_words(&ts, 1700000000000000000u, text, sizeof(text));
    assert_non_null(strstr(text, "cgroup system.slice/redis.service was removed at"));
    struct target t = {.kind = TARGET_CGROUP, .cgroup = "tdtop no such cgroup"};
    struct err err = {0};
    assert_true(target_open(&ts, &t, NULL, &err) < 0);
    assert_true(str_starts(err.text, "-G"));
    assert_int_equal(ts.cgroup_fd, -1);
}

static void cpus(void **state) {
    (void)state;
    struct target t = {.kind = TARGET_ALL};
    struct target_set ts;
    struct err err = {0};
    char text[160], want[160];
    int n = (int)sysconf(_SC_NPROCESSORS_ONLN);
    assert_int_equal(target_open(&ts, &t, NULL, &err), 0);
    assert_int_equal(ts.n_cpu, n);
    target_words(&ts, text, sizeof(text));
    snprintf(want, sizeof(want), n == 1 ? "the only CPU" : "all %d CPUs", n);
    assert_string_equal(text, want);
    assert_false(target_gone(&ts));
    int first = ts.cpu[0];
    assert_false(target_add_cpu(&ts, first));
    assert_true(target_add_cpu(&ts, 4711)); /* it has come online */
    assert_int_equal(ts.n_cpu, n + 1);
    target_close(&ts);

    char list[32];
    snprintf(list, sizeof(list), "%d", first);
    t = (struct target){.kind = TARGET_CPUS, .cpus = list};
    assert_int_equal(target_open(&ts, &t, NULL, &err), 0);
    target_words(&ts, text, sizeof(text));
    snprintf(want, sizeof(want), "CPU %d", first);
    assert_string_equal(text, want);
    target_close(&ts);
    t.cpus = "8191";
    assert_int_equal(target_open(&ts, &t, NULL, &err), -ENODEV);
    assert_non_null(strstr(err.text, "CPU 8191 is not online"));
    t.cpus = "0-";
    assert_true(target_open(&ts, &t, NULL, &err) < 0);

    int many[] = {0, 1, 2, 5, 7, 8};
    ts = (struct target_set){.kind = TARGET_CPUS, .cpu = many, .n_cpu = 6};
    target_words(&ts, text, sizeof(text));
    assert_string_equal(text, "CPUs 0-2,5,7-8");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_lists),
        cmocka_unit_test(two_processes_end),
        cmocka_unit_test(a_name_is_taken_by_others),
        cmocka_unit_test(a_thread_is_no_process),
        cmocka_unit_test(finds_by_name),
        cmocka_unit_test(names_of_all_kinds),
        cmocka_unit_test(runs_a_command),
        cmocka_unit_test(an_exec_changes_the_name),
        cmocka_unit_test(how_others_end),
        cmocka_unit_test(a_command_gets_a_clean_start),
        cmocka_unit_test(a_command_dies_with_us),
        cmocka_unit_test(threads_alone),
        cmocka_unit_test(bad_threads),
        cmocka_unit_test(cgroup_words_of_a_set),
        cmocka_unit_test(cpus),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
