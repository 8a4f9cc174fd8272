/* Names of C++ and Rust, both manglings. */
#include "fuzz.h"
#include "pmu/symbols/demangle.h"

#include "base/str.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char name[512];
    char *text = fuzz_text(data, size);
    demangle(name, sizeof(name), text);
    if (strlen(name) >= sizeof(name) || str_find_unsafe(name, ""))
        abort();
    free(text);
    return 0;
}
