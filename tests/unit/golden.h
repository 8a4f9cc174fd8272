/*
 * Screens as text, compared with tests/screen/golden/NAME.txt: in UTF-8 and as a terminal without
 * it shows them, fills being the textures that they are without colours. BLESS=1 rewrites the
 * files; read them before.
 */
#ifndef TDTOP_TESTS_GOLDEN_H
#define TDTOP_TESTS_GOLDEN_H

#include "ui/popup/save_screen.h"
#include "ui/term/theme.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* What is on the canvas; lasts until the next call. */
static inline const char *golden_text(const struct canvas *c, bool ascii) {
    static char text[256 * 1024];
    static struct theme theme;
    assert_int_equal(theme_load(&theme, "mono", NULL), 0);
    FILE *out = fmemopen(text, sizeof(text), "w");
    assert_non_null(out);
    const struct save_options opt = {.theme = &theme, .ascii = ascii};
    save_write(c, &opt, SAVE_TEXT, out);
    fclose(out);
    return text;
}

/* The lines in which they differ; cmocka cuts its own messages at 1 kB, less than one screen. */
static inline void golden_show(const char *want, const char *got) {
    for (int line = 1; *want || *got; line++) {
        const size_t w = strcspn(want, "\n"), g = strcspn(got, "\n");
        if (w != g || memcmp(want, got, w) != 0)
            fprintf(stderr, "line %d\n-%.*s\n+%.*s\n", line, (int)w, want, (int)g, got);
        want += w + (want[w] == '\n');
        got += g + (got[g] == '\n');
    }
}

static inline void golden_compare_text(const char *got, const char *name) {
    static char want[256 * 1024];
    char path[256];
    snprintf(path, sizeof(path), "tests/screen/golden/%s.txt", name);
    FILE *file = fopen(path, getenv("BLESS") ? "w" : "r");
    if (!file)
        fail_msg("%s: cannot be opened; BLESS=1 writes it", path);
    if (getenv("BLESS")) {
        fputs(got, file);
        fclose(file);
        return;
    }
    want[fread(want, 1, sizeof(want) - 1, file)] = '\0';
    fclose(file);
    if (strcmp(got, want) != 0) {
        golden_show(want, got);
        fail_msg("%s (-) differs from what is drawn (+); BLESS=1 accepts it", path);
    }
}

/* NAME.txt; or NAME_ascii.txt, which is kept of pictures at 120x40 alone: cells become ASCII one by
 * one, at any size. */
static inline void golden_compare(const struct canvas *c, const char *name, bool ascii) {
    char file[128];
    const char *got = golden_text(c, ascii);
    for (const char *p = got; ascii && *p; p++)
        if ((unsigned char)*p >= 0x7f)
            fail_msg("%s: not ASCII: %s", name, p);
    if (ascii && !strstr(name, "120x40"))
        return;
    snprintf(file, sizeof(file), "%s%s", name, ascii ? "_ascii" : "");
    golden_compare_text(got, file);
}

#endif
