"""Renders on a card: the driver, the same for a real card and for the co-simulated one."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import numpy as np

from foveal.card import registers
from foveal.card.card import Card
from foveal.card.counters import kernel_stages, read_counters
from foveal.card.engine import INSTANCE_OFFSET, FrameCall, GeometryBuffers, GeometryEngine
from foveal.card.identity import Identity, identify
from foveal.card.memory import DeviceMemory
from foveal.card.pixels import from_packed, from_strided
from foveal.card.program import Program, region_words
from foveal.card.status import dma_state, failure
from foveal.device import DeviceInfo
from foveal.drawlist import DrawList, MeshSet
from foveal.errors import DeviceBroken, DeviceError, SceneError
from foveal.frame import Frame, StageTime
from foveal.geometry import (
    BAD_FRAME,
    BAD_INPUT,
    INSTANCE,
    RECORD_BYTES,
    RECORD_OVERFLOW,
    STAGING_OVERFLOW,
    STATISTICS,
    PackedMeshes,
    pack_instances,
    pack_meshes,
)
from foveal.region import RegionSet

__all__ = ["FovealDriver"]

_log = logging.getLogger(__name__)

TIMEOUT_LATENCIES = 100
"""Latencies without any progress after which memory is dead: refresh, page misses and neighbours cost a few."""

LEAST_TIMEOUT = 4096
"""Cycles; the shading kernel is timed by the same register, and may be slower than memory."""

MAX_SIDE = 4096
"""Largest width and height of a frame, pixels."""


class FovealDriver:
    """A foveal.device.Device over a Card. After a failure it is broken and refuses work until reset() succeeds."""

    def __init__(
        self,
        card: Card,
        geometry: GeometryEngine,
        info: DeviceInfo,
        *,
        deadline_s: float = 0.1,
        strided: bool = False,
        timeout_cycles: int | None = None,
        capacity: int = 65536,
    ) -> None:
        """deadline_s: longest frame, in the device's own time. strided: the output layout (else packed).

        timeout_cycles: the kernel gives a memory port up after so many cycles without progress; by default
        TIMEOUT_LATENCIES latencies of the card's memory, at least LEAST_TIMEOUT.
        capacity: triangles and records to make room for at first. Raises DeviceError when the card is not ours.
        """
        self._card = card
        self._geometry = geometry
        self._info = info
        self._deadline_s = deadline_s
        self._strided = strided
        derived = max(LEAST_TIMEOUT, TIMEOUT_LATENCIES * card.memory_latency_cycles)
        self._timeout_cycles = derived if timeout_cycles is None else timeout_cycles
        self._capacity = capacity
        self._meshes: MeshSet | None = None
        self._packed: PackedMeshes | None = None
        self._pages = np.zeros((0, 32, 32, 4), np.uint8)
        self._memory: DeviceMemory | None = None
        self._broken: str | None = None
        self._identity, self._program = self._bring_up()

    @property
    def info(self) -> DeviceInfo:
        return self._info

    @property
    def broken(self) -> str | None:
        """Why the device refuses work, or None."""
        return self._broken

    @property
    def identity(self) -> Identity:
        return self._identity

    @property
    def clock_hz(self) -> float:
        """Clock that the kernel's cycles are counted at."""
        return self._card.clock_hz

    def load(self, meshes: MeshSet) -> None:
        """Upload `meshes` in place of those loaded before.

        Raises SceneError when a mesh is larger than the geometry kernel takes, DeviceError otherwise.
        """
        self._check_ready()
        try:
            packed = pack_meshes(meshes)
        except ValueError as error:
            raise SceneError(str(error)) from error
        with self._breaks():
            if self._memory is not None:
                self._memory.free()
                self._memory = None
            self._meshes, self._packed = meshes, packed
            self._upload(meshes, packed)

    def load_textures(self, pages: np.ndarray) -> None:
        """Upload texture pages, (n, 32, 32, 4) uint8 R, G, B, A, in place of those before; n = 0 takes them away.

        The kernel fetches them while the ego is in the zone (hw/SPEC.md, section 7). Raises SceneError for another
        shape, or more pages than the kernel holds; load() must have come before.
        """
        self._check_ready()
        room = self._identity.texture_pages
        if pages.dtype != np.uint8 or pages.shape[1:] != (32, 32, 4):
            raise SceneError(f"texture pages are {pages.dtype} {pages.shape}, expected uint8 (n, 32, 32, 4)")
        if len(pages) > room:
            raise SceneError(f"{len(pages)} texture pages; this kernel holds {room}")
        if self._memory is None:
            raise SceneError("no meshes are loaded; call load(meshes) before load_textures()")
        with self._breaks():
            self._pages = pages.copy()
            self._upload_textures(self._memory)

    def render(self, draw: DrawList, regions: RegionSet, depth: bool = False) -> Frame:
        """Draw `draw` inside `regions`.

        depth: the frame's pixels are the bytes of the kernel's 32-bit depth words (depth | material << 24) instead.
        Raises SceneError when the draw list does not fit the device (which stays ready), DeviceError otherwise.
        """
        self._check_ready()
        if self._memory is None or self._meshes is None:
            raise SceneError("no meshes are loaded; call load(meshes) before render()")
        _check_fits(draw, regions, self._meshes)
        self._card.take_time()  # what happened between the frames belongs to none
        with self._breaks():
            return self._render(self._memory, draw, regions, depth)

    def reset(self) -> None:
        """Reset the card, check it, and upload the meshes again. Raises DeviceError; then the device stays broken."""
        self._broken = "a reset has not succeeded"
        self._memory = None
        self._card.reset()
        self._identity, self._program = self._bring_up()
        if self._meshes is not None and self._packed is not None:
            self._upload(self._meshes, self._packed)
        self._broken = None

    def close(self) -> None:
        """Give the card back; the driver cannot be used again."""
        self._broken = "it was closed"
        self._memory = None
        self._card.close()

    def _check_ready(self) -> None:
        if self._broken is not None:
            raise DeviceBroken(f"{self._info.name} is broken: {self._broken}; call reset() before the next frame")

    @contextmanager
    def _breaks(self) -> Iterator[None]:
        """Whatever ends this block early leaves the device in an unknown state."""
        try:
            yield
        except SceneError:
            raise
        except BaseException as error:
            self._broken = str(error) or type(error).__name__
            _log.error("%s is broken: %s", self._info.name, self._broken)
            raise

    def _bring_up(self) -> tuple[Identity, Program]:
        identity = identify(self._card)
        program = Program(self._card)
        program.set(registers.GIE, registers.GIE_ENABLE_MASK)
        program.set(registers.IER, registers.IER_AP_DONE_MASK)
        program.set(registers.TIMEOUT, self._timeout_cycles)
        return identity, program

    def _upload(self, meshes: MeshSet, packed: PackedMeshes) -> None:
        self._memory = DeviceMemory(self._card, packed, meshes.material, self._capacity)
        self._program.set_address(registers.MAT_BASE_LO, self._memory.material.address)
        # A new table may lie at the old one's address; the kernel must not take it for the one it holds.
        self._card.write(registers.MAT_INVALIDATE, 1)
        if len(self._pages):
            self._upload_textures(self._memory)

    def _upload_textures(self, memory: DeviceMemory) -> None:
        self._program.set(registers.TEX_PAGES, len(self._pages))
        if len(self._pages):
            buffer = memory.ensure("texture", self._pages.nbytes)
            buffer.write(self._pages)
            self._program.set_address(registers.TEX_BASE_LO, buffer.address)
            # New pages may lie at the old ones' address, after a reset or a new mesh set.
            self._card.write(registers.TEX_INVALIDATE, 1)

    def _render(self, memory: DeviceMemory, draw: DrawList, regions: RegionSet, depth: bool) -> Frame:
        stages: list[StageTime] = []
        call, buffers = self._upload_frame(memory, draw, regions)
        stages.append(self._stage("upload"))
        buffers, statistics = self._run_geometry(memory, call, buffers, stages)
        counters = self._run_kernel(memory, draw, regions, depth, buffers, stages)
        pixels = self._read_pixels(memory, regions, counters["out_bytes"])
        stages.append(self._stage("read_back"))
        counters |= {f"geometry_{name}": value for name, value in statistics.items()}
        return Frame(draw.frame, pixels, regions, tuple(stages), counters)

    def _stage(self, name: str) -> StageTime:
        time_ns, provenance = self._card.take_time()
        return StageTime(name, time_ns, provenance)

    def _upload_frame(
        self, memory: DeviceMemory, draw: DrawList, regions: RegionSet
    ) -> tuple[FrameCall, GeometryBuffers]:
        """Regions and instances in one transfer."""
        buffers = memory.geometry_buffers(len(draw.mesh))
        image = np.zeros(INSTANCE_OFFSET + INSTANCE.itemsize * len(draw.mesh), np.uint8)
        image[:INSTANCE_OFFSET] = np.array(region_words(regions), "<u4").reshape(-1).view(np.uint8)
        image[INSTANCE_OFFSET:] = pack_instances(draw).view(np.uint8)
        buffers.frame.write(image)
        packed = memory.packed
        call = FrameCall(
            width=draw.width,
            height=draw.height,
            ambient=draw.ambient,
            diffuse=draw.diffuse,
            vertices=len(packed.position),
            triangles=len(packed.triangle),
            meshes=len(packed.mesh),
            instances=len(draw.mesh),
            regions=len(regions),
            staging_capacity=memory.staging_capacity,
            record_capacity=memory.record_capacity,
        )
        return call, buffers

    def _run_geometry(
        self, memory: DeviceMemory, call: FrameCall, buffers: GeometryBuffers, stages: list[StageTime]
    ) -> tuple[GeometryBuffers, dict[str, int]]:
        """Run until the records fit; a larger scene costs one repetition in its first frame."""
        time_ns = 0.0
        while True:
            run = self._geometry(buffers, call)
            row = buffers.statistics.read(STATISTICS.itemsize).view(STATISTICS)[0]
            statistics = {name: int(row[name]) for name in STATISTICS.names or ()}
            time_ns += run.time_ns + self._card.take_time()[0]
            flags = statistics["flags"]
            if flags & (BAD_INPUT | BAD_FRAME):
                raise DeviceError(f"the geometry kernel refused its input (flags {flags:#x}): device memory is corrupt")
            if not flags:
                stages.append(StageTime("geometry", time_ns, run.provenance))
                return buffers, statistics
            if flags & STAGING_OVERFLOW:
                memory.ensure("staging", RECORD_BYTES * statistics["triangles_out"] * 5 // 4)
            if flags & RECORD_OVERFLOW:
                memory.ensure("record", RECORD_BYTES * statistics["records_needed"] * 5 // 4)
            buffers = memory.geometry_buffers(call.instances)
            call = replace(call, staging_capacity=memory.staging_capacity, record_capacity=memory.record_capacity)

    def _run_kernel(
        self,
        memory: DeviceMemory,
        draw: DrawList,
        regions: RegionSet,
        depth: bool,
        buffers: GeometryBuffers,
        stages: list[StageTime],
    ) -> dict[str, int]:
        """Program, start, wait, check. Reading the counters is instrumentation and costs the frame nothing."""
        program, card = self._program, self._card
        program.set_draw(draw)
        program.set_address(registers.TRI_BASE_LO, buffers.record.address)
        program.set_address(registers.BAND_BASE_LO, buffers.band.address)
        output = memory.ensure("output", self._stride(draw.width) * draw.height)
        program.set_address(registers.OUT_BASE_LO, output.address)
        program.set(registers.STRIDE, self._stride(draw.width))
        flags = registers.FLAGS_STRIDED_MASK if self._strided else 0
        program.set(registers.FLAGS, flags | (registers.FLAGS_DEPTH_OUT_MASK if depth else 0))
        program.set_regions(regions)
        card.write(registers.CTRL, registers.CTRL_AP_START_MASK)
        card.wait_done(self._deadline_s)
        control = card.read(registers.CTRL)
        if not control & registers.CTRL_AP_DONE_MASK:
            raise DeviceError(f"the kernel's interrupt came, yet CTRL reads 0x{control:X} without ap_done")
        card.write(registers.ISR, registers.ISR_AP_DONE_MASK)
        status = card.read(registers.STATUS)
        stages.append(self._stage("launch"))
        reason = failure(status)
        if reason is not None:
            raise DeviceError(f"frame {draw.frame}: {reason}")
        counters = read_counters(card) | {"dma_state": dma_state(status)}
        card.take_time()
        stages.extend(kernel_stages(counters, card.clock_hz, card.provenance))
        return counters

    def _stride(self, width: int) -> int:
        """Bytes of a row in the strided layout: whole beats of the output bus."""
        beat = 4 * self._identity.ppc
        return -(-4 * width // beat) * beat

    def _read_pixels(self, memory: DeviceMemory, regions: RegionSet, out_bytes: int) -> np.ndarray:
        kept = int(np.count_nonzero(regions.mask()))
        if out_bytes != 4 * kept:
            raise DeviceError(f"the kernel wrote {out_bytes} bytes of pixels; the regions hold {4 * kept}")
        if not kept:
            return np.zeros((regions.height, regions.width, 4), np.uint8)
        stride = self._stride(regions.width)
        size = stride * regions.height if self._strided else out_bytes
        words = memory.ensure("output", size).read(size).view("<u4")
        if self._strided:
            return from_strided(words.reshape(regions.height, stride // 4), regions)
        return from_packed(words, regions)


def _check_fits(draw: DrawList, regions: RegionSet, meshes: MeshSet) -> None:
    if not (1 <= draw.width <= MAX_SIDE and 1 <= draw.height <= MAX_SIDE):
        raise SceneError(f"frame {draw.frame} is {draw.width}x{draw.height}; the kernel draws 1..{MAX_SIDE} a side")
    if (regions.width, regions.height) != (draw.width, draw.height):
        raise SceneError(
            f"frame {draw.frame} is {draw.width}x{draw.height}, its regions are for {regions.width}x{regions.height}"
        )
    known = len(meshes.vertex_range)
    if len(draw.mesh) and int(draw.mesh.max()) >= known:
        raise SceneError(f"frame {draw.frame} names mesh {int(draw.mesh.max())}; {known} are loaded")
    light = (draw.ambient, draw.diffuse)
    if not np.isfinite(light).all():
        raise SceneError(f"frame {draw.frame}: ambient and diffuse light are {light}, not finite")
