"""What goes wrong with a card: every fault on every backend, one frame at a time and overlapped."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from card_faults import CASES, DEADLINE_S, FAULTY, MODES, Request, check, faulty_scene, strike
from foveal.card import FovealDriver
from foveal.errors import DeviceError, DeviceNotFound, DeviceTimeout
from foveal.golden.device import ModelDevice
from foveal.xrt.device import open_xrt
from foveal_sim.cosim import FAULTS, Fault, open_cosim
from foveal_sim.cosim.card import CosimCard
from foveal_sim.xrt import SimulatedXrt
from random_scenes import Scene
from xrt_double import write_image

Opened = tuple[FovealDriver, CosimCard]
"""A device, and the co-simulated card under it."""


def cosim(folder: Path, faults: str) -> Opened:
    device = open_cosim(memory_bytes=64 << 20, deadline_s=DEADLINE_S, faults=faults)
    card = device._card
    assert isinstance(card, CosimCard)
    return device, card


def over_xrt(folder: Path, faults: str, *, registers: bool) -> Opened:
    library = SimulatedXrt(memory_bytes=64 << 20, registers=registers, faults=faults)
    device = open_xrt(
        library=library, xclbin=write_image(folder), reset=library.reset, lock_folder=folder, deadline_s=DEADLINE_S
    )
    return device, library.world.card


def xrt(folder: Path, faults: str) -> Opened:
    return over_xrt(folder, faults, registers=True)


def xrt_without_registers(folder: Path, faults: str) -> Opened:
    return over_xrt(folder, faults, registers=False)


BACKENDS: dict[str, Callable[[Path, str], Opened]] = {
    "cosim": cosim,
    "xrt": xrt,
    "xrt without registers": xrt_without_registers,
}

UNENDED = "foveal_kernel did not end within 2 ms; its run is RUNNING|the transfer failed: the card does not answer"
UNWRITTEN = "the kernel left [0-9]+ of [0-9]+ pixels unwritten; its STATUS cannot be read here"
OTHER_WORDS = {
    **{("xrt", case): UNENDED for case in ("hang", "lost_interrupt", "off_the_bus", "reset")},
    **{("xrt without registers", case): UNENDED for case in ("hang", "lost_interrupt", "off_the_bus", "reset")},
    **{("xrt without registers", f"{kind}:gmem1"): UNWRITTEN for kind in ("slverr", "decerr", "silent")},
    ("xrt without registers", "silent:gmem0"): UNWRITTEN,
}
"""XRT waits for the interrupt itself and shows the state of its run."""

UNSEEN = {
    ("xrt without registers", f"{kind}:{port}")
    for kind, port in (
        ("slverr", "gmem0"),
        ("decerr", "gmem0"),
        ("slverr", "gmem2"),
        ("decerr", "gmem2"),
        ("silent", "gmem2"),
    )
}
"""Only STATUS tells of them. Every pixel is written, so only a comparison with the golden model finds them."""

LATE = {("xrt without registers", "silent:gmem1")}
"""The memory takes the frame's pixels, all of them, and answers none: the frame is right, and the next one fails."""

NEVER = {("xrt", "foreign"), ("xrt without registers", "foreign")}
"""XRT lets nobody load another image while a context holds this one."""


def words_for(backend: str, case: str) -> str:
    return OTHER_WORDS.get((backend, case), CASES[case])


def pairs(*, seen: bool) -> list[tuple[str, str]]:
    every = [(backend, case) for backend in BACKENDS for case in CASES]
    return [pair for pair in every if pair not in NEVER and (pair not in UNSEEN) == seen]


def test_every_fault_has_a_case() -> None:
    assert {case.partition(":")[0] for case in CASES} == set(FAULTS)


def test_every_fault_is_described_for_users() -> None:
    text = (Path(__file__).resolve().parents[2] / "ARCHITECTURE.md").read_text(encoding="utf-8")
    table = text.partition("## When a card fails")[2].partition("\n## ")[0]
    rows = [line.split("|")[1] for line in table.splitlines() if line.startswith("| `")]
    assert {name.partition(":")[0] for row in rows for name in row.split("`")[1::2]} - {""} == set(FAULTS)


@pytest.fixture(scope="module")
def scene() -> Scene:
    return faulty_scene()[0]


@pytest.fixture(scope="module")
def requests() -> list[Request]:
    return faulty_scene()[1]


@pytest.fixture(scope="module")
def expected(scene: Scene, requests: list[Request]) -> list[np.ndarray]:
    model = ModelDevice()
    model.load(scene.meshes)
    return [model.render(*one).pixels for one in requests]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("backend", "case"), pairs(seen=True))
def test_fault_ends_in_a_clear_error_no_frame_of_it_counts_and_a_reset_mends_it(
    backend: str,
    case: str,
    mode: str,
    scene: Scene,
    requests: list[Request],
    expected: list[np.ndarray],
    tmp_path: Path,
) -> None:
    device, card = BACKENDS[backend](tmp_path, f"{case}@{FAULTY}")
    device.load(scene.meshes)
    strike(device, card, words_for(backend, case), mode, requests, expected, late=(backend, case) in LATE)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("backend", "case"), pairs(seen=False))
def test_fault_that_only_status_shows_spoils_pixels_where_status_cannot_be_read(
    backend: str,
    case: str,
    mode: str,
    scene: Scene,
    requests: list[Request],
    expected: list[np.ndarray],
    tmp_path: Path,
) -> None:
    """A run that compares every frame, as foveal bench does, finds them."""
    device, _ = BACKENDS[backend](tmp_path, f"{case}@{FAULTY}")
    device.load(scene.meshes)
    frames = list(MODES[mode](device, requests))
    wrong = [n for n, frame in enumerate(frames) if not np.array_equal(frame.pixels, expected[n])]
    assert wrong[0] == FAULTY


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(
    ("case", "words"),
    [("foreign", "does not hold a Foveal kernel|holds the image 12345678-.* was loaded"), ("full", "memory is full")],
)
def test_card_that_is_wrong_from_the_start(backend: str, case: str, words: str, scene: Scene, tmp_path: Path) -> None:
    with pytest.raises(DeviceError, match=words):
        BACKENDS[backend](tmp_path, case)[0].load(scene.meshes)


@pytest.mark.parametrize("mode", MODES)
def test_second_fault_strikes_after_the_first_was_mended(
    mode: str, scene: Scene, requests: list[Request], expected: list[np.ndarray], tmp_path: Path
) -> None:
    device, _ = cosim(tmp_path, "slverr:gmem0@1, lost_interrupt@4")
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
import time
from pathlib import Path
import numpy as np
import test_card_faults as faults

task, mode, backend, folder, pixels = sys.argv[1:]
scene, requests = faults.faulty_scene()
Path(folder).mkdir(exist_ok=True)
device, card = faults.BACKENDS[backend](Path(folder), ())
device.load(scene.meshes)


def stay(deadline_s):
    print("in mid-frame", flush=True)
    time.sleep(600)


if task == "stay":
    card.wait_done = stay
np.save(pixels, next(faults.MODES[mode](device, requests)).pixels)
"""


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("backend", ["cosim", "xrt"])
def test_process_after_one_that_was_killed_in_mid_frame_starts_clean(
    backend: str, mode: str, scene: Scene, expected: list[np.ndarray], tmp_path: Path
) -> None:
    """The card's lock, too, must not outlive its holder."""

    def command(task: str) -> list[str]:
        words = [task, mode, backend, str(tmp_path / "card"), str(tmp_path / f"{task}.npy")]
        return [sys.executable, "-c", PROCESS, *words]

    with subprocess.Popen(command("stay"), stdout=subprocess.PIPE, text=True, env=environment()) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "in mid-frame\n"
        process.send_signal(signal.SIGKILL)
        assert process.wait(60) == -signal.SIGKILL
    assert not (tmp_path / "stay.npy").exists()
    subprocess.run(command("draw"), check=True, timeout=200, env=environment())
    np.testing.assert_array_equal(np.load(tmp_path / "draw.npy"), expected[0])
