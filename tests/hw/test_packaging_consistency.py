"""hw/packaging/consistency.py: what is changed in one place only is found, and the message names both places."""

from __future__ import annotations

import sys
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
INSTALLED = list(sys.path)
sys.path[:0] = [str(ROOT / "hw" / "packaging")]

import consistency  # noqa: E402
from package_texts import Package, load  # noqa: E402

sys.path[:] = INSTALLED

RTL, HEADER = "hw/rtl/foveal_kernel.v", "hw/rtl/foveal_regs.vh"
HLS, HLS_CONFIG = "hw/hls/geometry.cpp", "hw/hls/geometry.cfg"
XML, GEOMETRY = "boards/kernel/foveal_kernel.xml", "boards/kernel/geometry.xml"
REGISTERS, ROLES = "host/foveal/card/registers.py", "host/foveal/card/roles.py"
XRT_IMAGE = "host/foveal/xrt/image.py"
PACKAGING, CONSTRAINTS = "boards/kernel/package_xo.tcl", "boards/kernel/foveal_kernel.xdc"
U280, U55C = "boards/u280/board.yaml", "boards/u55c/board.yaml"
U280_CFG, U55C_CFG = "boards/u280/connectivity.cfg", "boards/u55c/connectivity.cfg"

REST = """
                         const foveal::Instance* instance, const foveal::Region* region,
                         const foveal::FrameParameters* frame, foveal::Record* staging, foveal::Record* record,
                         foveal::BandEntry* band, foveal::GeometryStatistics* statistics) {"""
"""Of the definition's signature, which the declaration in the header is not compared with."""

# (file, what stands there, what is put in its place, files that the message must name)
CHANGES = [
    # ports of the RTL
    (RTL, "m_axi_gmem0_araddr,", "m_axi_gmem0_adr,", (RTL, XML)),
    (RTL, "[511:0] m_axi_gmem2_rdata", "[255:0] m_axi_gmem2_rdata", (RTL, XML)),
    (RTL, "[63:0] m_axi_gmem0_araddr", "[31:0] m_axi_gmem0_araddr", (RTL, XML)),
    (RTL, "[PPC*4-1:0] m_axi_gmem1_wstrb", "[PPC*8-1:0] m_axi_gmem1_wstrb", (RTL, XML)),
    (RTL, "[       11:0] s_axi_control_awaddr", "[       12:0] s_axi_control_awaddr", (RTL, XML)),
    (RTL, "input  wire               s_axi_control_wvalid", "output wire s_axi_control_wvalid", (RTL, XML)),
    (RTL, "parameter PPC = 8,", "parameter PPC = 16,", (RTL, XML)),
    (RTL, "               ap_rst_n,", "               ap_rst,", (RTL, PACKAGING)),
    (RTL, "output wire                  m_axis_shade_tvalid", "output wire m_axis_light_tvalid", (RTL, PACKAGING)),
    # kernel.xml
    (XML, 'name="m_axi_gmem1" mode="master"', 'name="m_axi_gmem3" mode="master"', (RTL, XML)),
    (XML, 'dataWidth="256"', 'dataWidth="512"', (RTL, XML)),
    (XML, 'range="0x1000" dataWidth="32"', 'range="0x2000" dataWidth="32"', (RTL, XML)),
    (
        XML,
        'name="OUT_BASE" addressQualifier="1" id="2" port="m_axi_gmem1"',
        'name="OUT_BASE" addressQualifier="1" id="2" port="m_axi_gmem0"',
        (U280, U280_CFG),
    ),
    (XML, 'offset="0x040"', 'offset="0x044"', (HEADER, XML)),
    (XML, 'offset="0x0A8"', 'offset="0x0AC"', (HEADER, XML)),
    (XML, 'id="7" port="s_axi_control"', 'id="70" port="s_axi_control"', (XML, HEADER)),
    (
        XML,
        'name="TRI_BASE" addressQualifier="1" id="0" port="m_axi_gmem0" size="0x8"',
        'name="TRI_BASE" addressQualifier="1" id="0" port="m_axi_gmem0" size="0x4"',
        (XML, HEADER),
    ),
    (XML, 'name="ROI_COMMIT"', 'name="ROI_APPLY"', (HEADER, XML)),
    (XML, '<arg name="TEX_INVALIDATE"', '<argument name="TEX_INVALIDATE"', (XML, HEADER)),
    (XML, '<kernel name="foveal_kernel"', '<kernel name="foveal"', (XML, PACKAGING)),
    # offsets elsewhere
    (HEADER, "FOVEAL_REG_HEIGHT 12'h048", "FOVEAL_REG_HEIGHT 12'h04C", (HEADER, REGISTERS)),
    (HEADER, "FOVEAL_REG_TRI_FETCHED 12'h230", "FOVEAL_REG_TRI_FETCHED 12'h234", (HEADER, REGISTERS)),
    (HEADER, "FOVEAL_LAST_WRITABLE 12'h18C", "FOVEAL_LAST_WRITABLE 12'h188", (XML, HEADER)),
    (HEADER, "`define FOVEAL_LAST_WRITABLE", "// FOVEAL_LAST_WRITABLE", (XML, HEADER)),
    (REGISTERS, "\nSTRIDE = 0x050", "\nSTRIDE = 0x054", (HEADER, REGISTERS)),
    (REGISTERS, 'Register("STRIDE", 0x050', 'Register("STRIDE", 0x054', (HEADER, REGISTERS)),
    (REGISTERS, "\nROI_15_HI = 0x17C", "\nROI_15_HI = 0x178", (HEADER, REGISTERS)),
    # the HLS kernel
    (
        HLS,
        "port = triangle offset = slave bundle = gmem1",
        "port = triangle offset = slave bundle = gmem0",
        (HLS, GEOMETRY),
    ),
    (
        HLS,
        "foveal::BandEntry* band, foveal::GeometryStatistics* statistics) {\n    // The scene",
        "foveal::GeometryStatistics* statistics, foveal::BandEntry* band) {\n    // The scene",
        (HLS, GEOMETRY),
    ),
    (HLS, f"const foveal::Mesh* mesh,{REST}", f"const foveal::Instance* mesh,{REST}", (HLS, GEOMETRY)),
    (GEOMETRY, 'offset="0x04C"', 'offset="0x050"', (GEOMETRY, HLS)),
    (GEOMETRY, 'id="3"', 'id="4"', (GEOMETRY, HLS)),
    (GEOMETRY, 'port="m_axi_gmem1" size="0x8"', 'port="m_axi_gmem1" size="0x4"', (GEOMETRY, HLS)),
    (
        GEOMETRY,
        'name="record" addressQualifier="1" id="7" port="m_axi_gmem2"',
        'name="record" addressQualifier="1" id="7" port="m_axi_gmem1"',
        (HLS, GEOMETRY),
    ),
    (HLS_CONFIG, "clock=300000000", "clock=250000000", (HLS_CONFIG, U280)),
    # the driver's port of pixels
    (XRT_IMAGE, 'OUTPUT_PORT = "m_axi_gmem1"', 'OUTPUT_PORT = "m_axi_gmem2"', (XRT_IMAGE, XML)),
    # packaging and constraints
    (
        PACKAGING,
        "set memory_ports {m_axi_gmem0 m_axi_gmem1 m_axi_gmem2}",
        "set memory_ports {m_axi_gmem0 m_axi_gmem1}",
        (PACKAGING, XML),
    ),
    (
        PACKAGING,
        "{m_axis_shade s_axis_shade s_axis_tex m_axis_tex}",
        "{m_axis_shade s_axis_shade s_axis_tex}",
        (PACKAGING, RTL),
    ),
    (PACKAGING, "set top foveal_kernel", "set top foveal", (PACKAGING, XML)),
    (CONSTRAINTS, "[get_ports ap_clk]", "[get_ports clk]", (CONSTRAINTS, RTL)),
    (CONSTRAINTS, "-period 3.333", "-period 4.000", (CONSTRAINTS, U280)),
    # the cards
    *(
        (cfg, old, new, (cfg, facts))
        for cfg, facts in ((U280_CFG, U280), (U55C_CFG, U55C))
        for old, new in (
            ("sp=foveal_1.TRI_BASE:HBM[0:3]", "sp=foveal_1.TRI_BASE:HBM[4:7]"),
            ("sp=foveal_1.OUT_BASE:HBM[4:7]", "sp=foveal_1.OUT_BASE:HBM[4]"),
            ("sp=geometry_1.band:HBM[0:3]\n", ""),
            ("sp=geometry_1.frame:HBM[12:15]", "sp=geometry_1.frames:HBM[12:15]"),
            ("nk=foveal_kernel:1:foveal_1", "nk=foveal_kernel:1:foveal_2"),
            ("slr=foveal_1:SLR0", "slr=foveal_1:SLR1"),
            ("freqHz=300000000:foveal_1.ap_clk", "freqHz=250000000:foveal_1.ap_clk"),
            ("freqHz=300000000:geometry_1.ap_clk", "freqHz=300000000:geometry_1.clk"),
        )
    ),
    *(
        (facts, old, new, (cfg, facts))
        for cfg, facts in ((U280_CFG, U280), (U55C_CFG, U55C))
        for old, new in (
            ("m_axi_gmem2: HBM[8:11]", "m_axi_gmem2: HBM[8:15]"),
            ("instance: geometry_1", "instance: geometry"),
            ("  value: 300000000", "  value: 250000000"),
        )
    ),
    (U280, "m_axi_gmem1: HBM[4:7] ", "m_axi_gmem7: HBM[4:7] ", (U280, XML)),
]


@pytest.fixture(scope="module")
def package() -> Package:
    return load()


def test_the_tree_agrees(package: Package) -> None:
    assert consistency.problems(package) == []


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: f"{change[0].rsplit('/', 1)[1]}-{change[1][:40]}")
def test_a_change_in_one_place_is_found(package: Package, change: tuple[str, str, str, tuple[str, ...]]) -> None:
    path, old, new, places = change
    assert package.text[path].count(old) == 1, "the change must hit exactly one place"
    changed = replace(package, text=package.text | {path: package.text[path].replace(old, new)})
    lines = consistency.problems(changed)
    assert any(all(place in line for place in places) for line in lines), lines


def test_a_role_of_an_argument_that_is_not_there_is_found(package: Package) -> None:
    roles = package.roles | {"output": (("foveal_kernel", "WIDTH"),)}
    lines = consistency.problems(replace(package, roles=roles))
    assert any(ROLES in line and XML in line and "WIDTH" in line for line in lines)
    assert any(ROLES in line and XML in line and "OUT_BASE" in line for line in lines)


def test_a_buffer_of_two_kernels_that_no_bank_joins_is_found(package: Package) -> None:
    text = dict(package.text)
    for path, old, new in (
        (U280, "m_axi_gmem0: HBM[0:3] ", "m_axi_gmem0: HBM[20:23] "),
        (U280_CFG, "sp=foveal_1.TRI_BASE:HBM[0:3]", "sp=foveal_1.TRI_BASE:HBM[20:23]"),
        (U280_CFG, "sp=foveal_1.BAND_BASE:HBM[0:3]", "sp=foveal_1.BAND_BASE:HBM[20:23]"),
    ):
        assert old in text[path]
        text[path] = text[path].replace(old, new)
    lines = consistency.problems(replace(package, text=text))
    assert sorted(line.split(" role ")[1].split()[0] for line in lines) == ["band", "record"]
    assert all(ROLES in line and U280_CFG in line for line in lines)


@pytest.mark.parametrize(
    ("path", "old", "new", "complaint"),
    [
        (
            U280_CFG,
            "sp=foveal_1.TRI_BASE:HBM[0:3]",
            "sp=foveal_1.TRI_BASE:HBM[0:3]\nsp=foveal_1.TRI_BASE:HBM[1]",
            "already set",
        ),
        (U280_CFG, "[clock]", "[clocks]", "no such option"),
        (U280, "m_axi_gmem1: HBM[4:7] ", "m_axi_gmem1: HBM[30:33] ", "HBM[0:31]"),
        (XML, "</args>", "", "no XML"),
        (RTL, "module foveal_kernel", "module foveal_top", "no module foveal_kernel"),
    ],
)
def test_a_file_that_cannot_be_read_is_a_problem(
    package: Package, path: str, old: str, new: str, complaint: str
) -> None:
    text = package.text | {path: package.text[path].replace(old, new)}
    if path == U280:
        text[U280_CFG] = text[U280_CFG].replace("OUT_BASE:HBM[4:7]", "OUT_BASE:HBM[30:33]")
    place = U280_CFG if path == U280 else path
    assert any(complaint in line and place in line for line in consistency.problems(replace(package, text=text)))


def test_what_vpp_made_of_the_hls_kernel_is_compared(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = load().text[GEOMETRY]
    for name, content, code in (("same", text, 0), ("other", text.replace('"0x058"', '"0x060"'), 1)):
        path = tmp_path / f"{name}.xo"
        with zipfile.ZipFile(path, "w") as xo:
            xo.writestr("geometry/kernel.xml", content)
        assert consistency.main(["--xo", str(path)]) == code
    shown = capsys.readouterr().out
    assert "other.xo" in shown
    assert "geometry.staging is argument 6 at 0x060" in shown
    (tmp_path / "torn.xo").write_bytes(b"PK")
    assert consistency.main(["--xo", str(tmp_path / "torn.xo")]) == 1
