/* A model of the user's: checked, loaded, planned, and evaluated on a sample of small counts. */
#include "fuzz.h"
#include "model/eval/eval.h"
#include "model/load/model.h"
#include "pmu/plan/plan.h"

#include <string.h>

static void evaluate(const struct model *m, const struct plan *p, const struct plan_options *opt) {
    struct layout layout = {0};
    struct consts consts;
    struct eval eval = {0};
    struct sample sample = {0};
    struct frame frame = {0};
    struct err err = {0};
    consts_init(&consts);
    if (plan_layout(&layout, p, m, opt) < 0)
        abort();
    int rc = eval_init(&eval, m, &layout, &consts, &err);
    if (rc == 0 && sample_init(&sample, layout.n_slot) == 0 &&
        frame_init(&frame, m->n_metric) == 0) {
        sample.t1_ns = 1000000000;
        for (uint32_t i = 0; i < layout.n_slot; i++)
            sample.at[i] = (struct count){.value = i * 7 % 5,
                                          .enabled_ns = 1000000000,
                                          .running_ns = 1000000000,
                                          .state = COUNT_OK};
        eval_run(&eval, &sample, &frame);
    }
    frame_destroy(&frame);
    sample_destroy(&sample);
    eval_destroy(&eval);
    layout_destroy(&layout);
}

static void ignore(void *user, const char *text) {
    (void)user;
    (void)text;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct model m = {0};
    struct plan plan = {0};
    const struct plan_options opt = {.level = 0};
    struct err err = {0};
    char *text = fuzz_text(data, size);
    /* Metrics for every model are checked with each of them, which takes a second. */
    if ((strstr(text, "title") || strstr(text, "'skl'")) &&
        model_check_text(text, size, "fuzz.toml", ignore, NULL, &err) < 0 && !err.text[0])
        abort();
    int rc = model_load(&m, text, size, "fuzz.toml", &err);
    if (rc == 0 && plan_make(&plan, &m, &opt, &err) == 0)
        evaluate(&m, &plan, &opt);
    plan_free(&plan);
    model_free(&m);
    free(text);
    return 0;
}
