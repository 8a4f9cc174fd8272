/* Run files. What could be read is written and read again, and is then the same text. */
#include "cli/file/run_export.h"
#include "cli/file/run_import.h"
#include "fuzz.h"

#include <string.h>

static char *as_json(const struct run *r, size_t *size) {
    char *text = NULL;
    struct err err = {0};
    FILE *f = open_memstream(&text, size);
    if (!f || run_export_json(r, f, &err) < 0 || fclose(f) != 0)
        abort();
    return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct run first = {0}, again = {0};
    struct err err = {0};
    int rc = run_import_json(fuzz_file(data, size), &first, &err);
    if (rc < 0 && !err.text[0])
        abort();
    if (rc == 0) {
        size_t n = 0, n_again = 0;
        char *text = as_json(&first, &n), *text_again;
        rc = run_import_json(fuzz_file((const uint8_t *)text, n), &again, &err);
        if (rc < 0) {
            fprintf(stderr, "%s\n", err.text);
            abort();
        }
        text_again = as_json(&again, &n_again);
        if (n != n_again || memcmp(text, text_again, n) != 0)
            abort();
        free(text);
        free(text_again);
    }
    run_free(&first);
    run_free(&again);
    return 0;
}
