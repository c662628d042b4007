"""The call that every client makes most, told and answered as bytes: one step of a synchronous world."""

from __future__ import annotations

import msgpack

__all__ = ["answer", "number"]

_HEAD = b"\x94\x00"
_TAIL = b"\xa8tick_cue\x91\x91\xc2"
"""Its name, and arguments that are metadata alone: the answer is waited for."""

# How MessagePack begins a number, by the bytes that it takes.
_FORMS = {1: range(0x80), 2: (0xCC,), 3: (0xCD,), 5: (0xCE,)}
_ANSWER_HEAD = b"\x94\x01"
_ANSWER_TAIL = b"\xc0\x91\x92\x01"


def number(data: bytes) -> bytes | None:
    """The packed number of the call, when `data` is one plain tick and nothing else."""
    if not (data.endswith(_TAIL) and data.startswith(_HEAD)):
        return None
    packed = data[len(_HEAD) : -len(_TAIL)]
    return packed if packed and packed[0] in _FORMS.get(len(packed), ()) else None


def answer(packed_number: bytes, frame: int) -> bytes:
    """The response to it: as `MethodTable.answer` packs one with the value `frame`."""
    return _ANSWER_HEAD + packed_number + _ANSWER_TAIL + msgpack.packb(frame)
