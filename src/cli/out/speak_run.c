/*
 * The loop of --speak: poll() over what is typed, a signal and the sessions; lines that come every
 * so often have a timer.
 */
#include "base/clock.h"
#include "base/str.h"
#include "cli/out/print.h"
#include "cli/out/speak.h"
#include "cli/stop.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct speak {
    struct speaker at[SESSIONS_MAX];
    int n;
    struct advice advice;
    struct explain explain[SESSIONS_MAX]; /* of each session's model */
    char typed[512];                      /* of a line that is not over */
    size_t n_typed;
    bool too_long;         /* the line at hand is */
    int keyboard, signals; /* descriptors; -1: none */
    const struct args *a;
    uint64_t every_ns, due_ns, end_ns; /* CLOCK_MONOTONIC; 0: never */
    bool quit;
};

static void set_every(struct speak *sk, uint64_t every_ns) {
    sk->every_ns = every_ns;
    sk->due_ns = every_ns ? clock_now_ns() + every_ns : 0;
}

static void take_line(struct speak *sk, const char *line) {
    uint64_t every = 0;
    if (sk->too_long) { /* this is but its end */
        sk->too_long = false;
        speak_too_long(&sk->at[0], sizeof(sk->typed) - 2);
        return;
    }
    const enum speak_answer answer = speak_command(sk->at, sk->n, line, &every);
    sk->quit = answer == SPEAK_QUIT;
    if (answer == SPEAK_EVERY)
        set_every(sk, every);
}

/* Those that are over; of one that is not, and fills all the room, nothing is kept. */
static void take_lines(struct speak *sk) {
    char *from = sk->typed, *end;
    while (!sk->quit && (end = memchr(from, '\n', sk->n_typed - (size_t)(from - sk->typed)))) {
        *end = '\0';
        take_line(sk, from);
        from = end + 1;
    }
    sk->n_typed -= (size_t)(from - sk->typed);
    memmove(sk->typed, from, sk->n_typed);
    if (sk->n_typed < sizeof(sk->typed) - 1)
        return;
    sk->too_long = true;
    sk->n_typed = 0;
}

/* Every line that is over. A line without an end before the end of input is one, too. */
static void take_typed(struct speak *sk) {
    ssize_t got = read(sk->keyboard, sk->typed + sk->n_typed, sizeof(sk->typed) - 1 - sk->n_typed);
    if (got < 0 && (errno == EINTR || errno == EAGAIN))
        return;
    if (got <= 0) {
        if ((sk->n_typed == 0 && !sk->too_long) || got < 0) {
            sk->keyboard = -1; /* nobody types any more; what changes is said nevertheless */
            return;
        }
        sk->typed[sk->n_typed++] = '\n';
        sk->keyboard = -1;
    } else {
        sk->n_typed += (size_t)got;
    }
    take_lines(sk);
}

/* The session has ended, or has given as many intervals, or as much time, as was asked for. */
static bool has_enough(const struct speak *sk, const struct session *s) {
    return s->state != STREAM_LIVE || (sk->a->count && s->n_frames >= (uint64_t)sk->a->count) ||
           (sk->a->duration_ns && s->n_frames && s->frame.t1_ns + NS_PER_MS >= sk->a->duration_ns);
}

static void take_frames(struct speak *sk) {
    for (int i = 0; i < sk->n; i++) {
        struct speaker *sp = &sk->at[i];
        while (!has_enough(sk, sp->s) && session_take(sp->s))
            speak_frame(sp);
        speak_end(sp);
    }
}

static bool is_over(const struct speak *sk) {
    for (int i = 0; i < sk->n; i++)
        if (!has_enough(sk, sk->at[i].s))
            return false;
    return true;
}

static int timeout_ms(const struct speak *sk) {
    const uint64_t now = clock_now_ns();
    uint64_t due = sk->due_ns;
    if (sk->end_ns && (!due || sk->end_ns < due))
        due = sk->end_ns;
    if (!due)
        return -1;
    return due <= now ? 0 : (int)((due - now) / NS_PER_MS) + 1;
}

static void take_time(struct speak *sk) {
    const uint64_t now = clock_now_ns();
    if (sk->end_ns && now >= sk->end_ns)
        sk->quit = true;
    if (!sk->due_ns || now < sk->due_ns)
        return;
    for (int i = 0; i < sk->n; i++)
        speak_status(&sk->at[i]);
    sk->due_ns = now + sk->every_ns;
}

/* 0, or negative errno with words. */
static int loop(struct speak *sk, struct err *err) {
    while (!sk->quit && !is_over(sk)) {
        struct pollfd fd[SESSIONS_MAX + 2] = {{.fd = sk->keyboard, .events = POLLIN},
                                              {.fd = sk->signals, .events = POLLIN}};
        for (int i = 0; i < sk->n; i++)
            fd[2 + i] = (struct pollfd){
                .fd = has_enough(sk, sk->at[i].s) ? -1 : session_fd(sk->at[i].s), .events = POLLIN};
        if (poll(fd, (nfds_t)(2 + sk->n), timeout_ms(sk)) < 0 && errno != EINTR)
            return err_set(err, -errno, "poll: %s; nothing more is heard", strerror(errno));
        if (fd[1].revents)
            return 0;
        if (fd[0].revents)
            take_typed(sk);
        take_frames(sk);
        take_time(sk);
        if (ferror(sk->at[0].out))
            return 0; /* nobody listens */
    }
    return 0;
}

/* What went wrong with any of them, or what the command ended with. */
static int exit_code(const struct sessions *all) {
    int code = EXIT_OK;
    for (int i = 0; i < all->n; i++)
        if (all->at[i]->state == STREAM_FAILED)
            code = EXIT_ERROR;
    for (int i = all->n - 1; i >= 0; i--)
        if (all->at[i]->exit_code > 0)
            code = all->at[i]->exit_code;
    return code;
}

static int prepare(struct speak *sk, struct sessions *all, const struct args *a, const char *advice,
                   struct err *err) {
    int rc = advice_load(&sk->advice, advice && *advice ? advice : ADVICE_DEFAULT, err);
    sk->n = all->n;
    sk->a = a;
    sk->keyboard = STDIN_FILENO;
    sk->signals = stop_open();
    for (int i = 0; i < all->n; i++)
        sk->at[i] = (struct speaker){.out = stdout,
                                     .s = all->at[i],
                                     .advice = &sk->advice,
                                     .explain = &sk->explain[i],
                                     .many = all->n > 1};
    if (rc == 0)
        rc = sessions_start(all, err);
    for (int i = 0; rc == 0 && i < all->n; i++)
        rc = explain_load_for(&sk->explain[i], &all->at[i]->model, err);
    set_every(sk, a->every_ns);
    sk->end_ns = a->duration_ns ? clock_now_ns() + a->duration_ns : 0;
    return rc;
}

int speak_run(struct sessions *all, const struct args *a, const char *advice) {
    struct speak *sk = calloc(1, sizeof(*sk));
    struct err err = {0};
    if (!sk) {
        cli_note("out of memory");
        return EXIT_ERROR;
    }
    int rc = prepare(sk, all, a, advice, &err);
    if (rc == 0) {
        speak_begin(&sk->at[0], sk->keyboard >= 0);
        rc = loop(sk, &err);
    }
    if (rc < 0)
        cli_error(&err);
    int code = exit_code(all);
    if (code == EXIT_OK && rc < 0)
        code = EXIT_ERROR;
    stop_close(sk->signals);
    advice_free(&sk->advice);
    for (int i = 0; i < SESSIONS_MAX; i++)
        explain_free(&sk->explain[i]);
    free(sk);
    return code;
}
