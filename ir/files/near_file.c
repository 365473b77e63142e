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
  char best[256] = "";
  // The entry's name lasts until the next one is read. Of equally near ones the first in the
  // order of letters is taken, whatever order the folder has.
  for (struct dirent *entry; entries && (entry = readdir(entries));) {
    pir_nearest one = pir_nearest_begin(near.name);
    pir_nearest_try(&one, entry->d_name);
    bool nearer = one.best && (one.edits < near.edits ||
                               (one.edits == near.edits && strcmp(entry->d_name, best) < 0));
    if (!nearer || strlen(entry->d_name) >= sizeof best)
      continue;
    strcpy(best, entry->d_name);
    near.best = best;
    near.edits = one.edits;
  }
  hint = pir_nearest_hint(&near);
  if (entries)
    closedir(entries);
  return hint;
}
