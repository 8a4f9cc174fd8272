#include "cli/out/speak.h"

#include "base/clock.h"
#include "base/str.h"
#include "cli/out/print.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

enum { LINE_MAX_W = 2000 };

/* When another sentence is meant: intervals in a row, and seconds since the last one. What lies on
 * the same branch wanders with the noise, and is not news at once. */
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

void speak_too_long(struct speaker *sp, size_t most) {
    say(sp, "that line is longer than %zu characters, and was not taken; help lists the commands",
        most);
}

void speak_begin(const struct speaker *sp, bool keyboard) {
    const struct session *s = sp->s;
    struct speaker all = *sp;
    all.many = false;
    say(&all, "tdtop: %s%s; model %s: %s", s->source.target_text,
        s->source.simulated ? ", all numbers are simulated" : "", s->model.name, s->model.title);
    if (keyboard)
        say(&all, "Enter says how things are; help lists the other commands");
}

/* ---- the sentence ---- */

/* Sure or not, it is the same node; a tie and "nothing is over its limit" are other news. */
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
    const struct advice_input in = {
        .model = &sp->s->model, .frame = &sp->s->frame, .explain = sp->explain, .keys = &none};
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

/* "Retiring 31.2 %, plus or minus 0.4", or why there is no number. */
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

void speak_status(struct speaker *sp) {
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
