"""Generation of tokens: a session that runs a model again and again, token by token (docs/explain/generation.md)."""
from __future__ import annotations

import contextlib
import dataclasses
from typing import TYPE_CHECKING, Any, Callable, Iterator, Mapping, NamedTuple, Sequence

import numpy as np

from ._native import Diagnostics, ffi, lib, sized
from .errors import Diagnostic

if TYPE_CHECKING:
    from .model import Session

NO_TOKEN = -1


@dataclasses.dataclass(frozen=True)
class Choice:
    """How tokens are made (pir_generation_options). 0, None and nothing mean the library's defaults."""

    max_tokens: int = 0
    """Tokens of one answer; 0: any number."""
    stops: Sequence[int] = ()
    """Ids that end a sequence, and are no part of it."""
    temperature: float = 0.0
    """0: the largest logit. Else tokens are drawn by their probability, from logits divided by it."""
    top_k: int = 0
    top_p: float = 0.0
    repetition_penalty: float = 0.0
    seed: int = 0
    """Not 0: the session's random numbers start anew."""
    room: int = 0
    """Tokens that each cache that grows in its place has room for; 0: it grows as needed."""
    beams: int = 0
    """Not 0: sequences that a search keeps (`Session.search`)."""
    length_penalty: float = 0.0
    """Of a search: sums of log probabilities are divided by this power of the number of tokens."""
    early_stop: bool = False
    """Ends a search with as many answers as beams."""
    ids: str | None = None
    logits: str | None = None
    position: str | None = None
    caches: Mapping[str, str] | None = None
    """Inputs that outputs continue, by the names of the outputs; None: the ports of no integers, in order."""


class Beam(NamedTuple):
    """An answer of a search: its ids without a stop id, and the sum of their log probabilities, divided as `length_penalty` says."""

    ids: list[int]
    score: float


class Generation(Iterator[Any]):
    """Tokens as they come: an iterator over ids, or over lists of ids where there are several sequences, with None for one
    that has ended. While it lives its session runs nothing else; `close` ends it, and so does the last reference to it."""

    def __init__(self, session: Session, prompt: Any, choice: Choice) -> None:
        ids = np.asarray(prompt)
        if not ids.size or ids.ndim > 2 or ids.dtype.kind not in "iu":
            raise ValueError("a prompt is a list of ids, or several lists of one length")
        self._several = ids.ndim == 2
        self._sequences = len(ids) if self._several else 1
        self._session = session
        self._beams = choice.beams
        self._handle: Any = None
        self._heard = Diagnostics()
        out = ffi.new("pir_generation **")
        with session._used():
            session._check(lib.pir_generation_create(session._handle, self._options(choice), out))
        self._out = ffi.new("int64_t[]", self._sequences)
        self._key = session._generation = object()
        self._handle = ffi.gc(out[0], _end_of(session, self._heard))
        try:
            self.feed(prompt)
        except BaseException:
            self.close()
            raise

    def feed(self, ids: Any) -> None:
        """Runs the model on more ids, of each sequence as many, behind those that were made: the answer then goes on."""
        given = np.asarray(ids)
        if given.size and given.dtype.kind not in "iu":
            raise ValueError("ids are integers")
        given = np.ascontiguousarray(given, np.int64).reshape(self._sequences, -1)
        with self._used():
            memory = ffi.cast("const int64_t *", ffi.from_buffer(given))
            self._finish(lib.pir_generation_feed(self._handle, memory, given.shape[1]))

    def __next__(self) -> Any:
        if self._handle is None:
            raise StopIteration
        with self._used():
            status = lib.pir_generation_next(self._handle, self._out)
            if status == lib.PIR_NOT_FOUND:
                raise StopIteration
            self._finish(status)
        ids = [None if i == NO_TOKEN else i for i in self._out]
        return ids if self._several else ids[0]

    def search(self, best: int = 1) -> list[Beam]:
        """The most probable answers that a search with `beams` finds, at most `best`, the best first (pir_generation_search).
        After CancelledError it may be called again, and goes on."""
        if best < 1:
            raise ValueError("best is a number from 1")
        best = min(best, max(self._beams, 1))
        found, count = ffi.new("pir_beam[]", best), ffi.new("size_t *")
        with self._used():
            self._finish(lib.pir_generation_search(self._handle, found, best, count))
            return [Beam(list(found[i].ids[0:found[i].count]), found[i].score) for i in range(count[0])]

    @property
    def stats(self) -> dict[str, int]:
        """Numbers about the generation: tokens, nanoseconds, bytes of the caches (pir_generation_stats)."""
        numbers = sized("pir_generation_stats")
        with self._used():
            self._session._check(lib.pir_generation_stats_of(self._handle, numbers))
        return {name: getattr(numbers, name) for name, _ in ffi.typeof("pir_generation_stats").fields if name != "size"}

    @property
    def diagnostics(self) -> list[Diagnostic]:
        """For which caches the session cannot keep the place, so that each run copies them."""
        return list(self._heard.items)

    def close(self) -> None:
        """Ends the generation: the session can run again, and the inputs that it was given have to be given again. RuntimeError:
        another thread makes a token."""
        if self._handle is None:
            return
        with self._session._used(runs=False):
            if self._handle is not None:
                handle, self._handle = self._handle, None
                ffi.gc(handle, None)
                self._session._end(handle, self._heard)

    def __enter__(self) -> Generation:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def _used(self) -> contextlib.AbstractContextManager[None]:
        if self._handle is None:
            raise ValueError("the generation is closed")
        return self._session._used(by=self._key)

    def _finish(self, status: int) -> None:
        self._session._watch.finish()
        self._session._check(status)

    def _options(self, choice: Choice) -> Any:
        options = sized("pir_generation_options")
        for name in ("max_tokens", "temperature", "top_k", "top_p", "repetition_penalty", "seed", "room", "beams", "length_penalty",
                     "early_stop"):
            setattr(options, name, getattr(choice, name))
        # Read by the call that they are made for, and not after it.
        texts = {name: ffi.new("char[]", getattr(choice, name).encode()) for name in ("ids", "logits", "position") if getattr(choice, name)}
        for name, text in texts.items():
            setattr(options, name, text)
        pairs = [[ffi.new("char[]", name.encode()) for name in pair] for pair in (choice.caches or {}).items()]
        caches = ffi.new("pir_cache_ports[]", [(output, into) for output, into in pairs])
        stops = ffi.new("int64_t[]", list(choice.stops))
        options.caches = caches if choice.caches is not None else ffi.NULL
        options.cache_count, options.stops, options.stop_count = len(pairs), stops, len(choice.stops)
        options.sequences, options.sink = self._sequences, self._heard.sink
        self._given = texts, pairs, caches, stops
        return options


def _end_of(session: Session, heard: Diagnostics) -> Callable[[Any], None]:
    """What ends a generation that nothing refers to any more: at once, or, while a thread uses the session, before its next use."""

    def end(handle: Any) -> None:
        if not session._busy.acquire(blocking=False):
            session._ended.append((handle, heard))
            return
        try:
            session._end(handle, heard)
        finally:
            session._busy.release()

    return end
