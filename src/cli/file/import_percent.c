/*
 * Percentages without the counts they came from, as values:
 *
 *   perf stat --topdown, --metric-only   a table with a header of names, in CSV or for people; with
 *                                        -j one object per line
 *   AMDuProfPcm -m pipeline_util         the same table behind a preamble, one row per interval
 *   perf stat, --from percent            the metrics that are printed beside and between the counts
 */
#include "cli/file/import_values.h"

#include "base/str.h"
#include "pmu/host/fallback.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { FIELDS_MAX = 512, CAPTION_MAX = 96, SNIFF_LINES = 400 };

enum column_kind { COL_NONE, COL_TIME, COL_AGG, COL_VALUE };

struct column {
    enum column_kind kind;
    char path[CAPTION_MAX], unit[32];
    char scope[48]; /* of uProf: whose column it is; "" where there is one for all */
};

struct table {
    char separator; /* ' ': in columns for people; '\0': no header yet */
    struct column at[FIELDS_MAX];
    int n, n_value;
};

struct percent {
    struct import_values v;
    struct table table;
    char pmu[32];      /* of the newest event or group of a hybrid machine: "cpu_core" */
    char before[1024]; /* the line above, which may name the scopes of a header's columns */
    double step_s;     /* uProf: rows are so far apart */
    double clock_s, last_clock_s; /* times of day: of the first row, of the newest; NAN */
    uint64_t n_interval;
    bool uprof;
};

/* ---- names ---- */

/* What tools call the nodes that all models have. In lower case, blanks as '_', without "tma_". */
static const struct {
    const char *name, *path;
} nodes[] = {
    {"retiring", "Retiring"},
    {"bad_speculation", "Bad_Speculation"},
    {"frontend_bound", "Frontend_Bound"},
    {"backend_bound", "Backend_Bound"},
    {"light_operations", "Retiring.Light_Operations"},
    {"heavy_operations", "Retiring.Heavy_Operations"},
    {"branch_mispredicts", "Bad_Speculation.Branch_Mispredicts"},
    {"branch_mispredict", "Bad_Speculation.Branch_Mispredicts"},
    {"machine_clears", "Bad_Speculation.Machine_Clears"},
    {"fetch_latency", "Frontend_Bound.Fetch_Latency"},
    {"fetch_bandwidth", "Frontend_Bound.Fetch_Bandwidth"},
    {"memory_bound", "Backend_Bound.Memory_Bound"},
    {"core_bound", "Backend_Bound.Core_Bound"},
    {"retiring_fastpath", "Retiring.Light_Operations"},
    {"retiring_microcode", "Retiring.Heavy_Operations"},
    {"bad_speculation_mispredicts", "Bad_Speculation.Branch_Mispredicts"},
    {"bad_speculation_pipeline_restarts", "Bad_Speculation.Machine_Clears"},
    {"frontend_bound_latency", "Frontend_Bound.Fetch_Latency"},
    {"frontend_bound_bandwidth", "Frontend_Bound.Fetch_Bandwidth"},
    {"frontend_bound_bw", "Frontend_Bound.Fetch_Bandwidth"},
    {"backend_bound_memory", "Backend_Bound.Memory_Bound"},
    {"backend_bound_cpu", "Backend_Bound.Core_Bound"},
    {"smt_contention", "SMT_Contention"},
    {"smt_disp_contention", "SMT_Contention"},
};

static const char *node_path(const char *name) {
    char plain[CAPTION_MAX];
    if (str_starts(name, "tma_"))
        name += strlen("tma_");
    str_copy(plain, sizeof(plain), name);
    for (char *c = plain; *c; c++)
        *c = *c == ' ' || *c == '.' ? '_' : (char)tolower((unsigned char)*c);
    for (size_t i = 0; i < sizeof(nodes) / sizeof(nodes[0]); i++)
        if (!strcmp(plain, nodes[i].name))
            return nodes[i].path;
    return NULL;
}

static void trim(char *s) {
    size_t n = strlen(s), lead = strspn(s, " \t");
    memmove(s, s + lead, n - lead + 1);
    n -= lead;
    while (n > 0 && isspace((unsigned char)s[n - 1]))
        s[--n] = '\0';
}

/* "percent of slots  retiring", "%  tma_l1_bound", "cs/sec  cs_per_second", "bad speculation". True
 * if it says that it is a metric: by its unit, or by its name. */
static bool read_caption(const char *text, struct column *c) {
    char caption[CAPTION_MAX];
    str_copy(caption, sizeof(caption), text);
    trim(caption);
    char *gap = strstr(caption, "  "), *name = gap ? gap + strspn(gap, " ") : caption;
    if (gap)
        *gap = '\0';
    const char *path = node_path(name);
    str_safe(c->path, sizeof(c->path), path ? path : name);
    if (path || (gap && !strcmp(caption, "percent of slots")))
        str_copy(c->unit, sizeof(c->unit), "% Slots");
    else
        str_safe(c->unit, sizeof(c->unit), gap ? caption : "");
    c->kind = *name ? COL_VALUE : COL_NONE;
    return *name && (path || gap);
}

/* ---- headers ---- */

static enum column_kind special(const char *field, bool *known) {
    static const char *const aggs[] = {"cpu",  "core",  "socket",  "die",
                                       "node", "cache", "cluster", "thread"};
    *known = true;
    if (!strcmp(field, "time") || !strcmp(field, "Timestamp"))
        return COL_TIME;
    for (size_t i = 0; i < sizeof(aggs) / sizeof(aggs[0]); i++)
        if (!strcmp(field, aggs[i]))
            return COL_AGG;
    *known =
        !*field || !strcmp(field, "ctrs") || !strcmp(field, "cpus") || !strcmp(field, "counters");
    return COL_NONE;
}

static bool is_uprof_header(char *const *field, int n) {
    for (int i = 0; i < n; i++)
        if (!strcmp(field[i], "Total_Dispatch_Slots"))
            return true;
    return false;
}

static bool read_header_at(struct table *t, char *line, char separator) {
    char *field[FIELDS_MAX];
    int n = import_values_split(line, separator, field, FIELDS_MAX), metrics = 0;
    t->separator = '\0';
    t->n_value = 0;
    for (int i = 0; i < n; i++)
        trim(field[i]);
    const bool uprof = is_uprof_header(field, n);
    if (!field[0][0]) /* a metric below a count */
        return false;
    for (int i = 0; i < n; i++) {
        bool known;
        struct column *c = &t->at[i];
        *c = (struct column){.kind = COL_NONE};
        c->kind = special(field[i], &known);
        if (known)
            continue;
        const bool metric = read_caption(field[i], c);
        if ((!metric && !uprof) || isdigit((unsigned char)field[i][0]))
            return false;
        metrics += metric;
        t->n_value++;
        if (!strcmp(field[i], "Total_Dispatch_Slots"))
            str_copy(c->unit, sizeof(c->unit), "Count");
    }
    t->n = n;
    t->separator = n > 1 && metrics > 0 ? separator : '\0';
    return t->separator != '\0';
}

/* For people: "#  time   %  tma_retiring   %  tma_backend_bound", "retiring   bad speculation". */
static bool read_text_header(struct table *t, char *line) {
    char *rest = NULL, pair[CAPTION_MAX] = "";
    t->separator = '\0';
    t->n = t->n_value = 0;
    for (char *w = strtok_r(line, " \t", &rest); w; w = strtok_r(NULL, " \t", &rest)) {
        struct column *c = &t->at[t->n];
        *c = (struct column){.kind = COL_NONE};
        if (!strcmp(w, "#") || !strcmp(w, "%") || !strcmp(w, "percent") || !strcmp(w, "of") ||
            !strcmp(w, "slots"))
            continue;
        if (!strcmp(w, "time") && t->n == 0) {
            c->kind = COL_TIME;
        } else {
            if (pair[0])
                str_copy(pair + strlen(pair), sizeof(pair) - strlen(pair), w);
            else
                str_copy(pair, sizeof(pair), w);
            if (!read_caption(pair, c) && !str_starts(pair, "tma_")) {
                const size_t n = strlen(pair); /* the first word of "bad speculation" */
                if (strchr(pair, ' ') || n + 2 > sizeof(pair))
                    return false;
                str_copy(pair + n, sizeof(pair) - n, " ");
                continue;
            }
            if (!node_path(pair))
                str_copy(c->unit, sizeof(c->unit), "%");
            pair[0] = '\0';
            t->n_value++;
        }
        if (++t->n == FIELDS_MAX)
            return false;
    }
    if (pair[0] || t->n_value < 2)
        return false;
    t->separator = ' ';
    return true;
}

static bool read_header(struct table *t, const char *line) {
    static const char separators[] = {',', ';', '\t', '|'};
    bool found = false;
    char *copy = strdup(line);
    for (size_t i = 0; copy && i < sizeof(separators) && !found; i++) {
        strcpy(copy, line);
        found = strchr(line, separators[i]) && read_header_at(t, copy, separators[i]);
    }
    if (copy && !found) {
        strcpy(copy, line);
        found = read_text_header(t, copy);
    }
    free(copy);
    return found;
}

/* uProf names the scopes above the first of their columns. One for all is none. */
static void name_scopes(struct table *t, char *above) {
    char *field[FIELDS_MAX];
    const int n = import_values_split(above, t->separator, field, FIELDS_MAX);
    const char *scope = "";
    int named = 0;
    for (int i = 0; i < n; i++)
        named += field[i][0] != '\0';
    for (int i = 0; i < t->n && named > 1; i++) {
        scope = i < n && field[i][0] ? field[i] : scope;
        str_safe(t->at[i].scope, sizeof(t->at[i].scope), scope);
    }
}

/* {"interval" : 0.1, "%  tma_retiring" : "25.3"}: no event, and a key with a unit. */
static bool is_metric_object(const char *line) {
    const char *at = line + strspn(line, " ");
    return *at == '{' && !strstr(at, "\"event\"") && !strstr(at, "\"counter-value\"") &&
           !strstr(at, "\"metricgroup\"") && !strstr(at, "\"metric-value\"") && strstr(at, "  ") &&
           strstr(at, "\" : \"");
}

bool import_is_percent(const char *begin) {
    struct table *t = malloc(sizeof(*t));
    bool found = false;
    for (int i = 0; t && i < SNIFF_LINES && *begin && !found; i++) {
        char line[4096];
        const size_t n = strcspn(begin, "\r\n");
        str_copy(line, n + 1 < sizeof(line) ? n + 1 : sizeof(line), begin);
        found = is_metric_object(line) || str_starts(line, "AMDuProfPcm Report") ||
                (line[0] && read_header(t, line));
        begin += n + (begin[n] != '\0');
    }
    free(t);
    return found;
}

/* ---- values ---- */

static bool number(char *text, double *v) {
    char *end, *comma = strchr(text, ',');
    if (comma && !strchr(text, '.'))
        *comma = '.';
    *v = strtod(text, &end);
    return end > text && (!*end || !strcmp(end, "%")) && isfinite(*v);
}

/* What tools print for a value that they do not have. */
static bool is_unknown(const char *text) {
    static const char *const words[] = {"",    "nan",  "-nan",          "none",           "n/a",
                                        "inf", "-inf", "<not counted>", "<not supported>"};
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (!strcmp(text, words[i]))
            return true;
    return false;
}

static int add(struct percent *p, const struct column *c, double v, struct err *err) {
    const struct run_value value = {.path = c->path, .unit = c->unit, .v = v, .duty = 1};
    p->v.n_row++;
    return run_values_add(&p->v.values, &value) == 0 ? 0 : err_set(err, -ENOMEM, "out of memory");
}

/* "09:12:08.123" since the first row's; the first interval is as long as the second. */
static double of_clock(struct percent *p, const char *text) {
    int h, m;
    double s;
    if (sscanf(text, "%d:%d:%lf", &h, &m, &s) != 3)
        return NAN;
    double t = h * 3600.0 + m * 60.0 + s;
    while (t < p->last_clock_s - 43200) /* past midnight; false for NAN */
        t += 86400;
    if (isnan(p->clock_s)) {
        p->clock_s = p->last_clock_s = t;
        return NAN;
    }
    const double step = t - p->last_clock_s;
    if (p->last_clock_s == p->clock_s && step > 0) {
        p->step_s = step;
        import_values_time(&p->v, step);
    }
    p->last_clock_s = t;
    return t - p->clock_s + p->step_s;
}

static int take_time(struct percent *p, char *text, struct err *err) {
    double t;
    if (strchr(text, ':'))
        t = of_clock(p, text);
    else if (!number(text, &t))
        return import_values_bad(&p->v, "a time is wanted", err);
    if (!import_values_time(&p->v, t))
        return import_values_bad(&p->v, "its time is negative, or more than 30 years", err);
    return 0;
}

static int take_csv(struct percent *p, char *line, struct err *err) {
    char *field[FIELDS_MAX];
    const struct table *t = &p->table;
    const int n = import_values_split(line, t->separator, field, FIELDS_MAX);
    int rc = n < 2 ? import_values_bad(&p->v, "the line is too short", err) : 0;
    bool wanted = true;
    if (p->uprof && rc == 0) {
        p->n_interval++;
        import_values_time(&p->v, p->step_s > 0 ? p->step_s * (double)p->n_interval : NAN);
    }
    for (int i = 0; i < n && i < t->n && rc == 0; i++) {
        double v;
        trim(field[i]);
        if (t->at[i].kind == COL_TIME)
            rc = take_time(p, field[i], err);
        else if (t->at[i].kind == COL_AGG)
            wanted = import_values_choose(&p->v, field[i]);
        if (t->at[i].kind != COL_VALUE || !wanted || is_unknown(field[i]) ||
            (t->at[i].scope[0] && !import_values_choose(&p->v, t->at[i].scope)))
            continue;
        rc = number(field[i], &v) ? add(p, &t->at[i], v, err)
                                  : import_values_bad(&p->v, "a number is wanted", err);
    }
    return rc;
}

/* [TIME] [AGG [NR]] NUMBER...: numbers belong to the columns from the right. */
static int take_text(struct percent *p, char *line, struct err *err) {
    const struct table *t = &p->table;
    char *word[FIELDS_MAX], *rest = NULL;
    double v;
    int n = 0, first = t->n - t->n_value, rc = 0;
    for (char *w = strtok_r(line, " \t", &rest); w && n < FIELDS_MAX;
         w = strtok_r(NULL, " \t", &rest))
        if (strcmp(w, "%") != 0)
            word[n++] = w;
    const int begin = n - t->n_value;
    if (begin < first)
        return 0;
    for (int i = begin; i < n; i++)
        if (!number(word[i], &v) && !is_unknown(word[i]))
            return 0; /* "1.001 seconds time elapsed" */
    if (first == 1)
        rc = take_time(p, word[0], err);
    if (rc < 0 || (begin > first && !import_values_choose(&p->v, word[first])))
        return rc;
    for (int i = 0; i < t->n_value && rc == 0; i++)
        if (number(word[begin + i], &v))
            rc = add(p, &t->at[first + i], v, err);
    return rc;
}

/* Metrics of the kinds of core of a hybrid machine have the same names: those of one are taken, the
 * first that has any, or --only. */
static bool is_wanted(struct percent *p) {
    return !p->pmu[0] || import_values_choose(&p->v, p->pmu);
}

/* "cpu_core/slots/", "TopdownL1 (cpu_atom)" */
static void note_pmu(struct percent *p, const char *line) {
    const char *at = strstr(line, "cpu_");
    const size_t n = at ? strspn(at, "abcdefghijklmnopqrstuvwxyz_") : 0;
    if (n && n < sizeof(p->pmu) && (at[n] == '/' || at[n] == ')'))
        str_copy(p->pmu, n + 1, at);
}

/* ---- objects ---- */

static int take_member(struct percent *p, const char *key, const json_t *value, bool *wanted,
                       struct err *err) {
    struct column c = {.kind = COL_NONE};
    char text[64];
    double v;
    bool known;
    str_copy(text, sizeof(text), json_is_string(value) ? json_string_value(value) : "");
    if (!strcmp(key, "interval"))
        return import_values_time(&p->v, json_number_value(value))
                   ? 0
                   : import_values_bad(&p->v, "its time is negative, or more than 30 years", err);
    if (special(key, &known) == COL_AGG)
        *wanted &= import_values_choose(&p->v, text);
    if (known || !*wanted || !read_caption(key, &c) || is_unknown(text))
        return 0;
    return number(text, &v) ? add(p, &c, v, err)
                            : import_values_bad(&p->v, "a number is wanted", err);
}

/* "metric-value" and "metric-unit" of a line of an event, or below one. */
static int take_metric(struct percent *p, json_t *o, bool *wanted, struct err *err) {
    const json_t *value = json_object_get(o, "metric-value");
    const char *unit = json_string_value(json_object_get(o, "metric-unit"));
    if (!unit || unit[0] == '(' || !*wanted || !(unit[0] == '%' || str_starts(unit, "percent")))
        return 0;
    struct column c;
    double v = json_number_value(value);
    char text[64];
    str_copy(text, sizeof(text), json_is_string(value) ? json_string_value(value) : "");
    if (!read_caption(unit, &c) || (json_is_string(value) && !number(text, &v)) || !is_wanted(p))
        return 0;
    return add(p, &c, v, err);
}

static int take_object(struct percent *p, char *line, struct err *err) {
    char *odd = strstr(line, ", }"); /* up to perf 6.13 */
    if (odd)
        *odd = ' ';
    json_t *o = json_loads(line, 0, NULL), *value;
    const char *key;
    int rc = o ? 0 : import_values_bad(&p->v, "it is not JSON", err);
    bool wanted = true;
    if (rc == 0 && (json_object_get(o, "metric-value") || json_object_get(o, "event"))) {
        const json_t *t = json_object_get(o, "interval");
        if (t)
            import_values_time(&p->v, json_number_value(t));
        json_object_foreach(o, key, value) {
            bool known;
            if (special(key, &known) == COL_AGG && json_is_string(value))
                wanted &= import_values_choose(&p->v, json_string_value(value));
        }
        rc = take_metric(p, o, &wanted, err);
    } else if (rc == 0 && !json_object_get(o, "metricgroup")) {
        json_object_foreach(o, key, value) {
            if (rc == 0)
                rc = take_member(p, key, value, &wanted, err);
        }
    }
    json_decref(o);
    return rc;
}

/* ---- metrics beside counts ---- */

/* "1.001089747,S0,...,70.1,%  tma_backend_bound[,bad]" */
static int take_beside_csv(struct percent *p, char *line, struct err *err) {
    char *field[FIELDS_MAX];
    uint64_t ns;
    double v;
    const int n = import_values_split(line, strchr(line, ';') ? ';' : ',', field, FIELDS_MAX);
    const int first = n > 0 && replay_time(field[0] + strspn(field[0], " "), &ns);
    int rc = 0;
    for (int i = 1; i < n && rc == 0; i++) {
        struct column c;
        if ((field[i][0] != '%' && !str_starts(field[i], "percent of slots")) ||
            !read_caption(field[i], &c) || !number(field[i - 1], &v))
            continue;
        if (first)
            import_values_time(&p->v, (double)ns / 1e9);
        if (!is_wanted(p) || (n > first && replay_agg_kind(field[first]) != AGG_NONE &&
                              !import_values_choose(&p->v, field[first])))
            continue;
        rc = add(p, &c, v, err);
    }
    return rc;
}

/* "topdown-heavy-ops   #  0.8% Heavy Operations   #  36.3 %  tma_light_operations  (33.33%)" */
static int take_beside_text(struct percent *p, char *line, struct err *err) {
    char *at = strchr(line, '#'), *end;
    uint64_t ns;
    char time[32];
    const char *begin = line + strspn(line, " ");
    str_copy(time, strcspn(begin, " ") + 1 < sizeof(time) ? strcspn(begin, " ") + 1 : sizeof(time),
             begin);
    const bool timed = replay_time(time, &ns);
    double v;
    int rc = 0;
    for (char *next; at && rc == 0; at = next) {
        struct column c;
        next = strchr(at + 1, '#');
        if (next)
            *next = '\0';
        char value[32], *begins = at + 1 + strspn(at + 1, " ");
        end = begins + strspn(begins, "-0123456789.,");
        str_copy(value, (size_t)(end - begins) + 1 < sizeof(value) ? (size_t)(end - begins) + 1 : 1,
                 begins);
        char *unit = end + strspn(end, " "), *share = strchr(unit, '(');
        if (!number(value, &v) || (*unit != '%' && !str_starts(unit, "percent of slots")))
            continue;
        if (share)
            *share = '\0';
        trim(unit);
        if (!read_caption(unit, &c) && !(*unit == '%' && read_caption(unit + 1, &c)))
            continue;
        if (timed)
            import_values_time(&p->v, (double)ns / 1e9);
        if (is_wanted(p))
            rc = add(p, &c, v, err);
    }
    return rc;
}

/* ---- the file ---- */

/* "System:,Family(0x1a) Model(0x02) Stepping(0x1)": the model of that CPU. */
static void read_cpu(struct percent *p, const char *line) {
    unsigned family, model, stepping;
    char id[64];
    const char *at = strstr(line, "Family(");
    if (!at || sscanf(at, "Family(%x) Model(%x) Stepping(%x)", &family, &model, &stepping) != 3)
        return;
    snprintf(id, sizeof(id), "AuthenticAMD-%u-%X-%X", family, model, stepping);
    if (!fallback_find(&p->v.im->a->places, id, "", p->v.model, sizeof(p->v.model)))
        p->v.model[0] = '\0';
}

/* What uProf says above the table. */
static void read_preamble(struct percent *p, const char *line) {
    static const char step[] = "Sample interval (ms):,", version[] = "Version:,",
                      begun[] = "Profile Time: ";
    struct tm tm = {.tm_isdst = -1};
    read_cpu(p, line);
    if (str_starts(line, step))
        p->step_s = strtod(line + strlen(step), NULL) / 1000;
    else if (str_starts(line, version))
        snprintf(p->v.version, sizeof(p->v.version), "AMDuProfPcm %.*s",
                 (int)strcspn(line + strlen(version), " ,"), line + strlen(version));
    else if (str_starts(line, begun) && strptime(line + strlen(begun), "%Y/%m/%d %H:%M:%S", &tm))
        p->v.begun_ns = import_local_ns(&tm);
}

/* Two columns of one name: nothing says which belongs to which. */
static int refuse_doubles(const struct percent *p, struct err *err) {
    const struct table *t = &p->table;
    for (int i = 0; i < t->n; i++)
        for (int k = 0; k < i && t->at[i].kind == COL_VALUE; k++)
            if (t->at[k].kind == COL_VALUE && !strcmp(t->at[i].path, t->at[k].path) &&
                !strcmp(t->at[i].scope, t->at[k].scope))
                return err_set(err, -EINVAL,
                               "%s:%llu: two columns are %s; record one kind of core at a time",
                               p->v.im->path, (unsigned long long)p->v.in.number, t->at[i].path);
    return 0;
}

static int begin_table(struct percent *p, struct err *err) {
    bool uprof = false;
    for (int i = 0; i < p->table.n; i++)
        uprof |= !strcmp(p->table.at[i].path, "Total_Dispatch_Slots");
    p->uprof = uprof;
    for (int i = 0; i < p->table.n && uprof; i++)
        p->uprof &= p->table.at[i].kind != COL_TIME;
    if (uprof) {
        name_scopes(&p->table, p->before);
        p->v.collector = "uprof";
        p->v.reason = "the mean of what AMDuProfPcm printed per interval; it has no counts";
    }
    return refuse_doubles(p, err);
}

static int take_line(struct percent *p, char *line, struct err *err) {
    struct table *t = malloc(sizeof(*t));
    if (!t)
        return err_set(err, -ENOMEM, "%s: out of memory", p->v.im->path);
    const bool object = line[strspn(line, " ")] == '{';
    const bool header = !object && *line && read_header(t, line);
    int rc = 0;
    if (header) {
        p->table = *t;
        rc = begin_table(p, err);
    }
    free(t);
    if (rc < 0)
        return rc;
    if (header || !*line || (line[0] == '#' && !strstr(line, "%  "))) {
        if (!*line) /* ends a table */
            p->table.separator = p->before[0] = '\0';
        return 0;
    }
    double seconds;
    if (replay_text_elapsed(line, &seconds))
        return import_values_time(&p->v, seconds) ? 0 : import_values_bad(&p->v, "no time", err);
    note_pmu(p, line);
    if (object)
        return take_object(p, line, err);
    if (p->table.separator == ' ')
        return take_text(p, line, err);
    if (p->table.separator)
        return take_csv(p, line, err);
    read_preamble(p, line);
    str_copy(p->before, sizeof(p->before), line);
    return strchr(line, '#') ? take_beside_text(p, line, err) : take_beside_csv(p, line, err);
}

static int read_file(struct percent *p, struct err *err) {
    int rc;
    while ((rc = replay_lines_next(&p->v.in, err)) > 0)
        if ((rc = take_line(p, p->v.in.text, err)) < 0)
            break;
    return rc;
}

int import_percent(struct importer *im, struct err *err) {
    struct percent *p = calloc(1, sizeof(*p));
    if (!p)
        return err_set(err, -ENOMEM, "%s: out of memory", im->path);
    int rc = import_values_open(&p->v, im, err);
    p->clock_s = p->last_clock_s = NAN;
    p->v.collector = "perf stat";
    p->v.reason = "the mean of what perf stat printed per interval; it has no counts";
    p->v.begun_ns = import_started_ns(im->path);
    if (rc == 0)
        rc = read_file(p, err);
    if (rc == 0)
        rc = import_values_take(&p->v, err);
    import_values_close(&p->v);
    free(p);
    return rc;
}
