// --to=html: writes a program as one self-contained page: statistics, then the text with links
// from uses to definitions.
#ifndef PIR_TRANSLATE_HTML_H
#define PIR_TRANSLATE_HTML_H

#include "../cli.h"

pir_status html_write(const pir_program *program, pir_str title, pir_writer out);

#endif
