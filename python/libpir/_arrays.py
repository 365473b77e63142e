"""NumPy arrays over the memory of tensors, and tensors over the memory of arrays. Nothing here copies but where it says so.

Strings are copied both ways: NumPy keeps them in objects of Python, or in elements of one size.
"""
from __future__ import annotations

from typing import Any, Sequence

import numpy as np

from ._native import ffi, lib, text_of


STRINGS = "pstring"
"""The name of the element type of strings."""


def dtype_name(dtype: int) -> str:
    """Paddle's name of an element type, which is NumPy's where NumPy has it: "float32", "bfloat16"."""
    return text_of(lib.pir_dtype_name(dtype))


def numpy_dtype(name: str) -> np.dtype[Any]:
    """NumPy's element type of a name. Those that NumPy lacks (bfloat16, float8_*) come from the package ml_dtypes."""
    try:
        found: np.dtype[Any] = np.dtype(name)
    except TypeError:
        try:
            import ml_dtypes
        except ImportError:
            raise TypeError(f"NumPy has no {name}: please install ml_dtypes") from None
        found = np.dtype(getattr(ml_dtypes, name))
    return found


def dtype_number(dtype: np.dtype[Any]) -> int:
    """The library's number of NumPy's element type. Raises TypeError where it has none."""
    name = dtype.name.encode()
    found = lib.pir_dtype_from_name(ffi.new("pir_str *", {"data": ffi.from_buffer(name), "size": len(name)})[0])
    if found == lib.PIR_DTYPE_NONE or found == lib.PIR_PSTRING:
        raise TypeError(f"tensors have no elements of type {dtype}")
    return int(found)


def as_array(value: Any, dtype: str) -> np.ndarray[Any, Any]:
    """The array that `value` is, without a copy: an array, or an object with __dlpack__ on the processor. Numbers and nested
    lists become an array of element type `dtype`; strings become objects, which keep NULs at their end."""
    if isinstance(value, np.ndarray):
        return value
    if dtype == STRINGS:
        return np.array(value, object)
    if hasattr(value, "__dlpack__"):
        return np.from_dlpack(value)
    if hasattr(value, "__array__") or hasattr(value, "__array_interface__"):
        return np.asarray(value)
    return np.asarray(value, numpy_dtype(dtype))


def _bytes_of(text: Any) -> bytes:
    if isinstance(text, bytes):
        return text
    if isinstance(text, str):
        return text.encode()
    raise TypeError(f"an element of strings has to be str or bytes, not {type(text).__name__}")


def _strings_tensor(tensor: Any, array: np.ndarray[Any, Any]) -> Any:
    """Makes `tensor` one of copies of the strings: str as UTF-8, and bytes as they are."""
    texts = [_bytes_of(text) for text in array.ravel().tolist()]
    memory = ffi.from_buffer(b"".join(texts))
    elements, at = ffi.new("pir_str[]", len(texts)), 0
    for element, text in zip(elements, texts):
        element.data, element.size = memory + at, len(text)
        at += len(text)
    extents = ffi.new("int64_t[]", array.shape)
    lib.pir_tensor_set_dense(tensor, lib.PIR_PSTRING, extents, array.ndim)
    tensor.data = elements
    return ffi.gc(tensor, lambda _, kept=(memory, elements): None)


def tensor_of(array: np.ndarray[Any, Any]) -> Any:
    """A pir_tensor over the elements of an array, which must outlive it. An array of the other byte order, or one whose
    strides are no multiples of its elements, is copied; the copy lives as long as the tensor. So are strings: arrays of str,
    bytes, or objects that are one or the other."""
    tensor = ffi.new("pir_tensor *")
    if array.ndim > len(tensor.shape):
        raise ValueError(f"tensors have at most {len(tensor.shape)} axes, the array has {array.ndim}")
    if array.dtype.kind in "OSUT":
        return _strings_tensor(tensor, array)
    if not array.dtype.isnative or any(s % array.itemsize for s in array.strides) or not array.flags.aligned:
        array = np.array(array, array.dtype.newbyteorder("="), order="C")
    tensor.dtype, tensor.rank = dtype_number(array.dtype), array.ndim
    tensor.shape[0 : array.ndim] = array.shape
    tensor.strides[0 : array.ndim] = [s // array.itemsize for s in array.strides]
    tensor.data = ffi.cast("void *", array.ctypes.data)
    return ffi.gc(tensor, lambda _, kept=array: None)


class Sequences:
    """Sequences of different lengths, stored one after another in the rows of an array (level of detail).

    `offsets` has one list for each level: it begins with 0, does not fall, and ends with the number of sequences of the next
    level; the last one ends with the number of rows. Sequences([[1.], [2.], [3.]], [[0, 1, 3]]) are one row, and two rows.
    """

    def __init__(self, array: Any, offsets: Sequence[Sequence[int]]) -> None:
        self.array = array
        self.offsets = [[int(at) for at in level] for level in offsets]

    def __repr__(self) -> str:
        return f"Sequences({self.array!r}, {self.offsets})"


def set_offsets(tensor: Any, offsets: Sequence[Sequence[int]]) -> Any:
    """Sets the offsets of a pir_tensor; returns the arrays that hold them, which must outlive it."""
    levels = [ffi.new("uint64_t[]", level) for level in offsets]
    pointers, sizes = ffi.new("const uint64_t *[]", levels), ffi.new("size_t[]", [len(level) for level in offsets])
    tensor.lod, tensor.lod_sizes, tensor.lod_levels = pointers, sizes, len(levels)
    return levels, pointers, sizes


def offsets_of(tensor: Any) -> list[list[int]]:
    """The offsets of a pir_tensor, by level."""
    return [list(tensor.lod[i][0 : tensor.lod_sizes[i]]) for i in range(tensor.lod_levels)]


class Memory:
    """Elements of a tensor as NumPy takes them. An array over them keeps this object alive, and this object its owner."""

    def __init__(self, tensor: Any, owner: Any) -> None:
        dtype = numpy_dtype(dtype_name(tensor.dtype))
        self.owner = owner
        self.dtype = dtype
        self.shape: Sequence[int] = tuple(tensor.shape[0 : tensor.rank])
        strides = tuple(s * dtype.itemsize for s in tensor.strides[0 : tensor.rank])
        self.__array_interface__ = {
            "version": 3,
            "shape": self.shape,
            # Types that NumPy does not know by themselves are bytes until they are viewed.
            "typestr": f"|V{dtype.itemsize}" if dtype.kind == "V" else dtype.str,
            "strides": strides,
            "data": (int(ffi.cast("uintptr_t", tensor.data)) or 1, True),
        }

    def array(self) -> np.ndarray[Any, Any]:
        """A read-only array over the elements."""
        found = np.asarray(self)
        return found.view(self.dtype) if found.dtype != self.dtype else found


def _text_of_bytes(data: bytes) -> str | bytes:
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data


def _strings_of(tensor: Any) -> np.ndarray[Any, Any]:
    """An array of objects: str, and bytes where a string is not UTF-8."""
    count = lib.pir_tensor_numel(tensor)
    dense, elements = ffi.new("pir_tensor *"), ffi.new("pir_str[]", count)
    lib.pir_tensor_set_dense(dense, tensor.dtype, tensor.shape, tensor.rank)
    dense.data = elements
    lib.pir_tensor_copy(tensor, dense)
    found = np.empty(count, object)
    found[:] = [_text_of_bytes(bytes(ffi.buffer(e.data, e.size)) if e.size else b"") for e in elements]
    return found.reshape(tuple(tensor.shape[0 : tensor.rank]))


def copied(tensor: Any) -> np.ndarray[Any, Any]:
    """A new array with the elements of a tensor."""
    if tensor.dtype == lib.PIR_PSTRING:
        return _strings_of(tensor)
    return np.array(Memory(tensor, None).array(), order="C")
