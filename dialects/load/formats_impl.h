// Reading by the table of formats, as loading needs it.
#ifndef PIR_FORMATS_IMPL_H
#define PIR_FORMATS_IMPL_H

#include <pir/compiler/formats.h>

// Reads like pir_program_read_as. `listed` is as for the `read` of a row.
pir_status format_read(pir_context *ctx, pir_str bytes, const pir_read_options *options,
                       pir_param_list *listed, pir_program **out_program);

#endif
