/* Which CPU a recording was made on, where a line of it says so. */
#ifndef TDTOP_PMU_REPLAY_HEADER_H
#define TDTOP_PMU_REPLAY_HEADER_H

#include <stdbool.h>
#include <stddef.h>

/*
 * An id of a CPU in the spelling of struct machine: "GenuineIntel-6-8F-8" stays, perf's
 * "GenuineIntel,6,143,8" becomes it, "0x00000000410fd490" becomes "0x410fd490". False if the text
 * is no such id.
 */
bool replay_header_id(const char *text, char *id, size_t cap);

/* The id in a header line: "# cpuid : GenuineIntel,6,143,8", {"cpuid": "0x410fd490"}. */
bool replay_header_line(const char *line, char *id, size_t cap);

/* The id in the first lines of a file that can be read twice (no pipe). */
bool replay_header_find(const char *path, char *id, size_t cap);

#endif
