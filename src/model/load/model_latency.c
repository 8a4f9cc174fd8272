/* Retire latencies: the [latency] tables, and the names that formulas give to their entries. */
#include "model/load/model_load.h"

#include "base/str.h"

#include <errno.h>
#include <math.h>
#include <string.h>

static const char suffix[] = ":retire_latency";

static int latency_add(struct loader *ld, struct latency_def def) {
    int index = (int)ld->latency.n;
    if (array_push(&ld->latency, def) < 0)
        return load_no_memory(ld);
    int rc = dict_put(&ld->latency_by_event, def.latency.event, index);
    return rc < 0 ? load_no_memory(ld) : index;
}

/* One of the user's replaces the vendor's. */
static int latency_take(struct loader *ld, const struct toml *at) {
    if (at->type != TOML_FLOAT && at->type != TOML_INTEGER)
        return load_err(ld, at, "latency of '%s' is of type %s, expected cycles", at->key,
                        toml_type_name(at->type));
    double cycles = toml_number(at);
    if (!(cycles >= 0 && cycles < 1e9))
        return load_err(ld, at, "latency of '%s' is %g, expected cycles", at->key, cycles);
    struct latency_def def = {
        {at->key, cycles, ld->file->extra && !ld->file->shared}, ld->file, at, false};
    int known = dict_get(&ld->latency_by_event, at->key);
    if (known >= 0 && !ld->file->base)
        ld->latency.at[known] = def;
    return known >= 0 ? 0 : latency_add(ld, def);
}

int latencies_read(struct loader *ld) {
    for (struct model_file *f = ld->mem->file; f; f = f->next) {
        ld->file = f;
        for (const struct toml *at = f->latency ? f->latency->first : NULL; at; at = at->next) {
            int rc = latency_take(ld, at);
            if (load_go_on(ld, rc) < 0)
                return rc;
        }
    }
    return 0;
}

int latency_of_spelling(struct loader *ld, const char *spelling) {
    if (!str_ends(spelling, suffix))
        return -ENOENT;
    char event[256];
    str_copy(event, sizeof(event), spelling);
    event[strlen(event) - strlen(suffix)] = '\0';
    struct event_def *def = event_def_of(ld, event);
    if (!def)
        return -ENOENT;
    def->used = true;
    int index = dict_get(&ld->latency_by_event, event);
    if (index < 0) {
        const char *kept = arena_text(&ld->mem->arena, event, strlen(event));
        index =
            kept ? latency_add(ld, (struct latency_def){{kept, NAN, false}, ld->file, NULL, true})
                 : load_no_memory(ld);
    }
    if (index >= 0)
        ld->latency.at[index].used = true;
    return index;
}
