#!/usr/bin/env bash
# Compares the first error that drrc finds in each file with the file's first line, a comment `// LINE:COLUMN: error: MESSAGE`.
failed=0
for file in "$@"; do
  read -r _ expected <"$file"
  found=$(drrc "$file" -I "${file%/*}" -o "$file.c" 2>&1)
  found=${found%%$'\n'*}
  if [ "${found#"$file:"}" != "$expected" ]; then
    printf '%s: expected: %s\n  found: %s\n' "$file" "$expected" "$found"
    failed=1
  fi
done
exit $failed
