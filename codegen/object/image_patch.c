// Relocations of x86-64 and aarch64: small code model, position independent. Every distance is
// checked. An image is one mapping below 2 GB; on aarch64 page-relative addresses reach all of
// it, branches reach 128 MB.
#include "image_patch.h"

#include <elf.h>
#include <string.h>

static bool refuse(const char **out_why, const char *why) {
  *out_why = why;
  return false;
}

#if defined(__aarch64__)

bool image_is_ours(uint16_t elf_machine) {
  return elf_machine == EM_AARCH64;
}
bool image_wants_slot(uint32_t type) {
  return type == R_AARCH64_ADR_GOT_PAGE || type == R_AARCH64_LD64_GOT_LO12_NC;
}
size_t image_patch_width(uint32_t type) {
  return type == R_AARCH64_ABS64 || type == R_AARCH64_PREL64 ? 8 : 4;
}

// ldr x16, .+8; br x16
void image_write_stub(uint8_t *at, uint64_t address) {
  static const uint32_t jump[2] = {0x58000050, 0xd61f0200};
  memcpy(at, jump, sizeof jump);
  memcpy(at + 8, &address, sizeof address);
}

// Sets `count` bits of the instruction, starting at bit `first`.
static void put(uint8_t *at, int first, int count, uint64_t bits) {
  uint32_t instruction, mask = (uint32_t)(((UINT64_C(1) << count) - 1) << first);
  memcpy(&instruction, at, sizeof instruction);
  instruction = (instruction & ~mask) | ((uint32_t)(bits << first) & mask);
  memcpy(at, &instruction, sizeof instruction);
}

static bool put_page(uint8_t *at, uint64_t value, const char **out_why) {
  int64_t pages =
      (int64_t)((value & ~UINT64_C(4095)) - ((uintptr_t)at & ~(uintptr_t)4095)) / 4096;
  if (pages < -(1 << 20) || pages >= 1 << 20)
    return refuse(out_why, "relocation out of range");
  put(at, 29, 2, (uint64_t)pages & 3);
  put(at, 5, 19, (uint64_t)pages >> 2 & 0x7ffff);
  return true;
}

static bool put_branch(uint8_t *at, uint64_t value, const char **out_why) {
  int64_t distance = (int64_t)(value - (uintptr_t)at);
  if (distance % 4 || distance < -(1 << 27) || distance >= 1 << 27)
    return refuse(out_why, "relocation out of range");
  put(at, 0, 26, (uint64_t)distance >> 2 & 0x3ffffff);
  return true;
}

// The offset in the page, in units of the access size 1 << shift.
static bool put_offset(uint8_t *at, uint64_t value, int shift, const char **out_why) {
  if (value & ((1u << shift) - 1))
    return refuse(out_why, "relocation that is not aligned");
  put(at, 10, 12, (value & 4095) >> shift);
  return true;
}

bool image_patch(uint32_t type, uint8_t *at, uint64_t value, const char **out_why) {
  int64_t distance = (int64_t)(value - (uintptr_t)at);
  switch (type) {
    case R_AARCH64_ABS64: memcpy(at, &value, 8); return true;
    case R_AARCH64_PREL64: memcpy(at, &distance, 8); return true;
    case R_AARCH64_PREL32:
      if (distance != (int32_t)distance)
        return refuse(out_why, "relocation out of range");
      memcpy(at, &(int32_t){(int32_t)distance}, 4);
      return true;
    case R_AARCH64_ADR_PREL_PG_HI21:
    case R_AARCH64_ADR_GOT_PAGE: return put_page(at, value, out_why);
    case R_AARCH64_CALL26:
    case R_AARCH64_JUMP26: return put_branch(at, value, out_why);
    case R_AARCH64_ADD_ABS_LO12_NC:
    case R_AARCH64_LDST8_ABS_LO12_NC: return put_offset(at, value, 0, out_why);
    case R_AARCH64_LDST16_ABS_LO12_NC: return put_offset(at, value, 1, out_why);
    case R_AARCH64_LDST32_ABS_LO12_NC: return put_offset(at, value, 2, out_why);
    case R_AARCH64_LDST64_ABS_LO12_NC:
    case R_AARCH64_LD64_GOT_LO12_NC: return put_offset(at, value, 3, out_why);
    case R_AARCH64_LDST128_ABS_LO12_NC: return put_offset(at, value, 4, out_why);
    default: return refuse(out_why, "unknown relocation");
  }
}

#else

bool image_is_ours(uint16_t elf_machine) {
  return elf_machine == EM_X86_64;
}
bool image_wants_slot(uint32_t type) {
  return type == R_X86_64_GOTPCREL || type == R_X86_64_GOTPCRELX ||
         type == R_X86_64_REX_GOTPCRELX;
}
size_t image_patch_width(uint32_t type) {
  return type == R_X86_64_64 || type == R_X86_64_PC64 ? 8 : 4;
}

// jmp *2(%rip)
void image_write_stub(uint8_t *at, uint64_t address) {
  static const uint8_t jump[8] = {0xff, 0x25, 0x02, 0, 0, 0, 0x0f, 0x0b};
  memcpy(at, jump, sizeof jump);
  memcpy(at + 8, &address, sizeof address);
}

bool image_patch(uint32_t type, uint8_t *at, uint64_t value, const char **out_why) {
  int64_t distance = (int64_t)(value - (uintptr_t)at);
  switch (type) {
    case R_X86_64_64: memcpy(at, &value, 8); return true;
    case R_X86_64_PC64: memcpy(at, &distance, 8); return true;
    case R_X86_64_PC32:
    case R_X86_64_PLT32:
    case R_X86_64_GOTPCREL:
    case R_X86_64_GOTPCRELX:
    case R_X86_64_REX_GOTPCRELX:
      if (distance != (int32_t)distance)
        return refuse(out_why, "relocation out of range");
      memcpy(at, &(int32_t){(int32_t)distance}, 4);
      return true;
    default: return refuse(out_why, "unknown relocation");
  }
}

#endif

void image_flush(uint8_t *begin, size_t size) {
  __builtin___clear_cache((char *)begin, (char *)begin + size);
}
