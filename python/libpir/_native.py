"""The C library as Python sees it: loaded once, with its texts, writers and diagnostics turned into Python's.

Calls into the library go through cffi, which releases the global interpreter lock for their whole time.
"""
from __future__ import annotations

import os
import pathlib
from typing import Any, Callable, Sequence

from ._declarations import ffi as ffi
from .errors import Diagnostic, Error, error_class

FOLDER = pathlib.Path(__file__).resolve().parent / "lib"


def _open() -> Any:
    """Opens the only libpir.so.N of the package, which may be a link; the parts that the library opens itself stand beside it."""
    found = sorted(FOLDER.glob("libpir.so.*"))
    if len(found) != 1:
        raise ImportError(f"expected one libpir.so.N in {FOLDER}, found {len(found)}")
    # Libraries of custom ops call functions of libpir without being linked with it.
    return ffi.dlopen(str(found[0].resolve()), ffi.RTLD_NOW | ffi.RTLD_GLOBAL)


lib = _open()


def text_of(view: Any) -> str:
    """The text of a pir_str, or of a NUL-terminated one; bytes that are not UTF-8 become escapes."""
    if ffi.typeof(view) is ffi.typeof("pir_str"):
        data = bytes(ffi.buffer(view.data, view.size)) if view.size else b""
    else:
        data = ffi.string(view) if view else b""
    return data.decode("utf-8", "backslashreplace")


class Text:
    """A Python text as a pir_str, valid as long as this object."""

    def __init__(self, text: str | bytes) -> None:
        self.bytes = text.encode() if isinstance(text, str) else bytes(text)
        self.data = ffi.from_buffer(self.bytes)
        self.view = ffi.new("pir_str *", {"data": self.data, "size": len(self.bytes)})[0]


def sized(kind: str) -> Any:
    """A zeroed struct whose first field holds its size."""
    struct = ffi.new(f"{kind} *")
    struct.size = ffi.sizeof(kind)
    return struct


@ffi.callback("void(void *, const pir_diag *)")
def _report(user: Any, diag: Any) -> None:
    ffi.from_handle(user).items.append(_diagnostic(diag))


def _diagnostic(diag: Any) -> Diagnostic:
    place = diag.place
    return Diagnostic(
        severity=["error", "warning", "note", "remark"][diag.severity],
        message=text_of(diag.message),
        file=text_of(place.file),
        line=None if place.is_offset else place.line or None,
        column=None if place.is_offset else place.column or None,
        offset=place.offset if place.is_offset else None,
        source_line=text_of(diag.source_line),
        op_path=text_of(diag.op_path),
    )


class Diagnostics:
    """A receiver of diagnostics. It must live as long as what reports to it."""

    def __init__(self) -> None:
        self.items: list[Diagnostic] = []
        self._handle = ffi.new_handle(self)
        self.sink = ffi.new("pir_diag_sink *", {"report": _report, "user": self._handle})[0]

    def take(self) -> list[Diagnostic]:
        """Returns what was reported, and forgets it."""
        taken, self.items = self.items, []
        return taken

    def check(self, status: int) -> None:
        """Raises the error of a status other than PIR_OK, with what was reported since the last call."""
        items = self.take()
        if status:
            raise failure(status, items)


def failure(status: int, diagnostics: list[Diagnostic] = [], message: str = "") -> Error:
    """Makes the exception of a status."""
    name = text_of(lib.pir_status_name(status))
    first = next((d for d in diagnostics if d.severity == "error"), None)
    message = message or (str(first) if first else text_of(lib.pir_status_text(status)))
    return error_class(name)(message, name, diagnostics)


@ffi.callback("bool(void *, const char *, size_t)")
def _write(user: Any, data: Any, size: int) -> bool:
    ffi.from_handle(user).append(bytes(ffi.buffer(data, size)))
    return True


class PassSet:
    """The passes of shared libraries, whose code runs when they are opened. It must outlive the contexts that know them."""

    def __init__(self, libraries: Sequence[str | os.PathLike[str]]) -> None:
        out, message = ffi.new("pir_pass_set **"), ffi.new("pir_message *")
        status = lib.pir_pass_set_create(ffi.NULL, out)
        if status:
            raise failure(status)
        self.set = ffi.gc(out[0], lib.pir_pass_set_destroy)
        for library in libraries:
            status = lib.pir_pass_set_load(self.set, os.fsencode(library), message)
            if status:
                raise failure(status, [], text_of(ffi.cast("char *", message.text)))


class Written:
    """Collects what is written to its `writer`, a pir_writer."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._handle = ffi.new_handle(self._parts)
        self.writer = ffi.new("pir_writer *", {"write": _write, "user": self._handle})[0]

    def bytes(self) -> bytes:
        """All that was written."""
        return b"".join(self._parts)


def written(write: Callable[[Any], int], check: Callable[[int], None]) -> bytes:
    """Returns all that `write` writes to the pir_writer that it is given."""
    out = Written()
    check(write(out.writer))
    return out.bytes()


class Watch:
    """Progress of one piece of work, and the flag that ends it.

    `report(stage, what, done, of)` is called on the thread that works. An exception that it raises, KeyboardInterrupt
    too, ends the work and is raised again by `finish`.
    """

    def __init__(self, report: Callable[[str, str, int, int], None] | None, flag: Any = None) -> None:
        self.flag = flag if flag is not None else ffi.new("int *")
        self.raised: BaseException | None = None
        self._report = report
        self._handle = ffi.new_handle(self)
        self.sink = ffi.new("pir_progress_sink *")[0]
        if report:
            self.sink.report, self.sink.user = _progress, self._handle

    def call(self, progress: Any) -> None:
        if self._report is None or self.raised is not None:
            return
        try:
            stage = text_of(lib.pir_stage_name(progress.stage))
            self._report(stage, text_of(progress.what), progress.done, progress.of)
        except BaseException as error:  # Nothing may pass through C.
            self.raised = error
            self.flag[0] = 1

    def finish(self) -> None:
        """Raises what the report raised."""
        raised, self.raised = self.raised, None
        if raised is not None:
            self.flag[0] = 0
            raise raised


@ffi.callback("void(void *, const pir_progress *)")
def _progress(user: Any, progress: Any) -> None:
    ffi.from_handle(user).call(progress)
