#!/usr/bin/env python3
"""Asynchronous copies on the stand-ins: a kernel runs as it is, and without one of its waits or barriers, which must show.

  copies.py BUILD

The stage is test/codegen/cuda/copies.loops, through the code generator. Ends with what is wrong.
"""
import array
import ctypes
import pathlib
import subprocess
import sys

STAGE = pathlib.Path(__file__).resolve().parents[1] / "codegen/cuda/copies.loops"
THREADS, READ = 64, 448
NOT_AWAITED, MISALIGNED, LOST = 999, 716, 719
# What is taken out of the text, and what else is there: the error of the launch, or None for wrong numbers.
DAMAGES = [
    ("pir_wait<1>();", "", None),
    ("pir_wait<0>();", "", NOT_AWAITED),
    ("pir_commit();", "", None),
    ("pir_commit();\n      pir_wait<1>();", "pir_wait<1>();", NOT_AWAITED),
    ("__syncthreads();", "", None),
    ("__syncthreads();", "if (thread) __syncthreads();", LOST),
    ("pir_wait<1>();", "pir_wait<2>();", None),
    ("pir_copy<16>(&s2[", "pir_copy<16>(&s2[1 + ", MISALIGNED),
]


class StandIns:
    def __init__(self, build):
        self.driver = ctypes.CDLL(build / "cuda/libcuda.so.1")
        self.compiler = ctypes.CDLL(build / "cuda/libnvrtc.so.13")
        self.stream = ctypes.c_void_p()
        self.driver.cuInit(0)
        self.driver.cuStreamCreate(ctypes.byref(self.stream), 0)

    def load(self, text):
        program, size, module, function = ctypes.c_void_p(), ctypes.c_size_t(), ctypes.c_void_p(), ctypes.c_void_p()
        self.compiler.nvrtcCreateProgram(ctypes.byref(program), text.encode(), None, 0, None, None)
        if self.compiler.nvrtcCompileProgram(program, 0, None):
            raise RuntimeError("the stage is not compiled")
        self.compiler.nvrtcGetCUBINSize(program, ctypes.byref(size))
        image = ctypes.create_string_buffer(size.value)
        self.compiler.nvrtcGetCUBIN(program, image)
        self.compiler.nvrtcDestroyProgram(ctypes.byref(program))
        self.driver.cuModuleLoadData(ctypes.byref(module), image)
        self.driver.cuModuleGetFunction(ctypes.byref(function), module, b"g0")
        return function

    def memory(self, numbers):
        at = ctypes.c_uint64()
        data = array.array("f", numbers)
        self.driver.cuMemAlloc_v2(ctypes.byref(at), ctypes.c_size_t(4 * len(data)))
        self.driver.cuMemcpyHtoDAsync_v2(at, ctypes.c_void_p(data.buffer_info()[0]), ctypes.c_size_t(4 * len(data)), self.stream)
        return at

    def run(self, text, numbers):
        """Returns the error of the launch, and the results."""
        function, read, written = self.load(text), self.memory(numbers), self.memory([0] * THREADS)
        given = (read, written, ctypes.c_int64(1))
        arguments = (ctypes.c_void_p * 3)(*map(ctypes.addressof, given))
        error = self.driver.cuLaunchKernel(function, 1, 1, 1, THREADS, 1, 1, 0, self.stream, arguments, None)
        out = array.array("f", [0] * THREADS)
        self.driver.cuMemcpyDtoHAsync_v2(ctypes.c_void_p(out.buffer_info()[0]), written, ctypes.c_size_t(4 * THREADS), self.stream)
        for at in (read, written):
            self.driver.cuMemFree_v2(at)
        return error, list(out)


def expected(x):
    return [(x[4 * (63 - t)] if 63 - t < 48 else 0) + x[383 - t] + x[384 + 63 - t] for t in range(THREADS)]


def check(build):
    """Returns what is wrong, or ""."""
    made = subprocess.run([build / "bin/pir-opt", "--emit=cuda", "--target=sm_80", STAGE], capture_output=True, text=True)
    if made.returncode:
        return made.stderr.strip()
    numbers, devices = [float(i * i % 97) for i in range(READ)], StandIns(build)
    error, out = devices.run(made.stdout, numbers)
    if error or out != expected(numbers):
        return f"error {error}, {out}"
    body = made.stdout.rindex("__global__")
    for old, new, wanted in DAMAGES:
        text = made.stdout[:body] + made.stdout[body:].replace(old, new, 1)
        error, out = devices.run(text, numbers)
        if error != (wanted or 0) or (not wanted and out == expected(numbers)):
            return f"'{old}' as '{new}': error {error} instead of {wanted}, and {'right' if out == expected(numbers) else 'wrong'} numbers"
    return ""


if __name__ == "__main__":
    wrong = check(pathlib.Path(sys.argv[1]).resolve())
    sys.exit(f"copies: {wrong}" if wrong else 0)
