"""Listeners of compiled code, for debuggers and profilers (docs/explain/compile.md#debuggers-and-profilers)."""
from __future__ import annotations

import dataclasses
import threading
from typing import Any, Callable

from ._native import ffi, sized, text_of


@dataclasses.dataclass(frozen=True)
class CodeSymbol:
    """A function of an image."""

    name: str
    address: int
    """Of its first byte."""
    size: int
    """In bytes."""


@dataclasses.dataclass(frozen=True)
class CodeImage:
    """One loaded object."""

    address: int
    """Of the executable memory."""
    size: int
    symbols: tuple[CodeSymbol, ...]
    elf: bytes
    """The ELF object with addresses in memory: the form that GDB's interface for compiled code takes."""


@dataclasses.dataclass(frozen=True)
class CodeListener:
    """Hears of the code of models: both functions are called from any thread, also from several at a time."""

    loaded: Callable[[CodeImage], None] | None = None
    """Called when an image may run from now on."""
    unloaded: Callable[[CodeImage], None] | None = None
    """Called before it goes."""


def _image(image: Any) -> CodeImage:
    def address(pointer: Any) -> int:
        return int(ffi.cast("uintptr_t", pointer))

    listed = (image.symbols[i] for i in range(image.symbol_count))
    symbols = tuple(CodeSymbol(text_of(s.name), address(s.address), s.size) for s in listed)
    return CodeImage(address(image.code), image.code_bytes, symbols, bytes(ffi.buffer(image.elf, image.elf_bytes)))


@ffi.callback("void(void *, const pir_code_image *)")
def _loaded(user: Any, image: Any) -> None:
    ffi.from_handle(user).note(_image(image), 1)


@ffi.callback("void(void *, const pir_code_image *)")
def _unloaded(user: Any, image: Any) -> None:
    ffi.from_handle(user).note(_image(image), -1)


class Listening:
    """A listener in C. It lives as long as it hears of code, because the last user of a model may be a session."""

    _heard: set[Listening] = set()
    _lock = threading.RLock()  # code may go, by the collector, while it is held

    def __init__(self, listener: CodeListener) -> None:
        self._handle = ffi.new_handle(self)
        self._listener = listener
        self._images = 0
        self.c = sized("pir_code_listener")
        self.c.user, self.c.loaded, self.c.unloaded = self._handle, _loaded, _unloaded

    @property
    def pointer(self) -> Any:
        """The struct, as options take it."""
        return ffi.cast("struct pir_code_listener *", self.c)

    def note(self, image: CodeImage, change: int) -> None:
        with self._lock:
            self._images += change
            (self._heard.add if self._images else self._heard.discard)(self)
        tell = self._listener.loaded if change > 0 else self._listener.unloaded
        if tell:
            tell(image)
