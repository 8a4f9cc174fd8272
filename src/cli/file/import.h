/*
 * What `tdtop import` reads, each kind one file: a file becomes runs, which go to a sink one by
 * one.
 */
#ifndef TDTOP_CLI_IMPORT_H
#define TDTOP_CLI_IMPORT_H

#include "cli/file/run_pick.h"

#include <jansson.h>
#include <time.h>

struct said {
    char id[RUN_ID_LEN + 1];
    char *words;  /* owned */
    json_t *json; /* NULL without -j; owned */
};

struct importer {
    const struct args *a;
    struct run_pick pick; /* the store; not open with --dry-run where there is none */
    const char *path;     /* of the file at hand */
    uint64_t n_known;
    bool labels_file;        /* add imported_from */
    ARRAY(struct said) said; /* private to verb_import.c */
    char **known_ids;        /* sorted: label imported_id of what is there; owned */
    size_t n_known_ids;
    json_t *json; /* the array that -j prints */
};

/* Labels and stores a run of im->path (or, with --dry-run, says it), and frees it. 0 or negative
 * errno with words. */
int import_take(struct importer *im, struct run *r, struct err *err);

/* Each 0 or negative errno with words that begin with the path. */
int import_recording(struct importer *im,
                     struct err *err);                   /* import_perf.c: all of replay's kinds */
int import_toplev(struct importer *im, struct err *err); /* toplev -x, with its header */
int import_percent(struct importer *im,
                   struct err *err); /* import_percent.c: tables of perf stat and AMDuProfPcm */
int import_topdown_profiler(struct importer *im, struct err *err); /* topdown-profiler's data.db */

/* True if one of the first lines of a file is the header of toplev's CSV. */
bool import_is_toplev(const char *begin);

/* True if one of the first lines of a file is the header of a table of percentages. */
bool import_is_percent(const char *begin);

/* "# started on ...", which perf stat -o writes first; 0: no such line. */
int64_t import_started_ns(const char *path);

/* A time of day in this machine's zone; 0: none that a run can have. */
int64_t import_local_ns(struct tm *tm);

/* When the file was written: what a recording without a date was measured until. */
int64_t import_time_ns(const char *path);

#endif
