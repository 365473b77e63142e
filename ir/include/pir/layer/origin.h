// The ops of a program as its file has them, by their places: passes change the program, and a
// message still names the op of the user. Of each context the last program that was read from
// JSON or .pdmodel is kept; in text the line is there to be shown.
#ifndef PIR_LAYER_ORIGIN_H
#define PIR_LAYER_ORIGIN_H

#include <pir/diag.h>
#include <pir/compiler/program.h>

PIR_BEGIN

// An op of a file. Strings are copied.
typedef struct pir_origin {
  // What ops carry that are made of it. Several ops of a file may have one place.
  pir_loc loc;
  // The kind of op ("conv2d"), and a parameter that it reads or "".
  pir_str name, parameter;
  // The number of its block in the file, and its own within the block.
  uint32_t block, position;
} pir_origin;

// Begins a program whose lines tell little: forgets the ops of the one before, and lets reports
// name ops.
PIR_API void pir_origins_begin(pir_context *ctx);
// Notes an op of a file, in the order of the file. Memory that runs out ends the caller's work
// as everywhere.
PIR_API void pir_origin_note(pir_context *ctx, const pir_origin *origin);
// Notes all ops of a program that was just read. Uses the marks of the ops.
PIR_API void pir_origins_note_program(pir_program *program);

// Writes the place of an op for people, as messages of runs tell it, cut to the capacity:
// "model.pir:4:5" (the file without its folder), or "block 0, op 17 conv2d of conv2d_3.w_0".
// Empty where nothing is known.
PIR_API void pir_op_place_text(const pir_op *op, char *text, size_t capacity);

// Whether an attribute of this name says where an op comes from, not how it computes.
PIR_API bool pir_attr_says_origin(pir_str name);

// Whether a line of an op's Python frames (attribute op_callstack) begins a frame of the user:
// `  File "model.py", line 41, in forward`. Frames of Paddle and of Python are none.
PIR_API bool pir_python_frame(pir_str line, pir_str *out_file, uint32_t *out_line);

PIR_END
#endif
