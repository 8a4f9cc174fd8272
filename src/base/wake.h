/* A descriptor of eventfd(2) with EFD_NONBLOCK as a bell: it stays readable from the first ring
 * until it is taken back. */
#ifndef TDTOP_BASE_WAKE_H
#define TDTOP_BASE_WAKE_H

#include <stdint.h>
#include <unistd.h>

static inline void wake_ring(int fd) {
    const uint64_t one = 1;
    (void)!write(fd, &one, sizeof(one));
}

static inline void wake_take(int fd) {
    uint64_t rings;
    (void)!read(fd, &rings, sizeof(rings));
}

#endif
