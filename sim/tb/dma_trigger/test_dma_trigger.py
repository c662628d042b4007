"""dma_trigger: a model of the zone decides, frame by frame, whether memory may be touched."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import cocotb
from cocotb.triggers import Timer
from foveal_tb.axi_memory import DECERR, SLVERR, AxiReadSlave, Memory
from foveal_tb.clocked import Clocked, bench_rng, bit
from foveal_tb.pauses import PAUSES, pauses

TABLES = (0x1_0000_0FC0, 0x1_0000_2000, 0xFFFF_0000_0040)
OUTSIDE, RESIDENT = 0, 3
LOW, HIGH = -(1 << 31), (1 << 31) - 1


@dataclass
class Zone:
    """World window in centimetres, half-open, and the margin for leaving it."""

    x0: int = -1000
    y0: int = 200
    x1: int = 3000
    y1: int = 900
    margin: int = 50

    def holds(self, x: int, y: int, margin: int = 0) -> bool:
        some = self.x0 < self.x1 and self.y0 < self.y1
        in_x = self.x0 - margin <= x < self.x1 + margin
        return some and in_x and self.y0 - margin <= y < self.y1 + margin


class Bench:
    """Runs frames on the trigger and on the rules of the specification, and compares after each."""

    def __init__(self, dut: Any, name: str, kind: str = "always", timeout: int = 300, **slave: Any) -> None:
        self.dut = dut
        self.rng = bench_rng(name)
        self.memory = Memory()
        self.contents = {base: self.rng.randbytes(1024) for base in TABLES}
        for base, data in self.contents.items():
            self.memory.load(base, data)
        self.loop = Clocked(dut)
        active = {"accept": pauses(kind, self.rng), "active": pauses(kind, self.rng)}
        self.slave = self.loop.add(AxiReadSlave(dut, "m_axi_gmem2", self.memory, **(active | slave)))
        self.loop.add(self)
        self.table = bytearray(1024)  # what was written through mat_*
        self.zone, self.ego, self.base = Zone(), (0, 0), TABLES[0]
        self.resident_base: int | None = None
        self.stale = False
        self.loads = self.skipped = 0
        dut.timeout.value = timeout
        dut.frame_start.value = 0
        dut.mat_invalidate.value = 0

    def reset(self) -> None:
        """Part of an agent; nothing to put to rest."""

    def drive(self) -> None:
        """Part of an agent; it only listens."""

    def sample(self) -> None:
        if bit(self.dut.mat_we):
            row = int(self.dut.mat_waddr.value)
            self.table[64 * row : 64 * row + 64] = int(self.dut.mat_wdata.value).to_bytes(64, "little")

    def apply(self) -> None:
        mask = (1 << 32) - 1
        dut, zone = self.dut, self.zone
        dut.cfg_ego_x.value, dut.cfg_ego_y.value = self.ego[0] & mask, self.ego[1] & mask
        dut.cfg_zone_x0.value, dut.cfg_zone_y0.value = zone.x0 & mask, zone.y0 & mask
        dut.cfg_zone_x1.value, dut.cfg_zone_y1.value = zone.x1 & mask, zone.y1 & mask
        dut.cfg_zone_margin.value = zone.margin
        dut.cfg_mat_base.value = self.base

    async def invalidate(self) -> None:
        self.dut.mat_invalidate.value = 1
        await self.loop.step()
        self.dut.mat_invalidate.value = 0
        self.stale = True

    async def start(self) -> None:
        self.apply()
        await self.loop.reset()

    async def frame(self, fails: bool = False) -> bool:
        """One frame, checked; whether a load was due."""
        self.apply()
        kept = self.resident_base is not None and self.zone.holds(*self.ego, self.zone.margin)
        changed = self.stale or self.resident_base != self.base
        due = changed if kept else self.zone.holds(*self.ego)
        before = len(self.slave.bursts)
        self.dut.frame_start.value = 1
        await Timer(500, "ps")
        assert bit(self.dut.pending), "in the very cycle of the frame start"
        await self.loop.step()
        self.dut.frame_start.value = 0
        await self.loop.step()
        assert bit(self.dut.pending)
        await self.loop.until(lambda: not bit(self.dut.pending), 1500, "the decision")
        await self.loop.step(6)
        read = self.slave.bursts[before:]
        if due:
            assert sum(beats for _, beats in read) == 16 or fails
            assert not read or read[0][0] == self.base
        else:
            assert read == [], f"no load was due, ego {self.ego}"
        if due or not kept:
            self.stale = False
            self.resident_base = self.base if due and not fails else None
        self.loads += due and not fails
        self.skipped += not due
        state = OUTSIDE if self.resident_base is None else RESIDENT
        assert int(self.dut.dma_state.value) == state
        assert bit(self.dut.resident) == (state == RESIDENT)
        assert bit(self.dut.dma_error) == (due and fails)
        if self.resident_base is not None:
            assert bytes(self.table) == self.contents[self.resident_base]
        counters = int(self.dut.dma_counters.value)
        assert counters & 0xFFFFFFFF == self.loads
        assert counters >> 32 & 0xFFFFFFFF == self.skipped
        assert counters >> 64 == 64 * self.slave.taken_beats
        return due


@cocotb.test
async def it_loads_once_and_never_again_while_resident(dut: Any) -> None:
    bench = Bench(dut, "once")
    await bench.start()
    bench.ego = (0, 500)
    assert await bench.frame()
    for _ in range(4):
        assert not await bench.frame()
    assert bench.loads == 1


@cocotb.test
async def the_zone_is_half_open(dut: Any) -> None:
    bench = Bench(dut, "edges")
    await bench.start()
    bench.zone.margin = 0
    inside = {(-1000, 200), (2999, 200), (-1000, 899), (2999, 899)}
    outside = {(-1001, 200), (-1000, 199), (3000, 899), (2999, 900)}
    for ego in sorted(inside | outside):
        bench.ego = ego
        assert await bench.frame() == (ego in inside)
        bench.ego = (9999, 9999)
        assert not await bench.frame()


@cocotb.test
async def leaving_needs_the_margin_but_entering_does_not_use_it(dut: Any) -> None:
    bench = Bench(dut, "hysteresis")
    await bench.start()
    for ego in ((-1050, 500), (3049, 500), (0, 150), (0, 949)):
        bench.ego = ego
        assert not await bench.frame(), "the margin does not let in"
        bench.ego = (0, 500)
        assert await bench.frame()
        bench.ego = ego
        assert not await bench.frame()
        assert bit(dut.resident), "inside the margin the table stays"
        bench.ego = {-1050: (-1051, 500), 3049: (3050, 500)}.get(ego[0], (0, 149 if ego[1] == 150 else 950))
        assert not await bench.frame()
        assert not bit(dut.resident)


@cocotb.test
async def an_ego_that_jumps_across_the_zone_loads_nothing(dut: Any) -> None:
    bench = Bench(dut, "jump")
    await bench.start()
    for ego in ((-5000, 500), (5000, 500), (0, -5000), (0, 5000)):
        bench.ego = ego
        assert not await bench.frame()
    assert bench.slave.bursts == []


@cocotb.test
async def an_empty_zone_never_holds_the_ego(dut: Any) -> None:
    bench = Bench(dut, "empty")
    await bench.start()
    for zone in (Zone(0, 0, 0, 0, 100), Zone(10, 0, -10, 50, 100), Zone(-10, 50, 10, 50, 100)):
        bench.zone, bench.ego = zone, (0, 0)
        assert not await bench.frame()
    bench.zone = Zone(-10, -10, 10, 10, 100)
    assert await bench.frame()
    bench.zone = Zone(10, -10, -10, 10, 100)
    assert not await bench.frame()
    assert not bit(dut.resident), "a zone that became empty is left at once"


@cocotb.test
async def extreme_coordinates_do_not_overflow(dut: Any) -> None:
    bench = Bench(dut, "extreme")
    await bench.start()
    bench.zone = Zone(LOW, LOW, HIGH, HIGH, (1 << 32) - 1)
    for ego, due in (((HIGH, 0), False), ((LOW, LOW), True), ((HIGH, HIGH), False), ((HIGH - 1, 0), False)):
        bench.ego = ego
        assert await bench.frame() == due
        assert bit(dut.resident) == (ego != (HIGH, 0))


@cocotb.test
async def a_new_address_or_an_invalidation_reloads(dut: Any) -> None:
    bench = Bench(dut, "reload")
    await bench.start()
    bench.ego = (0, 500)
    await bench.frame()
    bench.base = TABLES[1]
    assert await bench.frame()
    assert not await bench.frame()
    await bench.invalidate()
    assert await bench.frame()
    assert not await bench.frame()
    bench.ego = (0, 5000)
    await bench.invalidate()
    assert not await bench.frame(), "never while outside"


@cocotb.test
@cocotb.parametrize(code=[SLVERR, DECERR], beat=[0, 7, 15])
async def an_error_leads_back_to_outside_and_the_next_frame_tries_again(dut: Any, code: int, beat: int) -> None:
    bench = Bench(dut, f"error{code}{beat}", errors={beat: code})
    await bench.start()
    bench.ego = (0, 500)
    assert await bench.frame(fails=True)
    assert (bit(dut.error), int(dut.resp.value)) == (1, code)
    assert await bench.frame()
    assert not bit(dut.error)


@cocotb.test
@cocotb.parametrize(beats=[0, 5])
async def a_dead_memory_ends_the_load(dut: Any, beats: int) -> None:
    bench = Bench(dut, f"dead{beats}", timeout=100, dies_after=beats)
    await bench.start()
    bench.ego = (0, 500)
    assert await bench.frame(fails=True)
    assert bit(dut.timed_out)


@cocotb.test
@cocotb.parametrize(kind=PAUSES)
async def a_random_drive(dut: Any, kind: str) -> None:
    bench = Bench(dut, kind, kind)
    await bench.start()
    rng = bench.rng
    for _ in range(40):
        if rng.random() < 0.1:
            bench.base = rng.choice(TABLES)
        if rng.random() < 0.1:
            await bench.invalidate()
        edges_x = [bench.zone.x0, bench.zone.x1]
        edges_y = [bench.zone.y0, bench.zone.y1]
        around = [0, 1, -1, bench.zone.margin, -bench.zone.margin, bench.zone.margin - 1, -bench.zone.margin - 1]
        x = rng.choice(edges_x) + rng.choice(around) if rng.random() < 0.5 else rng.randrange(-1100, 3100)
        y = rng.choice(edges_y) + rng.choice(around) if rng.random() < 0.5 else rng.randrange(100, 1000)
        bench.ego = (x, y)
        await bench.frame()
    assert bench.loads > 0
    assert bench.skipped > 0
