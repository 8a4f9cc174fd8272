/* CRC-32C (Castagnoli: polynomial 0x1EDC6F41, reflected, as in iSCSI, RFC 3720 appendix B.4): tells
 * when bytes on a disk are not those that were written. */
#ifndef TDTOP_DB_CRC32C_H
#define TDTOP_DB_CRC32C_H

#include <stddef.h>
#include <stdint.h>

uint32_t crc32c(const void *bytes, size_t n);
/* Of what was before (its sum; 0: nothing) with these bytes behind. */
uint32_t crc32c_more(uint32_t before, const void *bytes, size_t n);

#endif
