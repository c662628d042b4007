"""foveal_kernel in many parameter sets: a small frame in the zone and one outside, byte by byte, and some samples."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import cocotb
import numpy as np
from foveal_tb.stream import StreamSink, StreamSource
from kernel_bench import INSIDE, MAT_BASE, OUTSIDE, PARAMETERS, PPC, Bench, some_records, strided
from picture import Setup

SLOTS = PARAMETERS["TEX_SLOTS"]
TEX_BASE = 0x5_0000_7000
MISS = 1 << 32 | 0xFFFF00FF


@cocotb.test
async def frames_and_samples_are_right(dut: Any) -> None:
    """Two bands, tinted and packed, then lit and strided; with a store, a page of the zone shows in its samples."""
    bench = Bench(dut, "parameters")
    source = bench.loop.add(StreamSource(dut, "s_axis_tex", ["tdata"]))
    sink = bench.loop.add(StreamSink(dut, "m_axis_tex", ["tdata"]))
    await bench.power_up(fresh=True)
    assert len(dut.m_axi_gmem1_wdata) == 32 * PPC
    config = await bench.read("CONFIG")
    assert (config & 0xFF, config >> 24) == (PPC, SLOTS)
    page = bench.rng.randbytes(4096)
    bench.memory[2].load(TEX_BASE, page)
    bench.memory[2].load(MAT_BASE, bytes([64, 128, 200, 0]) * 256)
    await bench.write64("TEX_BASE", TEX_BASE)
    await bench.write("TEX_PAGES", int(SLOTS > 0))
    await bench.ego(INSIDE)
    width, height = 2 * PPC + 3 if PPC < 16 else 19, 35
    setup = Setup(width, height, ((1, 0, width, 3), (0, 30, PPC + 1, 34), (2, 31, 3, 32)))
    records = some_records(bench.rng, width, height, 8)
    await bench.frame(replace(setup, tint=np.full((256, 3), (64, 128, 200))), records)
    limit = PARAMETERS["OUTSTANDING"]
    assert all(port.max_in_flight <= limit for port in (bench.gmem0, bench.gmem1))
    if SLOTS:
        source.send([(5 * 256 + 128 | (9 * 256 + 128) << 24 | number << 48,) for number in range(2)])
        await bench.loop.until(lambda: len(sink.beats) == 2, 30, "samples")
        assert sink.beats == [(int.from_bytes(page[4 * (9 * 32 + 5) :][:4], "little"),), (MISS,)]
    await bench.ego(OUTSIDE)
    await bench.frame(strided(setup), records)
    await bench.settle()
