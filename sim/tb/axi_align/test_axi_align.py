"""axi_align: the bytes of a command from lane 0 on, wherever they lie in memory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import cocotb
from foveal_tb.clocked import Clocked, bench_rng, bit
from foveal_tb.pauses import PAUSES, pauses
from foveal_tb.stream import StreamSink, StreamSource


@dataclass
class Command:
    """Bytes of memory that a command asks for, the beats that cover them, and which of those are bad."""

    offset: int
    data: bytes
    bad: frozenset[int] = frozenset()


class Bench:
    def __init__(self, dut: Any, name: str, kind: str = "always") -> None:
        self.dut = dut
        self.rng = bench_rng(name)
        self.bytes = len(dut.s_axis_tdata) // 8
        self.loop = Clocked(dut)
        self.command = self.loop.add(StreamSource(dut, "cmd", ["offset", "bytes"], style=""))
        beats = StreamSource(dut, "s_axis", ["tdata", "tlast", "tuser"], pauses(kind, self.rng))
        self.source = self.loop.add(beats)
        sink = StreamSink(dut, "m_axis", ["tdata", "tkeep", "tlast", "tuser"], pauses(kind, self.rng))
        self.sink = self.loop.add(sink)

    def make(self, offset: int, size: int, bad: frozenset[int] = frozenset()) -> Command:
        return Command(offset, self.rng.randbytes(size), bad)

    def covering(self, command: Command) -> list[tuple[int, int, int]]:
        """The beats of memory, with other bytes around those asked for."""
        size = -(-(command.offset + len(command.data)) // self.bytes) * self.bytes
        memory = bytearray(self.rng.randbytes(size))
        memory[command.offset : command.offset + len(command.data)] = command.data
        words = [memory[at : at + self.bytes] for at in range(0, size, self.bytes)]
        return [
            (int.from_bytes(word, "little"), int(n == len(words) - 1), int(n in command.bad))
            for n, word in enumerate(words)
        ]

    def check(self, command: Command, beats: list[tuple[int, ...]]) -> None:
        """`beats` are the command's bytes; a beat is bad if and only if a byte of it came in a bad beat.

        Behind the last beat of memory lanes are zero: what the channel holds then belongs to nobody.
        """
        end = -(-(command.offset + len(command.data)) // self.bytes) * self.bytes
        for n, (word, keep, last, user) in enumerate(beats):
            wanted = command.data[n * self.bytes : (n + 1) * self.bytes]
            assert keep == (1 << len(wanted)) - 1
            assert word.to_bytes(self.bytes, "little")[: len(wanted)] == wanted
            assert last == (n == len(beats) - 1)
            first = command.offset + n * self.bytes
            assert word >> 8 * min(self.bytes, end - first) == 0
            source = {at // self.bytes for at in range(first, first + len(wanted))}
            assert user == bool(source & command.bad), f"beat {n}"
        assert len(beats) == -(-len(command.data) // self.bytes)

    async def run(self, commands: list[Command]) -> None:
        """Send all commands and their beats, and check what comes out."""
        self.sink.beats.clear()
        self.command.send((command.offset, len(command.data)) for command in commands)
        covering = [self.covering(command) for command in commands]
        self.source.send(beat for beats in covering for beat in beats)
        limit = 200 + 12 * sum(len(beats) + 6 for beats in covering)
        ended = lambda: sum(beat[2] for beat in self.sink.beats) == len(commands)  # noqa: E731
        await self.loop.until(ended, limit, f"{len(commands)} ends")
        await self.loop.step(4)
        beats = iter(self.sink.beats)
        for command in commands:
            count = -(-len(command.data) // self.bytes)
            self.check(command, [next(beats) for _ in range(count)])
        assert next(beats, None) is None
        assert self.source.empty


@cocotb.test
@cocotb.parametrize(kind=PAUSES)
async def every_offset_with_every_length(dut: Any, kind: str) -> None:
    """Exhaustive up to four beats on narrow buses; on wide ones every offset, with lengths around the beats' ends."""
    bench = Bench(dut, kind, kind)
    await bench.loop.reset()
    lengths = range(1, 4 * bench.bytes + 2)
    commands = []
    for offset in range(bench.bytes):
        ends = [n * bench.bytes + d for n in (1, 2) for d in (-offset - 1, -offset, 1 - offset, -1, 0, 1)]
        chosen = lengths if bench.bytes <= 8 else bench.rng.sample([n for n in ends if n > 0], 3)
        commands += [bench.make(offset, length) for length in chosen]
    bench.rng.shuffle(commands)
    await bench.run(commands if bench.bytes > 4 or kind == "always" else commands[:60])


@cocotb.test
async def a_table_and_a_page_from_every_offset(dut: Any) -> None:
    bench = Bench(dut, "pages")
    await bench.loop.reset()
    sizes = (1024, 4096) if bench.bytes >= 64 else (64, 256)
    for offset in range(0, bench.bytes, max(1, bench.bytes // 16)):
        await bench.run([bench.make(offset, size) for size in sizes])


@cocotb.test
async def a_beat_a_clock_within_a_command(dut: Any) -> None:
    bench = Bench(dut, "rate")
    await bench.loop.reset()
    for offset in (0, 1, bench.bytes - 1):
        bench.sink.gaps = bench.sink.idle = 0
        await bench.run([bench.make(offset, 20 * bench.bytes)])
        assert bench.sink.gaps == 0


@cocotb.test
async def a_bad_beat_marks_the_beats_that_hold_bytes_of_it(dut: Any) -> None:
    bench = Bench(dut, "bad")
    await bench.loop.reset()
    for offset in (0, 1, bench.bytes - 1):
        for beat in range(6):
            await bench.run([bench.make(offset, 5 * bench.bytes, frozenset([beat])), bench.make(offset, bench.bytes)])


@cocotb.test
@cocotb.parametrize(beats=[1, 2, 4])
async def a_command_that_the_reader_gave_up_ends_bad_and_the_next_is_clean(dut: Any, beats: int) -> None:
    bench = Bench(dut, f"gave-up{beats}")
    await bench.loop.reset()
    for offset in (0, 3):
        bench.sink.beats.clear()
        bench.command.send([(offset, 9 * bench.bytes)])
        bench.source.send([(bench.rng.getrandbits(30), int(n == beats - 1), int(n == beats - 1)) for n in range(beats)])
        await bench.loop.until(lambda: any(beat[2] for beat in bench.sink.beats), 60, "the end")
        await bench.loop.step(4)
        assert [beat[2] for beat in bench.sink.beats] == [0] * (beats - 1) + [1]
        assert bench.sink.beats[-1][3] == 1
        await bench.run([bench.make(1, 2 * bench.bytes)])


@cocotb.test
async def nothing_is_ready_in_reset_and_a_reset_drops_what_is_held(dut: Any) -> None:
    bench = Bench(dut, "reset")
    await bench.loop.reset()
    bench.command.send([(1, 5 * bench.bytes)])
    bench.source.send([(7, 0, 1), (8, 0, 1)])
    await bench.loop.step(6)
    await bench.loop.reset()
    dut.rst_n.value = 0
    await bench.loop.step(2)
    assert not bit(dut.cmd_ready)
    assert not bit(dut.s_axis_tready)
    assert not bit(dut.m_axis_tvalid)
    dut.rst_n.value = 1
    await bench.run([bench.make(2, 3 * bench.bytes)])
