/* Two core types on one screen: what is done to the one that is shown is done to both. */
#include "ui_fixture.h"

#include "ui/screen/keys.h"

struct pair {
    struct fixture at[2];
    struct types types;
};

static void open_pair(struct pair *p) {
    static const char *const kinds[] = {"core", "atom"};
    memset(p, 0, sizeof(*p));
    for (int i = 0; i < 2; i++) {
        struct fixture *f = &p->at[i];
        fixture_open(f, "redis-server 4242");
        str_copy(f->s.core_type, sizeof(f->s.core_type), kinds[i]);
        fixture_screen(f, 160, 40);
        f->sc.scene.type = i;
        f->sc.types = &p->types;
        p->types.at[p->types.n++] = &f->sc;
    }
    for (int i = 0; i < 2; i++) {
        assert_int_equal(screen_resize(&p->at[i].sc, 160, 40), 0);
        fixture_run(&p->at[i], 10);
    }
}

static void close_pair(struct pair *p) {
    for (int i = 0; i < 2; i++) {
        p->at[i].sc.types = NULL;
        fixture_close(&p->at[i]);
    }
}

/* The palette's first row is clicked: both stand still, as with the key. */
static void test_click_in_palette(void **state) {
    (void)state;
    struct pair p;
    open_pair(&p);
    struct screen *sc = &p.at[0].sc;
    fixture_keys(&p.at[0], ":freeze");
    screen_draw(sc);
    char line[1024];
    struct mouse m = {.what = MOUSE_PRESS, .x = 80};
    for (m.y = 0; m.y < 40; m.y++) {
        char *end = line;
        for (int x = 0; x < 160; x++)
            *end++ = (char)(sc->canvas.at[m.y * 160 + x].cp & 0x7f);
        *end = '\0';
        if (strstr(line, "freeze the screen"))
            break;
    }
    assert_true(m.y < 40);
    screen_key(sc, KEYC_MOUSE, &m);
    assert_null(sc->popup);
    assert_true(sc->scene.frozen);
    assert_true(p.at[1].sc.scene.frozen);
    close_pair(&p);
}

/* A click on the other one's column ends what was typed in this one. */
static void test_click_on_the_other(void **state) {
    (void)state;
    struct pair p;
    open_pair(&p);
    struct screen *sc = &p.at[0].sc, *other = &p.at[1].sc;
    assert_true(sc->scene.beside);
    fixture_keys(&p.at[0], "/L3");
    const struct rect r = other->panes[LAYOUT_TREE].at[PANE_TREE];
    const struct mouse m = {.what = MOUSE_PRESS, .x = r.x + 3, .y = r.y + 3};
    screen_draw(sc);
    screen_key(sc, KEYC_MOUSE, &m);
    assert_int_equal(p.types.active, 1);
    assert_int_equal(keys_context(other), IN_TREE);
    assert_int_equal(keys_context(sc), IN_TREE);
    close_pair(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_click_in_palette),
        cmocka_unit_test(test_click_on_the_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
