#!/usr/bin/env python3
"""Plants bugs, one at a time, in a copy of the sources and counts the random graphs until one finds it.

planted.py [--only NAME] [--most N] [--seed N] SCRATCH: SCRATCH is a new folder for the copy; the
build of this tree is copied too, so that each bug compiles one file. A bug that N graphs do not
find is looked for with ten times as many small ones. Exit code 1: a bug was not found, a change
without effect was, or a place in the sources has changed.
"""

import argparse
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

# What holds the bugs; the programs open it, so that they need not be linked again.
LIBRARIES = ("build/lib/libpir.so", "build/lib/libpir_codegen_llvm.so", "build/lib/pir-compile-server")
# Options for graphs that cost a tenth of the others.
SMALL = ("--ops=1..8", "--setup=0")

# name, file, text of the sources, text with the bug
BUGS = [
    ("operands of a difference are swapped", "codegen/llvm/llvm_expr.c",
     "return LLVMBuildFSub(ir, a, b, \"\");", "return LLVMBuildFSub(ir, b, a, \"\");"),
    ("a broadcast axis of unknown extent has a stride", "codegen/lower/lower_index.c",
     "return pir_loop_select(m, one, number(s, 0), index);", "return one ? index : index;"),
    ("the last masked step leaves out an element", "codegen/loop/vectorise.c",
     "pir_loop_tail_mask(z->m, rest, z->lanes)",
     "pir_loop_tail_mask(z->m, pir_loop_sub(z->m, rest, pir_loop_int(z->m, 1)), z->lanes)"),
    ("a maximum starts at 0", "codegen/loop/loop_build.c",
     "pir_loop_const_float(m, dtype, -INFINITY)", "pir_loop_const_float(m, dtype, 0)"),
    ("an element is taken from under another condition", "codegen/lower/lowering.c",
     "e->value == value && e->guard == l->guard &&", "e->value == value &&"),
    ("a result takes the memory of a tensor that is read later", "runtime/exec/plan/buffers.c",
     "if (in->last != pair->instr || out->first != pair->instr)",
     "if (out->first != pair->instr)"),
    ("the result of a reduced axis of extent 1 moves with it", "codegen/lower/nest.c",
     "out[to++] = is_one(n, n->extent[d]) ? pir_loop_int(n->l->m, 0) : n->index[d];\n"
     "    else if (keeps)\n      out[to++] = pir_loop_int(n->l->m, 0);",
     "out[to++] = is_one(n, n->extent[d]) ? pir_loop_int(n->l->m, 0) : n->index[d];\n"
     "    else if (keeps)\n      out[to++] = n->index[d];"),
    ("a quotient of floats is rounded towards 0", "codegen/llvm/llvm_expr.c",
     "q = LLVMBuildSelect(ir, off, LLVMBuildFSub(ir, q, one, \"\"), q, \"\");", "(void)off;"),
    ("joined tensors lie in one place", "codegen/group/group_place.c",
     "i < pir_op_operands(j->list); i++, offset += extent)", "i < pir_op_operands(j->list); i++)"),
    ("the parts of an unrolled loop overlap", "codegen/loop/vectorise.c",
     "pir_loop_int(z->m, (int64_t)z->lanes * z->copy));",
     "pir_loop_int(z->m, (int64_t)z->lanes * (z->copy / 2)));"),
    ("a quotient of integers is rounded towards 0", "codegen/llvm/llvm_expr.c",
     "return floored ? LLVMBuildSelect(ir, off, LLVMBuildSub(ir, q, one, \"\"), q, \"\") : q;",
     "return q;"),
    ("operands of every op are compared in any order", "passes/general/cse.c",
     "i < 2 && pir_op_has(op, PIR_COMMUTATIVE) &&", "i < 2 &&"),
    ("sums of integers that wrap are undefined", "codegen/llvm/llvm_expr.c",
     "wraps = x->dtype != LOOP_INDEX || x->given;", "wraps = x->dtype == PIR_BOOL;"),
    ("all saved rows have one scratch", "codegen/lower/nest.c",
     "    v->row = pir_loop_scratch(l->fn, \"row\", lower_fact(l, v->value)->dtype, r->length);\n",
     "    v->row = NULL;\n"
     "    for (size_t k = 0; k < i; k++)\n"
     "      if (l->values.items[k]->row &&\n"
     "          l->values.items[k]->row->dtype == lower_fact(l, v->value)->dtype)\n"
     "        v->row = l->values.items[k]->row;\n"
     "    if (!v->row)\n"
     "      v->row =\n"
     "          pir_loop_scratch(l->fn, \"row\", lower_fact(l, v->value)->dtype, r->length);\n"),
]
# Changes that no graph can find, because no number depends on them (docs/testing.md).
HARMLESS = [
    ("equal ops are merged though one result is overwritten", "passes/general/cse.c",
     "|| pir_value_may_be_overwritten(result)", ""),
    ("a saved row is read for another row", "codegen/lower/lowering.c",
     "v->row && (!l->row_point || same_index(rank, l->row_point, index))", "v->row != NULL"),
    ("a row is saved in the place of its first element", "codegen/lower/nest.c",
     "pir_loop_store(l->fn, l->block, v->row, l->row_index, e, NULL);",
     "pir_loop_store(l->fn, l->block, v->row, pir_loop_int(l->m, 0), e, NULL);"),
]


def copy_tree(to):
    files = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True)
    for name in files.stdout.split():
        os.makedirs(os.path.dirname(os.path.join(to, name)), exist_ok=True)
        shutil.copy2(os.path.join(ROOT, name), os.path.join(to, name))
    for name in ("gen", "obj", "lib", "bin"):
        subprocess.run(["cp", "-a", os.path.join(ROOT, "build", name), os.path.join(to, "build", "")],
                       check=True)


def replace(tree, name, old, new):
    path = os.path.join(tree, name)
    with open(path) as f:
        text = f.read()
    if text.count(old) != 1:
        sys.exit(f"{name}: {text.count(old)} places with {old!r}")
    with open(path, "w") as f:
        f.write(text.replace(old, new))


def build(tree, make, targets):
    subprocess.run([*make, *targets], cwd=tree, check=True, stdout=subprocess.DEVNULL)


def graphs_needed(tree, seed, most, size=()):
    """Returns the number of graphs up to the first that fails, or 0."""
    run = subprocess.Popen(
        ["build/bin/draws", f"--graphs={most}", f"--seed={seed}", "--as-drawn", *size],
        cwd=tree, stdout=subprocess.PIPE, text=True, start_new_session=True)
    text = ""
    for line in run.stdout:
        text += line
        again = re.search(r"again: .*--seed=(\d+)", line)
        if again:
            os.killpg(run.pid, signal.SIGKILL)
            run.wait()
            return int(again[1]) - seed + 1
    if run.wait():
        sys.exit(f"draws: {text}")
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="")
    parser.add_argument("--most", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--make", default="make -s")
    parser.add_argument("scratch")
    args = parser.parse_args()
    os.makedirs(os.path.join(args.scratch, "build"))
    copy_tree(args.scratch)
    make = shlex.split(args.make)
    build(args.scratch, make, ("all", "build/bin/draws"))
    missed = graphs_needed(args.scratch, args.seed, 50)
    if missed:
        sys.exit(f"without a bug, graph {missed} differs")
    for name, path, old, new in BUGS + HARMLESS:
        if args.only not in name:
            continue
        replace(args.scratch, path, old, new)
        build(args.scratch, make, LIBRARIES)
        needed = graphs_needed(args.scratch, args.seed, args.most)
        small = needed or graphs_needed(args.scratch, args.seed, 10 * args.most, SMALL)
        size = "" if needed or not small else " of up to 8 ops"
        print(f"{small or 'not found'}{size}\t{name}", flush=True)
        missed += bool(small) == any(name == harmless[0] for harmless in HARMLESS)
        shutil.copy(os.path.join(ROOT, path), os.path.join(args.scratch, path))
        os.utime(os.path.join(args.scratch, path))
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
