/*
 * perf stat -x SEP:
 *
 *   [TIME|summary SEP] [AGG SEP [NR SEP]] VALUE SEP UNIT SEP EVENT SEP [CGROUP SEP] [VAR% SEP]
 *   RUNTIME SEP PCT [SEP MVALUE SEP MUNIT]
 *
 * Event names and names of threads may hold the separator. So the line is read from both ends:
 * RUNTIME (digits only) and PCT (ddd.dd) are the right-most such pair; VALUE is the first number
 * that is followed by a unit and a name; what lies between them is EVENT, where the slashes
 * balance, then CGROUP and VAR%.
 * Source: tools/perf/util/stat-display.c of Linux 6.1 to 7.2.
 */
#include "pmu/replay/replay_rows.h"

#include "base/str.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

enum { FIELDS_MAX = 64 };

struct fields {
    char *at[FIELDS_MAX]; /* not terminated before fields_text() */
    size_t len[FIELDS_MAX];
    int n;
};

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static bool all_digits(const char *s, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (!is_digit(s[i]))
            return false;
    return n > 0;
}

/* "100.00": one to three digits, two decimals. */
static bool is_percent(const char *s, size_t n, char decimal) {
    return n >= 4 && n <= 6 && all_digits(s, n - 3) && s[n - 3] == decimal &&
           all_digits(s + n - 2, 2);
}

static bool field_is(const struct fields *f, int i, const char *text) {
    return f->len[i] == strlen(text) && memcmp(f->at[i], text, f->len[i]) == 0;
}

static bool split(const struct replay_dialect *d, char *line, struct fields *f) {
    f->n = 0;
    for (char *at = line;;) {
        char *next = d->sep_len == 1 ? strchr(at, d->sep[0]) : strstr(at, d->sep);
        if (f->n == FIELDS_MAX)
            return false;
        f->at[f->n] = at;
        f->len[f->n++] = next ? (size_t)(next - at) : strlen(at);
        if (!next)
            return true;
        at = next + d->sep_len;
    }
}

/* Fields first..last as one text again; a separator inside them comes back. */
static const char *text_of(struct fields *f, int first, int last) {
    if (last < first)
        return "";
    f->at[last][f->len[last]] = '\0';
    return f->at[first];
}

static bool has_byte(const struct fields *f, int i, char c) {
    return memchr(f->at[i], c, f->len[i]);
}

/* A unit is empty or a word; never a number or <not ...>. */
static bool is_unit(const struct fields *f, int i) {
    unsigned char c = f->len[i] ? (unsigned char)f->at[i][0] : 'x';
    return isalpha(c) || c == '%' || c == '_';
}

static bool is_event(const struct fields *f, int i) {
    return f->len[i] && (isalpha((unsigned char)f->at[i][0]) || f->at[i][0] == '_');
}

static bool is_value(const struct fields *f, int i) {
    if (field_is(f, i, "<not counted>") || field_is(f, i, "<not supported>"))
        return true;
    return f->len[i] && isdigit((unsigned char)f->at[i][0]);
}

/* The right-most RUNTIME PCT pair, or -1. */
static int find_runtime(const struct replay_dialect *d, const struct fields *f, int from) {
    for (int j = f->n - 2; j >= from; j--)
        if (all_digits(f->at[j], f->len[j]) && is_percent(f->at[j + 1], f->len[j + 1], d->decimal))
            return j;
    return -1;
}

static int find_value(const struct fields *f, int from, int runtime) {
    for (int k = from; k + 2 < runtime; k++)
        if (is_value(f, k) && is_unit(f, k + 1) && is_event(f, k + 2))
            return k;
    return -1;
}

/* The last field of the event's name, which may hold separators between its slashes or before
 * "cmask=0x6". */
static int event_end(const struct fields *f, int event, int runtime) {
    int end = event;
    size_t slashes = 0;
    for (int i = event; i < runtime; i++) {
        for (size_t c = 0; c < f->len[i]; c++)
            slashes += f->at[i][c] == '/';
        if (i == event && slashes == 0)
            break;
        if (slashes >= 2)
            return i;
    }
    while (end + 1 < runtime && has_byte(f, end + 1, '=') && !has_byte(f, end + 1, '/'))
        end++;
    return end;
}

static bool is_variance(const struct fields *f, int i) {
    return f->len[i] > 1 && f->at[i][f->len[i] - 1] == '%' && isdigit((unsigned char)f->at[i][0]);
}

/* CPU0 or S0-D0-C0 NR, in front of the value. */
static void take_aggregate(struct fields *f, int first, int value, struct replay_row *row) {
    int last = value - 1;
    if (last > first && all_digits(f->at[last], f->len[last]))
        last--;
    if (last < first)
        return;
    row->agg = text_of(f, first, last);
    row->kind = replay_agg_kind(row->agg);
}

static enum row_kind read_fields(const struct replay_dialect *d, struct fields *f,
                                 struct replay_row *row) {
    int at = 0;
    bool summary = field_is(f, 0, "summary");
    char time[32];
    if (f->len[0] < sizeof(time)) {
        memcpy(time, f->at[0], f->len[0]);
        time[f->len[0]] = '\0';
        row->timed = replay_time(time, &row->time_ns);
    }
    at += summary || row->timed;

    int runtime = find_runtime(d, f, at);
    if (runtime < 0)
        return ROW_NONE;
    int value = find_value(f, at, runtime);
    if (value < 0) /* a title has nothing where the event would be */
        return runtime > 0 && f->len[runtime - 1] == 0 ? ROW_GROUP : ROW_BROKEN;
    int end = event_end(f, value + 2, runtime), rest = runtime - 1;
    if (rest > end && is_variance(f, rest))
        rest--;

    /* Now the fields may be terminated, from left to right. */
    take_aggregate(f, at, value, row);
    const char *number = text_of(f, value, value);
    row->unit = text_of(f, value + 1, value + 1);
    row->event = text_of(f, value + 2, end);
    row->cgroup = text_of(f, end + 1, rest);
    double percent;
    row->titled = runtime + 3 < f->n && f->len[runtime + 3] > 0;
    if (!replay_value(number, d->decimal, row) ||
        !replay_number(text_of(f, runtime, runtime), d->decimal, &row->runtime_ns) ||
        !replay_number(text_of(f, runtime + 1, runtime + 1), d->decimal, &percent))
        return ROW_BROKEN;
    row->share = fmin(percent / 100, 1);
    if (strcmp(row->unit, "%") == 0)
        return ROW_PERCENT;
    replay_apply_unit(row);
    return summary ? ROW_SUMMARY : ROW_COUNT;
}

enum row_kind replay_csv_line(const struct replay_dialect *d, char *line, struct replay_row *row) {
    *row = (struct replay_row){.agg = "", .cgroup = "", .event = "", .unit = "", .runtime_ns = NAN};
    while (*line == ' ' && d->sep[0] != ' ') /* perf 6.1 aligns the time to the right */
        line++;
    if (*line == '#' || *line == '\0')
        return ROW_NONE;
    struct fields f;
    return split(d, line, &f) ? read_fields(d, &f, row) : ROW_BROKEN;
}

static bool is_separator_char(char c) {
    return c && !isalnum((unsigned char)c) && !strchr(".<>/\"_-+%#()", c);
}

/*
 * RUNTIME SEP PCT without knowing SEP: digits, then something, then ddd.dd. Looked for from the
 * right. The runtime must be a field of its own: a separator stands before it.
 */
static bool dialect_at(const char *line, const char *percent, char decimal,
                       struct replay_dialect *d) {
    const char *sep = percent;
    while (sep > line && is_separator_char(sep[-1]))
        sep--;
    size_t len = (size_t)(percent - sep);
    if (len == 0 || len >= sizeof(d->sep))
        return false;
    const char *digits = sep;
    while (digits > line && isdigit((unsigned char)digits[-1]))
        digits--;
    if (digits == sep || (size_t)(digits - line) < len || memcmp(digits - len, sep, len) != 0)
        return false;
    const char *end = percent + strspn(percent, "0123456789") + 3;
    if (*end && strncmp(end, sep, len) != 0)
        return false;
    const char *before = digits - len; /* a name, "k" of task-clock, or a variance */
    if (before == line || !(isalnum((unsigned char)before[-1]) || strchr("/>%_]", before[-1])))
        return false;
    *d = (struct replay_dialect){.format = REPLAY_CSV, .sep_len = len, .decimal = decimal};
    memcpy(d->sep, sep, len);
    return true;
}

static bool find_dialect(const char *line, char decimal, struct replay_dialect *d) {
    for (const char *p = line + strlen(line); p-- > line;) {
        size_t n = strspn(p, "0123456789");
        bool starts = p == line || !isdigit((unsigned char)p[-1]);
        if (starts && n >= 1 && n <= 3 && p[n] == decimal && isdigit((unsigned char)p[n + 1]) &&
            isdigit((unsigned char)p[n + 2]) && !isdigit((unsigned char)p[n + 3]) &&
            dialect_at(line, p, decimal, d))
            return true;
    }
    return false;
}

bool replay_csv_dialect(const char *line, struct replay_dialect *d) {
    return find_dialect(line, '.', d) || find_dialect(line, ',', d);
}
