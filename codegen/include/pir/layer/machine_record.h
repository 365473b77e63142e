// Machine records: the costs that code generation weighs choices with, of this machine as it
// was measured (docs/explain/targets.md).
#ifndef PIR_MACHINE_RECORD_H
#define PIR_MACHINE_RECORD_H

#include <pir/layer/codegen.h>

PIR_BEGIN

// Costs that were measured here. Never changes; from any thread.
typedef struct pir_machine_record pir_machine_record;

// When this machine is measured.
typedef enum pir_machine_when {
  PIR_MACHINE_KEPT,     // once for each folder that keeps the figures; without a folder never
  PIR_MACHINE_TABLE,    // never: the library's table has costs of every processor
  PIR_MACHINE_MEASURED  // also without a folder
} pir_machine_when;

// Which costs code is made with.
typedef struct pir_machine_use {
  // Whether the costs are measured.
  pir_machine_when when;
  // Work is divided for so many processors; 0: the number that the costs state.
  int processors;
} pir_machine_use;

// Finds a use by name: "table" or "measured", with the number of processors behind a colon, if
// any ("table:64"); NULL: PIR_MACHINE_KEPT. PIR_UNSUPPORTED: there is no such name.
PIR_API PIR_NODISCARD pir_status pir_machine_use_named(const char *name,
                                                       pir_machine_use *out_use);

// Finds the record for a target: figures that `folder` (NULL: none) keeps, else figures that
// are measured now and kept there. *out_record is NULL where the table's numbers hold: for
// targets other than the native processor, where nothing is to be measured and no number of
// processors is stated, and where measuring fails or its result cannot be kept; `remark` says
// why then, and whether a file was damaged.
// Fails only where PIR_MACHINE_MEASURED asks for what cannot be had, as pir_machine_measure
// does. The caller releases the record.
PIR_API PIR_NODISCARD pir_status pir_machine_record_find(const char *target, const char *folder,
                                                         pir_machine_use use,
                                                         pir_message *remark,
                                                         pir_machine_record **out_record);
// Notes in a folder, which it creates if necessary, that its code is made with the table's
// numbers: from then on PIR_MACHINE_KEPT takes them there, whatever the machine. Code that is
// compiled for another machine is found again only by the same numbers. Returns false when the
// folder cannot keep the note.
PIR_API bool pir_machine_keep_table(const char *folder);
// Adds a reference.
PIR_API void pir_machine_record_retain(pir_machine_record *record);
// Drops a reference; NULL does nothing.
PIR_API void pir_machine_record_release(pir_machine_record *record);

// Returns the rate of reading memory that was measured, in GB/s, on one thread or on all
// together; 0: no record, or not measured.
PIR_API double pir_machine_memory_read(const pir_machine_record *record, bool all);

// Gives the target the costs of the record, if it is one of this target; NULL changes nothing.
PIR_API void pir_target_use_record(pir_target *target, const pir_machine_record *record);

// Does what pir_target_get does, with the costs that the context keeps.
PIR_API PIR_NODISCARD pir_status pir_target_in(const pir_context *ctx, const char *name,
                                               pir_target *out_target);

// Writes which costs a target has: processor, where they come from, a digest of all numbers.
PIR_API void pir_target_name_costs(const pir_target *target, pir_message *out);

// Writes the target's costs, each with its source, and the figures of the record (NULL: none),
// as text or as one JSON object. PIR_IO when the writer stops.
PIR_API PIR_NODISCARD pir_status pir_machine_write(const pir_target *target,
                                                   const pir_machine_record *record, bool json,
                                                   pir_writer out);

PIR_END
#endif
