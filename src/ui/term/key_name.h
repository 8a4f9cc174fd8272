/* Keys as people write them: "K", "Space", "F5", "Ctrl-L", "Shift-Tab". */
#ifndef TDTOP_UI_KEY_NAME_H
#define TDTOP_UI_KEY_NAME_H

#include <stddef.h>
#include <stdint.h>

/* The name of a code point or KEYC_*; "" for 0. Returns buf. */
const char *key_name(uint32_t key, char *buf, size_t cap);
/* What a name means, ignoring case where it is a word; 0 if there is no such key. */
uint32_t key_parse(const char *name);

#endif
