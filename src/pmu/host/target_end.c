/*
 * How a process has ended that is not our child. Its parent is told, others are not; but the kernel
 * keeps it where it can be seen: behind the pidfd since Linux 6.15, and before that in
 * /proc/PID/stat until the parent has asked for it.
 */
#include "pmu/host/target_impl.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <time.h>

/* struct pidfd_info of linux/pidfd.h, its first version; headers of Debian 12 have none. */
struct info {
    uint64_t mask, cgroup;
    uint32_t pid, tgid, ppid, ids[8];
    int32_t exit_code;
};

#define GET_INFO  _IOWR(0xff, 11, struct info)
#define INFO_EXIT (1u << 3)

static int ask_pidfd(int pidfd) {
    struct info info = {.mask = INFO_EXIT};
    bool told = pidfd >= 0 && ioctl(pidfd, GET_INFO, &info) == 0 && (info.mask & INFO_EXIT);
    return told ? info.exit_code : -1;
}

/* Field 52 of /proc/PID/stat, proc(5). It is 0 also for those who may not know. */
static int ask_proc(pid_t pid) {
    enum { STATE = 3, EXIT_CODE = 52 };
    char path[64], text[1024];
    snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
    const char *p = str_read_small(path, text, sizeof(text)) > 0 ? strrchr(text, ')') : NULL;
    if (!p || strncmp(p, ") Z", 3) != 0)
        return -1;
    for (int field = STATE; field < EXIT_CODE + 1 && p; field++)
        p = strchr(p + 1, ' ');
    int how = p ? atoi(p) : 0;
    return how > 0 ? how : -1;
}

int target_how(const struct target_process *p) {
    int how = ask_pidfd(p->pidfd);
    return how >= 0 ? how : ask_proc(p->pid);
}

/* ---- words ---- */

/* "ended with exit code 2", "was ended by signal 9 (Killed)"; status as waitpid's or -1. */
static void add_how(struct strbuf *sb, int status) {
    if (status >= 0 && WIFSIGNALED(status))
        strbuf_add(sb, "was ended by signal %d (%s)", WTERMSIG(status),
                   strsignal(WTERMSIG(status)));
    else if (status >= 0 && WIFEXITED(status))
        strbuf_add(sb, "ended with exit code %d", WEXITSTATUS(status));
    else
        strbuf_add(sb, "ended");
}

void target_last_words(const struct target_set *ts, uint64_t wall_ns, char *buf, size_t cap) {
    char name[160], at[16];
    time_t t = (time_t)(wall_ns / 1000000000u);
    struct tm tm;
    struct strbuf sb = strbuf_on(buf, cap);
    strftime(at, sizeof(at), "%H:%M:%S", localtime_r(&t, &tm));
    if (ts->kind == TARGET_CGROUP)
        cgroup_words(ts->cgroup.path, name, sizeof(name));
    else
        target_words(ts, name, sizeof(name));
    strbuf_add(&sb, "%s ", name);
    if (ts->kind == TARGET_CGROUP)
        strbuf_add(&sb, "was removed");
    else
        add_how(&sb, ts->kind != TARGET_TIDS && ts->n_process == 1 ? ts->process[0].how : -1);
    strbuf_add(&sb, " at %s", at);
}
