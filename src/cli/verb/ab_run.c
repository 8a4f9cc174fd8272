/* One run of a side: what is measured is switched, then measured as `tdtop collect` does. */
#include "base/clock.h"
#include "base/str.h"
#include "cli/stop.h"
#include "cli/verb/ab.h"
#include "pmu/host/command.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/wait.h>

enum { LOOK_MS = 5 };

static bool is_stopped(struct ab *ab) {
    ab->c.stopped = ab->c.stopped || stop_came(ab->c.stop_fd);
    return ab->c.stopped;
}

/* ---- the switch ---- */

/* True: a signal came meanwhile. */
static bool wait_ns(struct ab *ab, uint64_t ns) {
    const uint64_t until = clock_now_ns() + ns;
    for (uint64_t now = clock_now_ns(); now < until && !is_stopped(ab); now = clock_now_ns()) {
        struct pollfd fd = {.fd = ab->c.stop_fd, .events = POLLIN};
        poll(&fd, 1, (int)((until - now) / NS_PER_MS) + 1);
    }
    return ab->c.stopped;
}

static int fail_switch(const struct ab_side *s, const char *why, int code) {
    char safe[256];
    cli_note("--%c: `%s` %s %d; nothing more is measured", s->name + 'a' - 'A',
             str_safe(safe, sizeof(safe), s->shell), why, code);
    return EXIT_UNCLEAR;
}

/* The shell command, to its end. */
static int run_switch(struct ab *ab, struct ab_side *s) {
    struct err err = {0};
    int go = -1, fail = -1, status = 0;
    const pid_t pid = command_fork(s->argv, NULL, STREAMS_ERRORS, &go, &fail, &err);
    if (pid < 0 || command_go(&go, &fail) != 0) {
        if (pid > 0)
            waitpid(pid, NULL, 0);
        cli_note("--%c: %s", s->name + 'a' - 'A', pid < 0 ? err.text : "sh cannot be run");
        return EXIT_UNCLEAR;
    }
    while (waitpid(pid, &status, WNOHANG) == 0)
        if (wait_ns(ab, LOOK_MS * NS_PER_MS)) {
            command_end(pid);
            return EXIT_OK;
        }
    if (is_stopped(ab))
        return EXIT_OK;
    if (WIFSIGNALED(status))
        return fail_switch(s, "was ended by signal", WTERMSIG(status));
    if (WEXITSTATUS(status))
        return fail_switch(s, "ended with exit code", WEXITSTATUS(status));
    wait_ns(ab, ab->a->settle_ns ? ab->a->settle_ns : NS_PER_S);
    return EXIT_OK;
}

/* ---- the run ---- */

static int fail_run(const struct ab *ab, const struct session *first) {
    enum { BY_SIGNAL = 128 };
    const struct ab_side *s = ab->at;
    const int code = first->exit_code;
    if (s->switches)
        cli_note("%c: what is measured has ended; nothing more is measured", s->name);
    else
        cli_note(
            "%c: %s %s %d: a run that failed is no measure of how fast it is; run it by itself "
            "to see why",
            s->name, s->words, code >= BY_SIGNAL ? "was ended by signal" : "ended with exit code",
            code >= BY_SIGNAL ? code - BY_SIGNAL : code);
    return EXIT_UNCLEAR;
}

static int add_id(struct ab_side *s, int type, const struct run *r) {
    char *id = strdup(r->id);
    if (id && array_push(&s->id[type], id) == 0)
        return EXIT_OK;
    free(id);
    cli_note("ab: out of memory; close other programs");
    return EXIT_UNCLEAR;
}

/* Of collect_one. */
static int take(struct collect *c, int type, struct run *r) {
    struct ab *ab = c->user;
    struct ab_side *s = ab->at;
    const struct session *first = c->all.at[0];
    const bool failed = s->switches ? first->state != STREAM_LIVE : first->exit_code != 0;
    if (failed)
        return type == 0 ? fail_run(ab, first) : EXIT_UNCLEAR;
    if (ab->warms_up)
        return EXIT_OK;
    const double took = (double)r->measured_ns / 1e9;
    int code = collect_store(c, type, r);
    if (code == EXIT_OK)
        code = add_id(s, type, r);
    if (code != EXIT_OK)
        return EXIT_UNCLEAR;
    ab->n_type = c->all.n;
    str_copy(ab->cores[type], sizeof(ab->cores[type]), session_type(c->all.at[type]));
    s->shortest_s = s->shortest_s > 0 && s->shortest_s < took ? s->shortest_s : took;
    s->longest_s = s->longest_s > took ? s->longest_s : took;
    run_free(&s->run[type]);
    s->run[type] = *r;
    *r = (struct run){0};
    return EXIT_OK;
}

int ab_run(struct ab *ab, struct ab_side *s) {
    ab->at = s;
    ab->c.a = &s->args;
    ab->c.take = take;
    ab->c.user = ab;
    int code = s->switches ? run_switch(ab, s) : EXIT_OK;
    if (code == EXIT_OK && !ab->c.stopped)
        code = collect_one(&ab->c);
    return code == EXIT_OK || is_stopped(ab) ? EXIT_OK : EXIT_UNCLEAR;
}
