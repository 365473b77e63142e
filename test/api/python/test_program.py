"""Programs: read, printed, walked, changed by passes and rules, written and run."""
import numpy as np
import pytest

import libpir
from conftest import LOOP, RECORDED, SHIPPED

RULES = """
pass one_relu_pass "makes one relu of two" {
  rule twice {
    match {
      (%a) = "pd_op.relu" (%x)
      (%b) = "pd_op.relu" (%a)
    }
    emit {
      (%b) = "pd_op.relu" (%x)
    }
  }
}
"""


def test_text_is_paddles():
    folder = RECORDED / "models/lenet"
    assert libpir.Program.load(folder / "model.json").text() == (folder / "model.pir").read_text()


@pytest.mark.parametrize("form", ["text", "t2", "typed", "json"])
def test_forms_are_read_back(form):
    program = libpir.Program.load(SHIPPED / "model.json")
    again = libpir.Program.parse(program.to_bytes(form))
    assert again.text() == program.text()


def test_a_form_that_does_not_exist():
    with pytest.raises(ValueError, match="onnx"):
        libpir.Program.parse(LOOP).to_bytes("onnx")


def test_walk():
    program = libpir.Program.parse(LOOP, file="loop.pir")
    names = [op.name for op in program.walk()]
    assert names == ["pd_op.data", "pd_op.full", "pd_op.less_than", "pd_op.while", "pd_op.multiply", "pd_op.less_than", "cf.yield", "builtin.shadow_output"]
    data, full, less, loop = list(program.walk())[:4]
    assert data.attributes == {"dtype": "int64", "name": "x", "place": "Place(undefined:0)", "shape": [1], "stop_gradient": [True]}
    assert full.attributes["value"] == 1 and data.results[0].type == "tensor<1xi64>"
    assert less.operands == [data.results[0], full.results[0]] and less.operands[0].op == data
    assert set(data.results[0].users) == {less, loop}
    ((body,),) = loop.regions
    assert body.arguments[0].op is None and body.arguments[0].index == 0
    assert body.ops[0].parent == loop and data.parent is None
    assert less.location.startswith("loop.pir:4:") and '"pd_op.less_than"' in str(less)


def test_views_end_with_a_change():
    program = libpir.Program.parse(LOOP)
    op = program.block.ops[0]
    value = op.results[0]
    program.run_passes("dce")
    for use in (lambda: op.name, lambda: value.type, lambda: str(op)):
        with pytest.raises(RuntimeError, match="changed"):
            use()


def test_passes_and_rules():
    program = libpir.Program.parse(
        """{
(%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2],stop_gradient:[true]} : () -> tensor<2xf32>
(%a) = "pd_op.relu" (%x) {stop_gradient:[true]} : (tensor<2xf32>) -> tensor<2xf32>
(%b) = "pd_op.relu" (%a) {stop_gradient:[true]} : (tensor<2xf32>) -> tensor<2xf32>
() = "builtin.shadow_output" (%b) {output_name:"y"} : (tensor<2xf32>) ->
}"""
    )
    log = program.run_passes("one_relu_pass,dce", rules=RULES, verify_each=True)
    assert [op.name for op in program.walk()].count("pd_op.relu") == 1
    assert "pd_op.relu" in log
    program.verify(strict=True)
    assert libpir.Model.create(program).run([np.array([-1, 2], np.float32)])[0].tolist() == [0, 2]


@pytest.mark.parametrize("pipeline, says", [("no_such_pass", "no_such_pass"), ("cse{colour=red}", "colour"), ("cse{", "pipeline>:1:5")])
def test_bad_pipelines(pipeline, says):
    with pytest.raises(libpir.InvalidError, match=says):
        libpir.Program.parse(LOOP).run_passes(pipeline)


# Nothing can stand for what the branch writes, since its shape is another one there. The members of a list are written, too.
BRANCH = """{
    (%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2]} : () -> tensor<2xf32>
    (%c) = "pd_op.data" () {dtype:bool,name:"c",place:Place(undefined:0),shape:[]} : () -> tensor<b>
    () = "pd_op.if" (%c) {} -> {
        (%s) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),value:[2,1]} : () -> tensor<2xi64>
        (%z) = "pd_op.reshape_" (%x, %s) {} : (tensor<2xf32>, tensor<2xi64>) -> tensor<2x1xf32>
        () = "cf.yield" () {} : () ->
    } else {
        () = "cf.yield" () {} : () ->
    }
    (%e) = "pd_op.relu" (%x) {} : (tensor<2xf32>) -> tensor<2xf32>
    (%f) = "pd_op.fetch" (%e) {col:0,name:"e"} : (tensor<2xf32>) -> tensor<2xf32>
    (%g) = "pd_op.fetch" (%f) {col:0,name:"g"} : (tensor<2xf32>) -> tensor<2xf32>
}"""


def test_a_refused_cut_changes_nothing():
    program = libpir.Program.parse(BRANCH)
    before = program.text()
    with pytest.raises(libpir.UnsupportedError, match="a region writes a value"):
        program.run_passes("cut{outputs=e|x}")
    assert program.text() == before


def test_bad_rules():
    with pytest.raises(libpir.InvalidError, match="rules:1"):
        libpir.Program.parse(LOOP).run_passes("dce", rules="rule {")


def test_passes_and_pipelines_are_listed():
    assert "constant_folding_pass" in [p.name for p in libpir.passes()]
    assert all(p.summary for p in libpir.passes())
    assert "compile" in libpir.pipelines()


@pytest.mark.parametrize("format", ["json", "pdmodel"])
def test_saved_programs_run(tmp_path, digits, format):
    rows = np.random.default_rng(4).random((2, 1, 8, 8), np.float32)
    program = libpir.Program.load(SHIPPED / "model.json")
    before = program.parameter(program.parameter_names[0])
    program.run_passes("fold,dce,conv2d_bn_fuse_pass")
    program.save(tmp_path / "m", tmp_path / "m.params", format)
    model = libpir.Model.load(tmp_path / "m", tmp_path / "m.params")
    np.testing.assert_allclose(model.run([rows])[0], digits.run([rows])[0], rtol=1e-4, atol=1e-5)
    assert before.dtype == np.float32 and sorted(p.name for p in tmp_path.iterdir()) == ["m", "m.params"]


def test_saved_files_have_the_mode_of_new_files(tmp_path):
    usual = tmp_path / "usual"
    usual.touch()
    program = libpir.Program.load(SHIPPED / "model.json")
    program.save(tmp_path / "m", tmp_path / "m.params")
    assert {p.stat().st_mode for p in tmp_path.iterdir()} == {usual.stat().st_mode}


def test_saving_fails_whole(tmp_path):
    program = libpir.Program.load(SHIPPED / "model.json")
    with pytest.raises(ValueError, match="parameters"):
        program.save(tmp_path / "m.json")
    with pytest.raises(OSError):
        program.save(tmp_path / "none" / "m.json", tmp_path / "none" / "m.params")
    assert not list(tmp_path.iterdir())


MEAN = """{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2],stop_gradient:[false]} : () -> tensor<2xf32>
    (%1) = "pd_op.tanh" (%0) {stop_gradient:[false]} : (tensor<2xf32>) -> tensor<2xf32>
    (%2) = "pd_op.full_int_array" () {dtype:int64,place:Place(cpu),stop_gradient:[true],value:[]} : () -> tensor<0xi64>
    (%3) = "pd_op.mean" (%1, %2) {keepdim:false,stop_gradient:[false]} : (tensor<2xf32>, tensor<0xi64>) -> tensor<f32>
}"""


def test_gradients():
    program = libpir.Program.parse(MEAN)
    x, tanh, _, mean = [op.results[0] for op in program.block.ops]
    (gradient,) = program.append_backward([mean], [x])
    assert gradient.op.name == "pd_op.tanh_grad" and gradient.type == x_type(program)
    with pytest.raises(RuntimeError, match="changed"):
        mean.type
    x, tanh, _, mean = [op.results[0] for op in program.block.ops][:4]
    with pytest.raises(libpir.InvalidError, match="the loss has one element"):
        program.append_backward([tanh], [x])
    x, tanh, _, mean = [op.results[0] for op in program.block.ops][:4]
    assert program.append_backward([tanh], [x], no_grad=[x], ones=True) == [None]


def test_recomputation():
    program = libpir.Program.parse(MEAN)
    x, tanh, _, mean = [op.results[0] for op in program.block.ops]
    program.append_backward([mean], [x], recompute=True, checkpoints=[])
    names = [op.name for op in program.block.ops]
    assert names.count("pd_op.tanh") == 2 and names.count("pd_op.depend") == 1
    for share in (1.5, -1.0, float("nan")):
        program = libpir.Program.parse(MEAN)
        x, tanh, _, mean = [op.results[0] for op in program.block.ops]
        with pytest.raises(libpir.InvalidError, match="between 0 and 1"):
            program.append_backward([mean], [x], recompute=True, memory=share)


def x_type(program):
    return program.block.ops[0].results[0].type
