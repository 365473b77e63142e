// Code generation: from fusion groups (cinn_op.group) to machine code. Loop IR, schedules and
// contraction kernels are part of libpir; the LLVM emitter is a library of its own, opened on
// first use.
#ifndef PIR_CODEGEN_H
#define PIR_CODEGEN_H

#include <pir/executable.h>
#include <pir/infer.h>

PIR_BEGIN

// What code is made for. A processor is found at run time, or forced by name; a CUDA device is
// an architecture.
typedef struct pir_target {
  char name[32];              // "x86-64-v4", ...
  char triple[32];            // LLVM's name of architecture and system
  char cpu[32];               // LLVM's name of the tuning model
  char features[512];         // LLVM feature string
  int vector_bytes;           // 16, 32, 64
  int vector_registers;       // 16 or 32
  bool fma, memory_operands;  // multiply-adds; arithmetic that reads memory
  bool avx512_vnni, avx512_bf16, amx_bf16, amx_int8;
  size_t l1_bytes, l2_bytes, l3_bytes;
  int cuda_arch;    // 80, 90, ..: compute capability of a CUDA device; 0: a processor
  int cuda_driver;  // version of the driver that loads the code, where it is known
} pir_target;

// "native" or NULL asks the processor; "cuda" is an architecture that every supported device
// runs code of, "sm_90" that one. PIR_UNSUPPORTED: no such name; PIR_UNAVAILABLE: this
// processor lacks it.
PIR_API pir_status pir_target_get(const char *name, pir_target *out_target);
PIR_API const char *pir_target_names(void);  // the known ones, for messages
// The same whether or not the processor can run its code: for code that is only written.
// PIR_UNSUPPORTED: no such name.
PIR_API pir_status pir_target_describe(const char *name, pir_target *out_target);

// Forms of code.
typedef enum pir_code_form {
  PIR_CODE_LOOPS,     // loop IR, as vectorised
  PIR_CODE_RAW_LLVM,  // LLVM IR as emitted
  PIR_CODE_LLVM,      // LLVM IR as optimised
  PIR_CODE_ASSEMBLY,
  PIR_CODE_OBJECT,  // ELF, relocatable
  PIR_CODE_CUDA,    // of a CUDA device, as are all below: CUDA C
  PIR_CODE_PTX,
  PIR_CODE_RESOURCES  // registers, stack and shared memory of each kernel
} pir_code_form;

// What contractions may do for speed; each mode permits what those before it do.
typedef enum pir_math {
  PIR_MATH_STRICT,  // f32 sums of f32 products, in any order
  PIR_MATH_FAST,    // transforms that lose a few bits: minimal filtering of larger patches
  PIR_MATH_BF16     // operands rounded to bf16, sums in f32
} pir_math;

PIR_API pir_status pir_math_named(const char *name,
                                  pir_math *out_math);  // PIR_UNSUPPORTED: no such name
PIR_API const char *pir_math_names(void);               // for messages

// A stage for a CUDA device: a kernel of a CUBIN. Its parameters are pointers to these of the
// group's buffers, in order, these of its extents, and the number of units, as int64_t.
typedef struct pir_stage_kernel {
  const void *code;  // of all stages with the same pointer
  size_t code_bytes;
  const char *name;
  const uint16_t *buffers, *dims;
  uint16_t buffer_count, dim_count;
  int threads, units;  // of a block
} pir_stage_kernel;

// One parallel loop of a compiled group.
typedef struct pir_stage {
  pir_stage_fn fn;                 // for a processor, or
  const pir_stage_kernel *kernel;  // for a device
  pir_dim units;                   // how many, over the symbols of the facts
  size_t scratch_bytes;            // a thread
} pir_stage;

// A constant operand that is stored in another form. Made once at load, by running `fn` over
// `units` with buffers {source, packed}.
typedef struct pir_packing {
  uint16_t operand;  // of the group
  size_t bytes;
  pir_stage_fn fn;
  int64_t units;
} pir_packing;

typedef struct pir_temporary {
  pir_dim bytes;  // shared by the stages of one run of the group
} pir_temporary;

// Interface of a compiled group: buffers are operands (packed ones in their packed form),
// results, temporaries; dims are `dims`, evaluated for every run.
typedef struct pir_compiled_group {
  const pir_stage *stages;
  size_t stage_count;
  const pir_packing *packings;
  size_t packing_count;
  const pir_temporary *temporaries;
  size_t temporary_count;
  const pir_dim *dims;
  size_t dim_count;
  const pir_dim *equal;  // pairs of extents that could not be proved equal when compiling, and
                         // must be to run it
  size_t equal_count;    // pairs
  const bool
      *reads;  // by operand: whether the code reads its buffer; a restored group has none
} pir_compiled_group;

// Memory order of the i-th operand or result of a group: its dims from outermost to innermost.
// The pass that makes groups decides it and writes it to the group's attribute `layouts`: an
// array with one integer array for each operand, then for each result; an empty one, or no
// attribute, means row-major. Generator and executor read it here. Returns the rank, or 0 for
// row-major; a value has one order for all its users.
PIR_API size_t pir_group_order(const pir_op *group, bool of_result, size_t i,
                               uint8_t out_order[PIR_MAX_RANK]);

// Arithmetic operations that an op, or the ops of a group, ask for (work.c says what counts);
// PIR_DIM_UNKNOWN where that cannot be told.
PIR_API pir_dim pir_codegen_work(const pir_op *op, const pir_facts *facts);

// A tensor within a larger one: all that share a `home` share its memory, in which this one
// begins at `offset` of `room` along `axis`; other extents are the home's own. The home itself
// begins at 0 and fills its room. The pass that makes groups decides it and writes it to the
// group's attribute `places`, which has an integer array for each operand, then for each
// result: empty, or these four. False: the tensor has memory of its own.
typedef struct pir_group_place {
  int axis;
  int64_t offset, room, home;
} pir_group_place;

PIR_API bool pir_group_place_of(const pir_op *group, bool of_result, size_t i,
                                pir_group_place *out_place);

// The group behind `group` in the program's text, those in the regions of scans included; NULL
// asks for the first.
PIR_API const pir_op *pir_group_next(const pir_program *program, const pir_op *group);

// An op that splits a tensor, whose parts are read where they lie: the tensor, the axis along
// which they follow each other from its beginning on, and how many they are; 0: they are
// copied. Decided with places, in the attribute `parts`.
PIR_API size_t pir_split_parts(const pir_op *op, const pir_value **out_whole, int *out_axis);

// Whether this stage (lower, emit, plan) is to say that it cannot do the group: options
// `refuse` and `every` of the pass that makes groups, for tests of what happens then.
PIR_API bool pir_group_refused_by(const pir_op *group, const char *stage);

typedef struct pir_compiler pir_compiler;

typedef struct pir_compiler_options {
  pir_target target;
  pir_math math;
  const char *cache;  // folder, or NULL
  int threads;
  bool ahead;  // only fill the cache, for another machine: no stage gets its code
} pir_compiler_options;

// Opens the LLVM library; PIR_UNAVAILABLE when it is not installed.
PIR_API pir_status pir_compiler_create(pir_context *ctx, const pir_compiler_options *options,
                                       pir_compiler **out_compiler);
PIR_API void pir_compiler_destroy(pir_compiler *compiler);

// The version of LLVM behind it ("19.1.7"); false when that library is not installed. Opens it.
PIR_API bool pir_compiler_llvm_version(char *out, size_t capacity);

// Text that differs between builds of the libraries that make and run code.
PIR_API void pir_compiler_identity(char *out, size_t capacity);

// Takes a group up; nothing is compiled before pir_compiler_finish, which compiles all of them,
// equal ones once. A group that cannot be compiled is no failure: a remark says why, it has no
// code, and its ops are to be called.
PIR_API pir_status pir_compiler_add(pir_compiler *compiler, const pir_op *group,
                                    const pir_facts *facts, size_t *out_index);
PIR_API pir_status pir_compiler_finish(pir_compiler *compiler);
// Valid until the compiler is destroyed. NULL: the group has no code.
PIR_API const pir_compiled_group *pir_compiler_group(const pir_compiler *compiler,
                                                     size_t index);
PIR_API size_t pir_compiler_kernels(const pir_compiler *compiler);
PIR_API size_t pir_compiler_cache_hits(const pir_compiler *compiler);

// What a later start needs of the compiled groups: their code, and what running them asks for;
// not how constants are packed. Bytes from malloc, for the same library on the same processor.
// PIR_NOT_FOUND: the code is not kept in a folder.
PIR_API pir_status pir_compiler_save(const pir_compiler *compiler, void **out_data,
                                     size_t *out_size);
// Groups have the numbers they had. The bytes are run, so they must be what was saved.
// PIR_INVALID: they are not.
PIR_API pir_status pir_compiler_restore(const void *data, size_t size,
                                        pir_compiler **out_compiler);

// Writes the code of the program's groups as one module: group k has functions g<k>_stage<n>,
// and one for each constant it packs. Nothing is run, so `target` may be any that
// pir_target_describe knows. PIR_INVALID, reported, when there is no group.
PIR_API pir_status pir_codegen_write(const pir_program *program, const pir_target *target,
                                     pir_math math, pir_code_form form, pir_writer out);

PIR_END
#endif
