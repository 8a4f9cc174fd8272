#include "pmu/host/cgroup.h"

#include "base/array.h"
#include "base/str.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    NEAR = 3,      /* typing errors that still count as meant */
    DEEPEST = 32,  /* folders within folders */
    ID_SHOWN = 12, /* digits of a container's id, as docker ps shows it */
    ID_LEAST = 4,  /* digits that may stand for an id */
    ID_WHOLE = 32, /* digits that are an id even without a runtime's name before them */
    LISTED = 6,    /* paths in an error */
    MOUNT_SIZE = 512,
};

/* ---- where they are ---- */

/* Mounts of cgroups, /proc/mounts: device, folder, type, options. */
struct mounts {
    char v2[MOUNT_SIZE];         /* "" = none */
    char v1[MOUNT_SIZE];         /* one of them */
    char perf_event[MOUNT_SIZE]; /* of version 1 that has taken perf_event away from version 2 */
};

/* Blanks and the like stand in /proc/mounts as \040. */
static void unescape_octal(char *s) {
    char *to = s;
    for (; *s; s++, to++) {
        unsigned code;
        if (s[0] == '\\' && sscanf(s + 1, "%3o", &code) == 1 && isdigit((unsigned char)s[3])) {
            *to = (char)code;
            s += 3;
        } else {
            *to = *s;
        }
    }
    *to = '\0';
}

static bool has_option(const char *options, const char *name) {
    size_t n = strlen(name);
    for (const char *p = options; p; p = strchr(p, ',')) {
        p += *p == ',';
        if (strncmp(p, name, n) == 0 && (p[n] == ',' || p[n] == '\0'))
            return true;
    }
    return false;
}

static void take_mount(struct mounts *m, char *line) {
    char folder[MOUNT_SIZE], type[32], options[1024];
    if (sscanf(line, "%*s %511s %31s %1023s", folder, type, options) != 3)
        return;
    unescape_octal(folder);
    if (strcmp(type, "cgroup2") == 0 && (!m->v2[0] || strcmp(folder, "/sys/fs/cgroup") == 0))
        str_copy(m->v2, sizeof(m->v2), folder);
    if (strcmp(type, "cgroup") != 0)
        return;
    str_copy(m->v1, sizeof(m->v1), folder);
    if (has_option(options, "perf_event"))
        str_copy(m->perf_event, sizeof(m->perf_event), folder);
}

static void find_mounts(struct mounts *m, const char *root) {
    enum { TEXT_MAX = 1 << 20 };
    char path[MOUNT_SIZE], *text = NULL, *rest = NULL;
    size_t len;
    *m = (struct mounts){.v2 = ""};
    snprintf(path, sizeof(path), "%s/proc/mounts", root);
    if (str_read_file(path, TEXT_MAX, &text, &len, NULL) < 0)
        return;
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
        take_mount(m, line);
    free(text);
}

static int check_mounts(const struct mounts *m, struct err *err) {
    if (m->v2[0] && m->perf_event[0])
        return err_set(err, -ENOTSUP,
                       "-G: counters belong to the version 1 cgroups of %s here, which tdtop does "
                       "not count; unmount that, or boot with systemd.unified_cgroup_hierarchy=1",
                       m->perf_event);
    if (m->v2[0])
        return 0;
    if (m->v1[0])
        return err_set(err, -ENOTSUP,
                       "-G: this system has cgroups of version 1 only (%s), which tdtop does not "
                       "count; boot with systemd.unified_cgroup_hierarchy=1, or give the processes "
                       "with -p",
                       m->v1);
    return err_set(err, -ENOTSUP,
                   "-G: no cgroups are mounted; mount -t cgroup2 none /sys/fs/cgroup, or give the "
                   "processes with -p");
}

/* ---- what a folder is called ---- */

enum fit { FIT_NONE, FIT_BEGINNING, FIT_WHOLE };

/* systemd writes what a unit's name may not hold as \x2d. */
static void unescape_hex(char *dst, size_t cap, const char *s) {
    size_t n = 0;
    while (*s && n + 1 < cap) {
        unsigned code;
        bool escaped = s[0] == '\\' && s[1] == 'x' && sscanf(s + 2, "%2x", &code) == 1;
        dst[n++] = escaped ? (char)code : *s;
        s += escaped ? strnlen(s, 4) : 1;
    }
    dst[n] = '\0';
}

/* "redis.service" -> "redis" */
static void cut_suffix(char *name) {
    static const char *const suffix[] = {".service", ".scope", ".slice"};
    for (size_t i = 0; i < sizeof(suffix) / sizeof(suffix[0]); i++)
        if (str_ends(name, suffix[i])) {
            name[strlen(name) - strlen(suffix[i])] = '\0';
            return;
        }
}

static size_t hex_digits(const char *s) {
    return strspn(s, "0123456789abcdefABCDEF");
}

static bool is_hex(const char *s, size_t least) {
    size_t n = strlen(s);
    return n >= least && hex_digits(s) == n;
}

/*
 * The container's id in a name: "docker-ID", "cri-containerd-ID", "crio-ID", "libpod-ID", or ID
 * alone. What watches a container (libpod-conmon-ID) is not the container. NULL if it has none.
 */
static const char *id_of(const char *stem) {
    const char *dash = strrchr(stem, '-'), *id = dash ? dash + 1 : stem;
    if (!is_hex(id, dash ? ID_SHOWN : ID_WHOLE) || strstr(stem, "conmon-"))
        return NULL;
    return id;
}

/* The uid of a pod: "kubepods-burstable-podUID" with '_' for '-', or "podUID". NULL if none. */
static const char *pod_of(const char *stem) {
    const char *at = str_starts(stem, "pod") ? stem : strstr(stem, "-pod");
    if (!at || (at != stem && !str_starts(stem, "kubepods")))
        return NULL;
    at += at == stem ? 3 : 4;
    return strlen(at) >= ID_WHOLE && isxdigit((unsigned char)*at) ? at : NULL;
}

static enum fit fit_beginning(const char *whole, const char *text, size_t least) {
    size_t n = strlen(text), i = 0;
    if (n < least)
        return FIT_NONE;
    for (; i < n; i++) {
        char a = whole[i] == '_' ? '-' : (char)tolower((unsigned char)whole[i]);
        char b = text[i] == '_' ? '-' : (char)tolower((unsigned char)text[i]);
        if (a != b)
            return FIT_NONE;
    }
    return whole[i] ? FIT_BEGINNING : FIT_WHOLE;
}

/* What managers of whole systems put before the name of one. */
static const char *machine_name(const char *stem) {
    static const char *const before[] = {"machine-", "lxc.payload.", "lxc-"};
    for (size_t i = 0; i < sizeof(before) / sizeof(before[0]); i++)
        if (str_starts(stem, before[i]))
            return stem + strlen(before[i]);
    return NULL;
}

/* Is this folder meant by the text? `stem` gets what the folder is called for short. */
static enum fit fit(const char *leaf, const char *text, char *stem, size_t cap) {
    unescape_hex(stem, cap, leaf);
    bool whole = strcmp(leaf, text) == 0 || strcmp(stem, text) == 0;
    cut_suffix(stem);
    const char *machine = machine_name(stem), *id = id_of(stem), *pod = pod_of(stem);
    if (whole || strcmp(stem, text) == 0 || (machine && strcmp(machine, text) == 0))
        return FIT_WHOLE;
    if (id && is_hex(text, ID_LEAST))
        return fit_beginning(id, text, ID_LEAST);
    return pod ? fit_beginning(pod, str_starts(text, "pod") ? text + 3 : text, ID_LEAST * 2)
               : FIT_NONE;
}

/* ---- looking through all of them ---- */

struct search {
    const char *text;
    char path[MOUNT_SIZE + CGROUP_PATH_SIZE]; /* being looked at */
    size_t below;                             /* where the path below the mount begins */
    ARRAY(char *) hit;
    enum fit best;
    char near[96];
    int distance;
    int n_seen;
};

static int add_hit(struct search *se, enum fit f) {
    if (f < se->best)
        return 0;
    if (f > se->best) {
        for (size_t i = 0; i < se->hit.n; i++)
            free(se->hit.at[i]);
        se->hit.n = 0;
        se->best = f;
    }
    char *copy = strdup(se->path + se->below);
    int rc = copy ? array_push(&se->hit, copy) : -ENOMEM;
    if (rc)
        free(copy);
    return rc;
}

static void look_near(struct search *se, const char *stem) {
    if (id_of(stem) || pod_of(stem))
        return; /* a similar id is not what was meant */
    bool part = strstr(stem, se->text) != NULL;
    int d = part ? NEAR : str_distance(se->text, stem);
    if (d >= se->distance || (!part && d > (int)strlen(se->text) / 2))
        return;
    se->distance = d;
    str_safe(se->near, sizeof(se->near), stem);
}

static int visit(struct search *se, int depth);

static int visit_one(struct search *se, const char *leaf, int depth) {
    char stem[256];
    size_t n = strlen(se->path);
    if (n + strlen(leaf) + 2 > sizeof(se->path))
        return 0;
    snprintf(se->path + n, sizeof(se->path) - n, "/%s", leaf);
    enum fit f = fit(leaf, se->text, stem, sizeof(stem));
    int rc = f == FIT_NONE ? 0 : add_hit(se, f);
    if (f == FIT_NONE)
        look_near(se, stem);
    se->n_seen++;
    if (!rc)
        rc = visit(se, depth + 1);
    se->path[n] = '\0';
    return rc;
}

/* Some file systems do not say in a listing what is a folder. */
static bool is_folder(const struct dirent *de, int dir_fd) {
    struct stat st;
    if (de->d_name[0] == '.')
        return false;
    if (de->d_type != DT_UNKNOWN)
        return de->d_type == DT_DIR;
    return fstatat(dir_fd, de->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(st.st_mode);
}

static int visit(struct search *se, int depth) {
    DIR *dir = depth < DEEPEST ? opendir(se->path) : NULL;
    int rc = 0;
    if (!dir)
        return 0; /* removed meanwhile, or closed to us */
    for (struct dirent *de; !rc && (de = readdir(dir));)
        if (is_folder(de, dirfd(dir)))
            rc = visit_one(se, de->d_name, depth);
    closedir(dir);
    return rc;
}

static int by_path(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static int say_many(struct search *se, const char *safe, struct err *err) {
    char list[512];
    struct strbuf sb = strbuf_on(list, sizeof(list));
    qsort(se->hit.at, se->hit.n, sizeof(se->hit.at[0]), by_path);
    for (size_t i = 0; i < se->hit.n && i < LISTED; i++) {
        char one[160];
        strbuf_add(&sb, "%s%s", i ? ", " : "", str_safe(one, sizeof(one), se->hit.at[i]));
    }
    if (se->hit.n > LISTED)
        strbuf_add(&sb, " ...");
    return err_set(err, -EEXIST, "-G %s: %zu cgroups are meant; give the path of one: %s", safe,
                   se->hit.n, list);
}

static int say_none(const struct search *se, const char *safe, struct err *err) {
    if (se->near[0])
        return err_set(err, -ENOENT, "-G %s: no cgroup of that name; did you mean %s?", safe,
                       se->near);
    return err_set(err, -ENOENT,
                   "-G %s: none of the %d cgroups has that name or id; systemd-cgls shows them all",
                   safe, se->n_seen);
}

/* The only folder that the text means, its path below the mount into path. */
static int search_all(const char *mount, const char *text, char *path, size_t cap,
                      struct err *err) {
    struct search se = {.text = text, .distance = NEAR + 1, .below = strlen(mount) + 1};
    char safe[128];
    str_copy(se.path, sizeof(se.path), mount);
    str_safe(safe, sizeof(safe), text);
    int rc = visit(&se, 0);
    if (rc)
        err_set(err, rc, "out of memory for the cgroups found");
    else if (se.hit.n != 1)
        rc = se.hit.n ? say_many(&se, safe, err) : say_none(&se, safe, err);
    else
        str_copy(path, cap, se.hit.at[0]);
    for (size_t i = 0; i < se.hit.n; i++)
        free(se.hit.at[i]);
    array_free(&se.hit);
    return rc;
}

/* ---- opening ---- */

/* The part of the text below the folder, or NULL if it is not below. */
static const char *below(const char *text, const char *folder) {
    size_t n = strlen(folder);
    if (!folder[0] || strncmp(text, folder, n) != 0 || (text[n] && text[n] != '/'))
        return NULL;
    return text + n;
}

static bool climbs(const char *path) {
    for (const char *p = path; (p = strstr(p, "..")); p += 2)
        if ((p == path || p[-1] == '/') && (p[2] == '/' || !p[2]))
            return true;
    return false;
}

static void trim_slashes(char *path) {
    size_t lead = strspn(path, "/"), n = strlen(path + lead);
    memmove(path, path + lead, n + 1);
    while (n > 0 && path[n - 1] == '/')
        path[--n] = '\0';
}

/* A folder of cgroups has a list of processes; returns it open, or a negative errno. */
static int open_folder(const char *mount, const char *path) {
    char full[MOUNT_SIZE + CGROUP_PATH_SIZE + 1];
    snprintf(full, sizeof(full), "%s/%s", mount, path);
    int fd = open(full, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    if (faccessat(fd, "cgroup.procs", F_OK, 0) == 0)
        return fd;
    close(fd);
    return -ENOTDIR;
}

static int say_no_path(const char *text, int rc, const struct mounts *m, struct err *err) {
    char safe[256];
    str_safe(safe, sizeof(safe), text);
    if (rc == -ENOTDIR)
        return err_set(err, rc, "-G %s: not the folder of a cgroup; systemd-cgls shows them all",
                       safe);
    if (rc == -ENOENT)
        return err_set(err, rc, "-G %s: no such cgroup below %s; systemd-cgls shows them all", safe,
                       m->v2);
    return err_set(err, rc, "-G %s: %s", safe, strerror(-rc));
}

/* The text as a path; -ENOENT if there is none such. */
static int try_path(struct cgroup *cg, const char *mount, const struct mounts *m,
                    const char *text) {
    const char *rest = below(text, m->v2);
    if (!rest)
        rest = below(text, "/sys/fs/cgroup");
    str_copy(cg->path, sizeof(cg->path), rest ? rest : text);
    trim_slashes(cg->path);
    return climbs(cg->path) ? -ENOENT : open_folder(mount, cg->path);
}

static int refuse_v1(const char *text, const struct mounts *m, struct err *err) {
    char safe[256];
    return err_set(err, -ENOTSUP,
                   "-G %s: a cgroup of version 1, which tdtop does not count; those of version 2 "
                   "are below %s",
                   str_safe(safe, sizeof(safe), text), m->v2);
}

int cgroup_open(struct cgroup *cg, const char *root, const char *text, struct err *err) {
    struct mounts m;
    char mount[MOUNT_SIZE * 2];
    *cg = (struct cgroup){.fd = -1};
    find_mounts(&m, root);
    int rc = check_mounts(&m, err);
    if (rc)
        return rc;
    snprintf(mount, sizeof(mount), "%s%s", root, m.v2);
    int fd = try_path(cg, mount, &m, text);
    if (fd == -ENOENT && !strchr(text, '/')) {
        rc = search_all(mount, text, cg->path, sizeof(cg->path), err);
        if (rc)
            return rc;
        fd = open_folder(mount, cg->path);
    }
    if (fd == -ENOENT && m.v1[0] && below(text, "/sys/fs/cgroup") && !below(text, m.v2))
        return refuse_v1(text, &m, err);
    if (fd < 0)
        return say_no_path(text, fd, &m, err);
    cg->fd = fd;
    return 0;
}

void cgroup_close(struct cgroup *cg) {
    if (cg->fd > 0)
        close(cg->fd);
    cg->fd = -1;
}

/* ---- what it is ---- */

bool cgroup_gone(const struct cgroup *cg) {
    return cg->fd > 0 && faccessat(cg->fd, "cgroup.procs", F_OK, 0) < 0 &&
           (errno == ENOENT || errno == ENODEV);
}

static int count_lines(int dir_fd, const char *name) {
    char buf[4096];
    int fd = openat(dir_fd, name, O_RDONLY | O_CLOEXEC), n = 0;
    if (fd < 0)
        return 0;
    for (ssize_t got; (got = read(fd, buf, sizeof(buf))) > 0;)
        for (ssize_t i = 0; i < got; i++)
            n += buf[i] == '\n';
    close(fd);
    return n;
}

static int count_below(int fd, int depth) {
    int n = count_lines(fd, "cgroup.procs");
    int own = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = own >= 0 ? fdopendir(own) : NULL;
    if (!dir) {
        if (own >= 0)
            close(own);
        return n;
    }
    for (struct dirent *de; depth < DEEPEST && (de = readdir(dir));) {
        int sub = is_folder(de, fd)
                      ? openat(fd, de->d_name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)
                      : -1;
        if (sub < 0)
            continue;
        n += count_below(sub, depth + 1);
        close(sub);
    }
    closedir(dir);
    return n;
}

int cgroup_processes(int fd) {
    return count_below(fd, 0);
}

void cgroup_words(const char *path, char *buf, size_t cap) {
    char safe[CGROUP_PATH_SIZE];
    struct strbuf sb = strbuf_on(buf, cap);
    str_safe(safe, sizeof(safe), path);
    strbuf_add(&sb, "cgroup %s", path[0] ? "" : "/");
    for (const char *p = safe; *p;) {
        size_t hex = hex_digits(p), n = hex ? hex : 1;
        strbuf_add(&sb, "%.*s", (int)(hex >= ID_WHOLE ? ID_SHOWN : n), p);
        p += n;
    }
}
