/*
 * An ELF file as far as names need it: what is executed where, sections, build id. Read by pread(2)
 * in small pieces, never mapped: a file that is cut while it is read ends no process. All numbers
 * are those of the file and may be any.
 */
#ifndef TDTOP_PMU_SYMBOLS_ELF_IMAGE_H
#define TDTOP_PMU_SYMBOLS_ELF_IMAGE_H

#include "pmu/symbols/module_file.h"

#include <elf.h>

enum { ELF_LOADS_MAX = 16, ELF_SECTIONS_MAX = 1 << 16, ELF_SECTION_NAMES_MAX = 4 << 20 };

/* A part of the file that is mapped to be executed. */
struct elf_load {
    uint64_t address, offset, size;
};

struct elf_image {
    struct bytes from; /* borrowed */
    uint16_t machine;  /* EM_X86_64, EM_AARCH64 ... */
    bool is_64;
    struct elf_load load[ELF_LOADS_MAX];
    int n_load;
    Elf64_Shdr *section; /* owned */
    size_t n_section;
    char *section_names; /* owned, NUL terminated */
    size_t n_section_names;
    uint8_t n_build_id, build_id[BUILD_ID_MAX];
};

/* 0, or a negative errno with words: -ENOEXEC if it is not ELF of this machine's byte order. */
int elf_image_open(struct elf_image *e, struct bytes from, struct err *err);
void elf_image_close(struct elf_image *e);

/* The first section of that name, or NULL. It may reach beyond the file's end. */
const Elf64_Shdr *elf_image_section(const struct elf_image *e, const char *name);
/* The n-th symbol of a section of them; false: there is none. For many: elf_image_symbols. */
bool elf_image_symbol(const struct elf_image *e, const Elf64_Shdr *s, uint64_t n, Elf64_Sym *out);
/* Reads up to `max` symbols from the n-th on: how many. */
size_t elf_image_symbols(const struct elf_image *e, const Elf64_Shdr *s, uint64_t n, Elf64_Sym *out,
                         size_t max);
/* The section as malloc'ed memory, NULL if it is larger than max or not all there. */
uint8_t *elf_image_read(const struct elf_image *e, const Elf64_Shdr *s, size_t max);

/* An address of the file as an offset in it, and back: false if nothing executed is there. */
bool elf_to_offset(const struct elf_load *load, int n, uint64_t address, uint64_t *offset);
bool elf_to_address(const struct elf_load *load, int n, uint64_t offset, uint64_t *address);

/* True if the file's build id is the module's, which has one. For file_open_module. */
bool elf_is_module(const struct bytes *b, const struct module *m);

#endif
