// Queues of sent elements.
#include "mail.h"

#include <stdlib.h>
#include <string.h>

#include "comm_fail.h"

void pir_comm_move(void *to, const void *from, size_t bytes) {
  if (bytes && to != from)
    memmove(to, from, bytes);
}

pir_status pir_comm_post(comm_mail **list, const pir_comm_call *call, comm_address address,
                         const void *in, size_t count, pir_dtype dtype) {
  size_t bytes = count * pir_dtype_size(dtype);
  comm_mail *mail = bytes > SIZE_MAX - sizeof *mail ? NULL : malloc(sizeof *mail + bytes);
  if (!mail)
    return pir_comm_fail(call, PIR_EXHAUSTED, "out of memory");
  *mail = (comm_mail){.address = address, .count = count, .dtype = dtype};
  pir_comm_move(mail->bytes, in, bytes);
  while (*list)
    list = &(*list)->next;
  *list = mail;
  return PIR_OK;
}

comm_mail *pir_comm_take_mail(comm_mail **list, comm_address address) {
  for (; *list; list = &(*list)->next) {
    comm_mail *mail = *list;
    if (mail->address.from != address.from || mail->address.to != address.to)
      continue;
    *list = mail->next;
    return mail;
  }
  return NULL;
}

pir_status pir_comm_open_mail(comm_mail *mail, const pir_comm_call *call, void *out,
                              size_t count, pir_dtype dtype) {
  pir_status status = PIR_OK;
  if (mail->count != count || mail->dtype != dtype)
    status =
        pir_comm_fail(call, PIR_INVALID, "rank %d receives %zu x %s, and rank %d sent %zu x %s",
                      (int)mail->address.to, count, pir_dtype_text(dtype),
                      (int)mail->address.from, mail->count, pir_dtype_text(mail->dtype));
  else
    pir_comm_move(out, mail->bytes, count * pir_dtype_size(dtype));
  free(mail);
  return status;
}

void pir_comm_drop_mail(comm_mail **list) {
  while (*list) {
    comm_mail *mail = *list;
    *list = mail->next;
    free(mail);
  }
}
