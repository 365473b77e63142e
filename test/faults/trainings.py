#!/usr/bin/env python3
"""Kills a training at random moments, and resumes it, until it ends: the same bits as of one that was left alone.

  trainings.py [--kills N] [--seed N] BUILD

The checkpoint holds parameters, the optimizer's variables, losses, and the places in the data and in the stream of random numbers;
the net has a dropout. Each process is killed after a random part of the time that the whole training takes, by SIGKILL, and the next
one goes on. Ends with `N passed, N failed, N skipped`: the kills.
"""
import argparse
import pathlib
import random
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parents[1] / "tools/pir-run/inputs"


def command(build, folder, save, *more):
    return [build / "bin/pir-run", HERE / "fit_net.pir", f"--fit={folder}/data", f"--init={folder}/init", "--optimizer=adam,clip-norm=2",
            "--decay=cosine,rate=0.05,steps=150,warmup=10", "--batch=5", "--epochs=30", "--shuffle=3", f"--save={folder / save}",
            "--save-every=1", *more]


def run_until_killed(words, seconds):
    """Whether the process was killed before its end."""
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    try:
        text = process.communicate(timeout=seconds)[1]
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        return True
    if process.returncode:
        sys.exit(f"FAIL exit status {process.returncode}: {text.decode()}")
    return False


def train_with_kills(build, folder, seconds, chance, most):
    """Trains once, with at most `most` kills; returns their number."""
    kills = 0
    while kills < most and run_until_killed(command(build, folder, "killed", "--resume"), chance.random() * seconds):
        kills += 1
    run_until_killed(command(build, folder, "killed", "--resume"), None)
    return kills


def check(folder):
    names = sorted(p.name for p in (folder / "alone").iterdir())
    left = sorted(p.name for p in (folder / "killed").iterdir())
    faults = [f"the folders have other files: {names}, {left}"] if names != left else []
    return faults + [f"{n} differs" for n in names if (folder / "alone" / n).read_bytes() != (folder / "killed" / n).read_bytes()]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("build", type=pathlib.Path)
    args = parser.parse_args()
    chance, kills, faults = random.Random(args.seed), 0, []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        subprocess.run([sys.executable, HERE / "fit_samples.py", folder], check=True)
        begin = time.monotonic()
        subprocess.run(command(args.build, folder, "alone"), check=True, stdout=subprocess.DEVNULL)
        seconds = time.monotonic() - begin
        for _ in range(10 * args.kills):
            if kills >= args.kills or faults:
                break
            for path in (folder / "killed").glob("*"):
                path.unlink()
            kills += train_with_kills(args.build, folder, seconds, chance, args.kills - kills)
            faults = check(folder)
    for fault in faults:
        print(f"FAIL training, seed {args.seed}: {fault}")
    print(f"{kills if not faults else 0} passed, {len(faults) + (kills < args.kills and not faults)} failed, 0 skipped")
    return bool(faults) or kills < args.kills


if __name__ == "__main__":
    sys.exit(main())
