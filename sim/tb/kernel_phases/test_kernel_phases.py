"""foveal_kernel disturbed in each phase of a frame: another region set, a reset. And each kind of region in a frame."""

from __future__ import annotations

from typing import Any

import cocotb
import numpy as np
from foveal_tb.clocked import Clocked, bit
from foveal_tb.points import REGION_KINDS, Points, region_kinds
from kernel_bench import BUS, FRAME_LIMIT, INSIDE, MAT_BASE, OUT_BASE, PPC, Bench, some_records, strided
from picture import Setup, output_bytes

PHASES = ("idle", "loading bands", "raster", "scan", "dma wait", "drain", "done")
DISTURBANCES = ("set in frame mode", "set in immediate mode", "kernel reset", "reset pin")
POINTS = Points(
    [
        *(f"{what} while {phase}" for what in DISTURBANCES for phase in PHASES),
        *(f"region {kind}" for kind in REGION_KINDS),
        *(f"{edge} edge at lane {lane}" for edge in ("left", "right") for lane in range(PPC)),
    ]
)
WIDTH, HEIGHT = 40, 40
OLD = ((0, 0, 30, 20), (5, 25, 9, 40), (0, 33, 33, 34))
NEW = ((20, 10, WIDTH, HEIGHT), (3, 1, 4, 2))
TINT = (64, 128, 200)


class PhaseLog:
    """Where the frame is, cycle by cycle; the scan overlaps the raster and counts before it."""

    def __init__(self, dut: Any, loop: Clocked) -> None:
        self.dut, self.loop = dut, loop
        self.at: dict[int, str] = {}
        self.now = "idle"

    def reset(self) -> None:
        self.now = "idle"

    def drive(self) -> None:
        pass

    def _phase(self) -> str:
        ctl = self.dut.u_ctl
        if not bit(ctl.now_running):
            return "done" if bit(self.dut.u_regs.done_reg) else "idle"
        if bit(ctl.now_drain):
            return "drain"
        if bit(ctl.now_dma_wait):
            return "dma wait"
        if bit(ctl.now_scan):
            return "scan"
        return "raster" if bit(ctl.now_raster) else "loading bands"

    def sample(self) -> None:
        self.now = self.at[self.loop.cycle] = self._phase()


class Kernel(Bench):
    """The kernel inside its zone, with a material table that comes so late that the scan waits for it."""

    def __init__(self, dut: Any, name: str) -> None:
        super().__init__(dut, name)
        self.phases = self.loop.add(PhaseLog(dut, self.loop))

    async def prepare(self, setup: Setup) -> list[bytes]:
        """Whatever the test before left is reset; the next frame loads the table."""
        await self.power_up(fresh=True)
        self.memory[2].load(MAT_BASE, bytes([*TINT, 0]) * 256)
        self.gmem2.latency = lambda: 400
        await self.ego(INSIDE)
        records = some_records(self.rng, setup.width, setup.height, 8)
        self.load(setup, records)
        await self.configure(setup)
        await self.commit(setup.regions)
        self.memory[1].written.clear()
        return records

    async def reach(self, phase: str) -> None:
        """Start the frame and go on until it is in `phase`."""
        if phase == "idle":
            return
        access = self.control.submit(0, 1)
        await self.loop.until(lambda: access[2] is not None, 60, "the start")
        await self.loop.until(lambda: self.phases.now == phase, FRAME_LIMIT, phase)

    def image(self) -> dict[int, int]:
        memory = self.memory[1]
        return {addr: memory.read_beat(addr, 1) for addr in memory.written}

    async def whole_frame(self, setup: Setup, records: list[bytes]) -> None:
        """Another frame on what is configured and committed; byte by byte."""
        self.memory[1].written.clear()
        await self.run()
        assert await self.read("STATUS") & 0xFF == 0
        assert self.image() == output_bytes(setup, records, OUT_BASE)


def tinted(regions: tuple[tuple[int, int, int, int], ...], immediate: bool = False) -> Setup:
    setup = Setup(WIDTH, HEIGHT, regions, immediate=immediate, tint=np.full((256, 3), TINT))
    return strided(setup) if immediate else setup


@cocotb.test
@cocotb.parametrize(phase=PHASES)
async def a_set_in_a_frame_belongs_to_the_next(dut: Any, phase: str) -> None:
    """The running frame obeys the set it started with, whole; the next one the new set, whole."""
    kernel = Kernel(dut, f"frame-{phase}")
    setup = tinted(OLD)
    records = await kernel.prepare(setup)
    await kernel.shadow(NEW)
    await kernel.reach(phase)
    await kernel.write("ROI_COMMIT", 1)
    met = kernel.phases.at[kernel.control.write_cycle]
    POINTS.hit(f"set in frame mode while {met}")
    if phase != "idle":
        await kernel.loop.until(lambda: not bit(dut.u_ctl.now_running), FRAME_LIMIT, "the frame")
        assert kernel.image() == output_bytes(setup, records, OUT_BASE)
        await kernel.read("CTRL")
    kernel.load(tinted(NEW), records)
    await kernel.whole_frame(tinted(NEW), records)
    await kernel.settle()


@cocotb.test
@cocotb.parametrize(phase=PHASES)
async def a_set_at_once_divides_the_frame_at_a_beat(dut: Any, phase: str) -> None:
    """Beats up to one obey the old set, all others the new one; what was not rendered shows the background."""
    kernel = Kernel(dut, f"immediate-{phase}")
    setup, after = tinted(OLD, immediate=True), tinted(NEW, immediate=True)
    everything = tinted(((0, 0, WIDTH, HEIGHT),), immediate=True)
    records = await kernel.prepare(setup)
    await kernel.shadow(NEW)
    await kernel.reach(phase)
    await kernel.write("ROI_COMMIT", 1)
    met = kernel.phases.at[kernel.control.write_cycle]
    POINTS.hit(f"set in immediate mode while {met}")
    if phase != "idle":
        await kernel.loop.until(lambda: not bit(dut.u_ctl.now_running), FRAME_LIMIT, "the frame")
        image, pixels = kernel.image(), output_bytes(everything, records, OUT_BASE)
        inside = output_bytes(setup, [], OUT_BASE)
        assert all(image[addr] == pixels[addr] for addr in image if addr in inside), "a rendered pixel changed"
        new_bytes = output_bytes(after, [], OUT_BASE)
        beats = sorted({addr // BUS * BUS for addr in (*image, *inside, *new_bytes)})

        def of_beat(addresses: Any, beat: int) -> list[int]:
            return [addr for addr in range(beat, beat + BUS) if addr in addresses]

        obeys_old = [of_beat(image, beat) == of_beat(inside, beat) for beat in beats]
        obeys_new = [of_beat(image, beat) == of_beat(new_bytes, beat) for beat in beats]
        assert any(all(obeys_old[:n]) and all(obeys_new[n:]) for n in range(len(beats) + 1)), "a torn set"
        if met in ("drain", "done"):
            assert all(obeys_old)
        if met in ("loading bands", "raster", "dma wait"):
            assert all(obeys_new)
        await kernel.read("CTRL")
    kernel.load(after, records)
    await kernel.whole_frame(after, records)
    await kernel.settle()


@cocotb.test
@cocotb.parametrize(phase=PHASES, pin=[False, True])
async def a_reset_leaves_nothing_behind(dut: Any, phase: str, pin: bool) -> None:
    """Idle and silent behind it, whatever was under way; then a frame of another set is right from its first byte."""
    kernel = Kernel(dut, f"reset-{phase}-{pin}")
    setup = tinted(OLD)
    records = await kernel.prepare(setup)
    await kernel.reach(phase)
    if pin:
        POINTS.hit(f"reset pin while {kernel.phases.now}")
        await kernel.loop.reset()
        kernel.written.clear()
    else:
        await kernel.write("CTRL_RESET", 1)
        POINTS.hit(f"kernel reset while {kernel.phases.at[kernel.control.write_cycle]}")
        kernel.shader.reset()
        await kernel.drain()
    await kernel.pass_init()
    assert await kernel.read("CTRL") & 0xF == 4, "idle alone"
    for channel in ("gmem0_ar", "gmem1_aw", "gmem1_w", "gmem2_ar"):
        assert not bit(getattr(dut, f"m_axi_{channel}valid")), channel
    await kernel.defaults()
    await kernel.ego(INSIDE)
    await kernel.frame(tinted(NEW), records)
    await kernel.settle()


@cocotb.test
async def each_kind_of_region_and_an_edge_in_each_lane(dut: Any) -> None:
    """Sixteen regions a frame; the sets name every kind, and every lane of a beat as a left and as a right edge."""
    kernel = Kernel(dut, "kinds")
    await kernel.power_up(fresh=True)
    width, height = 3 * PPC + 1, 34
    odd = [(4, 4, 4, 9), (9, 9, 2, 12), (5, 5, 6, 6), (width, 0, width + 3, 9), (0, 20, 8, 30), (4, 25, 9, 33)]
    left = [(lane, lane, width, lane + 1) for lane in range(PPC)]
    right = [(0, 16 + lane, PPC + lane + 1, 17 + lane) for lane in range(PPC)]
    for boxes in (odd, left, right, [(0, 0, width, height)], [(0, 0, 8191, 8191)]):
        await kernel.frame(Setup(width, height, tuple(boxes)), some_records(kernel.rng, width, height, 6))
        POINTS.hit(*(f"region {kind}" for kind in region_kinds(boxes, width, height)))
        for x0, y0, x1, y1 in boxes:
            if x0 < min(x1, width) and y0 < y1:
                POINTS.hit(f"left edge at lane {x0 % PPC}", f"right edge at lane {x1 % PPC}")
    await kernel.settle()


@cocotb.test
async def every_point_was_met(dut: Any) -> None:
    """The last test: what the tests before it were to meet."""
    POINTS.require()
