// Statistics of the elements of a parameter.
#ifndef PIR_TOOLS_VIEW_WEIGHTS_H
#define PIR_TOOLS_VIEW_WEIGHTS_H

#include <pir/compiler/program.h>

#include "json.h"

// Writes {"dtype","shape","count","least","most","mean","deviation","zeros","nan","infinite",
// "bins"}: of all elements; `bins` counts the finite ones in 32 equal parts from least to most.
// Numbers are left out for types without an order (complex ones). Two passes over the bytes.
void view_write_weights(json *j, const pir_param *param);

#endif
