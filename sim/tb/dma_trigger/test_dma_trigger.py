"""dma_trigger: a model of the zone decides, frame by frame, which of the table and the pages may be read."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from typing import Any

import cocotb
from cocotb.triggers import Timer
from foveal_tb.axi_memory import DECERR, SLVERR, AxiReadSlave, Memory
from foveal_tb.axi_rules import split
from foveal_tb.clocked import Clocked, bench_rng, bit
from foveal_tb.pauses import PAUSES, pauses

TABLES = (0x1_0000_0FC0, 0x1_0000_2000, 0xFFFF_0000_0040, 0x2_0000_0DC5)
LISTS = (0x7_0000_0000, 0x7_0000_3000, 0x7_0000_05C3)  # page lists, overlapping
SLOTS = json.loads(os.environ["FOVEAL_PARAMETERS"]).get("SLOTS", 16)
OUTSIDE, LOADING, RESIDENT = 0, 2, 3
DECISION = 3  # cycles behind the frame start
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


def covering(addr: int, size: int) -> list[tuple[int, int]]:
    """The bursts that read `size` bytes from any byte address."""
    return split(addr & ~63, addr % 64 + size, 64)


class Bench:
    """Runs frames on the trigger and on the rules of the specification, and compares after each."""

    def __init__(self, dut: Any, name: str, kind: str = "always", timeout: int = 300, **slave: Any) -> None:
        self.dut = dut
        self.rng = bench_rng(name)
        self.memory = Memory()
        for base in TABLES:
            self.memory.load(base & ~63, self.rng.randbytes(1024 + 128))
        self.loop = Clocked(dut)
        active = {"accept": pauses(kind, self.rng), "active": pauses(kind, self.rng)}
        self.slave = self.loop.add(AxiReadSlave(dut, "m_axi_gmem2", self.memory, **(active | slave)))
        self.loop.add(self)
        self.table = bytearray(1024)  # what was written through mat_*
        self.zone, self.ego, self.base = Zone(), (0, 0), TABLES[0]
        self.memory.load(LISTS[0], self.rng.randbytes(4096 * (SLOTS + 3)))
        self.store = [bytearray(4096) for _ in range(SLOTS)]  # what was written through tex_*
        self.list, self.pages = LISTS[0], 0
        self.pending_cycles = 0
        self.forget()
        dut.tex_invalidate.value = 0
        dut.timeout.value = timeout
        dut.frame_start.value = 0
        dut.mat_invalidate.value = 0

    def forget(self) -> None:
        """The state behind a reset, of the trigger and of the store."""
        self.resident_base: int | None = None
        self.stale = False
        self.loads = self.skipped = 0
        self.store_pages: set[int] = set()  # what the store calls resident
        self.resident_pages: set[int] = set()  # what should be
        self.resident_list = 0
        self.list_stale = False
        self.pages_loaded = self.pages_skipped = 0

    def reset(self) -> None:
        """Part of an agent; nothing to put to rest."""

    def drive(self) -> None:
        self.dut.tex_resident.value = sum(1 << page for page in self.store_pages)

    def sample(self) -> None:
        self.pending_cycles += bit(self.dut.pending)
        writes = bit(self.dut.tex_we) or bit(self.dut.mat_we)
        assert not writes or int(self.dut.dma_state.value) == LOADING
        if bit(self.dut.tex_we):
            page, beat = divmod(int(self.dut.tex_waddr.value), 64)
            assert page not in self.store_pages, "a resident page was written"
            self.store[page][64 * beat : 64 * beat + 64] = int(self.dut.tex_wdata.value).to_bytes(64, "little")
        assert not (bit(self.dut.tex_we) and bit(self.dut.mat_we))
        if bit(self.dut.tex_done):
            self.store_pages.add(int(self.dut.tex_slot.value))
        if bit(self.dut.tex_forget):
            self.store_pages.clear()
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
        dut.cfg_tex_base.value = self.list
        dut.cfg_tex_pages.value = self.pages

    async def invalidate(self) -> None:
        self.dut.mat_invalidate.value = 1
        await self.loop.step()
        self.dut.mat_invalidate.value = 0
        self.stale = True

    async def invalidate_pages(self) -> None:
        self.dut.tex_invalidate.value = 1
        await self.loop.step()
        self.dut.tex_invalidate.value = 0
        self.list_stale = True

    def expect_pages(self, here: bool, failing: frozenset[int]) -> list[int]:
        """Pages that this frame must read, in order; `here`: the table is resident in this frame."""
        if not here:
            self.pages_skipped += self.pages
            self.resident_pages.clear()
            return []
        if self.pages and (self.list_stale or self.resident_list != self.list):
            self.resident_pages.clear()
            self.list_stale = False
            self.resident_list = self.list
        due = [page for page in range(self.pages) if page not in self.resident_pages]
        self.pages_skipped += self.pages - len(due)
        self.pages_loaded += len(set(due) - failing)
        self.resident_pages |= set(due) - failing
        return due

    def check_pages(self) -> None:
        assert self.store_pages == self.resident_pages
        for page in self.resident_pages:
            assert bytes(self.store[page]) == self.memory.read(self.resident_list + 4096 * page, 4096), f"page {page}"
        counters = int(self.dut.tex_counters.value)
        assert (counters & 0xFFFFFFFF, counters >> 32) == (self.pages_loaded % 2**32, self.pages_skipped % 2**32)

    async def start(self) -> None:
        self.apply()
        await self.loop.reset()

    async def frame(self, fails: bool = False, failing_pages: frozenset[int] = frozenset()) -> bool:
        """One frame, checked; whether a load of the table was due. `failing_pages`: those that come with an error."""
        self.apply()
        kept = self.resident_base is not None and self.zone.holds(*self.ego, self.zone.margin)
        changed = self.stale or self.resident_base != self.base
        due = changed if kept else self.zone.holds(*self.ego)
        before = len(self.slave.bursts)
        self.pending_cycles = 0
        self.dut.frame_start.value = 1
        await Timer(500, "ps")
        assert bit(self.dut.pending), "in the very cycle of the frame start"
        await self.loop.step()
        self.dut.frame_start.value = 0
        await self.loop.step()
        assert bit(self.dut.pending)
        await self.loop.until(lambda: not bit(self.dut.pending), 1500 + 1000 * self.pages, "the decision")
        await self.loop.step(6)
        pages = self.expect_pages((kept or due) and not fails, failing_pages)
        if not due and not (kept and self.pages):
            assert self.pending_cycles == DECISION
        read = self.slave.bursts[before:]
        if pages:
            walk = [burst for page in pages for burst in covering(self.list + 4096 * page, 4096)]
            assert read[-len(walk) :] == walk
            del read[-len(walk) :]
        if due:
            assert read == covering(self.base, 1024)[: len(read) if fails else None]
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
        assert bit(self.dut.dma_error) == ((due and fails) or not failing_pages.isdisjoint(pages))
        if self.resident_base is not None:
            assert bytes(self.table) == self.memory.read(self.resident_base, 1024)
        counters = int(self.dut.dma_counters.value)
        assert counters & 0xFFFFFFFF == self.loads % 2**32
        assert counters >> 32 & 0xFFFFFFFF == self.skipped % 2**32
        assert counters >> 64 == 64 * self.slave.taken_beats % 2**32
        self.check_pages()
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
async def every_edge_of_any_zone_is_where_it_says(dut: Any) -> None:
    """Random zones, margins and tables; at each edge, in and out, and at each edge of the margin, kept and left."""
    bench = Bench(dut, "zones")
    await bench.start()
    rng = bench.rng
    for _ in range(12):
        x0, y0 = (rng.randrange(LOW // 2, HIGH // 2) for _ in range(2))
        x1, y1 = (at + rng.randint(3, 2 ** rng.randint(3, 29)) for at in (x0, y0))
        bench.zone = zone = Zone(x0, y0, x1, y1, rng.randrange(2 ** rng.randint(1, 29)))
        bench.base = rng.getrandbits(63)
        x, y, m = rng.randrange(x0, x1), rng.randrange(y0, y1), zone.margin
        outer = (x0 - m - 1, y), (x1 + m, y), (x, y0 - m - 1), (x, y1 + m)
        inner = (x0 - m, y), (x1 + m - 1, y), (x, y0 - m), (x, y1 + m - 1)
        inside = (x0, y), (x1 - 1, y), (x, y0), (x, y1 - 1)
        for left, kept, entry in zip(outer, inner, inside, strict=True):
            for ego, due, resident in ((left, False, 0), (entry, True, 1), (kept, False, 1), (left, False, 0)):
                bench.ego = ego
                assert await bench.frame() == due
                assert bit(dut.resident) == resident
        beside = (x0 - 1, y), (x1, y), (x, y0 - 1), (x, y1)
        for bench.ego in beside:
            assert not await bench.frame()


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
@cocotb.parametrize(cycles=[6, 14, 22])
async def beats_of_before_a_reset_are_not_counted(dut: Any, cycles: int) -> None:
    """CTRL_RESET within a load: what the memory still owes is taken and dropped, and the counters stay at zero."""
    bench = Bench(dut, "drained", latency=12)
    await bench.start()
    bench.ego = (0, 500)
    bench.apply()
    dut.frame_start.value = 1
    await bench.loop.step()
    dut.frame_start.value = 0
    await bench.loop.step(cycles)
    dut.rst_n.value = 0
    await bench.loop.step(2)
    assert bit(dut.undrained)
    await bench.loop.step(2)
    dut.rst_n.value = 1
    await bench.loop.step()
    await bench.loop.until(lambda: not bit(dut.undrained), 200, "the drain")
    await bench.loop.step(2)
    assert int(dut.dma_counters.value) == 0
    bench.slave.taken_beats = 0
    assert await bench.frame()


@cocotb.test
@cocotb.parametrize(kind=PAUSES)
async def a_reset_at_any_moment_of_a_load_leaves_nothing_behind(dut: Any, kind: str) -> None:
    """The memory goes on with what was asked for before; the next frame reads table and pages anew, and is right."""
    bench = Bench(dut, f"reset-{kind}", kind, latency=12)
    await bench.start()
    bench.ego, bench.pages = (0, 500), 2
    for _ in range(8):
        bench.base, bench.list = bench.rng.choice(TABLES), bench.rng.choice(LISTS)
        bench.apply()
        dut.frame_start.value = 1
        await bench.loop.step()
        dut.frame_start.value = 0
        await bench.loop.step(bench.rng.randrange(220))
        dut.rst_n.value = 0
        await bench.loop.step(bench.rng.choice([1, 1, 4]))
        dut.rst_n.value = 1
        bench.forget()
        await bench.loop.step()
        await bench.loop.until(lambda: not bit(dut.undrained), 4000, "the drain")
        bench.slave.taken_beats = 0
        bench.base, bench.list = bench.rng.choice(TABLES), bench.rng.choice(LISTS)
        assert await bench.frame()
        assert bench.slave.in_flight == 0


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


@cocotb.test
async def pages_are_read_once_while_near_and_never_outside(dut: Any) -> None:
    bench = Bench(dut, "pages")
    await bench.start()
    bench.pages = 5
    await bench.frame()
    assert bench.slave.bursts == []
    bench.ego = (0, 500)
    await bench.frame()
    assert bench.pages_loaded == 5
    await bench.frame()
    bench.ego = (-1050, 500)  # within the margin
    await bench.frame()
    assert bench.pages_loaded == 5
    bench.ego = (-1051, 500)
    await bench.frame()
    assert bench.store_pages == set()
    bench.ego = (0, 500)
    await bench.frame()
    assert bench.pages_loaded == 10


@cocotb.test
@cocotb.parametrize(first=[0, 16, 32, 48])
async def table_and_pages_may_start_at_any_byte(dut: Any, first: int) -> None:
    bench = Bench(dut, f"byte{first}")
    await bench.start()
    bench.ego, bench.pages = (0, 500), 1
    for offset in range(first, first + 16):
        bench.base, bench.list = TABLES[1] + offset, LISTS[0] + 63 - offset
        assert await bench.frame()
    assert (bench.loads, bench.pages_loaded) == (16, 16)


@cocotb.test
@cocotb.parametrize(offset=[0, 1, 63])
async def table_and_pages_may_lie_across_a_multiple_of_4_gib(dut: Any, offset: int) -> None:
    """The low half of the address wraps within the table, and from a page to the next; nothing lies at its low half."""
    bench = Bench(dut, f"wrap{offset}")
    await bench.start()
    bench.ego, bench.pages = (0, 500), 4
    for table, pages in (
        (0x2_0000_0000 - 512, 0x8_0000_0000 - 2 * 4096),
        (0x8000_0000_0000_0000 - 64, 0xFFFF_FFFF_0000_0000 - 4096),
    ):
        bench.base, bench.list = table + offset, pages + offset
        bench.memory.load(bench.base & ~63, bench.rng.randbytes(1024 + 64))
        bench.memory.load(bench.list & ~63, bench.rng.randbytes(4 * 4096 + 64))
        assert await bench.frame()
        crossed = {addr >> 32 for addr, _ in bench.slave.bursts}
        assert crossed >= {base >> 32 for start in (table, pages) for base in (start, start + 2 * 4096)}
    assert (bench.loads, bench.pages_loaded) == (2, 8)


@cocotb.test
@cocotb.parametrize(shift=[32, 47, 63])
async def an_address_that_differs_above_4_gib_only_is_another_one(dut: Any, shift: int) -> None:
    bench = Bench(dut, f"upper{shift}")
    await bench.start()
    bench.ego, bench.pages = (0, 500), 2
    assert await bench.frame()
    bench.base ^= 1 << shift
    bench.memory.load(bench.base, bench.rng.randbytes(1024))
    assert await bench.frame()
    assert (bench.loads, bench.pages_loaded) == (2, 2), "the table alone moved"
    bench.list ^= 1 << shift
    bench.memory.load(bench.list, bench.rng.randbytes(2 * 4096))
    assert not await bench.frame()
    assert (bench.loads, bench.pages_loaded) == (2, 4), "the pages alone moved"


@cocotb.test
async def every_bit_of_an_address_counts(dut: Any) -> None:
    bench = Bench(dut, "far")
    await bench.start()
    bench.ego, bench.pages = (0, 500), 2
    odd, even = 0xAAAA_AAAA_AAAA_AAAA, 0x5555_5555_5555_5555
    for bench.base, bench.list in ((odd, even), (even, odd), (odd, even)):
        bench.memory.load(bench.base & ~63, bench.rng.randbytes(1024 + 64))
        bench.memory.load(bench.list & ~63, bench.rng.randbytes(2 * 4096 + 64))
        assert await bench.frame()
    assert (bench.loads, bench.pages_loaded) == (3, 6)


@cocotb.test
async def counters_carry_through_all_their_bits(dut: Any) -> None:
    """Put just below a carry, they go on from there, modulo 2^32."""
    bench = Bench(dut, "carry")
    await bench.start()
    bench.pages, pages = 1, dut.u_pages
    for before in (0xFFFF_FFFF, 0x7FFF_FFFF, 0x7FFF_FFFE, 0xFFFF_FFFF):
        # Inside everything is read; the next time it is resident; outside it is skipped at once.
        for ego, reads in (((0, 500), 1), ((0, 500), 0), ((0, 5000), 0)):
            dut.loads_reg.value = dut.skipped_reg.value = before
            dut.total_reg.value = before & ~63
            pages.loaded_reg.value = pages.skipped_reg.value = before
            bench.loads = bench.skipped = bench.pages_loaded = bench.pages_skipped = before
            bench.slave.taken_beats = before >> 6
            bench.ego = ego
            await bench.loop.step()
            assert await bench.frame() == bool(reads)
            assert int(dut.dma_counters.value) & 0xFFFF_FFFF == (before + reads) % 2**32


@cocotb.test
@cocotb.parametrize(offset=[0, 1, 63])
async def bytes_read_are_those_of_whole_beats(dut: Any, offset: int) -> None:
    """1,024 bytes touch 16 beats, or 17; a page 64, or 65. A load that fails counts as well."""
    table, page = (16, 64) if offset == 0 else (17, 65)
    bench = Bench(dut, f"whole{offset}", errors={3: SLVERR})
    await bench.start()
    bench.ego, bench.pages = (0, 500), 3
    bench.base, bench.list = TABLES[1] + offset, LISTS[0] + offset
    assert await bench.frame(fails=True)
    assert int(dut.dma_counters.value) >> 64 == 64 * table
    assert await bench.frame()
    assert int(dut.dma_counters.value) >> 64 == 64 * (2 * table + 3 * page)
    assert not await bench.frame()
    assert int(dut.dma_counters.value) >> 64 == 64 * (2 * table + 3 * page), "nothing was read"


@cocotb.test
@cocotb.parametrize(beat=[0, 1, 15, 16])
async def a_bad_beat_of_a_shifted_table_keeps_the_zone_outside(dut: Any, beat: int) -> None:
    bench = Bench(dut, f"shifted{beat}", errors={beat: SLVERR})
    await bench.start()
    bench.ego, bench.base = (0, 500), TABLES[1] + 1
    assert await bench.frame(fails=True)
    assert await bench.frame()


@cocotb.test
async def a_longer_list_reads_only_what_is_new(dut: Any) -> None:
    bench = Bench(dut, "grow")
    await bench.start()
    bench.ego = (0, 500)
    for bench.pages in (0, 1, 3, 2, SLOTS, 0, SLOTS):
        await bench.frame()
    assert bench.pages_loaded == SLOTS


@cocotb.test
async def another_list_or_an_invalidation_reads_all_pages_again(dut: Any) -> None:
    bench = Bench(dut, "lists")
    await bench.start()
    bench.ego, bench.pages = (0, 500), 3
    await bench.frame()
    bench.list = LISTS[1]
    await bench.frame()
    await bench.invalidate_pages()
    await bench.frame()
    assert bench.pages_loaded == 9
    await bench.invalidate()  # of the table: the pages stay
    await bench.frame()
    assert bench.pages_loaded == 9
    bench.pages = 0
    await bench.invalidate_pages()
    await bench.frame()
    bench.pages = 3
    await bench.frame()
    assert bench.pages_loaded == 12


@cocotb.test
@cocotb.parametrize(code=[SLVERR, DECERR], beat=[0, 63])
async def a_bad_page_stays_absent_and_is_tried_again(dut: Any, code: int, beat: int) -> None:
    bench = Bench(dut, f"bad-page{code}{beat}", errors={16 + 64 + beat: code})
    await bench.start()
    bench.ego, bench.pages = (0, 500), 4
    await bench.frame(failing_pages=frozenset({1}))
    assert (bit(dut.error), int(dut.resp.value)) == (1, code)
    assert bench.store_pages == {0, 2, 3}
    before = len(bench.slave.bursts)
    await bench.frame()
    assert bench.slave.bursts[before:] == [(bench.list + 4096, 64)]


@cocotb.test
async def a_failed_table_leaves_no_pages(dut: Any) -> None:
    bench = Bench(dut, "bad-table")
    await bench.start()
    bench.ego, bench.pages = (0, 500), 2
    await bench.frame()
    await bench.invalidate()
    bench.slave.errors = {bench.slave.beats + 3: SLVERR}
    await bench.frame(fails=True)
    assert bench.store_pages == set()
    await bench.frame()
    assert bench.store_pages == {0, 1}


@cocotb.test
@cocotb.parametrize(beats=[16, 16 + 64, 16 + 64 + 30])
async def a_memory_that_dies_during_the_pages_ends_the_walk(dut: Any, beats: int) -> None:
    bench = Bench(dut, f"dead-page{beats}", timeout=100, dies_after=beats)
    await bench.start()
    bench.ego, bench.pages = (0, 500), 3
    bench.apply()
    dut.frame_start.value = 1
    await bench.loop.step()
    dut.frame_start.value = 0
    await bench.loop.until(lambda: not bit(dut.pending), 600, "the end")
    assert bit(dut.timed_out)
    assert bit(dut.dma_error)
    assert bench.store_pages == set(range((beats - 16) // 64))


@cocotb.test
@cocotb.parametrize(kind=PAUSES)
async def a_random_drive_with_pages(dut: Any, kind: str) -> None:
    bench = Bench(dut, f"pages-{kind}", kind)
    await bench.start()
    rng = bench.rng
    for _ in range(25):
        bench.list = rng.choice(LISTS) if rng.random() < 0.2 else bench.list
        bench.pages = rng.choice([0, 1, 2, 5]) if rng.random() < 0.4 else bench.pages
        bench.base = rng.choice(TABLES) if rng.random() < 0.1 else bench.base
        if rng.random() < 0.15:
            await bench.invalidate_pages()
        if rng.random() < 0.1:
            await bench.invalidate()
        bench.ego = (rng.randrange(-1100, 3100), rng.randrange(130, 970))
        await bench.frame()
    assert bench.pages_loaded > 0
