#include "cli/pick.h"

#include "base/str.h"
#include "pmu/machine.h"
#include "pmu/replay_header.h"

#include <errno.h>
#include <string.h>

/* The kind of core that --cputype names, as a model says it: "cpu_atom" is "atom". */
static const char *kind_of(const struct args *a) {
    const char *type = a->core_type ? a->core_type : "";
    return str_starts(type, "cpu_") ? type + strlen("cpu_") : type;
}

static bool find(struct pick *p, const struct args *a) {
    return ladder_find(&a->places, p->id, kind_of(a), p->name, sizeof(p->name));
}

int pick_named(struct pick *p, const struct args *a, struct err *err) {
    *p = (struct pick){0};
    const char *text = a->cpuid ? a->cpuid : a->model;
    if (!text || !text[0])
        return 0;
    bool is_id = replay_header_id(text, p->id, sizeof(p->id));
    if (a->cpuid && !is_id)
        return err_set(err, -EINVAL,
                       "--cpuid %s: not an id of a CPU; they look like GenuineIntel-6-8F-8 or "
                       "0x410fd490 (tdtop doctor shows that of this machine)",
                       text);
    if (!is_id) {
        str_copy(p->name, sizeof(p->name), text);
        return 0;
    }
    if (find(p, a))
        return 0;
    return err_set(err, -ENOENT, "--%s %s: no model for this CPU%s%s; tdtop models lists them",
                   a->cpuid ? "cpuid" : "model", text, a->core_type ? " and --cputype " : "",
                   a->core_type ? a->core_type : "");
}

bool pick_recorded(struct pick *p, const struct args *a, const char *path) {
    *p = (struct pick){0};
    return replay_header_find(path, p->id, sizeof(p->id)) && find(p, a);
}
