/* Instructions by capstone, x86-64, x86 and arm64, in the syntax that objdump shows by itself
 * (AT&T), or Intel's. */
#ifndef TDTOP_PMU_SYMBOLS_CODE_H
#define TDTOP_PMU_SYMBOLS_CODE_H

#include "base/array.h"
#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CODE_BYTES_MAX = 1 << 20, INSTRUCTION_BYTES = 16 };

struct instruction {
    uint64_t at;     /* address as of code_read, or offset of the module where names.h says so */
    uint64_t target; /* of a direct branch or call, as `at`; 0: none */
    uint32_t text;   /* in code.text: mnemonic, a space, operands */
    uint8_t length;
    uint8_t bytes[INSTRUCTION_BYTES];
};

struct code {
    struct instruction *at; /* owned */
    size_t n;
    ARRAY(char) text;
};

/*
 * Decodes n bytes that lie at `address`. machine: EM_X86_64, EM_386, EM_AARCH64. What is no
 * instruction is ".byte". 0, or a negative errno with words (capstone is missing, the machine is
 * another, -EFBIG); code_destroy frees.
 */
int code_read(uint16_t machine, bool intel, const uint8_t *bytes, size_t n, uint64_t address,
              struct code *out, struct err *err);
void code_destroy(struct code *c);
/* The place of the instruction that has an address, or n: none has it. */
size_t code_instruction_at(const struct code *c, uint64_t address);

#endif
