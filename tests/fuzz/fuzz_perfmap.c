/* perf-PID.map, in two parts as it grows. */
#include "fuzz.h"
#include "pmu/symbols/jit.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct jit j = {0};
    uint64_t done = 0;
    char *text = fuzz_text(data, size);
    struct bytes b = {.fd = -1, .at = (const uint8_t *)text, .size = size / 2};
    jit_take_map(&j, &b, &done);
    b.size = size;
    jit_take_map(&j, &b, &done);
    if (done > size)
        abort();
    jit_seal(&j);
    for (size_t i = 0; i < j.symbol.n; i += j.symbol.n / 64 + 1) {
        const struct jit_symbol *s = jit_find(&j, j.symbol.at[i].at);
        if (!s || strlen(j.text.at + s->name) == 0)
            abort();
    }
    jit_destroy(&j);
    free(text);
    return 0;
}
