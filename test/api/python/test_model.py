"""Models: what is known about them before a run."""
import numpy as np
import pytest

import libpir
from conftest import LOOP, SHIPPED

LOOP_OPS = {"builtin.shadow_output": 1, "cf.yield": 1, "pd_op.data": 1, "pd_op.full": 1, "pd_op.less_than": 2, "pd_op.multiply": 1, "pd_op.while": 1}
JOINED = """{
(%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[-1,3]} : () -> tensor<-1x3xf32>
(%1) = "pd_op.data" () {dtype:float32,name:"y",place:Place(undefined:0),shape:[-1,3]} : () -> tensor<-1x3xf32>
(%2) = "pd_op.full" () {dtype:int32,place:Place(cpu),shape:[1],value:1} : () -> tensor<1xi32>
(%3) = "builtin.combine" (%0, %1) {} : (tensor<-1x3xf32>, tensor<-1x3xf32>) -> vec[tensor<-1x3xf32>,tensor<-1x3xf32>]
(%4) = "pd_op.concat" (%3, %2) {} : (vec[tensor<-1x3xf32>,tensor<-1x3xf32>], tensor<1xi32>) -> tensor<-1x6xf32>
() = "builtin.shadow_output" (%4) {output_name:"out"} : (tensor<-1x6xf32>) ->
}"""


def test_names_and_ranges_of_extents():
    model = libpir.Model.load(SHIPPED / "model.json")
    assert model.inputs[0].dims == ("S0", "", "", "")
    assert model.outputs[0].dims == ("S0", "")
    assert model.inputs[0].ranges == ((0, None), (1, 1), (8, 8), (8, 8))
    model = libpir.Model.create(libpir.Program.parse(JOINED))
    assert [p.dims for p in model.inputs + model.outputs] == [("S0", "")] * 3
    assert model.outputs[0].ranges == ((0, None), (6, 6))


def test_origin():
    info = libpir.Model.load(SHIPPED / "model.json").info
    assert info["format"] == "json" and info["format_version"] == 4 and info["library_version"] == libpir.__version__
    assert info["params"] == 14 and info["framework_version"] == ""
    assert libpir.Model.load(SHIPPED / "model.pdmodel").info["framework_version"] == "3.3.1"
    assert libpir.Model.create(libpir.Program.parse(LOOP)).op_counts == LOOP_OPS


def test_values_in_between():
    show = ["%2", "linear_0.tmp_1", "image"]
    model = libpir.Model.load(SHIPPED / "model.pdmodel", options=libpir.Options(pipeline="kernels", show=show))
    assert [p.name for p in model.outputs][1:] == show
    image = np.ones((1, 1, 8, 8), np.float32)
    scores, _, logits, again = model.run([image])
    exponents = np.exp(logits - logits.max())
    np.testing.assert_allclose(scores, exponents / exponents.sum(), rtol=1e-5)
    np.testing.assert_array_equal(again, image)
    with pytest.raises(libpir.NotFoundError, match="no value \"nothing\""):
        libpir.Model.load(SHIPPED / "model.pdmodel", options=libpir.Options(show=["nothing"]))


def test_weights_are_replaced():
    """A last layer with no weights gives all digits one score."""
    base = libpir.Model.load(SHIPPED / "model.json", options=libpir.Options(replaceable=True))
    last = {p.name: np.zeros(p.shape, p.dtype) for p in base.weights if p.shape in [(80, 10), (10,)]}
    assert len(base.weights) == 14 and len(last) == 2
    image = np.ones((1, 1, 8, 8), np.float32)
    (before,) = base.run([image])
    other = base.replace_weights(last)
    del base
    np.testing.assert_allclose(other.run([image])[0], np.full((1, 10), 0.1), rtol=1e-6)
    assert not np.allclose(before, 0.1)
    with pytest.raises(libpir.NotFoundError, match="no parameter \"nothing\""):
        other.replace_weights({"nothing": np.zeros(3)})
    with pytest.raises(libpir.InvalidError, match="another element type or shape"):
        other.replace_weights({next(iter(last)): np.zeros(3)})


SEQUENCES = """{
(%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[-1,1]} : () -> tensor<-1x1xf32>
(%1) = "pd_op.relu" (%0) {} : (tensor<-1x1xf32>) -> tensor<-1x1xf32>
(%2, %3) = "pd_op.sequence_pool" (%1) {is_test:true,pad_value:0,pooltype:"SUM"} : (tensor<-1x1xf32>) -> tensor<-1x1xf32>, tensor<-1x1xi32>
() = "builtin.shadow_output" (%1) {output_name:"rows"} : (tensor<-1x1xf32>) ->
() = "builtin.shadow_output" (%2) {output_name:"sums"} : (tensor<-1x1xf32>) ->
}"""


def test_sequences_of_different_lengths():
    model = libpir.Model.create(libpir.Program.parse(SEQUENCES))
    rows = np.arange(5, dtype=np.float32).reshape(5, 1)
    with model.session() as session:
        for offsets in ([0, 2, 5], [0, 1, 2, 5]):
            found, sums = session.run({"x": libpir.Sequences(rows, [offsets])})
            np.testing.assert_array_equal(found, rows)
            np.testing.assert_array_equal(sums[:, 0], np.add.reduceat(rows[:, 0], offsets[:-1]))
            assert session.offsets("rows") == [offsets] and session.offsets("sums") == []
        with pytest.raises(libpir.InvalidError, match="offsets of level 0 must rise from 0 to 5"):
            session.run([libpir.Sequences(rows, [[0, 2, 4]])])
        with pytest.raises(libpir.InvalidError, match="expects a tensor with the offsets"):
            session.run([rows])
