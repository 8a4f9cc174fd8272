/*
 * Event names as tools print them, matched to the events of a model:
 *   EXE_ACTIVITY.BOUND_ON_LOADS  exe_activity.bound_on_loads  UOPS_RETIRED.MS:c1
 * uops_retired.ms,cmask=0x1 topdown-retiring  cpu/topdown-retiring/  cpu_core/slots/u
 * cpu/event=0xa6,umask=0x21,cmask=0x5/ cycles  cycles:u  cpu-cycles  r1a6  INST_RETIRED.ANY
 * ls_not_halted_cyc  cpu_atom/TOPDOWN_RETIRING.ALL/  uncore_cha/event=0x35,umask=0xc816fe01/
 * UNC_C_TOR_INSERTS.MISS_OPCODE:opc=0x182  power/energy-pkg/
 */
#ifndef TDTOP_PMU_NAMES_H
#define TDTOP_PMU_NAMES_H

#include "model/load/model.h"

/* A printed name taken apart. */
struct event_name {
    char pmu[32];    /* "cpu_core", "" if none was printed */
    char base[160];  /* "exe_activity.bound_on_loads", "" for pure code */
    char mods[16];   /* privilege modifiers "u", "k", "pp" removed of precise ones */
    bool percore;    /* counts of both threads of the core */
    bool one_unit;   /* of one box of its PMU only, not the sum over all */
    char filter[64]; /* what a box outside the core filters by: "opc=0x182,tid=0x3e" */
    char terms[128]; /* of a PMU outside the core: "event=0x35,umask=0xc816fe01"; beside no base */
    bool has_code;
    uint64_t config,
        config1; /* from event=,umask=,cmask=,inv,edge,any,offcore_rsp=,frontend=,ldlat= or rNNN or
                    ":c1"; beside a base name only what it adds to the code of that name */
};

/* 0, or -EINVAL if the text cannot be an event name. */
int event_name_parse(const char *text, struct event_name *out);

/*
 * Does a printed name mean this model event? Names compare ignoring case and '-' against '_';
 * codes compare exactly. u/k modifiers must agree with the model's user_only / kernel_only only
 * where the model asks for them.
 */
bool event_name_matches(const struct event_name *name, const struct event *ev);

/* Was only one privilege level counted? 'u' or 'k', or 0 for both. */
char event_name_privilege(const struct event_name *name);

#endif
