/* What is to be measured, as it was asked for; target.h finds it. */
#ifndef TDTOP_PMU_TARGET_KIND_H
#define TDTOP_PMU_TARGET_KIND_H

#include <stdbool.h>

enum target_kind {
    TARGET_NONE,
    TARGET_PIDS,
    TARGET_NAME,
    TARGET_COMMAND,
    TARGET_ALL,
    TARGET_CPUS,
    TARGET_TIDS,   /* threads, and only they */
    TARGET_CGROUP, /* all tasks of a cgroup (v2), on every CPU */
};

/* What to measure, as the command line said it. Strings are borrowed and outlive the source. */
struct target {
    enum target_kind kind;
    const char *pids;   /* "42,43" */
    const char *name;   /* -P */
    bool follows;       /* and when all of that name have ended, those that come later */
    char **argv;        /* command, NULL terminated */
    const char *cpus;   /* "0-3,8" */
    const char *tids;   /* -t: "42,43" */
    const char *cgroup; /* -G: a path below /sys/fs/cgroup, or (part of) a container's id */
    bool user_only, kernel_only;
    bool waits; /* pids is the command argv, which another source runs: not before its exec */
    bool quiet; /* the screen owns the terminal: what the command prints there goes to /dev/null */
    bool mute;  /* so does all that it prints but to standard error; it has no input */
};

#endif
