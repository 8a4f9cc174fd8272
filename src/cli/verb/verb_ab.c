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
#include "cli/verb/ab.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { DEFAULT_PAIRS = 100, DEFAULT_S = 300, DEFAULT_SPAN_S = 3 };

/* ---- what is said ---- */

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

static void show(struct ab *ab) {
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
    show(ab);
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
        show(ab);
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
