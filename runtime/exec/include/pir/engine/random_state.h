// The place of a session in its stream of random numbers, which ops without a seed of their own
// draw from: a run of several processes, as a training that was ended, goes on with the numbers
// that one process would have drawn.
#ifndef PIR_RANDOM_STATE_H
#define PIR_RANDOM_STATE_H

#include <pir/engine/model.h>

PIR_BEGIN

// The place: 312 words of a 64-bit Mersenne Twister, and the number of those that were drawn.
// The same on every machine.
typedef struct pir_random_state {
  uint64_t words[313];  // opaque
} pir_random_state;

// Copies the place behind the last run. NULL does nothing.
PIR_API void pir_session_random_state(const pir_session *session, pir_random_state *out_state);
// The next run draws from there on. PIR_INVALID, and no change: no session has been there.
PIR_API PIR_NODISCARD pir_status pir_session_set_random_state(pir_session *session,
                                                              const pir_random_state *state);

PIR_END
#endif
