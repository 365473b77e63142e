// LLVM in a process of its own: the same code as in this one, and its end is a status.
#include "code.h"
#include "compile_server.h"
#include "machine.h"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { MESSAGE = 768 };

// A function that multiplies units [begin, end) of buffer 0 by a number, so many times.
static loop_module *make_scaling(double factor, int times) {
  loop_module *m = pir_loop_module_create();
  loop_fn *fn = pir_loop_fn_create(m, "stage");
  loop_buffer *x = pir_loop_arg(fn, "x", PIR_F32, 0, 4, false);
  loop_var *i = pir_loop_var_create(fn, "i", LOOP_INDEX, 1);
  loop_block *body = pir_loop_for(fn, &fn->body, LOOP_PARALLEL, i, pir_loop_use(m, fn->begin),
                                  pir_loop_use(m, fn->end), NULL);
  for (int k = 0; k < times; k++) {
    loop_expr *at = pir_loop_use(m, i), *value = pir_loop_load(m, x, at, 1, NULL);
    value =
        pir_loop_op(m, PIR_V_MUL, value, pir_loop_const_float(m, PIR_F32, factor + k), NULL);
    pir_loop_store(fn, body, x, at, value, NULL);
  }
  return m;
}

static pir_status try_scaling(const pir_llvm_library *llvm, pir_code_form form,
                              pir_emitted *out, char message[MESSAGE]) {
  pir_target target;
  loop_module *m = make_scaling(3, 1);
  assert_int_equal(pir_target_get("x86-64", &target), PIR_OK);
  pir_status status = pir_llvm_emit_code(llvm, m, &target, form, out, message, MESSAGE);
  pir_loop_module_destroy(m);
  return status;
}

static void emit_scaling(const pir_llvm_library *llvm, pir_code_form form, pir_emitted *out) {
  char message[MESSAGE];
  assert_int_equal(try_scaling(llvm, form, out, message), PIR_OK);
  assert_true(out->size > 100);
}

static void same_code_as_in_this_process(void **unused) {
  static const pir_code_form forms[] = {PIR_CODE_OBJECT, PIR_CODE_ASSEMBLY};
  char message[MESSAGE];
  pir_llvm_library here, there;
  (void)unused;
  assert_int_equal(pir_llvm_open(true, &here, message, sizeof message), PIR_OK);
  assert_int_equal(pir_llvm_open(false, &there, message, sizeof message), PIR_OK);
  assert_non_null(here.backend);
  assert_null(there.backend);
  for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
    pir_emitted a, b;
    emit_scaling(&here, forms[i], &a);
    emit_scaling(&there, forms[i], &b);
    assert_int_equal(a.size, b.size);
    assert_memory_equal(a.data, b.data, a.size);
    free(a.data);
    free(b.data);
  }
  pir_llvm_close(&here);
  pir_llvm_close(&there);
}

// Whether a process has this variable in its environment.
static bool has_variable(const char *process, const char *variable) {
  static char all[1 << 16];
  char path[300];
  snprintf(path, sizeof path, "/proc/%s/environ", process);
  int fd = open(path, O_RDONLY);
  ssize_t size = fd < 0 ? 0 : read(fd, all, sizeof all);
  if (fd >= 0)
    close(fd);
  return size > 0 && memmem(all, (size_t)size, variable, strlen(variable));
}

// Kills the servers that were started with this variable, or does nothing (`number` 0);
// returns how many there are.
static int kill_servers(const char *variable, int number) {
  int killed = 0;
  DIR *dir = opendir("/proc");
  for (struct dirent *e; dir && (e = readdir(dir));) {
    pid_t process = atoi(e->d_name);
    if (process <= 0 || process == getpid() || !has_variable(e->d_name, variable))
      continue;
    killed += !kill(process, number);
  }
  if (dir)
    closedir(dir);
  return killed;
}

// Opens LLVM in a process of its own, whose environment has this stem and our number.
static void open_marked(const char *stem, char value[64], pir_llvm_library *llvm) {
  char message[MESSAGE];
  snprintf(value, 64, "%s-%d.", stem, (int)getpid());
  assert_int_equal(setenv("PIR_TEST_SERVER", value, 1), 0);
  assert_int_equal(pir_llvm_open(false, llvm, message, sizeof message), PIR_OK);
}

static void a_killed_server_is_a_status(void **unused) {
  char message[MESSAGE] = "", value[64];
  pir_llvm_library llvm;
  pir_emitted code;
  (void)unused;
  open_marked("server-of", value, &llvm);
  emit_scaling(&llvm, PIR_CODE_OBJECT, &code);
  free(code.data);
  // The process that compiled the module above may not have ended yet.
  assert_in_range(kill_servers(value, SIGKILL), 1, 2);
  assert_int_equal(try_scaling(&llvm, PIR_CODE_OBJECT, &code, message), PIR_EXHAUSTED);
  assert_non_null(strstr(message, "was killed"));
  assert_null(code.data);
  pir_llvm_close(&llvm);
  assert_int_equal(pir_llvm_open(false, &llvm, message, sizeof message), PIR_OK);
  emit_scaling(&llvm, PIR_CODE_OBJECT, &code);
  free(code.data);
  pir_llvm_close(&llvm);
  unsetenv("PIR_TEST_SERVER");
}

// Waits until so many servers and jobs are left.
static void await_servers(const char *variable, int count) {
  int tries = 0;
  while (kill_servers(variable, 0) != count && ++tries < 400)
    usleep(5000);
  assert_int_equal(kill_servers(variable, 0), count);
}

// One job compiles module after module, also under a limit of memory, until it is let go.
static void a_job_compiles_many_modules(void **unused) {
  char value[64];
  pir_llvm_library llvm;
  (void)unused;
  open_marked("resting-server-of", value, &llvm);
  for (int limited = 0; limited < 2; limited++) {
    llvm.limits.max_bytes = limited ? 64 << 20 : 0;
    for (int i = 0; i < 20; i++) {
      pir_emitted code;
      emit_scaling(&llvm, i % 2 ? PIR_CODE_OBJECT : PIR_CODE_LLVM, &code);
      free(code.data);
      await_servers(value, 2);
    }
    pir_llvm_rest(&llvm);
    await_servers(value, 1);
  }
  pir_llvm_close(&llvm);
  await_servers(value, 0);
  unsetenv("PIR_TEST_SERVER");
}

// A server that was only begun is waited for.
static void a_begun_server_compiles(void **unused) {
  pir_llvm_library llvm;
  pir_emitted code;
  (void)unused;
  pir_llvm_begin(&llvm);
  assert_true(pir_llvm_is_open(&llvm));
  emit_scaling(&llvm, PIR_CODE_OBJECT, &code);
  free(code.data);
  pir_llvm_close(&llvm);
  pir_llvm_begin(&llvm);
  pir_llvm_close(&llvm);
}

enum { LONG = 30000 };  // LLVM takes seconds, and more than 100 MB

// The stop counts from when the loops are made.
static pir_status try_long(pir_llvm_library *llvm, const pir_stop *stop,
                           char message[MESSAGE]) {
  pir_target target;
  pir_emitted code = {0};
  loop_module *m = make_scaling(3, LONG);
  assert_int_equal(pir_target_get("x86-64", &target), PIR_OK);
  if (stop)
    llvm->limits.watch = pir_watch_begin(stop, 0);
  pir_status status =
      pir_llvm_emit_code(llvm, m, &target, PIR_CODE_OBJECT, &code, message, MESSAGE);
  assert_true(!status == (code.data != NULL));
  free(code.data);
  pir_loop_module_destroy(m);
  return status;
}

// Whether a process catches SIGIO, as jobs do that compile.
static bool catches_sigio(const char *process) {
  char path[300], line[256];
  unsigned long long caught = 0;
  snprintf(path, sizeof path, "/proc/%s/status", process);
  FILE *file = fopen(path, "r");
  while (file && fgets(line, sizeof line, file))
    if (strncmp(line, "SigCgt:", 7) == 0)
      caught = strtoull(line + 7, NULL, 16);
  if (file)
    fclose(file);
  return caught >> (SIGIO - 1) & 1;
}

static bool job_compiles(const char *variable) {
  bool found = false;
  DIR *dir = opendir("/proc");
  for (struct dirent *e; dir && !found && (e = readdir(dir));)
    found = atoi(e->d_name) > 0 && atoi(e->d_name) != getpid() && catches_sigio(e->d_name) &&
            has_variable(e->d_name, variable);
  if (dir)
    closedir(dir);
  return found;
}

// However slow the machine is, the module is on its way through LLVM then.
static void await_compiling(const char *variable) {
  for (int tries = 0; tries < 20000 && !job_compiles(variable); tries++)
    usleep(5000);
}

typedef struct ending {
  const char *variable;
  pir_atomic_int flag;
} ending;

static void *set_flag(void *data) {
  ending *e = data;
  await_compiling(e->variable);
  atomic_store(&e->flag, 1);
  return NULL;
}

// The job is killed; the server goes on.
static void a_job_ends_early(void **unused) {
  char message[MESSAGE] = "", value[64];
  ending end = {.variable = value};
  pir_stop stops[] = {{.max_ns = 200000000}, {.cancel = &end.flag}};
  pir_llvm_library llvm;
  pir_emitted code;
  (void)unused;
  open_marked("ending-server-of", value, &llvm);
  for (int i = 0; i < 2; i++) {
    pthread_t other;
    if (i)
      assert_int_equal(pthread_create(&other, NULL, set_flag, &end), 0);
    assert_int_equal(try_long(&llvm, &stops[i], message), PIR_CANCELLED);
    assert_string_equal(message, i ? "cancelled while code was generated"
                                   : "the time limit was hit while code was generated");
    if (i)
      pthread_join(other, NULL);
    await_servers(value, 1);
  }
  llvm.limits.watch = (pir_watch){0};
  emit_scaling(&llvm, PIR_CODE_OBJECT, &code);
  free(code.data);
  pir_llvm_close(&llvm);
  unsetenv("PIR_TEST_SERVER");
}

static void *announce_bytes(void *variable) {
  await_compiling(variable);
  kill_servers(variable, SIGIO);
  return NULL;
}

// A signal that comes late, for bytes that have been read, ends no job. (It ends the server,
// which gets no such signal otherwise.)
static void a_late_signal_ends_no_job(void **unused) {
  char message[MESSAGE] = "", value[64];
  pir_llvm_library llvm;
  pthread_t other;
  (void)unused;
  open_marked("late-server-of", value, &llvm);
  assert_int_equal(pthread_create(&other, NULL, announce_bytes, value), 0);
  assert_int_equal(try_long(&llvm, NULL, message), PIR_OK);
  pthread_join(other, NULL);
  pir_llvm_close(&llvm);
  await_servers(value, 0);
  unsetenv("PIR_TEST_SERVER");
}

static void memory_of_a_job_is_limited(void **unused) {
  char message[MESSAGE] = "";
  pir_llvm_library llvm;
  pir_emitted code;
  (void)unused;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  skip();  // shadow memory would count
#endif
  assert_int_equal(pir_llvm_open(false, &llvm, message, sizeof message), PIR_OK);
  llvm.limits.max_bytes = 16 << 20;
  assert_int_equal(try_long(&llvm, NULL, message), PIR_EXHAUSTED);
  assert_non_null(strstr(message, "memory"));
  emit_scaling(&llvm, PIR_CODE_OBJECT, &code);
  free(code.data);
  pir_llvm_close(&llvm);
}

// The server holds no descriptor of the host and is not its child.
static void nothing_of_the_host_is_kept(void **unused) {
  char message[MESSAGE], byte;
  pir_llvm_library llvm;
  pir_emitted code;
  int pipes[2];
  (void)unused;
  assert_int_equal(pipe(pipes), 0);
  assert_int_equal(pir_llvm_open(false, &llvm, message, sizeof message), PIR_OK);
  emit_scaling(&llvm, PIR_CODE_OBJECT, &code);
  free(code.data);
  close(pipes[1]);
  assert_int_equal(read(pipes[0], &byte, 1), 0);
  assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
  close(pipes[0]);
  pir_llvm_close(&llvm);
}

static pid_t fork_paused(void) {
  pid_t child = fork();
  if (child)
    return child;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  pause();
  _exit(0);
}

static void end_forked(pid_t child) {
  assert_int_equal(kill(child, SIGKILL), 0);
  assert_int_equal(waitpid(child, NULL, 0), child);
}

// A process that the host forked has all of its descriptors, and may live long.
static void a_forked_process_keeps_no_server(void **unused) {
  char message[MESSAGE] = "", value[64];
  pir_stop stop = {.max_ns = 200000000};
  pir_llvm_library llvm;
  pir_emitted code;
  (void)unused;
  open_marked("server-of-parent", value, &llvm);
  emit_scaling(&llvm, PIR_CODE_OBJECT, &code);
  free(code.data);
  pid_t child = fork_paused();
  assert_int_equal(try_long(&llvm, &stop, message), PIR_CANCELLED);
  await_servers(value, 1);
  pir_llvm_close(&llvm);
  await_servers(value, 0);
  end_forked(child);
  unsetenv("PIR_TEST_SERVER");
}

enum { MOST_FORKED = 8 };
static pid_t forked[MOST_FORKED];  // by pairs of sockets that were made
static int forked_count = -1;      // below 0: none is

// Stands in for libc's: the process forks as soon as it has both ends.
int socketpair(int domain, int type, int protocol, int ends[2]) {
  int failed = (int)syscall(SYS_socketpair, domain, type, protocol, ends);
  if (!failed && forked_count >= 0 && forked_count < MOST_FORKED)
    forked[forked_count++] = fork_paused();
  return failed;
}

// A process that is forked while a server or a job is started does not hide its end.
static void a_forked_process_hides_no_end(void **unused) {
  char message[MESSAGE] = "", value[64];
  pir_llvm_library llvm;
  pir_emitted code;
  (void)unused;
  forked_count = 0;
  open_marked("server-beside-fork", value, &llvm);
  emit_scaling(&llvm, PIR_CODE_OBJECT, &code);
  free(code.data);
  assert_in_range(forked_count, 1, MOST_FORKED);
  assert_int_equal(kill_servers(value, SIGKILL), 2);
  alarm(60);
  for (int i = 0; i < 2; i++) {  // a job that waited, a new one
    assert_int_equal(try_scaling(&llvm, PIR_CODE_OBJECT, &code, message), PIR_EXHAUSTED);
    assert_non_null(strstr(message, "was killed"));
  }
  alarm(0);
  pir_llvm_close(&llvm);
  while (forked_count)
    end_forked(forked[--forked_count]);
  forked_count = -1;
  unsetenv("PIR_TEST_SERVER");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(same_code_as_in_this_process),
      cmocka_unit_test(a_killed_server_is_a_status),
      cmocka_unit_test(a_job_compiles_many_modules),
      cmocka_unit_test(a_begun_server_compiles),
      cmocka_unit_test(a_job_ends_early),
      cmocka_unit_test(a_late_signal_ends_no_job),
      cmocka_unit_test(memory_of_a_job_is_limited),
      cmocka_unit_test(nothing_of_the_host_is_kept),
      cmocka_unit_test(a_forked_process_keeps_no_server),
      cmocka_unit_test(a_forked_process_hides_no_end),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
