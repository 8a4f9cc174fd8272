#include "pmu/sampling/data_source.h"

#include <linux/perf_event.h>
#include <string.h>

/* Levels that the headers of older kernels lack. */
enum { LEVEL_L2_MHB = 0x05, LEVEL_MEMORY_CACHE = 0x06, LEVEL_L0 = 0x07, LEVEL_UNCACHED = 0x08 };

static enum data_source of_level(unsigned level, bool remote, bool has_l3) {
    switch (level) {
    case LEVEL_L0:
    case PERF_MEM_LVLNUM_L1:
        return DATA_L1;
    case PERF_MEM_LVLNUM_LFB:
        return DATA_FILL_BUFFER;
    case PERF_MEM_LVLNUM_L2:
    case LEVEL_L2_MHB:
        return DATA_L2;
    case PERF_MEM_LVLNUM_L3:
    case PERF_MEM_LVLNUM_L4:
        return remote ? DATA_REMOTE_CACHE : DATA_L3;
    case PERF_MEM_LVLNUM_ANY_CACHE: /* of a core, or what cores share: as the older field says */
        return remote ? DATA_REMOTE_CACHE : has_l3 ? DATA_L3 : DATA_OTHER_CORE;
    case PERF_MEM_LVLNUM_RAM:
    case LEVEL_MEMORY_CACHE:
        return remote ? DATA_REMOTE_DRAM : DATA_DRAM;
    case PERF_MEM_LVLNUM_PMEM:
    case PERF_MEM_LVLNUM_CXL:
    case PERF_MEM_LVLNUM_IO:
    case LEVEL_UNCACHED:
        return DATA_SLOW;
    default:
        return DATA_UNKNOWN;
    }
}

/* The older field has a bit for each; a miss in a level does not say what it was served by. */
static enum data_source of_bits(unsigned bits, bool remote) {
    static const struct {
        unsigned bit;
        enum data_source near, far;
    } levels[] = {{PERF_MEM_LVL_L1, DATA_L1, DATA_L1},
                  {PERF_MEM_LVL_LFB, DATA_FILL_BUFFER, DATA_FILL_BUFFER},
                  {PERF_MEM_LVL_L2, DATA_L2, DATA_L2},
                  {PERF_MEM_LVL_L3, DATA_L3, DATA_REMOTE_CACHE},
                  {PERF_MEM_LVL_REM_CCE1, DATA_REMOTE_CACHE, DATA_REMOTE_CACHE},
                  {PERF_MEM_LVL_REM_CCE2, DATA_REMOTE_CACHE, DATA_REMOTE_CACHE},
                  {PERF_MEM_LVL_REM_RAM1, DATA_REMOTE_DRAM, DATA_REMOTE_DRAM},
                  {PERF_MEM_LVL_REM_RAM2, DATA_REMOTE_DRAM, DATA_REMOTE_DRAM},
                  {PERF_MEM_LVL_LOC_RAM, DATA_DRAM, DATA_REMOTE_DRAM},
                  {PERF_MEM_LVL_IO, DATA_SLOW, DATA_SLOW},
                  {PERF_MEM_LVL_UNC, DATA_SLOW, DATA_SLOW}};
    if (bits & PERF_MEM_LVL_MISS)
        return DATA_UNKNOWN;
    for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++)
        if (bits & levels[i].bit)
            return remote ? levels[i].far : levels[i].near;
    return DATA_UNKNOWN;
}

static bool is_far(enum data_source s) {
    return s == DATA_REMOTE_CACHE || s == DATA_REMOTE_DRAM;
}

enum data_source data_source_of(uint64_t data_src) {
    const union perf_mem_data_src d = {.val = data_src};
    /* "remote" of AMD begins at another core of the same node (amd/ibs.c): no hop */
    const bool remote = d.mem_remote & PERF_MEM_REMOTE_REMOTE && d.mem_hops != PERF_MEM_HOPS_0;
    enum data_source s = of_level(d.mem_lvl_num, remote, d.mem_lvl & PERF_MEM_LVL_L3);
    if (s == DATA_UNKNOWN)
        s = of_bits(d.mem_lvl, remote);
    const bool from_core = d.mem_snoop & PERF_MEM_SNOOP_HITM ||
                           d.mem_snoopx & (PERF_MEM_SNOOPX_FWD | PERF_MEM_SNOOPX_PEER);
    if (from_core && (s == DATA_UNKNOWN || s == DATA_L3 || s == DATA_L2 || is_far(s)))
        return remote || is_far(s) ? DATA_REMOTE_CACHE : DATA_OTHER_CORE;
    return s;
}

bool data_source_is_store(uint64_t data_src) {
    const union perf_mem_data_src d = {.val = data_src};
    return d.mem_op & PERF_MEM_OP_STORE;
}

/* What each counts: Intel SDM vol. 3B, ch. 20, and perfmon's event files. */
enum data_source data_source_of_event(const char *name) {
    static const struct {
        const char *end;
        enum data_source source;
    } events[] = {{".L1_HIT", DATA_L1},
                  {".FB_HIT", DATA_FILL_BUFFER},
                  {".HIT_LFB", DATA_FILL_BUFFER},
                  {".L2_HIT", DATA_L2},
                  {".L3_HIT", DATA_L3},
                  {".XSNP_NONE", DATA_L3},
                  {".XSNP_MISS", DATA_L3},
                  {".XSNP_NO_FWD", DATA_L3},
                  {".XSNP_FWD", DATA_OTHER_CORE},
                  {".XSNP_HITM", DATA_OTHER_CORE},
                  {".LOCAL_DRAM", DATA_DRAM},
                  {".DRAM_HIT", DATA_DRAM},
                  {".REMOTE_DRAM", DATA_REMOTE_DRAM},
                  {".REMOTE_HITM", DATA_REMOTE_CACHE},
                  {".REMOTE_FWD", DATA_REMOTE_CACHE},
                  {".REMOTE_PMM", DATA_SLOW},
                  {".LOCAL_PMM", DATA_SLOW}};
    const char *dot = strchr(name, '.');
    for (size_t i = 0;
         dot && strncmp(name, "MEM_LOAD", 8) == 0 && i < sizeof(events) / sizeof(events[0]); i++)
        if (strcmp(dot, events[i].end) == 0)
            return events[i].source;
    return DATA_UNKNOWN;
}
