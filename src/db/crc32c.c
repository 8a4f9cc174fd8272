/* Four bytes at a time by four tables: Kounavis and Berry, "A Systematic Approach to Building High
 * Performance Software-Based CRC Generators" (2005). */
#include "db/crc32c.h"

#include <pthread.h>

enum { WAYS = 4 };
#define POLYNOMIAL 0x82f63b78u /* reflected */

static uint32_t table[WAYS][256];
static pthread_once_t made = PTHREAD_ONCE_INIT;

static void make_tables(void) {
    for (uint32_t i = 0; i < 256; i++) {
        table[0][i] = i;
        for (int bit = 0; bit < 8; bit++)
            table[0][i] = table[0][i] >> 1 ^ (table[0][i] & 1 ? POLYNOMIAL : 0);
    }
    for (int way = 1; way < WAYS; way++)
        for (uint32_t i = 0; i < 256; i++)
            table[way][i] = table[way - 1][i] >> 8 ^ table[0][table[way - 1][i] & 255];
}

uint32_t crc32c(const void *bytes, size_t n) {
    return crc32c_more(0, bytes, n);
}

uint32_t crc32c_more(uint32_t before, const void *bytes, size_t n) {
    const uint8_t *at = bytes;
    uint32_t crc = ~before;
    pthread_once(&made, make_tables);
    for (; n >= WAYS; n -= WAYS, at += WAYS) {
        crc ^= at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
        crc = table[3][crc & 255] ^ table[2][crc >> 8 & 255] ^ table[1][crc >> 16 & 255] ^
              table[0][crc >> 24];
    }
    for (; n > 0; n--, at++)
        crc = crc >> 8 ^ table[0][(crc ^ *at) & 255];
    return ~crc;
}
