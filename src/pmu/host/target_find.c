/* Processes by name, threads of a process: what /proc knows. */
#include "base/array.h"
#include "base/str.h"
#include "pmu/host/target.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NEAR = 3 /* typing errors that still count as meant */ };

/* What a process is called: comm, and the last part of argv[0]. */
struct names {
    char comm[64], base[256];
};

static bool read_names(const char *proc, const char *pid, struct names *out) {
    char path[512], line[512];
    snprintf(path, sizeof(path), "%s/%s/comm", proc, pid);
    if (str_read_small(path, out->comm, sizeof(out->comm)) < 0)
        return false;
    snprintf(path, sizeof(path), "%s/%s/cmdline", proc, pid);
    if (str_read_small(path, line, sizeof(line)) < 0)
        line[0] = '\0'; /* read as text it ends after argv[0], which is all we want */
    /* Daemons rewrite argv[0] ("redis-server *:6379", "sshd: root"): only the first word is a name.
     */
    line[strcspn(line, " ")] = '\0';
    const char *slash = strrchr(line, '/');
    str_copy(out->base, sizeof(out->base), slash ? slash + 1 : line);
    return true;
}

struct nearest {
    char name[64];
    int distance;
};

static void look_near(struct nearest *near, const char *name, const char *candidate) {
    if (!candidate[0])
        return;
    int d = strstr(candidate, name) ? NEAR
                                    : str_distance(name, candidate); /* "redis" for redis-server */
    if (d < near->distance) {
        near->distance = d;
        str_safe(near->name, sizeof(near->name), candidate);
    }
}

static int compare_pid(const void *a, const void *b) {
    const pid_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static int say_none(const char *name, const struct nearest *near, struct err *err) {
    char safe[96];
    str_safe(safe, sizeof(safe), name);
    if (near->name[0])
        return err_set(err, -ENOENT, "-P %s: no process of that name; did you mean %s?", safe,
                       near->name);
    return err_set(err, -ENOENT, "-P %s: no process of that name; ps -e lists them all", safe);
}

int target_find(const char *proc, const char *name, pid_t **pids, struct err *err) {
    DIR *dir = opendir(proc);
    if (!dir)
        return err_set(err, -errno, "%s: %s; mount it to find processes by name", proc,
                       strerror(errno));
    ARRAY(pid_t) found = {0};
    struct nearest near = {.distance = NEAR + 1};
    struct names nm;
    int rc = 0;
    for (struct dirent *de; !rc && (de = readdir(dir));) {
        if (!isdigit((unsigned char)de->d_name[0]) || atoi(de->d_name) == (int)getpid() ||
            !read_names(proc, de->d_name, &nm))
            continue;
        if (strcmp(nm.comm, name) == 0 || strcmp(nm.base, name) == 0) {
            rc = array_push(&found, (pid_t)atoi(de->d_name));
        } else {
            look_near(&near, name, nm.comm);
            look_near(&near, name, nm.base);
        }
    }
    closedir(dir);
    if (rc || !found.n) {
        array_free(&found);
        return rc ? err_set(err, rc, "out of memory for the processes found")
                  : say_none(name, &near, err);
    }
    qsort(found.at, found.n, sizeof(found.at[0]), compare_pid);
    *pids = found.at;
    return (int)found.n;
}

int target_tids(pid_t pid, pid_t **tids, int *cap) {
    char path[64];
    snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
    DIR *dir = opendir(path);
    if (!dir)
        return errno == ENOENT || errno == ESRCH ? 0 : -errno;
    int n = 0;
    for (struct dirent *de; (de = readdir(dir));) {
        if (!isdigit((unsigned char)de->d_name[0]))
            continue;
        if (n == *cap) {
            int want = *cap ? *cap * 2 : 64;
            pid_t *p = realloc(*tids, (size_t)want * sizeof(*p));
            if (!p) {
                closedir(dir);
                return -ENOMEM;
            }
            *tids = p;
            *cap = want;
        }
        (*tids)[n++] = (pid_t)atoi(de->d_name);
    }
    closedir(dir);
    if (n)
        qsort(*tids, (size_t)n, sizeof(**tids), compare_pid);
    return n;
}
