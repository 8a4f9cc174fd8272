#include "ui/term/term_signal.h"

#include "base/thread.h"
#include "ui/term/term_bytes.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

enum {
    TEXT_MAX = 512,
    PATIENCE = 3,   /* the third Ctrl-C ends a program that no longer listens */
    NOTHING = -1,   /* of armed_at: there is nothing to give back */
    UNDER_WAY = -2, /* a thread gives it back */
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
static atomic_int armed_at = NOTHING; /* or an index */
static pid_t owner;                   /* a forked child must not touch the terminal */

static char crash_stack[THREAD_FAULT_STACK];

/* ---- the handlers ---- */

/* Once, whichever thread comes first; another one must not end the process meanwhile. */
static void give_back(void) {
    enum { STEP_MS = 10, STEPS = 300 };
    if (getpid() != owner)
        return;
    const int i = atomic_exchange(&armed_at, UNDER_WAY);
    for (int n = 0; i == UNDER_WAY && n < STEPS && atomic_load(&armed_at) == UNDER_WAY; n++)
        poll(NULL, 0, STEP_MS);
    if (i == UNDER_WAY)
        return;
    if (i >= 0) {
        bytes_give_up();
        bytes_force(armed[i].fd, armed[i].text, armed[i].n);
        tcsetattr(armed[i].fd, TCSANOW, &armed[i].saved);
    }
    atomic_store(&armed_at, NOTHING);
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

static void on_death(int sig);

/* Every signal whose default action ends the process gives the terminal back, but KILL (signal(7)).
 * Here are those with a handler of their own, and those that do not end it. */
static const struct {
    int sig;
    void (*handler)(int);
} others[] = {
    {SIGTERM, on_end},  {SIGHUP, on_end},   {SIGINT, on_end},      {SIGQUIT, on_end},
    {SIGTSTP, to_pipe}, {SIGCONT, to_pipe}, {SIGWINCH, on_resize}, {SIGKILL, NULL},
    {SIGSTOP, NULL},    {SIGTTIN, NULL},    {SIGTTOU, NULL},       {SIGCHLD, NULL},
    {SIGURG, NULL},
};

static void (*handler_of(int sig))(int) {
    for (size_t i = 0; i < COUNT(others); i++)
        if (others[i].sig == sig)
            return others[i].handler;
    return on_death;
}

/* [sig] */
static struct {
    bool installed;
    struct sigaction before;
} handled[NSIG];

/*
 * The handler of before (the default, or a sanitizer's) decides how this ends: raised again, the
 * signal waits until we return; a faulting instruction faults again. So the exit status is true.
 */
static void on_death(int sig) {
    give_back();
    if (handled[sig].before.sa_handler == SIG_IGN)
        signal(sig, SIG_DFL); /* a fault: it cannot be ignored, and there is no screen any more */
    else
        sigaction(sig, &handled[sig].before, NULL);
    raise(sig);
}

/* ---- installing ---- */

/* True if it is not ours: it was ignored on purpose (nohup, no job control), or it belongs to
 * whoever has put a handler there. A fault is always ours. */
static bool is_taken(int sig, void (*handler)(int), const struct sigaction *before) {
    if (handler == on_death && !thread_is_fault(sig))
        return before->sa_handler != SIG_DFL;
    return (handler == on_end || sig == SIGTSTP) && before->sa_handler == SIG_IGN;
}

static void install(int sig) {
    struct sigaction act = {.sa_handler = handler_of(sig)};
    if (!act.sa_handler || sigaction(sig, NULL, &handled[sig].before) < 0 ||
        is_taken(sig, act.sa_handler, &handled[sig].before))
        return; /* sigaction fails for the two or three that the C library keeps for itself */
    sigemptyset(&act.sa_mask);
    if (act.sa_handler == on_death || act.sa_handler == on_end)
        sigfillset(&act.sa_mask); /* nothing else ends this thread before it has given back */
    act.sa_flags = act.sa_handler == on_death ? SA_ONSTACK : SA_RESTART;
    handled[sig].installed = sigaction(sig, &act, NULL) == 0;
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
    thread_take_faults();
    for (int sig = 1; sig < NSIG; sig++)
        install(sig);
    return 0;
}

void signals_restore(void) {
    if (pipe_fd[0] < 0)
        return;
    for (int sig = 1; sig < NSIG; sig++) {
        if (handled[sig].installed)
            sigaction(sig, &handled[sig].before, NULL);
        handled[sig].installed = false;
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
    if (!handled[SIGTSTP].installed)
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
    const int next = armed_at == 0 ? 1 : 0;
    struct armed *a = &armed[next];
    a->fd = fd;
    a->saved = *saved;
    a->n = n < sizeof(a->text) ? n : sizeof(a->text);
    memcpy(a->text, text, a->n);
    owner = getpid();
    armed_at = next;
}

void crash_disarm(void) {
    armed_at = NOTHING;
}
