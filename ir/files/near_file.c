// The file of a folder whose name is most similar to the name of one that is not there.
#include <pir/layer/nearest.h>

#include <dirent.h>
#include <string.h>

pir_hint pir_hint_file(const char *path) {
  pir_hint hint = {""};
  const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
  size_t size = slash ? (size_t)(slash - path) + 1 : 0;
  char folder[1024] = ".";
  if (size >= sizeof folder)
    return hint;
  memcpy(folder, path, size);
  folder[size ? size : 1] = 0;
  DIR *entries = opendir(folder);
  pir_nearest near = pir_nearest_begin(pir_str_from(name));
  // The entry's name lasts until the next one is read, so the hint is made at once.
  for (struct dirent *entry; entries && (entry = readdir(entries));) {
    size_t before = near.edits;
    pir_nearest_try(&near, entry->d_name);
    if (near.edits < before)
      hint = pir_nearest_hint(&near);
  }
  if (entries)
    closedir(entries);
  return hint;
}
