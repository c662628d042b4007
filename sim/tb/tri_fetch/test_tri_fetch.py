"""tri_fetch: band lists against a model, dropped records, and a dead memory."""

from __future__ import annotations

import itertools
from typing import Any

import cocotb
from foveal_tb.axi_memory import DECERR, SLVERR, AxiReadSlave, Memory
from foveal_tb.clocked import Clocked, bench_rng, bit
from foveal_tb.pauses import PAUSES, pauses
from foveal_tb.reset_release import release_under_load
from foveal_tb.stream import StreamSink, StreamSource

TRI = 0x3_0000_0FC0
TABLE = 0x2_0000_0040


class Bench:
    """A memory with a band table and records, and both command streams."""

    def __init__(self, dut: Any, name: str, kind: str = "always", timeout: int = 2000, **slave: Any) -> None:
        self.dut = dut
        self.rng = bench_rng(name)
        self.memory = Memory()
        self.loop = Clocked(dut)
        active = {"accept": pauses(kind, self.rng), "active": pauses(kind, self.rng)}
        self.slave = self.loop.add(AxiReadSlave(dut, "m_axi_gmem0", self.memory, **(active | slave)))
        self.table = self.loop.add(StreamSource(dut, "load", ["bands"], style=""))
        self.bands = self.loop.add(StreamSource(dut, "band", ["index"], pauses(kind, self.rng), style=""))
        self.sink = self.loop.add(StreamSink(dut, "m_tri", ["tdata", "tuser"], pauses(kind, self.rng)))
        self.place(TRI, TABLE)
        dut.timeout.value = timeout
        dut.clear.value = 0

    def place(self, tri: int, table: int) -> None:
        """Where records and band table lie."""
        self.tri, self.table_at = tri, table
        self.dut.cfg_tri_base.value = tri
        self.dut.cfg_band_base.value = table

    def fill(self, counts: list[int], first: int = 0) -> list[list[int]]:
        """Place a table and lists of `counts` records, from record `first`, in shuffled order; those of each band."""
        order = list(range(len(counts)))
        self.rng.shuffle(order)
        entries, lists = [(0, 0)] * len(counts), [[] for _ in counts]
        for band in order:
            entries[band] = (first, counts[band])
            for index in range(counts[band]):
                record = self.rng.randbytes(64)
                self.memory.load(self.tri + 64 * (first + index), record)
                lists[band].append(int.from_bytes(record, "little"))
            first += counts[band]
        data = b"".join(first.to_bytes(4, "little") + count.to_bytes(4, "little") for first, count in entries)
        self.memory.load(self.table_at, data)
        return lists

    async def load(self, bands: int) -> None:
        self.table.send([(bands,)])
        await self.loop.until(lambda: self.table.empty, 50, "the load command")
        await self.loop.step()

    async def fetch(self, bands: list[int], limit: int = 5000) -> list[list[int]]:
        """Ask for `bands`, and return the records between the tokens."""
        self.sink.beats.clear()
        self.bands.send([(band,) for band in bands])
        await self.loop.until(lambda: sum(user for _, user in self.sink.beats) == len(bands), limit, "all tokens")
        await self.loop.step(5)
        lists: list[list[int]] = [[]]
        for data, user in self.sink.beats:
            if user:
                lists.append([])
            else:
                lists[-1].append(data)
        assert lists.pop() == [], "nothing follows the last token"
        return lists


@cocotb.test
@cocotb.parametrize(kind=PAUSES)
async def every_band_has_its_records_in_order(dut: Any, kind: str) -> None:
    bench = Bench(dut, kind, kind)
    await bench.loop.reset()
    for bands in (1, 8, 9, 34):
        counts = [bench.rng.choice([0, 0, 1, 2, 5, 9]) for _ in range(bands)]
        lists = bench.fill(counts)
        await bench.load(bands)
        wanted = [band for band in range(bands) if bench.rng.random() < 0.8 or bands == 1]
        assert await bench.fetch(wanted) == [lists[band] for band in wanted]
    assert not bit(dut.error)
    assert not bit(dut.busy)


@cocotb.test
async def the_last_of_128_bands_and_a_list_across_pages(dut: Any) -> None:
    bench = Bench(dut, "many")
    await bench.loop.reset()
    counts = [0] * 128
    counts[127], counts[64] = 150, 3
    lists = bench.fill(counts)
    await bench.load(128)
    assert await bench.fetch([64, 127, 0]) == [lists[64], lists[127], []]
    assert int(dut.stat_bytes.value) == 16 * 64 + 153 * 64


@cocotb.test
async def a_long_list_waits_behind_another_and_stays_as_long(dut: Any) -> None:
    """Its request stands for an odd and for an even number of cycles, with all of ten bits of the count set."""
    bench = Bench(dut, "long")
    await bench.loop.reset()
    for cycles in (30, 31):
        lists = bench.fill([200, 1023])
        await bench.load(2)
        await bench.loop.until(lambda: bit(dut.load_ready), 100, "the table")
        bench.slave.accept = itertools.chain(itertools.repeat(False, cycles), itertools.repeat(True))
        assert await bench.fetch([0, 1]) == lists


@cocotb.test
async def records_come_a_beat_a_clock(dut: Any) -> None:
    bench = Bench(dut, "rate", latency=20)
    await bench.loop.reset()
    lists = bench.fill([48])
    await bench.load(1)
    assert await bench.fetch([0]) == lists
    assert bench.sink.gaps <= 1, "at most one cycle at the page boundary"


@cocotb.test
async def the_next_band_is_requested_while_one_streams(dut: Any) -> None:
    bench = Bench(dut, "overlap", latency=100)
    await bench.loop.reset()
    lists = bench.fill([4] * 8)
    await bench.load(8)
    start = bench.loop.cycle
    assert await bench.fetch(list(range(8))) == lists
    assert bench.loop.cycle - start < 110 + 5 * 100, "8 latencies of 100 cycles would be more than 800"


@cocotb.test
@cocotb.parametrize(code=[SLVERR, DECERR])
async def a_bad_record_is_dropped(dut: Any, code: int) -> None:
    # Beat 0 is the table's; record 2 of the first band and the last record of the second one are bad.
    bench = Bench(dut, f"bad{code}", errors={3: code, 9: SLVERR})
    await bench.loop.reset()
    lists = bench.fill([5, 4])
    await bench.load(2)
    assert await bench.fetch([0, 1]) == [lists[0][:2] + lists[0][3:], lists[1][:3]]
    assert (bit(dut.error), int(dut.resp.value)) == (1, code)


@cocotb.test
async def a_bad_part_of_the_table_reads_as_empty_bands(dut: Any) -> None:
    bench = Bench(dut, "badtable", errors={})
    await bench.loop.reset()
    lists = bench.fill([2] * 16)
    await bench.load(16)
    assert await bench.fetch([1, 9]) == [lists[1], lists[9]]
    bench.slave.errors[bench.slave.beats + 1] = DECERR
    await bench.load(16)
    assert await bench.fetch([1, 9]) == [lists[1], []]
    assert bit(dut.error)


@cocotb.test
@cocotb.parametrize(beats=[0, 1, 3])
async def a_dead_memory_still_gives_every_token(dut: Any, beats: int) -> None:
    bench = Bench(dut, f"dead{beats}", timeout=80, dies_after=beats)
    await bench.loop.reset()
    lists = bench.fill([4, 4, 4])
    await bench.load(3)
    got = await bench.fetch([0, 1, 2], 1000)
    assert got == [lists[0][: max(0, beats - 1)], [], []]
    assert bit(dut.timed_out)
    assert await bench.fetch([2, 0], 100) == [[], []]


@cocotb.test
async def a_table_load_waits_for_the_bands_before_it(dut: Any) -> None:
    bench = Bench(dut, "reload", latency=30)
    await bench.loop.reset()
    lists = bench.fill([6, 6])
    await bench.load(2)
    bench.bands.send([(0,), (1,)])
    await bench.loop.until(lambda: bench.bands.empty, 300, "both band commands")
    await bench.loop.step()
    bench.table.send([(2,)])
    await bench.loop.until(lambda: bench.table.empty, 300, "the load command")
    assert [beat for beat, user in bench.sink.beats if not user] == lists[0] + lists[1]
    assert await bench.fetch([1]) == [lists[1]]


@cocotb.test
async def a_reset_in_the_middle_leaves_nothing_behind(dut: Any) -> None:
    bench = Bench(dut, "reset", latency=15)
    await bench.loop.reset()
    lists = bench.fill([30, 2])
    await bench.load(2)
    bench.bands.send([(0,), (1,)])
    await bench.loop.step(bench.rng.randrange(25, 60))
    await bench.loop.reset()
    await bench.load(2)
    assert await bench.fetch([1]) == [lists[1]]


@cocotb.test
@cocotb.parametrize(kind=PAUSES)
async def a_reset_of_the_engine_at_any_moment_leaves_nothing_behind(dut: Any, kind: str) -> None:
    """The memory goes on with the bursts that were asked for before; nothing of them shows in what comes after."""
    bench = Bench(dut, f"engine-{kind}", kind, latency=12)
    await bench.loop.reset()
    for turn in range(20):
        lists = bench.fill([bench.rng.randrange(12) for _ in range(9)], 100 * turn)  # two beats of table
        bench.table.send([(9,)])
        bench.bands.send([(band,) for band in range(9)])
        await bench.loop.step(bench.rng.randrange(90))
        dut.rst_n.value = 0
        for agent in (bench.table, bench.bands, bench.sink):
            agent.reset()
        await bench.loop.step(bench.rng.choice([1, 1, 4]))
        dut.rst_n.value = 1
        lists = bench.fill([bench.rng.randrange(4) for _ in range(9)], 100 * turn)
        await bench.load(9)
        order = bench.rng.sample(range(9), 3)
        assert await bench.fetch(order) == [lists[band] for band in order]
        assert bench.slave.in_flight == 0


@cocotb.test
async def a_table_asked_for_in_the_first_cycle_after_reset_is_loaded(dut: Any) -> None:
    bench = Bench(dut, "first")
    lists = bench.fill([3, 2])
    for _ in range(2):
        await release_under_load(bench.loop, bench.table, [(2,)])
        await bench.loop.step(2)
        assert await bench.fetch([0, 1]) == lists


@cocotb.test
async def every_bit_of_an_address_and_of_an_index_counts(dut: Any) -> None:
    bench = Bench(dut, "far")
    await bench.loop.reset()
    odd, even = 0xAAAA_AAAA_AAAA_AA80, 0x5555_5555_5555_5540
    for tri, table, first in ((odd, even, 0x5555_5555), (even, odd, 0xAAAA_AAA0), (odd, even, 0x5555_5555)):
        bench.place(tri, table)
        lists = bench.fill([2, 1], first)
        await bench.load(2)
        assert await bench.fetch([0, 1]) == lists
