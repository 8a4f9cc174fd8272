/* Lines of /proc/PID/maps, and what the name of a mapping says of it. proc_pid_maps(5). */
#ifndef TDTOP_PMU_MAPS_H
#define TDTOP_PMU_MAPS_H

#include "pmu/sampling/module.h"

/* Fills m from a line of maps: its addresses, file and path, which points into the line. False if
 * it is none, or not executable. */
bool maps_line(char *line, struct module *m);

/* Asks the kernel for the build id of what is mapped at m->start: fd is the open maps. Linux 6.11;
 * where it is older, or the file has none, nothing changes. */
void maps_build_id(int fd, struct module *m);

/* False where maps_build_id would never find one, so that records should not have them instead of
 * device and inode, either. */
bool maps_knows_build_ids(void);

/* Kind, process, and a path without " (deleted)"; out->path points into that of m, or is constant.
 */
void maps_name(const struct module *m, pid_t pid, struct module *out);

#endif
