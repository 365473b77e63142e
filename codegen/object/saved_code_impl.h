// Numbers in saved code.
#ifndef PIR_SAVED_CODE_IMPL_H
#define PIR_SAVED_CODE_IMPL_H

#include <stdint.h>

#define NO_OBJECT UINT32_MAX  // in place of the number of an object: of a group without code

#endif
