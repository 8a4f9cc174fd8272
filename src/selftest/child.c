#include "selftest/child.h"

#include "base/clock.h"
#include "selftest/place.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define WARM_UP_NS  (200 * NS_PER_MS) /* longer than governors take to raise the clock */
#define COUNTED_NS  NS_PER_S          /* of a counted kernel without a number of rounds */
#define DEADLINE_NS (60 * NS_PER_S)   /* to be ready: memory is touched, under a sanitizer slowly */
#define END_NS      (10 * NS_PER_S)   /* to end by itself: the longest round, on a busy machine */

struct child_box {
    _Atomic int state; /* enum child_state */
    _Atomic bool stop;
    _Atomic uint64_t rounds;
    struct child_usage usage; /* once state is CHILD_DONE */
    struct err err;           /* once it is CHILD_FAILED */
};

/* ---- in the child ---- */

static uint64_t time_ns(struct timeval t) {
    return (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_usec * 1000;
}

static struct child_usage usage_now(void) {
    struct rusage r;
    getrusage(RUSAGE_SELF, &r);
    return (struct child_usage){.wall_ns = clock_now_ns(),
                                .cpu_ns = time_ns(r.ru_utime) + time_ns(r.ru_stime),
                                .user_ns = time_ns(r.ru_utime),
                                .minor_faults = (uint64_t)r.ru_minflt,
                                .switches = (uint64_t)(r.ru_nvcsw + r.ru_nivcsw)};
}

static struct child_usage usage_since(const struct child_usage *begin) {
    struct child_usage now = usage_now();
    now.wall_ns -= begin->wall_ns;
    now.cpu_ns -= begin->cpu_ns;
    now.user_ns -= begin->user_ns;
    now.minor_faults -= begin->minor_faults;
    now.switches -= begin->switches;
    return now;
}

static void run_rounds(const struct kernel *k, struct kernel_run *run, struct child_box *box,
                       uint64_t rounds, uint64_t ns) {
    uint64_t begin = clock_now_ns();
    for (uint64_t i = 0; !atomic_load_explicit(&box->stop, memory_order_relaxed); i++) {
        if ((rounds && i == rounds) || (ns && clock_now_ns() - begin >= ns))
            return;
        k->round(run);
        atomic_fetch_add_explicit(&box->rounds, 1, memory_order_relaxed);
    }
}

/* False when the other end was closed. */
static bool wait_for_go(int fd) {
    char byte;
    ssize_t n;
    do
        n = read(fd, &byte, 1);
    while (n < 0 && errno == EINTR);
    return n == 1;
}

static void run_counted(const struct kernel *k, struct kernel_run *run, struct child_box *box,
                        int fd) {
    run_rounds(k, run, box, 1, 0); /* what happens once only, happens now */
    atomic_store(&box->rounds, 0);
    atomic_store(&box->state, CHILD_READY);
    if (!wait_for_go(fd))
        return;
    struct child_usage begin = usage_now();
    run_rounds(k, run, box, k->rounds, k->rounds ? 0 : COUNTED_NS);
    box->usage = usage_since(&begin);
    atomic_store(&box->state, CHILD_DONE);
    wait_for_go(fd);
}

static void run_steady(const struct kernel *k, struct kernel_run *run, struct child_box *box) {
    run_rounds(k, run, box, 0, WARM_UP_NS);
    struct child_usage begin = usage_now();
    atomic_store(&box->state, CHILD_READY);
    run_rounds(k, run, box, 0, 0);
    box->usage = usage_since(&begin);
    atomic_store(&box->state, CHILD_DONE);
}

static void child_main(const struct kernel *k, const struct kernel_place *place,
                       struct child_box *box, int fd) {
    struct kernel_run run = {.place = place};
    prctl(PR_SET_NAME, "tdtop-selftest");
    int rc = place_pin(place->cpu[0]);
    if (rc < 0)
        rc = err_set(&box->err, rc, "CPU %d: %s", place->cpu[0], strerror(-rc));
    if (rc == 0)
        rc = kernel_prepare(k, &run, &box->err);
    if (rc < 0)
        atomic_store(&box->state, CHILD_FAILED);
    else if (k->judge == JUDGE_COUNT)
        run_counted(k, &run, box, fd);
    else
        run_steady(k, &run, box);
    kernel_finish(k, &run);
}

/* ---- in the parent ---- */

static void nap(void) {
    const struct timespec ts = {.tv_nsec = 2 * NS_PER_MS};
    nanosleep(&ts, NULL);
}

/* Has it ended? Its status then. */
static bool has_ended(struct child *c, int *status) {
    pid_t got = c->pid > 0 ? waitpid(c->pid, status, WNOHANG) : -1;
    if (got == 0 || (got < 0 && errno == EINTR))
        return false;
    c->pid = 0;
    return true;
}

static void release(struct child *c) {
    if (c->pid > 0) {
        kill(c->pid, SIGKILL);
        waitpid(c->pid, NULL, 0);
    }
    if (c->go_fd >= 0)
        close(c->go_fd);
    if (c->box)
        munmap(c->box, sizeof(*c->box));
    *c = (struct child){.go_fd = -1};
}

/* The kernel's last remedy against want of memory is no fault of the child. */
static int say_died(int status, struct err *err) {
    int sig = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    if (!sig)
        return err_set(err, -ECHILD, "it ended by itself, with exit code %d", WEXITSTATUS(status));
    if (sig == SIGKILL)
        return err_set(err, -ENOMEM, "it was killed; is there a limit of memory?");
    return err_set(err, -ECHILD, "it was ended by signal %d (%s)", sig, strsignal(sig));
}

static int wait_until_ready(struct child *c, struct err *err) {
    uint64_t begin = clock_now_ns();
    int status = 0;
    for (;; nap()) {
        bool ended = has_ended(c, &status); /* asked first: what it wrote before is then seen */
        int state = atomic_load(&c->box->state);
        if (state == CHILD_FAILED)
            return err_set(err, c->box->err.code, "%s", c->box->err.text);
        if (ended)
            return say_died(status, err);
        if (state != CHILD_PREPARES)
            return 0;
        if (clock_now_ns() - begin > DEADLINE_NS)
            return err_set(err, -ETIMEDOUT, "it was not ready after a minute");
    }
}

int child_start(struct child *c, const struct kernel *k, const struct kernel_place *place,
                struct err *err) {
    int go[2];
    *c = (struct child){.go_fd = -1};
    void *at =
        mmap(NULL, sizeof(*c->box), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED)
        return err_set(err, -ENOMEM, "out of memory");
    c->box = at;
    if (pipe2(go, O_CLOEXEC) < 0) {
        int rc = err_set(err, -errno, "no pipe: %s", strerror(errno));
        release(c);
        return rc;
    }
    c->go_fd = go[1];
    pid_t parent = getpid();
    c->pid = fork();
    if (c->pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        close(go[1]);
        if (getppid() == parent)
            child_main(k, place, c->box, go[0]);
        _exit(0);
    }
    int rc = c->pid < 0 ? err_set(err, -errno, "no process: %s", strerror(errno)) : 0;
    close(go[0]);
    if (rc == 0)
        rc = wait_until_ready(c, err);
    if (rc < 0)
        release(c);
    return rc;
}

void child_go(struct child *c) {
    ssize_t n = write(c->go_fd, "", 1);
    (void)n; /* where it is gone, child_state says so */
}

enum child_state child_state(struct child *c) {
    siginfo_t info = {0}; /* looks, and leaves the status for child_stop */
    if (waitid(P_PID, (id_t)c->pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid)
        return CHILD_FAILED;
    return (enum child_state)atomic_load(&c->box->state);
}

uint64_t child_rounds(const struct child *c) {
    return atomic_load(&c->box->rounds);
}

int child_stop(struct child *c, struct child_usage *usage, struct err *err) {
    uint64_t begin = clock_now_ns();
    int status = 0, rc = 0;
    bool ended;
    atomic_store(&c->box->stop, true);
    close(c->go_fd);
    c->go_fd = -1;
    while (!(ended = has_ended(c, &status)) && clock_now_ns() - begin < END_NS)
        nap();
    if (!ended)
        rc = err_set(err, -ECHILD, "it did not end when told to");
    else if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        rc = say_died(status, err);
    if (usage)
        *usage = c->box->usage;
    release(c);
    return rc;
}
