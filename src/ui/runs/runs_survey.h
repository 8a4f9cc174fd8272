/* What the runs of a list have in common and what tells them apart: their labels, and the values of
 * a metric in each group. Read at once with the list; knows no canvas. */
#ifndef TDTOP_UI_RUNS_SURVEY_H
#define TDTOP_UI_RUNS_SURVEY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct runs;

enum {
    SURVEY_RUNS = 1000, /* the newest; of more it is not known what all have in common */
    SURVEY_LABELS = 24, /* keys */
    SURVEY_COLUMN = 20, /* the widest column of a label */
};

struct survey_label {
    char key[65], value[64]; /* of the first run that has it */
    size_t n;                /* runs that have it */
    bool varies;             /* also where some runs do not have it */
    bool automatic;          /* of all of them */
    int w;                   /* columns of its key and its values, SURVEY_COLUMN at most */
};

struct runs_survey {
    struct survey_label label[SURVEY_LABELS];
    unsigned n_label;
    size_t n;                    /* runs that were read */
    bool whole;                  /* all that are meant */
    char process[64], model[64]; /* that of all; "": they differ, or it is not known */
    bool simulated;              /* process is that of all, and all are simulated */
    bool slots;                  /* a model of one of them counts slots, or not all were read */
    double *value;               /* owned; [n_value], by runs_group.at */
    size_t n_value;
    double least, most; /* of them; NAN: there is none */
};

/* Reads the newest runs that are meant, and the values of runs.metric into the groups. Nothing is
 * known if it fails: the list can do without. */
void runs_survey_read(struct runs *r);
void runs_survey_free(struct runs_survey *s); /* accepts a zeroed one */
/* A label that has a column: of the user's, it varies, and runs are not grouped by it. */
bool runs_survey_is_column(const struct runs *r, const struct survey_label *l);
/* Columns that all of these need, with a blank between them; 0: there is none. */
int runs_survey_width(const struct runs *r);

#endif
