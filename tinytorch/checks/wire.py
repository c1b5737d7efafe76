"""How values travel between a check and the code: plain JSON, arrays as type, shape and base64. No pickle."""
from __future__ import annotations

import base64
import json
import struct

import numpy as np

from .handles import Handle

LARGEST = 1 << 28  # bytes of one message; more is an error, not an allocation


def pack(value):
    """`value` as something that JSON can hold."""
    if isinstance(value, Handle):
        return {"handle": value.key}
    if isinstance(value, np.ndarray):
        if value.dtype.kind not in "biuf":
            raise TypeError(f"an array of {value.dtype} cannot travel")
        data = base64.b64encode(value.tobytes()).decode("ascii")
        return {"array": [value.dtype.str, list(value.shape), data]}
    if isinstance(value, tuple):
        return {"tuple": [pack(item) for item in value]}
    if isinstance(value, list):
        return [pack(item) for item in value]
    if isinstance(value, dict):
        return {"dict": [[pack(key), pack(item)] for key, item in value.items()]}
    if value is None or type(value) in (bool, int, float, str):
        return value
    raise TypeError(f"{type(value).__name__} cannot travel; use lists, numbers, text and arrays")


def unpack(packed, handle):
    """The value again, a new one; `handle(key)` finds what a handle stands for."""
    if isinstance(packed, list):
        return [unpack(item, handle) for item in packed]
    if not isinstance(packed, dict):
        return packed
    (kind, inner), = packed.items()
    if kind == "array":
        dtype, shape, data = inner
        if np.dtype(dtype).kind not in "biuf":
            raise ValueError(f"an array of {dtype} cannot travel")
        return np.frombuffer(base64.b64decode(data), dtype).reshape(shape).copy()
    if kind == "tuple":
        return tuple(unpack(item, handle) for item in inner)
    if kind == "dict":
        return {unpack(key, handle): unpack(item, handle) for key, item in inner}
    if kind == "handle":
        return handle(inner)
    raise ValueError(f"unknown kind of value {kind!r}")


def send(stream, message) -> None:
    """Write one message: its length in four bytes, then JSON."""
    data = json.dumps(message).encode("utf-8")
    stream.write(struct.pack(">I", len(data)) + data)
    stream.flush()


def receive(stream):
    """Read one message; None where the stream has ended."""
    head = stream.read(4)
    if len(head) < 4:
        return None
    length, = struct.unpack(">I", head)
    if length > LARGEST:
        raise ValueError(f"a message of {length} bytes; at most {LARGEST} are allowed")
    data = stream.read(length)
    return json.loads(data) if len(data) == length else None
