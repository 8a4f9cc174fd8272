/*
 * From samples in the memory of the sampler to samples that can be kept (model/hot/hot.h): what is
 * to be shown of them is found now, while files and processes are there.
 */
#ifndef TDTOP_SESSION_HOT_TAKE_H
#define TDTOP_SESSION_HOT_TAKE_H

#include "model/hot/hot.h"
#include "pmu/sampling/sampling.h"
#include "pmu/symbols/names.h"

struct hot_options {
    const char *target;     /* what was sampled, as target_words; may be NULL */
    const char *asked;      /* the node or event; may be NULL */
    double seconds;         /* that it was */
    int paranoid;           /* as in sampling_options */
    bool user_asked;        /* user space only, as it was asked for: nothing is to be said of it */
    size_t lines;           /* functions of most samples, and branches mispredicted most, whose
                               source line is looked for */
    bool known;             /* names that are known already, and no lines: nothing is waited for */
    uint32_t leaves, nodes; /* that are kept, at most; 0: HOT_LEAVES, HOT_NODES */
};

/* What hot_take makes it of; all is borrowed. */
struct hot_source {
    const struct tally_copy *copy;
    const struct sampling_info *info;
    const struct module *module; /* the places of copy are in these */
    uint32_t n_module;
    bool (*comm)(void *user, pid_t pid, pid_t tid, char name[COMM_SIZE]);
    /* What is known already of the line of a function; may be NULL. False: nothing is. */
    bool (*line)(void *user, uint32_t module, uint64_t start, const char **file, uint32_t *line);
    /* Likewise of the line of a branch, by its number in copy. */
    bool (*branch_line)(void *user, uint32_t branch, const char **file, uint32_t *line);
    void *user; /* of all */
};

/* Waits for files (names.h): seconds; not for the screen's thread. 0 or -ENOMEM; hot_free. */
int hot_take(struct hot *out, const struct hot_source *from, struct names *names,
             const struct hot_options *opt);
/* The same of what a sampler has now. */
int hot_take_now(struct hot *out, struct sampling *s, struct names *names,
                 const struct hot_options *opt);

#endif
