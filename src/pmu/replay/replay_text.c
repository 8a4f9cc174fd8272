/*
 * perf stat's text for people:
 *
 *   [TIME] [AGG [NR]] VALUE [UNIT] EVENT [CGROUP] [# METRIC] [( +- x% )] [(pct%)]
 *
 * in columns. A unit follows its value after one blank, an event without a unit after at least
 * two. Thousands are marked as the locale likes: comma, point, blank, U+00A0, U+202F. A metric that
 * does not fit stands on the next line behind a '#', and the share of running time with it.
 */
#include "pmu/replay/replay_rows.h"

#include "base/str.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

/* perf pads the event's name to this width, and a blank, before a cgroup. */
enum { EVENT_COLUMN = 24 };

/* Blanks of locales become ASCII blanks; the line gets shorter, never longer. */
static void plain_blanks(char *s) {
    char *out = s;
    while (*s) {
        if ((unsigned char)s[0] == 0xc2 && (unsigned char)s[1] == 0xa0) {
            *out++ = ' ';
            s += 2;
        } else if ((unsigned char)s[0] == 0xe2 && (unsigned char)s[1] == 0x80 &&
                   ((unsigned char)s[2] == 0xaf || (unsigned char)s[2] == 0x89)) {
            *out++ = ' ';
            s += 3;
        } else if (str_starts(s, "\xe2\x80\x99")) { /* U+2019, of de_CH */
            *out++ = '\'';
            s += 3;
        } else {
            *out++ = *s == '\t' ? ' ' : *s;
            s++;
        }
    }
    *out = '\0';
}

static void trim_right(char *s) {
    size_t n = strlen(s);
    while (n > 0 && s[n - 1] == ' ')
        s[--n] = '\0';
}

/* "(33.34%)" at the end: the share. The line is cut before it. */
static bool take_share(char *line, double *share) {
    trim_right(line);
    char *open = strrchr(line, '(');
    size_t n = strlen(line);
    if (!open || !isdigit((unsigned char)open[1]) || !str_ends(line, "%)"))
        return false;
    line[n - 2] = '\0';
    double percent;
    bool ok = replay_number(open + 1, '.', &percent) || replay_number(open + 1, ',', &percent);
    *open = '\0';
    if (ok)
        *share = fmin(percent / 100, 1);
    return ok;
}

/* "1,234", "5,351.55", "1 138,02", "21 958 894": which mark is which is told by where they stand.
 */
static bool parse_amount(char *s, double *out) {
    char *out_at = s;
    char decimal = '\0';
    char *comma = strrchr(s, ','), *point = strrchr(s, '.');
    if (comma && point)
        decimal = comma > point ? ',' : '.';
    else if (comma || point) {
        char *mark = comma ? comma : point;
        bool once = strchr(s, *mark) == mark;
        decimal = once && strlen(mark + 1) != 3 ? *mark : '\0'; /* perf prints two decimals */
    }
    for (const char *c = s; *c; c++) {
        if (*c == ' ' || *c == '\'' || ((*c == ',' || *c == '.') && *c != decimal))
            continue;
        *out_at++ = *c;
    }
    *out_at = '\0';
    return replay_number(s, decimal ? decimal : '.', out);
}

static size_t blanks(const char *s) {
    return strspn(s, " ");
}

/* Length of a number with its marks; groups of three after a single blank belong to it. */
static size_t amount_len(const char *s) {
    size_t n = strspn(s, "0123456789.,'");
    while (n > 0 && s[n] == ' ' && strspn(s + n + 1, "0123456789") == 3) {
        size_t more = strspn(s + n + 1, "0123456789.,");
        n += 1 + more;
    }
    return n;
}

static size_t value_len(const char *s) {
    if (str_starts(s, "<not counted>"))
        return strlen("<not counted>");
    if (str_starts(s, "<not supported>"))
        return strlen("<not supported>");
    return isdigit((unsigned char)*s) ? amount_len(s) : 0;
}

static bool is_event_word(const char *s) {
    size_t n = strcspn(s, " ");
    if (!isalpha((unsigned char)*s) && *s != '_')
        return false;
    for (size_t i = 0; i < n; i++)
        if (!isalnum((unsigned char)s[i]) && !strchr("_.-/,=:!@", s[i]))
            return false;
    return true;
}

/* Cuts the word at s; returns what follows, without its blanks. */
static char *cut_word(char *s, size_t n, size_t *gap) {
    char *next = s + n;
    *gap = blanks(next);
    if (*next)
        *next++ = '\0';
    return next + blanks(next);
}

/* UNIT EVENT CGROUP, after a value that was followed by `gap` blanks. */
static bool read_names(char *s, size_t gap, struct replay_row *row) {
    size_t n = strcspn(s, " ");
    bool another = s[n + blanks(s + n)] != '\0';
    if (gap == 1 && another && is_event_word(s + n + blanks(s + n))) {
        row->unit = s;
        s = cut_word(s, n, &gap);
    }
    if (!is_event_word(s))
        return false;
    row->event = s;
    n = strcspn(s, " ");
    if (s[n] == ' ' && s[n + 1] == '[') { /* "cpu-clock [software]" */
        size_t close = strcspn(s, "]");
        n = s[close] == ']' ? close + 1 : n;
    }
    row->cgroup = cut_word(s, n, &gap);
    if (!*row->cgroup)
        return true;
    /* "(33.3" is the end of a cut file; words closer than the column are a sentence */
    return n + gap > EVENT_COLUMN && row->cgroup[0] != '(' && !strchr(row->cgroup, ' ');
}

/* VALUE and what follows it. s is cut only if it is one. */
static enum row_kind read_value(char *s, struct replay_row *row) {
    size_t n = value_len(s), gap;
    if (n == 0 || s[n] != ' ' || !isalpha((unsigned char)s[n + blanks(s + n)]))
        return ROW_NONE;
    char *value = s;
    char *rest = cut_word(s, n, &gap);
    if (!read_names(rest, gap, row))
        return ROW_NONE;
    bool words = *value == '<';
    if (!words)
        row->state = COUNT_OK;
    if (words ? !replay_value(value, '.', row) : !parse_amount(value, &row->value))
        return ROW_BROKEN;
    replay_apply_unit(row);
    return ROW_COUNT;
}

/* Is there a value with its names at s? Looks without cutting. */
static bool value_at(const char *s) {
    size_t n = value_len(s);
    size_t gap = n ? blanks(s + n) : 0;
    return gap > 0 && (isalpha((unsigned char)s[n + gap]) || s[n + gap] == '_');
}

/* AGG [NR] in front of the value; comm may hold blanks, so the first value that fits decides. */
static enum row_kind read_aggregate(char *s, struct replay_row *row) {
    for (char *at = s; *at; at += strcspn(at, " "), at += blanks(at)) {
        if (at == s || !value_at(at))
            continue;
        char *end = at;
        while (end > s && end[-1] == ' ')
            end--;
        char cut = *end;
        *end = '\0';
        char *last = strrchr(s, ' ');
        if (last && last[1] && strspn(last + 1, "0123456789") == strlen(last + 1)) { /* NR */
            while (last > s && last[-1] == ' ')
                last--;
            *last = '\0';
        }
        row->agg = s;
        row->kind = replay_agg_kind(s);
        if (row->kind != AGG_NONE)
            return read_value(at, row);
        *end = cut; /* words of a sentence */
        return ROW_NONE;
    }
    return ROW_NONE;
}

static char *take_time(char *s, struct replay_row *row) {
    char time[32];
    size_t n = strspn(s, "0123456789.");
    if (n == 0 || n >= sizeof(time) || s[n] != ' ')
        return s;
    memcpy(time, s, n);
    time[n] = '\0';
    row->timed = replay_time(time, &row->time_ns);
    return row->timed ? s + n + blanks(s + n) : s;
}

/* "TopdownL1   #   70.1 %  tma_backend_bound", without the events: since perf 6.8. */
static bool is_title(const char *s) {
    const char *at = strstr(s, "TopdownL");
    const size_t before = at ? strspn(s, "0123456789. ") : 0;
    return at && s + before == at && isdigit((unsigned char)at[strlen("TopdownL")]) &&
           strchr(at, '#');
}

enum row_kind replay_text_line(const struct replay_dialect *d, char *line, struct replay_row *row) {
    (void)d;
    *row = (struct replay_row){
        .agg = "", .cgroup = "", .event = "", .unit = "", .runtime_ns = NAN, .share = 1};
    plain_blanks(line);
    char *s = line + blanks(line);
    if (*s == '#' || *s == '\0' || strstr(s, " seconds "))
        return ROW_NONE;
    take_share(s, &row->share);
    char *spread = strstr(s, "( +-"); /* of -r; may follow the event or the metric */
    if (spread)
        *spread = '\0';
    if (is_title(s))
        return ROW_GROUP;
    char *metric = strstr(s, " #");
    row->titled = metric && metric[2];
    if (metric)
        *metric = '\0';
    trim_right(s);
    s = take_time(s, row);
    return value_at(s) ? read_value(s, row) : read_aggregate(s, row);
}

bool replay_text_continues(const char *line, double *share) {
    const char *s = line + blanks(line);
    size_t time = strspn(s, "0123456789.");
    if (time && s[time] == ' ')
        s += time + blanks(s + time);
    if (*s != '#' || s == line) /* a comment of the file starts in the first column */
        return false;
    char end[16];
    size_t n = strlen(s);
    while (n > 0 && (s[n - 1] == ' ' || s[n - 1] == '\t'))
        n--;
    size_t take = n < sizeof(end) - 1 ? n : sizeof(end) - 1;
    memcpy(end, s + n - take, take);
    end[take] = '\0';
    take_share(end, share);
    return true;
}

bool replay_text_elapsed(const char *line, double *seconds) {
    const char *words = strstr(line, "seconds time elapsed");
    if (!words)
        return false;
    char number[32];
    const char *s = line + blanks(line);
    size_t n = strspn(s, "0123456789.,");
    if (n == 0 || n >= sizeof(number))
        return false;
    memcpy(number, s, n);
    number[n] = '\0';
    return replay_number(number, '.', seconds) || replay_number(number, ',', seconds);
}
