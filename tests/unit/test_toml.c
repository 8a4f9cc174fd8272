#include "base/toml.h"

#include "base/str.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* ---- a document as one line of text ---- */

static void dump_date(struct strbuf *sb, const struct toml_datetime *d, enum toml_type type) {
    if (type != TOML_LOCAL_TIME)
        strbuf_add(sb, "%04d-%02d-%02d", d->year, d->month, d->day);
    if (type == TOML_LOCAL_DATE)
        return;
    strbuf_add(sb, "T%02d:%02d:%02d.%d", d->hour, d->minute, d->second, d->nanosecond);
    if (type == TOML_OFFSET_DATETIME)
        strbuf_add(sb, "%+d", d->offset_min);
}

static void dump(struct strbuf *sb, const struct toml *t) {
    switch (t->type) {
    case TOML_TABLE:
    case TOML_ARRAY:
        strbuf_add(sb, t->type == TOML_TABLE ? "{" : "[");
        size_t n = 0;
        for (const struct toml *kid = t->first; kid; kid = kid->next, n++) {
            strbuf_add(sb, "%s%s%s", n ? "," : "", kid->key ? kid->key : "", kid->key ? ":" : "");
            dump(sb, kid);
        }
        strbuf_add(sb, t->type == TOML_TABLE ? "}" : "]");
        assert_int_equal(n, t->n);
        return;
    case TOML_STRING:
        assert_int_equal(strlen(t->string), t->n);
        strbuf_add(sb, "'%s'", t->string);
        return;
    case TOML_INTEGER:
        strbuf_add(sb, "%lld", (long long)t->integer);
        return;
    case TOML_FLOAT:
        if (isnan(t->real)) /* whose sign the standard leaves open */
            strbuf_add(sb, "nanf");
        else
            strbuf_add(sb, "%.17gf", t->real);
        return;
    case TOML_BOOLEAN:
        strbuf_add(sb, t->boolean ? "true" : "false");
        return;
    case TOML_OFFSET_DATETIME:
    case TOML_LOCAL_DATETIME:
    case TOML_LOCAL_DATE:
    case TOML_LOCAL_TIME:
        dump_date(sb, &t->datetime, t->type);
        return;
    }
    fail_msg("type %d", t->type);
}

/* Parses an exact copy on the heap, so that the sanitizer sees a read beyond the end. */
static int parse(struct toml_doc *doc, const char *text, size_t len, struct err *err) {
    char *copy = malloc(len ? len : 1);
    memcpy(copy, text, len);
    const int rc = toml_parse(doc, copy, len, "x.toml", err);
    free(copy);
    return rc;
}

/* ---- what is TOML ---- */

static const struct {
    const char *what, *text, *want;
} valid[] = {
    {"nothing", "", "{}"},
    {"blank lines", "\n\r\n \t\n", "{}"},
    {"byte order mark", "\xEF\xBB\xBF[a]\nb = '\xEF\xBB\xBF'", "{a:{b:'\xEF\xBB\xBF'}}"},
    {"nothing but a byte order mark", "\xEF\xBB\xBF", "{}"},
    {"comment without line end", "# ü \t", "{}"},
    {"comment after a value", "a = 1 # one\nb=2#two", "{a:1,b:2}"},
    {"CRLF", "a = 1\r\nb = 2\r\n", "{a:1,b:2}"},
    {"bare keys", "a-b_C9 = 1\n1234 = 2\n- = 3", "{a-b_C9:1,1234:2,-:3}"},
    {"quoted keys", "\"a b\" = 1\n'c\"d' = 2\n\"\\u00e9\" = 3", "{a b:1,c\"d:2,é:3}"},
    {"empty key", "\"\" = 1\n[x]\n'' = 2", "{:1,x:{:2}}"},
    {"dotted keys", "a.b.c = 1\na . \"b\"\t.d = 2", "{a:{b:{c:1,d:2}}}"},
    {"key that looks like a float", "3.14 = 'pi'", "{3:{14:'pi'}}"},
    {"keys differ in case", "a = 1\nA = 2", "{a:1,A:2}"},
    {"bare and quoted are the same key's parts", "a.b = 1\n\"a\".'c' = 2", "{a:{b:1,c:2}}"},
    {"dotted keys out of order", "a.x = 1\nb.x = 2\na.y = 3", "{a:{x:1,y:3},b:{x:2}}"},
    {"basic string", "a = \"b\"", "{a:'b'}"},
    {"empty strings", "a = \"\"\nb = ''", "{a:'',b:''}"},
    {"all short escapes", "a = \"\\b\\t\\n\\f\\r\\\"\\\\\"", "{a:'\b\t\n\f\r\"\\'}"},
    {"unicode escapes", "a = \"\\u00E9\\U0001F600\"", "{a:'é😀'}"},
    {"highest character", "a = \"\\U0010FFFF\"", "{a:'\xF4\x8F\xBF\xBF'}"},
    {"tab in strings", "a = \"\t\"\nb = '\t'", "{a:'\t',b:'\t'}"},
    {"hash in a string", "a = \"#\" # c", "{a:'#'}"},
    {"literal string", "a = 'C:\\n\\x \"q\"'", "{a:'C:\\n\\x \"q\"'}"},
    {"multi-line", "a = \"\"\"\nb\n c\"\"\"", "{a:'b\n c'}"},
    {"multi-line on one line", "a = \"\"\"b\"\"\"", "{a:'b'}"},
    {"multi-line, empty", "a = \"\"\"\"\"\"\nb = ''''''", "{a:'',b:''}"},
    {"multi-line with CRLF", "a = \"\"\"\r\nb\r\nc\"\"\"", "{a:'b\nc'}"},
    {"only the first newline goes", "a = \"\"\"\n\nb\"\"\"", "{a:'\nb'}"},
    {"line ending backslash", "a = \"\"\"b \\\n\n\t  c\\  \n  d\"\"\"", "{a:'b cd'}"},
    {"line ending backslash, CRLF", "a = \"\"\"b\\\r\n  c\"\"\"", "{a:'bc'}"},
    {"line ending backslash at the end", "a = \"\"\"b\\\n  \"\"\"", "{a:'b'}"},
    {"escaped backslash at a line end", "a = \"\"\"b\\\\\nc\"\"\"", "{a:'b\\\nc'}"},
    {"quotes inside multi-line", "a = \"\"\"b\"\"c\"d\"\"\"", "{a:'b\"\"c\"d'}"},
    {"one quote before the end", "a = \"\"\"b\"\"\"\"", "{a:'b\"'}"},
    {"two quotes before the end", "a = \"\"\"b\"\"\"\"\"", "{a:'b\"\"'}"},
    {"quotes at the beginning", "a = \"\"\"\"\"b\"\"\"", "{a:'\"\"b'}"},
    {"escaped quote in multi-line", "a = \"\"\"\\\"\"\"\\\"\"\"\"", "{a:'\"\"\"\"'}"},
    {"multi-line literal", "a = '''\nb\\n\n'c''d'''", "{a:'b\\n\n'c''d'}"},
    {"quotes before the literal end", "a = '''b'''''", "{a:'b'''}"},
    {"integers", "a = [0, +0, -0, 42, +7, -17, 1_000]", "{a:[0,0,0,42,7,-17,1000]}"},
    {"64 bits", "a = [9223372036854775807, -9223372036854775808]",
     "{a:[9223372036854775807,-9223372036854775808]}"},
    {"hexadecimal", "a = [0xDEADBEEF, 0xdead_beef, 0x00ff]", "{a:[3735928559,3735928559,255]}"},
    {"octal, binary", "a = [0o755, 0o0_1, 0b1101, 0b0]", "{a:[493,1,13,0]}"},
    {"largest hexadecimal", "a = 0x7fffffffffffffff", "{a:9223372036854775807}"},
    {"floats", "a = [1.0, +0.5, -0.25, 6.25e2]", "{a:[1f,0.5f,-0.25f,625f]}"},
    {"exponents", "a = [5e+22, 1E06, -2e-2, 0e0, 1e1_0]",
     "{a:[4.9999999999999996e+22f,1000000f,-0.02f,0f,10000000000f]}"},
    {"float with underscores", "a = 1_024.2_5", "{a:1024.25f}"},
    {"long float",
     "a = 3."
     "000000000000000000000000000000000000000000000000000000000000000000000000000000",
     "{a:3f}"},
    {"negative zero", "a = -0.0", "{a:-0f}"},
    {"infinity", "a = [inf, +inf, -inf]", "{a:[inff,inff,-inff]}"},
    {"not a number", "a = [nan, +nan, -nan]", "{a:[nanf,nanf,nanf]}"},
    {"booleans", "a = true\nb = false", "{a:true,b:false}"},
    {"offset date-time", "a = 1979-05-27T07:32:00Z", "{a:1979-05-27T07:32:00.0+0}"},
    {"offsets", "a = [1979-05-27t00:32:00.5-07:30, 1979-05-27 00:32:00z]",
     "{a:[1979-05-27T00:32:00.500000000-450,1979-05-27T00:32:00.0+0]}"},
    {"nanoseconds are cut", "a = 1979-05-27T00:32:00.1234567899+01:00",
     "{a:1979-05-27T00:32:00.123456789+60}"},
    {"local date-time", "a = 1979-05-27T07:32:00.001", "{a:1979-05-27T07:32:00.1000000}"},
    {"local date", "a = 1979-05-27 # day", "{a:1979-05-27}"},
    {"local time", "a = 07:32:00\nb = 23:59:60", "{a:T07:32:00.0,b:T23:59:60.0}"},
    {"leap days", "a = [2000-02-29, 2024-02-29]", "{a:[2000-02-29,2024-02-29]}"},
    {"dates in an array", "a = [1979-05-27,07:32:00]", "{a:[1979-05-27,T07:32:00.0]}"},
    {"empty array", "a = []\nb = [ ]\nc = [\n# none\n]", "{a:[],b:[],c:[]}"},
    {"mixed array", "a = [1, 'x', 1.5, true, [2], {b = 3}]", "{a:[1,'x',1.5f,true,[2],{b:3}]}"},
    {"array over lines", "a = [ # one\n 1 # two\n , # three\n\n 2,\n]", "{a:[1,2]}"},
    {"trailing comma", "a = [1,2,]", "{a:[1,2]}"},
    {"inline tables", "a = {}\nb = { }\nc = {d = 1, \"e\" = {f=2}}", "{a:{},b:{},c:{d:1,e:{f:2}}}"},
    {"dotted keys in an inline table", "a = { b.c = 1, b.d = 2 }", "{a:{b:{c:1,d:2}}}"},
    {"array over lines in an inline table", "a = { b = [\n1,\n2 ] }", "{a:{b:[1,2]}}"},
    {"multi-line string in an inline table", "a = { b = \"\"\"\nc\"\"\" }", "{a:{b:'c'}}"},
    {"tables", "[a]\nx = 1\n[b]\nx = 2", "{a:{x:1},b:{x:2}}"},
    {"empty table", "[a]\n[b.c]", "{a:{},b:{c:{}}}"},
    {"blanks in a header", "[ a . 'b' ] # c\nx = 1", "{a:{b:{x:1}}}"},
    {"super-table afterwards", "[a.b]\nx = 1\n[a]\ny = 2", "{a:{b:{x:1},y:2}}"},
    {"tables out of order", "[a.b]\n[c]\n[a.d]", "{a:{b:{},d:{}},c:{}}"},
    {"sub-table of a dotted table", "[a]\nb.c = 1\n[a.b.d]\nx = 2", "{a:{b:{c:1,d:{x:2}}}}"},
    {"dotted key into an implied table", "[a.b.c]\nx = 1\n[a]\nb.d = 2", "{a:{b:{c:{x:1},d:2}}}"},
    {"table from the root's dotted keys", "a.b = 1\n[a.c]\nx = 2", "{a:{b:1,c:{x:2}}}"},
    {"array of tables", "[[a]]\nx = 1\n[[a]]\n[[a]]\nx = 3", "{a:[{x:1},{},{x:3}]}"},
    {"sub-table of the last element", "[[a]]\n[a.b]\nx = 1\n[[a]]\n[a.b]\nx = 2",
     "{a:[{b:{x:1}},{b:{x:2}}]}"},
    {"nested arrays of tables", "[[a]]\n[[a.b]]\nx=1\n[[a.b]]\nx=2\n[[a]]\n[[a.b]]\nx=3",
     "{a:[{b:[{x:1},{x:2}]},{b:[{x:3}]}]}"},
    {"array of tables in an implied table", "[[a.b]]\nx = 1\n[a]\ny = 2", "{a:{b:[{x:1}],y:2}}"},
    {"twelve keys in one table", "a=1\nb=2\nc=3\nd=4\ne=5\nf=6\ng=7\nh=8\ni=9\nj=0\nk=1\nl=2",
     "{a:1,b:2,c:3,d:4,e:5,f:6,g:7,h:8,i:9,j:0,k:1,l:2}"},
};

static void accepts(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT(valid); i++) {
        struct toml_doc doc;
        struct err err = {0};
        char got[1024];
        if (parse(&doc, valid[i].text, strlen(valid[i].text), &err) != 0)
            fail_msg("%s: %s", valid[i].what, err.text);
        struct strbuf sb = strbuf_on(got, sizeof(got));
        dump(&sb, doc.root);
        if (strcmp(got, valid[i].want) != 0)
            fail_msg("%s:\n  got      %s\n  expected %s", valid[i].what, got, valid[i].want);
        toml_free(&doc);
    }
}

/* ---- what is not ---- */

static const struct {
    const char *what, *text, *place, *words;
} invalid[] = {
    {"no value", "a =", "1:4", "found the end of the file; expected a value"},
    {"no value, next line", "a =\nb = 1", "1:4", "found the end of the line; expected a value"},
    {"no equals sign", "a 1", "1:3", "found '1'; expected = after the key"},
    {"key alone", "a\n", "1:2", "expected = after the key"},
    {"no key", "= 1", "1:1", "found '='; expected a key"},
    {"key of a foreign letter", "aé = 1", "1:2", "found 'é'; expected = after the key"},
    {"two values", "a = 1 2", "1:7", "found '2'; expected the end of the line"},
    {"two pairs on a line", "a = 1 b = 2", "1:7", "found 'b'; expected the end of the line"},
    {"bare word", "a = yes", "1:5", "found 'y'; expected a value (strings stand in quotes)"},
    {"capital boolean", "a = True", "1:5", "found 'T'; expected a value"},
    {"half a boolean", "a = tru", "1:5", "expected a value (true, false"},
    {"too much of a boolean", "a = falsey", "1:5", "expected a value (true, false"},
    {"dotted key ends", "a. = 1", "1:4", "expected a key"},
    {"dotted key begins", ".a = 1", "1:1", "expected a key"},
    {"multi-line key", "\"\"\"a\"\"\" = 1", "1:1", "found a multi-line string; expected a key"},
    {"key twice", "a = 1\n\na = 2", "3:1",
     "found 'a', which is an integer since line 1; expected each key once"},
    {"key twice, quoted", "a = 1\n\"a\" = 2", "2:1", "expected each key once"},
    {"key twice in a larger table", "a=1\nb=2\nc=3\nd=4\ne=5\nf=6\ng=7\nh=8\ni=9\nj=0\nc=1", "11:1",
     "since line 3; expected each key once"},
    {"value as a table", "a = 1\na.b = 2", "2:1", "found 'a', which is an integer since line 1"},
    {"table as a value", "a.b = 1\na = 2", "2:1", "found 'a', which is a table of dotted keys"},
    {"deep value as a table", "a.b = 1\na.b.c = 2", "2:3", "found 'b', which is an integer"},
    {"string not closed", "a = \"b", "1:7", "found the end of the file; expected \" to close"},
    {"string over a line end", "a = \"b\nc\"", "1:7", "found the end of the line; expected \" at"},
    {"string over CRLF", "a = 'b\r\nc'", "1:7", "found the end of the line; expected ' at"},
    {"backslash before a line end", "a = \"b\\\nc\"", "1:8", "found the end of the line; expected"},
    {"column in characters", "a = \"äöü\" x", "1:11", "found 'x'; expected the end of the line"},
    {"unknown escape", "a = \"\\x41\"", "1:7", "found 'x'; expected one of b t n f r"},
    {"escaped space", "a = \"\"\"\\ x\"\"\"", "1:9", "found a space; expected one of b t n f r"},
    {"short unicode escape", "a = \"\\u00\"", "1:10", "expected 4 hexadecimal digits after \\u"},
    {"long unicode escape cut", "a = \"\\U0001F60\"", "1:15", "expected 8 hexadecimal digits"},
    {"surrogate", "a = \"\\uD800\"", "1:6", "found U+D800; expected a character"},
    {"beyond Unicode", "a = \"\\U00110000\"", "1:6", "found U+110000; expected a character"},
    {"NUL escape", "a = \"x\\u0000\"", "1:7", "found the character U+0000; expected text without"},
    {"multi-line not closed", "a = \"\"\"b\n\"\"", "2:3", "\"\"\" to close the string of line 1"},
    {"literal not closed", "\na = '''b\n''", "3:3", "expected ''' to close the string of line 2"},
    {"six quotes at the end", "a = \"\"\"b\"\"\"\"\"\"", "1:14", "found '\"'; expected the end"},
    {"control character", "a = \"\001\"", "1:6", "found the control character U+0001; expected"},
    {"delete character", "a = '\177'", "1:6", "found the control character U+007F"},
    {"control character in a comment", "a = 1 # \002", "1:9", "U+0002"},
    {"carriage return in a comment", "# a\rb", "1:4", "found a lone carriage return; expected"},
    {"carriage return at the end", "a = 1\r", "1:6", "found a lone carriage return"},
    {"byte that is not UTF-8", "a = 'ü\xFF'", "1:7", "found the byte 0xFF; expected UTF-8"},
    {"overlong UTF-8", "# \xC0\xAF", "1:3", "found the byte 0xC0; expected UTF-8"},
    {"surrogate in UTF-8", "a = '\xED\xA0\x80'", "1:6", "found the byte 0xED"},
    {"UTF-8 cut at the end", "# \xE2\x82", "1:3", "found the byte 0xE2"},
    {"byte order mark, then a mistake",
     "\xEF\xBB\xBF"
     "ab = ?",
     "1:6", "found '?'; expected a value"},
    {"byte order mark in the middle", "a = 1\n\xEF\xBB\xBF[b]", "2:1", "found U+FEFF; expected"},
    {"leading zero", "a = 007", "1:5", "found a leading zero; expected a number without it"},
    {"leading zero of a float", "a = -01.5", "1:6", "found a leading zero"},
    {"underscore first", "a = _1", "1:5", "found '_'; expected a value"},
    {"underscore last", "a = 1_", "1:7", "found the end of the file; expected a digit after '_'"},
    {"two underscores", "a = 1__0", "1:7", "found '_'; expected a digit after '_'"},
    {"underscore before the point", "a = 1_.0", "1:7", "expected a digit after '_'"},
    {"point last", "a = 1.", "1:7", "expected a digit after the decimal point"},
    {"point first", "a = .5", "1:5", "found '.'; expected a value"},
    {"point before the exponent", "a = 1.e5", "1:7", "expected a digit after the decimal point"},
    {"empty exponent", "a = 1e+", "1:8", "expected a digit of the exponent"},
    {"two points", "a = 1.2.3", "1:8", "found '.'; expected the end of the number"},
    {"two signs", "a = +-1", "1:6", "found '-'; expected a digit"},
    {"signed hexadecimal", "a = -0x1", "1:7", "found 'x'; expected the end of the number"},
    {"capital prefix", "a = 0X1", "1:6", "found 'X'; expected the end of the number"},
    {"empty hexadecimal", "a = 0x", "1:7", "expected a hexadecimal digit"},
    {"underscore after the prefix", "a = 0x_1", "1:7", "expected a hexadecimal digit"},
    {"octal 8", "a = 0o18", "1:8", "found '8'; expected the end of the number"},
    {"binary 2", "a = 0b2", "1:7", "found '2'; expected a binary digit"},
    {"above 64 bits", "a = 9223372036854775808", "1:5", "found an integer beyond 64 bits"},
    {"below 64 bits", "a = -9223372036854775809", "1:5", "found an integer beyond 64 bits"},
    {"hexadecimal above 63 bits", "a = 0x8000000000000000", "1:5", "beyond 64 bits"},
    {"letters after a number", "a = 12ms", "1:7", "found 'm'; expected the end of the number"},
    {"infinity spelt out", "a = infinity", "1:8", "found 'i'; expected the end of the number"},
    {"month 13", "a = 1979-13-01", "1:10", "found month 13; expected 01 to 12"},
    {"month 0", "a = 1979-00-01", "1:10", "found month 00; expected 01 to 12"},
    {"day 30 of February", "a = 2024-02-30", "1:13", "found day 30; expected 01 to 29"},
    {"no leap year", "a = 2023-02-29", "1:13", "found day 29; expected 01 to 28"},
    {"century without leap day", "a = 1900-02-29", "1:13", "expected 01 to 28"},
    {"April has 30 days", "a = 2024-04-31", "1:13", "found day 31; expected 01 to 30"},
    {"hour 24", "a = 24:00:00", "1:5", "found hour 24; expected 00 to 23"},
    {"minute 60", "a = 07:60:00", "1:8", "found minute 60; expected 00 to 59"},
    {"second 61", "a = 1979-05-27T07:32:61Z", "1:22", "found second 61; expected 00 to 60"},
    {"offset hour", "a = 1979-05-27T07:32:00+24:00", "1:25", "found offset hour 24"},
    {"offset without colon", "a = 1979-05-27T07:32:00+0100", "1:27", "expected ':' in the offset"},
    {"short month", "a = 1979-5-27", "1:11", "found '-'; expected month of 2 digits"},
    {"no seconds", "a = 07:32", "1:10", "expected ':' after the minute"},
    {"empty fraction", "a = 07:32:00.", "1:14", "expected a digit of the second"},
    {"time with a zone", "a = 07:32:00Z", "1:13", "found 'Z'; expected the end of the local time"},
    {"date and T", "a = 1979-05-27T", "1:16", "expected hour of 2 digits"},
    {"long year", "a = 19790-05-27", "1:10", "found '-'; expected the end of the number"},
    {"array not closed", "a = [1,", "1:8", "found the end of the file; expected a value"},
    {"array without comma", "a = [1 2]", "1:8", "found '2'; expected ',' or ']' in the array"},
    {"array of a comma", "a = [,]", "1:6", "found ','; expected a value"},
    {"two commas", "a = [1,,2]", "1:8", "found ','; expected a value"},
    {"bracket too many", "a = [1]]", "1:8", "found ']'; expected the end of the line"},
    {"line end in an inline table", "a = { b = 1,\n c = 2 }", "1:13",
     "found the end of the line; expected a key"},
    {"line end first in an inline table", "a = {\n}", "1:6", "found the end of the line; expected"},
    {"comment in an inline table", "a = { # x\n}", "1:7", "found '#'; expected a key"},
    {"trailing comma in an inline table", "a = { b = 1, }", "1:14", "found '}'; expected a key"},
    {"inline table not closed", "a = { b = 1", "1:12", "expected ',' or '}' in the inline table"},
    {"key twice in an inline table", "a = { b = 1, b = 2 }", "1:14", "expected each key once"},
    {"dotted key into an inline table", "a = { b = 1 }\na.c = 2", "2:1",
     "which is an inline table"},
    {"and inside one", "a = { b = {c = 1}, b.d = 2 }", "1:20", "which is an inline table"},
    {"header into an inline table", "a = {}\n[a.b]", "2:2",
     "which is an inline table since line 1"},
    {"header of an inline table", "a = {}\n[a]", "2:2", "expected each table to be defined once"},
    {"header of a value", "a = 1\n[a]", "2:2", "expected each table to be defined once"},
    {"header below a value", "a = 1\n[a.b]", "2:2", "found 'a', which is an integer since line 1"},
    {"table twice", "[a]\n[b]\n[a]", "3:2", "found 'a', which is a table since line 1; expected"},
    {"table twice, below", "[a.b]\n[a.b]", "2:4", "expected each table to be defined once"},
    {"table of dotted keys", "[a]\nb.c = 1\n[a.b]", "3:4", "which is a table of dotted keys since"},
    {"dotted keys into a defined table", "[a.b]\n[a]\nb.c = 1", "3:1", "made by dotted keys right"},
    {"dotted keys through a defined table", "[a.b.c]\nz=9\n[a]\nb.c.t = 1", "4:3", "right here"},
    {"table and key", "[a]\nb = 1\n[a.b]", "3:4", "expected each table to be defined once"},
    {"key of a sub-table's name", "[a.b]\n[a]\nb = 1", "3:1", "expected each key once"},
    {"array of tables over a table", "[a]\n[[a]]", "2:3", "free or an array of tables"},
    {"array of tables over an implied table", "[[a.b]]\n[[a]]", "2:3", "which is a table since"},
    {"array of tables over an array", "a = []\n[[a]]", "2:3", "which is an array of values since"},
    {"table over an array of tables", "[[a]]\n[a]", "2:2", "which is an array of tables"},
    {"header into an array of values", "a = [{b = 1}]\n[a.c]", "2:2",
     "which is an array of values"},
    {"dotted key into an array of tables", "[[a.b]]\n[a]\nb.y = 2", "3:1", "right here"},
    {"empty header", "[]", "1:2", "found ']'; expected a key"},
    {"header not closed", "[a", "1:3", "expected ] after the name of the table"},
    {"header not closed, key", "[a\nb = 1", "1:3", "found the end of the line; expected ]"},
    {"array header half closed", "[[a]", "1:5", "expected ]] after the name of the table"},
    {"array header with a gap", "[[a] ]", "1:5", "found a space; expected ]]"},
    {"header with a gap", "[ [a]]", "1:3", "found '['; expected a key"},
    {"text after a header", "[a] b = 1", "1:5", "found 'b'; expected the end of the line"},
    {"header of a dot", "[a.]", "1:4", "found ']'; expected a key"},
    {"invisible character", "a = \xE2\x80\x8B", "1:5", "found U+200B; expected a value"},
};

static void refuses(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT(invalid); i++) {
        struct toml_doc doc;
        struct err err = {0};
        char place[64];
        const int rc = parse(&doc, invalid[i].text, strlen(invalid[i].text), &err);
        if (rc != -EINVAL || err.code != rc)
            fail_msg("%s: accepted, rc %d", invalid[i].what, rc);
        snprintf(place, sizeof(place), "x.toml:%s: ", invalid[i].place);
        if (!str_starts(err.text, place) || !strstr(err.text, invalid[i].words) ||
            !strstr(err.text, "expected"))
            fail_msg("%s: '%s'\n  expected %s %s", invalid[i].what, err.text, place,
                     invalid[i].words);
        assert_null(doc.root);
        toml_free(&doc);
    }
}

static void refuses_nul(void **state) {
    (void)state;
    struct toml_doc doc;
    struct err err;
    assert_int_equal(parse(&doc, "a = 'b\0c'", 9, &err), -EINVAL);
    assert_non_null(strstr(err.text, "x.toml:1:7: found the control character U+0000"));
    assert_int_equal(toml_parse(&doc, "a", 1, "x", NULL), -EINVAL); /* err may be NULL */
}

/* Every document cut at every byte: never a crash, and an error that names a place. */
static void survives_cuts(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT(valid); i++) {
        for (size_t n = 0; n <= strlen(valid[i].text); n++) {
            struct toml_doc doc;
            struct err err = {0};
            const int rc = parse(&doc, valid[i].text, n, &err);
            if (rc < 0 && (rc != -EINVAL || !str_starts(err.text, "x.toml:")))
                fail_msg("%s, %zu bytes: %s", valid[i].what, n, err.text);
            toml_free(&doc);
        }
    }
}

/* ---- depth, places, access, files, speed ---- */

static void depth_is_limited(void **state) {
    (void)state;
    static const struct {
        const char *open, *close;
        int deep;
        const char *fault;
    } cases[] = {
        {"[", "]", 64, NULL},
        {"[", "]", 65, "x.toml:1:67: found more than 64 nested"},
        {"[", "]", 50000, "found more than 64 nested"},
        {"{a=", "}", 63, NULL},
        {"{a=", "}", 65, "found more than 64 nested arrays and tables; expected fewer"},
        {"{a=", "}", 20000, "found more than 64 nested"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        const size_t unit = strlen(cases[i].open), deep = (size_t)cases[i].deep;
        char *text = calloc(1, deep * (unit + 1) + 16), *p = stpcpy(text, "a=");
        for (size_t k = 0; k < deep; k++)
            p = stpcpy(p, cases[i].open);
        if (unit > 1)
            p = stpcpy(p, "1");
        for (size_t k = 0; k < deep; k++)
            p = stpcpy(p, cases[i].close);
        struct toml_doc doc;
        struct err err = {0};
        const int rc = parse(&doc, text, (size_t)(p - text), &err);
        if ((rc == 0) != !cases[i].fault || (rc < 0 && !strstr(err.text, cases[i].fault)))
            fail_msg("%d times '%s': %s", cases[i].deep, cases[i].open, err.text);
        toml_free(&doc);
        free(text);
    }
    char key[140] = "a";
    for (int parts = 2; parts <= 65; parts++) {
        strcat(key, ".a");
        char text[160];
        snprintf(text, sizeof(text), "%s=1", key);
        struct toml_doc doc;
        struct err err = {0};
        const int rc = parse(&doc, text, strlen(text), &err);
        if ((rc == 0) != (parts <= 64))
            fail_msg("%d parts: %s", parts, err.text);
        toml_free(&doc);
    }
}

static void places(void **state) {
    (void)state;
    static const char text[] = "ä = 1\n" /* not a bare key, but in quotes it is one */;
    struct toml_doc doc;
    struct err err;
    assert_int_equal(parse(&doc, text, sizeof(text) - 1, &err), -EINVAL);

    static const char good[] = "\"ä\" = 1\n  b = [ 'é', 2,\n 3 ]\n[t]\n x.y = { z = 4 }\n[[u]]\n";
    assert_int_equal(parse(&doc, good, sizeof(good) - 1, &err), 0);
    const struct toml *t = toml_get(doc.root, "t"), *x = toml_get(t, "x");
    const struct toml *array = toml_get(doc.root, "b");
    const struct {
        const char *what;
        const struct toml *at;
        int line, col;
    } cases[] = {
        {"first key", toml_get(doc.root, "ä"), 1, 1},
        {"array", array, 2, 3},
        {"first element", array->first, 2, 9},
        {"second element", array->first->next, 2, 14},
        {"third element", array->first->next->next, 3, 2},
        {"table", t, 4, 2},
        {"dotted", x, 5, 2},
        {"dotted end", toml_get(x, "y"), 5, 4},
        {"in an inline table", toml_get(toml_get(x, "y"), "z"), 5, 10},
        {"array of tables", toml_get(doc.root, "u"), 6, 3},
    };
    for (size_t i = 0; i < COUNT(cases); i++)
        if (cases[i].at->line != cases[i].line || cases[i].at->col != cases[i].col)
            fail_msg("%s: %d:%d", cases[i].what, cases[i].at->line, cases[i].at->col);
    assert_int_equal(toml_err(&doc, x, &err, -ERANGE, "no %s", "good"), -ERANGE);
    assert_string_equal(err.text, "x.toml:5:2: no good");
    toml_free(&doc);
}

static void typed_access(void **state) {
    (void)state;
    static const char text[] = "s = 'x'\ni = 7\nr = 2.5\nb = true\n";
    struct toml_doc doc;
    struct err err = {0};
    assert_int_equal(parse(&doc, text, sizeof(text) - 1, &err), 0);
    const char *s = "none";
    int64_t i = -1;
    assert_int_equal(toml_take_string(&doc, doc.root, "s", &s, &err), 0);
    assert_string_equal(s, "x");
    assert_int_equal(toml_take_int(&doc, doc.root, "i", 0, 7, &i, &err), 0);
    assert_int_equal(i, 7);

    s = "same";
    assert_int_equal(toml_take_string(&doc, doc.root, "absent", &s, &err), 0);
    assert_string_equal(s, "same");
    assert_null(toml_get(NULL, "s"));
    assert_null(toml_get(toml_get(doc.root, "s"), "s"));

    assert_int_equal(toml_take_string(&doc, doc.root, "i", &s, &err), -EINVAL);
    assert_string_equal(err.text, "x.toml:2:1: found integer for 'i'; expected string");
    assert_int_equal(toml_take_int(&doc, doc.root, "r", 0, 9, &i, &err), -EINVAL);
    assert_string_equal(err.text, "x.toml:3:1: found float for 'r'; expected integer");
    assert_int_equal(toml_take_int(&doc, doc.root, "i", 8, 9, &i, &err), -EINVAL);
    assert_string_equal(err.text, "x.toml:2:1: found 7 for 'i'; expected 8 to 9");
    assert_int_equal(i, 7);
    toml_free(&doc);
    toml_free(&doc); /* harmless */
}

static void files(void **state) {
    (void)state;
    struct toml_doc doc;
    struct err err = {0};
    assert_int_equal(toml_parse_file(&doc, "/nonexistent/x.toml", &err), -ENOENT);
    assert_non_null(strstr(err.text, "/nonexistent/x.toml: No such file"));
    toml_free(&doc);

    char path[] = "/tmp/test_toml_XXXXXX";
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, "a = 1\nb\n", 8), 8);
    close(fd);
    assert_int_equal(toml_parse_file(&doc, path, &err), -EINVAL);
    char want[80];
    snprintf(want, sizeof(want), "%s:2:2: found the end of the line; expected =", path);
    assert_true(str_starts(err.text, want));
    assert_int_equal(truncate(path, 6), 0);
    assert_int_equal(toml_parse_file(&doc, path, &err), 0);
    assert_string_equal(doc.name, path);
    assert_int_equal(toml_get(doc.root, "a")->integer, 1);
    toml_free(&doc);
    unlink(path);
}

/* A text of n lines in one table: "key_000001 = { code = 0xa6, ... }". */
static char *big_table(size_t n, size_t *len) {
    char *text = malloc(n * 100 + 16), *p = stpcpy(text, "[event]\n");
    for (size_t i = 0; i < n; i++)
        p +=
            sprintf(p, "\"EXE_ACTIVITY.%06zu\" = { code = 0x%zx, umask = %zu, counters = '0-7' }\n",
                    i, i, i % 256);
    *len = (size_t)(p - text);
    return text;
}

static double seconds_to_parse(size_t n) {
    size_t len;
    char *text = big_table(n, &len);
    double best = 1e9;
    for (int i = 0; i < 5; i++) {
        struct toml_doc doc;
        struct err err = {0};
        struct timespec a, b;
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &a);
        if (toml_parse(&doc, text, len, "big", &err) != 0)
            fail_msg("%s", err.text);
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &b);
        const double s = (double)(b.tv_sec - a.tv_sec) + (double)(b.tv_nsec - a.tv_nsec) / 1e9;
        best = s < best ? s : best;
        const struct toml *event = toml_get(doc.root, "event");
        assert_int_equal(event->n, n);
        for (size_t k = 0; k < n; k += 37) {
            char key[40];
            snprintf(key, sizeof(key), "EXE_ACTIVITY.%06zu", k);
            const struct toml *t = toml_get(event, key);
            if (!t || toml_get(t, "code")->integer != (int64_t)k || t->line != (int)k + 2)
                fail_msg("%s", key);
        }
        assert_null(toml_get(event, "EXE_ACTIVITY.x"));
        toml_free(&doc);
    }
    free(text);
    return best;
}

/* Sixteen times the keys take about sixteen times as long, not 256 times. */
static void large_tables_are_linear(void **state) {
    (void)state;
    const double small = seconds_to_parse(500), large = seconds_to_parse(8000);
    print_message("          500 keys %.2f ms, 8000 keys %.2f ms\n", small * 1e3, large * 1e3);
    if (large > small * 80)
        fail_msg("8000 keys take %.0f times as long as 500", large / small);
}

/* One line of 200 kB: columns must not be counted from its beginning for every element. */
static void long_lines_are_linear(void **state) {
    (void)state;
    enum { N = 50000 };
    char *text = malloc(N * 5 + 16), *p = stpcpy(text, "a = [");
    for (int i = 0; i < N; i++)
        p = stpcpy(p, "'ä',");
    p = stpcpy(p, "]");
    struct toml_doc doc;
    struct err err = {0};
    assert_int_equal(toml_parse(&doc, text, (size_t)(p - text), "long", &err), 0);
    const struct toml *array = toml_get(doc.root, "a");
    assert_int_equal(array->n, N);
    const struct toml *last = array->first;
    while (last->next)
        last = last->next;
    assert_int_equal(last->col, 6 + 4 * (N - 1));
    toml_free(&doc);
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accepts),
        cmocka_unit_test(refuses),
        cmocka_unit_test(refuses_nul),
        cmocka_unit_test(survives_cuts),
        cmocka_unit_test(depth_is_limited),
        cmocka_unit_test(places),
        cmocka_unit_test(typed_access),
        cmocka_unit_test(files),
        cmocka_unit_test(large_tables_are_linear),
        cmocka_unit_test(long_lines_are_linear),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
