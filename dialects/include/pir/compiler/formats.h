// The formats of program files: one table, which loading, saving and the tools read.
// docs/reference/formats.md describes the formats; docs/steps/add-a-format.md adds one. The
// table is constant; its functions are used by one thread at a time, as the context.
#ifndef PIR_FORMATS_H
#define PIR_FORMATS_H

#include <pir/compiler/program.h>
#include <pir/compiler/text.h>

PIR_BEGIN

// The formats of files, recognised by the first bytes; names do not matter.
//
//   UNKNOWN   anything else, the empty file too
//   JSON      behind spaces and `//` lines: `{`, then `"`
//   TEXT      behind the same: `{` and anything else, `program`, or an op of a fragment
//             (`(%0) =`, `() =`)
//   PDMODEL   the first field of a ProgramDesc (its blocks or its version), and bytes that no
//             text has
//   PARAMS    a record of parameters: version, no levels, version, a description
typedef enum pir_format {
  PIR_FORMAT_UNKNOWN = 0,
  PIR_FORMAT_JSON = 1,
  PIR_FORMAT_TEXT = 2,
  PIR_FORMAT_PDMODEL = 3,
  PIR_FORMAT_PARAMS = 4
} pir_format;

// The names of the table (pir_format_defs) for messages: those that are read, and those that
// are written.
#define PIR_FORMATS_READ "pdmodel, json or text"
#define PIR_FORMATS_WRITTEN "text, t2, typed, json, pdmodel"

// How a program is read. Zero, but for `size`, recognises the format and reads a whole program.
typedef struct pir_read_options {
  // sizeof(pir_read_options) (pir/base.h).
  size_t size;
  pir_format format;    // UNKNOWN: recognised by content
  pir_str file;         // names the bytes in messages
  uint32_t first_line;  // line number of the first line of text; 0 means 1
  bool fragment;        // text may use values that it does not define
} pir_read_options;

// How a program is written. Zero, but for `size`, writes as Paddle does by default.
typedef struct pir_write_options {
  // sizeof(pir_write_options) (pir/base.h).
  size_t size;
  bool indent;       // JSON: four spaces a level
  bool strip_debug;  // text: no attributes that only say where an op came from
} pir_write_options;

// The parameters of a program's parameter file, in its order.
typedef struct pir_param_list {
  struct pir_param_decl *decls;  // free with free
  size_t count;                  // entries of decls
} pir_param_list;

typedef struct pir_format_def pir_format_def;

// Reads a program of a format. `listed` may be NULL. A format whose ops do not name every
// parameter of its parameter file lists them all there; the others leave it alone.
typedef pir_status (*pir_format_reader)(pir_context *ctx, pir_str bytes,
                                        const pir_read_options *options, pir_param_list *listed,
                                        pir_program **out_program);
// Writes a program under the name of the row `def`.
typedef pir_status (*pir_format_writer)(const pir_format_def *def, const pir_program *program,
                                        const pir_write_options *options, pir_writer out);

// One row of the table: a name under which programs are read, written or both. Several rows may
// have one format, as text has several forms; the first of them describes the format. Functions
// that a row lacks are NULL. All strings are constant.
struct pir_format_def {
  const char *name;   // value of --from, --to and --emit
  pir_format format;  // what the files hold
  // Names of files in model folders, and endings that begin with a dot, separated by spaces.
  const char *files;
  const char *mark;  // occurs near the start of every program of a model folder; NULL: none
  bool (*recognise)(pir_str head);  // whether a file that begins so has the format
  pir_format_reader read;           // NULL: not read under this name
  pir_format_writer write;          // NULL: not written
  pir_text_form text;               // of text: its form
  bool current;            // holds ops of the present declarations only: older ops are upgraded
  bool fetches;            // Paddle finds outputs by pd_op.fetch, not by builtin.shadow_output
  bool named_constants;    // Paddle attaches the values of constants to builtin.parameter
  bool written_variables;  // the parameter file also holds variables that are only written
};

// Returns the table, in the order in which formats are recognised, and its length.
PIR_API const pir_format_def *pir_format_defs(size_t *out_count);
// Returns the row that describes a format; NULL for UNKNOWN.
PIR_API const pir_format_def *pir_format_find(pir_format format);
// Returns the row of a name; NULL if no row has it.
PIR_API const pir_format_def *pir_format_named(const char *name);

// Returns the format of a file that begins with these bytes; 4096 of them are enough unless
// comments come first. The answer says which reader to use, not that the file is sound: the
// readers of JSON and .pdmodel refuse other JSON and other protobuf messages with a reason.
// From any thread.
PIR_API pir_format pir_detect_format(pir_str head);

// Reads a program as it stands in its file: without parameters, not verified, not upgraded
// (pir/compiler/load.h does all of that). `bytes` need not outlive the call. On success
// *out_program is the caller's, else NULL. PIR_INVALID, reported, for damaged bytes and for
// bytes that hold no program; PIR_EXHAUSTED when a limit of the context is met.
PIR_API PIR_NODISCARD pir_status pir_program_read_as(pir_context *ctx, pir_str bytes,
                                                     const pir_read_options *options,
                                                     pir_program **out_program);

PIR_END
#endif
