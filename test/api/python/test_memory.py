"""Arrays go in and out without copies, and no array outlives its memory."""
import gc
import pathlib
import subprocess

import numpy as np
import pytest

import libpir
from libpir import _arrays

ROOT = pathlib.Path(__file__).resolve().parents[3]
# A custom op whose result is the address of its operand's elements.
ADDRESS = """
#include <pir/engine/custom.h>
PIR_API extern const pir_custom_op pir_custom_ops[];
const pir_custom_op pir_custom_ops[] = {{"address", "X", "", "Out", "address", "int64"}, {0}};
PIR_API int address(const pir_tensor *x, pir_tensor *out) { return *(int64_t *)out->data = (intptr_t)x->data, 0; }
PIR_API int int64(const pir_tensor *x, pir_tensor *out) {
  const int64_t one = 1;
  return pir_tensor_set_dense(out, PIR_I64, &one, 1), 0;
}
"""
PROGRAM = """{
(%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[4,6],stop_gradient:[true]} : () -> tensor<4x6xf32>
(%y) = "custom_op.address" (%x) {stop_gradient:[true]} : (tensor<4x6xf32>) -> tensor<1xi64>
() = "builtin.shadow_output" (%y) {output_name:"y"} : (tensor<1xi64>) ->
}"""


def address(array):
    return array.__array_interface__["data"][0]


@pytest.fixture()
def rows():
    return np.random.default_rng(1).random((3, 1, 8, 8), np.float32)


def test_inputs_are_read_in_place(tmp_path):
    (tmp_path / "ops.c").write_text(ADDRESS)
    (tmp_path / "model.pir").write_text(PROGRAM)
    headers = [f"-I{ROOT / folder}" for folder in ("ir/abi", "ir/include", "runtime/include", "runtime/exec/include")]
    subprocess.run(["cc", "-shared", "-fPIC", *headers, "-o", tmp_path / "ops.so", tmp_path / "ops.c"], check=True)
    model = libpir.Model.load(tmp_path / "model.pir", options=libpir.Options(custom_ops=[tmp_path / "ops.so"]))
    x = np.zeros((4, 6), np.float32)
    assert model.run([x])[0].tolist() == [address(x)]


def test_outputs_are_written_in_place(digits, rows):
    out = np.empty((3, 10), np.float32)
    place = address(out)
    with digits.session() as session:
        (got,) = session.run({"image": rows}, {digits.outputs[0].name: out})
        assert got is out and address(out) == place
        assert np.array_equal(out, digits.run([rows])[0])


def test_outputs_in_the_session_are_not_copied(digits, rows):
    with digits.session() as session:
        (view,) = session.run([rows], copy=False)
        assert address(view) == address(session.output(0)) == address(session.output(digits.outputs[0].name))
        assert not view.flags.writeable
        with pytest.raises(BufferError):
            session.run([rows])
        with pytest.raises(BufferError):
            session.close()
        part = view[1:]
        del view
        with pytest.raises(BufferError):
            session.run([rows])
        del part
        session.run([rows])


def test_a_view_keeps_its_session(digits, rows):
    session = digits.session()
    (view,) = session.run([rows], copy=False)
    expected = view.copy()
    del session
    gc.collect()
    np.random.default_rng(2).random(1 << 20)
    assert np.array_equal(view, expected)


def test_an_output_given_by_the_caller_stays_until_the_next_run(digits, rows):
    with digits.session() as session:
        expected = session.run([rows], [np.empty((3, 10), np.float32)])[0].copy()
        gc.collect()
        assert np.array_equal(session.output(0).copy(), expected)


def test_dlpack(digits, rows):
    class Exporter:
        """An array of another library."""

        def __dlpack__(self, **options):
            return rows.__dlpack__(**options)

        def __dlpack_device__(self):
            return rows.__dlpack_device__()

    assert address(_arrays.as_array(Exporter(), "float32")) == address(rows)
    (got,) = digits.run([Exporter()])
    assert np.array_equal(got, digits.run([rows])[0])
    assert np.array_equal(np.from_dlpack(got), got)


@pytest.mark.parametrize(
    "change",
    [
        lambda a: np.asfortranarray(a),
        lambda a: np.concatenate([a, a], 3)[:, :, :, ::2][:, :, :, ::-1][:, :, :, ::-1],
        lambda a: a[::-1][::-1],
        lambda a: a.astype(">f4"),
        lambda a: np.frombuffer(b"x" + a.tobytes(), np.float32, offset=1).reshape(a.shape),
    ],
    ids=["columns first", "every second", "turned twice", "big endian", "misaligned"],
)
def test_any_strides(digits, rows, change):
    changed = change(rows)
    assert np.array_equal(digits.run([changed])[0], digits.run([np.array(changed, np.float32)])[0])


GROWS = """{
(%c) = "pd_op.data" () {dtype:float32,name:"cache",place:Place(undefined:0),shape:[1,-1,4]} : () -> tensor<1x-1x4xf32>
(%r) = "pd_op.data" () {dtype:float32,name:"row",place:Place(undefined:0),shape:[1,1,4]} : () -> tensor<1x1x4xf32>
(%l) = "builtin.combine" (%c, %r) {} : (tensor<1x-1x4xf32>, tensor<1x1x4xf32>) -> vec[tensor<1x-1x4xf32>,tensor<1x1x4xf32>]
(%a) = "pd_op.full" () {dtype:int32,place:Place(cpu),shape:[1],value:1} : () -> tensor<1xi32>
(%o) = "pd_op.concat" (%l, %a) {} : (vec[tensor<1x-1x4xf32>,tensor<1x1x4xf32>], tensor<1xi32>) -> tensor<1x-1x4xf32>
(%f) = "pd_op.fetch" (%o) {col:0,name:"all"} : (tensor<1x-1x4xf32>) -> tensor<1x-1x4xf32>
}"""


def test_an_aliased_cache_grows_where_it_lies(tmp_path):
    (tmp_path / "grows.pir").write_text(GROWS)
    session = libpir.Session(libpir.Model.load(tmp_path / "grows.pir"))
    session.alias("all", "cache", most=8)
    rows = np.arange(20, dtype=np.float32).reshape(5, 1, 1, 4)
    session.run({"cache": np.zeros((1, 0, 4), np.float32), "row": rows[0]})
    for row in rows[1:]:
        (found,) = session.run({"row": row})
    np.testing.assert_array_equal(found, rows.reshape(1, 5, 4))
    with pytest.raises(libpir.InvalidError, match="aliased already"):
        session.alias("all", "cache")
    session.alias("all", None)
    with pytest.raises(ValueError, match="has 2 inputs"):
        session.run({"row": row})


def test_a_read_only_array_is_not_written_in_place(tmp_path):
    (tmp_path / "grows.pir").write_text(GROWS)
    session = libpir.Session(libpir.Model.load(tmp_path / "grows.pir"))
    session.alias("all", "cache")
    cache = np.zeros((1, 1, 4), np.float32)
    cache.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        session.run({"cache": cache, "row": np.zeros((1, 1, 4), np.float32)})


def test_no_arrays_at_all(digits):
    nested = np.zeros((1, 1, 8, 8)).tolist()
    assert np.array_equal(digits.run([nested])[0], digits.run([np.zeros((1, 1, 8, 8), np.float32)])[0])
    assert digits.run([np.zeros((0, 1, 8, 8), np.float32)])[0].shape == (0, 10)


@pytest.mark.parametrize(
    "out",
    [np.empty((3, 9), np.float32), np.empty((3, 10)), np.empty((10, 3), np.float32).T, [0.0]],
    ids=["shape", "element type", "strides", "no array"],
)
def test_bad_output(digits, rows, out):
    with digits.session() as session:
        with pytest.raises(ValueError):
            session.run([rows], [out])
        assert session.run([rows])[0].shape == (3, 10)
