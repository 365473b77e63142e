#!/usr/bin/env python3
"""Measures of the sources that `make lint` prints and holds.

  measure.py [--list RULE] [LAYER...]

Reads the C sources and headers that git tracks. Prints one table with a row a layer: tokens a code line (mean and
90th percentile), lines with `?:`, and how often each rule below is broken. Ends with 1 when a limit is passed.
`--list RULE` prints every place that breaks the rule.

Rules:
  tokens      the 90th percentile of the tokens of a code line with a word is at most 24
  nested      no `?:` inside another
  assigned    no assignment inside the arguments of a call
  comma       no expression statement that is a list with commas
  pointer     no assignment through a pointer that a `?:` chose
  twice       no function name is defined in two files of a layer
  files       no file name occurs twice among the layers of the library
  folders     no folder holds more than 25 entries
  header      comment lines of public headers are at least 0.8 of their code lines
  bare        every public function has a comment of its own that says more than its name
  nodiscard   every public function that returns a status is PIR_NODISCARD
  fields      every field of a public struct has a comment on its line or above it, but names and counts
  untyped     kernels read attributes through runtime/kernels/attribute.c only
  phrases     no comment of the library or the tools holds a phrase that docs/reference/glossary.md refuses
"""
import collections
import os
import re
import subprocess
import sys

LAYERS = ["ir", "dialects", "passes", "codegen", "runtime", "exec", "tools", "test"]
LIBRARY = LAYERS[:6]
TOKEN = re.compile(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'|[A-Za-z_]\w*|\.?\d(?:[eEpP][+-]|[\w.])*|<<=|>>=|\.\.\.|->|\+\+|--|<<|>>|[-+*/%&|^=!<>]=|&&|\|\||##|\S')
# For the length of lines every mark of punctuation counts by itself, and lines of brackets alone do not count.
MARK = re.compile(r'"(?:\\.|[^"\\])*"|\w+|\S')
ASSIGN = {"=", "+=", "-=", "*=", "/=", "%=", "|=", "&=", "^=", "<<=", ">>="}
NOT_CALLS = {"if", "while", "for", "switch", "return", "sizeof", "defined", "do", "else", "case", "_Alignof"}
WORD = re.compile(r"[A-Za-z_]\w*$")
LIMIT_TOKENS, LIMIT_ENTRIES, LEAST_COMMENTS = 24, 25, 0.8


def tracked(*patterns):
    out = subprocess.check_output(["git", "ls-files", *patterns], text=True)
    return [f for f in out.split("\n") if f and os.path.exists(f)]


def layer_of(path):
    if path.startswith("runtime/exec/"):
        return "exec"
    return path.split("/")[0]


def without_comments(text):
    """The text with comments as blanks, line by line as before."""
    def blank(match):
        s = match.group(0)
        return s if s[0] in "\"'" else re.sub(r"[^\n]", " ", s)
    return re.sub(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', blank, text, flags=re.S)


def code_lines(text):
    """(number, text) of the lines that hold code; directives and what continues them are left out."""
    continued = False
    for number, line in enumerate(without_comments(text).split("\n"), 1):
        directive = continued or line.lstrip().startswith("#")
        continued = directive and line.rstrip().endswith("\\")
        if not directive and line.strip():
            yield number, line


class Frame:
    """One bracket: what stands before it, and what was seen in its current part (between commas or semicolons)."""

    def __init__(self, kind, head=None):
        self.kind, self.head, self.open, self.had = kind, head, 0, False

    def next_part(self):
        self.open, self.had = 0, False


CONTROL = {"if", "for", "while", "switch"}


def bracket_kind(token, before, closed, stack):
    """What a bracket opens; `closed` is the frame of the parenthesis that `before` closed."""
    if token == "(":
        if before == "for":
            return "for"
        return "call" if WORD.match(before or "") and before not in NOT_CALLS else "paren"
    if token == "[":
        return "index"
    if stack[-1].kind != "block":
        return "init"
    if before == ")":  # a body, of a function or of a choice or loop, or a compound literal
        return "block" if len(stack) == 1 or closed.head in CONTROL else "init"
    return "block" if before in ("{", "}", ";", "else", "do", ":", None) else "init"


def is_declaration(words):
    """Whether the first tokens of a statement declare something."""
    if not words or not WORD.match(words[0]):
        return False
    if words[0] in ("static", "const", "struct", "enum", "union", "typedef", "extern", "unsigned", "signed", "register", "_Thread_local", "_Alignas", "template"):
        return True
    rest = words[1:]
    while rest and rest[0] in ("*", "const", "volatile", "restrict"):
        rest = rest[1:]
    return bool(rest) and bool(WORD.match(rest[0]))


TEMPLATE_ARGUMENTS = re.compile(r"(?<=\w)<\w+(?:, \w+)*>(?=\()")  # of a call, in C++


def broken_lines(text):
    """Yields (rule, line) for nested, assigned, comma and pointer."""
    stack, statement, before, closed = [Frame("block")], [], None, None
    for number, line in code_lines(text):
        for token in TOKEN.findall(TEMPLATE_ARGUMENTS.sub("", line)):
            top = stack[-1]
            if token in "([{":
                stack.append(Frame(bracket_kind(token, before, closed, stack), before))
                if token == "{" and stack[-1].kind == "block":
                    statement = []
            elif token in ")]}":
                had = top.had or top.open > 0
                if len(stack) > 1:
                    closed = stack.pop()
                if token != "}" or top.kind == "init":
                    stack[-1].had |= had
                if token == "}" and top.kind == "block":
                    stack[-1].next_part()
                    statement = []
            elif token == "?":
                if any(f.open or f.had for f in stack[next((i for i in range(len(stack) - 1, -1, -1) if stack[i].kind == "block"), 0):]
                       if f is top or f.open):
                    yield "nested", number
                top.open += 1
            elif token == ";":
                top.next_part()
                if top.kind == "block":
                    statement = []
            elif token == ",":
                if top.kind == "block" and statement and not is_declaration(statement):
                    yield "comma", number
                    statement = ["int", "int"]
                top.next_part()
            elif token in ASSIGN:
                inner = [f.kind for f in stack]
                last_block = max(i for i, k in enumerate(inner) if k == "block")
                designated = top.kind == "init"
                if "call" in inner[last_block:] and not designated:
                    yield "assigned", number
                if token == "=" and len(statement) > 3 and statement[0] == "*" and statement[1] == "(" and "?" in statement:
                    yield "pointer", number
            if token not in "{};" or top.kind != "block":
                statement.append(token)
            if token == ":" and top.kind == "block" and statement and statement[0] in ("case", "default"):
                statement = []
            before = token


def percentile(counts, share):
    counts = sorted(counts)
    return counts[min(len(counts) - 1, int(len(counts) * share))] if counts else 0


def function_names(files):
    """(name, file, line) of every function that is defined."""
    out = subprocess.run(["ctags", "-x", "--c-kinds=f", "--_xformat=%N\t%F\t%n", *files], capture_output=True, text=True).stdout
    for row in out.split("\n"):
        if row.count("\t") == 2:
            name, path, line = row.split("\t")
            yield name, path, int(line)


def refused_phrases():
    """The phrases between the marks of docs/reference/glossary.md, one a line as `- phrase`."""
    if not os.path.exists("docs/reference/glossary.md"):
        return []
    text = open("docs/reference/glossary.md").read()
    part = re.search(r"<!-- refused -->(.*?)<!-- /refused -->", text, re.S)
    return re.findall(r"^[-*] `([^`]+)`", part.group(1), re.M) if part else []


def comments(text):
    for number, line in enumerate(text.split("\n"), 1):
        match = re.search(r"//(.*)", line)
        if match:
            yield number, match.group(1)
        elif line.lstrip().startswith(("/*", "*")):
            yield number, line.strip("/* ")


# Words that a comment may hold without saying anything, and endings that make no other word.
EMPTY = set("the and this that these those with for its from of which when while does same returns return sets set gets get "
            "gives give whether called calls one all given function value".split())


def stem(word):
    for ending in ("ing", "ies", "ed", "es", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[:-len(ending)]
    return word[:-1] if word.endswith(("e", "y")) and len(word) > 4 else word


def says_more(comment, name):
    """Whether a comment holds at least two words that are neither empty nor part of the name, in whatever form."""
    known = {stem(part) for part in name.split("_")}
    words = {stem(w) for w in re.findall(r"[a-z]\w{2,}", comment.lower()) if w not in EMPTY}
    return len(words - known) >= 2


def comment_above(lines, number):
    """The comment that ends on the line before `number`, headings apart."""
    said, above = [], number - 2
    while above >= 0 and re.match(r"\s*(//|\*|/\*)", lines[above]) and not re.match(r"\s*// ----", lines[above]):
        said.append(lines[above])
        above -= 1
    return " ".join(reversed(said))


def bare_functions(path, text):
    """Public functions of a header without a comment of their own: (line, name)."""
    lines = text.split("\n")
    for number, line in enumerate(lines, 1):
        if not re.match(r"\s*(PIR_API|PIR_NODISCARD|static inline)\b", line):
            continue
        declaration = line
        end = number
        while not re.search(r"[;{]", declaration) and end < len(lines):
            declaration += lines[end]
            end += 1
        name = re.search(r"\b(pir_\w+)\(", declaration)
        if not name:
            continue
        said = " ".join(m.group(1) for m in re.finditer(r"//(.*?)(?=$|\n)", "\n".join(lines[number - 1:end]), re.M))
        if not says_more(said + " " + comment_above(lines, number), name.group(1)):
            yield number, name.group(1)


def dropped_statuses(text):
    """Public functions that return a status which callers may drop unnoticed: (line, name)."""
    for number, line in enumerate(text.split("\n"), 1):
        match = re.match(r"((?:PIR_\w+ |static |inline )*)pir_status (pir_\w+)\(", line)
        if match and "PIR_NODISCARD" not in match.group(1):
            yield number, match.group(2)


PLAIN_FIELD = re.compile(r"\b(name|next|user|size|count|\w+_(count|sizes))(, \w+_count)*;")


def bare_fields(text):
    """Fields of structs without a comment: (line, text). Names, lengths of lists and links need none."""
    lines, inside = text.split("\n"), False
    for number, line in enumerate(lines, 1):
        code = line.strip()
        if re.match(r"(typedef )?struct\b.*\{$", code):
            inside = True
        elif code.startswith("}"):
            inside = False
        elif inside and not code.startswith("//") and re.search(r";( *//.*)?$", code):
            if "//" not in code and not comment_above(lines, number) and not PLAIN_FIELD.search(code):
                yield number, code


def main():
    wanted, layers = None, []
    arguments = sys.argv[1:]
    while arguments:
        word = arguments.pop(0)
        if word == "--list":
            wanted = arguments.pop(0)
        else:
            layers.append(word)
    found = collections.Counter()
    bad = False

    def broken(rule, place, what=""):
        found[rule] += 1
        if rule == wanted:
            print(f"{place}: {what}" if what else place)

    files = [f for f in tracked("*.c", "*.h") if layer_of(f) in LAYERS]
    by_layer = collections.defaultdict(list)
    for f in files:
        by_layer[layer_of(f)].append(f)
    table = []
    for layer in LAYERS:
        if layers and layer not in layers:
            continue
        counts, choices, here = [], 0, collections.Counter()
        for f in by_layer[layer]:
            text = open(f).read()
            for number, line in code_lines(text):
                tokens = MARK.findall(line)
                if not re.search(r"\w", line):
                    continue
                counts.append(len(tokens))
                choices += "?" in tokens
                if wanted == "tokens" and len(tokens) > LIMIT_TOKENS:
                    print(f"{f}:{number}: {len(tokens)}: {line.strip()}")
            for rule, number in broken_lines(text):
                here[rule] += 1
                broken(rule, f"{f}:{number}", text.split("\n")[number - 1].strip())
        if layer in LIBRARY + ["tools"]:
            places = collections.defaultdict(set)
            for name, path, line in function_names(by_layer[layer]):
                if name.isupper():  # a macro that makes the name: LAYER(step) of one file for two types
                    made = re.findall(name + r"\((\w+)\)\(", open(path).read().split("\n")[line - 1])
                    name = made[-1] if made else name
                if name != "main":
                    places[name].add(f"{path}:{line}")
            for name, at in sorted(places.items()):
                if len({p.rsplit(":", 1)[0] for p in at}) > 1:
                    here["twice"] += 1
                    broken("twice", name, " ".join(sorted(at)))
        p90 = percentile(counts, 0.9)
        bad |= p90 > LIMIT_TOKENS
        table.append((layer, len(by_layer[layer]), len(counts), sum(counts) / max(1, len(counts)), p90,
                      100 * choices / max(1, len(counts)), here))

    names = collections.defaultdict(list)
    for f in files:
        if layer_of(f) in LIBRARY:
            names[os.path.basename(f)].append(f)
    for name, at in sorted(names.items()):
        if len(at) > 1:
            broken("files", name, " ".join(at))
    folders = collections.defaultdict(set)
    for f in tracked():
        parts = f.split("/")
        for i in range(1, len(parts)):
            folders["/".join(parts[:i])].add(parts[i])
    for folder, entries in sorted(folders.items()):
        if len(entries) > LIMIT_ENTRIES:
            broken("folders", folder, f"{len(entries)} entries")

    phrases = refused_phrases()
    headers = [f for f in files if re.search(r"(/include/pir/|/abi/pir/)", f)]
    said, code = 0, 0
    for f in headers:
        text = open(f).read()
        lines = [line.strip() for line in text.split("\n") if line.strip()]
        said += sum(line.startswith("//") for line in lines)
        code += sum(not line.startswith("//") for line in lines)
        for number, name in bare_functions(f, text):
            broken("bare", f"{f}:{number}", name)
        for number, name in dropped_statuses(text):
            broken("nodiscard", f"{f}:{number}", name)
        for number, field in bare_fields(text):
            broken("fields", f"{f}:{number}", field)
    for f in files:
        if layer_of(f) not in LIBRARY + ["tools"]:
            continue
        text = open(f).read()
        for number, comment in comments(text):
            for phrase in phrases:
                if re.search(rf"\b{re.escape(phrase)}\b", comment, re.I):
                    broken("phrases", f"{f}:{number}", f"'{phrase}' in:{comment}")
    for f in tracked("runtime/kernels/*.c", "runtime/kernels/*.h"):
        for number, line in code_lines(open(f).read()):
            if not f.endswith("/attribute.c") and re.search(r"(->|\.)attrs\b|\bpir_attr_value\b", line):
                broken("untyped", f"{f}:{number}", line.strip())
    share = said / max(1, code)
    if share < LEAST_COMMENTS:
        broken("header", "public headers", f"{share:.2f} comment lines a code line")

    if not wanted:
        rules = ["nested", "assigned", "comma", "pointer", "twice"]
        print(f"{'layer':9}{'files':>6}{'lines':>8}{'tokens':>8}{'p90':>5}{'?: %':>6}" + "".join(f"{r:>10}" for r in rules))
        for layer, n, lines, mean, p90, choice, here in table:
            print(f"{layer:9}{n:6}{lines:8}{mean:8.1f}{p90:5}{choice:6.1f}" + "".join(f"{here[r]:10}" for r in rules))
        print(f"public headers: {share:.2f} comment lines a code line, {found['bare']} functions and {found['fields']} fields without a comment, "
              f"{found['nodiscard']} statuses that may be dropped; "
              f"untyped reads {found['untyped']}, files {found['files']}, folders {found['folders']}, phrases {found['phrases']}")
    return 1 if bad or found else 0


if __name__ == "__main__":
    sys.exit(main())
