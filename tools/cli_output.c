// Outputs of the tools. The names of files that are not published yet are also kept in an
// array, so that the file is removed where a tool ends at once: at a limit, or by a signal.
#include "cli.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { OUTPUT_BUFFER = 1 << 16, A_MEGABYTE = 1 << 20, MOST_UNPUBLISHED = 8 };

// ---- files that are not published

static const char *volatile unpublished[MOST_UNPUBLISHED];

void cli_outputs_remove(void) {
  for (int i = 0; i < MOST_UNPUBLISHED; i++)
    if (unpublished[i])
      (void)unlink(unpublished[i]);
}

// While the tool creates or publishes a file, the array and the folder disagree: a signal
// waits.
static volatile sig_atomic_t changes_files, waiting;

static void end_by_signal(int number) {
  if (changes_files) {
    waiting = number;
    return;
  }
  cli_outputs_remove();
  signal(number, SIG_DFL);
  raise(number);
}

static void begin_change(void) {
  changes_files = 1;
}

static void end_change(void) {
  changes_files = 0;
  if (waiting)
    end_by_signal(waiting);
}

// A signal that the caller of the tool ignores stays ignored.
static void watch_signals(void) {
  static const int numbers[] = {SIGHUP, SIGINT, SIGTERM};
  struct sigaction now, ends = {.sa_handler = end_by_signal};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
    if (!sigaction(numbers[i], NULL, &now) && now.sa_handler == SIG_DFL)
      (void)sigaction(numbers[i], &ends, NULL);
}

static void note_unpublished(const char *name) {
  for (int i = 0; i < MOST_UNPUBLISHED; i++)
    if (!unpublished[i]) {
      unpublished[i] = name;
      return;
    }
}

static void forget_unpublished(const char *name) {
  for (int i = 0; i < MOST_UNPUBLISHED; i++)
    if (unpublished[i] == name)
      unpublished[i] = NULL;
}

// ---- outputs that would replace something else

static bool names_file(const char *path) {
  return path && *path && strcmp(path, "-") != 0;
}

// The folder of a path, resolved; the caller frees. `*out_name` is the name inside of it.
static char *folder_of(const char *path, const char **out_name) {
  const char *slash = strrchr(path, '/');
  *out_name = slash ? slash + 1 : path;
  char *folder = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
  char *resolved = folder ? realpath(folder, NULL) : NULL;
  free(folder);
  return resolved;
}

static bool is_same_path(const char *a, const char *b) {
  struct stat x, y;
  bool has_x = stat(a, &x) == 0, has_y = stat(b, &y) == 0;
  if (has_x || has_y)
    return has_x && has_y && x.st_dev == y.st_dev && x.st_ino == y.st_ino && S_ISREG(x.st_mode);
  const char *name_a, *name_b;
  char *folder_a = folder_of(a, &name_a), *folder_b = folder_of(b, &name_b);
  bool same = folder_a && folder_b && !strcmp(folder_a, folder_b) && !strcmp(name_a, name_b);
  free(folder_a);
  free(folder_b);
  return same;
}

int cli_refuse_same_file(const cli_run *cli, const char *a, const char *path_a, const char *b,
                         const char *path_b) {
  if (!names_file(path_a) || !names_file(path_b) || !is_same_path(path_a, path_b))
    return 0;
  return cli_fail(cli, CLI_USAGE, "%s and %s are one file: %s", a, b, path_b);
}

// ---- the form of an output

bool cli_output_ends(const cli_run *cli, const char *ending) {
  size_t size = cli->output ? strlen(cli->output) : 0, cut = strlen(ending);
  return size > cut && strcmp(cli->output + size - cut, ending) == 0;
}

const char *cli_format_by_output(const cli_run *cli) {
  size_t count;
  const pir_format_def *defs = pir_format_defs(&count);
  for (size_t i = 0; i < count; i++) {
    char ending[16];
    const char *files = defs[i].files;
    if (!defs[i].write || !files || *files != '.')
      continue;
    snprintf(ending, sizeof ending, "%.*s", (int)strcspn(files, " "), files);
    if (cli_output_ends(cli, ending))
      return defs[i].name;
  }
  return "text";
}

int cli_refuse_terminal(const cli_run *cli) {
  bool named = cli->output && strcmp(cli->output, "-") != 0;
  if (named || !isatty(STDOUT_FILENO))
    return 0;
  return cli_fail(cli, CLI_USAGE, "bytes that are not text would go to the terminal: -o FILE");
}

// ---- output

static int report_output(const cli_run *cli, const cli_output *output, int error) {
  return cli_fail(cli, CLI_INVALID, "%s: cannot write: %s",
                  output->path ? output->path : "<stdout>", strerror(error));
}

static int refuse_output(const cli_run *cli, cli_output *output, int error) {
  int code = report_output(cli, output, error);
  cli_output_abandon(output);
  return code;
}

// A file that replaces another one keeps its access rights.
static bool create_output(const char *path, const struct stat *replaced, pir_new_file *out) {
  if (!pir_new_file_create(AT_FDCWD, path, replaced ? 0600 : 0666, out))
    return false;
  if (!replaced || !fchmod(out->fd, replaced->st_mode & 0777))
    return true;
  out->error = errno;
  return false;
}

int cli_output_open(const cli_run *cli, const char *path, cli_output *out_output) {
  *out_output = (cli_output){
      .cli = cli, .stream = STDOUT_FILENO, .file.fd = -1, .buffer = malloc(OUTPUT_BUFFER)};
  if (!out_output->buffer)
    return cli_fail(cli, CLI_LIMIT, "out of memory");
  if (!path || strcmp(path, "-") == 0)
    return 0;
  out_output->path = path;
  struct stat info;
  bool exists = stat(path, &info) == 0;
  if (exists && !S_ISREG(info.st_mode)) {  // a device or pipe is written, not replaced
    out_output->stream = open(path, O_WRONLY | O_CLOEXEC);
    return out_output->stream >= 0 ? 0 : refuse_output(cli, out_output, errno);
  }
  out_output->stream = -1;
  watch_signals();
  begin_change();
  bool created = create_output(path, exists ? &info : NULL, &out_output->file);
  if (created)
    note_unpublished(out_output->file.temporary);
  end_change();
  if (created)
    return 0;
  return refuse_output(cli, out_output, out_output->file.error);
}

static bool write_stream(cli_output *output, const char *data, size_t size) {
  while (size && !output->error) {
    ssize_t n = write(output->stream, data, size);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0) {
      output->error = errno ? errno : EIO;
      return false;
    }
    data += n;
    size -= (size_t)n;
  }
  return !output->error;
}

static bool write_output(cli_output *output, const char *data, size_t size) {
  output->bytes += size;
  if (output->stream == STDOUT_FILENO)
    cli_progress_erase();
  else if (output->bytes >= A_MEGABYTE)
    cli_stage(output->cli, "write", output->path, output->bytes / A_MEGABYTE, 0);
  if (output->stream >= 0)
    return write_stream(output, data, size);
  if (!pir_new_file_write(&output->file, data, size))
    output->error = output->file.error;
  return !output->error;
}

static bool empty_buffer(cli_output *output) {
  size_t used = output->used;
  output->used = 0;
  return write_output(output, output->buffer, used);
}

static bool buffer_output(void *user, const char *data, size_t size) {
  cli_output *output = user;
  if (output->error || (size > OUTPUT_BUFFER - output->used && !empty_buffer(output)))
    return false;
  if (size >= OUTPUT_BUFFER)
    return write_output(output, data, size);
  memcpy(output->buffer + output->used, data, size);
  output->used += size;
  return true;
}

pir_writer cli_output_writer(cli_output *output) {
  return (pir_writer){buffer_output, output};
}

static bool write_stderr(void *user, const char *data, size_t size) {
  (void)user;
  return fwrite(data, 1, size, stderr) == size;
}

pir_writer cli_stderr_writer(void) {
  return (pir_writer){write_stderr, NULL};
}

static void close_stream(cli_output *output) {
  if (output->path && output->stream >= 0 && close(output->stream) && !output->error)
    output->error = errno;
  output->stream = -1;
}

void cli_output_abandon(cli_output *output) {
  close_stream(output);
  begin_change();
  forget_unpublished(output->file.temporary);
  pir_new_file_discard(&output->file);
  end_change();
  free(output->buffer);
  *output = (cli_output){.stream = -1, .file.fd = -1};
}

int cli_output_flush(const cli_run *cli, cli_output *output) {
  if (empty_buffer(output) && output->file.fd >= 0 && !pir_new_file_flush(&output->file))
    output->error = output->file.error;
  return output->error ? report_output(cli, output, output->error) : CLI_OK;
}

int cli_output_commit(const cli_run *cli, cli_output *output) {
  (void)empty_buffer(output);  // a failure shows below
  close_stream(output);
  if (output->file.fd >= 0)
    (void)pir_new_file_flush(&output->file);  // which may take long
  begin_change();
  forget_unpublished(output->file.temporary);
  if (output->file.fd >= 0 && !pir_new_file_publish(&output->file))
    output->error = output->file.error;
  end_change();
  if (output->error)
    return refuse_output(cli, output, output->error);
  cli_output_abandon(output);
  return CLI_OK;
}
