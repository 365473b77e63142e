#!/usr/bin/env python3
"""Names the processor that a measurement ran on, from /proc/cpuinfo.

  processor.py [CPUINFO]      prints its key (a file name that tells processors apart) and its description

A key is the vendor, the brand, the microarchitecture, and what this machine lacks of it: a virtual machine can hide AMX or AVX-512, and is
then another processor for a benchmark. One that the tables below do not know is named by its numbers and by the vectors that it has.
"""
import os
import platform
import re
import sys

# Family, first and last model, least stepping; name, and what each of them has. The first row that fits counts.
AVX512, AMX = ("avx512f",), ("avx512f", "amx_tile")
INTEL = ((6, 63, 63, 0, "haswell", ()), (6, 79, 79, 0, "broadwell", ()), (6, 86, 86, 0, "broadwell", ()),
         (6, 85, 85, 10, "cooperlake", AVX512), (6, 85, 85, 5, "cascadelake", AVX512), (6, 85, 85, 0, "skylake", AVX512),
         (6, 106, 106, 0, "icelake", AVX512), (6, 108, 108, 0, "icelake", AVX512), (6, 143, 143, 0, "sapphirerapids", AMX),
         (6, 173, 174, 0, "graniterapids", AMX), (6, 207, 207, 0, "emeraldrapids", AMX))
AMD = ((23, 0, 47, 0, "zen", ()), (23, 48, 255, 0, "zen2", ()), (25, 0, 15, 0, "zen3", ()), (25, 32, 95, 0, "zen3", ()),
       (25, 16, 31, 0, "zen4", AVX512), (25, 96, 127, 0, "zen4", AVX512), (25, 160, 175, 0, "zen4", AVX512), (26, 0, 127, 0, "zen5", AVX512))
VENDORS = {"GenuineIntel": ("intel", INTEL), "AuthenticAMD": ("amd", AMD)}
ARM = {("0x41", "0xd0c"): "neoverse-n1", ("0x41", "0xd40"): "neoverse-v1", ("0x41", "0xd49"): "neoverse-n2", ("0x41", "0xd4f"): "neoverse-v2"}
SHORT = {"avx2": "avx2", "avx512f": "avx512", "amx_tile": "amx", "sve": "sve"}
VECTORS = ("avx2", "avx512f", "avx512_vnni", "avx512_bf16", "amx_tile", "asimd", "sve", "sve2")


class Processor:
    def __init__(self, cpuinfo):
        def field(name):
            found = re.search(rf"^{name}\s*: *(.*)", cpuinfo, re.M)
            return found[1].strip() if found else ""

        def number(name):
            return int(field(name) or 0)
        self.vendor, self.brand = field("vendor_id"), field("model name")
        self.family, self.model, self.stepping = number("cpu family"), number("model"), number("stepping")
        self.arm = field("CPU implementer"), field("CPU part")
        self.flags = set((field("flags") or field("Features")).split())

    def microarchitecture(self):
        """Its name and what belongs to it; None for one that is not known."""
        for family, first, last, stepping, name, has in VENDORS.get(self.vendor, ("", ()))[1]:
            if self.family == family and first <= self.model <= last and self.stepping >= stepping:
                return name, has
        return (ARM[self.arm], ()) if self.arm in ARM else None

    def brand_words(self):
        """What the brand adds to the vendor: `epyc-9r14`, `xeon`; not what each of them says, nor clocks and counts of cores."""
        text = re.sub(r"\((R|TM)\)|@.*|\d+-Core|\b(Intel|AMD|CPU|Processor|with .*)\b", " ", self.brand)
        return re.findall(r"[a-z0-9]+", text.lower())

    def key(self):
        known = self.microarchitecture()
        words = [VENDORS[self.vendor][0]] if self.vendor in VENDORS else re.findall(r"[a-z0-9]+", self.vendor.lower())
        words += self.brand_words()
        if known:
            words += [known[0]] + ["no" + SHORT[flag] for flag in known[1] if flag not in self.flags]
        elif self.arm[0]:
            words += ["implementer" + self.arm[0], "part" + self.arm[1]]
        else:
            words += [f"family{self.family}", f"model{self.model}", f"stepping{self.stepping}"]
        if not known:
            words += [short for flag, short in SHORT.items() if flag in self.flags]
        return "-".join(dict.fromkeys(words))

    def describe(self):
        known = self.microarchitecture()
        name = ", ".join([self.brand or platform.machine()] + ([known[0]] if known else []))
        numbers = f"implementer {self.arm[0]} part {self.arm[1]}" if self.arm[0] else \
            f"family {self.family} model {self.model} stepping {self.stepping}"
        return f"{name}, {numbers} ({', '.join(f for f in VECTORS if f in self.flags) or 'no vectors wider than 128 bits'})"


class Device:
    """An accelerator, by the name that its driver gives it."""
    def __init__(self, name):
        self.name = name

    def key(self):
        return "-".join(re.findall(r"[a-z0-9]+", self.name.lower()))

    def describe(self):
        return self.name


def here():
    with open("/proc/cpuinfo") as f:
        return Processor(f.read())


def count():
    return len(os.sched_getaffinity(0))


if __name__ == "__main__":
    if len(sys.argv) > 1:
        with open(sys.argv[1]) as f:
            one = Processor(f.read())
    else:
        one = here()
    print(one.key(), one.describe(), sep="\n")
