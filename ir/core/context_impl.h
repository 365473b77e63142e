// The contents of a context. Private to ir/.
#ifndef PIR_CONTEXT_IMPL_H
#define PIR_CONTEXT_IMPL_H

#include <pir/compiler/attr.h>
#include <pir/compiler/context.h>
#include <pir/compiler/dialect.h>

#include <arena.h>
#include <map.h>
#include <vec.h>

typedef struct pir_op_info pir_op_info;

// An interned name. `def` is the op that a dialect declares under it. `op` is the context's
// view of that op, or of an unknown op, created at the first request. `carried` is the
// attribute of that name that ops of all dialects may carry.
struct pir_name_entry {
  const pir_op_info *op;
  const pir_opdef *def;
  const pir_attr_def *carried;
  size_t size;
  char text[];
};

// A definition as one context sees it: ops point here, so one word gives the context, the
// tables and the interned names. The definition of an unknown op is `unregistered` below.
struct pir_op_info {
  const pir_opdef *def;
  pir_context *ctx;
  pir_name *name;
  pir_name **attr_names;   // declared attributes, by position
  pir_opdef unregistered;  // not there in the view of a declared op
};

// The undeclared attributes of an op, uniqued as a whole because ops often have equal ones.
// Sorted by name bytes.
typedef struct pir_dict {
  size_t count;
  pir_named_attr entries[];
} pir_dict;

// An undeclared attribute of an op, for the warning that each context issues once.
typedef struct pir_undeclared {
  const pir_op_info *op;
  pir_name *name;
} pir_undeclared;

enum { PIR_MOST_UNDECLARED = 32 };

// An op of a file (pir/layer/origin.h).
typedef struct pir_origin_entry {
  pir_loc loc;
  pir_name *name, *parameter, *file;  // `parameter` and `file` may be NULL
  uint32_t line;                      // of the user's Python file; 0: none
  uint32_t parent;                    // entry of the op around it, from 1; 0: none
  uint32_t block, position;
} pir_origin_entry;

typedef struct pir_origin_key {
  pir_loc loc;
  uint32_t entry;
} pir_origin_key;

struct pir_context {
  pir_heap heap;  // all memory except this struct
  pir_arena arena;
  pir_limits limits;
  pir_diag_sink sink;
  // The work of the function with a status that runs, for a report of its end; "" and unknown.
  char task[160];
  pir_loc at;
  pir_progress_sink progress;
  size_t errors;
  pir_log_level log_level;
  bool names_ops;   // the last program that was read: lines tell little of a place
  bool note_heard;  // a note belongs to a diagnostic that was heard
  pir_set names;    // pir_name_entry
  pir_set
      uniques;  // types, attributes, dictionaries and level-of-detail tables: blobs of bytes
  const pir_attr *none, *bools[2];
  const pir_type *scalars[PIR_DTYPE_COUNT], *markers[3];
  PIR_VEC(const pir_dialect *) dialects;
  PIR_VEC(const pir_op_info **) infos;  // infos by dialect number (id >> 16), then op number
  PIR_VEC(uint32_t) info_counts;        // lengths of those
  PIR_VEC(pir_name *) files;            // number - 1
  const struct pir_code_listener *code_listener;  // on the heap of the context; may be NULL
  struct pir_machine_record *machine;             // the caller's; may be NULL
  const struct pir_pass_set *passes;              // registered by the program; may be NULL
  PIR_VEC(pir_origin_entry) origins;
  PIR_VEC(pir_origin_key) origin_order;  // by place; empty until it is asked for
  pir_name *op_callstack;                // set while origins are noted
  size_t undeclared_count;
  pir_undeclared undeclared[PIR_MOST_UNDECLARED];
};

// Forgets the ops of a file, for a program whose lines tell all.
void origins_clear(pir_context *ctx);
// Finds the op of the file that has this place, the one of that kind where several have; NULL:
// there is none.
const pir_origin_entry *pir_origin_find(pir_context *ctx, pir_loc loc, pir_str name);

// The family of a blob, so that equal bytes of different families stay distinct.
enum pir_family { PIR_FAMILY_TYPE, PIR_FAMILY_ATTR, PIR_FAMILY_DICT, PIR_FAMILY_WORDS };

// Returns the unique copy of these bytes in the context. Padding must be zeroed; pointers in
// the bytes must be unique themselves.
const void *pir_unique_get(pir_context *ctx, enum pir_family family, const void *bytes,
                           size_t size);

const pir_op_info *pir_context_info(pir_context *ctx, const pir_opdef *def);
// Returns the declaration that permits an undeclared attribute on the op; NULL if there is
// none.
const pir_attr_def *pir_context_carried(const pir_op_info *op, pir_name *name);
// The definition of an op by name; never NULL.
const pir_op_info *pir_context_info_of_name(pir_context *ctx, pir_name *name);

// Returns a name that is already interned, else NULL.
pir_name *pir_name_find(const pir_context *ctx, pir_str text);

// Dictionaries: NULL is the empty one.
const pir_dict *pir_dict_set(pir_context *ctx, const pir_dict *dict, pir_name *name,
                             const pir_attr *value);
// Entries must be sorted and without repetition.
const pir_dict *pir_dict_get(pir_context *ctx, const pir_named_attr *entries, size_t count);
const pir_attr *pir_dict_find(const pir_dict *dict, pir_name *name);
// Bytewise order of names.
int pir_name_compare(pir_name *a, pir_name *b);

#endif
