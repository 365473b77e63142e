#!/usr/bin/env bash
# Runs the blocks of the documentation with an installed libpir, and ends with `N passed, N failed, N skipped`, pages counted.
#   test/docs/run.sh BUILD [--update] [PAGE...]      without pages all of them; --update: pages get what commands print
set -eu
shopt -s nullglob
build=$(cd "$1" && pwd)
root=$(cd "$(dirname "$0")/../.." && pwd)
shift
into=$build/docs-install
rm -rf "$into"
make -s -C "$root" B="$build" PREFIX="$into" CC="${CC-gcc}" ${CFLAGS+CFLAGS="$CFLAGS"} install python
update=()
[ "${1-}" != --update ] || { update=(--update); shift; }
[ $# -gt 0 ] || set -- "$root"/docs/tutorial/*.md "$root"/docs/*.md "$root"/docs/{howto,reference,explain,steps,viewer}/*.md "$root"/{README,CHANGELOG,SECURITY}.md "$root"/python/README.md
ln -sf /usr/bin/python3 "$into/bin/python3"  # the one with Debian's packages
export PATH=$into/bin:$PATH LD_LIBRARY_PATH=$into/lib PKG_CONFIG_PATH=$into/lib/pkgconfig PYTHONPATH=$build/python
exec python3 "$root/test/docs/blocks.py" "${update[@]}" "$@"
