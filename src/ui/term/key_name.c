#include "ui/term/key_name.h"

#include "base/str.h"
#include "ui/term/term.h"

#include <stdio.h>
#include <strings.h>

static const struct {
    uint32_t key;
    const char *name;
} names[] = {
    {' ', "Space"},           {KEYC_UP, "Up"},
    {KEYC_DOWN, "Down"},      {KEYC_LEFT, "Left"},
    {KEYC_RIGHT, "Right"},    {KEYC_PGUP, "PgUp"},
    {KEYC_PGDN, "PgDn"},      {KEYC_HOME, "Home"},
    {KEYC_END, "End"},        {KEYC_ENTER, "Enter"},
    {KEYC_ESC, "Esc"},        {KEYC_TAB, "Tab"},
    {KEYC_BTAB, "Shift-Tab"}, {KEYC_BACKSPACE, "Backspace"},
    {KEYC_DELETE, "Del"},     {KEYC_DELETE, "Delete"},
    {KEYC_F1, "F1"},          {KEYC_F2, "F2"},
    {KEYC_F3, "F3"},          {KEYC_F4, "F4"},
    {KEYC_F5, "F5"},          {KEYC_F6, "F6"},
    {KEYC_F7, "F7"},          {KEYC_F8, "F8"},
    {KEYC_F9, "F9"},          {KEYC_F10, "F10"},
    {KEYC_CTRL_C, "Ctrl-C"},  {KEYC_CTRL_L, "Ctrl-L"},
    {KEYC_CTRL_Z, "Ctrl-Z"},
};
enum { NAMES = sizeof(names) / sizeof(names[0]), CONTROLS = 0x20, LAST_CONTROL = 0x1a };

const char *key_name(uint32_t key, char *buf, size_t cap) {
    for (int i = 0; i < NAMES; i++)
        if (names[i].key == key)
            return str_copy(buf, cap, names[i].name);
    char utf8[5] = {0};
    if (key > 0 && key <= LAST_CONTROL)
        snprintf(buf, cap, "Ctrl-%c", (int)key + 'A' - 1);
    else if (key >= CONTROLS && key < KEYC_BASE && str_encode(key, utf8) > 0)
        str_copy(buf, cap, utf8);
    else
        str_copy(buf, cap, "");
    return buf;
}

uint32_t key_parse(const char *name) {
    size_t used = 0;
    for (int i = 0; i < NAMES; i++)
        if (strcasecmp(names[i].name, name) == 0)
            return names[i].key;
    if (strncasecmp(name, "Ctrl-", 5) == 0 && name[5] && !name[6]) {
        int letter = name[5] & ~0x20;
        bool taken = letter == 'I' || letter == 'J' || letter == 'M' || letter == 'H'; /* Tab ... */
        return letter >= 'A' && letter <= 'Z' && !taken ? (uint32_t)(letter - 'A' + 1) : 0;
    }
    if (!name[0])
        return 0;
    uint32_t cp = str_decode(name, &used);
    bool one = name[used] == '\0' && cp > CONTROLS && cp != 0x7f && cp != 0xfffd;
    return one && str_cp_width(cp) > 0 ? cp : 0;
}
