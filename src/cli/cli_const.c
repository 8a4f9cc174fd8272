/* --const: what the formulas cannot find out by themselves. */
#include "cli/cli.h"

#include "base/str.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char latency_ending[] = ":retire_latency";

static int unknown_const(const char *name, struct err *err) {
    char known[256];
    struct strbuf sb = strbuf_on(known, sizeof(known));
    for (int i = 0; i < CONST_N; i++)
        strbuf_add(&sb, " %s", const_name((enum const_id)i));
    return err_set(err, -EINVAL,
                   "--const %s: no constant of this name; there are%s and EVENT:retire_latency",
                   name, known);
}

/* The last of several for one event counts. */
static struct latency_setting *latency_of(struct args *a, const char *event) {
    for (uint32_t i = 0; i < a->consts.n_latency; i++)
        if (!strcmp(a->latency[i].event, event))
            return &a->latency[i];
    return a->consts.n_latency < LATENCIES_MAX ? &a->latency[a->consts.n_latency++] : NULL;
}

static int set_latency(struct args *a, char *name, double cycles, struct err *err) {
    if (!(cycles >= 0))
        return err_set(err, -EINVAL, "--const %s: a latency is a number of cycles, 0 or more",
                       name);
    name[strlen(name) - strlen(latency_ending)] = '\0';
    struct latency_setting *l = latency_of(a, name);
    if (!l)
        return err_set(err, -EINVAL, "--const %s%s: more than %d latencies", name, latency_ending,
                       LATENCIES_MAX);
    str_copy(l->event, sizeof(l->event), name);
    l->cycles = cycles;
    a->consts.latency = a->latency;
    return 0;
}

int cli_set_const(struct args *a, const char *text, struct err *err) {
    char name[sizeof(a->latency[0].event) + sizeof(latency_ending)];
    const char *eq = strrchr(text, '='); /* an event's modifiers may have one, too */
    if (!eq || eq == text || (size_t)(eq - text) >= sizeof(name))
        return err_set(err, -EINVAL, "--const %s: not NAME=VALUE; for example --const SMT_ON=1",
                       text);
    str_copy(name, (size_t)(eq - text) + 1, text);
    char *end;
    double v = strtod(eq + 1, &end);
    if (end == eq + 1 || *end || !isfinite(v))
        return err_set(err, -EINVAL, "--const %s: %s is not a number", text,
                       eq[1] ? eq + 1 : "nothing");
    if (str_ends(name, latency_ending) && strlen(name) > strlen(latency_ending))
        return set_latency(a, name, v, err);
    int id = const_find(name);
    if (id < 0)
        return unknown_const(name, err);
    a->consts.value[id] = v;
    a->consts.fixed_by_user[id] = true;
    return 0;
}
