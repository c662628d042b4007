"""`foveal xclbin`: files made, shown and checked."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from foveal.card import load_board
from foveal.errors import XclbinError
from foveal.xclbin import make_xclbin
from foveal_bench.cli import cli


def run(*arguments: str | Path) -> Result:
    result = CliRunner().invoke(cli, ["xclbin", *map(str, arguments)])
    if isinstance(result.exception, XclbinError):
        raise result.exception
    assert result.exit_code == 0, result.output
    return result


def test_a_file_is_made_where_it_was_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "twin.xclbin"
    made = json.loads(run("make", "u55c", "--out", path, "--json").output)
    assert made["bytes"] == path.stat().st_size
    assert path.read_bytes() == make_xclbin(load_board("u55c"))
    assert "fits Alveo U55C and this driver; no bitstream" in run("check", path).output


def test_show_names_offsets_and_banks(tmp_path: Path) -> None:
    path = tmp_path / "twin.xclbin"
    run("make", "u280", "--out", path)
    content = json.loads(run("show", path, "--json").output)
    foveal = content["instances"][0]
    output = next(argument for argument in foveal["arguments"] if argument["name"] == "OUT_BASE")
    assert (foveal["name"], output["offset"]) == ("foveal_1", "0x028")
    assert output["memories"] == ["HBM[4]", "HBM[5]", "HBM[6]", "HBM[7]"]
    text = run("show", path).output
    assert "HBM[4:7]" in text
    assert content["uuid"] in text


def test_check_refuses_another_board(tmp_path: Path) -> None:
    path = tmp_path / "twin.xclbin"
    run("make", "u280", "--out", path)
    with pytest.raises(XclbinError, match=r"twin\.xclbin: it is for the platform xilinx_u280"):
        run("check", path, "--board", "u55c")


def test_a_file_that_is_cut_short_is_refused_with_its_name(tmp_path: Path) -> None:
    path = tmp_path / "short.xclbin"
    path.write_bytes(make_xclbin(load_board("u280"))[:1000])
    for command in ("show", "check"):
        with pytest.raises(XclbinError, match=r"short\.xclbin: .* cut short"):
            run(command, path)


def test_a_file_that_is_not_there_says_how_to_make_one(tmp_path: Path) -> None:
    with pytest.raises(XclbinError, match="foveal xclbin make"):
        run("check", tmp_path / "none.xclbin")


def test_what_is_no_regular_file_is_refused_at_once() -> None:
    for command in ("show", "check"):
        with pytest.raises(XclbinError, match="/dev/zero: it is a pipe or a device"):
            run(command, "/dev/zero")
