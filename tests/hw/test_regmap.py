"""The register map: its views are fresh, and it says what hw/SPEC.md says."""

from __future__ import annotations

import importlib.util
import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest
from foveal.card import registers

ROOT = Path(__file__).resolve().parents[2]
SPEC = (ROOT / "hw" / "SPEC.md").read_text().split("## 10. Registers")[1]


@pytest.fixture(scope="module")
def regmap() -> ModuleType:
    spec = importlib.util.spec_from_file_location("regmap", ROOT / "hw" / "regmap.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["regmap"] = module
    spec.loader.exec_module(module)
    return module


def spec_offsets() -> dict[str, int]:
    """Register names and offsets as the tables of section 10 give them, the 16 regions and read-only lists expanded."""
    offsets: dict[str, int] = {}
    # A cell with an offset, and the start of the cell after it: names in capitals, before any explanation.
    for offset, cell in re.findall(r"\| (0x[0-9A-Fx/, n+]+?8?n?) \| (ROI_n_LO|ROI_n_HI|[A-Z0-9_/, ]+)", SPEC):
        names = re.findall(r"ROI_n_(?:LO|HI)|[A-Z][A-Z0-9_]+", cell)
        if "8n" in offset:
            for n in range(16):
                offsets[names[0].replace("_n_", f"_{n}_")] = int(offset.split()[0], 16) + 8 * n
        elif "/" in offset:
            low, high = offset.split("/")
            stem = names[0].removesuffix("_LO")
            offsets |= {f"{stem}_LO": int(low, 16), f"{stem}_HI": int(high, 16)}
        else:
            offsets |= {name: int(text, 16) for text, name in zip(offset.split(", "), names, strict=True)}
    listed = SPEC.split("from 0x208 in steps of 4:")[1].split("The counters account")[0]
    while "(" in listed:  # explanations, some of them nested
        listed = re.sub(r"\([^()]*\)", "", listed)
    ordered = re.findall(r"\b[A-Z][A-Z0-9_]{3,}\b", listed)
    offsets |= {name: 0x208 + 4 * index for index, name in enumerate(ordered)}
    return offsets


def test_views_are_fresh(regmap: ModuleType) -> None:
    stale = [path.name for path, text in regmap.views(regmap.load()).items() if path.read_text() != text]
    assert not stale, f"{stale} differ from hw/rtl/foveal.rdl: run python hw/regmap.py"


def test_offsets_are_those_of_the_specification() -> None:
    expected = spec_offsets()
    assert len(expected) > 90
    assert expected == registers.OFFSETS


def test_counters_stand_in_the_order_of_the_specification() -> None:
    listed = SPEC.split("Then the counters")[1]
    positions = [re.search(rf"\b{name}\b", listed) for name in registers.COUNTERS]
    assert all(positions)
    starts = [match.start() for match in positions if match]
    assert starts == sorted(starts)
    assert len(registers.FRAME_COUNTERS) == 33
    assert [registers.OFFSETS[name] for name in registers.COUNTERS] == list(range(0x210, 0x2DC, 4))


def test_fields_do_not_overlap_and_masks_are_theirs() -> None:
    for register in registers.REGISTERS:
        seen = 0
        for field in register.fields:
            mask = sum(1 << (field.lsb + n) for n in range(field.width))
            assert not seen & mask, register.name
            seen |= mask
            name = f"{register.name}_{field.name.upper()}"
            if hasattr(registers, f"{name}_MASK"):
                assert getattr(registers, f"{name}_MASK") == mask
                assert getattr(registers, f"{name}_SHIFT") == field.lsb
        assert seen < 1 << 32


def test_identity_and_reset_values() -> None:
    assert registers.DEFAULT_ID.to_bytes(4, "little") == b"FOVL"
    assert registers.DEFAULT_TIMEOUT == 65_536
    assert registers.STATUS_PORT_MASK == 0xC0
    assert (registers.CTRL_AP_DONE_MASK, registers.FLAGS_IMMEDIATE_MASK) == (2, 4)


def test_names_are_offsets() -> None:
    assert {name: getattr(registers, name) for name in registers.OFFSETS} == registers.OFFSETS


def test_region_offsets() -> None:
    assert [registers.roi_lo(n) for n in (0, 1, 15)] == [0x100, 0x108, 0x178]
    assert registers.roi_hi(15) == 0x17C
    with pytest.raises(ValueError, match="region 16"):
        registers.roi_lo(16)


def test_a_stale_view_fails_the_check(regmap: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(regmap, "ROOT", tmp_path)
    assert regmap.main(["--check"]) == 1
    assert regmap.main([]) == 0
    assert regmap.main(["--check"]) == 0
    header = tmp_path / "hw" / "rtl" / "foveal_regs.vh"
    header.write_text(header.read_text().replace("12'h204", "12'h208"))
    assert regmap.main(["--check"]) == 1


def test_the_c_header_compiles(tmp_path: Path) -> None:
    compiler = shutil.which("c++")
    assert compiler is not None, "building the wheel needs a C++ compiler, so the tests have one"
    source = tmp_path / "use.cpp"
    source.write_text(
        '#include "foveal_regs.h"\n'
        "static_assert(foveal::regs::roi_hi(15) == 0x17C);\n"
        "static_assert(foveal::regs::FRAME_COUNTERS == 33);\n"
        "int main() { return static_cast<int>(foveal::regs::CTRL); }\n"
    )
    command = [compiler, "-std=c++17", "-Wall", "-Werror", "-fsyntax-only", f"-I{ROOT / 'hw' / 'hls'}", str(source)]
    result = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert result.returncode == 0, result.stderr
