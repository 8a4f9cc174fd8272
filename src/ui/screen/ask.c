#include "ui/screen/ask.h"

#include "base/str.h"
#include "ui/screen/keys.h"
#include "ui/screen/screen.h"

#include <string.h>

void ask_begin(struct screen *sc, const char *question, const char *text,
               void (*done)(struct screen *sc, const char *text)) {
    struct ask *a = &sc->ask;
    a->typing = true;
    a->follows = a->yes_no = false;
    a->done = done;
    str_copy(a->question, sizeof(a->question), question);
    form_set(&a->text, text);
}

void ask_yes(struct screen *sc, const char *question,
             void (*done)(struct screen *sc, const char *text)) {
    ask_begin(sc, question, "", done);
    sc->ask.yes_no = true;
}

void ask_begin_following(struct screen *sc, const char *question, const char *before,
                         void (*done)(struct screen *sc, const char *text)) {
    ask_begin(sc, question, "", done);
    sc->ask.follows = true;
    str_copy(sc->ask.before, sizeof(sc->ask.before), before);
}

void ask_type(struct screen *sc, uint32_t key) {
    struct ask *a = &sc->ask;
    char was[FORM_CAP];
    if (a->yes_no) {
        form_set(&a->text, key == 'y' || key == 'Y' ? "y" : "");
        ask_accept(sc);
        return;
    }
    str_copy(was, sizeof(was), a->text.text);
    if (form_key(&a->text, key) && a->follows && strcmp(was, a->text.text) != 0)
        a->done(sc, a->text.text);
}

void ask_paste(struct screen *sc, const char *text) {
    if (!sc->ask.yes_no)
        form_paste(&sc->ask.text, text);
}

void ask_accept(struct screen *sc) {
    sc->ask.typing = false;
    sc->ask.done(sc, sc->ask.text.text);
}

void ask_cancel(struct screen *sc) {
    sc->ask.typing = false;
    if (sc->ask.follows)
        sc->ask.done(sc, sc->ask.before);
}

void ask_draw(const struct ask *a, struct canvas *c, struct rect r) {
    char words[64];
    keys_in_words(a->yes_no ? "y yes  {ask-cancel} no" : "{ask-accept} accept  {ask-cancel} cancel",
                  words, sizeof(words));
    int x = r.x + 1, end = r.x + r.w, w = str_width(words);
    x += canvas_printf(c, r, x, r.y, STYLE_KEY, "%s ", a->question);
    if (end - x > w + 24) {
        end -= w + 2;
        canvas_text(c, r, end, r.y, STYLE_KEY_TEXT, words);
    }
    form_draw(&a->text, c, r, x, r.y, end - x - 1, STYLE_VALUE, true);
}
