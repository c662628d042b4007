"""The image that a RoiCamera hands out, without a server."""

from __future__ import annotations

import resource
from pathlib import Path

import carla
import numpy as np
import pytest
from foveal.carla.image import RoiImage
from foveal.region import Region, RegionSet
from PIL import Image


def image() -> RoiImage:
    pixels = np.arange(4 * 6 * 4, dtype=np.uint8).reshape(4, 6, 4)
    regions = RegionSet.of([Region(1, 0, 3, 2)], 6, 4)
    return RoiImage(7, 0.35, carla.Transform(carla.Location(1, 2, 3)), 90.0, pixels, regions, ())


def test_the_bytes_are_bgra_rows_from_the_top_and_read_only() -> None:
    shown = image()
    assert bytes(shown.raw_data) == bytes(range(96))
    with pytest.raises(TypeError):
        shown.raw_data[0] = 1
    assert (shown.width, shown.height, shown.frame, shown.frame_number, len(shown)) == (6, 4, 7, 7, 24)
    assert shown[1] == carla.Color(6, 5, 4, 7)
    assert [colour.b for colour in shown][:3] == [0, 4, 8]
    with pytest.raises(IndexError):
        shown[24]


def test_the_mask_is_where_pixels_were_rendered() -> None:
    expected = np.zeros((4, 6), bool)
    expected[0:2, 1:3] = True
    assert np.array_equal(image().mask, expected)


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("a/b/shot.png", "a/b/shot.png"),
        ("a/b/shot", "a/b/shot.png"),
        ("run.2/frame", "run.2/frame.png"),
        ("frame.000123", "frame.000123"),
        ("shot.psd", "shot.psd"),
        ("shot.TIFF", "shot.TIFF"),
    ],
)
def test_a_picture_on_disk_has_the_colours_in_a_folder_that_is_made(tmp_path: Path, name: str, written: str) -> None:
    path = image().save_to_disk(tmp_path / name)
    assert path == str(tmp_path / written)
    stored = np.asarray(Image.open(path))
    assert stored.shape == (4, 6, 3)
    assert stored[0, 1].tolist() == [6, 5, 4]


def test_saving_with_a_palette_leaves_the_image_as_it_is(tmp_path: Path) -> None:
    shown = image()
    stored = np.asarray(Image.open(shown.save_to_disk(tmp_path / "tags.png", carla.ColorConverter.CityScapesPalette)))
    assert stored[0, 2].tolist() == [152, 251, 152], "R of the third pixel is 10: terrain"
    assert bytes(shown.raw_data) == bytes(range(96))


def test_a_file_that_cannot_be_written_says_which(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OSError, match="file"):
        image().save_to_disk(tmp_path / "file" / "shot.png")


@pytest.mark.parametrize("before", [None, b"a picture of yesterday"])
def test_a_full_disk_leaves_no_torn_picture_and_what_was_there(tmp_path: Path, before: bytes | None) -> None:
    """A limit on the size of files stands in for the disk."""
    pixels = np.random.default_rng(1).integers(0, 256, (64, 64, 4), np.uint8)  # noise does not compress
    shown = RoiImage(1, 0.0, carla.Transform(), 90.0, pixels, RegionSet.full(64, 64), ())
    file = tmp_path / "shot.png"
    if before is not None:
        file.write_bytes(before)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, hard))
    try:
        with pytest.raises(OSError, match=r"shot\.png"):
            shown.save_to_disk(file)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert [path.name for path in tmp_path.iterdir()] == ([] if before is None else ["shot.png"])
    assert before is None or file.read_bytes() == before
    with Image.open(shown.save_to_disk(file)) as picture:
        assert picture.size == (64, 64)
