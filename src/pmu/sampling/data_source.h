/*
 * Where the data of a sample came from: of what the CPU says (PERF_SAMPLE_DATA_SRC), else of the
 * event, which may be of one source only.
 */
#ifndef TDTOP_PMU_DATA_SOURCE_H
#define TDTOP_PMU_DATA_SOURCE_H

#include "model/hot/hot_access.h"

/* Of union perf_mem_data_src; DATA_UNKNOWN: it does not say. */
enum data_source data_source_of(uint64_t data_src);
/* It says that it is of a store. */
bool data_source_is_store(uint64_t data_src);
/* Of Intel's events of loads by where they hit: "MEM_LOAD_RETIRED.L3_HIT"; others DATA_UNKNOWN. */
enum data_source data_source_of_event(const char *name);

#endif
