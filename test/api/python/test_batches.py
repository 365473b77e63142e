"""Sequences that come and go in one batch get the tokens that they get alone."""
import pathlib
import sys

import numpy as np
import pytest

import libpir

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "python/examples"))
from batches import Batch  # noqa: E402

WORDS, HEADS, WIDTH, SIZE = 23, 2, 8, 4


def data(name, dims, dtype="int32", short="i32"):
    return f'(%{name}) = "pd_op.data" () {{dtype:{dtype},name:"{name}",place:Place(undefined:0),shape:[{dims}]}} : () -> tensor<{dims.replace(",", "x")}x{short}>\n'


def program():
    cache, none = "tensor<-1x2x4x8xf32>", "<<NULL TYPE>>"
    rows = "tensor<-1x1xi32>, " * 3 + "tensor<-1xi32>, " * 4 + "tensor<-1x-1xi32>"
    text = data("ids", "-1", "int64", "i64") + data("keys", "-1,2,4,8", "float32", "f32") + data("values", "-1,2,4,8", "float32", "f32")
    text += "".join(data(name, "-1,1") for name in ("prompts", "cached", "new"))
    text += "".join(data(name, "-1") for name in ("padding", "offsets", "starts")) + data("table", "-1,-1")
    text += data("rows", "23,48", "float32", "f32") + data("scores", "16,23", "float32", "f32")
    text += '(%qkv) = "pd_op.embedding" (%ids, %rows) {padding_idx:-1,sparse:false} : (tensor<-1xi64>, tensor<23x48xf32>) -> tensor<-1x48xf32>\n'
    text += '(%out, %q, %keys_out, %values_out) = "pd_op.block_multihead_attention_" (%qkv, %keys, %values, %prompts, %cached, %new, %padding, %offsets, %starts, %starts, %table'
    text += ", <<NULL VALUE>>" * 15 + ') {block_size:4,compute_dtype:"default",dynamic_cachekv_quant:false,max_seq_len:64,out_scale:-1,quant_max_bound:127'
    text += f",quant_min_bound:-127,quant_round_type:1,rope_theta:10000,use_neox_style:false}} : (tensor<-1x48xf32>, {cache}, {cache}, {rows}" + f", {none}" * 15
    text += f") -> tensor<-1x16xf32>, tensor<-1x48xf32>, {cache}, {cache}\n"
    text += '(%logits) = "pd_op.matmul" (%out, %scores) {transpose_x:false,transpose_y:false} : (tensor<-1x16xf32>, tensor<16x23xf32>) -> tensor<-1x23xf32>\n'
    outputs = {"logits": "tensor<-1x23xf32>", "keys_out": cache, "values_out": cache}
    text += "".join(f'() = "builtin.shadow_output" (%{name}) {{output_name:"{name}"}} : ({of}) ->\n' for name, of in outputs.items())
    return "{\n" + text + "}"


@pytest.fixture(scope="module")
def model():
    return libpir.Model.load_bytes(program().encode())


@pytest.fixture(scope="module")
def weights():
    draw = np.random.default_rng(6)
    return {"rows": draw.standard_normal((WORDS, 48), np.float32), "scores": draw.standard_normal((16, WORDS), np.float32)}


def batch_of(model, blocks, **how):
    return Batch(model.session(threads=2), blocks=blocks, size=SIZE, heads=HEADS, width=WIDTH, **how)


def alone(model, weights, prompt, count):
    batch = batch_of(model, 16)
    row, made = batch.add(prompt), []
    for _ in range(count):
        ((_, logits),) = batch.step(**weights)
        made.append(int(logits.argmax()))
        row.append(made[-1])
    return made


def test_sequences_come_and_go(model, weights):
    prompts = [[1, 2, 3, 4, 5, 6, 7], [9], [3, 3, 8, 20, 11], [5, 1, 17], [22, 0]]
    lengths = [9, 4, 13, 7, 6]
    joins = [0, 0, 2, 5, 6]  # the step before which each one comes
    batch = batch_of(model, 12)
    made = {}
    for step in range(40):
        for i in (i for i, join in enumerate(joins) if join == step):
            made[batch.add(prompts[i])] = (i, [])
        if not batch:
            break
        for row, logits in batch.step(**weights):
            i, tokens = made[row]
            tokens.append(int(logits.argmax()))
            if len(tokens) == lengths[i]:
                batch.remove(row)
            else:
                row.append(tokens[-1])
    assert len(made) == 5 and sorted(batch.free) == list(range(12))
    for i, tokens in made.values():
        assert tokens == alone(model, weights, prompts[i], lengths[i])
    assert len({tuple(tokens) for _, tokens in made.values()}) == 5


def test_a_full_cache_is_refused_and_the_others_go_on(model, weights):
    batch = batch_of(model, 3, most=2)
    short = batch.add([1, 2])
    long = batch.add([4] * 9)
    with pytest.raises(MemoryError, match="batch is full"):
        batch.add([1])
    with pytest.raises(MemoryError, match="3 blocks are needed, and 2 are free"):
        batch.step(**weights)
    with pytest.raises(ValueError, match="no ids"):
        batch.add([])
    batch.remove(long)
    ((row, logits),) = batch.step(**weights)
    assert list(batch.step(**weights)) == []  # nothing waits
    assert row is short and int(logits.argmax()) == alone(model, weights, [1, 2], 1)[0]


def test_caches_are_written_where_they_lie(model, weights):
    batch = batch_of(model, 4)
    row, keys = batch.add([7, 8, 9]), batch.given["keys"]
    for _ in range(6):
        ((_, logits),) = batch.step(**weights)
        row.append(int(logits.argmax()))
    assert batch.session.output("keys_out").__array_interface__["data"][0] == keys.__array_interface__["data"][0]
    assert batch.session.stats["recompiles"] == 0
    assert keys.any()
