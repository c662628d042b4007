"""What the driver says about a frame that failed."""

from __future__ import annotations

import pytest
from foveal.card import registers
from foveal.card.status import failure, undrained

FAILED = registers.STATUS_ERROR_MASK | registers.STATUS_TIMEOUT_MASK


def test_a_good_frame_has_no_reason() -> None:
    assert failure(3 << registers.STATUS_DMA_STATE_SHIFT) is None


@pytest.mark.parametrize("port", [0, 1, 2])
def test_a_timeout_names_its_port_and_whether_the_card_needs_a_reset(port: int) -> None:
    status = FAILED | port << registers.STATUS_PORT_SHIFT
    assert failure(status) == f"memory port gmem{port} did not answer within the TIMEOUT register's cycles"
    reason = failure(status | 0b101 << registers.STATUS_UNDRAINED_SHIFT)
    assert reason is not None
    assert reason.startswith(f"memory port gmem{port} did not answer")
    assert reason.endswith("gmem0 and gmem2 still owe answers: the card needs a reset")


@pytest.mark.parametrize("bits", range(8))
def test_each_port_that_owes_answers_is_named(bits: int) -> None:
    status = bits << registers.STATUS_UNDRAINED_SHIFT | 3 << registers.STATUS_PORT_SHIFT
    assert undrained(status) == [f"gmem{port}" for port in range(3) if bits >> port & 1]
