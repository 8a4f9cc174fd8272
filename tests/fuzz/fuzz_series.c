/* Packed intervals, as a store or a run file brings them: the first bytes are the layout and the
 * chunk's own account of itself. */
#include "fuzz.h"
#include "model/run/series.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 4)
        return 0;
    struct layout layout = {0};
    struct series series = {0};
    struct series_reader reader = {0};
    struct sample sample = {0};
    struct series_chunk chunk = {.n_row = data[1], .n_byte = (uint32_t)(size - 4)};
    const uint32_t n_slot = data[0] % 40, per = 1 + data[0] / 40;
    uint8_t *bytes = malloc(size); /* no byte more than there are */
    if (!bytes || layout_init(&layout, n_slot, COUNT_ABSENT, 64) < 0)
        abort();
    memcpy(bytes, data + 4, size - 4);
    chunk.at = bytes;
    chunk.t0_ns = data[2];
    chunk.t1_ns = chunk.t0_ns + (uint64_t)data[3] * 1000000000;
    for (uint32_t i = 0; i < n_slot; i++)
        layout_add(&layout, (uint16_t)i, (uint16_t)(i / per));
    if (series_init(&series, &layout, 0) < 0 || sample_init(&sample, n_slot) < 0 ||
        (series_push_chunk(&series, &chunk) == 0 && series_rows(&series) != chunk.n_row))
        abort();
    if (series_reader_init(&reader, &series) == 0) {
        uint64_t n = 0;
        while (series_reader_next(&reader, &sample))
            n++;
        if (n != series_rows(&series))
            abort();
    }
    series_reader_destroy(&reader);
    sample_destroy(&sample);
    series_destroy(&series);
    layout_destroy(&layout);
    free(bytes);
    return 0;
}
