"""roi_regs: every register, the frame handshake, region sets, the injection counter, status and reset."""

from __future__ import annotations

import importlib.util
import itertools
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import cocotb
from foveal_tb.axi_lite import AxiLite
from foveal_tb.clocked import Clocked, bench_rng, bit

ROOT = Path(__file__).resolve().parents[3]


def load_registers() -> ModuleType:
    """The generated register module alone, without the host package around it."""
    spec = importlib.util.spec_from_file_location("registers", ROOT / "host" / "foveal" / "card" / "registers.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["registers"] = module
    spec.loader.exec_module(module)
    return module


regs = load_registers()
OKAY, SLVERR = 0, 2
MASK = 0xFFFFFFFF
LAST_WRITABLE = max(register.offset for register in regs.REGISTERS if "w" in register.access)
BASES = ("tri_base", "band_base", "out_base", "mat_base", "tex_base")
NUMBERS = (
    *("WIDTH", "HEIGHT", "STRIDE", "BACKGROUND", "TIMEOUT", "TEX_PAGES", "EGO_X", "EGO_Y"),
    *("ZONE_X0", "ZONE_Y0", "ZONE_X1", "ZONE_Y1", "ZONE_MARGIN"),
)
ACTIONS = {"CTRL", "ISR", "ROI_COMMIT", "CTRL_RESET", "MAT_INVALIDATE", "TEX_INVALIDATE"}
INPUTS = (
    *("frame_done", "clip_pending", "clip_stalled", "clip_fire", "clip_fresh", "frame_counters", "dma_counters"),
    *("dma_error", "dma_state", "tex_counters", "err_shade", "timeout_shade", "undrained"),
    *(f"{name}_gmem{port}" for name in ("err", "resp", "timeout") for port in range(3)),
)


class Bench:
    def __init__(self, dut: Any, name: str, skewed: bool = False) -> None:
        self.dut = dut
        self.rng = bench_rng(name)
        self.loop = Clocked(dut)
        self.bus = self.loop.add(AxiLite(self.loop, "s_axi_control", self.rng if skewed else None))
        self.loop.add(self)
        self.regions = int(dut.NUM_ROI.value)
        self.started: list[int] = []  # cycles with frame_start
        self.invalidated = {"MAT_INVALIDATE": 0, "TEX_INVALIDATE": 0}  # cycles in which the pin says so
        self.changes = 0  # cycles with roi_change
        for pin in INPUTS:
            getattr(dut, pin).value = 0

    def absent(self) -> range:
        """Offsets of the regions that this module is built without."""
        return range(regs.ROI_0_LO + 8 * self.regions, regs.ROI_0_LO + 8 * regs.ROI_COUNT)

    def reset(self) -> None:
        """Part of an agent; nothing to put to rest."""

    def drive(self) -> None:
        """Part of an agent; it only listens."""

    def sample(self) -> None:
        if bit(self.dut.frame_start):
            assert bit(self.dut.soft_rst_n)
            self.started.append(self.loop.cycle)
        self.invalidated["MAT_INVALIDATE"] += bit(self.dut.mat_invalidate)
        self.invalidated["TEX_INVALIDATE"] += bit(self.dut.tex_invalidate)
        self.changes += bit(self.dut.roi_change)

    async def write(self, name: str, value: int, strobe: int = 15) -> None:
        assert await self.bus.write(regs.OFFSETS[name], value, strobe) == OKAY, name

    async def read(self, name: str) -> int:
        value, resp = await self.bus.read(regs.OFFSETS[name])
        assert resp == OKAY, name
        return value

    async def pulse(self, pin: str) -> None:
        getattr(self.dut, pin).value = 1
        await self.loop.step()
        getattr(self.dut, pin).value = 0

    async def start(self) -> None:
        """Reset and a configuration that may run."""
        await self.loop.reset()
        await self.write("WIDTH", 64)
        await self.write("HEIGHT", 48)

    async def begin(self) -> None:
        count = len(self.started)
        await self.write("CTRL", 1)
        await self.loop.until(lambda: len(self.started) > count, 10, "frame_start")

    async def finish(self) -> None:
        await self.pulse("frame_done")
        await self.loop.step()

    def set_of(self, pin: str) -> list[tuple[int, int, int, int]]:
        """Regions (x0, y0, x1, y1) on `roi_set` or `clip_set`."""
        value = int(getattr(self.dut, pin).value)
        fields = [[value >> (52 * n + 13 * k) & 0x1FFF for k in range(4)] for n in range(self.regions)]
        return [tuple(field) for field in fields]  # type: ignore[misc]

    def random_set(self, limit: int = 4096) -> list[tuple[int, int, int, int]]:
        return [tuple(self.rng.randrange(limit) for _ in range(4)) for _ in range(self.regions)]  # type: ignore[misc]

    async def write_set(self, regions: list[tuple[int, int, int, int]]) -> None:
        for n, (x0, y0, x1, y1) in enumerate(regions):
            assert await self.bus.write(regs.roi_lo(n), x0 | y0 << 16) == OKAY
            assert await self.bus.write(regs.roi_hi(n), x1 | y1 << 16) == OKAY


@cocotb.test
async def every_register_resets_and_keeps_its_bits(dut: Any) -> None:
    bench = Bench(dut, "all", skewed=True)
    await bench.loop.reset()
    registers = [r for r in regs.REGISTERS if not r.name.startswith("ROI_") or not r.name[4].isdigit()]
    registers += [
        r for r in regs.REGISTERS if r.name in {f"ROI_{n}_{h}" for n in range(bench.regions) for h in ("LO", "HI")}
    ]
    for register in registers:
        expected = register.reset
        if register.name == "CONFIG":
            expected = int(dut.PPC.value) | bench.regions << 8 | 32 << 16 | int(dut.TEX_SLOTS.value) << 24
        assert await bench.read(register.name) == expected, register.name
    written = {}
    for register in registers:
        if register.access == "rw" and register.name not in ACTIONS:
            mask = sum(((1 << field.width) - 1) << field.lsb for field in register.fields)
            value = bench.rng.getrandbits(32)
            await bench.write(register.name, value)
            written[register.name] = value & mask
    for _ in range(2):
        for name, value in written.items():
            assert await bench.read(name) == value, name
        await bench.write("TIMEOUT", written["TIMEOUT"])  # one write more, of no matter to the others
    for name, value in written.items():
        strobe = bench.rng.randrange(16)
        mask = sum(0xFF << 8 * lane for lane in range(4) if strobe >> lane & 1)
        await bench.write(name, ~value, strobe)
        allowed = sum(((1 << f.width) - 1) << f.lsb for r in registers if r.name == name for f in r.fields)
        assert await bench.read(name) == (value & ~mask | ~value & mask) & allowed, name
        for turned in (~value, value):  # every bit, both ways
            await bench.write(name, turned)
            assert await bench.read(name) == turned & allowed, name


@cocotb.test
async def addresses_behind_the_last_writable_register_refuse_writes(dut: Any) -> None:
    bench = Bench(dut, "slverr")
    await bench.loop.reset()
    dut.frame_counters.value = bench.rng.getrandbits(32 * len(regs.FRAME_COUNTERS))
    names = {offset: name for name, offset in regs.OFFSETS.items()}
    above = (0x400, 0x400 + LAST_WRITABLE, 0x500, 0x800, 0x800 + LAST_WRITABLE, 0xFFC)
    for offset in (*range(LAST_WRITABLE + 4, max(names) + 8, 4), *above):
        before = await bench.bus.read(offset)
        assert before[1] == (OKAY if offset in names else SLVERR), f"{offset:#x}"
        assert before[0] == 0 or offset in names
        assert await bench.bus.write(offset, ~before[0]) == SLVERR, f"{offset:#x}"
        assert await bench.bus.read(offset) == before, f"{offset:#x}"


@cocotb.test
async def a_write_to_a_gap_answers_okay_and_changes_nothing(dut: Any) -> None:
    """While a frame runs: no register that can be read, no pin, and the frame ends as it would have."""
    bench = Bench(dut, "gaps", skewed=True)
    await bench.start()
    await bench.begin()
    there = {name: offset for name, offset in regs.OFFSETS.items() if offset not in bench.absent()}
    for register in regs.REGISTERS:
        if register.access == "rw" and register.name not in ACTIONS and register.name in there:
            await bench.write(register.name, bench.rng.getrandbits(32))
    others = ("cfg_strided", "cfg_depth_out", "cfg_immediate", "roi_set", "clip_set")
    pins = {name: getattr(dut, name) for name in (*PINS, *others)}

    async def seen() -> dict[str, int]:
        return {name: await bench.read(name) for name in there} | {name: int(pin.value) for name, pin in pins.items()}

    before = await seen()
    gaps = sorted(set(range(0, LAST_WRITABLE, 4)) - set(there.values()))
    assert len(gaps) == 36 + 2 * (16 - bench.regions)
    for strobe in (15, 1, 14):
        for offset in gaps:
            assert await bench.bus.write(offset, bench.rng.getrandbits(32) | 1, strobe) == OKAY, f"{offset:#x}"
            assert await bench.bus.read(offset) == (0, SLVERR), f"{offset:#x}"
    assert await seen() == before
    assert bench.invalidated == {"MAT_INVALIDATE": 0, "TEX_INVALIDATE": 0}
    assert (len(bench.started), bench.changes) == (1, 0)
    await bench.finish()
    assert await bench.read("FRAMES") == 1


@cocotb.test
async def frames_are_counted_through_all_bits(dut: Any) -> None:
    bench = Bench(dut, "frames")
    await bench.start()
    for before in (0xFFFF_FFFF, 0x7FFF_FFFF, 0x5555_5555, 0xAAAA_AAAA):
        await bench.begin()
        dut.frames_reg.value = before
        await bench.finish()
        assert await bench.read("FRAMES") == (before + 1) % 2**32


@cocotb.test
async def counters_are_read_at_their_offsets(dut: Any) -> None:
    bench = Bench(dut, "counters")
    await bench.loop.reset()
    frame = [bench.rng.getrandbits(32) for _ in regs.FRAME_COUNTERS]
    dma = [bench.rng.getrandbits(32) for _ in range(3)]
    dut.frame_counters.value = sum(value << 32 * n for n, value in enumerate(frame))
    dut.dma_counters.value = sum(value << 32 * n for n, value in enumerate(dma))
    for name, value in zip(regs.COUNTERS, frame + dma, strict=False):
        assert await bench.read(name) == value, name
    texture = [bench.rng.getrandbits(32) for _ in range(3)]
    dut.tex_counters.value = sum(value << 32 * n for n, value in enumerate(texture))
    assert [await bench.read(name) for name in ("TEX_LOADED", "TEX_SKIPPED", "TEX_MISSED")] == texture


@cocotb.test
async def a_frame_from_start_to_done(dut: Any) -> None:
    bench = Bench(dut, "frame")
    await bench.start()
    assert await bench.read("CTRL") == regs.CTRL_AP_IDLE_MASK
    await bench.begin()
    assert bench.started[-1] - bench.bus.write_cycle <= 4
    assert await bench.read("CTRL") == regs.CTRL_AP_START_MASK
    await bench.write("CTRL", 1)  # while busy: nothing
    await bench.finish()
    done = regs.CTRL_AP_DONE_MASK | regs.CTRL_AP_IDLE_MASK | regs.CTRL_AP_READY_MASK
    assert await bench.read("CTRL") == done
    assert await bench.read("CTRL") == regs.CTRL_AP_IDLE_MASK, "done clears on read"
    assert len(bench.started) == 1
    assert await bench.read("FRAMES") == 1


@cocotb.test
async def a_read_in_the_cycle_of_the_end_does_not_hide_it(dut: Any) -> None:
    bench = Bench(dut, "race")
    await bench.start()
    for offset in range(6):
        await bench.begin()
        bench.bus.r_answer = None
        bench.bus.ar.put(0, regs.CTRL)
        await bench.loop.step(offset)
        await bench.pulse("frame_done")
        await bench.loop.until(lambda: bench.bus.r_answer is not None, 20, "the read")
        first = bench.bus.r_answer[0]
        second = await bench.read("CTRL")
        assert bool(first & 2) != bool(second & 2), f"done is seen exactly once, offset {offset}"


@cocotb.test
async def configuration_is_held_during_a_frame(dut: Any) -> None:
    bench = Bench(dut, "held", skewed=True)
    await bench.start()
    await bench.write("TRI_BASE_LO", 0x1000)
    await bench.write("TRI_BASE_HI", 0x12)
    await bench.write("EGO_X", -5)
    await bench.write("STRIDE", 640)
    await bench.write("FLAGS", 3)
    await bench.begin()
    for name, value in (("TRI_BASE_LO", 0), ("EGO_X", 7), ("STRIDE", 0), ("FLAGS", 0), ("WIDTH", 9), ("TIMEOUT", 5)):
        await bench.write(name, value)
    assert int(dut.cfg_tri_base.value) == 0x12_0000_1000
    assert dut.cfg_ego_x.value.to_signed() == -5
    assert (int(dut.cfg_stride.value), int(dut.cfg_width.value), int(dut.cfg_height.value)) == (640, 64, 48)
    assert (bit(dut.cfg_strided), bit(dut.cfg_depth_out), bit(dut.cfg_immediate)) == (1, 1, 0)
    assert int(dut.cfg_timeout.value) == 65536
    await bench.finish()
    await bench.begin()
    assert int(dut.cfg_tri_base.value) == 0x12_0000_0000
    assert (dut.cfg_ego_x.value.to_signed(), int(dut.cfg_width.value), int(dut.cfg_timeout.value)) == (7, 9, 5)


PINS: dict[str, tuple[str, ...]] = {
    **{f"cfg_{name}": (f"{name.upper()}_LO", f"{name.upper()}_HI") for name in BASES},
    **{f"cfg_{name.lower()}": (name,) for name in NUMBERS},
}
"""Pin of the configuration: its registers, the lower word first."""


class Configuration:
    """The words behind the pins, and an agent that compares the pins in every cycle while a frame holds them."""

    def __init__(self, dut: Any) -> None:
        self.pins = [(name, getattr(dut, name), words) for name, words in PINS.items()]
        flags = ("strided", "depth_out", "immediate")
        self.flags = [(getattr(dut, f"cfg_{name}"), getattr(regs, f"FLAGS_{name.upper()}_SHIFT")) for name in flags]
        self.held: dict[str, int] = {}

    def reset(self) -> None:
        """Nothing to put to rest."""

    def drive(self) -> None:
        """It only listens."""

    def sample(self) -> None:
        if not self.held:
            return
        for name, pin, words in self.pins:
            wanted = sum(self.held[word] << 32 * n for n, word in enumerate(words))
            assert int(pin.value) == wanted, name
        for pin, shift in self.flags:
            assert bit(pin) == self.held["FLAGS"] >> shift & 1


@cocotb.test
async def every_bit_of_the_configuration_is_taken_at_a_start_and_held(dut: Any) -> None:
    """Random words, then their complements; each is written over while the frame before it runs."""
    bench = Bench(dut, "bits")
    await bench.loop.reset()
    configuration = bench.loop.add(Configuration(dut))
    multiples = {"TRI_BASE_LO": 64, "BAND_BASE_LO": 64, "OUT_BASE_LO": 4096, "STRIDE": 4 * int(dut.PPC.value)}
    masks = {name: MASK & -multiples.get(name, 1) for words in PINS.values() for name in words}
    masks |= {
        "WIDTH": 0xFFF,
        "HEIGHT": 0xFFF,
        "TEX_PAGES": min(0xF, int(dut.TEX_SLOTS.value)),
        "BACKGROUND": 0xFFFFFF,
        "FLAGS": 7,
    }
    words = {
        name: bench.rng.randrange(1, 0xFFF) if mask == 0xFFF else bench.rng.getrandbits(32)
        for name, mask in masks.items()
    }
    for _ in range(4):
        words = {name: ~value & masks[name] for name, value in words.items()}
        for name, value in words.items():
            await bench.write(name, value)
        if configuration.held:
            await bench.finish()
        configuration.held = {}
        await bench.begin()
        configuration.held = words
    await bench.loop.step(20)


@cocotb.test
@cocotb.parametrize(
    case=[
        ("WIDTH", 0), ("WIDTH", 4097), ("WIDTH", 65536 + 64), ("HEIGHT", 0), ("HEIGHT", 4097), ("TRI_BASE_LO", 32),
        ("BAND_BASE_LO", 4), ("OUT_BASE_LO", 2048), ("STRIDE", 2),
        ("TEX_PAGES", 17), ("TEX_PAGES", 1 << 31),
    ]
)  # fmt: skip
async def a_bad_configuration_ends_at_once(dut: Any, case: tuple[str, int]) -> None:
    name, value = case
    bench = Bench(dut, f"bad{name}{value}")
    await bench.start()
    good = await bench.read(name)
    await bench.write(name, value)
    await bench.write("CTRL", 1)
    await bench.loop.step(6)
    assert bench.started == []
    assert await bench.read("CTRL") & 6 == 6
    assert await bench.read("STATUS") == regs.STATUS_ERROR_MASK | regs.STATUS_BAD_CONFIG_MASK
    await bench.write(name, good)
    await bench.begin()
    assert await bench.read("STATUS") == 0


@cocotb.test
async def table_and_pages_may_lie_at_any_byte(dut: Any) -> None:
    bench = Bench(dut, "bytes")
    await bench.start()
    await bench.write("MAT_BASE_LO", 0x1003)
    await bench.write("TEX_BASE_LO", 0x2FFF)
    await bench.begin()
    assert (int(dut.cfg_mat_base.value), int(dut.cfg_tex_base.value)) == (0x1003, 0x2FFF)


@cocotb.test
async def the_largest_frame_is_good(dut: Any) -> None:
    bench = Bench(dut, "largest")
    await bench.start()
    await bench.write("WIDTH", 4096)
    await bench.write("HEIGHT", 4096)
    await bench.begin()
    assert (int(dut.cfg_width.value), int(dut.cfg_height.value)) == (4096, 4096)


@cocotb.test
async def coordinates_of_a_region_do_not_leak_into_each_other(dut: Any) -> None:
    bench = Bench(dut, "fields")
    await bench.start()
    last = bench.regions - 1
    values = (0, 3, 255, 300, 8191, 8192, 65535)
    for x0, y0 in itertools.product(values, values):
        x1, y1 = y0 ^ 0xAAAA & 0x1FFF, x0
        assert await bench.bus.write(regs.roi_lo(last), x0 | y0 << 16) == OKAY
        assert await bench.bus.write(regs.roi_hi(last), x1 | y1 << 16) == OKAY
        await bench.write("ROI_COMMIT", 1)
        await bench.begin()
        await bench.finish()
        assert bench.set_of("roi_set")[last] == tuple(min(value, 8191) for value in (x0, y0, x1, y1))
        assert await bench.read(f"ROI_{last}_LO") == x0 | y0 << 16, "what was written is read back"


@cocotb.test
async def a_set_is_never_torn(dut: Any) -> None:
    bench = Bench(dut, "torn", skewed=True)
    await bench.start()
    allowed = {tuple([(0, 0, 0, 0)] * bench.regions)}
    seen: set[tuple[Any, ...]] = set()

    class Watch:
        def reset(self) -> None:
            """Nothing to put to rest."""

        def drive(self) -> None:
            """It only listens."""

        def sample(self) -> None:
            for pin in ("roi_set", "clip_set"):
                value = tuple(bench.set_of(pin))
                assert value in allowed, pin
                seen.add(value)

    bench.loop.add(Watch())
    running = False
    for _ in range(14):
        regions = bench.random_set()
        await bench.write_set(regions)
        if bench.rng.random() < 0.8:
            allowed.add(tuple(regions))
            await bench.write("ROI_COMMIT", 1)
        if bench.rng.random() < 0.3:
            await bench.write("FLAGS", bench.rng.choice([0, regs.FLAGS_IMMEDIATE_MASK]))
        if running:
            await bench.finish()
        if bench.rng.random() < 0.8:
            await bench.begin()
        else:
            running = False
            continue
        running = True
    assert len(seen) > 4


@cocotb.test
async def a_commit_while_busy_waits_for_the_next_frame(dut: Any) -> None:
    bench = Bench(dut, "busy")
    await bench.start()
    first, second, third = bench.random_set(), bench.random_set(), bench.random_set()
    await bench.write_set(first)
    await bench.write("ROI_COMMIT", 1)
    await bench.begin()
    changes = bench.changes
    assert bench.set_of("roi_set") == first
    await bench.write_set(second)
    await bench.write("ROI_COMMIT", 1)
    await bench.write_set(third)  # after COMMIT: the set after the next one
    assert bench.set_of("roi_set") == first
    assert bench.set_of("clip_set") == first
    assert bench.changes == changes
    await bench.finish()
    await bench.begin()
    assert bench.set_of("roi_set") == second
    assert bench.set_of("clip_set") == second
    assert bench.changes == changes + 1
    await bench.finish()
    await bench.begin()
    assert bench.set_of("roi_set") == second, "the third set was not committed"
    assert bench.changes == changes + 1
    assert await bench.read("ROI_SETS") == 2


@cocotb.test
async def an_immediate_set_reaches_only_the_clip(dut: Any) -> None:
    bench = Bench(dut, "immediate")
    await bench.start()
    first, second = bench.random_set(), bench.random_set()
    await bench.write("FLAGS", regs.FLAGS_IMMEDIATE_MASK)
    await bench.write_set(first)
    await bench.write("ROI_COMMIT", 1)
    await bench.begin()
    changes = bench.changes
    await bench.write_set(second)
    await bench.write("ROI_COMMIT", 1)
    assert bench.set_of("clip_set") == second
    assert bench.set_of("roi_set") == first
    assert bench.changes == changes + 1
    await bench.finish()
    await bench.begin()
    assert bench.set_of("roi_set") == second


@cocotb.test
@cocotb.parametrize(before=[0, 4], after=[0, 4])
async def a_commit_around_a_frame_start_belongs_to_one_frame(dut: Any, before: int, after: int) -> None:
    bench = Bench(dut, f"around{before}{after}")
    await bench.start()
    await bench.write("FLAGS", before)
    await bench.begin()
    await bench.finish()
    for delay in range(7):
        await bench.write("FLAGS", before)
        await bench.begin()
        await bench.finish()
        await bench.write("FLAGS", after)
        regions = bench.random_set()
        await bench.write_set(regions)
        old, changes = bench.set_of("clip_set"), bench.changes
        for wait, offset in ((0, regs.CTRL), (delay, regs.ROI_COMMIT)):
            bench.bus.aw.put(wait, offset)
            bench.bus.w.put(wait, 1, 15)
        differing = 0
        for _ in range(16):
            await bench.loop.step()
            changed = bench.set_of("clip_set") != old
            assert not changed or bench.changes > changes, "a set that nobody announced"
            differing += changed != (bench.changes > changes)
        assert differing <= 1, "the set is in force one cycle after roi_change at the latest"
        await bench.finish()
        await bench.begin()
        assert bench.set_of("roi_set") == bench.set_of("clip_set") == regions
        assert bench.changes == changes + 1
        assert await bench.read("ROI_SETS") == delay + 1
        await bench.finish()


@cocotb.test
async def injection_cycles_from_the_handshake_to_the_first_new_beat(dut: Any) -> None:
    bench = Bench(dut, "inject")
    await bench.start()
    await bench.write("FLAGS", regs.FLAGS_IMMEDIATE_MASK)
    await bench.write("ROI_COMMIT", 1)
    await bench.begin()
    assert [await bench.read(f"ROI_INJECT_{name}") for name in ("MIN", "MAX", "SUM", "COUNT")] == [0] * 4
    dut.clip_pending.value = dut.clip_fresh.value = dut.clip_fire.value = 1
    await bench.loop.step(2)
    taken = [await bench.read("ROI_INJECT_CYCLES")]
    assert taken[0] in range(1, 9)
    cases = ((0, 0, 5), (2, 0, 3), (4, 3, 8), (0, 5, 9), (0, 1, 16), (1, 0, 17), (0, 0, 24), (0, 0, 25), (1, 1, 40))
    for stalls, idles, flows in cases:
        dut.clip_fresh.value, dut.clip_fire.value = 0, 1
        bench.bus.b_answer = None
        bench.bus.aw.put(0, regs.ROI_COMMIT)
        bench.bus.w.put(0, 1, 15)
        await bench.loop.until(lambda: bench.bus.w.taken, 20, "the handshake")
        handshake = bench.loop.cycle
        for index in range(stalls + idles + flows - 1):
            await bench.loop.step()
            dut.clip_stalled.value = int(index < stalls)
            dut.clip_pending.value = int(not stalls <= index < stalls + idles)
            dut.clip_fire.value = int(index >= stalls + idles)  # beats of the old set
        await bench.loop.step()
        dut.clip_stalled.value, dut.clip_pending.value = 0, 1
        dut.clip_fire.value, dut.clip_fresh.value = 1, 1
        arrival = bench.loop.cycle  # pins set here act at the edge that ends this cycle
        await bench.loop.step()
        dut.clip_fire.value = 0
        await bench.loop.step(5)
        assert arrival - handshake == stalls + idles + flows
        assert await bench.read("ROI_INJECT_CYCLES") == flows
        assert await bench.read("ROI_WAIT_CYCLES") == stalls + idles
        taken.append(flows)
        for name, value in (("MIN", min(taken)), ("MAX", max(taken)), ("SUM", sum(taken)), ("COUNT", len(taken))):
            assert await bench.read(f"ROI_INJECT_{name}") == value, name
    bins = [await bench.read(f"ROI_INJECT_{name}") for name in ("TO_8", "TO_16", "TO_24", "OVER_24")]
    assert bins == [4, 2, 2, 2]


@cocotb.test
async def waiting_for_a_frame_start_is_not_injection(dut: Any) -> None:
    bench = Bench(dut, "wait")
    await bench.start()
    await bench.begin()
    dut.clip_pending.value = dut.clip_fire.value = 1
    bench.bus.aw.put(0, regs.ROI_COMMIT)
    bench.bus.w.put(0, 1, 15)
    await bench.loop.until(lambda: bench.bus.w.taken, 20, "the handshake")
    handshake = bench.loop.cycle
    await bench.loop.step(40)
    dut.clip_pending.value = dut.clip_fire.value = 0
    await bench.finish()
    await bench.begin()
    await bench.loop.step(10)
    dut.clip_pending.value = 1
    await bench.loop.step(2)
    dut.clip_fire.value = dut.clip_fresh.value = 1
    arrival = bench.loop.cycle
    await bench.loop.step()
    dut.clip_fire.value = 0
    await bench.loop.step(3)
    inject, wait = await bench.read("ROI_INJECT_CYCLES"), await bench.read("ROI_WAIT_CYCLES")
    assert inject == 3
    assert inject + wait == arrival - handshake


@cocotb.test
async def interrupts_toggle_as_vitis_kernels_do(dut: Any) -> None:
    bench = Bench(dut, "irq")
    await bench.start()
    await bench.begin()
    await bench.finish()
    assert (await bench.read("ISR"), bit(dut.interrupt)) == (0, 0)
    await bench.write("IER", 1)
    await bench.begin()
    await bench.finish()
    assert (await bench.read("ISR"), bit(dut.interrupt)) == (1, 0)
    await bench.write("GIE", 1)
    await bench.loop.step(2)
    assert bit(dut.interrupt)
    await bench.write("ISR", 1)
    await bench.loop.step(2)
    assert (await bench.read("ISR"), bit(dut.interrupt)) == (0, 0)
    await bench.write("ISR", 2)
    assert await bench.read("ISR") == 2, "writing 1 toggles"
    await bench.write("ISR", 3)
    assert await bench.read("ISR") == 1


@cocotb.test
@cocotb.parametrize(port=[0, 1, 2], code=[2, 3])
async def the_first_error_of_a_frame_is_kept(dut: Any, port: int, code: int) -> None:
    bench = Bench(dut, f"err{port}{code}")
    await bench.start()
    await bench.begin()
    await bench.loop.step(3)
    getattr(dut, f"err_gmem{port}").value = 1
    getattr(dut, f"resp_gmem{port}").value = code
    await bench.loop.step(2)
    other = (port + 2) % 3
    getattr(dut, f"err_gmem{other}").value = 1
    getattr(dut, f"resp_gmem{other}").value = 5 - code
    await bench.loop.step(2)
    await bench.finish()
    expected = regs.STATUS_ERROR_MASK | code << regs.STATUS_RESPONSE_SHIFT | port << regs.STATUS_PORT_SHIFT
    assert await bench.read("STATUS") == expected
    # The engines clear their levels one cycle after the next frame start.
    bench.bus.aw.put(0, regs.CTRL)
    bench.bus.w.put(0, 1, 15)
    await bench.loop.until(lambda: len(bench.started) == 2, 10, "frame_start")
    await bench.loop.step()
    for n in range(3):
        getattr(dut, f"err_gmem{n}").value = 0
    await bench.loop.step(2)
    await bench.finish()
    assert await bench.read("STATUS") == 0, "the second frame had no error"


@cocotb.test
@cocotb.parametrize(port=[0, 1, 2])
async def a_timeout_and_a_dma_error_are_reported(dut: Any, port: int) -> None:
    bench = Bench(dut, f"timeout{port}")
    await bench.start()
    await bench.begin()
    await bench.loop.step(2)
    getattr(dut, f"timeout_gmem{port}").value = 1
    dut.dma_error.value = 1
    dut.dma_state.value = 2
    await bench.loop.step(2)
    await bench.finish()
    masks = regs.STATUS_ERROR_MASK | regs.STATUS_TIMEOUT_MASK | regs.STATUS_DMA_ERROR_MASK
    expected = masks | port << regs.STATUS_PORT_SHIFT | 2 << regs.STATUS_DMA_STATE_SHIFT
    assert await bench.read("STATUS") == expected
    dut.undrained.value = 1 << port
    undrained = 1 << port << regs.STATUS_UNDRAINED_SHIFT
    assert await bench.read("STATUS") == expected | undrained
    getattr(dut, f"timeout_gmem{port}").value = 0
    await bench.write("CTRL_RESET", 1)
    expected = 2 << regs.STATUS_DMA_STATE_SHIFT
    assert await bench.read("STATUS") == expected | undrained, "a reset does not make a port answer"
    dut.undrained.value = 0
    assert await bench.read("STATUS") == expected


@cocotb.test
async def a_kernel_reset_keeps_the_configuration(dut: Any) -> None:
    bench = Bench(dut, "reset")
    await bench.start()
    regions = bench.random_set()
    await bench.write_set(regions)
    await bench.write("ROI_COMMIT", 1)
    await bench.begin()
    await bench.finish()
    await bench.begin()
    low = 0
    bench.bus.aw.put(0, regs.CTRL_RESET)
    bench.bus.w.put(0, 1, 15)
    for _ in range(15):
        await bench.loop.step()
        low += not bit(dut.soft_rst_n)
    assert low == 4
    assert await bench.read("CTRL") == regs.CTRL_AP_IDLE_MASK
    assert await bench.read("WIDTH") == 64
    assert await bench.read("FRAMES") == 0
    assert await bench.read("ROI_0_LO") == regions[0][0] | regions[0][1] << 16
    await bench.write("CTRL_RESET", 1)
    await bench.begin()  # a start right behind the reset is not lost
    assert bench.set_of("roi_set") == regions


@cocotb.test
async def a_reset_that_meets_a_start_changes_nothing_of_a_frame(dut: Any) -> None:
    """The configuration and the set are a frame's: they are taken where a frame starts, or not at all."""
    bench = Bench(dut, "reset-start")
    await bench.start()
    await bench.begin()
    await bench.finish()
    starts = set()
    for delay in range(6):
        regions = bench.random_set()
        await bench.write_set(regions)
        await bench.write("ROI_COMMIT", 1)
        await bench.write("WIDTH", 100 + delay)
        count = len(bench.started)
        for wait, offset in ((0, regs.CTRL), (delay, regs.CTRL_RESET)):
            bench.bus.aw.put(wait, offset)
            bench.bus.w.put(wait, 1, 15)
        await bench.loop.step(20)
        started = len(bench.started) > count
        starts.add(started)
        assert (int(dut.cfg_width.value) == 100 + delay) == started
        assert (bench.set_of("roi_set") == regions) == started
    assert starts == {False, True}


@cocotb.test
async def invalidation_is_one_pulse(dut: Any) -> None:
    bench = Bench(dut, "invalidate")
    await bench.start()
    await bench.write("MAT_INVALIDATE", 1)
    await bench.write("MAT_INVALIDATE", 0)
    await bench.write("MAT_INVALIDATE", 1, strobe=14)
    await bench.loop.step(3)
    assert bench.invalidated == {"MAT_INVALIDATE": 1, "TEX_INVALIDATE": 0}


@cocotb.test
async def an_invalidation_follows_its_own_write_alone(dut: Any) -> None:
    """Whatever stands on the bus while address and data come apart, and whichever registers are written between."""
    bench = Bench(dut, "invalidations", skewed=True)
    await bench.loop.reset()
    wanted = dict.fromkeys(bench.invalidated, 0)
    for _ in range(80):
        name = bench.rng.choice([*wanted, *wanted, "HEIGHT", "ROI_COMMIT"])
        value, strobe = bench.rng.getrandbits(32), bench.rng.randrange(16)
        await bench.write(name, value, strobe)
        if name in wanted:
            wanted[name] += value & strobe & 1
        await bench.loop.step(3)
        assert bench.invalidated == wanted


@cocotb.test
@cocotb.parametrize(apart=[0, 1, 2, 3, 4])
async def a_reset_within_an_access_leaves_nothing_of_it(dut: Any, apart: int) -> None:
    """Address without data, data without address, both with the answer not taken, a read not taken; then the next."""
    bench = Bench(dut, f"within{apart}")
    await bench.start()
    bus = bench.bus
    if apart in (0, 2, 3):
        bus.aw.put(0, regs.OFFSETS["HEIGHT"])
    if apart in (1, 2, 3):
        bus.w.put(0, 55, 15)
    if apart in (2, 4):
        bus.ar.put(0, regs.OFFSETS["ID"])
    bus.late_b = bus.late_r = 100  # no answer is taken
    await bench.loop.step(4 if apart != 3 else 1)
    await bench.loop.reset(1)
    assert (bit(dut.s_axi_control_bvalid), bit(dut.s_axi_control_rvalid)) == (0, 0)
    await bench.loop.step(5)
    assert (bit(dut.s_axi_control_bvalid), bit(dut.s_axi_control_rvalid)) == (0, 0), "an answer to what is forgotten"
    assert await bench.read("HEIGHT") == 0
    await bench.write("WIDTH", 77)
    assert (await bench.read("WIDTH"), await bench.read("HEIGHT")) == (77, 0)


@cocotb.test
async def nothing_is_ready_in_reset_and_the_first_access_is_kept(dut: Any) -> None:
    bench = Bench(dut, "first")
    await bench.loop.reset()
    dut.rst_n.value = 0
    await bench.loop.step(3)
    for channel in ("aw", "w", "ar"):
        assert not bit(getattr(dut, f"s_axi_control_{channel}ready"))
    bench.bus.aw.put(0, regs.HEIGHT)
    bench.bus.w.put(0, 77, 15)
    await bench.loop.step()
    assert not bit(dut.soft_rst_n)
    dut.rst_n.value = 1
    await bench.loop.until(lambda: bench.bus.b_answer is not None, 10, "the write")
    assert await bench.read("HEIGHT") == 77


@cocotb.test
async def injection_counters_carry_through_all_their_bits(dut: Any) -> None:
    """Put just below a carry while a set is on its way, they go on modulo 2^32; each interval has its bin."""
    bench = Bench(dut, "carry")
    await bench.start()
    await bench.write("FLAGS", regs.FLAGS_IMMEDIATE_MASK)
    await bench.begin()
    bins = ("TO_8", "TO_16", "TO_24", "OVER_24")
    for injected, before, name in (
        *((0, 0xFFFF_FFFF, "TO_8"), (0, 0x7FFF_FFFF, "TO_8"), (9, 0xFFFF_FFFF, "TO_16"), (17, 0xFFFF_FFFF, "TO_24")),
        *((25, 0xFFFF_FFFF, "OVER_24"), (0x5555_5550, 5, "OVER_24"), (0xAAAA_AAA0, 6, "OVER_24")),
        *((injected, 0x7FFF_FFFE, name) for injected, name in zip((0, 9, 17, 25), bins, strict=True)),
    ):
        dut.clip_pending.value = dut.clip_fire.value = 0
        await bench.write("ROI_COMMIT", 1)
        await bench.loop.step(3)
        counters = ("sum", "count", "sets", *(name.lower() for name in bins))
        for counter in counters:
            getattr(dut.sets, f"{counter}_reg").value = before
        dut.sets.inject_reg.value, dut.sets.wait_reg.value = injected, injected ^ 0xFFFF_FFFF
        dut.sets.min_reg.value, dut.sets.max_reg.value = (0xFFFF_FFFF, 0) if injected % 2 else (0, 0xFFFF_FFFF)
        await bench.loop.step(3)  # waits
        dut.clip_pending.value = dut.clip_fire.value = dut.clip_fresh.value = 1
        await bench.loop.step(2)
        dut.clip_pending.value = dut.clip_fire.value = 0
        await bench.loop.step(2)
        found = await bench.read("ROI_INJECT_CYCLES")
        assert (found - injected) % 2**32 in (1, 2, 3)
        assert await bench.read("ROI_WAIT_CYCLES") == ((injected ^ 0xFFFF_FFFF) + 3) % 2**32
        assert await bench.read("ROI_INJECT_SUM") == (before + found) % 2**32
        assert await bench.read("ROI_INJECT_COUNT") == (before + 1) % 2**32
        assert await bench.read("ROI_SETS") == before
        assert [await bench.read(f"ROI_INJECT_{other}") for other in bins] == [
            (before + (other == name)) % 2**32 for other in bins
        ]
        smallest, largest = (found, found) if injected % 2 else (0, 0xFFFF_FFFF)
        assert [await bench.read(f"ROI_INJECT_{end}") for end in ("MIN", "MAX")] == [smallest, largest]


@cocotb.test
async def all_coordinates_of_a_packed_set(dut: Any) -> None:
    """Each of 0 to 2047 as an x and as a y, beside random others, as many corners a commit as there are."""
    bench = Bench(dut, "packing")
    await bench.start()
    values = list(range(2048))
    bench.rng.shuffle(values)
    for first in range(0, len(values), 2 * bench.regions):
        corners = (values[first:] + values)[: 2 * bench.regions]
        pairs = list(zip(corners[::2], corners[1::2], strict=True))
        regions = [(x, y, y, x) for x, y in pairs]
        await bench.write_set(regions)
        await bench.write("ROI_COMMIT", 1)
        await bench.begin()
        await bench.finish()
        assert bench.set_of("roi_set") == regions
