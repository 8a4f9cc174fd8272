/* Percentages of perf stat and uProf, to a run that is not stored. */
#include "cli/file/import.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const struct args args = {.dry_run = true};
    struct importer im = {.a = &args, .path = fuzz_file(data, size)};
    struct err err = {0};
    if (import_percent(&im, &err) < 0 && !err.text[0])
        abort();
    for (size_t i = 0; i < im.said.n; i++)
        free(im.said.at[i].words);
    array_free(&im.said);
    return 0;
}
