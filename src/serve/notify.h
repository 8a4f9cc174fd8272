/*
 * What a service tells systemd: that it is ready, that it is alive (sd_notify(3): its protocol
 * is a datagram of KEY=VALUE lines to $NOTIFY_SOCKET). Nothing is sent where that is not set.
 */
#ifndef TDTOP_SERVE_NOTIFY_H
#define TDTOP_SERVE_NOTIFY_H

#include <stdint.h>

/* "READY=1\nSTATUS=..."; what cannot be sent is lost, which systemd notices. */
void notify_send(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* How often WATCHDOG=1 is wanted, half of what kills; 0: never. */
uint64_t notify_watchdog_ns(void);

#endif
