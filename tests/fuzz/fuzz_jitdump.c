/* jit-PID.dump, in two parts as it grows. */
#include "fuzz.h"
#include "pmu/symbols/jit.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct jit j = {0};
    uint64_t done = 0;
    char *copy = fuzz_text(data, size);
    struct bytes b = {.fd = -1, .at = (const uint8_t *)copy, .size = size / 2};
    jit_take_dump(&j, &b, &done);
    jit_seal(&j);
    b.size = size;
    jit_take_dump(&j, &b, &done);
    jit_seal(&j);
    for (size_t i = 0; i < j.symbol.n; i += j.symbol.n / 64 + 1)
        if (!jit_find(&j, j.symbol.at[i].at))
            abort();
    jit_destroy(&j);
    free(copy);
    return 0;
}
