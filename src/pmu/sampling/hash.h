/* Hash of numbers, for the tables of this room. */
#ifndef TDTOP_PMU_SAMPLING_HASH_H
#define TDTOP_PMU_SAMPLING_HASH_H

#include <stdint.h>

/* Adds a number to a hash (the multiply and rotate step of a 64 bit FNV-like hash). */
static inline uint64_t hash_add(uint64_t h, uint64_t v) {
    h = (h ^ v) * 0x9E3779B97F4A7C15u; /* 2^64 over the golden ratio */
    return h ^ h >> 29;
}

#endif
