"""Traces: written tick by tick, replayed bit for bit, refused when damaged."""

from __future__ import annotations

import contextlib
import os
import struct
import subprocess
import sys
import zlib
from dataclasses import fields, replace
from pathlib import Path

import msgpack
import numpy as np
import pytest
from foveal.drawlist import DrawList, Zone
from foveal.errors import SceneError, ServerLost
from foveal.trace import PARTIAL, Trace, TraceWriter
from scene_samples import MOUNT, drive, straight_road, tick_of


@pytest.fixture
def trace() -> Trace:
    return Trace(
        straight_road(), MOUNT, tuple(drive(4)), zone=Zone(0, -5, 60, 5), seed=7, versions={"client": "0.9.16"}
    )


def test_a_drive_replays_bit_for_bit(trace: Trace, tmp_path: Path) -> None:
    trace.save(tmp_path / "drive.trace")
    again = Trace.load(tmp_path / "drive.trace")
    scene, replayed = trace.scene(), again.scene()
    for f in fields(scene.meshes):
        _same_bits(getattr(scene.meshes, f.name), getattr(replayed.meshes, f.name))
    pairs = list(zip(trace.draws(scene), again.draws(replayed), strict=True))
    assert len(pairs) == 4
    for a, b in pairs:
        _same_draw(a, b)
    assert (again.seed, again.versions, again.zone, again.interrupted) == (7, {"client": "0.9.16"}, trace.zone, "")


def test_another_process_replays_the_same_bits(trace: Trace, tmp_path: Path) -> None:
    trace.save(tmp_path / "drive.trace")
    code = (
        "import sys, hashlib; from foveal.trace import Trace; t = Trace.load(sys.argv[1]); h = hashlib.sha256();"
        "[h.update(d.mvp.tobytes() + d.sun.tobytes() + d.mesh.tobytes()) for d in t.draws(t.scene())];"
        "print(h.hexdigest())"
    )
    digests = {
        subprocess.run(
            [sys.executable, "-c", code, str(tmp_path / "drive.trace")],
            env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
            timeout=60,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(digests) == 1


def test_every_field_of_a_tick_comes_back(trace: Trace, tmp_path: Path) -> None:
    tick = replace(trace.ticks[0], skipped=((9, "destroyed"), (11, "empty_extent")))
    replace(trace, ticks=(tick,)).save(tmp_path / "one.trace")
    again = Trace.load(tmp_path / "one.trace").ticks[0]
    for f in fields(tick):
        a, b = getattr(tick, f.name), getattr(again, f.name)
        if isinstance(a, np.ndarray):
            _same_bits(a, b)
        else:
            assert a == b


def test_no_actor_and_no_tick_are_fine(trace: Trace, tmp_path: Path) -> None:
    for ticks in ((), (tick_of([]),)):
        replace(trace, ticks=ticks).save(tmp_path / "small.trace")
        again = Trace.load(tmp_path / "small.trace")
        assert len(list(again.draws(again.scene()))) == len(ticks)


def test_an_interrupted_drive_keeps_its_ticks_and_says_why(trace: Trace, tmp_path: Path) -> None:
    path = tmp_path / "cut.trace"

    def interrupted_drive() -> None:
        with TraceWriter(path, trace.static, trace.mount) as writer:
            writer.append(trace.ticks[0])
            writer.append(trace.ticks[1])
            raise ServerLost("the server is gone")

    with pytest.raises(ServerLost):
        interrupted_drive()
    again = Trace.load(path)
    assert [tick.frame for tick in again.ticks] == [100, 101]
    assert again.interrupted == "ServerLost: the server is gone"
    assert not path.with_name(path.name + PARTIAL).exists()


def test_a_killed_writer_leaves_whole_ticks_and_an_old_trace_untouched(trace: Trace, tmp_path: Path) -> None:
    path = tmp_path / "drive.trace"
    trace.save(path)
    before = path.read_bytes()
    writer = TraceWriter(path, trace.static, trace.mount)
    writer.append(trace.ticks[0])
    partial = path.with_name(path.name + PARTIAL)
    left = partial.read_bytes()
    assert path.read_bytes() == before
    writer.close()
    partial.write_bytes(left)
    with pytest.raises(SceneError, match="ends early, after 1 whole ticks"):
        Trace.load(partial)
    assert len(Trace.load(partial, salvage=True).ticks) == 1


def test_a_trace_cut_anywhere_is_refused_and_salvaged(trace: Trace, tmp_path: Path) -> None:
    path = tmp_path / "drive.trace"
    trace.save(path)
    whole = path.read_bytes()
    counts = []
    for length in range(len(whole) - 1, 0, -max(1, len(whole) // 60)):
        path.write_bytes(whole[:length])
        with pytest.raises(SceneError):
            Trace.load(path)
        with contextlib.suppress(SceneError):
            counts.append(len(Trace.load(path, salvage=True).ticks))
    assert counts == sorted(counts, reverse=True)
    assert counts[0] == 4
    assert counts[-1] == 0


def test_a_flipped_bit_is_noticed(trace: Trace, tmp_path: Path) -> None:
    path = tmp_path / "drive.trace"
    trace.save(path)
    whole = bytearray(path.read_bytes())
    for place in np.random.default_rng(5).integers(0, len(whole), 25):
        whole[place] ^= 0x10
        path.write_bytes(whole)
        with pytest.raises(SceneError):
            Trace.load(path)
        whole[place] ^= 0x10


def test_a_place_that_cannot_be_written_is_named(trace: Trace, tmp_path: Path) -> None:
    with pytest.raises(SceneError, match="cannot be written"):
        trace.save(tmp_path / "missing" / "drive.trace")


def test_what_is_no_trace_is_named(tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.write_bytes(b"PK\x03\x04 something else")
    with pytest.raises(SceneError, match="not a foveal trace"):
        Trace.load(other)
    with pytest.raises(SceneError, match="cannot be read"):
        Trace.load(tmp_path / "missing")


def _same_bits(a: np.ndarray, b: np.ndarray) -> None:
    assert (a.dtype, a.shape) == (b.dtype, b.shape)
    assert a.tobytes() == b.tobytes()


def _same_draw(a: DrawList, b: DrawList) -> None:
    for f in fields(a):
        x, y = getattr(a, f.name), getattr(b, f.name)
        if isinstance(x, np.ndarray):
            _same_bits(x, y)
        else:
            assert x == y


@pytest.mark.parametrize(
    ("number", "field", "value"),
    [
        (0, "static", 7),
        (0, "step_m", None),
        (0, "mount", {"width": 10**9}),
        (1, "types", [7]),
        (1, "ego", ["<f8", [6], np.full(6, np.nan).tobytes()]),
        (1, "box", ["O", [1], b"12345678"]),
        (1, "transform", ["<f8", [10**12], b""]),
    ],
)
def test_a_whole_file_with_a_wrong_value_is_refused(
    trace: Trace, tmp_path: Path, number: int, field: str, value: object
) -> None:
    file = tmp_path / "drive.trace"
    trace.save(file)
    data = file.read_bytes()
    at = data.index(b"\n") + 1
    for _ in range(number):
        at += 8 + struct.unpack_from("<I", data, at)[0]
    length = struct.unpack_from("<I", data, at)[0]
    record = msgpack.unpackb(zlib.decompress(data[at + 8 : at + 8 + length]))
    payload = zlib.compress(msgpack.packb(record | {field: value}))
    head = struct.pack("<II", len(payload), zlib.crc32(payload))
    file.write_bytes(data[:at] + head + payload + data[at + 8 + length :])
    with pytest.raises(SceneError):
        Trace.load(file, salvage=True)


def test_a_full_disk_is_named_and_leaves_whole_ticks(trace: Trace, tmp_path: Path) -> None:
    file = tmp_path / "drive.trace"
    limited = f"""
import resource, signal
from foveal.errors import SceneError
from foveal.trace import Trace, TraceWriter
trace = Trace.load({str(tmp_path / "whole.trace")!r})
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
writer = TraceWriter({str(file)!r}, trace.static, trace.mount)
writer.append(trace.ticks[0])
limit = open({str(file) + PARTIAL!r}, "rb").seek(0, 2) + 100
resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
try:
    with writer:
        writer.append(trace.ticks[1])
except SceneError as error:
    print(error)
"""
    trace.save(tmp_path / "whole.trace")
    done = subprocess.run([sys.executable, "-c", limited], capture_output=True, text=True, timeout=120, check=False)
    assert "cannot be written" in done.stdout, done.stderr
    assert PARTIAL in done.stdout
    assert not file.exists()
    assert len(Trace.load(f"{file}{PARTIAL}", salvage=True).ticks) == 1
