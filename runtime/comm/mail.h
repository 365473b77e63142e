// What one rank has sent to another and is not received yet, in the order of sending.
#ifndef PIR_COMM_MAIL_H
#define PIR_COMM_MAIL_H

#include <pir/comm.h>

typedef struct comm_address {
  int32_t from, to;
} comm_address;

typedef struct comm_mail {
  struct comm_mail *next;
  comm_address address;
  size_t count;
  pir_dtype dtype;
  char bytes[];
} comm_mail;

// Appends a copy of `count` elements.
pir_status pir_comm_post(comm_mail **list, const pir_comm_call *call, comm_address address,
                         const void *in, size_t count, pir_dtype dtype);
// Takes out the oldest one with this address; NULL when there is none.
comm_mail *pir_comm_take_mail(comm_mail **list, comm_address address);
// Copies the elements out, and frees the mail. PIR_INVALID: others were expected.
pir_status pir_comm_open_mail(comm_mail *mail, const pir_comm_call *call, void *out,
                              size_t count, pir_dtype dtype);
void pir_comm_drop_mail(comm_mail **list);
// Copies bytes, where there are any and they do not lie there already.
void pir_comm_move(void *to, const void *from, size_t bytes);

#endif
