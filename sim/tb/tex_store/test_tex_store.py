"""tex_store: every place of a footprint, wraps across page and texture edges, misses, pace."""

from __future__ import annotations

import json
import os
import random
from dataclasses import dataclass
from typing import Any

import cocotb
import numpy as np
from cocotb import SIM_NAME
from cocotb.triggers import ClockCycles
from foveal.golden.texture import sample as golden_sample
from foveal_tb.clocked import Clocked, bench_rng, bit
from foveal_tb.idle import Idle
from foveal_tb.pauses import PAUSES, pauses
from foveal_tb.reset_release import release_under_load
from foveal_tb.stream import StreamSink, StreamSource

SLOTS = json.loads(os.environ["FOVEAL_PARAMETERS"])["SLOTS"]
LATENCY = 6
MAGENTA = (255, 0, 255, 255)


@dataclass(frozen=True)
class Request:
    """A sample: u, v in 1/256 texel; the texture's first page and log2 of its pages a side."""

    u: int
    v: int
    first: int = 0
    wide: int = 0
    high: int = 0

    def word(self) -> int:
        sides = self.wide << 56 | self.high << 58
        return (self.u & 0xFFFFFF) | (self.v & 0xFFFFFF) << 24 | self.first << 48 | sides


class Textures:
    """What the store should hold, and a reference that sums the four weighted texels of a sample one by one."""

    def __init__(self, rng: random.Random) -> None:
        self.pages = [rng.randbytes(4096) for _ in range(SLOTS)]
        self.resident: set[int] = set()

    def expect(self, request: Request) -> tuple[tuple[int, ...], bool]:
        columns, rows = 32 << request.wide, 32 << request.high
        sums, miss = [0, 0, 0, 0], False
        # In units of 1/256 texel from the first texel's centre.
        right, down = request.u - 128, request.v - 128
        for y in (down // 256, down // 256 + 1):
            for x in (right // 256, right // 256 + 1):
                weight = (256 - abs(x * 256 - right)) * (256 - abs(y * 256 - down))
                column, row = x % columns, y % rows
                page = request.first + row // 32 * (columns // 32) + column // 32
                if page not in self.resident:
                    miss = True
                    continue
                at = 4 * (row % 32 * 32 + column % 32)
                for channel in range(4):
                    sums[channel] += weight * self.pages[page][at + channel]
        return (MAGENTA if miss else tuple((value + 32768) // 65536 for value in sums)), miss


class Bench:
    def __init__(self, dut: Any, name: str, kind_in: str = "always", kind_out: str = "always") -> None:
        self.dut = dut
        self.rng = bench_rng(name)
        self.loop = Clocked(dut)
        self.source = self.loop.add(StreamSource(dut, "s_axis", ["tdata"], pauses(kind_in, self.rng)))
        self.sink = self.loop.add(StreamSink(dut, "m_axis", ["tdata"], pauses(kind_out, self.rng)))
        self.textures = Textures(self.rng)
        self.missed = 0
        self.idle = Idle([dut.page_waddr, dut.page_wdata])
        self.idle_slot = Idle([dut.page_slot])
        self.idle.rest()
        self.idle_slot.rest()
        for pin in ("forget", "page_we", "page_done"):
            getattr(dut, pin).value = 0

    async def fill(self, page: int, finish: bool = True) -> None:
        """Write a page beat by beat, and call it resident unless told not to `finish`."""
        for beat in range(64):
            self.dut.page_we.value = 1
            self.dut.page_waddr.value = page * 64 + beat
            self.dut.page_wdata.value = int.from_bytes(self.textures.pages[page][64 * beat : 64 * beat + 64], "little")
            await self.loop.step()
        self.dut.page_we.value = 0
        self.idle.rest()
        if finish:
            self.dut.page_done.value = 1
            self.dut.page_slot.value = page
            await self.loop.step()
            self.dut.page_done.value = 0
            self.idle_slot.rest()
            self.textures.resident.add(page)

    async def start(self, pages: int = SLOTS) -> None:
        await self.loop.reset()
        self.missed = 0
        self.textures.resident.clear()
        for page in range(pages):
            await self.fill(page)

    async def check(self, requests: list[Request]) -> None:
        """Send, compare each result with the reference, and the whole with the golden model."""
        self.sink.beats.clear()
        self.source.send([(request.word(),) for request in requests])
        limit = 30 * len(requests) + 200
        await self.loop.until(lambda: len(self.sink.beats) == len(requests), limit, f"{len(requests)} samples")
        results = []
        for request, (data,) in zip(requests, self.sink.beats, strict=True):
            found = tuple(data >> 8 * n & 255 for n in range(4)), bool(data >> 32)
            expected = self.textures.expect(request)
            assert found == expected, f"{request}: {found}, expected {expected}"
            self.missed += expected[1]
            results.append(found)
        pages = np.frombuffer(b"".join(self.textures.pages), np.uint8).reshape(-1, 32, 32, 4)
        resident = np.array([page in self.textures.resident for page in range(SLOTS)])
        columns = np.array([(r.u, r.v, r.first, r.wide, r.high) for r in requests]).T
        colour, miss = golden_sample(pages, resident, *columns)
        assert [tuple(row) for row in colour.tolist()] == [result[0] for result in results]
        assert miss.tolist() == [result[1] for result in results]
        await self.loop.step()
        assert int(self.dut.stat_missed.value) == self.missed


@cocotb.test
async def hand_worked_samples(dut: Any) -> None:
    """Values worked out by hand, so that the reference of this bench is itself held."""
    bench = Bench(dut, "hand")
    page = bytearray(4096)
    page[0:4] = bytes([10, 0, 255, 1])  # (0, 0)
    page[4:8] = bytes([20, 255, 255, 2])  # (1, 0)
    page[128:132] = bytes([30, 0, 255, 3])  # (0, 1)
    page[132:136] = bytes([40, 255, 255, 4])  # (1, 1)
    page[31 * 4 : 31 * 4 + 4] = bytes([110, 100, 255, 1])  # (31, 0)
    bench.textures.pages[0] = bytes(page)
    await bench.start(1)
    cases = [
        (Request(128, 128), (10, 0, 255, 1)),  # a texel's centre is the texel
        (Request(256, 256), (25, 128, 255, 3)),  # the corner of four: 127.5 and 2.5 round up
        (Request(128 + 64, 128), (13, 64, 255, 1)),  # a quarter: 12.5 and 63.75 round up, 1.25 down
        (Request(0, 128), (60, 50, 255, 1)),  # half way across the texture's left edge
        (Request(-256 * 32, 128), (60, 50, 255, 1)),  # the same place a turn further left
    ]
    bench.source.send([(request.word(),) for request, _ in cases])
    await bench.loop.until(lambda: len(bench.sink.beats) == len(cases), 40, "samples")
    assert [tuple(d >> 8 * n & 255 for n in range(5)) for (d,) in bench.sink.beats] == [(*c, 0) for _, c in cases]


@cocotb.test
async def every_texel_of_a_page_as_the_upper_left_one(dut: Any) -> None:
    """All 32 x 32 footprints, those around the edges included, with random weights."""
    bench = Bench(dut, "every")
    await bench.start(1)
    rng = bench.rng
    await bench.check(
        [
            Request(128 + 256 * x + rng.randrange(256), 128 + 256 * y + rng.randrange(256))
            for y in range(32)
            for x in range(32)
        ]
    )


@cocotb.test
async def every_weight(dut: Any) -> None:
    bench = Bench(dut, "weights")
    await bench.start(1)
    place = bench.rng.randrange(31 * 256)
    await bench.check([Request(place + n, place) for n in range(257)] + [Request(place, place + n) for n in range(257)])


@cocotb.test
async def textures_of_several_pages_wrap_at_their_own_edge(dut: Any) -> None:
    """Footprints around each corner of each page of each shape that the store holds."""
    bench = Bench(dut, "shapes")
    await bench.start()
    requests = []
    for wide in range(4):
        for high in range(4):
            pages = 1 << wide + high
            if pages > SLOTS:
                continue
            first = bench.rng.randrange(SLOTS - pages + 1)
            for x in range(0, 33 << wide, 32):
                for y in range(0, 33 << high, 32):
                    shake = bench.rng.randrange(-255, 256), bench.rng.randrange(-255, 256)
                    requests.append(Request(256 * x + shake[0], 256 * y + shake[1], first, wide, high))
    await bench.check(requests)


@cocotb.test
async def an_absent_page_is_a_miss_and_never_a_stall(dut: Any) -> None:
    bench = Bench(dut, "miss")
    await bench.start(1)
    rng = bench.rng
    requests = [
        Request(
            rng.randrange(1 << 16), rng.randrange(1 << 16), rng.choice([0, 1, SLOTS - 1, SLOTS, 255]), rng.randrange(2)
        )
        for _ in range(200)
    ]
    await bench.check(requests)
    assert bench.sink.gaps == 0
    assert 0 < bench.missed < 200
    await bench.check([Request(128, 128, 0, 1, 0)])  # one texel of weight 1 on a resident page, its neighbour as well
    await bench.check([Request(31 * 256 + 128, 128, 0, 1, 0)])  # a neighbour of weight 0 on an absent page still misses


@cocotb.test
async def a_page_is_absent_until_it_is_done_and_after_forget(dut: Any) -> None:
    bench = Bench(dut, "life")
    await bench.start(0)
    request = [Request(5000, 3000)]
    await bench.check(request)
    await bench.fill(0, finish=False)
    await bench.check(request)
    assert int(dut.resident.value) == 0
    await bench.fill(0)
    await bench.check(request)
    assert bench.missed == 2
    assert int(dut.resident.value) == 1
    dut.forget.value = 1
    await bench.loop.step()
    dut.forget.value = 0
    bench.textures.resident.clear()
    await bench.check(request)
    assert bench.missed == 3


@cocotb.test
async def filling_one_page_leaves_the_others_alone(dut: Any) -> None:
    """Samples of resident pages are right while another page comes in beat after beat."""
    bench = Bench(dut, "while-filling")
    await bench.start(SLOTS - 1)
    rng = bench.rng
    filling = cocotb.start_soon(_writes(bench, SLOTS - 1))
    await bench.check(
        [Request(rng.randrange(1 << 14), rng.randrange(1 << 14), rng.randrange(SLOTS - 1)) for _ in range(80)]
    )
    await filling
    bench.textures.resident.add(SLOTS - 1)
    dut.page_done.value = 1
    dut.page_slot.value = SLOTS - 1
    await bench.loop.step()
    dut.page_done.value = 0
    await bench.check([Request(rng.randrange(1 << 14), rng.randrange(1 << 14), SLOTS - 1) for _ in range(80)])


async def _writes(bench: Bench, page: int) -> None:
    for beat in range(64):
        cycle = bench.loop.cycle
        while bench.loop.cycle == cycle:
            await cocotb.triggers.RisingEdge(bench.dut.clk)
        bench.dut.page_we.value = 1
        bench.dut.page_waddr.value = page * 64 + beat
        bench.dut.page_wdata.value = int.from_bytes(bench.textures.pages[page][64 * beat : 64 * beat + 64], "little")
    await cocotb.triggers.RisingEdge(bench.dut.clk)
    bench.dut.page_we.value = 0
    bench.idle.rest()


@cocotb.test
@cocotb.parametrize(kind_in=PAUSES[:4], kind_out=PAUSES[1:4])
async def random_samples_under_pauses(dut: Any, kind_in: str, kind_out: str) -> None:
    bench = Bench(dut, f"{kind_in}/{kind_out}", kind_in, kind_out)
    await bench.start(SLOTS // 2)
    rng = bench.rng
    await bench.check(
        [
            Request(
                rng.randrange(-(1 << 23), 1 << 23),
                rng.randrange(-(1 << 23), 1 << 23),
                rng.choice([0, rng.randrange(SLOTS), rng.randrange(256)]),
                rng.choice([0, 0, rng.randrange(4)]),
                rng.choice([0, 0, rng.randrange(4)]),
            )
            for _ in range(60)
        ]
    )


@cocotb.test(skip=SIM_NAME.startswith("Icarus"))  # there it takes as long as all the other tests together
async def the_count_of_misses_carries_into_its_upper_half(dut: Any) -> None:
    """2^16 + 9 misses, a clock each; nothing looks at them one by one."""
    bench = Bench(dut, "many")
    await bench.start(0)
    await bench.loop.step()
    bench.loop.agents.clear()
    dut.m_axis_tready.value = 1
    dut.s_axis_tdata.value = Request(0, 0).word()
    dut.s_axis_tvalid.value = 1
    await ClockCycles(dut.clk, (1 << 16) + 9)
    dut.s_axis_tvalid.value = 0
    await bench.loop.step(LATENCY + 2)
    assert int(dut.stat_missed.value) == (1 << 16) + 9


@cocotb.test
async def a_request_a_clock_and_the_stated_latency(dut: Any) -> None:
    bench = Bench(dut, "pace")
    await bench.start(1)
    bench.source.send([(Request(97 * n, 31 * n).word(),) for n in range(64)])
    first = await bench.loop.until(lambda: bench.sink.beats, 20, "first result")
    assert first == LATENCY + 1  # the cycle that offers the request, then LATENCY registers
    await bench.loop.until(lambda: len(bench.sink.beats) == 64, 64, "the rest")
    assert bench.sink.gaps == 0


@cocotb.test
async def reset_forgets_pages_and_requests(dut: Any) -> None:
    bench = Bench(dut, "reset")
    for cycles in range(1, 10):
        await bench.start(1)
        bench.source.send([(Request(n, n).word(),) for n in range(10)])
        await bench.loop.step(cycles)
        await bench.loop.reset()
        assert not bit(dut.m_axis_tvalid)
        assert int(dut.resident.value) == 0
        assert int(dut.stat_missed.value) == 0
        bench.textures.resident.clear()
        bench.missed = 0
        await bench.check([Request(128, 128)])


@cocotb.test
async def a_request_in_the_first_cycle_after_reset_is_not_lost(dut: Any) -> None:
    bench = Bench(dut, "first")
    for _ in range(2):
        bench.sink.beats.clear()
        await release_under_load(bench.loop, bench.source, [(Request(n, n).word(),) for n in range(3)])
        await bench.loop.step(20)
        assert len(bench.sink.beats) == 3
