/* Settings and command line together: what was said for this run goes over what is said always. */
#include "cli/cli.h"
#include "cli/config.h"

#include <stdlib.h>

static void print_warning(void *user, const char *line) {
    (void)user;
    cli_note("%s", line);
}

/* Options that the rest of the program reads from args. */
static void fill_args(const struct config *c, struct args *a) {
    if (!a->interval_ns)
        a->interval_ns = c->interval_ns;
    if (a->level < 0)
        a->level = c->level;
    if (!a->speed_given)
        a->speed = c->speed;
    if (!a->places.models && c->model_dir[0])
        a->places.models = c->model_dir;
    /* Not for demo and replay: whose counts those are, a setting of this machine cannot know. */
    if (!a->model && c->model[0] && a->verb == VERB_LIVE)
        a->model = c->model;
}

/* Options that the rest of the program reads from the settings. */
static int fill_config(struct config *c, const struct args *a, struct err *err) {
    const char *log = a->log ? a->log : getenv("TDTOP_LOG");
    if (log)
        c->log = log;
    if (a->theme)
        c->theme = a->theme;
    if (a->ascii)
        c->ascii = true;
    if (a->no_mouse)
        c->mouse = false;
    const int rc = a->color ? config_color(a->color, &c->colors, err) : 0;
    if (rc < 0)
        err_prefix(err, "--color");
    return rc;
}

int config_for(struct config *c, struct args *a, struct err *err) {
    const int rc = config_load(c, a->config, print_warning, NULL, err);
    if (rc < 0)
        return rc;
    fill_args(c, a);
    return fill_config(c, a, err);
}
