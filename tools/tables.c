/*
 * The tables that the program is made of, as JSON: verbs, options, keys, settings. tools/docs.py
 * makes the manual page and the completions of them, so that they say what the program does.
 */
#include "cli/cli_table.h"
#include "cli/config/config.h"
#include "model/load/model.h"
#include "ui/screen/keys.h"

#include <jansson.h>
#include <stdio.h>

static json_t *text(const char *s) {
    return s ? json_string(s) : json_null();
}

static json_t *verbs_json(void) {
    json_t *all = json_array();
    for (int i = 0; i < VERB_N; i++)
        json_array_append_new(all, json_pack("{s:s, s:s, s:s}", "name", cli_verbs[i].name, "words",
                                             cli_verbs[i].words, "help", cli_verbs[i].help));
    return all;
}

static json_t *verbs_of(unsigned bits) {
    json_t *all = json_array();
    for (int i = 0; i < VERB_N; i++)
        if (bits & BIT(i))
            json_array_append_new(all, json_string(cli_verbs[i].name));
    return all;
}

static json_t *options_json(void) {
    json_t *all = json_array();
    for (int i = 0; i < cli_n_options; i++) {
        const struct cli_option *o = &cli_options[i];
        const char letter[2] = {o->letter, '\0'};
        json_array_append_new(all, json_pack("{s:s, s:o, s:o, s:s, s:b, s:o}", "name", o->name,
                                             "letter", text(letter[0] ? letter : NULL), "arg",
                                             text(o->arg), "help", o->help, "repeats",
                                             o->type == OPT_LIST || o->type == OPT_CONST, "verbs",
                                             verbs_of(o->verbs)));
    }
    return all;
}

static json_t *keys_json(void) {
    json_t *all = json_array();
    for (size_t i = 0; i < n_keys; i++) {
        const struct key_binding *k = &keys[i];
        if (k->words)
            json_array_append_new(all, json_pack("{s:o, s:o, s:s}", "name", text(k->name), "keys",
                                                 text(k->show), "words", k->words));
    }
    return all;
}

static json_t *settings_json(void) {
    json_t *all = json_array();
    for (size_t i = 0; i < config_n_settings; i++) {
        const struct setting *s = &config_settings[i];
        json_array_append_new(all, json_pack("{s:s, s:s}", "key", s->key, "help", s->help));
    }
    return all;
}

static json_t *names_json(const struct embedded *files) {
    json_t *all = json_array();
    for (; files->name; files++)
        json_array_append_new(all, json_string(files->name));
    return all;
}

int main(void) {
    json_t *o = json_object();
    json_object_set_new(o, "verbs", verbs_json());
    json_object_set_new(o, "options", options_json());
    json_object_set_new(o, "keys", keys_json());
    json_object_set_new(o, "settings", settings_json());
    json_object_set_new(o, "models", names_json(embedded_models));
    json_object_set_new(o, "themes", names_json(embedded_themes));
    json_object_set_new(o, "advice", names_json(embedded_advice));
    json_dumpf(o, stdout, JSON_INDENT(1));
    json_decref(o);
    return ferror(stdout) != 0;
}
