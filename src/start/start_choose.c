/* The list to choose from: of processes, or of the parts of a recording. */
#include "start/start_impl.h"

#include "base/str.h"
#include "cli/out/farewell.h"
#include "pmu/host/processes.h"
#include "pmu/source.h"
#include "session/busiest.h"
#include "ui/popup/picker.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* --- no target: a list to choose from --- */

struct listed {
    struct processes all;
    struct busiest busiest;
};

static int read_processes(void *user) {
    struct listed *l = user;
    int rc = processes_read(&l->all);
    busiest_read(&l->busiest, &l->all.table);
    return rc;
}

static int read_command(void *user, struct process_row *row) {
    struct listed *l = user;
    return processes_detail(&l->all, row);
}

static int open_list(struct listed *l, const struct args *a, struct err *err) {
    int rc = processes_open(&l->all, "/proc", err);
    if (rc == 0 && busiest_open(&l->busiest, &source_perf, NULL, &a->places) < 0)
        rc = err_set(err, -ENOMEM, "out of memory for the list of processes");
    return rc;
}

static struct picker_options list_options(const struct args *a, const struct config *cfg) {
    struct picker_options opt = {.theme = cfg->theme, .mouse = cfg->mouse, .ascii = cfg->ascii};
    opt.colors = cfg->colors;
    opt.any_theme = start_any_theme(a, cfg);
    opt.note = cfg->note;
    return opt;
}

/* 1 if none was chosen. */
static int note_picked(struct app *app, struct config *cfg, const struct picked *picked) {
    if (picked->light)
        cfg->theme = "light";
    app->picked = picked->choice != PICK_NOTHING;
    return !app->picked;
}

/* Sets the target that the user chooses. 1 if none was chosen. */
static int pick_target(struct app *app, struct args *a, struct config *cfg, struct err *err) {
    struct listed listed = {0};
    struct picked picked = {.choice = PICK_NOTHING};
    int rc = open_list(&listed, a, err);
    struct picker_options opt = list_options(a, cfg);
    opt.table = &listed.all.table;
    opt.read = read_processes;
    opt.detail = read_command;
    opt.user = &listed;
    opt.select = app->returned ? (pid_t)atoi(app->pid) : 0;
    if (rc == 0)
        rc = picker_run(&opt, &picked, err);
    busiest_close(&listed.busiest);
    processes_close(&listed.all);
    if (rc < 0)
        return rc;
    snprintf(app->pid, sizeof(app->pid), "%d", (int)picked.pid);
    a->pids = picked.choice == PICK_PROCESS ? app->pid : NULL;
    a->all = picked.choice == PICK_ALL;
    return note_picked(app, cfg, &picked);
}

/* --- several cgroups or threads in a recording: a list to choose from --- */

static int read_nothing(void *user) {
    (void)user;
    return 0;
}

static int command_is_there(void *user, struct process_row *row) {
    (void)user;
    (void)row;
    return 0;
}

/* Asks which of them; a->only is set. 1 if none was chosen. */
static int pick_name(struct app *app, struct args *a, struct config *cfg, struct err *err) {
    struct process_table t = {.n = app->parts.n, .cap = app->parts.n};
    struct picked picked;
    t.row = calloc(t.n, sizeof(*t.row));
    if (!t.row)
        return err_set(err, -ENOMEM, "replay: out of memory");
    for (uint32_t i = 0; i < t.n; i++) {
        char safe[256];
        str_safe(safe, sizeof(safe), app->parts.name[i]);
        t.row[i] = (struct process_row){.pid = (pid_t)i + 1, .command = strdup(safe)};
    }
    struct picker_options opt = list_options(a, cfg);
    opt.table = &t;
    opt.read = read_nothing;
    opt.detail = command_is_there;
    opt.question = app->parts.threads ? "Which thread?" : "Which cgroup?";
    opt.whole = app->parts.threads;
    opt.select = app->returned ? app->part : 0;
    const int rc = picker_run(&opt, &picked, err);
    for (uint32_t i = 0; i < t.n; i++)
        free(t.row[i].command);
    free(t.row);
    if (rc < 0)
        return rc;
    app->part = picked.pid;
    a->only = picked.choice == PICK_PROCESS ? app->parts.name[picked.pid - 1] : NULL;
    return note_picked(app, cfg, &picked);
}

/* A file that cannot be read tells why when it is opened. */
static int pick_part(struct app *app, struct args *a, struct config *cfg, struct err *err) {
    struct err none;
    struct stat st;
    if (app->parts.n)
        return pick_name(app, a, cfg, err);
    if (a->verb != VERB_REPLAY || a->only || a->save || a->control || stat(a->word[0], &st) < 0 ||
        !S_ISREG(st.st_mode) || replay_parts_read(a->word[0], &app->parts, &none) < 0)
        return 0;
    return app->parts.n ? pick_name(app, a, cfg, err) : 0;
}

/* Chooses from a list where there is a choice. 1: nothing was chosen. */
int start_choose(struct app *app, struct args *a, struct config *cfg, bool listed,
                 struct err *err) {
    const int rc = (listed ? pick_target : pick_part)(app, a, cfg, err);
    if (rc > 0 && !a->quiet) /* what was kept before */
        farewell(&app->all, app->left.n_kept, app->left.last_id, app->left.asked);
    return rc;
}
