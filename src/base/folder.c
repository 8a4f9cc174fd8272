#include "base/folder.h"

#include <dirent.h>
#include <errno.h>

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
