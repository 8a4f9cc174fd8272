#include "cli/cli.h"
#include "pmu/doctor.h"

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
    json_dumpf(list, stdout, JSON_INDENT(1));
    putchar('\n');
    json_decref(list);
}

static void print_words(const struct machine *mc, const struct check *checks, int n) {
    printf("%s (%s), %d CPUs%s%s\n\n", mc->cpu_name[0] ? mc->cpu_name : "unknown CPU",
           mc->id[0] ? mc->id : "no id", mc->n_cpu, mc->hypervisor ? ", under " : "",
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

int verb_doctor(const struct args *a) {
    struct machine mc;
    struct check checks[CHECKS_MAX];
    machine_detect(&mc, "");
    int n = doctor_run(&mc, "", checks);
    if (a->json) {
        print_json_list(checks, n);
        return EXIT_OK;
    }
    struct model m = {0};
    struct err err = {0};
    char why[256];
    print_words(&mc, checks, n);
    if (ladder_pick(&m, &mc, NULL, NULL, why, sizeof(why), &err) < 0)
        printf("\nmodel    none: %s\n", err.text);
    else
        printf("\nmodel    %s\n", why);
    model_free(&m);
    return EXIT_OK;
}
