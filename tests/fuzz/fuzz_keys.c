/* What a keyboard, a mouse or a paste sends: every byte is a key, a part of one, or swallowed. */
#include "fuzz.h"
#include "ui/term/term_key.h"

static const uint8_t *at, *end;

static uint32_t next_byte(void) {
    return at < end ? *at++ : 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct key_reader reader = {.next = next_byte};
    struct mouse mouse = {0};
    at = data;
    end = data + size;
    for (uint64_t now = 0; at < end; now += 50000000)
        key_read(&reader, now, &mouse);
    return 0;
}
