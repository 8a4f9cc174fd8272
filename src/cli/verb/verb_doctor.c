#include "cli/cli.h"
#include "cli/config/config.h"
#include "cli/file/json_out.h"
#include "pmu/host/doctor.h"
#include "pmu/host/fallback.h"

#include <jansson.h>
#include <stdio.h>

static const char *const state_words[] = {
    [CHECK_OK] = "ok", [CHECK_NOTE] = "note", [CHECK_WARN] = "warning", [CHECK_FAIL] = "FAIL"};

static void print_json_list(const struct check *checks, int n) {
    json_t *list = json_array();
    for (int i = 0; i < n; i++)
        json_array_append_new(list,
                              json_pack("{ssssssssss}", "check", checks[i].name, "state",
                                        state_words[checks[i].state], "found", checks[i].found,
                                        "effect", checks[i].effect, "fix", checks[i].fix));
    json_print(list, JSON_INDENT(1));
}

static void print_words(const struct machine *mc, const struct check *checks, int n) {
    char cpus[32] = "an unknown number of";
    if (mc->n_cpu)
        snprintf(cpus, sizeof(cpus), "%d", mc->n_cpu);
    printf("%s (%s), %s CPUs%s%s\n\n", mc->cpu_name[0] ? mc->cpu_name : "unknown CPU",
           mc->id[0] ? mc->id : "no id", cpus, mc->hypervisor ? ", under " : "",
           mc->hypervisor ? mc->hypervisor_name : "");
    for (int i = 0; i < n; i++) {
        const struct check *c = &checks[i];
        printf("%-8s %-26s %s\n", state_words[c->state], c->name, c->found);
        if (c->effect[0])
            printf("%10seffect: %s\n", "", c->effect);
        if (c->fix[0])
            printf("%10sfix:    %s\n", "", c->fix);
    }
}

/* Which model the next measurement gets, or why it would fail. */
static void print_model(struct machine *mc, const struct args *a) {
    struct model m = {0};
    struct err err = {0};
    char why[256];
    mc->all_types = !a->core_type;
    if ((a->core_type && machine_choose(mc, a->core_type, &err) < 0) ||
        fallback_pick(&m, mc, NULL, &a->places, why, sizeof(why), &err) < 0)
        printf("\nmodel    none: %s\n", err.text);
    else
        printf("\nmodel    %s\n", why);
    model_free(&m);
}

int verb_doctor(const struct args *said) {
    struct args a = *said; /* the settings add to it */
    struct config cfg;
    struct machine mc;
    struct check checks[CHECKS_MAX];
    struct err err = {0};
    if (config_for(&cfg, &a, &err) < 0)
        cli_error(&err); /* one more thing that is wrong, but no reason to say nothing else */
    machine_detect(&mc, "");
    int n = doctor_run(&mc, "", checks);
    if (a.json) {
        print_json_list(checks, n);
    } else {
        print_words(&mc, checks, n);
        print_model(&mc, &a);
    }
    config_free(&cfg);
    return EXIT_OK;
}
