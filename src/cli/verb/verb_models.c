/* `tdtop models`: what there is (models_list.c), what one means (models_brief.c, models_show.c,
 * models_json.c), whether a file is sound (models_check.c), and what this machine gets
 * (models_here.c). */
#include "base/str.h"
#include "cli/config/config.h"
#include "cli/pick.h"
#include "cli/verb/models.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static int fail(const struct err *err) {
    cli_error(err);
    return EXIT_ERROR;
}

/* The metric or the group of one that is spelt most like this; NULL: none is. */
static const char *nearest_name(const struct model *m, const char *name) {
    const char *nearest = NULL;
    for (uint32_t i = 0, best = 5; i < m->n_metric; i++) {
        uint32_t d = (uint32_t)str_distance(name, m->metric[i].name);
        if (d < best) {
            best = d;
            nearest = m->metric[i].name;
        }
    }
    return nearest;
}

static int no_such_metric(const struct model *m, const char *name, struct err *err) {
    const char *nearest = nearest_name(m, name);
    return err_set(err, -ENOENT,
                   "%s: model %s has no node, metric or group of this name%s%s%s tdtop "
                   "models %s lists them",
                   name, m->name, nearest ? "; did you mean '" : ";", nearest ? nearest : "",
                   nearest ? "'?" : "", m->name);
}

static void print_json(const struct model *m, const char *group, int metric) {
    models_print_json(metric != METRIC_NONE ? models_json_metric(m, metric)
                      : group               ? models_json_group(m, group)
                                            : models_json(m));
}

static void print_words(const struct args *a, const struct model *m, const char *group,
                        int metric) {
    if (metric != METRIC_NONE)
        models_show_metric(m, metric);
    else if (group)
        models_show_group(m, group);
    else if (a->summary)
        models_brief(m);
    else
        models_show(m);
}

/* What was understood of an id that may be misread, and where it led. */
static void say_id(const struct pick *p) {
    if (p->lower)
        cli_note("%s: there is no model for this CPU itself; this is the %s", p->id,
                 !strcmp(p->name, "generic") ? "generic one" : "one of its architecture");
    const char *model = strrchr(p->words, ' ') ? strstr(p->words, "model 0x") : NULL;
    size_t digits = model ? strspn(model + 8, "0123456789") : 0;
    if (digits > 1 && (model[8 + digits] == ',' || !model[8 + digits]))
        cli_note("%s is %s", p->id, p->words); /* it might have been meant to be decimal */
}

static int show(const struct args *a, const struct pick *p, const char *part) {
    struct model m = {0};
    struct err err = {0};
    int metric = METRIC_NONE;
    int rc = model_open(&m, p->name, &a->places, &err);
    if (rc == 0 && !p->id[0])
        rc = pick_check_kind(a, &m, &err);
    if (rc == 0 && part)
        metric = model_find(&m, part);
    if (rc == 0 && part && metric == METRIC_NONE && !models_has_group(&m, part))
        rc = no_such_metric(&m, part, &err);
    if (rc == 0)
        say_id(p);
    if (rc == 0 && a->json)
        print_json(&m, part, metric);
    else if (rc == 0)
        print_words(a, &m, part, metric);
    model_free(&m);
    return rc < 0 ? fail(&err) : EXIT_OK;
}

static int run(struct args *a) {
    struct pick want;
    struct err err = {0};
    bool by_option = a->model || a->cpuid;
    const char *part = by_option ? a->word[0] : a->word[1];
    if (a->here)
        return models_here(a);
    if (!by_option)
        a->model = a->word[0];
    int rc = pick_named(&want, a, &err);
    if (rc == 0 && by_option && a->n_word > 1)
        rc = err_set(&err, -EINVAL, "%s: one NODE or GROUP at a time", a->word[1]);
    if (rc == 0 && !want.name[0] && a->core_type)
        rc = err_set(&err, -EINVAL, "--cputype %s: which model? give its name, or --cpuid ID",
                     a->core_type);
    if (rc < 0)
        return fail(&err);
    if (!want.name[0] || (pick_is_hybrid(&want, a) && !part))
        return models_list(a, want.id);
    return show(a, &want, part);
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
