"""Which pairs of client and server are accepted.

Pairs reported in https://github.com/carla-simulator/carla/issues/2341, .../7030, .../3126,
https://github.com/autonomousvision/transfuser/issues/252 and https://github.com/tdurieux/anonymous_github/issues/247.
"""

import logging

import pytest
from foveal.carla.version import Decision, check, decide
from foveal.errors import ServerLost


@pytest.mark.parametrize(
    ("client", "server", "decision"),
    [
        ("0.9.16", "0.9.16", Decision.OK),
        ("0.9.16", "0.9.16-dirty", Decision.WARN),
        ("0.9.14", "0.9.15-dirty", Decision.REFUSE),
        ("784d9b9f", "0.9.10.1", Decision.UNKNOWN_WARN),
        ("0.9.6", "0.9.7", Decision.REFUSE),
        ("0.9.1", "0.9.10", Decision.REFUSE),  # no prefix match
        ("0.9.10", "0.9.10.1", Decision.REFUSE),
        ("784d9b9f", "784d9b9f", Decision.OK),
        ("0.9.16", "", Decision.UNKNOWN_WARN),
        ("0.9.16-3-gabc", "0.9.16-4-gdef", Decision.WARN),
    ],
)
def test_decisions(client, server, decision):
    assert decide(client, server) is decision


def test_a_refused_pair_names_both_and_can_be_forced(caplog):
    with pytest.raises(ServerLost, match=r"0\.9\.14.*0\.9\.15-dirty"):
        check("0.9.14", "0.9.15-dirty")
    with caplog.at_level(logging.WARNING):
        assert check("0.9.14", "0.9.15-dirty", force=True) is Decision.REFUSE
    assert "0.9.15-dirty" in caplog.text


def test_only_a_doubtful_pair_is_logged(caplog):
    with caplog.at_level(logging.WARNING):
        assert check("0.9.16", "0.9.16") is Decision.OK
        assert not caplog.records
        assert check("0.9.16", "0.9.16-dirty") is Decision.WARN
    assert len(caplog.records) == 1
