/*
 * agent.toml: what an agent measures. A target is what one would write behind `tdtop collect`,
 * without the dashes; [default] is of all of them.
 */
#ifndef TDTOP_CLI_AGENT_CONFIG_H
#define TDTOP_CLI_AGENT_CONFIG_H

#include "base/toml.h"
#include "base/words.h"
#include "cli/cli.h"
#include "cli/verb/publish.h"

enum { AGENT_TARGETS = 256, AGENT_NAME = 64 };

struct agent_target {
    char name[AGENT_NAME]; /* in its lines: the key `name`, else what is measured */
    struct words words;    /* owned; what args points into: who takes them over copies args */
    struct args args;
};

struct agent_config {
    char path[4096];
    const char *db;              /* the document's; NULL: the usual store */
    uint64_t keep_ns;            /* runs begun before go; 0: none do */
    uint64_t keep_bytes;         /* the oldest go while there is more; 0: no limit */
    struct publish_to publish;   /* where series can be read; the document's */
    struct agent_target *target; /* owned; where series can be read, each has another name */
    int n_target;
    struct toml_doc doc_; /* private: owns texts */
};

/* path NULL: $XDG_CONFIG_HOME/tdtop/agent.toml or ~/.config/tdtop/agent.toml if it is there, else
 * /etc/tdtop/agent.toml. 0; -EINVAL with FILE:LINE:COL and what is wrong; -ENOENT and others of
 * reading it. Nothing is left to free then. */
int agent_config_read(struct agent_config *c, const char *path, struct err *err);
void agent_config_free(struct agent_config *c); /* accepts a zeroed one */

#endif
