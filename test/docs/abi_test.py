#!/usr/bin/env python3
"""What mk/abi.py finds where a header or the list of exported functions changes.

  abi_test.py ROOT BUILD SCRATCH
"""
import pathlib
import shutil
import sys

root, build, scratch = (pathlib.Path(a).resolve() for a in sys.argv[1:])
sys.path.insert(0, str(root / "mk"))
import abi  # noqa: E402

MODEL, DIALECT = "runtime/exec/include/pir/engine/model.h", "generated/pir/compiler/dialect/pd_op.h"
# (file, text, other text, a word of the finding; none: callers do not notice)
CHANGES = [
    ("a field is renamed", MODEL, "int compile_threads;", "int threads;", "compile_threads"),
    ("a field has another type", MODEL, "int compile_threads;", "int64_t compile_threads;", "compile_threads"),
    ("fields change places", MODEL, "const char *pipeline;", "bool early;\n  const char *pipeline;", "early"),
    ("a field is appended", MODEL, "} pir_model_stats;", "uint64_t last;\n} pir_model_stats;", None),
    ("a field is appended in padding", "ir/include/pir/compiler/text.h", "} pir_print_options;", "bool last;\n} pir_print_options;", "last"),
    ("a struct that stays gets a field", "runtime/include/pir/engine/parallel.h", "} pir_parallel;", "void *last;\n} pir_parallel;", "last"),
    ("an op is renumbered", DIALECT, "PD_FULL = 0x", "PD_FULL = 0x1", "PD_FULL"),
    ("an op is added", DIALECT, "enum pir_pd_op_op {", "enum pir_pd_op_op {\n  PD_NEWEST = 0x3ffff,", None),
    ("an enumerator is added", "ir/include/pir/compiler/walk.h", "PIR_WALK_STOP = 2", "PIR_WALK_STOP = 2, PIR_WALK_AGAIN = 3", None),
    ("an enumerator is renumbered", "ir/abi/pir/base.h", "X(IO, 6,", "X(IO, 9,", "PIR_IO"),
    ("a parameter is added", MODEL, "pir_session_run(pir_session *session)", "pir_session_run(pir_session *session, int n)", "pir_session_run"),
]


def copy(to):
    """The headers, in a tree of their own."""
    for folder in abi.FOLDERS:
        shutil.copytree(root / folder / "pir", to / folder / "pir")
    shutil.copytree(build / "gen/include", to / "generated")


def describe(name, functions, change=None):
    tree = scratch / name.replace(" ", "_")
    copy(tree)
    if change:
        path, old, new = change
        text = (tree / path).read_text()
        assert text.count(old) == 1, (name, text.count(old))
        (tree / path).write_text(text.replace(old, new))
    found = abi.describe(tree, tree / "generated", functions, "libpir.so.1", tree / "abi")
    assert found, name
    return found


shutil.rmtree(scratch, ignore_errors=True)
scratch.mkdir(parents=True)
exported = abi.exported(build / "lib/libpir.so")
before = describe("before", exported)
assert not abi.differences(before, describe("again", exported))
for name, path, old, new, word in CHANGES:
    text = abi.differences(before, describe(name, exported, (path, old, new)))
    assert word in text if word else not text, f"{name}:\n{text}"
fewer = [name for name in exported if name != "pir_session_trim"]
assert "pir_session_trim" in abi.differences(before, describe("a function is removed", fewer))
assert not abi.differences(describe("one function fewer", fewer), before)
print(f"{len(CHANGES) + 2} changes are judged right")
