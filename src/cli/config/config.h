/*
 * Settings: what the user wants every time. One table holds every key with its type, default and
 * limits; the file is read by it, config.example.toml is checked against it.
 */
#ifndef TDTOP_CLI_CONFIG_H
#define TDTOP_CLI_CONFIG_H

#include "base/err.h"
#include "base/toml.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct args; /* cli/cli.h */

/* Strings are never NULL; they live until config_free. */
struct config {
    uint64_t interval_ns;
    int64_t level; /* deepest level of the tree to measure, 0 = all */
    const char *theme;
    int focus; /* enum focus_mode (session.h) */
    bool mouse, ascii;
    int colors;              /* -1 = find out; 0 = mono, 8, 16, 256, 1 << 24 */
    const char *model_dir;   /* "" = built-in models only */
    const char *model;       /* "" = the best one that this machine can count */
    const char *metrics_dir; /* "" = config_metrics_dir() */
    const char *cputype;     /* "" = the biggest cores */
    double speed;            /* of demo and replay on the screen; 0 = as fast as possible */
    const char *log;         /* "" = none */
    int plot;                /* what plots are drawn with: -1 = as fits, else enum chart_glyph */
    const char *advice;      /* source of the sentence; "" = the default one */
    bool clipboard;          /* C may copy through the terminal */
    const char *layout;      /* where the borders of panes are; "" = where the size puts them */
    const char *view;        /* id of the view at start */
    const struct toml *keys; /* table [keys]: actions with keys of the user's own; or NULL */
    bool has_file;           /* there was a file */
    char note[160];          /* what is odd in it, with file:line, for the screen; "" = nothing */
    struct toml_doc doc_;    /* private: owns the strings */
    char metrics_[4096];     /* private: the folder of metrics that needs no setting */
};

enum setting_type {
    SETTING_DURATION, /* "250ms" -> uint64_t ns */
    SETTING_INT,      /* int64_t */
    SETTING_REAL,     /* double */
    SETTING_BOOL,     /* bool */
    SETTING_TEXT,     /* const char * */
    SETTING_CHOICE,   /* one of choices -> int */
};

struct choice {
    const char *name; /* NULL ends the list */
    int value;
};

struct setting {
    const char *key;
    enum setting_type type;
    size_t at;        /* in struct config */
    const char *text; /* default of a duration, text or choice */
    double number;    /* default of the others */
    double min, max;  /* of a duration in ns, an int, a real */
    const struct choice *choices;
    const char *help; /* one line */
};

extern const struct setting config_settings[];
extern const size_t config_n_settings;

/* One line of words about a file that is read nevertheless: "FILE:LINE: unknown setting ...". */
typedef void config_warn_fn(void *user, const char *line);

void config_defaults(struct config *c);

/*
 * Defaults, then the file at path. With path == NULL it is $XDG_CONFIG_HOME/tdtop/config.toml, else
 * ~/.config/tdtop/config.toml, and need not exist. warn may be NULL. Returns 0; -EINVAL with
 * file:line:column and what to write instead; -ENOENT, -EACCES ... On failure *c holds the
 * defaults.
 */
int config_load(struct config *c, const char *path, config_warn_fn *warn, void *user,
                struct err *err);
void config_free(struct config *c); /* may be called twice */

/* The entry of a key in the file, or NULL. */
const struct toml *config_entry(const struct config *c, const char *key);
/* What is wrong with an entry of the file, with file:line:column. Returns rc. */
int config_err(const struct config *c, const struct toml *v, int rc, const char *words,
               struct err *err);

/* The row of a key, or NULL. */
const struct setting *config_setting(const char *key);

/* The value of a setting as it would be typed: "250ms", "true", "nord". Returns buf. */
const char *config_value(const struct config *c, const struct setting *s, char *buf, size_t cap);

/* Is this text, as of a file, one whose settings all are right? 0, or -EINVAL with
 * NAME:line:column.
 */
int config_check(const char *text, size_t len, const char *name, struct err *err);

/* Where the file is looked for without --config. Returns buf, "" if there is no such place. */
char *config_path(char *buf, size_t cap);

/* Where a user's metrics are looked for if no setting says it: metrics.d beside that file. */
char *config_metrics_dir(char *buf, size_t cap);

/*
 * The settings of a run: config_load of --config, then the options of the command line over them.
 * The other way round too: what a does not say (interval, level, model ...) it gets from here, and
 * such strings live until config_free. Warnings go to standard error.
 */
int config_for(struct config *c, struct args *a, struct err *err);

#endif
