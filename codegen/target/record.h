// The record of this machine, made of measured figures: where it is kept, and its parts. Users
// of other folders see pir/layer/machine_record.h.
#ifndef PIR_RECORD_H
#define PIR_RECORD_H

#include "measured.h"

#include <pir/layer/machine_record.h>
#include <stdatomic.h>

struct pir_machine_record {
  atomic_int references;
  pir_machine numbers;
  uint8_t sources[MACHINE_FIELDS];
  pir_measured figures;
  bool measured;  // else the numbers are the table's, but for the number of processors
  bool was_kept;  // the figures come from a file
  char target[32], cpu[32];
};

// What figures belong to. A file of another machine is none of this one's.
typedef struct machine_key {
  char file[128];  // name in a folder
  char text[256];  // the processor, its level, how many there are, caches
  int processors;
} machine_key;

void pir_machine_key(const pir_target *target, machine_key *out);

typedef enum kept_state {
  KEPT_NOWHERE,  // there is no such file
  KEPT,
  KEPT_DAMAGED,
  KEPT_OF_ANOTHER_VERSION,
  KEPT_OF_ANOTHER_MACHINE
} kept_state;

// The text of a file of figures, and the figures of a text.
enum { KEPT_BYTES = 8192 };
pir_str pir_measured_write(const machine_key *key, const pir_measured *m, char out[KEPT_BYTES]);
kept_state pir_measured_read(const machine_key *key, pir_str text, pir_measured *out);

// Reads the file of a folder, as pir_folder_open gives it.
kept_state pir_measured_load(int folder, const machine_key *key, pir_measured *out);

// Returns a number that differs between records that differ.
uint64_t pir_machine_digest(const pir_machine *machine);

#endif
