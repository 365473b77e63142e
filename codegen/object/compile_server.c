// The library's side. The server is started by posix_spawn: a fork of a process with threads
// may only call few functions, and LLVM is not among them. The program that is started forks at
// once and ends, so that the host has no child of which it does not know. A module travels
// through a pair of sockets, of which a job of the server has one end. When its code has come
// the job waits for another module, because a new process is slow at first. The server makes
// the pairs and sends our ends: if we ever had its ends, a process that the host forks
// meanwhile would keep them open, and we would wait for a server that has ended.
#include "compile_server.h"

#include "backend_sources.h"

#include <pir/layer/beside.h>
#include <grown_text.h>
#include <read_all.h>
#include <strbuf.h>

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { MOST_IDLE = 64 };

struct compile_server {
  int control;
  pthread_mutex_t lock;  // of the fields below
  bool greeted;          // `status` and `message` say whether it can compile
  pir_status status;
  char message[SERVER_MESSAGE];
  int idle[MOST_IDLE];  // our ends of jobs that wait for a module
  size_t idle_count;
};

// ---- sockets

bool pir_socket_send(int fd, const void *data, size_t size) {
  for (const char *at = data; size;) {
    ssize_t n = send(fd, at, size, MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return false;
    at += n;
    size -= (size_t)n;
  }
  return true;
}

// A message of one byte with room for one descriptor. It points to its own parts.
typedef struct fd_message {
  char byte;
  struct iovec bytes;
  struct msghdr text;
  union {
    struct cmsghdr head;
    char room[CMSG_SPACE(sizeof(int))];
  } rights;
} fd_message;

static void lay_out_fd_message(fd_message *m) {
  *m = (fd_message){.bytes = {&m->byte, 1},
                    .rights = {.head = {.cmsg_len = CMSG_LEN(sizeof(int)),
                                        .cmsg_level = SOL_SOCKET,
                                        .cmsg_type = SCM_RIGHTS}},
                    .text = {.msg_iov = &m->bytes,
                             .msg_iovlen = 1,
                             .msg_control = m->rights.room,
                             .msg_controllen = sizeof m->rights.room}};
}

bool pir_socket_send_fd(int fd, int sent) {
  fd_message m;
  ssize_t n;
  lay_out_fd_message(&m);
  memcpy(CMSG_DATA(&m.rights.head), &sent, sizeof sent);
  do
    n = sendmsg(fd, &m.text, MSG_NOSIGNAL);
  while (n < 0 && errno == EINTR);
  return n == 1;
}

int pir_socket_receive_fd(int fd, int flags) {
  fd_message m;
  int sent;
  ssize_t n;
  lay_out_fd_message(&m);
  do
    n = recvmsg(fd, &m.text, flags | MSG_CMSG_CLOEXEC);
  while (n < 0 && errno == EINTR);
  const struct cmsghdr *head = n > 0 ? CMSG_FIRSTHDR(&m.text) : NULL;
  if (head && head->cmsg_type == SCM_RIGHTS) {
    memcpy(&sent, CMSG_DATA(head), sizeof sent);
    return sent;
  }
  if (n >= 0)
    errno = n ? EMFILE : ECONNRESET;  // without room here the kernel leaves it out
  return -1;
}

// The other side learns of the end although a process that the host forked has the descriptor,
// too.
static void close_socket(int fd) {
  (void)shutdown(fd, SHUT_RDWR);
  close(fd);
}

static pir_status report_server(char *message, size_t capacity, pir_status status,
                                const char *what, const char *detail) {
  pir_text_format(message, capacity, "%s: %s", what, detail);
  return status;
}

static pir_status status_of_failure(int error) {
  bool memory = error == ENOMEM || error == EAGAIN || error == EMFILE || error == ENFILE;
  return memory ? PIR_EXHAUSTED : PIR_UNAVAILABLE;
}

// ---- starting

// Spawns the program with `control` as its only descriptor behind the standard ones.
static int spawn_server(char *path, int control, pid_t *out_child) {
  posix_spawn_file_actions_t files;
  posix_spawnattr_t how;
  sigset_t none, all;
  char *const words[] = {path, NULL};  // where the program finds the library of LLVM
  int error = posix_spawn_file_actions_init(&files);
  if (error)
    return error;
  error = posix_spawnattr_init(&how);
  if (error) {
    posix_spawn_file_actions_destroy(&files);
    return error;
  }
  sigemptyset(&none);
  sigfillset(&all);
  error |= posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDWR, 0);
  error |= posix_spawn_file_actions_adddup2(&files, 0, 1);
  error |= posix_spawn_file_actions_adddup2(&files, 0, 2);
  error |= posix_spawn_file_actions_adddup2(&files, control, SERVER_CONTROL);
  error |= posix_spawn_file_actions_addclosefrom_np(&files, SERVER_CONTROL + 1);
  error |= posix_spawnattr_setsigmask(&how, &none);
  error |= posix_spawnattr_setsigdefault(&how, &all);
  error |= posix_spawnattr_setpgroup(&how, 0);
  error |= posix_spawnattr_setflags(&how, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF |
                                              POSIX_SPAWN_SETPGROUP);
  error = error ? ENOMEM : posix_spawn(out_child, path, &files, &how, words, environ);
  posix_spawnattr_destroy(&how);
  posix_spawn_file_actions_destroy(&files);
  return error;
}

static pir_status read_hello(int control, char *message, size_t capacity) {
  server_hello hello;
  ssize_t n;
  do
    n = recv(control, &hello, sizeof hello, 0);
  while (n < 0 && errno == EINTR);
  if (n != sizeof hello)
    return report_server(message, capacity, PIR_EXHAUSTED, COMPILE_SERVER,
                         "ended before it was ready, for which memory may be the reason");
  if (strcmp(hello.sources, BACKEND_SOURCES) != 0)
    return report_server(message, capacity, PIR_UNAVAILABLE, COMPILE_SERVER,
                         "was built from other sources than libpir");
  if (hello.status)
    pir_text_format(message, capacity, "%s", hello.message);
  return hello.status;
}

static pir_status begin_server(int control, char *message, size_t capacity) {
  char path[4096];
  pid_t child = 0;
  if (!pir_path_beside(COMPILE_SERVER, path, sizeof path))
    return report_server(message, capacity, PIR_UNAVAILABLE, COMPILE_SERVER,
                         "the folder of libpir is not known");
  int error = spawn_server(path, control, &child);
  if (error) {
    pir_text_format(message, capacity, "code generation needs %s, which cannot be started: %s",
                    path, strerror(error));
    return status_of_failure(error);
  }
  while (waitpid(child, NULL, 0) < 0 && errno == EINTR) {}
  return PIR_OK;
}

// The descriptor for requests. The process that sent it has ended, so that it is there or never
// comes.
static pir_status take_control(int begun, int *out_control, char *message, size_t capacity) {
  *out_control = pir_socket_receive_fd(begun, MSG_DONTWAIT);
  return *out_control >= 0 ? PIR_OK
                           : report_server(message, capacity, PIR_EXHAUSTED, COMPILE_SERVER,
                                           "ended at once, for which memory may be the reason");
}

// Moves a descriptor from where the server has its standard ones, which a host may have closed.
static bool move_up(int *fd) {
  if (*fd > STDERR_FILENO)
    return true;
  int moved = fcntl(*fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  if (moved < 0)
    return false;
  close(*fd);
  *fd = moved;
  return true;
}

bool pir_compile_server_is_installed(void) {
  char path[4096];
  return pir_path_beside(COMPILE_SERVER, path, sizeof path) && !access(path, X_OK);
}

static compile_server *create_server(int control) {
  compile_server *server = calloc(1, sizeof *server);
  if (!server)
    return NULL;
  server->control = control;
  if (!pthread_mutex_init(&server->lock, NULL))
    return server;
  free(server);
  return NULL;
}

pir_status pir_compile_server_start(compile_server **out_server, char *message,
                                    size_t capacity) {
  int sockets[2] = {-1, -1}, control = -1;
  pir_status status = PIR_OK;
  *out_server = NULL;
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) || !move_up(&sockets[1]))
    status = report_server(message, capacity, status_of_failure(errno), COMPILE_SERVER,
                           strerror(errno));
  if (!status)
    status = begin_server(sockets[1], message, capacity);
  if (sockets[1] >= 0)
    close(sockets[1]);
  if (!status)
    status = take_control(sockets[0], &control, message, capacity);
  if (sockets[0] >= 0)
    close(sockets[0]);
  if (status)
    return status;
  *out_server = create_server(control);
  if (*out_server)
    return PIR_OK;
  close_socket(control);
  return report_server(message, capacity, PIR_EXHAUSTED, COMPILE_SERVER, "out of memory");
}

pir_status pir_compile_server_await(compile_server *server, char *message, size_t capacity) {
  pthread_mutex_lock(&server->lock);
  if (!server->greeted)
    server->status = read_hello(server->control, server->message, sizeof server->message);
  server->greeted = true;
  pir_status status = server->status;
  pthread_mutex_unlock(&server->lock);
  if (status)
    pir_text_format(message, capacity, "%s", server->message);
  return status;
}

void pir_compile_server_rest(compile_server *server) {
  if (!server)
    return;
  pthread_mutex_lock(&server->lock);
  while (server->idle_count)
    close_socket(server->idle[--server->idle_count]);
  pthread_mutex_unlock(&server->lock);
}

void pir_compile_server_stop(compile_server *server) {
  if (!server)
    return;
  pir_compile_server_rest(server);
  close_socket(server->control);
  pthread_mutex_destroy(&server->lock);
  free(server);
}

// ---- compiling

// Our end of a job that waits for a module, or of a new one; -1 if there is none.
static int take_job(compile_server *server) {
  char byte = 0;
  pthread_mutex_lock(&server->lock);
  int job = server->idle_count ? server->idle[--server->idle_count] : -1;
  if (job < 0 && pir_socket_send(server->control, &byte, 1))
    job = pir_socket_receive_fd(server->control, 0);
  int error = errno;
  pthread_mutex_unlock(&server->lock);
  errno = error;
  return job;
}

static void give_job(compile_server *server, int job, bool again) {
  pthread_mutex_lock(&server->lock);
  bool kept = again && server->idle_count < MOST_IDLE;
  if (kept)
    server->idle[server->idle_count++] = job;
  pthread_mutex_unlock(&server->lock);
  if (!kept)
    close_socket(job);
}

static pir_status refuse_killed(char *message, size_t capacity) {
  return report_server(message, capacity, PIR_EXHAUSTED, COMPILE_SERVER,
                       "was killed, for which memory may be the reason");
}

static pir_status refuse_job(int error, char *message, size_t capacity) {
  if (error == EPIPE || error == ECONNRESET)
    return refuse_killed(message, capacity);
  return report_server(message, capacity, status_of_failure(error), COMPILE_SERVER,
                       strerror(error));
}

// Nothing came, or not all.
static pir_status refuse_cut(const pir_watch *watch, char *message, size_t capacity) {
  if (!pir_watch_ended(watch))
    return refuse_killed(message, capacity);
  pir_text_format(message, capacity, "%s while code was generated", pir_watch_reason(watch));
  return PIR_CANCELLED;
}

static pir_status read_reply(int job, const pir_watch *watch, pir_emitted *out, bool *out_again,
                             char *message, size_t capacity) {
  server_reply reply;
  *out_again = false;
  if (!pir_read_all(job, watch, &reply, sizeof reply))
    return refuse_cut(watch, message, capacity);
  if (reply.status) {
    *out_again = reply.again;
    pir_text_format(message, capacity, "%s", reply.message);
    return reply.status;
  }
  out->data = malloc(reply.size + 1);
  if (!out->data)
    return report_server(message, capacity, PIR_EXHAUSTED, "compiled code", "out of memory");
  out->size = reply.size;
  if (pir_read_all(job, watch, out->data, out->size)) {
    out->data[out->size] = 0;
    *out_again = reply.again;
    return PIR_OK;
  }
  free(out->data);
  *out = (pir_emitted){0};
  return refuse_cut(watch, message, capacity);
}

pir_status pir_compile_server_emit(compile_server *server, const pir_emit_limits *limits,
                                   const loop_module *module, const pir_target *target,
                                   pir_code_form form, pir_emitted *out, char *message,
                                   size_t capacity) {
  pir_grown_text text = {0};
  bool again;
  *out = (pir_emitted){0};
  PIR_TRY(pir_compile_server_await(server, message, capacity));
  pir_status status = pir_loop_print(module, (pir_writer){pir_grow_text, &text});
  if (status) {
    free(text.data);
    return report_server(message, capacity, PIR_EXHAUSTED, "loops to compile", "out of memory");
  }
  int job = take_job(server);
  if (job < 0) {
    free(text.data);
    return refuse_job(errno, message, capacity);
  }
  server_request request;
  memset(&request, 0, sizeof request);  // gaps are sent, too
  request.text_size = text.size;
  request.max_bytes = limits->max_bytes;
  request.target = *target;
  request.form = form;
  // Where sending fails the server has mostly ended the job, and its reply may say why. If not,
  // it waits for the rest, and must learn that none comes.
  if (!pir_socket_send(job, &request, sizeof request) ||
      !pir_socket_send(job, text.data, text.size))
    shutdown(job, SHUT_WR);
  free(text.data);
  status = read_reply(job, &limits->watch, out, &again, message, capacity);
  give_job(server, job, again);
  return status;
}
