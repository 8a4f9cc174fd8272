/* Settings and command line together: what was said for this run goes over what is said always. */
#include "base/str.h"
#include "cli/cli.h"
#include "cli/config/config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The screen hides what is printed before it: it shows the first one as a message. There the name
 * of the file stands without its folder. */
static void print_warning(void *user, const char *line) {
    struct config *c = user;
    const char *from = line;
    for (const char *p = line; *p && strncmp(p, ": ", 2) != 0; p++)
        if (*p == '/')
            from = p + 1;
    if (!c->note[0])
        str_copy(c->note, sizeof(c->note), from);
    cli_note("%s", line);
}

/* Options that the rest of the program reads from args. */
static void fill_args(const struct config *c, struct args *a) {
    a->focus_mode = c->focus;
    if (!a->interval_ns)
        a->interval_ns = c->interval_ns;
    a->level_given = a->level >= 0;
    if (a->level < 0)
        a->level = c->level;
    if (!a->speed_given)
        a->speed = c->speed;
    if (!a->places.models && c->model_dir[0])
        a->places.models = c->model_dir;
    /* Not for demo and replay: whose counts those are, a setting of this machine cannot know. */
    bool this_machine = a->verb == VERB_LIVE || (a->verb == VERB_COLLECT && !a->demo) ||
                        a->verb == VERB_DOCTOR || a->here;
    if (!a->model && c->model[0] && this_machine)
        a->model = c->model;
    if (!a->core_type && c->cputype[0] && this_machine)
        a->core_type = c->cputype;
}

/*
 * The folder of the user's metrics: named ones must be there, the one that needs no naming may be
 * missing.
 */
static int find_metrics(struct config *c, struct args *a, struct err *err) {
    const char *by = a->places.metrics ? "--metrics-dir" : "metrics_dir";
    if (!a->places.metrics && c->metrics_dir[0])
        a->places.metrics = c->metrics_dir;
    if (!a->places.metrics) {
        config_metrics_dir(c->metrics_, sizeof(c->metrics_));
        a->places.metrics =
            c->metrics_[0] && access(c->metrics_, R_OK | X_OK) == 0 ? c->metrics_ : NULL;
        return 0;
    }
    struct stat st;
    int rc = stat(a->places.metrics, &st) < 0 ? -errno : S_ISDIR(st.st_mode) ? 0 : -ENOTDIR;
    return rc == 0 ? 0
                   : err_set(err, rc, "%s %s: %s; give a folder that holds .toml files of metrics",
                             by, a->places.metrics, strerror(-rc));
}

/* Options that the rest of the program reads from the settings. */
static int fill_config(struct config *c, const struct args *a, struct err *err) {
    const char *log = a->log ? a->log : getenv("TDTOP_LOG");
    if (log)
        c->log = log;
    if (a->theme)
        c->theme = a->theme;
    if (a->advice)
        c->advice = a->advice;
    if (a->ascii)
        c->ascii = true;
    if (a->no_mouse)
        c->mouse = false;
    const int rc = a->color ? config_color(a->color, &c->colors, err) : 0;
    if (rc < 0)
        err_prefix(err, "--color");
    return rc;
}

static int take_focus(struct args *a, struct err *err) {
    const int rc = a->focus ? config_focus(a->focus, &a->focus_mode, err) : 0;
    if (rc < 0)
        err_prefix(err, "--focus");
    return rc;
}

int config_for(struct config *c, struct args *a, struct err *err) {
    int rc = config_load(c, a->config, print_warning, c, err);
    if (rc < 0)
        return rc;
    fill_args(c, a);
    rc = find_metrics(c, a, err);
    if (rc == 0)
        rc = take_focus(a, err);
    return rc < 0 ? rc : fill_config(c, a, err);
}
