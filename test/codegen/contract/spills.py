#!/usr/bin/env python3
"""Looks for sums that do not stay in registers: vectors moved to or from the stack within an innermost loop of products, that is one
of eight multiply-adds or more whose other factor is broadcast. One sum that lives on the stack hides behind the others; a loop with
more is a tile chosen wrongly.

  spills.py PIR_OPT TARGET MODEL...     exits with 1 when a loop has them; prints how many loops were looked at
"""
import re
import subprocess
import sys

PRODUCT = re.compile(r"\b(vfmadd\w+|vdpbf16ps|vpdpbusd|fmla)\b")
OTHER = re.compile(r"\b(v?(mul|add|sub|min|max|round|rndscale|cvt\w*)p[sd]|fmul|fadd|fsub|fmax|fmin)\b")  # of elements, not of products
SPREAD = re.compile(r"\bvbroadcasts|\bvpbroadcastd|\{1to|\bld1r|\.s\[\d\]")
STACK = re.compile(r"(%[xyz]mm\d+, -?\d*\(%rsp\)|-?\d*\(%rsp\)(?:\{1to\d+\})?, .*%[xyz]mm|\bq\d+, .*\[sp)")
LABEL = re.compile(r"^(\.?\w+):")
JUMP = re.compile(r"^\s+(?:j\w+|b(?:\.\w+)?|cbn?z|tbn?z)\s+(?:.*,\s*)?(\.?\w+)$")


def loops(lines):
    """Innermost loops: from a label to a jump back to it, without another such pair inside."""
    at, ends = {}, []
    for i, line in enumerate(lines):
        label, jump = LABEL.match(line), JUMP.match(line)
        if label:
            at[label.group(1)] = i
        elif jump and jump.group(1) in at:
            begin = at[jump.group(1)]
            if not any(begin <= b and e <= i for b, e in ends[-8:]):
                ends.append((begin, i))
    return [lines[b:e] for b, e in ends]


def main():
    tool, target, seen, bad = sys.argv[1], sys.argv[2], 0, 0
    for model in sys.argv[3:]:
        told = subprocess.run([tool, model, "--emit=asm", "--target=" + target], stdout=subprocess.PIPE, text=True, check=True)
        for body in loops(told.stdout.splitlines()):
            products = sum(bool(PRODUCT.search(line)) for line in body)
            stack = [line for line in body if STACK.search(line)]
            if products < 8 or not any(map(SPREAD.search, body)) or any(map(OTHER.search, body)):
                continue
            seen += 1
            if len(stack) > 2:
                bad += 1
                print(f"{model}: {products} multiply-adds, {len(stack)} vectors on the stack: {stack[0].strip()}")
    print(f"{target}: {seen} loops of multiply-adds, {bad} with sums on the stack")
    return 1 if bad or not seen else 0


if __name__ == "__main__":
    sys.exit(main())
