"""A frame on a card, step by step: what FovealDriver calls for one frame, or in turn for those in flight."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

import numpy as np

from foveal.card import registers
from foveal.card.card import Card
from foveal.card.counters import kernel_stages, read_counters
from foveal.card.engine import INSTANCE_OFFSET, FrameCall, GeometryBuffers, GeometryEngine
from foveal.card.memory import RECORDS_PER_PAGE, DeviceMemory
from foveal.card.passes import DEPTH_WORDS, Pass, frame_arrays, passes_of
from foveal.card.pixels import check_written, from_packed, from_strided, kept_pixels
from foveal.card.program import Program, region_words
from foveal.card.status import dma_state, failure, why_no_end
from foveal.channel import Channel
from foveal.drawlist import DrawList
from foveal.errors import DeviceBroken, DeviceError, DeviceTimeout
from foveal.frame import Frame, StageTime
from foveal.geometry import (
    BAD_FRAME,
    BAD_INPUT,
    INSTANCE,
    RECORD_BYTES,
    RECORD_OVERFLOW,
    STAGING_OVERFLOW,
    STATISTICS,
    pack_instances,
)
from foveal.provenance import Provenance
from foveal.region import RegionSet
from foveal.tag import Tag
from foveal.timeline import QUEUED, Interval, exclusive_ns

__all__ = ["Job", "Pipeline"]

RASTER = "kernel"
"""Stage of the raster kernel's run as a whole."""


@dataclass(slots=True)
class Job:
    """A frame in flight. slot: which of the buffers that frames do not share are its own.

    channels: what the frame holds; None for the kernel's depth words in place of pixels. turn: index of the raster
    pass that is under way. buffers: those of its geometry, once that is started. geometry_ns, raster_ns: when its
    kernels were started. parts: each pass of the raster kernel in stages, once they are known, by its own stage.
    """

    draw: DrawList
    regions: RegionSet
    channels: Channel | None
    slot: int
    passes: tuple[Pass, ...] = field(init=False)
    turn: int = 0
    buffers: GeometryBuffers = field(init=False)
    timeline: list[Interval] = field(default_factory=list)
    geometry_ns: float = 0.0
    raster_ns: float = 0.0
    parts: dict[str, list[StageTime]] = field(default_factory=dict)
    counters: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.passes = (DEPTH_WORDS,) if self.channels is None else passes_of(self.channels)

    @property
    def labels(self) -> bool:
        """Whether a pass draws labels."""
        return any(part.labelled for part in self.passes)

    @property
    def last(self) -> bool:
        """Whether the pass under way is the last one."""
        return self.turn == len(self.passes) - 1

    def named(self, name: str, turn: int | None = None) -> str:
        """A stage or counter of a pass, by default the one under way; those of the first have plain names."""
        turn = self.turn if turn is None else turn
        return f"{self.passes[turn].name}_{name}" if turn else name


class Pipeline:
    """The steps, on one card with one mesh set. Each adds what it took to its frame's timeline.

    A step that fails raises DeviceError with the frame's id in it; then no frame in flight can be trusted.
    """

    def __init__(
        self,
        card: Card,
        geometry: GeometryEngine,
        program: Program,
        memory: DeviceMemory,
        *,
        beat_bytes: int,
        strided: bool,
        deadline_s: float,
    ) -> None:
        """beat_bytes: width of the output bus. deadline_s: longest run of a kernel, in the device's own time."""
        self._card = card
        self._geometry = geometry
        self._program = program
        self._memory = memory
        self._beat = beat_bytes
        self._strided = strided
        self._deadline_s = deadline_s
        self._now_ns = 0.0
        card.take_time()  # what happened before the first frame belongs to none

    def upload(self, draw: DrawList, regions: RegionSet, channels: Channel | None, slot: int) -> Job:
        """Regions and instances in one transfer. The slot's geometry must have ended."""
        size = INSTANCE_OFFSET + INSTANCE.itemsize * len(draw.mesh)
        image = self._memory.scratch(size)
        image[:INSTANCE_OFFSET] = np.array(region_words(regions), "<u4").reshape(-1).view(np.uint8)
        pack_instances(draw, image[INSTANCE_OFFSET:].view(INSTANCE))
        with _of(draw):
            self._memory.ensure("frame", size, slot).write(image)
        job = Job(draw, regions, channels, slot)
        self._host(job, "upload", "to_card")
        return job

    def start_geometry(self, job: Job) -> None:
        """Launch the geometry kernel, which must be idle; the slot's records must not be in use."""
        with _of(job.draw):
            # Only now: the frame before may have made room.
            job.buffers = self._memory.geometry_buffers(job.slot)
            self._geometry.start(job.buffers, self._call(job))
        self._host(job, "geometry", "registers")
        job.geometry_ns = self._now_ns

    def finish_geometry(self, job: Job) -> None:
        """Wait until the records are there; a scene larger than those before costs one repetition."""
        while flags := self._end_geometry(job):
            with _of(job.draw):
                self._make_room(job, flags)
            self.start_geometry(job)

    def configure(self, job: Job) -> None:
        """Write the registers of the pass that is next. Another frame may be running; the slot's output must have
        been read."""
        program, width, part = self._program, job.draw.width, job.passes[job.turn]
        with self._counted(job), _of(job.draw):
            program.set_draw(job.draw, (Tag.SKY, 0, 0) if part.label else job.draw.background)
            # Depth words carry no tint: the table that is there stays.
            if not part.depth:
                program.set_address(registers.MAT_BASE_LO, self._memory.material(neutral=part.label).address)
            output = self._memory.output(self._stride(width) * job.draw.height, job.slot, job.turn)
            program.set_address(registers.OUT_BASE_LO, output.address)
            program.set(registers.STRIDE, self._stride(width))
            flags = registers.FLAGS_STRIDED_MASK if self._strided else 0
            program.set(registers.FLAGS, flags | (registers.FLAGS_DEPTH_OUT_MASK if part.depth else 0))
            self._set_records(job)
            program.set_regions(job.regions)
        self._host(job, "launch", "registers")

    def start(self, job: Job) -> None:
        """Start the raster kernel, which must be idle, its last frame's status read."""
        with self._counted(job), _of(job.draw):
            self._set_records(job)  # geometry may have moved them since
            self._program.act(registers.CTRL, registers.CTRL_AP_START_MASK)
        self._host(job, "launch", "registers")
        job.raster_ns = self._now_ns

    def finish(self, job: Job) -> None:
        """Wait for the raster kernel's end and check it."""
        card, program = self._card, self._program
        with self._counted(job), _of(job.draw):
            self._wait(job)
            control = program.read(registers.CTRL)
            if not control & registers.CTRL_AP_DONE_MASK:
                raise DeviceError(f"the kernel's interrupt came, yet CTRL reads 0x{control:X} without ap_done")
            program.act(registers.ISR, registers.ISR_AP_DONE_MASK)
            time_ns = self._check_status(job) if card.shows_registers else card.run_ns
        stage = job.named(RASTER)
        self._kernel(job, stage, "raster", job.raster_ns, time_ns, card.provenance)
        self._host(job, "launch", "registers")
        job.parts[stage] = [StageTime(stage, time_ns, card.provenance)]

    def count(self, job: Job, *, charged: bool) -> None:
        """Read all of the kernel's counters, where the card shows them, before its next start.

        It is instrumentation. charged: the host's time for it counts nevertheless, since another frame waits for it.
        """
        card = self._card
        if not card.shows_registers:
            return
        with _of(job.draw):
            counters = read_counters(card)
        job.counters |= {job.named(name): value for name, value in counters.items()}
        job.parts[job.named(RASTER)] = [
            replace(stage, name=job.named(stage.name))
            for stage in kernel_stages(counters, card.clock_hz, card.provenance)
        ]
        if charged:
            self._host(job, "instrument", "registers")
        else:
            card.take_time()

    def next_pass(self, job: Job) -> bool:
        """Turn to the pass behind the one that has ended; False where that was the last."""
        if job.last:
            return False
        job.turn += 1
        return True

    def read_back(self, job: Job) -> Frame:
        """What all passes have written, and the frame with what it cost."""
        with _of(job.draw):
            drawn = [(part, self._pixels(job, turn)) for turn, part in enumerate(job.passes)]
            arrays = frame_arrays(job.channels, drawn, job.regions) if job.channels else {"pixels": drawn[0][1]}
        self._host(job, "read_back", "to_host")
        spent = exclusive_ns(job.timeline)
        provenance = {piece.stage: piece.provenance for piece in job.timeline}
        stages: list[StageTime] = []
        for name, time_ns in spent.items():
            if name in job.parts:
                stages += job.parts[name]
            elif name != QUEUED or time_ns:
                stages.append(StageTime(name, time_ns, provenance.get(name, Provenance.MODELLED)))
        return Frame(
            job.draw.frame,
            regions=job.regions,
            stages=tuple(stages),
            counters=job.counters,
            timeline=tuple(job.timeline),
            **arrays,
        )

    def _call(self, job: Job) -> FrameCall:
        draw, memory = job.draw, self._memory
        packed = memory.packed
        return FrameCall(
            width=draw.width,
            height=draw.height,
            ambient=draw.ambient,
            diffuse=draw.diffuse,
            vertices=len(packed.position),
            triangles=len(packed.triangle),
            meshes=len(packed.mesh),
            instances=len(draw.mesh),
            regions=len(job.regions),
            staging_capacity=memory.staging_capacity,
            record_capacity=memory.record_capacity(job.slot, job.labels),
            labels=int(job.labels),
        )

    def _end_geometry(self, job: Job) -> int:
        """Wait for the kernel's end; the flags of what did not fit, 0 when all did."""
        with _of(job.draw):
            run = self._geometry.wait(self._deadline_s)
            self._kernel(job, "geometry", "geometry", job.geometry_ns, run.time_ns, run.provenance)
            row = job.buffers.statistics.read(STATISTICS.itemsize).view(STATISTICS)[0]
            self._host(job, "geometry", "to_host")
            statistics = {name: int(row[name]) for name in STATISTICS.names or ()}
            flags = statistics["flags"]
            if flags & (BAD_INPUT | BAD_FRAME):
                raise DeviceError(f"the geometry kernel refused its input (flags {flags:#x}): device memory is corrupt")
        job.counters |= {f"geometry_{name}": value for name, value in statistics.items()}
        return flags

    def _make_room(self, job: Job, flags: int) -> None:
        memory = self._memory
        if flags & STAGING_OVERFLOW:
            memory.ensure("staging", RECORD_BYTES * job.counters["geometry_triangles_out"] * 5 // 4)
        if flags & RECORD_OVERFLOW:
            room = job.counters["geometry_records_needed"] * 5 // 4
            if job.labels:
                room = 2 * (room + RECORDS_PER_PAGE)
            memory.ensure("record", RECORD_BYTES * room, job.slot)

    def _set_records(self, job: Job) -> None:
        labels = RECORD_BYTES * self._memory.record_capacity(job.slot, True) if job.passes[job.turn].labelled else 0
        self._program.set_address(registers.TRI_BASE_LO, job.buffers.record.address + labels)
        self._program.set_address(registers.BAND_BASE_LO, job.buffers.band.address)

    def _wait(self, job: Job) -> None:
        try:
            self._card.wait_done(self._deadline_s)
        except DeviceTimeout as error:
            raise DeviceTimeout(f"{error}{self._why()}") from error

    def _why(self) -> str:
        """What CTRL adds to a wait in vain; nothing where the card itself refuses work by now, and has said why."""
        try:
            return f": {why_no_end(self._program.read(registers.CTRL))}"
        except DeviceBroken:
            return ""
        except DeviceError as error:
            return f": {error}"

    def _stride(self, width: int) -> int:
        """Bytes of a row in the strided layout: whole beats of the output bus."""
        return -(-4 * width // self._beat) * self._beat

    def _pixels(self, job: Job, turn: int) -> np.ndarray:
        regions = job.regions
        kept = kept_pixels(regions)
        out_bytes = job.counters.get(job.named("out_bytes", turn), 4 * kept)
        if out_bytes != 4 * kept:
            raise DeviceError(f"the kernel wrote {out_bytes} bytes of pixels; the regions hold {4 * kept}")
        if not kept:
            return np.zeros((regions.height, regions.width, 4), np.uint8)
        stride = self._stride(regions.width)
        size = stride * regions.height if self._strided else out_bytes
        words = self._memory.output(size, job.slot, turn).read(size).view("<u4")
        if self._strided:
            words = words.reshape(regions.height, stride // 4)
        if not self._card.shows_registers:
            check_written(words, regions)
        return from_strided(words, regions) if self._strided else from_packed(words, regions)

    def _check_status(self, job: Job) -> float:
        """Nanoseconds of the raster kernel's run, which must have gone well."""
        program = self._program
        status = program.read(registers.STATUS)
        reason = failure(status)
        if reason is not None:
            raise DeviceError(reason)
        for register in ("FRAME_CYCLES", "OUT_BYTES"):
            job.counters[job.named(register.lower())] = program.read(registers.OFFSETS[register])
        job.counters[job.named("dma_state")] = dma_state(status)
        return job.counters[job.named("frame_cycles")] * 1e9 / self._card.clock_hz

    def _host(self, job: Job, stage: str, lane: str) -> None:
        """The host was busy for the frame until now."""
        time_ns, provenance = self._card.take_time()
        start, self._now_ns = self._now_ns, self._now_ns + time_ns
        job.timeline.append(Interval(stage, lane, start, self._now_ns, provenance))

    def _kernel(self, job: Job, stage: str, lane: str, start_ns: float, time_ns: float, provenance: Provenance) -> None:
        """A kernel ran for the frame, and the host has waited for its end."""
        end = start_ns + time_ns
        job.timeline.append(Interval(stage, lane, start_ns, end, provenance))
        self._now_ns = max(self._now_ns, end)

    @contextmanager
    def _counted(self, job: Job) -> Iterator[None]:
        """Register accesses inside are the frame's."""
        reads, writes = self._program.reads, self._program.writes
        yield
        for name, count in (("reads", self._program.reads - reads), ("writes", self._program.writes - writes)):
            key = f"register_{name}"
            job.counters[key] = job.counters.get(key, 0) + count


@contextmanager
def _of(draw: DrawList) -> Iterator[None]:
    """An error inside is one of that frame's."""
    try:
        yield
    except DeviceError as error:
        raise type(error)(f"frame {draw.frame}: {error}") from error
