"""Memory of a rank's parameters: `memory.py FOLDER`. No rank has the whole of one in memory, also where zeros follow it."""
import pathlib
import struct
import subprocess
import sys

MB = 1 << 20
LEFT = 24 * MB  # for pages that the kernel reads ahead; half of the smallest difference to the whole


def varint(number):
    out = b""
    while number > 127:
        out += bytes([number & 127 | 128])
        number >>= 7
    return out + bytes([number])


def write(folder, rows, columns):
    """A file with holes: its pages count when they are read."""
    desc = b"\x08\x05" + b"".join(b"\x10" + varint(d) for d in (rows, columns))
    with open(folder / "big.pdiparams", "wb") as out:
        out.write(struct.pack("<IQIi", 0, 0, 0, len(desc)) + desc)
        out.truncate(out.tell() + 4 * rows * columns)


def peak(*arguments):
    """Of a process of its own, since the kernel keeps the most that any child had."""
    code = ("import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True); "
            "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)")
    run = subprocess.run([sys.executable, "-c", code, "pir-opt", *map(str, arguments)], check=True, capture_output=True, text=True)
    return int(run.stdout) * 1024


def check(folder, rows, columns, rank, first, part):
    text = (f'(%0) = "builtin.parameter" () {{file_shape:[{rows},{columns}],parameter_name:"w",part_first:{first},'
            f'whole_shape:{[rows + 1, columns] if part[1] == columns else [rows, columns + 1]}}} : () -> tensor<{part[0]}x{part[1]}xf32>')
    (folder / "big.pir").write_text("{\n" + text + "\n}\n")
    write(folder, rows, columns)
    whole, own = 4 * rows * columns, 4 * part[0] * part[1]
    more = peak(folder / "big.pir", f"--params={folder}/big.pdiparams", "-o", "/dev/null") - peak(folder / "big.pir", "-o", "/dev/null")
    good = more < own + LEFT
    print(f"rank {rank} of a parameter {rows}x{columns}:", "its part" if good else f"{more / MB:.0f} MB for {own / MB:.0f} of {whole / MB:.0f}")


target = pathlib.Path(sys.argv[1])
check(target, 2000, 10007, 3, [0, 3 * 2502], [2000, 2502])
check(target, 2000, 10007, 0, [0, 0], [2000, 2502])
check(target, 20001, 1000, 1, [10001, 0], [10001, 1000])
