/* What --speak says, line by line. */
#include "ui_fixture.h"

#include "cli/out/speak.h"

static struct {
    char *text;
    size_t n;
} said;

struct setup {
    struct fixture f;
    struct speaker sp;
    struct advice advice;
    struct explain explain;
};

static void open_setup(struct setup *s) {
    struct err err = {0};
    fixture_open(&s->f, "redis-server 4242");
    fixture_screen(&s->f, 80, 24);
    assert_int_equal(advice_load(&s->advice, "toplev", &err), 0);
    assert_int_equal(explain_load_from(&s->explain, fixture_explain, &err), 0);
    s->sp = (struct speaker){.s = &s->f.s, .advice = &s->advice, .explain = &s->explain};
    s->sp.out = open_memstream(&said.text, &said.n);
}

static void close_setup(struct setup *s) {
    fclose(s->sp.out);
    free(said.text);
    advice_free(&s->advice);
    explain_free(&s->explain);
    fixture_close(&s->f);
}

/* What came since the last call; every line is plain. */
static const char *heard(void) {
    static size_t from;
    static char out[16384];
    if (said.n < from)
        from = 0;
    str_copy(out, sizeof(out), said.text + from);
    from = said.n;
    for (const char *p = out; *p; p++)
        if ((unsigned char)*p < 0x20 && *p != '\n')
            fail_msg("byte %02x is spoken", (unsigned char)*p);
    return out;
}

static void one_frame(struct setup *s) {
    fixture_run(&s->f, 1);
    speak_frame(&s->sp);
}

/* A steady target says its sentence once. */
static void only_what_changes(void **state) {
    (void)state;
    struct setup s;
    open_setup(&s);
    one_frame(&s);
    const char *line = heard();
    assert_non_null(strstr(line, "Waiting for L3, "));
    assert_null(strstr(line, "Enter")); /* no keys of the screen */
    int sentences = 0;
    for (int i = 0; i < 60; i++) {
        one_frame(&s);
        for (const char *p = heard(); (p = strchr(p, '\n')); p++)
            sentences++;
    }
    if (sentences > 3)
        fail_msg("%d lines in 60 intervals", sentences);
    str_copy(s.f.s.source.note, sizeof(s.f.s.source.note), "two counters are taken\033[2J");
    one_frame(&s);
    assert_non_null(strstr(heard(), "note: two counters are taken"));
    one_frame(&s);
    assert_null(strstr(heard(), "note"));
    s.f.s.source.note[0] = '\0';
    one_frame(&s);
    assert_non_null(strstr(heard(), "no longer: two counters"));
    close_setup(&s);
}

static void another_node(void **state) {
    (void)state;
    struct setup s;
    open_setup(&s);
    for (int i = 0; i < 6; i++)
        one_frame(&s);
    heard();
    /* Another branch: after two intervals, and once. */
    int at = -1, lines = 0;
    for (int i = 0; i < 6; i++) {
        fixture_run(&s.f, 1);
        struct frame *f = &s.f.s.frame;
        f->bottleneck.n = 1;
        f->bottleneck.at[0] = (int16_t)model_find(&s.f.s.model, "Bad_Speculation");
        f->at[f->bottleneck.at[0]].over = true;
        speak_frame(&s.sp);
        if (strstr(heard(), "thrown away")) {
            at = at < 0 ? i : at;
            lines++;
        }
    }
    assert_int_equal(at, 1);
    assert_int_equal(lines, 1);
    close_setup(&s);
}

/* Hears what a frame with this node at the end of the path makes it say. */
static const char *frame_of(struct setup *s, const char *node) {
    fixture_run(&s->f, 1);
    struct frame *f = &s->f.s.frame;
    f->bottleneck.n = 1;
    f->bottleneck.at[0] = (int16_t)model_find(&s->f.s.model, node);
    f->at[f->bottleneck.at[0]].over = true;
    speak_frame(&s->sp);
    return heard();
}

/* A new sentence has to be the same one for a while: others before it do not count for it. */
static void another_in_a_row(void **state) {
    (void)state;
    struct setup s;
    open_setup(&s);
    for (int i = 0; i < 6; i++)
        one_frame(&s);
    heard();
    for (int i = 0; i < 4; i++) /* on the same branch as what was said */
        assert_string_equal(frame_of(&s, "Memory_Bound"), "");
    assert_string_equal(frame_of(&s, "Bad_Speculation"), "");
    for (int i = 0; i < 3; i++)
        one_frame(&s);
    assert_string_equal(heard(), "");
    assert_string_equal(frame_of(&s, "Bad_Speculation"), "");
    assert_string_equal(frame_of(&s, "Frontend_Bound"), ""); /* neither for two in a row */
    assert_non_null(strstr(frame_of(&s, "Frontend_Bound"), "rontend"));
    close_setup(&s);
}

static void commands(void **state) {
    (void)state;
    struct setup s;
    uint64_t every = 99;
    static const struct {
        const char *line;
        const char *words; /* is in what is said */
        enum speak_answer answer;
    } cases[] = {
        {"", "12 s: Frontend Bound 11.5%", SPEAK_ON},
        {"status", "Backend Bound 55.3%, plus or minus 0.", SPEAK_ON},
        {"  status \r", "IPC 1.2", SPEAK_ON},
        {"again", "Waiting for L3, ", SPEAK_ON},
        {"explain l3 bound", "Waiting for loads that the shared cache served", SPEAK_ON},
        {"explain L3_Bound", "cause: a working set larger than L2", SPEAK_ON},
        {"explain", "try: block loops", SPEAK_ON},
        {"explain divider", "Divider is not known: ", SPEAK_ON},
        {"explain Backend_Bond", "did you mean Backend Bound?", SPEAK_ON},
        {"help", "explain NAME", SPEAK_ON},
        {"every 30s", "every 30s", SPEAK_EVERY},
        {"every often", "every: ", SPEAK_ON},
        {"every 1ns", "1s is the least", SPEAK_ON},
        {"every 999ms", "1s is the least", SPEAK_ON},
        {"every 1s", "every 1s", SPEAK_EVERY},
        {"every off", "when it is asked for", SPEAK_EVERY},
        {"dance", "dance is no command; help lists them", SPEAK_ON},
        {"a word that is much too long for anything at all", "help lists", SPEAK_ON},
        {"quit", "", SPEAK_QUIT},
    };
    open_setup(&s);
    assert_int_equal(speak_command(&s.sp, 1, "status", &every), SPEAK_ON);
    assert_non_null(strstr(heard(), "nothing is measured yet"));
    for (int i = 0; i < 12; i++)
        one_frame(&s);
    heard();
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        enum speak_answer answer = speak_command(&s.sp, 1, cases[i].line, &every);
        const char *text = heard();
        if (answer != cases[i].answer || !strstr(text, cases[i].words))
            fail_msg("'%s' gives %d and says: %s", cases[i].line, (int)answer, text);
    }
    assert_int_equal(every, 0);
    assert_int_equal(speak_command(&s.sp, 1, "every 30", &every), SPEAK_EVERY);
    assert_int_equal(every, 30 * NS_PER_S);
    s.f.s.state = STREAM_GONE;
    str_copy(s.f.s.last.text, sizeof(s.f.s.last.text), "redis-server exited with code 0");
    heard();
    speak_end(&s.sp);
    assert_string_equal(heard(), "what was measured has ended: redis-server exited with code 0\n");
    speak_end(&s.sp);
    assert_string_equal(heard(), "");
    close_setup(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_what_changes),
        cmocka_unit_test(another_node),
        cmocka_unit_test(another_in_a_row),
        cmocka_unit_test(commands),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
