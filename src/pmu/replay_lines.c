/* Lines of a recording, and rows of its lines. */
#include "pmu/replay_rows.h"

#include "base/clock.h"
#include "base/str.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BLOCK_BYTES = 64 * 1024, LINE_BYTES_MAX = 1024 * 1024 };

static int fill_block(struct replay_lines *in, struct err *err) {
    ssize_t n;
    do
        n = read(in->fd, in->block, BLOCK_BYTES);
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
        return err_set(err, -EINVAL,
                       "%s:%llu: the line is longer than 1 MiB; this is no perf stat recording",
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

/* Ends the line; a NUL or an odd control character says that this is no text. */
static int finish_line(struct replay_lines *in, size_t len, struct err *err) {
    in->number++;
    in->text[len] = '\0';
    for (size_t i = 0; i < len; i++) {
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
    if (in->number == 1 && len >= 3 && memcmp(in->text, "\xef\xbb\xbf", 3) == 0)
        memmove(in->text, in->text + 3, len - 2);
    return 1;
}

int replay_lines_next(struct replay_lines *in, struct err *err) {
    size_t len = 0;
    in->cut = false;
    for (;;) {
        if (in->block_at == in->block_n) {
            int rc = fill_block(in, err);
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

/* Copies what cannot be rewound, a pipe, into a file without a name. Returns its descriptor. */
static int spool(int fd, struct replay_lines *in, struct err *err) {
    FILE *copy = tmpfile();
    int out = copy ? dup(fileno(copy)) : -1;
    int code = errno;
    if (copy)
        fclose(copy);
    if (out < 0)
        return err_set(err, -code,
                       "%s: no temporary file to keep it in: %s; make room in /tmp or give a file",
                       in->name, strerror(code));
    in->fd = fd;
    int rc;
    while ((rc = fill_block(in, err)) > 0) {
        for (size_t at = 0; at < in->block_n;) {
            ssize_t n = write(out, in->block + at, in->block_n - at);
            if (n < 0 && errno == EINTR)
                continue;
            if (n < 0) {
                rc = err_set(err, -errno, "%s: cannot be kept in a temporary file: %s", in->name,
                             strerror(errno));
                close(out);
                return rc;
            }
            at += (size_t)n;
        }
    }
    in->block_at = in->block_n = 0;
    if (rc < 0) {
        close(out);
        return rc;
    }
    return out;
}

static int open_lines(struct replay_lines *in, const char *path, struct err *err) {
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
    int copy = spool(fd, in, err);
    close(fd);
    in->fd = copy < 0 ? -1 : copy;
    return copy < 0 ? copy : 0;
}

static int rewind_lines(struct replay_lines *in, struct err *err) {
    if (lseek(in->fd, 0, SEEK_SET) < 0)
        return err_set(err, -errno, "%s: cannot be rewound: %s", in->name, strerror(errno));
    in->block_at = in->block_n = 0;
    in->number = 0;
    return 0;
}

int replay_reader_open(struct replay_reader *r, const char *path, struct err *err) {
    *r = (struct replay_reader){.in.fd = -1};
    int rc = open_lines(&r->in, path, err);
    if (rc == 0)
        rc = rewind_lines(&r->in, err);
    if (rc == 0)
        rc = replay_sniff(&r->in, &r->dialect, err);
    return rc < 0 ? rc : replay_reader_rewind(r, err);
}

int replay_reader_rewind(struct replay_reader *r, struct err *err) {
    r->again = r->block_used = r->has_elapsed = false;
    r->block = 0;
    r->broken = r->groups = r->percents = 0;
    return rewind_lines(&r->in, err);
}

void replay_reader_close(struct replay_reader *r) {
    if (r->in.fd >= 0)
        close(r->in.fd);
    free(r->in.block);
    free(r->in.text);
    free(r->held);
    *r = (struct replay_reader){.in.fd = -1};
}

/* A new run of perf stat begins where it says so, or after the elapsed time of the one before. */
static void note_block(struct replay_reader *r, const char *line) {
    double seconds;
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
    r->percents += kind == ROW_PERCENT;
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
