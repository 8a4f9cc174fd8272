#include "pmu/replay/replay_parts.h"

#include "pmu/replay/replay_plan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void replay_parts_free(struct replay_parts *p) {
    for (uint32_t i = 0; i < p->n; i++)
        free(p->name[i]);
    free(p->name);
    *p = (struct replay_parts){0};
}

static int take(const struct replay_table *t, struct replay_parts *out) {
    out->name = calloc(t->n + 1, sizeof(*out->name));
    if (!out->name)
        return -ENOMEM;
    for (; out->n < t->n; out->n++)
        if (!(out->name[out->n] = strdup(t->at[out->n].first)))
            return -ENOMEM;
    return 0;
}

static int add(struct replay_table *t, const char *name) {
    const int32_t rc = name[0] ? replay_table_add(t, name, "") : 0;
    return rc < 0 ? rc : 0;
}

static int read_all(struct replay_reader *r, struct replay_table *cgroups,
                    struct replay_table *threads, struct err *err) {
    struct replay_row row;
    int rc;
    while ((rc = replay_reader_next(r, &row, err)) > 0) {
        rc = add(cgroups, row.cgroup);
        if (rc == 0 && row.kind == AGG_THREAD)
            rc = add(threads, row.agg);
        if (rc < 0)
            return err_set(err, rc, "%s: too many cgroups or threads", r->in.name);
    }
    return rc;
}

int replay_parts_read(const char *path, struct replay_parts *out, struct err *err) {
    struct replay_table cgroups = {0}, threads = {0};
    struct replay_reader r = {.in.fd = -1, .in.pipe = -1};
    *out = (struct replay_parts){0};
    int rc = replay_reader_open(&r, path, err);
    if (rc == 0)
        rc = read_all(&r, &cgroups, &threads, err);
    out->threads = cgroups.n < 2;
    const struct replay_table *t = out->threads ? &threads : &cgroups;
    if (rc == 0 && t->n > 1 && (rc = take(t, out)) < 0)
        err_set(err, rc, "%s: out of memory", path);
    if (rc < 0)
        replay_parts_free(out);
    replay_reader_close(&r);
    replay_table_free(&cgroups);
    replay_table_free(&threads);
    return rc;
}
