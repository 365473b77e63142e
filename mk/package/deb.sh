#!/usr/bin/env bash
# Makes Debian packages of a finished build: libpirN, libpir-rtN, libpir-dev, libpir-tools and python3-libpir, in BUILD/deb.
#   SOURCE_DATE_EPOCH=SECONDS deb.sh BUILD VERSION SONAME
set -eu
# The build folder is named as the caller names it, so that nothing is compiled anew under another name.
build=$(cd "$1" && pwd) version=$2 soname=$3
root=$(cd "$(dirname "$0")/../.." && pwd)
: "${SOURCE_DATE_EPOCH:?}"
command -v dpkg-shlibdeps >/dev/null || { echo "deb: dpkg-dev is missing" >&2; exit 1; }
triplet=$(dpkg-architecture -qDEB_HOST_MULTIARCH)
work=$build/deb/work
rm -rf "$work" "$build"/deb/*.deb
mkdir -p "$work/debian"
cd "$work"
sed "s/@SONAME@/$soname/g" "$root/mk/package/control.in" >debian/control
cat >debian/changelog <<END
libpir ($version) unstable; urgency=medium

  * Version $version; /usr/share/doc/libpir$soname/changelog.gz lists the changes.

 -- libpir maintainers <maintainers@libpir.invalid>  $(LC_ALL=C date -u -R -d "@$SOURCE_DATE_EPOCH")
END
MAKEFLAGS= make -s -C "$root" B="$1" CC="${CC-gcc}" ${CFLAGS+CFLAGS="$CFLAGS"} DESTDIR="$work/all" PREFIX=/usr LIBDIR="/usr/lib/$triplet" TOOLBIN="$build/deb/bin" install

# ---- which package has which files
lib=usr/lib/$triplet
into() { # package paths..
  local package=$1 path
  shift
  for path in "$@"; do
    mkdir -p "debian/$package/$(dirname "$path")"
    mv "all/$path" "debian/$package/$path"
  done
}
( cd all && ls "$lib"/libpir*.so."$soname" "$lib/pir-compile-server" ) | xargs -d '\n' printf '%s\n' >runtime
for name in libpir_rt libpir_rt_kernels; do into "libpir-rt$soname" "$lib/$name.so.$soname"; done
mapfile -t runtime < <(grep -v libpir_rt runtime)
into "libpir$soname" "${runtime[@]}" "$lib/triton"
into libpir-dev usr/include "$lib"
into libpir-tools usr/bin usr/share/man usr/share/bash-completion
modules=usr/lib/python3/dist-packages/libpir
mkdir -p "debian/python3-libpir/$modules/lib"
cp "$build"/python/libpir/*.py "$build/python/libpir/py.typed" "debian/python3-libpir/$modules/"
ln -s "$(realpath -m --relative-to="/$modules/lib" "/$lib/libpir.so.$soname")" "debian/python3-libpir/$modules/lib/libpir.so.$soname"
left=$(find all -type f -o -type l)
[ -z "$left" ] || { echo "deb: in no package: $left" >&2; exit 1; }

libs=debian/libpir$soname/$lib
strip --strip-unneeded "debian/libpir-rt$soname/$lib"/*.so.* "$libs"/libpir*.so.* "$libs/triton/pir/libtriton_pir.so" "$libs/pir-compile-server" debian/libpir-tools/usr/bin/*
strip --strip-debug --enable-deterministic-archives "debian/libpir-dev/$lib"/*.a
gzip -9n debian/libpir-tools/usr/share/man/man1/*.1

# ---- what they depend on, and the packages
for package in debian/*/; do mkdir "$package/DEBIAN"; done
echo "libpir $soname libpir$soname (= $version)" >shlibs.local
depend() { # variables kind files..
  dpkg-shlibdeps -Lshlibs.local "-l$libs" "-xlibpir$soname" "-T$1" "-d$2" "${@:3}"
}
mapfile -t needed < <(ls "$libs/libpir.so.$soname" "$libs/pir-compile-server" "$libs"/libpir_fft.so.* 2>/dev/null)
depend libpir.vars Depends "${needed[@]}"
depend llvm.vars Recommends "$libs/libpir_codegen_llvm.so.$soname"
sed -n 's/^shlibs:Recommends=/llvm:Recommends=/p' llvm.vars >>libpir.vars
depend rt.vars Depends "debian/libpir-rt$soname/$lib"/*.so.*
# The tools: what they need besides libpir, whose version is stated.
depend tools.vars Depends debian/libpir-tools/usr/bin/*
: >none.vars
pack() { # package variables
  local into=debian/$1
  local doc=$into/usr/share/doc/$1
  mkdir -p "$doc"
  cp "$root/mk/package/copyright" "$doc/copyright"
  gzip -9nc "$root/CHANGELOG.md" >"$doc/changelog.gz"
  chmod -R u=rwX,go=rX "$into"
  dpkg-gencontrol "-p$1" "-P$into" "-T$2"
  (cd "$into" && find . -path ./DEBIAN -prune -o -type f -printf '%P\n' | LC_ALL=C sort | xargs -d '\n' md5sum >DEBIAN/md5sums)
  find "$into" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
  dpkg-deb --root-owner-group -Zxz --threads-max=1 --build "$into" "$build/deb" >/dev/null
}
echo "libpir $soname libpir$soname (>= $version)" >"debian/libpir$soname/DEBIAN/shlibs"
echo "libpir_rt $soname libpir-rt$soname (>= $version)" >"debian/libpir-rt$soname/DEBIAN/shlibs"
for name in libpir libpir-rt; do echo "activate-noawait ldconfig" >"debian/$name$soname/DEBIAN/triggers"; done
pack "libpir$soname" libpir.vars
pack "libpir-rt$soname" rt.vars
pack libpir-dev none.vars
pack libpir-tools tools.vars
pack python3-libpir none.vars
cd "$build/deb" && rm -rf work && ls ./*.deb | sed "s|^\.|$build/deb|"
