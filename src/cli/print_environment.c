/* The environment of a live session as an object: facts to be kept with results, and checks. */
#include "cli/print.h"

static const char *const states[] = {
    [CHECK_OK] = "ok", [CHECK_NOTE] = "note", [CHECK_WARN] = "warning", [CHECK_FAIL] = "FAIL"};

static json_t *check_object(const struct check *c) {
    json_t *o = json_object();
    json_object_set_new(o, "check", json_string(c->name));
    json_object_set_new(o, "state", json_string(states[c->state]));
    json_object_set_new(o, "found", json_string(c->found));
    if (c->effect[0])
        json_object_set_new(o, "effect", json_string(c->effect));
    if (c->fix[0])
        json_object_set_new(o, "fix", json_string(c->fix));
    return o;
}

json_t *print_environment(const struct environment *env) {
    struct env_fact fact[ENV_FACTS_MAX];
    json_t *o = json_object(), *facts = json_object(), *checks = json_array();
    const int n = environment_facts(env, fact);
    for (int i = 0; i < n; i++)
        json_object_set_new(facts, fact[i].key, json_string(fact[i].value));
    for (int i = 0; i < env->n_note; i++)
        json_array_append_new(checks, check_object(&env->note[i]));
    json_object_set_new(o, "facts", facts);
    json_object_set_new(o, "checks", checks);
    return o;
}
