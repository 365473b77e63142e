#!/usr/bin/env python3
"""Every rule fires in a text test, and is refused in one.

  rules_covered.py BIN RECORDED

Runs the pir-opt commands of all RUN lines again, and the passes of the recordings, with --trace-rewrites=all, and counts for
each `rule` of the passes' files what fired and what did not apply although its root was there, or left an op of its kind
to another rule of the file. Of a rule with `for` any choice counts. One that takes every op of a kind, whatever its attributes, cannot be refused. Names what lacks one of the two; ends with `N passed, N failed, 0 skipped`.
"""
import collections
import concurrent.futures
import pathlib
import re
import shlex
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import limited

RULE = re.compile(r"^\s*rule\s+(\w+)\s*\{", re.M)
TRACE = re.compile(r"^// (\w+)\.drr:\d+ (\w+)(?:\[[^ ]*\])*: (not )?\"([\w.]+)\"", re.M)


def rules(root):
    """File, name, and whether the rule can be refused."""
    for path in sorted((root / "passes/drr").glob("*/*.drr")):
        text = re.sub(r"//.*", "", path.read_text())
        starts = list(RULE.finditer(text))
        for m, end in zip(starts, [n.start() for n in starts[1:]] + [len(text)]):
            rule = text[m.end():end]
            yield path.stem, m[1], has_conditions(rule), root_of(rule)


def match_of(rule):
    block = re.search(r"match\s*\{(.*?)\}\s*(?:\n|emit|where|let|$)", rule, re.S)
    return block[1] if block else rule


def root_of(rule):
    """What the op of its last line is called, as an expression."""
    names = re.findall(r'"(\w+\.[\w${}]+)"', match_of(rule))
    return re.compile(re.sub(r"\\\$\\?\{?\w+\\?\}?", r"\\w+", re.escape(names[-1])) + "$" if names else "$^")


def has_conditions(rule):
    """More than one op, a `where`, or something in the match that is compared: a number, a text, `none`, one name twice."""
    match = match_of(rule)
    names = re.findall(r"[%$]\w+", match)
    compared = re.search(r":\s*[^$\s]|[(,]\s*(?:[\d\[\"-]|none\b|f32|true|false)", match.split("=", 1)[-1])
    return match.count("=") != 1 or re.search(r"\bwhere\b", rule) or compared or len(names) != len(set(names))


def commands(tools, folder):
    """Each pir-opt command once; what it is piped into does not matter."""
    for path in sorted(folder.rglob("*.pir")) + sorted(folder.rglob("*.test")):
        text = path.read_text(errors="replace")
        if "RUN:" not in text or "Output" in path.parts:
            continue
        for line in re.findall(r"RUN:\s*(.*)", text):
            for words in pieces(line.replace("%s", str(path)).replace("%S", str(path.parent))):
                runs = any(w.startswith(("--passes", "--pipeline", "--rules")) for w in words)
                if words[:1] == ["pir-opt"] and runs and "%" not in " ".join(words):
                    yield [str(tools / "pir-opt")] + words[1:] + ["--trace-rewrites=all"]


def recorded(tools, root):
    for before in sorted(root.glob("passes/*_pass/*/before.pir")):
        yield [str(tools / "pir-opt"), str(before), f"--passes={before.parent.parent.name}", "--trace-rewrites=all"]
    for before in sorted(root.glob("passes/decomp/*/*/before.pir")):
        more = ",decompose_skipped" if before.parent.name.startswith("noskip") else ""
        yield [str(tools / "pir-opt"), str(before), f"--passes=decompose{more}", "--trace-rewrites=all"]


def pieces(line):
    """The commands of a line of shell, each as its words up to where its output goes."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars="|&;<>")
    lexer.whitespace_split = True
    try:
        tokens = list(lexer)
    except ValueError:
        return
    words, taking = [], True
    for token in tokens + [";"]:
        if token in (">", ">>", "<", "2>&", ">&"):
            taking = False
        elif token in ("|", "||", "&&", ";"):
            yield words[1:] if words[:1] == ["not"] else words
            words, taking = [], True
        elif taking and token not in ("2", "1"):
            words.append(token)


def traced(command):
    try:
        p = limited.run(command, 120, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    except subprocess.TimeoutExpired:
        return []
    return TRACE.findall(p.stderr.decode(errors="replace"))


def main():
    tools, root = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(__file__).resolve().parents[2]
    seen, taken = collections.Counter(), set()
    unique = sorted(set(map(tuple, commands(tools, root / "test"))) | set(map(tuple, recorded(tools, pathlib.Path(sys.argv[2])))))
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for lines in pool.map(traced, unique):
            seen.update((file, rule, "refused" if no else "fired") for file, rule, no, _ in lines)
            taken.update((file, rule, op) for file, rule, no, op in lines if not no)
    passed = failed = 0
    for file, rule, can_be_refused, kind in rules(root):
        if any(f == file and r != rule and kind.match(op) for f, r, op in taken):
            seen[file, rule, "refused"] += 1
        wanted = ("fired", "refused") if can_be_refused else ("fired",)
        lacks = [what for what in wanted if not seen[file, rule, what]]
        passed, failed = passed + (not lacks), failed + bool(lacks)
        for what in lacks:
            print(f"FAIL {file}.drr: rule {rule} is never {what} in a test")
    print(f"{passed} passed, {failed} failed, 0 skipped")
    sys.exit(1 if failed or not passed else 0)


if __name__ == "__main__":
    main()
