/* Recordings: perf stat as text, CSV and JSON, of any spelling. Counts are never negative. */
#include "fuzz.h"
#include "model/load/model.h"
#include "pmu/source.h"

#include <string.h>

static struct model model;

/* Skylake: one core type, so that nothing is chosen by the recording. */
static void load(void) {
    struct err err = {0};
    for (const struct embedded *e = embedded_models; e->name; e++)
        if (!strcmp(e->name, "skl") && model_load(&model, e->text, e->len, "skl.toml", &err) == 0)
            return;
    abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct source source = {0};
    struct sample sample = {0};
    struct err err = {0};
    struct source_options opt = {.file = fuzz_file(data, size)};
    consts_init(&opt.consts);
    if (!model.n_metric)
        load();
    int rc = source_open(&source, &source_replay, &model, &opt, &err);
    if (rc < 0) {
        if (!err.text[0])
            abort();
        return 0;
    }
    if (sample_init(&sample, source.layout.n_slot) < 0)
        abort();
    while (source.ops->read(&source, &sample, &err) == 0)
        for (uint32_t i = 0; i < sample.n_slot; i++)
            if (sample.at[i].state == COUNT_OK && !(sample.at[i].value >= 0))
                abort();
    sample_destroy(&sample);
    source_close(&source);
    return 0;
}
