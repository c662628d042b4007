"""Every legal set of parameters elaborates without a warning; a value beyond them stops and names the instance."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
INSTALLED = list(sys.path)
sys.path[:0] = [str(ROOT / "hw"), str(ROOT / "sim")]

import parameters  # noqa: E402
import verilator_root  # noqa: E402
from rtl_files import RTL, modules  # noqa: E402

sys.path[:] = INSTALLED  # other tests import the installed packages, not the folders that lie in sim

SEARCH = ["-y", str(RTL), f"-I{RTL}"]
AT_ONCE = 80  # instances in one elaboration, which bounds its memory
MANY = 60  # sets; of more, Verilator, which takes seconds for the kernel, sees each value


def icarus(source: Path, *options: str) -> str:
    """What iverilog says about `source`; dangling ports are the point here."""
    command = ["iverilog", "-g2005", "-Wall", "-Wno-portbind", *SEARCH, *options, str(source)]
    result = subprocess.run(command, capture_output=True, text=True, timeout=250, check=False)
    return result.stdout + result.stderr + (f"exit status {result.returncode}" if result.returncode else "")


@pytest.mark.parametrize("module", sorted(parameters.SPACE))
def test_every_legal_set_elaborates(tmp_path: Path, module: str) -> None:
    sets = parameters.every_set(parameters.SPACE[module])
    for first in range(0, len(sets), AT_ONCE):
        path = tmp_path / "sets.v"
        path.write_text(parameters.instances(module, sets[first : first + AT_ONCE]))
        assert icarus(path, "-t", "null", "-s", "parameter_sets") == ""


@pytest.fixture(scope="session")
def verilator() -> str:
    return str(verilator_root.make_root(ROOT / "build" / "verilator") / "verilator")


@pytest.mark.parametrize("module", sorted(parameters.SPACE))
def test_verilator_has_nothing_to_say(tmp_path: Path, verilator: str, module: str) -> None:
    values = parameters.SPACE[module]
    sets = parameters.every_set(values)
    if len(sets) > MANY:
        sets = parameters.each_value(values)
    path = tmp_path / "parameter_sets.v"
    path.write_text(parameters.instances(module, sets))
    lint = [verilator, "--lint-only", "--quiet", "-Wall", "-Wno-PINMISSING", "--default-language", "1364-2005"]
    command = [*lint, *SEARCH, "--top-module", "parameter_sets", str(path)]
    result = subprocess.run(command, capture_output=True, text=True, timeout=280, check=False)
    assert (result.returncode, result.stdout + result.stderr) == (0, "")


def compile_illegal(folder: Path, module: str, parameter: str, value: int) -> tuple[str, Path]:
    """What Icarus says, and the simulation, which exists where it could be built."""
    source, program = folder / "illegal.v", folder / "illegal"
    source.write_text(f"module illegal;\n  {module} #(.{parameter}({value})) bad ();\nendmodule\n")
    return icarus(source, "-Wno-timescale", "-s", "illegal", "-o", str(program)), program


@pytest.mark.parametrize(("module", "parameter", "value"), parameters.UNBUILDABLE)
def test_a_value_without_a_width_stops_the_elaboration(tmp_path: Path, module: str, parameter: str, value: int) -> None:
    said, program = compile_illegal(tmp_path, module, parameter, value)
    assert not program.exists()
    assert re.search(rf"{module}\.v:\d+: error: ", said), said


@pytest.mark.parametrize(("module", "parameter", "value"), parameters.ILLEGAL)
def test_an_illegal_value_stops_and_names_the_instance(tmp_path: Path, module: str, parameter: str, value: int) -> None:
    warnings, program = compile_illegal(tmp_path, module, parameter, value)
    assert program.is_file(), warnings
    run = subprocess.run(["vvp", "-N", str(program)], capture_output=True, text=True, timeout=60, check=False)
    assert re.search(rf"^illegal\.bad[.\w\[\]]*: .*\bmust\b.*\b{value}\b", run.stdout, re.MULTILINE), run.stdout


def declared_parameters(module: str) -> set[str]:
    return set(re.findall(r"^ *parameter\s+(?:\[[^]]*\]\s*)?(\w+)", (RTL / f"{module}.v").read_text(), re.MULTILINE))


def test_the_named_parameters_exist() -> None:
    for module, values in parameters.SPACE.items():
        assert set(values) <= declared_parameters(module), module


def test_no_parameter_is_forgotten() -> None:
    """Ids, the colour of a miss, and a width that follows from PPC stay at their default."""
    fixed = {"ID_W", "MISS_COLOUR", "COLW"}
    for module in modules():
        assert declared_parameters(module) - fixed == set(parameters.SPACE.get(module, ())), module


def test_pairs_are_covered() -> None:
    values = {"A": (1, 2, 3), "B": (4, 5), "C": (6, 7)}
    chosen = parameters.few(values)
    assert parameters.covers_pairs(chosen, values)
    assert len(chosen) < len(parameters.every_set(values))
    assert not parameters.covers_pairs(chosen[1:], values)


def test_the_kernel_runs_in_sets_that_hold_every_pair() -> None:
    sets = json.loads((ROOT / "sim" / "tb" / "kernel_parameters" / "bench.json").read_text())["configs"]
    values = {
        "PPC": parameters.PPC,
        "OUTSTANDING": (1, 2, 8, 64),
        "TEX_SLOTS": (0, 2, 16, 64),
        "SHADE_PORT": (0, 1),
    }
    assert parameters.covers_pairs(sets, values)
    space = parameters.SPACE["foveal_kernel"]
    assert all(value in space[name] for chosen in sets for name, value in chosen.items())


def test_each_bench_moves_each_parameter() -> None:
    """Two values at least in the module's own bench, and every width of a bus; the kernel's come in pairs, above."""
    benches = ROOT / "sim" / "tb"
    for module, values in parameters.SPACE.items():
        folder = benches / module
        if module == "foveal_kernel" or not folder.is_dir():
            continue
        bench = json.loads((folder / "bench.json").read_text())
        sets = [*bench.get("configs", [{}]), *(chosen for more in bench.get("more", {}).values() for chosen in more)]
        text = (RTL / f"{module}.v").read_text()
        for name in values:
            default = int(re.search(rf"parameter {name} *= (\d+)", text)[1])
            run = {chosen.get(name, default) for chosen in sets}
            assert run == set(values[name]) if name == "DATA_W" else len(run) > 1, (module, name, run)
