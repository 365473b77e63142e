"""One rank of MPI by the functions of libpir: `mpi_rank.py NAME LIBPIR OTHER`. Many splits, two worlds, another MPI, a ring that breaks."""
import ctypes as c
import sys
import time

STATUS, VOID = c.c_int, c.c_void_p
SPLITS = {"mpich": 2100, "openmpi": 200}  # more than MPICH has communicators


class Comm(c.Structure):
    names = "split all_reduce all_gather reduce_scatter all_to_all broadcast reduce send recv barrier fail free".split()
    _fields_ = [("size", c.c_size_t), ("rank", c.c_int32), ("ranks", c.c_int32)] + [(n, VOID) for n in names]


class Call(c.Structure):
    _fields_ = [("size", c.c_size_t), ("message", c.c_char_p), ("cancel", VOID), ("deadline", c.c_uint64)]


class Options(c.Structure):
    _fields_ = [("size", c.c_size_t), ("timeout_ns", c.c_uint64)]


name, lib, other = sys.argv[1], c.CDLL(sys.argv[2]), sys.argv[3:]
text = c.create_string_buffer(4096)
call = Call(c.sizeof(Call), c.cast(text, c.c_char_p), None, 0)


def world(mpi, seconds):
    made, how = c.POINTER(Comm)(), Options(c.sizeof(Options), int(seconds * 1e9))
    return lib.pir_comm_create_mpi(mpi.encode(), c.byref(how), c.byref(call), c.byref(made)), made


def split(comm, color):
    made = c.POINTER(Comm)()
    function = c.CFUNCTYPE(STATUS, VOID, VOID, c.c_int32, c.c_int32, VOID)(comm.contents.split)
    assert function(comm, c.byref(call), color, comm.contents.rank, c.byref(made)) == 0, text.value
    return made


def barrier(comm):
    return c.CFUNCTYPE(STATUS, VOID, VOID)(comm.contents.barrier)(comm, c.byref(call))


def free(comm):
    c.CFUNCTYPE(None, VOID)(comm.contents.free)(comm)


status, first = world(name, 20)
assert not status, text.value
rank = first.contents.rank
for i in range(SPLITS[name]):
    free(split(first, 0))
status, second = world(name, 1)
assert not status, text.value
for wrong in other:
    assert world(wrong, 1)[0] and b"another MPI" in text.value, text.value
free(first)
assert barrier(second) == 0, text.value
ring = split(second, 0)
if rank:
    time.sleep(30)  # the launcher ends it
assert barrier(ring) and b"rank 1 did not come within 1 s" in text.value, text.value
begun = time.monotonic()
free(ring)
free(second)
print("left after", "a moment" if time.monotonic() - begun < 10 else "long", flush=True)
sys.exit(3)
