"""hw/rtl_files.py and the tools that read hw/rtl."""

from __future__ import annotations

import fnmatch
import json
import re
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
INSTALLED = list(sys.path)
sys.path[:0] = [str(ROOT / "hw"), str(ROOT / "hw" / "synth"), str(ROOT / "sim")]

import budget  # noqa: E402
import cover  # noqa: E402
import rtl_files  # noqa: E402
from coverage_data import ModuleCoverage, by_module, merge, read_points  # noqa: E402

sys.path[:] = INSTALLED  # other tests import the installed packages, not the folders that lie in sim


def test_a_hierarchy_holds_what_the_module_instantiates_and_includes() -> None:
    names = {path.name for path in rtl_files.hierarchy([rtl_files.RTL / "roi_regs.v"])}
    assert {"roi_regs.v", "roi_sets.v", "foveal_regs.vh"} <= names
    assert "tile_raster.v" not in names
    whole = {path.stem for path in rtl_files.hierarchy([rtl_files.RTL / "foveal_kernel.v"]) if path.suffix == ".v"}
    assert whole <= set(rtl_files.modules())


def test_each_explanation_names_code_of_its_module() -> None:
    entries = yaml.safe_load((ROOT / "sim" / "uncovered.yaml").read_text())
    for module, texts in entries.items():
        source = (rtl_files.RTL / f"{module}.v").read_text()
        for entry in texts:
            assert entry["code"] in source, f"{module}: {entry['code']}"
            assert len(entry["why"]) > 20, f"{module}: {entry['code']}"


def test_each_explanation_of_a_resting_signal_names_signals_of_its_module() -> None:
    entries = yaml.safe_load((ROOT / "sim" / "untoggled.yaml").read_text())
    every = "\n".join(path.read_text() for path in rtl_files.RTL.glob("*.v"))
    for module, texts in entries.items():
        source = every if module == "any" else (rtl_files.RTL / f"{module}.v").read_text()
        names = set(re.findall(r"[a-z_]\w*", source))
        for entry in texts:
            assert len(entry["why"]) > 20, f"{module}: {entry['signals']}"
            for pattern in entry["signals"]:
                assert fnmatch.filter(names, pattern), f"{module}: no signal {pattern}"


def test_a_resting_signal_that_nobody_explains_is_named() -> None:
    found = ModuleCoverage("m", {}, {}, (), ("a_reg", "m_axi_arid", "b"))
    reasons = {"any": [{"signals": ["m_axi*_arid"], "why": ""}], "m": [{"signals": ["a_*"], "why": ""}]}
    assert cover.at_rest(found, reasons) == ["b"]
    assert cover.at_rest(found, {}) == ["a_reg", "m_axi_arid", "b"]


def test_points_of_two_runs_add_up(tmp_path: Path) -> None:
    def row(kind: str, line: int, comment: str, lines: str, count: int) -> str:
        fields = {"f": "/x/m.v", "l": str(line), "n": "3", "page": f"v_{kind}/m", "o": comment, "S": lines, "h": "m"}
        return "C '" + "".join(f"\x01{key}\x02{value}" for key, value in fields.items()) + f"' {count}\n"

    for name, counts in (("a", (0, 2, 0)), ("b", (1, 0, 0))):
        (tmp_path / name).write_text(
            "# SystemC::Coverage-3\n"
            + row("line", 4, "block", "4-6", counts[0])
            + row("branch", 8, "if", "8", counts[1])
            + row("branch", 9, "else", "9,11", counts[2])
            + row("toggle", 2, "q[3]:0->1", "", counts[0])
        )
    first = by_module(read_points(tmp_path / "a"))[0]
    assert (first.share("line"), first.share("branch"), first.share("toggle")) == (0.0, 0.5, 0.0)
    assert first.missed_signals == ("q",)
    both = by_module(merge(read_points(tmp_path / name) for name in "ab"))[0]
    assert (both.share("line"), both.share("branch"), both.share("toggle")) == (1.0, 0.5, 1.0)
    assert [(point.line, point.lines) for point in both.missed] == [(9, (9, 11))]


def test_the_table_of_synthesis_is_that_of_the_baseline() -> None:
    """After a change of either: make synth ARGS="--update --readme"."""
    baseline = json.loads((ROOT / "hw" / "synth" / "baseline.json").read_text())
    section = (ROOT / "hw" / "README.md").read_text().split("<!-- synth -->")[1].split("<!-- end -->")[0]
    rows = re.findall(r"^\| (\w+) \| ([0-9,.| ]+) \|$", section, re.MULTILINE)
    metrics = ("lut", "", "ff", "carry", "dsp", "bram", "uram", "depth")
    table = {
        name: {m: float(cell) for m, cell in zip(metrics, cells.replace(",", "").split(" | "), strict=True) if m}
        for name, cells in rows
    }
    assert table == baseline


@pytest.mark.parametrize(("lut", "fits"), [(320_000, True), (333_001, False)])
def test_a_kernel_must_fit_into_a_super_logic_region(lut: int, fits: bool) -> None:
    """30 % of (369,000 + 333,000 + 367,000) LUTs are 320,700; the smallest region has 333,000."""
    used = dict.fromkeys(budget.KINDS, 1.0) | {"lut": float(lut)}
    cards = budget.budgets()
    assert {card.name for card in cards} == {"Alveo U280", "Alveo U55C"}
    for card in cards:
        assert card.free["lut"] == 1_069_000
        assert (card.problems(used) == []) is fits
        assert card.shares(used)["lut"] == pytest.approx(lut / 1_069_000)
