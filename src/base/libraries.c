#include "base/libraries.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>

static const struct {
    const char *file, *package;
} libraries[LIBRARIES] = {
    [LIBRARY_ELF] = {"libelf.so.1", "libelf1"},
    [LIBRARY_DW] = {"libdw.so.1", "libdw1"},
    [LIBRARY_CAPSTONE] = {"libcapstone.so.4", "libcapstone4"},
    [LIBRARY_LZMA] = {"liblzma.so.5", "liblzma5"},
    [LIBRARY_MICROHTTPD] = {"libmicrohttpd.so.12", "libmicrohttpd12"},
    [LIBRARY_PQ] = {"libpq.so.5", "libpq5"},
};

int library_load(enum library which, const struct library_function *f, int n, struct err *err) {
    /* dlopen counts and locks; a library stays, because names of it are kept in tables */
    void *handle = dlopen(libraries[which].file, RTLD_NOW | RTLD_LOCAL);
    if (!handle)
        return err_set(err, -ENOENT, "%s is not installed: apt install %s", libraries[which].file,
                       libraries[which].package);
    for (int i = 0; i < n; i++) {
        void *symbol = dlsym(handle, f[i].name);
        if (!symbol) {
            dlclose(handle);
            return err_set(err, -ENOTSUP, "%s has no %s: another version than that of package %s",
                           libraries[which].file, f[i].name, libraries[which].package);
        }
        memcpy(f[i].at, &symbol, sizeof(symbol));
    }
    return 0;
}
