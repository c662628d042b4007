"""foveal.drawlist: what a draw list, a zone and a mesh set refuse to hold."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from foveal.drawlist import DrawList, MeshSet, Zone
from foveal.region import Region, RegionSet


def draw(**changes: Any) -> DrawList:
    fields: dict[str, Any] = {
        "frame": 5,
        "width": 50,
        "height": 40,
        "mesh": np.zeros(2, np.uint32),
        "mvp": np.tile(np.eye(4, dtype=np.float32), (2, 1, 1)),
        "sun": np.zeros((2, 3), np.float32),
    }
    return DrawList(**(fields | changes))


@pytest.mark.parametrize(
    "change",
    [
        *[{"frame": value} for value in (1.5, None, "a", True)],
        *[{"width": value} for value in (50.0, None)],
        *[{"height": value} for value in (40.0, "40")],
        *[{"background": value} for value in (None, "abc", 7, (1.5, 2, 3), (float("nan"), 1, 1), (None, 1, 1))],
        *[{"ambient": value} for value in (None, "x", 1j, (1.0,))],
        {"diffuse": None},
        *[{"ego": value} for value in (None, "ab", 3.0, ("a", 1.0), (None, None))],
        *[{"zone": value} for value in ((0.0, 0.0, 1.0, 1.0), 5)],
        *[{name: value} for name in ("mesh", "mvp", "sun") for value in (None, [0, 0], np.uint32(3))],
    ],
    ids=repr,
)
def test_field_of_another_kind_is_refused_by_its_name(change: dict[str, Any]) -> None:
    with pytest.raises(TypeError, match=rf"DrawList\.{next(iter(change))}"):
        draw(**change)


@pytest.mark.parametrize(
    "change",
    [
        {"frame": -1},
        *[
            {"background": value}
            for value in ((1, 2), (1, 2, 3, 4), (), (256, 0, 0), (0, -1, 0), np.zeros((3, 1), int))
        ],
        *[{"ego": value} for value in ((1.0,), (1.0, 2.0, 3.0), ())],
        {"ego": (10**400, 0)},
    ],
    ids=repr,
)
def test_value_that_cannot_be_is_refused_by_its_name(change: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=next(iter(change))):
        draw(**change)


def test_numbers_of_numpy_and_lists_become_plain_ones() -> None:
    made = draw(
        frame=np.int64(7), width=np.uint16(50), background=np.array([1, 2, 3], np.uint8), ego=[1, np.float32(2)]
    )
    assert (made.frame, made.width, made.background, made.ego) == (7, 50, (1, 2, 3), (1.0, 2.0))
    assert [type(value) for value in (made.frame, made.width, *made.background, *made.ego)] == [int] * 5 + [float] * 2


def test_a_background_that_the_caller_changes_later_is_another_one() -> None:
    colour = [1, 2, 3]
    made = draw(background=colour)
    colour.pop()
    assert made.background == (1, 2, 3)


@pytest.mark.parametrize("value", [None, "a", 1j])
def test_zone_of_what_is_no_number_is_refused(value: Any) -> None:
    with pytest.raises(TypeError, match=r"Zone\.y1"):
        Zone(0.0, 0.0, 1.0, value)


@pytest.mark.parametrize("name", ["position", "triangle", "normal", "vertex_range", "material"])
def test_mesh_set_of_what_is_no_array_is_refused(name: str) -> None:
    fields: dict[str, Any] = {
        "position": np.zeros((3, 3), np.float32),
        "triangle": np.array([[0, 1, 2]], np.uint32),
        "normal": np.zeros((1, 3), np.float32),
        "surface": np.zeros((1, 4), np.uint8),
        "vertex_range": np.array([[0, 3]], np.uint32),
        "triangle_range": np.array([[0, 1]], np.uint32),
        "bounds": np.zeros((1, 2, 3), np.float32),
        "material": np.zeros((256, 4), np.uint8),
    }
    MeshSet(**fields)
    with pytest.raises(TypeError, match=rf"MeshSet\.{name} must be an array"):
        MeshSet(**(fields | {name: None}))


@pytest.mark.parametrize("size", [(50.0, 40), (50, None), ("50", 40)])
def test_regions_of_a_frame_without_whole_pixels_are_refused(size: Any) -> None:
    with pytest.raises(TypeError, match=r"RegionSet\.(width|height)"):
        RegionSet(*size, ())


def test_regions_are_regions_and_stay_what_they_were() -> None:
    mine = [Region(0, 0, 1, 1)]
    made = RegionSet(50, 40, mine)  # type: ignore[arg-type]
    mine.append(Region(0, 0, 99, 99))
    assert made.regions == (Region(0, 0, 1, 1),)
    with pytest.raises(TypeError, match="no Region"):
        RegionSet(50, 40, ((0, 0, 1, 1),))  # type: ignore[arg-type]
