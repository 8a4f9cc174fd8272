/* Preloaded by terminal.py: opening the store faults in any thread but the main one, as FAULT says. */
#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int fall(volatile char *above) {
    volatile char here[4096];
    here[0] = above[0];
    return fall(here) + here[0];
}

int sqlite3_open_v2(const char *path, void **db, int flags, const char *vfs);

int sqlite3_open_v2(const char *path, void **db, int flags, const char *vfs) {
    int (*next)(const char *, void **, int, const char *);
    const char *fault = getenv("FAULT");
    *(void **)&next = dlsym(RTLD_NEXT, "sqlite3_open_v2");
    if (gettid() == getpid())
        return next(path, db, flags, vfs);
    if (strcmp(fault, "memory") == 0)
        *(volatile int *)0 = 1;
    if (strcmp(fault, "stack") == 0)
        return fall((volatile char[1]){0});
    raise(atoi(fault));
    return 1;
}
