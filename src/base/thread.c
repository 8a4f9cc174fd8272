#include "base/thread.h"

#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS};
enum { N_FAULT = sizeof(faults) / sizeof(faults[0]) };

bool thread_is_fault(int sig) {
    for (int i = 0; i < N_FAULT; i++)
        if (faults[i] == sig)
            return true;
    return false;
}

void thread_take_faults(void) {
    sigset_t set;
    sigemptyset(&set);
    for (int i = 0; i < N_FAULT; i++)
        sigaddset(&set, faults[i]);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

struct begin {
    void *(*run)(void *);
    void *user;
    char name[16];
    sem_t taken; /* the thread has a copy: no allocation goes from one thread to another */
};

/* The handlers' stack lies at the old end of the thread's own, which an overflow does not reach. */
static void *begin(void *arg) {
    char stack[THREAD_FAULT_STACK];
    const stack_t alternative = {.ss_sp = stack, .ss_size = sizeof(stack)};
    stack_t before;
    struct begin *from = arg;
    void *(*const run)(void *) = from->run;
    void *const user = from->user;
    pthread_setname_np(pthread_self(), from->name);
    sem_post(&from->taken);
    const bool set = sigaltstack(&alternative, &before) == 0;
    void *const result = run(user);
    if (set)
        sigaltstack(&before, NULL);
    return result;
}

int thread_start(pthread_t *thread, const char *name, void *(*run)(void *user), void *user) {
    struct begin b = {.run = run, .user = user};
    sigset_t mask, before;
    sem_init(&b.taken, 0, 0);
    for (size_t i = 0; name[i] && i + 1 < sizeof(b.name); i++)
        b.name[i] = name[i];
    sigfillset(&mask);
    for (int i = 0; i < N_FAULT; i++)
        sigdelset(&mask, faults[i]);
    pthread_sigmask(SIG_SETMASK, &mask, &before); /* a thread inherits the mask of its creator */
    const int rc = -pthread_create(thread, NULL, begin, &b);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    while (rc == 0 && sem_wait(&b.taken) < 0) {
        /* a signal */
    }
    sem_destroy(&b.taken);
    return rc;
}

bool thread_end_waits(void) {
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    sigset_t set;
    sigpending(&set);
    for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
        if (sigismember(&set, signals[i]) == 1)
            return true;
    return false;
}

void thread_rest(void) {
    enum { KEEP = 16 << 10 }; /* of what is called meanwhile */
    pthread_attr_t a;
    void *lowest;
    size_t size;
    char here;
    if (pthread_getattr_np(pthread_self(), &a) != 0)
        return;
    const bool known = pthread_attr_getstack(&a, &lowest, &size) == 0;
    pthread_attr_destroy(&a);
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    const uintptr_t from = (uintptr_t)lowest, to = ((uintptr_t)&here - KEEP) & ~(page - 1);
    if (known && to > from)
        madvise(lowest, to - from, MADV_DONTNEED);
}
