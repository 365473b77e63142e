// Our own declarations for the part of NCCL that is used, as of version 2.14; nccl_syms.def
// lists the functions.
#ifndef PIR_NCCL_ABI_H
#define PIR_NCCL_ABI_H

#include <stdbool.h>
#include <stddef.h>

typedef struct nccl_handle_opaque *nccl_handle;

// Names a ring that is being made; rank 0 makes it, and every rank needs it.
typedef struct nccl_id {
  char bytes[128];
} nccl_id;

// With `blocking` 0 calls return NCCL_IN_PROGRESS instead of waiting.
typedef struct nccl_config {
  size_t size;
  unsigned magic, version;
  int blocking;
} nccl_config;

enum { NCCL_SUCCESS = 0, NCCL_IN_PROGRESS = 7 };

// Whether a result is an error.
static inline bool nccl_failed(int result) {
  return result != NCCL_SUCCESS && result != NCCL_IN_PROGRESS;
}

enum { NCCL_OLDEST = 21400 };  // by ncclGetVersion: the first one with configurations
static const unsigned NCCL_MAGIC = 0xcafebeef;

// Types of elements, and what becomes of several.
enum {
  NCCL_I8,
  NCCL_U8,
  NCCL_I32,
  NCCL_U32,
  NCCL_I64,
  NCCL_U64,
  NCCL_F16,
  NCCL_F32,
  NCCL_F64,
  NCCL_BF16
};
enum { NCCL_SUM, NCCL_PRODUCT, NCCL_MAX, NCCL_MIN, NCCL_AVERAGE };

typedef struct nccl {
  void *library;
#define NCCL_SYMBOL(returns, field, name, parameters) returns(*field) parameters;
#include "nccl_syms.def"
#undef NCCL_SYMBOL
} nccl;

// Returns NULL, or the name of the missing library or function.
const char *nccl_open(nccl *out);
void nccl_close(nccl *n);

#endif
