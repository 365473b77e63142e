// --to=stats: writes the statistics of a program as a table for people or as one JSON object.
#ifndef PIR_TRANSLATE_STATS_H
#define PIR_TRANSLATE_STATS_H

#include "../cli.h"

pir_status stats_write(const pir_program *program, bool json, pir_writer out);

#endif
