#!/usr/bin/env python3
"""Makes libpir/_declarations.py out of the public headers, so that no C declaration is written twice.

  declarations.py OUT CC FLAGS...      FLAGS name the include folders of the headers

The headers are preprocessed without those of the system, whose types cffi knows, and parsed by pycparser; functions with
a body are left out. cffi (ABI mode, out of line) writes the module: nothing is compiled, so one wheel serves every Python.
"""
import pathlib
import subprocess
import sys
import tempfile

import cffi
from pycparser import c_ast, c_generator, c_parser

HEADERS = ["comm.h", "engine/model.h", "engine/generation.h", "engine/metadata.h", "engine/weights.h", "engine/session_arena.h", "engine/custom.h", "engine/compiled.h",
           "engine/loaded_code.h", "compiler/dialects.h", "compiler/formats.h", "compiler/load.h"]
HEADERS += ["compiler/backward.h", "compiler/params.h", "compiler/pass_library.h", "compiler/rules.h", "compiler/text.h", "compiler/verify.h", "compiler/walk.h"]
SYSTEM = ["stdarg.h", "stdatomic.h", "stdbool.h", "stddef.h", "stdint.h"]
# What the system's headers would declare, for the parser alone; cffi has these types of its own.
KNOWN = "typedef int bool, size_t, int8_t, uint8_t, int16_t, uint16_t, int32_t, uint32_t, int64_t, uint64_t;\n"
# What cffi does not have.
OTHERS = "typedef int atomic_int;\ntypedef struct pir_va_list *va_list;\nvoid free(void *);\n"


def preprocessed(compiler, flags):
    with tempfile.TemporaryDirectory() as folder:
        for name in SYSTEM:
            (pathlib.Path(folder) / name).touch()
        text = KNOWN + OTHERS + "".join(f"#include <pir/{h}>\n" for h in HEADERS)
        command = [compiler, "-E", "-P", "-nostdinc", "-undef", f"-I{folder}", *flags, "-x", "c", "-"]
        return subprocess.run(command, input=text, text=True, stdout=subprocess.PIPE, check=True).stdout


def declarations(text):
    known = len(c_parser.CParser().parse(KNOWN).ext)
    parsed = c_parser.CParser().parse(text).ext[known:]
    write = c_generator.CGenerator().visit
    return "".join(write(d) + ";\n" for d in parsed if not isinstance(d, c_ast.FuncDef))


def main():
    out, compiler, *flags = sys.argv[1:]
    ffi = cffi.FFI()
    ffi.cdef(declarations(preprocessed(compiler, flags)))
    ffi.set_source("libpir._declarations", None)
    ffi.emit_python_code(out)


if __name__ == "__main__":
    main()
