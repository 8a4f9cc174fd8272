/*
 * Raw codes: where the parts of a core event stand in perf_event_attr.config, by vendor, and what
 * its config1 holds. One table for all who make codes (model_event.c), show them
 * (model_text.c) and put each part where a kernel's format/ wants it (pmu/host/encode.c).
 */
#ifndef TDTOP_MODEL_CODE_H
#define TDTOP_MODEL_CODE_H

#include <stdint.h>

/* One part of a code: its bits in config, as up to two runs, lowest first. */
struct code_field {
    const char *name; /* as format/ calls it: "umask" */
    struct {
        int shift, width;
    } run[2]; /* width 0: there is no such run */
};

/*
 * The fields of the codes of "Intel", "AMD" or "Arm": "event" first, the last one without a name.
 * NULL for any other vendor.
 */
const struct code_field *code_layout(const char *vendor);

/* The field of that name, or NULL; layout may be NULL. */
const struct code_field *code_find(const struct code_field *layout, const char *name);

int code_width(const struct code_field *f); /* in bits */
uint64_t code_get(const struct code_field *f, uint64_t config);

/* config with the field replaced; value has no more than code_width bits. */
uint64_t code_set(const struct code_field *f, uint64_t config, uint64_t value);

/* What format/ calls config1 of this event: "offcore_rsp", "frontend", "ldlat"; else "config1". */
const char *code_config1_name(const char *vendor, uint64_t config);

#endif
