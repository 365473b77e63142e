"""Ranks as processes of MPI: `mpi.py NAME BIN INPUTS` runs sums, rings, and ranks that fail, under that MPI's launcher. Prints `skipped: ..` where
the MPI, or its module, is absent; fails where a result is another one, or a run hangs."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

name, tools, inputs = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
os.environ.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMPI_MCA_mpi_yield_when_idle="1")
launcher = shutil.which(f"mpirun.{name}")
if not launcher or not (tools.parent / f"lib/libpir_mpi_{name}.so").exists():
    sys.exit(print(f"skipped: {name} is not installed (mk/setup.sh mpi)"))
needed = subprocess.run(["ldd", tools / "pir-run"], stdout=subprocess.PIPE).stdout
if b"libtsan" in needed:
    sys.exit(print(f"skipped: {name} is not built for the thread sanitizer"))
os.environ["ASAN_OPTIONS"] = "detect_leaks=0"  # MPI leaves memory behind


def launch(n, *command):
    crowd = ["--oversubscribe"] if name == "openmpi" else []
    run = subprocess.run([launcher, *crowd, "-n", str(n), *command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60)
    return run.returncode, run.stdout.decode(errors="replace")


def ranks(n, *options):
    return launch(n, tools / "pir-run", *options)


def expect(ran, code, text, times=1):
    assert (ran[0] == 0) == (code == 0) and ran[1].count(text) >= times, f"{ran[0]}, expected {text!r} {times} times:\n{ran[1]}"


with tempfile.TemporaryDirectory() as work:
    work = pathlib.Path(work)
    for i in range(2):
        shutil.copy(inputs / "sum.pir", work / f"{i}.pir")
    rings = work / "rings"
    expect(ranks(2, work / "%r.pir", "--input=x=2xf32=%r", "--print"), 0, "[1, 1]", 2)
    rings.write_text("[ring_id -> ranks]\n7,0,2\n7,1\n")
    sums = ranks(3, inputs / "sum.pir", "--input=x=2xf32=%r", "--print", f"--rings={rings}")
    expect(sums, 0, "[2, 2]", 2)
    expect(sums, 0, "[1, 1]", 1)
    # A rank without a model leaves, one calls something else, one has a ring less.
    expect(ranks(3, work / "%r.pir", "--input=x=2xf32=%r", "--comm-timeout=5"), 1, "ring 7: rank 2 has ended")
    shutil.copy(inputs / "broadcast.pir", work / "2.pir")
    expect(ranks(3, work / "%r.pir", "--input=x=2xf32=%r", "--comm-timeout=5"), 1, "ranks disagree")
    rings.write_text("[ring_id -> ranks]\n7,0,1\n")
    expect(ranks(3, inputs / "sum.pir", "--input=x=2xf32=%r", f"--rings={rings}", "--comm-timeout=5"), 1, "there is no such ring")
    # Tensors move by NCCL, of which a stand-in is built; its ring's name travels by MPI.
    nccl = ["env", f"LD_LIBRARY_PATH={tools.parent}/cuda", "PIR_SHIM_DEVICES=2", tools / "pir-run", "--comm=nccl"]
    expect(launch(2, *nccl, inputs / "sum.pir", "--input=x=2xf32=%r", "--print"), 0, "[1, 1]", 2)
    # Not the launcher's: a process of its own.
    expect(ranks(2, inputs / "sum.pir", "--input=x=2xf32=3", "--print", "--mpi=none"), 0, "[3, 3]", 2)
    if b"libasan" not in needed:  # which Python does not load
        others = [m for m in ("openmpi", "mpich") if m != name and (tools.parent / f"lib/libpir_mpi_{m}.so").exists()]
        rank = pathlib.Path(__file__).with_name("mpi_rank.py")
        expect(launch(2, sys.executable, rank, name, tools.parent / "lib/libpir.so", *others), 1, "left after a moment")
    print(f"{name}: all runs")
