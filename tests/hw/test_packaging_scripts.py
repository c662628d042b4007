"""boards/kernel/*.tcl, run by tclsh with every command of Vivado replaced by one that notes its call."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from foveal.card.kernel import load_kernel

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = ROOT / "boards" / "kernel"
KERNEL = load_kernel("foveal_kernel")

VIVADO = """
proc unknown {args} {
    puts [join $args " "]
    switch -- [lindex $args 0] {
        ipx::current_core { return CORE }
        ipx::get_user_parameters { return {P1 P2} }
        get_property { return [lindex $args end] }
        ipx::get_ports { return {PIN1 PIN2} }
        ipx::add_register { return "register:[lindex $args 2]" }
        ipx::add_register_parameter { return "[lindex $args 2]:[lindex $args 3]" }
        ipx::add_bus_parameter { return "[lindex $args 2]:[lindex $args 3]" }
        ipx::get_bus_interfaces { return "bus:[lindex $args [lsearch -not $args -*]+1]" }
    }
    return [lindex $args 0]
}
"""


def run(script: str, *arguments: str | Path, folder: Path) -> subprocess.CompletedProcess[str]:
    """The script with these arguments; standard output has one line a call of Vivado."""
    words = " ".join(f"{{{argument}}}" for argument in arguments)
    text = f"{VIVADO}\nset argv [list {words}]\nset argc [llength $argv]\nsource {{{SCRIPTS / script}}}\n"
    (folder / "run.tcl").write_text(text)
    command = ["tclsh", str(folder / "run.tcl")]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False, cwd=folder)


@pytest.fixture
def calls(tmp_path: Path) -> list[str]:
    sources = (ROOT / "hw/rtl", SCRIPTS / "foveal_kernel.xml")
    targets = (tmp_path / "w", tmp_path / "k.xo")
    done = run("package_xo.tcl", "xcu280-fsvh2892-2L-e", *sources, *targets, folder=tmp_path)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_the_kernel_is_packaged_for_the_part_with_its_description(calls: list[str], tmp_path: Path) -> None:
    work = tmp_path / "w"
    assert calls[0] == f"create_project -part xcu280-fsvh2892-2L-e foveal_kernel {work}/project"
    assert "set_property top foveal_kernel current_fileset" in calls
    sources = next(call for call in calls if call.startswith("add_files"))
    assert {path.name for path in (ROOT / "hw/rtl").glob("*.v*")} == {Path(word).name for word in sources.split()[2:]}
    assert calls[-1] == (
        f"package_xo -xo_path {tmp_path}/k.xo -kernel_name foveal_kernel -ip_directory {work}/ip"
        f" -kernel_xml {SCRIPTS}/foveal_kernel.xml"
    )
    assert calls.index("ipx::save_core CORE") > calls.index("ipx::check_integrity -kernel CORE")


def test_each_argument_is_a_register_and_each_pointer_names_its_port(calls: list[str]) -> None:
    for argument in KERNEL.arguments:
        register = f"register:{argument.name}"
        assert f"set_property address_offset 0x{argument.offset:03X} {register}" in calls
        assert f"set_property size {8 * argument.size} {register}" in calls
        associated = f"set_property value {argument.port} ASSOCIATED_BUSIF:{register}"
        assert (associated in calls) == argument.pointer
    made = [call for call in calls if call.startswith("ipx::add_register ")]
    assert len(made) == len(KERNEL.arguments) + 4
    for name, offset in (("CTRL", "0x000"), ("GIE", "0x004"), ("IER", "0x008"), ("ISR", "0x00C")):
        assert f"set_property address_offset {offset} register:{name}" in calls


def test_every_port_has_the_clock_and_the_clock_its_reset(calls: list[str]) -> None:
    for port in KERNEL.ports:
        assert f"ipx::associate_bus_interfaces -busif {port.name} -clock ap_clk CORE" in calls
    assert "ipx::associate_bus_interfaces -clock ap_clk -reset ap_rst_n CORE" in calls
    assert "set_property value ACTIVE_LOW POLARITY:bus:ap_rst_n" in calls
    assert "ipx::infer_bus_interface interrupt xilinx.com:signal:interrupt_rtl:1.0 CORE" in calls


def test_streams_are_taken_off_and_their_inputs_rest_at_0(calls: list[str]) -> None:
    for stream in ("m_axis_shade", "s_axis_shade", "s_axis_tex", "m_axis_tex"):
        assert f"ipx::remove_bus_interface {stream} CORE" in calls
        assert any(call.startswith("ipx::get_ports") and f"{stream}_* && DIRECTION == in" in call for call in calls)
    assert calls.count("set_property driver_value 0 PIN1") == 4


def test_parameters_are_fixed(calls: list[str]) -> None:
    assert "ipx::remove_user_parameter P1 CORE" in calls
    assert "ipx::remove_user_parameter P2 CORE" in calls


def test_timing_is_reported_of_the_routed_kernel(tmp_path: Path) -> None:
    report = tmp_path / "k.rpt"
    done = run("timing.tcl", "xcu55c", ROOT / "hw/rtl", SCRIPTS / "foveal_kernel.xdc", report, folder=tmp_path)
    assert done.returncode == 0, done.stderr
    calls = [line.split()[0] for line in done.stdout.splitlines()]
    assert calls[:3] == ["read_verilog", "read_xdc", "synth_design"]
    assert calls[-2:] == ["route_design", "report_timing_summary"]
    assert f"report_timing_summary -report_unconstrained -file {report}" in done.stdout


def test_the_constraints_are_commands_that_vivado_has(tmp_path: Path) -> None:
    (tmp_path / "c.tcl").write_text(f"{VIVADO}\nsource {{{SCRIPTS / 'foveal_kernel.xdc'}}}\n")
    done = subprocess.run(["tclsh", str(tmp_path / "c.tcl")], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    assert "create_clock -name ap_clk -period 3.333 get_ports" in done.stdout
    assert {line.split()[0] for line in done.stdout.splitlines()} == {
        "create_clock",
        "get_ports",
        "set_input_delay",
        "set_output_delay",
    }


@pytest.mark.parametrize("script", ["package_xo.tcl", "timing.tcl"])
def test_without_arguments_a_script_says_what_it_wants(tmp_path: Path, script: str) -> None:
    done = run(script, "one", folder=tmp_path)
    assert done.returncode == 2
    assert done.stderr.startswith(f"{script}: expected PART")
    assert not done.stdout
