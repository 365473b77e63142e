#!/usr/bin/env python3
"""The binary interface that the public headers state, as libabigail sees it, beside the recorded one.

  abi.py BUILD            compares mk/abi/libpir.abi.xz with the headers and the library; prints findings
  abi.py BUILD --record   writes mk/abi/libpir.abi.xz; refuses an interface that breaks the recorded one and has its soname,
                          but with --break

A library of one file stands for libpir: for each function that libpir.so exports it has a variable with the type of
its declaration, for each enumeration of op numbers a variable of that type. So nothing is compiled twice, and the types
are those that callers see. abidw reads them, abidiff compares. Fields appended to structs that begin with their size (GROWS) are
no difference.
"""
import lzma
import pathlib
import re
import subprocess
import sys
import xml.etree.ElementTree as E

ROOT = pathlib.Path(__file__).resolve().parents[1]
RECORD = ROOT / "mk/abi/libpir.abi.xz"
GROWS = re.compile(r"pir_(.*_options|port|model_stats|model_info|op_count|session_stats|generation_stats|rule_info|span|diag|progress|code_image|code_listener)")
FOLDERS = ["ir/abi", "ir/include", "dialects/include", "runtime/include", "passes/include", "codegen/include", "runtime/exec/include"]
SETS = ["*.h", "engine/*.h", "compiler/*.h"]


def run(*command, cwd=ROOT):
    done = subprocess.run([str(c) for c in command], cwd=cwd, capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def exported(library):
    """The functions that the library exports to all: those of pir/layer have the version PIR_PRIVATE."""
    return re.findall(r" T (pir_\w+)@@PIR_\d", run("nm", "-D", "--defined-only", library)[1])


def stand_in(root, generated, functions):
    """Text of the library of one file. `root` has the headers of the sources, `generated` those of the dialects."""
    files = [h for f in FOLDERS for s in SETS for h in sorted((root / f / "pir").glob(s))] + sorted((generated / "pir/compiler/dialect").glob("*.h"))
    text = "".join(f'#include "{h.resolve()}"\n' for h in files)
    text += "".join(f"extern __typeof__(&{f}) abi_{f};\n__typeof__(&{f}) abi_{f};\n" for f in functions)
    for enum in re.findall(r"^enum (pir_\w+_op) \{", "\n".join(h.read_text() for h in files), re.M):
        text += f"enum {enum} abi_{enum};\n"
    return text


def describe(root, generated, functions, soname, folder):
    """Writes the description of the interface to a folder; returns its path, or None after printing why there is none."""
    folder.mkdir(exist_ok=True)
    source, library, out = folder / "libpir.c", folder / soname, folder / "libpir.abi"
    source.write_text(stand_in(root, generated, functions))
    include = [f"-I{root / f}" for f in FOLDERS] + [f"-I{generated}"]
    failed, text = run("gcc", "-std=gnu11", "-g", "-shared", "-fPIC", "-w", f"-Wl,-soname,{soname}", *include, source.name, "-o", library,
                       cwd=folder)  # so that the description has no path of this machine
    if failed:
        undeclared = sorted(set(re.findall(r"[‘'](pir_\w+)[’'] undeclared", text)))
        print(f"lint: exported, but no public header declares it: {', '.join(undeclared) or text}")
        return None
    failed, text = run("abidw", "--no-corpus-path", "--no-comp-dir-path", "--no-show-locs", "--no-parameter-names", "--type-id-style", "hash", "--out-file", out, library)
    if failed:
        print(f"lint: abidw: {text}")
        return None
    return out


def named_parts(path):
    """{struct: (bits, {field: first bit})} and {enumerator: number}."""
    structs, enumerators = {}, {}
    root = E.parse(path).getroot()
    for c in root.iter("class-decl"):
        fields = {v.get("name"): int(m.get("layout-offset-in-bits") or 0) for m in c.iter("data-member") for v in m.iter("var-decl")}
        if fields and c.get("name") and c.get("size-in-bits"):
            structs[c.get("name")] = int(c.get("size-in-bits")), fields
    for e in root.iter("enumerator"):
        enumerators[e.get("name")] = int(e.get("value"))
    return structs, enumerators


def without_appended(old, new):
    """The description `new` without the fields by which a struct grew."""
    before, tree = named_parts(old)[0], E.parse(new).getroot()
    for c in tree.iter("class-decl"):
        if not GROWS.fullmatch(c.get("name") or "") or c.get("name") not in before:
            continue
        bits, fields = before[c.get("name")]
        for m in c.findall("data-member"):
            if m.find("var-decl").get("name") not in fields and int(m.get("layout-offset-in-bits") or 0) >= bits:
                c.remove(m)
                c.set("size-in-bits", str(bits))
    return tree


def moved_parts(old, new):
    """Fields and enumerators that callers of `old` know by name and that are gone or elsewhere, which abidiff takes for harmless, and
    fields appended to a struct without making it longer: callers of an earlier version do not zero padding."""
    before, after = named_parts(old), named_parts(new)
    for name, (bits, fields) in sorted(before[0].items()):
        now = after[0].get(name, (bits, {}))[1]
        for field, at in fields.items():
            if now.get(field) != at:
                yield f"{name}.{field} {'moved' if field in now else 'is gone'}\n"
        for field, at in now.items():
            if field not in fields and at < bits:
                yield f"{name}.{field} begins inside the old size of its struct\n"
    for name, value in sorted(before[1].items()):
        # The number of rows of a table grows.
        if after[1].get(name) != value and not name.endswith("_COUNT"):
            yield f"{name} was {value} and is {after[1].get(name, 'gone')}\n"


def differences(old, new):
    """What breaks callers of `old`, as text; empty when nothing does."""
    cut = new.with_suffix(".cut.abi")
    cut.write_bytes(E.tostring(without_appended(old, new)))
    code, text = run("abidiff", "--no-added-syms", "--no-show-locs", old, cut)
    return (text if code else "") + "".join(moved_parts(old, new))


def soname_of(build):
    return re.search(r"soname: \[(.+?)\]", run("readelf", "-d", build / "lib/libpir.so")[1])[1]


def recorded(build):
    """Unpacks the record; returns its path and its soname, which is None where there is no record."""
    old = build / "abi" / "recorded.abi"
    if not RECORD.exists():
        return old, None
    old.write_bytes(lzma.decompress(RECORD.read_bytes()))
    return old, E.parse(old).getroot().get("soname")


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    soname = soname_of(build)
    new = describe(ROOT, build / "gen/include", exported(build / "lib/libpir.so"), soname, build / "abi")
    if not new:
        sys.exit(1)
    old, known = recorded(build)
    broken = differences(old, new) if known == soname else ""
    if broken and not ("--record" in sys.argv and "--break" in sys.argv):
        print(f"lint: the binary interface of {soname} breaks callers (docs/reference/compatibility.md):\n{broken}")
        sys.exit(1)
    if "--record" in sys.argv:
        RECORD.write_bytes(lzma.compress(new.read_bytes(), preset=9))
    elif known != soname:
        print(f"lint: the interface of {soname} is not recorded (make abi)")
        sys.exit(1)


if __name__ == "__main__":
    main()
