/* Numbers that are the same in each run of a test. */
#ifndef TDTOP_TESTS_RANDOM_H
#define TDTOP_TESTS_RANDOM_H

#include <stdint.h>

static uint64_t random_state = 88172645463325252u;

/* xorshift64* (Vigna 2014). */
static inline uint64_t next_random(void) {
    random_state ^= random_state >> 12;
    random_state ^= random_state << 25;
    random_state ^= random_state >> 27;
    return random_state * 0x2545f4914f6cdd1dull;
}

#endif
