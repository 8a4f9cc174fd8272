/* What is this file? A perf stat recording, or something that looks like one and cannot be used. */
#include "pmu/replay/replay_rows.h"

#include "base/str.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { SNIFF_LINES = 1000 };

#define RECORD_IT "record counts with perf stat -x\\; -I 1000 -o FILE"

#define STORE_IT "; tdtop import FILE stores them as values"

#define TOPLEV_HAS "toplev output: percentages, no counts; " RECORD_IT STORE_IT
#define UPROF_HAS  "an AMD uProf report: percentages, no counts; " RECORD_IT STORE_IT
#define LIKWID_HAS                                                                                 \
    "output of likwid-perfctr: its events have likwid's own names, without codes, and no model "   \
    "has these; " RECORD_IT

#define JSON_ARRAY "a JSON array; perf stat -j writes one object per line; " RECORD_IT

/* Signs of files that hold no counts, and what to say. `at_start`: only at the begin of a line. */
static const struct {
    const char *sign;
    bool at_start;
    const char *words;
} foreign[] = {
    {"PERFILE2", true, "a perf.data file (perf record); tdtop replays perf stat: " RECORD_IT},
    {"PERFFILE", true, "a perf.data file (perf record); tdtop replays perf stat: " RECORD_IT},
    {"\x1f\x8b", true, "compressed with gzip; unpack it first (gunzip FILE)"},
    {"\xfd"
     "7zXZ",
     true, "compressed with xz; unpack it first (unxz FILE)"},
    {"\x28\xb5\x2f\xfd", true, "compressed with zstd; unpack it first (unzstd FILE)"},
    {"SQLite format 3", true, "an SQLite database, not a recording"},
    {"AMDuProf", false, UPROF_HAS},
    {"Group_Type,pipeline_util", true, UPROF_HAS},
    {"-full on ", false, TOPLEV_HAS},
    {"Timestamp,Area,", false, TOPLEV_HAS},
    {"Timestamp,CPUs,Area,", false, TOPLEV_HAS},
    {"Area,Value,Unit,", false, TOPLEV_HAS},
    {"| Counter |", false, LIKWID_HAS},
    {"Event,Counter,", true, LIKWID_HAS},
    {"TABLE,Group ", true, LIKWID_HAS},
    {"Timestamp;CPU;Group;Event;", true,
     "values that toplev -V wrote, which are scaled by its own rules; use toplev --perf-output "
     "FILE"},
    {"run,time,event,value", true,
     "output of Arm's topdown-tool, which has no running times; " RECORD_IT},
    {"time,group,stage,level,metric", true, "output of Arm's topdown-tool: no counts; " RECORD_IT},
    {"[{", true, JSON_ARRAY},
    {"<!DOCTYPE", true, "a web page, not a recording"},
    {"<html", true, "a web page, not a recording"},
};

/* Captions of --metric-only and --topdown: names without any count below them. */
static const char *const captions[] = {
    "percent of slots  ", "bad speculation", "%  tma_", "Frontend_Bound", "frontend bound,",
};

struct suspicion {
    uint64_t lines;
    bool metric_only, percent, nothing_supported;
    char first[64]; /* the first line that says something, for the message */
};

static int not_ours(const struct replay_lines *in, const char *words, struct err *err) {
    return err_set(err, -EINVAL, "%s:%llu: looks like %s", in->name, (unsigned long long)in->number,
                   words);
}

static const char *foreign_words(const char *line) {
    for (size_t i = 0; i < sizeof(foreign) / sizeof(foreign[0]); i++)
        if (foreign[i].at_start ? str_starts(line, foreign[i].sign)
                                : strstr(line, foreign[i].sign) != NULL)
            return foreign[i].words;
    return strcmp(line, "[") == 0 ? JSON_ARRAY : NULL;
}

/* "time,cs/sec  cs_per_second,": a header of perf's, by its first column and the double blank. */
static bool is_caption(const char *line) {
    for (size_t i = 0; i < sizeof(captions) / sizeof(captions[0]); i++)
        if (strstr(line, captions[i]))
            return true;
    static const char *const columns[] = {"time", "cpu", "core", "socket", "die", "node", "cache"};
    for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++) {
        size_t n = strlen(columns[i]);
        if (strncmp(line, columns[i], n) == 0 && line[n] && !isalnum((unsigned char)line[n]) &&
            line[n] != ' ' && strstr(line, "  "))
            return true;
    }
    return false;
}

/* A line that is a count in one of the three formats, or a title of one, decides. */
static enum row_kind try_formats(const char *line, char *copy, struct replay_dialect *d) {
    struct replay_row row;
    strcpy(copy, line);
    if (line[strspn(line, " ")] == '{') {
        d->format = REPLAY_JSON;
        return replay_json_line(d, copy, &row);
    }
    if (replay_csv_dialect(line, d)) {
        enum row_kind kind = replay_csv_line(d, copy, &row);
        if (kind != ROW_NONE && kind != ROW_BROKEN)
            return kind;
        strcpy(copy, line);
    }
    d->format = REPLAY_TEXT;
    return replay_text_line(d, copy, &row);
}

static void suspect(struct suspicion *s, const char *line, enum row_kind kind) {
    const char *text = line + strspn(line, " \t");
    s->percent |= kind == ROW_PERCENT;
    s->nothing_supported |= strstr(line, "No supported events found") != NULL;
    s->metric_only |= is_caption(text);
    if (*text && *text != '#' && !s->first[0])
        str_safe(s->first, sizeof(s->first), text);
}

static int give_up(const struct replay_lines *in, const struct suspicion *s, struct err *err) {
    if (s->nothing_supported)
        return err_set(
            err, -EINVAL,
            "%s: perf stat counted nothing: \"No supported events found\"; was it recorded "
            "on a machine without counters?",
            in->name);
    if (s->metric_only || s->percent)
        return err_set(
            err, -EINVAL,
            "%s: holds only percentages (--metric-only, --topdown or a made table), not the "
            "counts that they come from; " RECORD_IT
            ", or store a table of perf stat's with tdtop import",
            in->name);
    if (!s->first[0])
        return err_set(err, -EINVAL, "%s: is empty; perf stat writes its rows with -o FILE",
                       in->name);
    return err_set(err, -EINVAL,
                   "%s: no line of the first %llu is a counter line of perf stat (it begins "
                   "\"%s\"); " RECORD_IT,
                   in->name, (unsigned long long)s->lines, s->first);
}

static int refuse_locale(const struct replay_lines *in, struct err *err) {
    return err_set(
        err, -EINVAL,
        "%s:%llu: numbers have decimal commas and the fields are separated by commas too "
        "(perf ran under a locale such as de_DE), so they cannot be told apart; record "
        "with LC_ALL=C perf stat -x\\; -I 1000 -o FILE",
        in->name, (unsigned long long)in->number);
}

/* Looks at the newest line. 1: the format is found; 0: go on; negative errno with words. */
static int sniff_line(const struct replay_lines *in, struct suspicion *s, struct replay_dialect *d,
                      struct err *err) {
    const char *words = foreign_words(in->text);
    if (words)
        return not_ours(in, words, err);
    if (in->text[0] != '{' && replay_csv_dialect(in->text, d) && d->decimal == ',' &&
        strcmp(d->sep, ",") == 0)
        return refuse_locale(in, err);
    char *copy = strdup(in->text);
    if (!copy)
        return err_set(err, -ENOMEM, "%s: out of memory", in->name);
    memset(d, 0, sizeof(*d));
    enum row_kind kind = try_formats(in->text, copy, d);
    free(copy);
    if (kind != ROW_COUNT && kind != ROW_SUMMARY && kind != ROW_GROUP) {
        suspect(s, in->text, kind);
        return 0;
    }
    return 1;
}

int replay_sniff(struct replay_lines *in, struct replay_dialect *d, struct err *err) {
    struct suspicion s = {0};
    while (s.lines < SNIFF_LINES) {
        struct err why = {0};
        int rc = replay_lines_next(in, &why);
        const char *words = rc < 0 && in->text ? foreign_words(in->text) : NULL;
        if (words) /* a binary file fails as text; its sign says more */
            return not_ours(in, words, err);
        if (rc < 0)
            return err_set(err, rc, "%s", why.text);
        if (rc == 0)
            break;
        s.lines++;
        rc = sniff_line(in, &s, d, err);
        if (rc != 0)
            return rc < 0 ? rc : 0;
    }
    return give_up(in, &s, err);
}
