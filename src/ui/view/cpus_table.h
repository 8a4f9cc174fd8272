/*
 * Below the map of the CPUs, where there is room for all of them: a line each, with the columns of
 * the threads, and the whole target on top. What the map shows by shades is there in numbers.
 */
#ifndef TDTOP_UI_CPUS_TABLE_H
#define TDTOP_UI_CPUS_TABLE_H

#include "ui/scene/scene.h"

struct frame;
struct rows;
struct unit_row;

#define CPUS_IDLE_BELOW 0.0005 /* of the time: would be shown as 0.0 % */

/* False of a CPU that was counted while nothing came: shares of that are not missed. */
bool cpus_ran(const struct rows *rows, const struct unit_row *row, const struct frame *f);

/* Lines that n CPUs take. */
int cpus_table_lines(int n);
void cpus_table_draw(const struct scene *sc, struct canvas *c, struct rect r);
/* The place of the CPU in that line of r, or -1. */
int cpus_table_at(const struct scene *sc, struct rect r, int y);

#endif
