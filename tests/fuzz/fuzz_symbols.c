/* ELF: sections, symbols, build id, stubs, and the small table in .gnu_debugdata. */
#include "fuzz.h"
#include "pmu/symbols/debug_file.h"
#include "pmu/symbols/demangle.h"
#include "pmu/symbols/symtab.h"

#include <string.h>

enum { TABLE_MAX = 4 << 20 };

static void find_some(const struct symtab *t) {
    for (size_t i = 0; i < t->n; i += t->n / 64 + 1) {
        char raw[512], name[512];
        uint64_t end;
        const struct symbol *s = symtab_find(t, t->base + t->symbol[i].at, &end);
        if (s && end <= t->base + t->symbol[i].at)
            abort();
        if (s)
            demangle(name, sizeof(name), symtab_name(t, s, raw, sizeof(raw)));
    }
}

static void read_elf(struct bytes b, int depth) {
    struct elf_image e;
    if (elf_image_open(&e, b, NULL) < 0)
        return;
    static const char *const tables[] = {".symtab", ".dynsym"};
    struct symtab t;
    symtab_init(&t, &e);
    for (int i = 0; i < STRINGS; i++) {
        const Elf64_Shdr *s = elf_image_section(&e, tables[i]);
        if (s)
            symtab_add(&t, &e, s, i, TABLE_MAX);
    }
    symtab_add_plt(&t, &e);
    symtab_seal(&t);
    find_some(&t);
    symtab_destroy(&t);
    uint8_t *data;
    size_t n;
    if (depth == 0 && debug_data_read(&e, &data, &n, NULL) == 0) {
        read_elf((struct bytes){.fd = -1, .at = data, .size = n}, 1);
        free(data);
    }
    elf_image_close(&e);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    uint8_t *copy = malloc(size + 1); /* to its size, so that a read past its end is seen */
    if (!copy)
        abort();
    memcpy(copy, data, size);
    read_elf((struct bytes){.fd = -1, .at = copy, .size = size}, 0);
    free(copy);
    return 0;
}
