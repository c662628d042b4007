"""axi_write: joining of beats, strobes, credits, errors, and a dead memory."""

from __future__ import annotations

from typing import Any

import cocotb
from foveal_tb.axi_memory import DECERR, SLVERR, AxiWriteSlave, Memory
from foveal_tb.axi_rules import max_beats, split
from foveal_tb.clocked import Clocked, bench_rng, bit
from foveal_tb.pauses import PAUSES, pauses
from foveal_tb.stream import StreamSource

BASE = 0x7_0000_0000
GUARD = 0x5A


class Bench:
    def __init__(self, dut: Any, name: str, kind: str = "always", timeout: int = 2000, **slave: Any) -> None:
        self.dut = dut
        self.rng = bench_rng(name)
        self.bytes = len(dut.m_axi_wdata) // 8
        self.outstanding = int(dut.OUTSTANDING.value)
        self.memory = Memory(GUARD)
        self.loop = Clocked(dut)
        active = {"accept": pauses(kind, self.rng), "active": pauses(kind, self.rng)}
        self.slave = self.loop.add(AxiWriteSlave(dut, "m_axi", self.memory, **(active | slave)))
        beats = StreamSource(dut, "s_beat", ["addr", "data", "strb"], pauses(kind, self.rng), style="")
        self.source = self.loop.add(beats)
        dut.timeout.value = timeout
        dut.clear.value = 0
        dut.flush.value = 0

    async def start(self) -> None:
        await self.loop.reset()

    async def reset_engine(self, cycles: int = 1) -> None:
        """The engine's reset alone: the memory goes on with what it was asked for."""
        self.dut.rst_n.value = 0
        self.source.reset()
        await self.loop.step(cycles)
        self.dut.rst_n.value = 1

    def beat(self, addr: int, strobe: int | None = None) -> tuple[int, int, int]:
        full = (1 << self.bytes) - 1
        return addr, self.rng.getrandbits(8 * self.bytes), full if strobe is None else strobe

    async def write(self, beats: list[tuple[int, int, int]], limit: int = 20000) -> None:
        """Send `beats`, flush, and wait until the engine is idle."""
        self.dut.flush.value = 0
        self.source.send(beats)
        await self.loop.until(lambda: self.source.empty, limit, "all beats taken")
        await self.loop.step()
        self.dut.flush.value = 1
        await self.loop.until(lambda: bit(self.dut.idle), limit, "idle")
        await self.loop.step(4)

    def check(self, beats: list[tuple[int, int, int]]) -> None:
        """Exactly the strobed bytes of `beats` are in memory, and nothing else was touched."""
        expected: dict[int, int] = {}
        for addr, data, strobe in beats:
            for lane in range(self.bytes):
                if strobe >> lane & 1:
                    expected[addr + lane] = data >> 8 * lane & 0xFF
        assert self.memory.written == set(expected)
        assert all(self.memory.read(addr, 1)[0] == value for addr, value in expected.items())


def joined(beats: list[tuple[int, int, int]], size: int) -> list[tuple[int, int]]:
    """Bursts (address, beats) that consecutive addresses make, cut where a longest burst ends."""
    limit = max_beats(8 * size) * size
    bursts: list[tuple[int, int]] = []
    for addr, _, _ in beats:
        if bursts and bursts[-1][0] + bursts[-1][1] * size == addr and addr % limit:
            bursts[-1] = (bursts[-1][0], bursts[-1][1] + 1)
        else:
            bursts.append((addr, 1))
    return bursts


@cocotb.test
@cocotb.parametrize(kind=PAUSES)
async def random_beats_arrive_with_their_strobes(dut: Any, kind: str) -> None:
    bench = Bench(dut, kind, kind, latency=4)
    await bench.start()
    beats, addr = [], BASE + 4096 - 3 * bench.bytes
    for _ in range(100):
        if bench.rng.random() < 0.1:
            addr += bench.bytes * bench.rng.randrange(1, 70)
        beats.append(bench.beat(addr, bench.rng.getrandbits(bench.bytes) if bench.rng.random() < 0.3 else None))
        addr += bench.bytes
    await bench.write(beats)
    bench.check(beats)
    assert bench.slave.bursts == joined(beats, bench.bytes)
    assert int(dut.stat_bursts.value) == len(bench.slave.bursts)
    assert int(dut.stat_bytes.value) == sum(strobe.bit_count() for _, _, strobe in beats)
    assert not bit(dut.error)


@cocotb.test
async def a_burst_may_end_on_the_boundary(dut: Any) -> None:
    bench = Bench(dut, "edge")
    await bench.start()
    beats = [bench.beat(BASE + 4096 - 8 * bench.bytes + n * bench.bytes) for n in range(8)]
    await bench.write(beats)
    assert bench.slave.bursts == [(BASE + 4096 - 8 * bench.bytes, 8)]
    bench.check(beats)


@cocotb.test
async def the_address_after_a_cut_burst(dut: Any) -> None:
    bench = Bench(dut, "cut")
    await bench.start()
    # The last beat of a page, two whole beats, and three quarters of one: as 240 bytes of a 64-byte bus.
    beats = [bench.beat(BASE + 4096 + n * bench.bytes) for n in range(-1, 2)]
    beats.append(bench.beat(BASE + 4096 + 2 * bench.bytes, (1 << 3 * bench.bytes // 4) - 1))
    await bench.write(beats)
    assert bench.slave.bursts == [(BASE + 4096 - bench.bytes, 1), (BASE + 4096, 3)]
    bench.check(beats)


@cocotb.test
async def four_bytes_across_a_beat_stay_one_burst_and_across_a_page_become_two(dut: Any) -> None:
    """The two halves lie in the last bytes of one beat and the first of the next: on a 32-byte bus c0000000 and 3."""
    bench = Bench(dut, "across")
    await bench.start()
    high, low = 0b11 << bench.bytes - 2, 0b11
    for second, bursts in (
        (BASE + bench.bytes, [(BASE, 2)]),
        (BASE + 4096, [(BASE + 4096 - bench.bytes, 1), (BASE + 4096, 1)]),
    ):
        bench.memory = bench.slave.memory = Memory(GUARD)
        bench.slave.bursts.clear()
        beats = [bench.beat(second - bench.bytes, high), bench.beat(second, low)]
        await bench.write(beats)
        assert bench.slave.bursts == bursts
        assert bench.memory.written == set(range(second - 2, second + 2))
        bench.check(beats)


@cocotb.test
async def every_length_from_every_beat_around_a_page(dut: Any) -> None:
    bench = Bench(dut, "around")
    await bench.start()
    longest, beats, bursts = max_beats(8 * bench.bytes), [], []
    for start in range(-4, 4):
        for count in range(1, 8):
            addr = BASE + 8192 * (len(bursts) + 1) + start * bench.bytes  # a gap behind each run of beats
            beats += [bench.beat(addr + n * bench.bytes) for n in range(count)]
            bursts.append((addr, count))
    await bench.write(beats)
    bench.check(beats)
    assert bench.slave.bursts == [
        part for addr, count in bursts for part in split(addr, count * bench.bytes, bench.bytes, longest)
    ]


@cocotb.test
async def an_exact_fill_leaves_the_next_page_alone(dut: Any) -> None:
    bench = Bench(dut, "exact")
    await bench.start()
    longest = max_beats(8 * bench.bytes)
    pages = 128 if bench.bytes == 64 else 2  # 524,288 bytes on the card's bus
    for extra in (-1, 0, 1):
        bench.memory = bench.slave.memory = Memory(GUARD)
        bench.slave.bursts.clear()
        size = pages * 4096 + extra
        whole, rest = divmod(size, bench.bytes)
        beats = [bench.beat(BASE + n * bench.bytes) for n in range(whole)]
        if rest:
            beats.append(bench.beat(BASE + whole * bench.bytes, (1 << rest) - 1))
        await bench.write(beats)
        assert len(bench.slave.bursts) == pages * 4096 // (longest * bench.bytes) + (extra > 0)
        assert {burst[1] for burst in bench.slave.bursts} == ({longest, 1} if extra > 0 else {longest})
        assert max(bench.memory.written) == BASE + size - 1
        assert bench.memory.read(BASE + size, 64) == bytes([GUARD]) * 64


@cocotb.test
async def bursts_in_flight_reach_their_limit_and_never_pass_it(dut: Any) -> None:
    bench = Bench(dut, "credits", latency=200)
    await bench.start()
    count = 64 + 8
    beats = [bench.beat(BASE + 2 * n * bench.bytes) for n in range(count)]
    await bench.write(beats, 200 * count + 2000)
    bench.check(beats)
    assert len(bench.slave.bursts) == count
    assert bench.slave.max_in_flight == bench.outstanding


@cocotb.test
async def a_beat_a_clock(dut: Any) -> None:
    bench = Bench(dut, "rate", latency=8)
    await bench.start()
    count = 4 * max_beats(8 * bench.bytes)
    bench.source.send([bench.beat(BASE + n * bench.bytes) for n in range(count)])
    # With one burst in flight the memory's latency is paid for every burst; else only the first data burst waits.
    limit = count + 10 + (0 if bench.outstanding > 1 and bench.bytes >= 32 else 2 * count)
    await bench.loop.until(lambda: bench.source.empty, limit, "all beats taken")


@cocotb.test
@cocotb.parametrize(code=[SLVERR, DECERR])
async def the_first_error_is_kept_and_everything_finishes(dut: Any, code: int) -> None:
    bench = Bench(dut, f"error{code}", errors={2: code, 4: SLVERR ^ DECERR ^ code})
    await bench.start()
    beats = [bench.beat(BASE + 4096 * n) for n in range(6)]
    await bench.write(beats)
    bench.check(beats)
    for _ in range(2):
        assert (bit(dut.error), int(dut.resp.value), bit(dut.timed_out)) == (1, code, 0)
        await bench.loop.step()  # it stays
    dut.clear.value = 1
    await bench.loop.step()
    dut.clear.value = 0
    await bench.loop.step()
    assert (bit(dut.error), int(dut.resp.value), int(dut.stat_bytes.value)) == (0, 0, 0)
    await bench.write(beats[:1])
    assert not bit(dut.error), "a later burst without errors"


@cocotb.test
async def an_error_code_without_valid_is_ignored(dut: Any) -> None:
    bench = Bench(dut, "novalid", idle_resp=DECERR, latency=30)
    await bench.start()
    await bench.write([bench.beat(BASE)])
    assert not bit(dut.error)


@cocotb.test
@cocotb.parametrize(answers=[0, 1, 3])
async def a_dead_memory_lets_the_frame_end(dut: Any, answers: int) -> None:
    bench = Bench(dut, f"dead{answers}", timeout=500, dies_after=answers)
    await bench.start()
    await bench.write([bench.beat(BASE + n * bench.bytes) for n in range(1200)], 6000)
    assert bit(dut.timed_out)
    assert bit(dut.idle)
    dut.clear.value = 1
    await bench.loop.step()
    dut.clear.value = 0
    assert bit(dut.timed_out), "only a reset revives the engine"
    bench.slave.dies_after = None
    await bench.start()
    assert not bit(dut.timed_out)
    bench.memory.written.clear()
    beats = [bench.beat(BASE + n * bench.bytes) for n in range(5)]
    await bench.write(beats)
    bench.check(beats)


@cocotb.test
@cocotb.parametrize(kind=PAUSES)
async def a_reset_at_any_moment_keeps_the_rules_and_writes_nothing_more(dut: Any, kind: str) -> None:
    """The slave asserts the rules (held payload, WLAST); begun bursts end without strobes, no byte is written late."""
    bench = Bench(dut, f"reset-{kind}", kind, latency=12)
    await bench.start()
    for _ in range(25):
        bench.memory = bench.slave.memory = Memory(GUARD)
        dut.flush.value = bench.rng.randrange(2)
        addr = BASE + bench.rng.randrange(64) * bench.bytes
        bench.source.send([bench.beat(addr + n * bench.bytes) for n in range(bench.rng.randrange(1, 70))])
        await bench.loop.step(bench.rng.randrange(110))
        before = bench.slave.strobed
        await bench.reset_engine(bench.rng.choice([1, 1, 4]))
        beats = [bench.beat(BASE + 0x1_0000 + n * bench.bytes) for n in range(bench.rng.randrange(1, 6))]
        await bench.write(beats)
        late = bench.slave.strobed - before - bench.bytes * len(beats)
        assert late in (0, bench.bytes), (
            f"{late} bytes after the reset; one beat may have been on the bus and had to stay"
        )
        assert all(bench.memory.read(at, bench.bytes) == data.to_bytes(bench.bytes, "little") for at, data, _ in beats)
        assert bench.slave.in_flight == 0
        assert not bench.slave.open
        assert not bench.slave.data
        assert (bit(dut.undrained), bit(dut.timed_out), bit(dut.error)) == (0, 0, 0)
        counted = int(dut.stat_bursts.value), int(dut.stat_bytes.value)
        assert counted == (len(joined(beats, bench.bytes)), bench.bytes * len(beats)), "what was begun before counts"


@cocotb.test
@cocotb.parametrize(answers=[0, 2])
async def a_port_that_stays_dead_is_told_after_the_reset_and_hangs_nothing(dut: Any, answers: int) -> None:
    bench = Bench(dut, f"undrained{answers}", timeout=60, dies_after=answers)
    await bench.start()
    await bench.write([bench.beat(BASE + 4096 * n) for n in range(20)], 600)
    assert bit(dut.timed_out)
    await bench.reset_engine(4)
    await bench.loop.step(200)
    assert not bit(dut.timed_out), "nothing is to be written, so nothing is waited for"
    assert bit(dut.undrained)
    requests = len(bench.slave.bursts)
    await bench.write([bench.beat(BASE)], 300)
    assert bit(dut.timed_out), "a beat that the port holds back is given up as well"
    assert len(bench.slave.bursts) == requests
    bench.slave.dies_after = None
    await bench.reset_engine()
    await bench.loop.until(lambda: not bit(dut.undrained), 2000, "the late answers")
    bench.memory.written.clear()
    beats = [bench.beat(BASE + n * bench.bytes) for n in range(5)]
    await bench.write(beats)
    bench.check(beats)
    assert not bit(dut.timed_out)


@cocotb.test
async def a_slow_answer_is_not_a_dead_memory(dut: Any) -> None:
    bench = Bench(dut, "slow", timeout=100, latency=95)
    await bench.start()
    beats = [bench.beat(BASE + 4096 * n) for n in range(3)]
    await bench.write(beats)
    bench.check(beats)
    assert not bit(dut.timed_out)


@cocotb.test
async def steady_traffic_may_last_longer_than_the_timeout(dut: Any) -> None:
    bench = Bench(dut, "steady", timeout=100, latency=60)
    await bench.start()
    beats = [bench.beat(BASE + n * bench.bytes) for n in range(600)]
    await bench.write(beats)
    bench.check(beats)
    assert not bit(dut.timed_out)


@cocotb.test
async def idle_is_low_from_the_beat_to_its_answer(dut: Any) -> None:
    bench = Bench(dut, "idle", latency=40)
    await bench.start()
    assert bit(dut.idle)
    bench.source.send([bench.beat(BASE)])
    dut.flush.value = 1
    await bench.loop.until(lambda: bench.source.sent == 1, 10, "the beat")
    while True:
        await bench.loop.step()
        if bit(dut.m_axi_bvalid):
            break
        assert not bit(dut.idle)
        assert bench.loop.cycle < 200
    await bench.loop.step(2)
    assert bit(dut.idle)
    assert int(dut.stat_bytes.value) == bench.bytes


@cocotb.test
async def beats_in_the_first_cycle_after_reset_are_kept(dut: Any) -> None:
    bench = Bench(dut, "first")
    await bench.start()
    dut.rst_n.value = dut.port_rst_n.value = 0
    beats = [bench.beat(BASE + n * bench.bytes) for n in range(3)]
    bench.source.send(beats)
    await bench.loop.step(3)
    assert not bit(dut.s_beat_ready)
    assert not bit(dut.m_axi_awvalid)
    assert not bit(dut.m_axi_wvalid)
    dut.rst_n.value = dut.port_rst_n.value = 1
    await bench.write([])
    bench.check(beats)


@cocotb.test
async def every_bit_of_an_address_counts(dut: Any) -> None:
    bench = Bench(dut, "far")
    await bench.start()
    beats = []
    for pattern in (0xAAAA_AAAA_AAAA_AAAA, 0x5555_5555_5555_5555) * 2:
        addr = (pattern & ~4095) + len(beats) * bench.bytes
        beats += [bench.beat(addr + n * bench.bytes) for n in range(3)]
    await bench.write(beats)
    bench.check(beats)
    assert bench.slave.bursts == joined(beats, bench.bytes)


@cocotb.test
async def counters_carry_through_all_their_bits(dut: Any) -> None:
    """Put just below a carry, they go on from there, modulo 2^32."""
    bench = Bench(dut, "carry")
    await bench.start()
    for before in (0xFFFF_FFFF, 0x7FFF_FFFF, 0x7FFF_FFFE, 0xFFFF_FFFF):
        dut.bursts_reg.value = dut.bytes_reg.value = before
        await bench.write([bench.beat(BASE)])
        assert int(dut.stat_bursts.value) == (before + 1) % 2**32
        assert int(dut.stat_bytes.value) == (before + bench.bytes) % 2**32
