"""The command line: help teaches, mistakes end in one line and the right exit code."""

import json

import pytest
from click.testing import CliRunner
from foveal.errors import DeviceNotFound, FovealError, ServerLost
from foveal_bench import cli as command
from foveal_bench.cli import FAILED, INVALID, USAGE, VALID, cli


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Invoke `foveal bench` with a run that answers `outcome`."""

    def invoke(outcome, *arguments):
        def fake(options, progress):
            if isinstance(outcome, Exception):
                raise outcome
            return outcome

        monkeypatch.setattr("foveal_bench.run.bench", fake)
        return CliRunner().invoke(cli, ["bench", "--out", str(tmp_path), *arguments], standalone_mode=True)

    return invoke


def answer(verdict, reasons=(), early=None):
    return {"verdict": verdict, "reasons": list(reasons), "headline": None, "summary": None}, early


@pytest.mark.parametrize("words", [["--help"], ["bench", "--help"], ["devices", "--help"]])
def test_help_teaches(words):
    result = CliRunner().invoke(cli, words)
    assert result.exit_code == 0
    assert "foveal bench" in result.output or "device" in result.output


def test_exit_code_follows_the_verdict(run):
    assert run(answer("VALID")).exit_code == VALID
    result = run(answer("INVALID", ["pixels differ from the golden model: tick 5"]))
    assert result.exit_code == INVALID
    assert "pixels differ" in result.output
    assert result.output.rstrip().endswith("foveal bench: INVALID")


def test_a_drive_that_ended_early_fails_with_one_clear_error(run):
    result = run(answer("INVALID", ["the drive ended early"], ServerLost("the CARLA server did not answer")))
    assert result.exit_code == FAILED
    assert "error: the CARLA server did not answer" in result.output
    assert result.stdout.rstrip().endswith("foveal bench: INVALID")


def test_json_is_the_only_thing_on_standard_output(run):
    result = run(answer("VALID"), "--json")
    assert json.loads(result.stdout)["verdict"] == "VALID"


@pytest.mark.parametrize(
    "words",
    [
        ["--size", "0x10"],
        ["--size", "wide"],
        ["--size", "5000x10"],
        ["--ticks", "0"],
        ["--corrupt", "1,2"],
        ["--corrupt", "-1,0,0"],
        ["--corrupt", "120,0,0"],
        ["--wave-tick", "120", "--wave", "frame.vcd"],
        ["--wave-tick", "3"],
        ["--overlap", "3"],
        ["--wave", "no/such/folder/frame.vcd"],
        ["--wave", "."],
        ["--size", "64x48", "--trace", "a.trace"],
        ["--map", "straight", "--trace", "a.trace"],
    ],
)
def test_wrong_options_are_usage_errors(run, words):
    result = run(answer("VALID"), *words)
    assert result.exit_code == USAGE
    assert words[0] in result.output


def test_devices_says_why_one_does_not_work(monkeypatch):
    def refuse(name):
        raise DeviceNotFound("no OpenCL platform found; install a GPU driver")

    monkeypatch.setattr(command, "open_device", refuse)
    monkeypatch.setattr(command, "device_names", lambda: ["opencl"])
    rows = json.loads(CliRunner().invoke(cli, ["devices", "--json"]).stdout)
    assert rows == [{"backend": "opencl", "works": False, "why_not": "no OpenCL platform found; install a GPU driver"}]


def test_devices_says_why_there_is_no_card(monkeypatch):
    monkeypatch.setattr(command, "device_names", lambda: ["xrt"])
    monkeypatch.setattr("foveal.xrt.library.MODULES", ("no_such_pyxrt",))
    result = CliRunner().invoke(cli, ["devices"])
    assert result.exit_code == 0
    assert result.output.startswith("xrt      not usable: XRT is not usable from this Python (no_such_pyxrt:")


def test_an_error_of_ours_is_shown_without_a_traceback(monkeypatch, capsys):
    def broken(**_):
        raise FovealError("something to mend")

    monkeypatch.setattr(command.cli, "main", broken)
    with pytest.raises(SystemExit) as ended:
        command.main()
    assert ended.value.code == FAILED
    assert capsys.readouterr().err == "error: something to mend\n"


@pytest.mark.parametrize(
    ("words", "option"),
    [
        (["--card", "0"], "--card"),
        (["--xclbin", "IMAGE", "--corrupt", "0,1,1"], "--corrupt"),
        (["--xclbin", "IMAGE", "--wave", "frame.vcd"], "--wave"),
        (["--xclbin", "missing.xclbin"], "--xclbin"),
    ],
)
def test_a_card_is_not_asked_for_what_only_a_simulation_can_do(run, tmp_path, words, option):
    image = tmp_path / "foveal_u280.xclbin"
    image.touch()
    result = run(answer("VALID"), *(str(image) if word == "IMAGE" else word for word in words))
    assert result.exit_code == USAGE
    assert option in result.output
