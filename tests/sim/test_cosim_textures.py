"""Texture pages from the driver through the DMA into the store: samples of the RTL against the golden model."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from foveal.drawlist import Zone
from foveal.errors import DeviceBroken, DeviceError, SceneError
from foveal.golden import render, sample
from foveal_sim.cosim import PortFault, open_cosim
from foveal_sim.cosim.card import CosimCard
from foveal_sim.cosim.device import CosimDevice
from random_scenes import Scene, random_scene

EVERYWHERE = Zone(-1e4, -1e4, 1e4, 1e4)
NOWHERE = Zone(0, 0, 0, 0)
SLOTS = 16


@pytest.fixture
def device() -> Iterator[CosimDevice]:
    opened = open_cosim(memory_bytes=64 << 20)
    yield opened
    opened.close()


@pytest.fixture
def scene() -> Scene:
    made = random_scene(3, 96, 64)
    return replace(made, draw=replace(made.draw, zone=EVERYWHERE))


@pytest.fixture
def pages() -> np.ndarray:
    return np.random.default_rng(5).integers(0, 256, (6, 32, 32, 4), dtype=np.uint8)


def card_of(device: CosimDevice) -> CosimCard:
    card = device._card
    assert isinstance(card, CosimCard)
    return card


def check_samples(device: CosimDevice, pages: np.ndarray, resident: np.ndarray, log2_wide: int = 0) -> int:
    """Compare 300 samples of textures of (1 << log2_wide) x 1 pages that start at page 0; the misses among them."""
    u, v = np.random.default_rng(9).integers(-(1 << 20), 1 << 20, (2, 300))
    found = card_of(device).sample_texture(u, v, 0, log2_wide)
    expected = sample(pages, resident, u, v, 0, log2_wide)
    np.testing.assert_array_equal(found[1], expected[1])
    np.testing.assert_array_equal(found[0], expected[0])
    return int(expected[1].sum())


def test_samples_equal_the_golden_model(device: CosimDevice, scene: Scene, pages: np.ndarray) -> None:
    device.load(scene.meshes)
    device.load_textures(pages)
    first = device.render(scene.draw, scene.regions)
    assert (first.counters["tex_loaded"], first.counters["tex_skipped"], first.counters["dma_loads"]) == (6, 0, 1)
    assert first.counters["dma_bytes"] == 1024 + 6 * 4096
    assert check_samples(device, pages, np.ones(6, bool)) == 0
    misses = check_samples(device, pages, np.ones(6, bool), log2_wide=3)  # two of its eight pages do not exist
    again = device.render(scene.draw, scene.regions)
    assert again.counters["dma_bytes"] == first.counters["dma_bytes"]
    assert (again.counters["tex_loaded"], again.counters["tex_skipped"]) == (6, 6)
    assert again.counters["tex_missed"] == misses > 0
    golden = render(scene.meshes, scene.draw, scene.regions, resident=True)
    np.testing.assert_array_equal(again.pixels, golden.pixels)


def test_nothing_is_resident_outside_the_zone(device: CosimDevice, scene: Scene, pages: np.ndarray) -> None:
    device.load(scene.meshes)
    device.load_textures(pages)
    device.render(scene.draw, scene.regions)
    frame = device.render(replace(scene.draw, zone=NOWHERE), scene.regions)
    assert frame.counters["tex_skipped"] == 6
    assert check_samples(device, pages, np.zeros(6, bool)) == 300


def test_new_pages_meshes_and_a_reset_bring_the_right_pages(
    device: CosimDevice, scene: Scene, pages: np.ndarray
) -> None:
    device.load(scene.meshes)
    device.load_textures(pages)
    device.render(scene.draw, scene.regions)
    other = np.ascontiguousarray(pages[::-1])
    device.load_textures(other)
    device.render(scene.draw, scene.regions)
    check_samples(device, other, np.ones(6, bool))
    device.load(scene.meshes)
    device.render(scene.draw, scene.regions)
    check_samples(device, other, np.ones(6, bool))
    device.reset()
    frame = device.render(scene.draw, scene.regions)
    assert frame.counters["tex_loaded"] == 6
    check_samples(device, other, np.ones(6, bool))
    device.load_textures(pages[:0])
    frame = device.render(scene.draw, scene.regions)
    assert frame.counters["tex_skipped"] == 0


def test_a_bad_page_breaks_the_device_by_name(device: CosimDevice, scene: Scene, pages: np.ndarray) -> None:
    device.load(scene.meshes)
    device.load_textures(pages)
    memory = device._memory
    assert memory is not None
    base = memory.ensure("texture", 1).address
    card_of(device).inject(PortFault("gmem2", base + 4096, base + 4160, 2))
    with pytest.raises(DeviceError, match=r"texture page could not be loaded \(gmem2: SLVERR\)"):
        device.render(scene.draw, scene.regions)
    resident = np.array([True, False, True, True, True, True])
    u, v = np.full(6, 128), np.full(6, 128)
    for page in range(6):
        _, miss = card_of(device).sample_texture(u[:1], v[:1], page)
        assert bool(miss[0]) != bool(resident[page])
    with pytest.raises(DeviceBroken):
        device.render(scene.draw, scene.regions)


def test_without_pages_a_frame_costs_what_it_did(scene: Scene, pages: np.ndarray) -> None:
    """TEX_PAGES = 0: the same cycles whether pages were ever loaded or not."""
    cycles = []
    for loads in (False, True):
        device = open_cosim(memory_bytes=64 << 20)
        device.load(scene.meshes)
        if loads:
            device.load_textures(pages)
            device.load_textures(pages[:0])
        frames = [device.render(scene.draw, scene.regions) for _ in range(2)]
        cycles.append([frame.counters["frame_cycles"] for frame in frames][1])
        device.close()
    assert cycles[0] == cycles[1]


@pytest.mark.parametrize(
    ("shape", "kind"), [((SLOTS + 1, 32, 32, 4), np.uint8), ((1, 32, 32, 3), np.uint8), ((1, 32, 32, 4), np.float32)]
)
def test_what_does_not_fit_is_refused_and_the_device_stays_ready(
    device: CosimDevice, scene: Scene, shape: tuple[int, ...], kind: type
) -> None:
    with pytest.raises(SceneError, match="load"):
        device.load_textures(np.zeros((1, 32, 32, 4), np.uint8))
    device.load(scene.meshes)
    with pytest.raises(SceneError):
        device.load_textures(np.zeros(shape, kind))
    device.render(scene.draw, scene.regions)
