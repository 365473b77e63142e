// Runs AMX instructions on a processor without them: they raise SIGILL, and the handler
// executes them as the manual defines. It knows only the instructions that the code generator
// emits; others get the default action.
#ifndef AMX_EMULATOR_H
#define AMX_EMULATOR_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <ucontext.h>

typedef struct amx_state {
  uint8_t tile[8][16][64];
  uint8_t rows[8];
  uint16_t bytes[8];  // of a row
  uint64_t executed;
} amx_state;

static amx_state amx;

typedef struct amx_instruction {
  uint8_t opcode, prefix, mod, reg, rm, vvvv, length;
  uint64_t address, stride;
} amx_instruction;

static uint64_t amx_register(const greg_t *regs, int number) {
  static const int places[16] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP,
                                 REG_RSI, REG_RDI, REG_R8,  REG_R9,  REG_R10, REG_R11,
                                 REG_R12, REG_R13, REG_R14, REG_R15};
  return (uint64_t)regs[places[number]];
}

// A three-byte VEX instruction of map 0F38; false when it is none.
static bool amx_decode(const uint8_t *code, const greg_t *regs, amx_instruction *out) {
  if (code[0] != 0xc4 || (code[1] & 31) != 2)
    return false;
  int x = code[1] & 0x40 ? 0 : 8, b = code[1] & 0x20 ? 0 : 8, at = 5;
  *out = (amx_instruction){.opcode = code[3],
                           .prefix = code[2] & 3,
                           .vvvv = (~code[2] >> 3) & 15,
                           .mod = code[4] >> 6,
                           .reg = code[4] >> 3 & 7,
                           .rm = code[4] & 7};
  if (out->mod != 3) {
    int base = out->rm, scale = 0, index = 4;
    if (base == 4) {
      scale = code[at] >> 6;
      index = (code[at] >> 3 & 7) + x;
      base = code[at++] & 7;
    }
    if (out->mod == 0 && base == 5)
      return false;
    out->address = amx_register(regs, base + b);
    if (index != 4)
      out->stride = amx_register(regs, index) << scale;
    int32_t wide;
    memcpy(&wide, code + at, 4);
    if (out->mod == 1)
      out->address += (uint64_t)(int64_t)(int8_t)code[at++];
    if (out->mod == 2) {
      out->address += (uint64_t)(int64_t)wide;
      at += 4;
    }
  }
  out->length = (uint8_t)at;
  return true;
}

static float amx_bf16(const uint8_t *at) {
  uint32_t bits = (uint32_t)(at[0] | at[1] << 8) << 16;
  float f;
  memcpy(&f, &bits, 4);
  return f;
}

static void amx_multiply(const amx_instruction *i, bool floats, bool left_signed) {
  for (int m = 0; m < amx.rows[i->reg]; m++)
    for (int n = 0; n < amx.bytes[i->reg] / 4; n++)
      for (int k = 0; k < amx.bytes[i->rm] / 4; k++) {
        const uint8_t *a = &amx.tile[i->rm][m][4 * k], *b = &amx.tile[i->vvvv][k][4 * n];
        uint8_t *c = &amx.tile[i->reg][m][4 * n];
        float f;
        int32_t s;
        memcpy(&f, c, 4);
        memcpy(&s, c, 4);
        for (int e = 0; e < 4; e++)
          s += (left_signed ? (int8_t)a[e] : a[e]) * (int8_t)b[e];
        f += amx_bf16(a) * amx_bf16(b) + amx_bf16(a + 2) * amx_bf16(b + 2);
        memcpy(c, floats ? (void *)&f : (void *)&s, 4);
      }
}

static void amx_configure(const uint8_t *from) {
  memset(&amx, 0, offsetof(amx_state, executed));
  for (int t = 0; t < 8; t++) {
    memcpy(&amx.bytes[t], from + 16 + 2 * t, 2);
    amx.rows[t] = from[48 + t];
  }
}

static void amx_move(const amx_instruction *i, bool store) {
  for (int r = 0; r < amx.rows[i->reg]; r++) {
    void *memory = (void *)(i->address + (uint64_t)r * i->stride);
    if (store)
      memcpy(memory, amx.tile[i->reg][r], amx.bytes[i->reg]);
    else
      memcpy(amx.tile[i->reg][r], memory, amx.bytes[i->reg]);
  }
}

static bool amx_execute(const amx_instruction *i) {
  enum { NONE, P66, PF3, PF2 };
  bool memory = i->mod != 3;
  switch (i->opcode << 2 | i->prefix) {
    case 0x49 << 2 | NONE:
      if (memory)
        amx_configure((const uint8_t *)i->address);
      else
        memset(amx.rows, 0, sizeof amx.rows);
      return true;
    case 0x49 << 2 | PF2: memset(amx.tile[i->reg], 0, sizeof amx.tile[0]); return !memory;
    case 0x4b << 2 | PF2: amx_move(i, false); return memory;
    case 0x4b << 2 | PF3: amx_move(i, true); return memory;
    case 0x5c << 2 | PF3: amx_multiply(i, true, false); return !memory;
    case 0x5e << 2 | P66: amx_multiply(i, false, false); return !memory;
    case 0x5e << 2 | PF2: amx_multiply(i, false, true); return !memory;
    default: return false;
  }
}

static void amx_handle(int signal_number, siginfo_t *info, void *context) {
  greg_t *regs = ((ucontext_t *)context)->uc_mcontext.gregs;
  amx_instruction i;
  (void)info;
  if (amx_decode((const uint8_t *)regs[REG_RIP], regs, &i) && amx_execute(&i)) {
    regs[REG_RIP] += i.length;
    amx.executed++;
  } else {
    signal(signal_number, SIG_DFL);
  }
}

static void amx_emulate(void) {
  struct sigaction action = {.sa_sigaction = amx_handle, .sa_flags = SA_SIGINFO};
  sigaction(SIGILL, &action, NULL);
}

#endif
