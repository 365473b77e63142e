"""The rings of a distributed program: which ranks exchange tensors with each other (docs/explain/distributed.md)."""
from __future__ import annotations

from typing import Any

from ._native import Text, failure, ffi, lib, sized, text_of


class Rings:
    """The rings of one rank, for `Session(model, rings=...)`. Every ring id of a program means all ranks, until `read` says
    otherwise. One thread at a time uses them, each rank on a thread or in a process of its own; ranks meet while their
    sessions run, and all of them call `read` at the same time. They end, for the other ranks too, with `close`."""

    def __init__(self, comm: Any) -> None:
        out = ffi.new("pir_rings **")
        status = lib.pir_rings_create(comm, out)
        if status:
            comm.free(comm)
            raise failure(status, [], "")
        self.rank, self.ranks = int(comm.rank), int(comm.ranks)
        self._handle: Any = ffi.gc(out[0], lib.pir_rings_destroy)

    @staticmethod
    def threads(ranks: int, max_seconds: float = 0) -> list[Rings]:
        """The rings of ranks that are threads of this process, in the order of the ranks. `max_seconds`: how long a rank
        waits for others, 60 by default."""
        if not 0 < ranks <= 1024:
            raise ValueError(f"{ranks} ranks; 1 to 1024 are possible")
        comms = ffi.new("pir_comm *[]", ranks)
        status = lib.pir_comm_create_threads(ranks, _waiting(max_seconds), comms)
        if status:
            raise failure(status, [], "")
        return [Rings(comm) for comm in comms]

    @staticmethod
    def mpi(name: str, max_seconds: float = 0, nccl_device: int | None = None) -> Rings:
        """The rings of this process, which a launcher of MPI started: "openmpi" or "mpich". `nccl_device`: tensors move
        between CUDA devices by NCCL, and this one is the process's. UnavailableError: there is no module for this MPI,
        no NCCL, or no such device."""
        out, call, waiting = ffi.new("pir_comm **"), _Call(), _waiting(max_seconds)
        moving = None if nccl_device is None else _moving(nccl_device, max_seconds)
        call.check(lib.pir_comm_create_mpi(name.encode(), waiting, call.struct, out))
        return Rings(_over_nccl(out[0], moving) if moving else out[0])

    def read(self, text: str) -> None:
        """Reads which ranks a ring id means, as in a comm-init file of Paddle Inference."""
        given, call = Text(text), _Call()
        call.check(lib.pir_rings_read(self._open(), given.view, call.struct))

    def close(self) -> None:
        """Leaves the rings: ranks that wait for this one fail. No session may run with them any more."""
        handle, self._handle = self._handle, None
        if handle is not None:
            ffi.release(handle)

    def _open(self) -> Any:
        if self._handle is None:
            raise ValueError("the rings are closed")
        return self._handle


class _Call:
    """What a call of the library tells when it fails."""

    def __init__(self) -> None:
        self.message = ffi.new("pir_message *")
        self.struct = sized("pir_comm_call")
        self.struct.message = self.message

    def check(self, status: int) -> None:
        if status:
            raise failure(status, [], text_of(ffi.addressof(self.message.text, 0)))


def _over_nccl(host: Any, options: Any) -> Any:
    """The communicator of the same ranks whose tensors NCCL moves. It owns `host`, which is freed if there is none."""
    out, call = ffi.new("pir_comm **"), _Call()
    try:
        call.check(lib.pir_comm_create_nccl(host, options, call.struct, out))
    except BaseException:
        host.free(host)
        raise
    return out[0]


def _waiting(max_seconds: float) -> Any:
    options = sized("pir_comm_options")
    options.timeout_ns = int(max_seconds * 1e9)
    return options


def _moving(device: int, max_seconds: float) -> Any:
    options = sized("pir_nccl_options")
    options.timeout_ns, options.device_number = int(max_seconds * 1e9), device
    return options
