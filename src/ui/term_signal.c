#include "ui/term_signal.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

enum {
    TEXT_MAX = 512,
    PATIENCE = 3,           /* the third Ctrl-C ends a program that no longer listens */
    CRASH_STACK = 32 << 10, /* SIGSTKSZ may be small, and MINSIGSTKSZ grows with AVX-512 */
};

static int pipe_fd[2] = {-1, -1};
static volatile sig_atomic_t resized;
static volatile sig_atomic_t asked_to_end;

/* What a crash needs. Two copies: the one in use is never written (a crash may come any time). */
static struct armed {
    int fd;
    struct termios saved;
    char text[TEXT_MAX];
    size_t n;
} armed[2];
static volatile sig_atomic_t armed_at = -1; /* index, or -1 */
static pid_t owner;                         /* a forked child must not touch the terminal */

static char crash_stack[CRASH_STACK];

/* ---- the handlers ---- */

static void give_back(void) {
    const sig_atomic_t i = armed_at;
    if (i < 0 || getpid() != owner)
        return;
    armed_at = -1;
    const struct armed *a = &armed[i];
    size_t done = 0;
    while (done < a->n) {
        const ssize_t n = write(a->fd, a->text + done, a->n - done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            break;
        done += (size_t)n;
    }
    tcsetattr(a->fd, TCSANOW, &a->saved);
}

static void to_pipe(int sig) {
    const int saved_errno = errno;
    const unsigned char byte = (unsigned char)sig;
    if (write(pipe_fd[1], &byte, 1) < 0) {
        /* full: the main loop has plenty to read already */
    }
    errno = saved_errno;
}

static void on_resize(int sig) {
    resized = 1;
    to_pipe(sig);
}

static void on_end(int sig) {
    if (++asked_to_end < PATIENCE) {
        to_pipe(sig);
        return;
    }
    give_back();
    signal(sig, SIG_DFL);
    raise(sig); /* blocked until this handler returns */
}

static void on_crash(int sig);

static struct handled {
    int sig;
    void (*handler)(int);
    bool installed;
    struct sigaction before;
} handled[] = {
    {.sig = SIGTERM, .handler = on_end},     {.sig = SIGHUP, .handler = on_end},
    {.sig = SIGINT, .handler = on_end},      {.sig = SIGQUIT, .handler = on_end},
    {.sig = SIGTSTP, .handler = to_pipe},    {.sig = SIGCONT, .handler = to_pipe},
    {.sig = SIGWINCH, .handler = on_resize}, {.sig = SIGSEGV, .handler = on_crash},
    {.sig = SIGBUS, .handler = on_crash},    {.sig = SIGABRT, .handler = on_crash},
    {.sig = SIGFPE, .handler = on_crash},    {.sig = SIGILL, .handler = on_crash},
};

static struct handled *find(int sig) {
    size_t i = 0;
    while (i < COUNT(handled) && handled[i].sig != sig)
        i++;
    return i < COUNT(handled) ? &handled[i] : NULL;
}

/*
 * The handler of before (the default, or a sanitizer's) decides how this ends: raised again, the
 * signal waits until we return; a faulting instruction faults again. So the exit status is true.
 */
static void on_crash(int sig) {
    give_back();
    sigaction(sig, &find(sig)->before, NULL);
    raise(sig);
}

/* ---- installing ---- */

static bool is_ending(const struct handled *h) {
    return h->handler == on_end || h->sig == SIGTSTP;
}

static void install(struct handled *h) {
    struct sigaction act = {.sa_handler = h->handler};
    sigemptyset(&act.sa_mask);
    act.sa_flags = h->handler == on_crash ? SA_ONSTACK : SA_RESTART;
    if (sigaction(h->sig, NULL, &h->before) < 0)
        return;
    if (is_ending(h) && h->before.sa_handler == SIG_IGN)
        return; /* started with nohup, or without job control: that was meant */
    h->installed = sigaction(h->sig, &act, NULL) == 0;
}

int signals_install(void) {
    if (pipe_fd[0] >= 0)
        return 0;
    if (pipe2(pipe_fd, O_NONBLOCK | O_CLOEXEC) < 0)
        return -errno;
    resized = 0;
    asked_to_end = 0;
    const stack_t stack = {.ss_sp = crash_stack, .ss_size = sizeof(crash_stack)};
    sigaltstack(&stack, NULL); /* without it only a stack overflow goes unhandled */
    for (size_t i = 0; i < COUNT(handled); i++)
        install(&handled[i]);
    return 0;
}

void signals_restore(void) {
    if (pipe_fd[0] < 0)
        return;
    for (size_t i = 0; i < COUNT(handled); i++) {
        if (handled[i].installed)
            sigaction(handled[i].sig, &handled[i].before, NULL);
        handled[i].installed = false;
    }
    close(pipe_fd[0]);
    close(pipe_fd[1]);
    pipe_fd[0] = pipe_fd[1] = -1;
}

/* ---- for the main loop ---- */

int signals_fd(void) {
    return pipe_fd[0];
}

int signals_take(void) {
    unsigned char byte;
    if (pipe_fd[0] < 0 || read(pipe_fd[0], &byte, 1) != 1)
        return 0;
    return byte;
}

bool signals_resized(void) {
    const bool was = resized;
    resized = 0;
    return was;
}

void signals_stop(void) {
    if (!find(SIGTSTP)->installed)
        return; /* SIGTSTP is ignored: there is no shell to come back from */
    struct sigaction stop, cont;
    const struct sigaction dfl = {.sa_handler = SIG_DFL};
    sigaction(SIGTSTP, &dfl, &stop);
    sigaction(SIGCONT, &dfl, &cont); /* the caller knows that it goes on */
    kill(getpid(), SIGTSTP); /* stops here; in an orphaned process group the kernel discards it */
    sigaction(SIGCONT, &cont, NULL);
    sigaction(SIGTSTP, &stop, NULL);
}

void crash_arm(int fd, const struct termios *saved, const char *text, size_t n) {
    const sig_atomic_t next = armed_at == 0 ? 1 : 0;
    struct armed *a = &armed[next];
    a->fd = fd;
    a->saved = *saved;
    a->n = n < sizeof(a->text) ? n : sizeof(a->text);
    memcpy(a->text, text, a->n);
    owner = getpid();
    armed_at = next;
}

void crash_disarm(void) {
    armed_at = -1;
}
