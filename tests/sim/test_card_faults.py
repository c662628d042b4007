"""What goes wrong with a card: every fault on every backend, one frame at a time and overlapped."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest
from foveal.card import FovealDriver, registers
from foveal.drawlist import DrawList, Zone
from foveal.errors import DeviceBroken, DeviceError, DeviceNotFound, DeviceTimeout
from foveal.frame import Frame
from foveal.golden.device import ModelDevice
from foveal.region import Region, RegionSet
from foveal_sim.cosim import FAULTS, Fault, open_cosim
from foveal_sim.cosim.card import CosimCard
from foveal_sim.cosim.device import CosimDevice
from random_scenes import Scene, random_scene

FAULTY = 3
"""The frame that a fault strikes, from 0."""

DEADLINE_S = 0.002
EVERYWHERE = Zone(-1e4, -1e4, 1e4, 1e4)

Request = tuple[DrawList, RegionSet]


@dataclass(frozen=True)
class Backend:
    """open: a device with faults. card: the co-simulated card under it."""

    open: Callable[[str], FovealDriver]
    card: Callable[[FovealDriver], CosimCard]


def cosim_card(device: FovealDriver) -> CosimCard:
    card = device._card
    assert isinstance(card, CosimCard)
    return card


def open_plain(faults: str) -> CosimDevice:
    return open_cosim(memory_bytes=64 << 20, deadline_s=DEADLINE_S, faults=faults)


BACKENDS = {"cosim": Backend(open_plain, cosim_card)}

CASES = {
    "hang": r"did not end its frame within 600000 cycles.*still runs: it hangs",
    "slverr:gmem0": "memory port gmem0 answered SLVERR",
    "slverr:gmem1": "memory port gmem1 answered SLVERR",
    "slverr:gmem2": "material table .*gmem2: SLVERR",
    "decerr:gmem0": "memory port gmem0 answered DECERR",
    "decerr:gmem1": "memory port gmem1 answered DECERR",
    "decerr:gmem2": "material table .*gmem2: DECERR",
    "silent:gmem0": "memory port gmem0 did not answer",
    "silent:gmem1": "memory port gmem1 did not answer",
    "silent:gmem2": "memory port gmem2 did not answer",
    "lost_interrupt": r"has ended \(CTRL shows ap_done\), but its interrupt was lost",
    "off_the_bus": "the card fell off the bus; reset it|the transfer failed: the card does not answer",
    "reset": "it was reset in mid-frame",
    "foreign": "the card answers ID 0x12345678.* does not hold a Foveal kernel",
    "full": "device memory is full",
}


def test_every_fault_has_a_case() -> None:
    assert {case.partition(":")[0] for case in CASES} == set(FAULTS)


@pytest.fixture(scope="module")
def scene() -> Scene:
    return random_scene(3, 160, 96)


@pytest.fixture(scope="module")
def requests(scene: Scene) -> list[Request]:
    """Frames whose regions move. With FAULTY the ego enters the zone, and the picture grows and needs new buffers."""
    asked = []
    for n in range(6):
        width, height, zone = (160, 96, None) if n < FAULTY else (256, 160, EVERYWHERE)
        draw = replace(scene.draw, frame=40 + n, width=width, height=height, zone=zone)
        boxes = [Region(5 * n, 0, 70 + n, 40), Region(33, 20 + n, 91, 96)]
        asked.append((draw, RegionSet.of(boxes, width, height)))
    return asked


@pytest.fixture(scope="module")
def expected(scene: Scene, requests: list[Request]) -> list[np.ndarray]:
    model = ModelDevice()
    model.load(scene.meshes)
    return [model.render(*one).pixels for one in requests]


def one_by_one(device: FovealDriver, requests: list[Request]) -> Iterator[Frame]:
    for draw, regions in requests:
        yield device.render(draw, regions)


def overlapped(device: FovealDriver, requests: list[Request]) -> Iterator[Frame]:
    return device.stream(requests)


MODES = {"one by one": one_by_one, "overlapped": overlapped}


def check(frames: list[Frame], expected: list[np.ndarray]) -> None:
    for n, frame in enumerate(frames):
        assert frame.frame == 40 + n
        np.testing.assert_array_equal(frame.pixels, expected[n])


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("backend", BACKENDS)
def test_fault_ends_in_a_clear_error_no_frame_of_it_counts_and_a_reset_mends_it(
    backend: str, case: str, mode: str, scene: Scene, requests: list[Request], expected: list[np.ndarray]
) -> None:
    device = BACKENDS[backend].open(f"{case}@{FAULTY}")
    device.load(scene.meshes)
    kernel = BACKENDS[backend].card(device).kernel
    frames: list[Frame] = []
    ends = [kernel.cycles]

    def draw() -> None:
        for frame in MODES[mode](device, requests):
            frames.append(frame)
            ends.append(kernel.cycles)

    with pytest.raises(DeviceError, match=CASES[case]) as caught:
        draw()
    assert kernel.cycles - ends[-1] <= 2 * DEADLINE_S * device.clock_hz
    # The fault's frame never counts; overlapped, one before it may be lost with it.
    assert FAULTY - (mode == "overlapped") <= len(frames) <= FAULTY
    check(frames, expected)
    assert re.search(rf"frame {40 + len(frames)}\b|frames {40 + len(frames)},", str(caught.value))
    with pytest.raises(DeviceBroken, match=r"reset\(\)"):
        device.render(*requests[0])
    device.reset()
    again = list(MODES[mode](device, requests))
    assert len(again) == len(requests)
    check(again, expected)
    device.close()


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(("case", "words"), [("foreign", "does not hold a Foveal kernel"), ("full", "memory is full")])
def test_card_that_is_wrong_from_the_start(backend: str, case: str, words: str, scene: Scene) -> None:
    with pytest.raises(DeviceError, match=words):
        BACKENDS[backend].open(case).load(scene.meshes)


@pytest.mark.parametrize("mode", MODES)
def test_second_fault_strikes_after_the_first_was_mended(
    mode: str, scene: Scene, requests: list[Request], expected: list[np.ndarray]
) -> None:
    device = open_plain("slverr:gmem0@1, lost_interrupt@4")
    device.load(scene.meshes)
    for error, words in ((DeviceError, "SLVERR"), (DeviceTimeout, "interrupt was lost")):
        with pytest.raises(error, match=words):
            list(MODES[mode](device, requests[:FAULTY]))
        device.reset()
    check(list(MODES[mode](device, requests)), expected)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("hang", Fault("hang", 0, "gmem0")),
        ("slverr:gmem1@5", Fault("slverr", 5, "gmem1")),
        ("reset@12", Fault("reset", 12)),
    ],
)
def test_fault_in_words(text: str, fault: Fault) -> None:
    assert Fault.parse(text) == fault


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("burn", "no fault 'burn'; there are hang"),
        ("slverr:gmem3", "no memory port 'gmem3'"),
        ("hang:gmem0", "only slverr, decerr, silent name a port"),
        ("hang@-1", "is not KIND"),
        ("hang@x", "is not KIND"),
        ("", "is not KIND"),
    ],
)
def test_fault_that_does_not_exist_is_refused_where_the_device_is_opened(text: str, words: str) -> None:
    with pytest.raises(DeviceNotFound, match=words):
        open_cosim(faults=text)


def environment() -> dict[str, str]:
    """With what this process imports from."""
    return os.environ | {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}


PROCESS = """
import sys
from dataclasses import replace
import numpy as np
from foveal_sim.cosim import open_cosim
from random_scenes import random_scene

scene = random_scene(3, 160, 96)
device = open_cosim(memory_bytes=64 << 20, deadline_s=60.0)
device.load(scene.meshes)
request = (scene.draw, scene.regions)
if sys.argv[1] == "hang":
    device._card.kernel.write_register({timeout}, 0xFFFFFFFF)
    device._card.set_dead("gmem0", silent=True)
    print("in mid-frame", flush=True)
if sys.argv[2] == "overlapped":
    frame = next(device.stream([request] * 3))
else:
    frame = device.render(*request)
np.save(sys.argv[3], frame.pixels)
"""


@pytest.mark.parametrize("mode", MODES)
def test_process_after_one_that_was_killed_in_mid_frame_starts_clean(tmp_path: Path, mode: str, scene: Scene) -> None:
    script = PROCESS.format(timeout=registers.TIMEOUT)

    def command(task: str) -> list[str]:
        return [sys.executable, "-c", script, task, mode, str(tmp_path / f"{task}.npy")]

    with subprocess.Popen(command("hang"), stdout=subprocess.PIPE, text=True, env=environment()) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "in mid-frame\n"
        process.send_signal(signal.SIGKILL)
        assert process.wait(60) == -signal.SIGKILL
    assert list(tmp_path.iterdir()) == []
    subprocess.run(command("draw"), check=True, timeout=300, env=environment())
    model = ModelDevice()
    model.load(scene.meshes)
    np.testing.assert_array_equal(np.load(tmp_path / "draw.npy"), model.render(scene.draw, scene.regions).pixels)
