#include "base/folder.h"

#include "base/str.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *folder_next(struct folder *f) {
    if (f->at >= f->n) {
        f->at = 0;
        f->n = getdents64(f->fd, f->buf, f->size);
        f->rc = f->n < 0 ? -errno : 0;
        if (f->n <= 0)
            return NULL;
    }
    const struct dirent64 *de = (const void *)(f->buf + f->at);
    f->at += de->d_reclen;
    f->next = de->d_off;
    return de->d_name;
}

int folder_make(const char *path, char *at, size_t cap) {
    char part[PATH_MAX];
    str_copy(part, sizeof(part), path);
    for (char *slash = part[0] ? strchr(part + 1, '/') : NULL; slash;
         slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        const int rc = mkdir(part, 0700) < 0 ? -errno : 0;
        if (rc < 0 && access(part, F_OK) < 0) {
            if (at)
                str_copy(at, cap, part);
            return rc;
        }
        *slash = '/';
    }
    return 0;
}

char *folder_config(const char *name, char *buf, size_t cap) {
    const char *xdg = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
    struct strbuf sb = strbuf_on(buf, cap);
    buf[0] = '\0';
    if (xdg && xdg[0] == '/')
        strbuf_add(&sb, "%s/%s", xdg, name);
    else if (home && home[0] == '/')
        strbuf_add(&sb, "%s/.config/%s", home, name);
    return buf;
}
