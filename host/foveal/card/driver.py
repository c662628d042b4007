"""Renders on a card: the driver, the same for a real card and for the co-simulated one."""

from __future__ import annotations

import logging
import threading
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager

import numpy as np

from foveal.card import registers
from foveal.card.card import Card
from foveal.card.engine import GeometryEngine
from foveal.card.identity import Identity, identify
from foveal.card.memory import SLOTS, DeviceMemory
from foveal.card.pipeline import Job, Pipeline
from foveal.card.program import Program
from foveal.channel import Channel, checked
from foveal.device import DeviceInfo
from foveal.drawlist import DrawList, MeshSet
from foveal.errors import DeviceBroken, DeviceBusy, DeviceError, SceneError
from foveal.frame import Frame
from foveal.geometry import PackedMeshes, pack_meshes
from foveal.region import RegionSet
from foveal.residency import ZoneWindow

__all__ = ["FovealDriver"]

_log = logging.getLogger(__name__)

TIMEOUT_LATENCIES = 100
"""Latencies without any progress after which memory is dead: refresh, page misses and neighbours cost a few."""

LEAST_TIMEOUT = 4096
"""Cycles; the shading kernel is timed by the same register, and may be slower than memory."""

MAX_SIDE = 4096
"""Largest width and height of a frame, pixels."""


class FovealDriver:
    """A foveal.device.Device over a Card. After a failure it is broken and refuses work until reset() succeeds.

    One thread at a time: while a call is under way, another thread's raises DeviceBusy (close() waits instead).
    """

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
        self._closed = False
        self._flow: object | None = None  # the stream that is open
        self._lock = threading.RLock()  # held while the card is at work
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
        with self._alone():
            self._check_ready()
            if not isinstance(meshes, MeshSet):
                raise SceneError(f"meshes come as a MeshSet, not as {type(meshes).__name__}")
            try:
                meshes.check_values()
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
        with self._alone():
            self._check_ready()
            if not isinstance(pages, np.ndarray):
                raise SceneError(f"texture pages come as an array, not as {type(pages).__name__}")
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

    def render(
        self, draw: DrawList, regions: RegionSet, depth: bool = False, *, channels: Channel = Channel.COLOUR
    ) -> Frame:
        """Draw `draw` inside `regions`.

        channels: what the frame holds. Geometry runs once; the raster kernel writes a word a pixel and runs once for
        colour, once for depth with tag (or either), and once for instance with tag. Stages and counters of its second
        and third run have their pass's name before them.
        depth: in place of channels, the frame's pixels are the bytes of the kernel's 32-bit depth words
        (depth | material << 24).
        Raises SceneError when the draw list does not fit the device (which stays ready), DeviceError otherwise.
        """
        with self._alone():
            pipeline = self._pipeline()
            self._check_fits(draw, regions)
            chosen = _chosen(depth, channels)
            with self._breaks():
                job = pipeline.upload(draw, regions, chosen, slot=0)
                pipeline.start_geometry(job)
                pipeline.finish_geometry(job)
                self._run_pass(pipeline, job)
                pipeline.count(job, charged=False)
                while pipeline.next_pass(job):
                    self._run_pass(pipeline, job)
                    pipeline.count(job, charged=False)
                return pipeline.read_back(job)

    def stream(
        self,
        requests: Iterable[tuple[DrawList, RegionSet]],
        *,
        depth: bool = False,
        counters: bool = False,
        channels: Channel = Channel.COLOUR,
    ) -> Generator[Frame]:
        """Draw one request after the other, overlapped: while a frame is rastered, the next one's geometry runs and
        the one before is read back. Yields frames in order, and takes two requests more than it has yielded.

        depth, channels: as in render(). counters: also read all of the kernel's counters; the next pass or frame waits
        for that, and it is charged.
        Until the stream ends, or is closed, the device does nothing else. Raises SceneError for a request that does
        not fit, behind the frames before it; the device stays ready. Raises DeviceError when a frame fails: it and
        all in flight with it are lost, and the device is broken.
        """
        with self._alone():
            pipeline = self._pipeline()
            chosen = _chosen(depth, channels)
            self._flow = flow = object()
        try:
            yield from self._overlapped(flow, pipeline, iter(requests), chosen, counters)
        finally:
            with self._lock:
                if self._flow is flow:
                    self._flow = None

    def reset(self) -> None:
        """Reset the card, check it, and upload the meshes again. Raises DeviceError; then the device stays broken.

        A closed device's card may be another's by now: it is not touched.
        """
        with self._alone():
            self._check_open()
            self._broken = "a reset has not succeeded"
            self._flow = self._memory = None
            self._card.reset()
            self._identity, self._program = self._bring_up()
            if self._meshes is not None and self._packed is not None:
                self._upload(self._meshes, self._packed)
            self._broken = None

    def close(self) -> None:
        """Give the card back; the driver cannot be used again. More than once does nothing."""
        with self._lock:  # whatever another thread has begun ends first
            if self._closed:
                return
            self._broken, self._closed = "it was closed", True
            self._flow = self._memory = None
            self._card.close()

    def _overlapped(
        self,
        flow: object,
        pipeline: Pipeline,
        requests: Iterator[tuple[DrawList, RegionSet]],
        channels: Channel | None,
        counters: bool,
    ) -> Iterator[Frame]:
        """The frame in the raster kernel, the one in the geometry kernel, and the one that is uploaded meanwhile."""
        raster: Job | None = None
        geometry: Job | None = None
        refused: Exception | None = None
        number = 0
        try:
            while True:
                frame = following = None
                request, refused = (None, refused) if refused else self._next(requests)
                flight = [job.draw.frame for job in (raster, geometry) if job is not None]
                with self._step(flow, refused), self._breaks(flight + ([request[0].frame] if request else [])):
                    early = raster is None or raster.last
                    if geometry is not None and early:
                        pipeline.configure(geometry)
                    if request is not None:
                        following = pipeline.upload(*request, channels, slot=number % SLOTS)
                        number += 1
                    if raster is not None:
                        pipeline.finish(raster)
                        if counters:
                            pipeline.count(raster, charged=True)
                        while pipeline.next_pass(raster):
                            self._run_pass(pipeline, raster)
                            if counters:
                                pipeline.count(raster, charged=True)
                    if geometry is not None:
                        pipeline.finish_geometry(geometry)
                        if not early:
                            pipeline.configure(geometry)
                        pipeline.start(geometry)
                    if following is not None:
                        pipeline.start_geometry(following)
                    if raster is not None:
                        frame = pipeline.read_back(raster)
                raster, geometry = geometry, following
                if frame is not None:
                    yield frame
                    self._check_flow(flow)
                if raster is None and geometry is None:
                    break
        finally:
            with self._lock:
                if self._flow is flow and self._broken is None:
                    self._drain(pipeline, raster, geometry)
        if refused is not None:
            raise refused

    @staticmethod
    def _run_pass(pipeline: Pipeline, job: Job) -> None:
        """The pass that is the job's next, from its registers to its end."""
        pipeline.configure(job)
        pipeline.start(job)
        pipeline.finish(job)

    def _next(
        self, requests: Iterator[tuple[DrawList, RegionSet]]
    ) -> tuple[tuple[DrawList, RegionSet] | None, Exception | None]:
        """The next request that fits, or why there is none (None: they have ended)."""
        try:
            request = next(requests)
            if not isinstance(request, (tuple, list)) or len(request) != 2:
                raise SceneError(f"a request is a pair of draw list and regions, not {type(request).__name__}")
            draw, regions = request
            self._check_fits(draw, regions)
        except StopIteration:
            return None, None
        except Exception as error:
            return None, error
        return (draw, regions), None

    def _drain(self, pipeline: Pipeline, raster: Job | None, geometry: Job | None) -> None:
        """Let the kernels end what they were given; nobody wants it any more."""
        with self._breaks():
            if raster is not None:
                pipeline.finish(raster)
            if geometry is not None:
                pipeline.finish_geometry(geometry)

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """One call. Raises DeviceBusy while another thread's is under way, which does not notice."""
        if not self._lock.acquire(blocking=False):
            raise DeviceBusy(f"{self._info.name} is used from two threads at once; one device, one thread")
        try:
            yield
        finally:
            self._lock.release()

    @contextmanager
    def _step(self, flow: object, refused: Exception | None) -> Iterator[None]:
        """One round of a stream. Another thread is waited for: it is refused at once, or ends the stream by a reset."""
        with self._lock:
            self._check_flow(flow, refused)
            yield

    def _check_flow(self, flow: object, refused: Exception | None = None) -> None:
        """Raises DeviceError when the stream has lost the device, be it to the code that makes its requests.

        refused: why that code gave no request, if so.
        """
        if self._flow is not flow:
            raise DeviceError("the device was reset or closed; what its stream had in flight is lost") from refused

    def _pipeline(self) -> Pipeline:
        """The steps of a frame, on a time line of their own."""
        self._check_ready()
        if self._memory is None:
            raise SceneError("no meshes are loaded; call load(meshes) before render()")
        return Pipeline(
            self._card,
            self._geometry,
            self._program,
            self._memory,
            beat_bytes=4 * self._identity.ppc,
            strided=self._strided,
            deadline_s=self._deadline_s,
        )

    def _check_open(self) -> None:
        if self._closed:
            raise DeviceBroken(f"{self._info.name} was closed; open it again")

    def _check_ready(self) -> None:
        self._check_open()
        if self._broken is not None:
            raise DeviceBroken(f"{self._info.name} is broken: {self._broken}; call reset() before the next frame")
        if self._flow is not None:
            raise DeviceBusy(f"{self._info.name} is streaming; take the stream's frames to its end, or close() it")

    @contextmanager
    def _breaks(self, flight: Sequence[int] = ()) -> Iterator[None]:
        """Whatever ends this block early leaves the device in an unknown state, and the frames in flight lost."""
        try:
            yield
        except BaseException as error:
            self._broken = str(error) or type(error).__name__
            _log.info("%s is broken: %s", self._info.name, self._broken)
            if isinstance(error, DeviceError) and len(flight) > 1:
                names = ", ".join(map(str, flight))
                raise type(error)(f"{error} (frames {names} were in flight; none of them counts)") from error
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
        self._program.set_address(registers.MAT_BASE_LO, self._memory.material(neutral=False).address)
        # A new table may lie at the old one's address; the kernel must not take it for the one it holds.
        self._program.act(registers.MAT_INVALIDATE, 1)
        if len(self._pages):
            self._upload_textures(self._memory)

    def _upload_textures(self, memory: DeviceMemory) -> None:
        self._program.set(registers.TEX_PAGES, len(self._pages))
        if len(self._pages):
            buffer = memory.ensure("texture", self._pages.nbytes)
            buffer.write(self._pages)
            self._program.set_address(registers.TEX_BASE_LO, buffer.address)
            # New pages may lie at the old ones' address, after a reset or a new mesh set.
            self._program.act(registers.TEX_INVALIDATE, 1)

    def _check_fits(self, draw: DrawList, regions: RegionSet) -> None:
        """Raises SceneError: nothing that a frame asks for may end it half-way."""
        if not isinstance(draw, DrawList):
            raise SceneError(f"a frame is drawn from a DrawList, not from {type(draw).__name__}")
        if not isinstance(regions, RegionSet):
            raise SceneError(f"frame {draw.frame}: regions come as a RegionSet, not as {type(regions).__name__}")
        if not (1 <= draw.width <= MAX_SIDE and 1 <= draw.height <= MAX_SIDE):
            raise SceneError(f"frame {draw.frame} is {draw.width}x{draw.height}; the kernel draws 1..{MAX_SIDE} a side")
        if (regions.width, regions.height) != (draw.width, draw.height):
            sizes = f"{draw.width}x{draw.height}, its regions are for {regions.width}x{regions.height}"
            raise SceneError(f"frame {draw.frame} is {sizes}")
        known = 0 if self._meshes is None else len(self._meshes.vertex_range)
        if len(draw.mesh) and int(draw.mesh.max()) >= known:
            raise SceneError(f"frame {draw.frame} names mesh {int(draw.mesh.max())}; {known} are loaded")
        light = (draw.ambient, draw.diffuse)
        if not np.isfinite(light).all():
            raise SceneError(f"frame {draw.frame}: ambient and diffuse light are {light}, not finite")
        try:
            draw.check_finite()
        except ValueError as error:
            raise SceneError(str(error)) from error
        try:
            ZoneWindow.of(draw.zone)
        except (ValueError, OverflowError) as error:
            raise SceneError(f"frame {draw.frame}: {draw.zone} is not finite") from error


def _chosen(depth: bool, channels: Channel) -> Channel | None:
    """What a frame holds; None for depth words. Raises SceneError for nothing, or both."""
    checked(channels)
    if depth and channels != Channel.COLOUR:
        raise SceneError("depth=True asks for the kernel's depth words alone; leave it out and ask for Channel.DEPTH")
    return None if depth else channels
