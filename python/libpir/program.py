"""Programs: text, JSON and .pdmodel in and out, their ops, and passes over them."""
from __future__ import annotations

import dataclasses
import functools
import os
import secrets
import threading
from typing import Any, Callable, Iterator, Sequence

import numpy as np

from ._arrays import copied, dtype_name
from ._native import Diagnostics, PassSet, Text, ffi, lib, sized, text_of, written
from .errors import Diagnostic


class _Context:
    """The owner of one program's memory. One thread at a time uses it, which holds its lock."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.diagnostics = Diagnostics()
        options = sized("pir_context_options")
        options.sink = self.diagnostics.sink
        handle = lib.pir_context_create(options)
        if handle == ffi.NULL:
            self.diagnostics.check(lib.PIR_EXHAUSTED)
        # What the context has addresses of, until it is destroyed.
        self.kept: list[Any] = [self.diagnostics]
        self.handle = ffi.gc(handle, lambda c, kept=self.kept: lib.pir_context_destroy(c))
        self.diagnostics.check(lib.pir_dialects_load_all(self.handle))


@dataclasses.dataclass(frozen=True)
class PassInfo:
    """A built-in pass."""

    name: str
    short_name: str | None
    level: int
    """Paddle's level: 0 basic, 1 folding and merging, 2 fusion, 3 layout and memory, 4 changes precision."""
    summary: str


def passes() -> list[PassInfo]:
    """The built-in passes."""
    return [_pass_info(lib.pir_pass_at(i)) for i in range(lib.pir_passes())]


def _pass_info(pass_: Any) -> PassInfo:
    return PassInfo(text_of(pass_.name), text_of(pass_.short_name) or None, pass_.level, text_of(pass_.summary))


def pipelines() -> dict[str, str]:
    """The named pipelines with their text, which may name others."""
    names = [lib.pir_pipeline_name(i) for i in range(lib.pir_pipelines())]
    return {text_of(n): text_of(lib.pir_pipeline_text(lib.pir_str_from(n))) for n in names}


class Program:
    """A program and its parameters. Threads may share it: each call waits until the others are done.

    Ops, blocks and values are views. They raise RuntimeError once the program was changed after they were taken.
    """

    def __init__(self, context: _Context, handle: Any) -> None:
        self._context = context
        self._handle = ffi.gc(handle, lambda p, kept=context.handle: lib.pir_program_destroy(p))
        self._generation = 0
        self.warnings: list[Diagnostic] = context.diagnostics.take()
        """What the reader said about the program."""

    @staticmethod
    def _read(read: Callable[[_Context, Any], int]) -> Program:
        context, out = _Context(), ffi.new("pir_program **")
        status = read(context, out)
        if status:
            context.diagnostics.check(status)
        return Program(context, out[0])

    @staticmethod
    def load(path: str | os.PathLike[str], params: str | os.PathLike[str] | None = None) -> Program:
        """Reads a program of any format from a file or folder, with its parameters, and verifies it. `params` is a file or folder;
        None looks beside the program. Parameter files are mapped and must not change while the program lives."""
        name = ffi.new("char[]", os.fsencode(path))
        where = ffi.NULL if params is None else ffi.new("char[]", os.fsencode(params))
        return Program._read(lambda context, out: lib.pir_program_load_file(context.handle, name, where, out))

    @staticmethod
    def parse(text: str | bytes, file: str = "text") -> Program:
        """Reads a program of any format from memory, without parameters, and verifies it. `file` names it in messages."""
        source, name = Text(text), Text(file)
        return Program._read(lambda context, out: lib.pir_program_read(context.handle, source.view, name.view, out))

    # ---- text and files

    def text(self, form: str = "text", strip_debug: bool = False) -> str:
        """The program as text: Paddle's print form ("text"), that of 2024 ("t2"), or one that loses nothing ("typed")."""
        return self._written(form, strip_debug=strip_debug).decode()

    def __str__(self) -> str:
        return self.text()

    def to_bytes(self, format: str) -> bytes:
        """The program as the bytes of a file: "json", "pdmodel" or a form of text. Parameters are files of their own."""
        return self._written(format)

    def save(self, path: str | os.PathLike[str], params: str | os.PathLike[str] | None = None, format: str = "json") -> None:
        """Writes the program, and its parameters to the combined file `params`, in the form in which Paddle runs it. Each file
        is written beside its place and then put there, so an old one stays whole when that fails. `params` may be None for a
        program without parameters."""
        with self._context.lock:
            row = _format(format)
            self._generation += 1
            lib.pir_program_settle(self._handle, row.format)
            records = self._records(row.format)
            if records and params is None:
                raise ValueError("the program has parameters, but no file is given for them")
            if params is not None:
                _put(params, records)
            _put(path, [self._written(format)])

    def _records(self, format: int) -> list[bytes]:
        check, out, count = self._context.diagnostics.check, ffi.new("const pir_param ***"), ffi.new("size_t *")
        check(lib.pir_program_saved_params(self._handle, format, out, count))
        listed = ffi.gc(out[0], lib.free)
        return [written(functools.partial(lib.pir_param_write, listed[i]), check) for i in range(count[0])]

    def _written(self, format: str, **options: bool) -> bytes:
        row = _format(format)
        asked = sized("pir_write_options")
        for name, value in options.items():
            setattr(asked, name, value)
        with self._context.lock:
            return written(lambda out: row.write(row, self._handle, asked, out), self._context.diagnostics.check)

    # ---- changing it

    def run_passes(
        self,
        pipeline: str,
        rules: str | None = None,
        verify_each: bool = False,
        libraries: Sequence[str | os.PathLike[str]] = (),
    ) -> str:
        """Runs passes over the program: names and named pipelines with commas between, options in braces. `rules` is text of the
        rule language (docs/reference/rules.md), and `libraries` are shared libraries of passes (docs/steps/add-a-pass.md), which the
        pipeline may name. Returns what the passes did. After an error the program may be half changed."""
        with self._context.lock:
            self._generation += 1
            if libraries:
                passes = PassSet(libraries)
                self._context.kept.append(passes)
                lib.pir_pass_set_register(passes.set, self._context.handle)
            try:
                return self._run_passes(pipeline, rules, verify_each)
            finally:
                self.warnings += self._context.diagnostics.take()

    def _run_passes(self, pipeline: str, rules: str | None, verify_each: bool) -> str:
        check, context = self._context.diagnostics.check, self._context.handle
        loaded = _Rules(self._context, rules)
        log: list[bytes] = []
        options = sized("pir_pass_options")
        options.verify_each, options.print_changed = verify_each, True

        def run(writer: Any) -> int:
            options.log = writer
            manager = ffi.gc(lib.pir_pass_manager_create(context, options), lib.pir_pass_manager_destroy)
            for pass_ in loaded.passes():
                lib.pir_pass_manager_know(manager, pass_)
            try:
                text = Text(pipeline)
                status = lib.pir_pass_manager_parse(manager, text.view)
                return int(status or lib.pir_pass_manager_run(manager, self._handle))
            finally:
                ffi.release(manager)

        try:
            return written(run, check).decode()
        finally:
            loaded.close()

    def append_backward(
        self,
        losses: Sequence[Value],
        inputs: Sequence[Value],
        seeds: Sequence[Value] | None = None,
        no_grad: Sequence[Value] = (),
        ones: bool = False,
        primitive: bool = False,
        recompute: bool = False,
        checkpoints: Sequence[Value] | None = None,
        memory: float = 0.5,
    ) -> list[Value | None]:
        """Adds ops that compute the gradients of the sum of `losses` with respect to `inputs` (docs/steps/gradients.md), and
        returns these: None for an input that no loss depends on. `seeds` are the gradients of the losses, of their types; without
        them each loss has one element, or `ones` says that it may have any shape. No gradient flows to the values of `no_grad`.
        `primitive`: in primitive ops, where an op declares its gradient in them. `recompute`: forward values are computed again for
        the gradients, but those of `checkpoints`, or those that a minimum cut keeps so that values take at most the share `memory`
        of what they take otherwise. After an error the program may be half changed."""
        with self._context.lock:
            if seeds is not None and len(seeds) != len(losses):
                raise ValueError("seeds has one value for each loss")
            lists = [ffi.new("pir_value *[]", [v._handle for v in values]) for values in (losses, inputs, seeds or (), no_grad, checkpoints or ())]
            options = sized("pir_backward_options")
            options.seeds = lists[2] if seeds is not None else ffi.NULL
            options.no_grad, options.no_grad_count = lists[3], len(no_grad)
            options.ones, options.primitive = ones, primitive
            options.recompute, options.memory_share = recompute, memory
            if checkpoints is not None:
                options.checkpoints, options.checkpoint_count = lists[4], len(checkpoints)
            out = ffi.new("pir_value *[]", len(inputs))
            self._generation += 1
            status = lib.pir_append_backward(self._handle, lists[0], len(losses), lists[1], len(inputs), options, out)
            self._context.diagnostics.check(status)
            return [None if v == ffi.NULL else Value(self, v) for v in out]

    def upgrade(self) -> None:
        """Turns a program of an older text form into the present declarations."""
        with self._context.lock:
            self._generation += 1
            self._context.diagnostics.check(lib.pir_program_upgrade(self._handle))

    def verify(self, strict: bool = False) -> list[Diagnostic]:
        """Checks the program against the declarations of its ops. Returns warnings; errors raise InvalidError."""
        with self._context.lock:
            options = sized("pir_verify_options")
            options.strict = strict
            status = lib.pir_verify(lib.pir_program_module(self._handle), options)
            found = list(self._context.diagnostics.items)
            self._context.diagnostics.check(status)
            self._context.diagnostics.take()
            return found

    # ---- parameters

    @property
    def parameter_names(self) -> list[str]:
        """Names of the parameters that have bytes, in bytewise order."""
        with self._context.lock:
            count = lib.pir_program_params(self._handle)
            return [text_of(lib.pir_program_param_at(self._handle, i).name) for i in range(count)]

    def parameter(self, name: str) -> np.ndarray[Any, Any]:
        """A copy of a parameter's elements."""
        with self._context.lock:
            text = Text(name)
            param = lib.pir_program_param(self._handle, text.view)
            if param == ffi.NULL:
                raise KeyError(name)
            tensor, shape = ffi.new("pir_tensor *"), param.shape
            lib.pir_tensor_set_dense(tensor, param.dtype, shape.dims, shape.rank)
            tensor.data = ffi.cast("void *", param.data)
            return copied(tensor)

    # ---- ops

    @property
    def block(self) -> Block:
        """The block that holds the ops of the program."""
        return Block(self, lib.pir_program_block(self._handle))

    def walk(self) -> Iterator[Op]:
        """All ops, those in regions behind the op that holds them."""
        pending = [iter(self.block.ops)]
        while pending:
            op = next(pending[-1], None)
            if op is None:
                pending.pop()
                continue
            yield op
            pending += [iter(b.ops) for region in reversed(op.regions) for b in reversed(region)]


def _format(name: str) -> Any:
    row = lib.pir_format_named(ffi.new("char[]", name.encode()))
    if row == ffi.NULL or row.write == ffi.NULL:
        raise ValueError(f"programs are not written as {name!r}")
    return row


def _put(path: str | os.PathLike[str], parts: Sequence[bytes]) -> None:
    """Writes a file that is there whole or not at all."""
    folder, name = os.path.split(os.fspath(path))
    beside = os.path.join(folder, f".{name}.{secrets.token_hex(8)}")
    # Not by tempfile, whose files nobody else may read.
    with open(beside, "xb") as file:
        try:
            for part in parts:
                file.write(part)
            file.flush()
            os.fsync(file.fileno())
            os.replace(beside, path)
        except BaseException:
            os.unlink(beside)
            raise


class _Rules:
    """Rules read for one run of passes."""

    def __init__(self, context: _Context, text: str | None) -> None:
        self._handle = None
        if text is not None:
            source, out = Text(text), ffi.new("pir_rules **")
            context.diagnostics.check(lib.pir_rules_load(context.handle, source.view, ffi.NULL, out))
            self._handle = out[0]

    def passes(self) -> list[Any]:
        count = lib.pir_rules_passes(self._handle) if self._handle else 0
        return [lib.pir_rules_pass(self._handle, i) for i in range(count)]

    def close(self) -> None:
        if self._handle:
            lib.pir_rules_destroy(self._handle)


def _locked(method: Callable[..., Any]) -> Callable[..., Any]:
    """Makes a method of a view wait until no other thread uses the program."""

    @functools.wraps(method)
    def call(self: _View, *args: Any) -> Any:
        with self.program._context.lock:
            return method(self, *args)

    return call


def _chain(first: Any, after: Callable[[Any], Any]) -> Iterator[Any]:
    """The links of a list, of which `after` gives the next one, or NULL."""
    while first != ffi.NULL:
        yield first
        first = after(first)


class _View:
    """A part of a program as it was at one time."""

    def __init__(self, program: Program, handle: Any) -> None:
        self.program = program
        self._pointer = handle
        self._generation = program._generation

    @property
    def _handle(self) -> Any:
        if self._generation != self.program._generation:
            raise RuntimeError(f"the program was changed after this {type(self).__name__.lower()} was taken")
        return self._pointer

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _View) and self._pointer == other._pointer and self._generation == other._generation

    def __hash__(self) -> int:
        return hash(self._pointer)

    def _text(self, write: Callable[[Any], int]) -> str:
        return written(write, self.program._context.diagnostics.check).decode("utf-8", "backslashreplace")


class Block(_View):
    """A list of ops with arguments."""

    @property
    @_locked
    def ops(self) -> list[Op]:
        """The ops, without those in regions."""
        return [Op(self.program, op) for op in _chain(lib.pir_block_first(self._handle), lib.pir_op_next)]

    @property
    @_locked
    def arguments(self) -> list[Value]:
        return [Value(self.program, lib.pir_block_argument(self._handle, i)) for i in range(lib.pir_block_arguments(self._handle))]


class Op(_View):
    """An operation."""

    @property
    @_locked
    def name(self) -> str:
        """With its dialect: "pd_op.matmul"."""
        return text_of(lib.pir_op_name(self._handle))

    @property
    @_locked
    def operands(self) -> list[Value | None]:
        """The values that it reads; None where an optional one is absent."""
        found = [lib.pir_op_operand(self._handle, i) for i in range(lib.pir_op_operands(self._handle))]
        return [None if v == ffi.NULL else Value(self.program, v) for v in found]

    @property
    @_locked
    def results(self) -> list[Value]:
        return [Value(self.program, lib.pir_op_result(self._handle, i)) for i in range(lib.pir_op_results(self._handle))]

    @property
    @_locked
    def regions(self) -> list[list[Block]]:
        """The blocks of each region."""
        firsts = [lib.pir_region_first(lib.pir_op_region(self._handle, i)) for i in range(lib.pir_op_regions(self._handle))]
        return [[Block(self.program, b) for b in _chain(first, lib.pir_block_next)] for first in firsts]

    @property
    @_locked
    def parent(self) -> Op | None:
        """The op whose region holds this one; None at the top."""
        parent = lib.pir_op_parent(self._handle)
        top = lib.pir_program_module(self.program._handle)
        return None if parent in (ffi.NULL, top) else Op(self.program, parent)

    @property
    @_locked
    def attributes(self) -> dict[str, Any]:
        """The attributes that are present, as Python's values; kinds that Python lacks as the text that is printed."""
        count = lib.pir_op_attrs(self._handle)
        entries = ffi.new("pir_named_attr[]", count)
        lib.pir_op_attrs_sorted(self._handle, entries, count)
        return {text_of(lib.pir_name_str(e.name)): self._value(e.value) for e in entries}

    def _value(self, attr: Any) -> Any:
        kind = lib.pir_attr_kind_of(attr)
        convert = _FROM_ATTR.get(ffi.string(ffi.cast("pir_attr_kind", kind)).removeprefix("PIR_ATTR_"))
        if convert is not None:
            return convert(self, attr)
        return self._text(lambda out: lib.pir_attr_print_as(attr, lib.PIR_TEXT_T3, out))

    @property
    @_locked
    def location(self) -> str:
        """Where it comes from, "file:line:column"; empty when unknown."""
        place = lib.pir_loc_unpack(self.program._context.handle, lib.pir_op_loc(self._handle))
        parts = [text_of(place.file)] + ([place.offset] if place.is_offset else [place.line, place.column])
        return ":".join(str(p) for p in parts if p) if parts[0] else ""

    @_locked
    def __str__(self) -> str:
        return self._text(lambda out: lib.pir_op_print(self._handle, ffi.NULL, out))

    def __repr__(self) -> str:
        return f"<Op {self.name}>"


class Value(_View):
    """A result of an op, or an argument of a block."""

    @property
    @_locked
    def type(self) -> str:
        """The stated type as it is printed: "tensor<2x3xf32>"."""
        return self._text(lambda out: lib.pir_type_print(lib.pir_value_type(self._handle), out))

    @property
    @_locked
    def op(self) -> Op | None:
        """The op that defines it; None for an argument of a block."""
        op = lib.pir_value_op(self._handle)
        return None if op == ffi.NULL else Op(self.program, op)

    @property
    @_locked
    def index(self) -> int:
        """Its position among the op's results or the block's arguments."""
        return int(lib.pir_value_index(self._handle))

    @property
    @_locked
    def users(self) -> list[Op]:
        """The ops that read it, the newest use first; an op that reads it twice comes twice."""
        uses = _chain(lib.pir_value_first_use(self._handle), lib.pir_use_next)
        return [Op(self.program, lib.pir_use_owner(use)) for use in uses]


def _number(get: Callable[[Any, Any], bool], c_type: str) -> Callable[[Op, Any], Any]:
    def convert(op: Op, attr: Any) -> Any:
        out = ffi.new(f"{c_type} *")
        get(attr, out)
        return out[0]

    return convert


def _complex(op: Op, attr: Any) -> complex:
    re, im = ffi.new("double *"), ffi.new("double *")
    lib.pir_attr_as_complex(attr, re, im)
    return complex(re[0], im[0])


def _elements(op: Op, attr: Any) -> list[Any]:
    return [op._value(lib.pir_attr_element(attr, i)) for i in range(lib.pir_attr_elements(attr))]


_INTEGER = _number(lib.pir_attr_as_int, "int64_t")
_FLOAT = _number(lib.pir_attr_as_float, "double")
_TEXT = lambda op, attr: text_of(lib.pir_attr_as_str(attr))
_FROM_ATTR: dict[str, Callable[[Op, Any], Any]] = {
    "NONE": lambda op, attr: None,
    "BOOL": lambda op, attr: bool(_INTEGER(op, attr)),
    "I32": _INTEGER,
    "I64": _INTEGER,
    "INDEX": _INTEGER,
    "F32": _FLOAT,
    "F64": _FLOAT,
    "C64": _complex,
    "C128": _complex,
    "STR": _TEXT,
    "TENSOR_NAME": _TEXT,
    "ARRAY": _elements,
    "INT_ARRAY": lambda op, attr: list(lib.pir_attr_int_array_data(attr)[0 : lib.pir_attr_elements(attr)]),
    "SCALAR": lambda op, attr: op._value(lib.pir_attr_element(attr, 0)),
    "DTYPE": lambda op, attr: dtype_name(lib.pir_attr_as_dtype(attr)),
    "LAYOUT": lambda op, attr: text_of(lib.pir_layout_name(lib.pir_attr_as_layout(attr))),
}
