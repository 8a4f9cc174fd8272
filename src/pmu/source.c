#include "pmu/source.h"

int source_open(struct source *src, const struct source_ops *ops, const struct model *model,
                const struct source_options *opt, struct err *err) {
    *src = (struct source){
        .ops = ops, .model = model, .opt = *opt, .consts = opt->consts, .wait_fd = -1};
    int rc = ops->open(src, err);
    if (rc < 0)
        source_close(src);
    return rc;
}

void source_close(struct source *src) {
    if (!src->ops)
        return;
    src->ops->close(src);
    layout_destroy(&src->layout);
    *src = (struct source){.wait_fd = -1};
}
