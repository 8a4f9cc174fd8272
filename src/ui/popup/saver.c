#include "ui/popup/saver.h"

#include "base/str.h"
#include "base/thread.h"
#include "ui/draw/label_text.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum { WAIT_S = 30 }; /* for a lock: what the store itself would wait */

int saver_init(struct saver *sv, struct err *err) {
    *sv = (struct saver){.fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)};
    if (sv->fd < 0)
        return err_set(err, -errno, "snapshots: %s; raise the limit of open files (ulimit -n)",
                       strerror(errno));
    return 0;
}

static void free_jobs(struct saver_job *job) {
    for (struct saver_job *next; job; job = next) {
        next = job->next;
        session_draft_free(&job->draft);
        free(job);
    }
}

static void append(struct saver_job **list, struct saver_job *job) {
    while (*list)
        list = &(*list)->next;
    *list = job;
    job->next = NULL;
}

/* ---- the thread ---- */

static void tell(const struct saver *sv) {
    const uint64_t one = 1;
    ssize_t n = write(sv->fd, &one, sizeof(one)); /* full: it is readable anyway */
    (void)n;
}

static bool on_wait(void *user, double waited_s) {
    struct saver *sv = user;
    if (!atomic_exchange(&sv->blocked, true))
        tell(sv);
    return waited_s < WAIT_S && !atomic_load(&sv->stop);
}

static void save(struct saver *sv, struct saver_job *job) {
    struct store st = {0};
    int rc = session_draft_finish(&job->draft, &job->err);
    if (rc == 0) {
        rc = store_open_waiting(&st, job->path[0] ? job->path : NULL, STORE_WRITE, on_wait, sv,
                                &job->err);
        str_copy(job->at, sizeof(job->at), st.path);
    }
    if (rc == 0) {
        rc = store_save(&st, &job->draft.run, &job->err);
        struct store_outbox o;
        store_outbox(&st, &o);
        if (rc == 0 && o.waiting)
            snprintf(job->at, sizeof(job->at), "%.4000s once it answers; until then on this host",
                     st.path);
        store_close(&st);
    }
    job->err.code = rc == -EEXIST ? 0 : rc; /* an earlier try got it there after all */
}

static void *work(void *user) {
    struct saver *sv = user;
    save(sv, sv->waiting);
    atomic_store(&sv->ended, true);
    tell(sv);
    return NULL;
}

static void begin(struct saver *sv) {
    if (sv->busy || !sv->waiting)
        return;
    atomic_store(&sv->blocked, false);
    atomic_store(&sv->ended, false);
    sv->busy = true;
    sv->no_thread = thread_start(&sv->thread, "tdtop-saver", work, sv) < 0;
    if (!sv->no_thread)
        return;
    err_set(&sv->waiting->err, -EAGAIN,
            "snapshot: no thread could be started; close other programs");
    atomic_store(&sv->ended, true); /* saver_take finds it as any other that failed */
    tell(sv);
}

/* ---- the screen ---- */

/* Jobs without a run; NULL: there is no memory for so many. */
static struct saver_job *make_jobs(int n) {
    struct saver_job *all = NULL;
    for (int i = 0; i < n; i++) {
        struct saver_job *job = calloc(1, sizeof(*job));
        if (!job) {
            free_jobs(all);
            return NULL;
        }
        job->next = all;
        all = job;
    }
    return all;
}

int saver_add(struct saver *sv, struct session_draft *drafts, int n, const char *path,
              const char *skipped, struct err *err) {
    struct saver_job *job = make_jobs(n);
    for (int i = 0; i < n && !job; i++)
        session_draft_free(&drafts[i]);
    if (!job)
        return err_set(err, -ENOMEM, "snapshot: out of memory; close other programs");
    for (int i = 0; i < n; i++) {
        struct saver_job *next = job->next;
        job->draft = drafts[i];
        drafts[i] = (struct session_draft){0};
        str_copy(job->path, sizeof(job->path), path ? path : "");
        str_copy(job->skipped, sizeof(job->skipped), skipped);
        append(&sv->waiting, job);
        job = next;
    }
    begin(sv);
    return 0;
}

void saver_retry(struct saver *sv, const char *path) {
    struct saver_job *job = sv->failed;
    sv->failed = NULL;
    for (struct saver_job *next; job; job = next) {
        next = job->next;
        job->err = (struct err){0};
        if (path)
            str_copy(job->path, sizeof(job->path), path);
        append(&sv->waiting, job);
    }
    begin(sv);
}

/* As many of the user's labels as have room, and signs that there are more. */
static void label_words(const struct run *r, char *buf, size_t cap) {
    buf[0] = '\0';
    for (size_t i = 0; i < r->label.n; i++) {
        const struct run_label *l = &r->label.at[i];
        if (l->automatic || label_text_add(buf, cap - sizeof(" ..."), l->key, l->value))
            continue;
        const size_t n = strlen(buf);
        str_copy(buf + n, cap - n, n ? " ..." : "...");
        return;
    }
}

static void drain(const struct saver *sv) {
    uint64_t n;
    ssize_t got = read(sv->fd, &n, sizeof(n));
    (void)got;
}

bool saver_take(struct saver *sv, struct saver_result *done) {
    drain(sv);
    if (!sv->busy || !atomic_load(&sv->ended))
        return false;
    if (!sv->no_thread)
        pthread_join(sv->thread, NULL); /* at most its last instructions are waited for */
    struct saver_job *job = sv->waiting;
    sv->waiting = job->next;
    sv->busy = false;
    atomic_store(&sv->blocked, false);
    str_copy(done->id, sizeof(done->id), job->draft.run.id);
    str_copy(done->at, sizeof(done->at), job->at);
    done->measured_ns = job->draft.run.measured_ns;
    str_copy(done->skipped, sizeof(done->skipped), job->skipped);
    label_words(&job->draft.run, done->labels, sizeof(done->labels));
    done->err = job->err;
    job->next = NULL;
    if (job->err.code) {
        append(&sv->failed, job);
    } else {
        sv->n_saved++;
        str_copy(sv->last_saved, sizeof(sv->last_saved), done->id);
        free_jobs(job);
    }
    begin(sv);
    return true;
}

bool saver_is_blocked(const struct saver *sv) {
    return sv->busy && atomic_load(&sv->blocked);
}

static int count(const struct saver_job *job) {
    int n = 0;
    for (; job; job = job->next)
        n++;
    return n;
}

int saver_unsaved(const struct saver *sv) {
    return count(sv->waiting) + count(sv->failed);
}

/* A write that the disk does not end can be waited for only: who waits must know what for. */
static void say_disk(const struct saver *sv) {
    fprintf(stderr, "tdtop: waiting for the disk to take %d snapshot%s ...\n", count(sv->waiting),
            sv->waiting && sv->waiting->next ? "s" : "");
}

int saver_finish(struct saver *sv, double wait_s, struct err *err) {
    struct saver_result done;
    double idle_s = 0;
    bool said = false;
    while (sv->busy || sv->waiting) {
        struct pollfd fd = {.fd = sv->fd, .events = POLLIN};
        const double step_s = saver_is_blocked(sv) ? wait_s : 0.1;
        const int n = poll(&fd, 1, (int)(step_s * 1000));
        if (n == 0 && saver_is_blocked(sv))
            atomic_store(&sv->stop, true);
        idle_s += n == 0 ? step_s : 0;
        if (!said && idle_s > wait_s) {
            say_disk(sv);
            said = true;
        }
        if (saver_take(sv, &done) && done.err.code && err)
            *err = done.err;
    }
    return count(sv->failed);
}

static int rescue(struct saver_job *job, const char *const *folders,
                  int (*write)(const struct run *r, const char *path, struct err *err), char *at,
                  size_t cap, struct err *err) {
    int rc = session_draft_finish(&job->draft, err);
    if (rc < 0)
        return rc;
    rc = err_set(err, -ENOENT, "no folder is known that it could be written to");
    for (; *folders && rc < 0; folders++) {
        snprintf(at, cap, "%s/tdtop-unsaved-%s.json", *folders, job->draft.run.id);
        rc = write(&job->draft.run, at, err);
    }
    return rc;
}

int saver_rescue(struct saver *sv, const char *const *folders,
                 int (*write)(const struct run *r, const char *path, struct err *err), char *at,
                 size_t cap, struct err *err) {
    struct saver_job *job = sv->failed;
    int n = 0;
    sv->failed = NULL;
    for (struct saver_job *next; job; job = next) {
        char path[4096 + 64];
        next = job->next;
        job->next = NULL;
        if (rescue(job, folders, write, path, sizeof(path), err) < 0) {
            append(&sv->failed, job);
            continue;
        }
        str_copy(at, cap, path);
        free_jobs(job);
        n++;
    }
    return n;
}

void saver_destroy(struct saver *sv) {
    if (sv->busy && !sv->no_thread)
        pthread_join(sv->thread, NULL);
    free_jobs(sv->waiting);
    free_jobs(sv->failed);
    if (sv->fd >= 0)
        close(sv->fd);
    *sv = (struct saver){.fd = -1};
}
