"""Pages of all operators: those that `make docs` writes, each operator with how it runs, its gradient and its recordings."""
import collections
import html
import os
import pathlib
import re
import sys
import tarfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "mk"))
import operators  # noqa: E402

# Declarations by name; programs with each operator; names of its cases; those that differ; gradients; functions of C.
Known = collections.namedtuple("Known", "ops programs cases missed gradients builders")
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


def blocks_of(body, word):
    """The entries of a declaration that begin with a word, up to the end of their braces or line."""
    for match in re.finditer(rf"(?:^|[{{\n]) *({word}\b)", body):
        depth, end, start = 0, match.end(1), match.start(1)
        while end < len(body) and not (depth == 0 and body[end] in "\n}"):
            depth += {"{": 1, "}": -1}.get(body[end], 0)
            end += 1
            if depth == 0 and body[end - 1] == "}":
                break
        yield re.sub(r"\n {2}", "\n", body[start:end].strip())


def gradients():
    """The gradient blocks that declarations state, by operator."""
    found = {}
    for file in (ROOT / "dialects").rglob("*.ops"):
        for names, body in re.findall(r"^op ([\w, ]+?) *(?:like [\w.]+ *)?\".*?\" *\{(.*?)(?=^op |^form |\Z)", file.read_text(encoding="utf-8"), re.M | re.S):
            blocks = list(blocks_of(body, "grad"))
            found.update({name.strip(): blocks for name in names.split(",") if blocks})
    return found


def builders(build):
    """The functions of C that build operators, by operator: prototype and header."""
    found = {}
    for header in (build / "gen/include/pir/compiler/build").rglob("*.h"):
        for op, function in re.findall(r"^// (\w+\.\w+): [^\n]*\n(?://[^\n]*\n)*static inline ([^{;]*\)) \{", header.read_text(), re.M):
            found[op] = (re.sub(r"\s+", " ", function), "pir/compiler/build/" + str(header.relative_to(build / "gen/include/pir/compiler/build")))
    return found


def gradient(name, known):
    """What is known of an operator's gradient."""
    blocks = known.gradients.get(name.split(".")[1], [])
    if blocks:
        return "as declared:\n\n```text\n" + "\n".join(blocks) + "\n```\n"
    other = next((g for g in (f"{name}_grad", f"{name.rstrip('_')}_grad") if g in known.ops), None)
    if other:
        return f"@{other}@{'' if known.ops[other]['meaning'] != '-' else ', which has no meaning'}."
    return "has a meaning, too." if operators.gradient_of(known.ops, known.ops[name]) else "none."


def state(name, known):
    """The lines about an operator that its declaration does not have."""
    row, held = known.ops[name], sorted(set(known.cases[name]))
    rest = known.missed.get(name, [])
    reasons = "".join(f" {words} differs: {reason}." for words, reason in rest)
    count = f"{known.programs[name]} programs of PaddlePaddle with it are recorded"
    alone = f", and {len(held)} cases of it alone: {', '.join(f'`{c}`' for c in held)}" if held else ""
    verdict = f" All hold but {len(rest)}:{reasons}" if rest else " All hold." if held or known.programs[name] else ""
    built = "".join(f'* In C (`{known.builders[n][1]}`): <span id="c.{function_name(known.builders[n][0])}"></span>`{known.builders[n][0]}`\n'
                    for n in (name, name + "_") if n in known.builders)
    return f"\n* Runs: {runs_of(known.ops, row)}.\n* Recordings: {count}{alone}.{verdict}\n{built}* Gradient: {gradient(name, known)}\n"


def function_name(prototype):
    return re.search(r"(\w+)\(", prototype)[1]


def fenced(text):
    """Indented blocks as fences, which need no empty lines around them."""
    return re.sub(r"(?:^    .*\n)+", lambda m: "```text\n" + re.sub(r"^    ", "", m[0], flags=re.M) + "```\n", text, flags=re.M)


def html_cell(text):
    """A cell of a table as HTML; links are HTML already."""
    parts = re.split(r"(`[^`]*`|</?a\b[^>]*>)", text.strip())
    return "".join(part if part.startswith("<") else f'<code class="docutils literal notranslate">{html.escape(part[1:-1])}</code>' if part.startswith("`")
                   else html.escape(part) for part in parts).replace("\\|", "|")


def html_tables(text):
    """Tables as HTML: ten thousand rows of Markdown take half of the time of a build."""
    def table(match):
        rows = [re.split(r"(?<!\\)\|", line.strip("\n"))[1:-1] for line in match[0].strip().split("\n")]
        head, body = ("".join(f"<tr>{''.join(f'<{tag}>{html_cell(c)}</{tag}>' for c in row)}</tr>" for row in part) for tag, part in (("th", rows[:1]), ("td", rows[2:])))
        return f'<div class="table-wrapper"><table class="docutils align-default"><thead>{head}</thead><tbody>{body}</tbody></table></div>\n'

    return re.sub(r"(?:^\|.*\|\n)+", table, text, flags=re.M)


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


def link(name, where, page):
    """A link to the anchor of an operator."""
    if name not in where:
        return f"`{name}`"
    return f'<a href="{os.path.relpath(where[name], os.path.dirname(page) or ".")}.html#op.{name}">{name}</a>'


def write(build, out):
    known = Known(operators.declarations(build / "bin/opsc"), operators.recordings()[1], cases(), missed(), gradients(), builders(build))
    pages, dialects = {}, []
    for folder in sorted(p for p in (build / "gen/docs").iterdir() if (p / "README.md").exists()):
        families = sorted(p.stem for p in folder.glob("*.md") if p.stem != "README")
        for family in families:
            pages[f"operators/{folder.name}/{family}"] = family_page((folder / f"{family}.md").read_text(), known)
        index = (folder / "README.md").read_text()
        pages[f"operators/{folder.name}/index"] = fenced(index) + "\n```{toctree}\n:hidden:\n\n" + "\n".join(families) + "\n```\n"
        dialects.append(f"operators/{folder.name}/index")
    where = addresses(pages)
    for page, text in pages.items():
        text = re.sub(r"@(\w+\.\w+)@", lambda m: link(m[1], where, page), text)
        (out / page).parent.mkdir(parents=True, exist_ok=True)
        (out / f"{page}.md").write_text(html_tables(text) if not page.endswith("/index") else text)
    table = (out / "operators.md").read_text()
    table = re.sub(r"^\| `([\w.]+)` \|", lambda m: f"| {link(m[1], where, 'operators')} |", table, flags=re.M)
    (out / "operators.md").write_text(html_tables(table) + "\n```{toctree}\n:hidden:\n\n" + "\n".join(dialects) + "\n```\n")
