/* Settings, keys of the user's own in them, and themes. */
#include "cli/config/config.h"
#include "fuzz.h"
#include "ui/term/theme.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const char *path = fuzz_file(data, size);
    struct config config;
    struct theme theme;
    struct err err = {0};
    if (config_load(&config, path, NULL, NULL, &err) < 0 && !err.text[0])
        abort();
    config_free(&config);
    err = (struct err){0};
    if (theme_load(&theme, path, &err) < 0 && !err.text[0])
        abort();
    return 0;
}
