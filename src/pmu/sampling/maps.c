#include "pmu/sampling/maps.h"

#include "base/str.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/ioctl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static const char deleted[] = " (deleted)";

/* "\012" is a newline. */
static void unescape(char *path) {
    char *to = path;
    for (const char *p = path; *p; to++) {
        if (p[0] == '\\' && p[1] == '0' && p[2] == '1' && p[3] == '2') {
            *to = '\n';
            p += 4;
        } else {
            *to = *p++;
        }
    }
    *to = '\0';
}

bool maps_line(char *line, struct module *m) {
    char perms[8];
    int at = 0;
    *m = (struct module){.path = ""};
    if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64 " %x:%x %" SCNu64 " %n", &m->start,
               &m->end, perms, &m->pgoff, &m->dev_major, &m->dev_minor, &m->ino, &at) < 7)
        return false;
    line[strcspn(line, "\n")] = '\0';
    unescape(line + at);
    m->path = line + at;
    return strlen(perms) > 2 && perms[2] == 'x';
}

/* ---- build ids of what is mapped ---- */

/* struct procmap_query and PROCMAP_QUERY of include/uapi/linux/fs.h, Linux 6.11. */
struct query {
    uint64_t size, query_flags, query_addr;
    uint64_t vma_start, vma_end, vma_flags, vma_page_size, vma_offset;
    uint64_t inode;
    uint32_t dev_major, dev_minor;
    uint32_t vma_name_size, build_id_size;
    uint64_t vma_name_addr, build_id_addr;
};
#define QUERY _IOWR('f', 17, struct query)

static int ask(int fd, uint64_t addr, uint8_t id[BUILD_ID_MAX], uint32_t *n) {
    struct query q = {.size = sizeof(q), .query_addr = addr, .build_id_size = BUILD_ID_MAX};
    q.build_id_addr = (uintptr_t)id;
    if (ioctl(fd, QUERY, &q) < 0)
        return -errno;
    *n = q.build_id_size <= BUILD_ID_MAX ? q.build_id_size : 0;
    return 0;
}

void maps_build_id(int fd, struct module *m) {
    uint32_t n = 0;
    if (m->ino && ask(fd, m->start, m->build_id, &n) == 0)
        m->n_build_id = (uint8_t)n;
}

bool maps_knows_build_ids(void) {
    uint8_t id[BUILD_ID_MAX];
    uint32_t n;
    const int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
    const int rc = fd < 0 ? -errno : ask(fd, (uintptr_t)&maps_knows_build_ids, id, &n);
    if (fd >= 0)
        close(fd);
    return rc == 0;
}

/* ---- what a name says ---- */

/* As the kernel names memory without a file, in maps and in records. .NET maps the code that it
 * makes from a memfd of that name. */
static bool is_made_at_run_time(const char *path) {
    static const char *const names[] = {
        "//anon", "[heap]", "[stack",    "/dev/zero",          "/anon_hugepage",
        "[anon:", "/SYSV",  "[uprobes]", "/memfd:doublemapper"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (str_starts(path, names[i]))
            return true;
    return path[0] == '\0';
}

void maps_name(const struct module *m, pid_t pid, struct module *out) {
    static _Thread_local char cut[4096];
    *out = *m;
    out->pid = pid;
    out->kind = MODULE_FILE;
    if (str_ends(m->path, deleted)) {
        str_copy(cut, sizeof(cut), m->path);
        const size_t n = strlen(cut);
        if (str_ends(cut, deleted))
            cut[n - (sizeof(deleted) - 1)] = '\0';
        out->path = cut;
        out->deleted = true;
    }
    if (strcmp(m->path, "[vdso]") == 0) {
        out->kind = MODULE_VDSO;
    } else if (is_made_at_run_time(out->path)) {
        out->kind = MODULE_JIT;
        out->path = "[jit]";
    } else if (out->path[0] == '[') {
        out->kind = MODULE_UNKNOWN;
    }
    if (out->kind != MODULE_FILE) {
        out->n_build_id = 0;
        out->dev_major = out->dev_minor = 0;
        out->ino = out->ino_generation = 0;
    }
}
