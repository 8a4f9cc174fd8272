#include "db/store_sqlite_sum.h"

#include "db/crc32c.h"

/* The type, and so many bytes: what is next to each other is not the same as what is one. */
static uint32_t add(uint32_t crc, int type, const void *bytes, size_t n) {
    const int64_t head[] = {type, (int64_t)n};
    crc = crc32c_more(crc, head, sizeof(head));
    return n ? crc32c_more(crc, bytes, n) : crc;
}

static uint32_t add_value(uint32_t crc, sqlite3_value *v) {
    const int type = sqlite3_value_type(v);
    const int64_t whole = type == SQLITE_INTEGER ? sqlite3_value_int64(v) : 0;
    const double real = type == SQLITE_FLOAT ? sqlite3_value_double(v) : 0;
    const void *bytes = type == SQLITE_TEXT   ? (const void *)sqlite3_value_text(v)
                        : type == SQLITE_BLOB ? sqlite3_value_blob(v)
                                              : NULL;
    if (type == SQLITE_INTEGER)
        return add(crc, type, &whole, sizeof(whole));
    if (type == SQLITE_FLOAT)
        return add(crc, type, &real, sizeof(real));
    return add(crc, type, bytes, bytes ? (size_t)sqlite3_value_bytes(v) : 0);
}

static void row_crc(sqlite3_context *c, int n, sqlite3_value **arg) {
    uint32_t crc = 0;
    for (int i = 0; i < n; i++)
        crc = add_value(crc, arg[i]);
    sqlite3_result_int64(c, crc);
}

int sq_add_sum(sqlite3 *db) {
    return sqlite3_create_function(db, "row_crc", -1,
                                   SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY, NULL,
                                   row_crc, NULL, NULL);
}
