/* What where.c and where_flame.c share. */
#ifndef TDTOP_SESSION_WHERE_IMPL_H
#define TDTOP_SESSION_WHERE_IMPL_H

#include "session/where.h"

/* The function that a number of leaf_function or node_function stands for; WHERE_REST of
 * WHERE_NONE. */
uint32_t where_of(int32_t function);

/* Makes blocks of the copy; they are none if there is no memory. */
void where_flame_make(struct where_live *w);

#endif
