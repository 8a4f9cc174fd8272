/* A folder with fake /proc and /sys: stands for a machine that we do not have. */
#ifndef TDTOP_TESTS_FAKE_ROOT_H
#define TDTOP_TESTS_FAKE_ROOT_H

#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))
#define CPU_DIR         "/sys/devices/system/cpu/"
#define PMU_DIR         "/sys/bus/event_source/devices/"

static char root[64];

static inline void put(const char *path, const char *text) {
    char full[512];
    snprintf(full, sizeof(full), "%s%s", root, path);
    for (char *p = full + 1; (p = strchr(p, '/')); p++) {
        *p = '\0';
        mkdir(full, 0755);
        *p = '/';
    }
    FILE *f = fopen(full, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

/* A file of a PMU: put_pmu("cpu", "format/event", "config:0-7\n"). */
static inline void put_pmu(const char *pmu, const char *file, const char *text) {
    char path[256];
    snprintf(path, sizeof(path), PMU_DIR "%s/%s", pmu, file);
    put(path, text);
}

static inline int make_root(void **state) {
    (void)state;
    snprintf(root, sizeof(root), "/tmp/tdtop-root.XXXXXX");
    return mkdtemp(root) ? 0 : -1;
}

static inline int remove_one(const char *path, const struct stat *st, int type, struct FTW *at) {
    (void)st, (void)type, (void)at;
    return remove(path);
}

static inline int remove_root(void **state) {
    (void)state;
    return nftw(root, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

#endif
