#include "cli/out/speak.h"

#include "base/clock.h"
#include "base/str.h"
#include "cli/out/print.h"
#include "cli/stop.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LINE_MAX_W = 2000 };

/* When another sentence is meant: intervals in a row, and seconds since the last one. What lies on
 * the same branch wanders with the noise, and is not told at once. */
enum { STEADY = 2, REST_S = 4, STEADY_NEAR = 5, REST_NEAR_S = 30 };

/* ---- one line ---- */

/* "P-cores: ..." where several kinds of core are measured. Whatever is in a text, no line can move
 * a cursor. */
__attribute__((format(printf, 2, 3))) static void say(struct speaker *sp, const char *fmt, ...) {
    char text[LINE_MAX_W + 1000], safe[LINE_MAX_W + 1000];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    fprintf(sp->out, "%s%s%s\n", sp->many ? session_cores(sp->s) : "", sp->many ? ": " : "",
            str_safe(safe, sizeof(safe), text));
    fflush(sp->out);
}

/* "L3_Bound" is read letter by letter, "L3 Bound" is not. */
static const char *spoken(const char *name, char *buf, size_t cap) {
    str_copy(buf, cap, name);
    for (char *p = buf; *p; p++)
        if (*p == '_')
            *p = ' ';
    return buf;
}

/* A line that was typed has more characters than can be a command. */
static void speak_too_long(struct speaker *sp, size_t most) {
    say(sp, "that line is longer than %zu characters, and was not taken; help lists the commands",
        most);
}

/* The first lines: what is measured, by which model, and with a keyboard how to ask. */
static void speak_begin(const struct speaker *sp, bool keyboard) {
    const struct session *s = sp->s;
    struct speaker all = *sp;
    all.many = false;
    say(&all, "tdtop: %s%s; model %s: %s", s->source.target_text,
        s->source.simulated ? ", all numbers are simulated" : "", s->model.name, s->model.title);
    if (keyboard)
        say(&all, "Enter says how things are; help lists the other commands");
}

/* ---- the sentence ---- */

/* Sure or not, it is the same node; a tie and "nothing is over its limit" are told anew. */
static bool same_as(const struct advice_text *a, int node, enum advice_certainty certainty) {
    const bool one_a = a->certainty == ADVICE_SURE || a->certainty == ADVICE_UNSURE;
    const bool one_b = certainty == ADVICE_SURE || certainty == ADVICE_UNSURE;
    return a->node == node && (a->certainty == certainty || (one_a && one_b));
}

static bool same(const struct advice_text *a, const struct advice_text *b) {
    return same_as(a, b->node, b->certainty);
}

static bool is_above(const struct model *m, int upper, int lower) {
    while (lower != METRIC_NONE && lower != upper)
        lower = m->metric[lower].parent;
    return lower == upper && upper != METRIC_NONE;
}

static bool is_near(const struct model *m, int a, int b) {
    return is_above(m, a, b) || is_above(m, b, a);
}

static void say_sentence(struct speaker *sp) {
    char line[LINE_MAX_W];
    say(sp, "%s", advice_fit(&sp->text, ADVICE_BOTH, LINE_MAX_W - 1, line, sizeof(line)));
}

/* Another one than was said last: has it been this one for long enough? */
static bool is_meant(struct speaker *sp) {
    const bool near = is_near(&sp->s->model, sp->text.node, sp->next_.node);
    const uint64_t rest_ns = (uint64_t)(near ? REST_NEAR_S : REST_S) * NS_PER_S;
    if (sp->differs == 0 || !same_as(&sp->next_, sp->other_node, sp->other_certainty))
        sp->differs = 0;
    sp->other_node = sp->next_.node;
    sp->other_certainty = sp->next_.certainty;
    sp->differs++;
    return sp->differs >= (near ? STEADY_NEAR : STEADY) &&
           sp->s->frame.t1_ns >= sp->said_ns + rest_ns;
}

/* It changes with what it names and how sure it is, not with every number in it. */
static void follow_sentence(struct speaker *sp) {
    static const struct advice_keys none = {"", "", "", ""};
    const struct advice_input in = {.model = &sp->s->model,
                                    .frame = &sp->s->frame,
                                    .explain = sp->explain,
                                    .pid = session_pid(sp->s),
                                    .keys = &none};
    advice_make(sp->advice, &in, &sp->next_);
    if (sp->said && same(&sp->next_, &sp->text)) {
        sp->text = sp->next_; /* for who asks: with the numbers of now */
        sp->differs = 0;
        return;
    }
    if (sp->said && !is_meant(sp))
        return;
    sp->text = sp->next_;
    sp->said = true;
    sp->differs = 0;
    sp->said_ns = sp->s->frame.t1_ns;
    say_sentence(sp);
}

/* ---- what else is new ---- */

static void say_if_new(struct speaker *sp, char *last, size_t cap, const char *now,
                       const char *what) {
    if (strcmp(last, now) == 0)
        return;
    if (now[0])
        say(sp, "%s%s", what, now);
    else
        say(sp, "no longer: %s", last);
    str_copy(last, cap, now);
}

void speak_frame(struct speaker *sp) {
    char warning[256];
    const struct session *s = sp->s;
    say_if_new(sp, sp->note, sizeof(sp->note), s->source.note, "note: ");
    say_if_new(sp, sp->warning, sizeof(sp->warning),
               session_warning(s, &s->frame, warning, sizeof(warning)), "doubtful: ");
    if (s->phase[0])
        say_if_new(sp, sp->phase, sizeof(sp->phase), s->phase, "the simulated core: ");
    follow_sentence(sp);
}

void speak_end(struct speaker *sp) {
    static const char *const words[] = {[STREAM_ENDED] = "the end of the recording",
                                        [STREAM_GONE] = "what was measured has ended",
                                        [STREAM_FAILED] = "counting has failed"};
    if (sp->s->state == sp->state || sp->s->state == STREAM_LIVE)
        return;
    sp->state = sp->s->state;
    const char *why = sp->s->last.text;
    say(sp, "%s%s%s", words[sp->state], why[0] ? ": " : "", why);
}

/* ---- when it is asked for ---- */

/* "Retiring 31.2%, plus or minus 0.4", or why there is no number. */
static void add_value(struct strbuf *sb, const struct speaker *sp, int metric) {
    const struct metric *m = &sp->s->model.metric[metric];
    const struct value *v = &sp->s->frame.at[metric];
    char name[96], text[48], why[256];
    strbuf_add(sb, "%s%s ", sb->n ? "; " : "", spoken(m->name, name, sizeof(name)));
    if (isnan(v->v)) {
        why_text(&sp->s->model, v->why, why, sizeof(why));
        strbuf_add(sb, "is not known%s%s", why[0] ? ": " : "", why);
        return;
    }
    strbuf_add(sb, "%s", print_value(m, v, text, sizeof(text)));
    if (v->err > 0) /* false for NAN */
        strbuf_add(sb, m->share ? ", plus or minus %.1f" : ", plus or minus %.2g",
                   m->share ? v->err * 100 : v->err);
    if (v->approx)
        strbuf_add(sb, ", approximate");
}

/* Level 1 and the vital metrics as a line. */
static void speak_status(struct speaker *sp) {
    char line[LINE_MAX_W] = "";
    struct strbuf sb = strbuf_on(line, sizeof(line));
    const struct session *s = sp->s;
    if (s->n_frames == 0) {
        say(sp, "nothing is measured yet");
        return;
    }
    for (uint32_t i = 0; i < s->model.n_metric; i++)
        if ((i < s->model.n_tree && s->model.metric[i].level == 1) || s->model.metric[i].vital)
            add_value(&sb, sp, (int)i);
    say(sp, "%s%.0f s: %s", s->source.simulated ? "simulated, " : "",
        (double)s->frame.t1_ns / (double)NS_PER_S, line);
}

static void say_list(struct speaker *sp, const char *what, const char **list) {
    for (; list && *list; list++)
        say(sp, "%s: %s", what, *list);
}

static void explain_one(struct speaker *sp, int metric) {
    const struct metric *m = &sp->s->model.metric[metric];
    const struct explain_entry *e = sp->explain ? explain_find(sp->explain, m->name) : NULL;
    char line[LINE_MAX_W] = "", text[LINE_MAX_W];
    struct strbuf sb = strbuf_on(line, sizeof(line));
    if (sp->s->n_frames)
        add_value(&sb, sp, metric);
    say(sp, "%s", line[0] ? line : spoken(m->name, text, sizeof(text)));
    if (!e) {
        say(sp, "the knowledge base has nothing on it");
        return;
    }
    say(sp, "%s", e->summary ? e->summary : "");
    str_copy(text, sizeof(text), e->description ? e->description : "");
    for (char *p = text; *p; p++)
        if (*p == '\n')
            *p = ' ';
    if (text[0])
        say(sp, "%s", text);
    say_list(sp, "cause", e->causes);
    say_list(sp, "try", e->hints);
    say_list(sp, "confirm", e->confirm);
}

/* "l3 bound" is L3_Bound. */
static int find_metric(const struct model *m, const char *name) {
    char joined[128];
    str_copy(joined, sizeof(joined), name);
    for (char *p = joined; *p; p++)
        if (*p == ' ')
            *p = '_';
    for (uint32_t i = 0; i < m->n_metric; i++)
        if (str_same_name(m->metric[i].name, joined))
            return (int)i;
    return METRIC_NONE;
}

static void explain(struct speaker *sp, int n, const char *name) {
    int said = 0;
    if (!name[0] && sp->said && sp->text.node != METRIC_NONE) {
        explain_one(sp, sp->text.node);
        return;
    }
    for (int i = 0; i < n; i++) {
        int metric = find_metric(&sp[i].s->model, name);
        if (metric != METRIC_NONE && said++ == 0)
            explain_one(&sp[i], metric);
    }
    if (said)
        return;
    const char *best = name[0] ? model_nearest(&sp->s->model, name) : NULL;
    char text[96];
    if (best)
        say(sp, "there is no %s; did you mean %s?", name, spoken(best, text, sizeof(text)));
    else
        say(sp, "explain what? Give a name, as: explain Backend Bound");
}

/* ---- commands ---- */

static enum speak_answer do_status(struct speaker *sp, int n, const char *rest,
                                   uint64_t *every_ns) {
    (void)rest, (void)every_ns;
    for (int i = 0; i < n; i++)
        speak_status(&sp[i]);
    return SPEAK_ON;
}

static enum speak_answer do_again(struct speaker *sp, int n, const char *rest, uint64_t *every_ns) {
    (void)rest, (void)every_ns;
    for (int i = 0; i < n; i++)
        sp[i].said ? say_sentence(&sp[i]) : say(&sp[i], "nothing is measured yet");
    return SPEAK_ON;
}

static enum speak_answer do_every(struct speaker *sp, int n, const char *rest, uint64_t *every_ns) {
    (void)n;
    struct err err = {0};
    uint64_t ns = 0;
    if (strcmp(rest, "off") != 0 && str_duration(rest, NS_PER_S, &ns, &err) < 0) {
        say(sp, "every: %s", err.text);
        return SPEAK_ON;
    }
    if (ns > 0 && ns < NS_PER_S) {
        say(sp, "every: %s is too often to be listened to; 1s is the least", rest);
        return SPEAK_ON;
    }
    *every_ns = ns;
    say(sp, ns ? "the status comes every %s" : "the status comes when it is asked for", rest);
    return SPEAK_EVERY;
}

static enum speak_answer do_explain(struct speaker *sp, int n, const char *rest,
                                    uint64_t *every_ns) {
    (void)every_ns;
    explain(sp, n, rest);
    return SPEAK_ON;
}

static enum speak_answer do_quit(struct speaker *sp, int n, const char *rest, uint64_t *every_ns) {
    (void)sp, (void)n, (void)rest, (void)every_ns;
    return SPEAK_QUIT;
}

static enum speak_answer do_help(struct speaker *sp, int n, const char *rest, uint64_t *every_ns);

/* Order is the order of the help, which is said from this table. */
static const struct command {
    const char *word, *other; /* other: another name for it, or NULL */
    enum speak_answer (*act)(struct speaker *sp, int n, const char *rest, uint64_t *every_ns);
    const char *help;
} commands[] = {
    {"status", "", do_status, "Enter, or status: level 1 and the vital signs now"},
    {"again", NULL, do_again, "again: the sentence once more, with the numbers of now"},
    {"explain", NULL, do_explain,
     "explain NAME: what a metric means, what causes it and what to try; without a name, that of "
     "the sentence"},
    {"every", NULL, do_every, "every 30s: the status that often; every off: only when asked"},
    {"help", "?", do_help, "help: these lines"},
    {"quit", "q", do_quit, "quit: the end"},
};
enum { N_COMMANDS = sizeof(commands) / sizeof(commands[0]) };

static enum speak_answer do_help(struct speaker *sp, int n, const char *rest, uint64_t *every_ns) {
    (void)n, (void)rest, (void)every_ns;
    for (int i = 0; i < N_COMMANDS; i++)
        say(sp, "%s", commands[i].help);
    return SPEAK_ON;
}

static const struct command *find_command(const char *word) {
    for (int i = 0; i < N_COMMANDS; i++)
        if (strcmp(word, commands[i].word) == 0 ||
            (commands[i].other && strcmp(word, commands[i].other) == 0))
            return &commands[i];
    return NULL;
}

enum speak_answer speak_command(struct speaker *sp, int n, const char *line, uint64_t *every_ns) {
    char word[16], rest[128];
    line += strspn(line, " \t");
    const size_t len = strcspn(line, " \t\r\n");
    str_copy(word, len < sizeof(word) ? len + 1 : sizeof(word), line);
    str_copy(rest, sizeof(rest), line + len + strspn(line + len, " \t"));
    for (size_t end = strlen(rest); end > 0 && strchr(" \t\r\n", rest[end - 1]);)
        rest[--end] = '\0';
    const struct command *c = find_command(word);
    if (c)
        return c->act(sp, n, rest, every_ns);
    say(sp, "%s is no command; help lists them", word);
    return SPEAK_ON;
}

/*
 * ---- the loop ----
 *
 * The loop of --speak: poll() over what is typed, a signal and the sessions; lines that come every
 * so often have a timer.
 */

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
            return 0; /* the output is closed */
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
