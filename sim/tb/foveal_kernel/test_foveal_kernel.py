"""foveal_kernel: from records in memory to pixels in memory, compared byte by byte."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import cocotb
import numpy as np
from banks import init_cycles
from cocotb.triggers import Timer
from cocotb.utils import get_sim_time
from foveal_tb.axi_memory import DECERR, SLVERR
from foveal_tb.clocked import PERIOD_NS, bit
from foveal_tb.injection import InjectionWatch
from foveal_tb.records import Record, random_boxes
from foveal_tb.stream import StreamSink, StreamSource
from kernel_bench import (
    BAND_BASE,
    BUS,
    COUNTERS,
    FRAME_LIMIT,
    INSIDE,
    MAT_BASE,
    OUT_BASE,
    OUTSIDE,
    PPC,
    REG,
    SHADE_PORT,
    TABLE_BEATS,
    TRI_BASE,
    UNDRAINED,
    Bench,
    ScanStalls,
    some_records,
    strided,
)
from picture import Setup, output_bytes
from standard_agents import StandardAgents

REGION_SETS: dict[str, tuple[tuple[int, int, int, int], ...]] = {
    "none": (),
    "pixel": ((17, 33, 18, 34),),
    "full": ((0, 0, 8191, 8191),),
    "overlap": ((3, 4, 30, 20), (20, 10, 45, 40), (21, 11, 22, 12)),
    "off_frame": ((45, 0, 60, 48), (0, 48, 64, 60), (46, 46, 4000, 4000), (44, 0, 8191, 2)),
    "inverted": ((30, 5, 10, 20), (5, 30, 20, 10), (7, 7, 7, 30), (1, 1, 3, 2)),
    "rows_apart": ((0, 2, 9, 3), (30, 30, 47, 34), (0, 47, 47, 48)),
    # Sixteen that are empty by a hair: one wrong bit in any of them makes rows that hold nothing count.
    "even_bits": ((0x0AAA, 0, 0x0AAA, 8191),) * 16,
    "odd_bits": ((0x1555, 0, 0x1555, 8191),) * 16,
}

GAPS = (*range(0x018, 0x040, 0x00C), *range(0x044, 0x0A8, 8), 0x0B0, *range(0x0B8, 0x100, 4))
"""Words without a register: behind each address, behind each value, and up to the regions (SPEC.md, section 10)."""


@cocotb.test
@cocotb.parametrize(name=list(REGION_SETS))
async def region_sets(dut: Any, name: str) -> None:
    """Packed, strided and depth output of one scene through each kind of region set."""
    bench = Bench(dut, name)
    await bench.power_up()
    setup = Setup(47, 48, REGION_SETS[name])
    records = some_records(bench.rng, 47, 48)
    packed = await bench.frame(setup, records)
    spread = await bench.frame(strided(setup), records)
    await bench.frame(replace(setup, depth_out=True), records)
    assert packed["PIXELS_KEPT"] == spread["PIXELS_KEPT"]
    if name in ("none", "even_bits", "odd_bits"):
        assert packed["RD_BURSTS"] == packed["WR_BURSTS"] == 0
    if name == "pixel":
        assert (packed["OUT_BYTES"], packed["BANDS_SKIPPED"]) == (4, 1)
    await bench.settle()


@cocotb.test
@cocotb.parametrize(kind=["geometric", "rare", "bursty", "three_of_four"])
async def random_frames_with_slow_memory(dut: Any, kind: str) -> None:
    """Frames in a row with changing sizes, sets and formats: nothing of one may show in the next."""
    bench = Bench(dut, kind, kind)
    await bench.power_up()
    for _ in range(4):
        width, height = bench.rng.randint(1, 50), bench.rng.randint(1, 75)
        boxes = random_boxes(bench.rng, width, height, bench.rng.choice(["few", "many", "wild", "tiny"]))
        setup = Setup(width, height, tuple(boxes), bench.rng.getrandbits(24), depth_out=bench.rng.random() < 0.2)
        if bench.rng.random() < 0.5:
            setup = strided(setup, bench.rng.randint(0, 2))
        await bench.frame(setup, some_records(bench.rng, width, height, bench.rng.randint(0, 30)))
    await bench.settle()


@cocotb.test
async def a_frame_started_right_after_reset_waits_for_clear_banks(dut: Any) -> None:
    bench = Bench(dut, "early")
    await bench.power_up(fresh=True, wait=False)
    setup = Setup(21, 3, ((0, 0, 21, 3),))
    records = some_records(bench.rng, 21, 3, 6)
    bench.load(setup, records)
    await bench.configure(setup)
    await bench.commit(setup.regions)
    await bench.write("CTRL", 1)
    await bench.loop.step(300)  # the memory's part of the fetch
    await Timer((init_cycles(PPC) - 1000) * PERIOD_NS, unit="ns")  # nothing may happen on the ports
    await bench.loop.until(lambda: not bit(dut.u_ctl.now_running), 2000, "the frame")
    wanted = output_bytes(setup, records, OUT_BASE)
    assert {addr: bench.memory[1].read_beat(addr, 1) for addr in bench.memory[1].written} == wanted
    assert await bench.read("FRAME_CYCLES") > init_cycles(PPC) - 500  # the start itself came a little after the reset
    await bench.settle()


@cocotb.test
async def bands_without_records_show_the_background(dut: Any) -> None:
    bench = Bench(dut, "background")
    await bench.power_up()
    setup = Setup(10, 70, ((0, 0, 10, 70),))
    counters = await bench.frame(setup, [])
    assert (counters["PIXELS_KEPT"], counters["TRI_FETCHED"]) == (700, 0)
    await bench.settle()


@cocotb.test
async def records_that_leave_the_frame_are_cut_and_leave_nothing_behind(dut: Any) -> None:
    """Bounds beyond WIDTH and HEIGHT, as a host's mistake has them: not in this frame, nor in a larger one after it."""
    bench = Bench(dut, "beyond")
    await bench.power_up()
    everywhere = ((0, 0, 8191, 8191),)
    small, large = Setup(21, 35, everywhere), Setup(60, 64, everywhere)
    flat = Record(0, 0, 65535, 65535, 0x00806040, *[0] * 11, z0=1000 << 16, number=0)
    right = replace(flat, bx0=30, bx1=60, by1=35, z0=0)
    bench.load(small, [record.pack().to_bytes(64, "little") for record in (flat, right)])
    await bench.configure(small)
    await bench.commit(small.regions)
    bench.memory[1].written.clear()
    await bench.run()
    assert await bench.read("STATUS") & 0xF == 0
    inside = replace(flat, bx1=small.width, by1=small.height).pack().to_bytes(64, "little")
    wanted = output_bytes(small, [inside], OUT_BASE)
    assert {addr: bench.memory[1].read_beat(addr, 1) for addr in bench.memory[1].written} == wanted
    counters = await bench.counters("TRI_FETCHED", "TRI_CULLED")
    assert counters == {"TRI_FETCHED": 4, "TRI_CULLED": 2}  # two bands
    await bench.frame(large, [])
    await bench.settle()


@cocotb.test
async def materials_follow_the_zone(dut: Any) -> None:
    """Outside: lit colours. Inside: the table is read once. A new base, or MAT_INVALIDATE, reads it again."""
    bench = Bench(dut, "materials")
    await bench.power_up(fresh=True)
    tint = np.array([[bench.rng.randrange(256) for _ in range(3)] for _ in range(256)])
    table = b"".join(bytes([*row, 0]) for row in tint.tolist())
    bench.memory[2].load(MAT_BASE, table)
    setup = Setup(24, 20, ((2, 1, 23, 20),))
    records = some_records(bench.rng, 24, 20, 12)
    await bench.frame(setup, records)
    assert bench.gmem2.taken_beats == 0
    await bench.ego(INSIDE)
    tinted = replace(setup, tint=tint)
    first = await bench.frame(tinted, records, "DMA_LOADS", "DMA_BYTES", "RD_BYTES")
    assert bench.gmem2.taken_beats == TABLE_BEATS
    assert (first["DMA_LOADS"], first["DMA_BYTES"]) == (1, 64 * TABLE_BEATS)
    assert first["RD_BYTES"] >= 1024
    await bench.frame(tinted, records)
    assert bench.gmem2.taken_beats == TABLE_BEATS
    await bench.ego((105, -50))  # out of the zone, within its margin
    await bench.frame(tinted, records)
    tint = tint[::-1].copy()
    bench.memory[2].load(MAT_BASE, b"".join(bytes([*row, 0]) for row in tint.tolist()))
    await bench.ego(INSIDE)
    await bench.write("MAT_INVALIDATE", 1)
    last = await bench.frame(replace(setup, tint=tint), records, "DMA_LOADS", "DMA_BYTES")
    assert (last["DMA_LOADS"], last["DMA_BYTES"]) == (2, 128 * TABLE_BEATS)
    await bench.ego(OUTSIDE)
    await bench.frame(setup, records)
    assert bench.gmem2.taken_beats == 2 * TABLE_BEATS
    await bench.settle()


@cocotb.test
async def every_bit_of_the_configuration_counts(dut: Any) -> None:
    """Addresses, zone and background of alternating bits, then of all others, then the first again."""
    bench = Bench(dut, "wide")
    await bench.power_up(fresh=True)
    odd, even = 0xAAAA_AAAA_AAAA_AAAA, 0x5555_5555_5555_5555
    tint = np.full((256, 3), (64, 128, 200))
    for one, other in ((odd, even), (even, odd), (odd, even)):
        bench.base = {
            **{"TRI_BASE": (one & ~63) - 2**16, "BAND_BASE": (one & ~63) + 2**16},
            **{"OUT_BASE": other & ~4095, "MAT_BASE": (one & ~63)},
        }
        bench.memory[2].load(bench.base["MAT_BASE"], bytes([64, 128, 200, 0]) * 256)
        for name, value in (("ZONE_X0", -(2**31)), ("ZONE_Y0", -(2**31) + 5), ("ZONE_X1", one >> 33)):
            await bench.write(name, value)
        await bench.write("ZONE_Y1", other >> 33)
        await bench.write("ZONE_MARGIN", other & 0xFFFFFFFF)
        await bench.ego(((one >> 33) - 1, -(other >> 34)))
        width, height = (19, 33) if one == odd else (44, 12)
        setup = Setup(width, height, ((1, 2, width, height),), one & 0xFFFFFF, tint=tint)
        await bench.frame(setup, some_records(bench.rng, width, height, 8))
    await bench.settle()


@cocotb.test
async def counters_of_a_frame_carry_through_all_their_bits(dut: Any) -> None:
    """The same frame twice; in the second the counts are put nearly 2^32 ahead on the way, and end up there."""
    bench = Bench(dut, "carry")
    await bench.power_up(fresh=True)
    setup = Setup(24, 20, ((2, 1, 23, 20),))
    records = some_records(bench.rng, 24, 20, 6)
    names = ("RD_BURSTS", "RD_BYTES", "WR_BURSTS", "WR_BYTES", "PIXELS_KEPT", "OUT_BYTES")
    plain = await bench.frame(setup, records, *names)
    ahead = 2**32 - 3
    counts = (
        *(dut.u_fetch.reader.bursts_reg, dut.u_fetch.reader.bytes_reg),
        *(dut.u_axi_write.bursts_reg, dut.u_axi_write.bytes_reg, dut.u_write.pixels_reg, dut.u_write.out_pixels_reg),
    )
    access = bench.control.submit(0, 1)
    await bench.loop.until(lambda: access[2] is not None and bit(dut.u_ctl.now_running), 60, "the start")
    await bench.loop.step(60)
    for count in counts:
        count.value = (int(count.value) + ahead) % 2**32
    await bench.loop.until(lambda: not bit(dut.u_ctl.now_running), FRAME_LIMIT, "the frame")
    found = await bench.counters(*names)
    for name in names:
        times = 4 if name == "OUT_BYTES" else 1  # pixels are what is counted
        assert found[name] == (plain[name] + times * ahead) % 2**32, (name, plain[name], found[name])
    Bench.sound = False


@cocotb.test
async def counters_of_a_frame_are_read_where_they_are_counted(dut: Any) -> None:
    """Each bit of each counter stands in its own register; after a frame they hold what is put there."""
    bench = Bench(dut, "counted")
    await bench.power_up(fresh=True)
    await bench.frame(Setup(24, 20, ((2, 1, 23, 20),)), some_records(bench.rng, 24, 20, 6))
    counted = COUNTERS[:15] + COUNTERS[22:33]  # between them stand totals of other modules
    pattern = [bench.rng.getrandbits(32) for _ in counted]
    for values in (pattern, [value ^ 0xFFFFFFFF for value in pattern]):
        dut.u_stats.count_reg.value = sum(value << 32 * n for n, value in enumerate(values))
        await bench.loop.step(2)
        assert await bench.counters(*counted) == dict(zip(counted, values, strict=True))
    Bench.sound = False


@cocotb.test
@cocotb.parametrize(kind=["always", "geometric", "bursty"])
async def the_scan_stalls_in_cycles_that_offer_a_beat_in_vain(dut: Any, kind: str) -> None:
    bench = Bench(dut, f"stalls-{kind}", kind)
    stalls = bench.loop.add(ScanStalls(dut))
    await bench.power_up()
    height = 16 * PPC  # 1,024 beats are more than the write port's buffer holds
    setup = Setup(64, height, ((0, 0, 64, height),))
    counters = await bench.frame(setup, some_records(bench.rng, 64, height, 3), "SCAN_STALL_CYCLES")
    assert counters["SCAN_STALL_CYCLES"] == stalls.count <= counters["SCAN_CYCLES"]
    assert stalls.count or kind == "always"
    await bench.settle()


@cocotb.test
async def a_slow_material_table_holds_the_scan(dut: Any) -> None:
    bench = Bench(dut, "slow-materials")
    await bench.power_up()
    bench.gmem2.latency = lambda: 900 + 1600 // PPC
    tint = np.full((256, 3), 64)
    bench.memory[2].load(MAT_BASE, bytes([64, 64, 64, 0]) * 256)
    await bench.ego(INSIDE)
    setup = Setup(24, 20, ((2, 1, 23, 20),), tint=tint)
    counters = await bench.frame(setup, some_records(bench.rng, 24, 20, 12), "DMA_WAIT_CYCLES")
    assert counters["DMA_WAIT_CYCLES"] > 300
    await bench.settle()


@cocotb.test
async def a_read_error_on_records_ends_the_frame_with_status(dut: Any) -> None:
    """Band table and records: the frame ends, the first code and port are kept; the next frame is clean."""
    bench = Bench(dut, "error0")
    await bench.power_up()
    setup = Setup(30, 30, ((0, 0, 30, 30),))
    records = some_records(bench.rng, 30, 30, 10)
    await bench.frame(setup, records)
    for beat, code in ((0, SLVERR), (1, DECERR), (4, SLVERR)):
        bench.gmem0.errors = {bench.gmem0.beats + beat: code}
        await bench.configure(setup)
        await bench.run()
        status = await bench.read("STATUS")
        assert status & 0b11 == 1, f"STATUS {status:#x}"
        assert (status >> 4 & 3, status >> 6 & 3) == (code, 0)
        await bench.frame(setup, records)
    await bench.settle()


@cocotb.test
async def a_dropped_record_is_the_only_loss(dut: Any) -> None:
    """A record that came with an error is left out, the others are drawn."""
    bench = Bench(dut, "dropped")
    await bench.power_up()
    setup = Setup(30, 30, ((0, 0, 30, 30),))
    records = some_records(bench.rng, 30, 30, 10)
    bench.load(setup, records)
    await bench.configure(setup)
    await bench.commit(setup.regions)
    bench.gmem0.errors = {1 + 3: SLVERR}  # beat 0 is the band table
    await bench.run()
    wanted = output_bytes(setup, records[:3] + records[4:], OUT_BASE)
    assert {addr: bench.memory[1].read_beat(addr, 1) for addr in bench.memory[1].written} == wanted
    await bench.settle()


@cocotb.test
async def a_write_error_ends_the_frame_with_status(dut: Any) -> None:
    bench = Bench(dut, "error1")
    await bench.power_up()
    setup = Setup(30, 30, ((0, 0, 30, 30),))
    records = some_records(bench.rng, 30, 30, 10)
    bench.gmem1.errors = {0: DECERR}
    await bench.frame(setup, records, status=1 | DECERR << 4 | 1 << 6)
    await bench.frame(setup, records)
    await bench.settle()


@cocotb.test
async def a_material_error_draws_lit_colours(dut: Any) -> None:
    bench = Bench(dut, "error2")
    await bench.power_up()
    await bench.ego(INSIDE)
    tint = np.full((256, 3), 64)
    bench.memory[2].load(MAT_BASE, bytes([64, 64, 64, 0]) * 256)
    setup = Setup(30, 30, ((0, 0, 30, 30),))
    records = some_records(bench.rng, 30, 30, 10)
    bench.gmem2.errors = {7: SLVERR}
    await bench.frame(setup, records, status=1 | 4 | SLVERR << 4 | 2 << 6)
    await bench.frame(replace(setup, tint=tint), records)
    await bench.settle()


@cocotb.test
@cocotb.parametrize((("port", "beats"), [(0, 0), (0, 2), (1, 2), (2, 3)]))
async def a_dead_memory_times_out_and_the_kernel_recovers(dut: Any, port: int, beats: int) -> None:
    """The frame ends with STATUS.timeout within a bounded time; after CTRL_RESET a frame is clean."""
    bench = Bench(dut, f"dead{port}-{beats}")
    await bench.power_up()
    await bench.write("TIMEOUT", 250)
    setup = Setup(40, 60, ((0, 0, 40, 60),))
    records = some_records(bench.rng, 40, 60, 15)
    slave = (bench.gmem0, bench.gmem1, bench.gmem2)[port]
    slave.dies_after = beats
    if port == 2:
        await bench.ego(INSIDE)
    bench.load(setup, records)
    await bench.configure(setup)
    await bench.commit(setup.regions)
    await bench.run()
    status = await bench.read("STATUS")
    assert status & 2, f"STATUS {status:#x}"
    assert await bench.read("FRAME_CYCLES") < 4000 + 8000 // PPC
    if port == 2:  # lit colours, and the reason in the status
        assert status & 4
        wanted = output_bytes(setup, records, OUT_BASE)
        assert {addr: bench.memory[1].read_beat(addr, 1) for addr in bench.memory[1].written} == wanted
    await bench.write("CTRL_RESET", 1)
    await bench.loop.step(300)
    assert await bench.read("CTRL") & 0xF == 4, "the reset leads back to idle although the port is dead"
    assert await bench.read("STATUS") == UNDRAINED << port
    slave.dies_after = None
    await bench.drain()
    assert await bench.read("STATUS") == 0
    await bench.pass_init()
    await bench.ego(OUTSIDE)
    await bench.frame(setup, records)
    await bench.settle()


@cocotb.test
@cocotb.parametrize(port=[0, 1])
async def a_port_that_stays_dead_ends_the_next_frame_too_and_the_pin_heals_it(dut: Any, port: int) -> None:
    bench = Bench(dut, f"undrained{port}")
    await bench.power_up()
    await bench.write("TIMEOUT", 250)
    setup = Setup(20, 30, ((0, 0, 20, 30),))
    records = some_records(bench.rng, 20, 30, 5)
    slave = (bench.gmem0, bench.gmem1)[port]
    slave.dies_after = 0
    requests = []
    bench.load(setup, records)
    await bench.configure(setup)
    for _ in range(2):
        await bench.commit(setup.regions)
        await bench.run()
        assert await bench.read("STATUS") & 0b11 == 0b11
        requests.append(len(slave.bursts))
        await bench.write("CTRL_RESET", 1)
        await bench.loop.step(10)
        assert await bench.read("STATUS") == UNDRAINED << port
        await bench.pass_init()
    assert requests[0] == requests[1], "nothing was asked of a port that owes answers"
    slave.dies_after = None
    bench.written.clear()
    await bench.power_up(fresh=True)
    assert await bench.read("STATUS") == 0
    await bench.frame(setup, records)
    await bench.settle()


@cocotb.test
@cocotb.parametrize(kind=["always", "geometric"])
async def a_reset_at_any_moment_of_a_frame_leaves_nothing_behind(dut: Any, kind: str) -> None:
    """CTRL_RESET keeps the configuration, and the memories go on as if nothing was: the next start draws it whole."""
    bench = Bench(dut, f"soft-reset-{kind}", kind)
    await bench.power_up()
    await bench.ego(INSIDE)
    setup = Setup(40, 60, ((3, 0, 40, 55),))
    records = some_records(bench.rng, 40, 60, 15)
    tint = np.array([[bench.rng.randrange(256) for _ in range(3)] for _ in range(256)])
    bench.memory[2].load(MAT_BASE, b"".join(bytes([*row, 0]) for row in tint.tolist()))
    wanted = output_bytes(replace(setup, tint=tint), records, OUT_BASE)
    for most in (60, 200, 500, 500, 900, 900, 1500):
        bench.load(setup, records)
        await bench.configure(setup)
        await bench.commit(setup.regions)
        await bench.write("CTRL", 1)
        await bench.loop.step(bench.rng.randrange(most))
        await bench.write("CTRL_RESET", 1)
        bench.shader.reset()
        await bench.drain()
        await bench.pass_init()
        bench.memory[1].written.clear()
        await bench.run()
        assert await bench.read("STATUS") & 0x1CFF == 0
        assert {addr: bench.memory[1].read_beat(addr, 1) for addr in bench.memory[1].written} == wanted
    await bench.ego(OUTSIDE)
    await bench.frame(setup, records)
    await bench.settle()


@cocotb.test
async def writes_to_gaps_between_registers_change_no_frame(dut: Any) -> None:
    """As a run through XRT sends them, but for their value: before a frame, and while one runs."""
    bench = Bench(dut, "gaps")
    await bench.power_up()
    setup = strided(Setup(40, 37, ((3, 4, 30, 20), (20, 10, 40, 36))))
    records = some_records(bench.rng, 40, 37)
    bench.shader.latency = lambda: 5  # cycles are compared
    first = await bench.frame(setup, records)
    for offset in GAPS:
        await bench.access(offset, bench.rng.getrandbits(32) | 1)
    assert await bench.frame(setup, records) == first
    frames = await bench.read("FRAMES")
    bench.memory[1].written.clear()
    await bench.write("CTRL", 1)
    for offset in GAPS:
        await bench.access(offset, bench.rng.getrandbits(32) | 1)
    assert bit(dut.u_ctl.now_running), "the frame is too short to be disturbed"
    await bench.loop.until(lambda: not bit(dut.u_ctl.now_running), FRAME_LIMIT, "the frame")
    wanted = output_bytes(setup, records, OUT_BASE)
    assert {addr: bench.memory[1].read_beat(addr, 1) for addr in bench.memory[1].written} == wanted
    assert (await bench.read("FRAMES"), await bench.read("STATUS") & 0xFF) == (frames + 1, 0)
    await bench.settle()


@cocotb.test
@cocotb.parametrize(register=["WIDTH", "HEIGHT", "TRI_BASE", "BAND_BASE", "OUT_BASE", "STRIDE", "WIDTH_0", "HEIGHT_0"])
async def a_bad_configuration_ends_at_once_without_memory(dut: Any, register: str) -> None:
    bench = Bench(dut, register)
    await bench.power_up(wait=False)
    setup = strided(Setup(20, 20, ((0, 0, 20, 20),)))
    await bench.configure(setup)
    await bench.commit(setup.regions)
    name = register.removesuffix("_0")
    if name in ("WIDTH", "HEIGHT"):
        await bench.write(name, 0 if register.endswith("_0") else 4097)
    elif name == "STRIDE":
        await bench.write(name, setup.stride + BUS // 2)
    else:
        await bench.write(name, 0x1004)
    await bench.write("CTRL", 1)
    await bench.loop.step(20)
    assert await bench.read("CTRL") & 2
    status = await bench.read("STATUS")
    assert status & 0b1011 == 0b1001, f"STATUS {status:#x}"
    assert bench.gmem0.bursts == bench.gmem1.bursts == bench.gmem2.bursts == []
    await bench.settle()


@cocotb.test(skip=not SHADE_PORT)
@cocotb.parametrize((("refuses", "records"), [(True, 0), (False, 0), (False, 7), (True, 7)]))
async def a_dead_shader_times_out_and_the_kernel_recovers(dut: Any, refuses: bool, records: int) -> None:
    """The frame ends with STATUS.timeout and port 3 within a bounded time; after CTRL_RESET a frame is clean."""
    bench = Bench(dut, f"shader{refuses}{records}")
    await bench.power_up()
    await bench.write("TIMEOUT", 250)
    setup = Setup(40, 60, ((0, 0, 40, 60),))
    drawn = some_records(bench.rng, 40, 60, 15)
    bench.shader.refuses, bench.shader.dies_after = refuses, records
    bench.load(setup, drawn)
    await bench.configure(setup)
    await bench.commit(setup.regions)
    await bench.run()
    assert await bench.read("STATUS") & 0xFF == 0b11 | 3 << 6
    assert await bench.read("FRAME_CYCLES") < 4000
    bench.shader.dies_after = None
    await bench.write("CTRL_RESET", 1)
    bench.shader.reset()
    await bench.drain()
    await bench.pass_init()
    await bench.frame(setup, drawn)
    await bench.settle()


@cocotb.test(skip=not SHADE_PORT)
async def a_shader_that_loses_a_beat_is_noticed(dut: Any) -> None:
    """A line end that comes too early is an error of port 3; the missing answer then a timeout."""
    bench = Bench(dut, "lost-beat")
    await bench.power_up(fresh=True)
    await bench.write("TIMEOUT", 250)
    setup = Setup(40, 20, ((0, 0, 40, 20),))
    bench.load(setup, some_records(bench.rng, 40, 20, 5))
    await bench.configure(setup)
    await bench.commit(setup.regions)
    await bench.write("CTRL", 1)
    await bench.loop.until(lambda: bench.shader.due, FRAME_LIMIT, "a record")
    bench.shader.due.popleft()
    await bench.loop.until(lambda: not bit(dut.u_ctl.now_running), FRAME_LIMIT, "the frame")
    assert await bench.read("STATUS") & 0xFF == 0b11 | 3 << 6
    Bench.sound = False


@cocotb.test
async def texture_pages_follow_the_zone(dut: Any) -> None:
    """Pages come with the material table, stay while the ego is near, and samples of the port show them."""
    bench = Bench(dut, "textures")
    source = bench.loop.add(StreamSource(dut, "s_axis_tex", ["tdata"]))
    sink = bench.loop.add(StreamSink(dut, "m_axis_tex", ["tdata"]))
    await bench.power_up(fresh=True)
    pages = [bench.rng.randbytes(4096) for _ in range(3)]
    base = 0x5_0000_7000
    bench.memory[2].load(base, b"".join(pages))
    bench.memory[2].load(MAT_BASE, bytes([128, 128, 128, 0]) * 256)
    await bench.write64("TEX_BASE", base)
    await bench.write("TEX_PAGES", 3)
    setup = Setup(24, 20, ((2, 1, 23, 20),))
    records = some_records(bench.rng, 24, 20, 12)

    async def centres() -> list[int]:
        """Texel (5, 9) of pages 0 to 3."""
        sink.beats.clear()
        source.send([(5 * 256 + 128 | (9 * 256 + 128) << 24 | page << 48,) for page in range(4)])
        await bench.loop.until(lambda: len(sink.beats) == 4, 30, "samples")
        return [data for (data,) in sink.beats]

    texels = [int.from_bytes(page[4 * (9 * 32 + 5) :][:4], "little") for page in pages]
    miss = 1 << 32 | 0xFFFF00FF
    await bench.frame(setup, records)
    assert bench.gmem2.taken_beats == 0
    assert await centres() == [miss] * 4
    await bench.ego(INSIDE)
    await bench.frame(setup, records)
    assert [burst for burst in bench.gmem2.bursts if burst[1] == 64] == [(base + 4096 * n, 64) for n in range(3)]
    assert await centres() == [*texels, miss]
    await bench.frame(setup, records)
    await bench.ego((105, -50))  # out of the zone, within its margin
    await bench.frame(setup, records)
    assert bench.gmem2.taken_beats == TABLE_BEATS + 3 * 64
    assert await centres() == [*texels, miss]
    await bench.ego(OUTSIDE)
    await bench.frame(setup, records)
    assert await centres() == [miss] * 4
    counters = await bench.counters("TEX_LOADED", "TEX_SKIPPED", "TEX_MISSED", "DMA_BYTES")
    read = 64 * TABLE_BEATS + 3 * 4096
    assert counters == {"TEX_LOADED": 3, "TEX_SKIPPED": 12, "TEX_MISSED": 10, "DMA_BYTES": read}
    await bench.write("TEX_PAGES", 0)
    await bench.settle()


def watch_clip(bench: Bench) -> InjectionWatch:
    """Looks at the kernel's clip from now on."""
    dut = bench.dut
    pins = (dut.scanned_valid, dut.scanned_ready, dut.roi_change, dut.clip_stalled, dut.clip_fire, dut.clip_fresh)
    return bench.loop.add(InjectionWatch(bench.loop, *pins))


@cocotb.test
@cocotb.parametrize(immediate=[False, True], kind=["always", "geometric", "bursty"])
async def a_set_takes_at_most_five_cycles_to_the_clips_output(dut: Any, immediate: bool, kind: str) -> None:
    """Sets come at any moment of a frame, and the kernel's statistics are those of a watch at the clip's ports."""
    bench = Bench(dut, f"inject {immediate} {kind}", kind)
    watch = watch_clip(bench)
    await bench.power_up(fresh=True)
    setup = Setup(40, 40, ((0, 0, 40, 40),), immediate=immediate)
    records = some_records(bench.rng, setup.width, setup.height, 10)
    bench.load(setup, records)
    await bench.configure(setup)
    await bench.commit(setup.regions)
    sets = 1
    for frame in range(4):
        await bench.write("CTRL", 1)
        await bench.loop.until(lambda: bit(dut.u_ctl.now_running), 20, "the start")
        # In the last frame nothing is committed any more, so that every set arrives.
        while frame < 3 and bit(dut.u_ctl.now_running):
            await bench.loop.step(bench.rng.randint(1, 80))
            if not watch.under_way:
                await bench.write("ROI", bench.rng.randint(0, 20) | bench.rng.randint(0, 8) << 16)
                await bench.write("ROI_COMMIT", 1)
                committed = bench.control.write_cycle
                sets += immediate
        await bench.loop.until(lambda: not bit(dut.u_ctl.now_running), FRAME_LIMIT, "the frame")
        sets += not immediate and frame < 3
    names = ("CYCLES", "MAX", "MIN", "SUM", "COUNT", "TO_8", "TO_16", "TO_24", "OVER_24")
    found = [await bench.read(f"ROI_INJECT_{name}") for name in names]
    seen = watch.injections
    assert found == [seen[-1], max(seen), min(seen), sum(seen), len(seen), len(seen), 0, 0, 0]
    assert max(seen) <= 5
    assert len(seen) == sets == await bench.read("ROI_SETS")
    assert len(seen) >= (8 if immediate else 4)
    assert seen[-1] + await bench.read("ROI_WAIT_CYCLES") == watch.arrived_at - committed
    cocotb.log.info("injection: %s", seen)
    await bench.settle()


@cocotb.test
async def an_immediate_set_is_followed_within_the_frame(dut: Any) -> None:
    """The beats before the change obey the old set, those after it the new one."""
    bench = Bench(dut, "inject-immediate")
    watch = watch_clip(bench)
    await bench.power_up()
    width, height = 64, 96
    before, after = ((0, 0, 64, 96),), ((5, 0, 20, 96),)
    setup = strided(Setup(width, height, before, immediate=True))
    records = some_records(bench.rng, width, height, 10)
    await bench.frame(setup, records)
    bench.load(setup, records)
    await bench.shadow(after)
    bench.memory[1].written.clear()
    await bench.write("CTRL", 1)
    await bench.loop.until(lambda: bit(dut.clip_fire), FRAME_LIMIT, "pixels")
    await bench.loop.step(40)
    await bench.write("ROI_COMMIT", 1)
    committed = bench.control.write_cycle
    await bench.loop.until(lambda: not bit(dut.u_ctl.now_running), FRAME_LIMIT, "the frame")
    counters = await bench.counters("ROI_INJECT_CYCLES", "ROI_WAIT_CYCLES")
    assert counters["ROI_INJECT_CYCLES"] == watch.injections[-1] <= 5
    assert sum(counters.values()) == watch.arrived_at - committed
    old = output_bytes(setup, records, OUT_BASE)
    new = output_bytes(replace(setup, regions=after), records, OUT_BASE)
    image = {addr: bench.memory[1].read_beat(addr, 1) for addr in bench.memory[1].written}
    # In beats (raster order) the written bytes are those of the old set, then those of the new one.
    beats = [(y, x) for y in range(height) for x in range(0, width, PPC)]

    def of_beat(bytes_: dict[int, int], y: int, x: int) -> dict[int, int]:
        first = OUT_BASE + y * setup.stride + 4 * x
        return {addr: bytes_[addr] for addr in range(first, first + BUS) if addr in bytes_}

    agrees_old = [of_beat(image, *beat) == of_beat(old, *beat) for beat in beats]
    agrees_new = [of_beat(image, *beat) == of_beat(new, *beat) for beat in beats]
    splits = [n for n in range(1, len(beats)) if all(agrees_old[:n]) and all(agrees_new[n:])]
    assert splits, "no beat divides the frame into the old and the new set"
    cocotb.log.info("injection: %d cycles within a frame", counters["ROI_INJECT_CYCLES"])
    await bench.settle()


@cocotb.test
async def immediate_shows_the_background_where_nothing_was_rendered(dut: Any) -> None:
    """A set that grows within the frame shows background in the new part, drawn pixels in the old one."""
    bench = Bench(dut, "grow")
    await bench.power_up()
    setup = strided(Setup(32, 64, ((0, 0, 8, 8),), immediate=True))
    records = some_records(bench.rng, 32, 64, 10)
    bench.load(setup, records)
    await bench.configure(setup)
    await bench.commit(setup.regions)
    bench.memory[1].written.clear()
    await bench.write("ROI", 40 << 16, 0)
    await bench.write("ROI", 32 | 64 << 16, 4)
    await bench.write("CTRL", 1)
    await bench.loop.step(2)
    # The rows from 40 on lie in a band that the frame's own set does not touch.
    await bench.loop.until(lambda: bit(dut.clip_fire), FRAME_LIMIT, "pixels")
    await bench.write("ROI_COMMIT", 1)
    await bench.loop.until(lambda: not bit(dut.u_ctl.now_running), FRAME_LIMIT, "the frame")
    empty = output_bytes(replace(setup, regions=((0, 40, 32, 64),)), [], OUT_BASE)
    image = {addr: bench.memory[1].read_beat(addr, 1) for addr in bench.memory[1].written}
    assert {addr: image.get(addr) for addr in empty} == empty
    await bench.settle()


@cocotb.test(skip=bool(SHADE_PORT))  # nobody would shade
async def agents_of_others_see_the_same_frame(dut: Any) -> None:
    """cocotbext-axi's memories and master instead of this bench's: another reading of AXI, and a yardstick of speed."""
    bench = Bench(dut, "others")
    await bench.power_up(fresh=True)
    setup = Setup(64, 32, ((0, 0, 64, 32),))
    records = some_records(bench.rng, 64, 32, 100)
    counters = await bench.frame(setup, records)
    share = (counters["RASTER_CYCLES"] - counters["RASTER_STALL_CYCLES"]) / counters["FRAME_CYCLES"]
    cocotb.log.info("rasterising in %.0f %% of the cycles", 100 * share)
    await bench.loop.step(2)  # the last answer must be gone before others look
    size = 1 << 18
    others = StandardAgents(dut, size, fill=0xA5)
    for base in (BAND_BASE, TRI_BASE):
        others.memory[0].write(base % size, bench.memory[0].read(base, 8192))
    cycle, start = get_sim_time("ns") // PERIOD_NS, time.process_time()
    await others.run(REG["CTRL"], FRAME_LIMIT)
    seconds = time.process_time() - start
    cycles = get_sim_time("ns") // PERIOD_NS - cycle
    cocotb.log.info("frame of cocotbext-axi: %d cycles simulated in %.4f s", cycles, seconds)
    assert await others.read(REG["STATUS"]) & 0xFF == 0
    wanted = output_bytes(setup, records, OUT_BASE)
    written = others.memory[1].read(0, size)
    outside = set(range(size)) - {address % size for address in wanted}
    assert all(written[address] == 0xA5 for address in outside)
    for address, value in wanted.items():
        assert written[address % size] == value, f"byte {address - OUT_BASE} of the output"
    Bench.sound = False  # the agents of others go on driving the pins
