// Reports of images to a listener (pir/compiler/code_listener.h).
#ifndef PIR_IMAGE_REPORT_H
#define PIR_IMAGE_REPORT_H

#include <pir/compiler/code_listener.h>

typedef struct image_report image_report;

// Where an object was loaded: `place` has the offset of each section behind `base`.
typedef struct image_places {
  const void *object;
  size_t size;
  uint8_t *base;
  size_t code_bytes;
  const size_t *place;
} image_places;

// Tells the listener of an object that was checked and loaded. NULL without a listener, and
// when memory runs out: then the listener does not hear of it.
image_report *image_report_loaded(const pir_code_listener *listener, const image_places *at);
// Tells that it goes. NULL does nothing.
void image_report_unloaded(image_report *report);

#endif
