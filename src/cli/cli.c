#include "cli/cli.h"

#include "base/clock.h"
#include "base/str.h"

#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BIT(v) (1u << (v))
enum {
    IN_LIVE = BIT(VERB_LIVE),
    IN_SIM = BIT(VERB_DEMO),
    IN_REPLAY = BIT(VERB_REPLAY),
    IN_MEASURE = IN_LIVE | IN_SIM | IN_REPLAY,
    IN_MODELS = BIT(VERB_MODELS),
    IN_DOCTOR = BIT(VERB_DOCTOR),
    IN_SELFTEST = BIT(VERB_SELFTEST),
    IN_PLAN = BIT(VERB_PLAN),
    /* whatever opens a model */
    IN_CHOICE = IN_MEASURE | IN_MODELS | IN_DOCTOR | IN_SELFTEST | IN_PLAN,
    IN_ALL = BIT(VERB_N) - 1,
};

static const struct {
    const char *name, *words, *help;
    int max_words;
} verbs[VERB_N] = {
    [VERB_LIVE] = {"live", "[TARGET] [OPTIONS]", "the live screen (no verb needed)", 0},
    [VERB_DEMO] = {"demo", "[OPTIONS]", "the live screen on a simulated core; says SIMULATED", 0},
    [VERB_REPLAY] = {"replay", "FILE [OPTIONS]",
                     "the live screen on a recording of perf stat; - is standard input", 1},
    [VERB_MODELS] = {"models", "[NAME [NODE|GROUP]]",
                     "the models; NAME: its tree, -v formulas and events too; NODE: one whole", 2},
    [VERB_DOCTOR] = {"doctor", "[-j]", "every check: found, effect, exact fix", 0},
    [VERB_SELFTEST] = {"selftest", "[KERNEL]",
                       "measures small programs of known character; exit 1 if one led elsewhere",
                       1},
    [VERB_PLAN] = {"plan", "[OPTIONS]",
                   "groups of counters: which events, how often, for which nodes", 0},
    [VERB_VERSION] = {"version", "[-j]", "version and libraries", 0},
    [VERB_HELP] = {"help", "[VERB]", "this text, or a verb's options", 1},
};

enum option_type { OPT_FLAG, OPT_TEXT, OPT_INT, OPT_REAL, OPT_TIME_MS, OPT_TIME_S, OPT_CONST };

struct option {
    const char *name;
    char letter;
    const char *arg;
    enum option_type type;
    size_t at; /* in struct args */
    unsigned verbs;
    int64_t min, max;
    const char *help;
};

#define AT(field) offsetof(struct args, field)
#define FLOOR_MS  20

/* Order is the order of --help. */
static const struct option options[] = {
    {"pid", 'p', "PID[,PID]", OPT_TEXT, AT(pids), IN_LIVE, 0, 0, "all threads of these processes"},
    {"process", 'P', "NAME", OPT_TEXT, AT(name), IN_LIVE, 0, 0, "all processes of this name"},
    {"tid", 't', "TID[,TID]", OPT_TEXT, AT(tids), IN_LIVE, 0, 0, "these threads and no others"},
    {"cgroup", 'G', "CGROUP", OPT_TEXT, AT(cgroup), IN_LIVE, 0, 0,
     "a cgroup: its path, a unit such as redis-server, or a container's id"},
    {"all", 'a', NULL, OPT_FLAG, AT(all), IN_LIVE | IN_PLAN, 0, 0, "the whole system"},
    {"cpus", 'C', "CPUS", OPT_TEXT, AT(cpus), IN_LIVE, 0, 0, "these CPUs: 0-3,8"},
    {"user", 0, NULL, OPT_FLAG, AT(user), IN_LIVE, 0, 0, "count user space only"},
    {"kernel", 0, NULL, OPT_FLAG, AT(kernel), IN_LIVE, 0, 0, "count the kernel only"},
    {"interval", 'I', "TIME", OPT_TIME_MS, AT(interval_ns), IN_LIVE | IN_SIM, 0, 0,
     "time between samples: 100, 250ms, 1s (default 1s, floor 20ms)"},
    {"duration", 'd', "TIME", OPT_TIME_S, AT(duration_ns), IN_MEASURE, 0, 0,
     "stop after this time: 30s, 5m"},
    {"count", 'n', "N", OPT_INT, AT(count), IN_MEASURE, 1, INT64_MAX, "stop after N intervals"},
    {"level", 'l', "N", OPT_INT, AT(level), IN_MEASURE | IN_PLAN, 0, 6,
     "deepest level of the tree to measure; 0 = everything (default)"},
    {"nodes", 0, "LIST", OPT_TEXT, AT(nodes), IN_MEASURE | IN_PLAN, 0, 0,
     "measure these too (without -l: beside levels 1 and 2): +L1_Bound*,-DSB,Mem^,L2*/3; !: "
     "only these"},
    {"focus", 0, "MODE", OPT_TEXT, AT(focus), IN_LIVE | IN_SIM, 0, 0,
     "count beside levels 1 and 2: auto: what is open and the bottleneck path; open; off: all"},
    {"model", 0, "NAME", OPT_TEXT, AT(model), IN_MEASURE | IN_MODELS | IN_SELFTEST | IN_PLAN, 0, 0,
     "use this model: a name of `tdtop models`, a .toml file, or a CPU's id"},
    {"cpuid", 0, "ID", OPT_TEXT, AT(cpuid), IN_SIM | IN_REPLAY | IN_MODELS | IN_PLAN, 0, 0,
     "the model of this CPU: GenuineIntel-6-8F-8 (family decimal, the rest hexadecimal), "
     "0x410fd490"},
    {"counters", 0, "N", OPT_INT, AT(counters), IN_PLAN, 1, 64,
     "plan for N general counters: in a guest, beside another user of them"},
    {"cputype", 0, "TYPE", OPT_TEXT, AT(core_type), IN_CHOICE, 0, 0,
     "of several kinds of core one alone: core, atom, lowpower, or a PMU's name"},
    {"model-dir", 0, "DIR", OPT_TEXT, AT(places.models), IN_CHOICE, 0, 0,
     "models here replace the built-in ones"},
    {"metrics-dir", 0, "DIR", OPT_TEXT, AT(places.metrics), IN_CHOICE, 0, 0,
     "your own metrics (default: metrics.d beside the settings)"},
    {"const", 0, "NAME=VALUE", OPT_CONST, 0, IN_MEASURE | IN_PLAN, 0, 0,
     "what cannot be found out: SMT_ON=1, EVENT:retire_latency=12.5"},
    {"batch", 'b', NULL, OPT_FLAG, AT(batch), IN_MEASURE, 0, 0, "rows instead of the screen"},
    {"json", 'j', NULL, OPT_FLAG, AT(json), IN_ALL, 0, 0,
     "JSON: one object per interval; elsewhere all of it at once"},
    {"separator", 'x', "SEP", OPT_TEXT, AT(separator), IN_MEASURE, 0, 0, "CSV with this separator"},
    {"output", 'o', "FILE", OPT_TEXT, AT(output), IN_MEASURE, 0, 0, "rows go to FILE"},
    {"summary", 0, NULL, OPT_FLAG, AT(summary), IN_MEASURE | IN_MODELS, 0, 0,
     "after the last interval, the whole run; models NAME: the tree in short"},
    {"verbose", 'v', NULL, OPT_FLAG, AT(verbose), IN_ALL, 0, 0, "rows: every metric, with reasons"},
    {"per-thread", 0, NULL, OPT_FLAG, AT(per_thread), IN_LIVE | IN_SIM, 0, 0,
     "rows: each thread, too: level 1 and the vital metrics"},
    {"per-cpu", 0, NULL, OPT_FLAG, AT(per_cpu), IN_LIVE | IN_SIM, 0, 0,
     "rows: each CPU, too, where CPUs are counted (-a, -C, -G)"},
    {"explain-value", 0, "NODE", OPT_TEXT, AT(explain), IN_MEASURE, 0, 0,
     "rows: how the value of NODE came about, down to the counts"},
    {"only", 0, "WHAT", OPT_TEXT, AT(only), IN_REPLAY, 0, 0,
     "only this CPU0, S0, thread or cgroup of the recording"},
    {"speed", 0, "N", OPT_REAL, AT(speed), IN_SIM | IN_REPLAY, 0, 1000000,
     "N times as fast; 0 = as fast as possible (default: 1 on the screen, 0 in batch)"},
    {"at", 0, "TIME", OPT_TIME_S, AT(at_ns), IN_SIM | IN_REPLAY, 0, 0,
     "run on to this moment and stand still"},
    {"seed", 0, "N", OPT_INT, AT(seed), IN_SIM, 0, INT64_MAX,
     "the same seed gives the same numbers"},
    {"here", 0, NULL, OPT_FLAG, AT(here), IN_MODELS, 0, 0,
     "which model this machine gets, and why"},
    {"check", 0, "FILE", OPT_TEXT, AT(check), IN_MODELS, 0, 0,
     "every problem of a model or metrics file; exit 1 if there are any"},
    {"theme", 0, "NAME", OPT_TEXT, AT(theme), IN_MEASURE, 0, 0,
     "default, light, high-contrast, colorblind, mono, or a file"},
    {"color", 0, "N", OPT_TEXT, AT(color), IN_MEASURE, 0, 0, "auto, mono, 8, 16, 256 or truecolor"},
    {"ascii", 0, NULL, OPT_FLAG, AT(ascii), IN_MEASURE, 0, 0, "draw with ASCII characters only"},
    {"no-mouse", 0, NULL, OPT_FLAG, AT(no_mouse), IN_MEASURE, 0, 0,
     "leave the mouse to the terminal"},
    {"config", 0, "FILE", OPT_TEXT, AT(config), IN_CHOICE, 0, 0,
     "settings (default $XDG_CONFIG_HOME/tdtop/config.toml)"},
    {"log", 0, "FILE", OPT_TEXT, AT(log), IN_MEASURE, 0, 0, "what tdtop does, for developers"},
    {"help", 'h', NULL, OPT_FLAG, AT(help), IN_ALL, 0, 0, "this text"},
    {"version", 'V', NULL, OPT_FLAG, AT(version), IN_ALL, 0, 0, "version"},
};
enum { N_OPTIONS = sizeof(options) / sizeof(options[0]) };

bool cli_is_usage(const struct err *err) {
    static const char *const begins[] = {"no target;", "--nodes:", "--focus", "-p ", "-t "};
    for (size_t i = 0; i < sizeof(begins) / sizeof(begins[0]); i++)
        if (err->code == -EINVAL && str_starts(err->text, begins[i]))
            return true;
    return false;
}

void cli_error(const struct err *err) {
    char safe[sizeof(err->text)];
    fprintf(stderr, "tdtop: %s\n", str_safe(safe, sizeof(safe), err->text));
}

void cli_note(const char *fmt, ...) {
    struct err note = {0};
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(note.text, sizeof(note.text), fmt, ap);
    va_end(ap);
    cli_error(&note);
}

static int find_verb(const char *word) {
    for (int i = 0; i < VERB_N; i++)
        if (!strcmp(word, verbs[i].name))
            return i;
    return -1;
}

static void help_options(unsigned verb_bit) {
    for (int i = 0; i < N_OPTIONS; i++) {
        const struct option *o = &options[i];
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
        printf("tdtop %s %s\n    %s\n\n", verbs[verb].name, verbs[verb].words, verbs[verb].help);
        help_options(BIT(verb));
        return;
    }
    printf("tdtop: where a program's CPU pipeline slots go, live\n\n"
           "tdtop [-p PID | -P NAME | -t TID | -G CGROUP | -a | -C CPUS | -- COMMAND ARG...] "
           "[OPTIONS]\n"
           "tdtop          a list of the processes to choose from\n");
    for (int i = VERB_DEMO; i < VERB_N; i++)
        printf("tdtop %-8s %-16s %s\n", verbs[i].name, verbs[i].words, verbs[i].help);
    printf("\nOptions of the live screen (tdtop help VERB for the others):\n");
    help_options(IN_LIVE);
    printf("\nNot a terminal: rows instead of a screen. Exit status: 0; 1 error; 2 usage; with a "
           "command, the command's.\n");
}

static int set_int(const struct option *o, const char *text, int64_t *out, struct err *err) {
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

static int set_real(const struct option *o, const char *text, double *out, struct err *err) {
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

static int set_time(const struct option *o, const char *text, uint64_t *out, struct err *err) {
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

static int set_option(struct args *a, const struct option *o, const char *value, struct err *err) {
    char *at = (char *)a + o->at;
    switch (o->type) {
    case OPT_FLAG:
        *(bool *)(void *)at = true;
        return 0;
    case OPT_TEXT:
        if (!*value)
            return err_set(err, -EINVAL, "--%s: empty; it takes %s", o->name, o->arg);
        *(const char **)(void *)at = value;
        return 0;
    case OPT_INT:
        return set_int(o, value, (int64_t *)(void *)at, err);
    case OPT_REAL:
        a->speed_given = true;
        return set_real(o, value, (double *)(void *)at, err);
    case OPT_TIME_MS:
    case OPT_TIME_S:
        return set_time(o, value, (uint64_t *)(void *)at, err);
    case OPT_CONST:
        return cli_set_const(a, value, err);
    }
    return 0;
}

static const struct option *find_long(const char *name, size_t n) {
    for (int i = 0; i < N_OPTIONS; i++)
        if (strlen(options[i].name) == n && !memcmp(options[i].name, name, n))
            return &options[i];
    return NULL;
}

static const struct option *find_letter(char letter) {
    for (int i = 0; i < N_OPTIONS; i++)
        if (letter && options[i].letter == letter)
            return &options[i];
    return NULL;
}

static int unknown_option(const char *text, struct err *err) {
    const char *best = NULL;
    int dist = (int)strlen(text) / 3; /* nearer than a third of what was typed */
    for (int i = 0; i < N_OPTIONS && !strncmp(text, "--", 2); i++) {
        int d = str_distance(text + 2, options[i].name);
        if (d < dist) {
            dist = d;
            best = options[i].name;
        }
    }
    return err_set(err, -EINVAL, "%s: no such option; %s%s%stdtop --help lists them", text,
                   best ? "did you mean --" : "", best ? best : "", best ? "? " : "");
}

/* Takes the value of o from "=value", the rest of the word, or the next word. */
static int take(struct args *a, const struct option *o, const char *rest, int *i, int argc,
                char **argv, struct err *err) {
    if (!(o->verbs & BIT(a->verb)))
        return err_set(err, -EINVAL,
                       "--%s does not go with `tdtop %s`; tdtop help %s lists what does", o->name,
                       verbs[a->verb].name, verbs[a->verb].name);
    if (o->type == OPT_FLAG && rest)
        return err_set(err, -EINVAL, "--%s takes no value, but got %s", o->name, rest);
    if (o->type == OPT_FLAG)
        return set_option(a, o, NULL, err);
    if (!rest) {
        if (*i + 1 >= argc)
            return err_set(err, -EINVAL, "--%s needs %s", o->name, o->arg);
        rest = argv[++*i];
    }
    return set_option(a, o, rest, err);
}

static int parse_long(struct args *a, const char *word, int *i, int argc, char **argv,
                      struct err *err) {
    const char *eq = strchr(word, '=');
    const struct option *o = find_long(word + 2, eq ? (size_t)(eq - word - 2) : strlen(word + 2));
    if (!o)
        return unknown_option(word, err);
    return take(a, o, eq ? eq + 1 : NULL, i, argc, argv, err);
}

static int parse_short(struct args *a, const char *word, int *i, int argc, char **argv,
                       struct err *err) {
    for (const char *p = word + 1; *p; p++) {
        const struct option *o = find_letter(*p);
        if (!o)
            return unknown_option(word, err);
        bool flag = o->type == OPT_FLAG;
        int rc = take(a, o, flag || !p[1] ? NULL : p + 1, i, argc, argv, err);
        if (rc < 0 || !flag)
            return rc;
    }
    return 0;
}

static int parse_word(struct args *a, const char *word, struct err *err) {
    if (a->n_word < verbs[a->verb].max_words) {
        a->word[a->n_word++] = word;
        return 0;
    }
    if (a->verb == VERB_LIVE && find_verb(word) >= 0)
        return err_set(err, -EINVAL, "%s: the verb comes first: tdtop %s [OPTIONS]", word, word);
    if (a->verb == VERB_LIVE && a->pids && strspn(word, "0123456789") == strlen(word))
        return err_set(err, -EINVAL, "%s: several processes are one list: -p %s,%s", word, a->pids,
                       word);
    if (a->verb == VERB_LIVE)
        return err_set(err, -EINVAL,
                       "%s: neither a verb nor an option; a process is -p PID or -P NAME, a "
                       "command comes after --",
                       word);
    return err_set(err, -EINVAL, "%s: `tdtop %s` takes %s", word, verbs[a->verb].name,
                   verbs[a->verb].words);
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
    int n = !!a->pids + !!a->name + !!a->tids + !!a->cgroup + a->all + !!a->cpus + !!a->command;
    if (n > 1)
        return err_set(err, -EINVAL,
                       "more than one target; give one of -p, -P, -t, -G, -a, -C or -- COMMAND");
    if (a->user && a->kernel)
        return err_set(
            err, -EINVAL,
            "--user and --kernel exclude each other; leave both out to count everything");
    int bad = check_units(a, err);
    if (bad)
        return bad;
    if (a->model && a->cpuid)
        return err_set(err, -EINVAL, "--model and --cpuid exclude each other; give one of them");
    if (a->here && (a->n_word || a->cpuid || a->check))
        return err_set(err, -EINVAL,
                       "--here is about this machine; %s does not go with it (--model NAME does)",
                       a->n_word  ? a->word[0]
                       : a->cpuid ? "--cpuid"
                                  : "--check");
    if (a->check && a->n_word)
        return err_set(err, -EINVAL, "--check FILE and %s exclude each other; give one of them",
                       a->word[0]);
    if (a->json && a->separator)
        return err_set(err, -EINVAL, "-j and -x exclude each other; give one of them");
    if (a->verb == VERB_REPLAY && !a->help && !a->n_word)
        return err_set(
            err, -EINVAL,
            "replay needs FILE, a recording made with `perf stat -x, -I 1000 -o FILE ...`");
    return 0;
}

int cli_parse(struct args *a, int argc, char **argv, struct err *err) {
    *a = (struct args){.speed = 1, .seed = 1, .level = -1};
    consts_init(&a->consts);
    int i = 1;
    if (argc > 1 && argv[1][0] != '-' && find_verb(argv[1]) >= 0)
        a->verb = (enum verb_id)find_verb(argv[i++]);
    for (; i < argc; i++) {
        char *word = argv[i];
        int rc;
        if (!strcmp(word, "--")) {
            if (a->verb != VERB_LIVE)
                return err_set(err, -EINVAL, "--: `tdtop %s` runs no command", verbs[a->verb].name);
            if (i + 1 >= argc)
                return err_set(err, -EINVAL, "--: a command must follow");
            a->command = argv + i + 1;
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
    return check_target(a, err);
}
