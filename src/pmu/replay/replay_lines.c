/* Lines of a recording, what kind of file they are, and rows of its lines. */
#include "pmu/replay/replay_rows.h"

#include "base/clock.h"
#include "base/str.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BLOCK_BYTES = 64 * 1024, LINE_BYTES_MAX = 1024 * 1024 };
/* Of a pipe: so much is looked at before more is kept, and so much is kept. */
enum { PIPE_LOOK_BYTES = 2 * LINE_BYTES_MAX, PIPE_MIB_MAX = 256 };

static int fill_from(struct replay_lines *in, int fd, struct err *err) {
    ssize_t n;
    do
        n = read(fd, in->block, BLOCK_BYTES);
    while (n < 0 && errno == EINTR);
    if (n < 0)
        return err_set(err, -errno, "%s: cannot be read: %s", in->name, strerror(errno));
    in->block_at = 0;
    in->block_n = (size_t)n;
    return n > 0;
}

static int append(struct replay_lines *in, size_t *len, size_t n, struct err *err) {
    size_t want = *len + n + 1;
    if (want > LINE_BYTES_MAX) {
        in->text[*len] = '\0';
        return err_set(err, -EINVAL, "%s:%llu: the line is longer than 1 MiB; this is no recording",
                       in->name, (unsigned long long)in->number + 1);
    }
    if (want > in->cap) {
        size_t cap = in->cap ? in->cap : 256;
        while (cap < want)
            cap *= 2;
        char *text = realloc(in->text, cap);
        if (!text)
            return err_set(err, -ENOMEM, "%s: out of memory", in->name);
        in->text = text;
        in->cap = cap;
    }
    memcpy(in->text + *len, in->block + in->block_at, n);
    *len += n;
    in->block_at += n;
    return 0;
}

/* A line out of a mail: "> ", ">> ", "> > " in front. */
static void unquote(char *line) {
    const char *from = line;
    while (*from == '>')
        from += 1 + (from[1] == ' ' && from[2] == '>');
    if (from > line && (*from == ' ' || !*from)) {
        from += *from == ' ';
        memmove(line, from, strlen(from) + 1);
    }
}

/* Ends the line; a NUL or an odd control character says that this is no text. */
static int finish_line(struct replay_lines *in, size_t len, struct err *err) {
    in->number++;
    in->text[len] = '\0';
    const size_t plain = str_printable(in->text, len);
    for (size_t i = plain; i < len; i++) {
        unsigned char c = (unsigned char)in->text[i];
        if (c < ' ' && c != '\t' && c != '\r' && c != '\f' && c != 0x1b)
            return err_set(err, -EINVAL,
                           "%s:%llu: holds the byte 0x%02x: not a text file; tdtop replays what "
                           "perf stat -x, -I 1000 -o FILE writes",
                           in->name, (unsigned long long)in->number, c);
    }
    if (len > 0 && in->text[len - 1] == '\r')
        len--;
    in->text[len] = '\0';
    if (plain < len)
        len = str_clean(in->text, "\t\r\f");
    const size_t bom = in->number == 1 ? str_bom(in->text, len) : 0;
    if (bom)
        memmove(in->text, in->text + bom, len - bom + 1);
    unquote(in->text);
    return 1;
}

int replay_lines_next(struct replay_lines *in, struct err *err) {
    size_t len = 0;
    in->cut = false;
    for (;;) {
        if (in->block_at == in->block_n) {
            int rc = fill_from(in, in->fd, err);
            if (rc < 0)
                return rc;
            if (rc == 0 && len == 0)
                return 0;
            in->cut = rc == 0;
            if (rc == 0)
                return finish_line(in, len, err);
        }
        const char *from = in->block + in->block_at;
        const char *newline = memchr(from, '\n', in->block_n - in->block_at);
        size_t n = newline ? (size_t)(newline - from) : in->block_n - in->block_at;
        int rc = append(in, &len, n, err);
        if (rc < 0)
            return rc;
        if (newline) {
            in->block_at++;
            return finish_line(in, len, err);
        }
    }
}

/* What cannot be rewound, a pipe, is kept in a file without a name. */
static int make_copy(struct replay_lines *in, struct err *err) {
    FILE *copy = tmpfile();
    in->fd = copy ? dup(fileno(copy)) : -1;
    const int code = errno;
    if (copy)
        fclose(copy);
    if (in->fd < 0)
        return err_set(err, -code,
                       "%s: no temporary file to keep it in: %s; make room in /tmp or give a file",
                       in->name, strerror(code));
    return 0;
}

static int write_copy(const struct replay_lines *in, struct err *err) {
    for (size_t at = 0; at < in->block_n;) {
        const ssize_t n = write(in->fd, in->block + at, in->block_n - at);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return err_set(err, -errno, "%s: cannot be kept in a temporary file: %s", in->name,
                           strerror(errno));
        at += (size_t)n;
    }
    return 0;
}

/* Copies up to `most` bytes of the pipe behind what is kept. 1: there may be more; 0: the end. */
static int copy_pipe(struct replay_lines *in, uint64_t most, struct err *err) {
    int rc = 1;
    lseek(in->fd, 0, SEEK_END); /* of our own file */
    for (uint64_t n = 0; rc > 0 && n < most; n += in->block_n) {
        rc = fill_from(in, in->pipe, err);
        const int wrote = rc > 0 ? write_copy(in, err) : 0;
        rc = wrote < 0 ? wrote : rc;
    }
    in->block_at = in->block_n = 0;
    if (rc == 0) { /* a terminal would be asked again */
        close(in->pipe);
        in->pipe = -1;
    }
    return rc;
}

static int keep_rest(struct replay_lines *in, struct err *err) {
    const int rc = copy_pipe(in, (uint64_t)PIPE_MIB_MAX << 20, err);
    if (rc > 0)
        return err_set(err, -EFBIG, "%s: more than %d MiB in a pipe; write it to a file first",
                       in->name, PIPE_MIB_MAX);
    return rc;
}

int replay_lines_open(struct replay_lines *in, const char *path, struct err *err) {
    *in = (struct replay_lines){.fd = -1, .pipe = -1};
    bool is_stdin = strcmp(path, "-") == 0;
    in->name = is_stdin ? "standard input" : path;
    in->block = malloc(BLOCK_BYTES);
    if (!in->block)
        return err_set(err, -ENOMEM, "%s: out of memory", in->name);
    int fd = is_stdin ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return err_set(err, -errno,
                       "%s: %s; give the file that perf stat -o wrote, or - for "
                       "standard input",
                       in->name, strerror(errno));
    struct stat st;
    if (fstat(fd, &st) == 0 && S_ISDIR(st.st_mode)) {
        close(fd);
        return err_set(err, -EISDIR, "%s: is a folder; give one recording", in->name);
    }
    if (!is_stdin && fstat(fd, &st) == 0 && S_ISREG(st.st_mode)) {
        in->fd = fd;
        return 0;
    }
    in->pipe = fd;
    int rc = make_copy(in, err);
    if (rc == 0)
        rc = copy_pipe(in, PIPE_LOOK_BYTES, err);
    return rc < 0 ? rc : 0;
}

void replay_lines_close(struct replay_lines *in) {
    if (in->fd >= 0)
        close(in->fd);
    if (in->pipe >= 0)
        close(in->pipe);
    free(in->block);
    free(in->text);
    *in = (struct replay_lines){.fd = -1, .pipe = -1};
}

/* ---- what is this file? ---- */

/* A perf stat recording, or something that looks like one and cannot be used. */

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

/* Looks at the beginning of the file and fills d, or says what the file looks like. */
static int sniff(struct replay_lines *in, struct replay_dialect *d, struct err *err) {
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

/* ---- rows ---- */

static int rewind_lines(struct replay_lines *in, struct err *err) {
    if (lseek(in->fd, 0, SEEK_SET) < 0)
        return err_set(err, -errno, "%s: cannot be rewound: %s", in->name, strerror(errno));
    in->block_at = in->block_n = 0;
    in->number = 0;
    return 0;
}

int replay_reader_open(struct replay_reader *r, const char *path, struct err *err) {
    *r = (struct replay_reader){.in = {.fd = -1, .pipe = -1}};
    int rc = replay_lines_open(&r->in, path, err);
    if (rc == 0)
        rc = rewind_lines(&r->in, err);
    if (rc == 0)
        rc = sniff(&r->in, &r->dialect, err);
    if (rc == 0 && r->in.pipe >= 0)
        rc = keep_rest(&r->in, err);
    return rc < 0 ? rc : replay_reader_rewind(r, err);
}

int replay_reader_rewind(struct replay_reader *r, struct err *err) {
    r->again = r->block_used = r->has_elapsed = false;
    r->block = 0;
    r->broken = r->groups = 0;
    return rewind_lines(&r->in, err);
}

void replay_reader_close(struct replay_reader *r) {
    replay_lines_close(&r->in);
    free(r->held);
    *r = (struct replay_reader){.in = {.fd = -1, .pipe = -1}};
}

/* A count, as nearly all lines are: no title begins so. */
static bool is_count(const struct replay_reader *r, const char *line) {
    line += strspn(line, " ");
    return r->dialect.format == REPLAY_JSON
               ? *line == '{'
               : r->dialect.format == REPLAY_CSV && isdigit((unsigned char)*line);
}

/* A new run of perf stat begins where it says so, or after the elapsed time of the one before. */
static void note_block(struct replay_reader *r, const char *line) {
    double seconds;
    if (is_count(r, line))
        return;
    bool begins = strstr(line, "Performance counter stats for") || str_starts(line, "# started on");
    if (begins && r->block_used) {
        r->block++;
        r->block_used = false;
    }
    if (r->dialect.format != REPLAY_TEXT || !replay_text_elapsed(line, &seconds))
        return;
    r->has_elapsed = true;
    r->elapsed_ns = (uint64_t)(fmin(seconds, 1e9) * 1e9 + 0.5);
    r->elapsed_block = r->block;
    if (r->block_used) {
        r->block++;
        r->block_used = false;
    }
}

/* Text: what follows the row about the same event. Its line is kept, the next one is read. */
static int read_on(struct replay_reader *r, struct replay_row *row, struct err *err) {
    char *text = r->in.text;
    size_t cap = r->in.cap;
    r->in.text = r->held;
    r->in.cap = r->held_cap;
    r->held = text;
    r->held_cap = cap;
    int rc;
    while ((rc = replay_lines_next(&r->in, err)) > 0 &&
           replay_text_continues(r->in.text, &row->share))
        row->titled = true;
    r->again = rc > 0;
    return rc < 0 ? rc : 1;
}

static void count_other(struct replay_reader *r, enum row_kind kind, uint64_t line) {
    r->groups += kind == ROW_GROUP;
    if (kind == ROW_BROKEN && r->broken++ == 0)
        r->first_broken = line;
}

int replay_reader_next(struct replay_reader *r, struct replay_row *row, struct err *err) {
    static enum row_kind (*const readers[])(const struct replay_dialect *, char *,
                                            struct replay_row *) = {
        [REPLAY_CSV] = replay_csv_line,
        [REPLAY_JSON] = replay_json_line,
        [REPLAY_TEXT] = replay_text_line};
    for (;;) {
        int rc = r->again ? 1 : replay_lines_next(&r->in, err);
        r->again = false;
        if (rc <= 0)
            return rc;
        note_block(r, r->in.text);
        uint64_t line = r->in.number;
        enum row_kind kind = readers[r->dialect.format](&r->dialect, r->in.text, row);
        if (kind != ROW_COUNT) {
            count_other(r, kind, line);
            continue;
        }
        r->block_used = true;
        row->line = line;
        row->block = r->block;
        return r->dialect.format == REPLAY_TEXT ? read_on(r, row, err) : 1;
    }
}
