"""Where the program `foveal` starts, in an environment that holds all of it and in one that does not."""

from __future__ import annotations

import sys

import pytest
from foveal_bench.entry import main


def test_an_environment_without_the_command_s_packages_names_the_right_one(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delitem(sys.modules, "foveal_bench.cli", raising=False)
    monkeypatch.setitem(sys.modules, "click", None)
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 3
    words = capsys.readouterr().err
    assert words.startswith(f"error: {sys.prefix} has no click")
    assert ".venv/bin/foveal" in words
    assert words.count("\n") == 1


def test_elsewhere_the_command_runs(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "argv", ["foveal", "--version"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 0
    assert "version" in capsys.readouterr().out
