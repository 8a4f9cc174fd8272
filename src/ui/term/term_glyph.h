/* What a character becomes where the terminal has only ASCII, or no colours to tell bars apart. */
#ifndef TDTOP_UI_TERM_GLYPH_H
#define TDTOP_UI_TERM_GLYPH_H

#include "ui/term/canvas.h"

#include <stdint.h>

/* One printable ASCII character in the place of cp; '?' for what has no likeness. */
char glyph_ascii(uint32_t cp);

/* Signs that one ASCII character cannot stand for take the blank beside them: "± 0.2" is "+-0.2"
 * then, as wide as before. To be called before a canvas is shown in ASCII. */
void glyph_spell_out(struct canvas *c);

/* The texture that stands for the ground of a bar's style without colours; ' ' for other styles. */
uint32_t glyph_texture(enum style st, bool ascii);

#endif
