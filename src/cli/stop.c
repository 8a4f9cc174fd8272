#include "cli/stop.h"

#include <pthread.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

int stop_open(void) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGHUP);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

bool stop_came(int fd) {
    struct signalfd_siginfo si;
    return fd >= 0 && read(fd, &si, sizeof(si)) > 0;
}

int stop_which(int fd) {
    struct signalfd_siginfo si;
    return fd >= 0 && read(fd, &si, sizeof(si)) == (ssize_t)sizeof(si) ? (int)si.ssi_signo : 0;
}

void stop_close(int fd) {
    if (fd >= 0)
        close(fd);
}
