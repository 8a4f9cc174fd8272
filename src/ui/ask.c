#include "ui/ask.h"

#include "base/str.h"
#include "ui/keys_map.h"
#include "ui/screen.h"

void ask_begin(struct screen *sc, const char *question, const char *text,
               void (*done)(struct screen *sc, const char *text)) {
    struct ask *a = &sc->ask;
    a->typing = true;
    a->done = done;
    str_copy(a->question, sizeof(a->question), question);
    form_set(&a->text, text);
}

void ask_accept(struct screen *sc) {
    sc->ask.typing = false;
    sc->ask.done(sc, sc->ask.text.text);
}

void ask_cancel(struct screen *sc) {
    sc->ask.typing = false;
}

void ask_draw(const struct ask *a, struct canvas *c, struct rect r) {
    char words[64];
    keys_in_words("{ask-accept} accept  {ask-cancel} cancel", words, sizeof(words));
    int x = r.x + 1, end = r.x + r.w, w = str_width(words);
    x += canvas_printf(c, r, x, r.y, STYLE_KEY, "%s ", a->question);
    if (end - x > w + 24) {
        end -= w + 2;
        canvas_text(c, r, end, r.y, STYLE_KEY_TEXT, words);
    }
    form_draw(&a->text, c, r, x, r.y, end - x - 1, STYLE_VALUE, true);
}
