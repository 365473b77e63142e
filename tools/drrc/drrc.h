#ifndef DRRC_H
#define DRRC_H

#include "front.h"

#include <stdio.h>

// Writes the tables as C, and a pir_pass for each pass.
void drrc_emit(const drr *d, FILE *out);

#endif
