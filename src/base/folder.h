/*
 * Places of folders; and the names in one, one after the other, without allocating: readdir(3)
 * does. In the order in which the kernel gives them, "." and ".." included.
 */
#ifndef TDTOP_BASE_FOLDER_H
#define TDTOP_BASE_FOLDER_H

#include <stddef.h>
#include <sys/types.h>

struct folder {
    int fd;        /* opened and closed by the caller; read from where it stands */
    char *buf;     /* borrowed, aligned as malloc would; some KiB for hundreds of names at a time */
    size_t size;   /* of buf */
    int rc;        /* 0, or the negative errno that ended it */
    off_t next;    /* where the entry after the one returned last is: lseek(2) finds it again */
    ssize_t n, at; /* private: bytes in buf, and where the next entry begins */
};

/* The next name, valid until the next call; NULL at the end, or when rc says why not. */
const char *folder_next(struct folder *f);

/* "$XDG_CONFIG_HOME/NAME", or "~/.config/NAME": the XDG Base Directory Specification, by which a
 * path that is not absolute counts as unset. "" if there is neither. Returns buf. */
char *folder_config(const char *name, char *buf, size_t cap);
/* Makes the folders of a file's path that are missing, as `mkdir -p -m 700`. 0, or a negative
 * errno: `at` (or NULL) is the one that could not be. */
int folder_make(const char *path, char *at, size_t cap);

#endif
