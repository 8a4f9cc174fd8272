#include "pmu/symbols/elf_image.h"

#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { PROGRAM_HEADERS_MAX = 4096, NOTES_MAX = 64 << 10 };

static void widen_section(const Elf32_Shdr *s, Elf64_Shdr *out) {
    *out = (Elf64_Shdr){.sh_name = s->sh_name,
                        .sh_type = s->sh_type,
                        .sh_flags = s->sh_flags,
                        .sh_addr = s->sh_addr,
                        .sh_offset = s->sh_offset,
                        .sh_size = s->sh_size,
                        .sh_link = s->sh_link,
                        .sh_info = s->sh_info,
                        .sh_entsize = s->sh_entsize};
}

/* The build id in n bytes of notes (elf(5), "Notes"). */
static bool take_build_id(struct elf_image *e, const uint8_t *note, size_t n) {
    for (size_t at = 0; at + sizeof(Elf64_Nhdr) <= n;) {
        Elf64_Nhdr h;
        memcpy(&h, note + at, sizeof(h));
        at += sizeof(h);
        const uint64_t name = (h.n_namesz + UINT64_C(3)) & ~UINT64_C(3);
        const uint64_t text = (h.n_descsz + UINT64_C(3)) & ~UINT64_C(3);
        if (name > n - at || text > n - at - name)
            return false;
        if (h.n_type == NT_GNU_BUILD_ID && h.n_namesz == 4 && memcmp(note + at, "GNU", 4) == 0 &&
            h.n_descsz > 0 && h.n_descsz <= BUILD_ID_MAX) {
            memcpy(e->build_id, note + at + name, h.n_descsz);
            e->n_build_id = (uint8_t)h.n_descsz;
            return true;
        }
        at += name + text;
    }
    return false;
}

static void read_notes(struct elf_image *e, uint64_t offset, uint64_t size) {
    uint8_t *note = e->n_build_id == 0 && size <= NOTES_MAX ? malloc(size + 1) : NULL;
    if (note && file_read(&e->from, offset, note, size))
        take_build_id(e, note, size);
    free(note);
}

static void read_program_headers(struct elf_image *e, uint64_t at, uint16_t n, uint16_t size) {
    if (n > PROGRAM_HEADERS_MAX || size != (e->is_64 ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr)))
        return;
    for (int i = 0; i < n; i++) {
        Elf64_Phdr h;
        Elf32_Phdr h32;
        const uint64_t where = at + (uint64_t)i * size;
        if (!file_read(&e->from, where, e->is_64 ? (void *)&h : (void *)&h32, size))
            return;
        if (!e->is_64)
            h = (Elf64_Phdr){.p_type = h32.p_type,
                             .p_flags = h32.p_flags,
                             .p_offset = h32.p_offset,
                             .p_vaddr = h32.p_vaddr,
                             .p_filesz = h32.p_filesz,
                             .p_memsz = h32.p_memsz};
        if (h.p_type == PT_NOTE)
            read_notes(e, h.p_offset, h.p_filesz);
        if (h.p_type == PT_LOAD && (h.p_flags & PF_X) && e->n_load < ELF_LOADS_MAX &&
            h.p_filesz <= UINT64_MAX - h.p_vaddr && h.p_filesz <= UINT64_MAX - h.p_offset)
            e->load[e->n_load++] = (struct elf_load){h.p_vaddr, h.p_offset, h.p_filesz};
    }
}

/* Their number and that of the section of names do not fit the header where there are many. */
static int read_sections(struct elf_image *e, const Elf64_Ehdr *eh) {
    const size_t size = e->is_64 ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr);
    uint64_t n = eh->e_shnum, names = eh->e_shstrndx;
    if (eh->e_shoff == 0 || eh->e_shentsize != size)
        return 0;
    for (uint64_t i = 0; i < n || i == 0; i++) {
        Elf64_Shdr h;
        Elf32_Shdr h32;
        if (!file_read(&e->from, eh->e_shoff + i * size, e->is_64 ? (void *)&h : (void *)&h32,
                       size))
            break;
        if (!e->is_64)
            widen_section(&h32, &h);
        if (i == 0) {
            n = n ? n : h.sh_size;
            names = names == SHN_XINDEX ? h.sh_link : names;
            n = n < ELF_SECTIONS_MAX ? n : ELF_SECTIONS_MAX;
            e->section = calloc(n ? n : 1, sizeof(*e->section));
            if (!e->section)
                return -ENOMEM;
            if (n == 0)
                break;
        }
        e->section[e->n_section++] = h;
    }
    if (names < e->n_section) {
        e->section_names = (char *)elf_image_read(e, &e->section[names], ELF_SECTION_NAMES_MAX);
        e->n_section_names = e->section_names ? e->section[names].sh_size : 0;
    }
    return 0;
}

int elf_image_open(struct elf_image *e, struct bytes from, struct err *err) {
    *e = (struct elf_image){.from = from};
    union {
        unsigned char ident[EI_NIDENT];
        Elf32_Ehdr h32;
        Elf64_Ehdr h64;
    } u;
    const int own_order = __BYTE_ORDER == __LITTLE_ENDIAN ? ELFDATA2LSB : ELFDATA2MSB;
    const size_t got = file_read_some(&from, 0, &u, sizeof(u));
    if (got < sizeof(u.h32) || memcmp(u.ident, ELFMAG, SELFMAG) != 0 ||
        u.ident[EI_DATA] != own_order ||
        (u.ident[EI_CLASS] != ELFCLASS32 && (u.ident[EI_CLASS] != ELFCLASS64 || got < sizeof(u))))
        return err_set(err, -ENOEXEC, "not an ELF file of this byte order");
    e->is_64 = u.ident[EI_CLASS] == ELFCLASS64;
    Elf64_Ehdr h = u.h64;
    if (!e->is_64)
        h = (Elf64_Ehdr){.e_machine = u.h32.e_machine,
                         .e_phoff = u.h32.e_phoff,
                         .e_shoff = u.h32.e_shoff,
                         .e_phentsize = u.h32.e_phentsize,
                         .e_phnum = u.h32.e_phnum,
                         .e_shentsize = u.h32.e_shentsize,
                         .e_shnum = u.h32.e_shnum,
                         .e_shstrndx = u.h32.e_shstrndx};
    e->machine = h.e_machine;
    read_program_headers(e, h.e_phoff, h.e_phnum, h.e_phentsize);
    const int rc = read_sections(e, &h);
    if (rc < 0) {
        elf_image_close(e);
        return err_set(err, rc, "no memory");
    }
    const Elf64_Shdr *id = elf_image_section(e, ".note.gnu.build-id");
    if (id)
        read_notes(e, id->sh_offset, id->sh_size);
    return 0;
}

void elf_image_close(struct elf_image *e) {
    free(e->section);
    free(e->section_names);
    *e = (struct elf_image){.from = {.fd = -1}};
}

const Elf64_Shdr *elf_image_section(const struct elf_image *e, const char *name) {
    for (size_t i = 1; i < e->n_section; i++)
        if (e->section[i].sh_name < e->n_section_names &&
            strcmp(e->section_names + e->section[i].sh_name, name) == 0)
            return &e->section[i];
    return NULL;
}

uint8_t *elf_image_read(const struct elf_image *e, const Elf64_Shdr *s, size_t max) {
    if (s->sh_type == SHT_NOBITS || s->sh_size > max || s->sh_size > e->from.size)
        return NULL;
    uint8_t *data = malloc(s->sh_size + 1);
    if (data && file_read(&e->from, s->sh_offset, data, s->sh_size)) {
        data[s->sh_size] = '\0';
        return data;
    }
    free(data);
    return NULL;
}

size_t elf_image_symbols(const struct elf_image *e, const Elf64_Shdr *s, uint64_t n, Elf64_Sym *out,
                         size_t max) {
    const size_t size = e->is_64 ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
    const uint64_t all = s->sh_type == SHT_NOBITS ? 0 : s->sh_size / size;
    const uint64_t left = n < all ? all - n : 0;
    max = max < left ? max : left;
    const size_t got = file_read_some(&e->from, s->sh_offset + n * size, out, max * size) / size;
    for (size_t i = got; !e->is_64 && i-- > 0;) { /* from the last on: each grows where it stands */
        Elf32_Sym y;
        memcpy(&y, (char *)out + i * size, size);
        out[i] = (Elf64_Sym){.st_name = y.st_name,
                             .st_info = y.st_info,
                             .st_other = y.st_other,
                             .st_shndx = y.st_shndx,
                             .st_value = y.st_value,
                             .st_size = y.st_size};
    }
    return got;
}

bool elf_image_symbol(const struct elf_image *e, const Elf64_Shdr *s, uint64_t n, Elf64_Sym *out) {
    return elf_image_symbols(e, s, n, out, 1) == 1;
}

bool elf_to_offset(const struct elf_load *load, int n, uint64_t address, uint64_t *offset) {
    for (int i = 0; i < n; i++)
        if (address - load[i].address < load[i].size) {
            *offset = load[i].offset + (address - load[i].address);
            return true;
        }
    return false;
}

bool elf_to_address(const struct elf_load *load, int n, uint64_t offset, uint64_t *address) {
    for (int i = 0; i < n; i++)
        if (offset - load[i].offset < load[i].size) {
            *address = load[i].address + (offset - load[i].offset);
            return true;
        }
    return false;
}

bool elf_is_module(const struct bytes *b, const struct module *m) {
    struct elf_image e;
    if (elf_image_open(&e, *b, NULL) < 0)
        return false;
    const bool same =
        e.n_build_id == m->n_build_id && memcmp(e.build_id, m->build_id, e.n_build_id) == 0;
    elf_image_close(&e);
    return same;
}
