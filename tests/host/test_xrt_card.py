"""The card behind XRT, against the strict double: what is called, in which order, and what ends in which error."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from foveal.card import registers
from foveal.errors import DeviceBroken, DeviceBusy, DeviceError, DeviceNotFound, DeviceTimeout
from foveal.provenance import Provenance
from foveal.region import Region, RegionSet
from foveal.xclbin import Kind, pack, unpack
from foveal.xrt.device import XrtDevice, open_xrt
from foveal.xrt.groups import Bank, Groups
from foveal.xrt.states import PENDING, STATES
from test_card_driver import HEIGHT, REGIONS, WIDTH, draw, expected, meshes
from xrt_double import (
    ABORT,
    ERROR,
    IMAGE,
    MIB,
    NORESPONSE,
    OTHER,
    RUNNING,
    TIMEOUT,
    UUID,
    StrictBo,
    StrictXrt,
    banks,
    write_image,
)


def opened(library: StrictXrt, folder: Path, **options: Any) -> XrtDevice:
    pauses = options.pop("pauses", [])
    image = options.pop("image", None) or write_image(folder)
    options = {"reset": library.reset, "lock_folder": folder, "pause": pauses.append, "xclbin": image} | options
    return open_xrt(library=library, **options)


def loaded(library: StrictXrt, folder: Path, **options: Any) -> XrtDevice:
    device = opened(library, folder, **options)
    device.load(meshes())
    library.calls.clear()
    return device


@pytest.fixture(params=[False, True], ids=["pyxrt", "with_registers"])
def library(request: pytest.FixtureRequest) -> StrictXrt:
    return StrictXrt(registers=request.param)


def test_frames_come_from_the_strict_double(library: StrictXrt, tmp_path: Path) -> None:
    device = loaded(library, tmp_path)
    for regions in (REGIONS, RegionSet.full(WIDTH, HEIGHT), RegionSet.of([Region(0, 0, 4, 4)], WIDTH, HEIGHT)):
        np.testing.assert_array_equal(device.render(draw(), regions).pixels, expected(regions))


def test_a_second_frame_makes_these_calls_and_no_other(tmp_path: Path) -> None:
    library = StrictXrt()
    device = loaded(library, tmp_path)
    device.render(draw(), REGIONS)
    library.calls.clear()
    size = -(-4 * WIDTH // 32) * 32 * HEIGHT
    kept = 4 * int(np.count_nonzero(REGIONS.mask()))
    library.expected = [
        r"bo\.write\(288, 0\)",  # regions and two instances
        r"bo\.sync\(to, 288, 0\)",
        r"run\.start\(geometry\)",
        r"run\.wait\(100\)",
        r"bo\.sync\(from, 80, 0\)",  # statistics, no byte more
        r"bo\.read\(80, 0\)",
        rf"bo\.write\({size}, 0\)",  # poison
        rf"bo\.sync\(to, {size}, 0\)",
        r"run\.set_arg\(EGO_X, 100\)",
        r"run\.set_arg\(MAT_INVALIDATE, 0\)",  # the table is loaded; this run must not forget it
        r"run\.start\(foveal_kernel\)",
        r"run\.wait\(100\)",
        rf"bo\.sync\(from, {kept}, 0\)",
        rf"bo\.read\({kept}, 0\)",
    ]
    frame = device.render(draw(frame=6, ego=(1.0, 0.0)), REGIONS)
    assert len(library.calls) == len(library.expected)
    np.testing.assert_array_equal(frame.pixels, expected(REGIONS))


def test_the_double_fails_at_the_first_deviation(tmp_path: Path) -> None:
    library = StrictXrt()
    device = loaded(library, tmp_path)
    device.render(draw(), REGIONS)
    library.calls.clear()
    library.expected = [r"bo\.write\(288, 0\)", r"run\.start\(geometry\)"]
    with pytest.raises(AssertionError, match=r"call 1 was bo\.sync"):
        device.render(draw(), REGIONS)


def test_a_frame_is_measured_from_start_to_end_where_cycles_cannot_be_read(tmp_path: Path) -> None:
    frame = loaded(StrictXrt(), tmp_path).render(draw(), REGIONS)
    kernel = next(stage for stage in frame.stages if stage.name == "kernel")
    assert kernel.time_ns == pytest.approx(2e6)
    assert "frame_cycles" not in frame.counters
    assert frame.counters["geometry_records_needed"] == 0


def test_cycles_are_read_where_they_can_be(tmp_path: Path) -> None:
    frame = loaded(StrictXrt(registers=True), tmp_path).render(draw(), REGIONS)
    assert frame.counters["frame_cycles"] == 300_000
    launch = next(stage for stage in frame.stages if stage.name == "launch")
    assert launch.time_ns >= 1e6  # 2 ms from start to end, 1 ms of it the kernel's at 300 MHz
    assert launch.time_ns < 1.2e6


def test_times_of_a_card_are_measured(tmp_path: Path) -> None:
    class WithoutClock(StrictXrt):
        clock = None  # type: ignore[assignment]

    frame = loaded(WithoutClock(), tmp_path).render(draw(), REGIONS)
    assert {stage.provenance for stage in frame.stages} == {Provenance.MEASURED}


def test_arguments_go_out_once_and_as_the_integers_that_pyxrt_takes(tmp_path: Path) -> None:
    library = StrictXrt()
    device = loaded(library, tmp_path)
    device.render(draw(ego=(-1.0, 0.0)), REGIONS)
    assert "run.set_arg(EGO_X, -100)" in library.calls  # 0xFFFFFF9C: above what a C integer holds
    assert "run.set_arg(ROI_COMMIT, 1)" in library.calls
    assert "run.set_arg(MAT_INVALIDATE, 1)" in library.calls
    library.calls.clear()
    device.render(draw(frame=6, ego=(-1.0, 0.0)), REGIONS)
    # The table was loaded: the run must not make the kernel forget it again.
    assert [call for call in library.calls if "set_arg" in call] == ["run.set_arg(MAT_INVALIDATE, 0)"]


def test_registers_are_unsigned(tmp_path: Path) -> None:
    library = StrictXrt(registers=True)
    device = loaded(library, tmp_path)
    card = device._xrt
    for word in (0xFFFFFFFF, 0x80000001):
        library.values[registers.FRAMES] = word
        assert card.read(registers.FRAMES) == word
        card.write(registers.EGO_X, word)
        assert card.read(registers.EGO_X) == word


def test_what_pyxrt_cannot_see_is_said(tmp_path: Path) -> None:
    device = loaded(StrictXrt(), tmp_path)
    card = device._xrt
    assert "no counters, no STATUS" in device.info.detail["registers"]
    for offset in (registers.STATUS, registers.FRAME_CYCLES):
        with pytest.raises(DeviceError, match="pyxrt does not give"):
            card.read(offset)
    with pytest.raises(DeviceError, match="pyxrt does not give"):
        card.write(registers.CTRL_RESET, 1)
    with pytest.raises(DeviceError, match="belongs to XRT"):
        card.read(registers.ISR)
    assert device.identity.ppc == 8
    assert device.identity.texture_pages == 0
    np.testing.assert_array_equal(device.render(draw(), REGIONS).pixels, expected(REGIONS))


def test_a_pixel_that_was_not_written_is_seen_without_any_register(tmp_path: Path) -> None:
    library = StrictXrt(spoil=True)
    device = loaded(library, tmp_path)
    with pytest.raises(DeviceError, match="left 1 of"):
        device.render(draw(), REGIONS)
    with pytest.raises(DeviceBroken):
        device.render(draw(), REGIONS)


@pytest.mark.parametrize("offset", [registers.ID, registers.STATUS, 0x18, 0x7FC])
def test_only_arguments_can_be_written(tmp_path: Path, offset: int) -> None:
    with pytest.raises(DeviceError, match="pyxrt does not give"):
        loaded(StrictXrt(), tmp_path)._xrt.write(offset, 1)


def test_a_region_set_beside_the_run_goes_to_the_registers(tmp_path: Path) -> None:
    library = StrictXrt(registers=True)
    loaded(library, tmp_path)._xrt.set_regions_now(REGIONS)
    words = [(3 | 2 << 16, 20 | 9 << 16), (10 | 5 << 16, 50 | 40 << 16)] + [(0, 0)] * 14
    writes = [(0x100 + 8 * n + 4 * half, pair[half]) for n, pair in enumerate(words) for half in range(2)]
    assert library.calls == [f"kernel.write_register(0x{at:03X}, {word})" for at, word in [*writes, (0x180, 1)]]
    with pytest.raises(DeviceError, match="pyxrt does not give"):
        loaded(StrictXrt(cards=CARDS), tmp_path, card=0)._xrt.set_regions_now(REGIONS)


def test_the_last_fault_outlives_the_reset(library: StrictXrt, tmp_path: Path) -> None:
    device = loaded(library, tmp_path)
    assert device.last_fault is None
    library.waits = [ABORT]
    with pytest.raises(DeviceError):
        device.render(draw(), REGIONS)
    device.reset()
    assert "ABORT" in str(device.last_fault)


# ---- Runs that do not complete ----


@pytest.mark.parametrize(
    ("waits", "states", "kind", "words"),
    [
        ([TIMEOUT], [RUNNING], DeviceTimeout, r"did not end within 100 ms; its run is RUNNING"),
        ([TIMEOUT], [TIMEOUT], DeviceTimeout, r"TIMEOUT: the scheduler gave it up"),
        ([NORESPONSE], [], DeviceTimeout, r"NORESPONSE"),
        ([ERROR], [], DeviceError, r"ERROR"),
        ([ABORT], [], DeviceError, r"ABORT: it was aborted"),
        ([77], [], DeviceError, r"state 77"),
    ],
)
def test_a_run_that_does_not_complete_breaks_the_card_until_its_reset(
    library: StrictXrt, tmp_path: Path, waits: list[int], states: list[int], kind: type[DeviceError], words: str
) -> None:
    device = loaded(library, tmp_path)
    library.waits, library.states = list(waits), list(states)
    with pytest.raises(kind, match=words):
        device.render(draw(), REGIONS)
    library.calls.clear()
    with pytest.raises(DeviceBroken, match="reset"):
        device.render(draw(), REGIONS)
    with pytest.raises(DeviceBroken, match="refuses work until its reset"):
        device._xrt.allocate(64, "output")
    assert library.calls == []
    assert library.resets == []  # nobody asked for one
    device.reset()
    assert library.resets == ["0000:d8:00.1"]
    np.testing.assert_array_equal(device.render(draw(), REGIONS).pixels, expected(REGIONS))


def test_every_state_of_the_scheduler_has_a_name() -> None:
    assert sorted(STATES) == list(range(1, 12))  # enum ert_cmd_state has no others
    assert set(STATES) > PENDING


def test_a_deadline_is_waited_for_in_slices_that_let_signals_through(tmp_path: Path) -> None:
    library = StrictXrt()
    device = loaded(library, tmp_path, deadline_s=0.45)
    library.waits = [TIMEOUT] * 3
    with pytest.raises(DeviceTimeout, match="450 ms"):
        device.render(draw(), REGIONS)
    assert [call for call in library.calls if "wait" in call] == ["run.wait(200)", "run.wait(200)", "run.wait(50)"]


def test_a_reset_is_refused_while_others_use_the_card(library: StrictXrt, tmp_path: Path) -> None:
    others = [4711]
    device = loaded(library, tmp_path, clients=lambda bdf: others)
    library.waits = [ERROR]
    with pytest.raises(DeviceError):
        device.render(draw(), REGIONS)
    with pytest.raises(DeviceBusy, match="process 4711 too"):
        device.reset()
    assert library.resets == []
    others.clear()
    device.reset()
    np.testing.assert_array_equal(device.render(draw(), REGIONS).pixels, expected(REGIONS))


def test_one_retry_where_it_was_asked_for(library: StrictXrt, tmp_path: Path) -> None:
    device = loaded(library, tmp_path, reset_on_fault=True)
    library.waits = [ERROR]
    np.testing.assert_array_equal(device.render(draw(), REGIONS).pixels, expected(REGIONS))
    assert len(library.resets) == 1


def test_a_second_failure_leaves_it_broken(library: StrictXrt, tmp_path: Path) -> None:
    device = loaded(library, tmp_path, reset_on_fault=True)
    library.waits = [ERROR, ERROR]
    with pytest.raises(DeviceError, match="ERROR"):
        device.render(draw(), REGIONS)
    assert len(library.resets) == 1
    with pytest.raises(DeviceBroken):
        device.render(draw(), REGIONS)
    assert len(library.resets) == 1


@pytest.mark.parametrize("call", ["bo.sync", "bo.write", "run.set_arg", "run.start", "run.wait"])
def test_what_the_library_throws_is_a_device_error(library: StrictXrt, tmp_path: Path, call: str) -> None:
    device = loaded(library, tmp_path)
    library.fail[call] = RuntimeError("Input/output error")
    with pytest.raises(DeviceError, match="Input/output error"):
        device.render(draw(), REGIONS)
    with pytest.raises(DeviceBroken):
        device.render(draw(), REGIONS)
    device.reset()
    np.testing.assert_array_equal(device.render(draw(), REGIONS).pixels, expected(REGIONS))


KEPT = {
    "as pyxrt raises": RuntimeError,
    "as a library over a card of ours raises": DeviceError,
}
"""A library that is written in Python leaves its frames in the traceback, and its objects in them."""


@pytest.mark.parametrize("mode", ["render", "stream"])
@pytest.mark.parametrize("kept", KEPT)
@pytest.mark.parametrize("call", ["bo.sync", "bo.write", "run.set_arg", "run.start", "run.wait"])
def test_an_error_that_is_kept_does_not_keep_the_card(
    library: StrictXrt, tmp_path: Path, call: str, kept: str, mode: str
) -> None:
    device = loaded(library, tmp_path)
    library.fail[call] = KEPT[kept]("Input/output error")
    words, causes = "", []
    try:
        if mode == "stream":
            list(device.stream([(draw(n), REGIONS) for n in range(3)]))
        else:
            device.render(draw(), REGIONS)
    except DeviceError as error:
        words = str(error)
        causes.append(error.__cause__)
        while causes[-1] is not None and causes[-1] not in causes[:-1]:
            causes.append(causes[-1].__cause__)
        with pytest.raises(DeviceBroken, match="refuses work until its reset"):
            device._xrt.allocate(64, "output")
        device.reset()  # the double refuses it while one of its objects lives
    assert "Input/output error" in words
    assert causes[-1] is None, "an error that causes itself is freed by nobody"
    assert len(library.resets) == 1
    np.testing.assert_array_equal(device.render(draw(), REGIONS).pixels, expected(REGIONS))


def test_a_card_that_could_not_be_opened_again_is_not_kept_either(
    library: StrictXrt, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    device = loaded(library, tmp_path)
    make, made = library.run, []

    def run(kernel: Any) -> Any:
        made.append(kernel.name)
        if len(made) == 2:
            raise RuntimeError("no command buffers")
        return make(kernel)

    monkeypatch.setattr(library, "run", run)
    words = ""
    try:
        device.reset()
    except DeviceError as error:
        words = str(error)
        device.reset()
    assert "no command buffers" in words
    assert len(library.resets) == 2
    np.testing.assert_array_equal(device.render(draw(), REGIONS).pixels, expected(REGIONS))


def test_a_reset_that_the_library_refuses_says_what_to_do(library: StrictXrt, tmp_path: Path) -> None:
    def refuse(bdf: str) -> None:
        raise RuntimeError("this process holds 1 kernels")

    device = loaded(library, tmp_path, reset=refuse)
    with pytest.raises(DeviceError, match="was not reset: this process holds 1 kernels; close the device"):
        device.reset()


def test_a_closed_card_is_not_reset_whoever_has_it_now(library: StrictXrt, tmp_path: Path) -> None:
    device = loaded(library, tmp_path)
    device.close()
    held = opened(library, tmp_path)
    library.calls.clear()
    for action in (device.reset, device._xrt.reset, device.telemetry):
        with pytest.raises(DeviceBroken, match="was closed; open it again"):
            action()
    assert (library.calls, library.resets) == ([], [])
    device.close()
    with pytest.raises(DeviceBusy):
        opened(library, tmp_path)
    held.close()


# ---- Memory ----


def test_a_buffer_lies_where_its_arguments_reach(tmp_path: Path) -> None:
    library = StrictXrt()
    card = opened(library, tmp_path)._xrt
    card.allocate(100, "output")
    card.allocate(100, "material")
    assert library.calls[-2:] == [f"bo(4096, {2 | 1 << 16})", f"bo(4096, {3 | 1 << 16})"]
    with pytest.raises(KeyError):
        card.allocate(100, "bank0")


def test_arguments_in_different_banks_are_refused_before_anything_runs(tmp_path: Path) -> None:
    library = StrictXrt(groups=banks(foveal_kernel__TRI_BASE=0))
    with pytest.raises(
        DeviceError, match=r"'record' is used by .*HBM\[1\].*bank0.*no memory is reached by both"
    ) as found:
        opened(library, tmp_path)
    for tag, size in library.memories:
        assert f"{tag} ({size >> 20} MiB)" in str(found.value)
    assert not [call for call in library.calls if call.startswith(("bo", "run"))]
    opened(StrictXrt(), tmp_path)  # the card was given back


def test_a_ring_that_no_pseudo_channel_holds_is_refused_before_it_is_allocated(tmp_path: Path) -> None:
    library = StrictXrt()
    card = opened(library, tmp_path)._xrt
    frame = 4096 * 2160 * 4
    card.allocate(7 * frame, "output").free()
    library.calls.clear()
    with pytest.raises(DeviceError, match=r"needs 283115520 bytes; HBM\[2\] has 268435456 of 268435456 left"):
        card.allocate(8 * frame, "output")
    frames = [card.allocate(frame, "output") for _ in range(7)]
    with pytest.raises(DeviceError, match=r"HBM\[2\] has 20709376 of 268435456"):
        card.allocate(frame, "output")
    assert len([call for call in library.calls if call.startswith("bo(")]) == 7
    frames.pop().free()
    card.allocate(frame, "output")


def test_payload_is_not_what_the_object_holds(tmp_path: Path) -> None:
    library = StrictXrt()
    card = opened(library, tmp_path)._xrt
    pixel = card.allocate(4, "output")
    assert (pixel.size, pixel.bo.size(), pixel.address % 4096) == (4, 4096, 0)
    library.calls.clear()
    pixel.write(np.array([0x01020304], "<u4"))
    assert pixel.read(4).tobytes() == bytes([4, 3, 2, 1])
    assert library.calls == ["bo.write(4, 0)", "bo.sync(to, 4, 0)", "bo.sync(from, 4, 0)", "bo.read(4, 0)"]
    with pytest.raises(ValueError, match="buffer of 4"):
        pixel.read(5)


@pytest.mark.parametrize("shift", [0, 128])
def test_bytes_are_copied_into_memory_of_the_library_whatever_their_address(tmp_path: Path, shift: int) -> None:
    library = StrictXrt()
    card = opened(library, tmp_path)._xrt
    buffer = card.allocate(1_228_800, "output")
    owner = np.zeros(1_228_800 + 8192, np.uint8)
    start = -owner.ctypes.data % 4096 + shift
    source = owner[start : start + 1_228_800]
    assert source.ctypes.data % 4096 == shift
    card.take_time()
    buffer.write(source)
    # The copy, 1,228,800 bytes at 10 a nanosecond, is in the time; so is the transfer.
    assert card.take_time()[0] == pytest.approx(1_228_800 / 10 + 1e4)


def test_a_view_with_strides_sends_its_own_bytes(tmp_path: Path) -> None:
    card = opened(StrictXrt(), tmp_path)._xrt
    frame = np.arange(24, dtype=np.uint8).reshape(4, 6)
    buffer = card.allocate(12, "output")
    buffer.write(frame[:, 1:4])
    assert buffer.read(12).tolist() == [1, 2, 3, 7, 8, 9, 13, 14, 15, 19, 20, 21]


def test_nothing_is_read_that_was_not_fetched(tmp_path: Path) -> None:
    """The double sees a host that trusts its old copy, even where two frames are the same."""
    library = StrictXrt()
    device = loaded(library, tmp_path)
    device.render(draw(), REGIONS)
    real = StrictBo.sync
    try:
        StrictBo.sync = lambda self, direction, size, offset: None if direction else real(self, 0, size, offset)  # type: ignore[method-assign]
        with pytest.raises(AssertionError, match="never fetched"):
            device.render(draw(), REGIONS)
    finally:
        StrictBo.sync = real  # type: ignore[method-assign]


def test_a_buffer_in_the_place_of_a_freed_one_is_given_to_the_kernels_again(library: StrictXrt, tmp_path: Path) -> None:
    device = loaded(library, tmp_path)
    before = set(device._xrt._live)
    device.render(draw(), REGIONS)
    device.load(meshes())
    assert set(device._xrt._live) & before
    np.testing.assert_array_equal(device.render(draw(), REGIONS).pixels, expected(REGIONS))


def test_buffers_end_with_the_card(tmp_path: Path) -> None:
    library = StrictXrt()
    device = opened(library, tmp_path)
    kept, freed = device._xrt.allocate(64, "output"), device._xrt.allocate(64, "output")
    freed.free()
    freed.free()
    with pytest.raises(DeviceError, match="freed"):
        freed.read(1)
    device.reset()
    with pytest.raises(DeviceError, match="reset since"):
        kept.write(np.zeros(1, np.uint8))


def test_groups_compare_banks_and_not_the_slot_above() -> None:
    groups = Groups([Bank(1, "HBM[1]", MIB)], lambda kernel, index: 1 | index << 16)
    assert groups.group("record") & 0xFFFF == 1
    assert groups.name(1 | 5 << 16) == "HBM[1]"


# ---- Opening ----


def test_an_image_that_is_there_is_shared(tmp_path: Path) -> None:
    library = StrictXrt(others=99)
    opened(library, tmp_path)
    assert library.programmed == 0
    assert library.calls.count("device.load_xclbin()") == 1  # what XRT knows of an image, it knows by process


def test_a_card_in_use_is_tried_again_with_longer_and_longer_pauses(tmp_path: Path) -> None:
    library, pauses = StrictXrt(loaded=OTHER, others=3), list[float]()
    device = opened(library, tmp_path, pauses=pauses)
    assert pauses == [0.1, 0.2, 0.4]
    assert library.loaded == UUID
    device.load(meshes())
    assert device.render(draw(), REGIONS).latency_ns < 50e6  # what was waited for before is in no frame


def test_a_card_that_stays_in_use_is_left_alone(tmp_path: Path) -> None:
    library, pauses = StrictXrt(loaded=OTHER, others=99), list[float]()
    with pytest.raises(DeviceBusy, match=rf"holds the image {OTHER} and is in use \(process 4711\)"):
        opened(library, tmp_path, pauses=pauses, patience_s=2.0, clients=lambda bdf: [4711])
    assert sum(pauses) == pytest.approx(2.0)
    assert library.loaded == OTHER
    assert library.resets == []


def test_a_kernel_that_another_process_runs_is_waited_for(tmp_path: Path) -> None:
    library, pauses = StrictXrt(), list[float]()
    library.fail["kernel"] = RuntimeError("failed to open cu context: Device or resource busy")
    opened(library, tmp_path, pauses=pauses)
    assert pauses == [0.1]


def test_a_reset_that_fails_can_be_tried_again(library: StrictXrt, tmp_path: Path) -> None:
    device = loaded(library, tmp_path)
    library.waits = [ERROR]
    with pytest.raises(DeviceError):
        device.render(draw(), REGIONS)
    library.fail["device.load_xclbin"] = RuntimeError("Operation not permitted")
    with pytest.raises(DeviceError, match="not permitted"):
        device.reset()
    with pytest.raises(DeviceBroken, match="reset has not succeeded"):
        device.render(draw(), REGIONS)
    device.reset()
    assert len(library.resets) == 2
    np.testing.assert_array_equal(device.render(draw(), REGIONS).pixels, expected(REGIONS))


def test_a_library_that_cannot_load_images_is_named(tmp_path: Path) -> None:
    library = StrictXrt()
    real = library.device

    class WithoutLoad:
        def __init__(self, index: int) -> None:
            self.get_info = real(index).get_info

    library.device = WithoutLoad  # type: ignore[assignment, misc]
    with pytest.raises(DeviceNotFound, match="cannot load an image on a card any more; install Foveal from its source"):
        opened(library, tmp_path)


def test_an_image_that_cannot_be_loaded_is_no_reason_to_wait(tmp_path: Path) -> None:
    library, pauses = StrictXrt(loaded=OTHER), list[float]()
    library.fail["device.load_xclbin"] = RuntimeError("Operation not supported: Xclbin does not match shell on card")
    with pytest.raises(DeviceError, match="does not match shell"):
        opened(library, tmp_path, pauses=pauses)
    assert pauses == []


CARDS = [("0000:3b:00.1", "21770205K01J"), ("0000:d8:00.1", "XFL1RT5PHT31")]


@pytest.mark.parametrize(
    ("wanted", "index"), [(0, 0), ("1", 1), ("0000:d8:00.1", 1), ("D8:00", 1), ("3b:00.1", 0), ("xfl1rt5pht31", 1)]
)
def test_one_of_several_cards(tmp_path: Path, wanted: int | str, index: int) -> None:
    device = opened(StrictXrt(cards=CARDS), tmp_path, card=wanted)
    assert CARDS[index][0] in device.info.name
    assert device.info.detail["serial"] == CARDS[index][1]


@pytest.mark.parametrize(("wanted", "words"), [(None, "several cards"), ("2", "no card '2'"), ("aa:00", "no card")])
def test_a_card_that_is_not_meant_clearly(tmp_path: Path, wanted: str | None, words: str) -> None:
    with pytest.raises(DeviceNotFound, match=rf"{words}.*0: 0000:3b:00.1, serial 21770205K01J.*1: 0000:d8:00.1"):
        opened(StrictXrt(cards=CARDS), tmp_path, card=wanted)


def test_several_cards_work_beside_each_other(tmp_path: Path) -> None:
    library = StrictXrt(cards=CARDS)
    devices = [loaded(library, tmp_path, card=n) for n in range(2)]
    for device in devices:
        np.testing.assert_array_equal(device.render(draw(), REGIONS).pixels, expected(REGIONS))
    devices[0].close()
    np.testing.assert_array_equal(devices[1].render(draw(), REGIONS).pixels, expected(REGIONS))


def test_the_board_is_that_of_the_shell(tmp_path: Path) -> None:
    library = StrictXrt(info={"name": "xilinx_vck5000_gen4x8"})
    with pytest.raises(DeviceNotFound, match=r"no board file is for.*u280, u55c"):
        opened(library, tmp_path)
    image = write_image(tmp_path, "u55c")
    assert "U55C" in opened(library, tmp_path, board="u55c", image=image).info.name


def test_a_clock_that_is_not_told_must_be_named(tmp_path: Path) -> None:
    library, image = StrictXrt(info={"platform": "{}"}), write_image(tmp_path)
    container = unpack(image.read_bytes())
    untold = (Kind.CLOCK_FREQ_TOPOLOGY, Kind.BUILD_METADATA)
    sections = {kind: data for kind, data in container.sections.items() if kind not in untold}
    image.write_bytes(pack(replace(container, sections=sections)))
    with pytest.raises(DeviceNotFound, match="clock_hz="):
        opened(library, tmp_path, image=image)
    assert opened(library, tmp_path, image=image, clock_hz=250e6).clock_hz == 250e6


def test_an_image_of_another_card_is_refused_before_it_is_loaded(tmp_path: Path) -> None:
    library = StrictXrt(loaded=OTHER)
    with pytest.raises(DeviceError, match="cannot be used: it is for the platform xilinx_u55c"):
        opened(library, tmp_path, image=write_image(tmp_path, "u55c"))
    assert library.loaded == OTHER


def test_an_image_that_is_none_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DeviceNotFound, match="make xclbin"):
        opened(StrictXrt(), tmp_path, image=tmp_path / "missing.xclbin")
    broken = tmp_path / "broken.xclbin"
    broken.write_bytes(write_image(tmp_path).read_bytes()[:1000])
    with pytest.raises(DeviceError, match="cannot be used"):
        opened(StrictXrt(), tmp_path, image=broken)


@pytest.mark.parametrize(("told", "accepted"), [("1.9", True), ("2.0", False), ("", True)])
def test_the_register_map_is_that_of_the_image(tmp_path: Path, told: str, accepted: bool) -> None:
    path = tmp_path / "other.xclbin"
    container = unpack(IMAGE)
    build = json.dumps({"build_metadata": {"register_map": told}}).encode()
    path.write_bytes(pack(replace(container, sections=container.sections | {Kind.BUILD_METADATA: build})))
    library = StrictXrt(loaded=OTHER)
    if accepted:
        assert opened(library, tmp_path, image=path).identity.version == (1, int(told.partition(".")[2] or 0))
        return
    with pytest.raises(DeviceError, match=r"register map 2\.0, this driver speaks 1\.x"):
        opened(library, tmp_path, image=path)
    assert library.loaded == OTHER


def test_a_card_that_does_not_keep_the_image_is_no_card(tmp_path: Path) -> None:
    class Forgetful(StrictXrt):
        loaded = property(lambda self: OTHER, lambda self, value: None)  # type: ignore[assignment]

    with pytest.raises(DeviceError, match=f"holds the image {OTHER} after"):
        opened(Forgetful(), tmp_path)
