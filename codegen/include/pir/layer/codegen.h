// Fusion groups (cinn_op.group) become machine code (docs/explain/compile.md). The LLVM emitter
// is a separate library, which is opened when it is first needed.
//
// Functions that take an op, a program or facts follow the context's rule of one thread at a
// time; functions about targets may be called from any thread.
#ifndef PIR_CODEGEN_H
#define PIR_CODEGEN_H

#include <pir/layer/once.h>
#include <pir/compiler/infer.h>

PIR_BEGIN

// ---- targets

// The processor or device that code is made for.
typedef struct pir_target {
  // "x86-64-v4", ..
  char name[32];
  // LLVM's name of architecture and system.
  char triple[32];
  // LLVM's name of the tuning model.
  char cpu[32];
  // LLVM's feature string.
  char features[512];
  int vector_bytes;      // of a vector register: 16, 32 or 64
  int vector_registers;  // 16 or 32
  // Whether it has multiply-adds, and arithmetic that reads memory.
  bool fma, memory_operands;
  // Instructions for products of bytes and of bf16, in vectors and in tile registers.
  bool avx512_vnni, avx512_bf16, amx_bf16, amx_int8;
  // Caches of one core, in bytes.
  size_t l1_bytes, l2_bytes, l3_bytes;
  int l1_ways;  // 0: not known
  // Kind of a device ("cuda"), a constant; NULL: a processor.
  const char *device;
  // What the device's architecture can do; NULL: a processor.
  const struct device_architecture *architecture;
  // Version of the driver that loads the code, where it is known; else 0.
  int device_driver;
  // Costs by which code is chosen: the library's, or parts of a pir_machine_record.
  const struct pir_machine *machine;
  // The record of tuned choices, or NULL.
  const struct pir_tuning *tuning;
} pir_target;

// Describes the target that code will run on. "native" or NULL is this processor; "sm_90" is an
// architecture of a device, its kind ("cuda") the one that pir/layer/devices.def names.
// PIR_UNSUPPORTED: no such name. PIR_UNAVAILABLE: this processor lacks its instructions.
PIR_API PIR_NODISCARD pir_status pir_target_get(const char *name, pir_target *out_target);
// Describes the target of a device of this architecture, or else of the newest known one before
// it of the same major version, whose code it runs. PIR_UNSUPPORTED: there is none.
PIR_API PIR_NODISCARD pir_status pir_target_of_device(const char *name, pir_target *out_target);
// Returns the known names as one constant text for messages.
PIR_API const char *pir_target_names(void);
// Describes a target for code that is only written. PIR_UNSUPPORTED: no such name.
PIR_API PIR_NODISCARD pir_status pir_target_describe(const char *name, pir_target *out_target);

// ---- modes and forms

// The forms in which code is written; the last ones are for devices.
typedef enum pir_code_form {
  PIR_CODE_LOOPS,     // loop IR after vectorising
  PIR_CODE_RAW_LLVM,  // LLVM IR as emitted
  PIR_CODE_LLVM,      // LLVM IR as optimised
  PIR_CODE_ASSEMBLY,
  PIR_CODE_OBJECT,            // relocatable ELF
  PIR_CODE_DEVICE_SOURCE,     // source, as CUDA C
  PIR_CODE_DEVICE_ASSEMBLY,   // as the device's compiler makes it, as PTX
  PIR_CODE_DEVICE_RESOURCES,  // registers, stack and shared memory of each kernel
  PIR_CODE_DEVICE_OBJECT      // what the device loads, as a CUBIN
} pir_code_form;

// What contractions may do. The last two modes include what strict and fast permit.
typedef enum pir_math {
  PIR_MATH_STRICT,  // f32 sums of f32 products, in any order
  PIR_MATH_FAST,    // filtering of larger patches, which loses a few bits; devices: tf32
  PIR_MATH_BF16,    // operands rounded to bf16, sums in f32
  PIR_MATH_INT8     // rows that multiply weights of 8 or 4 bits rounded to 8 bits; in tile
                    // registers attention as by BF16
} pir_math;

// Finds a mode by name ("strict"); PIR_UNSUPPORTED: there is none.
PIR_API PIR_NODISCARD pir_status pir_math_named(const char *name, pir_math *out_math);
// Returns all their names as one text for messages.
PIR_API const char *pir_math_names(void);

// ---- a compiled group

// A stage for a device: a kernel. Its parameters are pointers to `buffers` of the group, `dims`
// of its extents, if it `reports` a pir_device_report and the number of the launch, and the
// number of units, as int64_t.
typedef struct pir_stage_kernel {
  // The code, as pir_device_load takes it, and its size. Stages with one pointer share it.
  const void *code;
  size_t code_bytes;  // of the code
  // The kernel's name in the code.
  const char *name;
  // Numbers of buffers and of dims in the group's interface, and the lengths of both lists.
  const uint16_t *buffers, *dims;
  uint16_t buffer_count, dim_count;  // of both lists
  // Threads and units of a block; and whether it has checks, which `traps` describe.
  int threads, units;
  bool reports;  // whether a check may fail
} pir_stage_kernel;

// A stage: one parallel loop of a compiled group.
typedef struct pir_stage {
  // The function for a processor; NULL on a device.
  pir_stage_fn fn;
  // The kernel for a device; else NULL.
  const pir_stage_kernel *kernel;
  // Number of units, over the symbols of the facts.
  pir_dim units;
  // Scratch of each thread.
  size_t scratch_bytes;
} pir_stage;

// Memory that the stages of one run of a group share.
typedef struct pir_temporary {
  // Size, over the symbols of the facts.
  pir_dim bytes;
} pir_temporary;

// A condition on extents under which the code reads inside of an operand. The group must not
// run where it does not hold.
typedef struct pir_group_bound {
  // The least and the most that an index comes to along an axis.
  pir_dim least, most;
  // Extent of the axis.
  pir_dim extent;
  // Number of elements that are computed so; no condition where it is 0.
  pir_dim points;
  // Number of the trap that says so.
  uint32_t trap;
  // Whether the axis broadcasts: an extent of 1 serves every index, another one is most + 1.
  bool broadcasts;
} pir_group_bound;

// The interface of a compiled group. Buffers are the operands (packed ones in their packed
// form), the results, then the temporaries. Everything lives as long as the compiler.
typedef struct pir_compiled_group {
  // To be run in this order.
  const pir_stage *stages;
  size_t stage_count;
  // Operands that are packed once.
  const pir_packing *packings;
  size_t packing_count;
  // The same on a device.
  const pir_device_packing *device_packings;
  size_t device_packing_count;
  // Memory that each run needs besides operands and results.
  const pir_temporary *temporaries;
  size_t temporary_count;
  // Extents and strides that the code takes as arguments, evaluated for every run.
  const pir_dim *dims;
  size_t dim_count;
  // Pairs of extents, and their number, that could not be proved equal when compiling. The
  // group must not run where they differ.
  const pir_dim *equal;
  size_t equal_count;
  // Conditions that could not be decided when compiling.
  const pir_group_bound *bounds;
  size_t bound_count;
  // The message of each check that a run may fail (pir_group_args.trap), equal to the called
  // op's.
  const char *const *traps;
  // Number of these checks.
  size_t trap_count;
  // For each operand, whether the code reads its buffer; NULL for a restored group.
  const bool *reads;
} pir_compiled_group;

// ---- decisions that a group states in its attributes, made by the pass that makes groups

// Reads the memory order of operand or result i of a group, its axes from outermost to
// innermost, from the attribute `layouts`. Returns the rank, or 0 for row-major. A value has
// one order for all its users.
PIR_API size_t pir_group_order(const pir_op *group, bool of_result, size_t i,
                               uint8_t out_order[PIR_MAX_RANK]);

// A tensor's place in a larger one. All tensors with one `home` share its memory; this one
// begins at `offset` of `room` along `axis`, and its other extents are the home's. The home
// itself begins at 0 and fills its room.
typedef struct pir_group_place {
  // Number of the axis.
  int axis;
  // In elements along `axis`.
  int64_t offset, room;
  // A number that the tensors of one home share.
  int64_t home;
} pir_group_place;

// Reads the place of operand or result i of a group from the attribute `places`. Returns false
// when the tensor has memory of its own.
PIR_API bool pir_group_place_of(const pir_op *group, bool of_result, size_t i,
                                pir_group_place *out_place);

// Reads from the attribute `parts` of an op that splits a tensor whether its results are read
// in place: sets the tensor, and the axis along which they follow each other from its
// beginning, and returns their number. 0: the results are copied.
PIR_API size_t pir_split_parts(const pir_op *op, const pir_value **out_whole, int *out_axis);

// Returns the number of the place, counted from 1, at which a stage of compilation (choose,
// lower, emit, plan) is to refuse the group; 0 if the stage is not to refuse it. Options
// `refuse`, `every` and `at` of the pass ask for that, in tests.
PIR_API int64_t pir_group_refused_by(const pir_op *group, const char *stage);

// Returns the group behind `group` in the program's text, groups in regions of control flow and
// scans included; NULL asks for the first. NULL when there are no more.
PIR_API const pir_op *pir_group_next(const pir_program *program, const pir_op *group);

// Returns the arithmetic operations that an op, or the ops of a group, ask for, two for each
// multiply-add; PIR_DIM_UNKNOWN where that cannot be told.
PIR_API pir_dim pir_codegen_work(const pir_op *op, const pir_facts *facts);

// ---- the compiler

// Compiles a program's groups. One thread at a time; compiled code may run on any thread.
typedef struct pir_compiler pir_compiler;
// How groups are compiled.
typedef struct pir_compiler_options {
  // The machine to compile for.
  pir_target target;
  // The permissions of contractions.
  pir_math math;
  // Folder of compiled code, or NULL.
  const char *cache;
  // Threads that compile.
  int threads;
  // Only fill the cache, for another machine: no stage gets its code.
  bool ahead;
  // Run LLVM in this process. By default another process runs it where pir-compile-server
  // stands beside libpir, because LLVM ends its process when memory runs out.
  bool in_process;
  // Keep the objects of compiled modules, so that pir_compiler_save needs no folder.
  bool keep;
} pir_compiler_options;

// Creates a compiler without groups; the context must outlive pir_compiler_finish. The caller
// destroys it. Fails as pir_compiler_finish does.
PIR_API PIR_NODISCARD pir_status pir_compiler_create(pir_context *ctx,
                                                     const pir_compiler_options *options,
                                                     pir_compiler **out_compiler);
// Destroys a compiler with all code that it made. NULL does nothing.
PIR_API void pir_compiler_destroy(pir_compiler *compiler);

// Adds a group and sets *out_index to its number; nothing is compiled yet. A group that cannot
// be compiled is no failure: a remark says why, and it has no code.
PIR_API PIR_NODISCARD pir_status pir_compiler_add(pir_compiler *compiler, const pir_op *group,
                                                  const pir_facts *facts, size_t *out_index);
// Compiles all groups, equal ones once. Failures are reported: PIR_UNAVAILABLE for a library
// that is not installed, PIR_EXHAUSTED when memory runs out.
PIR_API PIR_NODISCARD pir_status pir_compiler_finish(pir_compiler *compiler);
// Returns a compiled group, valid until the compiler is destroyed; NULL when it has no code.
PIR_API const pir_compiled_group *pir_compiler_group(const pir_compiler *compiler,
                                                     size_t index);
// Returns the number of modules that were compiled rather than found.
PIR_API size_t pir_compiler_kernels(const pir_compiler *compiler);
// Returns the number of groups whose code was found, in memory or in the cache.
PIR_API size_t pir_compiler_cache_hits(const pir_compiler *compiler);
// Returns the bytes of machine code in memory.
PIR_API size_t pir_compiler_code_bytes(const pir_compiler *compiler);

// Writes all that a later start needs to run the compiled groups. The bytes are for the same
// version of the library on a processor that has the target's features; free *out_data with
// free. PIR_NOT_FOUND: the objects were neither kept nor are they in a cache folder, or the
// code is for a device. PIR_EXHAUSTED: memory ran out.
PIR_API PIR_NODISCARD pir_status pir_compiler_save(const pir_compiler *compiler,
                                                   void **out_data, size_t *out_size);

// ---- about the library that compiles

// Writes the version of LLVM ("19.1.7"). Opens its library; false when it is not installed.
PIR_API bool pir_compiler_llvm_version(char *out, size_t capacity);
// Writes a text that differs between builds of the libraries that make and run code.
PIR_API void pir_compiler_identity(char *out, size_t capacity);

// Writes the code of a program's groups as one module: group k has functions g<k>_stage<n>, and
// one for each constant that it packs. Nothing is run, so `target` may be any that
// pir_target_describe knows. With `verify` the loops are verified after every rewrite.
// PIR_INVALID, reported, when there is no group; PIR_UNSUPPORTED for a form that the target
// lacks; PIR_IO when the writer stops; PIR_INTERNAL, reported, for loops with a trap.
PIR_API PIR_NODISCARD pir_status pir_codegen_write(const pir_program *program,
                                                   const pir_target *target, pir_math math,
                                                   pir_code_form form, bool verify,
                                                   pir_writer out);

PIR_END
#endif
