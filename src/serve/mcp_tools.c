#include "serve/mcp_tools.h"

#include "base/clock.h"
#include "base/spawn.h"
#include "base/str.h"
#include "base/words.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- the table ---- */

enum field_kind { F_TEXT, F_NUMBER, F_LIST, F_FLAG, F_WORD }; /* F_WORD: behind the verb */

struct field {
    const char *key, *option, *words;
    enum field_kind kind;
    bool required;
};

enum { FIELDS_MAX = 10 };

struct tool {
    const char *name, *title, *words;
    const char *verb, *flag; /* flag: or NULL */
    bool writes;             /* it measures, and stores */
    void (*after)(const struct mcp *m, json_t *o, const json_t *arguments); /* or NULL */
    struct field field[FIELDS_MAX];
};

#define RUN                                                                                        \
    { "run", "", "first digits of its id, or @0 for the newest (the default)", F_WORD, false }
#define PROCESS                                                                                    \
    { "process", "process", "runs of this process only", F_TEXT, false }
#define FILTER                                                                                     \
    {                                                                                              \
        "filter", "filter",                                                                        \
            "conditions on labels, all of which must hold: key=value, key!=value, key~text, "      \
            "key, !key",                                                                           \
            F_LIST, false                                                                          \
    }
#define LIMIT                                                                                      \
    { "limit", "limit", "at most so many", F_NUMBER, false }
#define MIN_PCT                                                                                    \
    { "min_pct", "min-pct", "least value in percent (default 5)", F_NUMBER, false }
#define METRIC                                                                                     \
    { "metric", "metric", "only these metrics", F_LIST, false }

static void conclude(const struct mcp *m, json_t *o, const json_t *arguments);
static void shorten(const struct mcp *m, json_t *o, const json_t *arguments);
static void look_at_run(const struct mcp *m, json_t *o, const json_t *arguments);

static const struct tool tools[] = {
    {"list_profiling_runs",
     "Stored runs",
     "Stored runs, newest first, with process, model, labels, level 1 and bottleneck. For the next "
     "ones give `until` the started_at of the last.",
     "list",
     NULL,
     false,
     NULL,
     {PROCESS,
      FILTER,
      {"since", "since", "begun since then: 30m, 2d, 2026-11-01", F_TEXT, false},
      {"until", "until", "begun until then", F_TEXT, false},
      {"metric", "metric", "with the value of this metric", F_LIST, false},
      LIMIT}},
    {"query_bottlenecks",
     "What limits a run",
     "The nodes of the tree that are over their threshold, largest first, each with its err (95 %) "
     "and how far it was measured (duty); what is ruled out; and which experiment would decide "
     "what is open.",
     "query",
     "--bottlenecks",
     false,
     conclude,
     {RUN, PROCESS, FILTER, MIN_PCT, LIMIT}},
    {"query_by_bottleneck",
     "Runs that a node limits",
     "The runs in which a node has at least min_pct, largest first.",
     "query",
     NULL,
     false,
     NULL,
     {{"node", "bottleneck", "such as DRAM_Bound", F_TEXT, true}, MIN_PCT, PROCESS, FILTER, LIMIT}},
    {"get_funnel",
     "Where the slots went",
     "The tree of a run, depth first: of each node its share, err, duty, and why it is not known.",
     "query",
     "--funnel",
     false,
     NULL,
     {RUN,
      PROCESS,
      FILTER,
      {"level", "level", "deepest level (default 3; 0: all)", F_NUMBER, false}}},
    {"compare_runs",
     "Two runs",
     "What changed from run a to run b: surely (verdict regressed, improved, changed), or unsure, "
     "with its interval and how many samples would decide. What is noise is counted only.",
     "compare",
     NULL,
     false,
     shorten,
     {{"a", "", "first digits of its id, or @N", F_WORD, true},
      {"b", "", "likewise", F_WORD, true},
      METRIC,
      {"least", "least", "changes below it do not matter: 1 (points), 2%, or 1,2%", F_TEXT,
       false}}},
    {"compare_by_labels",
     "Two groups of runs",
     "The same of all runs with some labels and all with others. Three runs or more on each side "
     "tell changes from what varies from run to run.",
     "compare",
     NULL,
     false,
     shorten,
     {{"labels_a", "label-a", "key=value; all must hold", F_LIST, true},
      {"labels_b", "label-b", "likewise", F_LIST, true},
      METRIC,
      PROCESS}},
    {"explain_metric",
     "What a metric means",
     "What a node, metric or group means, why it is high, and what to try.",
     "explain",
     NULL,
     false,
     NULL,
     {{"name", "", "such as L3_Bound; a path does, too", F_WORD, true},
      {"model", "model", "as this model has it: spr, zen4, neoverse-v2", F_TEXT, false}}},
    {"where_in_code",
     "Functions of a run",
     "The functions that samples of a run fall into, with intervals: of all samples, or of those "
     "of a node's event.",
     "where",
     NULL,
     false,
     NULL,
     {{"run", "", "first digits of its id, or @0 for the newest", F_WORD, true},
      {"node", "", "such as DRAM_Bound", F_WORD, false},
      LIMIT}},
    {"collect_topdown",
     "Measure",
     "Measures a process, cgroup or the whole system now, stores the run, and says what limits "
     "it, as query_bottlenecks does. Takes as long as `duration`.",
     "collect",
     NULL,
     true,
     look_at_run,
     {{"process", "process", "all processes of this name", F_TEXT, false},
      {"pid", "pid", "process ids, commas between them", F_TEXT, false},
      {"cgroup", "cgroup", "path, unit or container", F_TEXT, false},
      {"all", "all", "the whole system", F_FLAG, false},
      {"duration", "duration", "such as 10s", F_TEXT, true},
      {"level", "level", "deepest level (default: all)", F_NUMBER, false},
      {"labels", "label", "key=value, of the run", F_LIST, false},
      {"where", "where", "auto, or nodes: also sample the code", F_TEXT, false}}},
};
enum {
    N_TOOLS = sizeof(tools) / sizeof(tools[0]),
    WAIT_S = 900,
    OUT_MAX = 32 << 20,
    MORE = 1 << 16
};

/* ---- what tools/list tells ---- */

static json_t *schema_of(const struct field *f) {
    static const char *const type[] = {"string", "number", "array", "boolean", "string"};
    json_t *o = json_pack("{s:s, s:s}", "type", type[f->kind], "description", f->words);
    if (f->kind == F_LIST)
        json_object_set_new(o, "items", json_pack("{s:s}", "type", "string"));
    return o;
}

static json_t *describe(const struct tool *t) {
    json_t *fields = json_object(), *required = json_array();
    for (const struct field *f = t->field; f < t->field + FIELDS_MAX && f->key; f++) {
        json_object_set_new(fields, f->key, schema_of(f));
        if (f->required)
            json_array_append_new(required, json_string(f->key));
    }
    if (!t->writes)
        json_object_set_new(fields, "page",
                            json_pack("{s:s, s:s}", "type", "number", "description",
                                      "of an answer that is longer than a page"));
    return json_pack("{s:s, s:s, s:s, s:{s:s, s:o, s:o, s:b}, s:{s:b, s:b, s:b}}", "name", t->name,
                     "title", t->title, "description", t->words, "inputSchema", "type", "object",
                     "properties", fields, "required", required, "additionalProperties", false,
                     "annotations", "readOnlyHint", !t->writes, "destructiveHint", false,
                     "openWorldHint", false);
}

static bool is_offered(const struct mcp *m, const struct tool *t) {
    return m->collects || !t->writes;
}

json_t *mcp_tools_list(const struct mcp *m) {
    json_t *all = json_array();
    for (int i = 0; i < N_TOOLS; i++)
        if (is_offered(m, &tools[i]))
            json_array_append_new(all, describe(&tools[i]));
    return json_pack("{s:o}", "tools", all);
}

/* ---- a verb is run ---- */

/* What a child printed. */
struct said {
    int code; /* of its exit; -1: it was ended */
    char *out, *err;
    size_t n_out, n_err;
};

static void said_free(struct said *s) {
    free(s->out);
    free(s->err);
    *s = (struct said){0};
}

/* That there is no such run is an answer, of an exit status without words. */
static bool has_answered(const struct said *s) {
    return s->out && (s->code == 0 || (s->code > 0 && !s->n_err));
}

/* Reads what is there. False: the end. */
static bool take(int fd, char **text, size_t *n) {
    char *more = *n + MORE < OUT_MAX ? realloc(*text, *n + MORE + 1) : NULL;
    if (!more)
        return false;
    *text = more;
    more[*n] = '\0';
    const ssize_t got = read(fd, *text + *n, MORE);
    if (got <= 0)
        return got < 0 && errno == EINTR;
    *n += (size_t)got;
    (*text)[*n] = '\0';
    return true;
}

/* Until both are at their end, time is over, or the client has gone. False: it is to be ended. */
static bool listen_to(const struct mcp *m, const int fd[2], struct said *s) {
    const uint64_t end_ns = clock_now_ns() + WAIT_S * NS_PER_S;
    bool open[2] = {true, true};
    while (open[0] || open[1]) {
        struct pollfd p[] = {{.fd = open[0] ? fd[0] : -1, .events = POLLIN},
                             {.fd = open[1] ? fd[1] : -1, .events = POLLIN},
                             {.fd = m->client_fd, .events = POLLRDHUP},
                             {.fd = m->cancel_fd, .events = POLLIN}};
        if (poll(p, 4, 1000) < 0 && errno != EINTR)
            return false;
        if (p[3].revents || (p[2].revents & (POLLERR | POLLHUP | POLLNVAL | POLLRDHUP)) ||
            clock_now_ns() > end_ns)
            return false;
        if (p[0].revents)
            open[0] = take(fd[0], &s->out, &s->n_out);
        if (p[1].revents)
            open[1] = take(fd[1], &s->err, &s->n_err);
        if (s->n_out + MORE >= OUT_MAX || s->n_err + MORE >= OUT_MAX)
            return false;
    }
    return true;
}

static int wait_for(pid_t pid) {
    int status = 0;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        continue;
    return status;
}

/* It keeps what it has measured, for which it has five seconds. */
static int end(pid_t pid) {
    enum { TRIES = 500, EACH_MS = 10 };
    int status;
    kill(pid, SIGTERM);
    for (int i = 0; i < TRIES; i++) {
        if (waitpid(pid, &status, WNOHANG) == pid)
            return status;
        poll(NULL, 0, EACH_MS);
    }
    kill(pid, SIGKILL);
    return wait_for(pid);
}

/* argv ends with NULL. 0, or negative errno: it could not be run. */
static int run(const struct mcp *m, char *const *argv, struct said *s) {
    int out[2], err[2], status = 0;
    pid_t pid;
    *s = (struct said){.code = -1};
    if (pipe2(out, O_CLOEXEC) < 0)
        return -errno;
    if (pipe2(err, O_CLOEXEC) < 0) {
        const int rc = -errno;
        close(out[0]);
        close(out[1]);
        return rc;
    }
    const int rc = spawn_start(m->program, argv, NULL, out[1], err[1], &pid);
    close(out[1]);
    close(err[1]);
    const bool ended = rc == 0 && !listen_to(m, (const int[]){out[0], err[0]}, s);
    close(out[0]);
    close(err[0]);
    if (rc == 0)
        status = ended ? end(pid) : wait_for(pid);
    if (rc == 0 && !ended && WIFEXITED(status))
        s->code = WEXITSTATUS(status);
    return rc;
}

static int run_words(const struct mcp *m, struct words *w, bool stored, struct said *s) {
    int rc = stored && m->db ? words_add(w, "--db=%s", m->db) : 0;
    return rc == 0 ? run(m, w->list.at, s) : rc;
}

/* The JSON that a verb prints; NULL: said says why. */
__attribute__((format(printf, 4, 5))) static json_t *ask(const struct mcp *m, struct said *s,
                                                         bool stored, const char *fmt, ...) {
    char line[512], *rest = NULL;
    struct words w = {0};
    va_list ap;
    *s = (struct said){0};
    va_start(ap, fmt);
    vsnprintf(line, sizeof(line), fmt, ap);
    va_end(ap);
    int rc = words_add(&w, "tdtop");
    for (char *word = strtok_r(line, " ", &rest); word && rc == 0;
         word = strtok_r(NULL, " ", &rest))
        rc = words_add(&w, "%s", word);
    rc = rc ? rc : run_words(m, &w, stored, s);
    words_free(&w);
    return rc == 0 && s->code == 0 && s->out ? json_loadb(s->out, s->n_out, 0, NULL) : NULL;
}

/* ---- from arguments to words ---- */

static int bad(char *why, size_t cap, const struct field *f, const char *what) {
    snprintf(why, cap, "%s: %s: %s", f->key, what, f->words);
    return -EINVAL;
}

/* What stands behind the verb may not be taken for an option. */
static int add_field(struct words *w, const struct field *f, const json_t *v, char *why,
                     size_t cap) {
    static const char *const wants[] = {"give a text", "give a number", "give a list of texts",
                                        "give true or false", "give a text"};
    const char *text = json_string_value(v);
    switch (f->kind) {
    case F_TEXT:
        return text ? words_add(w, "--%s=%s", f->option, text) : bad(why, cap, f, wants[F_TEXT]);
    case F_WORD:
        if (!text || !*text || *text == '-')
            return bad(why, cap, f, text && *text == '-' ? "it begins with -" : wants[F_WORD]);
        return words_add(w, "%s", text);
    case F_NUMBER:
        return json_is_number(v) ? words_add(w, "--%s=%.10g", f->option, json_number_value(v))
                                 : bad(why, cap, f, wants[F_NUMBER]);
    case F_FLAG:
        return !json_is_boolean(v) ? bad(why, cap, f, wants[F_FLAG])
               : json_is_true(v)   ? words_add(w, "--%s", f->option)
                                   : 0;
    case F_LIST:
        break;
    }
    int rc = json_is_array(v) ? 0 : bad(why, cap, f, wants[F_LIST]);
    for (size_t i = 0; rc == 0 && i < json_array_size(v); i++) {
        text = json_string_value(json_array_get(v, i));
        rc = text ? words_add(w, "--%s=%s", f->option, text) : bad(why, cap, f, wants[F_LIST]);
    }
    return rc;
}

static const struct field *field_named(const struct tool *t, const char *key) {
    for (const struct field *f = t->field; f < t->field + FIELDS_MAX && f->key; f++)
        if (strcmp(f->key, key) == 0)
            return f;
    return NULL;
}

static int check_names(const struct tool *t, const json_t *arguments, char *why, size_t cap) {
    const char *key;
    json_t *v;
    json_object_foreach((json_t *)(uintptr_t)arguments, key, v) {
        if ((strcmp(key, "page") == 0 && !t->writes) || field_named(t, key))
            continue;
        snprintf(why, cap, "%s has no argument %.60s", t->name, key);
        return -EINVAL;
    }
    return 0;
}

static int make_words(const struct tool *t, const json_t *arguments, struct words *w, char *why,
                      size_t cap) {
    int rc = check_names(t, arguments, why, cap);
    rc = rc ? rc : words_add(w, "tdtop");
    rc = rc ? rc : words_add(w, "%s", t->verb);
    if (rc == 0 && t->flag)
        rc = words_add(w, "%s", t->flag);
    rc = rc ? rc : words_add(w, "--json");
    for (const struct field *f = t->field; rc == 0 && f < t->field + FIELDS_MAX && f->key; f++) {
        const json_t *v = json_object_get(arguments, f->key);
        if (v && !json_is_null(v))
            rc = add_field(w, f, v, why, cap);
        else if (f->required)
            rc = bad(why, cap, f, "it is missing");
    }
    return rc;
}

/* ---- what is added, and left out ---- */

static double number(const json_t *o, const char *key) {
    const json_t *v = json_object_get(o, key);
    return json_is_number(v) ? json_number_value(v) : NAN;
}

static const char *text(const json_t *o, const char *key) {
    const char *v = json_string_value(json_object_get(o, key));
    return v ? v : "";
}

static void add_text(json_t *list, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void add_text(json_t *list, const char *fmt, ...) {
    char line[512];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(line, sizeof(line), fmt, ap);
    va_end(ap);
    char safe[sizeof(line) + 16];
    json_array_append_new(list, json_string(str_safe(safe, sizeof(safe), line)));
}

/* Of a node that is not over its threshold: whether that is sure. */
static void judge_calm(json_t *ruled_out, json_t *open, const json_t *entry) {
    const char *name = text(entry, "metric_name");
    const double v = number(entry, "value"), err = number(entry, "err"),
                 limit = number(entry, "threshold");
    if (v + err < limit)
        add_text(ruled_out, "%s: %.1f%% ± %.1f, below its threshold of %.0f%%", name, v, err,
                 limit);
    else if (isnan(err) || isnan(limit))
        add_text(open, "%s: %.1f%%, and %s is not known", name, v,
                 isnan(err) ? "how far that may be off" : "from where on it counts");
    else
        add_text(open, "%s: %.1f%% ± %.1f, not surely below its threshold of %.0f%%", name, v, err,
                 limit);
}

/* Of level 1 and 2: what is below its threshold, surely or not; what is not known, and why. */
static void rule_out(json_t *o, const json_t *tree) {
    json_t *out = json_array(), *open = json_array(), *unknown = json_array(), *entry;
    size_t i;
    json_array_foreach(json_object_get(tree, "entries"), i, entry) {
        const double level = number(entry, "level");
        if (!(level >= 1 && level <= 2))
            continue;
        if (isnan(number(entry, "value")))
            add_text(unknown, "%s: %s", text(entry, "metric_name"), text(entry, "reason"));
        else if (!json_is_true(json_object_get(entry, "over")) &&
                 !json_is_true(json_object_get(entry, "is_useful")))
            judge_calm(out, open, entry);
    }
    json_object_set_new(o, "ruled_out", out);
    json_object_set_new(o, "open", open);
    json_object_set_new(o, "not_known", unknown);
}

/* The deepest node of the bottleneck path, among the entries. */
static const json_t *last_of_path(const json_t *tree, const char *path) {
    json_t *entry;
    size_t i;
    json_array_foreach(json_object_get(tree, "entries"), i,
                       entry) if (strcmp(text(entry, "path"), path) == 0) return entry;
    return NULL;
}

static void next_experiments(json_t *o, const json_t *tree) {
    json_t *next = json_array();
    const char *path = text(o, "bottleneck"), *node = strrchr(path, '.');
    const json_t *end = last_of_path(tree, path);
    node = node ? node + 1 : path;
    if (!*path) {
        add_text(next, "nothing is over its threshold: measure while it is under load, or compare "
                       "with a run in which it was fast (compare_runs)");
    } else {
        const double v = number(end, "value"), err = number(end, "err");
        if (end && err > v / 4)
            add_text(next,
                     "%s is known to ± %.1f only: measure four times as long, or `tdtop collect "
                     "--nodes %s`, which counts nothing else and halves that",
                     node, err, node);
        add_text(next,
                 "which code: `tdtop where -p PID %s`, or collect_topdown with where=\"%s\"; "
                 "then where_in_code",
                 node, node);
        add_text(next, "what to change, and the test of it: explain_metric name=\"%s\"", node);
    }
    add_text(next, "whether a change helps: three runs with and three without it, labelled, then "
                   "compare_by_labels");
    json_object_set_new(o, "next", next);
}

void mcp_conclude(json_t *o, const json_t *tree) {
    rule_out(o, tree);
    next_experiments(o, tree);
}

static void conclude_of(const struct mcp *m, json_t *o, const char *id) {
    struct said s;
    json_t *tree = ask(m, &s, true, "query %s --funnel --level=0 --json", id);
    if (tree)
        mcp_conclude(o, tree);
    json_decref(tree);
    said_free(&s);
}

static void conclude(const struct mcp *m, json_t *o, const json_t *arguments) {
    (void)arguments;
    if (text(o, "run_id")[0])
        conclude_of(m, o, text(o, "run_id"));
}

/* A run that was just measured, by its head. */
static void look_at_run(const struct mcp *m, json_t *o, const json_t *arguments) {
    struct said s;
    char id[64];
    (void)arguments;
    str_copy(id, sizeof(id), text(o, "run_id")[0] ? text(o, "run_id") : text(o, "id"));
    json_t *q = id[0] ? ask(m, &s, true, "query %s --bottlenecks --json", id) : NULL;
    if (q) {
        json_object_update(o, q);
        conclude_of(m, o, id);
    }
    json_decref(q);
    if (id[0])
        said_free(&s);
}

/* Rows that are noise are counted; they are told if their metrics were asked for. */
static void shorten(const struct mcp *m, json_t *o, const json_t *arguments) {
    (void)m;
    const char *const lists[] = {"rows", "entries", "metrics", "changes"};
    for (size_t k = 0; k < sizeof(lists) / sizeof(lists[0]); k++) {
        json_t *rows = json_object_get(o, lists[k]), *kept, *row;
        size_t i;
        if (!json_is_array(rows) || json_object_get(arguments, "metric"))
            continue;
        kept = json_array();
        json_array_foreach(rows, i, row) if (strcmp(text(row, "verdict"), "noise") != 0)
            json_array_append(kept, row);
        json_object_set_new(o, lists[k], kept);
    }
}

/* ---- results ---- */

static json_t *content_of(const char *words) {
    return json_pack("[{s:s, s:s}]", "type", "text", "text", words);
}

static json_t *failed(const char *words) {
    char safe[4096]; /* what was cut may end in the middle of a character */
    json_t *content = content_of(words);
    if (!content)
        content = content_of(str_safe(safe, sizeof(safe), words));
    return json_pack("{s:o, s:b}", "content", content, "isError", true);
}

/* Not in the middle of a character. */
static size_t cut(const char *whole, size_t n, size_t at) {
    while (at < n && ((unsigned char)whole[at] & 0xC0) == 0x80)
        at++;
    return at < n ? at : n;
}

/* What is longer than a page is told in pages, as text. */
static json_t *page_of(const char *whole, size_t n, double page) {
    const size_t pages = (n + MCP_PAGE - 1) / MCP_PAGE;
    if (!(page >= 1 && page <= (double)pages)) {
        char words[96];
        snprintf(words, sizeof(words), "page: there are %zu", pages);
        return failed(words);
    }
    const size_t k = (size_t)page, from = cut(whole, n, (k - 1) * MCP_PAGE),
                 to = cut(whole, n, k * MCP_PAGE);
    char head[128];
    snprintf(head, sizeof(head), "[page %zu of %zu; the next: page=%zu]", k, pages,
             k < pages ? k + 1 : 1);
    return json_pack("{s:[{s:s, s:s%}, {s:s, s:s}], s:b}", "content", "type", "text", "text",
                     whole + from, to - from, "type", "text", "text", head, "isError", false);
}

static json_t *result_of(json_t *o, const json_t *arguments) {
    const json_t *page = json_object_get(arguments, "page");
    char *whole = json_dumps(o, JSON_COMPACT | JSON_REAL_PRECISION(6) | JSON_ENCODE_ANY);
    if (!whole)
        return NULL;
    const size_t n = strlen(whole);
    json_t *r;
    if (page && !json_is_number(page))
        r = failed("page: give a number");
    else if (n > MCP_PAGE || (page && json_number_value(page) != 1))
        r = page_of(whole, n, page ? json_number_value(page) : 1);
    else if (json_is_object(o))
        r = json_pack("{s:o, s:O, s:b}", "content", content_of(whole), "structuredContent", o,
                      "isError", false);
    else
        r = json_pack("{s:o, s:{s:O}, s:b}", "content", content_of(whole), "structuredContent",
                      "items", o, "isError", false);
    free(whole);
    return r;
}

/* One document; of a CPU with several core types one of each, which are in a list then. */
static json_t *read_all(const struct mcp *m, const struct tool *t, const struct said *s,
                        const json_t *arguments) {
    json_t *first = NULL, *all = NULL;
    for (size_t at = 0; at < s->n_out;) {
        json_error_t where;
        json_t *o = json_loadb(s->out + at, s->n_out - at, JSON_DISABLE_EOF_CHECK, &where);
        if (!o)
            break;
        at += (size_t)where.position;
        at += strspn(s->out + at, " \n");
        if (t->after && json_is_object(o))
            t->after(m, o, arguments);
        if (first && !all)
            all = json_pack("[o]", first);
        if (first)
            json_array_append_new(all, o);
        else
            first = o;
    }
    return all ? all : first;
}

/* Errors of the verb are the tool's: who asked may mend what it asked for. */
static json_t *finish(const struct mcp *m, const struct tool *t, const struct said *s,
                      const json_t *arguments) {
    json_t *o = has_answered(s) ? read_all(m, t, s, arguments) : NULL;
    if (!o && s->n_err && s->code >= 0)
        return failed(s->err);
    if (!o)
        return failed(s->code < 0 ? "it was ended: it took too long, or printed too much"
                                  : "it printed nothing");
    json_t *r = result_of(o, arguments);
    json_decref(o);
    return r;
}

static json_t *call(const struct mcp *m, const struct tool *t, const json_t *arguments) {
    char why[512] = "out of memory";
    struct words w = {0};
    struct said s = {0};
    int rc = make_words(t, arguments, &w, why, sizeof(why));
    if (rc == 0 && (rc = run_words(m, &w, strcmp(t->verb, "explain") != 0, &s)) < 0)
        snprintf(why, sizeof(why), "%s: %s", m->program, strerror(-rc));
    json_t *r = rc < 0 ? failed(why) : finish(m, t, &s, arguments);
    words_free(&w);
    said_free(&s);
    return r;
}

json_t *mcp_tools_call(const struct mcp *m, const char *name, const json_t *arguments,
                       bool *unknown) {
    if (arguments && !json_is_object(arguments) && !json_is_null(arguments))
        return failed("arguments: give an object");
    for (int i = 0; i < N_TOOLS; i++) {
        if (strcmp(name, tools[i].name) != 0)
            continue;
        if (!is_offered(m, &tools[i]))
            return failed("measuring is not allowed: start tdtop mcp with --allow-collect");
        return call(m, &tools[i], arguments);
    }
    *unknown = true;
    return NULL;
}

/* ---- resources ---- */

static const struct resource {
    const char *uri, *name, *words, *type;
    const char *all;            /* what is run */
    const char *verb, *options; /* of one: before and behind its name */
    bool stored;
} resources[] = {
    {"tdtop://runs", "runs", "the newest stored runs; tdtop://runs/ID: the tree of one",
     "application/json", "list -n 50 --json", "query", "--tree --json", true},
    {"tdtop://models", "models", "the models of CPUs; tdtop://models/NAME: the tree of one",
     "application/json", "models --json", "models", "--json", false},
    {"tdtop://explanations", "explanations",
     "names that are explained; tdtop://explanations/NAME: what one means, and what to try",
     "text/markdown", "explain --all", "explain", "--markdown", false},
};
enum { N_RESOURCES = sizeof(resources) / sizeof(resources[0]) };

/* What is measured now is no verb's. */
static const char live_uri[] = "tdtop://live", live_type[] = "application/json";
static const char live_words[] =
    "what is being measured now; tdtop://live/TARGET, a process name, a pid or a unit: begins to "
    "measure it, and tells what limits it, of the last 10 s. Can be subscribed to";

static json_t *describe_resource(const char *key, const char *uri, const char *name,
                                 const char *words, const char *type) {
    return json_pack("{s:s, s:s, s:s, s:s}", key, uri, "name", name, "description", words,
                     "mimeType", type);
}

json_t *mcp_resources_list(const struct mcp *m) {
    json_t *all = json_array();
    for (int i = 0; i < N_RESOURCES; i++)
        json_array_append_new(all, describe_resource("uri", resources[i].uri, resources[i].name,
                                                     resources[i].words,
                                                     i == 2 ? "text/plain" : resources[i].type));
    if (m->live)
        json_array_append_new(all,
                              describe_resource("uri", live_uri, "live", live_words, live_type));
    return json_pack("{s:o}", "resources", all);
}

json_t *mcp_templates_list(const struct mcp *m) {
    json_t *all = json_array();
    for (int i = 0; i < N_RESOURCES; i++) {
        char uri[64];
        snprintf(uri, sizeof(uri), "%s/{name}", resources[i].uri);
        json_array_append_new(all, describe_resource("uriTemplate", uri, resources[i].name,
                                                     resources[i].words, resources[i].type));
    }
    if (m->live)
        json_array_append_new(all, describe_resource("uriTemplate", "tdtop://live/{target}", "live",
                                                     live_words, live_type));
    return json_pack("{s:o}", "resourceTemplates", all);
}

/* ---- tdtop://live ---- */

static int hex(char c) {
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

/* Without escapes; false: one is none, or it is too long. */
static bool unescape(const char *from, char *to, size_t cap) {
    size_t n = 0;
    while (*from && n + 1 < cap) {
        char c = *from++;
        if (c == '%') {
            const int high = hex(*from), low = high < 0 ? -1 : hex(from[1]);
            if (low < 0 || high + low == 0)
                return false;
            c = (char)(16 * high + low);
            from += 2;
        }
        to[n++] = c;
    }
    to[n] = '\0';
    return *from == '\0';
}

bool mcp_live_target(const char *uri, char *to, size_t cap) {
    const size_t n = strlen(live_uri);
    char safe[4 * MCP_TARGET];
    return strncmp(uri, live_uri, n) == 0 && uri[n] == '/' && unescape(uri + n + 1, to, cap) &&
           to[0] && strcmp(str_safe(safe, sizeof(safe), to), to) == 0;
}

static json_t *contents_of(const char *uri, const char *type, const char *text) {
    return json_pack("{s:[{s:s, s:s, s:s}]}", "contents", "uri", uri, "mimeType", type, "text",
                     text);
}

static json_t *read_live(const struct mcp *m, const char *uri, char *why, size_t cap) {
    char target[MCP_TARGET], *text = NULL;
    struct err err = {0};
    const bool one = uri[strlen(live_uri)];
    if (!m->live)
        err_set(&err, -EPERM, "measuring is not allowed: start tdtop mcp with --allow-collect");
    else if (!one)
        text = m->live->list(m->live->user);
    else if (mcp_live_target(uri, target, sizeof(target)))
        text = m->live->read(m->live->user, m, target, &err);
    else
        err_set(&err, -EINVAL, "tdtop://live/TARGET: give the name of a process, a pid or a unit");
    str_safe(why, cap, err.text);
    json_t *o = text ? contents_of(uri, live_type, text) : NULL;
    free(text);
    return o;
}

/* Letters, digits and what names of runs, models and metrics have besides. */
static bool is_name(const char *name) {
    return *name && *name != '-' && strlen(name) < 200 &&
           !name[strspn(name,
                        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.@-")];
}

json_t *mcp_resources_read(const struct mcp *m, const char *uri, char *why, size_t cap) {
    const size_t n_live = strlen(live_uri);
    if (strncmp(uri, live_uri, n_live) == 0 && (!uri[n_live] || uri[n_live] == '/'))
        return read_live(m, uri, why, cap);
    for (int i = 0; i < N_RESOURCES; i++) {
        const struct resource *r = &resources[i];
        const size_t n = strlen(r->uri);
        if (strncmp(uri, r->uri, n) != 0 || (uri[n] && uri[n] != '/'))
            continue;
        const char *name = uri[n] ? uri + n + 1 : NULL;
        char line[320];
        struct said s;
        if (name && !is_name(name))
            break;
        if (name)
            snprintf(line, sizeof(line), "%s %s %s", r->verb, name, r->options);
        json_decref(ask(m, &s, r->stored, "%s", name ? line : r->all));
        json_t *o = NULL;
        if (has_answered(&s))
            o = contents_of(uri, i == 2 && !name ? "text/plain" : r->type, s.out);
        else
            str_safe(why, cap, s.err ? s.err : "it could not be read");
        said_free(&s);
        return o;
    }
    snprintf(why, cap, "no such resource; resources/list names those that there are");
    return NULL;
}
