#include "pmu/symbols/code.h"

#include "base/libraries.h"
#include "base/sort.h"
#include "base/str.h"

#include <capstone/capstone.h>
#include <elf.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static struct {
    __typeof__(cs_open) *open;
    __typeof__(cs_option) *option;
    __typeof__(cs_malloc) *alloc;
    __typeof__(cs_disasm_iter) *next;
    __typeof__(cs_free) *free;
    __typeof__(cs_close) *close;
} cs;

static const struct machine {
    uint16_t elf;
    cs_arch arch;
    cs_mode mode;
} machines[] = {{EM_X86_64, CS_ARCH_X86, CS_MODE_64},
                {EM_386, CS_ARCH_X86, CS_MODE_32},
                {EM_AARCH64, CS_ARCH_ARM64, CS_MODE_ARM}};

static int load(struct err *err) {
    static const struct library_function functions[] = {
        {"cs_open", &cs.open},        {"cs_option", &cs.option}, {"cs_malloc", &cs.alloc},
        {"cs_disasm_iter", &cs.next}, {"cs_free", &cs.free},     {"cs_close", &cs.close}};
    static pthread_mutex_t loading = PTHREAD_MUTEX_INITIALIZER;
    static bool loaded;
    pthread_mutex_lock(&loading);
    const int rc = loaded ? 0
                          : library_load(LIBRARY_CAPSTONE, functions,
                                         sizeof(functions) / sizeof(functions[0]), err);
    loaded = rc == 0;
    pthread_mutex_unlock(&loading);
    return rc;
}

/*
 * How long an instruction is that capstone does not know: capstone 4 lacks most of AVX-512, which
 * is where the C library's strings spend their time. Only VEX and EVEX, whose shape is regular
 * (Intel SDM volume 2, 2.3 and 2.7); of all else one byte is skipped.
 */
static size_t skip_x86(const uint8_t *code, size_t size, size_t at, void *user) {
    (void)user;
    const uint8_t *p = code + at;
    const size_t left = size - at;
    if (left < 6)
        return left > 0;
    const size_t prefix = p[0] == 0xC5 ? 2 : p[0] == 0xC4 ? 3 : p[0] == 0x62 ? 4 : 0;
    if (prefix == 0)
        return 1;
    const unsigned map = prefix == 2 ? 1 : p[1] & (prefix == 3 ? 31 : 7);
    const uint8_t opcode = p[prefix], modrm = p[prefix + 1];
    const unsigned mod = modrm >> 6, rm = modrm & 7;
    size_t n = prefix + 2;
    if (mod != 3 && rm == 4) {
        n++;
        if (mod == 0 && n <= left && (p[n - 1] & 7) == 5)
            n += 4;
    }
    n += mod == 1 ? 1 : mod == 2 || (mod == 0 && rm == 5) ? 4 : 0;
    n += map == 3 || (map == 1 && ((opcode >= 0x70 && opcode <= 0x73) || opcode == 0xC2 ||
                                   (opcode >= 0xC4 && opcode <= 0xC6)));
    return n <= left ? n : 1;
}

static bool in_group(const cs_insn *i, uint8_t group) {
    return i->detail && memchr(i->detail->groups, group, i->detail->groups_count);
}

/* Direct: the operand is a number, and the only or the last one (cbz x0, 0x1234). */
static uint64_t target_of(const cs_insn *i, cs_arch arch) {
    if (!in_group(i, CS_GRP_JUMP) && !in_group(i, CS_GRP_CALL) &&
        !in_group(i, CS_GRP_BRANCH_RELATIVE))
        return 0;
    if (arch == CS_ARCH_X86) {
        const cs_x86 *x = &i->detail->x86;
        return x->op_count == 1 && x->operands[0].type == X86_OP_IMM ? (uint64_t)x->operands[0].imm
                                                                     : 0;
    }
    const cs_arm64 *a = &i->detail->arm64;
    return a->op_count > 0 && a->operands[a->op_count - 1].type == ARM64_OP_IMM
               ? (uint64_t)a->operands[a->op_count - 1].imm
               : 0;
}

static int put(struct code *c, const cs_insn *i, cs_arch arch, size_t cap) {
    char line[sizeof(i->mnemonic) + sizeof(i->op_str) + 2], safe[sizeof(line)];
    struct strbuf sb = strbuf_on(line, sizeof(line));
    strbuf_add(&sb, "%s%s%s", i->mnemonic, i->op_str[0] ? " " : "", i->op_str);
    str_safe(safe, sizeof(safe), line);
    const size_t text = c->text.n;
    if (c->n >= cap)
        return -EFBIG;
    if (array_append(&c->text, safe, strlen(safe) + 1) < 0)
        return -ENOMEM;
    struct instruction *o = &c->at[c->n++];
    *o = (struct instruction){.at = i->address,
                              .target = target_of(i, arch),
                              .text = (uint32_t)text,
                              .length = (uint8_t)i->size};
    memcpy(o->bytes, i->bytes, i->size < INSTRUCTION_BYTES ? i->size : INSTRUCTION_BYTES);
    return 0;
}

int code_read(uint16_t machine, bool intel, const uint8_t *bytes, size_t n, uint64_t address,
              struct code *out, struct err *err) {
    const struct machine *m = NULL;
    csh handle = 0;
    *out = (struct code){0};
    for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++)
        if (machines[i].elf == machine)
            m = &machines[i];
    if (!m)
        return err_set(err, -ENOTSUP, "instructions of this kind of machine are not decoded");
    if (n > CODE_BYTES_MAX)
        return err_set(err, -EFBIG, "the function has %zu bytes: only the first MB is decoded", n);
    int rc = load(err);
    if (rc < 0)
        return rc;
    if (cs.open(m->arch, m->mode, &handle) != CS_ERR_OK)
        return err_set(err, -ENOTSUP, "capstone was built without this kind of machine");
    cs.option(handle, CS_OPT_DETAIL, CS_OPT_ON);
    cs.option(handle, CS_OPT_SKIPDATA, CS_OPT_ON);
    const cs_opt_skipdata skip = {.mnemonic = ".byte", .callback = skip_x86};
    if (m->arch == CS_ARCH_X86) {
        cs.option(handle, CS_OPT_SKIPDATA_SETUP, (size_t)&skip);
        cs.option(handle, CS_OPT_SYNTAX, intel ? CS_OPT_SYNTAX_INTEL : CS_OPT_SYNTAX_ATT);
    }
    cs_insn *i = cs.alloc(handle);
    out->at = calloc(n ? n : 1, sizeof(*out->at));
    if (!i || !out->at)
        rc = -ENOMEM;
    for (size_t left = n; rc == 0 && cs.next(handle, &bytes, &left, &address, i);)
        rc = put(out, i, m->arch, n);
    if (i)
        cs.free(i, 1);
    cs.close(&handle);
    struct instruction *less =
        rc == 0 && out->n > 0 ? realloc(out->at, out->n * sizeof(*less)) : NULL;
    out->at = less ? less : out->at;
    if (rc < 0) {
        code_destroy(out);
        err_set(err, rc, "decoding instructions: %s", strerror(-rc));
    }
    return rc;
}

void code_destroy(struct code *c) {
    free(c->at);
    array_free(&c->text);
    *c = (struct code){0};
}

size_t code_instruction_at(const struct code *c, uint64_t address) {
    size_t i;
    SORT_FIRST(i, c->n, c->at[i].at + c->at[i].length > address);
    return i < c->n && c->at[i].at <= address ? i : c->n;
}
