"""The lists of the page of passes and pipelines, as `pir-opt` prints them."""
import re
import subprocess

SHORT = 45  # the column of short names in --list-passes


def listed(build, option):
    return subprocess.run([build / "bin/pir-opt", option], capture_output=True, text=True, check=True).stdout.split("\n")


def passes(build):
    """(name, short name, summary, [(option, summary)]) of each pass."""
    rows = []
    for line in listed(build, "--list-passes"):
        name, _, rest = line.strip().partition(" ")
        if line.startswith(" "):
            rows[-1][3].append((name, rest.strip()))
        elif name:
            short, _, summary = ("", "", rest) if line[SHORT:SHORT + 1] == " " else rest.strip().partition(" ")
            rows.append((name, short, summary.strip(), []))
    return rows


def escaped(text):
    return re.sub(r"([*_<>\[\]|`$])", r"\\\1", text)


def write(build, out):
    text, _, _ = out.read_text(encoding="utf-8").partition("\nThe site lists ")
    lines = [text, "\n## Passes\n"]
    for name, short, summary, options in passes(build):
        lines.append(f'\n<span id="pass.{name}"></span>\n\n### {name}\n\n' + (f"Short name `{short}`. " if short else "") + f"{escaped(summary[:1].upper() + summary[1:])}.\n")
        if options:
            lines.append("\n| option | |\n| --- | --- |\n" + "".join(f"| `{o.replace('|', chr(92) + '|')}` | {escaped(text)} |\n" for o, text in options))
    lines.append("\n## Pipelines\n\n| name | passes |\n| --- | --- |\n")
    for line in listed(build, "--list-pipelines"):
        name, _, text = line.strip().partition(" ")
        if name:
            lines.append(f"| `{name}` | {', '.join(f'`{p}`' for p in re.split(r',(?![^{]*})', text.strip()))} |\n")
    out.write_text("".join(lines))
