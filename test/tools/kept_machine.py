"""Files of measured figures in a cache folder: kept, damaged, of another version, where none can be written.
  kept_machine.py PIR_RUN FOLDER MODEL
"""
import glob
import json
import os
import subprocess
import sys

tool, folder, model = sys.argv[1:]


def run(*arguments):
    return subprocess.run([tool, *arguments], capture_output=True, text=True)


def machine(*arguments):
    """Output of --machine --json, which refuses on a machine whose processors others have all the time."""
    for _ in range(10):
        done = run("--machine", "--json", *arguments)
        if done.returncode == 0:
            return json.loads(done.stdout), done.stderr
    sys.exit(f"--machine: {done.stderr}")


def expect(good, what):
    if not good:
        sys.exit(what)


def run_model(*arguments):
    """Runs the model; returns its notes."""
    done = run(model, "--input=2x1x8x8xf32", *arguments)
    expect(done.returncode == 0, f"{arguments}: {done.stderr}")
    return done.stderr


# kept, and used
first, notes = machine(f"--cache={folder}")
[path] = glob.glob(folder + "/*.machine")
expect(first["from"] == "measured" and not notes, f"first: {notes}")
expect(os.stat(path).st_mode & 0o777 == 0o600, "others may read the figures")
second, notes = machine(f"--cache={folder}")
expect(second["from"] == "kept" and not notes, f"second: {notes}")
expect({**first, "from": ""} == {**second, "from": ""}, "the figures of a file are other ones")
expect(first["figures"]["clock"]["unit"] == "GHz" and first["figures"]["clock"]["value"] > 0.1, "no clock")
expect(first["costs"]["core.products"]["source"] == "measured", "the number of units is not measured")
text = open(path).read()
expect(text.split("\n")[1] == first["machine"], text)
expect(not run_model(f"--cache={folder}") and open(path).read() == text, "a run measures again")

# damaged, and of another version
for old, new, words in [("GHz", "GHZ", "is damaged"), ("version 1", "version 0", "is of another version")]:
    open(path, "w").write(text.replace(old, new, 1))
    notes = run_model(f"--cache={folder}")
    expect(f"{os.path.basename(path)} in the cache {words}; it is measured anew" in notes, f"{words}: {notes}")

# not to be measured
table = os.path.join(folder, "table")
expect(not run_model(f"--cache={table}", "--machine=table"), "notes about a table")
expect(not glob.glob(table + "/*.machine"), "--machine=table measures")
expect(not run_model() and run("--machine=table", "--json").returncode == 0, "a run without a cache")

# where nothing can be kept
full = os.path.join(folder, "full")
os.makedirs(os.path.join(full, os.path.basename(path), "in the way"), 0o700)
os.chmod(full, 0o700)
notes = run_model(f"--cache={full}")
expect("; costs are those of the library's table" in notes or "was not measured" in notes, f"full: {notes}")
measured, notes = machine(f"--cache={full}")
expect(measured["from"] == "measured" and "cannot be written" in notes, f"asked: {notes}")
print("all as expected")
