"""Exceptions, one class for each status of the library, and the diagnostics that they carry."""
from __future__ import annotations

import dataclasses


@dataclasses.dataclass(frozen=True)
class Diagnostic:
    """One message of the library with its place."""

    severity: str
    """"error", "warning", "note" or "remark"."""
    message: str
    """One line, lower case, no full stop."""
    file: str = ""
    """Empty when no place is known."""
    line: int | None = None
    """From 1; of texts."""
    column: int | None = None
    """From 1; None: the whole line."""
    offset: int | None = None
    """In bytes; of binary files."""
    source_line: str = ""
    """The line of the text, when the reader has it."""
    op_path: str = ""
    """"block 0, op 17 conv2d" for an op without a line."""

    def __str__(self) -> str:
        parts = [self.file, self.line, self.column, self.offset]
        place = ":".join(str(p) for p in parts if p not in ("", None))
        place = place or self.op_path
        return f"{place}: {self.severity}: {self.message}" if place else f"{self.severity}: {self.message}"


class Error(Exception):
    """A call failed. The text is the first error with its place."""

    status: str
    """The name of the status, "PIR_INVALID"."""
    diagnostics: list[Diagnostic]
    """All that the library reported on the way, in order."""

    def __init__(self, message: str, status: str, diagnostics: list[Diagnostic]) -> None:
        super().__init__(message)
        self.status = status
        self.diagnostics = diagnostics


class InvalidError(Error, ValueError):
    """A bad program, file or argument."""


class NotFoundError(Error, LookupError):
    """A file, name or symbol does not exist."""


class UnsupportedError(Error, NotImplementedError):
    """Understood, but the library cannot do it; the text says what and where."""


class UnavailableError(Error, RuntimeError):
    """A device, driver or library is missing."""


class ExhaustedError(Error, MemoryError):
    """Memory ran out, or a limit was reached."""


class FileError(Error, OSError):
    """The system refused a read or write."""


class CancelledError(Error):
    """The work was ended by a flag or by its time limit."""


class InternalError(Error, AssertionError):
    """A defect of the library."""


_CLASSES = {
    "PIR_INVALID": InvalidError,
    "PIR_NOT_FOUND": NotFoundError,
    "PIR_UNSUPPORTED": UnsupportedError,
    "PIR_UNAVAILABLE": UnavailableError,
    "PIR_EXHAUSTED": ExhaustedError,
    "PIR_IO": FileError,
    "PIR_CANCELLED": CancelledError,
    "PIR_INTERNAL": InternalError,
}


def error_class(status: str) -> type[Error]:
    """The class of a status; Error for one of a later library."""
    return _CLASSES.get(status, Error)
