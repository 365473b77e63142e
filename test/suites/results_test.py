#!/usr/bin/env python3
"""Keys of processors, and that results of one never take the place of another's.

  results_test.py BENCH FOLDER
"""
import os
import subprocess
import sys

sys.path.insert(0, sys.argv[1])
import processor  # noqa: E402
import results  # noqa: E402


def x86(vendor, family, model, stepping, brand, flags):
    return processor.Processor(f"vendor_id\t: {vendor}\ncpu family\t: {family}\nmodel\t\t: {model}\nmodel name\t: {brand}\n"
                               f"stepping\t: {stepping}\nflags\t\t: fpu sse2 {flags}\n")


ALL = "avx2 avx512f avx512_vnni avx512_bf16"
KEYS = {
    "intel-xeon-emeraldrapids-noamx": x86("GenuineIntel", 6, 207, 2, "Intel(R) Xeon(R) Processor", ALL),
    "intel-xeon-emeraldrapids": x86("GenuineIntel", 6, 207, 2, "Intel(R) Xeon(R) Processor", ALL + " amx_tile"),
    "intel-xeon-platinum-8480c-sapphirerapids": x86("GenuineIntel", 6, 143, 8, "Intel(R) Xeon(R) Platinum 8480C", ALL + " amx_tile"),
    "intel-xeon-platinum-8259cl-cascadelake": x86("GenuineIntel", 6, 85, 7, "Intel(R) Xeon(R) Platinum 8259CL CPU @ 2.50GHz", ALL),
    "intel-xeon-skylake-noavx512": x86("GenuineIntel", 6, 85, 4, "Intel(R) Xeon(R) CPU @ 2.00GHz", "avx2"),
    "amd-epyc-zen4": x86("AuthenticAMD", 25, 17, 1, "AMD EPYC", ALL),
    "amd-epyc-9r14-zen4": x86("AuthenticAMD", 25, 17, 1, "AMD EPYC 9R14 96-Core Processor", ALL),
    "amd-ryzen-7-5800x-zen3": x86("AuthenticAMD", 25, 33, 0, "AMD Ryzen 7 5800X 8-Core Processor", "avx2"),
    "intel-new-one-family19-model1-stepping3-avx2-avx512": x86("GenuineIntel", 19, 1, 3, "Intel(R) New One", ALL),
    "neoverse-v1": processor.Processor("processor\t: 0\nFeatures\t: fp asimd sve\nCPU implementer\t: 0x41\nCPU part\t: 0xd40\n"),
    "implementer0x61-part0x23-sve": processor.Processor("Features\t: fp asimd sve\nCPU implementer\t: 0x61\nCPU part\t: 0x23\n"),
    "nvidia-h100-80gb-hbm3": processor.Device("NVIDIA H100 80GB HBM3"),
}


def expect(found, wanted):
    if found != wanted:
        sys.exit(f"{found!r} is not {wanted!r}")


def page(folder, key):
    with open(f"{folder}/results/{key}.md") as f:
        return f.read()


def check_options():
    """An option is no name of a file to write."""
    folder = sys.argv[2] + "/options"
    os.mkdir(folder)
    for options in (["--help"], ["-h", "latency", "times", "true"], ["RESULTS.md", "--latency", "times", "true"]):
        run = subprocess.run([sys.executable, os.path.abspath(sys.argv[1]) + "/results.py", *options], cwd=folder, stderr=subprocess.PIPE, text=True)
        expect((run.returncode, "results.py INDEX SECTION" in run.stderr, os.listdir(folder)), (2, True, []))


def main():
    check_options()
    folder, machines = sys.argv[2] + "/machines", list(KEYS.items())
    os.mkdir(folder)
    for key, machine in machines:
        expect(machine.key(), key)
        results.write(folder + "/RESULTS.md", "latency", "times", f"first of {key}\ngeometric mean over 3: {len(key)}", machine)
        results.write(folder + "/RESULTS.md", "ops", "times of ops", f"ops of {key}", machine)
    expect(sorted(os.listdir(folder + "/results")), sorted(key + ".md" for key in KEYS))
    before = {key: page(folder, key) for key in KEYS}
    for key, machine in machines:
        results.write(folder + "/RESULTS.md", "latency", "times", f"second of {key}", machine)
        for other in KEYS:
            if other != key:
                expect(page(folder, other), before[other])
        old, new = dict(results.sections_of(before[key])), dict(results.sections_of(page(folder, key)))
        expect(list(new), ["latency", "ops"])
        expect(new["ops"], old["ops"])
        expect("second of" in new["latency"] and "first of" not in new["latency"], True)
        before[key] = page(folder, key)
    with open(folder + "/RESULTS.md") as f:
        rows = [line for line in f if line.startswith("| [")]
    expect(len(rows), 2 * len(KEYS))
    expect(any("over 3" in row for row in rows), False)


main()
