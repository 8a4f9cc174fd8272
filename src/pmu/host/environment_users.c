/*
 * Who else holds perf events, found without being noticed: a machine has thousands of processes,
 * and looking into all of them takes longer than drawing a frame. So the walk over /proc stops
 * after a moment and goes on at the next look. System calls only: opendir() allocates.
 */
#include "base/clock.h"
#include "base/folder.h"
#include "base/str.h"
#include "pmu/host/environment_impl.h"
#include "pmu/host/machine_impl.h"

#include <ctype.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    LINKS_MAX = 512, /* a little at a time: those who count hold perf events among the first */
    BUF_SIZE = 4096,
    NAMED = 3,
    REST = 10, /* calls between the end of a walk and the next */
};

struct env_users {
    char root[64];
    struct folder proc, fds;
    char proc_buf[BUF_SIZE] __attribute__((aligned(8)));
    char fds_buf[BUF_SIZE] __attribute__((aligned(8)));
    int links_max; /* that are looked at of one process */
    int found, rest;
    char names[96];
};

static bool open_folder(struct folder *f, const char *path, char *buf) {
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    *f = (struct folder){.fd = fd, .buf = buf, .size = BUF_SIZE};
    return fd >= 0;
}

static void close_folder(struct folder *f) {
    if (f->fd >= 0)
        close(f->fd);
    f->fd = -1;
}

struct env_users *env_users_open(const char *root) {
    struct env_users *eu = calloc(1, sizeof(*eu));
    if (!eu)
        return NULL;
    str_copy(eu->root, sizeof(eu->root), root);
    eu->links_max = LINKS_MAX;
    eu->proc.fd = eu->fds.fd = -1;
    return eu;
}

void env_users_close(struct env_users *eu) {
    if (eu)
        close_folder(&eu->proc);
    free(eu);
}

static bool is_perf_event(int folder, const char *name) {
    static const char wanted[] = "anon_inode:[perf_event]";
    char link[64];
    ssize_t n = readlinkat(folder, name, link, sizeof(link));
    return n == (ssize_t)strlen(wanted) && memcmp(link, wanted, (size_t)n) == 0;
}

static bool counts(struct env_users *eu, const char *pid) {
    char path[512];
    bool found = false;
    snprintf(path, sizeof(path), "%s/proc/%.20s/fd", eu->root, pid);
    if (!open_folder(&eu->fds, path, eu->fds_buf))
        return false; /* of another user, or gone */
    const char *name;
    for (int i = 0; i < eu->links_max && !found && (name = folder_next(&eu->fds)); i++)
        found = is_perf_event(eu->fds.fd, name);
    close_folder(&eu->fds);
    return found;
}

static void add_user(struct env_users *eu, const char *pid) {
    char path[64], comm[64], safe[64];
    size_t n = strlen(eu->names);
    if (eu->found++ >= NAMED)
        return;
    snprintf(path, sizeof(path), "/proc/%.20s/comm", pid);
    bool named = machine_read(eu->root, path, comm, sizeof(comm)) > 0;
    snprintf(eu->names + n, sizeof(eu->names) - n, "%s%.15s %.10s", n ? ", " : "",
             named ? str_safe(safe, sizeof(safe), comm) : "process", pid);
}

static bool is_ours(const struct env_users *eu, const char *pid) {
    return !eu->root[0] && atoi(pid) == (int)getpid();
}

static bool begin(struct env_users *eu) {
    char path[128];
    eu->found = 0;
    eu->names[0] = '\0';
    snprintf(path, sizeof(path), "%s/proc", eu->root);
    return open_folder(&eu->proc, path, eu->proc_buf);
}

bool env_users_walk(struct env_users *eu, uint64_t most_ns, int *n, char *names, size_t cap) {
    uint64_t end = clock_now_ns() + most_ns;
    if (eu->rest > 0) {
        eu->rest--;
        return false;
    }
    if (eu->proc.fd < 0 && !begin(eu))
        return false;
    const char *pid;
    while ((pid = folder_next(&eu->proc))) {
        if (isdigit((unsigned char)pid[0]) && !is_ours(eu, pid) && counts(eu, pid))
            add_user(eu, pid);
        if (clock_now_ns() >= end)
            return false;
    }
    close_folder(&eu->proc);
    eu->rest = REST;
    *n = eu->found;
    str_copy(names, cap, eu->names);
    return true;
}

int env_find_perf_users(const char *root, char *names, size_t cap) {
    struct env_users *eu = env_users_open(root);
    int n = -1;
    names[0] = '\0';
    if (eu) {
        eu->links_max = INT_MAX;
        env_users_walk(eu, UINT64_MAX / 2, &n, names, cap);
    }
    env_users_close(eu);
    return n;
}
