/* The keys of the picker: its key line and its dispatch read the same table. */
#ifndef TDTOP_UI_PICKER_KEYS_H
#define TDTOP_UI_PICKER_KEYS_H

#include <stddef.h>
#include <stdint.h>

struct picker;

enum { PICK_LIST = 1 << 0, PICK_SEARCH = 1 << 1 /* while typing */ };

struct picker_key {
    uint32_t key[3]; /* code points and KEYC_*; 0 = none */
    unsigned where;
    void (*act)(struct picker *pk);
    const char *brief; /* key and word of the key line; NULL: not there */
};

extern const struct picker_key picker_keys[];
extern const size_t n_picker_keys;

#endif
