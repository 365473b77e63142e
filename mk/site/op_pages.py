"""Pages of all operators: those that `make docs` writes, each operator with how it runs, its gradient and its recordings."""
import collections
import pathlib
import re
import sys
import tarfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "mk"))
import operators  # noqa: E402

# Declarations by name; programs with each operator; names of its cases; those that differ.
Known = collections.namedtuple("Known", "ops programs cases missed")
WAYS = {"compiled": "compiled", "called": "called", "in part": "compiled in part", "": "not supported"}


def missed():
    """Recorded cases that differ from Paddle's numbers: (words, reason) by operator."""
    found = collections.defaultdict(list)
    for line in (ROOT / "test/recorded/deviations.tsv").read_text().split("\n"):
        match = re.match(r"(ops|grads) (\w+)/(\S+)\t([^\t]*)", line)
        if match:
            found["pd_op." + match[2]].append((f"`{match[3]}`" if match[1] == "ops" else f"the gradient of `{match[3]}`", match[4]))
    return found


def cases():
    """Names of the recorded cases of each operator."""
    names = collections.defaultdict(list)
    for archive in sorted((ROOT / "test/recorded/archives").rglob("*.tar.xz")):
        with tarfile.open(archive) as tar:
            for member in tar:
                if member.name.endswith("cases_index.tsv"):
                    for line in tar.extractfile(member).read().decode().splitlines()[1:]:
                        op, case = line.split("\t")[:2]
                        names["pd_op." + op].append(case)
    return names


def anchor(name):
    return f'<span id="op.{name}"></span>'


def runs_of(ops, row):
    way, means = WAYS[operators.runs(ops, row)], operators.computed_by(row)
    return f"{way} ({means})" if way != means else way


def state(name, known):
    """The lines about an operator that its declaration does not have."""
    row, held = known.ops[name], sorted(set(known.cases[name]))
    gradient = "has a meaning, too" if operators.gradient_of(known.ops, row) else "none that is computed"
    rest = known.missed.get(name, [])
    reasons = "".join(f" {words} differs: {reason}." for words, reason in rest)
    count = f"{known.programs[name]} programs of PaddlePaddle with it are recorded"
    alone = f", and {len(held)} cases of it alone: {', '.join(f'`{c}`' for c in held)}" if held else ""
    verdict = f" All hold but {len(rest)}:{reasons}" if rest else " All hold." if held or known.programs[name] else ""
    return f"\n* Runs: {runs_of(known.ops, row)}.\n* Gradient: {gradient}.\n* Recordings: {count}{alone}.{verdict}\n"


def fenced(text):
    """Indented blocks as fences, which need no empty lines around them."""
    return re.sub(r"(?:^    .*\n)+", lambda m: "```text\n" + re.sub(r"^    ", "", m[0], flags=re.M) + "```\n", text, flags=re.M)


def family_page(text, known):
    """A page of `opsc --doc`, with the state of each operator and the anchors of its names."""
    parts = re.split(r"^## (\S+)\n", fenced(text), flags=re.M)
    out = [parts[0].rstrip("\n"), "\n\n", ", ".join(f'<a href="#op.{name}">{name.split(".")[1]}</a>' for name in parts[1::2]), "\n\n"]
    for name, body in zip(parts[1::2], parts[2::2]):
        summary, _, rest = body.lstrip("\n").partition("\n")
        twin = anchor(name + "_") if name + "_" in known.ops and f"`{name.split('.')[1]}_` works" in body else ""
        out.append(f"{anchor(name)}{twin}\n\n## {name}\n\n{summary}\n{state(name, known) if name in known.ops else ''}{rest}")
    return "".join(out)


def addresses(pages):
    """The page of each operator's anchor."""
    return {name: page for page, text in pages.items() for name in re.findall(r'<span id="op\.([\w.]+)">', text)}


def write(build, out):
    known = Known(operators.declarations(build / "bin/opsc"), operators.recordings()[1], cases(), missed())
    pages, dialects = {}, []
    for folder in sorted(p for p in (build / "gen/docs").iterdir() if (p / "README.md").exists()):
        families = sorted(p.stem for p in folder.glob("*.md") if p.stem != "README")
        for family in families:
            pages[f"operators/{folder.name}/{family}"] = family_page((folder / f"{family}.md").read_text(), known)
        index = (folder / "README.md").read_text()
        pages[f"operators/{folder.name}/index"] = fenced(index) + "\n```{toctree}\n:hidden:\n\n" + "\n".join(families) + "\n```\n"
        dialects.append(f"operators/{folder.name}/index")
    for page, text in pages.items():
        (out / page).parent.mkdir(parents=True, exist_ok=True)
        (out / f"{page}.md").write_text(text)
    where = addresses(pages)
    table = (out / "operators.md").read_text()
    table = re.sub(r"^\| `([\w.]+)` \|", lambda m: f'| <a href="{where[m[1]]}.html#op.{m[1]}">{m[1]}</a> |' if m[1] in where else m[0], table, flags=re.M)
    (out / "operators.md").write_text(table + "\n```{toctree}\n:hidden:\n\n" + "\n".join(dialects) + "\n```\n")
