"""hw/formal/ports.py: every handshake that the RTL drives has the rules of a property set."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
INSTALLED = list(sys.path)
sys.path[:0] = [str(ROOT / "hw" / "formal"), str(ROOT / "hw")]

import ports  # noqa: E402

sys.path[:] = INSTALLED


@pytest.fixture
def harnesses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of hw/formal that a test may change."""
    copy = tmp_path / "formal"
    shutil.copytree(ROOT / "hw" / "formal", copy, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(ports, "HERE", copy)
    return copy


def test_no_module_drives_a_handshake_without_rules() -> None:
    assert ports.unbound() == []


def test_the_handshakes_of_a_module_are_its_ports_in_pairs() -> None:
    found = {(pair.valid, pair.ready, pair.drives) for pair in ports.handshakes("tri_fetch")}
    assert found == {
        ("load_valid", "load_ready", False),
        ("band_valid", "band_ready", False),
        ("m_tri_tvalid", "m_tri_tready", True),
        ("m_axi_gmem0_arvalid", "m_axi_gmem0_arready", True),
        ("m_axi_gmem0_rvalid", "m_axi_gmem0_rready", False),
    }


@pytest.mark.parametrize(
    ("module", "old", "new", "lost"),
    [
        # Another wire than the port's, no set at all, and a port that is handed on.
        ("skid_buffer", ".valid  (m_tvalid)", ".valid  (m_tvalid & m_tready)", {"skid_buffer.m_tvalid"}),
        ("roi_clip", "stream_properties #(", "stream_rules #(", {"roi_clip.m_axis_tvalid"}),
        (
            "roi_regs",
            "axi4_lite_properties port",
            "axi4_lite_rules port",
            {
                "roi_regs.s_axi_control_bvalid",
                "roi_regs.s_axi_control_rvalid",
                "foveal_kernel.s_axi_control_bvalid",
                "foveal_kernel.s_axi_control_rvalid",
            },
        ),
    ],
)
def test_a_lost_property_set_is_named(harnesses: Path, module: str, old: str, new: str, lost: set[str]) -> None:
    harness = harnesses / module / f"{module}_formal.v"
    text = harness.read_text()
    assert old in text
    harness.write_text(text.replace(old, new))
    assert {f"{pair.module}.{pair.valid}" for pair in ports.unbound()} == lost


def test_a_constant_channel_needs_no_rules_and_a_second_module_inside_none_of_its_own() -> None:
    def where(module: str, valid: str) -> str:
        return next(ports.binding(pair) for pair in ports.handshakes(module) if pair.valid == valid)

    assert where("foveal_kernel", "m_axi_gmem0_wvalid") == "constant"
    assert where("tile_raster", "m_blk_tvalid") == "tile_emit.m_blk_tvalid"
