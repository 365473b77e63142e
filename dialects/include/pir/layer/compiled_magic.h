// How the file of a compiled model begins: the runtime writes and reads it, and readers of
// programs tell it from a program.
#ifndef PIR_COMPILED_MAGIC_H
#define PIR_COMPILED_MAGIC_H

#define COMPILED_MAGIC "PIRMODEL"

#endif
