/*
 * `tdtop import`: recordings and other tools' data become runs. Standard output gets the ids, one
 * per line; what is said to people is on standard error.
 */
#include "base/str.h"
#include "base/when.h"
#include "cli/config/config.h"
#include "cli/file/import.h"
#include "cli/file/json_out.h"
#include "cli/file/run_import.h"
#include "cli/file/run_json.h"
#include "model/run/run_values.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { SNIFF_BYTES = 16384 };

/* ---- what comes out ---- */

static int add_labels(const struct importer *im, struct run *r, struct err *err) {
    char file[256];
    int rc = 0;
    if (im->labels_file && !run_label_get(r, "imported_from"))
        rc = run_label_set(r, "imported_from",
                           str_safe(file, sizeof(file), str_base_name(im->path)), true, err);
    for (int i = 0; i < im->a->labels.n && rc == 0; i++)
        rc = run_label_set_text(r, im->a->labels.at[i], err);
    if (rc == 0 && im->a->note && run_set_text(&r->note, im->a->note) < 0)
        rc = err_set(err, -ENOMEM, "--note: out of memory");
    return rc;
}

static size_t known_of(const struct run *r) {
    size_t n = 0;
    for (size_t i = 0; i < r->node.n; i++)
        n += isfinite(r->node.at[i].value.v) != 0;
    return n;
}

/* What was stored is said when the whole file is, so that nothing is said of runs that were taken
 * back. */
static int keep_words(struct importer *im, const struct run *r, struct err *err) {
    char when[32], target[160], words[512];
    struct said said = {0};
    struct strbuf sb = strbuf_on(words, sizeof(words));
    strbuf_add(&sb, "%s %s of %s: %zu values%s", im->a->dry_run ? "would store" : "run",
               im->a->dry_run ? str_safe(target, sizeof(target), r->target) : r->id,
               when_text(r->begun_ns, when, sizeof(when)), known_of(r),
               series_rows(&r->series) ? "" : ", no counts");
    str_copy(said.id, sizeof(said.id), r->id);
    said.words = strdup(words);
    if (im->json) {
        said.json = run_json_head(r);
        json_object_set_new(said.json, "file", run_json_text(im->path));
    }
    if (said.words && array_push(&im->said, said) == 0)
        return 0;
    free(said.words);
    json_decref(said.json);
    return err_set(err, -ENOMEM, "%s: out of memory", im->path);
}

/* rc: whether the file was taken. */
static void say(struct importer *im, int rc) {
    for (size_t i = 0; i < im->said.n; i++) {
        struct said *s = &im->said.at[i];
        if (rc == 0 && im->json) {
            json_array_append(im->json, s->json);
        } else if (rc == 0) {
            if (!im->a->dry_run)
                puts(s->id);
            cli_note("%s: %s", im->path, s->words);
        }
        free(s->words);
        json_decref(s->json);
    }
    array_free(&im->said);
}

int import_take(struct importer *im, struct run *r, struct err *err) {
    run_clean(r);
    int rc = add_labels(im, r, err);
    if (rc == 0 && !im->a->dry_run)
        rc = store_save(&im->pick.store, r, err);
    if (rc == 0)
        rc = keep_words(im, r, err);
    run_free(r);
    return rc;
}

/* ---- tdtop's own ---- */

/* A run has one id wherever it goes, and is the same wherever it is. */
static int import_own(struct importer *im, struct err *err) {
    struct run r = {0};
    char id[RUN_ID_LEN + 1];
    int rc = run_import_json(im->path, &r, err);
    if (rc == 0 && im->pick.store.impl && store_find(&im->pick.store, r.id, id, NULL) == 0) {
        cli_note("%s: run %s is in the store already; nothing was changed", im->path, id);
        im->n_known++;
    } else if (rc == 0) {
        rc = import_take(im, &r, err);
    }
    run_free(&r);
    return rc;
}

/* ---- which kind ---- */

struct kind {
    const char *name; /* --from */
    int (*import)(struct importer *im, struct err *err);
    bool labels_file; /* its runs say where they came from */
};
static const struct kind kinds[] = {
    {"perf", import_recording, true},
    {"toplev", import_toplev, true},
    {"percent", import_percent, true},
    {"tdtop", import_own, false},
    {"topdown-profiler", import_topdown_profiler, true},
};
enum { PERF, TOPLEV, PERCENT, TDTOP, PEER, N_KIND };

/* The first bytes as a text; "" if there are none. */
static int read_begin(const char *path, char begin[SNIFF_BYTES], struct err *err) {
    struct stat st;
    FILE *f = NULL;
    begin[0] = '\0';
    if (!strcmp(path, "-"))
        return err_set(err, -EINVAL, "-: give a file: what it is must be found out by reading it");
    if (stat(path, &st) == 0 && S_ISDIR(st.st_mode))
        return err_set(err, -EISDIR, "%s: a folder; name the files in it", path);
    if (stat(path, &st) == 0 && !S_ISREG(st.st_mode))
        return err_set(err, -EINVAL,
                       "%s: a pipe or a device; give a file: what it is must be found out by "
                       "reading it",
                       path);
    if (!(f = fopen(path, "re")))
        return err_set(err, -errno, "%s: %s", path, strerror(errno));
    begin[fread(begin, 1, SNIFF_BYTES - 1, f)] = '\0';
    fclose(f);
    return 0;
}

/* What the other verbs print, known by words that are nowhere else: it has values, and a run is
 * made of counts. */
static bool is_printed(const char *begin) {
    static const struct {
        char first;       /* of the file */
        const char *word; /* somewhere in its begin */
    } signs[] = {{'t', "time,dt,metric,"},    {'r', "run_id,metric_name,"},
                 {'r', "run_id,started_at,"}, {'s', "started_at,run_id,"},
                 {'m', "metric_name,path,"},  {'{', "\"run_id\":"},
                 {'{', "\"run_ids\":"},       {'{', "\"root_sum\":"},
                 {'[', "\"run_id\":"},        {'#', ".** Run `"}};
    for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++)
        if (begin[0] == signs[i].first && strstr(begin, signs[i].word))
            return true;
    return false;
}

static int refuse_printed(const char *path, struct err *err) {
    return err_set(err, -EINVAL,
                   "%s: what tdtop printed of runs: it has values but no counts, so no run can be "
                   "made of it; tdtop export RUN --json makes a file that can be imported",
                   path);
}

static int find_kind(const struct args *a, const char *path, int *kind, struct err *err) {
    char begin[SNIFF_BYTES];
    int rc = read_begin(path, begin, err);
    *kind = PERF;
    for (int i = 0; i < N_KIND && a->from && rc == 0; i++)
        if (!strcmp(a->from, kinds[i].name))
            *kind = i;
    if (rc == 0 && is_printed(begin) && !run_import_is_json(begin))
        rc = refuse_printed(path, err);
    if (rc < 0 || a->from)
        return rc;
    if (run_import_is_json(begin))
        *kind = TDTOP;
    else if (str_starts(begin, "SQLite format 3"))
        *kind = PEER;
    else if (import_is_toplev(begin))
        *kind = TOPLEV;
    else if (import_is_percent(begin))
        *kind = PERCENT;
    return 0;
}

static int check(const struct args *a, struct err *err) {
    bool known = !a->from;
    int rc = 0;
    for (int i = 0; i < N_KIND && !known; i++)
        known = !strcmp(a->from, kinds[i].name);
    if (!known)
        return err_set(err, -EINVAL,
                       "--from %s: it takes perf, toplev, percent, tdtop or topdown-profiler",
                       a->from);
    for (int i = 0; i < a->labels.n && rc == 0; i++)
        rc = run_label_check_text(a->labels.at[i], err);
    return rc == 0 && a->note ? run_note_check(a->note, err) : rc;
}

/* ---- the verb ---- */

/* All runs of a file, or none. */
static int import_one(struct importer *im, const char *path) {
    struct err err = {0};
    int kind;
    im->path = path;
    int rc = find_kind(im->a, path, &kind, &err);
    if (rc == 0) {
        im->labels_file = kinds[kind].labels_file;
        rc = kinds[kind].import(im, &err);
    }
    if (rc < 0)
        cli_error(&err);
    say(im, rc);
    return rc < 0 ? EXIT_ERROR : EXIT_OK;
}

static int import_all(struct importer *im) {
    int code = EXIT_OK;
    im->json = im->a->json ? json_array() : NULL;
    for (int i = 0; i < im->a->n_word; i++)
        if (import_one(im, im->a->words[i]) != EXIT_OK)
            code = EXIT_ERROR;
    if (im->n_known)
        cli_note("%llu run%s known already and passed over", (unsigned long long)im->n_known,
                 im->n_known == 1 ? " is" : "s are");
    if (im->json && json_print(im->json, JSON_INDENT(1)) != EXIT_OK)
        code = EXIT_ERROR;
    return cli_finish(code);
}

/* With --dry-run the store is only looked at, and need not be there. */
static int open_store(struct importer *im, struct err *err) {
    const struct args store_only = {.db = im->a->db}; /* --label is for the new runs */
    int rc = run_pick_open(&im->pick, &store_only, im->a->dry_run ? STORE_READ : STORE_WRITE, err);
    return im->a->dry_run && rc == -ENOENT ? 0 : rc;
}

int verb_import(const struct args *said) {
    struct args a = *said; /* the settings add to it */
    struct importer im = {.a = &a};
    struct config cfg;
    struct err err = {0};
    a.consts.latency = a.latency;
    config_defaults(&cfg);
    int rc = check(&a, &err);
    if (rc == 0)
        rc = config_for(&cfg, &a, &err);
    if (rc == 0)
        rc = open_store(&im, &err);
    const int code = rc == 0 ? import_all(&im) : run_pick_exit(&err);
    run_pick_close(&im.pick);
    config_free(&cfg);
    return code;
}
