/* store_mounts full|readonly FOLDER: a file system of 1 MB filled to the brim; one that cannot be
 * written, and no rights. Only root can mount them. */
#include "store_kit.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>

/* In a mount namespace, so that it goes with this process. */
static bool mount_own(const char *folder, const char *options) {
    if (geteuid() == 0 && unshare(CLONE_NEWNS) == 0 &&
        mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
        mount("tmpfs", folder, "tmpfs", 0, options) == 0)
        return true;
    printf("no file system can be mounted here (not root?)\n");
    return false;
}

static void fill_up(const char *path) {
    static char block[4096];
    const int fd = open(path, O_CREAT | O_WRONLY, 0600);
    size_t n = sizeof(block);
    while (n > 0)
        if (write(fd, block, n) < (ssize_t)n)
            n /= 2;
    close(fd);
}

enum { FULL_ROWS = 120, FULL_SLOTS = 20 };

/* Saves until there is no more room. Returns how many; the last one is the caller's. */
static uint64_t save_until_full(struct store *st, struct run *r) {
    struct err err = {0};
    int rc = 0;
    uint64_t n = 0;
    for (; rc == 0 && n < 1000; n += rc == 0) {
        run_free(r);
        fix_run(r, n, FULL_ROWS, FULL_SLOTS);
        rc = store_save(st, r, &err);
    }
    want(rc == -ENOSPC && strstr(err.text, "no space left") && strstr(err.text, st->path) &&
             strstr(err.text, "--db FILE"),
         "rc %d: %s", rc, err.text);
    printf("%s\n", err.text);
    return n;
}

static void save_elsewhere(const struct run *r, const char *other) {
    struct store st;
    struct err err = {0};
    if (!want(store_open(&st, other, STORE_WRITE, &err) == 0, "%s", err.text))
        return;
    want(store_save(&st, r, &err) == 0, "elsewhere: %s", err.text);
    want(all_whole(&st, FULL_ROWS, FULL_SLOTS) == 1, "it is not elsewhere");
    store_close(&st);
}

static void still_readable(const char *path, uint64_t n, const char *when) {
    struct store st;
    struct err err = {0};
    if (!want(store_open(&st, path, STORE_READ, &err) == 0, "%s: %s", when, err.text))
        return;
    const uint64_t there = all_whole(&st, FULL_ROWS, FULL_SLOTS);
    want(there == n, "%s: %llu of %llu runs are there", when, (unsigned long long)there,
         (unsigned long long)n);
    is_sound(&st);
    store_close(&st);
}

static int full(const char *folder) {
    char small[300], path[400], filler[400], other[300];
    struct run r = {0};
    struct store st;
    struct err err = {0};
    path_in(small, sizeof(small), folder, "small");
    path_in(other, sizeof(other), folder, "other.db");
    path_in(path, sizeof(path), small, "runs.db");
    path_in(filler, sizeof(filler), small, "filler");
    mkdir(small, 0700);
    if (!mount_own(small, "size=1m"))
        return 77;
    if (!want(store_open(&st, path, STORE_WRITE, &err) == 0, "%s", err.text))
        return 1;
    const uint64_t n = save_until_full(&st, &r);
    fill_up(filler); /* not one byte is left */
    int rc = store_save(&st, &r, &err);
    want(rc == -ENOSPC, "to the brim: rc %d: %s", rc, err.text);
    rc = store_note(&st, r.id, "x", &err);
    want(rc == -ENOENT || rc == -ENOSPC, "a note: rc %d: %s", rc, err.text);
    still_readable(path, n, "full, with a writer");
    store_close(&st);
    still_readable(path, n, "full, alone");
    rc = store_open(&st, path, STORE_WRITE, &err);
    want(rc == 0 || rc == -ENOSPC, "opening it full: rc %d: %s", rc, err.text);
    if (rc == 0)
        want(store_save(&st, &r, &err) == -ENOSPC, "%s", err.text);
    store_close(&st);
    save_elsewhere(&r, other);
    unlink(filler);
    still_readable(path, n, "room again");
    printf("%llu runs were saved, all whole; the next was saved elsewhere\n",
           (unsigned long long)n);
    run_free(&r);
    return failed;
}

static void leave_log(const char *path) {
    const pid_t pid = fork();
    if (pid == 0) {
        struct store st;
        struct err err = {0};
        struct run r;
        fix_run(&r, 2, FULL_ROWS, FULL_SLOTS);
        if (store_open(&st, path, STORE_WRITE, &err) < 0 || store_save(&st, &r, &err) < 0)
            _exit(2);
        raise(SIGKILL);
    }
    waitpid(pid, NULL, 0);
}

static void open_refused(const char *path, enum store_mode mode, int want_rc, const char *words) {
    struct store st;
    struct err err = {0};
    const int rc = store_open(&st, path, mode, &err);
    want(rc == want_rc && strstr(err.text, words) && strstr(err.text, path), "rc %d, wanted %d: %s",
         rc, want_rc, err.text);
    printf("%s\n", err.text);
    store_close(&st);
}

/* As somebody who owns nothing. */
static void as_nobody(const char *path) {
    fflush(stdout);
    const pid_t pid = fork();
    if (pid == 0) {
        if (setgid(65534) < 0 || setuid(65534) < 0)
            _exit(2);
        open_refused(path, STORE_READ, -EACCES, "Permission denied");
        open_refused(path, STORE_WRITE, -EACCES, "Permission denied");
        fflush(stdout);
        _exit(failed);
    }
    int status;
    waitpid(pid, &status, 0);
    want(status == 0, "without rights");
}

static uint64_t count_runs(struct store *st) {
    struct err err = {0};
    struct run_list l;
    const int rc = store_list(st, &(struct run_query){.limit = 1}, &l, &err);
    if (!want(rc == 0, "nobody: %s", err.text))
        return 0;
    const uint64_t n = l.total;
    run_list_free(&l);
    return n;
}

/* A reader that may not write into the folder. */
static void read_as_nobody(const char *path, int say, int hear) {
    struct store st;
    struct err err = {0};
    char byte = 0;
    if (setgid(65534) < 0 || setuid(65534) < 0 ||
        !want(store_open(&st, path, STORE_READ, &err) == 0, "nobody: %s", err.text))
        return;
    const uint64_t before = count_runs(&st);
    if (write(say, &byte, 1) == 1 && read(hear, &byte, 1) == 1)
        want(count_runs(&st) == before + 1, "nobody does not see what was written");
    store_close(&st);
}

/* It sees what the owner writes meanwhile. */
static void nobody_reads_on(const char *path) {
    struct store st;
    struct err err = {0};
    struct run r;
    int go[2], went[2], status;
    char byte = 0;
    if (!want(pipe(go) == 0 && pipe(went) == 0, "pipe"))
        return;
    fflush(stdout);
    if (fork() == 0) {
        read_as_nobody(path, went[1], go[0]);
        fflush(stdout);
        _exit(failed);
    }
    close(went[1]);
    close(go[0]);
    if (want(read(went[0], &byte, 1) == 1, "nobody could not read")) {
        fix_run(&r, 9, FULL_ROWS, FULL_SLOTS);
        want(store_open(&st, path, STORE_WRITE, &err) == 0 && store_save(&st, &r, &err) == 0, "%s",
             err.text);
        store_close(&st);
        run_free(&r);
        want(write(go[1], &byte, 1) == 1, "pipe");
    }
    wait(&status);
    want(status == 0, "a reader without rights to the folder");
    close(went[0]);
    close(go[1]);
}

static int readonly(const char *folder) {
    char own[300], path[400], log[400], shared[400];
    struct run r;
    struct store st;
    struct err err = {0};
    path_in(own, sizeof(own), folder, "own");
    path_in(path, sizeof(path), own, "runs.db");
    path_in(log, sizeof(log), own, "runs.db-wal");
    path_in(shared, sizeof(shared), own, "runs.db-shm");
    chmod(folder, 0755);
    mkdir(own, 0755);
    if (!mount_own(own, "mode=0755"))
        return 77;
    fix_run(&r, 1, FULL_ROWS, FULL_SLOTS);
    if (!want(store_open(&st, path, STORE_WRITE, &err) == 0, "%s", err.text))
        return 1;
    want(store_save(&st, &r, &err) == 0, "%s", err.text);
    store_close(&st);
    want(access(log, F_OK) < 0 && access(shared, F_OK) < 0, "files of the log are left");
    chmod(path, 0644);
    nobody_reads_on(path);
    chmod(path, 0600);
    as_nobody(path);

    mount(NULL, own, NULL, MS_REMOUNT | MS_RDONLY, NULL);
    still_readable(path, 2, "read-only");
    open_refused(path, STORE_WRITE, -EROFS, "read-only");
    mount(NULL, own, NULL, MS_REMOUNT, NULL);
    leave_log(path);
    mount(NULL, own, NULL, MS_REMOUNT | MS_RDONLY, NULL);
    still_readable(path, 3, "read-only, with a log and its index");
    mount(NULL, own, NULL, MS_REMOUNT, NULL);
    unlink(shared);
    mount(NULL, own, NULL, MS_REMOUNT | MS_RDONLY, NULL);
    open_refused(path, STORE_READ, -EROFS, "-wal");
    mount(NULL, own, NULL, MS_REMOUNT, NULL);
    still_readable(path, 3, "writable again");
    printf("read, and refused to be written; nothing was lost\n");
    run_free(&r);
    return failed;
}

int main(int argc, char **argv) {
    if (argc == 3 && !strcmp(argv[1], "full"))
        return full(argv[2]);
    return argc == 3 && !strcmp(argv[1], "readonly") ? readonly(argv[2]) : 2;
}
