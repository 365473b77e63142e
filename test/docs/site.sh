#!/usr/bin/env bash
# Builds the site, checks its links, and that each public name has an entry; ends with `N passed, N failed, N skipped`.
#   test/docs/site.sh BUILD
set -u
build=$(cd "$1" && pwd)
root=$(cd "$(dirname "$0")/../.." && pwd)
html=$build/site/html
for module in sphinx myst_parser breathe furo; do
  /usr/bin/python3 -c "import $module" 2>/dev/null || { echo "skipped: $module is missing (mk/setup.sh site)"; echo "0 passed, 0 failed, 1 skipped"; exit; }
done
command -v doxygen >/dev/null || { echo "skipped: doxygen is missing (mk/setup.sh site)"; echo "0 passed, 0 failed, 1 skipped"; exit; }
passed=0 failed=0
check() { if "$@"; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAIL $*"; fi; }
check make -s -C "$root" B="$build" CC="${CC-gcc}" ${CFLAGS+CFLAGS="$CFLAGS"} "$html/index.html"
check /usr/bin/python3 "$root/test/docs/site_links.py" "$html"
check /usr/bin/python3 "$root/test/docs/site_names.py" "$build" "$html"
echo "$passed passed, $failed failed, 0 skipped"
[ $failed -eq 0 ]
