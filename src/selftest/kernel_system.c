/* Kernels by whose counts the operating system is known: CPU time, calls, faults, switches. */
#include "base/thread.h"
#include "selftest/kernel_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* ---- CPU time ---- */

void kernel_busy_round(struct kernel_run *run) {
    uint64_t x = run->seed;
    for (int i = 0; i < 200000; i++) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
    }
    run->seed = x;
    run->sum += x;
}

/* ---- system calls ---- */

enum { CLEARED = 1 << 18 };

/* The descriptor is kept in seed. */
int kernel_syscalls_prepare(struct kernel_run *run, struct err *err) {
    int fd = open("/dev/zero", O_RDONLY | O_CLOEXEC);
    run->seed = (uint64_t)fd;
    if (fd < 0)
        return err_set(err, -errno, "/dev/zero: %s", strerror(errno));
    return kernel_map(run, CLEARED, err);
}

/* Nearly all of the time is spent in the kernel, which clears the buffer. */
void kernel_syscalls_round(struct kernel_run *run) {
    for (int i = 0; i < 16; i++) {
        ssize_t n = read((int)run->seed, run->memory, CLEARED);
        run->sum += n > 0 ? (uint64_t)n : 0;
    }
}

void kernel_syscalls_finish(struct kernel_run *run) {
    if ((int)run->seed >= 0)
        close((int)run->seed);
}

/* ---- page faults ---- */

/* A mapping of its own each time: every page of it is touched for the first time. Huge pages would
 * serve many with one fault. */
void kernel_faults_round(struct kernel_run *run) {
    const size_t size = (size_t)KERNEL_FAULTS * (size_t)sysconf(_SC_PAGESIZE);
    volatile char *at =
        mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED)
        return;
    void *mapped = (void *)(uintptr_t)at;
    madvise(mapped, size, MADV_NOHUGEPAGE);
    for (size_t i = 0; i < size; i += size / KERNEL_FAULTS) {
        at[i] = 1;
        run->sum += (uint64_t)at[i];
    }
    munmap(mapped, size);
}

/* ---- context switches ---- */

/* Two threads of one CPU, two pipes: each waits for the other, so a trip is two switches. */
struct trips {
    int there[2], back[2];
    pthread_t partner;
    bool has_partner;
};

static void *partner_main(void *user) {
    struct trips *t = user;
    char byte;
    while (read(t->there[0], &byte, 1) == 1)
        if (write(t->back[1], &byte, 1) != 1)
            break;
    return NULL;
}

int kernel_switches_prepare(struct kernel_run *run, struct err *err) {
    struct trips *t = malloc(sizeof(*t));
    if (!t)
        return err_set(err, -ENOMEM, "out of memory");
    *t = (struct trips){.there = {-1, -1}, .back = {-1, -1}};
    run->state = t;
    if (pipe2(t->there, O_CLOEXEC) < 0 || pipe2(t->back, O_CLOEXEC) < 0)
        return err_set(err, -errno, "no pipe: %s", strerror(errno));
    int rc = thread_start(&t->partner, "tdtop-partner", partner_main, t);
    t->has_partner = rc == 0;
    return rc ? err_set(err, rc, "no second thread: %s", strerror(-rc)) : 0;
}

void kernel_switches_round(struct kernel_run *run) {
    struct trips *t = run->state;
    char byte = 1;
    for (int i = 0; i < KERNEL_TRIPS; i++) {
        if (write(t->there[1], &byte, 1) != 1 || read(t->back[0], &byte, 1) != 1)
            return;
        run->sum += (uint64_t)byte;
    }
}

static void close_end(int *fd) {
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

void kernel_switches_finish(struct kernel_run *run) {
    struct trips *t = run->state;
    if (!t)
        return;
    close_end(&t->there[1]); /* the partner reads the end of it */
    if (t->has_partner)
        pthread_join(t->partner, NULL);
    close_end(&t->there[0]);
    close_end(&t->back[0]);
    close_end(&t->back[1]);
    free(t);
    run->state = NULL;
}
