// The second pass over a .pdmodel: unpacks its bytes into protobuf-c's structs.
#ifndef PIR_LEGACY_UNPACK_H
#define PIR_LEGACY_UNPACK_H

#include <pir/base.h>

#include <arena.h>
#include <protobuf-c/protobuf-c.h>

// Unpacks bytes that scan_message found well-formed, into `arena`. Names are copied; `bytes`
// fields point into the input. The attribute with an op's Python frames is not unpacked: it has
// no strings, but its raw bytes in `s` (origin.c).
void *unpack_message(pir_str bytes, const ProtobufCMessageDescriptor *root, pir_arena *arena);

#endif
