"""Arguments of the world server that are no ports or counts are told in the user's words."""

from __future__ import annotations

import pytest
from foveal_sim.world.command import main


@pytest.mark.parametrize("option", ["--port", "--stream-port", "--seed", "--traffic", "--walkers"])
@pytest.mark.parametrize("value", ["abc", "-1", "1.5", "1e3", ""])
def test_what_is_no_number_is_told_without_names_of_the_program(option, value, capsys):
    with pytest.raises(SystemExit) as ended:
        main([f"{option}={value}"])
    assert ended.value.code == 2
    line = capsys.readouterr().err.splitlines()[-1]
    expected = "is no port: give 0 to 65535" if "port" in option else "is not a whole number of 0 or more"
    assert line == f"foveal world: error: argument {option}: {value!r} {expected}"


def test_ports_end_at_65535(capsys):
    with pytest.raises(SystemExit):
        main(["--stream-port", "65536"])
    assert "'65536' is no port: give 0 to 65535" in capsys.readouterr().err
