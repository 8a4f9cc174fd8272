/* A recording of perf stat becomes a run: through the session that replays it, to its end. */
#include "cli/file/import.h"

#include "base/str.h"
#include "cli/measure.h"
#include "model/run/run_values.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

int64_t import_time_ns(const char *path) {
    struct stat st;
    if (stat(path, &st) < 0)
        return 0;
    return (int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec;
}

int64_t import_local_ns(struct tm *tm) {
    static const time_t latest = 7258118400; /* the year 2200: its nanoseconds still fit */
    const time_t t = mktime(tm);
    return t > 0 && t < latest ? (int64_t)t * 1000000000 : 0;
}

/* "# started on Fri Nov 21 19:50:00 2026", which perf stat -o writes first, in the time zone of the
 * machine that recorded; 0: no such line. */
int64_t import_started_ns(const char *path) {
    char line[256];
    struct tm tm = {.tm_isdst = -1};
    const char *found = NULL;
    FILE *f = fopen(path, "re");
    for (int i = 0; f && i < 10 && !found && fgets(line, sizeof(line), f); i++)
        found = strstr(line, "started on ");
    if (f)
        fclose(f);
    if (!found || !strptime(found + strlen("started on "), "%a %b %d %H:%M:%S %Y", &tm))
        return 0;
    return import_local_ns(&tm);
}

/* The session knows only when it was replayed. */
static void set_times(struct run *r, const char *path) {
    const int64_t begun = import_started_ns(path), length = (int64_t)(r->t1_ns - r->t0_ns);
    r->begun_ns = begun ? begun : import_time_ns(path) - length;
    r->ended_ns = r->begun_ns + length;
    r->interval_ns = 0; /* as long as the recording's are */
}

static void play(struct session *s) {
    struct pollfd fd = {.fd = session_fd(s), .events = POLLIN};
    for (;;) {
        while (session_take(s))
            ;
        if (s->state != STREAM_LIVE)
            return;
        poll(&fd, 1, -1);
    }
}

static int keep(struct importer *im, struct session *s, struct err *err) {
    struct run r = {0};
    if (s->n_frames == 0)
        return err_set(err, -ENODATA, "no complete interval in it");
    int rc = session_run(s, 0, 0, &r, err);
    if (rc == 0) {
        set_times(&r, im->path);
        rc = run_set_text(&r.source, "import");
    }
    if (rc == 0)
        rc = run_set_text(&r.version, "perf stat");
    if (rc == 0)
        rc = run_label_set(&r, "collector", "perf stat", true, err);
    if (rc == 0)
        return import_take(im, &r, err);
    run_free(&r);
    return rc;
}

/* The model, if no option named it. */
static void say_model(const struct importer *im, const struct session *s) {
    if (!im->a->model && !im->a->cpuid)
        cli_note("%s: model %s: %s", im->path, s->model.name, s->why_model);
    if (s->source.note[0])
        cli_note("%s: %s", im->path, s->source.note);
}

static int record(struct importer *im, struct sessions *all, struct measure *m, struct err *err) {
    struct args a = *im->a;
    a.consts.latency = a.latency;
    a.word[0] = im->path;
    int rc = measure_prepare(m, all, &a, false, err);
    if (rc < 0)
        return rc;
    struct session *s = all->at[0];
    s->keep_bytes = SIZE_MAX;
    rc = sessions_open(all, m->ops, m->opt, err);
    if (rc == 0)
        rc = sessions_start(all, err);
    if (rc < 0)
        return rc;
    play(s);
    if (s->state == STREAM_FAILED) {
        *err = s->last;
        return s->last.code < 0 ? s->last.code : -EIO;
    }
    say_model(im, s);
    return keep(im, s, err);
}

int import_recording(struct importer *im, struct err *err) {
    struct sessions all = {.n = 0};
    struct measure *m = calloc(1, sizeof(*m));
    if (!m)
        return err_set(err, -ENOMEM, "%s: out of memory", im->path);
    int rc = record(im, &all, m, err);
    sessions_close(&all);
    measure_destroy(m);
    free(m);
    if (rc < 0 && !str_starts(err->text, im->path) && !str_starts(err->text, "--"))
        err_prefix(err, "%s", im->path);
    return rc;
}
