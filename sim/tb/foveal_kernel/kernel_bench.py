"""The kernel with its memories, its shader and its host, for benches with foveal_kernel on top."""

from __future__ import annotations

import json
import os
import random
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import cocotb
from banks import put_cleared
from control import Control
from foveal_tb.axi_memory import AxiReadSlave, AxiWriteSlave, Memory
from foveal_tb.clocked import Clocked, bench_rng, bit
from foveal_tb.idle import Idle
from foveal_tb.pauses import pauses
from foveal_tb.records import build_record, random_corners
from foveal_tb.shader import Shader
from picture import Setup, band_lists, output_bytes

__all__ = [
    "BAND_BASE",
    "BUS",
    "COUNTERS",
    "FRAME_LIMIT",
    "INSIDE",
    "MAT_BASE",
    "OUTSIDE",
    "OUT_BASE",
    "PARAMETERS",
    "PPC",
    "REG",
    "SHADE_PORT",
    "TABLE_BEATS",
    "TRI_BASE",
    "UNDRAINED",
    "Bench",
    "ScanStalls",
    "some_records",
    "strided",
]

PARAMETERS = json.loads(os.environ["FOVEAL_PARAMETERS"])
PPC = PARAMETERS["PPC"]
SHADE_PORT = PARAMETERS.get("SHADE_PORT", 0)
BUS = 4 * PPC
WIDEST = 64  # pixels of a frame's line
TRI_BASE, BAND_BASE, MAT_BASE, OUT_BASE = 0x1_0000_1000, 0x2_0000_0040, 0x3_0000_0D45, 0x4_0001_F000
TABLE_BEATS = (MAT_BASE % 64 + 1024 + 63) // 64
INSIDE, OUTSIDE = (50, -50), (5000, 0)  # ego positions; the zone is [0, 100) x [-100, 0)
UNDRAINED = 1 << 10  # STATUS, of gmem0
FRAME_LIMIT = 20_000  # cycles; the largest frame here takes about 3,000

REG = {
    **{"CTRL": 0x000, "TRI_BASE": 0x010, "BAND_BASE": 0x01C, "OUT_BASE": 0x028, "MAT_BASE": 0x034, "WIDTH": 0x040},
    **{"HEIGHT": 0x048, "STRIDE": 0x050, "BACKGROUND": 0x058, "FLAGS": 0x060, "TIMEOUT": 0x068, "ZONE_X0": 0x070},
    **{"ZONE_Y0": 0x078, "ZONE_X1": 0x080, "ZONE_Y1": 0x088, "ZONE_MARGIN": 0x090, "EGO_X": 0x098, "EGO_Y": 0x0A0},
    **{"TEX_BASE": 0x0A8, "TEX_PAGES": 0x0B4, "TEX_LOADED": 0x2D0, "TEX_SKIPPED": 0x2D4, "TEX_MISSED": 0x2D8},
    **{
        "ROI": 0x100,
        "ROI_COMMIT": 0x180,
        "CTRL_RESET": 0x184,
        "MAT_INVALIDATE": 0x188,
        "CONFIG": 0x208,
        "STATUS": 0x20C,
    },
}
COUNTERS = (
    *("FRAME_CYCLES", "FETCH_WAIT_CYCLES", "RASTER_CYCLES", "RASTER_STALL_CYCLES"),
    *("SCAN_CYCLES", "SCAN_STALL_CYCLES", "DRAIN_CYCLES", "DMA_WAIT_CYCLES"),
    *("TRI_FETCHED", "TRI_CULLED", "TILES_WALKED", "TILES_OUTSIDE"),
    *("TILES_EMPTY", "TILES_HIDDEN", "BLOCKS_COVERED", "BANDS_SKIPPED", "PIXELS_KEPT"),
    *("OUT_BYTES", "RD_BURSTS", "RD_BYTES", "WR_BURSTS", "WR_BYTES"),
    *("SCAN_ALONE_CYCLES", "DMA_ALONE_CYCLES", "SCAN_IDLE_CYCLES"),
    *("FETCH_BEATS", "FETCH_STALL_CYCLES", "FETCH_LATENCY_CYCLES", "FETCH_IDLE_CYCLES"),
    *("WRITE_BEATS", "WRITE_STALL_CYCLES", "WRITE_LATENCY_CYCLES", "WRITE_IDLE_CYCLES"),
    *("DMA_LOADS", "DMA_SKIPPED", "DMA_BYTES", "ROI_SETS"),
    *("ROI_INJECT_CYCLES", "ROI_WAIT_CYCLES", "ROI_INJECT_MAX", "ROI_INJECT_MIN", "ROI_INJECT_SUM"),
    *("ROI_INJECT_COUNT", "ROI_INJECT_TO_8", "ROI_INJECT_TO_16", "ROI_INJECT_TO_24", "ROI_INJECT_OVER_24"),
    *("FRAMES",),
)
REG |= {name: 0x210 + 4 * n for n, name in enumerate(COUNTERS)}
# The four ways in which a frame's cycles add up (SPEC.md, section 10); the first counts the raster without its stall.
SERIAL = ("FETCH_WAIT_CYCLES", "RASTER_CYCLES", "SCAN_ALONE_CYCLES", "DMA_ALONE_CYCLES", "DRAIN_CYCLES")
SUMS = (
    SERIAL,
    ("SCAN_CYCLES", "DMA_WAIT_CYCLES", "SCAN_IDLE_CYCLES"),
    ("FETCH_BEATS", "FETCH_STALL_CYCLES", "FETCH_LATENCY_CYCLES", "FETCH_IDLE_CYCLES"),
    ("WRITE_BEATS", "WRITE_STALL_CYCLES", "WRITE_LATENCY_CYCLES", "WRITE_IDLE_CYCLES"),
)
CHECKED = (
    *("FRAME_CYCLES", "RASTER_STALL_CYCLES", *(name for parts in SUMS for name in parts), "TRI_FETCHED", "TRI_CULLED"),
    *("BANDS_SKIPPED", "PIXELS_KEPT", "OUT_BYTES", "WR_BYTES", "RD_BURSTS", "WR_BURSTS"),
)
TRIANGLES = ("any", "small", "pixel", "sliver", "horizontal", "vertical", "cover", "outside")


def some_records(rng: random.Random, width: int, height: int, count: int = 25) -> list[bytes]:
    """Records of random triangles, in draw order."""
    records = []
    for number in range(count):
        corners = random_corners(rng, rng.choice(TRIANGLES), (0, 0, width, height))
        record = build_record(corners, width, height, rng.getrandbits(32), number)
        if record is not None:
            records.append(record.pack().to_bytes(64, "little"))
    return records


def strided(setup: Setup, extra_beats: int = 1) -> Setup:
    """The same frame with lines at a fixed distance."""
    return replace(setup, strided=True, stride=BUS * (-(-setup.width // PPC) + extra_beats))


class ScanStalls:
    """An agent that counts the cycles of a scan in which its beat is not taken."""

    def __init__(self, dut: Any) -> None:
        self.pins = (dut.u_ctl.now_scan, dut.u_scan.m_axis_tvalid)
        self.ready = dut.u_scan.m_axis_tready
        self.count = 0

    def reset(self) -> None:
        self.count = 0

    def drive(self) -> None:
        """It only listens."""

    def sample(self) -> None:
        self.count += all(bit(pin) for pin in self.pins) and not bit(self.ready)


class Bench:
    """The kernel, its memories and its host."""

    sound = False  # the kernel is idle after a test that passed

    def __init__(self, dut: Any, name: str, kind: str = "always") -> None:
        self.dut = dut
        self.rng = bench_rng(name)
        rng = self.rng
        self.loop = Clocked(dut, "ap_clk", "ap_rst_n")
        self.memory = [Memory(fill=0xA5) for _ in range(3)]
        latency = (lambda: rng.randint(1, 40)) if kind != "always" else 20
        common: dict[str, Any] = {"latency": latency}
        self.gmem0 = AxiReadSlave(
            dut, "m_axi_gmem0", self.memory[0], accept=pauses(kind, rng), active=pauses(kind, rng), **common
        )
        self.gmem1 = AxiWriteSlave(
            dut, "m_axi_gmem1", self.memory[1], accept=pauses(kind, rng), active=pauses(kind, rng), **common
        )
        self.gmem2 = AxiReadSlave(
            dut, "m_axi_gmem2", self.memory[2], accept=pauses(kind, rng), active=pauses(kind, rng), **common
        )
        # With SHADE_PORT the whole bench runs through a shader outside; without, the stream must rest.
        self.shader = Shader(
            dut, PPC, latency=lambda: rng.randint(1, 12), accept=pauses(kind, rng), active=pauses(kind, rng)
        )
        self.ports = (self.gmem0, self.gmem1, self.gmem2, self.shader)
        self.control = Control(dut, self.loop)
        self.base = {"TRI_BASE": TRI_BASE, "BAND_BASE": BAND_BASE, "OUT_BASE": OUT_BASE, "MAT_BASE": MAT_BASE}
        self.written: dict[int, int] = {}  # registers as this bench left them
        for agent in (*self.ports, self.control):
            self.loop.add(agent)
        for port, ready, valid, payload in (
            ("m_axi_gmem0", ("awready", "wready"), "bvalid", ("bid", "bresp")),
            ("m_axi_gmem2", ("awready", "wready"), "bvalid", ("bid", "bresp")),
            ("m_axi_gmem1", ("arready",), "rvalid", ("rid", "rdata", "rresp", "rlast")),
        ):
            for pin in (*ready, valid):
                getattr(dut, f"{port}_{pin}").value = 0
            Idle([getattr(dut, f"{port}_{pin}") for pin in payload]).rest()
        dut.s_axis_tex_tvalid.value = dut.m_axis_tex_tready.value = 0
        Idle([dut.s_axis_tex_tdata]).rest()

    async def power_up(self, fresh: bool = False, wait: bool = True) -> None:
        """Reset, and let the banks be clear unless told not to `wait`.

        A kernel that the test before left idle and sound is taken as it is, unless the test needs it `fresh`.
        """
        if fresh or not Bench.sound:
            await self.loop.reset()
            await self.loop.step()
            if wait:
                await self.pass_init()
        Bench.sound = False  # until `settle`
        await self.defaults()

    async def defaults(self) -> None:
        """What all tests configure alike; the ego is outside."""
        await self.write("TIMEOUT", 3000)
        for name, value in (("ZONE_X0", 0), ("ZONE_Y0", -100), ("ZONE_X1", 100), ("ZONE_Y1", 0), ("ZONE_MARGIN", 10)):
            await self.write(name, value)
        await self.ego(OUTSIDE)

    async def pass_init(self) -> None:
        """Let the banks be clear."""
        await self.loop.step(12)
        put_cleared(self.dut, PPC, WIDEST)
        await self.loop.step(2)

    async def drain(self) -> None:
        """After CTRL_RESET, wait until the memories have answered what they were asked before."""
        await self.loop.step(2)
        pins = (self.dut.fetch_undrained, self.dut.write_undrained, self.dut.mat_undrained)
        await self.loop.until(lambda: not any(bit(pin) for pin in pins), 5000, "answers of before the reset")
        await self.loop.step(2)
        assert self.gmem0.in_flight == self.gmem1.in_flight == self.gmem2.in_flight == 0

    async def settle(self) -> None:
        """The end of a test that leaves the kernel idle."""
        assert SHADE_PORT or self.shader.records == []
        await self.loop.step(4)
        assert not bit(self.dut.u_ctl.now_running)
        await self.read("CTRL")  # which forgets an ap_done that nobody looked at
        await self.loop.step(2)
        Bench.sound = True

    async def access(self, address: int, value: int | None) -> int:
        access = self.control.submit(address, value)
        await self.loop.until(lambda: access[2] is not None, 60, f"register access at {address:#x}")
        response, data = access[2]
        assert response == 0, f"register {address:#x} answers {response}"
        return data

    async def write(self, name: str, value: int, offset: int = 0) -> None:
        """Write a register; configuration that already has the value is left alone, which saves cycles."""
        address = REG[name] + offset
        acts = name in ("CTRL", "ROI_COMMIT", "CTRL_RESET", "MAT_INVALIDATE")
        if acts or self.written.get(address) != value & 0xFFFFFFFF:
            self.written[address] = value & 0xFFFFFFFF
            await self.access(address, value)

    async def write64(self, name: str, value: int) -> None:
        await self.write(name, value)
        await self.write(name, value >> 32, 4)

    async def read(self, name: str) -> int:
        return await self.access(REG[name], None)

    async def counters(self, *names: str) -> dict[str, int]:
        return {name: await self.read(name) for name in names}

    async def ego(self, position: tuple[int, int]) -> None:
        await self.write("EGO_X", position[0])
        await self.write("EGO_Y", position[1])

    async def shadow(self, regions: Sequence[tuple[int, int, int, int]]) -> None:
        """Write a region set without committing it."""
        for n in range(16):
            x0, y0, x1, y1 = regions[n] if n < len(regions) else (0, 0, 0, 0)
            await self.write("ROI", x0 | y0 << 16, 8 * n)
            await self.write("ROI", x1 | y1 << 16, 8 * n + 4)

    async def commit(self, regions: Sequence[tuple[int, int, int, int]]) -> int:
        """Write and commit a region set; the cycle of the COMMIT write."""
        await self.shadow(regions)
        await self.write("ROI_COMMIT", 1)
        return self.control.write_cycle

    def load(self, setup: Setup, records: list[bytes]) -> int:
        """Place records and band table; the number of records placed."""
        lists = band_lists(setup, records)
        table, flat = b"", b""
        for band in lists:
            table += (len(flat) // 64).to_bytes(4, "little") + len(band).to_bytes(4, "little")
            flat += b"".join(band)
        self.memory[0].load(self.base["BAND_BASE"], table + bytes(-len(table) % 64))
        self.memory[0].load(self.base["TRI_BASE"], flat)
        return len(flat) // 64

    async def configure(self, setup: Setup) -> None:
        for name, address in self.base.items():
            await self.write64(name, address)
        for name, value in (("WIDTH", setup.width), ("HEIGHT", setup.height), ("STRIDE", setup.stride)):
            await self.write(name, value)
        await self.write("BACKGROUND", setup.background)
        await self.write("FLAGS", setup.strided | setup.depth_out << 1 | setup.immediate << 2)

    async def run(self) -> None:
        """Start the configured frame and wait for ap_done; the log says how fast the simulation went."""
        cycle, start = self.loop.cycle, time.process_time()
        await self.write("CTRL", 1)
        for _ in range(FRAME_LIMIT // 20):
            if await self.read("CTRL") & 2:
                seconds = time.process_time() - start
                cocotb.log.info("frame: %d cycles simulated in %.4f s", self.loop.cycle - cycle, seconds)
                return
            await self.loop.step(16)
        raise AssertionError(f"no ap_done within {FRAME_LIMIT} cycles")

    async def frame(self, setup: Setup, records: list[bytes], *also: str, status: int = 0) -> dict[str, int]:
        """A whole frame: configure, commit, run, compare memory; the counters that are checked here, and `also`."""
        placed = self.load(setup, records)
        await self.configure(setup)
        await self.commit(setup.regions)
        self.memory[1].written.clear()
        await self.run()
        found = await self.read("STATUS")
        assert found & 0xFF == status, f"STATUS {found:#x}"
        wanted = output_bytes(setup, records, self.base["OUT_BASE"])
        assert self.memory[1].written == set(wanted), "other bytes were written than expected"
        for addr, value in wanted.items():
            assert self.memory[1].read_beat(addr, 1) == value, f"byte {addr:#x} of the output"
        counters = await self.counters(*CHECKED, *also)
        assert counters["PIXELS_KEPT"] * 4 == counters["OUT_BYTES"] == counters["WR_BYTES"] == len(wanted)
        assert counters["TRI_FETCHED"] == placed
        assert counters["TRI_CULLED"] <= placed
        for parts in SUMS:
            assert (
                sum(counters[name] for name in parts) - (parts is SERIAL) * counters["RASTER_STALL_CYCLES"]
                == (counters["FRAME_CYCLES"])
            ), parts
        bands = -(-setup.height // 32)
        active = sum(
            any(x0 < x1 and max(y0, first) < min(y1, first + 32, setup.height) for x0, y0, x1, y1 in setup.regions)
            for first in range(0, setup.height, 32)
        )
        assert counters["BANDS_SKIPPED"] == (0 if setup.immediate else bands - active)
        return counters
