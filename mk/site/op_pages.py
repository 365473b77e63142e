"""Pages of all operators: those that `make docs` writes, each operator with how it runs, its gradient and its recordings."""
import collections
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "mk"))
import operators  # noqa: E402

WAYS = {"compiled": "compiled", "called": "called", "in part": "compiled in part", "": "not supported"}


def missed():
    """Names of recorded cases that differ from Paddle's numbers, by operator, with the reason."""
    found = collections.defaultdict(list)
    for line in (ROOT / "test/recorded/deviations.tsv").read_text().split("\n"):
        match = re.match(r"(?:ops|grads|more|numbers|compiled) (\w+)/(\S+)\t([^\t]*)", line)
        if match:
            found["pd_op." + match[1]].append((match[2], match[3]))
    return found


def anchor(name):
    return f'<span id="op.{name}"></span>'


def runs_of(ops, row):
    way = WAYS[operators.runs(ops, row)]
    return f"{way}: {operators.computed_by(row)}" if operators.computed_by(row) else way


def state(ops, name, counts, differing):
    """The lines about an operator that its declaration does not have."""
    row, (cases, programs) = ops[name], counts
    gradient = "computed too" if operators.gradient_of(ops, row) else "none that is computed"
    held = f"{cases[name]} of this operator alone, {programs[name]} programs with it"
    rest = differing.get(name, [])
    reasons = "".join(f" `{case}` differs: {reason}." for case, reason in rest)
    tail = f" All hold but {len(rest)}.{reasons}" if rest else " All hold." if cases[name] or programs[name] else ""
    return f"\n* Runs: {runs_of(ops, row)}.\n* Gradient: {gradient}.\n* Recorded cases: {held}.{tail}\n"


def fenced(text):
    """Indented blocks as fences, which need no empty lines around them."""
    return re.sub(r"(?:^    .*\n)+", lambda m: "```text\n" + re.sub(r"^    ", "", m[0], flags=re.M) + "```\n", text, flags=re.M)


def family_page(text, ops, counts, differing):
    """A page of `opsc --doc`, with the state of each operator and the anchors of its names."""
    parts = re.split(r"^## (\S+)\n", fenced(text), flags=re.M)
    out = [parts[0]]
    for name, body in zip(parts[1::2], parts[2::2]):
        summary, _, rest = body.lstrip("\n").partition("\n")
        twin = anchor(name + "_") if name + "_" in ops and f"`{name.split('.')[1]}_` works" in body else ""
        out.append(f"{anchor(name)}{twin}\n\n## {name}\n\n{summary}\n{state(ops, name, counts, differing) if name in ops else ''}{rest}")
    return "".join(out)


def addresses(pages):
    """The page of each operator's anchor."""
    return {name: page for page, text in pages.items() for name in re.findall(r'<span id="op\.([\w.]+)">', text)}


def write(build, out):
    ops, counts, differing = operators.declarations(build / "bin/opsc"), operators.recordings(), missed()
    pages, dialects = {}, []
    for folder in sorted(p for p in (build / "gen/docs").iterdir() if (p / "README.md").exists()):
        families = sorted(p.stem for p in folder.glob("*.md") if p.stem != "README")
        for family in families:
            pages[f"operators/{folder.name}/{family}"] = family_page((folder / f"{family}.md").read_text(), ops, counts, differing)
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
