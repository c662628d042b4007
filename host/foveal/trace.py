"""A recorded drive: everything that its frames are made from, in one file, replayed without a server.

The file is a magic line and then records: u32 length, u32 CRC-32, payload (zlib over MessagePack; arrays as dtype,
shape, bytes). First the header with the static scene, then a record a tick, at last an end record. A drive that stops
early leaves whole ticks behind; the file gets its name when it is closed, and until then it has the suffix `.partial`.
"""

from __future__ import annotations

import os
import struct
import zlib
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Self

import msgpack
import numpy as np

from foveal.drawlist import DrawList, Zone
from foveal.errors import SceneError
from foveal.scene.assemble import SUN, Scene, build_scene, draw_list
from foveal.scene.static import StaticScene
from foveal.scene.tick import CameraMount, Tick

__all__ = ["PARTIAL", "Trace", "TraceWriter"]

PARTIAL = ".partial"
"""Suffix of a trace that is still written, or whose writer was killed."""

_MAGIC = b"foveal trace 1\n"
_HEAD = struct.Struct("<II")
_LONGEST_RECORD = 1 << 30
_LONGEST_CONTENT = 1 << 30


@dataclass(frozen=True, slots=True)
class Trace:
    """A drive. `scene` and `draws` need nothing else, and give the same bits each time.

    sun: direction to the sun in the scene's axes. zone: where texture DMA is armed. seed: of the drive's random
    choices. versions: of what made the drive (client, server, foveal). interrupted: why it ended early, or "".
    """

    static: StaticScene
    mount: CameraMount
    ticks: tuple[Tick, ...]
    sun: tuple[float, float, float] = SUN
    zone: Zone | None = None
    seed: int = 0
    versions: dict[str, str] = field(default_factory=dict)
    interrupted: str = ""

    def scene(self) -> Scene:
        """Meshes for the whole drive, from the static scene and the first tick."""
        return build_scene(self.static, self.ticks[0] if self.ticks else None)

    def draws(self, scene: Scene) -> Iterator[DrawList]:
        """A draw list for each tick."""
        for tick in self.ticks:
            yield draw_list(scene, tick, self.mount, self.sun, self.zone)

    def save(self, path: Path | str) -> None:
        """Write the trace to `path`, whole or not at all."""
        with TraceWriter(path, self.static, self.mount, self.sun, self.zone, self.seed, self.versions) as writer:
            for tick in self.ticks:
                writer.append(tick)
            writer.interrupted = self.interrupted

    @classmethod
    def load(cls, path: Path | str, salvage: bool = False) -> Trace:
        """Read a trace. salvage: accept a file that ends early and keep its whole ticks.

        Raises SceneError when the file is no trace, is damaged, or ends early without `salvage`.
        """
        path = Path(path)
        try:
            with path.open("rb") as file:
                return _read(file, path, salvage)
        except OSError as error:
            raise SceneError(f"trace {path} cannot be read: {error.strerror or error}") from error


class TraceWriter:
    """Appends ticks to a trace file while a drive runs; use it as a context manager.

    Each tick is on its way to disk when `append` returns. Leaving the block closes the file under its name, also after
    an error: then the error is noted in the trace. Raises SceneError when the file cannot be created.
    """

    def __init__(
        self,
        path: Path | str,
        static: StaticScene,
        mount: CameraMount,
        sun: tuple[float, float, float] = SUN,
        zone: Zone | None = None,
        seed: int = 0,
        versions: dict[str, str] | None = None,
    ) -> None:
        self.path = Path(path)
        self.interrupted = ""
        self.count = 0
        self._partial = self.path.with_name(self.path.name + PARTIAL)
        try:
            self._file = self._partial.open("wb", buffering=0)  # nothing is left to write after a failed write
            self._file.write(_MAGIC)
        except OSError as error:
            raise self._refused(error) from error
        self._write(
            {
                "kind": "header",
                "map_name": static.map_name,
                "step_m": static.step_m,
                "static": {name: _packed(array) for name, array in static.arrays().items()},
                "mount": asdict(mount),
                "sun": list(sun),
                "zone": asdict(zone) if zone else None,
                "seed": seed,
                "versions": dict(versions or {}),
            }
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is not None:
            self.interrupted = f"{type(error).__name__}: {error}"
        self.close()

    def append(self, tick: Tick) -> None:
        """Write one tick."""
        values = {f.name: getattr(tick, f.name) for f in fields(tick)}
        self._write({"kind": "tick"} | {k: _packed(v) if isinstance(v, np.ndarray) else v for k, v in values.items()})
        self.count += 1

    def close(self) -> None:
        """Write the end record and give the file its name; a second call does nothing."""
        if self._file.closed:
            return
        try:
            with self._file:
                self._write({"kind": "end", "ticks": self.count, "interrupted": self.interrupted})
                os.fsync(self._file.fileno())
            self._partial.replace(self.path)
        except OSError as error:
            raise self._refused(error) from error

    def _write(self, record: dict[str, Any]) -> None:
        payload = zlib.compress(msgpack.packb(record), 1)
        data = memoryview(_HEAD.pack(len(payload), zlib.crc32(payload)) + payload)
        try:
            while data:
                data = data[self._file.write(data) :]
        except OSError as error:
            raise self._refused(error) from error

    def _refused(self, error: OSError) -> SceneError:
        kept = f"; the ticks written before are in {self._partial}" if self.count else ""
        return SceneError(f"trace {self.path} cannot be written: {error.strerror or error}{kept}; name another place")


def _packed(array: np.ndarray) -> list[Any]:
    return [array.dtype.str, list(array.shape), np.ascontiguousarray(array).tobytes()]


def _array(packed: list[Any]) -> np.ndarray:
    kind, shape, data = packed
    return np.frombuffer(data, dtype=np.dtype(kind)).reshape(shape).copy()


def _read(file: BinaryIO, path: Path, salvage: bool) -> Trace:
    if file.read(len(_MAGIC)) != _MAGIC:
        raise SceneError(f"{path} is not a foveal trace; name a file that a drive was recorded to")
    ticks: list[Tick] = []
    header: dict[str, Any] | None = None
    end: dict[str, Any] | None = None
    try:
        for record in _records(file, path, salvage):
            if record["kind"] == "header" and header is None:
                header = record
            elif record["kind"] == "tick":
                ticks.append(_tick(record))
            elif record["kind"] == "end":
                end = record
                break
        if header is None:
            raise SceneError(f"trace {path} ends before its header; nothing can be replayed from it")
        if end is None and not salvage:
            raise SceneError(
                f"trace {path} ends early, after {len(ticks)} whole ticks; load it with salvage, or record it again"
            )
        if end is not None and end["ticks"] != len(ticks):
            raise SceneError(f"trace {path} holds {len(ticks)} ticks, its end says {end['ticks']}; record it again")
        return Trace(
            static=StaticScene(
                map_name=header["map_name"],
                step_m=float(header["step_m"]),
                **{name: _array(packed) for name, packed in header["static"].items()},
            ),
            mount=CameraMount(**header["mount"]),
            ticks=tuple(ticks),
            sun=tuple(header["sun"]),
            zone=Zone(**header["zone"]) if header["zone"] else None,
            seed=header["seed"],
            versions=header["versions"],
            interrupted=end["interrupted"] if end else "the recording was cut off",
        )
    except (AttributeError, KeyError, OverflowError, TypeError, ValueError) as error:
        raise SceneError(f"trace {path} does not hold what a trace holds ({error}); record it again") from error


def _records(file: BinaryIO, path: Path, salvage: bool) -> Iterator[dict[str, Any]]:
    """Whole records until the file ends. Raises SceneError for a damaged one, or (without salvage) a cut one."""
    while head := file.read(_HEAD.size):
        length, checksum = _HEAD.unpack(head) if len(head) == _HEAD.size else (_LONGEST_RECORD, 0)
        payload = file.read(length) if length < _LONGEST_RECORD else b""
        if len(payload) < length:
            if salvage:
                return
            raise SceneError(f"trace {path} ends within a record; load it with salvage to use the ticks before it")
        if zlib.crc32(payload) != checksum:
            raise SceneError(
                f"trace {path} is damaged at byte {file.tell() - length} (checksum differs); record it again"
            )
        try:
            inflate = zlib.decompressobj()
            content = inflate.decompress(payload, _LONGEST_CONTENT)
            if not inflate.eof:
                raise ValueError(f"a record is cut, or holds more than {_LONGEST_CONTENT >> 20} MiB")
            yield msgpack.unpackb(content)
        except (zlib.error, msgpack.UnpackException, ValueError) as error:
            raise SceneError(
                f"trace {path} is damaged at byte {file.tell() - length} ({error}); record it again"
            ) from error


def _names(values: list[Any]) -> tuple[str, ...]:
    if not all(isinstance(value, str) for value in values):
        raise ValueError("a blueprint's name is no text")
    return tuple(values)


def _tick(record: dict[str, Any]) -> Tick:
    arrays = ("ego", "camera", "actor_id", "actor_type", "transform", "velocity", "box")
    return Tick(
        frame=record["frame"],
        time_s=record["time_s"],
        ego_id=record["ego_id"],
        types=_names(record["types"]),
        skipped=tuple((number, reason) for number, reason in record["skipped"]),
        **{name: _array(record[name]) for name in arrays},
    )
