"""The reference street as it is shipped."""

from __future__ import annotations

import numpy as np
import pytest
from foveal.scene import reference


def test_the_street_has_its_known_size_and_material_range() -> None:
    meshes, draw = reference.load()
    assert len(meshes.triangle) == 94_114
    assert len(meshes.vertex_range) == len(draw.mesh) == 242
    assert (draw.width, draw.height) == (1920, 1080)
    assert int(meshes.surface[:, 3].max()) < 31
    assert (np.linalg.norm(meshes.normal, axis=1) > 0.999).all()


def test_objects_lie_within_their_bounds_and_textured_materials_are_tinted() -> None:
    meshes, _ = reference.load()
    for (first, count), (low, high) in zip(meshes.vertex_range, meshes.bounds, strict=True):
        position = meshes.position[first : first + count]
        np.testing.assert_array_equal((position.min(axis=0), position.max(axis=0)), (low, high))
    tinted = (meshes.material[:, :3] != 128).any(axis=1)
    assert tinted[[0, 1, 2, 5, 29]].all()
    assert not tinted[[3, 11, 14]].any()


@pytest.mark.parametrize(("width", "height"), [(1920, 1080), (640, 480)])
def test_the_camera_sees_90_degrees_with_square_pixels(width: int, height: int) -> None:
    _, draw = reference.load(width, height)
    clip = draw.mvp[0].astype(np.float64) @ np.array([10.0, 10.0, 1.6 + 2.0, 1.0])
    u, v = clip[:2] / clip[3] * (width / 2, height / 2)
    assert u == pytest.approx(-width / 2, rel=1e-5)
    assert v == pytest.approx(width / 2 * 0.2, rel=1e-5)


@pytest.mark.parametrize(("name", "share"), [("5%", 0.05), ("10%", 0.10), ("25%", 0.25), ("50%", 0.50)])
def test_region_sets_hold_their_share(name: str, share: float) -> None:
    assert reference.regions(name).share == pytest.approx(share, rel=2e-3)


def test_an_unknown_share_names_the_known_ones() -> None:
    with pytest.raises(KeyError, match="25%"):
        reference.regions("33%")
