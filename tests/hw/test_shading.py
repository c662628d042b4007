"""The HLS shading kernel in C simulation against hw/SPEC.md, sections 5 and 12, and its streams against being stuck."""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np
import pytest
from foveal.shading import beat_type, shade

HLS = Path(__file__).resolve().parents[2] / "hw" / "hls"
STAND_IN = Path(__file__).parent / "hls_stand_in"
NOTHING = 2**24 - 1
WIDTHS = (1, 2, 4, 8, 16)


def depth_bytes(depth: np.ndarray) -> np.ndarray:
    return np.stack([depth & 255, depth >> 8 & 255, depth >> 16], axis=-1).astype(np.uint8)


def random_beats(seed: int, ppc: int, count: int = 200) -> tuple[np.ndarray, np.ndarray]:
    """Beats with a third of nothing, all masks, extreme tints; and TLAST."""
    rng = np.random.default_rng(seed)
    beats = np.zeros(count, beat_type(ppc))
    beats["keep"] = rng.integers(0, 1 << ppc, count)
    beats["flags"] = rng.integers(0, 4, count)
    beats["background"] = rng.integers(0, 256, (count, 3))
    pixel = beats["pixel"]
    pixel["surface"] = rng.integers(0, 1 << 32, (count, ppc))
    depth = rng.integers(0, NOTHING, (count, ppc))
    pixel["depth"] = depth_bytes(np.where(rng.random((count, ppc)) < 0.3, NOTHING, depth))
    pixel["tint"] = rng.choice([0, 1, 127, 128, 129, 254, 255], (count, ppc, 3))
    return beats, rng.random(count) < 0.1


def expected(beats: np.ndarray) -> np.ndarray:
    """(n, ppc, 4) output bytes, from the formulas of section 5."""
    pixel = beats["pixel"]
    depth = (pixel["depth"].astype(np.uint32) << np.array([0, 8, 16], np.uint32)).sum(axis=-1)
    drawn = depth != NOTHING
    lit = pixel["surface"][..., None] >> np.array([0, 8, 16], np.uint32) & 255
    rgb = np.minimum(255, lit * pixel["tint"] // 128)
    rgb = np.where(drawn[..., None], rgb, beats["background"][:, None])
    colour = np.concatenate([rgb[..., ::-1], np.full((*rgb.shape[:2], 1), 255)], axis=-1).astype(np.uint8)
    material = np.where(drawn, pixel["surface"] >> 24, 0).astype(np.uint8)
    depth_out = np.concatenate([pixel["depth"], material[..., None]], axis=-1)
    chosen = np.where((beats["flags"] & 2 != 0)[:, None, None], depth_out, colour)
    kept = beats["keep"][:, None] >> np.arange(pixel.shape[1], dtype=np.uint16) & 1
    return np.where(kept[..., None] != 0, chosen, 0)


def test_hand_worked_pixels() -> None:
    """R 200, G 101, B 129 times 1.0, 0.5, 255/128: exact, rounded down, saturated; then the background; then depth."""
    beats = np.zeros(2, beat_type(2))
    beats["keep"] = 3
    beats["background"] = (0x11, 0x22, 0x33)
    beats["flags"] = (0, 2)
    beats["pixel"]["surface"] = 200 | 101 << 8 | 129 << 16 | 7 << 24
    beats["pixel"]["tint"] = (128, 64, 255)
    beats["pixel"]["depth"] = [[[5, 0, 0], [255, 255, 255]]] * 2
    shaded, last = shade(beats, np.array([False, True]))
    assert shaded.tolist() == [[[255, 50, 200, 255], [0x33, 0x22, 0x11, 255]], [[5, 0, 0, 7], [255, 255, 255, 0]]]
    assert last.tolist() == [False, True]


@pytest.mark.parametrize("ppc", WIDTHS)
def test_random_beats_equal_the_specification(ppc: int) -> None:
    beats, last = random_beats(ppc, ppc)
    shaded, shaded_last = shade(beats, last)
    np.testing.assert_array_equal(shaded, expected(beats))
    np.testing.assert_array_equal(shaded_last, last)


def test_a_tint_of_one_leaves_every_colour_as_it_is() -> None:
    """Why the RTL may send 128 where the material table is not resident."""
    beats = np.zeros(256, beat_type(1))
    beats["keep"] = 1
    beats["pixel"]["surface"] = (np.arange(256) * 0x010101)[:, None]
    beats["pixel"]["tint"] = 128
    shaded, _ = shade(beats, np.zeros(256, bool))
    np.testing.assert_array_equal(shaded[:, 0, :3], np.repeat(np.arange(256)[:, None], 3, axis=1))


@pytest.mark.parametrize("ppc", WIDTHS)
def test_beats_are_as_wide_as_the_specification_says(ppc: int) -> None:
    assert beat_type(ppc).itemsize == 10 * (ppc + 1)


def test_a_missing_answer_names_the_stream() -> None:
    beats, last = random_beats(1, 4, 20)
    with pytest.raises(RuntimeError, match=r"stream 'shaded' is stuck, nothing to read for 50 ms.*20 written, 20 read"):
        shade(beats, last, answers=21, patience_ms=50)


def test_an_answer_that_nobody_takes_names_the_stream() -> None:
    beats, last = random_beats(2, 4, 60)
    with pytest.raises(
        RuntimeError, match=r"stream '(clipped|shaded)' is stuck, no room to write for 50 ms \(depth 16"
    ):
        shade(beats, last, answers=0, patience_ms=50)


def test_other_shapes_are_refused() -> None:
    with pytest.raises(ValueError, match="beat_type"):
        shade(np.zeros(3, beat_type(4)), np.zeros(2, bool))
    with pytest.raises(ValueError, match="1, 2, 4, 8 or 16"):
        shade(np.zeros(3, beat_type(3)), np.zeros(3, bool))


FLAGS = ("-std=c++17", "-Wall", "-Wextra", "-Werror", "-Wno-unknown-pragmas", "-Wno-unused-label", f"-I{HLS}")


def test_the_header_compiles_alone_without_warnings(tmp_path: Path) -> None:
    source = tmp_path / "use.cpp"
    source.write_text(
        '#include "shading.hpp"\n'
        "int main() {\n"
        "    foveal::ShadeBeat<8> beat = {};\n"
        "    beat.last = true;\n"
        "    return !foveal::shaded_of<8>(beat).last;\n"
        "}\n"
    )
    program = tmp_path / "use"
    built = subprocess.run(
        ["c++", *FLAGS, str(source), "-o", str(program)], capture_output=True, text=True, timeout=120
    )
    assert built.returncode == 0, built.stderr
    assert subprocess.run([str(program)], timeout=20).returncode == 0


def test_the_top_function_answers_each_beat_as_the_specification_says(tmp_path: Path) -> None:
    """shading.cpp over stand-ins for Vitis HLS's headers."""
    program = tmp_path / "shading"
    built = subprocess.run(
        ["c++", *FLAGS, f"-I{STAND_IN}", str(STAND_IN / "shading_main.cpp"), "-o", str(program)],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert built.returncode == 0, built.stderr
    beats, last = random_beats(8, 8)
    raw = np.concatenate([beats.view(np.uint8).reshape(len(beats), -1), last.astype(np.uint8)[:, None]], axis=1)
    done = subprocess.run([str(program)], input=raw.tobytes(), capture_output=True, timeout=60)
    assert done.returncode == 0
    answer = np.frombuffer(done.stdout, np.uint8).reshape(len(beats), 8 * 4 + 1)
    np.testing.assert_array_equal(answer[:, :-1].reshape(len(beats), 8, 4), expected(beats))
    np.testing.assert_array_equal(answer[:, -1], last)
