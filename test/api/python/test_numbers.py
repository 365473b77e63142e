"""Recorded models give the numbers of the real Paddle, from their files and from their bytes."""
import pathlib
import struct

import numpy as np
import pytest

import libpir
from conftest import RECORDED


def cases():
    """The first case of every model."""
    folders = [f for f in sorted((RECORDED / "models").glob("*")) if (f / "model.json").exists() and (f / "case0").exists()]
    return [pytest.param(f, f / "case0", id=f.name) for f in folders]


def recorded(case):
    """Inputs by name, and outputs in order."""
    inputs = {f.stem[len("in_") :]: np.load(f) for f in case.glob("in_*.npy")}
    count = len(list(case.glob("out_[0-9]*.npy")))
    return inputs, [np.load(case / f"out_{i}.npy") for i in range(count)]


def names_in(ports, inputs):
    """The recording's inputs by the names of the ports: file names have no slashes."""
    by_file = {p.name.replace("/", "_"): p.name for p in ports}
    return {by_file[name]: value for name, value in inputs.items()}


def test_twenty_models_are_recorded():
    assert len(cases()) >= 20


def allowed(folder, want):
    if folder.name == "yolo_tiny":  # Corners of boxes are differences of large numbers.
        return {"rtol": 0, "atol": 1e-6 + 3e-5 * np.abs(want).max()}
    return {"rtol": 1e-4, "atol": 1e-5}


@pytest.mark.parametrize("folder, case", cases())
def test_numbers(cache, folder, case):
    inputs, expected = recorded(case)
    params = folder / "model.pdiparams"
    model = libpir.Model.load(folder / "model.json", params if params.exists() else None, libpir.Options(cache=cache))
    found = model.run(names_in(model.inputs, inputs))
    assert len(found) == len(expected)
    for got, want in zip(found, expected):
        assert got.shape == want.shape
        np.testing.assert_allclose(got.view(want.dtype), want, **allowed(folder, want))


def halved(params, weights):
    """The bytes of a combined parameter file with all float32 elements halved, and these arrays by name."""
    data, arrays, at = bytearray(params), {}, 0
    for port in weights:
        (description,) = struct.unpack_from("<i", data, at + 16)
        begin = at + 20 + description
        array = np.frombuffer(data, np.float32, int(np.prod(port.shape)), begin) / 2
        data[begin : begin + array.nbytes] = array.tobytes()
        arrays[port.name] = array.reshape(port.shape)
        at = begin + array.nbytes
    assert at == len(data)
    return bytes(data), arrays


@pytest.mark.parametrize("pipeline", ["kernels", "compile"])
@pytest.mark.parametrize("name", ["resnet_tiny", "bert_tiny", "mobilenet_v3_tiny"])
def test_other_weights_are_those_of_another_file(name, pipeline):
    folder = RECORDED / "models" / name
    program, params = (folder / "model.json").read_bytes(), (folder / "model.pdiparams").read_bytes()
    base = libpir.Model.load_bytes(program, params, libpir.Options(pipeline=pipeline, replaceable=True))
    data, arrays = halved(params, base.weights)
    expected = libpir.Model.load_bytes(program, data, libpir.Options(pipeline=pipeline))
    inputs, recorded_outputs = recorded(folder / "case0")
    inputs = names_in(base.inputs, inputs)
    for got, want in zip(base.replace_weights(arrays).run(inputs), expected.run(inputs)):
        np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-5)
    for got, want in zip(base.run(inputs), recorded_outputs):
        np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-5)


def test_bytes_are_files():
    folder = RECORDED / "models/lenet"
    inputs, expected = recorded(folder / "case0")
    model = libpir.Model.load_bytes((folder / "model.pdmodel").read_bytes(), (folder / "model.pdiparams").read_bytes())
    np.testing.assert_allclose(model.run(inputs)[0], expected[0], rtol=1e-4, atol=1e-5)


def test_dynamic_shapes_need_no_compilation(digits):
    with digits.session() as session:
        rows = np.random.default_rng(0).random((7, 1, 8, 8), np.float32)
        whole = session.run([rows])[0]
        for n in range(1, 8):
            np.testing.assert_allclose(session.run([rows[:n]])[0], whole[:n], rtol=1e-5, atol=1e-6)
        assert session.stats["recompiles"] == 0 and session.stats["plans"] >= 7


def test_ports(digits):
    (port,) = digits.inputs
    assert (port.name, port.dtype, port.shape) == ("image", "float32", (-1, 1, 8, 8))
    assert digits.outputs[0].shape == (-1, 10)
    assert digits.stats["instructions"] > 0


@pytest.mark.parametrize("flush", [False, True])
def test_subnormals(flush):
    """A product below 1.2e-38, times 1e38."""
    program = pathlib.Path(__file__).resolve().parents[2] / "runtime/numbers/subnormals.pir"
    session = libpir.Model.load(program).session(flush_subnormals=flush)
    product = session.run({"x": np.full(1000, 1e-30, np.float32)})[0]
    np.testing.assert_allclose(product, 0 if flush else 0.01, rtol=0.02)
