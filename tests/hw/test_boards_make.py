"""boards/card.mk: stops in one line where a tool is missing, and gives the vendor's tools what the board file says."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from timing_text import report

ROOT = Path(__file__).resolve().parents[2]

TOOL = """#!{python}
import pathlib, sys, zipfile
name, arguments = pathlib.Path(sys.argv[0]).name, sys.argv[1:]
with open({log!r}, "a") as log:
    print(name, *arguments, file=log)
if name == "vivado":
    pathlib.Path(arguments[-1]).write_text("made by vivado")
elif name == "v++":
    out = pathlib.Path(arguments[arguments.index("-o") + 1])
    if "-c" in arguments:
        with zipfile.ZipFile(out, "w") as xo:
            xo.write({xml!r}, "geometry/kernel.xml")
    else:
        out.write_text("an image")
        folder = pathlib.Path(arguments[arguments.index("--temp_dir") + 1]) / "reports" / "imp"
        folder.mkdir(parents=True)
        (folder / "top_timing_summary_routed.rpt").write_text("routed")
"""


@pytest.fixture
def tools(tmp_path: Path) -> Path:
    """A folder with stand-ins for vivado, v++ and platforminfo that log what they are given."""
    folder = tmp_path / "bin"
    folder.mkdir()
    log, xml = str(tmp_path / "log"), str(ROOT / "boards" / "kernel" / "geometry.xml")
    for name in ("vivado", "v++", "platforminfo"):
        (folder / name).write_text(TOOL.format(python=sys.executable, log=log, xml=xml))
        (folder / name).chmod(0o755)
    return folder


def make(board: str, target: str, tmp_path: Path, path: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """`make target` of a card with PATH `path`, building below tmp_path."""
    settings = {"BUILD": str(tmp_path / "build"), "SETUP": "true", "PYTHON": sys.executable} | variables
    command = ["make", "--no-print-directory", "-C", str(ROOT / "boards" / board), target]
    command += [f"{name}={value}" for name, value in settings.items()]
    environment = {key: value for key, value in os.environ.items() if not key.startswith("MAKE")} | {"PATH": path}
    return subprocess.run(command, capture_output=True, text=True, timeout=120, env=environment, check=False)


SYSTEM = "/usr/local/bin:/usr/bin:/bin"


@pytest.mark.parametrize(
    ("target", "says"),
    [
        ("xo", "vivado is not on the PATH; source the settings64.sh of Vivado 2023.1"),
        ("xclbin", "v++ is not on the PATH; source the settings64.sh of Vitis 2023.1"),
        ("timing", "vivado is not on the PATH"),
        ("hw-test", "foveal_u280.xclbin was not built; run make xclbin first"),
    ],
)
def test_a_missing_tool_is_one_line(tmp_path: Path, target: str, says: str) -> None:
    done = make("u280", target, tmp_path, SYSTEM)
    ours = [line for line in done.stderr.splitlines() if not line.startswith("make: ***")]
    assert done.returncode == 2
    assert len(ours) == 1
    assert says in ours[0]
    assert not done.stdout
    assert not (tmp_path / "build").exists()


def test_a_missing_platform_is_one_line(tmp_path: Path, tools: Path) -> None:
    (tools / "platforminfo").write_text("#!/bin/sh\nexit 1\n")
    done = make("u55c", "xclbin", tmp_path, f"{tools}:{SYSTEM}")
    assert "the platform xilinx_u55c_gen3x16_xdma_3_202210_1 is not installed" in done.stderr
    assert not (tmp_path / "build").exists()


def test_hw_test_without_xrt_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "build").mkdir()
    (tmp_path / "build" / "foveal_u280.xclbin").touch()
    done = make("u280", "hw-test", tmp_path, SYSTEM)
    assert "XRT is not on the PATH; source /opt/xilinx/xrt/setup.sh" in done.stderr


@pytest.mark.parametrize(("words", "code"), [("3 passed, 2 skipped in 1s", 0), ("7 skipped in 1s", 2), ("1 failed", 2)])
def test_hw_test_fails_where_nothing_ran(tmp_path: Path, tools: Path, words: str, code: int) -> None:
    (tmp_path / "build").mkdir()
    (tmp_path / "build" / "foveal_u280.xclbin").touch()
    (tools / "xbutil").touch(0o755)
    python = tools / "python"
    python.write_text(f'#!/bin/sh\necho "$FOVEAL_XCLBIN $FOVEAL_CARD $*"; echo {words!r}\n')
    python.chmod(0o755)
    done = make("u280", "hw-test", tmp_path, f"{tools}:{SYSTEM}", PYTHON=str(python), DEVICE="0000:d8:00.1")
    assert done.returncode == code
    assert f"{tmp_path}/build/foveal_u280.xclbin 0000:d8:00.1 -m pytest -m card" in done.stdout
    assert ("no test ran on a card" in done.stderr) == (code != 0)


def test_hw_test_takes_an_image_from_elsewhere(tmp_path: Path, tools: Path) -> None:
    (tools / "xbutil").touch(0o755)
    python = tools / "python"
    python.write_text('#!/bin/sh\necho "$FOVEAL_XCLBIN $*"; echo 1 passed\n')
    python.chmod(0o755)
    image = tmp_path / "elsewhere.xclbin"
    image.touch()
    done = make("u55c", "hw-test", tmp_path, f"{tools}:{SYSTEM}", PYTHON=str(python), IMAGE=str(image))
    assert done.returncode == 0, done.stderr
    assert f"{image} -m pytest -m card" in done.stdout


@pytest.mark.parametrize(("row", "code", "line"), [("0.021", 0, "timing is met"), ("-0.021", 2, "timing is MISSED")])
def test_timing_ends_in_one_line(tmp_path: Path, tools: Path, row: str, code: int, line: str) -> None:
    text = report(f"{row} 0.000 0 1403771 0.010 0.000 0 1402107 0.000 0.000 0 511208", device="xcu55c-fsvh2892")
    vivado = tools / "vivado"
    vivado.write_text(vivado.read_text().replace('"made by vivado"', repr(text)))
    done = make("u55c", "timing", tmp_path, f"{tools}:{SYSTEM}")
    assert done.returncode == code, done.stderr
    assert done.stdout.splitlines()[-1].startswith(line)


@pytest.mark.parametrize(
    ("board", "part", "platform"),
    [
        ("u280", "xcu280-fsvh2892-2L-e", "xilinx_u280_gen3x16_xdma_1_202211_1"),
        ("u55c", "xcu55c-fsvh2892-2L-e", "xilinx_u55c_gen3x16_xdma_3_202210_1"),
    ],
)
def test_an_image_is_built_from_the_board_file(
    tmp_path: Path, tools: Path, board: str, part: str, platform: str
) -> None:
    done = make(board, "xclbin", tmp_path, f"{tools}:{SYSTEM}")
    assert done.returncode == 0, done.stderr
    build = tmp_path / "build"
    log = (tmp_path / "log").read_text().splitlines()
    packaged = next(line for line in log if line.startswith("vivado"))
    compiled = next(line for line in log if line.startswith("v++ -c"))
    linked = next(line for line in log if line.startswith("v++ -l"))
    assert f"-tclargs {part} {ROOT}/hw/rtl {ROOT}/boards/kernel/foveal_kernel.xml" in packaged
    assert f"--platform {platform} -k geometry --config {ROOT}/hw/hls/geometry.cfg" in compiled
    assert f"--config {ROOT}/boards/{board}/connectivity.cfg" in linked
    assert f"{build}/foveal_kernel.xo {build}/geometry.xo -o {build}/foveal_{board}.xclbin" in linked
    assert all("-t hw " in line for line in (compiled, linked))
    assert (build / f"foveal_{board}.timing.rpt").read_text() == "routed"
    # Nothing is made again.
    made = len(log)
    assert make(board, "xclbin", tmp_path, f"{tools}:{SYSTEM}").returncode == 0
    again = (tmp_path / "log").read_text().splitlines()[made:]
    assert not [line for line in again if not line.startswith("platforminfo")]


def test_a_geometry_kernel_with_other_offsets_stops_the_build(tmp_path: Path, tools: Path) -> None:
    other = tmp_path / "other.xml"
    text = (ROOT / "boards" / "kernel" / "geometry.xml").read_text()
    other.write_text(text.replace('offset="0x058"', 'offset="0x060"'))
    script = (tools / "v++").read_text().replace(str(ROOT / "boards" / "kernel" / "geometry.xml"), str(other))
    (tools / "v++").write_text(script)
    done = make("u280", "xclbin", tmp_path, f"{tools}:{SYSTEM}")
    assert done.returncode == 2
    assert "geometry.staging is argument 6 at 0x060" in done.stdout
    assert not (tmp_path / "build" / "geometry.xo").exists()
    assert not (tmp_path / "build" / "foveal_u280.xclbin").exists()
