#include "cli/explain_view.h"
#include "cli/models.h"

static json_t *list_json(const char **list) {
    json_t *all = json_array();
    for (size_t i = 0; list && list[i]; i++)
        json_array_append_new(all, json_string(list[i]));
    return all;
}

static json_t *notes_json(const struct explain_entry *e) {
    json_t *all = json_object();
    for (size_t i = 0; i < e->n_note; i++)
        json_object_set_new(all, e->note[i].of, json_string(e->note[i].text));
    return all;
}

static json_t *references_json(const struct explain_view *v, const struct explain_entry *e) {
    char text[512];
    json_t *all = json_array();
    for (size_t i = 0; e->references[i]; i++)
        json_array_append_new(
            all, json_string(explain_reference(&v->ex, e->references[i], text, sizeof(text))));
    return all;
}

static json_t *models_of_json(const struct explain_view *v, const struct explain_entry *e) {
    json_t *all = json_array();
    for (size_t i = 0; i < v->n_model; i++)
        if (explain_view_has(&v->model[i], e->name))
            json_array_append_new(all, json_string(v->model[i].name));
    return all;
}

json_t *explain_json(const struct explain_view *v, const struct explain_entry *e) {
    const int metric = explain_view_metric(v, e);
    json_t *o = json_object();
    const struct {
        const char *key, *text;
    } texts[] = {{"name", e->name},         {"entry", e->entry},
                 {"summary", e->summary},   {"description", e->description},
                 {"counts", e->counts},     {"healthy", e->healthy},
                 {"worrying", e->worrying}, {"values_from", e->values_from}};
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        json_object_set_new(o, texts[i].key, json_string(texts[i].text));
    json_object_set_new(o, "causes", list_json(e->causes));
    json_object_set_new(o, "hints", list_json(e->hints));
    json_object_set_new(o, "confirm", list_json(e->confirm));
    json_object_set_new(o, "notes", notes_json(e));
    json_object_set_new(o, "related", list_json(e->related));
    json_object_set_new(o, "references", references_json(v, e));
    json_object_set_new(o, "models", models_of_json(v, e));
    json_object_set_new(
        o, "metric", metric == METRIC_NONE ? json_null() : models_json_metric(v->chosen, metric));
    return o;
}
