/*
 * `tdtop ab`: A and B are measured in turns until it is sure which is better, or that there is
 * nothing between them. The samples are pairs of neighbouring runs (model/compare/pairs.h says what
 * that is worth, and why it may stop at any time). All runs are stored. Exit codes are those of
 * `compare`.
 */
#include "base/clock.h"
#include "base/log.h"
#include "base/str.h"
#include "base/when.h"
#include "cli/config/config.h"
#include "cli/stop.h"
#include "cli/verb/collect.h"
#include "cli/verb/compare_view.h"
#include "model/compare/pairs.h"
#include "model/run/run.h"
#include "pmu/host/command.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct ab_side {
    char name;         /* 'A', 'B' */
    const char *shell; /* --a, --b, or NULL */
    bool switches;     /* shell sets what is measured; false: the command itself is measured */
    char *argv[4], sh[3], dash_c[3], *text; /* sh -c SHELL; text is owned */
    struct args args;                       /* of its runs, as of `tdtop collect` */
    char pair[32];                          /* "pair=3", a label */
    char words[200];                        /* for people: "sort -S 1M file" */
    struct run run[SESSIONS_MAX];           /* of the pair at hand, by core type; owned */
    ARRAY(char *) id[SESSIONS_MAX];         /* of the stored runs; owned */
    double shortest_s, longest_s;           /* measured */
};

struct ab {
    const struct args *a; /* as said */
    struct collect c;
    struct compare_view view; /* its options */
    struct ab_side side[2], *at;
    struct pairs pairs[SESSIONS_MAX]; /* by core type */
    char cores[SESSIONS_MAX][32];
    int n_type;
    bool warms_up;                 /* a run that nothing is kept of */
    size_t n;                      /* pairs that are complete */
    uint64_t begun_ns, longest_ns; /* CLOCK_MONOTONIC; the longest pair */
    struct ab_result result;
};

enum { LOOK_MS = 5 };

static bool is_stopped(struct ab *ab) {
    ab->c.stopped = ab->c.stopped || stop_came(ab->c.stop_fd);
    return ab->c.stopped;
}

/* ---- one run of a side: the switch ---- */

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

/* ---- one run of a side: what `tdtop collect` measures ---- */

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

/* One run of a side, behind its switch. An exit code; errors are printed. */
static int ab_run(struct ab *ab, struct ab_side *s) {
    ab->at = s;
    ab->c.a = &s->args;
    ab->c.take = take;
    ab->c.user = ab;
    int code = s->switches ? run_switch(ab, s) : EXIT_OK;
    if (code == EXIT_OK && !ab->c.stopped)
        code = collect_one(&ab->c);
    return code == EXIT_OK || is_stopped(ab) ? EXIT_OK : EXIT_UNCLEAR;
}

/* ---- the answer: the pairs of one core type ---- */

static void name_sides(const struct ab *ab, int type, struct compare_view *v) {
    for (int i = 0; i < 2; i++) {
        const struct ab_side *from = &ab->side[i];
        struct side *s = &v->side[i];
        s->kind = SIDE_RUNS;
        s->n_run = s->n_matched = ab->n;
        s->n_interval = (i ? &ab->pairs[type].b : &ab->pairs[type].a)->n_interval;
        s->shortest_s = from->shortest_s;
        s->longest_s = from->longest_s;
        snprintf(s->labels, sizeof(s->labels), "ab=%c", from->name);
        for (size_t k = 0; k < ab->n && k < from->id[type].n; k++) {
            struct side_span span = {0}; /* in turns: none overlaps */
            str_copy(span.id, sizeof(span.id), from->id[type].at[k]);
            if (array_push(&s->span, span) < 0)
                return;
        }
    }
}

/* Compares the pairs of a core type. runs is borrowed by v until compare_view_free. */
static int compare_type(struct ab *ab, int type, struct compare_view *v, struct run *difference,
                        struct err *err) {
    struct pairs_runs runs = {0};
    int rc = compare_view_init(v, ab->a, err);
    if (rc == 0)
        rc = pairs_runs(&ab->pairs[type], &runs, err);
    v->side[0].run = runs.a; /* whatever the result: they are freed with the view */
    v->side[1].run = runs.b;
    *difference = runs.difference;
    if (rc == 0) {
        v->opt.pairs = difference;
        for (int i = 0; i < 2 && rc == 0; i++)
            rc = run_set_text(&v->side[i].run.process, ab->side[i].words);
        name_sides(ab, type, v);
        rc = rc == 0 ? compare_view_sides(v, err) : err_set(err, rc, "ab: out of memory");
    }
    return rc;
}

/* ---- the answer: words ---- */

/* "elapsed +3.1% (±0.9%)". */
static void add_change(struct strbuf *sb, const struct compare_row *by) {
    char delta[64], margin[64];
    strbuf_add(sb, "%s %s", compare_node(by)->name, compare_delta_words(by, delta, sizeof(delta)));
    if (compare_err_words(by, margin, sizeof(margin))[0])
        strbuf_add(sb, " (±%s)", margin);
}

static void add_least(struct strbuf *sb, const struct compare_view *v,
                      const struct compare_row *by) {
    if (compare_point(compare_node(by)) > 0)
        strbuf_add(sb, "%g point%s", v->opt.least_points * 100,
                   v->opt.least_points == 0.01 ? "" : "s");
    else
        strbuf_add(sb, "%g%%", v->opt.least_relative * 100);
}

/* Other load makes a command wait for a CPU: the time that it had one tells more. */
static void add_steadier(struct strbuf *sb, const struct compare_view *v,
                         const struct compare_row *by) {
    const struct compare_row *cpu = compare_find(&v->c, RUN_CPU_TIME);
    char margin[64];
    if (cpu && cpu->a && cpu->b && 3 * cpu->err / cpu->a->value.v < by->err / by->a->value.v)
        strbuf_add(sb, "; --by " RUN_CPU_TIME " is steadier here (±%s)",
                   compare_err_words(cpu, margin, sizeof(margin)));
}

static void say_answer(struct ab_result *out, const struct compare_view *v,
                       const struct compare_row *by, enum pairs_answer answer) {
    struct strbuf sb = strbuf_on(out->words, sizeof(out->words));
    const bool time = by && compare_node(by)->better < 0 && !strcmp(compare_node(by)->unit, "s");
    if (!by) {
        strbuf_add(&sb, "nothing to decide by: level 1 is not known on both sides");
        return;
    }
    if (answer == PAIRS_CHANGED)
        strbuf_add(&sb, "%s: ", !time ? "changed" : by->delta > 0 ? "B is slower" : "B is faster");
    else if (answer == PAIRS_SAME) {
        strbuf_add(&sb, "no change above ");
        add_least(&sb, v, by);
        strbuf_add(&sb, ": ");
    } else {
        strbuf_add(&sb, "not sure: ");
    }
    add_change(&sb, by);
    strbuf_add(&sb, "%s after %zu pair%s", answer == PAIRS_OPEN ? "" : ", sure", out->n,
               out->n == 1 ? "" : "s");
    const double needed = pairs_needed(by, &v->opt, (double)out->n);
    if (answer == PAIRS_OPEN && isfinite(needed) && needed < 1e5)
        strbuf_add(&sb, "; about %.0f would do", needed);
    if (answer == PAIRS_OPEN && by->asked && !v->a->by)
        add_steadier(&sb, v, by);
}

static enum pairs_answer say_type(struct ab *ab, const struct compare_view *v, struct err *err) {
    static const char *const names[] = {"open", "changed", "same"};
    const struct compare_row *by;
    enum pairs_answer answer = pairs_answer(&v->c, &v->opt, &by);
    if (!by && ab->a->by && ab->n > 1) /* what a command took is of two */
        err_set(err, -EINVAL, "--by %s: not known on both sides; elapsed, cpu_time, IPC are",
                ab->a->by);
    if (ab->n < PAIRS_LEAST)
        answer = PAIRS_OPEN;
    ab->result.n = ab->n;
    ab->result.answer = names[answer];
    say_answer(&ab->result, v, by, answer);
    return answer;
}

/* Whether the pairs so far answer the question, in result.answer and result.words. An error is left
 * in err. */
static enum pairs_answer ab_look(struct ab *ab, struct err *err) {
    enum pairs_answer all = PAIRS_SAME;
    for (int i = 0; i < ab->n_type && all != PAIRS_CHANGED; i++) {
        struct compare_view v;
        struct run difference = {0};
        if (compare_type(ab, i, &v, &difference, err) == 0) {
            const enum pairs_answer one = say_type(ab, &v, err);
            all = one == PAIRS_SAME ? all : one;
        }
        run_free(&difference);
        compare_view_free(&v);
        if (err->code)
            return PAIRS_OPEN;
    }
    return all;
}

/* ---- the answer: printed ---- */

static int print_type(struct ab *ab, int type) {
    struct compare_view v;
    struct run difference = {0};
    struct err err = {0};
    int code = EXIT_UNCLEAR;
    if (compare_type(ab, type, &v, &difference, &err) == 0) {
        say_type(ab, &v, &err);
        str_copy(ab->result.cores, sizeof(ab->result.cores), ab->cores[type]);
        v.ab = &ab->result;
        code = compare_view_print(&v);
    } else {
        cli_error(&err);
    }
    run_free(&difference);
    compare_view_free(&v);
    return code;
}

/* Prints the comparison. Returns the exit code of `tdtop compare`. */
static int ab_print(struct ab *ab) {
    int code = EXIT_OK;
    for (int i = 0; i < ab->n_type; i++) {
        const int one = print_type(ab, i);
        code = code > one ? code : one;
    }
    return code;
}

enum { DEFAULT_PAIRS = 100, DEFAULT_S = 300, DEFAULT_SPAN_S = 3 };

/* ---- the command line ---- */

static bool has_target(const struct args *a) {
    return a->pids || a->name || a->tids || a->cgroup || a->all || a->cpus;
}

/* Two commands, two shell commands, or two switches of a target. */
static int check_what(const struct args *a, struct err *err) {
    const bool shells = a->shell_a && a->shell_b, any = a->shell_a || a->shell_b;
    const char *const twice = "give -- CMD A -- CMD B; or --a 'SWITCH' --b 'SWITCH' -p PID";
    if (a->command && any)
        return err_set(err, -EINVAL, "ab: commands behind -- and --a, --b exclude each other; %s",
                       twice);
    if (a->command && (!a->command_b || !a->command_b[0] || !a->command[0]))
        return err_set(err, -EINVAL, "ab: command %c is missing; %s", a->command[0] ? 'B' : 'A',
                       twice);
    if (!a->command && !shells)
        return err_set(err, -EINVAL, "ab: %s is missing; %s",
                       a->shell_a   ? "--b"
                       : a->shell_b ? "--a"
                                    : "what is to be compared",
                       twice);
    if (!has_target(a) && (a->span_ns || a->settle_ns))
        return err_set(err, -EINVAL,
                       "--%s goes with a target, as -p PID; a command is measured to its end",
                       a->span_ns ? "span" : "settle");
    return 0;
}

static int check_labels(const struct args *a, struct err *err) {
    const struct text_list *all[] = {&a->labels, &a->labels_a, &a->labels_b};
    int rc = 0;
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < all[k]->n && rc == 0; i++)
            rc = run_label_check_text(all[k]->at[i], err);
    const int own = 3, b = a->labels_a.n > a->labels_b.n ? a->labels_a.n : a->labels_b.n;
    if (rc == 0 && a->labels.n + b + own > TEXTS_MAX)
        rc = err_set(err, -EINVAL, "ab: more than %d labels", TEXTS_MAX - own);
    return rc == 0 && a->note ? run_note_check(a->note, err) : rc;
}

/* ---- the sides ---- */

static void add_labels(struct text_list *to, const struct text_list *from) {
    for (int i = 0; i < from->n; i++)
        to->at[to->n++] = from->at[i];
}

static void say_words(struct ab_side *s) {
    char all[4 * sizeof(s->words)];
    struct strbuf sb = strbuf_on(all, sizeof(all));
    for (char **at = s->args.command; !s->shell && *at; at++)
        strbuf_add(&sb, "%s%s", sb.n ? " " : "", *at);
    str_safe(s->words, sizeof(s->words), s->shell ? s->shell : all);
}

/* argv takes no const text. */
static void make_shell(struct ab_side *s) {
    str_copy(s->sh, sizeof(s->sh), "sh");
    str_copy(s->dash_c, sizeof(s->dash_c), "-c");
    s->text = s->shell ? strdup(s->shell) : NULL;
    s->argv[0] = s->sh;
    s->argv[1] = s->dash_c;
    s->argv[2] = s->text;
}

static void make_side(struct ab *ab, int i, const struct args *a, const char *id_label) {
    static const char *const own[] = {"ab=A", "ab=B"};
    struct ab_side *s = &ab->side[i];
    s->name = (char)('A' + i);
    s->shell = i ? a->shell_b : a->shell_a;
    s->switches = has_target(a);
    make_shell(s);
    s->args = *a;
    s->args.consts.latency = s->args.latency;
    s->args.verb = VERB_COLLECT;
    s->args.count = 0;
    s->args.json = false;
    s->args.mute = !s->switches;
    s->args.duration_ns = !s->switches ? 0 : a->span_ns ? a->span_ns : DEFAULT_SPAN_S * NS_PER_S;
    s->args.command = s->switches ? NULL : s->shell ? s->argv : i ? a->command_b : a->command;
    add_labels(&s->args.labels, i ? &a->labels_b : &a->labels_a);
    s->args.labels.at[s->args.labels.n++] = own[i];
    s->args.labels.at[s->args.labels.n++] = id_label;
    s->args.labels.at[s->args.labels.n++] = s->pair;
    snprintf(s->pair, sizeof(s->pair), "pair=0");
    say_words(s);
}

/* ---- in turns ---- */

static void show_turn(struct ab *ab) {
    char at[32], of[32];
    struct progress *p = &ab->c.progress;
    struct strbuf sb = strbuf_on(p->which, sizeof(p->which));
    if (ab->n)
        strbuf_add(&sb, "%s; ", ab->result.words);
    strbuf_add(&sb, "pair %zu of %lld, %s of %s", ab->n + 1, (long long)ab->a->count,
               when_duration(clock_now_ns() - ab->begun_ns, at, sizeof(at)),
               when_duration(ab->a->duration_ns, of, sizeof(of)));
    progress_say(p, ab->warms_up ? "each once, to warm up" : p->which);
    strbuf_add(&sb, "; ");
}

/* Both once: caches are as they will be, and a command that does not run is found before any is
 * stored. */
static int warm_up(struct ab *ab) {
    int code = EXIT_OK;
    ab->warms_up = true;
    show_turn(ab);
    for (int i = 0; i < 2 && code == EXIT_OK && !ab->side[i].switches && !ab->c.stopped; i++)
        code = ab_run(ab, &ab->side[i]);
    ab->warms_up = false;
    return code;
}

static int run_pair(struct ab *ab, struct err *err) {
    const bool b_first = pairs_b_first(ab->result.seed, ab->n);
    const uint64_t begin = clock_now_ns();
    int code = EXIT_OK;
    for (int i = 0; i < 2 && code == EXIT_OK && !ab->c.stopped; i++) {
        struct ab_side *s = &ab->side[i ^ (int)b_first];
        snprintf(s->pair, sizeof(s->pair), "pair=%zu", ab->n + 1);
        code = ab_run(ab, s);
    }
    if (code != EXIT_OK || ab->c.stopped)
        return code;
    for (int i = 0; i < ab->n_type; i++)
        if (pairs_add(&ab->pairs[i], &ab->side[0].run[i], &ab->side[1].run[i], err) < 0)
            return EXIT_UNCLEAR;
    const uint64_t took = clock_now_ns() - begin;
    ab->longest_ns = ab->longest_ns > took ? ab->longest_ns : took;
    ab->n++;
    return EXIT_OK;
}

/* Why it is over; NULL: it is not. */
static const char *is_over(const struct ab *ab, enum pairs_answer answer) {
    const uint64_t end_ns = ab->begun_ns + ab->a->duration_ns;
    if (answer != PAIRS_OPEN)
        return "sure";
    if (ab->c.stopped)
        return "signal";
    if (ab->n >= (size_t)ab->a->count)
        return "-n";
    return ab->n && clock_now_ns() + ab->longest_ns > end_ns ? "-d" : NULL;
}

static int run_all(struct ab *ab) {
    struct err err = {0};
    enum pairs_answer answer = PAIRS_OPEN;
    ab->begun_ns = clock_now_ns();
    progress_begin(&ab->c.progress, 0, 1, ab->a);
    ab->c.progress.whole_count = 0; /* -n is pairs here */
    int code = warm_up(ab);
    while (code == EXIT_OK && !(ab->result.stopped = is_over(ab, answer))) {
        show_turn(ab);
        const size_t n = ab->n;
        code = run_pair(ab, &err);
        if (code == EXIT_OK && ab->n > n)
            answer = ab_look(ab, &err);
        if (err.code) {
            cli_error(&err);
            code = EXIT_UNCLEAR;
        }
    }
    progress_clear(&ab->c.progress);
    if (code == EXIT_OK && ab->n == 0) {
        cli_note("ab: ended by a signal before the first pair was complete");
        code = EXIT_UNCLEAR;
    }
    return code == EXIT_OK ? ab_print(ab) : code;
}

/* ---- the verb ---- */

static void new_id(struct ab_result *r, char *label, size_t cap) {
    char id[RUN_ID_LEN + 1];
    run_new_id(id);
    snprintf(r->id, sizeof(r->id), "%.8s", id);
    snprintf(label, cap, "ab_id=%s", r->id);
}

static void set_defaults(struct args *a) {
    a->count = a->count ? a->count : DEFAULT_PAIRS;
    a->duration_ns = a->duration_ns ? a->duration_ns : DEFAULT_S * NS_PER_S;
}

static int prepare(struct ab *ab, struct args *a, struct config *cfg, const char *id_label,
                   struct err *err) {
    const struct args store_only = {.db = a->db}; /* labels are for the new runs */
    int rc = check_what(a, err);
    if (rc == 0)
        rc = check_labels(a, err);
    if (rc == 0) { /* rules and numbers are read before anything runs */
        rc = compare_view_init(&ab->view, a, err);
        compare_view_free(&ab->view);
    }
    if (rc == 0)
        rc = config_for(cfg, a, err);
    if (rc == 0 && cfg->log[0])
        rc = log_open(cfg->log, err);
    if (rc < 0)
        return rc;
    set_defaults(a);
    for (int i = 0; i < 2; i++) {
        make_side(ab, i, a, id_label);
        if (ab->side[i].shell && !ab->side[i].text)
            return err_set(err, -ENOMEM, "ab: out of memory; close other programs");
    }
    return run_pick_open(&ab->c.pick, &store_only, STORE_WRITE, err);
}

static void end(struct ab *ab) {
    for (int i = 0; i < SESSIONS_MAX; i++)
        pairs_free(&ab->pairs[i]);
    for (int i = 0; i < 2; i++) {
        struct ab_side *s = &ab->side[i];
        free(s->text);
        for (int k = 0; k < SESSIONS_MAX; k++) {
            run_free(&s->run[k]);
            for (size_t j = 0; j < s->id[k].n; j++)
                free(s->id[k].at[j]);
            array_free(&s->id[k]);
        }
    }
    run_pick_close(&ab->c.pick);
    log_close();
}

int verb_ab(const struct args *said) {
    struct args a = *said; /* the settings add to it */
    struct config cfg;
    struct err err = {0};
    char id_label[32];
    int code = EXIT_UNCLEAR;
    struct ab *ab = calloc(1, sizeof(*ab));
    if (!ab) {
        cli_note("ab: out of memory; close other programs");
        return code;
    }
    a.consts.latency = a.latency;
    ab->a = &a;
    ab->c.stop_fd = -1;
    ab->c.n = 1;
    ab->result.seed = a.seed_given ? (uint64_t)a.seed : clock_wall_ns() / NS_PER_MS % 1000000;
    new_id(&ab->result, id_label, sizeof(id_label));
    config_defaults(&cfg);
    if (prepare(ab, &a, &cfg, id_label, &err) == 0) {
        ab->c.stop_fd = stop_open();
        code = run_all(ab);
        stop_close(ab->c.stop_fd);
    } else {
        cli_error(&err);
    }
    end(ab);
    config_free(&cfg);
    free(ab);
    return code;
}
