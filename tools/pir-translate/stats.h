// --to=stats: what a program is made of, for people.
#ifndef PIR_TRANSLATE_STATS_H
#define PIR_TRANSLATE_STATS_H

#include "../cli.h"

pir_status stats_write(const pir_program *program, pir_writer out);

#endif
