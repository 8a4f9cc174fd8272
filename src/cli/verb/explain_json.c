#include "cli/verb/explain_view.h"
#include "cli/verb/models.h"
#include "model/knowledge/explain_text.h"

static json_t *list_json(const char **list) {
    json_t *all = json_array();
    for (size_t i = 0; list && list[i]; i++)
        json_array_append_new(all, json_string(list[i]));
    return all;
}

static json_t *models_of_note(const struct explain_view *v, const struct explain_note *note) {
    json_t *all = json_array();
    for (size_t i = 0; i < v->n_model; i++)
        if (explain_note_fits(note, &v->model[i]))
            json_array_append_new(all, json_string(v->model[i].name));
    return all;
}

static json_t *notes_json(const struct explain_view *v, const struct explain_entry *e) {
    json_t *all = json_array();
    for (size_t i = 0; i < e->n_note; i++) {
        char of[192];
        explain_note_of(&e->note[i], of, sizeof(of));
        json_array_append_new(all,
                              json_pack("{s:s, s:o, s:s}", "for", of, "models",
                                        models_of_note(v, &e->note[i]), "text", e->note[i].text));
    }
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

static const char *kind_of(const struct explain_view *v, const struct explain_entry *e) {
    for (size_t i = 0; i < v->n_model; i++) {
        const int metric = model_find(&v->model[i], e->name);
        if (metric != METRIC_NONE)
            return v->model[i].metric[metric].kind == METRIC_TREE ? "node" : "metric";
    }
    return "group";
}

json_t *explain_json(const struct explain_view *v, const struct explain_entry *e) {
    const int metric = explain_view_metric(v, e);
    json_t *o = json_object();
    const struct {
        const char *key, *text;
    } texts[] = {
        {"name", e->name},       {"kind", kind_of(v, e)},         {"entry", e->entry},
        {"summary", e->summary}, {"description", e->description}, {"counts", e->counts},
        {"healthy", e->healthy}, {"worrying", e->worrying},       {"values_from", e->values_from}};
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        json_object_set_new(o, texts[i].key, json_string(texts[i].text));
    json_object_set_new(o, "causes", list_json(e->causes));
    json_object_set_new(o, "hints", list_json(e->hints));
    json_object_set_new(o, "confirm", list_json(e->confirm));
    json_object_set_new(o, "notes", notes_json(v, e));
    json_object_set_new(o, "related", list_json(e->related));
    json_object_set_new(o, "references", references_json(v, e));
    json_object_set_new(o, "models", models_of_json(v, e));
    json_object_set_new(
        o, "metric", metric == METRIC_NONE ? json_null() : models_json_metric(v->chosen, metric));
    return o;
}
