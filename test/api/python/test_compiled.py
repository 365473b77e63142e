"""Compiled models: made, opened, and with their weights in a file of their own."""
import numpy as np
import pytest

import libpir
from conftest import SHIPPED


@pytest.fixture(scope="module")
def program():
    return libpir.Program.load(SHIPPED / "model.json")


@pytest.fixture(scope="module")
def image():
    return (np.arange(128, dtype=np.float32) % 17 / 16).reshape(2, 1, 8, 8)


@pytest.fixture(scope="module")
def scores(digits, image):
    return digits.run([image])[0]


def put(path, data):
    path.write_bytes(data)
    path.chmod(0o600)
    return path


def test_a_model_in_one_file(tmp_path, program, image, scores):
    data = libpir.Model.compile(program)
    path = put(tmp_path / "model.pirm", data)
    for model in (libpir.Model.open(path), libpir.Model.open_bytes(data)):
        np.testing.assert_array_equal(model.run([image])[0], scores)
        assert model.stats["kernels_compiled"] == 0 and model.stats["code_bytes"] > 0
    path.chmod(0o622)
    with pytest.raises(libpir.InvalidError, match="others may write it"):
        libpir.Model.open(path)
    assert libpir.Model.open(path, any_owner=True).inputs[0].name == "image"
    with pytest.raises(libpir.UnavailableError, match="no code for z80"):
        libpir.Model.open_bytes(data, target="z80")
    with pytest.raises(libpir.InvalidError, match="damaged"):
        libpir.Model.open_bytes(data[: len(data) // 2] + b"?" + data[len(data) // 2 + 1 :])
    with pytest.raises(libpir.UnsupportedError, match='"z80"'):
        libpir.Model.compile(program, targets=["x86-64", "z80"])


def test_weights_in_a_file_of_their_own(tmp_path, program, image, scores):
    data, weights = libpir.Model.compile_apart(program, "digits.weights")
    assert len(data) + len(weights) > len(weights) > 14 * 4
    path, beside = put(tmp_path / "model.pirm", data), put(tmp_path / "digits.weights", weights)
    np.testing.assert_array_equal(libpir.Model.open(path).run([image])[0], scores)
    moved = beside.rename(tmp_path / "other")
    with pytest.raises(libpir.NotFoundError, match="digits.weights"):
        libpir.Model.open(path)
    for model in (libpir.Model.open(path, weights=moved), libpir.Model.open_bytes(data, weights=moved)):
        np.testing.assert_array_equal(model.run([image])[0], scores)
    with pytest.raises(libpir.NotFoundError):
        libpir.Model.open_bytes(data)
    with pytest.raises(libpir.InvalidError):
        libpir.Model.open(path, weights=put(tmp_path / "wrong", weights[:-4096] + bytes(4096)))


def test_weights_of_a_compiled_model_are_replaced(program, image, scores):
    data = libpir.Model.compile(program, options=libpir.Options(replaceable=True))
    model = libpir.Model.open_bytes(data)
    last = {p.name: np.zeros(p.shape, p.dtype) for p in model.weights if p.shape in [(80, 10), (10,)]}
    np.testing.assert_allclose(model.replace_weights(last).run([image])[0], np.full((2, 10), 0.1), rtol=1e-6)
    np.testing.assert_allclose(model.run([image])[0], scores, rtol=1e-5)


def test_failures_carry_diagnostics():
    text = (SHIPPED / "model.json").read_text().replace('"1.softmax"', '"1.svd"')
    with pytest.raises(libpir.Error):
        libpir.Model.compile(libpir.Program.parse(text))
