#!/usr/bin/env python3
"""Checks that every file and folder that documentation and comments name exists.

  paths.py [FILE...]      default: the pages below docs, README.md and its neighbours, the sources and headers that git tracks

In Markdown a path is a word in backquotes: it begins with a folder of the repository, or ends like a source file.
In C a path is a word of a comment that ends like a source file. `*` stands for any characters, `{a,b}` for either.
A name in capitals (`NAME.drr`) is a placeholder. A name without a folder may be in any folder; in C, of the same layer.
"""
import fnmatch
import itertools
import os
import re
import subprocess
import sys

ENDING = r"\.(?:c|h|cc|l|y|md|def|ops|drr|py|sh|mk|proto)"
SOURCE = re.compile(r"(?<![\w./<%$-])([A-Za-z_][\w/.*{},-]*?" + ENDING + r")(?!\w|\.\w|\()")
STRING = re.compile(r'"(?:\\.|[^"\\])*"')
# Files that a command writes, and that git does not track; and a program of LLVM.
WRITTEN = {"pir/compiler/dialect/*.h", "lit.py"}


def tracked():
    """The files of the repository; all files in a copy without git."""
    done = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard"], capture_output=True, text=True)
    files = done.stdout.split("\n") if done.returncode == 0 else [os.path.join(d, f)[2:] for d, _, names in os.walk(".") for f in names]
    return [f for f in files if f and os.path.exists(f)]


def layer_of(path):
    return "runtime/exec" if path.startswith("runtime/exec/") else path.lstrip("/").split("/")[0]


def spellings(path):
    """The paths that a path with {a,b} means."""
    parts = [p[1:-1].split(",") if p.startswith("{") else [p] for p in re.split(r"(\{[^}]*\})", path)]
    return ["".join(choice) for choice in itertools.product(*parts)]


def is_placeholder(path):
    return any(re.fullmatch(r"[A-Z][A-Z0-9_]*", re.split(r"[.*]", part)[0]) and part not in ("README.md", "LICENSE", "RESULTS.md")
               for part in path.split("/"))


class Tree:
    def __init__(self, files):
        self.files, self.folders = set(files), {"/".join(f.split("/")[:i]) for f in files for i in range(1, f.count("/") + 1)}
        self.top = {f.split("/")[0] for f in files}
        self.ends = {"/".join(f.split("/")[i:]) for f in files for i in range(f.count("/") + 1)}

    def has(self, path, layer):
        """Whether a path exists; `layer` is the layer that a name without a folder must be in, or None."""
        path = path.rstrip("/")
        if path in WRITTEN:
            return True
        if layer and "/" not in path and "*" not in path:
            return any(f.startswith(layer + "/") and f.endswith("/" + path) for f in self.files)
        if "*" in path:
            return any(fnmatch.fnmatch(f, "*/" + path) or fnmatch.fnmatch(f, path) for f in itertools.chain(self.files, self.folders))
        return path in self.ends or path in self.folders


def named_in_markdown(text, tree, folder):
    own = set(re.findall(r"^```\w\S* (\S+)", text, re.M))  # files that blocks of the page make
    for number, line in enumerate(text.split("\n"), 1):
        for words in re.findall(r"`([^`]+)`", line):
            for word in re.split(r"[\s=]+", words):
                word = re.sub(r"(?<=\w)\{\w+=.*|[,;:)]+$", "", word)
                first = word.split("/")[0]
                if "..." not in word and word not in own and (("/" in word and first in tree.top) or re.fullmatch(r"[\w{},*/.-]+" + ENDING, word)):
                    yield number, word
        for link in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", line):
            if "://" not in link:
                yield number, os.path.normpath(os.path.join(folder, link))


def named_in_c(text):
    for number, line in enumerate(text.split("\n"), 1):
        comment = re.search(r"//(.*)", STRING.sub('""', line))
        if comment:
            for word in SOURCE.findall(comment.group(1)):
                yield number, word


def main():
    files = tracked()
    tree, bad, seen = Tree(files), 0, 0
    pages = sys.argv[1:] or [f for f in files if re.match(r"docs/.*\.md$|README\.md$|SECURITY\.md$|CHANGELOG\.md$|python/README\.md$", f) or f.endswith((".c", ".h", ".def"))]
    for page in pages:
        text = open(page, encoding="utf-8").read()
        for number, word in named_in_markdown(text, tree, os.path.dirname(page)) if page.endswith(".md") else named_in_c(text):
            for path in spellings(word):
                if is_placeholder(path):
                    continue
                seen += 1
                if not tree.has(path, None if page.endswith(".md") else layer_of(page)):
                    bad += 1
                    print(f"{page}:{number}: '{path}' does not exist")
    print(f"{seen} paths, {bad} do not exist")
    return bad != 0 or seen == 0


if __name__ == "__main__":
    sys.exit(main())
