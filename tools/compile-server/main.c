// The program that compiles code for libpir, which starts it (codegen/object/compile_server.h).
// It has no threads, so that a fork is a whole copy; it opens LLVM before it forks, so that all
// jobs share its pages. A job compiles modules, one after another, until the library closes it,
// or until the rest of earlier modules could count against the limit of the next. A job that is
// ended by a signal states the reason in its handler: after a failed allocation LLVM aborts,
// with errno as malloc left it.
#include <backend_sources.h>
#include <compile_server.h>
#include <loop_parse.h>
#include <machine.h>
#include <read_all.h>
#include <strbuf.h>

#include <pir/compiler/context.h>

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

// ---- a job

// A job shares the state of LLVM with the server and frees none of it; an instrumented build
// (mk/coverage.mk) writes its counts at exit.
#ifdef PIR_INSTRUMENTED
#define end_job exit
#else
#define end_job _exit
#endif

static _Noreturn void reply_without_code(pir_status status, const char *message) {
  server_reply reply = {.status = status};
  pir_text_format(reply.message, sizeof reply.message, "%s", message);
  (void)pir_socket_send(SERVER_JOB, &reply, sizeof reply);
  _exit(1);
}

static void end_job_by_signal(int number) {
  if (number == SIGABRT && errno == ENOMEM)
    reply_without_code(PIR_EXHAUSTED, "memory ran out while code was generated");
  char text[96];
  pir_text_format(text, sizeof text, "code generation ended by signal %d, a defect of LLVM",
                  number);
  reply_without_code(PIR_INTERNAL, text);
}

static void handle_defects(void (*handler)(int)) {
  static const int numbers[] = {SIGABRT, SIGSEGV, SIGBUS, SIGILL, SIGFPE};
  struct sigaction how = {.sa_handler = handler, .sa_flags = SA_ONSTACK};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
    sigaction(numbers[i], &how, NULL);
}

// The handlers have a stack of their own, since the stack may be what overflowed.
static void watch_job_signals(void) {
  enum { STACK = 1 << 16 };
  stack_t stack = {.ss_sp = malloc(STACK), .ss_size = STACK};
  if (stack.ss_sp)
    sigaltstack(&stack, NULL);
  handle_defects(end_job_by_signal);
}

static void keep_job_message(void *user, const pir_diag *diag) {
  if (diag->severity == PIR_ERROR)
    pir_text_format(user, SERVER_MESSAGE, "%.*s", (int)diag->message.size, diag->message.data);
}

typedef struct reading {
  pir_context *ctx;
  pir_loops_source source;
  loop_module *module;
} reading;

static pir_status parse_loops(void *user) {
  reading *r = user;
  return pir_loop_parse(r->ctx, &r->source, &r->module);
}

static bool library_has_ended(void) {
  char byte;
  return recv(SERVER_JOB, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
}

// The kernel may announce the last bytes of a request after the job has read them: the signal
// alone says nothing.
static void end_job_with_library(int number) {
  int error = errno;
  (void)number;
  if (library_has_ended())
    _exit(1);
  errno = error;
}

// From now on the end of the library, or its closing of the job, ends this process (SIGIO). The
// library sends nothing more.
static void end_with_library(bool wanted) {
  struct sigaction how = {.sa_handler = end_job_with_library, .sa_flags = SA_RESTART};
  int flags = fcntl(SERVER_JOB, F_GETFL);
  sigaction(SIGIO, &how, NULL);
  fcntl(SERVER_JOB, F_SETOWN, getpid());
  fcntl(SERVER_JOB, F_SETFL, wanted ? flags | O_ASYNC : flags & ~O_ASYNC);
  if (wanted && library_has_ended())
    _exit(1);  // it had ended before
}

// A part of the job's memory is the server's: the library's tables and LLVM's. The shadow
// memory of a sanitizer would count, too.
static void limit_memory(uint64_t bytes) {
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  enum { OF_SERVER = 64 << 20 };
  struct rlimit limit;
  if (!bytes || bytes >= INT64_MAX - OF_SERVER || getrlimit(RLIMIT_DATA, &limit))
    return;
  if (limit.rlim_max == RLIM_INFINITY || bytes + OF_SERVER < limit.rlim_max)
    limit.rlim_cur = bytes + OF_SERVER;
  (void)setrlimit(RLIMIT_DATA, &limit);
#endif
}

static char *receive_text(size_t size) {
  char *text = malloc(size + 1);
  if (!text)
    reply_without_code(PIR_EXHAUSTED, "memory ran out before code was generated");
  if (!pir_read_all(SERVER_JOB, NULL, text, size))
    _exit(1);  // the library has ended
  return text;
}

// Frees what a module leaves behind.
static void free_reading(reading *r, char *text) {
  pir_loop_module_destroy(r->module);
  pir_context_destroy(r->ctx);
  free(text);
}

// The bytes that malloc has from the system.
static size_t heap_bytes(void) {
#ifdef __GLIBC__
  struct mallinfo2 info = mallinfo2();
  return info.arena + info.hblkhd;
#else
  return SIZE_MAX;
#endif
}

// Reads and compiles a module; the reply lacks `again`.
static void compile_request(const pir_llvm_backend *backend, const server_request *request,
                            reading *r, server_reply *reply, pir_emitted *code) {
  pir_target target = request->target;
  // The pointers in the request are the library's.
  target.device = NULL;
  target.machine = pir_machine_find(target.name, target.cpu);
  if (request->text_size)
    reply->status = pir_context_enter(r->ctx, parse_loops, r);
  else if (!(r->module = pir_loop_module_create()))  // a module without functions has no text
    reply->status = PIR_EXHAUSTED;
  if (reply->status == PIR_INVALID)
    reply->status = PIR_INTERNAL;  // the library wrote the text
  if (!reply->status)
    reply->status = backend->emit(r->module, &target, request->form, code, reply->message,
                                  sizeof reply->message);
  reply->size = code->size;
}

static bool send_reply(const server_reply *reply, const pir_emitted *code) {
  return pir_socket_send(SERVER_JOB, reply, sizeof *reply) &&
         (reply->status || pir_socket_send(SERVER_JOB, code->data, code->size));
}

// Does one request; whether another may follow.
static bool do_request(const pir_llvm_backend *backend, size_t heap_before) {
  enum { MOST_KEPT = 32 << 20 };  // less than OF_SERVER
  server_request request;
  server_reply reply = {0};
  pir_emitted code = {0};
  if (!pir_read_all(SERVER_JOB, NULL, &request, sizeof request))
    return false;
  limit_memory(request.max_bytes);
  char *text = receive_text(request.text_size);
  end_with_library(true);
  reading r = {.ctx = pir_context_create(NULL),
               .source = {PIR_STR("loops"), {text, request.text_size}, 1}};
  if (!r.ctx)
    reply_without_code(PIR_EXHAUSTED, "memory ran out before code was generated");
  pir_context_set_sink(r.ctx, (pir_diag_sink){keep_job_message, reply.message});
  compile_request(backend, &request, &r, &reply, &code);
  free_reading(&r, text);
  reply.again = (!reply.status || reply.status == PIR_UNSUPPORTED) &&
                heap_bytes() <= heap_before + MOST_KEPT;
  end_with_library(false);  // the library reads
  bool sent = send_reply(&reply, &code);
  free(code.data);
  return sent && reply.again;
}

static _Noreturn void do_job(const pir_llvm_backend *backend) {
  size_t heap_before = heap_bytes();
  watch_job_signals();
  while (do_request(backend, heap_before)) {}
  end_job(0);
}

// ---- serving

// The job of the next request, as SERVER_JOB; false when the library has closed its side, or
// when there is none for it.
static bool open_requested_job(void) {
  char byte;
  int ends[2];
  ssize_t n;
  do
    n = recv(SERVER_CONTROL, &byte, 1, 0);
  while (n < 0 && errno == EINTR);
  if (n != 1 || socketpair(AF_UNIX, SOCK_STREAM, 0, ends))
    return false;
  bool sent = pir_socket_send_fd(SERVER_CONTROL, ends[1]);
  close(ends[1]);
  if (ends[0] != SERVER_JOB) {
    dup2(ends[0], SERVER_JOB);
    close(ends[0]);
  }
  return sent;
}

// Of all processes the kernel ends this one first when the machine's memory runs out.
static void offer_memory(void) {
  int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (fd < 0)
    return;
  (void)!write(fd, "1000", 4);
  close(fd);
}

static void serve_jobs(const pir_llvm_backend *backend) {
  while (open_requested_job()) {
    pid_t child = fork();
    if (!child) {
      close(SERVER_CONTROL);
      do_job(backend);
    }
    if (child < 0) {
      server_reply reply = {.status = PIR_EXHAUSTED};
      pir_text_format(reply.message, sizeof reply.message, "%s: %s", COMPILE_SERVER,
                      strerror(errno));
      (void)pir_socket_send(SERVER_JOB, &reply, sizeof reply);
    }
    close(SERVER_JOB);
  }
}

static bool greet(server_hello *hello) {
  return pir_socket_send(SERVER_CONTROL, hello, sizeof *hello) && !hello->status;
}

static void end_opening_by_signal(int number) {
  bool exhausted = number == SIGABRT && errno == ENOMEM;
  server_hello hello = {.sources = BACKEND_SOURCES,
                        .status = exhausted ? PIR_EXHAUSTED : PIR_INTERNAL};
  pir_text_format(hello.message, sizeof hello.message,
                  "%s ended by signal %d while it opened LLVM%s", COMPILE_SERVER, number,
                  exhausted ? ", when memory ran out" : "");
  (void)greet(&hello);
  _exit(1);
}

static int serve(void) {
  pir_llvm_library llvm;
  server_hello hello = {.sources = BACKEND_SOURCES};
  pid_t child = fork();
  if (child < 0) {
    hello.status = PIR_EXHAUSTED;
    pir_text_format(hello.message, sizeof hello.message, "%s: %s", COMPILE_SERVER,
                    strerror(errno));
    (void)greet(&hello);
    return 1;
  }
  if (child)
    return 0;  // the library's child ends here
  signal(SIGCHLD, SIG_IGN);
  offer_memory();
  handle_defects(end_opening_by_signal);
  hello.status = pir_llvm_load(&llvm, hello.message, sizeof hello.message);
  handle_defects(SIG_DFL);
  if (greet(&hello))
    serve_jobs(llvm.backend);
  pir_llvm_close(&llvm);
  return 0;
}

// Of the sockets that the library made, processes that its host forked meanwhile may have both
// ends. Of those made here only the library and the server have one each.
static bool replace_control(void) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends))
    return false;
  bool sent = pir_socket_send_fd(SERVER_CONTROL, ends[1]);
  close(ends[1]);
  dup2(ends[0], SERVER_CONTROL);
  close(ends[0]);
  return sent;
}

int main(void) {
  if (fcntl(SERVER_CONTROL, F_GETFD) >= 0)
    return replace_control() ? serve() : 1;
  fputs("pir-compile-server is started by libpir, not by hand\n", stderr);
  return 2;
}
