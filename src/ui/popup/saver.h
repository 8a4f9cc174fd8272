/*
 * Brings runs into the store on a thread of its own, one after the other, so that neither the
 * screen nor the sampler waits for a disk or for another process' lock, or for the evaluation of
 * all intervals. A run belongs to the saver from saver_add on, as a draft that its thread finishes;
 * one that could not be saved stays in memory and can be tried again elsewhere.
 *
 * The thread owns the first of the waiting while it works on it; all else is the screen's.
 */
#ifndef TDTOP_UI_SAVER_H
#define TDTOP_UI_SAVER_H

#include "db/store.h"
#include "session/session.h"

#include <pthread.h>
#include <stdatomic.h>

struct saver_job {
    struct session_draft draft; /* owned */
    char path[4096];            /* of the store; "": the default */
    char skipped[64];
    char at[4096];  /* the file that was meant in the end */
    struct err err; /* code 0: it is stored */
    struct saver_job *next;
};

struct saver {
    int fd; /* for poll(): readable when there is something to say; -1 before saver_init */
    struct saver_job *waiting, *failed; /* owned; oldest first */
    int n_saved;                        /* runs that are stored, and the id of the last */
    char last_saved[RUN_ID_LEN + 1];
    bool busy;      /* the thread works on the first of the waiting, or has; whenever one waits */
    bool no_thread; /* it could not be started: the first of the waiting has failed */
    pthread_t thread;
    atomic_bool ended;   /* the thread has done its work */
    atomic_bool blocked; /* another process holds the lock, for now */
    atomic_bool stop;    /* wait for it no longer */
};

int saver_init(struct saver *sv, struct err *err);
/* Waits for what is being saved. What is not saved then is lost: saver_unsaved says how many. */
void saver_destroy(struct saver *sv);

/*
 * Takes the drafts of n runs over, whatever the result: all of them wait then, or none. path NULL:
 * the default store; skipped: core types that have none among them, for the results. 0 or -ENOMEM.
 */
int saver_add(struct saver *sv, struct session_draft *drafts, int n, const char *path,
              const char *skipped, struct err *err);
/* Tries what failed once more, into another file (or NULL: each into its own). */
void saver_retry(struct saver *sv, const char *path);
/* What became of a run: err.code 0: it is in the file `at`. */
struct saver_result {
    char id[RUN_ID_LEN + 1];
    char at[4096];
    uint64_t measured_ns;
    char labels[160]; /* the user's, as one types them; what is too long ends in "..." */
    char skipped[64]; /* as saver_add got it */
    struct err err;
};
/* After fd was readable: one that is finished. False if none is. */
bool saver_take(struct saver *sv, struct saver_result *done);
/* True while another process' lock is waited for. */
bool saver_is_blocked(const struct saver *sv);
/* Runs that are only in memory: waiting, at work, or failed. */
int saver_unsaved(const struct saver *sv);
/*
 * Writes each that failed into a file of its own, tdtop-unsaved-ID.json, by `write`, in the first
 * of the folders (ended by NULL) that takes it; it is saved then. Returns how many; `at` gets the
 * file of the last, err why the last that has none has none.
 */
int saver_rescue(struct saver *sv, const char *const *folders,
                 int (*write)(const struct run *r, const char *path, struct err *err), char *at,
                 size_t cap, struct err *err);
/* Waits until all that waits was tried, or until it is blocked for wait_s. A disk that takes longer
 * than that is waited for, which is said once on stderr: the terminal is no screen any more.
 * Returns how many could not be saved; err has the words of the last. */
int saver_finish(struct saver *sv, double wait_s, struct err *err);

#endif
