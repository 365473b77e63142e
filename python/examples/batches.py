#!/usr/bin/env python3
"""Tokens of sequences of different lengths, which come and go: continuous batching over a cache in blocks (docs/explain/generation.md).

The model attends by block_multihead_attention_. Each run takes the whole prompt of sequences that are new and one token of each other, one
behind the other in `ids`. A sequence has as many blocks of the cache as its length needs, anywhere, and gives them back at its end.

    batch = Batch(session, blocks=64, size=16, heads=8, width=64)
    first = batch.add(prompt)
    while batch:
        for sequence, logits in batch.step():
            token = int(logits.argmax())
            if token == stop: batch.remove(sequence)
            else: sequence.append(token)

What the model's ports are called: inputs ids [tokens], keys and values [blocks, heads, size, width], prompts, cached and new [sequences, 1],
padding [tokens], offsets [sequences], starts [sequences + 1], table [sequences, blocks]; outputs logits [tokens, words], keys_out, values_out.
"""
from __future__ import annotations

import dataclasses
from typing import Any, Iterator, Sequence

import numpy as np

import libpir


@dataclasses.dataclass(eq=False)
class Row:
    """A sequence: the ids that no run has had, the number of those that the cache has, and its blocks."""

    waiting: list[int]
    cached: int = 0
    blocks: list[int] = dataclasses.field(default_factory=list)

    def append(self, token: int) -> None:
        self.waiting.append(token)


class Batch:
    """Sequences that run together. `most`: of them at the same time."""

    def __init__(self, session: libpir.Session, blocks: int, size: int, heads: int, width: int, most: int = 16, dtype: str = "float32") -> None:
        self.session, self.size, self.most = session, size, most
        self.free, self.rows = list(range(blocks)), list[Row]()
        caches = {name: np.zeros((blocks, heads, size, width), dtype) for name in ("keys", "values")}
        # Given with the first run; the session then writes them where they are.
        self.given: dict[str, Any] = dict(caches)
        for name in caches:
            session.alias(f"{name}_out", name)

    def __len__(self) -> int:
        return len(self.rows)

    def add(self, prompt: Sequence[int]) -> Row:
        """A sequence that the next step begins with. ValueError: no ids. MemoryError: there are as many as may be."""
        if not len(prompt):
            raise ValueError("the prompt has no ids")
        if len(self.rows) == self.most:
            raise MemoryError("the batch is full")
        row = Row([int(i) for i in prompt])
        self.rows.append(row)
        return row

    def remove(self, row: Row) -> None:
        """Ends a sequence; others may have its blocks."""
        self.rows.remove(row)
        self.free += row.blocks

    def step(self, **inputs: Any) -> Iterator[tuple[Row, np.ndarray[Any, Any]]]:
        """Runs the model on all ids that wait, and yields the logits behind the last one of each sequence. `inputs`: others of the model's.
        MemoryError: the cache has no block for a sequence, which stays as it was."""
        rows = [r for r in self.rows if r.waiting]
        if not rows:
            return iter(())
        for row in rows:
            self._reserve(row)
        new = [len(r.waiting) for r in rows]
        starts = np.cumsum([0, *new])
        blocks = max(len(r.blocks) for r in rows)
        fed = {
            "ids": np.array([i for r in rows for i in r.waiting], np.int64),
            "prompts": _column(0 if r.cached else n for r, n in zip(rows, new)),
            "cached": _column(r.cached for r in rows),
            "new": _column(new),
            "padding": np.zeros(starts[-1], np.int32),
            "offsets": np.zeros(len(rows), np.int32),
            "starts": starts.astype(np.int32),
            "table": np.array([r.blocks + [-1] * (blocks - len(r.blocks)) for r in rows], np.int32),
        }
        logits = self.session.run({**fed, **self.given, **inputs})[0]
        self.given = {}
        for row, n in zip(rows, new):
            row.cached, row.waiting = row.cached + n, []
        return zip(rows, logits[starts[1:] - 1])

    def _reserve(self, row: Row) -> None:
        needed = -(-(row.cached + len(row.waiting)) // self.size) - len(row.blocks)
        if needed > len(self.free):
            raise MemoryError(f"{needed} blocks are needed, and {len(self.free)} are free")
        for _ in range(needed):
            row.blocks.append(self.free.pop())


def _column(numbers: Any) -> np.ndarray[Any, Any]:
    return np.array([[n] for n in numbers], np.int32)
