"""Arrays of .npy files as lists of numbers: of the recordings, without numpy."""
import math
import re
import struct

CODES = {"bool": ("|b1", "?", "b"), "int8": ("|i1", "b", "i8"), "uint8": ("|u1", "B", "u8"), "int16": ("<i2", "h", "i16"),
         "int32": ("<i4", "i", "i32"), "int64": ("<i8", "q", "i64"), "float16": ("<f2", "e", "f16"),
         "bfloat16": ("<u2", "H", "bf16"), "float32": ("<f4", "f", "f32"), "float64": ("<f8", "d", "f64"),
         "complex64": ("<c8", "f", "c64"), "complex128": ("<c16", "d", "c128")}
BITS = {"int8": 8, "uint8": 8, "int16": 16, "int32": 32, "int64": 64}


def as_element(v, dtype):
    if dtype.startswith("complex"):
        return complex(v)
    v = v.real if isinstance(v, complex) else v
    if dtype == "bool":
        return bool(v)
    if dtype in BITS:
        v = 0 if v != v else max(min(int(v) if isinstance(v, int) or abs(v) < 1e18 else 0, (1 << 63) - 1), -1 << 63)
        bits, signed = BITS[dtype], dtype != "uint8"
        v &= (1 << bits) - 1
        return v - (1 << bits) if signed and v >> (bits - 1) else v
    if dtype == "bfloat16":
        return struct.unpack("<I", struct.pack("<f", bounded(v, 3e38)))[0] >> 16
    return bounded(v, {"float16": 65504.0, "float32": 3.4028234663852886e38}.get(dtype, math.inf))


def bounded(v, limit):
    v = float(v)
    return v if v != v or abs(v) <= limit or math.isinf(v) else math.copysign(limit, v)


def write_npy(dtype, shape, values):
    """The bytes of a file; bfloat16 as its bits."""
    descr, code, _ = CODES[dtype]
    values = [as_element(v, dtype) for v in values]
    if dtype.startswith("complex"):
        values = [part for v in values for part in (v.real, v.imag)]
    header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': ({''.join(f'{d}, ' for d in shape)}), }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + struct.pack(f"<{len(values)}{code}", *values)


def read_npy(data, bf16):
    """(element type, extents, values)"""
    size = struct.unpack_from("<H", data, 8)[0]
    header = data[10:10 + size].decode()
    descr = re.search(r"'descr': '([^']+)'", header)[1]
    shape = [int(v) for v in re.findall(r"\d+", re.search(r"'shape': \(([^)]*)\)", header)[1])]
    dtype = "bfloat16" if bf16 else next(d for d, c in CODES.items() if c[0] == descr)
    parts = 2 if dtype.startswith("complex") else 1
    code = CODES[dtype][1]
    values = list(struct.unpack_from(f"<{math.prod(shape) * parts}{code}", data, 10 + size))
    if parts == 2:
        values = [complex(a, b) for a, b in zip(values[::2], values[1::2])]
    if bf16:
        values = [struct.unpack("<f", struct.pack("<I", v << 16))[0] for v in values]
    return dtype, shape, values
