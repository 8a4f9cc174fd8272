#include "pmu/symbols/package.h"

#include "base/folder.h"
#include "base/str.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { READ_MAX = 64 << 20, LIST_MAX = 8 << 20, LISTS_MAX = 50000 };

/* /lib is /usr/lib where Debian merged them; its lists may name either. */
static const char *without_usr(const char *path) {
    return str_starts(path, "/usr/") ? path + 4 : path;
}

/* True if the list has the path as a whole line. */
static bool list_has(char *list, const char *path) {
    const size_t n = strlen(path);
    for (char *at = list; (at = strstr(at, path)); at += 1) {
        const char *line = at;
        while (line > list && line[-1] != '\n')
            line--;
        const bool begins = line == at || (at - line == 4 && strncmp(line, "/usr", 4) == 0);
        if (begins && (at[n] == '\n' || at[n] == '\0'))
            return true;
    }
    return false;
}

static int look_in(int dir, const char *path, char *name, size_t cap) {
    static const char end[] = ".list";
    _Alignas(16) char names[1 << 14];
    struct folder f = {.fd = dir, .buf = names, .size = sizeof(names)};
    char *list = malloc(LIST_MAX + 1);
    size_t sum = 0;
    int rc = list ? -ENOENT : -ENOMEM, n_list = 0;
    for (const char *e; rc == -ENOENT && sum < READ_MAX && (e = folder_next(&f));) {
        if (!str_ends(e, end) || n_list++ >= LISTS_MAX)
            continue;
        struct stat st;
        const int fd = openat(dir, e, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
        const struct bytes b = {.fd = fd, .size = LIST_MAX};
        if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode)) {
            const size_t n = file_read_some(&b, 0, list, LIST_MAX);
            list[n] = '\0';
            sum += n;
            if (list_has(list, path)) {
                char whole[256];
                str_copy(whole, sizeof(whole), e);
                whole[strcspn(whole, ":")] = '\0'; /* "libc6:amd64.list" */
                if (str_ends(whole, end))
                    whole[strlen(whole) - sizeof(end) + 1] = '\0';
                str_safe(name, cap, whole);
                rc = 0;
            }
        }
        if (fd >= 0)
            close(fd);
    }
    free(list);
    return rc;
}

int package_of(const struct places *p, pid_t pid, const char *path, char *name, size_t cap) {
    char folder[8192];
    int rc = -ENOENT;
    for (int own = pid > 0 ? 0 : 1; rc == -ENOENT && own < 2; own++) {
        if (own)
            snprintf(folder, sizeof(folder), "%s%s", p->root, p->dpkg);
        else
            snprintf(folder, sizeof(folder), "%s/%d/root%s", p->proc, pid, p->dpkg);
        const int dir = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (dir < 0)
            continue;
        rc = look_in(dir, without_usr(path), name, cap);
        close(dir);
    }
    return rc;
}
