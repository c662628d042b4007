"""axi_read: bursts, order, credits, errors, and a dead memory."""

from __future__ import annotations

from typing import Any

import cocotb
from foveal_tb.axi_memory import DECERR, SLVERR, AxiReadSlave, Memory
from foveal_tb.axi_rules import max_beats, split
from foveal_tb.clocked import Clocked, bench_rng, bit
from foveal_tb.pauses import PAUSES, pauses
from foveal_tb.stream import StreamSink, StreamSource

BASE = 0x1_2345_0000


class Bench:
    def __init__(self, dut: Any, name: str, kind: str = "always", timeout: int = 2000, **slave: Any) -> None:
        self.dut = dut
        self.rng = bench_rng(name)
        self.bytes = len(dut.m_axi_rdata) // 8
        self.outstanding = int(dut.OUTSTANDING.value)
        self.beats_in_flight = int(dut.BEATS.value)
        self.longest = min(max_beats(8 * self.bytes), self.beats_in_flight)
        self.memory = Memory()
        self.loop = Clocked(dut)
        active = {"accept": pauses(kind, self.rng), "active": pauses(kind, self.rng)}
        self.slave = self.loop.add(AxiReadSlave(dut, "m_axi", self.memory, **(active | slave)))
        self.command = self.loop.add(StreamSource(dut, "cmd", ["addr", "bytes"], style=""))
        sink = StreamSink(dut, "m_axis", ["tdata", "tkeep", "tlast", "tuser"], pauses(kind, self.rng))
        self.sink = self.loop.add(sink)
        dut.timeout.value = timeout
        dut.clear.value = 0

    async def start(self) -> None:
        await self.loop.reset()

    async def reset_engine(self, cycles: int = 1) -> None:
        """The engine's reset alone: the memory goes on with what it was asked for."""
        self.dut.rst_n.value = 0
        self.command.reset()
        self.sink.reset()
        self.sink.beats.clear()
        await self.loop.step(cycles)
        self.dut.rst_n.value = 1

    def fill(self, addr: int, size: int) -> bytes:
        data = self.rng.randbytes(-(-size // self.bytes) * self.bytes)
        self.memory.load(addr, data)
        return data[:size]

    @property
    def packets(self) -> int:
        return sum(beat[2] for beat in self.sink.beats)

    def received(self) -> list[tuple[bytes, bool]]:
        """Bytes and error flag of each command, as the stream delivered them."""
        out: list[tuple[bytes, bool]] = []
        data, bad = b"", False
        for value, keep, last, user in self.sink.beats:
            lanes = keep.bit_length()
            assert keep == (1 << lanes) - 1, "bytes are contiguous from lane 0"
            assert last or lanes == self.bytes, "only a last beat is partial"
            data += value.to_bytes(self.bytes, "little")[:lanes]
            bad |= bool(user)
            if last:
                out.append((data, bad))
                data, bad = b"", False
        assert not data
        return out

    async def read(self, commands: list[tuple[int, int]], limit: int = 20000) -> None:
        """Run `commands` (address, bytes) to their end."""
        self.command.send(commands)
        left = sum(size > 0 for _, size in commands)
        seen = len(self.sink.beats)

        def ended() -> bool:
            nonlocal left, seen
            left -= sum(beat[2] for beat in self.sink.beats[seen:])
            seen = len(self.sink.beats)
            return self.command.empty and left <= 0

        await self.loop.until(ended, limit, f"{left} packets")
        await self.loop.step(4)
        assert not bit(self.dut.busy)


@cocotb.test
@cocotb.parametrize(kind=PAUSES)
async def random_commands_come_back_in_order(dut: Any, kind: str) -> None:
    bench = Bench(dut, kind, kind, latency=3)
    await bench.start()
    commands, expected, addr = [], [], BASE
    for _ in range(8):
        addr += bench.rng.randrange(40) * bench.bytes
        size = bench.rng.choice([1, bench.bytes, bench.rng.randrange(1, 20 * bench.bytes)])
        commands.append((addr, size))
        expected.append((bench.fill(addr, size), False))
        addr += -(-size // bench.bytes) * bench.bytes
    await bench.read(commands)
    assert bench.received() == expected
    assert bench.slave.bursts == [
        burst for command in commands for burst in split(*command, bench.bytes, bench.longest)
    ]
    assert int(dut.stat_bursts.value) == len(bench.slave.bursts)
    assert int(dut.stat_bytes.value) == bench.bytes * sum(beats for _, beats in bench.slave.bursts)
    assert not bit(dut.error)


@cocotb.test
async def a_burst_may_end_on_the_boundary(dut: Any) -> None:
    bench = Bench(dut, "edge")
    await bench.start()
    beats = min(8, bench.longest)
    addr = 0x96A4_1000 - beats * bench.bytes
    data = bench.fill(addr, beats * bench.bytes)
    await bench.read([(addr, beats * bench.bytes)])
    assert bench.slave.bursts == [(addr, beats)]
    assert bench.received() == [(data, False)]


@cocotb.test
async def after_a_cut_burst_the_address_advances_by_the_bytes_moved(dut: Any) -> None:
    bench = Bench(dut, "cut")
    await bench.start()
    # One beat before the page border and 2 3/4 beats after it (64-byte beats: 64 and 176 of 240 bytes).
    addr, size = 0x1000 - bench.bytes, 3 * bench.bytes + 3 * bench.bytes // 4
    data = bench.fill(addr, size)
    await bench.read([(addr, size)])
    if bench.longest >= 3:
        assert bench.slave.bursts == [(addr, 1), (0x1000, 3)]
    assert bench.sink.beats[-1][1] == (1 << 3 * bench.bytes // 4) - 1
    assert bench.received() == [(data, False)]


@cocotb.test
async def a_long_command_is_cut_into_the_bursts_that_cover_it(dut: Any) -> None:
    """Numbers of beats with runs of ones, from ten beats before a page on."""
    bench = Bench(dut, "long")
    await bench.start()
    sizes = [count * bench.bytes for count in (31, 63, 96, 127, 250)]
    commands = [(BASE + 0x1_0000 * n - 10 * bench.bytes, size) for n, size in enumerate(sizes, 1)]
    expected = [(bench.fill(addr, size), False) for addr, size in commands]
    await bench.read(commands)
    assert bench.received() == expected
    cuts = [burst for command in commands for burst in split(*command, bench.bytes, bench.longest)]
    assert bench.slave.bursts == cuts


@cocotb.test
async def the_longest_burst_is_as_long_as_the_bus_and_the_beats_in_flight_allow(dut: Any) -> None:
    bench = Bench(dut, "longest")
    await bench.start()
    await bench.read([(BASE, 8192)])
    beats = min({4: 256, 8: 256, 16: 256, 32: 128, 64: 64, 128: 32}[bench.bytes], bench.beats_in_flight)
    assert {burst[1] for burst in bench.slave.bursts} == {beats}
    assert len(bench.slave.bursts) == 8192 // (beats * bench.bytes)


@cocotb.test
async def every_length_from_every_beat_around_a_page(dut: Any) -> None:
    bench = Bench(dut, "around")
    await bench.start()
    commands = []
    for start in range(-4, 4):
        for size in (1, *(n * bench.bytes + tail for n in range(1, 8) for tail in (-1, 0, 1))):
            commands.append((BASE + 8192 * (len(commands) + 1) + start * bench.bytes, size))
    expected = [(bench.fill(addr, size), False) for addr, size in commands]
    await bench.read(commands)
    assert bench.received() == expected
    assert bench.slave.bursts == [
        burst for command in commands for burst in split(*command, bench.bytes, bench.longest)
    ]


@cocotb.test
async def an_exact_fill_has_no_stray_burst(dut: Any) -> None:
    bench = Bench(dut, "exact")
    await bench.start()
    pages = 128 if bench.bytes == 64 else 4  # 524,288 bytes on the card's bus
    whole = min(pages * 4096 // (bench.longest * bench.bytes), 128)
    full = whole * bench.longest * bench.bytes
    for extra, tail in ((0, 0), (-1, 0), (1, 1)):
        bench.slave.bursts.clear()
        await bench.read([(BASE, full + extra)])
        assert len(bench.slave.bursts) == whole + tail
        assert bench.slave.bursts[-1][1] == (1 if tail else bench.longest)
        assert max(addr + beats * bench.bytes for addr, beats in bench.slave.bursts) - BASE == full + (
            bench.bytes if tail else 0
        )


@cocotb.test
async def requests_in_flight_reach_their_limit_and_never_pass_it(dut: Any) -> None:
    """64 requests of a beat on a memory that takes 200 cycles: as many in flight as there are credits, all complete."""
    bench = Bench(dut, "credits", latency=200)
    await bench.start()
    requests = 64
    await bench.read([(BASE + 4096 * n, bench.bytes) for n in range(requests)], 200 * requests + 2000)
    assert len(bench.slave.bursts) == requests
    assert bench.slave.max_in_flight == min(bench.outstanding, bench.beats_in_flight)
    assert bench.slave.max_beats_in_flight == bench.slave.max_in_flight


@cocotb.test
@cocotb.parametrize(offset=[0, 5])
async def beats_in_flight_reach_their_limit_and_never_pass_it(dut: Any, offset: int) -> None:
    """One long command from any beat of a page: 64 beats at least are in flight where BEATS and the requests allow."""
    bench = Bench(dut, f"beats{offset}", latency=200)
    await bench.start()
    reached = min(bench.beats_in_flight, bench.outstanding * bench.longest)
    addr, size = BASE + offset * bench.bytes, (2 * reached + 3) * bench.bytes
    bursts = split(addr, size, bench.bytes, bench.longest)
    await bench.read([(addr, size)], 250 * len(bursts) + 6000)
    assert bench.slave.bursts == bursts
    assert bench.slave.max_beats_in_flight <= bench.beats_in_flight
    # A first or last burst that a boundary cuts may leave less than a whole burst unused.
    assert bench.slave.max_beats_in_flight > reached - bench.longest
    if bench.beats_in_flight >= 128 and (bench.outstanding - 1) * bench.longest >= 64:
        assert bench.slave.max_beats_in_flight >= 64


@cocotb.test
async def a_beat_a_clock_once_data_flows(dut: Any) -> None:
    bench = Bench(dut, "rate", latency=10)
    await bench.start()
    await bench.read([(BASE, bench.longest * bench.bytes)])
    assert len(bench.sink.beats) == bench.longest
    assert bench.sink.gaps == 0


@cocotb.test
@cocotb.parametrize(code=[SLVERR, DECERR], beat=[0, 3, 9])
async def an_error_marks_its_beat_and_the_command_finishes(dut: Any, code: int, beat: int) -> None:
    bench = Bench(dut, f"error{code}{beat}", errors={beat: code, 8: SLVERR ^ DECERR ^ code})
    await bench.start()
    await bench.read([(BASE, 10 * bench.bytes)])
    assert [index for index, item in enumerate(bench.sink.beats) if item[3]] == sorted({beat, 8})
    assert bit(dut.error)
    first = code if beat < 8 else SLVERR ^ DECERR ^ code
    assert int(dut.resp.value) == first
    assert not bit(dut.timed_out)
    dut.clear.value = 1
    await bench.loop.step()
    dut.clear.value = 0
    await bench.loop.step()
    assert (bit(dut.error), int(dut.resp.value), int(dut.stat_bytes.value)) == (0, 0, 0)
    await bench.read([(BASE, 4 * bench.bytes)])
    assert not bit(dut.error), "a later command without errors"


@cocotb.test
@cocotb.parametrize(code=[SLVERR, DECERR])
async def an_error_with_any_number_of_requests_in_flight_leaves_a_clean_next_transfer(dut: Any, code: int) -> None:
    """1 to 16 commands are asked for before a slow memory answers; one beat of one of them is bad."""
    bench = Bench(dut, f"flight{code}", latency=60)
    await bench.start()
    for commands in range(1, 17):
        size = 3 * bench.bytes
        bad = bench.rng.randrange(3 * commands)
        bench.slave.errors = {bench.slave.beats + bad: code}
        bench.sink.beats.clear()
        sent = [(BASE + 4096 * n, size) for n in range(commands)]
        await bench.read(sent)
        assert [index for index, item in enumerate(bench.sink.beats) if item[3]] == [bad]
        assert (bit(dut.error), int(dut.resp.value), bit(dut.timed_out)) == (1, code, 0)
        dut.clear.value = 1
        await bench.loop.step()
        dut.clear.value = 0
        bench.sink.beats.clear()
        data = bench.fill(BASE, size)
        await bench.read([(BASE, size)])
        assert bench.received() == [(data, False)]
        assert not bit(dut.error)


@cocotb.test
async def an_error_code_without_valid_is_ignored(dut: Any) -> None:
    bench = Bench(dut, "novalid")
    await bench.start()
    dut.m_axi_rresp.value = DECERR
    await bench.loop.step(10)
    assert not bit(dut.error)


@cocotb.test
@cocotb.parametrize(beats=[0, 1, 5])
async def a_dead_memory_ends_every_command(dut: Any, beats: int) -> None:
    bench = Bench(dut, f"dead{beats}", timeout=100, dies_after=beats)
    await bench.start()
    await bench.read([(BASE, 40 * bench.bytes), (BASE + 8192, bench.bytes), (BASE, 0)], 1000)
    assert bit(dut.timed_out)
    assert [beat[3] for beat in bench.sink.beats] == [0] * beats + [1, 1]
    assert [beat[1] for beat in bench.sink.beats[-2:]] == [0, 0]
    await bench.read([(BASE, bench.bytes)], 20)
    assert bench.packets == 3, "a later command ends at once"
    dut.clear.value = 1
    await bench.loop.step()
    dut.clear.value = 0
    assert bit(dut.timed_out), "only a reset revives the engine"
    bench.slave.dies_after = None
    bench.sink.beats.clear()
    await bench.start()
    assert not bit(dut.timed_out)
    data = bench.fill(BASE, 3 * bench.bytes)
    await bench.read([(BASE, 3 * bench.bytes)])
    assert bench.received() == [(data, False)]


@cocotb.test
async def a_slow_memory_and_a_stalled_reader_are_not_dead(dut: Any) -> None:
    bench = Bench(dut, "slow", timeout=100, latency=95)
    await bench.start()
    bench.sink.active = iter(lambda: False, True)
    bench.command.send([(BASE, 8 * bench.bytes)])
    await bench.loop.step(400)
    assert not bit(dut.timed_out)
    bench.sink.active = pauses("always", bench.rng)
    await bench.loop.until(lambda: bench.packets == 1, 1000, "the packet")
    assert len(bench.sink.beats) == 8


@cocotb.test
@cocotb.parametrize(kind=PAUSES)
async def a_reset_at_any_moment_keeps_the_rules_and_leaves_nothing_behind(dut: Any, kind: str) -> None:
    bench = Bench(dut, f"reset-{kind}", kind, latency=12)
    await bench.start()
    for _ in range(25):
        bench.command.send([(BASE + 4096 * n, bench.rng.randrange(1, 9 * bench.bytes)) for n in range(6)])
        await bench.loop.step(bench.rng.randrange(60))
        await bench.reset_engine(bench.rng.choice([1, 1, 4]))
        size = bench.rng.randrange(1, 6 * bench.bytes)
        data = bench.fill(BASE + 0x1_0000, size)
        await bench.read([(BASE + 0x1_0000, size)])
        assert bench.received() == [(data, False)], "beats of before the reset, or none of after it"
        assert bench.slave.in_flight == 0
        assert (bit(dut.undrained), bit(dut.timed_out), bit(dut.error)) == (0, 0, 0)


@cocotb.test
@cocotb.parametrize(beats=[0, 2])
async def a_port_that_stays_dead_is_told_after_the_reset_and_hangs_nothing(dut: Any, beats: int) -> None:
    bench = Bench(dut, f"undrained{beats}", timeout=60, dies_after=beats)
    await bench.start()
    await bench.read([(BASE, 5 * bench.bytes)], 300)
    assert bit(dut.timed_out)
    await bench.reset_engine(4)
    await bench.loop.step(200)
    assert not bit(dut.timed_out), "nothing is asked for, so nothing is waited for"
    assert bit(dut.undrained)
    requests = len(bench.slave.bursts)
    await bench.read([(BASE, bench.bytes)], 300)
    assert bit(dut.timed_out), "a request that the port holds back is given up as well"
    assert len(bench.slave.bursts) == requests
    bench.slave.dies_after = None
    await bench.reset_engine()
    data = bench.fill(BASE, 3 * bench.bytes)
    await bench.read([(BASE, 3 * bench.bytes)])
    assert bench.received() == [(data, False)]
    assert not bit(dut.undrained)
    assert bench.slave.bursts[0] == (BASE, min(5, int(dut.BEATS.value)))


@cocotb.test
async def nothing_is_ready_in_reset_and_a_command_in_the_first_cycle_is_kept(dut: Any) -> None:
    bench = Bench(dut, "first")
    await bench.start()
    dut.rst_n.value = dut.port_rst_n.value = 0
    bench.command.send([(BASE, bench.bytes)])
    await bench.loop.step(3)
    assert not bit(dut.cmd_ready)
    assert not bit(dut.m_axi_rready)
    assert not bit(dut.m_axi_arvalid)
    dut.rst_n.value = dut.port_rst_n.value = 1
    await bench.loop.until(lambda: bench.packets == 1, 50, "the packet")
    assert bench.slave.bursts == [(BASE, 1)]


@cocotb.test
async def every_bit_of_an_address_counts(dut: Any) -> None:
    bench = Bench(dut, "far")
    await bench.start()
    for pattern in (0xAAAA_AAAA_AAAA_AAAA, 0x5555_5555_5555_5555) * 2:
        addr = pattern // bench.bytes * bench.bytes
        bench.sink.beats.clear()
        data = bench.fill(addr, 3 * bench.bytes)
        await bench.read([(addr, 3 * bench.bytes)])
        assert bench.received() == [(data, False)]


@cocotb.test
async def counters_carry_through_all_their_bits(dut: Any) -> None:
    """Put just below a carry, they go on from there, modulo 2^32."""
    bench = Bench(dut, "carry")
    await bench.start()
    for before in (0xFFFF_FFFF, 0x7FFF_FFFF, 0x7FFF_FFFE, 0xFFFF_FFFF):
        dut.bursts_reg.value = dut.bytes_reg.value = before
        bench.fill(BASE, bench.bytes)
        await bench.read([(BASE, bench.bytes)])
        assert int(dut.stat_bursts.value) == (before + 1) % 2**32
        assert int(dut.stat_bytes.value) == (before + bench.bytes) % 2**32
