/*
 * The functions of one file: 12 bytes each, with their names left in the file when these are many.
 * A file of 1 GB with debug information has its own in a few MB.
 *
 * Of several names of one address the one that perf shows is taken: one with a size, a function
 * rather than a label, not a weak one, a global one, fewer underscores in front, the longer.
 */
#ifndef TDTOP_PMU_SYMBOLS_SYMTAB_H
#define TDTOP_PMU_SYMBOLS_SYMTAB_H

#include "pmu/symbols/elf_image.h"

enum { SYMBOL_NAME_MAX = 4096 };

/* Which file a name is in: the one with .symtab, or the one with .dynsym. */
enum { STRINGS_SYMTAB, STRINGS_DYNSYM, STRINGS };

struct symbol {
    uint32_t at; /* from symtab.base */
    uint32_t size : 26;
    uint32_t rank : 3; /* higher is better; the rest of the order needs the names */
    uint32_t sized : 1;
    uint32_t strings : 1;
    uint32_t plt : 1;
    uint32_t name; /* offset in strings */
};

struct symtab {
    struct elf_load load[ELF_LOADS_MAX]; /* of the file that is mapped */
    int n_load;
    uint16_t machine;
    uint64_t base; /* lowest address that is executed */
    struct symbol *symbol;
    size_t n, cap;
    struct strings {
        struct bytes from; /* owned: a descriptor, or memory */
        uint8_t *memory;   /* owned */
        uint64_t offset, size;
    } strings[STRINGS];
};

/* For a file that is mapped: what is executed where. Holds nothing yet. */
void symtab_init(struct symtab *t, const struct elf_image *mapped);
void symtab_destroy(struct symtab *t);

/*
 * Adds the functions of a section of symbols; their names are looked for in `from` later, through a
 * descriptor of its own. 0, or a negative errno; more than `max` bytes are not taken (-EFBIG).
 */
int symtab_add(struct symtab *t, const struct elf_image *e, const Elf64_Shdr *symbols, int strings,
               size_t max);
/* Adds the stubs by which the file calls others: NAME@plt. */
int symtab_add_plt(struct symtab *t, const struct elf_image *e);
/* Sorts what was added; before the first find. */
void symtab_seal(struct symtab *t);

/* The function that has the address, or NULL; *end is where it ends. Reads no file. Any thread:
 * nothing of the table changes. */
const struct symbol *symtab_find(const struct symtab *t, uint64_t address, uint64_t *end);
/* The name of what symtab_find found, as it is in the table; "" if it cannot be read. Of a stub
 * with
 * "@plt". Returns buf. */
const char *symtab_name(const struct symtab *t, const struct symbol *s, char *buf, size_t cap);

/* Bytes of memory that it has. */
size_t symtab_bytes(const struct symtab *t);

#endif
