/* `tdtop models`: what there is (models_list.c), what one means (models_show.c, models_json.c),
 * whether a file is sound (models_check.c), and what this machine gets. */
#include "base/str.h"
#include "cli/config.h"
#include "cli/models.h"
#include "cli/pick.h"
#include "pmu/machine.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static int fail(const struct err *err) {
    cli_error(err);
    return EXIT_ERROR;
}

static int here(const struct args *a) {
    struct machine mc;
    struct model m = {0};
    struct err err = {0};
    char why[256];
    machine_detect(&mc, "");
    if (a->core_type && machine_choose(&mc, a->core_type, &err) < 0)
        return err_prefix(&err, "--cputype"), fail(&err);
    if (ladder_pick(&m, &mc, a->model, &a->places, why, sizeof(why), &err) < 0)
        return fail(&err);
    printf("%s%s%s\n", str_starts(why, m.name) ? "" : m.name, str_starts(why, m.name) ? "" : ": ",
           why);
    model_free(&m);
    return EXIT_OK;
}

static int no_such_metric(const struct model *m, const char *name, struct err *err) {
    const char *nearest = NULL;
    for (uint32_t i = 0, best = 5; i < m->n_metric; i++) {
        uint32_t d = (uint32_t)str_distance(name, m->metric[i].name);
        if (d < best) {
            best = d;
            nearest = m->metric[i].name;
        }
    }
    return err_set(err, -ENOENT,
                   "%s: model %s has no node or metric of this name%s%s%s tdtop "
                   "models %s lists them",
                   name, m->name, nearest ? "; did you mean '" : ";", nearest ? nearest : "",
                   nearest ? "'?" : "", m->name);
}

static int show(const struct args *a, const char *name) {
    struct model m = {0};
    struct err err = {0};
    const char *node = a->n_word > 1 ? a->word[1] : NULL;
    int metric = METRIC_NONE;
    int rc = model_open(&m, name, &a->places, &err);
    if (rc == 0 && node && (metric = model_find(&m, node)) == METRIC_NONE)
        rc = no_such_metric(&m, node, &err);
    if (rc == 0 && a->json)
        models_print_json(node ? models_json_metric(&m, metric) : models_json(&m));
    else if (rc == 0)
        models_show(&m, metric);
    model_free(&m);
    return rc < 0 ? fail(&err) : EXIT_OK;
}

static int run(struct args *a) {
    struct pick want;
    struct err err = {0};
    if (a->here)
        return here(a);
    if (a->n_word)
        a->model = a->word[0];
    if (pick_named(&want, a, &err) < 0)
        return fail(&err);
    return want.name[0] ? show(a, want.name) : models_list(a);
}

int verb_models(const struct args *said) {
    struct args a = *said; /* the settings add to it */
    struct config cfg;
    struct err err = {0};
    if (a.check)
        return models_check(&a);
    int rc = config_for(&cfg, &a, &err) < 0 ? fail(&err) : run(&a);
    config_free(&cfg);
    return rc;
}
