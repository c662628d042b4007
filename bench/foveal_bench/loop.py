"""The frame loop: each tick rendered by each configuration, compared, and recorded."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from foveal.device import Device
from foveal.drawlist import DrawList
from foveal.frame import Frame, StageTime
from foveal.region import RegionSet

from foveal_bench.store import RecordStore
from foveal_bench.verdict import Verdict

__all__ = ["Configuration", "FrameLoop", "Step"]

TOLERATED_SHARE = 1e-3
"""Share of pixels by which a measured renderer may differ from the golden model (rounding at edges)."""


@dataclass(frozen=True, slots=True)
class Step:
    """One tick, ready to render. tick counts from 0.

    times: the host's own stages for every frame (scene); region_times: those that only a frame in regions needs.
    """

    tick: int
    draw: DrawList
    regions: RegionSet
    times: tuple[StageTime, ...] = ()
    region_times: tuple[StageTime, ...] = ()


@dataclass(frozen=True, slots=True)
class Configuration:
    """A device in a mode. every: render each n-th tick. exact: pixels must equal the golden model's."""

    key: str
    label: str
    device: Device
    full: bool
    every: int = 1
    exact: bool = False

    def regions(self, step: Step) -> RegionSet:
        return RegionSet.full(step.draw.width, step.draw.height) if self.full else step.regions


class FrameLoop:
    """Renders steps in a random order of configurations (seeded), so that no device always goes first."""

    def __init__(
        self,
        configurations: list[Configuration],
        golden: Device,
        store: RecordStore,
        verdict: Verdict,
        *,
        seed: int,
        picture_every: int,
        on_picture: Callable[[Step, dict[str, Frame]], None],
        before_render: Callable[[Step, Configuration], None] = lambda step, configuration: None,
    ) -> None:
        self._configurations = configurations
        self._golden = golden
        self._store = store
        self._verdict = verdict
        self._rng = np.random.default_rng(seed)
        self._picture_every = picture_every
        self._on_picture = on_picture
        self._before_render = before_render

    def warm_up(self, step: Step, rounds: int = 2) -> None:
        """Compile and touch everything before anything counts. A device that fails is treated as in run()."""
        for configuration in self._configurations:
            for _ in range(1 if configuration.every > 1 else rounds):
                with self._verdict.device(f"{configuration.key}, warm-up"):
                    configuration.device.render(step.draw, configuration.regions(step))

    def run(self, step: Step) -> dict[str, Frame]:
        """Render, compare and record one tick. A device that fails makes the run INVALID and the error is raised.

        Returns the frames by configuration.
        """
        due = [c for c in self._configurations if step.tick % c.every == 0]
        frames: dict[str, Frame] = {}
        for index in self._rng.permutation(len(due)):
            configuration = due[index]
            self._before_render(step, configuration)
            with self._verdict.device(f"{configuration.key}, tick {step.tick}"):
                frames[configuration.key] = configuration.device.render(step.draw, configuration.regions(step))
        expected: dict[bool, Frame] = {}
        for configuration in due:
            frame = frames[configuration.key]
            different = None
            if configuration.exact or not configuration.full or step.tick % self._picture_every == 0:
                if configuration.full not in expected:
                    expected[configuration.full] = self._golden.render(step.draw, configuration.regions(step))
                different = self._compare(step, configuration, frame, expected[configuration.full])
            self._check_fresh(step, configuration, frame)
            self._store.append(_record(step, configuration, frame, different))
        if step.tick % self._picture_every == 0:
            self._on_picture(step, frames)
        return frames

    def check(self, step: Step, configuration: Configuration, frame: Frame) -> int:
        """Compare a frame that was not rendered by run(); how many of its pixels differ. The steps keep their order."""
        self._check_fresh(step, configuration, frame)
        return self._compare(step, configuration, frame, self._golden.render(step.draw, configuration.regions(step)))

    def _check_fresh(self, step: Step, configuration: Configuration, frame: Frame) -> None:
        if frame.frame != step.draw.frame:
            self._verdict.against(
                "a stale image", f"{configuration.key} answered frame {frame.frame} for {step.draw.frame}"
            )

    def _compare(self, step: Step, configuration: Configuration, frame: Frame, expected: Frame) -> int:
        if frame.pixels.shape != expected.pixels.shape:
            self._verdict.against("wrong frame size", f"{configuration.key}, tick {step.tick}: {frame.pixels.shape}")
            return frame.pixels.shape[0] * frame.pixels.shape[1]
        if np.array_equal(frame.pixels, expected.pixels):
            return 0
        apart = np.abs(frame.pixels.astype(np.int16) - expected.pixels).max(axis=2)
        wrong = apart > (0 if configuration.exact else 1)
        different = int(np.count_nonzero(wrong))
        if different > (0 if configuration.exact else TOLERATED_SHARE * apart.size):
            y, x = (int(v) for v in np.argwhere(wrong)[0])
            self._verdict.against(
                "pixels differ from the golden model",
                f"{configuration.key}, tick {step.tick}: {different} pixels, the first at x {x}, y {y}:"
                f" {frame.pixels[y, x].tolist()} instead of {expected.pixels[y, x].tolist()} (B, G, R, A)",
            )
        return different


def _record(step: Step, configuration: Configuration, frame: Frame, different: int | None) -> dict[str, object]:
    host = step.times if configuration.full else (*step.region_times, *step.times)
    record: dict[str, object] = {
        "tick": step.tick,
        "frame": frame.frame,
        "configuration": configuration.key,
        "latency_ns": frame.latency_ns + sum(t.time_ns for t in host),
        "device_ns": frame.latency_ns,
        "region_share": frame.regions.share,
        "region_count": len(frame.regions),
        "ego_x_m": step.draw.ego[0],
        "ego_y_m": step.draw.ego[1],
        "pixels_different": different,
    }
    for stage in (*host, *frame.stages):
        record[f"stage.{stage.name}"] = stage.time_ns
        record[f"provenance.{stage.name}"] = str(stage.provenance)
    record |= {f"count.{name}": value for name, value in frame.counters.items()}
    return record
