#!/usr/bin/env python3
"""Doxygen's input filter: comments of a header as Doxygen reads them. Prints the header.

  comments.py HEADER

The headers have plain comments. The first one of a file is the file's, one right above a declaration is the declaration's, and one behind it too.
Comments that stand alone, and titles of sections (`// ---- title`), belong to nothing.
"""
import re
import sys

COMMENT = re.compile(r"^(\s*)//(?: (.*))?$")
BEHIND = re.compile(r"^(.*?[;,{])\s+// (.*)$")
# A type that another header declares, too.
DECLARED_ELSEWHERE = re.compile(r"^typedef struct \w+ \w+;\s*// pir/\w+/\w+\.h$")


def escaped(text):
    """Text in which Doxygen finds no commands; words in backquotes are code."""
    text = re.sub(r'([\\@%#&])', r"\\\1", text).replace("<", r"\<").replace(">", r"\>")
    return re.sub(r"`([^`]+)`", r"<tt>\1</tt>", text)


def marked(lines):
    """Lines with indented ones, which are code or a table, between Doxygen's marks of verbatim text; below `- item` they are the item's."""
    out, verbatim, item = [], False, False
    for line in lines:
        inside = line.startswith("  ") and not item
        item = line.startswith("- ") or (item and line.startswith("  "))
        if inside != verbatim and (inside or line.strip()):
            out.append(r"\verbatim" if inside else r"\endverbatim")
            verbatim = inside
        out.append(line if verbatim else escaped(line))
    return out + [r"\endverbatim"] * verbatim


def block(indent, lines, opening):
    body = "".join(f"{indent} * {line}\n" for line in marked(lines))
    return f"{indent}/** {opening}\n{body}{indent} */\n"


def public(lines):
    """Lines without the private parts of classes."""
    end = None
    for line in lines:
        part = re.match(r"^( *)(private|public):$", line)
        if part and part[2] == "private":
            end = re.compile(rf"^{part[1]}(\}};|public:)")
        elif end and end.match(line):
            end = None
        if not end:
            yield line


def filtered(lines):
    out, i = [], 0
    while i < len(lines):
        if not COMMENT.match(lines[i]):
            if DECLARED_ELSEWHERE.match(lines[i]):
                lines[i] = ""
            behind = BEHIND.match(lines[i])
            out.append(f"{behind[1]} /**< {escaped(behind[2])} */\n" if behind else lines[i] + "\n")
            i += 1
            continue
        start = i
        while i < len(lines) and COMMENT.match(lines[i]):
            i += 1
        indent, texts = COMMENT.match(lines[start])[1], [COMMENT.match(line)[2] or "" for line in lines[start:i]]
        while texts and texts[0].startswith("----"):
            texts = texts[1:]
        if start == 0:
            out.append(block(indent, texts, r"\file"))
        elif texts and i < len(lines) and lines[i].strip():
            out.append(block(indent, texts, ""))
    return out


if __name__ == "__main__":
    sys.stdout.writelines(filtered(list(public(open(sys.argv[1], encoding="utf-8").read().split("\n")))))
