"""libpir: PaddlePaddle's programs loaded, changed, compiled and run.

    import libpir
    model = libpir.Model.load("inference.json")
    result, = model.run([image])

`Model` and `Session` run programs (docs/explain/execution.md), `Program` reads, prints and changes them (docs/reference/ir-text.md, docs/reference/rules.md).
Failures raise subclasses of `Error`, which carry the diagnostics of the library.
"""
from ._arrays import Sequences
from ._code import CodeImage, CodeListener, CodeSymbol
from ._native import lib as _lib
from .errors import (
    CancelledError,
    Diagnostic,
    Error,
    ExhaustedError,
    FileError,
    InternalError,
    InvalidError,
    NotFoundError,
    UnavailableError,
    UnsupportedError,
)
from .generation import Beam, Choice, Generation
from .model import Arena, Cancel, Limits, Model, Options, Port, Session
from .program import Block, Op, PassInfo, Program, Value, passes, pipelines
from .rings import Rings

_number = _lib.pir_version()
__version__ = f"{_number >> 16}.{_number >> 8 & 255}.{_number & 255}"

__all__ = ["Arena", "Block", "Cancel", "CancelledError", "Choice", "CodeImage", "CodeListener", "CodeSymbol", "Diagnostic", "Error", "ExhaustedError", "FileError", "Generation", "InternalError"]
__all__ += ["InvalidError", "Limits", "Model", "NotFoundError", "Op", "Options", "PassInfo", "Port", "Program", "Rings", "Sequences", "Session"]
__all__ += ["UnavailableError", "UnsupportedError", "Value", "passes", "pipelines"]
