"""Breaks the co-simulated kernel at random: ``python tests/sim/soak.py --minutes 2 --seed 7``.

Each step draws a scene, a region set, an output format and the memory's timing, runs one hostile scenario, and then
a plain frame that must be exact without any other help than the scenario allows. A failure prints the scenario and the
command that repeats it alone; the exit status is 1.
"""

from __future__ import annotations

import argparse
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "host"))  # random_scenes, also without pytest

import numpy as np
from foveal.card import registers
from foveal.geometry import Geometry
from foveal.region import RegionSet
from kernel_rig import BASE, INSIDE, OUTSIDE, PORTS, Job, Rig, Timing, check_cycles
from random_scenes import layered_scene, random_regions, random_scene

__all__ = ["SCENARIOS", "Scenario", "play", "step"]

Scenario = Callable[[Rig, np.random.Generator], None]

LIMIT = 3_000_000
"""Cycles that the slowest frame here may take; a typical one takes 5,000."""

SHORT_TIMEOUT = 900
"""TIMEOUT register of the dead memories, above ten latencies of the memory that they were."""

SLOTS, TEXELS = 16, 32 * 32
TEX_AT = 12 << 20
IN_MARGIN = 5050
"""EGO_X past the rig's zone and within its margin."""

MISSED = 0x1_FFFF_00FF
"""Sample of a page that is absent."""


def size(rng: np.random.Generator) -> tuple[int, int]:
    """Width and height: small and odd for the most part, now and then as wide or as tall as a frame may be."""
    if rng.random() < 0.04:
        return int(rng.integers(4000, 4097)), int(rng.integers(1, 8))
    if rng.random() < 0.04:
        return int(rng.integers(1, 8)), int(rng.integers(4000, 4097))
    return int(rng.integers(1, 131)), int(rng.integers(1, 71))


def job(rng: np.random.Generator, shape: tuple[int, int] | None = None) -> Job:
    width, height = shape or size(rng)
    seed = int(rng.integers(1 << 30))
    if rng.random() < 0.3:
        scene = layered_scene(seed, width, height, layers=int(rng.integers(1, 25)))
    else:
        scene = random_scene(seed, width, height, instances=int(rng.integers(1, 9)))
    made = Job.of(scene)
    return replace(
        made,
        strided=bool(rng.random() < 0.4),
        depth=bool(rng.random() < 0.25),
        immediate=bool(rng.random() < 0.2),
        inside=bool(rng.random() < 0.3),
        extra_beats=int(rng.integers(0, 3)),
    )


def timing(rng: np.random.Generator, slowest: int = 300) -> dict[str, Timing]:
    """One timing a port: latencies over two decades, bandwidth down to a beat in 20 cycles, 1 to 16 requests."""
    return {
        port: Timing(
            int(np.exp(rng.uniform(0, np.log(slowest)))),
            1.0 if rng.random() < 0.5 else float(rng.uniform(0.05, 1)),
            int(rng.choice([1, 2, 3, 5, 8, 16])),
        )
        for port in PORTS
    }


def plain(rig: Rig, rng: np.random.Generator) -> None:
    """Frames in a row on the same configuration, then another one."""
    made = job(rng)
    for _ in range(int(rng.integers(1, 4))):
        rig.clean_frame(made, LIMIT)
    rig.clean_frame(job(rng), LIMIT)


def fetched_for_its_regions(rig: Rig, rng: np.random.Generator) -> None:
    """Records that geometry binned for the very regions, as the driver does."""
    made = job(rng)
    records = Geometry(made.scene.meshes, 512).setup(made.draw, made.regions)
    if made.immediate:
        made = replace(made, immediate=False)
    rig.clean_frame(replace(made, records=records), LIMIT)


def back_to_back(rig: Rig, rng: np.random.Generator) -> None:
    """A start written in the cycles around the end of the frame before: none is lost when ap_idle was seen."""
    made = job(rng)
    rig.prepare(made)
    rig.start()
    for _ in range(3):
        limit = LIMIT
        while limit > 0 and not rig.read("CTRL") & registers.CTRL_AP_IDLE_MASK:
            rig.kernel.step(int(rng.integers(1, 8)))
            limit -= 8
        rig.no_violation()
        rig.write(registers.ISR, rig.read("ISR"))
        rig.start()
    status = rig.finish(LIMIT)
    assert status & 0xF == 0, f"STATUS {status:#x}"
    rig.compare(made)


def faulty_beat(rig: Rig, rng: np.random.Generator) -> None:
    """SLVERR or DECERR on a beat of a port: the frame ends, says so, and the next is clean without a reset."""
    made = replace(job(rng), inside=True)
    rig.prepare(made)
    port = str(rng.choice(PORTS))
    code = int(rng.choice([2, 3]))
    before = rig.kernel.statistics(port).beats
    beat = int(rng.integers(0, 40))
    rig.kernel.fail_beat(port, beat, code)
    rig.start()
    status = rig.finish(LIMIT)
    reached = rig.kernel.statistics(port).beats - before > beat
    assert status & 1 == reached, f"STATUS {status:#x}, {port} beat {beat} was {'' if reached else 'not '}reached"
    if reached:
        found = (status >> 4 & 3, status >> 6 & 3)
        assert found == (code, PORTS.index(port)), f"STATUS {status:#x} after {code} on {port}"
        assert bool(status & 4) == (port == "gmem2"), f"STATUS {status:#x}: dma_error belongs to gmem2"
    if port == "gmem2":
        rig.compare(made, resident=not reached)
    elif not reached:
        rig.compare(made)
    rig.no_violation()
    rig.kernel.clear_faults()


def dead_port(rig: Rig, rng: np.random.Generator) -> None:
    """A port dies some time into the frame: the frame still ends, and CTRL_RESET makes the kernel whole."""
    made = replace(job(rng), inside=bool(rng.random() < 0.5))
    rig.timing(**timing(rng, slowest=80))
    rig.write(registers.TIMEOUT, SHORT_TIMEOUT)
    rig.prepare(made)
    rig.start()
    rig.kernel.step(int(rng.integers(0, 1500)))
    victims = [str(port) for port in rng.choice(PORTS, size=int(rng.integers(1, 3)), replace=False)]
    running = not rig.kernel.interrupt
    for port in victims:
        rig.kill(port, bool(rng.random() < 0.5))
    status = rig.finish(LIMIT)
    assert not status & 2 or running, f"STATUS {status:#x}: a timeout in a frame that had ended"
    assert status & 8 == 0, f"STATUS {status:#x}"
    if not status & 3:
        rig.compare(made)
    rig.no_violation()
    if rng.random() < 0.5:
        still_dead(rig, running)
    rig.revive()
    rig.write(registers.TIMEOUT, registers.DEFAULT_TIMEOUT)


def still_dead(rig: Rig, running: bool) -> None:
    """CTRL_RESET while ports are dead: idle, no timeout by itself, and a frame ends, if only by another timeout."""
    rig.write(registers.CTRL_RESET, 1)
    rig.kernel.step(2 * SHORT_TIMEOUT)
    assert rig.read("CTRL") & 0xF == registers.CTRL_AP_IDLE_MASK, f"CTRL {rig.read('CTRL'):#x} after CTRL_RESET"
    status = rig.read("STATUS")
    assert status & 0xFF == 0, f"STATUS {status:#x} after CTRL_RESET"
    assert not rig.undrained() or running, f"STATUS {status:#x}: a port owes answers of a frame that had ended"
    rig.start()
    rig.finish(LIMIT)
    rig.no_violation()


def impatient(rig: Rig, rng: np.random.Generator) -> None:
    """TIMEOUT below the memory's latency, CTRL_RESET, and the next frame at once: its requests wait for the drain."""
    made = replace(job(rng, (int(rng.integers(1, 70)), int(rng.integers(1, 80)))), inside=bool(rng.random() < 0.7))
    rig.prepare(made)
    for _ in range(int(rng.integers(1, 5))):
        rig.write(registers.TIMEOUT, int(rng.choice([0, 1, 3, 10, 40, 120, 300])))
        rig.start()
        if rng.random() < 0.5:
            status = rig.finish(LIMIT)
            assert status & 3 != 2, f"STATUS {status:#x}: a timeout that is no error"
            counters = rig.counters()
            check_cycles(counters)
        else:
            rig.kernel.step(int(rng.integers(0, 500)))
        rig.no_violation()
        rig.write(registers.CTRL_RESET, 1)
        rig.kernel.step(int(rng.integers(0, 60)))
    rig.write(registers.TIMEOUT, registers.DEFAULT_TIMEOUT)
    repeated(rig, made)


def woken(rig: Rig, rng: np.random.Generator) -> None:
    """A port dies, is named, and lives again after CTRL_RESET: the frame after is exact without another reset."""
    rig.write(registers.CTRL_RESET, 1)
    rig.timing(**timing(rng, slowest=80))
    small = (int(rng.integers(1, 70)), int(rng.integers(1, 80)))
    made = replace(job(rng, small), inside=True, immediate=False)
    rig.prepare(made)
    rig.write(registers.TIMEOUT, SHORT_TIMEOUT)
    n = int(rng.integers(len(PORTS)))
    late = int(rng.integers(0, 2000)) if rng.random() < 0.5 else 0
    if late:
        rig.start()
        rig.kernel.step(late)
    running = not rig.kernel.interrupt
    rig.kill(PORTS[n], bool(rng.random() < 0.5))
    if not late:
        rig.start()
    status = rig.finish(LIMIT)
    if status & 2:
        assert running, f"STATUS {status:#x}: a timeout in a frame that had ended"
        assert (status >> 4 & 3, status >> 6 & 3) == (0, n), f"STATUS {status:#x} after {PORTS[n]} died"
        assert bool(status & 4) == (n == 2), f"STATUS {status:#x}: dma_error belongs to gmem2"
    elif not late:
        assert n != 2, f"STATUS {status:#x}: {PORTS[n]} was dead"
        assert not made.regions.mask().any(), f"STATUS {status:#x}: {PORTS[n]} was dead"
    check_cycles(rig.counters())
    if n == 2 or not status & 2:
        rig.compare(made, resident=not status & 2)
    rig.no_violation()
    rig.write(registers.CTRL_RESET, 1)
    rig.kernel.step(int(rng.choice([0, 7, 2 * SHORT_TIMEOUT])))
    assert rig.read("CTRL") & 0xF == registers.CTRL_AP_IDLE_MASK, f"CTRL {rig.read('CTRL'):#x} after CTRL_RESET"
    rig.kernel.clear_faults()
    rig.write(registers.TIMEOUT, registers.DEFAULT_TIMEOUT)
    repeated(rig, made)


def repeated(rig: Rig, made: Job) -> None:
    """The frame that is configured, once more, exact, into a clean output."""
    rig.place(made)
    rig.start()
    status = rig.finish(LIMIT)
    assert status & 0xF == 0, f"STATUS {status:#x}"
    assert not rig.undrained(), f"STATUS {status:#x}: ports owe answers behind a frame"
    rig.compare(made)
    check_cycles(rig.counters())


def beyond_the_frame(rig: Rig, rng: np.random.Generator) -> None:
    """Records of a larger frame, as a host's mistake has them: the picture is cut, and a larger one next is exact."""
    shape = int(rng.integers(2, 131)), int(rng.integers(2, 71))
    made, other = (replace(job(rng, shape), immediate=False) for _ in range(2))
    width, height = (int(rng.integers(1, side + 1)) for side in shape)
    rig.prepare(made)
    rig.write(registers.WIDTH, width)
    rig.write(registers.HEIGHT, height)
    rig.start()
    status = rig.finish(LIMIT)
    assert status & 0xF == 0, f"STATUS {status:#x}"
    part = (slice(height), slice(width))
    wanted = made.image(made.words(made.inside)[part], made.regions.mask()[part])
    np.testing.assert_array_equal(rig.output(), wanted)
    rig.no_violation()
    check_cycles(rig.counters())
    full = RegionSet.full(*shape)
    rig.clean_frame(replace(other, regions=full), LIMIT)


def zone_walk(rig: Rig, rng: np.random.Generator) -> None:
    """In and out of the zone, with texture pages at any byte and faults among them: what is resident is known."""
    rig.write(registers.CTRL_RESET, 1)
    made = replace(job(rng, (int(rng.integers(1, 40)), int(rng.integers(1, 40)))), inside=True, immediate=False)
    rig.prepare(made)
    pages = int(rng.integers(0, SLOTS + 1))
    texels = rng.integers(0, 256, (SLOTS, TEXELS, 4)).astype(np.uint8)
    start = TEX_AT + int(rng.integers(0, 8192))
    rig.memory[start : start + texels.size] = texels.reshape(-1)
    for offset, value in ((registers.TEX_BASE_LO, BASE + start), (registers.TEX_BASE_HI, (BASE + start) >> 32)):
        rig.write(offset, value)
    rig.write(registers.TEX_PAGES, pages)
    table_beats, page_beats = -(-(rig.mat_at % 64 + 1024) // 64), -(-(start % 64 + 4096) // 64)
    resident, stale = False, True
    held: set[int] = set()
    for _ in range(int(rng.integers(3, 8))):
        ego = int(rng.choice([INSIDE, IN_MARGIN, OUTSIDE]))
        rig.write(registers.EGO_X, ego)
        if rng.random() < 0.15:
            rig.write(registers.MAT_INVALIDATE, 1)
            stale = True
        if rng.random() < 0.15:
            rig.write(registers.TEX_INVALIDATE, 1)
            held = set()
        bad = int(rng.integers(0, 80)) if rng.random() < 0.4 else None
        if bad is not None:
            rig.kernel.fail_beat("gmem2", bad, 2)
        before = rig.kernel.statistics("gmem2").beats
        rig.place(made)
        rig.start()
        status = rig.finish(LIMIT)
        rig.kernel.clear_faults()
        beats = rig.kernel.statistics("gmem2").beats - before
        wanted = 0
        failed = False
        if ego == OUTSIDE or (ego == IN_MARGIN and not resident):
            resident, held = False, set()
        else:
            wanted = table_beats if stale or not resident else 0
            failed = bad is not None and bad < wanted
            resident, stale = not failed, False
            missing = [page for page in range(pages) if page not in held]
            if failed:
                held = set()
            else:
                held |= set(missing)
                if bad is not None and bad - wanted < page_beats * len(missing):
                    failed = True
                    held.remove(missing[(bad - wanted) // page_beats])
                wanted += page_beats * len(missing)
        assert beats == wanted, f"{beats} beats on gmem2 instead of {wanted}"
        assert status & 0xF == (5 if failed else 0), f"STATUS {status:#x}, a bad beat was {'' if failed else 'not '}met"
        assert status >> 8 & 3 == (3 if resident else 0), f"STATUS {status:#x}: DMA state"
        rig.compare(made, resident=resident)
        check_cycles(rig.counters())
        texel = rng.integers(0, 32, (SLOTS, 2))
        centres = [int(256 * u + 128) | int(256 * v + 128) << 24 | page << 48 for page, (u, v) in enumerate(texel)]
        found = rig.kernel.sample(centres)
        for page, (u, v) in enumerate(texel):
            colour = int.from_bytes(texels[page, 32 * v + u].tobytes(), "little")
            assert found[page] & 0x1_FFFF_FFFF == (colour if page in held else MISSED), f"texel of page {page}"
    rig.write(registers.TEX_PAGES, 0)


def reset_in_flight(rig: Rig, rng: np.random.Generator) -> None:
    """CTRL_RESET at any cycle of a frame, while the memory goes on."""
    made = job(rng)
    rig.prepare(made)
    rig.start()
    rig.kernel.step(int(rng.integers(0, 3000)))
    rig.revive()
    assert rig.read("CTRL") & 0xF == registers.CTRL_AP_IDLE_MASK, f"CTRL {rig.read('CTRL'):#x} after CTRL_RESET"
    assert not rig.kernel.interrupt
    left = {name: count for name, count in rig.counters().items() if count}
    assert not left, f"after CTRL_RESET: {left}"
    rig.regions(made.regions)
    rig.start()
    status = rig.finish(LIMIT)
    assert status & 0xF == 0, f"STATUS {status:#x}"
    rig.compare(made)


def pin_reset_in_flight(rig: Rig, rng: np.random.Generator) -> None:
    """The reset pin at any cycle of a frame."""
    rig.prepare(job(rng))
    rig.start()
    rig.kernel.step(int(rng.integers(0, 3000)))
    rig.power_up()
    if rng.random() < 0.5:
        rig.kernel.step(int(rng.integers(0, 20_000)))


def commit_in_frame(rig: Rig, rng: np.random.Generator) -> None:
    """Sets that are written and committed while a frame runs belong to the next one, the last of them alone."""
    made = replace(job(rng), immediate=False)
    other = random_regions(rng, made.draw.width, made.draw.height)
    rig.prepare(made)
    rig.start()
    rig.kernel.step(int(rng.integers(0, 800)))
    for _ in range(int(rng.integers(0, 3))):
        rig.regions(random_regions(rng, made.draw.width, made.draw.height), commit=bool(rng.random() < 0.7))
    rig.regions(other)
    rig.regions(random_regions(rng, made.draw.width, made.draw.height), commit=False)  # a shadow set nobody asked for
    status = rig.finish(LIMIT)
    assert status & 0xF == 0, f"STATUS {status:#x}"
    rig.compare(made)
    made = replace(made, regions=other)
    rig.place(made)
    rig.start()
    status = rig.finish(LIMIT)
    assert status & 0xF == 0, f"STATUS {status:#x}"
    rig.compare(made)


def commit_at_once(rig: Rig, rng: np.random.Generator) -> None:
    """FLAGS.immediate: the written pixels are those of the old set up to some beat and those of the new set from it."""
    made = replace(job(rng), immediate=True, strided=True)
    width, height = made.draw.width, made.draw.height
    other = random_regions(rng, width, height)
    rig.prepare(made)
    rig.regions(made.regions)
    rig.start()
    # The new set is all in the shadow before it is committed, at a random cycle.
    rig.regions(other, commit=False)
    rig.kernel.step(int(rng.integers(0, 1500)))
    rig.write(registers.ROI_COMMIT, 1)
    status = rig.finish(LIMIT)
    assert status & 0xF == 0, f"STATUS {status:#x}"
    rig.no_violation()
    rows = rig.output()[: made.stride * height].reshape(height, made.stride)[:, : 4 * width]
    found = np.ascontiguousarray(rows).view("<u4")
    written = found != 0xA5A5A5A5
    old, new = made.regions.mask(), other.mask()
    beats = np.arange(height)[:, None] * -(-width // 8) + np.arange(width) // 8
    differs_old = beats[written != old]
    differs_new = beats[written != new]
    # From the first beat that is not the old set's on, all are the new set's.
    first = differs_old.min(initial=beats.max() + 1)
    last = differs_new.max(initial=-1)
    assert last < first, f"beat {first} already obeys the new set and beat {last} still the old one"
    sure = written & old
    words = made.words(made.inside)
    np.testing.assert_array_equal(found[sure], words[sure])


def late_start(rig: Rig, rng: np.random.Generator) -> None:
    """Registers written while a frame runs change the next frame and nothing of this one."""
    made, other = job(rng), job(rng)
    rig.prepare(made)
    rig.start()
    rig.kernel.step(int(rng.integers(0, 300)))
    for offset, value in (
        (registers.WIDTH, other.draw.width),
        (registers.HEIGHT, other.draw.height),
        (registers.STRIDE, other.stride),
        (registers.BACKGROUND, 0x00FF00FF),
        (registers.EGO_X, 12_345_678),
        (registers.OUT_BASE_HI, 0),
        (registers.FLAGS, 7),
    ):
        rig.write(offset, value)
    rig.write(registers.CTRL, registers.CTRL_AP_START_MASK)  # while running: not a second frame
    frames = rig.read("FRAMES")
    if not rig.kernel.interrupt:
        status = rig.finish(LIMIT)
        assert status & 0xF == 0, f"STATUS {status:#x}"
        rig.compare(made)
        rig.kernel.step(50)
        assert rig.read("FRAMES") <= frames + 1
    else:
        rig.kernel.run(LIMIT)
        rig.revive()
    rig.write(registers.ISR, rig.read("ISR"))


SCENARIOS: tuple[Scenario, ...] = (
    plain,
    fetched_for_its_regions,
    back_to_back,
    faulty_beat,
    dead_port,
    impatient,
    woken,
    beyond_the_frame,
    zone_walk,
    reset_in_flight,
    pin_reset_in_flight,
    commit_in_frame,
    commit_at_once,
    late_start,
)


def play(rig: Rig, scenario: Scenario, rng: np.random.Generator) -> None:
    """One scenario, then a plain frame; the memory's timing is drawn anew for each."""
    rig.timing(**timing(rng))
    scenario(rig, rng)
    rig.timing(**timing(rng))
    small = replace(job(rng, (int(rng.integers(1, 60)), int(rng.integers(1, 60)))), immediate=False)
    rig.clean_frame(small, LIMIT)


def step(rig: Rig, seed: int, n: int) -> str:
    """Step `n` of the soak of `seed`; the scenario's name."""
    rng = np.random.default_rng([seed, n])
    scenario = SCENARIOS[int(rng.integers(len(SCENARIOS)))]
    play(rig, scenario, rng)
    return scenario.__name__


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=2.0, help="how long to go on")
    parser.add_argument("--seed", type=int, help="by default from the clock")
    parser.add_argument("--only", type=int, metavar="N", help="repeat this step alone")
    options = parser.parse_args()
    seed = options.seed if options.seed is not None else time.time_ns() & 0xFFFF_FFFF
    print(f"seed {seed}", flush=True)
    rig = Rig(seed)
    seen: Counter[str] = Counter()
    end = time.monotonic() + 60 * options.minutes
    n = options.only if options.only is not None else 0
    while True:
        try:
            seen[step(rig, seed, n)] += 1
        except Exception:  # whatever it is, the repetition command comes first
            traceback.print_exc()
            print(f"violations: {rig.kernel.violations()[:3]}")
            print(f"step {n} failed; repeat: python tests/sim/soak.py --seed {seed} --only {n}", flush=True)
            return 1
        n += 1
        if options.only is not None or time.monotonic() >= end:
            break
    for name, count in sorted(seen.items()):
        print(f"{count:6} {name}")
    print(f"{n} steps, {rig.kernel.cycles:,} cycles, no failure")
    return 0


if __name__ == "__main__":
    sys.exit(main())
