#!/usr/bin/env python3
"""Long answers: the time of a token grows by reading the cache once, memory by the cache alone, and nothing is compiled.

  tokens.py BUILD [TOKENS]      TOKENS: 4096

Two decoders make tokens: one whose cache an op writes in place (masked_multihead_attention_, 16 heads of 128), and one whose cache grows by a
join. Limits: the least time of the last eighth of all tokens less that of the first eighth is at most the time of
reading the bytes that the cache has gained, at the rate that pir-run --machine measures for one thread, and a quarter more: the
kernel reaches nine tenths of that rate on a quiet machine. The peak of memory grows by at most the cache
and 8 MB (the cache is one room). A loop in the program (test/runtime/generate/inputs/loop.pir) makes the tokens of a generation step by step.
"""
import json
import pathlib
import resource
import subprocess
import sys
import time

import numpy as np

BUILD, TOKENS = pathlib.Path(sys.argv[1]).resolve(), int(sys.argv[2]) if len(sys.argv) > 2 else 4096
sys.path.insert(0, str(BUILD / "python"))
import libpir  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
HEADS, WIDTH, WORDS = 16, 128, 64
COLUMNS = HEADS * WIDTH
failed = 0


def check(holds, text):
    global failed
    failed += not holds
    print(("PASS " if holds else "FAIL ") + text, flush=True)


def data(name, dims, dtype="float32", short="f32"):
    return f'(%{name}) = "pd_op.data" () {{dtype:{dtype},name:"{name}",place:Place(undefined:0),shape:[{dims}]}} : () -> tensor<{dims.replace(",", "x")}x{short}>\n'


def written():
    """The logits of the token at place `at` of a cache [2, 1, heads, TOKENS + 1, width]."""
    cache = f"tensor<2x1x{HEADS}x{TOKENS + 1}x{WIDTH}xf32>"
    none, absent = "<<NULL TYPE>>", "<<NULL VALUE>>"
    text = data("ids", "1,1", "int64", "i64") + data("cache", f"2,1,{HEADS},{TOKENS + 1},{WIDTH}") + data("at", "1,1", "int32", "i32")
    text += data("rows", f"{WORDS},{3 * COLUMNS}") + data("scores", f"{COLUMNS},{WORDS}")
    text += f'(%x3) = "pd_op.embedding" (%ids, %rows) {{padding_idx:-1,sparse:false}} : (tensor<1x1xi64>, tensor<{WORDS}x{3 * COLUMNS}xf32>) -> tensor<1x1x{3 * COLUMNS}xf32>\n'
    text += f'(%shape) = "pd_op.full_int_array" () {{dtype:int64,place:Place(cpu),value:[1,{3 * COLUMNS}]}} : () -> tensor<2xi64>\n'
    text += f'(%x) = "pd_op.reshape" (%x3, %shape) {{}} : (tensor<1x1x{3 * COLUMNS}xf32>, tensor<2xi64>) -> tensor<1x{3 * COLUMNS}xf32>\n'
    text += f'(%out, %after, %beams) = "pd_op.masked_multihead_attention_" (%x, %cache, {absent}, {absent}, {absent}, %at' + f", {absent}" * 5
    text += ') {compute_dtype:"default",out_scale:-1,quant_max_bound:127,quant_min_bound:-127,quant_round_type:1,rotary_emb_dims:0,seq_len:1,use_neox_rotary_style:false} : '
    text += f"(tensor<1x{3 * COLUMNS}xf32>, {cache}, {none}, {none}, {none}, tensor<1x1xi32>" + f", {none}" * 5 + f") -> tensor<1x{COLUMNS}xf32>, {cache}, {none}\n"
    text += f'(%logits) = "pd_op.matmul" (%out, %scores) {{transpose_x:false,transpose_y:false}} : (tensor<1x{COLUMNS}xf32>, tensor<{COLUMNS}x{WORDS}xf32>) -> tensor<1x{WORDS}xf32>\n'
    outputs = {"logits": f"tensor<1x{WORDS}xf32>", "after": cache}
    text += "".join(f'() = "builtin.shadow_output" (%{name}) {{output_name:"{name}"}} : ({of}) ->\n' for name, of in outputs.items())
    return "{\n" + text + "}"


def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def rate():
    """Bytes a second that one thread reads from memory."""
    printed = subprocess.run([BUILD / "bin/pir-run", "--machine", "--json"], check=True, capture_output=True, text=True).stdout
    return json.loads(printed)["figures"]["memory_read"]["value"] * 1e9


def drawn(name, generation, bytes_of_token, before):
    times = []
    for _ in range(TOKENS):
        start = time.perf_counter()
        next(generation)
        times.append(time.perf_counter() - start)
    stats, part = generation.stats, TOKENS // 8
    first, last = min(times[:part]), min(times[-part:])  # others use the machine too
    gained = bytes_of_token * (TOKENS - part)
    allowed = gained / rate()
    check(last - first <= 1.25 * allowed, f"{name}: a token takes {1e6 * first:.0f} us, and {1e6 * last:.0f} us {TOKENS - part} tokens later; "
          f"{1e-6 * gained:.1f} MB more may take {1e6 * allowed:.0f} us more")
    grown, cache = peak() - before, bytes_of_token * (TOKENS + 1)
    check(grown <= cache + (8 << 20), f"{name}: memory grows by {1e-6 * grown:.1f} MB, the cache has {1e-6 * cache:.1f} MB")
    check(stats["copied_bytes"] == 0 and stats["made_tokens"] == TOKENS, f"{name}: no cache is copied")


def write_in_place():
    draw = np.random.default_rng(1)
    weights = {"rows": draw.standard_normal((WORDS, 3 * COLUMNS), np.float32), "scores": draw.standard_normal((COLUMNS, WORDS), np.float32)}
    session = libpir.Model.load_bytes(written().encode()).session()
    before = peak()
    with session.generate([1], weights, caches={"after": "cache"}, position="at", temperature=1.0, seed=3) as g:
        drawn("written", g, 2 * COLUMNS * 4, before)
    check(session.stats["recompiles"] == 0, "written: nothing is compiled")


def join():
    draw = np.random.default_rng(2)
    weights = {"table": draw.random((16, 8), np.float32) - 0.5, "scores": 4 * draw.random((8, 16), np.float32) - 2}
    folder = ROOT / "test/runtime/generate/inputs"
    step, loop = (libpir.Model.load(folder / f"{name}.pir").session(seed=21) for name in ("step", "loop"))
    with step.generate([3, 11], weights, caches={"all": "cache"}, temperature=1.0, top_p=float(np.float32(0.9)), seed=21, room=TOKENS + 2) as g:
        drawn("joined", g, 8 * 4, peak())
    with step.generate([3, 11], weights, caches={"all": "cache"}, temperature=1.0, top_p=float(np.float32(0.9)), seed=21, max_tokens=TOKENS) as g:
        steps = list(g)
    check(step.stats["recompiles"] == 0, "joined: nothing is compiled")
    made = loop.run({"ids": np.array([[3, 11]]), "most": np.array([TOKENS]), "none": np.zeros((1, 0), np.int64), "p": np.array([[0.9]], np.float32), **weights})[0]
    check(steps == made[0].tolist(), f"{TOKENS} tokens of a loop in the program are those of a generation")


write_in_place()
join()
print(f"{9 - failed} passed, {failed} failed")
sys.exit(failed != 0)
