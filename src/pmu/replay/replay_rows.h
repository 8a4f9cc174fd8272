/*
 * A perf stat recording as a stream of rows, whatever its format: one row per counter line.
 *
 *   replay_csv.c   perf stat -x SEP       one line per event and aggregate
 *   replay_json.c  perf stat -j           one object per line
 *   replay_text.c  perf stat              the text for people
 *   replay_lines.c                        lines, which format it is, and rows
 *
 * Lines that hold no count (headers, metrics, group titles, perf's complaints) are passed over.
 */
#ifndef TDTOP_PMU_REPLAY_ROWS_H
#define TDTOP_PMU_REPLAY_ROWS_H

#include "base/err.h"
#include "model/eval/sample.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum replay_format { REPLAY_CSV, REPLAY_JSON, REPLAY_TEXT };

/* What a row was counted on. */
enum replay_agg {
    AGG_NONE,
    AGG_CPU,
    AGG_CORE,
    AGG_SOCKET,
    AGG_DIE,
    AGG_NODE,
    AGG_CACHE,
    AGG_CLUSTER,
    AGG_THREAD,
};

struct replay_dialect {
    enum replay_format format;
    char sep[9]; /* CSV: between the fields */
    size_t sep_len;
    char decimal; /* CSV: '.', or ',' of a comma locale */
};

/* One counter line. Strings belong to the reader and last until its next row; "" = not printed. */
struct replay_row {
    uint64_t line;        /* from 1 */
    uint32_t block;       /* runs of perf stat in one file: 0, 1... */
    bool timed;           /* of an interval that ends at time_ns */
    uint64_t time_ns;     /* since its perf stat began */
    enum replay_agg kind; /* of agg */
    const char *agg;      /* "CPU0", "S0-D0-C1", "redis-server-4242" */
    const char *cgroup;
    const char *event;
    const char *unit;
    enum count_state state; /* COUNT_OK, COUNT_NOT_COUNTED, COUNT_NOT_SUPPORTED */
    double value;           /* as printed: already scaled for multiplexing; msec became ns */
    double runtime_ns;      /* enabled and running; NAN: not printed */
    double share;           /* running / enabled, 0..1, as printed */
    bool titled;            /* a metric is printed beside it */
};

enum row_kind {
    ROW_NONE,    /* nothing to see */
    ROW_COUNT,   /* a count */
    ROW_SUMMARY, /* a total of the run: not an interval */
    ROW_GROUP,   /* the title of metrics without their events */
    ROW_PERCENT, /* a percentage where a count should be */
    ROW_BROKEN,  /* looks like a count but cannot be read */
};

/* The line readers cut `line` into pieces. They set neither line nor block. */
enum row_kind replay_csv_line(const struct replay_dialect *d, char *line, struct replay_row *row);
enum row_kind replay_json_line(const struct replay_dialect *d, char *line, struct replay_row *row);
enum row_kind replay_text_line(const struct replay_dialect *d, char *line, struct replay_row *row);

/* Finds out how a line of CSV is separated. Returns true if it is a perf stat line. */
bool replay_csv_dialect(const char *line, struct replay_dialect *d);

/* Text: true if the line goes on about the event before it; the share of running time may be
 * there. */
bool replay_text_continues(const char *line, double *share);
/* Text: "7.739760343 +- 0.045801207 seconds time elapsed". */
bool replay_text_elapsed(const char *line, double *seconds);

/* Numbers without the C locale's opinion. */
bool replay_number(const char *s, char decimal, double *out);
/* "1.000839140" to nanoseconds. */
bool replay_time(const char *s, uint64_t *ns);
/* The value column: a number, <not counted>, <not supported>. False if it is none of them. */
bool replay_value(const char *s, char decimal, struct replay_row *row);
/* msec, Joules and MiB to what the kernel counted, after value and unit are known. */
void replay_apply_unit(struct replay_row *row);
/* What "S0-D0-C1" is; AGG_NONE if it is no aggregate's name. */
enum replay_agg replay_agg_kind(const char *s);

/* Reads lines of any length up to 1 MiB from a file that can be rewound. */
struct replay_lines {
    int fd;           /* can be rewound: the file, or a copy of what came through the pipe */
    int pipe;         /* private: where the copy came from, or -1 */
    const char *name; /* for errors; borrowed */
    char *block;      /* private: read buffer */
    size_t block_at, block_n;
    char *text; /* the newest line */
    size_t cap;
    uint64_t number; /* of the newest line, from 1 */
    bool cut;        /* the newest line is the last and has no newline */
};

/* Opens a file, or the begin of a pipe or of "-" (standard input), which is kept in a temporary
 * file. The path is borrowed. */
int replay_lines_open(struct replay_lines *in, const char *path, struct err *err);
void replay_lines_close(struct replay_lines *in); /* accepts a failed open */

/* 1: a line is in text; 0: the end; negative errno with words. */
int replay_lines_next(struct replay_lines *in, struct err *err);

struct replay_reader {
    struct replay_lines in;
    struct replay_dialect dialect;
    char *held; /* private: the line of the newest row, where the next line had to be read */
    size_t held_cap;
    bool again;          /* private: in.text is yet to be read */
    bool block_used;     /* private: the block has rows */
    uint32_t block;      /* of the newest row */
    uint64_t elapsed_ns; /* of block elapsed_block, where one was printed */
    uint32_t elapsed_block;
    bool has_elapsed;
    uint64_t broken, first_broken; /* lines that could not be read, and the first of them */
    uint64_t groups;               /* group titles without events */
};

/* Opens a file or "-" (kept in a temporary file, so that it can be rewound). The path is borrowed.
 */
int replay_reader_open(struct replay_reader *r, const char *path, struct err *err);
/* 1: a row; 0: the end; negative errno with words that name file and line. */
int replay_reader_next(struct replay_reader *r, struct replay_row *row, struct err *err);
int replay_reader_rewind(struct replay_reader *r, struct err *err);
void replay_reader_close(struct replay_reader *r); /* accepts a failed open */

#endif
