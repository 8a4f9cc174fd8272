/* What the files of this room share. */
#ifndef TDTOP_START_IMPL_H
#define TDTOP_START_IMPL_H

#include "cli/cli.h"
#include "cli/config/config.h"
#include "cli/measure.h"
#include "pmu/replay/replay_parts.h"
#include "session/session.h"
#include "ui/app/ui.h"
#include "ui/screen/settings.h"

/* The settings as the screen has them, and where they are kept. */
struct kept {
    struct settings set;
    char path[4096];
};

struct app {
    struct sessions all;
    struct measure measure;
    char pid[16];              /* that was picked from the list; args point to it */
    struct replay_parts parts; /* of the recording, where there is a choice; so does args.only */
    pid_t part;                /* 1 + place of that one */
    bool picked;               /* the terminal is ours already */
    bool returned;             /* the user wants the list again */
    char thread[16];           /* that is measured alone; args point to it; "" */
    bool scopes, unscoped;     /* one can be; was, and now all are again */
    struct ui_left left;       /* of all that was picked so far */
    struct kept kept;
};

/* ---- start_settings.c ---- */

/* Rows of the table, with what the command line says for this run; those of before where there
 * are some. Owned by k. */
struct settings *start_settings(struct kept *k, const struct args *a, const struct config *cfg);
/* For every screen: looks, store, note, files of runs; without k no settings. Borrows from all. */
struct ui_options start_options(const struct args *a, const struct config *cfg, struct kept *k);
/* What the settings made of the looks, for the list that is shown again; cfg borrows from set. */
void start_keep_looks(struct settings *set, struct config *cfg);
/* The user's own keys. 0, or -EINVAL with the entry of the file in words. */
int start_keys(const struct config *cfg, struct err *err);
/* Theme, view and layout of the file, of which only the screen knows the values. Likewise. */
int start_check(const struct config *cfg, struct err *err);
/* The theme alone: one of the command line names its option. */
int start_check_theme(const struct config *cfg, struct err *err);
/* Nobody chose one. */
bool start_any_theme(const struct args *a, const struct config *cfg);

/* ---- start_choose.c ---- */

/* Asks for a process (a->pids or a->all), or for a part of a recording (a->only) where there are
 * several. Returns 0, 1 if nothing was chosen, or -errno. */
int start_choose(struct app *app, struct args *a, struct config *cfg, bool listed, struct err *err);

/* ---- start_show.c ---- */

/* What was asked for, one after the other from a list, or a thread of it, until the user quits.
 * Returns the exit code, or -errno. */
int start_show(struct app *app, struct args *a, struct config *cfg, struct err *err);
/* Of the command, which the first session runs; -1: there is none, or it runs. */
int start_exit_code(const struct app *app);

#endif
