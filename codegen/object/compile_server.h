// A process that compiles. LLVM ends its process when memory runs out, when it meets a defect
// of its own, and when its stack overflows; none of this can be caught inside of a process
// (docs/explain/compile.md). So by default code is compiled by a server: a small program beside
// libpir that opens LLVM once and forks for each thread that compiles.
#ifndef PIR_COMPILE_SERVER_H
#define PIR_COMPILE_SERVER_H

#include "llvm_backend.h"

typedef struct compile_server compile_server;

// Whether the program stands beside libpir.
bool pir_compile_server_is_installed(void);
// Starts the program, which then opens LLVM. PIR_UNAVAILABLE, with a sentence in `message`: it
// is missing. PIR_EXHAUSTED: there is no memory for it.
pir_status pir_compile_server_start(compile_server **out_server, char *message,
                                    size_t capacity);
// Waits until it can compile, from any thread. PIR_UNAVAILABLE: it lacks a library, or is of
// another libpir. PIR_EXHAUSTED: there is no memory for it.
pir_status pir_compile_server_await(compile_server *server, char *message, size_t capacity);
// Ends the jobs that wait for another module; later modules have new ones. NULL does nothing.
void pir_compile_server_rest(compile_server *server);
// Ends the program, after its present modules; NULL does nothing.
void pir_compile_server_stop(compile_server *server);

// Compiles a module as pir_llvm_backend.emit does, in a job that has nothing else to do.
// PIR_EXHAUSTED: memory ran out there.
// PIR_INTERNAL: LLVM ended its process. PIR_CANCELLED: the watched work has to end; the job is
// killed then. From several threads at once.
pir_status pir_compile_server_emit(compile_server *server, const pir_emit_limits *limits,
                                   const loop_module *module, const pir_target *target,
                                   pir_code_form form, pir_emitted *out, char *message,
                                   size_t capacity);

// ---- between both processes, which are of the same build

#define COMPILE_SERVER "pir-compile-server"

enum {
  SERVER_CONTROL = 3,  // the server's descriptor: each byte asks for a job
  SERVER_JOB = 4,      // the descriptor of a job: request, then reply, and so on
  SERVER_MESSAGE = 768
};

// The server's first message on its control descriptor. Then it answers each byte with the
// library's end of a job.
typedef struct server_hello {
  char sources[64];  // of the server's library (BACKEND_SOURCES)
  pir_status status;
  char message[SERVER_MESSAGE];
} server_hello;

// Followed by the text of the loops.
typedef struct server_request {
  size_t text_size;
  uint64_t max_bytes;  // of memory for the job; 0: any
  pir_target target;
  pir_code_form form;
} server_request;

// Followed by `size` bytes of code.
typedef struct server_reply {
  pir_status status;
  char message[SERVER_MESSAGE];
  size_t size;
  bool again;  // the job takes another request
} server_reply;

// Sends all of it; false if the other side has ended. pir_read_all receives.
bool pir_socket_send(int fd, const void *data, size_t size);
// Sends a descriptor, of which the caller keeps its own.
bool pir_socket_send_fd(int fd, int sent);
// A descriptor that was sent, or -1 with the reason in errno. `flags` are recvmsg's.
int pir_socket_receive_fd(int fd, int flags);

#endif
