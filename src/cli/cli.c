#include "cli/cli.h"

#include "base/clock.h"
#include "base/str.h"
#include "base/when.h"
#include "cli/cli_table.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- --const ---- */

static const char latency_ending[] = ":retire_latency";

static int unknown_const(const char *name, struct err *err) {
    char known[256];
    struct strbuf sb = strbuf_on(known, sizeof(known));
    for (int i = 0; i < CONST_N; i++)
        strbuf_add(&sb, " %s", const_name((enum const_id)i));
    return err_set(err, -EINVAL,
                   "--const %s: no constant of this name; there are%s and EVENT:retire_latency",
                   name, known);
}

/* The last of several for one event counts. */
static struct latency_setting *latency_of(struct args *a, const char *event) {
    for (uint32_t i = 0; i < a->consts.n_latency; i++)
        if (!strcmp(a->latency[i].event, event))
            return &a->latency[i];
    return a->consts.n_latency < LATENCIES_MAX ? &a->latency[a->consts.n_latency++] : NULL;
}

static int set_latency(struct args *a, char *name, double cycles, struct err *err) {
    if (!(cycles >= 0))
        return err_set(err, -EINVAL, "--const %s: a latency is a number of cycles, 0 or more",
                       name);
    name[strlen(name) - strlen(latency_ending)] = '\0';
    struct latency_setting *l = latency_of(a, name);
    if (!l)
        return err_set(err, -EINVAL, "--const %s%s: more than %d latencies", name, latency_ending,
                       LATENCIES_MAX);
    str_copy(l->event, sizeof(l->event), name);
    l->cycles = cycles;
    a->consts.latency = a->latency;
    return 0;
}

int cli_set_const(struct args *a, const char *text, struct err *err) {
    char name[sizeof(a->latency[0].event) + sizeof(latency_ending)];
    const char *eq = strrchr(text, '='); /* an event's modifiers may have one, too */
    if (!eq || eq == text || (size_t)(eq - text) >= sizeof(name))
        return err_set(err, -EINVAL, "--const %s: not NAME=VALUE; for example --const SMT_ON=1",
                       text);
    str_copy(name, (size_t)(eq - text) + 1, text);
    char *end;
    double v = strtod(eq + 1, &end);
    if (end == eq + 1 || *end || !isfinite(v))
        return err_set(err, -EINVAL, "--const %s: %s is not a number", text,
                       eq[1] ? eq + 1 : "nothing");
    if (str_ends(name, latency_ending) && strlen(name) > strlen(latency_ending))
        return set_latency(a, name, v, err);
    int id = const_find(name);
    if (id < 0)
        return unknown_const(name, err);
    a->consts.value[id] = v;
    a->consts.fixed_by_user[id] = true;
    return 0;
}

static _Thread_local const char *about = "";
static bool in_journal;

void cli_about(const char *what) {
    about = what;
}

/* JOURNAL_STREAM is DEVICE:INODE of what systemd gave (systemd.exec(5)). */
void cli_journal(void) {
    const char *is = getenv("JOURNAL_STREAM");
    unsigned long long device, inode;
    struct stat st;
    in_journal = is && sscanf(is, "%llu:%llu", &device, &inode) == 2 &&
                 fstat(STDERR_FILENO, &st) == 0 && st.st_dev == device && st.st_ino == inode;
}

static void say(const char *level, const char *text) {
    static pthread_mutex_t one_line = PTHREAD_MUTEX_INITIALIZER;
    char safe[sizeof(((struct err *)NULL)->text)];
    pthread_mutex_lock(&one_line);
    fprintf(stderr, "%stdtop: %s%s%s\n", in_journal ? level : "", about, *about ? ": " : "",
            str_safe(safe, sizeof(safe), text));
    pthread_mutex_unlock(&one_line);
}

void cli_error(const struct err *err) {
    say("<3>", err->text);
}

bool cli_is_usage(const struct err *err) {
    static const char *const begins[] = {
        "no target;", "--speak and", "--json and", "--csv and", "where ", "--nodes:", "--focus",
        "-p ",        "-t ",         "annotate: ", "--listen ", "-L ",    "rule '"};
    for (size_t i = 0; i < sizeof(begins) / sizeof(begins[0]); i++)
        if (err->code == -EINVAL && str_starts(err->text, begins[i]))
            return true;
    return false;
}

void cli_note(const char *fmt, ...) {
    struct err note = {0};
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(note.text, sizeof(note.text), fmt, ap);
    va_end(ap);
    say("<6>", note.text);
}

static bool lacking;

void cli_lack(void) {
    lacking = true;
}

bool cli_lacks(void) {
    return lacking;
}

int cli_flush(FILE *out) {
    errno = 0;
    if (fflush(out) == 0 && !ferror(out))
        return 0;
    if (errno)
        return -errno;
    /* It failed some time ago, and errno may be of anything since. What was written is cut off, so
     * that another byte does no harm, and brings the cause back. */
    clearerr(out);
    if (fputc('\n', out) != EOF && fflush(out) == 0)
        errno = EIO;
    return errno ? -errno : -EIO;
}

int cli_finish(int code) {
    if (cli_lacks()) {
        cli_note("out of memory; what was to be printed is not complete; close other programs");
        return EXIT_ERROR;
    }
    const int rc = cli_flush(stdout);
    if (rc == 0)
        return code;
    cli_note("standard output: %s; what was written is not complete", strerror(-rc));
    return EXIT_ERROR;
}

static int find_verb(const char *word) {
    for (int i = 0; i < VERB_N; i++)
        if (!strcmp(word, cli_verbs[i].name))
            return i;
    return -1;
}

static void help_options(unsigned verb_bit) {
    for (int i = 0; i < cli_n_options; i++) {
        const struct cli_option *o = &cli_options[i];
        if (!(o->verbs & verb_bit))
            continue;
        char left[64];
        struct strbuf sb = strbuf_on(left, sizeof(left));
        strbuf_add(&sb, o->letter ? "-%c, " : "    ", o->letter);
        strbuf_add(&sb, "--%s%s%s", o->name, o->arg ? " " : "", o->arg ? o->arg : "");
        printf("  %-26s %s\n", left, o->help);
    }
}

void cli_help(const struct args *a) {
    int named = a->verb == VERB_HELP && a->n_word ? find_verb(a->word[0]) : -1;
    enum verb_id verb = named >= 0 ? (enum verb_id)named : a->verb;
    if (verb != VERB_LIVE && verb != VERB_HELP) {
        printf("tdtop %s %s\n    %s\n\n", cli_verbs[verb].name, cli_verbs[verb].words,
               cli_verbs[verb].help);
        help_options(BIT(verb));
        return;
    }
    printf("tdtop: where a program's CPU pipeline slots go, live\n\n"
           "tdtop [-p PID | -P NAME | -t TID | -G CGROUP | -a | -C CPUS | -- COMMAND ARG...] "
           "[OPTIONS]\n"
           "tdtop          a list of the processes to choose from\n");
    for (int i = VERB_DEMO; i < VERB_N; i++)
        printf("tdtop %-8s %-23s %s\n", cli_verbs[i].name, cli_verbs[i].words, cli_verbs[i].help);
    printf("\nOptions of the live screen (tdtop help VERB for the others):\n");
    help_options(BIT(VERB_LIVE));
    printf("\nNot a terminal: rows instead of a screen. Exit status: 0; 1 error; 2 usage; with a "
           "command, the command's.\n");
}

static int set_int(const struct cli_option *o, const char *text, int64_t *out, struct err *err) {
    char *end;
    errno = 0;
    long long v = strtoll(text, &end, 10);
    if (end == text || *end || errno)
        return err_set(err, -EINVAL, "--%s %s: not a whole number", o->name, text);
    if (v < o->min || v > o->max)
        return err_set(err, -EINVAL, "--%s %s: out of range; it takes %lld to %lld", o->name, text,
                       (long long)o->min, (long long)o->max);
    *out = v;
    return 0;
}

static int set_real(const struct cli_option *o, const char *text, double *out, struct err *err) {
    char *end;
    double v = strtod(text, &end);
    if (end == text || *end)
        return err_set(err, -EINVAL, "--%s %s: not a number", o->name, text);
    if (!(v >= (double)o->min && v <= (double)o->max))
        return err_set(err, -EINVAL, "--%s %s: out of range; it takes %lld to %lld", o->name, text,
                       (long long)o->min, (long long)o->max);
    *out = v;
    return 0;
}

static int set_time(const struct cli_option *o, const char *text, uint64_t *out, struct err *err) {
    int rc = str_duration(text, o->type == OPT_TIME_MS ? NS_PER_MS : NS_PER_S, out, err);
    if (rc < 0)
        return err_prefix(err, "--%s %s", o->name, text), rc;
    if (o->type == OPT_TIME_MS && *out < FLOOR_MS * NS_PER_MS)
        return err_set(err, -EINVAL,
                       "--%s %s: shorter than %d ms, where reading the counters would be the load",
                       o->name, text, FLOOR_MS);
    if (!*out)
        return err_set(err, -EINVAL, "--%s %s: must be longer than nothing", o->name, text);
    return 0;
}

static int add_text(const struct cli_option *o, const char *text, struct text_list *out,
                    struct err *err) {
    if (!*text)
        return err_set(err, -EINVAL, "--%s: empty; it takes %s", o->name, o->arg);
    if (out->n == TEXTS_MAX)
        return err_set(err, -EINVAL, "--%s %s: given more than %d times", o->name, text, TEXTS_MAX);
    out->at[out->n++] = text;
    return 0;
}

static int say_no_ids(const struct cli_option *o, const char *next, struct err *err) {
    const bool pid = o->letter == 'p';
    return err_set(err, -EINVAL, "-%c: no %s number follows%s%s (%s printed nothing?); %s",
                   o->letter, pid ? "process" : "thread", next ? ", but " : "", next ? next : "",
                   pid ? "pidof" : "$(...)",
                   pid ? "-P NAME waits for a process of that name"
                       : "ls /proc/PID/task lists those of a process");
}

/* -p and -t exclude each other, so that there is one text of them. */
static int add_ids(struct args *a, const struct cli_option *o, const char *text, const char **out,
                   struct err *err) {
    if (!*text)
        return say_no_ids(o, NULL, err);
    const size_t used = strlen(a->ids), n = strlen(text);
    if (used + n + 2 > sizeof(a->ids))
        return err_set(err, -E2BIG, "-%c: too many of them; measure the whole system with -a",
                       o->letter);
    if (used)
        a->ids[used] = ' ';
    memcpy(a->ids + used + (used > 0), text, n + 1);
    *out = a->ids;
    return 0;
}

/* "43", "43,44": what the shell makes of -p $(pidof NAME). */
static bool is_ids(const char *word) {
    return isdigit((unsigned char)word[0]) && !word[strspn(word, "0123456789, ")];
}

static int set_span(const struct cli_option *o, const char *text, uint64_t *out, struct err *err) {
    int rc = when_span(text, out, err);
    if (rc < 0)
        return err_prefix(err, "--%s", o->name), rc;
    if (!*out)
        return err_set(err, -EINVAL, "--%s %s: must be longer than nothing", o->name, text);
    return 0;
}

static int set_when(const struct cli_option *o, const char *text, int64_t *out, struct err *err) {
    int rc = when_point(text, (int64_t)clock_wall_ns(), out, err);
    if (rc < 0)
        err_prefix(err, "--%s", o->name);
    return rc;
}

static int set_option(struct args *a, const struct cli_option *o, const char *value,
                      struct err *err) {
    char *at = (char *)a + o->at;
    switch (o->type) {
    case OPT_FLAG:
        *(bool *)(void *)at = true;
        return 0;
    case OPT_WORDS:
        *(const char **)(void *)at = value;
        return 0;
    case OPT_TEXT:
        if (!*value)
            return err_set(err, -EINVAL, "--%s: empty; it takes %s", o->name, o->arg);
        *(const char **)(void *)at = value;
        return 0;
    case OPT_LIST:
        return add_text(o, value, (struct text_list *)(void *)at, err);
    case OPT_IDS:
        return add_ids(a, o, value, (const char **)(void *)at, err);
    case OPT_INT:
        a->seed_given |= o->at == offsetof(struct args, seed);
        return set_int(o, value, (int64_t *)(void *)at, err);
    case OPT_REAL:
        a->speed_given |= o->at == offsetof(struct args, speed);
        return set_real(o, value, (double *)(void *)at, err);
    case OPT_TIME_MS:
    case OPT_TIME_S:
        return set_time(o, value, (uint64_t *)(void *)at, err);
    case OPT_SPAN:
        return set_span(o, value, (uint64_t *)(void *)at, err);
    case OPT_WHEN:
        return set_when(o, value, (int64_t *)(void *)at, err);
    case OPT_CONST:
        return cli_set_const(a, value, err);
    }
    return 0;
}

void cli_copy_args(struct args *to, const struct args *from) {
    *to = *from;
    to->consts.latency = to->latency;
    if (from->pids == from->ids)
        to->pids = to->ids;
    if (from->tids == from->ids)
        to->tids = to->ids;
}

/* One name may mean different things to different verbs: the row of this verb, else any. */
static const struct cli_option *find_long(const struct args *a, const char *name, size_t n) {
    const struct cli_option *any = NULL;
    for (int i = 0; i < cli_n_options; i++) {
        const struct cli_option *o = &cli_options[i];
        if (strlen(o->name) != n || memcmp(o->name, name, n) != 0)
            continue;
        if (o->verbs & BIT(a->verb))
            return o;
        any = any ? any : o;
    }
    for (int i = 0; i < cli_n_aliases && !any; i++)
        if (strlen(cli_aliases[i].name) == n && !memcmp(cli_aliases[i].name, name, n))
            return find_long(a, cli_aliases[i].option, strlen(cli_aliases[i].option));
    return any;
}

static const struct cli_option *find_letter(const struct args *a, char letter) {
    const struct cli_option *any = NULL;
    for (int i = 0; i < cli_n_options; i++) {
        if (!letter || cli_options[i].letter != letter)
            continue;
        if (cli_options[i].verbs & BIT(a->verb))
            return &cli_options[i];
        any = any ? any : &cli_options[i];
    }
    return any;
}

static int unknown_option(const char *text, struct err *err) {
    /* nearer than a third of what was typed */
    struct str_nearest near = {.to = text + 2, .below = (int)strlen(text) / 3};
    for (int i = 0; i < cli_n_options && !strncmp(text, "--", 2); i++)
        str_nearest(&near, cli_options[i].name);
    return err_set(err, -EINVAL, "%s: no such option; %s%s%stdtop --help lists them", text,
                   near.best ? "did you mean --" : "", near.best ? near.best : "",
                   near.best ? "? " : "");
}

/* The value of an option was to follow, but did not: an empty $(...) leaves no word. Words to say
 * may be anything. */
static bool is_option(const struct args *a, const struct cli_option *o, const char *word) {
    if (word[0] != '-' || !word[1] || o->type == OPT_WORDS)
        return false;
    if (word[1] != '-')
        return find_letter(a, word[1]);
    return !word[2] || find_long(a, word + 2, strcspn(word + 2, "="));
}

/* Takes the value of o from "=value", the rest of the word, or the next word. */
static int take(struct args *a, const struct cli_option *o, const char *rest, int *i, int argc,
                char **argv, struct err *err) {
    if (!(o->verbs & BIT(a->verb)) && find_verb(o->name) >= 0)
        return err_set(err, -EINVAL, "--%s does not go here; tdtop %s is a command of its own",
                       o->name, o->name);
    if (!(o->verbs & BIT(a->verb)))
        return err_set(err, -EINVAL,
                       "--%s does not go with `tdtop %s`; tdtop help %s lists what does", o->name,
                       cli_verbs[a->verb].name, cli_verbs[a->verb].name);
    if (o->verbs & ROWS)
        a->rows = o->name;
    if (o->type == OPT_FLAG && rest)
        return err_set(err, -EINVAL, "--%s takes no value, but got %s", o->name, rest);
    if (o->type == OPT_FLAG)
        return set_option(a, o, NULL, err);
    if (!rest) {
        const char *next = *i + 1 < argc ? argv[*i + 1] : NULL;
        if (o->type == OPT_IDS && (!next || is_option(a, o, next)))
            return say_no_ids(o, next, err);
        if (!next)
            return err_set(err, -EINVAL, "--%s needs %s", o->name, o->arg);
        if (is_option(a, o, next))
            return err_set(err, -EINVAL, "--%s needs %s, but %s follows it; was $(...) empty?",
                           o->name, o->arg, next);
        rest = argv[++*i];
    }
    int rc = set_option(a, o, rest, err);
    while (rc == 0 && o->type == OPT_IDS && *i + 1 < argc && is_ids(argv[*i + 1]))
        rc = set_option(a, o, argv[++*i], err);
    return rc;
}

static int parse_long(struct args *a, const char *word, int *i, int argc, char **argv,
                      struct err *err) {
    const char *eq = strchr(word, '=');
    const struct cli_option *o =
        find_long(a, word + 2, eq ? (size_t)(eq - word - 2) : strlen(word + 2));
    if (!o)
        return unknown_option(word, err);
    return take(a, o, eq ? eq + 1 : NULL, i, argc, argv, err);
}

static int parse_short(struct args *a, const char *word, int *i, int argc, char **argv,
                       struct err *err) {
    for (const char *p = word + 1; *p; p++) {
        const struct cli_option *o = find_letter(a, *p);
        if (!o)
            return unknown_option(word, err);
        bool flag = o->type == OPT_FLAG;
        int rc = take(a, o, flag || !p[1] ? NULL : p + 1, i, argc, argv, err);
        if (rc < 0 || !flag)
            return rc;
    }
    return 0;
}

static int parse_word(struct args *a, char *word, struct err *err) {
    if (a->n_word < cli_verbs[a->verb].max_words) {
        if (a->n_word < 2)
            a->word[a->n_word] = word;
        a->words[a->n_word++] = word;
        return 0;
    }
    if (a->verb == VERB_LIVE && find_verb(word) >= 0)
        return err_set(err, -EINVAL, "%s: the verb comes first: tdtop %s [OPTIONS]", word, word);
    if (a->pids && is_ids(word))
        return err_set(err, -EINVAL, "%s: numbers of processes stand together: -p %s %s", word,
                       a->pids, word);
    if (a->verb == VERB_LIVE)
        return err_set(err, -EINVAL,
                       "%s: neither a verb nor an option; a process is -p PID or -P NAME, a "
                       "command comes after --",
                       word);
    return err_set(err, -EINVAL, "%s: `tdtop %s` takes %s", word, cli_verbs[a->verb].name,
                   cli_verbs[a->verb].words);
}

/* Tasks are counted per thread, CPUs and what runs on them per CPU. */
static int check_units(const struct args *a, struct err *err) {
    const bool cpus = a->all || a->cpus || a->cgroup;
    const bool tasks = a->pids || a->name || a->tids || a->command;
    if (a->per_thread && a->per_cpu)
        return err_set(err, -EINVAL,
                       "--per-thread and --per-cpu exclude each other; give one of them");
    if (a->per_thread && cpus)
        return err_set(err, -EINVAL,
                       "--per-thread: this target is counted per CPU; give --per-cpu, or -p PID");
    if (a->per_cpu && tasks)
        return err_set(err, -EINVAL,
                       "--per-cpu: this target is counted per thread; give --per-thread, or -a");
    return 0;
}

static int check_target(const struct args *a, struct err *err) {
    int n = !!a->pids + !!a->name + !!a->tids + !!a->cgroup + a->all + !!a->cpus + !!a->command +
            a->demo;
    if (n > 1)
        return err_set(err, -EINVAL,
                       "more than one target; give one of -p, -P, -t, -G, -a, -C%s or -- COMMAND",
                       a->verb == VERB_COLLECT || a->verb == VERB_SERVE ? ", --demo" : "");
    if (a->user && a->kernel)
        return err_set(
            err, -EINVAL,
            "--user and --kernel exclude each other; leave both out to count everything");
    int bad = check_units(a, err);
    if (bad)
        return bad;
    if (a->model && a->cpuid)
        return err_set(err, -EINVAL, "--model and --cpuid exclude each other; give one of them");
    if ((a->verb == VERB_COLLECT || a->verb == VERB_SERVE) && !a->demo &&
        (a->seed_given || a->cpuid))
        return err_set(err, -EINVAL, "--%s goes with --demo only; leave it out",
                       a->cpuid ? "cpuid" : "seed");
    return 0;
}

static int check_models(const struct args *a, struct err *err) {
    if (a->here && (a->n_word || a->cpuid || a->check))
        return err_set(err, -EINVAL,
                       "--here is about this machine; %s does not go with it (--model NAME does)",
                       a->n_word  ? a->word[0]
                       : a->cpuid ? "--cpuid"
                                  : "--check");
    if (a->check && a->n_word)
        return err_set(err, -EINVAL, "--check FILE and %s exclude each other; give one of them",
                       a->word[0]);
    return 0;
}

static int check_form(const struct args *a, struct err *err) {
    if (a->json && a->separator)
        return err_set(err, -EINVAL, "-j and -x exclude each other; give one of them");
    if (a->explain && a->separator)
        return err_set(err, -EINVAL,
                       "--explain-value and -x exclude each other; leave -x out, or use -j");
    if (a->json + a->csv + a->markdown > 1)
        return err_set(err, -EINVAL, "%s and %s exclude each other; give one of them",
                       a->json ? "-j" : "--csv", a->csv && a->json ? "--csv" : "--markdown");
    return 0;
}

/* The word that a verb cannot do without. */
static int check_words(const struct args *a, struct err *err) {
    const char *needs = cli_verbs[a->verb].needs;
    if (needs && a->n_word < 1)
        return err_set(err, -EINVAL, "%s needs %s", cli_verbs[a->verb].name, needs);
    if (a->verb == VERB_HELP && a->n_word && find_verb(a->word[0]) < 0)
        return err_set(err, -EINVAL, "help %s: no such verb; tdtop help lists them", a->word[0]);
    return 0;
}

static int check(const struct args *a, struct err *err) {
    static int (*const checks[])(const struct args *, struct err *) = {check_target, check_models,
                                                                       check_form, check_words};
    int rc = 0;
    for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]) && rc == 0 && !a->help; i++)
        rc = checks[i](a, err);
    return rc;
}

/* "-- CMD A -- CMD B": the second "--" ends A. */
static int split_commands(struct args *a, struct err *err) {
    for (char **at = a->command; *at; at++) {
        if (strcmp(*at, "--") != 0)
            continue;
        if (a->command_b)
            return err_set(err, -EINVAL,
                           "ab: a third --, so that it is not clear where B begins; give --a "
                           "'COMMAND' --b 'COMMAND'");
        *at = NULL;
        a->command_b = at + 1;
    }
    return 0;
}

static int take_command(struct args *a, char **rest, struct err *err) {
    if (a->verb != VERB_LIVE && a->verb != VERB_COLLECT && a->verb != VERB_AB &&
        a->verb != VERB_SERVE && a->verb != VERB_WHERE && a->verb != VERB_ANNOTATE)
        return err_set(err, -EINVAL, "--: `tdtop %s` runs no command", cli_verbs[a->verb].name);
    if (!*rest)
        return err_set(err, -EINVAL, "--: a command must follow");
    a->command = rest;
    return a->verb == VERB_AB ? split_commands(a, err) : 0;
}

int cli_parse(struct args *a, int argc, char **argv, struct err *err) {
    *a = (struct args){.speed = 1, .seed = 1, .level = -1, .limit = -1};
    a->min_pct = a->confidence = NAN;
    consts_init(&a->consts);
    int i = 1;
    if (argc > 1 && argv[1][0] != '-' && find_verb(argv[1]) >= 0)
        a->verb = (enum verb_id)find_verb(argv[i++]);
    a->words = argv + i; /* a word is never put behind where it was read */
    for (; i < argc; i++) {
        char *word = argv[i];
        int rc;
        if (!strcmp(word, "--")) {
            if ((rc = take_command(a, argv + i + 1, err)) < 0)
                return rc;
            break;
        }
        if (!strncmp(word, "--", 2))
            rc = parse_long(a, word, &i, argc, argv, err);
        else if (word[0] == '-' && word[1])
            rc = parse_short(a, word, &i, argc, argv, err);
        else
            rc = parse_word(a, word, err);
        if (rc < 0)
            return rc;
    }
    return check(a, err);
}
