"""The OpenCL device: geometry and raster kernels, timed by profiling events."""

from __future__ import annotations

import time
from itertools import product

import numpy as np
import pyopencl as cl

from foveal.channel import Channel, checked
from foveal.device import DeviceInfo
from foveal.drawlist import DrawList, MeshSet
from foveal.errors import DeviceBroken, DeviceError
from foveal.frame import Frame, StageTime
from foveal.opencl import layout
from foveal.opencl.memory import Memory
from foveal.opencl.program import GROUP, Program, build
from foveal.opencl.selection import kind_of, select
from foveal.opencl.timing import Interval, busy_ns, span_ns, stage_times
from foveal.provenance import Provenance
from foveal.region import RegionSet
from foveal.residency import Residency, ResidencyState

__all__ = ["OpenClDevice", "open_opencl"]


def open_opencl(
    platform: str | int | None = None,
    device: str | int | None = None,
    kernels: str = "auto",
    fp64: bool | None = None,
) -> OpenClDevice:
    """Open an OpenCL device; a GPU before a CPU where the arguments leave a choice.

    platform, device: index, or part of the name. kernels: "cpu" or "gpu" kernel set; "auto" takes the device's kind.
    fp64: use float64 in triangle set-up; None takes what the device has, False computes the same in integers.
    Raises DeviceNotFound when there is no such device and DeviceError when the kernels cannot be built.
    """
    if kernels not in ("auto", "cpu", "gpu"):
        raise ValueError(f"kernels is {kernels!r}, expected auto, cpu or gpu")
    chosen = select(platform, device)
    has_fp64 = "cl_khr_fp64" in chosen.extensions
    return OpenClDevice(
        chosen,
        kind_of(chosen) if kernels == "auto" else kernels,
        has_fp64 if fp64 is None else fp64 and has_fp64,
    )


_OUTPUTS: tuple[str, ...] = ("pixels", "depths", "labels")
"""Buffers that the raster kernel writes, a word a pixel; the first alone for nothing but colour."""


def _words(channels: Channel) -> list[str]:
    """Those of the outputs that are read back."""
    asked = (Channel.COLOUR in channels, Channel.DEPTH in channels, channels.labels)
    return [name for name, wanted in zip(_OUTPUTS, asked, strict=True) if wanted]


class OpenClDevice:
    """A foveal Device on one OpenCL device."""

    def __init__(self, device: cl.Device, kernel_set: str, fp64: bool) -> None:
        self._device = device
        self._kernel_set = kernel_set
        self._fp64 = fp64
        self._meshes: MeshSet | None = None
        self._broken: str | None = None
        self._wide: Program | None = None  # with all channels, built when they are first asked for
        self._open()
        platform = device.platform
        self._info = DeviceInfo(
            backend="opencl",
            name=device.name.strip(),
            kind=kind_of(device),
            detail={
                "platform": f"{platform.name.strip()} {platform.version.strip()}",
                "driver": device.driver_version.strip(),
                "kernels": f"{kernel_set} set",
                "source": self._program.digest,
                "options": self._program.options,
                "setup": "float64" if fp64 else "integer",
                "division": "correctly rounded" if self._program.exact else "within 2.5 ulp",
                "compute_units": str(device.max_compute_units),
                "clock_mhz": str(device.max_clock_frequency),
                "build_ms": f"{self._program.build_ns / 1e6:.1f}",
            },
        )

    @property
    def info(self) -> DeviceInfo:
        return self._info

    @property
    def build_ns(self) -> int:
        """Time the kernels took to build (from source or from a cache on disk); no frame contains it."""
        return self._program.build_ns

    def load(self, meshes: MeshSet) -> None:
        """Upload static geometry and wait. Raises DeviceError when it does not fit."""
        self._refuse_if_broken()
        self._meshes = meshes
        self._residency = Residency()
        try:
            self._load(meshes)
        except cl.Error as error:
            raise self._break(f"uploading {len(meshes.triangle)} triangles", error) from error

    def render(self, draw: DrawList, regions: RegionSet, *, channels: Channel = Channel.COLOUR) -> Frame:
        """Draw inside `regions`; one raster pass gives all channels.

        The first frame with more than colour waits for a compiler, outside its stages. Raises ValueError for a set of
        another size, DeviceError when the device fails.
        """
        self._refuse_if_broken()
        checked(channels)
        if self._meshes is None:
            raise DeviceError("nothing is loaded; call load() before render()")
        if (regions.width, regions.height) != (draw.width, draw.height):
            raise ValueError(
                f"regions are for {regions.width}x{regions.height}, the draw list for {draw.width}x{draw.height}"
            )
        if len(draw.mesh) and int(draw.mesh.max()) >= len(self._meshes.vertex_range):
            raise ValueError(f"draw list names mesh {int(draw.mesh.max())} of {len(self._meshes.vertex_range)}")
        states = self._residency.begin_frame(draw.ego, draw.zone)
        try:
            if channels != Channel.COLOUR and self._wide is None:
                self._wide = build(self._context, self._device, self._kernel_set, self._fp64, channels=True)
            frame = self._render(self._meshes, draw, regions, states, channels)
            while frame is None:
                frame = self._render(self._meshes, draw, regions, states, channels)
        except cl.Error as error:
            raise self._break(f"rendering frame {draw.frame}", error) from error
        return frame

    def reset(self) -> None:
        """Make a new context and queue, and upload the meshes again."""
        self._close()
        self._broken = None
        try:
            self._open()
        except cl.Error as error:
            raise self._break("opening it again", error) from error
        if self._meshes is not None:
            self.load(self._meshes)

    def close(self) -> None:
        """Give the device's memory back; the device is of no use afterwards."""
        self._close()
        self._broken = "it was closed"

    def _open(self) -> None:
        self._context = cl.Context([self._device])
        self._queue = cl.CommandQueue(self._context, properties=cl.command_queue_properties.PROFILING_ENABLE)
        self._program = build(self._context, self._device, self._kernel_set, self._fp64)
        self._wide = None
        self._memory = Memory(self._context, self._queue)
        self._capacity = layout.CHUNK + layout.CHUNK // 2
        self._tiles_of: RegionSet | None = None
        self._tiles = np.zeros((0, 4), np.int32)
        self._residency = Residency()

    def _close(self) -> None:
        try:
            self._memory.release()
        except cl.Error as error:
            self._broken = str(error)

    def _refuse_if_broken(self) -> None:
        if self._broken is not None:
            raise DeviceBroken(f"{self._device.name.strip()} is broken ({self._broken}); call reset() first")

    def _break(self, doing: str, error: Exception) -> DeviceError:
        self._broken = f"{doing}: {error}"
        return DeviceError(f"{self._device.name.strip()} failed while {doing}: {error}; reset() may bring it back")

    def _load(self, meshes: MeshSet) -> None:
        triangle = layout.triangles(meshes)
        position = np.ascontiguousarray(meshes.position)
        self._memory.upload("triangle", triangle)
        self._memory.upload("position", position)
        self._memory.upload("material", np.ascontiguousarray(meshes.material))
        self._queue.finish()

    def _render(
        self,
        meshes: MeshSet,
        draw: DrawList,
        regions: RegionSet,
        states: tuple[ResidencyState, ...],
        channels: Channel,
    ) -> Frame | None:
        """One try; None when a chunk had too little room for clipped triangles, which has then been made."""
        begin = time.perf_counter_ns()
        chunk = layout.chunks(meshes, draw, layout.visible(meshes, draw, regions))
        inputs = {
            "frame": layout.frame(draw, regions, self._residency.resident, self._capacity, len(chunk)),
            "region": layout.region_table(regions),
            "instance": layout.instances(draw),
            "chunk": chunk,
        }
        if self._tiles_of != regions:
            self._tiles, self._tiles_of = layout.active_tiles(regions), regions
            inputs["tile"] = self._tiles
        used = np.zeros(len(chunk), np.int32)
        whole = len(regions) == 1 and regions.regions[0].area == draw.width * draw.height
        wanted = _words(channels)
        size = (draw.height, draw.width)
        words = {name: (np.empty if whole else np.zeros)(size, "<u4") for name in wanted}
        self._make_room(draw, len(chunk), inputs, channels)
        prepared = time.perf_counter_ns()

        events = [("upload", e) for name, array in inputs.items() for e in self._memory.upload(name, array)]
        if ResidencyState.LOADING in states:
            table = np.ascontiguousarray(meshes.material)
            events += [("dma", e) for e in self._memory.upload("material", table)]
        events += self._draw(len(chunk), channels)
        events += [("read_back", e) for e in self._read_back(draw, regions, words, used)]
        self._queue.finish()
        done = time.perf_counter_ns()

        most = int(used.max(initial=0))
        if most > self._capacity:
            self._capacity = -(-most // 16) * 16
            return None
        intervals = [Interval(stage, event.profile.start, event.profile.end) for stage, event in events]
        kernels = [i for i in intervals if i.stage in ("geometry", "raster")]
        counters = {
            "wall_ns": done - begin,
            "device_span_ns": span_ns(intervals),
            "device_busy_ns": busy_ns(intervals),
            "kernel_span_ns": span_ns(kernels),
            "kernel_busy_ns": busy_ns(kernels),
            "chunks": len(chunk),
            "records": int(used.sum()),
            "tiles": len(self._tiles),
            "bytes_up": sum(array.nbytes for array in inputs.values()),
            "bytes_down": sum(r.area for r in regions) * 4 * len(words) + used.nbytes,
            "dma_loads": self._residency.loads,
            "dma_skipped": self._residency.skipped,
        }
        host = StageTime("prepare", float(prepared - begin), Provenance.MEASURED)
        label = words.get("labels")
        return Frame(
            draw.frame,
            (words["pixels"] if "pixels" in words else np.zeros(size, "<u4")).view(np.uint8).reshape(*size, 4),
            regions,
            (host, *stage_times(intervals)),
            counters,
            depth=words.get("depths"),
            semantic=(label >> 16).astype(np.uint8) if label is not None and Channel.SEMANTIC in channels else None,
            instance=label.astype(np.uint16) if label is not None and Channel.INSTANCE in channels else None,
        )

    def _make_room(self, draw: DrawList, chunks: int, inputs: dict[str, np.ndarray], channels: Channel) -> None:
        """Make every buffer of the frame before its timed part."""
        slots = chunks * self._capacity
        columns, rows = layout.padded(draw.width, draw.height)
        sizes = {
            "record": slots * layout.RECORD_BYTES,
            "bounds": slots * 8,
            "count": chunks * 4,
            "extent": -(-chunks // 16) * 16 * 8,
        }
        outputs = _OUTPUTS[:1] if channels == Channel.COLOUR else _OUTPUTS
        sizes |= dict.fromkeys(outputs, columns * rows * 4) | {name: array.nbytes for name, array in inputs.items()}
        for name, size in sizes.items():
            self._memory.buffer(name, size)

    def _draw(self, chunks: int, channels: Channel) -> list[tuple[str, cl.Event]]:
        """Queue the two kernels; a kernel without work is left out."""
        scene = ("frame", "region", "instance", "chunk", "position", "triangle", "material")
        lists = ("record", "bounds", "count", "extent")
        wide = channels != Channel.COLOUR
        program, outputs = (self._wide, _OUTPUTS) if wide and self._wide is not None else (self._program, _OUTPUTS[:1])
        held = {name: self._memory.buffer(name, 0) for name in (*scene, *lists, "tile", *outputs)}
        events = []
        if chunks:
            self._program.geometry.set_args(*(held[name] for name in scene + lists))
            events.append(("geometry", self._launch(self._program.geometry, chunks, layout.CHUNK)))
        if len(self._tiles):
            tiles = (held["tile"], np.int32(len(self._tiles)))
            program.raster.set_args(held["frame"], *tiles, *(held[name] for name in (*lists, *outputs)))
            events.append(("raster", self._launch(program.raster, len(self._tiles), GROUP)))
        return events

    def _launch(self, kernel: cl.Kernel, items: int, group: int) -> cl.Event:
        """One work-group an item with the GPU set, one work-item an item with the CPU set."""
        size, local = ((items * group,), (group,)) if self._kernel_set == "gpu" else ((items,), (1,))
        return cl.enqueue_nd_range_kernel(self._queue, kernel, size, local)

    def _read_back(
        self, draw: DrawList, regions: RegionSet, words: dict[str, np.ndarray], used: np.ndarray
    ) -> list[cl.Event]:
        """Queue the copies of each region's words, and of the records that each chunk made."""
        pitch = layout.padded(draw.width, draw.height)[0] * 4
        events = []
        for r, (name, word) in product(regions, words.items()):
            corner = (r.x0 * 4, r.y0, 0)
            copy = cl.enqueue_copy(  # type: ignore[call-overload]  # the rectangle form is missing from its overloads
                self._queue,
                word,
                self._memory.buffer(name, 0),
                buffer_origin=corner,
                host_origin=corner,
                region=(r.width * 4, r.height, 1),
                buffer_pitches=(pitch,),
                host_pitches=(draw.width * 4,),
                is_blocking=False,
            )
            events.append(copy)
        if used.nbytes:
            events.append(cl.enqueue_copy(self._queue, used, self._memory.buffer("count", 0), is_blocking=False))
        return events
