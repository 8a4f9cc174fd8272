#include "pmu/host/command.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

enum { END_TRIES = 15 /* ms */ };

static void close_fd(int *fd) {
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

static void set_streams(enum command_streams streams) {
    struct termios t;
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    for (int fd = 0; fd <= 2 && null >= 0; fd++)
        if (streams == STREAMS_ERRORS ? fd < 2 : tcgetattr(fd, &t) == 0)
            dup2(null, fd);
}

/* In the child: as if a shell had started it, then wait, then exec. Only async-signal-safe calls.
 */
static _Noreturn void child(char **argv, const struct rlimit *files, enum command_streams streams,
                            int go, int fail) {
    static const int reset[] = {SIGINT,  SIGQUIT, SIGTERM, SIGHUP,  SIGPIPE,
                                SIGTSTP, SIGTTIN, SIGTTOU, SIGCHLD, SIGWINCH};
    sigset_t none;
    sigemptyset(&none);
    for (size_t i = 0; i < sizeof(reset) / sizeof(reset[0]); i++)
        signal(reset[i], SIG_DFL);
    sigprocmask(SIG_SETMASK, &none, NULL);
    if (files)
        setrlimit(RLIMIT_NOFILE, files);
    if (streams != STREAMS_SHARED)
        set_streams(streams);
    char byte;
    if (read(go, &byte, 1) != 1) /* tdtop gave up */
        _exit(0);
    execvp(argv[0], argv);
    int code = errno;
    if (write(fail, &code, sizeof(code)) != sizeof(code))
        _exit(126);
    _exit(command_exit_code(code));
}

pid_t command_fork(char **argv, const struct rlimit *files, enum command_streams streams,
                   int *go_fd, int *fail_fd, struct err *err) {
    int go[2] = {-1, -1}, fail[2] = {-1, -1};
    pid_t pid = -1;
    /* A socket, because a child that was killed meanwhile must not cost us a SIGPIPE. */
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, go) == 0 && pipe2(fail, O_CLOEXEC) == 0)
        pid = fork();
    int rc = -errno;
    if (pid == 0) {
        close(go[1]);
        close(fail[0]);
        child(argv, files, streams, go[0], fail[1]);
    }
    close_fd(&go[0]);
    close_fd(&fail[1]);
    if (pid < 0) {
        close_fd(&go[1]);
        close_fd(&fail[0]);
        return err_set(err, rc, "%s: cannot be started: %s; see ulimit -u and ulimit -n", argv[0],
                       strerror(-rc));
    }
    *go_fd = go[1];
    *fail_fd = fail[0];
    return pid;
}

int command_go(int *go_fd, int *fail_fd) {
    int code = 0;
    ssize_t n;
    if (send(*go_fd, "", 1, MSG_NOSIGNAL) != 1)
        code = errno; /* killed while it waited */
    do
        n = read(*fail_fd, &code, sizeof(code)); /* end of file: exec has closed it */
    while (n < 0 && errno == EINTR);
    command_close(go_fd, fail_fd);
    return code;
}

int command_exit_code(int exec_errno) {
    return exec_errno == ENOENT || exec_errno == ENOTDIR ? 127 : 126;
}

const char *command_remedy(int exec_errno) {
    switch (exec_errno) {
    case ENOENT:
        return "check the name and PATH";
    case EACCES:
        return "make it executable (chmod +x)";
    case ENOEXEC:
        return "it is no program for this machine, or a script without #!";
    default:
        return "run it by itself to see why";
    }
}

void command_close(int *go_fd, int *fail_fd) {
    close_fd(go_fd);
    close_fd(fail_fd);
}

void command_end(pid_t pid) {
    struct timespec ms = {.tv_nsec = 1000000};
    kill(pid, SIGTERM);
    for (int i = 0; i < END_TRIES; i++) {
        if (waitpid(pid, NULL, WNOHANG) != 0)
            return;
        nanosleep(&ms, NULL);
    }
}
