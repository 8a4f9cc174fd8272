#include "pmu/symbols/apart.h"

#include "base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MEMORY_MAX = 1 << 30 };

/* Sanitizers reserve terabytes. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define UNLIMITED
#endif
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define UNLIMITED
#endif

static void limit(int what, rlim_t to) {
    setrlimit(what, &(struct rlimit){to, to});
}

/* Handlers of the parent's would draw on its terminal: a fault ends this process and says nothing.
 */
static _Noreturn void child(void (*work)(void *, int), void *user, int fd, int ms) {
    for (int sig = 1; sig < NSIG; sig++)
        signal(sig, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    pthread_sigmask(SIG_SETMASK, &none, NULL);
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* with the thread that forked */
    prctl(PR_SET_NAME, "tdtop-lines");
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_CPU, ms / 1000 + 1);
#ifndef UNLIMITED
    limit(RLIMIT_DATA, MEMORY_MAX);
#endif
    work(user, fd);
    _exit(0);
}

static int64_t now_ms(void) {
    return (int64_t)(clock_read_ns(CLOCK_MONOTONIC) / NS_PER_MS);
}

/* Until the child closes its end. */
static int take(int fd, int64_t until, size_t max, char **out, size_t *n) {
    size_t cap = 0;
    for (;;) {
        if (*n + 1 >= cap) {
            cap = cap ? 2 * cap : 1 << 14;
            char *more = realloc(*out, cap);
            if (!more)
                return -ENOMEM;
            *out = more;
        }
        const int64_t left = until - now_ms();
        struct pollfd p = {.fd = fd, .events = POLLIN};
        const int ready = left > 0 ? poll(&p, 1, (int)left) : 0;
        if (ready == 0)
            return -ETIMEDOUT;
        const ssize_t k = ready < 0 ? -1 : read(fd, *out + *n, cap - 1 - *n);
        if (k < 0 && errno != EINTR)
            return -errno;
        if (k == 0)
            return 0;
        *n += k > 0 ? k : 0;
        if (*n > max)
            return -EFBIG;
    }
}

int apart_run(void (*work)(void *user, int fd), void *user, int ms, size_t max, char **out,
              size_t *n, struct err *err) {
    int ends[2], status = 0;
    *out = NULL;
    *n = 0;
    if (pipe2(ends, O_CLOEXEC) < 0)
        return err_set(err, -errno, "a pipe: %s", strerror(errno));
    const pid_t pid = fork();
    if (pid == 0)
        child(work, user, ends[1], ms);
    int rc = pid < 0 ? -errno : 0;
    close(ends[1]);
    if (rc == 0) {
        rc = take(ends[0], now_ms() + ms, max, out, n);
        if (rc < 0)
            kill(pid, SIGKILL);
        while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
            /* a signal */
        }
        if (rc == 0 && status != 0)
            rc = -EIO;
    }
    close(ends[0]);
    if (rc == 0) {
        (*out)[*n] = '\0';
        return 0;
    }
    free(*out);
    *out = NULL;
    *n = 0;
    return err_set(err, rc, "reading the debug information %s",
                   rc == -ETIMEDOUT ? "took too long"
                   : rc == -EIO     ? "failed: it is damaged, or too large"
                                    : strerror(-rc));
}
