"""Ranks of a distributed program as threads, and as processes whose tensors NCCL moves."""
import os
import pathlib
import shutil
import subprocess
import sys
import threading

import numpy as np
import pytest

import libpir

SUM = """{
(%x) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2],stop_gradient:[true]} : () -> tensor<2xf32>
(%y) = "pd_op.all_reduce" (%x) {reduce_type:0,ring_id:7,stop_gradient:[true]} : (tensor<2xf32>) -> tensor<2xf32>
() = "builtin.shadow_output" (%y) {output_name:"y"} : (tensor<2xf32>) ->
}"""


def on_ranks(count, text="", fails=()):
    """What each rank's run gives: an array, or the error. Ranks of `fails` leave instead."""
    model, given = libpir.Model.create(libpir.Program.parse(SUM)), [None] * count

    def run(rings):
        try:
            if text:
                rings.read(text)
            if rings.rank not in fails:
                given[rings.rank] = libpir.Session(model, rings=rings).run([np.full(2, rings.rank, "float32")])[0]
        except libpir.Error as error:
            given[rings.rank] = error
        finally:
            rings.close()

    threads = [threading.Thread(target=run, args=[rings]) for rings in libpir.Rings.threads(count, max_seconds=20)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    return given


def test_all_ranks():
    assert [list(y) for y in on_ranks(3)] == [[3, 3]] * 3


def test_parts():
    assert [list(y) for y in on_ranks(3, "[ring_id -> ranks]\n7,0,2\n7,1\n")] == [[2, 2], [1, 1], [2, 2]]


def test_failures():
    left = on_ranks(3, fails=[1])
    assert isinstance(left[0], libpir.FileError) and "ring 7: rank 1 has ended" in str(left[0]) and left[1] is None
    outside = on_ranks(2, "[ring_id -> ranks]\n6,0,1\n")
    assert all("there is no such ring" in str(error) for error in outside)
    bad = on_ranks(2, "[ring_id -> ranks]\n6,0,5\n")
    assert all(isinstance(error, libpir.InvalidError) and "line 2: there is no such rank" in str(error) for error in bad)


def test_arguments():
    with pytest.raises(ValueError):
        libpir.Rings.threads(0)
    with pytest.raises(libpir.UnavailableError, match="libpir_mpi_othermpi"):
        libpir.Rings.mpi("othermpi")
    with pytest.raises(TypeError):  # before the processes are connected, which others would wait for
        libpir.Rings.mpi("othermpi", nccl_device="first")
    rings = libpir.Rings.threads(1)[0]
    rings.close()
    with pytest.raises(ValueError):
        rings.read("")


RANK = """
import os, sys, numpy, libpir
number = int(os.environ["OMPI_COMM_WORLD_LOCAL_RANK"])
rings = libpir.Rings.mpi("openmpi", max_seconds=20, nccl_device=number)
model = libpir.Model.create(libpir.Program.parse(sys.argv[1]))
print(libpir.Session(model, rings=rings).run([numpy.full(2, number + 1, "float32")])[0].tolist())
rings.close()
"""


def over_nccl(devices):
    build, launcher = pathlib.Path(os.environ["BUILD"]), shutil.which("mpirun.openmpi")
    if not launcher or not (build / "lib/libpir_mpi_openmpi.so").exists():
        pytest.skip("Open MPI is not installed (mk/setup.sh mpi)")
    settings = dict(os.environ, LD_LIBRARY_PATH=str(build / "cuda"), PIR_SHIM_DEVICES=str(devices), OMPI_ALLOW_RUN_AS_ROOT="1",
                    OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    command = [launcher, "--oversubscribe", "-n", "2", sys.executable, "-c", RANK, SUM]
    return subprocess.run(command, env=settings, capture_output=True, text=True, timeout=100)


def test_nccl():
    done = over_nccl(2)
    assert done.stdout.count("[3.0, 3.0]") == 2, done.stderr
    refused = over_nccl(1)
    assert refused.returncode and "UnavailableError: rank 1: CUDA device: opening the device failed" in refused.stderr
