#include "session/hybrid.h"

#include "base/log.h"
#include "base/str.h"
#include "pmu/host/machine.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Static_assert((int)SESSIONS_MAX == (int)CORE_TYPES_MAX, "one session for each core type");

struct session *sessions_add(struct sessions *all) {
    if (all->n == SESSIONS_MAX)
        return NULL;
    struct session *s = calloc(1, sizeof(*s));
    if (!s)
        return NULL;
    s->exit_code = -1;
    all->at[all->n++] = s;
    all->n_made = all->n;
    return s;
}

void sessions_drop(struct sessions *all) {
    struct session *s = all->at[--all->n];
    all->n_made = all->n;
    session_close(s);
    free(s);
}

/* A command is run once: the others count its process from its first instruction on, too. */
static void share_target(struct sessions *all, const struct session *first, struct target *t) {
    pid_t pid = first->source.command;
    if (t->kind != TARGET_COMMAND || !pid)
        return;
    snprintf(all->pid, sizeof(all->pid), "%d", (int)pid);
    t->kind = TARGET_PIDS;
    t->pids = all->pid;
    t->waits = true;
}

/* CPUs that were asked for by number need not be of all types. */
static void say_missing(struct session *first, const struct session *s, const struct target *t,
                        const struct err *why) {
    log_line("hybrid: %s: %s", session_cores(s), why->text);
    if (t->kind == TARGET_CPUS && why->code == -ENODEV)
        return;
    size_t used = strlen(first->why_model);
    snprintf(first->why_model + used, sizeof(first->why_model) - used, "; %s are not counted: %s",
             session_cores(s), why->text);
}

/* The open ones to the front, in their order. */
static void keep_open(struct sessions *all) {
    int n = 0;
    for (int i = 0; i < all->n; i++) {
        struct session *s = all->at[i];
        if (!s->opened)
            continue;
        for (int k = i; k > n; k--)
            all->at[k] = all->at[k - 1];
        all->at[n++] = s;
    }
    if (n > 0)
        all->n = n;
}

int sessions_open(struct sessions *all, const struct source_ops *ops,
                  const struct source_options *opt, struct err *err) {
    struct err why[SESSIONS_MAX] = {{0}};
    struct session *first = NULL;
    for (int i = 0; i < all->n; i++) {
        struct source_options own = opt[i];
        if (first)
            share_target(all, first, &own.target);
        all->at[i]->first = first;
        if (session_open(all->at[i], ops, &own, &why[i]) == 0 && !first)
            first = all->at[i];
    }
    if (!first) {
        *err = why[0];
        return why[0].code;
    }
    for (int i = 0; i < all->n; i++)
        if (why[i].code)
            say_missing(first, all->at[i], &opt[i].target, &why[i]);
    keep_open(all);
    return 0;
}

int sessions_start(struct sessions *all, struct err *err) {
    int rc = 0;
    for (int i = all->n; i-- > 0 && rc == 0;)
        rc = session_start(all->at[i], err);
    return rc;
}

void sessions_halt(struct sessions *all) {
    for (int i = all->n; i-- > 0;)
        session_halt(all->at[i]);
}

void sessions_close(struct sessions *all) {
    for (int i = all->n_made; i-- > 0;) { /* the first runs the command */
        session_close(all->at[i]);
        free(all->at[i]);
    }
    *all = (struct sessions){.n = 0};
}

/* ---- names ---- */

const char *session_cores(const struct session *s) {
    static const struct {
        const char *type, *words;
    } known[] = {{"core", "P-cores"}, {"atom", "E-cores"}, {"lowpower", "low-power E-cores"}};
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        if (strcmp(s->core_type, known[i].type) == 0)
            return known[i].words;
    return s->pmu;
}

const char *session_type(const struct session *s) {
    return s->core_type[0] ? s->core_type : s->pmu;
}

const struct environment *session_environment(const struct session *s) {
    return s->first ? &s->first->env : &s->env;
}
