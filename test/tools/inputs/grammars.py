#!/usr/bin/env python3
"""Checks the TextMate grammars of tools/editor: they are JSON, every regular expression compiles and every include is there, each keyword that
the readers of the languages take is a keyword of its grammar, and tokens of each kind are coloured.

  grammars.py ROOT
"""
import glob
import json
import os
import re
import sys

root = sys.argv[1]
bad = 0


def complain(text):
    global bad
    bad += 1
    print(text)


def patterns(node):
    """All rules below a node."""
    if isinstance(node, dict):
        if "match" in node or "begin" in node or "include" in node:
            yield node
        for value in node.values():
            yield from patterns(value)
    elif isinstance(node, list):
        for value in node:
            yield from patterns(value)


def load(language):
    path = os.path.join(root, "tools/editor", language + ".tmLanguage.json")
    grammar = json.load(open(path))
    for rule in patterns(grammar):
        include = rule.get("include", "")
        if include.startswith("#") and include[1:] not in grammar["repository"]:
            complain(f"{path}: no part {include}")
        for key in ("match", "begin", "end"):
            if key in rule:
                try:
                    re.compile(rule[key])
                except re.error as error:
                    complain(f"{path}: {rule[key]}: {error}")
                    rule[key] = "(?!)"
        if "match" in rule and re.compile(rule["match"]).match(""):
            complain(f"{path}: {rule['match']} matches nothing")
        groups = re.compile(rule.get("match", "")).groups
        if any(int(n) > groups for n in rule.get("captures", {})):
            complain(f"{path}: a capture that {rule['match']} does not have")
    return grammar


def colours(grammar, word):
    """Whether a rule of a keyword, type or constant takes the whole word."""
    return any(re.fullmatch(rule["match"], word) for rule in patterns(grammar)
               if "match" in rule and re.match(r"keyword|storage|constant\.language", rule.get("name", "")))


def read(path):
    return open(os.path.join(root, path), encoding="utf-8").read()


def compare(language, grammar, words, least):
    if len(words) < least:
        complain(f"{language}: only {len(words)} words were found in its reader")
    for word in sorted(words):
        if not colours(grammar, word):
            complain(f"{language}: no rule for '{word}'")


grammar = {language: load(language) for language in ("pir", "ops", "drr")}
compare("ops", grammar["ops"], set(re.findall(r'\{"([a-z]+)", [A-Z_]+\}', read("dialects/ops/ops.l"))), 50)
taken = set()
for path in glob.glob(os.path.join(root, "passes/rules/front/*.c")):
    text = read(path)
    taken |= set(re.findall(r'drr_(?:take|is|want)_word\(d, "([a-z]+)"', text))
    taken |= set(re.findall(r'strcmp\((?:d->token\.text|word), "([a-z]+)"\)', text))
compare("drr", grammar["drr"], taken, 20)
lexer = read("ir/text/lex.l")
special = {text for text in ("Place(cpu)", "Undefined(x)", "<<NULL VALUE>>", "<<NULL TYPE>>", "<#Null>", "<backend:CPU|layout:NCHW|dtype:float32>")
           if text.split("(")[0].split(":")[0].split(" ")[0].strip("<>#Nul") in lexer}
whole = [re.compile(rule["match"]) for rule in patterns(grammar["pir"]) if "match" in rule]
if len(special) < 5:
    complain("pir: tokens of its reader were not found")
for text in sorted(special):
    if not any(rule.fullmatch(text) for rule in whole):
        complain(f"pir: no rule for {text}")
for text in ("%12", '= "pd_op.relu"', "0x1f", "-1.5e-3", 'loc("a.pir":3:5)', 'loc("a.pdmodel":+0x1f)', "// text"):
    if not any(rule.fullmatch(text) for rule in whole):
        complain(f"pir: no rule for {text}")
print(f"{bad} faults")
sys.exit(bad > 0)
