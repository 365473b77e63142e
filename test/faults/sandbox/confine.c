// Confines a process by Landlock.
#include "sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/landlock.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static const uint64_t reads =
    LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;
// The rights of the first version, which every kernel with Landlock has.
static const uint64_t all = (LANDLOCK_ACCESS_FS_MAKE_SYM << 1) - 1;
// Those that mean something for a file.
static const uint64_t of_files =
    LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_READ_FILE;

static bool add_rule(int set, const rule *r) {
  struct stat info;
  int fd = open(r->path, O_PATH | O_CLOEXEC);
  if (fd < 0)
    return errno == ENOENT;
  uint64_t rights = r->writes ? all : reads;
  if (fstat(fd, &info) || !S_ISDIR(info.st_mode))
    rights &= of_files;
  struct landlock_path_beneath_attr beneath = {.allowed_access = rights, .parent_fd = fd};
  bool added = !syscall(SYS_landlock_add_rule, set, LANDLOCK_RULE_PATH_BENEATH, &beneath, 0);
  close(fd);
  return added;
}

bool sandbox_confine(const rules *allowed) {
  struct landlock_ruleset_attr handled = {.handled_access_fs = all};
  long version = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
  if (version < 1)
    return false;
  size_t size = sizeof handled.handled_access_fs;
#ifdef LANDLOCK_ACCESS_NET_CONNECT_TCP
  if (version >= 4) {
    handled.handled_access_net = LANDLOCK_ACCESS_NET_BIND_TCP | LANDLOCK_ACCESS_NET_CONNECT_TCP;
    size += sizeof handled.handled_access_net;
  }
#endif
  int set = (int)syscall(SYS_landlock_create_ruleset, &handled, size, 0);
  bool good = set >= 0;
  for (size_t i = 0; i < allowed->count && good; i++)
    good = add_rule(set, &allowed->items[i]);
  good = good && !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) &&
         !syscall(SYS_landlock_restrict_self, set, 0);
  if (set >= 0)
    close(set);
  return good;
}
