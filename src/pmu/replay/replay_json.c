/*
 * perf stat -j: one flat object per line, read by our own scanner because the lines are often not
 * JSON (tools/perf/util/stat-display.c, 6.1 to 7.2): a comma before the closing brace, a bare nan,
 * 100,00 under a comma locale, and strings that are not escaped, so that the quote of a thread
 * named  a,b "c  ends its string early. It also allocates nothing, which a JSON library would for
 * each of a million lines.
 */
#include "pmu/replay/replay_rows.h"

#include "base/str.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

/* A value: text between quotes, or a bare word. */
struct word {
    char *text;
    bool quoted;
};

struct object { /* what a line said */
    const char *interval, *value, *runtime, *percent, *metric_unit;
    bool title, metric, foreign; /* foreign: a key that no counter line has */
};

static char *skip_space(char *s) {
    while (*s == ' ' || *s == '\t')
        s++;
    return s;
}

/* A quote ends a string where the text after it can only be the syntax of the object. */
static bool ends_string(char *quote) {
    char *next = skip_space(quote + 1);
    if (*next == ':' || *next == '}' || *next == '\0')
        return true;
    if (*next != ',')
        return false;
    next = skip_space(next + 1);
    return *next == '"' || *next == '}';
}

static unsigned hex4(const char *s) {
    unsigned v = 0;
    for (int i = 0; i < 4; i++) {
        unsigned char c = (unsigned char)s[i];
        if (!isxdigit(c))
            return 0;
        v = v * 16 + (unsigned)(isdigit(c) ? c - '0' : tolower(c) - 'a' + 10);
    }
    return v;
}

/* Undoes the escapes of a writer that knows them; a backslash before anything else is itself. */
static void unescape(char *s) {
    char *out = s;
    while (*s) {
        static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
        const char *hit = s[0] == '\\' && s[1] ? strchr(from, s[1]) : NULL;
        unsigned cp = s[0] == '\\' && s[1] == 'u' ? hex4(s + 2) : 0;
        if (hit) {
            *out++ = to[hit - from];
            s += 2;
        } else if (cp) {
            out += str_encode(cp, out);
            s += 6;
        } else {
            *out++ = *s++;
        }
    }
    *out = '\0';
}

/* Cuts a string or a bare word out of the line. Returns what follows it, or NULL. */
static char *take_word(char *s, struct word *w) {
    s = skip_space(s);
    w->quoted = *s == '"';
    if (w->quoted) {
        w->text = ++s;
        for (; *s; s++) {
            if (s[0] == '\\' && s[1] == '"' && !ends_string(s + 1))
                s++; /* escaped, as it should be */
            else if (*s == '"' && ends_string(s))
                break;
        }
        if (!*s)
            return NULL;
        *s = '\0';
        unescape(w->text);
        return s + 1;
    }
    w->text = s;
    /* 100,00: a comma between digits belongs to the number, as no arrays occur. */
    while (*s && *s != ' ' && *s != '}' && *s != '"' && *s != ':' &&
           !(*s == ',' && !isdigit((unsigned char)s[1])))
        s++;
    return s > w->text ? s : NULL;
}

static const struct {
    const char *key;
    enum replay_agg kind;
} aggregates[] = {
    {"cpu", AGG_CPU},   {"core", AGG_CORE},   {"socket", AGG_SOCKET},   {"die", AGG_DIE},
    {"node", AGG_NODE}, {"cache", AGG_CACHE}, {"cluster", AGG_CLUSTER}, {"thread", AGG_THREAD},
};

/* "CPU0" as the other formats say it; perf writes {"cpu" : "0"}. What stands in front
 * of the number, the quotes and the colon, makes room. */
static const char *cpu_name(char *number) {
    size_t n = strlen(number);
    for (size_t i = 0; i < n; i++)
        if (!isdigit((unsigned char)number[i]))
            return number;
    memcpy(number - 3, "CPU", 3);
    return number - 3;
}

static void store(struct object *o, struct replay_row *row, const char *key, struct word *w) {
    struct {
        const char *key;
        const char **to;
    } texts[] = {
        {"interval", &o->interval},    {"counter-value", &o->value},
        {"unit", &row->unit},          {"event", &row->event},
        {"cgroup", &row->cgroup},      {"event-runtime", &o->runtime},
        {"pcnt-running", &o->percent}, {"metric-unit", &o->metric_unit},
    };
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        if (strcmp(key, texts[i].key) == 0) {
            *texts[i].to = w->text;
            return;
        }
    for (size_t i = 0; i < sizeof(aggregates) / sizeof(aggregates[0]); i++)
        if (strcmp(key, aggregates[i].key) == 0) {
            row->kind = aggregates[i].kind;
            row->agg = row->kind == AGG_CPU ? cpu_name(w->text) : w->text;
            return;
        }
    static const char *const others[] = {
        "aggregate-number", "counters",     "variance", "metric-threshold",
        "metricgroup",      "metric-value", "cpuid",    "midr"}; /* of a header: replay_header.h */
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        if (strcmp(key, others[i]) == 0) {
            o->title |= strcmp(key, "metricgroup") == 0;
            o->metric |= strcmp(key, "metric-value") == 0;
            return;
        }
    o->foreign = true;
}

static bool scan(char *s, struct object *o, struct replay_row *row) {
    s = skip_space(s);
    if (*s++ != '{')
        return false;
    for (;;) {
        struct word key, value;
        s = skip_space(s);
        if (*s == ',')
            s = skip_space(s + 1);
        if (*s == '}')
            return true;
        s = take_word(s, &key);
        s = s && key.quoted ? skip_space(s) : NULL;
        if (!s || *s != ':')
            return false;
        char *after = take_word(s + 1, &value);
        if (!after)
            return false;
        char behind = *after; /* ends a bare word, so it is looked at before it is cut */
        if (!value.quoted && behind) {
            *after = '\0';
            after++;
        }
        store(o, row, key.text, &value);
        if (!value.quoted && behind == '}')
            return true;
        s = after;
    }
}

/* Decimals: '.', or ',' where perf ran under a comma locale. */
static bool number(const char *s, double *out) {
    return s && (replay_number(s, '.', out) || replay_number(s, ',', out));
}

static enum row_kind read_object(const struct object *o, struct replay_row *row) {
    if (!o->value)
        return o->title ? ROW_GROUP : ROW_NONE;
    char decimal = strchr(o->value, ',') ? ',' : '.';
    double percent = 100;
    if (!*row->event || !replay_value(o->value, decimal, row) ||
        (o->runtime && !number(o->runtime, &row->runtime_ns)) ||
        (o->percent && !number(o->percent, &percent)))
        return ROW_BROKEN;
    if (o->interval) {
        row->timed = replay_time(o->interval, &row->time_ns);
        if (!row->timed)
            return ROW_BROKEN;
    }
    row->share = fmin(percent / 100, 1);
    row->titled = o->metric_unit && *o->metric_unit;
    if (strcmp(row->unit, "%") == 0)
        return ROW_PERCENT;
    replay_apply_unit(row);
    return ROW_COUNT;
}

enum row_kind replay_json_line(const struct replay_dialect *d, char *line, struct replay_row *row) {
    (void)d;
    *row = (struct replay_row){.agg = "", .cgroup = "", .event = "", .unit = "", .runtime_ns = NAN};
    struct object o = {0};
    line = skip_space(line);
    if (*line != '{')
        return ROW_NONE;
    if (!scan(line, &o, row))
        return ROW_BROKEN;
    if (o.foreign && !o.value)
        return ROW_PERCENT; /* --metric-only: {"%  tma_retiring" : "25.3"} */
    return read_object(&o, row);
}
