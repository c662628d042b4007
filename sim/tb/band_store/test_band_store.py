"""band_store: the depth test at any distance between blocks on one word, two banks at once, clear on scan."""

from __future__ import annotations

import random
from typing import Any

import cocotb
from cocotb.triggers import FallingEdge, RisingEdge
from cocotb.utils import get_sim_time
from foveal_tb.clocked import PERIOD_NS, Clocked, bench_rng, bit
from foveal_tb.idle import Idle
from foveal_tb.pauses import pauses
from foveal_tb.records import BAND_ROWS, FAR
from foveal_tb.stream import StreamSource

DONE_LATENCY = 3  # cycles from the token's handshake to blk_done
SCAN_LATENCY = 2
Place = tuple[int, int]
Pixel = tuple[int, int]


class Scanner:
    """Reads words of a bank and keeps what comes back exactly two cycles later."""

    def __init__(self, dut: Any) -> None:
        self.dut = dut
        self.idle = Idle([dut.scan_bank, dut.scan_row, dut.scan_col])
        self.reset()

    def reset(self) -> None:
        self.queue: list[tuple[int, Place]] = []
        self.flight: list[Place | None] = [None] * SCAN_LATENCY
        self.words: list[tuple[Place, int]] = []
        self.active = pauses("always", random.Random(0))
        self.dut.scan_en.value = 0
        self.idle.rest()

    @property
    def empty(self) -> bool:
        return not self.queue and self.flight == [None] * SCAN_LATENCY

    def drive(self) -> None:
        place = None
        if self.queue and next(self.active):
            bank, place = self.queue.pop(0)
            self.dut.scan_bank.value = bank
            self.dut.scan_row.value, self.dut.scan_col.value = place
        else:
            self.idle.rest()
        self.dut.scan_en.value = int(place is not None)
        self.flight.append(place)

    def sample(self) -> None:
        place = self.flight.pop(0)
        if place is not None:
            self.words.append((place, int(self.dut.scan_data.value)))


class Pulses:
    """Counts blk_done and stat_blocks, and notes the cycle of the last blk_done."""

    def __init__(self, dut: Any, loop: Clocked) -> None:
        self.dut = dut
        self.loop = loop
        self.reset()

    def reset(self) -> None:
        self.done = 0
        self.done_cycle = 0
        self.blocks = 0

    def drive(self) -> None:
        pass

    def sample(self) -> None:
        self.blocks += bit(self.dut.stat_blocks)
        if bit(self.dut.blk_done):
            self.done += 1
            self.done_cycle = self.loop.cycle


class Bench:
    def __init__(self, dut: Any, name: str, kind: str = "always") -> None:
        self.dut = dut
        self.rng: random.Random = bench_rng(f"{name}-{kind}")
        self.ppc = int(dut.PPC.value)
        self.columns = 4096 // self.ppc
        self.loop = Clocked(dut)
        payload = ["row", "col", "cover", "depth", "surface", "end"]
        self.source = self.loop.add(StreamSource(dut, "s_blk", payload, pauses(kind, self.rng)))
        self.scanner = self.loop.add(Scanner(dut))
        self.pulses = self.loop.add(Pulses(dut, self.loop))
        self.memory: list[dict[Place, list[Pixel]]] = [{}, {}]
        dut.wr_bank.value = 0

    async def start(self) -> None:
        """Reset and wait for the sweep, once a simulation: it is long, and each test leaves the banks clear."""
        if not (self.dut.init_done.value.is_resolvable and bit(self.dut.init_done)):
            await self.loop.reset()
            await RisingEdge(self.dut.init_done)
        await FallingEdge(self.dut.clk)

    def places(self, count: int) -> list[Place]:
        corners = [(0, 0), (BAND_ROWS - 1, self.columns - 1), (0, self.columns - 1), (BAND_ROWS - 1, 0)]
        found = corners + [
            (self.rng.randrange(BAND_ROWS), self.rng.randrange(self.columns)) for _ in range(max(0, count - 4))
        ]
        return found[:count] if count < 4 else found

    def blocks(self, count: int, places: list[Place], stay: float) -> list[tuple[int, ...]]:
        """Random blocks; the next one is on the same word with probability `stay`."""
        place = self.rng.choice(places)
        beats = []
        for _ in range(count):
            if self.rng.random() >= stay:
                place = self.rng.choice(places)
            # Few distinct depths, so that equal ones meet, and the ends of the range.
            depths = [self.rng.choice((0, 1, 5, 6, FAR - 1, FAR, self.rng.randrange(FAR))) for _ in range(self.ppc)]
            packed = sum(depth << 24 * lane for lane, depth in enumerate(depths))
            beats.append((*place, self.rng.getrandbits(self.ppc), packed, self.rng.getrandbits(32), 0))
        return beats

    def apply(self, bank: int, beats: list[tuple[int, ...]]) -> None:
        """The depth test, one block after another."""
        for row, col, cover, depth, surface, _ in beats:
            word = self.memory[bank].setdefault((row, col), [(FAR, 0)] * self.ppc)
            for lane in range(self.ppc):
                new = depth >> 24 * lane & FAR
                if cover >> lane & 1 and new < word[lane][0]:
                    word[lane] = (new, surface)

    async def draw(self, bank: int, beats: list[tuple[int, ...]]) -> None:
        """Send a band and its token; returns when it has retired."""
        self.dut.wr_bank.value = bank
        self.apply(bank, beats)
        done, blocks = self.pulses.done, self.pulses.blocks
        self.source.send(beats)
        self.source.send([(0, 0, 0, 0, 0, 1)])
        await self.loop.until(lambda: self.pulses.done > done, 40 * len(beats) + 50, "blk_done")
        assert self.pulses.done == done + 1
        assert self.pulses.blocks == blocks + len(beats)

    def scan(self, bank: int, places: list[Place]) -> None:
        self.scanner.queue += [(bank, place) for place in places]

    async def check_scan(self, bank: int) -> None:
        """Wait for the words asked for, and compare them with the reference, which is cleared with them."""
        await self.loop.until(lambda: self.scanner.empty, 20 * len(self.scanner.queue) + 20, "the scan")
        for place, word in self.scanner.words:
            pixels = [(word >> 56 * lane + 32 & FAR, word >> 56 * lane & 0xFFFFFFFF) for lane in range(self.ppc)]
            assert pixels == self.memory[bank].pop(place, [(FAR, 0)] * self.ppc), f"bank {bank}, word {place}"
        self.scanner.words.clear()


@cocotb.test
async def reset_clears_both_banks_before_the_first_block(dut: Any) -> None:
    bench = Bench(dut, "init")
    await bench.loop.reset()
    assert not bit(dut.init_done)
    assert not bit(dut.s_blk_tready)
    started = get_sim_time("ns")
    await bench.start()
    assert (get_sim_time("ns") - started) // PERIOD_NS in range(
        BAND_ROWS * bench.columns, BAND_ROWS * bench.columns + 8
    )
    assert bit(dut.s_blk_tready)
    for bank in (0, 1):
        bench.scan(bank, bench.places(60))
        await bench.check_scan(bank)
    assert bench.pulses.done == 0


@cocotb.test
@cocotb.parametrize(kind=("always", "geometric", "bursty", "three_of_four"))
async def many_blocks_on_few_words(dut: Any, kind: str) -> None:
    """Results that are not in memory yet must be seen by the blocks behind, whatever the distance."""
    bench = Bench(dut, "hits", kind)
    await bench.start()
    for words, stay in ((1, 1.0), (2, 0.0), (3, 0.3), (5, 0.5)):
        places = bench.places(words)
        for bank in (0, 1):
            await bench.draw(bank, bench.blocks(100, places, stay))
            bench.scan(bank, list(dict.fromkeys(places)))
            await bench.check_scan(bank)


@cocotb.test
async def hits_at_each_distance(dut: Any) -> None:
    """A block, then 0 to 6 blocks elsewhere, then one on the same word: nearer, equal and farther."""
    bench = Bench(dut, "distance")
    await bench.start()
    full = (1 << bench.ppc) - 1

    def block(place: Place, depth: int, surface: int) -> tuple[int, ...]:
        return (*place, full, sum(depth << 24 * lane for lane in range(bench.ppc)), surface, 0)

    row = 0
    beats = []
    for gap in range(7):
        for second in (49, 50, 51):
            others = [block((30, n), 9, 9) for n in range(gap)]
            beats += [block((row, 7), 50, 1), *others, block((row, 7), second, 2), block((row, 8), 4, 4)]
            row += 1
    await bench.draw(0, beats)
    for place, expected in (((0, 7), (49, 2)), ((1, 7), (50, 1)), ((2, 7), (50, 1))):
        assert bench.memory[0][place] == [expected] * bench.ppc  # the reference itself
    bench.scan(0, [(r, c) for r in range(row) for c in (7, 8)] + [(30, n) for n in range(6)])
    await bench.check_scan(0)
    assert not bench.memory[0]


@cocotb.test
async def one_bank_is_scanned_while_the_other_is_drawn(dut: Any) -> None:
    """Bands alternate; what was scanned is clear when its bank is drawn again."""
    bench = Bench(dut, "both", "three_of_four")
    await bench.start()
    previous: list[Place] = []
    for band in range(8):
        bank = band % 2
        places = bench.places(12)
        if previous:
            bench.scanner.active = pauses(bench.rng.choice(("always", "geometric")), bench.rng)
            bench.scan(1 - bank, previous)
        await bench.draw(bank, bench.blocks(60, places, 0.4))
        if previous:
            await bench.check_scan(1 - bank)
            assert not bench.memory[1 - bank]
        previous = list(dict.fromkeys(places))
    bench.scan(bank, previous)
    await bench.check_scan(bank)


@cocotb.test
async def a_word_reads_clear_right_after_its_scan(dut: Any) -> None:
    bench = Bench(dut, "clear")
    await bench.start()
    places = bench.places(9)
    await bench.draw(1, bench.blocks(60, places, 0.2))
    bench.scan(1, list(dict.fromkeys(places)) * 2)
    await bench.check_scan(1)


@cocotb.test
async def nothing_of_a_scanned_band_is_left_in_the_pipeline(dut: Any) -> None:
    """A word drawn, scanned and drawn again behind what it held: the second drawing meets a clear word."""
    bench = Bench(dut, "stale")
    await bench.start()
    for depth in (10, 20):
        packed = sum(depth << 24 * lane for lane in range(bench.ppc))
        await bench.draw(0, [(3, 5, 1, packed, depth, 0)])
        bench.scan(0, [(3, 5)])
        await bench.check_scan(0)


@cocotb.test
async def each_block_goes_to_the_bank_of_its_clock(dut: Any) -> None:
    """One word in both banks, the bank drawn by lot for each block: nothing is forwarded across."""
    bench = Bench(dut, "lot")
    await bench.start()
    bench.source.payload.append(dut.wr_bank)
    place = bench.places(1)[0]
    beats = [(beat, bench.rng.randrange(2)) for beat in bench.blocks(200, [place], 1.0)]
    for beat, bank in beats:
        bench.apply(bank, [beat])
    bench.source.send([(*beat, bank) for beat, bank in beats])
    bench.source.send([(0, 0, 0, 0, 0, 1, 0)])
    await bench.loop.until(lambda: bench.pulses.done, len(beats) + 20, "blk_done")
    for bank in (0, 1):
        bench.scan(bank, [place])
        await bench.check_scan(bank)


@cocotb.test
async def a_block_a_clock_and_the_token_behind(dut: Any) -> None:
    bench = Bench(dut, "rate")
    await bench.start()
    beats = bench.blocks(100, bench.places(3), 0.5)
    start = bench.loop.cycle
    await bench.draw(0, beats)
    # The token is the 101st beat; its handshake is in cycle start + 101.
    assert bench.pulses.done_cycle == start + len(beats) + 1 + DONE_LATENCY
    bench.scan(0, bench.places(3))
    await bench.check_scan(0)
