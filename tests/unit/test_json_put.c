/* What is written piece by piece is read back by a parser as what it was. */
#include "base/json_put.h"
#include "random.h"

#include "base/str.h"

#include <jansson.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* The line as text; to be freed. */
static char *line_of(struct json_put *w) {
    char *text = NULL;
    size_t n = 0;
    FILE *f = open_memstream(&text, &n);
    assert_int_equal(json_put_line(w, f), 0);
    fclose(f);
    return text;
}

static void test_form(void **state) {
    (void)state;
    struct json_put w = {0};
    for (int round = 0; round < 2; round++) { /* a line leaves nothing behind for the next */
        json_put_begin(&w, NULL, '{');
        json_put_number(&w, "t", 0.099797234);
        json_put_begin(&w, "list", '[');
        json_put_begin(&w, NULL, '{');
        json_put_end(&w, '}');
        json_put_integer(&w, NULL, INT64_MIN);
        json_put_number(&w, NULL, NAN);
        json_put_number(&w, NULL, -INFINITY);
        json_put_number(&w, NULL, -0.0);
        json_put_number(&w, NULL, 3);
        json_put_end(&w, ']');
        json_put_bool(&w, "a\"b", true);
        json_put_null(&w, "");
        json_put_text(&w, "text", "\x1b[2J\t\"\\/\n\x7f");
        json_put_end(&w, '}');
        char *text = line_of(&w);
        assert_string_equal(text, "{\"t\":0.099797234,\"list\":[{},-9223372036854775808,null,null,"
                                  "-0.0,3],\"a\\\"b\":true,\"\":null,"
                                  "\"text\":\"\\u001b[2J\\t\\\"\\\\/\\n\\u007f\"}\n");
        free(text);
    }
    json_put_free(&w);
}

/* What the text is to be read as: a byte that is no part of UTF-8 is U+FFFD. */
static void valid(const char *text, char *out) {
    for (size_t n; *text; text += n) {
        const uint32_t cp = str_decode(text, &n);
        out += str_encode(cp, out);
    }
    *out = '\0';
}

/* Any bytes at any length, mostly plain ones; as value and as key. */
static void test_texts(void **state) {
    (void)state;
    struct json_put w = {0};
    for (int i = 0; i < 20000; i++) {
        char text[64], want[3 * sizeof(text)];
        const size_t n = next_random() % (sizeof(text) - 1);
        const bool wild = next_random() % 4 == 0;
        for (size_t k = 0; k < n; k++)
            text[k] = (char)(wild || next_random() % 40 == 0 ? next_random() % 255 + 1
                                                             : ' ' + next_random() % 95);
        text[n] = '\0';
        valid(text, want);
        json_put_begin(&w, NULL, '{');
        json_put_text(&w, text, text);
        json_put_end(&w, '}');
        char *line = line_of(&w);
        json_t *o = json_loads(line, 0, NULL);
        const char *read = json_string_value(json_object_get(o, want));
        if (!read || strcmp(read, want) != 0)
            fail_msg("%s", line);
        json_decref(o);
        free(line);
    }
    json_put_free(&w);
}

static void test_numbers(void **state) {
    (void)state;
    struct json_put w = {0};
    for (int i = 0; i < 50000; i++) {
        const uint64_t bits = next_random();
        double v;
        memcpy(&v, &bits, sizeof(v));
        if (i % 2)
            v = (double)(bits % 1000000) / 1024 - 400;
        json_put_begin(&w, NULL, '[');
        json_put_number(&w, NULL, v);
        json_put_end(&w, ']');
        char *line = line_of(&w);
        json_t *list = json_loads(line, 0, NULL), *o = json_array_get(list, 0);
        const double read = json_number_value(o);
        if (isfinite(v) ? memcmp(&read, &v, sizeof(v)) != 0 : !json_is_null(o))
            fail_msg("%.17g: %s", v, line);
        json_decref(list);
        free(line);
    }
    json_put_free(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_form), cmocka_unit_test(test_texts),
                                       cmocka_unit_test(test_numbers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
