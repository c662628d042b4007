"""hw/packaging/kernel_xml.py: the committed files are fresh, and its readers refuse what they would misread."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
INSTALLED = list(sys.path)
sys.path[:0] = [str(ROOT / "hw" / "packaging"), str(ROOT / "hw")]

import hls_source  # noqa: E402
import kernel_xml  # noqa: E402

sys.path[:] = INSTALLED

SOURCE = (ROOT / "hw" / "hls" / "geometry.cpp").read_text()


def test_the_committed_files_are_fresh() -> None:
    assert kernel_xml.main(["--check"]) == 0


def test_a_pointer_is_one_argument_and_a_value_another() -> None:
    text = kernel_xml.kernel_xml(kernel_xml.regmap.load())
    assert 'name="TRI_BASE" addressQualifier="1" id="0" port="m_axi_gmem0" size="0x8" offset="0x010"' in text
    assert 'name="EGO_X" addressQualifier="0" id="15" port="s_axi_control" size="0x4" offset="0x098"' in text
    assert "_BASE_HI" not in text


def test_pointers_of_the_geometry_kernel_follow_its_signature() -> None:
    names = [pointer.name for pointer in hls_source.read_function(SOURCE, "geometry").pointers]
    assert names[:2] == ["position", "triangle"]
    assert names[-1] == "statistics"
    assert len(names) == 10


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("port = band offset", "port = bands offset", "band, bands"),
        ("port = mesh offset = slave", "port = mesh offset = off", "mesh has no offset = slave"),
        ("#pragma HLS INTERFACE s_axilite port = return", "", "no s_axilite pragma"),
        ("#pragma HLS INTERFACE ap_ctrl_hs port = return", "", "no ap_ctrl_hs pragma"),
        ('extern "C" void geometry(', 'extern "C" void other(', "no definition"),
        ("const float* position,", "float position,", "not a plain pointer"),
    ],
)
def test_a_source_that_would_be_misread_is_refused(old: str, new: str, complaint: str) -> None:
    assert old in SOURCE
    with pytest.raises(ValueError, match=complaint):
        hls_source.read_function(SOURCE.replace(old, new), "geometry")
