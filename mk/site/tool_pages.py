"""Pages of the tools: their manual pages, with the options that `--help=man` prints."""
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]


def tools():
    return sorted(p.stem for p in (ROOT / "docs/man").glob("*.1"))


def plain(text):
    """Text of roff without its escapes; the marks of fonts stay."""
    return text.replace(r"\-", "-").replace(r"\&", "").replace(r"\ ", " ").replace(r"\e", "\\")


def marked(text):
    """Text of roff as Markdown: bold words are code."""
    text = plain(re.sub(r"\\f[IR]", "", re.sub(r"\\fB(.*?)\\fR", r"`\1`", text)))
    return re.sub(r"(?<!`)([*_<>\[\]|])(?![^`]*`(?:[^`]*`[^`]*`)*[^`]*$)", r"\\\1", text)


def words(line):
    """The arguments of a macro: words, or texts in quotes."""
    return [a or b for a, b in re.findall(r'"([^"]*)"|(\S(?:\\ |\S)*)', line)]


def body(roff):
    """The paragraphs of a manual page as Markdown; the options are left out."""
    out = []
    for line in roff.split("\n"):
        macro, _, rest = line.partition(" ")
        if macro in (".TH", "@OPTIONS@"):
            continue
        if macro == ".SH":
            out.append(f"\n## {rest.capitalize()}\n")
        elif macro in (".P", ".br"):
            out.append("\n")
        elif macro == ".B":
            out.append(f"`{plain(rest)}`")
        elif macro in (".BR", ".RB"):
            parts = words(rest)
            out.append("".join(f"`{plain(p)}`" if (i % 2 == 0) == (macro == ".BR") else marked(p) for i, p in enumerate(parts)))
        else:
            out.append(marked(line))
    return "\n".join(out)


def options(build, tool):
    """Rows of an option's names with its argument, and its summary; a heading is a row without a summary."""
    roff = subprocess.run([build / "bin" / tool, "--help=man"], capture_output=True, text=True, check=True).stdout
    rows, lines = [], roff.split("\n")
    for i, line in enumerate(lines):
        if line.startswith((".SS", ".SH")):
            rows.append((plain(line[4:]).strip('"'), None))
        elif line == ".TP":
            end = next((j for j in range(i + 2, len(lines)) if lines[j].startswith((".TP", ".SS", ".SH"))), len(lines))
            rows.append((plain(re.sub(r"\\f[BIR]", "", lines[i + 1])), marked(" ".join(lines[i + 2:end]).strip())))
    return rows


def page(build, tool):
    roff = (ROOT / f"docs/man/{tool}.1").read_text()
    before, _, after = roff.partition(".SH OPTIONS")
    out = [f"# {tool}\n", body(before), f"\n## Options\n\n```{{program}} {tool}\n```\n"]
    for names, summary in options(build, tool):
        out.append(f"\n### {names}\n" if summary is None else f"\n````{{option}} {names}\n\n{summary}\n````\n")
    return "\n".join(out) + body(after.partition("\n")[2])


def write(build, out):
    out.mkdir(parents=True)
    for tool in tools():
        (out / f"{tool}.md").write_text(page(build, tool))
    (out / "index.md").write_text("# Tools\n\nThe pages are made from the tables that `--help`, the manual pages and the completions are printed from.\n\n"
                                  "```{toctree}\n\n" + "\n".join(tools()) + "\n```\n")
