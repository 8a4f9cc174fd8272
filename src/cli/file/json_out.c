#include "cli/file/json_out.h"

#include "cli/cli.h"

#include <math.h>
#include <stdlib.h>

static void *take(size_t n) {
    void *p = malloc(n);
    if (!p)
        cli_lack();
    return p;
}

void json_watch(void) {
    json_set_alloc_funcs(take, free);
}

int json_print(json_t *o, size_t flags) {
    char *text = o && !cli_lacks() ? json_dumps(o, flags) : NULL;
    json_decref(o);
    if (!text) {
        cli_lack();
        return EXIT_ERROR;
    }
    puts(text);
    free(text);
    return EXIT_OK;
}

json_t *json_number(double v) {
    return isfinite(v) ? json_real(v) : json_null();
}
