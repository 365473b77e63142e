#!/usr/bin/env bash
# Checks that a reviewer would make by hand. Prints findings and fails on any.
#   mk/lint.sh BUILD
set -u
build=$1 bad=0
cd "$(dirname "$0")/.." || exit 1
finding() { echo "lint: $1"; bad=1; }
mapfile -t files < <(git ls-files '*.c' '*.h')

# layout
mapfile -t scripts < <(git ls-files 'tools/view/page/*.js')
for f in "${files[@]}" "${scripts[@]}"; do
  clang-format-19 --dry-run -Werror "$f" 2>/dev/null || finding "$f: not formatted (make format)"
done
# functions over 80 lines, but those in .lint-allow
ctags -x --c-kinds=f --fields=+ne --_xformat='%{end} %n %N %F' "${files[@]}" 2>/dev/null |
  awk '$1 - $2 >= 80 {print $4 " " $3 " " $1 - $2 + 1}' | sort >"$build/long-functions"
while read -r file name lines; do
  grep -q "^$file $name " .lint-allow 2>/dev/null || finding "$file: $name has $lines lines"
done <"$build/long-functions"
# lines that the formatter leaves alone: comments and strings
while read -r l; do finding "over 96 columns: $l"; done < <(awk 'length($0) > 96 {print FILENAME ":" FNR}' "${files[@]}")
# files over their limit
for f in "${files[@]}"; do
  n=$(wc -l <"$f")
  case $f in *.h) [ "$n" -le 300 ] || finding "$f: $n lines in a header" ;;
  *) [ "$n" -le 800 ] || finding "$f: $n lines" ;; esac
done
# rules over 30 lines
while read -r f; do
  while read -r l; do finding "$f: $l"; done < <(awk '/^ *rule /{s=NR; n=$2} /^ *}$/ && s && match($0, /[^ ]/) <= 3 {if (NR - s >= 30) print "rule " n " has " NR - s + 1 " lines"; s=0}' "$f")
done < <(git ls-files '*.drr')
# op names, banned calls, left-overs
libs=(ir dialects passes codegen runtime)
while read -r l; do finding "op name in C: $l"; done < <(git ls-files 'ir/*.c' 'passes/*.c' 'codegen/*.c' 'runtime/*.c' | xargs -r grep -nE '"pd_op\.' | grep -vE 'pd_op\.(tensor|selectedrows|sparsec)')
while read -r l; do finding "banned in a library: $l"; done < <(git ls-files "${libs[@]/%//*.c}" | xargs -r grep -nE '\b(abort|exit|v?[fs]?n?printf|getenv|setenv|setlocale)\(')
while read -r l; do finding "left open: $l"; done < <(git ls-files '*.c' '*.h' '*.y' '*.l' '*.ops' | xargs -r grep -nE '\b(TODO|FIXME|XXX|HACK)\b')
# numbers of ops stay
while read -r l; do echo "$l"; bad=1; done < <(python3 mk/op_numbers.py)
# tokens a line, choices within choices, names, folders, comments
python3 mk/measure.py || bad=1
# calls between the folders of codegen go one way, as docs/explain/architecture.md lists them
while read -r l; do finding "$l"; done < <(python3 mk/one_way.py "$build")
# every public header alone, as C11 and as C++17
inc="-Iir/abi -Iir/include -Idialects/include -I$build/gen/include -Ipasses/include -Icodegen/include -Iruntime/include -Iruntime/exec/include"
for h in ir/abi/pir/{,*/}*.h */include/pir/{,*/}*.h runtime/exec/include/pir/{,*/}*.h "$build"/gen/include/pir/compiler/{dialect/,build/,build/*/}*.h; do
  [ -f "$h" ] || continue
  # shellcheck disable=SC2086
  gcc -std=c11 -Wall -Wextra -Werror -fsyntax-only $inc -x c "$h" 2>/dev/null || finding "$h: not C11 on its own"
  # shellcheck disable=SC2086
  g++ -std=c++17 -Wall -Wextra -Werror -fsyntax-only $inc -x c++ "$h" 2>/dev/null || finding "$h: not C++17 on its own"
done
# headers that are installed include none that are not, and those of engines none of the compiler's
while read -r l; do finding "a header of another set: $l"; done < <(grep -rnE '#include <pir/(layer|compiler)/' ir/abi/pir/*.h */include/pir/*.h runtime/exec/include/pir/*.h {ir/abi,*/include,runtime/exec/include}/pir/engine/*.h 2>/dev/null
  grep -rnE '#include <pir/layer/' {ir/abi,*/include,runtime/exec/include}/pir/compiler/*.h "$build"/gen/include/pir/compiler/{dialect/,build/,build/*/}*.h 2>/dev/null)
# the binary interface that callers of this soname know
python3 mk/abi.py "$build" || bad=1
# exported symbols, written data, forbidden imports
n=$(sed -n 's/^#define PIR_SONAME "\(.*\)"/\1/p' ir/abi/pir/base.h)
for so in "$build"/lib/libpir*.so."$n"; do
  while read -r s; do finding "$so exports $s"; done < <(nm -D --defined-only "$so" | awk '$2 != "A" {print $3}' | grep -v '^pir_')
  while read -r s; do finding "$so calls $s"; done < <(nm -D --undefined-only "$so" | awk '{print $2}' | sed 's/@.*//' | grep -xE '.*printf(_chk)?|f?puts|putchar|fputc|_?exit|abort|getenv')
done
for so in "$build/lib/libpir.so.$n" "$build/lib/libpir_codegen_llvm.so.$n"; do
  while read -r s; do finding "$so: written data: $s"; done < <(nm -f sysv "$so" |
    awk -F'|' '{gsub(/ /, "")} $7 ~ /^\.(data|bss)$/ && $1 !~ /^(completed\.|__|_edata|_end|__bss_start)/ {print $1}')
done
[ $bad = 0 ] && echo "lint: nothing found"
exit $bad
