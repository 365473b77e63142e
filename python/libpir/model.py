"""Models and sessions: a model is compiled once and never changes; sessions run it."""
from __future__ import annotations

import dataclasses
import os
import threading
import weakref
from typing import Any, Callable, Mapping, Sequence, Union

import numpy as np

from . import _arrays
from ._code import CodeListener, Listening
from ._native import Diagnostics, PassSet, Text, Watch, Written, failure, ffi, lib, sized, text_of
from .errors import Diagnostic
from .generation import Beam, Choice, Generation
from .program import Program
from .rings import Rings

Report = Callable[[str, str, int, int], None]
"""Hears progress: stage ("read", "passes", "compile", "weights" or "run"), what comes next, parts done, all parts (0: not known)."""
Inputs = Union[Mapping[str, Any], Sequence[Any]]


@dataclasses.dataclass(frozen=True)
class Port:
    """An input or output of a model."""

    name: str
    dtype: str
    """The element type, by NumPy's name; "pstring": strings."""
    shape: tuple[int, ...] | None
    """Extents, -1 where one varies; None where only a run shows the rank."""
    dims: tuple[str, ...] | None = None
    """Names of the extents that vary, "" of the others: extents of one name are equal in every run, over all ports."""
    ranges: tuple[tuple[int, int | None], ...] | None = None
    """The least and the largest extent with which a run can succeed; None: no bound is known."""


class Cancel:
    """A flag that ends work early: loads and runs that were given it raise CancelledError. Any thread may set it."""

    def __init__(self) -> None:
        self._flag = ffi.new("int *")

    def set(self) -> None:
        """Ends the work."""
        self._flag[0] = 1

    def clear(self) -> None:
        """Lets later work go on."""
        self._flag[0] = 0


@dataclasses.dataclass(frozen=True)
class Limits:
    """Bounds on programs that are read, and on memory; 0 means the library's default (docs/explain/execution.md)."""

    max_ops: int = 0
    max_depth: int = 0
    max_attr_items: int = 0
    max_bytes: int = 0


@dataclasses.dataclass(frozen=True)
class Options:
    """How a model is made. None and 0 mean the library's defaults."""

    pipeline: str | None = None
    """"compile", "kernels", or pipeline text."""
    target: str | None = None
    """A processor ("native", "x86-64-v3", ..) or a kind of device."""
    math: str | None = None
    """"strict", "fast", "bf16" or "int8"."""
    cache: str | os.PathLike[str] | None = None
    """Folder of compiled code and prepared models."""
    machine: str | None = None
    """Costs by which code is chosen: "table", "measured", or None: measured ones where there is a cache (docs/explain/targets.md)."""
    compile_threads: int = 0
    compiler: str | None = None
    """Where LLVM runs: "server", a process of its own, or "process"."""
    any_float: bool = False
    """f16 and bf16 compute wherever f32 does."""
    device_number: int = 0
    custom_ops: Sequence[str | os.PathLike[str]] = ()
    """Shared libraries that export custom ops."""
    ops: Sequence[str | os.PathLike[str]] = ()
    """Files that declare operators in the language of libpir's own (docs/steps/user-ops.md); they include no others."""
    show: Sequence[str] = ()
    """Values in between that become outputs too: "%12" as the program prints, or names of its file (docs/explain/execution.md)."""
    replaceable: bool = False
    """Weights can be given other values later (Model.replace_weights)."""
    passes: Sequence[str | os.PathLike[str]] = ()
    """Shared libraries of passes that `pipeline` may name (docs/steps/add-a-pass.md); of load and load_bytes."""
    code_listener: CodeListener | None = None
    """Hears of the model's code; of load and load_bytes."""
    log_level: str | None = None
    """What Model.diagnostics has: "errors", "warnings" or "remarks", which tell what became one kernel; of load and load_bytes."""
    limits: Limits = Limits()
    max_seconds: float = 0
    """After which loading ends with CancelledError."""
    cancel: Cancel | None = None
    progress: Report | None = None


class _Custom:
    """The operators of some libraries and of some files of declarations."""

    def __init__(self, libraries: Sequence[str | os.PathLike[str]], files: Sequence[str | os.PathLike[str]],
                 diagnostics: Diagnostics) -> None:
        out = ffi.new("pir_custom_set **")
        _check(lib.pir_custom_set_create(ffi.NULL, out))
        self.set = ffi.gc(out[0], lib.pir_custom_set_destroy)
        message = ffi.new("pir_message *")
        for library in libraries:
            status = lib.pir_custom_set_load(self.set, os.fsencode(library), message)
            if status:
                raise failure(status, [], text_of(ffi.cast("char *", message.text)))
        for file in files:
            name, how = Text(os.fsencode(file)), sized("pir_ops_options")
            how.file, how.sink = name.view, diagnostics.sink
            with open(file, "rb") as declarations:
                text = Text(declarations.read())
            diagnostics.check(lib.pir_custom_set_declare(self.set, text.view, how, message))


def _check(status: int, message: str = "") -> None:
    if status:
        raise failure(status, [], message)


_LOG_LEVELS = {None: "DEFAULT", "errors": "ERRORS", "warnings": "WARNINGS", "remarks": "REMARKS"}


def _log_level(name: str | None) -> int:
    if name not in _LOG_LEVELS:
        raise ValueError(f"no log level {name!r}; there are errors, warnings and remarks")
    return int(getattr(lib, f"PIR_LOG_{_LOG_LEVELS[name]}"))


def _nanoseconds(seconds: float) -> int:
    return max(1, int(seconds * 1e9)) if seconds else 0


class _Making:
    """One model on its way: the options in C, all that they point to, and what is reported."""

    def __init__(self, options: Options) -> None:
        self.diagnostics = Diagnostics()
        self.watch = Watch(options.progress, options.cancel._flag if options.cancel else None)
        self.custom = _Custom(options.custom_ops, options.ops, self.diagnostics) if options.custom_ops or options.ops else None
        self.c = sized("pir_model_options")
        self.texts = [self._text("pipeline", options.pipeline), self._text("target", options.target)]
        self.texts += [self._text("math", options.math), self._text("compiler", options.compiler), self._text("cache", options.cache)]
        self.texts += [self._text("machine", options.machine)]
        self.c.compile_threads, self.c.any_float = options.compile_threads, options.any_float
        self.c.device_number, self.c.replaceable = options.device_number, options.replaceable
        self.c.sink, self.c.progress = self.diagnostics.sink, self.watch.sink
        self.c.stop.cancel, self.c.stop.max_ns = self.watch.flag, _nanoseconds(options.max_seconds)
        for field in dataclasses.fields(Limits):
            setattr(self.c.limits, field.name, getattr(options.limits, field.name))
        self.shown = [ffi.new("char[]", name.encode()) for name in options.show]
        self.show = ffi.new("const char *[]", self.shown)
        self.c.show, self.c.show_count = self.show, len(self.shown)
        if self.custom:
            self.c.custom_ops = ffi.cast("struct pir_custom_set *", self.custom.set)
        self.passes = PassSet(options.passes) if options.passes else None
        if self.passes:
            self.c.passes = ffi.cast("struct pir_pass_set *", self.passes.set)
        self.listening = Listening(options.code_listener) if options.code_listener else None
        if self.listening:
            self.c.code_listener = self.listening.pointer
        self.c.log_level = _log_level(options.log_level)

    def _text(self, field: str, value: str | os.PathLike[str] | None) -> Any:
        text = ffi.NULL if value is None else ffi.new("char[]", os.fsencode(value))
        setattr(self.c, field, text)
        return text

    def made(self, make: Callable[[Any, Any], int], program: Program | None = None) -> Model:
        out = ffi.new("pir_model **")
        status = make(self.c, out)
        kept = self.custom, self.listening
        handle = ffi.gc(out[0], lambda handle, kept=kept: lib.pir_model_release(handle))
        return Model(handle, self.finish(status, program))

    def finish(self, status: int, program: Program | None = None) -> list[Diagnostic]:
        """Returns what was said on the way, of a program also by its context, or raises the error."""
        self.watch.finish()
        heard = self.diagnostics.take() + (program._context.diagnostics.take() if program else [])
        if status:
            raise failure(status, heard)
        return heard


class _Opening:
    """One compiled model on its way: the options in C, all that they point to, and what is reported."""

    def __init__(
        self,
        weights: str | os.PathLike[str] | None,
        target: str | None,
        any_owner: bool,
        code_listener: CodeListener | None,
        threads: int,
    ) -> None:
        self.diagnostics = Diagnostics()
        self.listening = Listening(code_listener) if code_listener else None
        self.c = sized("pir_open_options")
        self.c.sink, self.c.any_owner, self.c.threads = self.diagnostics.sink, any_owner, threads
        self.texts = [ffi.NULL if t is None else ffi.new("char[]", os.fsencode(t)) for t in (weights, target)]
        self.c.weights, self.c.target = self.texts
        if self.listening:
            self.c.code_listener = self.listening.pointer

    def opened(self, open_: Callable[[Any, Any], int]) -> Model:
        out = ffi.new("pir_model **")
        status = open_(self.c, out)
        handle = ffi.gc(out[0], lambda handle, kept=self.listening: lib.pir_model_release(handle))
        self.diagnostics.check(status)
        return Model(handle)


class _Texts:
    """Texts as an array of C; NULL for none."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._texts = [ffi.new("char[]", t.encode()) for t in texts]
        self.array = ffi.new("const char *[]", self._texts) if texts else ffi.NULL


_lent_bytes: dict[int, Any] = {}


def _lend(data: Any) -> Any:
    """Bytes-like `data` as a pir_borrowed: it is kept until the library releases it."""
    view = memoryview(data).cast("B")
    memory = ffi.from_buffer(view)
    key = ffi.new("char *")
    _lent_bytes[int(ffi.cast("uintptr_t", key))] = (key, memory)
    return ffi.new("pir_borrowed *", {"data": memory, "size": view.nbytes, "release": _give_back, "user": key})[0]


@ffi.callback("void(void *)")
def _give_back(key: Any) -> None:
    _lent_bytes.pop(int(ffi.cast("uintptr_t", key)), None)


class Model:
    """A compiled model. Any number of threads may use it at the same time."""

    def __init__(self, handle: Any, diagnostics: Sequence[Diagnostic] = ()) -> None:
        self._handle = handle
        self.diagnostics: tuple[Diagnostic, ...] = tuple(diagnostics)
        """What the library said while the model was made (Options.log_level)."""
        self.inputs: tuple[Port, ...] = tuple(self._ports(lib.pir_model_inputs, lib.pir_model_input))
        self.outputs: tuple[Port, ...] = tuple(self._ports(lib.pir_model_outputs, lib.pir_model_output))
        self._idle: list[Session] = []
        self._lock = threading.Lock()

    @staticmethod
    def load(
        path: str | os.PathLike[str], params: str | os.PathLike[str] | None = None, options: Options = Options()
    ) -> Model:
        """Loads a model of any format, a file or a folder, and compiles it. `params` is the file or folder of its parameters;
        None looks beside the program. Both are mapped and must not change while the model lives."""
        making = _Making(options)
        where = ffi.NULL if params is None else ffi.new("char[]", os.fsencode(params))
        name = ffi.new("char[]", os.fsencode(path))
        return making.made(lambda c, out: lib.pir_model_load_file(name, where, c, out))

    @staticmethod
    def load_bytes(program: Any, params: Any = None, options: Options = Options()) -> Model:
        """Does the same from bytes in memory. `params` holds a combined parameter file, which is used in place and must
        not change while the model lives."""
        making = _Making(options)
        nothing = ffi.new("pir_borrowed *")[0]
        lent = _lend(program), nothing if params is None else _lend(params)
        return making.made(lambda c, out: lib.pir_model_load(*lent, c, out))

    @staticmethod
    def create(program: Program, options: Options = Options()) -> Model:
        """Compiles a program, which stays as it is; the model uses its parameters in place."""
        making = _Making(options)
        with program._context.lock:
            return making.made(lambda c, out: lib.pir_model_create(program._handle, c, out), program)

    # ---- compiled ahead (docs/explain/compiled.md)

    @staticmethod
    def compile(program: Program, targets: Sequence[str] = (), options: Options = Options()) -> bytes:
        """The bytes of a compiled model with code for these targets, by default for this processor: what `open` opens."""
        making, listed, out = _Making(options), _Texts(targets), Written()
        with program._context.lock:
            status = lib.pir_model_compile(program._handle, making.c, listed.array, len(targets), out.writer)
            making.finish(status, program)
        return out.bytes()

    @staticmethod
    def compile_apart(
        program: Program, weights_name: str, targets: Sequence[str] = (), options: Options = Options()
    ) -> tuple[bytes, bytes]:
        """The bytes of a compiled model, and those of a file of its weights, which the model seeks by this name beside it."""
        making, listed, out, weights = _Making(options), _Texts(targets), Written(), Written()
        name = ffi.new("char[]", os.fsencode(weights_name))
        with program._context.lock:
            status = lib.pir_model_compile_apart(
                program._handle, making.c, listed.array, len(targets), name, weights.writer, out.writer
            )
            making.finish(status, program)
        return out.bytes(), weights.bytes()

    @staticmethod
    def open(
        path: str | os.PathLike[str],
        weights: str | os.PathLike[str] | None = None,
        target: str | None = None,
        any_owner: bool = False,
        code_listener: CodeListener | None = None,
        threads: int = 0,
    ) -> Model:
        """Opens a compiled model, whose code runs with the rights of the process. Its files are mapped and must not change while
        the model lives. `weights`: the file of weights, of a model that has them in one; None: the one that it names, beside it.
        `target`: which of the file's targets to take; None: the best one for this processor. `any_owner`: opens also a file
        that others may write. `threads`: that compute and pack weights, of a file that has them as the program has them;
        0: the number of processors."""
        opening, name = _Opening(weights, target, any_owner, code_listener, threads), ffi.new("char[]", os.fsencode(path))
        return opening.opened(lambda c, out: lib.pir_model_open_file(name, c, out))

    @staticmethod
    def open_bytes(
        file: Any,
        weights: str | os.PathLike[str] | None = None,
        target: str | None = None,
        any_owner: bool = False,
        code_listener: CodeListener | None = None,
        threads: int = 0,
    ) -> Model:
        """Does the same from bytes in memory. A model that has its weights in a file needs `weights`."""
        opening, lent = _Opening(weights, target, any_owner, code_listener, threads), _lend(file)
        return opening.opened(lambda c, out: lib.pir_model_open(lent, c, out))

    def _ports(self, count: Callable[[Any], int], get: Callable[[Any, int, Any], int]) -> Any:
        for i in range(count(self._handle)):
            port = sized("pir_port")
            _check(get(self._handle, i, port))
            name, dtype = text_of(port.name), _arrays.dtype_name(port.dtype)
            if port.rank < 0:
                yield Port(name, dtype, None)
                continue
            dims = tuple(text_of(port.dims[d]) for d in range(port.rank))
            ranges = tuple((port.least[d], port.most[d] if port.most[d] < 2**63 - 1 else None) for d in range(port.rank))
            yield Port(name, dtype, tuple(port.shape[0 : port.rank]), dims, ranges)

    @property
    def stats(self) -> dict[str, int]:
        """Numbers about the model: ops, instructions, kernels, bytes, nanoseconds (pir_model_stats)."""
        return _numbers("pir_model_stats", lib.pir_model_stats_of, self._handle)

    @property
    def weights(self) -> tuple[Port, ...]:
        """The parameters that replace_weights takes; none unless the model was made with `replaceable`."""
        return tuple(self._ports(lib.pir_model_weights, lib.pir_model_weight))

    def replace_weights(self, weights: Mapping[str, Any]) -> Model:
        """A model with these arrays as parameters of these names, and the other weights of this one. Nothing is compiled."""
        ports = {p.name: p for p in self.weights}
        arrays = [_arrays.as_array(value, ports[name].dtype if name in ports else "float32") for name, value in weights.items()]
        kept = [(Text(name), _arrays.tensor_of(array)) for name, array in zip(weights, arrays)]
        entries = ffi.new("pir_weight[]", len(kept))
        for entry, (name, tensor) in zip(entries, kept):
            entry.name, entry.tensor = name.view, tensor[0]
        message, out = ffi.new("pir_message *"), ffi.new("pir_model **")
        status = lib.pir_model_replace_weights(self._handle, entries, len(kept), message, out)
        _check(status, text_of(ffi.cast("char *", message.text)))
        return Model(ffi.gc(out[0], lambda handle, kept=self._handle: lib.pir_model_release(handle)))

    @property
    def info(self) -> dict[str, str | int]:
        """Where the model comes from: format, versions, ops and parameters as they were loaded (pir_model_info)."""
        found = sized("pir_model_info")
        _check(lib.pir_model_info_of(self._handle, found))
        fields = {name: getattr(found, name) for name, _ in ffi.typeof("pir_model_info").fields if name != "size"}
        return {name: value if isinstance(value, int) else text_of(value) for name, value in fields.items()}

    @property
    def op_counts(self) -> dict[str, int]:
        """The ops of the program as it was loaded, by name, those of regions included."""
        count, counts = sized("pir_op_count"), {}
        for i in range(int(self.info["op_names"])):
            _check(lib.pir_model_op_count(self._handle, i, count))
            counts[text_of(count.name)] = int(count.count)
        return counts

    def session(self, **options: Any) -> Session:
        """A session of this model; the arguments are those of Session."""
        return Session(self, **options)

    def run(self, inputs: Inputs) -> list[np.ndarray[Any, Any]]:
        """Runs the model on one thread in a session that is kept for later calls. Threads may call it at the same time."""
        with self._lock:
            session = self._idle.pop() if self._idle else Session(self)
        try:
            return session.run(inputs)
        finally:
            with self._lock:
                self._idle.append(session)

    def __repr__(self) -> str:
        ports = (", ".join(f"{p.name}: {p.dtype}{list(p.shape or [])}" for p in side) for side in (self.inputs, self.outputs))
        return "Model({} -> {})".format(*ports)


def _numbers(kind: str, get: Callable[[Any, Any], int], handle: Any) -> dict[str, int]:
    stats = sized(kind)
    _check(get(handle, stats))
    return {name: getattr(stats, name) for name, _ in ffi.typeof(kind).fields if name != "size"}


class Arena:
    """Memory that sessions share which run in turn: it grows to the largest need of a session, not to the sum. A run while
    another session runs in it raises InvalidError."""

    def __init__(self) -> None:
        out = ffi.new("pir_session_arena **")
        _check(lib.pir_session_arena_create(ffi.NULL, out))
        self._handle = ffi.gc(out[0], lib.pir_session_arena_release)

    @property
    def bytes(self) -> int:
        """The bytes that it holds."""
        return int(lib.pir_session_arena_bytes(self._handle))

    def trim(self) -> int:
        """Frees the memory until a session needs it again; returns the bytes, 0 while a session runs."""
        return int(lib.pir_session_arena_trim(self._handle))


class Session:
    """Runs a model. One thread at a time uses a session; another one gets RuntimeError.

    Arrays that `run(copy=False)` and `output` return lie in memory of the session. While one of them is alive the session
    cannot run again or be closed (BufferError), as a bytearray cannot grow while somebody looks at it.
    """

    def __init__(
        self,
        model: Model,
        threads: int = 1,
        max_bytes: int = 0,
        max_seconds: float = 0,
        seed: int = 0,
        cancel: Cancel | None = None,
        progress: Report | None = None,
        arena: Arena | None = None,
        cpus: Sequence[int] = (),
        rings: Rings | None = None,
        flush_subnormals: bool = False,
    ) -> None:
        """`threads`: of the session's own pool. `max_bytes`: of arena and results, 0 means the library's limit.
        `max_seconds`: of one run. `seed`: of random ops without one of their own. `arena`: shared with sessions that run in
        turn. `cpus`: processors that the pool's threads run on, the calling thread excepted (Linux). `rings`: of this rank of a distributed
        program, which must stay open while the session runs. `flush_subnormals`: numbers too small for their type's full precision
        are 0, as in Paddle's predictor."""
        self.model = model
        self._busy = threading.Lock()
        self._views: weakref.WeakSet[_arrays.Memory] = weakref.WeakSet()
        # Arrays that the library has addresses of.
        self._bound: dict[int, Any] = {}
        self._given: dict[int, np.ndarray[Any, Any]] = {}
        self._aliases: dict[int, int] = {}
        # The key of what generates with this session, which nothing else runs, until it is destroyed.
        self._generation: object | None = None
        # Generations that were dropped while a thread used the session, with what they tell.
        self._ended: list[tuple[Any, Diagnostics]] = []
        self._watch = Watch(progress, cancel._flag if cancel else None)
        diagnostics = Diagnostics()
        options = sized("pir_session_options")
        options.threads, options.max_bytes, options.seed = threads, max_bytes, seed
        options.max_ns, options.cancel = _nanoseconds(max_seconds), self._watch.flag
        options.sink, options.progress = diagnostics.sink, self._watch.sink
        options.flush_subnormals = flush_subnormals
        if arena is not None:
            options.arena = ffi.cast("struct pir_session_arena *", arena._handle)
        if rings is not None:
            options.rings = rings._open()
        processors = ffi.new("int[]", list(cpus))
        options.cpus, options.cpu_count = processors, len(cpus)
        out = ffi.new("pir_session **")
        diagnostics.check(lib.pir_session_create(model._handle, options, out))
        kept = model._handle, self._watch, processors, rings
        self._handle: Any = ffi.gc(out[0], lambda s, kept=kept: lib.pir_session_destroy(s))

    def run(
        self, inputs: Inputs, outputs: Inputs | None = None, copy: bool = True
    ) -> list[np.ndarray[Any, Any]]:
        """Runs the model and returns its outputs in the order of the program.

        `inputs`: one array for each input, in order or by name. Arrays, and objects with __dlpack__, are read in place; element
        types must be those of the ports, and shapes must fit them (InvalidError). Numbers and lists are converted. Sequences
        are an array with offsets. Strings are arrays of str, bytes or objects of both, copied as UTF-8 or as they are; they
        come out as an array of objects: str, and bytes where a string is not UTF-8.
        `outputs`: arrays for some of the outputs, which are written in place and returned: contiguous, writable, of the
        element type and shape that the run gives. The others are copied out of the session, or with `copy=False` lie in it.
        """
        with self._used():
            self._bind_inputs(inputs)
            given = self._bind_outputs(outputs or {})
            status = lib.pir_session_run(self._handle)
            self._watch.finish()
            self._check(status)
            return [given[i] if i in given else self._output(i, copy) for i in range(len(self.model.outputs))]

    def output(self, which: int | str) -> np.ndarray[Any, Any]:
        """An output of the last run, by number or name, in memory of the session: a read-only array. Strings are copied."""
        with self._used(runs=False):
            return self._output(_index(which, self.model.outputs, "output"), copy=False)

    def offsets(self, which: int | str) -> list[list[int]]:
        """The offsets of the sequences in an output of the last run, by level; none if it has no sequences (Sequences)."""
        with self._used(runs=False):
            tensor = ffi.new("pir_tensor *")
            self._check(lib.pir_session_output(self._handle, _index(which, self.model.outputs, "output"), tensor))
            return _arrays.offsets_of(tensor)

    def alias(self, output: int | str, input: int | str | None, most: int = 0) -> None:
        """Makes an output the input of the next run, where it lies (pir_session_alias): a cache that each run extends.

        After a run the input is the output, and `run` need not be given it; giving it starts anew. `most`: room for so many
        elements along the axis that grows; 0 lets it grow by doubling. `input` None ends the alias. An array that an op writes
        in place has to be writable and contiguous."""
        with self._used():
            out = _index(output, self.model.outputs, "output")
            into = ffi.cast("size_t", -1) if input is None else _index(input, self.model.inputs, "input")
            self._check(lib.pir_session_alias(self._handle, out, into, most))
            if input is None:
                self._aliases.pop(out, None)
            else:
                self._aliases[out] = into

    def generate(self, prompt: Any, inputs: Inputs | None = None, **choice: Any) -> Generation:
        """Makes tokens after a prompt: `for token in session.generate([15, 7], max_tokens=100, stops=[2])`.

        `prompt`: ids, or several lists of them of one length, for as many sequences. `inputs`: values of other inputs than ids
        and caches, by name; what a cache is given here is what it begins with: an op that works in place writes into that
        array, or into a copy if it is read-only. `choice`: fields of `Choice`. Inputs of earlier runs are forgotten. The tokens
        are those of the same seed for any number of threads."""
        how = Choice(**choice)
        with self._used():
            pairs = _by_index(inputs or {}, self.model.inputs, "input")
            self._unbind(set(range(len(self.model.inputs))) - {i for i, _ in pairs} - set(self._aliases.values()))
            self._bind(pairs, self._caches(how))
        return Generation(self, prompt, how)

    def search(self, prompt: Any, inputs: Inputs | None = None, best: int = 1, **choice: Any) -> list[Beam]:
        """The most probable answers to a prompt, at most `best`: `session.search([15, 7], beams=4, max_tokens=100, stops=[2])`.
        The model's batch has `beams` rows. Arguments are those of `generate`."""
        with self.generate(prompt, inputs, **choice) as generation:
            return generation.search(best)

    def _caches(self, how: Choice) -> set[int]:
        """The inputs that are caches, as pir_generation_create finds them."""
        names = [p.name for p in self.model.inputs]
        if how.caches is not None:
            return {names.index(name) for name in how.caches.values() if name in names}
        others = [i for i, p in enumerate(self.model.inputs) if p.dtype not in ("int64", "int32")]
        return set(others[: len(self.model.outputs) - 1])

    def _end(self, generation: Any, heard: Diagnostics) -> None:
        """Destroys a generation, or, while arrays over outputs may lie in its caches, before a use behind them."""
        if len(self._views):
            self._ended.append((generation, heard))
        else:
            self._destroy(generation)

    def _destroy(self, generation: Any) -> None:
        lib.pir_generation_destroy(generation)
        self._generation = None

    def prepare(self, inputs: Inputs) -> None:
        """Plans for the shapes of these inputs, so that the first run takes no longer than others."""
        with self._used():
            self._bind_inputs(inputs)
            self._check(lib.pir_session_prepare(self._handle))

    def trim(self) -> int:
        """Frees memory that the last shapes do not need; returns the bytes."""
        with self._used():
            return int(lib.pir_session_trim(self._handle))

    @property
    def stats(self) -> dict[str, int]:
        """Numbers about the session: bytes, runs, plans (pir_session_stats)."""
        with self._used(runs=False):
            return _numbers("pir_session_stats", lib.pir_session_stats_of, self._handle)

    def close(self) -> None:
        """Frees the session's memory. It cannot be used any more."""
        with self._used():
            ffi.release(self._handle)
            self._handle = None
            self._bound, self._given = {}, {}

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *_: Any) -> None:
        if self._handle is not None:
            self.close()

    def _used(self, runs: bool = True, by: object = None) -> _Use:
        return _Use(self, runs, by)

    def _check(self, status: int) -> None:
        _check(status, text_of(lib.pir_session_message(self._handle)))

    def _bind_inputs(self, inputs: Inputs) -> None:
        ports = self.model.inputs
        pairs = _by_index(inputs, ports, "input")
        missing = set(range(len(ports))) - {i for i, _ in pairs} - set(self._aliases.values())
        if missing or len(pairs) > len(ports):
            raise ValueError(f"the model has {len(ports)} inputs, {len(inputs)} are given")
        self._bind(pairs)

    def _unbind(self, inputs: set[int]) -> None:
        for i in inputs:
            lib.pir_session_bind_input(self._handle, i, ffi.NULL)  # it fails, and ends the binding
            self._bound.pop(i, None)

    def _bind(self, pairs: list[tuple[int, Any]], copied: set[int] | None = None) -> None:
        """`copied`: inputs whose arrays are copied if they are read-only, for a run may write into them."""
        ports = self.model.inputs
        for i, value in pairs:
            offsets = value.offsets if isinstance(value, _arrays.Sequences) else []
            array = _arrays.as_array(value.array if isinstance(value, _arrays.Sequences) else value, ports[i].dtype)
            if copied and i in copied and not array.flags.writeable:
                array = array.copy()
            if i in self._aliases.values() and not array.flags.writeable:
                raise ValueError(f"input {i} may be written in place, and the array is read-only")
            tensor = _arrays.tensor_of(array)
            kept = _arrays.set_offsets(tensor, offsets) if offsets else None
            self._check(lib.pir_session_bind_input(self._handle, i, tensor))
            self._bound[i] = array, tensor, kept

    def _bind_outputs(self, outputs: Inputs) -> dict[int, np.ndarray[Any, Any]]:
        given = {}
        for i in range(len(self.model.outputs)):
            self._check(lib.pir_session_bind_output(self._handle, i, ffi.NULL))
        for i, array in _by_index(outputs, self.model.outputs, "output"):
            if self.model.outputs[i].dtype == _arrays.STRINGS:
                raise ValueError(f"output {i} has strings, which are not written in place")
            if not isinstance(array, np.ndarray) or not array.flags.carray or not array.dtype.isnative:
                raise ValueError(f"output {i} has to be a contiguous, writable array")
            self._check(lib.pir_session_bind_output(self._handle, i, _arrays.tensor_of(array)))
            given[i] = array
        self._given = given
        return given

    def _output(self, i: int, copy: bool) -> np.ndarray[Any, Any]:
        tensor = ffi.new("pir_tensor *")
        self._check(lib.pir_session_output(self._handle, i, tensor))
        if copy or tensor.dtype == lib.PIR_PSTRING:
            return _arrays.copied(tensor)
        memory = _arrays.Memory(tensor, self)
        self._views.add(memory)
        return memory.array()


class _Use:
    """One thread's use of a session; a use that `runs` ends the life of outputs in the session's memory."""

    def __init__(self, session: Session, runs: bool, by: object) -> None:
        self.session, self.runs, self.by = session, runs, by

    def __enter__(self) -> None:
        if not self.session._busy.acquire(blocking=False):
            raise RuntimeError("another thread uses the session")
        try:
            if self.session._handle is None:
                raise ValueError("the session is closed")
            while self.session._ended and not len(self.session._views):
                self.session._destroy(self.session._ended.pop()[0])
            if self.runs and len(self.session._views):
                raise BufferError("arrays over the outputs of the last run are still in use")
            if self.runs and self.session._generation not in (None, self.by):
                raise RuntimeError("a generation uses the session: close it")
        except BaseException:
            self.session._busy.release()
            raise

    def __exit__(self, *_: Any) -> None:
        self.session._busy.release()


def _index(which: int | str, ports: tuple[Port, ...], kind: str) -> int:
    names = [p.name for p in ports]
    if isinstance(which, str) and which in names:
        return names.index(which)
    if isinstance(which, int) and 0 <= which < len(ports):
        return which
    raise KeyError(f"the model has no {kind} {which!r}; it has {', '.join(names)}")


def _by_index(values: Inputs, ports: tuple[Port, ...], kind: str) -> list[tuple[int, Any]]:
    pairs = values.items() if isinstance(values, Mapping) else enumerate(values)
    return [(_index(which, ports, kind), value) for which, value in pairs]
