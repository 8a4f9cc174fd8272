/* Short texts of the command line: the first byte says of which kind. */
#include "base/err.h"
#include "base/when.h"
#include "db/store.h"
#include "fuzz.h"
#include "model/compare/gate.h"
#include "model/load/model.h"
#include "model/load/select.h"
#include "pmu/replay/names.h"

#include <string.h>

static int span(const char *text, struct err *err) {
    uint64_t ns;
    return when_span(text, &ns, err);
}

static int point(const char *text, struct err *err) {
    int64_t ns;
    char buf[64];
    const int rc = when_point(text, 1700000000000000000, &ns, err);
    if (rc == 0 && (!when_text(ns, buf, sizeof(buf)) || !when_iso(ns, buf, sizeof(buf)) ||
                    !when_short(ns, 1700000000000000000, buf, sizeof(buf))))
        abort();
    return rc;
}

static int filter(const char *text, struct err *err) {
    struct label_filter f = {0};
    const int rc = label_filter_parse(text, &f, err);
    label_filter_free(&f);
    return rc;
}

static int gate(const char *text, struct err *err) {
    struct gate g;
    return gate_parse(text, &g, err);
}

static int event_name(const char *text, struct err *err) {
    struct event_name name;
    if (event_name_parse(text, &name) < 0)
        return err_set(err, -EINVAL, "not an event");
    return event_name_privilege(&name) == '?';
}

static int nodes(const char *text, struct err *err) {
    static struct model m;
    static bool wanted[8192];
    for (const struct embedded *e = embedded_models; e->name && !m.n_metric; e++)
        if (!strcmp(e->name, "zen4") && model_load(&m, e->text, e->len, "zen4.toml", err) < 0)
            abort();
    memset(wanted, 0, sizeof(wanted));
    return select_nodes(&m, text, wanted, err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static int (*const readers[])(const char *, struct err *) = {span, point,      filter,
                                                                 gate, event_name, nodes};
    if (size == 0)
        return 0;
    struct err err = {0};
    char *text = fuzz_text(data + 1, size - 1);
    if (readers[data[0] % (sizeof(readers) / sizeof(readers[0]))](text, &err) < 0 && !err.text[0])
        abort();
    free(text);
    return 0;
}
