/* TOML as settings, models and themes are written in; each value is where it says it is. */
#include "base/toml.h"
#include "fuzz.h"

static void walk(const struct toml *table, int depth) {
    size_t n = 0;
    for (const struct toml *t = table->first; t; t = t->next, n++) {
        if (t->line < 1 || t->col < 1)
            abort();
        if (t->type == TOML_TABLE || t->type == TOML_ARRAY)
            walk(t, depth + 1);
    }
    if (n != table->n || depth > 200)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct toml_doc doc = {0};
    struct err err = {0};
    char *text = fuzz_text(data, size);
    int rc = toml_parse(&doc, text, size, "fuzz.toml", &err);
    if (rc == 0)
        walk(doc.root, 0);
    else if (!err.text[0])
        abort();
    toml_free(&doc);
    free(text);
    return 0;
}
