"""Options of models that reach other code: log levels, libraries of passes, listeners of compiled code."""
import gc
import os
import pathlib
import subprocess

import numpy as np
import pytest

import libpir
from conftest import SHIPPED

ROOT = pathlib.Path(__file__).resolve().parents[3]
TANH = """{
(%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[3],stop_gradient:[true]} : () -> tensor<3xf32>
(%y) = "pd_op.tanh" (%x) {stop_gradient:[true]} : (tensor<3xf32>) -> tensor<3xf32>
() = "builtin.shadow_output" (%y) {output_name:"y"} : (tensor<3xf32>) ->
}"""


@pytest.mark.parametrize("level, severities", [(None, set()), ("errors", set()), ("remarks", {"remark"})])
def test_log_levels(level, severities):
    model = libpir.Model.load(SHIPPED / "model.json", options=libpir.Options(log_level=level))
    assert {d.severity for d in model.diagnostics} == severities
    assert all(d.message for d in model.diagnostics)


def test_an_unknown_log_level():
    with pytest.raises(ValueError, match="there are errors, warnings and remarks"):
        libpir.Model.load(SHIPPED / "model.json", options=libpir.Options(log_level="loud"))


def test_costs(tmp_path):
    table = libpir.Model.load(SHIPPED / "model.json").info["machine"]
    assert ", table, " in table
    of_folder = libpir.Model.load(SHIPPED / "model.json", options=libpir.Options(cache=tmp_path, machine="table"))
    assert of_folder.info["machine"] == table and not list(tmp_path.glob("*.machine"))
    with pytest.raises(libpir.InvalidError, match="known: table, measured"):
        libpir.Model.load(SHIPPED / "model.json", options=libpir.Options(machine="fast"))


@pytest.fixture(scope="module")
def passes(tmp_path_factory):
    """A library with one pass, `exchange`, which makes sigmoid of tanh."""
    out = tmp_path_factory.mktemp("passes") / "passes.so"
    folders = [ROOT / folder for folder in ("ir/abi", "ir/include", "dialects/include", "passes/include", "runtime/include")]
    headers = [f"-I{folder}" for folder in (*folders, pathlib.Path(os.environ["BUILD"]) / "gen/include")]
    source = ROOT / "examples/pass/passes.c"
    subprocess.run(["cc", "-std=c11", "-shared", "-fPIC", *headers, "-o", out, source], check=True)
    return out


def test_passes_of_a_library(tmp_path, passes):
    program = libpir.Program.parse(TANH)
    with pytest.raises(libpir.InvalidError, match="unknown pass 'exchange'"):
        program.run_passes("exchange")
    program.run_passes("exchange", libraries=[passes])
    assert "pd_op.sigmoid" in str(program) and "pd_op.tanh" not in str(program)

    (tmp_path / "model.pir").write_text(TANH)
    x = np.array([-1, 0, 1], np.float32)
    options = libpir.Options(pipeline="exchange,compile", passes=[passes])
    for model in (
        libpir.Model.load(tmp_path / "model.pir", options=options),
        libpir.Model.load_bytes(TANH.encode(), options=options),
    ):
        np.testing.assert_allclose(model.run([x])[0], 1 / (1 + np.exp(-x)), rtol=1e-6)
    with pytest.raises(libpir.InvalidError, match="is taken by another pass"):
        program.run_passes("exchange", libraries=[passes, passes])
    with pytest.raises(libpir.NotFoundError, match="none.so"):
        libpir.Model.load(tmp_path / "model.pir", options=libpir.Options(passes=[tmp_path / "none.so"]))


def opened(listener):
    data = libpir.Model.compile(libpir.Program.load(SHIPPED / "model.json"))
    return libpir.Model.open_bytes(data, code_listener=listener)


@pytest.mark.parametrize(
    "make", [lambda heard: libpir.Model.load(SHIPPED / "model.json", options=libpir.Options(code_listener=heard)), opened]
)
def test_a_listener_of_code(make):
    images, gone = [], []
    model = make(libpir.CodeListener(loaded=images.append, unloaded=gone.append))
    assert images and not gone
    for image in images:
        assert image.elf.startswith(b"\x7fELF") and image.symbols
        for symbol in image.symbols:
            assert symbol.name and image.address <= symbol.address < symbol.address + symbol.size <= image.address + image.size
    assert model.run([np.ones((1, 1, 8, 8), np.float32)])[0].shape == (1, 10)
    del model
    gc.collect()
    assert sorted(gone, key=lambda i: i.address) == sorted(images, key=lambda i: i.address)


def test_a_listener_that_hears_half():
    model = libpir.Model.load(SHIPPED / "model.json", options=libpir.Options(code_listener=libpir.CodeListener()))
    del model
    gc.collect()
