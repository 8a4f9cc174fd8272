/*
 * The command line: one table of verbs, one of options. Parsing, --help and usage errors are all
 * made from the tables. Usage errors exit 2 and name the option.
 */
#ifndef TDTOP_CLI_CLI_H
#define TDTOP_CLI_CLI_H

#include "base/err.h"
#include "model/load/expr.h"
#include "model/load/model.h"
#include "pmu/source.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum exit_code { EXIT_OK = 0, EXIT_ERROR = 1, EXIT_USAGE = 2 };

enum verb_id {
    VERB_LIVE,
    VERB_DEMO,
    VERB_REPLAY,
    VERB_COLLECT,
    VERB_AB,
    VERB_SERVE,
    VERB_AGENT,
    VERB_SERVICE,
    VERB_MCP,
    VERB_WHERE,
    VERB_ANNOTATE,
    VERB_RUNS,
    VERB_LIST,
    VERB_QUERY,
    VERB_COMPARE,
    VERB_HISTORY,
    VERB_EXPORT,
    VERB_IMPORT,
    VERB_LABEL,
    VERB_RM,
    VERB_REEVAL,
    VERB_SQL,
    VERB_DB,
    VERB_MODELS,
    VERB_EXPLAIN,
    VERB_GUIDE,
    VERB_DOCTOR,
    VERB_SELFTEST,
    VERB_PLAN,
    VERB_VERSION,
    VERB_HELP,
    VERB_N
};

enum { LATENCIES_MAX = 64 }; /* measured retire latencies that --const can give */

/* The values of an option that may be repeated, in the order given. */
enum { TEXTS_MAX = 64 };
struct text_list {
    const char *at[TEXTS_MAX];
    int n;
};

/* Everything the command line can say. Strings point into argv. A copy that outlives it is made by
 * cli_copy_args: consts points into latency, pids and tids into ids. */
struct args {
    enum verb_id verb;
    const char *word[2]; /* the first words after the verb: a file, a model name; or NULL */
    char **words;        /* all of them; argv itself, put in order */
    int n_word;
    char **command;   /* after "--", or NULL */
    char **command_b; /* ab: after the second "--", or NULL */
    bool mute;        /* what the command prints, but to standard error, goes to /dev/null */
    const char *pids, *name, *cpus, *tids, *cgroup;
    char ids[4096]; /* what pids or tids points to: the words of -p or -t, a space between them */
    bool all, user, kernel;
    uint64_t interval_ns, duration_ns, at_ns;
    int64_t count, counters, level, seed; /* level: -1 until the settings are in */
    bool level_given;                     /* on the command line, not by the settings */
    const char *model, *cpuid, *core_type, *check, *config, *theme, *advice, *color, *log;
    const char *only, *separator, *output, *explain;
    const char *rows;          /* an option that asked for rows: "json"; or NULL */
    const char *focus, *nodes; /* as given, or NULL */
    int focus_mode;            /* enum focus_mode: of --focus or the settings */
    double speed;
    bool per_thread, per_cpu;
    bool speed_given, seed_given, batch, json, verbose, summary, here, ascii, no_mouse, quiet, help,
        version;
    /* stored runs */
    const char *control, *baseline;
    const char *listen, *textfile; /* serve: an address, a folder */
    bool insecure_listen;
    const char *token_file;
    const char *db, *run, *note, *sort, *group_by, *bottleneck, *preset, *least, *from;
    struct text_list labels, filters, metrics, labels_a, labels_b, fail_on, whens;
    int64_t since_ns, until_ns;        /* CLOCK_REALTIME; 0: not given */
    bool speak;                        /* plain lines, only what changes */
    const char *save, *screen, *press; /* a picture, its size, keys before it */
    int64_t repeat, limit;             /* repeat 0, limit -1: not given */
    uint64_t every_ns, around_ns, keep_ns, span_ns, settle_ns;
    const char *shell_a, *shell_b, *by; /* ab: for sh -c; what decides */
    double min_pct, confidence;         /* percent; NAN: not given */
    bool folded;                        /* where: stacks */
    bool branches, accesses;            /* where: branch records, addresses */
    bool samples;                       /* compare: functions */
    const char *where;                  /* nodes and events to sample; whose samples */
    const char *then;                   /* collect --when: for sh -c */
    bool demo, funnel, tree, bottlenecks, markdown, csv, jsonl, overlap, dry_run, preview,
        allow_collect, undo, yes, removed;
    struct model_places places;
    struct consts consts;
    struct latency_setting latency[LATENCIES_MAX]; /* what consts.latency points to */
};

/* What points into `from` itself points into `to`; texts of argv stay borrowed. */
void cli_copy_args(struct args *to, const struct args *from);

/* Fills a from argv. On failure returns -EINVAL with words that name the option. */
int cli_parse(struct args *a, int argc, char **argv, struct err *err);

/* --const: NAME=VALUE, or EVENT:retire_latency=CYCLES. 0 or -EINVAL with words. */
int cli_set_const(struct args *a, const char *text, struct err *err);

/* --help of the whole program, or of the verb that was named. */
void cli_help(const struct args *a);

/* The verbs that need no screen. Each returns an exit code and prints its own errors. */
int verb_collect(const struct args *a);
int verb_ab(const struct args *a);
int verb_agent(const struct args *a);
int verb_service(const struct args *a);
int verb_mcp(const struct args *a);
int verb_where(const struct args *a);
int verb_annotate(const struct args *a);
int verb_list(const struct args *a);
int verb_query(const struct args *a);
int verb_compare(const struct args *a);
int verb_history(const struct args *a);
int verb_export(const struct args *a);
int verb_import(const struct args *a);
int verb_label(const struct args *a);
int verb_rm(const struct args *a);
int verb_reeval(const struct args *a);
int verb_sql(const struct args *a);
int verb_db(const struct args *a);
int verb_models(const struct args *a);
int verb_explain(const struct args *a);
int verb_guide(const struct args *a);
int verb_doctor(const struct args *a);
int verb_selftest(const struct args *a);
int verb_plan(const struct args *a);
int verb_version(const struct args *a);

/* Is it a mistake on the command line that showed only later? */
bool cli_is_usage(const struct err *err);

/* "tdtop: text" on standard error, safe for a terminal whatever the text quotes. */
void cli_error(const struct err *err);
void cli_note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Of this thread: what its lines are about, "redis"; "": nothing. Borrowed. */
void cli_about(const char *what);
/* Lines begin with the level that the journal of systemd reads ("<6>"), if standard error goes
 * there. */
void cli_journal(void);
/* Memory ran out for something that was to be printed: it is not in the output, and cli_finish says
 * so. For what has no other way to fail. */
void cli_lack(void);
bool cli_lacks(void);
/* 0, or a negative errno: why not all that was printed to `out` was written. */
int cli_flush(FILE *out);
/* code, or EXIT_ERROR with words if standard output could not be written, or not have all. */
int cli_finish(int code);

#endif
