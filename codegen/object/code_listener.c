// Who hears of compiled code: the listener of a context.
#include <pir/compiler/code_listener.h>

#include <extension.h>
#include <heap.h>
#include <sized.h>

typedef struct listen_call {
  pir_context *ctx;
  const pir_code_listener *given;
} listen_call;

static pir_status keep_listener(void *user) {
  const listen_call *call = user;
  pir_code_listener *copy = NULL;
  if (call->given) {
    copy = pir_heap_take_zeroed(pir_context_heap(call->ctx), sizeof *copy);
    PIR_TRY(PIR_TAKE(call->ctx, pir_code_listener, copy, call->given));
  }
  pir_context_keep_code_listener(call->ctx, copy);
  return PIR_OK;
}

pir_status pir_context_listen_code(pir_context *ctx, const pir_code_listener *listener) {
  if (!ctx)
    return PIR_INVALID;
  listen_call call = {ctx, listener};
  return pir_context_enter(ctx, keep_listener, &call);
}
