"""Failures are exceptions with a status, a place, and a class of Python's that callers know."""
import numpy as np
import pytest

import libpir
from conftest import LOOP, SHIPPED


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(libpir.NotFoundError, match="No such file") as caught:
        libpir.Model.load(tmp_path / "none.json")
    assert isinstance(caught.value, LookupError) and caught.value.status == "PIR_NOT_FOUND"
    assert caught.value.diagnostics[0].message == f"{tmp_path / 'none.json'}: cannot open: No such file or directory"
    with pytest.raises(libpir.NotFoundError, match="none: cannot open the parameter file: No such file"):
        libpir.Model.load(SHIPPED / "model.json", params=tmp_path / "none")


def test_place_of_an_error():
    with pytest.raises(libpir.InvalidError) as caught:
        libpir.Program.parse(LOOP.replace("(%x, %one)", "(%x, %two)"), file="loop.pir")
    error = caught.value
    assert isinstance(error, ValueError)
    first = error.diagnostics[0]
    assert (first.severity, first.file, first.line) == ("error", "loop.pir", 4)
    assert first.column and "two" in first.message and "%two" in first.source_line
    assert str(error) == f"loop.pir:4:{first.column}: error: {first.message}"


def test_verified_when_read():
    with pytest.raises(libpir.InvalidError, match="less_than"):
        libpir.Program.parse(LOOP.replace('"pd_op.less_than" (%x, %one)', '"pd_op.less_than" (%x)').replace("(tensor<1xi64>, tensor<1xi64>) -> tensor<1xb>", "(tensor<1xi64>) -> tensor<1xb>", 1))


def test_inputs_that_do_not_fit(digits):
    for bad, says in [
        (np.zeros((1, 1, 8, 8)), "float64"),
        (np.zeros((1, 2, 8, 8), np.float32), "2"),
        (np.zeros(3, np.float32), "rank"),
        (np.array([["text"]]), "pstring"),
    ]:
        with pytest.raises(libpir.InvalidError, match=says):
            digits.run([bad])
    with pytest.raises(ValueError, match="1 inputs"):
        digits.run([])
    with pytest.raises(KeyError, match="picture"):
        digits.run({"picture": np.zeros((1, 1, 8, 8), np.float32)})
    with pytest.raises(TypeError, match="elements"):
        digits.run([np.array([["2026-11-27"]], "datetime64[D]")])


@pytest.mark.parametrize("field, value", [("pipeline", "nothing_like_it"), ("target", "pdp-11"), ("math", "sloppy"), ("compiler", "?")])
def test_bad_options(field, value):
    with pytest.raises(libpir.Error):
        libpir.Model.load(SHIPPED / "model.json", options=libpir.Options(**{field: value}))


def test_limits():
    few = libpir.Options(limits=libpir.Limits(max_ops=3))
    with pytest.raises(libpir.ExhaustedError) as caught:
        libpir.Model.load(SHIPPED / "model.json", options=few)
    assert isinstance(caught.value, MemoryError)
    with pytest.raises(libpir.CancelledError):
        libpir.Model.load(SHIPPED / "model.json", options=libpir.Options(max_seconds=1e-9))


def test_what_a_progress_report_raises_ends_the_work():
    stages = []

    def report(stage, what, done, of):
        stages.append(stage)
        if stage == "passes":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        libpir.Model.load(SHIPPED / "model.json", options=libpir.Options(progress=report))
    assert stages[-1] == "passes" and "read" in stages


def test_cancelled_before_it_began():
    cancel = libpir.Cancel()
    cancel.set()
    with pytest.raises(libpir.CancelledError):
        libpir.Model.load(SHIPPED / "model.json", options=libpir.Options(cancel=cancel))


def test_a_library_without_custom_ops(tmp_path):
    (tmp_path / "ops.so").write_bytes(b"no library")
    with pytest.raises(libpir.InvalidError, match="ops.so"):
        libpir.Model.load(SHIPPED / "model.json", options=libpir.Options(custom_ops=[tmp_path / "ops.so"]))


def test_declared_ops(tmp_path):
    (tmp_path / "half.ops").write_text("""op half "x / 2" {
  operand x : tensor<f32>
  result out : tensor<same(x)>
  trait pure
  compute out = x / 2
}
""")
    (tmp_path / "model.pir").write_text("""{
(%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[4,6]} : () -> tensor<4x6xf32>
(%y) = "custom_op.half" (%x) {} : (tensor<4x6xf32>) -> tensor<4x6xf32>
() = "builtin.shadow_output" (%y) {output_name:"y"} : (tensor<4x6xf32>) -> 
}
""")
    x = np.arange(24, dtype=np.float32).reshape(4, 6)
    for pipeline in ("kernels", "compile"):
        options = libpir.Options(ops=[tmp_path / "half.ops"], pipeline=pipeline)
        np.testing.assert_array_equal(libpir.Model.load(tmp_path / "model.pir", options=options).run([x])[0], x / 2)
    (tmp_path / "half.ops").write_text('op half "x / 2" {\n  operand x : tensor<f33>\n}\n')
    with pytest.raises(libpir.InvalidError, match=r"half\.ops:2:\d+.*f33"):
        libpir.Model.load(tmp_path / "model.pir", options=libpir.Options(ops=[tmp_path / "half.ops"]))


def test_a_closed_session(digits):
    session = digits.session()
    session.close()
    with pytest.raises(ValueError, match="closed"):
        session.run([np.zeros((1, 1, 8, 8), np.float32)])
