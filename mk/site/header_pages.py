"""Pages of the C and C++ interface: one for each public header, by Breathe from Doxygen's XML."""
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
SETS = [("engine", "Programs that run models"), ("compiler", "Programs that read, change and write programs"), (".", "Both")]


def headers():
    """Public headers by their path below `pir`."""
    found = {}
    for folder in sorted(ROOT.glob("*/include/pir")) + [ROOT / "ir/abi/pir", ROOT / "runtime/exec/include/pir"]:
        for h in [*folder.glob("*.h"), *folder.glob("engine/*.h*"), *folder.glob("compiler/*.h")]:
            found[str(h.relative_to(folder))] = h
    return found


def first_sentence(header):
    """The beginning of the comment that a header starts with."""
    lines = re.match(r"(?:// ?.*\n)+", header.read_text(encoding="utf-8"))[0].split("\n")
    text = " ".join(line[2:].strip() for line in lines)
    return re.match(r"(.*?[.:])(?: |$)", text)[1].rstrip(":.") + "."


def write(out):
    out.mkdir(parents=True)
    rows, entries = [], []
    known = headers()
    for name, title in SETS:
        rows.append(f"\n## {title}\n\n| header | |\n| --- | --- |\n")
        for path in sorted(p for p in known if str(pathlib.Path(p).parent) == name):
            page = path.replace("/", "-").replace(".", "-")
            entries.append(page)
            rows.append(f"| [pir/{path}]({page}.md) | {first_sentence(known[path])} |\n")
            (out / f"{page}.md").write_text(f"# pir/{path}\n\n```{{eval-rst}}\n.. doxygenfile:: pir/{path}\n```\n")
    (out / "index.md").write_text("# C and C++\n\nThe interface of the headers, from their comments. `pir/engine/engine.hpp` is the one for C++20. Functions that build operators "
                                  "(`pir/compiler/build`) are listed with [the operators](../operators.md).\n" + "".join(rows) +
                                  "\n```{toctree}\n:hidden:\n\n" + "\n".join(entries) + "\n```\n")
