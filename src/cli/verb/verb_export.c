/* `tdtop export`: a run as a file of tdtop's own, its values per interval, or a report. */
#include "base/door.h"
#include "base/str.h"
#include "cli/file/run_export.h"
#include "cli/file/run_pick.h"
#include "cli/out/print.h"
#include "cli/verb/report.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- a file that is there whole, or as it was ---- */

struct output {
    FILE *out;
    int fd;            /* of the draft */
    const char *path;  /* as it was named; NULL: standard output */
    char target[4096]; /* the file that is meant: where a link leads */
    char draft[4096];  /* what becomes the file; "": it is written directly, being no plain file */
};

static int cannot(const char *path, int rc, struct err *err) {
    return err_set(err, rc, "%s: %s; give a file that can be written", path, strerror(-rc));
}

/* A link stays one, and what it leads to is replaced. */
static int find_target(struct output *o, struct err *err) {
    struct stat st;
    str_copy(o->target, sizeof(o->target), o->path);
    if (lstat(o->path, &st) < 0 || !S_ISLNK(st.st_mode))
        return 0;
    char *real = realpath(o->path, NULL);
    const int rc = real ? 0 : -errno;
    if (real)
        str_copy(o->target, sizeof(o->target), real);
    free(real);
    if (rc == -ENOENT)
        return err_set(err, rc,
                       "%s: a link to a file that is not there; remove it, or make the file",
                       o->path);
    return rc < 0 ? cannot(o->path, rc, err) : 0;
}

/* Beside the file, so that renaming it is one step; with the rights of the one that is there, else
 * `mode`. The name is nobody else's: it ends as a run's id does. */
static int make_draft(struct output *o, const struct stat *old, mode_t mode, struct err *err) {
    struct strbuf sb = strbuf_on(o->draft, sizeof(o->draft));
    char ending[RUN_ID_LEN + 1];
    run_new_id(ending);
    strbuf_add(&sb, "%s.%s", o->target, ending);
    if (!str_ends(o->draft, ending)) {
        o->draft[0] = '\0';
        return cannot(o->path, -ENAMETOOLONG, err);
    }
    const int fd = o->fd =
        open(o->draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, old ? 0600 : mode);
    if (fd >= 0 && (!old || fchmod(fd, old->st_mode & 0777) == 0) && (o->out = door_open(fd)))
        return 0;
    const int rc = -errno;
    if (fd >= 0) {
        close(fd);
        unlink(o->draft);
    }
    o->draft[0] = '\0';
    return cannot(o->path, rc, err);
}

/* mode: the rights of a new file. */
static int output_open(struct output *o, const char *path, mode_t mode, struct err *err) {
    struct stat st;
    *o = (struct output){.out = stdout, .path = path};
    if (!path)
        return 0;
    o->out = NULL;
    if (stat(path, &st) == 0 && !S_ISREG(st.st_mode)) /* a pipe, a device */
        return (o->out = door_create(path)) ? 0 : cannot(path, -errno, err);
    const int rc = find_target(o, err);
    if (rc < 0)
        return rc;
    const bool there = stat(o->target, &st) == 0;
    if (there && access(o->target, W_OK) < 0) /* renaming would not mind */
        return cannot(path, -errno, err);
    return make_draft(o, there ? &st : NULL, mode, err);
}

/* rc: how writing went. Returns it, or why the file is not there. */
static int output_close(struct output *o, int rc, struct err *err) {
    if (!o->out)
        return rc;
    int bad = rc < 0 ? 0 : cli_lacks() ? -ENOMEM : cli_flush(o->out);
    if (rc == 0 && bad == 0 && o->draft[0] && fsync(o->fd) < 0)
        bad = -errno;
    if (o->path && fclose(o->out) != 0 && bad == 0)
        bad = -errno;
    if (rc == 0 && bad == 0 && o->draft[0] && rename(o->draft, o->target) < 0)
        bad = -errno;
    if (rc == 0 && bad < 0)
        rc = err_set(err, bad, "%s: %s; it is not complete", o->path ? o->path : "standard output",
                     strerror(-bad));
    if (rc < 0 && o->draft[0])
        unlink(o->draft);
    return rc;
}

/* ---- values per interval ---- */

struct sheet {
    struct session s; /* only its model and the name of its source, for the printer */
    struct source_ops ops;
    struct layout bound;
    struct eval ev;
    struct frame frame;
    struct sample row;
    bool *only; /* [n_metric] or NULL */
};

static int choose_metrics(struct sheet *t, const struct args *a, struct err *err) {
    const struct model *m = &t->s.model;
    if (a->metrics.n == 0)
        return 0;
    t->only = calloc(m->n_metric + 1u, sizeof(*t->only));
    if (!t->only)
        return err_set(err, -ENOMEM, "export: out of memory");
    for (int i = 0; i < a->metrics.n; i++) {
        const int k = model_find(m, a->metrics.at[i]);
        if (k == METRIC_NONE)
            return err_set(err, -EINVAL,
                           "--metric %s: model %s has no such metric; tdtop models %s lists them",
                           a->metrics.at[i], m->name, m->name);
        t->only[k] = true;
    }
    return 0;
}

static int sheet_open(struct sheet *t, const struct run *r, const struct args *a, struct err *err) {
    int rc = run_bind(r, NULL, &t->s.model, &t->bound, &t->ev, err);
    if (rc == -ENODATA)
        err_set(err, rc,
                "run %.8s: it holds values but no counts of intervals; --json or --markdown give "
                "what it has",
                r->id);
    if (rc < 0)
        return rc;
    t->ops.name = r->source;
    t->s.source.ops = &t->ops;
    t->s.source.simulated = r->simulated;
    if (frame_init(&t->frame, t->s.model.n_metric) < 0 ||
        sample_init(&t->row, r->layout.n_slot) < 0)
        return err_set(err, -ENOMEM, "export: out of memory");
    return choose_metrics(t, a, err);
}

static void sheet_close(struct sheet *t) {
    eval_destroy(&t->ev);
    layout_destroy(&t->bound);
    frame_destroy(&t->frame);
    sample_destroy(&t->row);
    model_free(&t->s.model);
    free(t->only);
    free(t);
}

static int write_rows(struct sheet *t, const struct run *r, FILE *out, struct err *err) {
    const struct printer p = {.out = out, .separator = ",", .only = t->only};
    const uint64_t begin_ns = series_begin_ns(&r->series);
    struct series_reader reader;
    if (series_reader_init(&reader, &r->series) < 0)
        return err_set(err, -ENOMEM, "export: out of memory");
    print_csv.begin(&p, &t->s);
    while (series_reader_next(&reader, &t->row)) {
        eval_run(&t->ev, &t->row, &t->frame);
        t->frame.t0_ns -= begin_ns;
        t->frame.t1_ns -= begin_ns;
        print_csv.frame(&p, &t->s, &t->frame, (double)(t->frame.t1_ns - t->frame.t0_ns) / 1e9,
                        false);
    }
    series_reader_destroy(&reader);
    return 0;
}

static int export_csv(const struct run *r, const struct args *a, FILE *out, struct err *err) {
    struct sheet *t = calloc(1, sizeof(*t));
    int rc = t ? sheet_open(t, r, a, err) : err_set(err, -ENOMEM, "export: out of memory");
    if (rc == 0)
        rc = write_rows(t, r, out, err);
    if (t)
        sheet_close(t);
    return rc;
}

static int export_json(const struct run *r, const struct args *a, FILE *out, struct err *err) {
    if (a->metrics.n)
        return err_set(err, -EINVAL,
                       "--metric goes with --csv: JSON is the whole run, to be imported again");
    return run_export_json(r, out, err);
}

static int export_markdown(const struct run *r, const struct args *a, FILE *out, struct err *err) {
    if (a->metrics.n)
        return err_set(err, -EINVAL, "--metric goes with --csv; the report is of the whole run");
    return report_markdown(r, out, err);
}

/* ---- which format ---- */

struct format {
    const char *ending;
    int (*write)(const struct run *r, const struct args *a, FILE *out, struct err *err);
};
static const struct format json = {".json", export_json}, csv = {".csv", export_csv},
                           markdown = {".md", export_markdown};

/* What was said; else what the ending says. Standard output, pipes and devices have none. */
static int choose_format(const struct args *a, const char *path, const struct format **f,
                         struct err *err) {
    static const struct format *const all[] = {&json, &csv, &markdown};
    const char *slash = path ? strrchr(path, '/') : NULL, *dot = path ? strrchr(path, '.') : NULL;
    struct stat st;
    *f = a->csv ? &csv : a->markdown ? &markdown : &json;
    if (a->json || a->csv || a->markdown || !path)
        return 0;
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        if (str_ends(path, all[i]->ending)) {
            *f = all[i];
            return 0;
        }
    if (stat(path, &st) == 0 && !S_ISREG(st.st_mode))
        return 0;
    return err_set(err, -EINVAL,
                   "%s: %s%s says no format; end the name in .json (the whole run), .csv (its "
                   "intervals) or .md (a report)",
                   path, dot && dot > slash ? "the ending " : "a name without an ending",
                   dot && dot > slash ? dot : "");
}

static int export_to(const struct run *r, const struct args *a, const char *path,
                     const struct format *f, struct err *err) {
    struct output o = {0};
    const int rc = output_open(&o, path, 0666, err);
    return rc < 0 ? rc : output_close(&o, f->write(r, a, o.out, err), err);
}

static int export_file(const struct run *r, const char *path, mode_t mode, struct err *err) {
    static const struct args none;
    const struct format *f;
    struct output o = {0};
    int rc = choose_format(&none, path, &f, err);
    if (rc == 0)
        rc = output_open(&o, path, mode, err);
    if (rc < 0)
        return rc;
    rc = f->write(r, &none, o.out, err);
    if (rc < 0)
        err_prefix(err, "%s", path);
    return output_close(&o, rc, err);
}

int run_export_file(const struct run *r, const char *path, struct err *err) {
    return export_file(r, path, 0666, err);
}

int run_export_rescue(const struct run *r, const char *path, struct err *err) {
    return export_file(r, path, 0600, err);
}

/* ---- the verb ---- */

int verb_export(const struct args *a) {
    struct run_pick p = {0};
    struct run r = {0};
    struct err err = {0};
    const struct format *f = NULL;
    int rc = choose_format(a, a->output, &f, &err);
    if (rc == 0)
        rc = run_pick_open(&p, a, STORE_READ, &err);
    if (rc == 0)
        rc = run_pick_load(&p, a->word[0], RUN_ALL, &r, &err);
    run_pick_close(&p);
    if (rc == 0)
        rc = export_to(&r, a, a->output, f, &err);
    run_free(&r);
    return rc < 0 ? run_pick_exit(&err) : EXIT_OK;
}
