/* Points of time and spans as people write and read them. Local time; real arithmetic. */
#ifndef TDTOP_BASE_WHEN_H
#define TDTOP_BASE_WHEN_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What str_duration reads, up to 200 years. 0, or with words -EINVAL, or -ERANGE: it is longer. */
int when_span(const char *text, uint64_t *ns, struct err *err);

/*
 * A point of time in nanoseconds since 1970: "30m", "2d" (so long before now_ns), "now", "today",
 * "yesterday" (their beginning), "14:30" (today), "2026-11-01" (its beginning), "2026-11-01 14:30",
 * "2026-11-01T14:30:15", the last two also with "Z" or "+01:00". 0, or with words -EINVAL or
 * -ERANGE.
 */
int when_point(const char *text, int64_t now_ns, int64_t *ns, struct err *err);

/* "2026-11-01 14:30:15", local time. Returns buf. */
const char *when_text(int64_t ns, char *buf, size_t cap);
/* "14:30:15" of today, "Nov  1 14:30" of this year or less than half a year away, else
 * "Nov  1  2025": at most 12 columns. Returns buf. */
const char *when_short(int64_t ns, int64_t now_ns, char *buf, size_t cap);
/* "2026-11-01T14:30:15.250+01:00", for programs. Returns buf. */
const char *when_iso(int64_t ns, char *buf, size_t cap);
/* "0.5 s", "30 s", "1:05", "2:03:00": at most 8 columns below 100 hours. Returns buf. */
const char *when_duration(uint64_t ns, char *buf, size_t cap);

#endif
