/* What the process that reads DWARF writes: it may have been taken over by the file that it read.
 */
#include "fuzz.h"
#include "pmu/symbols/lines.h"

#include <string.h>

static void expect_safe(const char *text) {
    for (; *text; text++)
        if ((unsigned char)*text < ' ' || *text == 0x7f)
            abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct line_table t = {0};
    if (size == 0)
        return 0;
    const size_t n = data[0];
    t.text = fuzz_text(data + 1, size - 1);
    if (lines_parse(&t, t.text, n) == 0) {
        if (t.n != n || t.first[n] != t.n_frame)
            abort();
        for (size_t i = 0; i < n; i++) {
            const struct line_frame *own = line_table_own(&t, i);
            if (t.first[i] > t.first[i + 1] || !own != (t.first[i] == t.first[i + 1]))
                abort();
            for (uint32_t k = t.first[i]; k < t.first[i + 1]; k++) {
                expect_safe(t.frame[k].function);
                expect_safe(t.frame[k].file);
            }
        }
    }
    line_table_destroy(&t);
    return 0;
}
