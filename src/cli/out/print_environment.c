/* The environment of a live session as an object: facts to be kept with results, and checks. */
#include "cli/out/print.h"

static const char *const states[] = {
    [CHECK_OK] = "ok", [CHECK_NOTE] = "note", [CHECK_WARN] = "warning", [CHECK_FAIL] = "FAIL"};

void print_environment(struct json_put *w, const char *key, const struct environment *env) {
    struct env_fact fact[ENV_FACTS_MAX];
    const int n = environment_facts(env, fact);
    json_put_begin(w, key, '{');
    json_put_begin(w, "facts", '{');
    for (int i = 0; i < n; i++)
        json_put_text(w, fact[i].key, fact[i].value);
    json_put_end(w, '}');
    json_put_begin(w, "checks", '[');
    for (int i = 0; i < env->n_note; i++) {
        const struct check *c = &env->note[i];
        json_put_begin(w, NULL, '{');
        json_put_text(w, "check", c->name);
        json_put_text(w, "state", states[c->state]);
        json_put_text(w, "found", c->found);
        if (c->effect[0])
            json_put_text(w, "effect", c->effect);
        if (c->fix[0])
            json_put_text(w, "fix", c->fix);
        json_put_end(w, '}');
    }
    json_put_end(w, ']');
    json_put_end(w, '}');
}
