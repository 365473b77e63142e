"""Runs programs of schedule_pass and compares their learning rates with Paddle's: rates.py OUT [--wrong]

Each line of rates.tsv is one schedule. With --wrong the rates are moved by one step, and every schedule whose rate changes must differ.
"""
import pathlib
import subprocess
import sys

HERE, OUT = pathlib.Path(__file__).resolve().parent, pathlib.Path(sys.argv[1])
sys.path.insert(0, str(HERE.parents[2] / "recorded"))
import npy


def save(name, dtype, shape, values):
    (OUT / name).parent.mkdir(parents=True, exist_ok=True)
    (OUT / name).write_bytes(npy.write_npy(dtype, shape, values))


def agrees(options, rates, pipeline):
    program = OUT / "rate.pir"
    subprocess.run(["pir-opt", HERE / "rate.pir", f"--passes=schedule{{{options}}}", "-o", program], check=True)
    save("init/learning_rate_0_step.npy", "int64", [], [0])
    save("final/learning_rate_0_step.npy", "int64", [], [len(rates)])
    save("losses.npy", "float32", [len(rates)], rates)
    run = subprocess.run(["pir-run", program, f"--train={OUT}", f"--pipeline={pipeline}", "--atol=0", "--rtol=1.2e-7"],
                         capture_output=True, text=True)
    if run.returncode not in (0, 4):
        sys.exit(f"{options}: {run.stderr}")
    return run.returncode == 0


OUT.mkdir(parents=True, exist_ok=True)
wrong = "--wrong" in sys.argv
for line in (HERE / "rates.tsv").read_text().splitlines():
    options, numbers = line.split("\t")
    rates = [float(n) for n in numbers.split()]
    if wrong and len(set(rates)) == 1:
        continue
    for pipeline in ("kernels", "compile"):
        if agrees(options, rates[1:] + rates[:1] if wrong else rates, pipeline) == wrong:
            print(f"{options}: {pipeline}")
