"""The co-simulated kernel by its registers and bare memory, for tests that do what the driver never would.

A rig places records, band table, material table and output at addresses of its own choice, so that a frame may be
started, disturbed and read in any state. Every comparison is with the golden model or with memory that must not change.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from foveal.card import registers
from foveal.drawlist import DrawList
from foveal.geometry import Geometry, Records
from foveal.golden import render
from foveal.region import Region, RegionSet
from foveal_sim.cosim._cosim import Dead, Kernel
from random_scenes import Scene

__all__ = ["PORTS", "Job", "Rig", "Timing", "check_cycles", "check_sums"]

PORTS = ("gmem0", "gmem1", "gmem2")
BASE = 0x7_0000_0000
SIZE = 16 << 20
PAGE = 4096
BUS_BYTES = 32
DRAIN_STEPS = 400
"""Times 256 cycles in which the slowest memory answers all that may be in flight: 512 beats, one in 20 cycles."""

GUARD = 0xA5
"""What memory around the output holds; a frame must leave it."""

OUT_AT = 8 << 20
OUT_ROOM = 640 << 10
INSIDE, OUTSIDE = 0, 1_000_000
"""EGO_X in centimetres inside and outside the rig's zone, which spans 100 m around the origin."""


@dataclass(frozen=True, slots=True)
class Timing:
    """Memory of one port: cycles to the first answer, beats a cycle, requests it holds."""

    latency: int = 20
    bandwidth: float = 1.0
    outstanding: int = 16


@dataclass(frozen=True, slots=True)
class Job:
    """One frame: a scene's records and the configuration around them. extra_beats: gap at the end of a strided row."""

    scene: Scene
    records: Records
    regions: RegionSet
    strided: bool = False
    depth: bool = False
    immediate: bool = False
    inside: bool = False
    extra_beats: int = 0

    @classmethod
    def of(cls, scene: Scene, **options: object) -> Job:
        """The records hold what any region set may show, so that sets can change under them."""
        full = RegionSet.full(scene.draw.width, scene.draw.height)
        records = Geometry(scene.meshes, 512).setup(scene.draw, full)
        return cls(scene, records, scene.regions, **options)  # type: ignore[arg-type]

    @property
    def draw(self) -> DrawList:
        return self.scene.draw

    @property
    def stride(self) -> int:
        return (-(-4 * self.draw.width // BUS_BYTES) + self.extra_beats) * BUS_BYTES

    def words(self, resident: bool, regions: RegionSet | None = None) -> np.ndarray:
        """(H, W) uint32 output pixels of the golden model inside `regions` (default: the job's); zero outside."""
        golden = render(self.scene.meshes, self.draw, regions or self.regions, resident=resident)
        return golden.depth_words() if self.depth else golden.pixels.view("<u4")[..., 0]

    def image(self, words: np.ndarray, mask: np.ndarray) -> np.ndarray:
        """The output area's bytes after a frame that writes `words` where `mask` is set, guard elsewhere."""
        area = np.full(OUT_ROOM, GUARD, np.uint8)
        if not self.strided:
            kept = words[mask].astype("<u4").view(np.uint8)
            area[: kept.size] = kept
            return area
        y, x = np.nonzero(mask)
        place = (y * self.stride + 4 * x)[:, None] + np.arange(4)
        area[place] = words[mask].astype("<u4").view(np.uint8).reshape(-1, 4)
        return area


SUMS = (
    (
        "fetch_wait_cycles",
        "raster_cycles",
        "-raster_stall_cycles",
        "scan_alone_cycles",
        "dma_alone_cycles",
        "drain_cycles",
    ),
    ("scan_cycles", "dma_wait_cycles", "scan_idle_cycles"),
    ("fetch_beats", "fetch_stall_cycles", "fetch_latency_cycles", "fetch_idle_cycles"),
    ("write_beats", "write_stall_cycles", "write_latency_cycles", "write_idle_cycles"),
)
"""The four ways in which the counters add up to the frame's cycles; hw/SPEC.md section 10."""


def check_cycles(counters: dict[str, int]) -> None:
    """Every cycle of the frame, of an aborted one too, is in exactly one counter of each sum."""
    for names in SUMS:
        total = sum(-counters[name[1:]] if name.startswith("-") else counters[name] for name in names)
        assert total == counters["frame_cycles"], {name: counters[name.removeprefix("-")] for name in names}


def check_sums(counters: dict[str, int]) -> None:
    """The cycles of a frame that succeeded, and what else its counters must say of each other."""
    check_cycles(counters)
    assert counters["raster_stall_cycles"] <= counters["scan_alone_cycles"] + counters["dma_alone_cycles"]
    assert counters["scan_stall_cycles"] <= counters["scan_cycles"]
    assert 64 * counters["fetch_beats"] <= counters["rd_bytes"]
    assert counters["tri_culled"] <= counters["tri_fetched"] <= counters["fetch_beats"]
    assert counters["wr_bytes"] == counters["out_bytes"] == 4 * counters["pixels_kept"]
    assert counters["roi_inject_count"] == sum(
        counters[f"roi_inject_{name}"] for name in ("to_8", "to_16", "to_24", "over_24")
    )
    assert counters["roi_inject_min"] <= counters["roi_inject_max"]


@dataclass
class Rig:
    """One kernel. `seed` places its buffers."""

    seed: int = 0
    kernel: Kernel = field(init=False)

    def __post_init__(self) -> None:
        rng = np.random.default_rng(self.seed)
        self.kernel = Kernel(BASE, SIZE)
        self.memory = self.kernel.memory
        # Records and bands may start at any beat, the table at any byte, so bursts are cut at every place in a page.
        self.tri_at = PAGE + 64 * int(rng.integers(0, 64))
        self.band_at = (5 << 20) + 64 * int(rng.integers(0, 64))
        self.mat_at = (6 << 20) + int(rng.integers(0, 4096))
        self.power_up()

    def power_up(self) -> None:
        """Reset by the pin, then the configuration that all jobs share."""
        self.kernel.reset()
        self.write(registers.GIE, registers.GIE_ENABLE_MASK)
        self.write(registers.IER, registers.IER_AP_DONE_MASK)
        for name, value in (("X0", -5000), ("Y0", -5000), ("X1", 5000), ("Y1", 5000), ("MARGIN", 100)):
            self.write(registers.OFFSETS[f"ZONE_{name}"], value)
        self.write(registers.EGO_X, OUTSIDE)
        self.write(registers.TIMEOUT, registers.DEFAULT_TIMEOUT)

    def write(self, offset: int, value: int) -> None:
        code = self.kernel.write_register(offset, value & 0xFFFFFFFF)
        assert code == 0, f"writing 0x{offset:03X} answers {code}"

    def read(self, name: str) -> int:
        value, code = self.kernel.read_register(registers.OFFSETS[name])
        assert code == 0, f"reading {name} answers {code}"
        return value

    def counters(self) -> dict[str, int]:
        """All counters by their register's name in lower case."""
        return {name.lower(): self.read(name) for name in registers.COUNTERS}

    def timing(self, **ports: Timing) -> None:
        for port, timing in ports.items():
            self.kernel.set_timing(port, timing.latency, timing.bandwidth, timing.outstanding)

    def place(self, job: Job) -> None:
        """Records, band table and materials into memory; guard around and into the output."""
        records, bands = job.records.records, job.records.bands.astype("<u4").view(np.uint8)
        assert records.size < (4 << 20)
        for at, data in ((self.tri_at, records), (self.band_at, bands), (self.mat_at, job.scene.meshes.material)):
            flat = np.ascontiguousarray(data).reshape(-1)
            self.memory[at : at + flat.size] = flat
        self.memory[OUT_AT - PAGE : OUT_AT + OUT_ROOM] = GUARD

    def regions(self, regions: RegionSet, commit: bool = True) -> None:
        """Write the whole shadow set, and commit it."""
        boxes: list[Region | None] = [*regions, *[None] * (registers.ROI_COUNT - len(regions))]
        for n, box in enumerate(boxes):
            self.write(registers.roi_lo(n), box.x0 | box.y0 << 16 if box else 0)
            self.write(registers.roi_hi(n), box.x1 | box.y1 << 16 if box else 0)
        if commit:
            self.write(registers.ROI_COMMIT, 1)

    def configure(self, job: Job) -> None:
        for low, at in (
            (registers.TRI_BASE_LO, self.tri_at),
            (registers.BAND_BASE_LO, self.band_at),
            (registers.OUT_BASE_LO, OUT_AT),
            (registers.MAT_BASE_LO, self.mat_at),
        ):
            self.write(low, BASE + at)
            self.write(low + 4, (BASE + at) >> 32)
        flags = (
            (registers.FLAGS_STRIDED_MASK if job.strided else 0)
            | (registers.FLAGS_DEPTH_OUT_MASK if job.depth else 0)
            | (registers.FLAGS_IMMEDIATE_MASK if job.immediate else 0)
        )
        red, green, blue = job.draw.background
        for offset, value in (
            (registers.WIDTH, job.draw.width),
            (registers.HEIGHT, job.draw.height),
            (registers.STRIDE, job.stride),
            (registers.BACKGROUND, red | green << 8 | blue << 16),
            (registers.FLAGS, flags),
            (registers.EGO_X, INSIDE if job.inside else OUTSIDE),
            (registers.MAT_INVALIDATE, 1),  # the table of another scene may lie at the same address
        ):
            self.write(offset, value)

    def prepare(self, job: Job) -> None:
        self.place(job)
        self.configure(job)
        self.regions(job.regions)

    def start(self) -> None:
        self.write(registers.CTRL, registers.CTRL_AP_START_MASK)

    def finish(self, limit: int) -> int:
        """Wait for the frame's end, take the interrupt back; STATUS. Fails when the frame takes more cycles."""
        self.kernel.run(limit)
        assert self.kernel.interrupt, f"no ap_done within {limit} cycles; CTRL {self.read('CTRL'):#x}"
        control = self.read("CTRL")
        assert control & registers.CTRL_AP_DONE_MASK, f"CTRL {control:#x} after the interrupt"
        self.write(registers.ISR, registers.ISR_AP_DONE_MASK)
        self.kernel.step(2)
        assert not self.kernel.interrupt, "the interrupt stays after ISR was cleared"
        return self.read("STATUS")

    def output(self) -> np.ndarray:
        """The output area; what lies before it must be guard."""
        assert (self.memory[OUT_AT - PAGE : OUT_AT] == GUARD).all(), "bytes before OUT_BASE were written"
        return self.memory[OUT_AT : OUT_AT + OUT_ROOM]

    def compare(self, job: Job, resident: bool | None = None) -> None:
        """The whole output area against the golden model, guard included, and no AXI rule broken."""
        mask = job.regions.mask()
        wanted = job.image(job.words(job.inside if resident is None else resident), mask)
        found = self.output()
        if not np.array_equal(found, wanted):
            wrong = np.flatnonzero(found != wanted)
            raise AssertionError(
                f"{len(wrong)} bytes differ, first at {wrong[0]}: {found[wrong[0]]} instead of {wanted[wrong[0]]}"
            )
        self.no_violation()

    def no_violation(self) -> None:
        assert self.kernel.violation_count == 0, self.kernel.violations()[:3]

    def clean_frame(self, job: Job, limit: int) -> dict[str, int]:
        """A frame from scratch that must succeed and be exact; its counters."""
        self.prepare(job)
        self.start()
        status = self.finish(limit)
        assert status & 0xF == 0, f"STATUS {status:#x}"
        self.compare(job)
        counters = self.counters()
        check_sums(counters)
        return counters

    def revive(self) -> None:
        """The kernel's internal reset, in whatever state; the memory lives again, goes on, and the ports drain."""
        self.write(registers.CTRL_RESET, 1)
        self.kernel.clear_faults()
        for _ in range(DRAIN_STEPS):
            if not self.undrained():
                break
            self.kernel.step(256)
        self.no_violation()
        assert not self.undrained(), f"STATUS {self.read('STATUS'):#x}: ports owe answers although memory answers"

    def undrained(self) -> int:
        """Bit n: port gmem n owes answers to what a reset or a timeout gave up."""
        return (self.read("STATUS") & registers.STATUS_UNDRAINED_MASK) >> registers.STATUS_UNDRAINED_SHIFT

    def kill(self, port: str, silent: bool) -> None:
        self.kernel.set_dead(port, Dead.SILENT if silent else Dead.REFUSE)
