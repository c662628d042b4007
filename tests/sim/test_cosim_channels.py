"""Depth and labels on the co-simulated card: raster passes over the records of one geometry run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from foveal.channel import Channel
from foveal.drawlist import Zone
from foveal.errors import DeviceError, SceneError
from foveal.frame import Frame
from foveal.golden import render
from foveal.region import RegionSet
from foveal.xrt.device import open_xrt
from foveal_sim.cosim import PortFault, open_cosim
from foveal_sim.cosim.device import CosimDevice
from foveal_sim.xrt import SimulatedXrt
from labelled_scenes import labelled_scene
from random_scenes import Scene
from xrt_double import write_image

COLOUR, DEPTH, SEMANTIC, INSTANCE = Channel.COLOUR, Channel.DEPTH, Channel.SEMANTIC, Channel.INSTANCE
ALL = COLOUR | DEPTH | SEMANTIC | INSTANCE
EVERYWHERE = Zone(-1e4, -1e4, 1e4, 1e4)


@pytest.fixture
def device() -> Iterator[CosimDevice]:
    opened = open_cosim(memory_bytes=64 << 20)
    yield opened
    opened.close()


def expect_golden(frame: Frame, scene: Scene, channels: Channel, resident: bool = False) -> None:
    golden = render(scene.meshes, scene.draw, scene.regions, resident, channels)
    np.testing.assert_array_equal(frame.pixels, golden.pixels, err_msg=scene.name)
    for channel, ours, theirs in (
        (DEPTH, frame.depth, golden.depth),
        (SEMANTIC, frame.semantic, golden.semantic),
        (INSTANCE, frame.instance, golden.instance),
    ):
        assert (ours is not None) == (channel in channels)
        if ours is not None:
            np.testing.assert_array_equal(ours, theirs, err_msg=scene.name)


@pytest.mark.parametrize("seed", range(8))
def test_all_channels_equal_the_golden_model(device: CosimDevice, seed: int) -> None:
    scene = labelled_scene(seed)
    device.load(scene.meshes)
    expect_golden(device.render(scene.draw, scene.regions, channels=ALL), scene, ALL)


@pytest.mark.parametrize(
    ("channels", "passes"),
    [
        (COLOUR, 1),
        (DEPTH, 1),
        (SEMANTIC, 1),
        (INSTANCE, 1),
        (DEPTH | SEMANTIC, 1),
        (SEMANTIC | INSTANCE, 1),
        (COLOUR | DEPTH, 2),
        (COLOUR | DEPTH | SEMANTIC, 2),
        (DEPTH | INSTANCE, 2),
        (ALL, 3),
    ],
)
def test_a_pass_for_each_word_and_one_geometry_run(device: CosimDevice, channels: Channel, passes: int) -> None:
    scene = labelled_scene(3, 120, 70)
    device.load(scene.meshes)
    frame = device.render(scene.draw, scene.regions, channels=channels)
    expect_golden(frame, scene, channels)
    assert len([piece for piece in frame.timeline if piece.lane == "raster"]) == passes
    assert len([piece for piece in frame.timeline if piece.lane == "geometry"]) == 1
    cycles = [count for name, count in frame.counters.items() if name.endswith("frame_cycles")]
    assert len(cycles) == passes
    simulated = sum(stage.time_ns for stage in frame.stages if str(stage.provenance) == "simulated")
    assert simulated == pytest.approx(sum(cycles) / 0.3)


def test_a_resident_material_table_tints_colours_and_no_label(device: CosimDevice) -> None:
    scene = labelled_scene(12, 120, 90, full=True)
    inside = replace(scene, draw=replace(scene.draw, zone=EVERYWHERE))
    device.load(scene.meshes)
    for _ in range(2):  # the table of the labels was the last one that the kernel held
        expect_golden(device.render(inside.draw, inside.regions, channels=ALL), inside, ALL, resident=True)
    expect_golden(device.render(inside.draw, inside.regions), inside, COLOUR, resident=True)


def test_the_table_stays_for_colours_while_the_ego_is_in_the_margin(device: CosimDevice) -> None:
    """Labels are drawn with a table of their own, whose load must not end the zone's hysteresis."""
    scene = labelled_scene(12, 120, 90, full=True)
    device.load(scene.meshes)
    zone = Zone(0.0, 0.0, 10.0, 10.0, margin=2.0)
    for x, resident in ((5.0, True), (-1.0, True), (-1.0, True), (-3.0, False)):
        here = replace(scene, draw=replace(scene.draw, ego=(x, 5.0), zone=zone))
        expect_golden(device.render(here.draw, here.regions, channels=ALL), here, ALL, resident)


def test_a_stream_gives_what_render_gives(device: CosimDevice) -> None:
    scenes = [labelled_scene(seed, 100, 70) for seed in (1, 2, 5, 7)]
    meshes = scenes[0].meshes
    scenes = [replace(scene, meshes=meshes) for scene in scenes]
    device.load(meshes)
    requests = [(scene.draw, scene.regions) for scene in scenes]
    for frame, scene in zip(device.stream(requests, channels=ALL), scenes, strict=True):
        expect_golden(frame, scene, ALL)
        assert len([piece for piece in frame.timeline if piece.lane == "raster"]) == 3
        assert sum(stage.time_ns for stage in frame.stages) == pytest.approx(frame.latency_ns)
    expect_golden(device.render(*requests[0]), scenes[0], COLOUR)


def test_records_that_outgrow_their_room_are_made_again_with_their_labels() -> None:
    scene = labelled_scene(5, 150, 120, full=True)
    device = open_cosim(memory_bytes=64 << 20)
    device._capacity = 130
    device.load(scene.meshes)
    frame = device.render(scene.draw, scene.regions, channels=ALL)
    assert frame.counters["geometry_records_written"] > 64  # of 130 records, a page for each kind
    expect_golden(frame, scene, ALL)


def test_depth_words_alone_and_channels_exclude_each_other(device: CosimDevice) -> None:
    scene = labelled_scene(3, 60, 40)
    device.load(scene.meshes)
    with pytest.raises(SceneError, match="depth words alone"):
        device.render(scene.draw, scene.regions, depth=True, channels=DEPTH)
    expect_golden(device.render(scene.draw, scene.regions, channels=DEPTH), scene, DEPTH)


@pytest.mark.parametrize("registers", [True, False])
def test_through_xrt_labels_are_records_behind_the_start_of_their_buffer(tmp_path: Path, registers: bool) -> None:
    library = SimulatedXrt(memory_bytes=64 << 20, registers=registers)
    image = write_image(tmp_path)
    device = open_xrt(library=library, xclbin=image, reset=library.reset, lock_folder=tmp_path)
    scene = labelled_scene(1, 100, 70)
    device.load(scene.meshes)
    frame = device.render(scene.draw, scene.regions, channels=ALL)
    expect_golden(frame, scene, ALL)
    stages = [stage.name for stage in frame.stages]
    first = ("fetch", "raster", "texture_dma", "scan", "drain") if registers else ("kernel",)
    assert set(first) | {f"{name}_{stage}" for name in ("depth", "label") for stage in first} <= set(stages)
    device.close()


def test_an_error_in_a_later_pass_is_the_frames(device: CosimDevice) -> None:
    scene = labelled_scene(3, 120, 70, full=True)
    device.load(scene.meshes)
    device.render(scene.draw, scene.regions, channels=ALL)
    memory = device._memory
    assert memory is not None
    first = memory._buffers["output", 4].address  # of the third pass
    card = device._card
    card.inject(PortFault("gmem1", first, first + 4096, 2))  # type: ignore[attr-defined]
    with pytest.raises(DeviceError, match="gmem1"):
        device.render(scene.draw, scene.regions, channels=ALL)
    card.clear_faults()  # type: ignore[attr-defined]
    device.reset()
    expect_golden(device.render(scene.draw, scene.regions, channels=ALL), scene, ALL)


def test_no_region_gives_empty_channels(device: CosimDevice) -> None:
    scene = labelled_scene(3, 60, 40)
    empty = replace(scene, regions=RegionSet.of([], 60, 40))
    device.load(scene.meshes)
    expect_golden(device.render(empty.draw, empty.regions, channels=ALL), empty, ALL)
