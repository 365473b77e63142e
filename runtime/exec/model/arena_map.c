// Tells where the buffers of a session lie.
#include <pir/layer/arena_map.h>

#include "session_impl.h"

void pir_session_arena_map(const pir_session *session,
                           void (*take)(void *user, const pir_arena_piece *piece), void *user) {
  const shape_plan *shapes = session ? session->current : NULL;
  if (!shapes || session->separate)
    return;
  const plan *p = &session->model->plan;
  for (uint32_t i = 0; i < p->buffer_count; i++) {
    const plan_buffer *buffer = &p->buffers[i];
    if (buffer->home != HOME_ARENA || buffer->device || buffer->bytes == NONE ||
        shapes->values[buffer->bytes] <= 0)
      continue;
    pir_arena_piece piece = {shapes->offsets[i], (uint64_t)shapes->values[buffer->bytes],
                             buffer->first, buffer->last};
    take(user, &piece);
  }
}
